"""On the papers' corpora: the publisher's split, and figures that were found on other ways."""

from collections.abc import Callable
from typing import Any

from textsieve import Categorizer, Corpus, compare


def test_overlap_on_the_comp_groups(named: Callable[[str], Corpus]) -> None:
    found = compare(named("newsgroups:comp"), selectors="ig,chi", n_terms="10,100,1000,10000", classifiers="nb")
    assert found.header["split"] == {"by": "own", "folds": 1}
    assert [each.likeness.shared for each in found.overlaps] == [10, 89, 858, 9302]
    assert [(row.trained_on, row.documents) for row in found.rows] == [(2936, 1955)] * 8


def test_several_topics_of_a_story(named: Callable[[str], Corpus]) -> None:
    corpus = named("reuters")
    found = compare(corpus, selectors="ocfs", n_terms=100, classifiers="nb")
    (row,) = found.rows
    parts: Any = corpus.split()
    report = Categorizer(selector="ocfs", n_terms=100, classifier="nb").fit(parts[0]).evaluate(parts[1])
    assert (row.documents, row.micro_f1, row.macro_f1) == (report.documents, report.micro_f1, report.macro_f1)


def test_few_terms_tell_most_where_none_tells_what_others_do(named: Callable[[str], Corpus]) -> None:
    """On 20 Newsgroups by date, 200 terms: chi-square .64, OCFS .65, classes in turns .67, an SVM's weights .69."""
    found = compare(named("newsgroups"), selectors="forward,ocfs", n_terms=200)
    forward, ocfs = (row.micro_f1 for row in found.rows)
    assert forward is not None
    assert ocfs is not None
    assert forward > 0.69
    assert forward > ocfs + 0.03
