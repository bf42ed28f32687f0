"""textsieve update: what it folds in, what it passes over and says of it, and how else to train again."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.reference.cli_cases import Run, documents, write_csv
from tests.reference.updating_twin import learned_by

from textsieve import Categorizer, load
from textsieve.cli.retraining import DOCUMENTS, OPTIONS, retraining
from textsieve.modelfile.locking import locked
from textsieve.training.corrections import Chosen, Corrections

Ask = Callable[..., Any]

CORRECTIONS = [
    ("the striker went to parliament", "politics"),
    ("the goal of a theory", "science"),
    ("a vote for the keeper", "sport"),
]


def lines(path: Path, *rows: Any) -> Path:
    """A file of JSON lines as the service writes them; a row is an object, or a text and its label."""
    made = [
        row
        if isinstance(row, dict)
        else {
            "text": row[0],
            "label": row[1],
            "predicted": "sport",
            "model": "x",
            "time": f"2026-11-16T14:00:0{at}+00:00",
        }
        for at, row in enumerate(rows)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in made), encoding="utf-8")
    return path


@pytest.fixture
def kept(news: Path, tmp_path: Path, run: Run) -> Path:
    """A model that can be updated."""
    path = tmp_path / "news.sieve"
    run("train", news, "-o", path, "--classifier", "nb", "--keep-stats")
    return path


@pytest.fixture
def feedback(tmp_path: Path) -> Path:
    return lines(tmp_path / "feedback.jsonl", *CORRECTIONS)


def test_train_says_where_the_statistics_are(news: Path, tmp_path: Path, run: Run) -> None:
    said = run("train", news, "-o", tmp_path / "a.sieve", "--classifier", "nb", "--keep-stats").stdout
    assert f"What textsieve update adds documents to: {tmp_path / 'a.sieve.stats'}: " in said
    assert sorted(os.listdir(tmp_path)) == ["a.sieve", "a.sieve.stats"]


def test_corrections_are_learned(kept: Path, feedback: Path, run: Run) -> None:
    expected = load(kept).update(*map(list, zip(*CORRECTIONS, strict=True)))
    said = run("update", kept, feedback).stdout
    assert "3 documents read, 3 folded in" in said
    assert "folded in  right before  right after" in said
    assert "The measures on held-out documents that it has are from before the update." in said
    assert f"Written to {kept}: " in said
    updated = load(kept)
    assert learned_by(updated.model_) == learned_by(expected.model_)
    assert updated.predict([text for text, _ in CORRECTIONS]).tolist() == [label for _, label in CORRECTIONS]
    assert sorted(os.listdir(kept.parent)) == ["feedback.jsonl", "news.sieve", "news.sieve.stats"]


def test_what_was_right_before_and_is_now(kept: Path, feedback: Path, ask: Ask) -> None:
    before = load(kept).predict([text for text, _ in CORRECTIONS]).tolist()
    told = ask("update", kept, feedback)
    right = [found == label for found, (_, label) in zip(before, CORRECTIONS, strict=True)]
    assert told["right_before"] == sum(right)
    assert told["right_after"] == 3
    assert told["classes"] == [
        {"label": label, "folded": 1, "right_before": int(was), "right_after": 1}
        for label, was in sorted((label, was) for (_, label), was in zip(CORRECTIONS, right, strict=True))
    ]
    assert told["updated"]["documents"] == 3
    assert told["written"] is True


def test_a_growing_file_is_folded_in_once(kept: Path, feedback: Path, ask: Ask, run: Run) -> None:
    ask("update", kept, feedback)
    files = [kept.read_bytes(), Path(f"{kept}.stats").read_bytes()]
    said = run("update", kept, feedback).stdout
    assert "3 of them were folded in before." in said
    assert "There is nothing to fold in, so nothing was written." in said
    assert [kept.read_bytes(), Path(f"{kept}.stats").read_bytes()] == files
    lines(feedback, *CORRECTIONS, ("an atom in the budget", "science"))
    told = ask("update", kept, feedback)
    assert (told["read"], told["folded"], told["folded_before"]) == (4, 1, 3)
    assert told["updated"] | {"last": ""} == {"documents": 4, "times": 2, "last": ""}


def test_day_by_day_is_all_at_once(news: Path, tmp_path: Path, run: Run) -> None:
    models = [tmp_path / f"{name}.sieve" for name in ("daily", "once")]
    for path in models:
        run("train", news, "-o", path, "--classifier", "tcfp", "--keep-stats")
    for n in (1, 2, 3):
        run("update", models[0], lines(tmp_path / "feedback.jsonl", *CORRECTIONS[:n]))
    run("update", models[1], lines(tmp_path / "feedback.jsonl", *reversed(CORRECTIONS)))
    assert learned_by(load(models[0]).model_) == learned_by(load(models[1]).model_)
    assert Path(f"{models[0]}.stats").read_bytes() == Path(f"{models[1]}.stats").read_bytes()


def test_the_last_correction_of_a_text_counts(kept: Path, tmp_path: Path, run: Run, ask: Ask) -> None:
    text = "the striker went to parliament"
    expected = load(kept).update([text], ["science"])
    feedback = lines(tmp_path / "f.jsonl", (text, "sport"), (text, "politics"), (text, "science"))
    told = ask("update", kept, feedback)
    assert (told["read"], told["repeated"], told["folded"]) == (3, 2, 1)
    assert learned_by(load(kept).model_) == learned_by(expected.model_)
    feedback = lines(tmp_path / "f.jsonl", (text, "science"), (text, "sport"))
    said = run("update", kept, feedback).stdout
    assert "1 document has a text that comes again later; the last one counts." in said
    assert "1 text was folded in before with other labels, which stay learned too; to take them back" in said


def test_later_documents_of_any_file_that_train_reads(kept: Path, tmp_path: Path, ask: Ask) -> None:
    table = write_csv(tmp_path / "more.csv", [("the atom of proof", "science"), ("a league debate", "sport")])
    for label, text in (("politics", "a minister scored"), ("sport", "penalty theory")):
        (tmp_path / "more" / label).mkdir(parents=True)
        (tmp_path / "more" / label / "1.txt").write_text(text, encoding="utf-8")
    expected = load(kept).update(
        ["the atom of proof", "a league debate", "a minister scored", "penalty theory"],
        ["science", "sport", "politics", "sport"],
    )
    told = ask("update", kept, table, tmp_path / "more")
    assert told["folded"] == 4
    assert learned_by(load(kept).model_) == learned_by(expected.model_)


def test_standard_input(kept: Path, run: Run) -> None:
    said = run("update", kept, "-", input='{"text": "a goal", "label": "sport"}\n').stdout
    assert "1 document read, 1 folded in" in said


def test_a_dry_run_writes_nothing(kept: Path, feedback: Path, run: Run) -> None:
    files = [kept.read_bytes(), Path(f"{kept}.stats").read_bytes()]
    said = run("update", kept, feedback, "--dry-run").stdout
    assert "3 folded in" in said
    assert "Nothing was written: --dry-run." in said
    assert [kept.read_bytes(), Path(f"{kept}.stats").read_bytes()] == files


def test_info_says_that_it_was_updated(kept: Path, feedback: Path, run: Run, ask: Ask) -> None:
    assert "Updated" not in run("info", kept).stdout
    run("update", kept, feedback)
    said = run("info", kept).stdout
    assert ": 3 documents folded in, in 1 update, since it was trained" in said
    assert "that were held out (20%) before it was updated: micro-F1" in said
    assert ask("info", kept)["updated"]["documents"] == 3


# -- several labels, and labels that are no text ------------------------------------------------------------------


def test_several_labels(tagged: Path, tmp_path: Path, run: Run, ask: Ask) -> None:
    path = tmp_path / "tagged.sieve"
    run("train", tagged, "-o", path, "--classifier", "nb", "--keep-stats")
    more = [{"text": "goal vote", "labels": ["sport", "politics"]}, {"text": "a proof", "labels": ["science"]}]
    expected = load(path).update(["goal vote", "a proof"], [["sport", "politics"], ["science"]])
    told = ask("update", path, lines(tmp_path / "f.jsonl", *more, {"text": "nothing", "labels": None}))
    assert told["folded"] == 2
    assert told["left_out"]["without a label"]["places"] == [f"{tmp_path / 'f.jsonl'}: line 3"]
    assert [row["label"] for row in told["classes"]] == ["politics", "science", "sport"]
    assert learned_by(load(path).model_) == learned_by(expected.model_)
    again = [{"text": "goal vote", "labels": ["politics", "sport"]}]
    assert ask("update", path, lines(tmp_path / "f.jsonl", *again))["folded_before"] == 1


@pytest.mark.parametrize("classifier", ["nb", "cnb", "rocchio", "tcfp"])
def test_an_empty_list_of_labels_is_an_answer(
    classifier: str, tagged: Path, tmp_path: Path, run: Run, ask: Ask
) -> None:
    """A document of no class counts for the rest of each class, as it does in a matrix."""
    path = tmp_path / "tagged.sieve"
    run("train", tagged, "-o", path, "--classifier", classifier, "--keep-stats")
    before = load(path)
    assert before.model_.labels == "several"
    more = [{"text": "goal vote", "labels": []}, {"text": "a proof", "labels": ["science"]}]
    rows = pl.DataFrame({"politics": [0, 0], "science": [0, 1], "sport": [0, 0]})
    expected = load(path).update(["goal vote", "a proof"], rows)
    without = load(path).update(["a proof"], [["science"]])
    told = ask("update", path, lines(tmp_path / "f.jsonl", *more))
    assert (told["folded"], told["left_out"], told["updated"]["documents"]) == (2, {}, 2)
    assert [row["label"] for row in told["classes"]] == ["science"]
    updated = load(path)
    assert learned_by(updated.model_) == learned_by(expected.model_)
    about, earlier = updated.model_.about, before.model_.about
    assert about["n_documents"] == earlier["n_documents"] + 2
    assert about["n_unlabelled"] == earlier["n_unlabelled"]
    if classifier in ("nb", "cnb"):  # the others learn from the documents of a class alone
        assert learned_by(updated.model_).scorer != learned_by(without.model_).scorer
    assert ask("update", path, lines(tmp_path / "f.jsonl", *more))["folded_before"] == 2


def test_a_model_of_one_label_knows_no_empty_list(kept: Path, tmp_path: Path, ask: Ask) -> None:
    told = ask("update", kept, lines(tmp_path / "f.jsonl", {"text": "goal vote", "labels": []}))
    assert told["folded"] == 0
    assert told["left_out"]["without a label"]["documents"] == 1


def test_a_cut_that_has_grown_old(tagged: Path, tmp_path: Path, run: Run, ask: Ask) -> None:
    path = tmp_path / "tagged.sieve"
    run("train", tagged, "-o", path, "--classifier", "nb", "--keep-stats")
    rows = [{"text": f"{text} again", "labels": [label]} for text, label in documents(5)]
    said = run("update", path, lines(tmp_path / "f.jsonl", *rows), "--dry-run").stdout
    assert "15 documents were folded in since the cut for several labels was fitted" in said
    told = ask("update", path, lines(tmp_path / "f.jsonl", *rows), "--fit-cut")
    assert told["cut_is_stale"] is False
    assert told["updated"]["since_cut"] == 0
    one = lines(tmp_path / "f.jsonl", {"text": "a", "labels": ["sport"]})
    said = run("update", path, one, "--fit-cut", exit_code=1).stderr
    assert "--fit-cut: 1 document to fold in, and 10 are the fewest" in said


def test_in_a_matrix_no_label_is_an_answer(tmp_path: Path, ask: Ask) -> None:
    texts = ["red sun", "blue sea", "red sea", "green tree"] * 5
    rows = [[1, 0], [0, 1], [1, 1], [0, 0]] * 5
    model = Categorizer(classifier="nb", keep_stats=True, cut="zero", n_jobs=1).fit(texts, rows)
    model.save(tmp_path / "m.sieve")
    more = [{"text": "blue tree", "labels": []}, {"text": "red tree", "labels": [0]}]
    told = ask("update", tmp_path / "m.sieve", lines(tmp_path / "f.jsonl", *more))
    assert told["folded"] == 2
    assert learned_by(load(tmp_path / "m.sieve").model_) == learned_by(
        model.update(["blue tree", "red tree"], [[0, 0], [1, 0]]).model_
    )


@pytest.mark.parametrize(
    ("classes", "written"),
    [([1, 2], [1, 2.0]), ([1, 2], ["1", "2"]), ([True, False], [True, False]), ([0.5, 2.0], [0.5, 2])],
    ids=str,
)
def test_labels_that_are_no_text(classes: list[Any], written: list[Any], tmp_path: Path, ask: Ask) -> None:
    model = Categorizer(classifier="nb", keep_stats=True, n_jobs=1).fit(["red sun", "blue sea"] * 5, classes * 5)
    model.save(tmp_path / "m.sieve")
    rows = [{"text": f"sun {at}", "label": label} for at, label in enumerate(written)]
    told = ask("update", tmp_path / "m.sieve", lines(tmp_path / "f.jsonl", *rows))
    assert [row["label"] for row in told["classes"]] == sorted(classes)


# -- what is left out or refused ----------------------------------------------------------------------------------


def test_lines_without_text_or_label_are_named(kept: Path, tmp_path: Path, run: Run) -> None:
    rows = [{"text": " ", "label": "sport"}, ("a goal", "sport"), {"text": "a vote", "label": None}]
    rows += [{"text": None, "label": "sport"}]
    said = run("update", kept, lines(tmp_path / "f.jsonl", *rows)).stdout
    assert "4 documents read, 1 folded in" in said
    assert (
        f"2 documents without a text left out: {tmp_path / 'f.jsonl'}: line 1, {tmp_path / 'f.jsonl'}: line 4" in said
    )
    assert f"1 document without a label left out: {tmp_path / 'f.jsonl'}: line 3" in said


def test_lines_that_are_cut_off_are_left_out_and_named(kept: Path, feedback: Path, run: Run, ask: Ask) -> None:
    whole = feedback.read_text(encoding="utf-8").splitlines()
    feedback.write_text("\n".join([whole[0], whole[1][:20], '"a secret"', *whole[1:], whole[2][:-4]]), encoding="utf-8")
    told = ask("update", kept, feedback, "--dry-run")
    assert (told["read"], told["folded"]) == (3, 3)
    places = [f"{feedback}: line {number}" for number in (2, 3, 6)]
    assert told["left_out"] == {"that can't be read": {"documents": 3, "places": places}}
    said = run("update", kept, feedback)
    assert f"3 documents that can't be read left out: {', '.join(places)}" in said.stdout
    assert "secret" not in said.stdout + said.stderr


@pytest.mark.parametrize("content", ['{"text": "a secret', "a secret\n", '{\n"a secret"\n'])
def test_a_file_of_which_no_line_can_be_read(content: str, kept: Path, tmp_path: Path, run: Run) -> None:
    before = kept.read_bytes()
    (tmp_path / "f.jsonl").write_text(content, encoding="utf-8")
    said = run("update", kept, tmp_path / "f.jsonl")
    assert "0 documents read, 0 folded in" in said.stdout
    assert f"that can't be read left out: {tmp_path / 'f.jsonl'}: line 1" in said.stdout
    assert "secret" not in said.stdout + said.stderr
    assert kept.read_bytes() == before


def test_another_label_is_refused_by_its_line(kept: Path, tmp_path: Path, run: Run) -> None:
    files = [kept.read_bytes(), Path(f"{kept}.stats").read_bytes()]
    feedback = lines(tmp_path / "f.jsonl", *CORRECTIONS, ("rain", "weather"))
    said = run("update", kept, feedback, exit_code=1).stderr
    assert f"{feedback}: line 4: There is no class 'weather' in the model" in said
    assert "Nothing was changed; --skip-unknown-labels leaves such documents out." in said
    assert command_in(said) == [
        "train",
        DOCUMENTS,
        str(feedback),
        "-o",
        str(kept),
        "--classifier",
        "nb",
        "--keep-stats",
    ]
    assert [kept.read_bytes(), Path(f"{kept}.stats").read_bytes()] == files
    said = run("update", kept, feedback, "--skip-unknown-labels").stdout
    assert f"1 document of no class of the model left out: {feedback}: line 4" in said
    assert "4 documents read, 3 folded in" in said


@pytest.mark.parametrize("suffix", ["csv", "folder"])
def test_the_place_in_other_files(suffix: str, kept: Path, tmp_path: Path, run: Run) -> None:
    place = tmp_path / f"more.{suffix}"
    if suffix == "csv":
        write_csv(place, [("a goal", "sport"), ("rain", "weather")])
        named = f"{place}: line 3: "
    else:
        (place / "weather").mkdir(parents=True)
        (place / "weather" / "rain.txt").write_text("rain", encoding="utf-8")
        named = f"{place}: weather/rain.txt: "
    assert f"{named}There is no class 'weather'" in run("update", kept, place, exit_code=1).stderr


def test_two_labels_where_the_model_gives_one(kept: Path, tmp_path: Path, run: Run) -> None:
    feedback = lines(tmp_path / "f.jsonl", {"text": "goal", "labels": ["sport", "politics"]})
    said = run("update", kept, feedback, exit_code=1).stderr
    assert f"{feedback}: line 1: ['sport', 'politics'] are 2 labels, and the model gives one" in said
    assert "--skip-unknown-labels" not in said


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('[{"text": "a"\n', "line 2: not JSON"),
        ('{"text": 7, "label": "sport"}\n', "line 1: 'text' is 7, not a string"),
        ('{"text": "a", "label": {"a": 1}}\n', "line 1: label"),
    ],
)
def test_bad_files(content: str, said: str, kept: Path, tmp_path: Path, run: Run) -> None:
    before = kept.read_bytes()
    (tmp_path / "f.jsonl").write_text(content, encoding="utf-8")
    message = run("update", kept, tmp_path / "f.jsonl", exit_code=1).stderr
    assert said in message
    assert kept.read_bytes() == before
    assert not Path(f"{kept}.lock").exists()


def test_a_file_that_nobody_has_written_to_yet(kept: Path, tmp_path: Path, run: Run) -> None:
    before = kept.read_bytes()
    (tmp_path / "f.jsonl").touch()
    said = run("update", kept, tmp_path / "f.jsonl").stdout
    assert "0 documents read, 0 folded in" in said
    assert kept.read_bytes() == before


def test_columns_are_those_of_the_first_file(kept: Path, feedback: Path, tmp_path: Path, ask: Ask) -> None:
    table = tmp_path / "odd.csv"
    table.write_text("what,text,said\nsport,no,a goal\n", encoding="utf-8")
    assert ask("update", kept, table, feedback, "--text", "said", "--label", "what")["folded"] == 4


def test_no_such_file(kept: Path, feedback: Path, tmp_path: Path, run: Run) -> None:
    assert "there is no such file" in run("update", kept, tmp_path / "none.jsonl", exit_code=1).stderr
    assert "There is no file" in run("update", tmp_path / "none.sieve", feedback, exit_code=1).stderr


def test_one_at_a_time(kept: Path, feedback: Path, run: Run) -> None:
    with locked(str(kept)):
        said = run("update", kept, feedback, exit_code=1).stderr
    assert f"{kept} is being written or updated by another process" in said
    run("update", kept, feedback)


def test_a_model_that_was_replaced_meanwhile(
    kept: Path, model: Path, feedback: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose = Corrections.chosen

    def chosen(self: Corrections, folded: frozenset[bytes]) -> Chosen:
        kept.write_bytes(model.read_bytes())
        return choose(self, folded)

    monkeypatch.setattr(Corrections, "chosen", chosen)
    said = run("update", kept, feedback, exit_code=1).stderr
    assert f"{kept} is another model than the one that was read; nothing was written. Try again." in said
    assert kept.read_bytes() == model.read_bytes()


# -- how to train again -------------------------------------------------------------------------------------------


def test_keeping_statistics_of_an_svm_is_refused_before_a_file_is_read(tmp_path: Path, run: Run) -> None:
    said = run("train", tmp_path / "none.csv", "-o", tmp_path / "a.sieve", "--keep-stats", exit_code=2).stderr
    assert "--keep-stats: the classifier 'svm' learns from the documents themselves" in said
    assert "leave --keep-stats out" in said


def test_class_weights_are_named_where_they_are_the_reason(tmp_path: Path, run: Run) -> None:
    chosen = ["--classifier", "rocchio", "--class-weight", "balanced", "--keep-stats"]
    said = run("train", tmp_path / "none.csv", "-o", tmp_path / "a.sieve", *chosen, exit_code=2).stderr
    assert "--keep-stats with --class-weight='balanced': the classifier 'rocchio' has no class weights" in said


def command_in(said: str) -> list[str]:
    (line,) = [line for line in said.splitlines() if line.startswith("textsieve train ")]
    return shlex.split(line)[1:]


def test_an_svm_says_how_it_is_trained_again(model: Path, news: Path, feedback: Path, tmp_path: Path, run: Run) -> None:
    said = run("update", model, feedback, exit_code=1).stderr
    assert f"{model}: the classifier svm learns from the documents themselves" in said
    assert "YOUR-DOCUMENTS stands for the documents that it was trained on" in said
    command = [str(news) if part == DOCUMENTS else part for part in command_in(said)]
    assert command == ["train", str(news), str(feedback), "-o", str(model)]
    command[-1] = str(tmp_path / "again.sieve")
    run(*command)
    assert load(tmp_path / "again.sieve").model_.about["n_documents"] == 63


def test_statistics_that_are_not_there(news: Path, feedback: Path, kept: Path, tmp_path: Path, run: Run) -> None:
    run("train", news, "-o", tmp_path / "plain.sieve", "--classifier", "nb")
    said = run("update", tmp_path / "plain.sieve", feedback, exit_code=1).stderr
    assert "was trained without --keep-stats" in said
    assert command_in(said)[-3:] == ["--classifier", "nb", "--keep-stats"]
    Path(f"{kept}.stats").unlink()
    said = run("update", kept, feedback, exit_code=1).stderr
    assert f"There is no file {kept}.stats" in said
    assert command_in(said)[-1] == "--keep-stats"
    with pytest.warns(UserWarning, match="saved without"):
        load(kept).save(kept)
    said = run("update", kept, feedback, exit_code=1).stderr
    assert f"{kept}: was saved without its statistics" in said


SETTINGS: list[list[str]] = [
    ["--selector", "chi", "--selector-option", "pooling=max", "-k", "20", "--held-out", "0"],
    ["--selector", "none", "-k", "0.5", "--classifier", "logistic", "--classifier-option", "C=3"],
    ["--class-weight", "sport=2", "--class-weight", "politics=0.5", "--keep-case", "--strip-accents", "ascii"],
    ["--class-weight", "balanced", "--stop-words", "english", "--ngrams", "1-2", "--min-df", "2", "--max-df", "0.9"],
    ["--classifier", "nb", "--keep-stats", "--held-out", "0.3", "--folds", "3", "--drop-tags", "--ngrams", "2"],
    ["--multilabel", "--cut", "rcut", "--cut-option", "ranks=2", "--probabilities", "sigmoid", "--folds", "2"],
    ["--projection", "margin", "--projection-option", "n_components=2", "--names", "--no-multilabel"],
    ["--normalise", "stem", "--language", "german", "-k", "auto"],
]


@pytest.mark.parametrize("chosen", SETTINGS, ids=" ".join)
def test_the_command_has_the_settings(chosen: list[str], news: Path, tmp_path: Path, run: Run) -> None:
    path, again = tmp_path / "a.sieve", tmp_path / "b.sieve"
    run("train", news, "-o", path, "--text", "body", "--label", "topic", *chosen)
    command = shlex.split(retraining(load(path).model_, str(again), []).command)
    run(*(str(news) if part == DOCUMENTS else part for part in command[1:]))
    first, second = load(path).model_, load(again).model_
    assert second.settings == first.settings
    assert second.about["columns"] == first.about["columns"]
    assert learned_by(second) == learned_by(first)


def test_every_setting_has_its_option() -> None:
    in_python_alone = {"tf", "idf", "norm"}
    assert set(OPTIONS) == set(Categorizer().get_params(deep=False)) - in_python_alone - {"n_jobs"}


def test_what_the_command_can_not_say(tmp_path: Path) -> None:
    from textsieve import OCFS

    texts, labels = map(list, zip(*documents(5), strict=True))
    model = Categorizer(selector=OCFS(k=5), stop_words=["the"], tf="log", norm="none").fit(texts, labels)
    how = retraining(model.model_, "a.sieve", ["f.jsonl"])
    assert how.command == "textsieve train YOUR-DOCUMENTS f.jsonl -o a.sieve --held-out 0"
    said = "; ".join(how.unsaid)
    assert "its selector was OCFS(k=5), an object of your own: train in Python" in said
    assert "stop words of your own: give their file with --stop-words" in said
    assert "tf='log' can be said in Python alone" in said
    assert "norm='none' can be said in Python alone" in said


def test_train_reads_several_paths(news: Path, tmp_path: Path, run: Run) -> None:
    rows = documents()
    write_csv(tmp_path / "one.csv", rows[:25])
    lines(tmp_path / "two.jsonl", *rows[25:])
    named = ["--text", "body", "--label", "topic"]
    run("train", news, "-o", tmp_path / "a.sieve", *named)
    said = run("train", tmp_path / "one.csv", tmp_path / "two.jsonl", "-o", tmp_path / "b.sieve", *named).stdout
    assert f"{tmp_path / 'one.csv'}, {tmp_path / 'two.jsonl'}: 60 documents" in said
    assert learned_by(load(tmp_path / "a.sieve").model_) == learned_by(load(tmp_path / "b.sieve").model_)
    lines(tmp_path / "two.jsonl", {"text": 3, "label": "sport"})
    said = run("train", tmp_path / "one.csv", tmp_path / "two.jsonl", "-o", tmp_path / "b.sieve", exit_code=1).stderr
    assert said.startswith(f"error: {tmp_path / 'two.jsonl'}: line 1: 'text' is 3")
