"""Documents as they come, to texts as the counters want them: decoded, lower-cased, without accents.

The kernels lower-case ASCII on the way, so documents that are ASCII can go to them as they are. That holds unless
accents are stripped: without its accents a character may turn into a capital, which stays one.

A few documents are counted without the kernels. How many are few depends on whether a process has loaded them: that
takes as long as counting millions of characters without. A process that goes on to count small batches will have
spent that time sooner or later, and loads them then.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

from ..errors import InputError, shown
from .languages import has_dotted_i
from .preparation import AS_IT_IS, Preparation
from .words import Accents, Forms, accent_stripper, lower_case, without_dotted_i

FEW_CHARACTERS, FEW_DOCUMENTS = 1 << 15, 1000
"""Up to this many are counted without the kernels, always."""

PATIENCE = 64
"""As long as the kernels are not loaded, a process counts this many times as many characters without them, in all."""

Step = Callable[[str], str]
"""From a text to a text."""

_A_DOCUMENT = 256  # characters, by the time that it takes
_KERNELS = "textsieve.kernels.words"
_spent = 0


def are_few(characters: int, n_documents: int) -> bool:
    """Whether documents with so many characters in all are to be counted without the kernels."""
    if characters <= FEW_CHARACTERS and n_documents <= FEW_DOCUMENTS:
        return True
    effort = _spent + characters + n_documents * _A_DOCUMENT
    return _KERNELS not in sys.modules and effort <= PATIENCE * FEW_CHARACTERS


def _spend(characters: int, n_documents: int) -> None:
    """Note what is counted without the kernels."""
    global _spent
    _spent += characters + n_documents * _A_DOCUMENT


@dataclass(frozen=True)
class Reading:
    """How a document is read."""

    lowercase: bool
    strip_accents: Accents
    encoding: str
    decode_error: str
    preparation: Preparation = AS_IT_IS

    @property
    def forms(self) -> Forms | None:
        """What gives the normal forms of words, if they are to be counted by these."""
        if self.preparation.normalise is None:
            return None
        from .normalising import normaliser

        return normaliser(
            *(self.preparation.normalise, self.preparation.language),
            *(self.lowercase, self.strip_accents),
        )

    @property
    def words_are(self) -> dict[str, Any]:
        """What a word counts as, for those who count."""
        return {"forms": self.forms, "joins_names": self.joins_names}

    @property
    def joins_names(self) -> bool:
        """Whether names are one word."""
        return self.preparation.names

    @property
    def kernels_fold(self) -> bool:
        """Whether lower-casing ASCII is left to the kernels."""
        return self.lowercase and self.strip_accents is None

    def few_or_many(self, documents: Iterable[str | bytes]) -> tuple[list[str] | None, Iterator[str]]:
        """All documents as texts if they are few; or else None, and a stream of texts for the kernels."""
        if isinstance(documents, str | bytes):
            raise InputError("Got a single string; give an iterable of documents, for example [text].")
        if not isinstance(documents, Iterable):
            raise InputError(f"documents is {shown(documents)}; give an iterable of texts.")
        if hasattr(documents, "columns"):
            raise InputError("documents is a table with columns; give the one that has the texts.")
        texts = self._decoded(documents)
        first: list[str] = []
        characters = 0
        for text in texts:
            first.append(text)
            characters += len(text)
            if not are_few(characters, len(first)):
                return None, self._prepared(chain(first, texts), for_kernels=True)
        _spend(characters, len(first))
        few = list(self._prepared(first, for_kernels=False))
        return few, iter(few)

    def _decoded(self, documents: Iterable[str | bytes]) -> Iterator[str]:
        for number, document in enumerate(documents):
            yield document if isinstance(document, str) else self.text_of(document, number)

    def text_of(self, document: str | bytes, number: int = 0) -> str:
        """A document as a text; the number is for the message if it is none."""
        if isinstance(document, str):
            return document
        if hasattr(document, "as_py"):  # a scalar of pyarrow
            return self.text_of(document.as_py(), number)
        if not isinstance(document, bytes):
            raise InputError(
                f"Document {number} is {shown(document)} ({type(document).__name__}), not a text; "
                "give strings, and '' for an empty document."
            )
        try:
            return document.decode(self.encoding, self.decode_error)
        except UnicodeDecodeError as error:
            raise InputError(
                f"Document {number} is not {self.encoding}: {error}; set encoding, or decode_error='replace'."
            ) from error

    def _prepared(self, texts: Iterable[str], *, for_kernels: bool) -> Iterator[str]:
        clean, fold = self._cleaning(for_kernels=for_kernels), self._folding()
        leave_ascii = for_kernels and self.kernels_fold
        for text in texts:
            for step in clean:
                text = step(text)
            if not (leave_ascii and text.isascii()):
                for step in fold:
                    text = step(text)
            yield text

    @property
    def steps(self) -> list[Step]:
        """What is done with a text, one after the other, before words are looked for."""
        return [*self._cleaning(for_kernels=False), *self._folding()]

    def folded(self, word: str) -> str:
        """A word with its capitals and accents as they are in texts that have been read."""
        dotted = without_dotted_i(word) if self._has_dotted_i else word
        lower, strip = lower_case(dotted) if self.lowercase else dotted, accent_stripper(self.strip_accents)
        return lower if strip is None else strip(lower)

    @property
    def _has_dotted_i(self) -> bool:
        """Whether texts are lower-cased as in Turkish."""
        return self.lowercase and has_dotted_i(self.preparation.language)

    def _cleaning(self, *, for_kernels: bool) -> list[Step]:
        """Tags go and names are joined, if that is wanted; and capitals that differ."""
        steps: list[Step] = []
        if self.preparation.tags == "drop":
            from .markup import STEPS

            steps += STEPS
        if self.joins_names:
            from .names import join_names, join_names_fast, ready_for_lower_case

            steps.append(join_names_fast if for_kernels else join_names)
            if self.lowercase and not self._has_dotted_i:
                steps.append(ready_for_lower_case)
        return [*steps, without_dotted_i] if self._has_dotted_i else steps

    def _folding(self) -> list[Step]:
        """Capitals go, then accents; and joiners of names at the ends of what is left of a word."""
        steps: list[Step] = [lower_case] if self.lowercase else []
        strip = accent_stripper(self.strip_accents)
        if strip is not None:
            steps.append(strip)
            if self.joins_names:
                from .names import mended

                steps.append(mended)
        return steps
