"""`compare`: measure every selector with every number of terms and every classifier on the same documents."""

from __future__ import annotations

import os
from collections.abc import Iterable
from inspect import Parameter, signature
from typing import Any

from ..errors import InputError, TooFewDocuments, UnfitDocuments, shown, warn
from ..progress import Progress, progress_or_shown
from ..training.provenance import provenance, settings_as_json
from .compared_documents import ComparisonDocuments, corpus_of, count_documents
from .examples import CombinationExamples, read_examples, worst_pairs
from .folds import Fold
from .measuring import measure, warm_up
from .outcome import Comparison, comparison_of
from .plan import Plan, require_logarithms
from .results import STARTED, Results, check_results, header_of, open_or_resume
from .splits import Splitting

STAGE, EXAMPLES_STAGE = "comparing", "reading examples"
_NAMED_CLASSES = 5


def compare(
    documents: Any,
    labels: Iterable[Any] | None = None,
    *,
    test: Any = None,
    selectors: Any = ("forward", "ocfs", "ig", "chi"),
    n_terms: Any = (100, 1000, 10_000),
    classifiers: Any = ("svm",),
    folds: int | None = None,
    test_share: float | None = None,
    repeats: int | None = None,
    seed: int | None = None,
    splits: Any = None,
    results: str | os.PathLike[str] | None = None,
    n_jobs: int | None = -1,
    progress: Progress | None = None,
    **settings: Any,
) -> Comparison:
    """Measure every combination of selectors, numbers of terms and classifiers on held-out documents.

    Terms, idf, rankings, classifiers and thresholds are fitted on the training documents of each fold alone. Documents
    are counted once, statistics computed once per fold and weighting, rankings once per fold and selector.

    Parameters
    ----------
    documents, labels
        A corpus, the path or name of one, or texts and labels, or vectors (a sparse matrix) and labels.
    test
        Test documents: a corpus, the path or name of one, or a pair of texts (or vectors) and labels. By default the
        test part that the publisher of a named corpus defines, or folds.
    selectors, classifiers
        Names, with options in parentheses: "ig(pooling=max)", "svm(C=10)"; as a list, or one string with commas. "all"
        is a baseline of all terms. Weights and class weights are options of a classifier: "svm(tf=log,idf=plain)".
        Estimators are accepted too.
    n_terms
        Numbers of terms, shares of all, or "all".
    folds
        Number of folds, tested in turn; None: the corpus's own split, or 5 folds if it has none.
    test_share
        Instead of folds, test about this share of each class, drawn at random.
    repeats
        Number of random draws with `test_share`, or of cross-validations with `folds`; documents are shuffled anew each
        time.
    seed
        Random seed, 0 by default. Folds are shuffled only if `seed` or `repeats` is given.
    splits
        Instead of folds, pairs of training and test documents, each as positions from 0 or as a mask.
    results
        A file to which each row is appended as soon as it is measured. If it exists already, from a run with the same
        documents, settings and versions, its rows are not measured again.
    n_jobs
        Number of threads; -1 is all cores. One condition at a time is measured, on all threads, so that times are
        comparable. Only times depend on it.
    progress
        A function that is called with the stage, the amount done (documents counted or rows measured), and the total
        amount, if known. Inside `textsieve.show_progress()`, a bar shows them.
    settings
        Settings that all conditions share: those of a `Categorizer` about texts, weights, multilabel and projection.

    Examples
    --------
    >>> import textsieve
    >>> texts = ["the striker scored", "a late goal", "the vote failed", "a new law"]
    >>> labels = ["sport", "sport", "politics", "politics"]
    >>> comparison = textsieve.compare(texts * 5, labels * 5, selectors=["ig", "chi"], n_terms=[3], classifiers=["nb"])
    >>> comparison.best.selector, comparison.best.micro_f1.value
    ('ig', 0.75)
    """
    parameters = signature(compare).parameters.values()
    keywords = [parameter.name for parameter in parameters if parameter.kind is Parameter.KEYWORD_ONLY]
    plan = Plan.of(selectors, n_terms, classifiers, settings, n_jobs, own_settings=keywords)
    splitting = Splitting(folds, test_share, repeats, seed, splits)
    path = None if results is None else os.fspath(results)
    if path is not None:
        check_results(path)
    report_progress = progress_or_shown(progress)
    corpus = corpus_of(documents, labels, name="texts")
    test_corpus = None if test is None else corpus_of(test, labels=None, name="test")
    counted = count_documents(corpus, test_corpus, splitting, plan.shared_settings(), n_jobs, report_progress)
    _check_logarithms(plan, counted)
    with (
        corpus.naming(TooFewDocuments),
        corpus.naming(UnfitDocuments),
        open_or_resume(path, _header(plan, counted)) as stored,
    ):
        _measure_all(plan, counted, stored, report_progress)
        comparison = comparison_of(stored, list(plan.conditions()), len(counted.folds.test))
        _add_examples(comparison, counted, stored, report_progress)
        return comparison


def _check_logarithms(plan: Plan, documents: ComparisonDocuments) -> None:
    """Raise `InputError`, before anything is measured, if a method takes logarithms of given weights without logarithm.

    See `require_logarithms`.
    """
    if documents.form == "weights":  # the logarithms of counts are always defined
        for condition in plan.conditions():
            training = plan.training_plan_of(condition, documents.form)
            values = documents.counted.counts
            require_logarithms(values, training.selection_scheme.tf, condition.selector.name, "selectors")
            require_logarithms(values, training.scheme.tf, condition.classifier.name, "classifiers")


def _header(plan: Plan, documents: ComparisonDocuments) -> dict[str, Any]:
    """Return the header of the results file: what is compared, on which documents, and when it started."""
    settings, targets = plan.shared_settings(), documents.counted.targets
    origin = provenance(settings["normalise"])
    about = {
        "corpus": documents.name,
        "documents": targets.n_documents,
        "classes": targets.classes,
        "multilabel": targets.multilabel,
        "form": documents.form,
        "split": documents.folds.about,
        "settings": settings_as_json(settings),
        "versions": origin["versions"],
        STARTED: origin["trained"],  # the time of this call
    }
    return header_of(documents.fingerprint(), about)


def _measure_all(plan: Plan, documents: ComparisonDocuments, results: Results, progress: Progress) -> None:
    """Measure the conditions that have no results yet, fold by fold, so that only one fold is in memory."""
    numbers = range(len(documents.folds.test))
    folds = [Fold(number, documents) for number in numbers]
    for fold in folds:
        fold.require_classes()
    _warn_about_missing_classes(folds)
    todo = [[condition for condition in plan.conditions() if not results.has(number, condition)] for number in numbers]
    done, total = 0, sum(map(len, todo))
    progress(STAGE, done, total)
    if total:
        warm_up(plan, documents)
    for number, conditions in zip(numbers, todo, strict=True):
        fold = Fold(number, documents)  # a new object, whose cache is freed after the loop over its conditions
        for condition in conditions:
            results.add(*measure(fold, condition, plan))
            done += 1
            progress(STAGE, done, total)


def _add_examples(comparison: Comparison, documents: ComparisonDocuments, results: Results, progress: Progress) -> None:
    """Add example documents of the classes that the best combination confuses most to the results.

    There is nothing to do if the results have them already, if documents are vectors, or if no class is confused. If
    the documents can't be read once more, warn.
    """
    best = comparison.best
    if best is None or documents.form != "texts" or comparison.examples is not None:
        return
    pairs = worst_pairs(comparison.rows_of(best))
    if not pairs:
        return
    try:
        confused = read_examples(
            documents.sources, pairs, comparison.header["classes"], lambda done: progress(EXAMPLES_STAGE, done, None)
        )
    except InputError as problem:
        warn(("The report has no example documents, because they can't be read once more. ", *problem.message()))
        return
    # `comparison` shares the dictionary of examples with the results, so it has them from now on, too.
    results.add_examples(CombinationExamples(best.selector, best.n_terms, best.classifier, confused))


def _warn_about_missing_classes(folds: list[Fold]) -> None:
    """Warn about classes that are tested but have no training documents."""
    missing = list(dict.fromkeys(label for fold in folds for label in fold.missing_classes))
    if missing:
        names = ", ".join(shown(label) for label in missing[:_NAMED_CLASSES])
        more = f" and {len(missing) - _NAMED_CLASSES:,} more" if len(missing) > _NAMED_CLASSES else ""
        where = "some fold" if len(folds) > 1 else "the training part"
        warn(
            f"{names}{more}: the class has no training document in {where}, so its test documents can't be recognised; "
            "give more documents of it, or leave it out."
        )
