"""Loaders of corpora in Debian's lists and packages: descriptions, applications, sayings, help pages, definitions.

`apt-get update` stores three kinds of lists in a folder: `Packages` with the fields of each package, `Translation-*`
with the descriptions in a language, and `Components-*.yml` (AppStream) with the desktop applications. Loaders of lists
get that folder, and loaders of packages get the path of a .deb file. Both return texts and labels.
"""

from __future__ import annotations

import gzip
import html
import re
from collections.abc import Iterator
from pathlib import Path

from textsieve.errors import InputError

from .archives import decompress, read_member, read_members
from .cleaning import Multilabel, SingleLabel, clean, clean_multilabel

RELEASE = "bookworm"
"""The release whose lists are read. Another release has other packages, so its corpora have other sizes."""

LANGUAGES = ("en", "de", "fr", "it", "es", "ja", "ko", "ru", "uk", "pl", "pt_BR", "da", "sk", "zh_CN")
"""The languages with enough translated descriptions, as Debian writes them."""

PACKAGES_LIST = "_main_binary-*_Packages"
APPLICATIONS_LIST = "_main_dep11_Components-*.yml"


# -- lists -------------------------------------------------------------------------------------------------------------


def list_path(lists: Path, pattern: str) -> Path | None:
    """Return the path of a list of the release, plain or compressed with gzip, or None if it is not in the folder."""
    paths = [path for suffix in ("", ".gz") for path in sorted(lists.glob(f"*_dists_{RELEASE}{pattern}{suffix}"))]
    return paths[0] if paths else None


def _required_list(lists: Path, pattern: str) -> Path:
    path = list_path(lists, pattern)
    if path is None:
        problem = f"no list of Debian {RELEASE} matches '*{pattern}'"
        hint = f"Delete the folder to update the lists; apt-get must have {RELEASE} among its sources"
        raise InputError(problem, place=str(lists), hint=hint)
    return path


def read_stanzas(path: Path) -> Iterator[dict[str, str]]:
    """Yield the fields of each stanza of a control file; lines that continue a field have their line ends."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        fields: dict[str, str] = {}
        name = ""
        for line in lines:
            if line == "\n":
                if fields:
                    yield fields
                fields = {}
            elif line[0] in " \t":
                fields[name] += line
            else:
                name, _, value = line.partition(":")
                fields[name] = value.lstrip(" ")
        if fields:
            yield fields


_ROLES = {"debug", "libdevel", "libs", "oldlibs", "metapackages", "introspection", "localization", "tasks", "doc"}
"""Sections that say what role a package has, but not what it is about."""


def _described_packages(lists: Path, language: str) -> Iterator[tuple[dict[str, str], str]]:
    """Yield the fields and the description of one package of each source package.

    It is the package with the name of the source package, or else the first one. So a corpus has no near-duplicates
    such as the plugins of one program. Packages whose section is a role are left out.
    """
    translations = _required_list(lists, f"_main_i18n_Translation-{language.replace('_', '%5f')}")
    field = f"Description-{language}"
    descriptions = {
        (fields["Package"].strip(), fields["Description-md5"].strip()): fields[field]
        for fields in read_stanzas(translations)
        if field in fields
    }
    by_source: dict[str, tuple[dict[str, str], str]] = {}
    for fields in read_stanzas(_required_list(lists, PACKAGES_LIST)):
        name = fields["Package"].strip()
        description = descriptions.get((name, fields.get("Description-md5", "").strip()))
        if description is None or fields.get("Section", "").strip() in _ROLES:
            continue
        source = fields.get("Source", name).split()[0]
        if source not in by_source or (name == source and by_source[source][0]["Package"].strip() != source):
            by_source[source] = (fields, re.sub(r"(?m)^ \.$", " ", description))  # " ." is an empty line
    yield from by_source.values()


def load_descriptions(lists: Path, *, language: str) -> SingleLabel:
    """Return the descriptions of packages in a language by section."""
    packages = _described_packages(lists, language)
    return clean((description, fields.get("Section", "").strip()) for fields, description in packages)


def load_titles(lists: Path, *, language: str) -> SingleLabel:
    """Return the first lines of the descriptions of packages in a language by section."""
    packages = _described_packages(lists, language)
    return clean((text.partition("\n")[0], fields.get("Section", "").strip()) for fields, text in packages)


_TOPIC_FACETS = ("field", "game", "mail", "protocol", "science", "security", "sound", "use", "web", "works-with")
"""The facets of debtags that say what a package is about."""


def load_tags(lists: Path, *, language: str) -> Multilabel:
    """Return the descriptions of packages in a language with their debtags about topics."""
    return clean_multilabel(
        (description, _topic_tags(fields.get("Tag", "")))
        for fields, description in _described_packages(lists, language)
    )


def _topic_tags(field: str) -> list[str]:
    """Return the tags of a field "Tag" that say what a package is about."""
    tags = [tag.strip() for tag in field.split(",")]
    return [tag for tag in tags if tag.partition("::")[0] in _TOPIC_FACETS and not tag.endswith("TODO")]


_MAIN_CATEGORIES = (
    *("AudioVideo", "Development", "Education", "Game", "Graphics", "Network", "Office", "Science", "Settings"),
    *("System", "Utility"),
)


def load_applications(lists: Path, *, language: str) -> SingleLabel:
    """Return names and summaries of desktop applications in a language by main category.

    "C" stands for English. Applications with two main categories are left out.
    """
    path = _required_list(lists, APPLICATIONS_LIST)
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = decompress(content, ".gz", path)
    pairs = []
    for component in content.decode("utf-8").split("\n---\n"):
        blocks = dict(re.findall(r"(?m)^(Name|Summary|Categories):\n((?:[ -].*\n?)+)", component))
        categories = re.findall(r"(?m)^- (\w+)", blocks.get("Categories", ""))
        main_categories = [category for category in categories if category in _MAIN_CATEGORIES]
        summary = _translation(blocks.get("Summary", ""), language)
        if len(main_categories) == 1 and summary:
            pairs.append((f"{_translation(blocks.get('Name', ''), language)}. {summary}", main_categories[0]))
    return clean(pairs)


def _translation(block: str, language: str) -> str:
    """Return the value of a language in a YAML mapping of languages to plain, quoted or folded strings."""
    match = re.search(rf"(?m)^  {re.escape(language)}: ?(.*(?:\n    .*)*)", block)
    if not match:
        return ""
    value = re.sub(r"^[>|][-+]? ", "", " ".join(match[1].split()))
    if value[:1] == value[-1:] and value[:1] in ("'", '"'):
        return value[1:-1].replace("''", "'")
    return value


# -- packages ----------------------------------------------------------------------------------------------------------

_MIXED_FILES = {
    *("anekdoten", "asciiart", "infodrom", "sprueche", "unfug", "witze", "zitate", "translations", "lieberals"),
    *("varios", "famosos", "cookie", "miscellaneous", "fortunes", "definitions", "ascii-art", "literature", "riddles"),
    *("italia", "people", "wisdom", "platitudes", "humorists", "linuxcookie", "off", "tips"),
}
"""Files of sayings without a topic of their own."""


def load_fortunes(archive: Path, *, subfolder: str = "") -> SingleLabel:
    """Return sayings, jokes and quotations of a fortunes package by file, that is by topic or source."""
    pairs: list[tuple[str, str]] = []
    for name, content in read_members(archive, rf"/games/fortunes/{subfolder}[^/.]+(\.fortunes)?$"):
        topic = name.rpartition("/")[2].removesuffix(".fortunes")
        if topic not in _MIXED_FILES:
            sayings = re.split(r"(?m)^%+\s*$", content.decode("utf-8", "replace"))
            pairs.extend((saying, topic) for saying in sayings)
    return clean(pairs)


_LEAST_FOREIGN = {"ru": 0.4, "ko": 0.3, "zh-cn": 0.3, "vi": 0.1, "tr": 0.03}
"""The least share of letters beyond ASCII in a translated page, by language."""


def load_office_help(archive: Path, *, language: str) -> SingleLabel:
    """Return titles and first paragraphs of the help of LibreOffice by application: scalc, swriter, sbasic, ...

    Two kinds of pages are left out: pages shared by all applications, and pages with so few letters beyond ASCII that
    they are not translated.
    """
    least = _LEAST_FOREIGN.get(language, 0)
    pairs = []
    for name, content in read_members(archive, r"/help/[^/]+/text/[^/]+/.*\.html$"):
        page = content.decode("utf-8")
        application = name.split("/text/")[1].partition("/")[0]
        title = re.search(r"<title>(.*?)</title>", page, re.DOTALL)
        paragraphs = re.findall(r'<p [^>]*class="paragraph"[^>]*>(.*?)</p>', page, re.DOTALL)[:2]
        text = " ".join(re.sub(r"<[^>]+>", "", piece) for piece in [title[1] if title else "", *paragraphs])
        text = html.unescape(text)
        letters = [character for character in text if character.isalpha()]
        n_foreign = sum(not letter.isascii() for letter in letters)
        if application != "shared" and n_foreign >= least * len(letters):
            pairs.append((text, application))
    return clean(pairs)


_NOUN_FILES = (
    *("tops", "act", "animal", "artifact", "attribute", "body", "cognition", "communication", "event", "feeling"),
    *("food", "group", "location", "motive", "object", "person", "phenomenon", "plant", "possession", "process"),
    *("quantity", "relation", "shape", "state", "substance", "time"),
)
_FIRST_NOUN_FILE = 3
"""The number of the first file of nouns; WordNet numbers its files from 0."""


def load_wordnet(archive: Path) -> SingleLabel:
    """Return English definitions of nouns by the lexicographers' file: animal, food, act, ..."""
    label_by_number = dict(enumerate(_NOUN_FILES, start=_FIRST_NOUN_FILE))
    pairs = []
    for line in read_member(archive, "/wordnet/data.noun").decode("utf-8", "replace").splitlines():
        if line[:1].isdigit():  # the licence at the beginning is indented
            data, _, gloss = line.partition(" | ")
            definition = gloss.partition('; "')[0]  # without the examples
            pairs.append((definition, label_by_number.get(int(data.split()[1]), "")))
    return clean(pairs)
