"""`check`: read a corpus once, and examine its documents and labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import blake2b
from itertools import chain
from typing import Any

import numpy as np

from ..arrays import Bools, Ints
from ..categorizer_settings import Limits, Settings
from ..corpus import Batch, Corpus
from ..corpus.labels import LabelFolder, spellings_by_key
from ..errors import InputError
from ..evaluation.confusions import ConfusedClasses, ExampleDocument, beginning
from ..progress import Progress, progress_or_shown
from ..text.counter import TermCounter
from ..training.counted_documents import CountedDocuments, count_corpus, take_columns
from ..training.targets import Targets
from .class_names import MisspelledLabel, find_misspelled, find_placeholders, without_accents
from .cross_validation import (
    MIN_CLASS_SIZE,
    HeldOutPredictions,
    group_folds,
    learning_curve,
    predict_held_out,
)
from .duplicates import expected_leaks, find_duplicates
from .result import CheckedDocument, CheckResult, WrongLabel
from .term_checks import find_giveaway_terms, guess_languages

SHORT = 2
"""The largest number of different terms of a very short document."""
HELD_OUT = 0.2
"""The share of documents that are held out in the random split for which copies on both sides are counted."""
MIN_DOCUMENTS = 50
"""The smallest number of different labelled documents for a cross-validation."""
MIN_LANGUAGE_SHARE = 0.001
"""The smallest share of documents of a language that is reported; fewer are often wrong guesses."""
MAX_CONFUSIONS, MAX_EXAMPLES = 10, 3
"""The largest number of pairs of confused classes that are reported, and of example documents for each pair."""


def check(
    corpus: Corpus | Iterable[str],
    labels: Iterable[object] | None = None,
    *,
    progress: Progress | None = None,
    n_jobs: int = -1,
) -> CheckResult:
    """Examine the documents of a corpus, or texts and labels in memory, and return what is wrong with them.

    It takes about as long as training and needs memory for the counts of all documents. `progress` is a function that
    is called with the stage, the amount of work that is done, and the total amount, or None if this is unknown. Without
    a function, `show_progress` shows the progress.

    Examples
    --------
    >>> import textsieve
    >>> texts = [f"the striker scored goal {n}" for n in range(10)] + [f"the vote on law {n} failed" for n in range(10)]
    >>> labels = ["sport"] * 10 + ["politics"] * 10
    >>> result = textsieve.check([*texts, texts[0]], [*labels, "politics"])
    >>> [group.labels for group in result.duplicates if len(group.labels) > 1]
    [(('politics',), ('sport',))]
    """
    if not isinstance(corpus, Corpus):
        corpus = Corpus.from_texts(corpus, labels)
    elif labels is not None:
        raise InputError("A corpus has its own labels", hint="leave labels out")
    return _Check(corpus, progress_or_shown(progress), n_jobs).run()


class _Check:
    """The steps of a check, and what they share."""

    def __init__(self, corpus: Corpus, progress: Progress, n_jobs: int) -> None:
        self._corpus, self._progress, self._n_jobs = corpus, progress, n_jobs
        # For each document, what is shown of it, and a digest of its words; both lists are filled while `_count` runs.
        self._documents: list[CheckedDocument] = []
        self._digests: list[bytes] = []

    def run(self) -> CheckResult:
        """Read and count the documents, and return what the checks find."""
        counted = self._count()
        class_sizes = {
            str(label): len(members)
            for label, members in zip(counted.targets.classes, counted.targets.members, strict=True)
        }
        spellings = [labels for labels in spellings_by_key(class_sizes).values() if len(labels) > 1]
        labels = [document.labels for document in self._documents]
        if spellings:  # all spellings of a label are one class from here on
            labels = list(map(LabelFolder(chain.from_iterable(spellings)), labels))
            counted = replace(counted, targets=Targets.of(labels, len(labels), counted.targets.multilabel))
        self._progress("comparing documents", 0, None)
        duplicates = find_duplicates(counted.counts, self._digests, labels)
        group_of = np.arange(counted.targets.n_documents)  # the first copy of each document, often the document itself
        for group in duplicates:
            group_of[list(group.documents)] = group.documents[0]
        # The number of documents of each class, of which copies count once.
        n_distinct = np.array([len(np.unique(group_of[members])) for members in counted.targets.members], np.int64)
        n_terms = np.diff(counted.counts.indptr)  # of each document
        languages = guess_languages(counted.counts, counted.terms.take(np.arange(len(counted.terms))))
        frequent_languages = self._frequent_languages(languages)
        placeholders, misspelled = self._label_problems(counted)
        reason_not_to = self._reason_not_to_cross_validate(counted.targets, n_distinct)
        if reason_not_to is None:
            cross_validated = self._cross_validate(counted, n_distinct >= MIN_CLASS_SIZE, group_of)
        else:
            cross_validated = {"accuracy": None, "wrong_labels": [], "confusions": [], "curve": None}
        return CheckResult(
            name=self._corpus.name,
            documents=self._documents,
            class_sizes=dict(Counter(class_sizes).most_common()),
            duplicates=duplicates,
            leaks=expected_leaks(duplicates, HELD_OUT),
            empty=np.flatnonzero(n_terms == 0).tolist(),
            short=np.flatnonzero((n_terms > 0) & (n_terms <= SHORT)).tolist(),
            small_classes={
                str(label): int(size)
                for label, size in zip(counted.targets.classes, n_distinct, strict=True)
                if size < MIN_CLASS_SIZE and label not in {*placeholders, *(error.label for error in misspelled)}
            },
            similar_labels=[{label: class_sizes[label] for label in labels} for labels in spellings],
            misspelled_labels=misspelled,
            placeholders=placeholders,
            languages=frequent_languages,
            other_languages={
                number: language
                for number, language in enumerate(languages)
                if language is not None and language in list(frequent_languages)[1:]  # without the most frequent one
            },
            giveaways=find_giveaway_terms(counted),
            not_cross_validated=reason_not_to,
            **cross_validated,
        )

    def _label_problems(self, counted: CountedDocuments) -> tuple[dict[str, int], list[MisspelledLabel]]:
        """Return the labels that stand for no label with their numbers of documents, and the misspelled labels."""
        targets = counted.targets
        members = dict(zip(map(str, targets.classes), targets.members, strict=True))
        sizes = {label: len(documents) for label, documents in members.items()}

        def has_word(label: str, word: str) -> bool:
            """Return whether a document with this label has the word; accents don't matter."""
            terms = counted.terms.take(np.unique(counted.counts[members[label]].indices))
            return word in map(without_accents, terms)

        placeholders = {label: sizes[label] for label in find_placeholders(sizes)}
        return placeholders, find_misspelled(sizes, has_word, leave_out=placeholders)

    def _count(self) -> CountedDocuments:
        """Return the counts of the words in all documents; this fills `self._documents` and `self._digests`, too."""
        reading = Settings(char_ngram_range=None).resolve().reading
        counter = TermCounter(**reading, dtype=np.int32, n_jobs=self._n_jobs)
        limits: Limits = {"min_df": 1, "max_df": 1.0}
        counted = count_corpus(
            *(self._corpus, counter, limits),
            multilabel=None,
            want_stats=False,
            progress=self._progress,
            require_all=True,
            first_pass=self._described_batches(),
        )
        assert isinstance(counted, CountedDocuments)  # because of `require_all`
        return counted

    def _described_batches(self) -> Iterator[Batch]:
        """Yield the batches of the corpus; add the description and the digest of each document to the lists of `self`.

        Texts that differ only in case and white space have the same digest; texts without words have an empty one.
        """
        for batch, places in self._corpus.placed_batches():
            for text, labels, place in zip(batch.texts, batch.labels, places, strict=True):
                words = text.split()
                digest = blake2b(" ".join(words).casefold().encode(errors="surrogatepass"), digest_size=16).digest()
                self._documents.append(CheckedDocument(place.name, labels, beginning(text)))
                self._digests.append(digest if words else b"")
            yield batch

    def _frequent_languages(self, languages: list[str | None]) -> dict[str, int]:
        """Return the number of documents in each language, the most frequent first.

        Languages of less than `MIN_LANGUAGE_SHARE` of the documents, or of only one, are left out.
        """
        n_least = max(2, MIN_LANGUAGE_SHARE * len(languages))
        counts = Counter(language for language in languages if language is not None)
        return {language: n for language, n in counts.most_common() if n >= n_least}

    def _reason_not_to_cross_validate(self, targets: Targets, n_distinct: Ints) -> str | None:
        """Return why labels can't be checked by cross-validation, or None if they can.

        `n_distinct` has the number of documents of each class that are not copies of each other.
        """
        if targets.multilabel:
            return "Documents have several labels; wrong labels are only found for documents with one label each."
        sizes = n_distinct[n_distinct >= MIN_CLASS_SIZE]
        if len(sizes) < 2:
            return f"Fewer than two classes have {MIN_CLASS_SIZE} different documents or more."
        if sizes.sum() < MIN_DOCUMENTS:
            return f"There are fewer than {MIN_DOCUMENTS} different labelled documents."
        return None

    def _cross_validate(self, counted: CountedDocuments, is_learnable: Bools, group_of: Ints) -> dict[str, Any]:
        """Return the fields of `CheckResult` that need cross-validation, by name.

        `is_learnable` says for each class whether it is large enough, and `group_of` has the group of copies of each
        document.
        """
        numbers, documents = learnable_documents(counted, is_learnable)
        fold_of = group_folds(documents.targets.first_class, group_of[numbers])
        predictions = predict_held_out(documents, fold_of, self._progress, n_jobs=self._n_jobs)
        curve = learning_curve(documents, fold_of, predictions, self._progress, n_jobs=self._n_jobs)
        classes = list(map(str, documents.targets.classes))
        suspects = predictions.suspects()
        wrong_labels = [
            WrongLabel(
                int(numbers[position]),
                classes[predictions.label[position]],
                float(predictions.p_label[position]),
                classes[predictions.other[position]],
                float(predictions.p_other[position]),
            )
            for position in suspects.tolist()
        ]
        return {
            "accuracy": predictions.accuracy,
            "wrong_labels": wrong_labels,
            "confusions": self._confusions(predictions, suspects, classes, numbers),
            "curve": curve,
        }

    def _confusions(
        self, predictions: HeldOutPredictions, suspects: Ints, classes: list[str], numbers: Ints
    ) -> list[ConfusedClasses]:
        """Return the most frequent pairs of a label and a more probable class, with examples of documents.

        Examples are the documents for which the other class is most probable; those with probably wrong labels are
        taken only if there are too few others. `suspects` are the positions in `predictions` of documents with probably
        wrong labels, and `numbers` has the document at each position.
        """
        is_suspect = np.zeros(len(predictions.label), np.bool_)
        is_suspect[suspects] = True
        is_confused = predictions.p_other > predictions.p_label
        pairs = Counter(
            zip(predictions.label[is_confused].tolist(), predictions.other[is_confused].tolist(), strict=True)
        )
        class_docs = np.bincount(predictions.label, minlength=len(classes))
        confusions = []
        for (label, other), n_documents in sorted(pairs.items(), key=lambda pair: (-pair[1], pair[0]))[:MAX_CONFUSIONS]:
            positions = np.flatnonzero(is_confused & (predictions.label == label) & (predictions.other == other))
            # `lexsort` sorts by its last key first: those that are not suspects, and then the most probable.
            best_first = np.lexsort([-predictions.p_other[positions], is_suspect[positions]])
            positions = positions[best_first[:MAX_EXAMPLES]]
            documents = [self._documents[number] for number in numbers[positions].tolist()]
            examples = tuple(
                ExampleDocument(document.place, document.text, float(probability))
                for document, probability in zip(documents, predictions.p_other[positions], strict=True)
            )
            share = float(n_documents / class_docs[label])
            confusions.append(ConfusedClasses(classes[label], classes[other], n_documents, share, examples))
        return confusions


def learnable_documents(counted: CountedDocuments, is_learnable: Bools) -> tuple[Ints, CountedDocuments]:
    """Return the numbers of the documents whose class is learnable, and the counts of these documents.

    `is_learnable` has a truth value for each class. Terms of a single document are left out, because they are never
    both in a training document and in a held-out one.
    """
    targets = counted.targets
    numbers = np.flatnonzero((targets.first_class >= 0) & is_learnable[targets.first_class])
    doc_freq = np.bincount(counted.counts[numbers].indices, minlength=len(counted.terms))
    columns = np.flatnonzero(doc_freq > 1)
    labels = [targets.classes[number] for number in targets.first_class[numbers].tolist()]
    counts = take_columns(counted.counts[numbers], columns)
    documents = CountedDocuments(
        counts, counted.terms.subset(columns), Targets.of(labels, len(labels), False), counted.limits
    )
    return numbers, documents
