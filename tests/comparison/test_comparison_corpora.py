"""Comparisons on the papers' corpora use the publisher's split and equal figures that were computed in other ways."""

from collections.abc import Callable
from typing import Any

from tests.reference.categorizer_cases import plain_categorizer

from textsieve import Corpus, compare


def test_overlap_on_the_comp_groups(named: Callable[[str], Corpus]) -> None:
    comparison = compare(named("newsgroups:comp"), selectors="ig,chi", n_terms="10,100,1000,10000", classifiers="nb")
    assert comparison.header["split"] == {"by": "own", "folds": 1}
    assert [overlap.measures.shared for overlap in comparison.overlaps] == [10, 89, 858, 9302]
    assert [(row.trained_on, row.documents) for row in comparison.rows] == [(2936, 1955)] * 8


def test_multilabel_rows_of_reuters_equal_a_categorizer(named: Callable[[str], Corpus]) -> None:
    corpus = named("reuters")
    comparison = compare(corpus, selectors="ocfs", n_terms=100, classifiers="nb")
    (row,) = comparison.rows
    parts: Any = corpus.split()
    report = plain_categorizer(selector="ocfs", n_terms=100, classifier="nb").fit(parts[0]).evaluate(parts[1])
    assert (row.documents, row.micro_f1, row.macro_f1) == (report.documents, report.micro_f1, report.macro_f1)


def test_forward_selection_beats_ocfs_with_few_terms(named: Callable[[str], Corpus]) -> None:
    """On 20 Newsgroups by date, 200 terms: chi-square .64, OCFS .65, classes in turns .67, an SVM's weights .69."""
    comparison = compare(named("newsgroups"), selectors="forward,ocfs", n_terms=200)
    forward, ocfs = (row.micro_f1 for row in comparison.rows)
    assert forward is not None
    assert ocfs is not None
    assert forward > 0.69
    assert forward > ocfs + 0.03
