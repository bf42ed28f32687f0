"""`textsieve predict`: a JSON line for each document, in the order of the documents."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.reference.cli_cases import Run, documents, write_csv
from tests.reference.model_archives import unpack

import textsieve
from textsieve.archive import pack
from textsieve.modelfile.header import KIND

TEXTS = ["the striker and the goal", "minister of the budget", "atom theory"]
LABELS = ["sport", "politics", "science"]


def records(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_each_document_has_a_line(model: Path, news: Path, run: Run) -> None:
    predictions = records(run("predict", model, news).stdout)
    expected = textsieve.load(model).predict_scores([text for text, _ in documents()])
    assert (
        [prediction["label"] for prediction in predictions]
        == expected.labels.tolist()
        == [label for _, label in documents()]
    )
    assert [prediction["score"] for prediction in predictions] == expected.scores.max(axis=1).tolist()
    assert all(set(prediction) == {"label", "score", "probability"} for prediction in predictions)


FORMS = {
    "in.jsonl": "".join(json.dumps({"text": text}) + "\n" for text in TEXTS),
    "in.json": json.dumps([{"text": text, "label": 1} for text in TEXTS]),
    "in.txt": "\n".join(TEXTS),
    "in.csv": "text\n" + "\n".join(TEXTS),
    "in.tsv": "".join(f"?\t{text}\n" for text in TEXTS),
    "in.ft": "".join(f"__label__? {text}\n" for text in TEXTS),
}


@pytest.mark.parametrize("name", FORMS)
def test_documents_are_read_from_every_format(name: str, model: Path, tmp_path: Path, run: Run) -> None:
    (tmp_path / name).write_text(FORMS[name])
    for result in (run("predict", model, tmp_path / name), run("predict", model, "-", input=FORMS[name])):
        assert [prediction["label"] for prediction in records(result.stdout)] == LABELS
        unused = {"in.json": "text from 'text'; not used: 'label'", "in.tsv": "text from '1'; not used: '0'"}.get(name)
        assert result.stderr == ("" if unused is None else f"note: Columns: {unused}\n")


def test_documents_are_read_from_a_folder(model: Path, tmp_path: Path, run: Run) -> None:
    for number, text in enumerate(TEXTS):
        (tmp_path / f"{number}.txt").write_text(text)
    assert [prediction["label"] for prediction in records(run("predict", model, tmp_path).stdout)] == LABELS


def test_the_documents_of_a_folder_are_named(model: Path, tmp_path: Path, run: Run) -> None:
    for name, text in zip(("b/2.txt", "b/deep/1.txt", "a.txt"), TEXTS, strict=True):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    labels_by_file = {
        prediction["file"]: prediction["label"] for prediction in records(run("predict", model, tmp_path).stdout)
    }
    assert labels_by_file == dict(zip(("b/2.txt", "b/deep/1.txt", "a.txt"), LABELS, strict=True))
    assert records(run("predict", model, tmp_path, "--keep", "file").stdout)[0]["file"] == "a.txt"
    assert "This format can keep 'file'" in run("predict", model, tmp_path, "--keep", "id", exit_code=1).stderr


def test_columns_are_kept(model: Path, tmp_path: Path, run: Run) -> None:
    rows = [{"id": number, "text": text, "who": {"is": "é\ud800"}} for number, text in enumerate(TEXTS)]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "in.jsonl").write_text(lines)
    arguments = ["--keep", "id", "--keep", "who"]
    run("predict", model, tmp_path / "in.jsonl", *arguments, "-o", tmp_path / "out")
    for printed in (run("predict", model, "-", *arguments, input=lines).stdout, (tmp_path / "out").read_text()):
        predictions = records(printed)
        assert [list(prediction) for prediction in predictions] == [["id", "who", "label", "score", "probability"]] * 3
        assert [(prediction["id"], prediction["who"]) for prediction in predictions] == [
            (row["id"], row["who"]) for row in rows
        ]
        assert [prediction["label"] for prediction in predictions] == LABELS
    assert "Did you mean 'id'" in run("predict", model, tmp_path / "in.jsonl", "--keep", "idd", exit_code=1).stderr


def test_columns_that_cannot_be_kept_raise_an_error(model: Path, news: Path, run: Run) -> None:
    for name in FORMS:
        if name.endswith((".txt", ".ft")):
            result = run("predict", model, "-", "--keep", "id", input=FORMS[name], exit_code=1)
            assert "--keep id: it is for formats with columns" in result.stderr
    result = run("predict", model, news, "--keep", "nothing", exit_code=1)
    assert "no column 'nothing' for --keep. Columns found: 'topic', 'body'" in result.stderr
    for values in (["none,id"], ["none", "--keep", "id"]):
        assert "none stands alone" in run("predict", model, news, "--keep", *values, exit_code=2).stderr


def test_columns_of_the_input_never_hide_predictions(model: Path, run: Run) -> None:
    rows = [{"label": "x", "text": TEXTS[0], "score": 5, "input_score": 6, "unknown": [7]}, {"text": TEXTS[1]}]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    first, second = records(run("predict", model, "-", "--keep", "all", input=lines).stdout)
    assert list(first) == [
        *("input_label", "text", "input_input_score", "input_score", "input_unknown"),
        *("label", "score", "probability"),
    ]
    assert (first["input_label"], first["label"], first["input_input_score"], first["input_score"]) == (
        "x",
        "sport",
        5,
        6,
    )
    assert list(second) == ["text", "label", "score", "probability"], "each object has its own keys"
    (kept, _) = records(run("predict", model, "-", "--keep", "label", input=lines).stdout)
    assert list(kept) == ["input_label", "label", "score", "probability"]


def test_columns_to_keep_are_listed_with_commas(model: Path, tmp_path: Path, run: Run) -> None:
    (tmp_path / "in.csv").write_text('id,"a,b",text,c\n1,2,the striker,3\n')
    for values, names in (
        (["id,c"], ["id", "c"]),
        (["id, c", "--keep", "text"], ["id", "c", "text"]),
        (['"a,b",id'], ["a,b", "id"]),
        (["all"], ["id", "a,b", "text", "c"]),
        (["all", "--keep", "id"], ["id", "a,b", "text", "c"]),
        (["none"], []),
    ):
        (record,) = records(run("predict", model, tmp_path / "in.csv", "--text", "text", "--keep", *values).stdout)
        assert list(record) == [*names, "label", "score", "probability"]


def test_reasons_are_added_to_lines(model: Path, tagger: Path, run: Run) -> None:
    lines = "\n".join([*TEXTS, "xyzzy"])
    predictions = records(run("predict", model, "-", "--reasons", 2, input=lines).stdout)
    first = predictions[0]["reasons"]
    assert {reason["term"] for reason in first} == {"striker", "goal"}
    assert first[0]["contribution"] >= first[1]["contribution"] > 0
    assert predictions[3]["reasons"] == []
    assert "reasons" not in records(run("predict", model, "-", input=lines).stdout)[0]
    (tagged,) = records(run("predict", tagger, "-", "--reasons", 1, input="goal striker budget vote\n").stdout)
    assert list(tagged["reasons"]) == tagged["labels"] == ["politics", "sport"]
    assert tagged["reasons"]["politics"][0]["term"] in ("budget", "vote")


@pytest.fixture
def headlines(tmp_path: Path, run: Run) -> Path:
    """A model of a table whose columns have unusual names."""
    table = "section,headline,score\n" + "".join(f"{label},{text},1\n" for text, label in documents())
    (tmp_path / "x.csv").write_text(table)
    columns = ["--text", "headline", "--label", "section"]
    run("train", tmp_path / "x.csv", *columns, "-o", tmp_path / "h.sieve", "--held-out", 0)
    return tmp_path / "h.sieve"


def test_column_names_of_training_are_defaults(headlines: Path, tmp_path: Path, model: Path, run: Run) -> None:
    table = (tmp_path / "x.csv").read_text()
    expected = run("predict", headlines, tmp_path / "x.csv", "--text", "headline").stdout
    assert run("predict", headlines, tmp_path / "x.csv").stdout == expected
    assert run("predict", headlines, "-", input=table).stdout == expected
    assert "accuracy 1.000" in run("evaluate", headlines, tmp_path / "x.csv").stdout
    assert json.loads(run("info", headlines, "--json").stdout)["columns"] == {"text": "headline", "label": "section"}
    assert "columns" not in json.loads(run("info", model, "--json").stdout)
    assert "cannot tell which column" in run("predict", model, tmp_path / "x.csv", exit_code=1).stderr


@pytest.mark.parametrize(
    "table",
    [
        "headline\tother\nthe striker scored\tx\n",
        "other\theadline\nx\tthe striker scored\n",
        "text,label\nthe striker scored,x\n",
        '{"headline": "the striker scored", "text": "an atom"}\n',
    ],
)
def test_remembered_columns_are_tried_first(table: str, headlines: Path, run: Run) -> None:
    assert [prediction["label"] for prediction in records(run("predict", headlines, "-", input=table).stdout)] == [
        "sport"
    ]


def test_options_come_before_remembered_columns(headlines: Path, run: Run) -> None:
    table = "headline,section,body\nan atom,sport,the striker\n"
    assert records(run("predict", headlines, "-", "--text", "body", input=table).stdout)[0]["label"] == "sport"
    assert records(run("predict", headlines, "-", "--text", "section", input=table).stdout)
    result = run("evaluate", headlines, "-", "--label", "headline", "--json", input=table)
    assert json.loads(result.stdout)["documents"] == 1, "the text is then the column with a usual name"


@pytest.mark.parametrize("columns", [None, 5, ["text"], {"text": 5}, {"text": ["headline"]}, {"other": "x"}])
def test_invalid_remembered_columns_are_ignored(
    columns: Any, model: Path, news: Path, tmp_path: Path, run: Run
) -> None:
    header, arrays = unpack(KIND, model.read_bytes())
    header["about"]["columns"] = columns
    (tmp_path / "odd").write_bytes(pack(KIND, header, arrays))
    assert len(records(run("predict", tmp_path / "odd", news).stdout)) == 60


def test_an_output_file_appears_when_it_is_complete(model: Path, tmp_path: Path, run: Run) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("old")
    lines = json.dumps({"text": TEXTS[0]}) + "\n"
    run("predict", model, "-", "-o", out, input=lines + "{", exit_code=1)
    assert out.read_text() == "old"
    run("predict", model, "-", "-o", out, input=lines)
    assert records(out.read_text())[0]["label"] == "sport"
    assert run("predict", model, "-", "-o", "-", input=lines).stdout == out.read_text(), "- is standard output"
    assert [path.name for path in tmp_path.iterdir()] == ["out.jsonl"]


def test_an_output_may_be_a_pipe(model: Path, tmp_path: Path, run: Run) -> None:
    os.mkfifo(tmp_path / "pipe")
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit((tmp_path / "pipe").read_text)
        run("predict", model, "-", "-o", tmp_path / "pipe", input=TEXTS[0] + "\n")
        assert records(read.result(60))[0]["label"] == "sport"
    assert (tmp_path / "pipe").is_fifo()


def test_scores_of_all_or_the_best_classes_can_be_added(model: Path, tmp_path: Path, run: Run) -> None:
    (tmp_path / "in.txt").write_text("\n".join(TEXTS))
    everything = records(run("predict", model, tmp_path / "in.txt", "--scores").stdout)
    two = records(run("predict", model, tmp_path / "in.txt", "--top", 2).stdout)
    for label, prediction, best in zip(LABELS, everything, two, strict=True):
        assert set(prediction["scores"]) == set(LABELS)
        assert list(prediction["scores"].values()) == sorted(prediction["scores"].values(), reverse=True)
        assert next(iter(prediction["scores"])) == label
        assert prediction["scores"][label] == prediction["score"]
        assert list(best["scores"].items()) == list(prediction["scores"].items())[:2]


def test_lines_of_a_multilabel_model(tagger: Path, run: Run) -> None:
    predictions = records(run("predict", tagger, "-", input="goal striker budget vote\natom theory\n").stdout)
    assert predictions[0]["labels"] == ["politics", "sport"]
    assert set(predictions[0]["scores"]) == {"politics", "sport"}
    assert predictions[1]["labels"] == ["science"]
    scored = records(run("predict", tagger, "-", "--scores", input="atom theory\n").stdout)
    assert set(scored[0]["scores"]) == set(LABELS)


def test_empty_and_unknown_documents_get_the_most_frequent_class(tmp_path: Path, run: Run) -> None:
    rows = [*documents(), ("the minister", "politics")]
    run("train", write_csv(tmp_path / "x.csv", rows), "-o", tmp_path / "m", "--stop-words", "english")
    result = run("predict", tmp_path / "m", "-", input="xyzzy\n\nthe striker scored a goal\n")
    predictions = records(result.stdout)
    assert [prediction["label"] for prediction in predictions] == ["politics", "politics", "sport"]
    assert [prediction.get("unknown") for prediction in predictions] == [True, True, None]
    assert result.stderr.startswith("warning: 2 of 3 documents are empty or have none")
    assert "'politics'" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_output_to_a_file_equals_standard_output(model: Path, tmp_path: Path, run: Run) -> None:
    output = tmp_path / "out.jsonl"
    result = run("predict", model, "-", "--output", output, input="\n".join(TEXTS))
    assert result.stdout == ""
    assert [prediction["label"] for prediction in records(output.read_text())] == LABELS
    run("predict", model, "-", "-o", output, input="", exit_code=1)
    assert len(records(output.read_text())) == 3, "what was there before stays until there is something to write"


def test_lines_before_an_error_are_written(model: Path, tmp_path: Path, run: Run) -> None:
    lines = FORMS["in.jsonl"] + '{"text": 5}\n' + FORMS["in.jsonl"]
    (tmp_path / "in.jsonl").write_text(lines)
    for result in (
        run("predict", model, tmp_path / "in.jsonl", exit_code=1),
        run("predict", model, "-", input=lines, exit_code=1),
    ):
        assert [prediction["label"] for prediction in records(result.stdout)] == LABELS
        assert "line 4" in result.stderr
        assert result.stderr.startswith("error: ")


def test_labels_of_other_alphabets_are_written_as_they_are(tmp_path: Path, run: Run) -> None:
    names = {"sport": "спорт", "politics": "政治", "science": "größe"}
    rows = [(text, names[label]) for text, label in documents()]
    run("train", write_csv(tmp_path / "x.csv", rows), "-o", tmp_path / "m")
    assert [
        prediction["label"]
        for prediction in records(run("predict", tmp_path / "m", "-", input="\n".join(TEXTS)).stdout)
    ] == [names[label] for label in LABELS]


def test_wrong_bytes_are_a_warning(model: Path, run: Run) -> None:
    result = run("predict", model, "-", input=b"the \x81 of the striker\n")
    assert "standard input: 1 wrong byte was replaced; if it has another encoding, name it with --enc" in result.stderr
    result = run("predict", model, "-", input=b"the caf\xe9 of the striker\n")
    assert "standard input is not UTF-8; read as windows-1252; --encoding names another encoding" in result.stderr
    assert run("predict", model, "-", "--encoding", "latin-1", input=b"the caf\xe9 of the striker\n").stderr == ""
