"""Options of a selector set the weights that it uses."""

import re

import pytest
from tests.reference.categorizer_cases import small_texts

from textsieve import OCFS, InputError, TermCounter, TermWeighter, compare
from textsieve.comparison import Comparison

BARE, IDF = "ocfs(idf=none,norm=none,tf=tf)", "ocfs(idf=plain,norm=l2,tf=tf)"


def selected_terms(comparison: Comparison, selector: str) -> list[str]:
    (selection,) = [selection for selection in comparison.selections if selection.selector == selector]
    return list(selection.terms or ())


def test_a_selector_reads_the_weights_of_its_variant() -> None:
    case = small_texts(60, 3)
    train, test = (case.texts[:40], case.labels[:40]), (case.texts[40:], case.labels[40:])
    comparison = compare(*train, test=test, selectors=[BARE, IDF, "ocfs"], n_terms=8, n_jobs=1)
    counter = TermCounter()
    counts, names = counter.fit_transform(train[0]), counter.get_feature_names_out()
    for variant, weighter in (
        (BARE, TermWeighter(tf="tf", idf="none", norm="none")),
        (IDF, TermWeighter(tf="tf", idf="plain", norm="l2")),
        ("ocfs", TermWeighter(tf="log", idf="plain", norm="l2")),
    ):
        selector = OCFS(k=8).fit(weighter.fit_transform(counts), train[1])
        assert selected_terms(comparison, variant) == [names[place] for place in selector.ranking_[:8]]
    assert len({tuple(selected_terms(comparison, variant)) for variant in (BARE, IDF, "ocfs")}) > 1


@pytest.mark.parametrize(
    ("variant", "words"),
    [
        ("ocfs(tf=often)", "selectors: ocfs(tf=often): tf='often'; use one of 'tf', "),
        ("ig(idf=3)", "selectors: ig(idf=3): idf=3; use one of 'none', "),
        ("all(norm=l2)", "'all' selects nothing"),
    ],
)
def test_unknown_weights_raise_an_error(variant: str, words: str) -> None:
    case = small_texts(20, 2)
    with pytest.raises(InputError, match=re.escape(words)):
        compare(case.texts, case.labels, selectors=variant, n_terms=3, folds=2, n_jobs=1)
