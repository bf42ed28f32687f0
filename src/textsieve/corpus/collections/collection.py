"""Collections: their properties, the words that may follow their names, and the corpora that these select."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches

from ...errors import InputError
from ..batch import Batch, Report
from ..bounds import NAMED, ReadLimits
from ..corpus import Corpus, Start
from .editions import PARTS, Choice, ChosenEdition, Edition, Paths
from .locating import cache_hint, obtain, with_cache_hint


@dataclass(frozen=True, slots=True)
class Collection:
    """One of the papers' collections; words after its name select an edition, a part and other choices."""

    name: str
    title: str
    publisher: str
    licence: str
    editions: tuple[Edition, ...]
    start: Callable[[Mapping[str, Paths], ChosenEdition], Start]
    """Takes the paths of each file, by its name, and the selection, and returns a function that starts a pass."""
    choices: tuple[Choice, ...] = ()
    several: bool = False
    """Whether a document may have several labels."""

    def corpus(self, *words: str, bounds: ReadLimits = NAMED) -> Corpus:
        """Return the corpus that the words after the name select. Its files are located, or downloaded, now."""
        chosen = replace(self.chosen(*words), bounds=bounds)
        name = ":".join([self.name, *words])
        publisher = self.publisher_of(chosen.edition)
        files = {file.name: obtain(file, name, publisher) for file in chosen.files()}
        begin = self.start(files, chosen)

        def start(report: Report) -> Iterator[Batch]:
            batch = None
            try:
                for batch in begin(report):
                    yield batch
                if batch is None:
                    raise _nothing(name, files.values(), report, publisher)
            except InputError as problem:
                raise with_cache_hint(problem, files.values()) from problem

        def split() -> tuple[Corpus, Corpus]:
            return self.corpus(*words, "train", bounds=bounds), self.corpus(*words, "test", bounds=bounds)

        is_cut = chosen.part is None and self._has_parts(chosen)
        return Corpus(name, start, multilabel=self.several, split=split if is_cut else None)

    def chosen(self, *words: str) -> ChosenEdition:
        """Return the selection that the words after the name stand for."""
        word_of: dict[str, str] = {}
        for word in words:
            choice = self._choice_of(word, words)
            if choice in word_of:
                raise InputError(
                    f"{word_of[choice]!r} and {word!r} exclude each other. Say one of them.", place=self.name
                )
            word_of[choice] = word
        edition = next(
            candidate for candidate in self.editions if candidate.word == word_of.get("edition", self.editions[0].word)
        )
        others = {choice: word for choice, word in word_of.items() if choice not in ("edition", "part")}
        chosen = ChosenEdition(edition, word_of.get("part"), others)
        self._refuse_unfitting(chosen)
        return chosen

    def words(self) -> dict[str, str]:
        """Return all words that may follow the name, and their meanings."""
        meanings = {edition.word: edition.about for edition in self.editions if edition.word}
        if any(edition.split for edition in self.editions) or any(choice.cuts for choice in self.choices):
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
        possible = self.words()
        if word not in possible:
            close = get_close_matches(word, possible, n=1)
            hint = f"Did you mean {close[0]!r}? " if close else ""
            raise InputError(
                f"{self.name} has no {word!r}. {hint}What may follow {self.name} is {', '.join(possible)}.",
                place=":".join([self.name, *words]),
            )
        if word in PARTS:
            return "part"
        return next((choice.name for choice in self.choices if word in choice.words), "edition")

    def _has_parts(self, chosen: ChosenEdition) -> bool:
        is_cut_by_word = any(chosen.get(choice.name) in choice.cuts for choice in self.choices)
        return chosen.edition.split is not None or is_cut_by_word

    def _refuse_unfitting(self, chosen: ChosenEdition) -> None:
        name = self.full_name(chosen.edition)
        for choice in self.choices:
            word = chosen.get(choice.name)
            if word and choice.editions is not None and chosen.edition.word not in choice.editions:
                fitting = " or ".join(
                    self.full_name(edition) for edition in self.editions if edition.word in choice.editions
                )
                raise InputError(f"has no {word!r}, which is for {fitting}. Leave it out.", place=name)
        if chosen.part is not None and not self._has_parts(chosen):
            cutting = " or ".join(word for choice in self.choices for word in choice.cuts)
            way = f", or say what cuts it: {cutting}" if cutting else ""
            raise InputError(f"is not cut into train and test. Leave {chosen.part!r} out{way}.", place=name)


def _nothing(name: str, files: Iterable[Paths], report: Report, publisher: str) -> InputError:
    """Return the error for files that have no document of the corpus."""
    paths = [path for file_paths in files for path in file_paths]
    skipped = ", ".join(f"{count:,} {kind}" for kind, count in report.skipped.items())
    return InputError(
        f"none of its documents are in {' and '.join(map(str, paths))}{f' ({skipped})' if skipped else ''}.",
        place=name,
        hint=f"Get what belongs there again from {publisher}. {cache_hint(paths)}".rstrip(),
    )
