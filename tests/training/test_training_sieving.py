"""`max_size` and `tolerance` drop coefficients: the file is small, and everything else works as with all of them."""

import json
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.reference.categorizer_cases import plain_categorizer

from textsieve import Categorizer, InformationGain, InputError, compare, load, read
from textsieve.archive import open_archive
from textsieve.classifiers import LinearScorer
from textsieve.classifiers.sieve import CoefficientSieve, Sieved
from textsieve.classifiers.sparse_linear import SparseLinearScorer
from textsieve.modelfile.arrays import arrays_of
from textsieve.modelfile.header import KIND, MAX_BYTES
from textsieve.text import front_coding
from textsieve.text.front_coding import front_code, front_decode, join_terms
from textsieve.text.weights import round_idf
from textsieve.training.counted_documents import StreamedDocuments
from textsieve.training.sieving import SieveLimits, SieveTraining, StoredSize, smallest_share

RNG = np.random.default_rng(11)
N_CLASSES = 5
TOPICS = [[f"topic{number}word{word}" for word in range(60)] for number in range(N_CLASSES)]
COMMON = [f"common{word}" for word in range(4000)]


def text_of(number: int) -> str:
    """Return a text of 30 words, of which 8 are typical of its class."""
    return " ".join([*RNG.choice(TOPICS[number], 8), *RNG.choice(COMMON, 22)])


LABELS = [f"class {number % N_CLASSES}" for number in range(300)]
TEXTS = [text_of(number % N_CLASSES) for number in range(300)]
NEW_LABELS = [f"class {number % N_CLASSES}" for number in range(100)]
NEW_TEXTS = [text_of(number % N_CLASSES) for number in range(100)]


def accuracy(model: Categorizer) -> float:
    return float(np.mean(np.asarray(model.predict(NEW_TEXTS)) == np.asarray(NEW_LABELS)))


@pytest.fixture(scope="module")
def small() -> Categorizer:
    return plain_categorizer(max_size="10kB").fit(TEXTS, LABELS)


def test_a_model_fits_into_its_size_and_is_as_good_as_with_all_coefficients(small: Categorizer, tmp_path: Path) -> None:
    complete = plain_categorizer(n_terms="all").fit(TEXTS, LABELS)
    small.save(tmp_path / "small.sieve")
    complete.save(tmp_path / "complete.sieve")
    assert (tmp_path / "small.sieve").stat().st_size <= 10_000 < (tmp_path / "complete.sieve").stat().st_size
    assert accuracy(small) >= accuracy(complete) - 0.03
    about = small.model_.about["coefficients"]
    assert about["kept"] == np.count_nonzero(small.coef_) < about["trained"] == len(complete.terms_) * N_CLASSES
    assert about["curve"] is None


def test_a_tuned_share_takes_no_more_cuts_than_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    trainings: list[tuple[SieveTraining, Sequence[str]]] = []
    fit_to, cut = SieveTraining.fit_to, CoefficientSieve.cut

    def noted_fit_to(training: SieveTraining, limits: SieveLimits, terms: Sequence[str]) -> Any:
        trainings.append((training, terms))
        return fit_to(training, limits, terms)

    monkeypatch.setattr(SieveTraining, "fit_to", noted_fit_to)
    plain_categorizer(max_size="10kB").fit(TEXTS[:100], LABELS[:100])
    training, terms = trainings[0]
    steps = list(training.steps())
    assert len(steps) < 13  # they end before the smallest of the shares
    sieved_of = dict(steps)
    results: list[weakref.ref[Any]] = []
    n_alive: list[int] = []

    def noted_cut(*given: Any) -> Sieved:
        n_alive.append(sum(values() is not None for values in results))
        sieved = cut(*given)
        results.append(weakref.ref(sieved.values))
        return sieved

    monkeypatch.setattr(CoefficientSieve, "cut", noted_cut)
    for share, expected in {1.0: 1.0, 0.5: 0.5, 0.125: 0.125, 2.0**-12: min(sieved_of)}.items():
        results.clear()
        n_alive.clear()
        fitted = training.fit_to(SieveLimits(share=share), terms)
        wanted = training.fitted(sieved_of[expected])
        assert fitted.columns is not None
        assert wanted.columns is not None
        assert fitted.columns.tolist() == wanted.columns.tolist()
        assert len(n_alive) == round(-np.log2(expected))
        assert max(n_alive, default=0) <= 1  # the one that is cut


def test_a_larger_size_keeps_more_coefficients(small: Categorizer) -> None:
    larger = plain_categorizer(max_size=14_000).fit(TEXTS, LABELS)
    assert np.count_nonzero(larger.coef_) > np.count_nonzero(small.coef_)


def test_a_loaded_model_predicts_and_explains_the_same_to_the_last_bit(small: Categorizer, tmp_path: Path) -> None:
    small.save(tmp_path / "small.sieve")
    loaded = load(tmp_path / "small.sieve")
    assert loaded.terms_ == small.terms_
    assert loaded.max_size == "10kB"
    assert (loaded.decision_function(NEW_TEXTS) == small.decision_function(NEW_TEXTS)).all()
    assert (loaded.coef_ == small.coef_).all()
    loaded.save(tmp_path / "again.sieve")
    assert (tmp_path / "again.sieve").read_bytes() == (tmp_path / "small.sieve").read_bytes()
    explained, scores = loaded.explain(NEW_TEXTS[0]), small.decision_function(NEW_TEXTS[:1])[0]
    by_label = {part.label: part for part in explained.classes}
    for label, score in zip(small.classes_, scores.tolist(), strict=True):
        assert by_label[label].score == score
        products = {term: product for term, _, _, product in by_label[label].contributions}
        assert sum(products.values()) + by_label[label].intercept == pytest.approx(score, abs=1e-12)


def test_terms_come_strongest_first(small: Categorizer) -> None:
    strengths = (small.coef_**2).sum(axis=0)
    assert (np.diff(strengths) <= 1e-12).all()
    assert strengths.min() > 0


def test_the_file_has_no_words_but_the_selected_terms(small: Categorizer, tmp_path: Path) -> None:
    small.save(tmp_path / "small.sieve")
    with open_archive(KIND, str(tmp_path / "small.sieve"), max_bytes=MAX_BYTES) as archive:
        contents = json.dumps(archive.header).encode() + b"".join(
            array.tobytes() for name, array in archive.read().items() if name != "terms"
        )
    left_out = {word for text in TEXTS for word in text.split()} - set(small.terms_)
    assert left_out
    assert not [word for word in left_out if word.encode() in contents]
    assert b"topic" not in (tmp_path / "small.sieve").read_bytes()  # everything is compressed


def test_the_time_of_training_does_not_change_what_is_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    """The header with the time is compressed, so that files of the same model differ in size."""
    learned = set()
    for second in range(0, 5_000_000, 999_999):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", str(1_700_000_000 + second))
        learned.add(plain_categorizer(max_size="10kB").fit(TEXTS, LABELS).coef_.tobytes())
    assert len(learned) == 1


@pytest.mark.parametrize("settings", [{"max_size": "10kB"}, {"tolerance": 1.0, "folds": 2}])
def test_the_number_of_threads_does_not_change_the_file(settings: dict[str, Any], tmp_path: Path) -> None:
    for n_jobs in (1, 2):
        model = plain_categorizer(**settings, n_jobs=n_jobs).fit(TEXTS, LABELS)
        model.model_.about["trained"] = "now"
        model.save(tmp_path / str(n_jobs))
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()


def test_a_corpus_that_is_read_again_gives_the_same_coefficients(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = (json.dumps({"text": text, "label": label}) for text, label in zip(TEXTS, LABELS, strict=True))
    (tmp_path / "texts.jsonl").write_text("\n".join(rows), encoding="utf-8")
    settings: dict[str, Any] = {"max_size": "10kB", "probabilities": None}
    counted = plain_categorizer(**settings).fit(TEXTS, LABELS)
    monkeypatch.setattr("textsieve.training.counted_documents.MAX_VALUES", 1000)
    # The header has the number of documents that settings were tuned on, for a corpus that is larger than memory.
    monkeypatch.setattr(StreamedDocuments, "n_tuned_on", None)
    streamed = plain_categorizer(**settings).fit(read(tmp_path / "texts.jsonl"))
    assert streamed.terms_ == counted.terms_
    assert (streamed.coef_ == counted.coef_).all()


# -- the type of coefficients ------------------------------------------------------------------------------------------

DTYPES: dict[str, type[np.generic]] = {"auto": np.int8, "float32": np.float32, "float64": np.float64}


@pytest.mark.parametrize("name", DTYPES)
def test_coefficients_that_are_left_have_the_type_and_the_file_fits(name: str, tmp_path: Path) -> None:
    model = plain_categorizer(max_size="20kB", coefficient_dtype=name, probabilities="auto").fit(TEXTS, LABELS)
    model.save(tmp_path / "model.sieve")
    assert (tmp_path / "model.sieve").stat().st_size <= 20_000
    loaded = load(tmp_path / "model.sieve")
    for scorer in (model.model_.scorer, loaded.model_.scorer):
        assert isinstance(scorer, SparseLinearScorer)
        assert scorer.numbers.dtype == DTYPES[name]
    assert loaded.coefficient_dtype == name
    assert loaded.decision_function(NEW_TEXTS).tobytes() == model.decision_function(NEW_TEXTS).tobytes()
    assert loaded.predict_proba(NEW_TEXTS).tobytes() == model.predict_proba(NEW_TEXTS).tobytes()


@pytest.mark.parametrize(("name", "dtype"), [("auto", np.float32), ("float32", np.float32), ("float64", np.float64)])
@pytest.mark.parametrize("classifier", ["svm", "nb"])
def test_all_coefficients_have_the_type(name: str, dtype: type[np.generic], classifier: str, tmp_path: Path) -> None:
    model = plain_categorizer(n_terms=500, classifier=classifier, coefficient_dtype=name, keep_stats=classifier == "nb")
    model.fit(TEXTS, LABELS)
    model.save(tmp_path / "model.sieve")
    loaded = load(tmp_path / "model.sieve")
    for scorer in (model.model_.scorer, loaded.model_.scorer):
        assert isinstance(scorer, LinearScorer)
        assert scorer.coefficients.dtype == dtype
    assert loaded.decision_function(NEW_TEXTS).tobytes() == model.decision_function(NEW_TEXTS).tobytes()


def test_64_bits_keep_what_32_bits_round() -> None:
    double, single = (
        plain_categorizer(n_terms=500, coefficient_dtype=name).fit(TEXTS, LABELS).model_.scorer.term_strengths()
        for name in ("float64", "float32")
    )
    assert (double.astype(np.float32) == single).all()
    assert (double != single).any()


def test_an_update_keeps_the_type() -> None:
    model = plain_categorizer(n_terms=500, classifier="nb", coefficient_dtype="float64", keep_stats=True)
    updated = model.fit(TEXTS[:200], LABELS[:200]).update(TEXTS[200:], LABELS[200:])
    assert updated.model_.scorer.term_strengths().dtype == np.float64


def test_explanations_add_up_to_the_score_with_64_bits() -> None:
    model = plain_categorizer(max_size="20kB", coefficient_dtype="float64").fit(TEXTS, LABELS)
    explanation = model.explain(NEW_TEXTS[0])
    for label, score in zip(model.classes_.tolist(), model.decision_function(NEW_TEXTS[:1])[0].tolist(), strict=True):
        of_class, total = explanation[label], 0.0
        for contribution in of_class.in_order():
            total += contribution.contribution
        assert total + of_class.intercept == of_class.score == score  # to the last bit


# -- tolerance ---------------------------------------------------------------------------------------------------------

CURVE: dict[float, Sequence[float]] = {1.0: [0.90, 0.92], 0.5: [0.90, 0.91], 0.25: [0.91, 0.90], 0.125: [0.80, 0.81]}


@pytest.mark.parametrize(
    ("tolerance", "share"),
    [
        (0, 1.0),  # nothing else is within 0 points of the best, .91
        (0.5, 0.25),  # .905 is half a point below .91
        (0.4, 1.0),
        (10.5, 0.125),
        # Differences from the best are .00 and .01 for .5 (mean .005, error .005), and -.01 and .02 for .25 (mean .005,
        # error .015), and .10 and .11 for .125.
        ("1se", 0.25),
    ],
)
def test_the_smallest_share_within_the_tolerance_is_chosen(tolerance: float | str, share: float) -> None:
    assert smallest_share(CURVE, tolerance) == share


def test_the_tolerance_decides_how_many_coefficients_are_kept() -> None:
    kept = []
    for tolerance in (0.5, 30):
        model = plain_categorizer(tolerance=tolerance, folds=2).fit(TEXTS, LABELS)
        about = model.model_.about["coefficients"]
        scores = dict(about["curve"])
        assert scores.keys() == {1.0} | {0.5**step for step in range(1, len(scores))}
        within = [
            share for share, score in scores.items() if share < 1 and max(scores.values()) - score <= tolerance / 100
        ]
        assert about["kept"] <= np.ceil(min(within) * about["trained"])
        kept.append(about["kept"])
    assert kept[0] > kept[1]


def test_a_size_limits_what_the_tolerance_allows(tmp_path: Path) -> None:
    model = plain_categorizer(tolerance=0, max_size="10kB", folds=2).fit(TEXTS, LABELS)
    model.save(tmp_path / "both.sieve")
    assert (tmp_path / "both.sieve").stat().st_size <= 10_000
    assert model.model_.about["coefficients"]["curve"]


# -- forms of labels and weights ---------------------------------------------------------------------------------------


def test_two_classes_have_one_row_of_coefficients() -> None:
    labels = [label == "class 0" for label in LABELS]
    model = plain_categorizer(max_size="10kB").fit(TEXTS, labels)
    assert model.coef_.shape[0] == 1
    predicted = np.asarray(model.predict(NEW_TEXTS))
    assert np.mean(predicted == [label == "class 0" for label in NEW_LABELS]) > 0.85


def test_multilabel_documents_and_probabilities_are_tuned_with_few_coefficients(tmp_path: Path) -> None:
    label_sets = [[label, "even"] if number % 2 == 0 else [label] for number, label in enumerate(LABELS)]
    texts = [f"{text} even{number % 7}" if number % 2 == 0 else text for number, text in enumerate(TEXTS)]
    model = plain_categorizer(max_size="10kB", probabilities="sigmoid", folds=2).fit(texts, label_sets)
    model.save(tmp_path / "sets.sieve")
    loaded = load(tmp_path / "sets.sieve")
    assert loaded.predict(texts) == model.predict(texts)
    assert (loaded.predict_proba(texts) == model.predict_proba(texts)).all()
    assert (
        np.mean([set(found) == set(true) for found, true in zip(model.predict(texts), label_sets, strict=True)]) > 0.6
    )


def test_documents_of_weight_0_count_as_if_they_were_not_there() -> None:
    weights = [1.0] * 300 + [0.0] * 20
    texts, labels = [*TEXTS, *["common1 common2 common3"] * 20], [*LABELS, *["class 0"] * 20]
    weighted = plain_categorizer(max_size="10kB").fit(texts, labels, sample_weight=weights)
    assert weighted.terms_ == plain_categorizer(max_size="10kB").fit(TEXTS, LABELS).terms_


def test_class_weights_apply_to_the_coefficients_that_are_left() -> None:
    heavy = plain_categorizer(max_size="10kB", class_weight={"class 0": 50.0}).fit(TEXTS, LABELS)
    plain = plain_categorizer(max_size="10kB").fit(TEXTS, LABELS)
    assert heavy.intercept_[0] > plain.intercept_[0]


# -- errors ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"max_size": "10kB", "classifier": "nb"}, "max_size='10kB'.*can't be dropped with the classifier 'nb'"),
        ({"tolerance": "1se", "projection": "centroid"}, "tolerance='1se'.*can't be dropped with a projection"),
        ({"max_size": "10 parsecs"}, "max_size='10 parsecs'.*'100kB'"),
        ({"max_size": "1kB"}, "from 2,000"),
        ({"max_size": -1}, "from 2,000"),
        ({"max_size": True}, "from 2,000"),
        ({"tolerance": -1}, "tolerance=-1.*points from 0, or '1se'"),
        ({"tolerance": "2se"}, "tolerance='2se'"),
        ({"tolerance": float("nan")}, "tolerance=nan"),
        ({"coefficient_dtype": "float16"}, "coefficient_dtype='float16'.*float32"),
        ({"coefficient_dtype": None}, "coefficient_dtype=None"),
        ({"coefficient_dtype": "float64", "classifier": "knn"}, "coefficient_dtype='float64'.*'knn' has no coeff"),
    ],
)
def test_invalid_settings_raise_before_training(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        plain_categorizer(**settings).fit(TEXTS, LABELS)


def test_a_size_that_the_header_alone_exceeds_raises() -> None:
    stop_words = [f"stop{number * 7919}word" for number in range(3000)]  # stored with the model if it has n-grams
    with pytest.raises(InputError, match=r"max_size=10000: 5 classes, stop words and settings alone take about \d+,"):
        plain_categorizer(max_size=10_000, ngram_range=(1, 2), stop_words=stop_words).fit(TEXTS, LABELS)


def test_a_size_that_is_too_small_for_a_coefficient_of_each_class_raises() -> None:
    texts = [f"word{number // 2} other" for number in range(400)]
    labels = [f"class {number // 2}" for number in range(400)]
    with pytest.raises(InputError, match=r"max_size.*allow a larger"):
        plain_categorizer(max_size=3000, probabilities=None).fit(texts, labels)


@pytest.mark.parametrize(
    "settings",
    [
        {"ngram_range": (1, 2), "stop_words": [f"stop{number}" for number in range(300)]},
        {"probabilities": None},
        {"held_out": 0.2},
        {"char_ngram_range": (3, 3)},
    ],
)
@pytest.mark.parametrize("label", ["{}", "a long name of {}, " * 20])
def test_a_file_is_never_larger_than_its_limit(settings: dict[str, Any], label: str, tmp_path: Path) -> None:
    labels = [label.replace("{}", name) for name in LABELS]
    plain_categorizer(**{"max_size": 9000, "probabilities": "auto"} | settings).fit(TEXTS, labels).save(tmp_path / "x")
    assert 5500 <= (tmp_path / "x").stat().st_size <= 9000


def test_a_selector_may_select_fewer_terms_than_in_the_folds() -> None:
    selector = InformationGain(k="all", min_score=0.02)
    about = plain_categorizer(selector=selector, tolerance=20, folds=2).fit(TEXTS, LABELS).model_.about["coefficients"]
    assert 0 < about["kept"] <= about["trained"]
    assert len(plain_categorizer(n_terms=1, tolerance="1se", folds=2).fit(TEXTS, LABELS).terms_) == 1


def test_a_model_without_terms_is_saved_and_loaded(tmp_path: Path) -> None:
    model = plain_categorizer(max_size=10_000).fit(["same text"] * 24, ["a", "b"] * 12)
    model.save(tmp_path / "x")
    assert list(load(tmp_path / "x").terms_) == list(model.terms_) == []


def test_coefficients_are_shown_as_they_are(small: Categorizer) -> None:
    assert not small.model_.needs_comparing
    ((term, strength),) = small.model_.class_terms(1)["class 0"]
    assert strength == small.coef_[0, list(small.terms_).index(term)]


def test_a_comparison_takes_neither_setting() -> None:
    with pytest.raises(InputError, match="max_size"):
        compare((TEXTS, LABELS), selectors=["df"], n_terms=[10], classifiers=["svm"], max_size="10kB")


# -- the arrays of a file ----------------------------------------------------------------------------------------------


def test_terms_are_stored_by_what_they_do_not_share_with_the_term_before(small: Categorizer) -> None:
    prefixes, suffixes = front_code([b"car", b"cart", b"cat", b"dog"])
    assert prefixes.tolist() == [0, 3, 2, 0]
    assert suffixes == [b"car", b"t", b"t", b"dog"]
    assert front_decode(prefixes, suffixes) == [b"car", b"cart", b"cat", b"dog"]
    with pytest.raises(ValueError, match="4 bytes of a term of 3"):
        front_decode(np.array([0, 4], np.uint8), [b"car", b"t"])
    arrays = arrays_of(small.model_)
    assert arrays["terms"].size < sum(len(term) + 1 for term in small.terms_) / 2


def test_long_terms_share_at_most_255_bytes() -> None:
    terms = [b"x" * 300 + b"a", b"x" * 300 + b"b"]
    prefixes, suffixes = front_code(terms)
    assert prefixes.tolist() == [0, 255]
    assert front_decode(prefixes, suffixes) == terms


def test_idf_is_rounded_to_eighths_and_stored_in_a_byte(small: Categorizer) -> None:
    assert round_idf(np.array([0.0, 0.01, 1.0, 1.07, 6.2, 60.0])).tolist() == [0.0, 0.125, 1.0, 1.125, 6.25, 255 / 8]
    assert isinstance(small.model_.scorer, SparseLinearScorer)
    idf = small.model_.idf
    assert idf is not None
    assert (idf * 8 == np.rint(idf * 8)).all()
    assert "idf" not in arrays_of(small.model_)


def test_the_estimated_size_is_close_to_the_measured_one(small: Categorizer) -> None:
    for categorizer in (small, Categorizer(max_size="20kB", probabilities=None).fit(TEXTS, LABELS)):
        scorer, idf = categorizer.model_.scorer, categorizer.model_.idf
        assert isinstance(scorer, SparseLinearScorer)
        assert idf is not None
        size = StoredSize(categorizer.terms_)
        columns = np.arange(len(categorizer.terms_))
        assert size.estimate(columns, scorer, idf) == pytest.approx(size.measure(columns, scorer, idf), rel=0.25)


def test_terms_that_share_too_many_bytes_are_stored_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    terms = [b"x" * 100 + letter for letter in (b"a", b"b", b"c")]
    prefixes, joined = join_terms(terms)
    assert prefixes is not None
    assert (prefixes.tolist(), joined) == ([0, 100, 100], b"x" * 100 + b"a\nb\nc")
    monkeypatch.setattr(front_coding, "SMALL_TERMS", 100)
    monkeypatch.setattr(front_coding, "MAX_SHARED_RATIO", 1)
    assert join_terms(terms) == (None, b"\n".join(terms))
