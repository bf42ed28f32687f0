"""Documents as they come, to texts as the counters want them: decoded, lower-cased, without accents.

The kernels lower-case ASCII on the way, so documents that are ASCII can go to them as they are. That holds unless
accents are stripped: without its accents a character may turn into a capital, which stays one.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from ..errors import InputError, shown
from .words import Accents, accent_stripper, lower_case

FEW_CHARACTERS, FEW_DOCUMENTS = 1 << 15, 1000
"""Up to this many are counted without the kernels."""


@dataclass(frozen=True)
class Reading:
    """How a document is read."""

    lowercase: bool
    strip_accents: Accents
    encoding: str
    decode_error: str

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
            if characters > FEW_CHARACTERS or len(first) > FEW_DOCUMENTS:
                return None, self._prepared(chain(first, texts), for_kernels=True)
        few = list(self._prepared(first, for_kernels=False))
        return few, iter(few)

    def _decoded(self, documents: Iterable[str | bytes]) -> Iterator[str]:
        for number, document in enumerate(documents):
            if isinstance(document, str):
                yield document
            elif isinstance(document, bytes):
                yield self._text_of(document, number)
            else:
                raise InputError(
                    f"Document {number} is {shown(document)} ({type(document).__name__}), not a text; "
                    "give strings, and '' for an empty document."
                )

    def _text_of(self, document: bytes, number: int) -> str:
        try:
            return document.decode(self.encoding, self.decode_error)
        except UnicodeDecodeError as error:
            raise InputError(
                f"Document {number} is not {self.encoding}: {error}; set encoding, or decode_error='replace'."
            ) from error

    def _prepared(self, texts: Iterable[str], *, for_kernels: bool) -> Iterator[str]:
        strip = accent_stripper(self.strip_accents)
        leave_ascii = for_kernels and self.kernels_fold
        for text in texts:
            if leave_ascii and text.isascii():
                yield text
                continue
            prepared = lower_case(text) if self.lowercase else text
            yield prepared if strip is None else strip(prepared)
