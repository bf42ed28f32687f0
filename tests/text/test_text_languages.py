"""Languages by name and by code, and what there is for them."""

import pytest
from tests.test_extras import without

from textsieve import InputError, TermCounter
from textsieve.text import languages, normalising
from textsieve.text.languages import LEMMAS, NAMES, STEMS, STOP_WORDS, code_of


def test_a_language_has_a_name_and_a_code() -> None:
    assert len(set(NAMES.values())) == len(NAMES)
    for given in ("de", "german", "German", " DE "):
        assert code_of(given) == "de"
    assert code_of("nb") == code_of("norwegian") == code_of("no") == "no"
    for other in ("porter", "", "xx", None, 5, ["de"]):
        assert code_of(other) is None


def test_every_language_of_the_packages_is_known_by_name() -> None:
    for service in (STEMS, LEMMAS, STOP_WORDS):
        assert {"en", "de", "es", "no"} <= service.codes() <= set(NAMES)


@pytest.mark.parametrize("code", sorted(STEMS.codes()))
def test_every_stemmer_loads(code: str) -> None:
    (stem,) = languages.stemmer(code)(["abc"])
    assert stem


@pytest.mark.parametrize("code", ["no", "hr", "cy"])
def test_lemmas_of_languages_that_have_another_code_there(code: str) -> None:
    assert languages.lemmatizer(code)(["abc"]) == ["abc"]


@pytest.mark.parametrize("missing", ["pystemmer", "simplemma", "stopwordsiso"])
def test_a_missing_package_is_told(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    without(missing, monkeypatch)
    normalising.normaliser.cache_clear()
    with pytest.raises(InputError, match=rf"normalise='stem' needs {missing}; pip install 'textsieve\[words\]'"):
        TermCounter(normalise="stem").fit(["some text"])
    TermCounter().fit(["some text"])
