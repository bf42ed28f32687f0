"""Models that prepare texts (tags, names, stems): their files, their predictions, and the packages these import."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.modelfile.test_modelfile_light import HEAVY
from tests.reference.categorizer_cases import plain_categorizer
from tests.reference.model_cases import same, small_model
from tests.reference.text_checks import PATHS, path
from tests.test_extras import without

import textsieve
from textsieve import Categorizer, Corpus, InputError
from textsieve.modelfile.reading import decode
from textsieve.modelfile.writing import encode
from textsieve.prediction import Model
from textsieve.strict_json import parse
from textsieve.text.languages import code_of
from textsieve.text.preparation import Preparation
from textsieve.text.stop_words import stop_words_of
from textsieve.training import counted_documents as training_documents

SPORT = [
    "Vous êtes over the bar",
    "The strikers scored <b>goals</b> in New York City",
    "A keeper saving penalties & running",
    "He scores goals",
]
MONEY = ["Markets were falling in New York City", "The banks <i>lend</i> money", "A market fell, said Bank of America"]
TEXTS, LABELS = [*SPORT, *MONEY] * 4, (["sport"] * 4 + ["money"] * 3) * 4
OTHERS = [
    "a goal was scored",
    "the falling of banks",
    "He was in New York City",
    "nothing of that",
    "",
    "cat over uous mat",
    "overs ouers",
]


def with_u(text: str) -> str:
    """Replace v by u, as an example of a function that strips accents."""
    return text.replace("v", "u")


ALL_OF_IT: dict[str, Any] = {"tags": "drop", "names": True, "normalise": "lemma", "stop_words": "english"}
CASES: dict[str, dict[str, Any]] = {
    "stems": {"normalise": "stem"},
    "lemmas": {"normalise": "lemma"},
    "German stems": {"normalise": "stem", "language": "german"},
    "stems without stop words": {"normalise": "stem", "stop_words": ["scored", "falling", "the", "of"]},
    "German stop words": {"normalise": "stem", "stop_words": "german", "ngram_range": (1, 2)},
    "tags": {"tags": "drop"},
    "names": {"names": True},
    "names with stop words": {"names": True, "stop_words": ["new", "of", "york", "city", "new york city"]},
    "all of it": ALL_OF_IT,
    "stems of pairs": {"normalise": "stem", "ngram_range": (1, 2), "stop_words": "english"},
    "accents": {"normalise": "stem", "strip_accents": "unicode", "language": "fr", "stop_words": "fr"},
    "all of it, without accents": {
        **ALL_OF_IT,
        "stop_words": "german",
        "strip_accents": "ascii",
        "lowercase": False,
        "language": "de",
    },
}
FUNCTIONS: dict[str, dict[str, Any]] = {  # a file cannot store functions
    "a function": {"normalise": "stem", "stop_words": "english", "strip_accents": with_u},
    "a function and pairs": {"stop_words": "english", "strip_accents": with_u, "ngram_range": (1, 2)},
    "a function and another language": {"normalise": "stem", "stop_words": "fr", "strip_accents": with_u},
}
every_case = pytest.mark.parametrize("case", CASES)


def header_in(data: bytes) -> dict[str, Any]:
    outer = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    return parse(outer["__metadata__"]["textsieve"])


def trained(case: str) -> Categorizer:
    return plain_categorizer(n_terms="all", n_jobs=1, **(CASES | FUNCTIONS)[case]).fit(TEXTS, LABELS)


@every_case
@pytest.mark.filterwarnings("ignore:.*none of the selected terms")
def test_a_loaded_model_predicts_as_it_was_trained(case: str, tmp_path: Path) -> None:
    model = trained(case)
    model.save(tmp_path / "model.sieve")
    loaded = textsieve.load(tmp_path / "model.sieve")
    assert same(loaded.model_, replace(model.model_, stop_words=stop_words_of(model.model_.stop_words)))
    for name, value in CASES[case].items():
        assert getattr(loaded, name) == ("a list" if isinstance(value, list) else value)
    scores = model.predict_scores([*TEXTS, *OTHERS]).scores
    for way_through in PATHS:
        with path(way_through):
            assert np.array_equal(loaded.predict_scores([*TEXTS, *OTHERS]).scores, scores)
    loaded.save(tmp_path / "again.sieve")
    assert (tmp_path / "again.sieve").read_bytes() == (tmp_path / "model.sieve").read_bytes()


@pytest.mark.parametrize("case", CASES | FUNCTIONS)
def test_predicting_counts_as_training_did(case: str) -> None:
    model = trained(case).model_
    counter = textsieve.TermCounter(**(CASES | FUNCTIONS)[case], vocabulary=model.terms)
    for way_through in PATHS:
        with path(way_through):
            counts = model.counts([*TEXTS, *OTHERS])
            assert np.array_equal(counts.matrix().toarray(), counter.transform([*TEXTS, *OTHERS]).toarray())
    assert counts.data.sum() > 0


@every_case
def test_explanations_have_prepared_terms(case: str) -> None:
    model = trained(case)
    explained_terms = {
        contribution.term for contribution in model.explain("The strikers scored goals").classes[0].contributions
    }
    assert explained_terms
    assert explained_terms <= set(model.terms_)


@every_case
def test_a_stream_gives_the_same_model(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    in_memory = trained(case)
    monkeypatch.setattr(training_documents, "MAX_VALUES", 40)
    settings: dict[str, Any] = {"n_terms": "all", "n_jobs": 1, **CASES[case]}
    streamed = plain_categorizer(**settings).fit(Corpus.from_texts(TEXTS, LABELS, name="corpus"))
    assert streamed.model_.about["n_tuned_on"] is not None
    assert streamed.terms_ == in_memory.terms_
    assert np.allclose(streamed.decision_function(TEXTS), in_memory.decision_function(TEXTS), atol=1e-6)


@every_case
def test_the_header_says_how_texts_are_prepared(case: str) -> None:
    header = header_in(encode(trained(case).model_))
    expected = {name: value for name, value in CASES[case].items() if name in Preparation.__dataclass_fields__}
    if "normalise" in expected:
        expected["language"] = code_of(expected.get("language", CASES[case].get("stop_words"))) or "en"
    assert header["reading"]["preparation"] == expected


def test_a_model_that_prepares_nothing_has_an_empty_preparation() -> None:
    assert header_in(encode(small_model()))["reading"]["preparation"] == {}
    unused = plain_categorizer(n_terms="all", n_jobs=1, language="german").fit(TEXTS, LABELS)
    assert header_in(encode(unused.model_))["reading"]["preparation"] == {}


@pytest.mark.parametrize(
    "odd",
    [
        {"normalise": "os.system"},
        {"normalise": ["stem"]},
        {"normalise": True},
        {"normalise": "stem", "language": "german"},
        {"normalise": "stem", "language": "xx"},
        {"normalise": "stem", "language": ["en"]},
        {"tags": "drop", "language": "de"},
        *({"tags": odd} for odd in ("", None, True, "drop ", ["drop"])),
        *({"names": odd} for odd in (1, None, "yes")),
    ],
    ids=str,
)
def test_invalid_preparations_are_not_written_or_read(odd: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    model = small_model(preparation=Preparation(**odd))
    with pytest.raises(InputError, match="its preparation has"):
        encode(model)
    monkeypatch.setattr("textsieve.modelfile.writing.check_model", lambda *_: None)
    data = encode(model)
    with pytest.raises(InputError, match="its preparation has"):
        decode(data)


@pytest.mark.parametrize(
    "odd",
    [
        *(None, [], "stem", {"more": 1}),
        *({"tags": "keep"}, {"names": False}, {"normalise": None}, {"language": "en"}),
        *({"normalise": "lemma"}, {"normalise": "stem", "language": "en", "names": False}),
    ],
    ids=str,
)
def test_unknown_or_default_values_of_a_preparation_raise(odd: Any) -> None:
    with pytest.raises(InputError, match="its preparation is"):
        decode(with_preparation(odd))


def with_preparation(preparation: Any) -> bytes:
    """Return the file of a model with this preparation."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Preparation, "to_dict", lambda _: preparation)
        return encode(small_model(preparation=Preparation(normalise="stem")))


def test_a_language_without_normalisation_raises() -> None:
    with pytest.raises(InputError, match="its preparation has language='de', and nothing is normalised"):
        decode(with_preparation({"language": "de"}))


def test_models_with_stemming_need_stop_words(monkeypatch: pytest.MonkeyPatch) -> None:
    model = small_model(preparation=Preparation(normalise="stem"), ngram_range=(1, 1))
    assert decode(encode(model)).stop_words == model.stop_words
    monkeypatch.setattr(Model, "needs_stop_words", False)
    with pytest.raises(InputError, match="it normalises words, and has no list of stop words"):
        decode(encode(model))


def test_an_invalid_ngram_range_raises_before_names_are_checked() -> None:
    with pytest.raises(InputError, match="ngram_range is 'ab', not two numbers"):
        encode(small_model(preparation=Preparation(names=True), ngram_range="ab"))


def test_names_with_n_grams_raise() -> None:
    with pytest.raises(InputError, match=r"it joins names, and its ngram_range is \(1, 2\)"):
        encode(small_model(preparation=Preparation(names=True)))


def test_the_file_has_no_words_but_the_selected_stems(tmp_path: Path) -> None:
    texts = ["qqkickings vvlosing", "qqkicked vvlosings", "xxbanking zzmarketings", "xxbanks zzmarketed"] * 3
    model = plain_categorizer(normalise="stem", n_terms=2, n_jobs=1).fit(texts, ["a", "a", "b", "b"] * 3)
    model.save(tmp_path / "model.sieve")
    data = (tmp_path / "model.sieve").read_bytes()
    words = {word for text in texts for word in text.split()} - set(model.terms_)
    assert [word for word in words if word.encode() in data] == []
    others = {"qqkick", "vvlose", "xxbank", "zzmarket"} - set(model.terms_)
    assert others
    assert [word for word in others if word.encode() in data] == []


@pytest.mark.parametrize("missing", ["simplemma", "stopwordsiso"])
def test_predicting_by_stems_needs_no_dictionaries(
    missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained("German stop words").save(tmp_path / "model.sieve")
    without(missing, monkeypatch)
    assert textsieve.load(tmp_path / "model.sieve").predict(["goals"]) == ["sport"]


@pytest.mark.parametrize(("case", "missing"), [("stems", "pystemmer"), ("lemmas", "simplemma")])
def test_without_its_package_a_model_loads_and_predicting_raises(
    case: str, missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained(case).save(tmp_path / "model.sieve")
    without(missing, monkeypatch)
    model = textsieve.load(tmp_path / "model.sieve")
    hint = rf"^This model was trained with {case}, so predicting with it needs {missing}; pip install 'textsieve\[words"
    with pytest.raises(InputError, match=hint):
        model.predict(["goals"])
    with pytest.raises(InputError, match=hint):
        model.explain("goals")
    plain = plain_categorizer(n_jobs=1).fit(TEXTS, LABELS)
    assert plain.predict(["goals"]) == ["sport"]


PREDICT = """
import sys
from textsieve import load
for path in sys.argv[1:]:
    model = load(path)
    assert model.predict(["The goals of New York City"]).tolist() == ["sport"]
    assert model.explain("goals").classes[0].contributions
    print(" ".join(sorted({name.partition(".")[0] for name in sys.modules})))
"""


@pytest.mark.slow
def test_predicting_a_document_imports_no_heavy_packages(tmp_path: Path) -> None:
    """One process predicts with all models, last with those that need stems."""
    cases = sorted(CASES, key=needs_stems)
    paths = [tmp_path / f"{number}.sieve" for number in range(len(cases))]
    for case, file in zip(cases, paths, strict=True):
        trained(case).save(file)
    command = [sys.executable, "-W", "error", "-c", PREDICT, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    for case, line in zip(cases, done.stdout.splitlines(), strict=True):
        loaded = set(line.split())
        assert not loaded & HEAVY, case
        assert ("Stemmer" in loaded) == needs_stems(case), case
        assert "stopwordsiso" not in loaded, case


def needs_stems(case: str) -> bool:
    return CASES[case].get("normalise") == "stem"
