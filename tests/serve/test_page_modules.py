"""The JavaScript modules of the page against simple implementations in Python."""

from __future__ import annotations

import csv
import io
import json
import random
from itertools import pairwise
from typing import Any

import pytest

from tests.browser import Browser
from tests.serve.conftest import Page, PageService
from textsieve.prediction import Label, as_written
from textsieve.text.analysis import display_term

CELLS = [
    "",
    "a",
    "b c",
    'say "yes"',
    "one,two",
    "one;two",
    "line\nbreak",
    "old\r\nbreak",
    " spaces ",
    '"',
    "ä🎸",
    "tab\there",
    "'",
    "=1",
]


@pytest.fixture
def modules(page: Page, browser: Browser, single_label: PageService) -> Browser:
    if not browser.run("return location.href").startswith(single_label.url):  # these tests do not change the page
        page.open(single_label)
    return browser


def called(browser: Browser, module: str, expression: str, *values: Any) -> Any:
    return browser.run(f"return import('/{module}.js').then((module) => ({expression})(...arguments))", *values)


def tables(n: int) -> list[list[list[str]]]:
    draw = random.Random(3)
    widths = [draw.randint(1, 4) for _ in range(n)]
    return [[draw.choices(CELLS, k=width) for _ in range(draw.randint(1, 5))] for width in widths]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_csv_is_parsed_as_python_does(modules: Browser, separator: str, end: str) -> None:
    texts, expected = [], []
    for rows in tables(60):
        out = io.StringIO()
        write = csv.writer(out, delimiter=separator, lineterminator=end).writerows
        if end == "\r":  # then it quotes no line feeds unless it quotes all
            write = csv.writer(out, delimiter=separator, lineterminator=end, quoting=csv.QUOTE_ALL).writerows
        write(rows)
        texts.append(out.getvalue())
        expected.append(rows)
    script = "(texts, separator) => texts.map((text) => module.parseCsv(text, separator).rows)"
    assert called(modules, "csv", script, texts, separator) == expected


@pytest.mark.parametrize("separator", [",", ";"])
def test_written_csv_is_read_back_by_python(modules: Browser, separator: str) -> None:
    expected = tables(100)
    script = "(all, separator) => all.map((rows) => module.csvText(rows, separator))"
    for text, rows in zip(called(modules, "csv", script, expected, separator), expected, strict=True):
        assert text[0] == "\ufeff"
        assert list(csv.reader(io.StringIO(text[1:], newline=""), delimiter=separator)) == rows


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("\ufeffa,b\n1,2", [["a", "b"], ["1", "2"]]),
        ("a,b\n\n1,2\n\n", [["a", "b"], ["1", "2"]]),
        ("a,", [["a", ""]]),
        (",\n", [["", ""]]),
        ('5" disk,"x"y\n', [['5" disk', "xy"]]),
        ('"a""b",\'c\'', [['a"b', "'c'"]]),
        ('"never closed,\nx', [["never closed,\nx"]]),
        ('text\n"first"\n""\n\n"third"\n""', [["text"], ["first"], [""], ["third"], [""]]),
        ("", []),
    ],
    ids=[
        "mark",
        "empty lines",
        "last empty",
        "all empty",
        "stray quotes",
        "apostrophes",
        "unclosed",
        "one column",
        "nothing",
    ],
)
def test_unusual_csv_is_parsed(modules: Browser, text: str, rows: list[list[str]]) -> None:
    assert called(modules, "csv", "(text) => module.parseCsv(text).rows", text) == rows


def test_formulas_get_an_apostrophe(modules: Browser) -> None:
    formulas = [
        "=1+1",
        "+a",
        "-x",
        "@me",
        "\tx",
        "\rx",
        "\n=1+1",
        " =1+1",
        "\u00a0=1",
        "\u200b@x",
        "＝1",
        "＋a",
        "－x",
        " ＠x",
    ]
    others = ["-4", "+1.5e3", " -4 ", "a=b", "", " a", "\n", 7, -7, None]
    values = called(modules, "csv", "(all) => all.map(module.harmless)", [*formulas, *others])
    assert values == [*(f"'{formula}" for formula in formulas), *others]


def test_added_columns_contain_no_formulas(modules: Browser) -> None:
    script = "(results, model) => module.tableWith({columns: ['=a'], rows: results.map(() => ['x'])}, results, model)"
    results = [{"prediction": {"label": '=HYPERLINK("x")', "score": -1.5}}, {"fault": "@bad"}]
    single_label_model = {"multilabel": False, "probabilities": False, "classes": [{"label": '=HYPERLINK("x")'}]}
    assert called(modules, "predictions", script, results, single_label_model) == [
        ["'=a", "label", "score", "unknown", "error"],
        ["x", '\'=HYPERLINK("x")', -1.5, "", ""],
        ["x", "", "", "", "'@bad"],
    ]
    unsure = [{"prediction": {"label": None, "best_guess": "-a", "score": 1, "probability": 0.4}}]
    model_with_minimum = {**single_label_model, "probabilities": True, "min_probability": 0.5}
    assert called(modules, "predictions", script, unsure, model_with_minimum) == [
        ["'=a", "label", "best_guess", "score", "probability", "unknown", "error"],
        ["x", "", "'-a", 1, 0.4, "", ""],
    ]
    assert called(modules, "predictions", "(all) => module.countsOf(all)", unsure) == [["(not sure)", 1]]
    results = [{"prediction": {"labels": labels, "scores": {}}} for labels in (["-a", "b"], [-2, -1], [])]
    multilabel_model = {"multilabel": True, "probabilities": False, "classes": [{"label": "-a"}]}
    assert [row[1] for row in called(modules, "predictions", script, results, multilabel_model)[1:]] == [
        "'-a|b",
        "-2|-1",
        "",
    ]


def test_scores_of_numeric_labels_are_found(modules: Browser) -> None:
    labels: list[Label] = [1e-05, 1e22, 0.5, 1e-7, 3.0, -2.5, True, "x", "toString"]
    scores = {as_written(label): place + 0.5 for place, label in enumerate(labels)}
    values = called(
        modules,
        "predictions",
        "(scores, labels) => labels.map((label) => module.figureOf(scores, label))",
        scores,
        labels,
    )
    assert values == [place + 0.5 for place in range(len(labels))]
    absent = "(scores) => [0, 7, 'toString', ''].map((label) => module.figureOf(scores, label) ?? 'none')"
    assert called(modules, "predictions", absent, {"": 1, "x": 2}) == ["none", "none", "none", 1]


@pytest.mark.parametrize(
    ("name", "text", "columns", "rows", "column"),
    [
        ("a.csv", "id,Text\n1,x\n", ["id", "Text"], [["1", "x"]], 1),
        ("a.csv", "moon,rocket 12345\nx,y\n", ["column 1", "column 2"], [["moon", "rocket 12345"], ["x", "y"]], 1),
        ("a.csv", "a;b;text\n1;2\n", ["a", "b", "text"], [["1", "2", None]], 2),
        ("a.tsv", "label\tbody\nx\ty,z\n", ["label", "body"], [["x", "y,z"]], 1),
        (
            "a.jsonl",
            '{"text": "x", "n": 1}\n\n{"m": [1], "text": "y"}',
            ["text", "n", "m"],
            [["x", "1", None], ["y", None, "[1]"]],
            0,
        ),
        ("a.json", '["x", "y"]', ["text"], [["x"], ["y"]], 0),
        ("a.json", '{"text": "x"}\n{"text": "y"}', ["text"], [["x"], ["y"]], 0),
        ("a.json", '{"text": "x"}', ["text"], [["x"]], 0),
        ("a.txt", "x\r\n\r\ny", ["text"], [["x"], ["y"]], 0),
        ("a.txt", "[x] y", ["text"], [["[x] y"]], 0),
        ("a", '{"text": "x"}', ["text"], [["x"]], 0),
    ],
)
def test_documents_and_text_columns_are_detected(
    modules: Browser, name: str, text: str, columns: list[str], rows: list[list[Any]], column: int
) -> None:
    result = "[it.columns, it.rows, module.textColumnOf(it)]"
    script = f"(name, text) => {{ const it = module.documentsOf(name, text); return {result}; }}"
    assert called(modules, "documents", script, name, text) == [columns, rows, column]


def test_json_values_keep_their_spelling(modules: Browser) -> None:
    values = [
        "12345678901234567890",
        "1.0",
        "-0",
        "1E+400",
        "true",
        r'[1.0, {"a": "]\\\""}]',
        '{"2": 0, "1": 1e2 }',
        "[]",
    ]
    names = [r"\"\\", "2", "__proto__", "1", "é", "constructor", "", r"a\n"]
    pairs = [*zip(names, values, strict=True), ("b", r'"x\u0041"'), ("c", "null")]
    line = "{ " + " , ".join(f'"{name}" :\t{value}' for name, value in pairs) + "}"
    columns, row = [*json.loads(line)], [*values, "xA", None]
    script = "(name, text) => { const it = module.documentsOf(name, text); return [it.columns, it.rows]; }"
    for name, text, n in (
        ("a.jsonl", f"{line}\n\n {line}\n", 2),
        ("a.json", f" [{line},\n{line} ] ", 2),
        ("a.json", f" {line} ", 1),
    ):
        assert called(modules, "documents", script, name, text) == [columns, [row] * n]
    cells = called(modules, "documents", script, "a.json", '[1.0, "a" ,null, [2.50]]')
    assert cells == [["text"], [["1.0"], ["a"], [None], ["[2.50]"]]]
    assert called(modules, "documents", script, "a.json", "[ ]") == [["text"], []]


def test_a_table_may_have_very_many_columns(modules: Browser) -> None:
    script = """(n) => {
      const cells = Array.from({ length: n }, (_, index) => `c${index}`), row = cells.with(n - 2, "the longest of all");
      return module.textColumnOf(module.documentsOf("a.csv", `${cells}\n${row}\n`));
    }"""
    assert called(modules, "documents", script, 200_000) == 199_998
    assert called(modules, "documents", "() => module.textColumnOf({columns: [], rows: []})") == 0


def test_invalid_tokens_are_recognized(modules: Browser) -> None:
    given = ["a-token", "two words", "~!", "", " ", "пароль", "ümlaut", "a\nb", " a", "a "]
    values = called(modules, "api", "(all) => all.map(module.isToken)", given)
    assert values == [True] * 3 + [False] * 7
    script = """(token) => {
      const fetched = window.fetch;
      window.fetch = () => Promise.resolve(new Response("{}", { status: 401 }));
      module.setTokenDialog(async () => token);
      return module.model().catch((reason) => [reason.constructor.name, reason.status])
        .finally(() => { window.fetch = fetched; module.setTokenDialog(async () => null); });
    }"""
    assert called(modules, "api", script, "пароль") == ["ApiError", 401]


PIECES_OF_TEXTS = """(cases) => cases.map(([text, spans, values]) =>
  module.piecesOf(text, spans, values.map((contribution) => ({ contribution })))
    .map((piece) => ({ ...piece, terms: piece.terms() })))"""


def test_a_text_is_split_by_its_spans(modules: Browser) -> None:
    draw = random.Random(5)
    cases: list[tuple[str, list[list[int]], list[float]]] = []
    for _ in range(200):
        text = "".join(draw.choices("ab 🚀é\n𝔘", k=draw.randint(0, 12)))
        ends = [sorted(draw.choices(range(len(text) + 1), k=2)) for _ in range(draw.randint(0, 5))]
        values = [draw.uniform(-1, 1) for _ in range(draw.randint(4, 9))]
        cases.append((text, sorted([*span, draw.randint(0, 3)] for span in ends), values))
    for (text, spans, values), pieces in zip(cases, called(modules, "spans", PIECES_OF_TEXTS, cases), strict=True):
        assert "".join(piece["text"] for piece in pieces) == text
        covered = [{term for start, end, term in spans if start <= offset < end} for offset in range(len(text))]
        assert all(set(piece["terms"]) != set(after["terms"]) for piece, after in pairwise(pieces)), "merged if equal"
        by_character = [piece for piece in pieces for _ in piece["text"]]
        assert [set(piece["terms"]) for piece in by_character] == covered
        counts = [piece["count"] for piece in by_character]
        assert counts == [len(piece["terms"]) for piece in by_character] == list(map(len, covered))
        sums = [sum(values[place] for place in places) for places in covered]
        assert [piece["sum"] for piece in by_character] == pytest.approx(sums, abs=1e-12)
        assert all(piece["sum"] == 0 for piece in by_character if not piece["count"]), (
            "nothing is left of what has ended"
        )


def test_many_overlapping_spans_are_fast(modules: Browser) -> None:
    """A list of the terms of each piece would have 1,800,000,000 entries in total."""
    script = """(n) => {
      const spans = Array.from({ length: n }, (_, index) => [2 * index, 2 * n, index]);
      const pieces = module.piecesOf("a ".repeat(n), spans, spans.map(() => ({ contribution: 1 })));
      const some = [pieces[0], pieces[1], pieces[n - 1]].flatMap(({ count, sum }) => [count, sum]);
      return [pieces.length, ...some, pieces[2].terms()];
    }"""
    assert called(modules, "spans", script, 60_000) == [60_000, 1, 1, 2, 2, 60_000, 60_000, [0, 1, 2]]


@pytest.mark.parametrize("analyzer", ["word", "text", "char", "char_wb", None])
def test_terms_look_as_on_the_command_line(modules: Browser, analyzer: str | None) -> None:
    draw = random.Random(7)
    characters = "aé中7_ ,!▁…❤\n\t\x1f\x85\xa0\u2028\u3000\u0301-"
    terms = ["", *("".join(draw.choices(characters, k=draw.randint(1, 5))) for _ in range(500))]
    script = "(terms, analyzer) => { module.setAnalyzer(analyzer); return terms.map(module.termText); }"
    shown = called(modules, "term-text", script, terms, analyzer)
    called(modules, "term-text", "() => module.setAnalyzer('word')")
    assert shown == [display_term(term, analyzer) for term in terms]


PIECES, SPACES, QUOTES, CODES = "pieces of words", "▁ is a space", "Quotation marks", "A backslash"


@pytest.mark.parametrize(
    ("analyzer", "terms", "notes"),
    [
        ("word", ["moon", "new york", "don't"], []),
        ("word", ["moon", "▁th…"], [PIECES]),
        ("word", ["moon", "!", "a,b"], [QUOTES]),
        ("word", ["moon", "…"], [QUOTES]),
        ("word", ["a\nb"], [CODES]),
        ("word", ["C:\\temp"], [CODES]),
        ("char_wb", [" th", "!"], [PIECES]),
        ("char", ["th", "e"], []),
        ("char", ["th", "e t", "\n!"], [SPACES, QUOTES, CODES]),
        ("word", [], []),
    ],
)
def test_only_the_signs_that_are_shown_are_explained(
    modules: Browser, analyzer: str, terms: list[str], notes: list[str]
) -> None:
    script = (
        "(terms, analyzer) => { module.setAnalyzer(analyzer); return module.signsNote(terms.map(module.termText)) }"
    )
    note = called(modules, "term-text", script, terms, analyzer)
    called(modules, "term-text", "() => module.setAnalyzer('word')")
    assert [part for part in (PIECES, SPACES, QUOTES, CODES) if part in note] == notes


@pytest.mark.parametrize(
    ("host", "is_this_machine"),
    [
        *((host, True) for host in ("localhost", "127.0.0.1", "127.0.1.1", "[::1]")),
        *((host, False) for host in ("news.example.org", "10.0.0.7", "127.0.0.1.example", "team.localhost", "[::2]")),
    ],
)
def test_commands_are_for_readers_on_the_machine_of_the_service(
    modules: Browser, host: str, is_this_machine: bool
) -> None:
    script = "(host) => [module.isThisMachine(host), module.byReader('here', 'elsewhere', host)]"
    assert called(modules, "command-line", script, host) == [
        is_this_machine,
        "here" if is_this_machine else "elsewhere",
    ]


def test_batches_respect_the_limits(modules: Browser) -> None:
    limits = {"body": 400, "documents": 5, "length": 100}
    texts = ["x" * (7 * number % 90) + '"é🎸' * (number % 3) for number in range(60)]
    script = "(texts, limits) => [...module.batchesOf(texts, texts.keys(), limits)]"
    batches = called(modules, "batches", script, texts, limits)
    assert [place for batch in batches for place in batch] == list(range(60))
    for batch in batches:
        body = modules.run("return JSON.stringify({texts: arguments[0]})", [texts[place] for place in batch])
        assert len(batch) <= 5
        assert len(body.encode()) <= 400
    fault = called(
        modules,
        "batches",
        "(limits) => [module.faultOf('é'.repeat(90), {...limits, body: 200}), module.faultOf('x', limits),"
        " module.faultOf('\\x1f \\u3000', limits)]",
        limits,
    )
    assert fault == ["too long: 183 bytes, at most 136", None, "the text is empty"]
