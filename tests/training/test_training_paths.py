"""A list, a corpus, and a corpus that does not fit into memory give the same model."""

import gc
import io
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from tests.reference.categorizer_cases import Texts, plain_categorizer, small_texts

from textsieve import OCFS, Cascade, ChiSquare, Corpus, DocumentFrequency, ForwardSelection, InputError
from textsieve.corpus import batch as batches
from textsieve.prediction import Model
from textsieve.registry import CLASSIFIERS, SELECTORS
from textsieve.text import reading as text_documents
from textsieve.training import counted_documents as training_documents
from textsieve.training import spilled_counts
from textsieve.training.counted_documents import Sample, SelectedDocuments

SETTINGS: list[dict[str, Any]] = [
    {},
    {"min_df": 2, "max_df": 0.3},
    {"min_df": 0.05},
    {"ngram_range": (1, 2), "stop_words": ["the"]},
    {"ngram_range": (2, 2), "min_df": 2},
    {"lowercase": False, "strip_accents": "unicode"},
    {"analyzer": "text", "char_ngram_range": (3, 4), "ngram_range": (1, 2), "selector": "chi", "n_terms": 40},
    {"analyzer": "char", "ngram_range": (2, 3), "n_terms": 30},
    {"n_terms": 0.3},
    {"n_terms": "all"},
    {"tf": "tf", "idf": "none", "norm": "none"},
    {"class_weight": "balanced"},
    {"class_weight": "sqrt"},
    {"class_weight": {"moon": 3.0}, "n_terms": 5},
    {"selector": OCFS(energy=0.8)},
    {"selector": Cascade([DocumentFrequency(min_df=2), ChiSquare(k=9)])},
    {"selector": Cascade([DocumentFrequency(min_df=2), OCFS(k=9)]), "n_terms": 4},
    {"selector": "ocfs", "selector_options": {"min_score": 0.001}},
    {"n_terms": 9},
    {"n_terms": 9, "selector_options": {"candidates": 12, "ridge": 0.5}},
    {"selector": Cascade([DocumentFrequency(min_df=2), ForwardSelection(k=9)]), "n_terms": 4},
    {"n_terms": 9, "selector_options": {"candidates": 12, "candidates_by": "weights"}},
]

pytestmark = pytest.mark.filterwarnings("ignore:k=30, but there are")  # the folds have fewer documents than k


def assert_same_model(actual: Model, expected: Model, *, thresholds: bool = True) -> None:
    """Assert that two models are equal to the last bit, except for the time of training and the settings."""
    assert actual.terms == expected.terms
    assert actual.classes == expected.classes
    assert actual.class_docs == expected.class_docs
    assert (actual.multilabel, actual.has_label_matrix) == (expected.multilabel, expected.has_label_matrix)
    assert actual.fallback == expected.fallback
    for name in ("tf", "norm", "lowercase", "strip_accents", "ngram_range", "stop_words", "analysis", "preprocessor"):
        assert getattr(actual, name) == getattr(expected, name)
    assert (actual.idf is None) == (expected.idf is None)
    if actual.idf is not None and expected.idf is not None:
        assert actual.idf.tobytes() == expected.idf.tobytes()
    for name, array in actual.scorer.stored_arrays().items():
        assert array.tobytes() == expected.scorer.stored_arrays()[name].tobytes(), name
    if thresholds:
        assert (actual.thresholds is None) == (expected.thresholds is None)
        if actual.thresholds is not None and expected.thresholds is not None:
            assert actual.thresholds.tobytes() == expected.thresholds.tobytes()
        for name in ("held_out", "curve"):
            assert actual.about[name] == expected.about[name]
    for name in ("n_documents", "n_unlabelled", "n_terms_seen"):
        assert actual.about[name] == expected.about[name]


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "BATCH_DOCUMENTS", 7)


@pytest.fixture
def little_memory(monkeypatch: pytest.MonkeyPatch, small_batches: None) -> None:
    monkeypatch.setattr(training_documents, "MAX_VALUES", 60)
    monkeypatch.setattr(training_documents, "GROUP_CHARACTERS", 1)
    monkeypatch.setattr(spilled_counts, "BLOCK_VALUES", 100)


def labels_with_gaps(case: Texts) -> list[Any]:
    return [None if at % 7 == 3 else label for at, label in enumerate(case.labels)]


# -- a corpus equals its texts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize("selector", SELECTORS)
@pytest.mark.usefixtures("small_batches")
def test_a_corpus_gives_the_model_of_its_texts(selector: str, classifier: str) -> None:
    case = small_texts()
    settings: dict[str, Any] = {"selector": selector, "classifier": classifier, "n_terms": 15}
    labels = labels_with_gaps(case)
    from_texts = plain_categorizer(**settings).fit(case.texts, labels)
    from_corpus = plain_categorizer(**settings).fit(Corpus.from_texts(case.texts, labels))
    assert_same_model(from_corpus.model_, from_texts.model_)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.usefixtures("small_batches")
def test_a_corpus_gives_the_model_of_its_texts_with_any_settings(settings: dict[str, Any]) -> None:
    case = small_texts()
    more = {"held_out": 0.25} | settings
    from_texts = plain_categorizer(**more).fit(case.texts, case.labels)
    from_corpus = plain_categorizer(**more).fit(Corpus.from_texts(case.texts, case.labels))
    assert_same_model(from_corpus.model_, from_texts.model_)
    assert from_texts.held_out_ is not None


@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.usefixtures("small_batches")
def test_a_multilabel_corpus_gives_the_model_of_its_texts(classifier: str) -> None:
    case = small_texts(multilabel=True)
    settings: dict[str, Any] = {"classifier": classifier, "n_terms": 15, "held_out": 0.25, "folds": 2}
    from_texts = plain_categorizer(**settings).fit(case.texts, case.label_sets)
    from_corpus = plain_categorizer(**settings).fit(Corpus.from_texts(case.texts, case.label_sets))
    assert from_texts.thresholds_ is not None
    assert_same_model(from_corpus.model_, from_texts.model_)


def test_a_file_gives_the_model_of_its_texts(tmp_path: Path) -> None:
    from textsieve import read

    case = small_texts()
    path = tmp_path / "some.csv"
    lines = ["text,label", *(f"{text},{label}" for text, label in zip(case.texts, case.labels, strict=True))]
    path.write_text("\n".join(lines), "utf-8")
    from_file = plain_categorizer(n_terms=15).fit(read(path))
    assert_same_model(from_file.model_, plain_categorizer(n_terms=15).fit(case.texts, case.labels).model_)


@pytest.mark.usefixtures("small_batches")
def test_a_corpus_gives_the_same_tuned_number_of_terms() -> None:
    case = small_texts(n=40)
    settings: dict[str, Any] = {"n_terms": "auto", "ngram_range": (1, 2), "folds": 3}
    from_texts = plain_categorizer(**settings).fit(case.texts, case.labels)
    from_corpus = plain_categorizer(**settings).fit(Corpus.from_texts(case.texts, case.labels))
    assert from_texts.curve_ is not None
    assert_same_model(from_corpus.model_, from_texts.model_)


# -- a stream equals its texts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize("selector", SELECTORS)
def test_a_stream_gives_the_model_of_its_texts(selector: str, classifier: str, request: pytest.FixtureRequest) -> None:
    case = small_texts()
    settings: dict[str, Any] = {"selector": selector, "classifier": classifier, "n_terms": 15}
    labels = labels_with_gaps(case)
    from_texts = plain_categorizer(**settings).fit(case.texts, labels)
    request.getfixturevalue("little_memory")
    passes = _Passes(case.texts, labels)
    streamed = plain_categorizer(**settings).fit(passes.corpus)
    assert passes.count == 1  # later passes read the counts from a temporary file
    assert_same_model(streamed.model_, from_texts.model_)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.usefixtures("little_memory")
def test_a_stream_gives_the_model_of_its_texts_with_any_settings(settings: dict[str, Any]) -> None:
    case = small_texts()
    from_texts = plain_categorizer(**settings).fit(case.texts, case.labels)
    streamed = plain_categorizer(**settings).fit(Corpus.from_texts(case.texts, case.labels))
    assert_same_model(streamed.model_, from_texts.model_)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_a_multilabel_stream_gives_the_model_of_its_texts(classifier: str, request: pytest.FixtureRequest) -> None:
    """Everything is equal but the thresholds, which are fitted on a sample."""
    case = small_texts(n=300, multilabel=True)
    settings: dict[str, Any] = {"classifier": classifier, "n_terms": 15, "folds": 2}
    from_texts = plain_categorizer(**settings).fit(case.texts, case.label_sets)
    request.getfixturevalue("small_batches")
    request.getfixturevalue("monkeypatch").setattr(training_documents, "MAX_VALUES", 1000)
    streamed = plain_categorizer(**settings).fit(Corpus.from_texts(case.texts, case.label_sets))
    assert_same_model(streamed.model_, from_texts.model_, thresholds=False)
    assert streamed.thresholds_ is not None
    assert streamed.score(case.texts, case.label_sets) > 0.7


FROM_SUMS: list[dict[str, Any]] = [
    {"classifier": "rocchio"},
    {"classifier": "rocchio", "classifier_options": {"gamma": 0.0}},
    {"classifier": "nb"},
    {"classifier": "nb", "class_weight": "balanced"},
    {"classifier": "nb", "class_weight": "sqrt"},
    {"classifier": "nb", "class_weight": {"moon": 3.0}},
    {"classifier": "cnb", "class_weight": "balanced", "classifier_options": {"norm": True}},
]


@pytest.mark.parametrize("label_format", ["single", "sets"])
@pytest.mark.parametrize("settings", FROM_SUMS, ids=str)
def test_classifiers_that_learn_from_sums_never_hold_all_rows_of_a_stream(
    settings: dict[str, Any], label_format: str, request: pytest.FixtureRequest
) -> None:
    """They learn the same from any batches."""
    monkeypatch = request.getfixturevalue("monkeypatch")
    case = small_texts(n=130, multilabel=label_format != "single")
    labels: Any = labels_with_gaps(case)
    if label_format != "single":
        labels = [() if at % 9 == 4 else label_set for at, label_set in enumerate(case.label_sets)]
    more = settings | {"n_terms": 15, "folds": 2}
    from_texts = plain_categorizer(**more).fit(case.texts, labels)
    request.getfixturevalue("small_batches")
    monkeypatch.setattr(training_documents, "MAX_VALUES", 300)
    stack = SelectedDocuments.stack

    def stack_in_memory(self: SelectedDocuments, batches: Any) -> Any:
        assert self.are_in_memory
        return stack(self, batches)

    monkeypatch.setattr(SelectedDocuments, "stack", stack_in_memory)
    streamed = plain_categorizer(**more).fit(Corpus.from_texts(case.texts, labels))
    assert_same_model(streamed.model_, from_texts.model_, thresholds=False)


class _Passes:
    """A corpus that counts how often it is read."""

    def __init__(self, texts: list[str], labels: list[Any]) -> None:
        self.count = 0
        inner = Corpus.from_texts(texts, labels)

        def start(report: Any) -> Iterator[Any]:
            self.count += 1
            return inner.batches()

        self.corpus = Corpus("counted", start, multilabel=False)


def test_documents_in_memory_are_read_once() -> None:
    case = small_texts()
    passes = _Passes(case.texts, list(case.labels))
    plain_categorizer(n_terms=15, held_out=0.2).fit(passes.corpus)
    assert passes.count == 1


@given(st.integers(1, 400), st.integers(1, 30), st.integers(5, 60), st.integers(0, 5))
def test_any_memory_and_any_batches_give_the_same(most: int, size: int, n: int, seed: int) -> None:
    case = small_texts(n=n, seed=seed)
    with pytest.MonkeyPatch.context() as patch:
        expected = plain_categorizer(n_terms=9, selector="chi").fit(case.texts, case.labels)
        patch.setattr(batches, "BATCH_DOCUMENTS", size)
        patch.setattr(training_documents, "MAX_VALUES", most)
        streamed = plain_categorizer(n_terms=9, selector="chi").fit(Corpus.from_texts(case.texts, case.labels))
    assert_same_model(streamed.model_, expected.model_)


@pytest.mark.usefixtures("small_batches")
def test_held_out_scores_of_a_stream_come_from_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_documents, "MAX_VALUES", 600)
    case = small_texts(n=400)
    streamed = plain_categorizer(n_terms=15, held_out=0.3, selector="ig").fit(
        Corpus.from_texts(case.texts, case.labels)
    )
    assert streamed.held_out_ is not None
    assert 10 < streamed.held_out_["documents"] < 40
    assert streamed.held_out_["accuracy"] > 0.5
    about = streamed.model_.about
    assert about["n_documents"] == 400
    assert streamed.held_out_["documents"] == int(0.3 * about["n_tuned_on"])
    assert streamed.held_out_["share"] == streamed.held_out_["documents"] / about["n_tuned_on"]


SAMPLED_SETTINGS: list[dict[str, Any]] = [
    {"held_out": 0.3},
    {"held_out": 0.3, "min_df": 8},
    {"held_out": 0.3, "max_df": 90, "min_df": 0.02},
    {"n_terms": "auto", "folds": 3, "ngram_range": (1, 2)},
    {"n_terms": "auto", "folds": 3, "ngram_range": (1, 2), "min_df": 8, "held_out": 0.2},
    {"held_out": 0.3, "n_terms": "all", "min_df": 20, "max_df": 120, "classifier": "rocchio"},
]


@pytest.mark.parametrize("settings", SAMPLED_SETTINGS, ids=str)
def test_a_stream_is_tuned_like_a_model_of_its_sample(settings: dict[str, Any], request: pytest.FixtureRequest) -> None:
    case = small_texts(n=400)
    request.getfixturevalue("small_batches")
    monkeypatch = request.getfixturevalue("monkeypatch")
    monkeypatch.setattr(training_documents, "MAX_VALUES", 900)
    streamed = plain_categorizer(**settings).fit(Corpus.from_texts(case.texts, case.labels))
    monkeypatch.undo()
    about = streamed.model_.about
    sample = _halved(len(case.texts), about["n_tuned_on"])
    share = len(sample) / 400
    limits = {
        name: max(round(settings[name] * share), 1)
        for name in ("min_df", "max_df")
        if isinstance(settings.get(name), int)
    }
    of_sample = plain_categorizer(**(settings | limits)).fit(
        [case.texts[at] for at in sample], [case.labels[at] for at in sample]
    )
    assert about["held_out"] == of_sample.model_.about["held_out"]
    assert about["curve"] == of_sample.model_.about["curve"]
    assert of_sample.model_.about["n_tuned_on"] is None
    if settings.get("n_terms") != "auto":
        assert_same_model(
            *(
                streamed.model_,
                plain_categorizer(**(settings | {"held_out": None})).fit(case.texts, case.labels).model_,
            ),
            thresholds=False,
        )


def _halved(n_documents: int, n_kept: int) -> list[int]:
    """Return the documents of a sample of this size."""
    for halvings in range(1, 12):
        sample = [at for at in range(n_documents) if (at * 0x9E3779B97F4A7C15) % 2**64 < 2 ** (64 - halvings)]
        if len(sample) == n_kept:
            return sample
    raise AssertionError(n_kept)


def test_numbers_of_documents_shrink_with_a_sample_and_shares_do_not() -> None:
    shrunk = training_documents.limits_of_sample
    assert shrunk({"min_df": 10, "max_df": 1000}, 0.25) == {"min_df": 2, "max_df": 250}
    assert shrunk({"min_df": 1, "max_df": 2}, 0.25) == {"min_df": 1, "max_df": 1}
    assert shrunk({"min_df": 0.1, "max_df": 1.0}, 0.25) == {"min_df": 0.1, "max_df": 1.0}
    assert shrunk({"min_df": 7, "max_df": 0.5}, 1.0) == {"min_df": 7, "max_df": 0.5}


@pytest.mark.parametrize("period", [2, 3, 4, 8, 10, 16, 100])
def test_the_sample_is_even_whatever_the_order_of_classes(period: int) -> None:
    sample = Sample()
    empty = csr_matrix(np.zeros((1000, 3), np.int32))
    for first in range(0, 50_000, 1000):
        sample.add(empty, first)
    for halvings in range(1, 5):
        sample.halve()
        documents = sample.documents
        share = 2.0**-halvings
        assert len(documents) == pytest.approx(50_000 * share, rel=0.01)
        assert documents[0] == 0
        assert (np.diff(documents) > 0).all()
        by_class = np.bincount(documents % period, minlength=period)
        assert by_class == pytest.approx(50_000 * share / period, rel=0.15)


def test_halving_before_or_after_adding_gives_the_same_sample() -> None:
    early, late = Sample(), Sample()
    matrix = csr_matrix(np.ones((100, 1), np.int32))
    early.add(matrix, 0)
    early.halve()
    early.halve()
    early.add(matrix, 100)
    late.add(matrix, 0)
    late.add(matrix, 100)
    late.halve()
    late.halve()
    assert early.documents.tolist() == late.documents.tolist()
    assert early.n_values == late.n_values == len(late.documents) == late.n_documents
    assert early.matrix(5).shape == (late.n_documents, 5)


def test_documents_larger_than_memory_are_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    case = small_texts()
    monkeypatch.setattr(training_documents, "MAX_VALUES", 3)
    streamed = plain_categorizer(n_terms=9).fit(Corpus.from_texts(case.texts, case.labels))
    monkeypatch.undo()
    assert_same_model(streamed.model_, plain_categorizer(n_terms=9).fit(case.texts, case.labels).model_)


@pytest.mark.usefixtures("little_memory")
def test_a_full_disk_raises_an_error_that_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    case = small_texts()
    monkeypatch.setattr(spilled_counts, "TemporaryFile", lambda **_: io.BufferedWriter(io.FileIO("/dev/full", "wb")))
    with pytest.raises(InputError, match=r"can't be written to a temporary file: No space left .* set .* TMPDIR"):
        plain_categorizer(n_terms=15).fit(Corpus.from_texts(case.texts, case.labels))
    gc.collect()  # closing the file must not raise another error


@pytest.mark.usefixtures("little_memory")
def test_a_missing_folder_for_temporary_files_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    case = small_texts()
    monkeypatch.setattr(tempfile, "tempdir", "/no/such/folder")
    with pytest.raises(InputError, match=r"can't be written to a temporary file: No such file or directory"):
        plain_categorizer(n_terms=15).fit(Corpus.from_texts(case.texts, case.labels))


# -- threads ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize("multilabel", [False, True])
def test_any_number_of_threads_gives_the_same_model(classifier: str, multilabel: bool) -> None:
    case = small_texts(n_classes=4, multilabel=multilabel)
    labels: Any = case.label_sets if multilabel else case.labels
    single, threaded = (
        plain_categorizer(classifier=classifier, n_terms=12, held_out=0.25, folds=2, n_jobs=jobs).fit(
            case.texts, labels
        )
        for jobs in (1, 3)
    )
    assert_same_model(single.model_, threaded.model_)


def test_the_kernels_and_plain_python_count_to_the_same_model(monkeypatch: pytest.MonkeyPatch) -> None:
    case = small_texts(n=100)
    plain = plain_categorizer(n_terms=15, ngram_range=(1, 2)).fit(case.texts, case.labels)
    monkeypatch.setattr(text_documents, "FEW_CHARACTERS", -1)
    by_kernels = plain_categorizer(n_terms=15, ngram_range=(1, 2)).fit(case.texts, case.labels)
    assert_same_model(by_kernels.model_, plain.model_)
    assert by_kernels.decision_function(case.texts).tobytes() == plain.decision_function(case.texts).tobytes()


def test_the_same_training_gives_the_same_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    case = small_texts()
    written = []
    for name in ("one", "other"):
        model = plain_categorizer(n_terms=15, held_out=0.2).fit(case.texts, case.labels)
        model.save(tmp_path / name)
        written.append((tmp_path / name).read_bytes())
    assert written[0] == written[1]
    assert model.model_.about["trained"] == "2001-09-09T01:46:40+00:00"
    assert os.environ["SOURCE_DATE_EPOCH"] == "1000000000"
