"""With the statistics of all terms, any sequence of updates gives the model of all documents, to the last byte."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.naive_bayes import MultinomialNB
from tests.reference.categorizer_cases import WORDS, plain_categorizer, small_texts

from textsieve import Categorizer, ChiSquare, Corpus, InputError, load, modelfile
from textsieve.evaluation import held_out
from textsieve.modelfile.statistics import encode_full
from textsieve.training import counted_documents
from textsieve.training.full_statistics import LEAST_WEIGHT, FullStatistics

CASES: list[dict[str, Any]] = [
    {"classifier": "nb"},
    {"classifier": "cnb", "class_weight": "sqrt"},
    {"classifier": "rocchio", "selector": "ocfs"},
    {"classifier": "nb", "class_weight": "balanced", "selector": "tofa", "min_df": 2, "n_terms": 0.5},
    {"classifier": "nb", "tf": "tf", "idf": "none", "norm": "none", "selector": "chi", "max_df": 0.5},
    {"classifier": "cnb", "norm": "l1", "selector": "df", "ngram_range": (1, 2)},
    {"classifier": "rocchio", "selector": "mi", "n_terms": 7},
    {"classifier": "nb", "selector": "testors"},
    {"classifier": "nb", "selector": None, "stop_words": ["the", "and"]},
    {"classifier": "rocchio", "analyzer": "char_wb", "ngram_range": (2, 3), "min_df": 0.1, "max_df": 30},
    {"classifier": "cnb", "analyzer": "text", "strip_accents": "unicode", "n_terms": "all", "tf": "binary"},
]
N = 40
CASE = {multilabel: small_texts(n=N, n_classes=4, multilabel=multilabel) for multilabel in (False, True)}
WORDS_OF_CLASSES = list(WORDS)
RANKS: dict[str, Any] = {"cut": "rcut", "cut_options": {"ranks": 1}}
START = datetime(2026, 1, 1, tzinfo=UTC)


def categorizer(case: dict[str, Any] = CASES[0], **settings: Any) -> Categorizer:
    return plain_categorizer(**({"n_terms": 12} | case | {"keep_stats": "all", "n_jobs": 1} | RANKS | settings))


def some(documents: Any, label_format: str = "single") -> tuple[list[str], Any]:
    """Return some documents; some have no label (in a matrix, they are in no class), and one has no word."""
    case = CASE[label_format in ("sets", "matrix")]
    texts = ["" if at == 17 else case.texts[at] for at in documents]
    if label_format == "numbers":
        return texts, [WORDS_OF_CLASSES.index(case.label_sets[at][0]) - 1.5 for at in documents]
    if label_format == "matrix":
        rows = [[name in case.label_sets[at] and at % 13 != 7 for name in WORDS_OF_CLASSES] for at in documents]
        return texts, np.array(rows, np.int64).reshape(len(rows), len(WORDS_OF_CLASSES))
    sets = [() if at % 13 == 7 else case.label_sets[at] for at in documents]
    return texts, sets if label_format == "sets" else [labels[0] if labels else None for labels in sets]


def learned(model: Categorizer) -> bytes:
    """Return the bytes of a model without the facts about its training, except for its numbers of documents."""
    about = {name: model.model_.about[name] for name in ("n_documents", "n_unlabelled", "n_terms_seen")}
    return modelfile.encode(replace(model.model_, about=about))


def statistics_of(model: Categorizer) -> bytes:
    """Return the bytes of a model's statistics, at a time that does not depend on the clock."""
    statistics = model._kept_statistics()
    assert isinstance(statistics, FullStatistics)
    return encode_full(replace(statistics, when=START))


@given(
    case=st.sampled_from(CASES),
    label_format=st.sampled_from(["single", "sets", "numbers", "matrix"]),
    order=st.permutations(range(N)),
    cuts=st.lists(st.integers(10, N), max_size=3),
    is_weighted=st.booleans(),
    is_saved=st.booleans(),
)
def test_any_sequence_of_updates_gives_the_model_of_all_documents(
    case: dict[str, Any], label_format: str, order: list[int], cuts: list[int], *, is_weighted: bool, is_saved: bool
) -> None:
    """Parts may lack classes and terms, which first appear later; the model may be saved and loaded in between."""
    first, *parts = np.split(np.array(order), sorted(cuts)) if cuts else [np.array(order)]
    if len({label for label in some(first.tolist())[1] if label}) < 2:
        return

    def weights(documents: Any) -> dict[str, Any]:
        return {"sample_weight": [1 + at % 3 for at in documents]} if is_weighted else {}

    model = categorizer(case).fit(*some(first.tolist(), label_format), **weights(first.tolist()))
    with TemporaryDirectory() as folder:
        for part in parts:
            if len(part):
                model.update(*some(part.tolist(), label_format), **weights(part.tolist()))
            if is_saved:
                model.save(f"{folder}/news.sieve")
                model = load(f"{folder}/news.sieve")
        whole = categorizer(case).fit(*some(range(N), label_format), **weights(range(N)))
        assert learned(model) == learned(whole)
        assert statistics_of(model) == statistics_of(whole)


@given(window=st.integers(1, 5), cuts=st.lists(st.integers(12, N - 8), min_size=1, max_size=4))
def test_a_window_gives_the_model_of_the_last_updates(window: int, cuts: list[int]) -> None:
    bounds = [0, *sorted({cut - cut % 4 for cut in cuts}), N]
    parts = [list(range(*pair)) for pair in pairwise(bounds)]
    model = categorizer().fit(*some(parts[0]))
    for part in parts[1:]:
        model.update(*some(part), window=window)
    inside = [at for part in parts[-window:] for at in part]
    assert learned(model) == learned(categorizer().fit(*some(inside)))


@pytest.mark.parametrize("classifier", ["nb", "cnb", "rocchio"])
def test_a_half_life_gives_the_model_of_weighted_documents(classifier: str) -> None:
    """A document of an age of two half-lives counts a quarter."""
    settings: dict[str, Any] = {"classifier": classifier, "selector": "ig", "n_terms": "all"}
    model = categorizer(settings).fit(*some(range(20)), when=START)
    for number, begin in enumerate((20, 30), start=1):
        model.update(*some(range(begin, begin + 10)), half_life="30d", when=START + timedelta(days=30 * number))
    whole = categorizer(settings).fit(*some(range(N)))
    collection = model._statistics_.collection  # type: ignore[union-attr]
    assert collection.n_documents == pytest.approx(20 / 4 + 10 / 2 + 10)
    weights = [0.25] * 20 + [0.5] * 10 + [1.0] * 10
    texts, labels = some(range(N))
    copies = [at for at in range(N) for _ in range(int(4 * weights[at]))]  # 4 times as many documents in all
    repeated = categorizer(settings).fit([texts[at] for at in copies], [labels[at] for at in copies])
    assert model.terms_ == repeated.terms_
    assert set(model.terms_) == set(whole.terms_)
    quadrupled = repeated._statistics_.collection  # type: ignore[union-attr]
    for decayed, table in zip(collection.tables, quadrupled.tables, strict=True):
        assert 4 * decayed.doc_freq == pytest.approx(table.doc_freq)
        assert 4 * decayed.sums == pytest.approx(table.sums)
        assert 4 * decayed.squares == pytest.approx(table.squares)
    if classifier == "rocchio":  # its prototypes depend on shares alone, but for the idf
        assert model.coef_ == pytest.approx(repeated.coef_, abs=1e-6)


def test_half_lives_in_documents_count_new_documents() -> None:
    model = categorizer().fit(*some(range(20)))
    model.update(*some(range(20, 30)), half_life="10docs")
    assert model._statistics_.collection.n_documents == pytest.approx(20)  # type: ignore[union-attr]
    assert model.model_.about["n_documents"] == 20


def test_what_weighs_too_little_is_forgotten() -> None:
    texts, labels = ["sail wind", "sail oar", "salt oven", "orbit tide"], ["boat", "boat", "cook", "moon"]
    model = categorizer(n_terms="all").fit(texts, labels, when=START)
    model.update(["sail harbour", "salt spoon"], ["boat", "cook"], half_life="1d", when=START + timedelta(days=7))
    assert model.classes_.tolist() == ["boat", "cook"]
    assert sorted(model.terms_) == [
        "harbour",
        "sail",
        "salt",
        "spoon",
    ]  # two documents had sail: 2 / 128 is above the limit
    assert 1 / 128 < LEAST_WEIGHT < 2 / 128
    model.update(["rain", "sun"], ["wet", "dry"], half_life="1d", when=START + timedelta(days=4000))
    assert model.classes_.tolist() == ["dry", "wet"]
    assert sorted(model.terms_) == ["rain", "sun"]


def test_the_model_equals_scikit_learn_on_documents_of_their_whole_length() -> None:
    """The twin counts, divides by the lengths of all terms, multiplies by idf, and makes the mean length 1."""
    texts, labels = small_texts(n=N).texts, small_texts(n=N).labels
    model = categorizer({"classifier": "nb", "tf": "log", "idf": "smooth"}).fit(texts, labels)
    terms = sorted({word for text in texts for word in text.lower().split()})
    counts = np.array([[text.lower().split().count(term) for term in terms] for text in texts])
    rows = np.where(counts > 0, 1 + np.log(np.maximum(counts, 1)), 0)
    rows /= np.sqrt((rows**2).sum(axis=1, keepdims=True))
    rows *= np.log((1 + N) / (1 + (counts > 0).sum(axis=0))) + 1
    rows = rows[:, [terms.index(term) for term in model.terms_]]
    rows *= np.sqrt(N / (rows**2).sum())
    twin = MultinomialNB(alpha=0.01).fit(rows, labels)
    assert model.coef_ == pytest.approx(twin.feature_log_prob_, abs=1e-4)


def test_a_streamed_corpus_gives_the_same_statistics_and_model(monkeypatch: pytest.MonkeyPatch) -> None:
    texts, labels = CASE[False].texts, CASE[False].labels
    in_memory = categorizer(min_df=2).fit(texts, labels)
    monkeypatch.setattr(counted_documents, "MAX_VALUES", 50)
    streamed = categorizer(min_df=2).fit(Corpus.from_texts(texts, labels))
    assert learned(streamed) == learned(in_memory)
    streamed.update(Corpus.from_texts(["lion cage sail"], ["farm"]))
    assert learned(streamed) == learned(in_memory.update(["lion cage sail"], ["farm"]))
    assert "farm" in streamed.classes_


def test_sample_weights_count_as_copies() -> None:
    model = categorizer().fit(*some(range(20))).update(["lion cage", "oven"], ["zoo", "cook"], sample_weight=[3, 1])
    repeated = categorizer().fit(*some(range(20))).update([*["lion cage"] * 3, "oven"], [*["zoo"] * 3, "cook"])
    assert learned(model) == learned(repeated)
    with pytest.raises(InputError, match="use whole numbers as weights"):
        model.update(["lion"], ["zoo"], sample_weight=[0.5])


def test_settings_that_were_changed_since_training_have_no_effect() -> None:
    changed = categorizer().fit(*some(range(20))).set_params(min_df=3, n_terms=2, selector="chi", classifier="rocchio")
    same = categorizer().fit(*some(range(20)))
    assert learned(changed.update(*some(range(20, N)))) == learned(same.update(*some(range(20, N))))


def test_probabilities_stay_and_new_classes_get_some() -> None:
    texts, labels = small_texts(n=60).texts, small_texts(n=60).labels
    model = categorizer(probabilities="sigmoid").fit(texts, labels)
    before = model.model_.calibration
    model.update(["lion cage zebra"] * 5, ["zoo"] * 5)
    after = model.model_.calibration
    assert (after.slope, after.offset) == (before.slope, before.offset)  # type: ignore[union-attr]
    probabilities = model.predict_proba(["zebra lion"])
    assert probabilities.shape == (1, 4)
    assert model.classes_[probabilities.argmax()] == "zoo"


def test_held_out_documents_are_scored_by_models_of_the_same_kind() -> None:
    """The figures on held-out documents, from documents, are those of a model from statistics."""
    case = small_texts(n=60, seed=3)
    model = categorizer(held_out=0.5, n_terms=5).fit(case.texts, case.labels)
    numbers = [sorted(set(case.labels)).index(label) for label in case.labels]
    is_test = np.asarray(held_out(numbers, 0.5))
    train, test = ([at for at in range(60) if is_test[at] == flag] for flag in (False, True))
    part = categorizer(n_terms=5).fit([case.texts[at] for at in train], [case.labels[at] for at in train])
    score = part.score([case.texts[at] for at in test], [case.labels[at] for at in test])
    assert model.held_out_ is not None
    assert model.held_out_["accuracy"] == pytest.approx(score)


# -- multilabel ------------------------------------------------------------------------------------------------------


def tuned(**settings: Any) -> Categorizer:
    case = small_texts(n=60, multilabel=True)
    return categorizer(cut="scut", cut_options=None, **settings).fit(case.texts, case.label_sets)


def test_a_new_class_of_a_multilabel_model_needs_thresholds() -> None:
    model = tuned()
    more = small_texts(n=40, n_classes=4, multilabel=True, seed=5)
    with pytest.raises(InputError, match=r"'zoo' is a new class, which has no threshold yet; add fit_thresholds=True"):
        model.update(more.texts, more.label_sets)
    assert "zoo" not in model.classes_
    model.update(more.texts, more.label_sets, fit_thresholds=True)
    assert model.classes_.tolist() == ["boat", "cook", "moon", "zoo"]
    assert model.score(more.texts, more.label_sets) > 0.5
    assert model.model_.about["updated"]["since_thresholds"] == 0


def test_a_new_class_of_a_multilabel_model_with_probabilities_raises() -> None:
    with pytest.raises(InputError, match="'zoo' is a new class, for which no probabilities were fitted; train again"):
        tuned(probabilities="sigmoid").update(["lion"] * 12, [("zoo",)] * 12, fit_thresholds=True)


def test_curves_and_thresholds_of_classes_that_stay_are_kept() -> None:
    model = tuned(probabilities="sigmoid")
    thresholds, curves = model.thresholds_, model.model_.calibration
    assert thresholds is not None
    case = small_texts(n=20, multilabel=True, seed=2)
    sets = [tuple(label for label in labels if label != "cook") or ("moon",) for labels in case.label_sets]
    model.update(case.texts, sets, window=1)
    assert model.classes_.tolist() == ["boat", "moon"]
    assert model.thresholds_ is not None
    assert model.thresholds_.tolist() == thresholds[[0, 2]].tolist()
    assert model.model_.calibration.knots.tolist() == curves.knots[[0, 2]].tolist()  # type: ignore[union-attr]
    assert model.predict_proba(["sail"]).shape == (1, 2)


def test_rows_of_zeros_in_a_label_matrix_are_of_no_class() -> None:
    texts = CASE[False].texts
    classes = ["boat", "cook", "moon", "zoo"]
    matrix = np.array([[int(label == name) for name in classes] for label in CASE[False].labels])
    matrix[::5] = 0
    model = categorizer().fit(texts[:20], matrix[:20]).update(texts[20:], matrix[20:])
    assert learned(model) == learned(categorizer().fit(texts, matrix))
    assert isinstance(model._statistics_, FullStatistics)
    assert model._statistics_.collection.of_no_class.n_documents == 8
    with pytest.raises(InputError, match="has 2 columns, and the model 4 classes"):
        model.update(texts[:1], matrix[:1, :2])


# -- what is refused -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"classifier": "svm"},
            "keep_stats='all': the classifier 'svm' learns .*; use one of nb, cnb, rocchio, by name",
        ),
        ({"classifier": "tcfp"}, "keep_stats='all': the classifier 'tcfp' learns from single weights"),
        ({"selector": "forward"}, "selector='forward' needs the documents .* ocfs, tofa, testors, ig, chi, mi, df"),
        ({"selector": "weights"}, "selector='weights' needs the documents"),
        ({"selector": ChiSquare()}, r"selector=ChiSquare\(\) can't be stored for it; use one of the selectors"),
        ({"n_terms": "auto"}, "n_terms='auto' is tuned on documents"),
        ({"keep_stats": "some"}, "keep_stats='some'; use True, False or 'all'"),
    ],
)
def test_settings_that_need_documents_raise(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        categorizer(**settings).fit(["aa bb", "cc dd"], ["x", "y"])


def test_the_default_selector_needs_statistics_alone() -> None:
    model = plain_categorizer(classifier="nb", keep_stats="all").fit(["aa bb", "cc dd"], ["x", "y"])
    assert model.model_.settings["selector"] == "ig"
    assert (
        plain_categorizer(classifier="nb").fit(["aa bb", "cc dd"], ["x", "y"]).model_.settings["selector"] == "forward"
    )


@pytest.mark.parametrize(
    ("forgetting", "message"),
    [
        ({"half_life": "-5d"}, "half_life='-5d'; use a time above 0 such as 90d"),
        ({"half_life": "0d"}, "half_life='0d'; use a time above 0"),
        ({"half_life": "5 years"}, "half_life='5 years'; use a time above 0"),
        ({"half_life": 90}, "half_life=90; use a time above 0"),
        ({"window": 0}, "window=0; use a number of updates from 1"),
        ({"window": 2.5}, r"window=2.5; use a number of updates from 1"),
        ({"window": 2, "half_life": "90d"}, "half_life='90d' with window=2; use one of the two"),
        ({"when": "soon"}, "when='soon'; use a date such as 2026-01-31"),
        ({"when": "2025-12-31"}, "when='2025-12-31T00:00:00.00:00': this is before the last update"),
        ({"when": 5}, "when=5; use a date"),
    ],
)
def test_an_invalid_way_to_forget_raises_and_changes_nothing(forgetting: dict[str, Any], message: str) -> None:
    model = categorizer(n_terms=None).fit(["aa bb", "cc dd"], ["x", "y"], when=START)
    before = learned(model)
    with pytest.raises(InputError, match=message.replace("00.00:00", "00.*00:00")):
        model.update(["aa dd"], ["x"], **forgetting)
    assert learned(model) == before


def test_a_clock_that_is_behind_only_matters_for_a_half_life_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    model = categorizer(n_terms=None).fit(["aa bb", "cc dd"], ["x", "y"], when=START)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(START.timestamp()) - 3600))
    model.update(["aa dd"], ["x"]).update(["aa cc"], ["x"], window=9).update(["aa"], ["x"], half_life="5docs")
    assert model._statistics_.when == START  # type: ignore[union-attr]
    with pytest.raises(InputError, match="this is before the last update, or the training, at 2026-01-01T00:00:00"):
        model.update(["aa"], ["x"], half_life="5d")


def test_only_models_with_all_terms_can_forget() -> None:
    model = plain_categorizer(classifier="nb", keep_stats=True).fit(["aa bb", "cc dd"], ["x", "y"])
    with pytest.raises(InputError, match="half_life='1d': only a model with the statistics of all terms can forget"):
        model.update(["aa dd"], ["x"], half_life="1d")
    with pytest.raises(InputError, match="when='2026-01-01': only statistics of all terms have a time"):
        model.fit(["aa bb", "cc dd"], ["x", "y"], when="2026-01-01")


def test_labels_of_another_kind_raise() -> None:
    model = categorizer(n_terms=None).fit(["aa bb", "cc dd"], ["x", "y"])
    with pytest.raises(InputError, match="Labels of mixed kinds"):
        model.update(["aa"], [3])


def test_a_window_with_one_class_raises_and_changes_nothing() -> None:
    model = categorizer(n_terms=None).fit(["aa bb", "cc dd"], ["x", "y"])
    with pytest.raises(InputError, match="Only one class, 'x', so there is nothing to tell apart"):
        model.update(["aa bb"], ["x"], window=1)
    assert model.classes_.tolist() == ["x", "y"]
