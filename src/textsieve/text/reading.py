"""Read documents: decode, lowercase and strip accents, as the counters need it.

The kernels lowercase ASCII themselves, so ASCII documents go to them unchanged. The exception is stripping accents:
a character without its accent can become a capital letter, which stays one.

Few documents are counted without the kernels. How many are few depends on whether the process has loaded the kernels,
which takes as long as counting millions of characters without them. A process that keeps counting small batches spends
that time sooner or later, and then loads them.

Stop words given by the user are compared with words as they are read: lowercased, perhaps without accents, split at
apostrophes and hyphens. So `Der`, `für` (without accents) and `don't` never match. `matchable_stop_words` reads each
stop word as a text would be read, and warns about those that become other words, as scikit-learn does, unless these
words are on the list as well (`Der` and `der`) or none remain (`I` is not a word). The list itself is not changed:
`don't` should not remove every `don` from a text.
"""

import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

from ..errors import InputError, Setting, shown
from ..warning import warn
from .languages import has_dotted_i
from .preparation import AS_IT_IS, Preparation, normaliser
from .words import WORD, Accents, Forms, accent_stripper, lower_case, without_dotted_i

FEW_CHARACTERS, FEW_DOCUMENTS = 1 << 15, 1000
"""Up to this many are counted without the kernels, always."""

COLD_START_BUDGET = 64
"""As long as the kernels are not loaded, a process counts this many times as many characters without them, in all."""

Step = Callable[[str], str]
"""From a text to a text."""

_A_DOCUMENT = 256  # characters, by the time that it takes
_KERNELS = "textsieve.kernels.words"
_charged = 0


def are_few(characters: int, n_documents: int) -> bool:
    """Return whether documents with so many characters in total should be counted without the kernels."""
    if characters <= FEW_CHARACTERS and n_documents <= FEW_DOCUMENTS:
        return True
    effort = _charged + characters + n_documents * _A_DOCUMENT
    return _KERNELS not in sys.modules and effort <= COLD_START_BUDGET * FEW_CHARACTERS


def _charge(characters: int, n_documents: int) -> None:
    """Add to the work that this process has done without the kernels."""
    global _charged
    _charged += characters + n_documents * _A_DOCUMENT


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
        """Return the function that normalises words, or None if words are counted as they are."""
        if self.preparation.normalise is None:
            return None
        return normaliser(
            *(self.preparation.normalise, self.preparation.language),
            *(self.lowercase, self.strip_accents),
        )

    @property
    def words_are(self) -> dict[str, Any]:
        """Return the settings that say what a word is, for counters."""
        return {"forms": self.forms, "joins_names": self.joins_names}

    @property
    def joins_names(self) -> bool:
        """Return whether proper names count as one word."""
        return self.preparation.names

    @property
    def kernels_fold(self) -> bool:
        """Return whether the kernels lowercase ASCII."""
        return self.lowercase and self.strip_accents is None

    def few_or_many(self, documents: Iterable[str | bytes]) -> tuple[list[str] | None, Iterator[str]]:
        """Return all documents as texts if they are few; otherwise None, and a stream of texts for the kernels."""
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
        _charge(characters, len(first))
        few = list(self._prepared(first, for_kernels=False))
        return few, iter(few)

    def _decoded(self, documents: Iterable[str | bytes]) -> Iterator[str]:
        for number, document in enumerate(documents):
            yield document if isinstance(document, str) else self.text_of(document, number)

    def text_of(self, document: str | bytes, number: int = 0) -> str:
        """Return a document as text; `number` is for the error message."""
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
                f"Document {number} is not {self.encoding}: {error}",
                hint=("set ", Setting("encoding"), ", or ", Setting("decode_error", "replace")),
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
        """Return the steps from text to text before words are split."""
        return [*self._cleaning(for_kernels=False), *self._folding()]

    def folded(self, word: str) -> str:
        """Return a word lowercased and without accents, as it occurs in texts that have been read."""
        dotted = without_dotted_i(word) if self._has_dotted_i else word
        lower, strip = lower_case(dotted) if self.lowercase else dotted, accent_stripper(self.strip_accents)
        return lower if strip is None else strip(lower)

    @property
    def _has_dotted_i(self) -> bool:
        """Return whether texts are lowercased as in Turkish."""
        return self.lowercase and has_dotted_i(self.preparation.language)

    def _cleaning(self, *, for_kernels: bool) -> list[Step]:
        """Return the steps before lowercasing: remove tags, join names, and treat the Turkish i, as far as they are
        wanted.
        """
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
        """Return the steps that lowercase and strip accents, and repair names afterwards."""
        steps: list[Step] = [lower_case] if self.lowercase else []
        strip = accent_stripper(self.strip_accents)
        if strip is not None:
            steps.append(strip)
            if self.joins_names:
                from .names import mended

                steps.append(mended)
        return steps


MOST_NAMED = 5
"""Words that a warning names."""


def matchable_stop_words(stop_words: Collection[str], reading: Reading) -> frozenset[str]:
    """Return the user's stop words that can occur in texts; warn about the others."""
    read_as = {word: WORD.findall(reading.folded(word)) for word in stop_words}
    idle = {word: read for word, read in read_as.items() if read != [word] and not set(stop_words).issuperset(read)}
    if idle:
        warn(_warning(idle, len(read_as)))
    return frozenset(word for word, read in read_as.items() if read == [word])


def _warning(idle: dict[str, list[str]], n_words: int) -> str:
    named = [f"{shown(word)} as {' '.join(map(shown, idle[word]))}" for word in sorted(idle)[:MOST_NAMED]]
    more = ", and so on" if len(idle) > MOST_NAMED else ""
    return (
        f"{len(idle):,} of {n_words:,} stop words can never match, because a text is read in another way: "
        f"{', '.join(named)}{more}. Write stop words as they are read, or have capitals and accents read as these are "
        "written."
    )
