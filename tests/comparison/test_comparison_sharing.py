"""Work that conditions share is done once; nothing but seconds depends on the number of threads."""

from collections import Counter
from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from tests.reference.categorizer_cases import small_texts

from textsieve import OCFS, Cascade, Corpus, DocumentFrequency, InputError, compare
from textsieve.comparison import compared_documents, folds, running
from textsieve.corpus import Batch
from textsieve.corpus import Report as ReadingReport
from textsieve.corpus.batch import in_batches
from textsieve.training import counted_documents
from textsieve.training.plan import TrainingPlan

CASE = small_texts(60, 3)
MULTILABEL = small_texts(60, 3, multilabel=True)


def depends_on_machine(field: str) -> bool:
    return "seconds" in field or field == "threads"


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count how often statistics and rankings are computed; the warm-up is left out."""
    monkeypatch.setattr(running, "warm_up", lambda *_: None)
    n_calls: Counter[str] = Counter()

    def count_calls(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            n_calls[name] += 1
            return function(*args)

        return call

    statistics = count_calls("statistics", folds._compute_statistics)
    monkeypatch.setattr(folds, "_compute_statistics", statistics)
    monkeypatch.setattr(TrainingPlan, "fit_selector", count_calls("rankings", TrainingPlan.fit_selector))
    return n_calls


def test_statistics_once_for_each_weighting_and_rankings_once_for_each_selector(calls: Counter[str]) -> None:
    wanted: Any = {"n_terms": "3,6,9", "classifiers": "svm,nb,knn", "folds": 2, "n_jobs": 1}
    comparison = compare(CASE.texts, CASE.labels, selectors="ocfs,tofa,ig,chi,ig(pooling=max)", **wanted)
    assert len(comparison.rows) == 2 * 5 * 3 * 3
    assert calls == {"statistics": 2 * 2, "rankings": 2 * 5}  # two folds; counts and weights; five selectors


@pytest.mark.filterwarnings("ignore:At epsilon")
def test_testors_are_fitted_for_each_number_of_terms(calls: Counter[str]) -> None:
    compare(CASE.texts, CASE.labels, selectors="testors", n_terms="3,6,9", classifiers="svm,nb", folds=2, n_jobs=1)
    assert calls == {"statistics": 2, "rankings": 2 * 3}


def test_inner_folds_are_shared_too(calls: Counter[str]) -> None:
    compare(
        MULTILABEL.texts,
        MULTILABEL.label_sets,
        selectors="ocfs,ig",
        n_terms="3,6",
        classifiers="svm,nb",
        folds=2,
        n_jobs=1,
    )
    assert calls == {"statistics": 2 * (1 + 5) * 2, "rankings": 2 * (1 + 5) * 2}


def test_documents_are_counted_once_and_read_once_more_for_examples() -> None:
    passes = 0

    def start(_: ReadingReport) -> Any:
        nonlocal passes
        passes += 1
        return in_batches(zip(CASE.texts, [(label,) for label in CASE.labels], strict=True))

    comparison = compare(Corpus("own", start, multilabel=False), n_terms="3,6", folds=2, n_jobs=1)
    assert comparison.examples is not None
    assert passes == 2


@pytest.mark.slow
@pytest.mark.parametrize("case", [CASE, MULTILABEL], ids=["single label", "multilabel"])
@pytest.mark.filterwarnings("ignore:At epsilon")
def test_the_same_rows_for_any_number_of_threads(case: Any) -> None:
    labels = case.labels if case is CASE else case.label_sets
    wanted: Any = {"selectors": "ocfs,testors", "n_terms": "5,0.5", "classifiers": "svm,tcfp,knn(k=3)", "folds": 2}
    single, double = (compare(case.texts, labels, n_jobs=n_jobs, **wanted) for n_jobs in (1, 2))
    for rows in zip(single.rows, double.rows, strict=True):
        first, second = ({k: v for k, v in row.to_dict().items() if not depends_on_machine(k)} for row in rows)
        assert first == second
    assert single.selections == double.selections
    assert {**single.header, "started": ""} == {**double.header, "started": ""}


def test_the_publishers_split_is_used_unless_folds_are_requested() -> None:
    def part(places: range, name: str) -> Corpus:
        return Corpus.from_texts([CASE.texts[i] for i in places], [CASE.labels[i] for i in places], name=name)

    def start(_: ReadingReport) -> Any:
        return iter([Batch([(label,) for label in CASE.labels], CASE.texts)])

    parts = part(range(40), "own:train"), part(range(40, 60), "own:test")
    corpus = Corpus("own", start, multilabel=False, split=lambda: parts)
    comparison = compare(corpus, selectors="ig", n_terms=6, n_jobs=1)
    assert comparison.header["split"] == {"by": "own", "folds": 1}
    assert [(row.trained_on, row.documents) for row in comparison.rows] == [(40, 20)]
    assert comparison.stabilities == []
    folded = compare(corpus, selectors="ig", n_terms=6, folds=3, n_jobs=1)
    assert folded.header["split"] == {"by": "folds", "folds": 3}
    given = compare(parts[0], test=parts[1], selectors="ig", n_terms=6, n_jobs=1)
    assert given.rows[0].micro_f1 == comparison.rows[0].micro_f1
    assert given.selections[0].terms == comparison.selections[0].terms


def test_nothing_is_learned_from_tested_documents() -> None:
    settings: Any = {"selectors": "ocfs,ig", "n_terms": 6, "n_jobs": 1}
    train = CASE.texts[:40], CASE.labels[:40]
    comparison = compare(*train, test=(CASE.texts[40:], CASE.labels[40:]), **settings)
    other = compare(*train, test=(["sail sail new words"] * 9, ["boat", "cook", "cook"] * 3), **settings)
    assert [selection.terms for selection in comparison.selections] == [
        selection.terms for selection in other.selections
    ]
    assert [row.model_bytes for row in comparison.rows] == [row.model_bytes for row in other.rows]
    assert [row.n_seen for row in comparison.rows] == [row.n_seen for row in other.rows]


def test_a_cascade_has_no_number_of_terms_of_its_own() -> None:
    chain = Cascade([DocumentFrequency(min_df=2), OCFS(k=20)])
    comparison = compare(
        CASE.texts, CASE.labels, selectors=[chain], n_terms=[3, 6], classifiers="nb", folds=2, n_jobs=1
    )
    assert {row.n_terms for row in comparison.rows} == {3, 6}


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({"folds": 1}, "folds=1; use a number from 2"),
        ({"folds": 61}, "60 labelled documents are too few for 61 folds"),
        ({"folds": 2, "test": (["goal"], ["boat"])}, "folds=2: test documents are given"),
        ({"test": (["goal"], [None])}, "test: no document has a label, so there is nothing to test on"),
        ({"n_terms": "5,many"}, "n_terms='many'; use numbers of terms from 1"),
        ({"n_terms": 0}, "n_terms=0; use numbers"),
        ({"n_terms": 1.5}, "n_terms=1.5; use numbers"),
        ({"n_terms": "auto"}, "n_terms='auto'; use numbers"),
        ({"selectors": "igg"}, r"selectors: there is no selector 'igg'\. Did you mean 'ig'\? Otherwise use forward, w"),
        ({"selectors": "ocsf"}, r"there is no selector 'ocsf'\. Did you mean 'ocfs'\?"),
        ({"selectors": "chi2(pooling=max)"}, r"Did you mean 'chi'\?"),
        ({"selectors": "nonsense"}, "there is no selector 'nonsense'; use forward, weights, ocfs"),
        ({"classifiers": "smv"}, r"there is no classifier 'smv'\. Did you mean 'svm'\?"),
        (
            {"selectors": [OCFS(k=3)]},
            r"selectors: OCFS\(k=3\): k=3 would be ignored; leave it out, and use n_terms inst",
        ),
        ({"selectors": ""}, "selectors: there is no selector ''"),
        ({"selectors": []}, "selectors: none are given"),
        ({"selectors": "ig(pooling)"}, r"'pooling' is no option; write name\(option=value, ...\)"),
        ({"selectors": "ig(pooling=odd)"}, r"selectors: ig\(pooling=odd\): pooling='odd'; use one of"),
        ({"selectors": "ig(colour=red)"}, "'ig' has no option 'colour'"),
        ({"selectors": "all(k=3)"}, "'all' selects nothing, and has no options"),
        ({"classifiers": "svm,perceptron"}, "classifiers: there is no classifier 'perceptron'"),
        ({"classifiers": "svm(tf=odd)"}, r"classifiers: svm\(tf=odd\): tf='odd'; use one of"),
        ({"classifiers": "svm(C=x)"}, r"classifiers: svm\(C=x\): C='x'; use a number above 0"),
        (
            {"classifiers": "svm,nb(alpha=-1)"},
            r"classifiers: nb\(alpha=-1\): MultinomialNB\(alpha=-1\) can't be trained",
        ),
        ({"classifiers": "knn(k=x)"}, r"classifiers: knn\(k=x\): k='x'; use a number of neighbours"),
        ({"classifiers": "subspace(n_estimators=x)"}, r"classifiers: subspace\(n_estimators=x\): "),
        ({"classifiers": "tcfp(x=1)"}, r"classifiers: tcfp\(x=1\): 'tcfp' has no option 'x'"),
        (
            {"classifiers": 'svm(class_weight={"zz":-2})'},
            "class_weight: the factor of 'zz' is -2; use a number above 0",
        ),
        ({"classifiers": "svm(class_weight=odd)"}, r"classifiers: svm\(class_weight=odd\): class_weight='odd'; use"),
        ({"classifiers": "svm", "norm": "odd"}, "^norm='odd'; use one of"),
        ({"selectors": "testors(epsilon=x)"}, r"selectors: testors\(epsilon=x\): "),
        ({"selectors": "ig(pooling=[1])"}, r"selectors: ig\(pooling=\[1\]\): pooling=\[1\]; use one of"),
        ({"selectors": "ig(pooling=max"}, r"selectors: ig\(pooling=max: its parentheses do not match"),
        ({"classifiers": "svm(C=1)(C=2)"}, r"classifiers: svm\(C=1\)\(C=2\): its parentheses do not match"),
        ({"classifiers": "svm(C=1,C=x)"}, r"classifiers: svm\(C=1,C=x\): C is given twice"),
        ({"classifiers": "svm(,)"}, r"classifiers: svm\(,\): '' is no option"),
        ({"n_terms": []}, "n_terms: none are given"),
        ({"colour": "red"}, "colour='red': compare has no such setting"),
        ({"held_out": 0.2}, "held_out=0.2: compare has no such setting"),
    ],
    ids=str,
)
def test_invalid_arguments_raise_an_error(wanted: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        compare(CASE.texts, CASE.labels, n_jobs=1, **wanted)


def test_the_error_for_an_unknown_setting_names_all_valid_ones_and_the_closest() -> None:
    for wrong, close in (("terms", "n_terms"), ("selector", "selectors"), ("fold", "folds"), ("min_dff", "min_df")):
        setting: dict[str, Any] = {wrong: [3]}
        with pytest.raises(InputError, match=rf"^{wrong}=\[3\]: compare .*; did you mean {close}\?") as caught:
            compare(CASE.texts, CASE.labels, **setting)
        listed = set(str(caught.value).rpartition("It has ")[2].removesuffix(".").split(", "))
        keywords = {
            parameter.name
            for parameter in signature(compare).parameters.values()
            if parameter.kind is parameter.KEYWORD_ONLY
        }
        assert listed > keywords > {"selectors", "n_terms", "classifiers", "folds"}
        assert listed > {"lowercase", "ngram_range", "min_df", "cut"}


def test_missing_labels_and_missing_corpora_raise() -> None:
    with pytest.raises(InputError, match="there are no labels; give a corpus"):
        compare(CASE.texts)
    with pytest.raises(InputError, match=r"nowhere\.csv"):
        compare("nowhere.csv")
    with pytest.raises(InputError, match="A corpus has its own labels"):
        compare(Corpus.from_texts(CASE.texts, CASE.labels), CASE.labels)


@pytest.mark.parametrize("kind", ["texts", "vectors"])
def test_counts_that_do_not_fit_into_memory_raise_an_error_at_once(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    batches = 0

    def start(_: ReadingReport) -> Any:
        nonlocal batches
        for label in "abcdefghij" * 4:
            batches += 1
            if kind == "texts":
                yield Batch([(label,)] * 10, ["goal keeper"] * 10)
            else:
                yield Batch([(label,)] * 10, vectors=csr_array(np.ones((10, 2))))

    monkeypatch.setattr(compared_documents, "MAX_VALUES", 30)
    monkeypatch.setattr(counted_documents, "GROUP_CHARACTERS", 1)
    with pytest.raises(InputError, match="own: has more than 30 counts, which is the limit"):
        compare(Corpus("own", start, multilabel=False), n_terms=2, folds=2, n_jobs=1)
    assert batches <= 8  # of 40; a thread reads some more ahead
