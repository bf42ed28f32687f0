"""`rank_terms` gives the terms and scores of a selector that is fitted by hand."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.reference.categorizer_cases import Texts, small_texts

from textsieve import OCFS, Corpus, DocumentFrequency, InputError, TermCounter, TermWeighter, read
from textsieve.corpus import batch as batches
from textsieve.registry import SELECTORS, selector_of
from textsieve.text.choices import COUNTS
from textsieve.training import counted_documents as training_documents
from textsieve.training.ranking import RankedTerms, rank_terms


def quiet(*_: Any) -> None:
    """Ignore progress."""


def corpus_of(case: Texts, multilabel: bool = False) -> Corpus:
    return Corpus.from_texts(case.texts, case.label_sets if multilabel else case.labels)


def by_hand(case: Texts, labels: Any, name: str, n: int, **reading: Any) -> tuple[Any, list[str]]:
    counter = TermCounter(**reading)
    counts = counter.fit_transform(case.texts)
    tf, idf, norm = ("loglog", "smooth", "l2") if name == "weights" else ("log", "plain", "l2")
    if SELECTORS[name].scheme != COUNTS:
        counts = TermWeighter(tf=tf, idf=idf, norm=norm).fit_transform(counts).astype(np.float32)
    selector: Any = selector_of(name)
    if not selector.chooses_own_k:
        selector.set_params(k=n)
    selector.fit(counts, labels)
    return selector, counter.get_feature_names_out().tolist()


@pytest.mark.parametrize("multilabel", [False, True])
@pytest.mark.parametrize("name", SELECTORS)
def test_ranked_terms_equal_a_selector_fitted_by_hand(name: str, multilabel: bool) -> None:
    case = small_texts(multilabel=multilabel)
    labels: Any = case.label_sets if multilabel else case.labels
    ranked = rank_terms(corpus_of(case, multilabel), selector_of(name), 8, progress=quiet)
    selector, terms = by_hand(case, labels, name, 8)
    best = [column for column in selector.ranking_ if selector.get_support()[column]][:8]
    assert len(best) == 8
    assert ranked.best == [(terms[column], float(selector.scores_[column])) for column in best]
    assert ranked.n_documents == 60
    assert ranked.n_terms == len(terms)
    assert list(ranked.class_docs) == list(ranked.by_class) == ["boat", "cook", "moon"]
    assert sum(ranked.class_docs.values()) == (sum(map(len, case.label_sets)) if multilabel else 60)


@pytest.mark.parametrize("name", ["ocfs", "ig", "chi"])
def test_the_terms_of_a_class_are_its_own(name: str) -> None:
    case = small_texts(n=150)
    ranked = rank_terms(corpus_of(case), selector_of(name), 4, progress=quiet)
    assert {term for term, _ in ranked.by_class["boat"]} <= {"sail", "harbour", "wind", "deck", "oar"}
    assert {term for term, _ in ranked.by_class["cook"]} <= {"salt", "oven", "spoon", "butter", "rice"}
    for terms in ranked.by_class.values():
        assert len(terms) == 4
        assert [score for _, score in terms] == sorted((score for _, score in terms), reverse=True)


@pytest.mark.parametrize("reading", [{}, {"min_df": 3, "max_df": 0.3}, {"ngram_range": (1, 2), "min_df": 2}], ids=str)
@pytest.mark.parametrize("name", SELECTORS)
def test_a_stream_ranks_as_its_texts(name: str, reading: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    case = small_texts()
    in_memory = rank_terms(corpus_of(case), selector_of(name), 8, progress=quiet, **reading)
    monkeypatch.setattr(batches, "BATCH_DOCUMENTS", 7)
    monkeypatch.setattr(training_documents, "MAX_VALUES", 60)
    reports: list[tuple[str, int, int | None]] = []
    streamed = rank_terms(
        corpus_of(case), selector_of(name), 8, progress=lambda *report: reports.append(report), n_jobs=1, **reading
    )
    assert streamed == in_memory
    assert all(total is None or done <= total for _, done, total in reports)
    selector, terms = by_hand(case, case.labels, name, 8, **reading)
    assert [term for term, _ in in_memory.best] == [terms[column] for column in selector.ranking_[:8]]


def test_columns_of_vectors_can_be_ranked(tmp_path: Path) -> None:
    path = tmp_path / "rows.svmlight"
    path.write_text("1 1:1 2:5\n1 1:2 2:5\n2 2:5 3:4\n2 2:5 3:3\n")
    ranked = rank_terms(read(path), OCFS(), 2, progress=quiet)
    assert isinstance(ranked, RankedTerms)
    assert len(ranked.best) == 2
    assert all(term.startswith("#") for term, _ in ranked.best)
    assert ranked.best[0][1] >= ranked.best[1][1] > 0


def test_a_number_above_all_terms_ranks_all() -> None:
    case = small_texts()
    ranked = rank_terms(corpus_of(case), DocumentFrequency(), 10_000, progress=quiet)
    assert len(ranked.best) == ranked.n_terms == 26


def test_without_labels_there_are_no_terms_of_classes() -> None:
    case = small_texts()
    with pytest.raises(InputError, match="No document has a label"):
        rank_terms(Corpus.from_texts(case.texts), OCFS(), 5, progress=quiet)
    ranked = rank_terms(Corpus.from_texts(case.texts), DocumentFrequency(), 5, progress=quiet)
    assert ranked.by_class == {}
    assert len(ranked.best) == 5
