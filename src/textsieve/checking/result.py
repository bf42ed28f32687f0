"""`CheckResult`: what `check` finds. The terminal, notebooks, the page and programs all show this one object."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..errors import counted
from ..evaluation.confusions import ConfusedClasses
from .class_names import MisspelledLabel
from .cross_validation import MIN_PRODUCT, LearningCurve
from .duplicates import DuplicateGroup
from .term_checks import GiveawayTerm

MAX_ODDS_SHOWN = 99_999
"""The largest odds that are shown as a number."""


class CheckedDocument(NamedTuple):
    """A document of the corpus."""

    place: str
    """Where it is, such as "line 3", or the name of its file."""
    labels: tuple[str, ...]
    text: str
    """The beginning of the text, with white space as single spaces."""


class WrongLabel(NamedTuple):
    """A document whose label is probably wrong."""

    document: int
    label: str
    label_probability: float
    """The probability of its label."""
    likely_label: str
    """The most probable other class."""
    probability: float
    """The probability of the likely label."""

    @property
    def odds(self) -> float:
        """Return how many times as probable as its label the most probable other class is."""
        return self.probability / max(self.label_probability, MIN_PRODUCT)


def odds_text(odds: float) -> str:
    """Return odds as tables show them: as a whole number, or "> 99,999"."""
    return f"{odds:,.0f}" if odds <= MAX_ODDS_SHOWN else f"> {MAX_ODDS_SHOWN:,}"


class ProblemCount(NamedTuple):
    """A kind of problem, and how often the corpus has it."""

    problem: str
    """The kind of problem, such as "empty documents"."""
    n_found: int
    advice: str
    """What the problem means, or what to do about it."""


class ProblemRow(NamedTuple):
    """A problem of a document; fields that do not apply are None."""

    document: int
    place: str
    problem: str
    label: str
    """The label of the document, or its labels with commas between them."""
    likely_label: str | None
    probability: float | None
    """The probability of the likely label."""
    label_probability: float | None
    """The probability of the label."""
    odds: float | None
    """How many times as probable as the label the likely label is."""
    group: int | None
    """The number of the group of copies, from 1."""
    language: str | None
    text: str


@dataclass(frozen=True)
class CheckResult:
    """What is wrong with the documents of a corpus. Documents are numbered from 0."""

    name: str
    """The name of the corpus."""
    documents: list[CheckedDocument]
    class_sizes: dict[str, int]
    """The number of documents of each class, the largest first."""
    duplicates: list[DuplicateGroup]
    """The groups of copies, those with different labels first."""
    leaks: float
    """How many of the documents in a random fifth, if it is held out, have a copy among the others, on average."""
    empty: list[int]
    """The documents without any term."""
    short: list[int]
    """The documents with one or two different terms."""
    small_classes: dict[str, int]
    """The classes that are too small to learn, with their numbers of different documents.

    Misspelled labels and placeholders are not among them.
    """
    similar_labels: list[dict[str, int]]
    """Groups of labels that differ only in case or in the white space around them, with their numbers of documents."""
    misspelled_labels: list[MisspelledLabel]
    """The labels that are probably typing errors, those with most documents first."""
    placeholders: dict[str, int]
    """The labels that stand for no label, such as "n/a", with their numbers of documents."""
    languages: dict[str, int]
    """The number of documents in each language, the most frequent first; without those that are unclear."""
    other_languages: dict[int, str]
    """The documents in another language than most, and their language."""
    giveaways: list[GiveawayTerm]
    not_cross_validated: str | None
    """Why there is no cross-validation, or None if there is one. Without it, the four fields below are empty."""
    accuracy: float | None
    """The cross-validated accuracy of a linear SVM."""
    wrong_labels: list[WrongLabel]
    """The labels that are probably wrong, those with the highest odds against them first."""
    confusions: list[ConfusedClasses]
    """The pairs of classes that are confused most; their examples are documents whose labels are probably right."""
    curve: LearningCurve | None

    @property
    def n_unlabelled(self) -> int:
        """Return the number of documents without a label."""
        return sum(not document.labels for document in self.documents)

    @property
    def contradictions(self) -> list[DuplicateGroup]:
        """Return the groups of copies with different labels."""
        return [group for group in self.duplicates if group.has_contradicting_labels]

    def labels_of_copies(self, group: DuplicateGroup) -> list[str]:
        """Return the label of each document of a group of copies, or at most one if the labels do not differ.

        Several labels of a document have "+" between them; a document without labels has "no label".
        """
        if not group.has_contradicting_labels:
            return [" + ".join(labels) for labels in group.labels]
        return [" + ".join(self.documents[number].labels) or "no label" for number in group.documents]

    @property
    def n_copies(self) -> int:
        """Return the number of documents that could be dropped: all copies but one of each group."""
        return sum(len(group.documents) - 1 for group in self.duplicates)

    @property
    def heading(self) -> str:
        """Return the numbers of documents and classes in one line."""
        unlabelled = f"; {self.n_unlabelled:,} without a label" if self.n_unlabelled else ""
        documents = counted(len(self.documents), "document")
        return f"{documents} in {counted(len(self.class_sizes), 'class', 'classes')}{unlabelled}"

    def problems(self) -> list[ProblemCount]:
        """Return the kinds of problems that the corpus has."""
        n_leaks = f"about {self.leaks:,.0f}" if self.leaks >= 1 else "on average fewer than 1"
        on_both_sides = f"{n_leaks} would be on both sides of a random split"
        rows = [
            ProblemCount("copies with different labels", len(self.contradictions), "groups; decide on one label each"),
            ProblemCount("copies of other documents", self.n_copies, on_both_sides),
            ProblemCount("probably wrong labels", len(self.wrong_labels), "look at these first"),
            ProblemCount("labels written in several ways", len(self.similar_labels), "differ in case or white space"),
            ProblemCount("labels with typing errors", len(self.misspelled_labels), "much rarer than a similar label"),
            ProblemCount("placeholders as labels", len(self.placeholders), "empty the label, or give the right one"),
            ProblemCount("documents without a label", self.n_unlabelled, "are not used for training"),
            ProblemCount("empty documents", len(self.empty), "have no term"),
            ProblemCount("very short documents", len(self.short), "have one or two different terms"),
            ProblemCount("small classes", len(self.small_classes), "have too few different documents to learn"),
            ProblemCount("documents in another language", len(self.other_languages), "than most documents"),
            ProblemCount("terms that give a label away", len(self.giveaways), "will new documents have them?"),
        ]
        return [row for row in rows if row.n_found]

    def rows(self) -> Iterator[ProblemRow]:
        """Yield a row for each problem of a document, the worst problems first."""
        for number, group in enumerate(self.duplicates, 1):
            kind = "exact copy" if group.is_exact else "near copy"
            problem = f"{kind} with different labels" if group.has_contradicting_labels else kind
            for document in group.documents:
                yield self._row(document, problem, group=number)
        for wrong in self.wrong_labels:
            yield self._row(
                *(wrong.document, "probably wrong label"),
                likely_label=wrong.likely_label,
                probability=wrong.probability,
                label_probability=wrong.label_probability,
                odds=wrong.odds,
            )
        for problem, documents in (("empty", self.empty), ("very short", self.short)):
            for document in documents:
                yield self._row(document, problem)
        for document, language in self.other_languages.items():
            yield self._row(document, "another language", language=language)
        yield from self._label_rows()

    def _label_rows(self) -> Iterator[ProblemRow]:
        """Yield the rows about labels: missing, rarely spelled in this way, misspelled, placeholders, of small classes.

        A document with several of these problems has a row for each.
        """
        # The first spelling of a group is the most frequent one, by which the others should be replaced.
        usual_spelling = {rare: next(iter(group)) for group in self.similar_labels for rare in list(group)[1:]}
        right_label = {misspelled.label: misspelled.likely_label for misspelled in self.misspelled_labels}
        for number, (_, labels, _) in enumerate(self.documents):
            if not labels:
                yield self._row(number, "no label")
            respelled = [usual_spelling.get(label, label) for label in labels]
            corrected = ", ".join(right_label.get(label, label) for label in respelled)
            if any(label in usual_spelling for label in labels):
                yield self._row(number, "rare spelling of the label", likely_label=corrected)
            if any(label in right_label for label in respelled):
                yield self._row(number, "typing error in the label", likely_label=corrected)
            if any(label in self.placeholders for label in respelled):
                yield self._row(number, "placeholder as label")
            if any(label in self.small_classes for label in respelled):
                yield self._row(number, "small class")

    def _row(
        self,
        number: int,
        problem: str,
        *,
        likely_label: str | None = None,
        probability: float | None = None,
        label_probability: float | None = None,
        odds: float | None = None,
        group: int | None = None,
        language: str | None = None,
    ) -> ProblemRow:
        """Return the row for a problem of the document with this number."""
        place, labels, text = self.documents[number]
        return ProblemRow(
            document=number,
            place=place,
            problem=problem,
            label=", ".join(labels),
            likely_label=likely_label,
            probability=probability,
            label_probability=label_probability,
            odds=odds,
            group=group,
            language=language,
            text=text,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as values that JSON can represent.

        A document is an object with its number, from 0, its place, its labels and the beginning of its text.
        """

        def described(number: int) -> dict[str, Any]:
            """Return the object of the document with this number."""
            place, labels, text = self.documents[number]
            return {"document": number, "place": place, "labels": list(labels), "text": text}

        return {
            "name": self.name,
            "documents": len(self.documents),
            "unlabelled": self.n_unlabelled,
            "classes": self.class_sizes,
            "duplicates": [
                {
                    "exact": group.is_exact,
                    "different_labels": group.has_contradicting_labels,
                    "documents": [described(number) for number in group.documents],
                }
                for group in self.duplicates
            ],
            "leaks": self.leaks,
            "wrong_labels": [
                wrong._asdict() | {"odds": wrong.odds} | described(wrong.document) for wrong in self.wrong_labels
            ],
            "similar_labels": self.similar_labels,
            "misspelled_labels": [misspelled._asdict() for misspelled in self.misspelled_labels],
            "placeholders": self.placeholders,
            "empty": [described(number) for number in self.empty],
            "short": [described(number) for number in self.short],
            "small_classes": self.small_classes,
            "languages": self.languages,
            "other_languages": [
                described(number) | {"language": language} for number, language in self.other_languages.items()
            ],
            "giveaways": [giveaway._asdict() | {"f1": giveaway.f1} for giveaway in self.giveaways],
            "not_cross_validated": self.not_cross_validated,
            "accuracy": self.accuracy,
            "confusions": [pair.to_dict() for pair in self.confusions],
            "learning_curve": None if self.curve is None else self.curve.to_dict(),
        }

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the kinds of problems, and the worst of each."""
        from .page import notebook_view

        return notebook_view(self)

    def __str__(self) -> str:
        """Return the kinds of problems that there are, with their numbers."""
        lines = [f"{problem}: {n_found:,} ({advice})" for problem, n_found, advice in self.problems()]
        return "\n".join([f"{self.name}: {self.heading}", *(lines or ["No problems found."])])
