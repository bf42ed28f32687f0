"""If a model can't be updated or trained again from its sources, `update` prints the command that trains it."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from tests.reference.cli_cases import PLAIN_OPTIONS, Run, command_in, documents, lines, write_csv
from tests.reference.updating_twin import learned_by

from textsieve import Categorizer, load
from textsieve.archive import archive_in
from textsieve.cli.retrain_command import DOCUMENTS, retrain_command
from textsieve.modelfile.header import KIND


def test_keep_stats_with_an_svm_raises_an_error_before_a_file_is_read(tmp_path: Path, run: Run) -> None:
    printed = run("train", tmp_path / "none.csv", "-o", tmp_path / "a.sieve", "--keep-stats", exit_code=2).stderr
    assert "--keep-stats: the classifier 'svm' learns from the documents themselves" in printed
    assert "leave --keep-stats out" in printed


def test_keep_stats_with_unsupported_class_weights_names_them(tmp_path: Path, run: Run) -> None:
    options = ["--classifier", "rocchio", "--class-weight", "balanced", "--keep-stats"]
    printed = run("train", tmp_path / "none.csv", "-o", tmp_path / "a.sieve", *options, exit_code=2).stderr
    assert "--keep-stats with --class-weight balanced: the classifier 'rocchio' has no class weights" in printed


def test_update_of_an_svm_prints_a_command_that_trains_it_again(
    model_without_sources: Path, news: Path, feedback: Path, tmp_path: Path, run: Run
) -> None:
    model = model_without_sources
    printed = run("update", model, feedback, exit_code=1).stderr
    assert f"{model}: the classifier svm learns from the documents themselves" in printed
    assert "and it does not know its documents, because it was trained in Python, with --no-sources or by" in printed
    assert (
        "YOUR-DOCUMENTS stands for all documents that the model has learned; the model does not know where they are."
        in printed
    )
    command = [str(news) if part == DOCUMENTS else part for part in command_in(printed)]
    assert command[:5] == ["train", str(news), str(feedback), "-o", str(model)]
    assert sorted(command[5:]) == sorted(PLAIN_OPTIONS)
    command[4] = str(tmp_path / "again.sieve")
    run(*command)
    assert load(tmp_path / "again.sieve").model_.about["n_documents"] == 63


def test_a_model_without_statistics_is_trained_again_with_keep_stats(
    news: Path, feedback: Path, updatable_model: Path, tmp_path: Path, run: Run
) -> None:
    run("train", news, "-o", tmp_path / "plain.sieve", "--classifier", "nb", "--no-sources")
    printed = run("update", tmp_path / "plain.sieve", feedback, exit_code=1).stderr
    assert "was trained without --keep-stats" in printed
    assert command_in(printed)[-3:] == ["--classifier", "nb", "--keep-stats"]
    run("train", news, "-o", updatable_model, "--classifier", "nb", "--keep-stats", "--no-sources")
    load(updatable_model).save(updatable_model, keep_stats=False)
    printed = run("update", updatable_model, feedback, exit_code=1).stderr
    assert f"{updatable_model}: was saved without its statistics" in printed
    assert command_in(printed)[-1] == "--keep-stats"


def test_damaged_statistics_print_a_command_that_trains_the_model_again(
    feedback: Path, updatable_model: Path, run: Run
) -> None:
    data = bytearray(updatable_model.read_bytes())
    archive = archive_in(KIND, bytes(data), str(updatable_model))
    spec = archive.specs["statistics.cell_sums"]
    data[len(data) - max(spec.start + spec.n_bytes for spec in archive.specs.values()) + spec.start] ^= 1
    updatable_model.write_bytes(bytes(data))
    printed = run("update", updatable_model, feedback, exit_code=1).stderr
    assert f"{updatable_model}: the file is damaged: its checksum differs" in printed
    assert command_in(printed)[-1] == "--keep-stats"


SETTINGS: list[list[str]] = [
    ["--selector", "chi", "--selector-option", "pooling=max", "-k", "20", "--held-out", "0"],
    ["--selector", "none", "-k", "0.5", "--classifier", "logistic", "--classifier-option", "C=3"],
    ["--class-weight", "sport=2", "--class-weight", "politics=0.5", "--keep-case", "--strip-accents", "ascii"],
    ["--class-weight", "balanced", "--stop-words", "english", "--ngrams", "1-2", "--min-df", "2", "--max-df", "0.9"],
    ["--classifier", "nb", "--keep-stats", "--held-out", "0.3", "--folds", "3", "--drop-tags", "--ngrams", "2"],
    ["--multilabel", "--cut", "rcut", "--cut-option", "ranks=2", "--probabilities", "sigmoid", "--folds", "2"],
    ["--projection", "margin", "--projection-option", "n_components=2", "--names", "--no-multilabel"],
    ["--normalise", "stem", "--language", "german", "-k", "auto", "--class-weight", "sqrt"],
]


@pytest.mark.parametrize("options", SETTINGS, ids=" ".join)
def test_the_command_gives_a_model_with_the_same_settings(
    options: list[str], news: Path, tmp_path: Path, run: Run
) -> None:
    path, again = tmp_path / "a.sieve", tmp_path / "b.sieve"
    run("train", news, "-o", path, "--text", "body", "--label", "topic", *options)
    command = shlex.split(retrain_command(load(path).model_, str(again), []).command)
    run(*(str(news) if part == DOCUMENTS else part for part in command[1:]))
    first, second = load(path).model_, load(again).model_
    assert second.settings == first.settings
    assert second.about["columns"] == first.about["columns"]
    assert learned_by(second) == learned_by(first)


def test_settings_without_an_option_are_notes(tmp_path: Path) -> None:
    from textsieve import OCFS

    texts, labels = map(list, zip(*documents(5), strict=True))
    model = Categorizer(selector=OCFS(k=5), stop_words=["the"], tf="log", norm="none").fit(texts, labels)
    how = retrain_command(model.model_, "a.sieve", ["docstrings"])
    assert how.command == "textsieve train YOUR-DOCUMENTS docstrings -o a.sieve --held-out 0"
    printed = "; ".join(how.notes)
    assert "its selector was OCFS(k=5), an object of your own: train in Python" in printed
    assert "stop words of your own: give their file with --stop-words" in printed
    assert "tf='log' can be set only in Python" in printed
    assert "norm='none' can be set only in Python" in printed


def test_train_reads_several_paths(news: Path, tmp_path: Path, run: Run) -> None:
    rows = documents()
    write_csv(tmp_path / "one.csv", rows[:25])
    lines(tmp_path / "two.jsonl", *rows[25:])
    named = ["--text", "body", "--label", "topic"]
    run("train", news, "-o", tmp_path / "a.sieve", *named)
    printed = run("train", tmp_path / "one.csv", tmp_path / "two.jsonl", "-o", tmp_path / "b.sieve", *named).stdout
    assert f"{tmp_path / 'one.csv'}, {tmp_path / 'two.jsonl'}: 60 documents" in printed
    assert learned_by(load(tmp_path / "a.sieve").model_) == learned_by(load(tmp_path / "b.sieve").model_)
    lines(tmp_path / "two.jsonl", {"text": 3, "label": "sport"})
    printed = run("train", tmp_path / "one.csv", tmp_path / "two.jsonl", "-o", tmp_path / "b.sieve", exit_code=1).stderr
    assert printed.startswith(f"error: {tmp_path / 'two.jsonl'}: line 1: 'text' is 3")
