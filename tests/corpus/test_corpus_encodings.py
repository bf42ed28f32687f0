"""Files that are not UTF-8 are read in the encoding that their content suggests, in every pass, with a warning."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import pytest

from textsieve.corpus import read
from textsieve.corpus.encodings import guess_encoding
from textsieve.corpus.pipes import read_pipe
from textsieve.corpus.streams import CHUNK
from textsieve.errors import InputWarning

GERMAN = "Die Straßenbahn fährt heute wegen Bauarbeiten nur bis zum Münchner Platz; größere Verspätungen sind möglich."
RUSSIAN = "Вчера мы пошли в магазин, чтобы купить свежий хлеб и молоко. Погода была очень хорошая."
TEXTS = {
    "windows-1252": GERMAN,
    "windows-1250": "Zażółć gęślą jaźń; wczoraj poszliśmy do sklepu, żeby kupić świeży chleb i masło.",
    "iso-8859-2": "Příliš žluťoučký kůň úpěl ďábelské ódy. Včera jsme šli do obchodu koupit čerstvý chléb.",
    "windows-1251": RUSSIAN,
    "koi8-r": RUSSIAN,
    "windows-1253": "Χθες πήγαμε στο μαγαζί για να αγοράσουμε φρέσκο ψωμί και γάλα. Ο καιρός ήταν πολύ καλός.",
    "windows-1254": "Dün taze ekmek ve süt almak için mağazaya gittik. Hava çok güzeldi. Şimdi ışığı kapatıyorum.",
    "cp932": "昨日、私たちは新鮮なパンと牛乳を買いに店に行きました。天気はとても良かったです。",
    "gb18030": "昨天我们去商店买新鲜的面包和牛奶。天气非常好。请在网站上查看订单状态。",
    "big5": "昨天我們去商店買新鮮的麵包和牛奶。天氣非常好。請在網站上查看訂單狀態。",
    "cp949": "어제 우리는 신선한 빵과 우유를 사러 가게에 갔다. 날씨가 매우 좋았다. 주문 상태를 확인하세요.",
}


def csv(text: str, encoding: str, n_ascii_rows: int = 3) -> bytes:
    rows = ["id,text,label", *(f"{n},plain words,a" for n in range(n_ascii_rows)), f'9,"{text}",b']
    return "".join(f"{row}\n" for row in rows).encode(encoding)


@pytest.mark.every_case
@pytest.mark.parametrize("encoding", TEXTS)
def test_the_encoding_is_guessed_from_the_content(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "news.csv"
    path.write_bytes(csv(TEXTS[encoding], encoding))
    corpus = read(path)
    for _ in range(2):
        with pytest.warns(InputWarning) as warned:
            assert list(corpus.texts())[-1] == TEXTS[encoding]
        assert [str(warning.message) for warning in warned] == [
            f"{path} is not UTF-8; read as {encoding}; encoding names another encoding."
        ]
    assert corpus.report is not None
    assert corpus.report.replaced_bytes == 0


def test_a_given_encoding_is_used_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "news.csv"
    path.write_bytes(csv(GERMAN, "cp1252"))
    assert list(read(path, encoding="latin-1").texts())[-1] == GERMAN
    corpus = read(path, encoding="utf-8")
    assert "\ufffd" in list(corpus.texts())[-1]
    assert corpus.report is not None
    assert corpus.report.replaced_bytes == 7


@pytest.mark.parametrize(
    "content",
    [
        "text,label\nviele Grüße aus Köln und ".encode() + b"\xff,b\n",  # UTF-8 with an error
        b"text,label\nsome words\x81 and others,b\n",  # no letter in any likely encoding
        b"text,label\n" + bytes(range(0x80, 0x100)) * 3 + b",b\n",
    ],
)
def test_bytes_without_a_convincing_guess_are_replaced_and_counted(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.csv").write_bytes(content)
    corpus = read(tmp_path / "x.csv")
    (text,) = corpus.texts()
    assert corpus.report is not None
    assert text.count("\ufffd") == corpus.report.replaced_bytes > 0
    assert not corpus.report.guessed_encodings


@pytest.mark.parametrize("before", [-2, -1, 0, 1])
def test_a_late_first_invalid_byte_changes_nothing_before_it(tmp_path: Path, before: int) -> None:
    """The first byte that is not ASCII is at the end of a chunk, or at the beginning of the next."""
    start = b"text,label\n" + b"plain words,a\n" * 30_000
    padding = b"x" * ((CHUNK + before - len(start) - 1) % CHUNK)
    content = (
        start
        + padding
        + " ärger über größe,b\n".encode("cp1252")
        + csv(GERMAN, "cp1252", 0)[14:].replace(b"9,", b"", 1)
    )
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(content))
    corpus = read(tmp_path / "x.csv.gz", max_unpacked=10**9)
    with pytest.warns(InputWarning, match="read as windows-1252"):
        texts = list(corpus.texts())
    assert texts[-2:] == [padding.decode() + " ärger über größe", GERMAN]
    with pytest.warns(InputWarning, match="read as windows-1252"):
        assert list(corpus.texts()) == texts


def test_column_names_are_decoded_too(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(f"nr,überschrift,größe\n1,{GERMAN},klein\n".encode("cp1252"))
    corpus = read(tmp_path / "x.csv", text="überschrift", label="größe")
    with pytest.warns(InputWarning, match="windows-1252"):
        assert list(corpus) == [(GERMAN, ("klein",))]


def test_other_formats_are_guessed_as_well(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_bytes(GERMAN.encode("cp1252"))
    (tmp_path / "x.ft").write_bytes(f"__label__a {GERMAN}".encode("cp1252"))
    (tmp_path / "x.json").write_bytes(json.dumps([{"text": GERMAN}], ensure_ascii=False).encode("cp1252"))
    for name in ("x.txt", "x.ft", "x.json"):
        with pytest.warns(InputWarning, match="windows-1252"):
            assert list(read(tmp_path / name).texts()) == [GERMAN]


def test_files_of_a_folder_are_guessed_one_by_one(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    for name, text, encoding in (("1", GERMAN, "cp1252"), ("2", RUSSIAN, "cp1251"), ("3", GERMAN, "utf-8")):
        (tmp_path / "a" / name).write_bytes(text.encode(encoding))
    with pytest.warns(InputWarning) as warned:
        assert list(read(tmp_path).texts()) == [GERMAN, RUSSIAN, GERMAN]
    messages = [str(warning.message) for warning in warned]
    assert messages[0] == f"{tmp_path}: 1 file is not UTF-8; read as windows-1252; encoding names another encoding."
    assert "1 file is not UTF-8; read as windows-1251" in messages[1]


def test_a_pipe_is_guessed_under_its_own_name() -> None:
    with (
        read_pipe(io.BytesIO(csv(GERMAN, "cp1252")), "standard input") as corpus,
        pytest.warns(InputWarning, match="^standard input is not UTF-8; read as windows-1252"),
    ):
        assert list(corpus.texts())[-1] == GERMAN


def test_json_lines_are_not_guessed_while_they_arrive() -> None:
    """The guess would depend on how many bytes arrive at once."""
    line = json.dumps({"text": GERMAN}, ensure_ascii=False).encode("cp1252")
    with read_pipe(io.BytesIO(line), "standard input", stream=True, texts_only=True) as corpus:
        (text,) = corpus.texts()
    assert text.count("\ufffd") == 7


def test_a_guess_takes_the_text_around_other_bytes() -> None:
    assert guess_encoding(b"plain words " * 20_000 + GERMAN.encode("cp1252")) == "windows-1252"
    assert guess_encoding(b"plain words\n" * 20_000 + GERMAN.encode("cp1252")) == "windows-1252"
