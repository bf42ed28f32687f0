"""Collections: their editions and files, the words that may follow their names, and the corpora that these select.

A corpus is selected by `name` or `name:word:word...`, with the words in any order. The words belong to choices: each
word is an answer to one choice, and at most one word of each choice may be given. In `newsgroups:comp:no-headers`,
`comp` answers the choice "groups", and `no-headers` the choice "headers". Two choices are the same for all collections:

- the edition, such as `original` in `newsgroups:original`; the name alone selects the first edition;
- the part, `train` or `test`, if the publisher or another word splits the collection; the default is both parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches

from ...errors import InputError
from ..batch import Batch, Report
from ..corpus import Corpus, StartPass
from ..read_limits import NAMED_LIMITS, ReadLimits
from .local_files import File, Paths, cache_hint, obtain, with_cache_hint

PARTS = {"train": "the part to learn from", "test": "the part to test on"}


@dataclass(frozen=True, slots=True)
class Edition:
    """One edition of a collection."""

    word: str
    """The word after the collection's name that selects it; "" if the name alone does."""
    about: str
    files: tuple[File, ...]
    documents: int | None
    classes: int | None
    """Numbers of documents and classes, counted in the published files; None if they depend on the file."""
    split: tuple[int, int] | None = None
    """Numbers of training and test documents, if the publisher defines a split."""
    publisher: str = ""
    licence: str = ""
    """Publisher and licence, if they differ from the collection's."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Words that may follow the name of a collection, but not two of them together."""

    name: str
    words: Mapping[str, str]
    """The words, and the meaning of each."""
    editions: tuple[str, ...] | None = None
    """The editions that have this choice; None for all."""
    splitting_words: tuple[str, ...] = ()
    """Those of the words that split the collection into a training part and a test part."""


@dataclass(frozen=True, slots=True)
class EditionSelection:
    """What the words after the name of a collection select."""

    edition: Edition
    part: str | None = None
    """The part "train" or "test"; None for both."""
    words: Mapping[str, str] = field(default_factory=dict)
    """The word given for each choice other than edition and part, by the choice's name."""
    limits: ReadLimits = NAMED_LIMITS

    def files(self) -> list[File]:
        """Return the files that the selection needs."""
        return [file for file in self.edition.files if self.part is None or file.part in (None, self.part)]

    def get(self, choice: str) -> str | None:
        """Return the word given for a choice, or None."""
        return self.words.get(choice)


@dataclass(frozen=True, slots=True)
class Collection:
    """One of the papers' collections; words after its name select an edition, a part and other choices."""

    name: str
    title: str
    publisher: str
    licence: str
    editions: tuple[Edition, ...]
    start: Callable[[Mapping[str, Paths], EditionSelection], StartPass]
    """Returns a function that starts a pass, given the paths of each file, by the file's name, and the selection."""
    choices: tuple[Choice, ...] = ()
    multilabel: bool = False
    """Whether a document may have several labels."""

    def corpus(self, *words: str, limits: ReadLimits = NAMED_LIMITS) -> Corpus:
        """Return the corpus that the words after the name select; missing files are downloaded by this call."""
        selection = replace(self.select(*words), limits=limits)
        name = ":".join([self.name, *words])
        publisher = self.publisher_of(selection.edition)
        files = {file.name: obtain(file, name, publisher) for file in selection.files()}
        start_reading = self.start(files, selection)

        def start(report: Report) -> Iterator[Batch]:
            """Yield the batches of a pass; raise `InputError` if there are none.

            Errors about a file in the cache get the hint to delete it, so that it is downloaded again.
            """
            batch = None  # stays None if there are no documents
            try:
                for batch in start_reading(report):
                    yield batch
                if batch is None:
                    raise _no_documents_error(name, files.values(), report, publisher)
            except InputError as problem:
                raise with_cache_hint(problem, files.values()) from problem

        def split() -> tuple[Corpus, Corpus]:
            """Return the training part and the test part of the selection."""
            return self.corpus(*words, "train", limits=limits), self.corpus(*words, "test", limits=limits)

        has_both_parts = selection.part is None and self._is_split(selection)
        return Corpus(name, start, multilabel=self.multilabel, split=split if has_both_parts else None)

    def select(self, *words: str) -> EditionSelection:
        """Return what the words after the name select; raise `InputError` if they are unknown or don't go together."""
        word_by_choice: dict[str, str] = {}
        for word in words:
            choice = self._choice_of(word, words)
            if choice in word_by_choice:
                raise InputError(
                    f"{word_by_choice[choice]!r} and {word!r} exclude each other",
                    place=self.name,
                    hint="Use one of them",
                )
            word_by_choice[choice] = word
        edition_word, part = word_by_choice.pop("edition", self.editions[0].word), word_by_choice.pop("part", None)
        edition = next(edition for edition in self.editions if edition.word == edition_word)
        selection = EditionSelection(edition, part, word_by_choice)
        self._check_words(selection)
        return selection

    def words(self) -> dict[str, str]:
        """Return all words that may follow the name, and their meanings."""
        meanings = {edition.word: edition.about for edition in self.editions if edition.word}
        if any(edition.split for edition in self.editions) or any(choice.splitting_words for choice in self.choices):
            meanings |= PARTS
        return meanings | {word: about for choice in self.choices for word, about in choice.words.items()}

    def publisher_of(self, edition: Edition) -> str:
        """Return the publisher of an edition's files."""
        return edition.publisher or self.publisher

    def licence_of(self, edition: Edition) -> str:
        """Return the licence of an edition."""
        return edition.licence or self.licence

    def full_name(self, edition: Edition) -> str:
        """Return the name that selects an edition."""
        return f"{self.name}:{edition.word}" if edition.word else self.name

    def _choice_of(self, word: str, words: tuple[str, ...]) -> str:
        """Return the name of the choice that a word belongs to; raise `InputError`, which shows `words`, if none."""
        possible_words = self.words()
        if word not in possible_words:
            close = get_close_matches(word, possible_words, n=1)
            guess = f"Did you mean {close[0]!r}? " if close else ""
            raise InputError(
                f"{self.name} has no {word!r}",
                place=":".join([self.name, *words]),
                hint=f"{guess}What may follow {self.name} is {', '.join(possible_words)}",
            )
        if word in PARTS:
            return "part"
        return next((choice.name for choice in self.choices if word in choice.words), "edition")

    def _is_split(self, selection: EditionSelection) -> bool:
        """Return whether the selected edition has a training and a test part, or a given word defines them."""
        is_split_by_word = any(selection.get(choice.name) in choice.splitting_words for choice in self.choices)
        return selection.edition.split is not None or is_split_by_word

    def _check_words(self, selection: EditionSelection) -> None:
        """Raise `InputError` if a word is not for the selected edition, or if a part is given but nothing is split."""
        name = self.full_name(selection.edition)
        for choice in self.choices:
            word = selection.get(choice.name)
            if word and choice.editions is not None and selection.edition.word not in choice.editions:
                editions_with_choice = " or ".join(
                    self.full_name(edition) for edition in self.editions if edition.word in choice.editions
                )
                raise InputError(
                    f"has no {word!r}, which is for {editions_with_choice}", place=name, hint="Leave it out"
                )
        if selection.part is not None and not self._is_split(selection):
            splitting_words = " or ".join(word for choice in self.choices for word in choice.splitting_words)
            alternative = f", or add a word that splits it: {splitting_words}" if splitting_words else ""
            raise InputError(
                "is not split into train and test", place=name, hint=f"Leave out {selection.part!r}{alternative}"
            )


def _no_documents_error(name: str, files: Iterable[Paths], report: Report, publisher: str) -> InputError:
    """Return the error for files that have no document of the corpus."""
    paths = [path for file_paths in files for path in file_paths]
    skipped = ", ".join(f"{count:,} {kind}" for kind, count in report.skipped.items())
    return InputError(
        f"none of its documents are in {' and '.join(map(str, paths))}{f' ({skipped})' if skipped else ''}.",
        place=name,
        hint=f"Get what belongs there again from {publisher}. {cache_hint(paths)}".rstrip(),
    )
