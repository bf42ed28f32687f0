"""`textsieve update` of a model that was trained with --keep-stats all: it selects its terms anew, and can forget."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.reference.categorizer_cases import plain_categorizer
from tests.reference.cli_cases import CORRECTIONS, Ask, Run, documents, lines, write_csv

from textsieve import Categorizer, load
from textsieve.modelfile.writing import locked

OPTIONS = ("--classifier", "nb", "--analyzer", "word", "--held-out", "0", "--probabilities", "none")
NEW = [*((f"comet probe orbit w{number}", "space") for number in range(9)), ("goal comet", "sport")]


@pytest.fixture
def adaptive_model(news: Path, tmp_path: Path, run: Run) -> Path:
    """A model trained with --keep-stats all."""
    run("train", news, "-o", tmp_path / "news.sieve", *OPTIONS, "-k", "12", "--keep-stats", "all")
    return tmp_path / "news.sieve"


@pytest.fixture
def later(tmp_path: Path) -> Path:
    """Later documents, with a new class and new words."""
    return lines(tmp_path / "later.jsonl", *NEW)


def test_train_and_info_say_where_the_statistics_are(news: Path, tmp_path: Path, run: Run) -> None:
    path = tmp_path / "news.sieve"
    printed = run("train", news, "-o", path, *OPTIONS, "--keep-stats", "all").stdout
    assert f"Statistics of all terms written to {path}.stats: " in printed
    assert "These have all words of the documents." in printed
    assert "selected by ig" in printed
    line = "textsieve update selects its terms anew: the statistics of all terms that this needs are"
    assert f"{line} in news.sieve.stats." in run("info", path).stdout
    os.unlink(f"{path}.stats")
    assert f"{line} missing: news.sieve.stats is not there." in run("info", path).stdout


@pytest.mark.parametrize("order", ["before", "after", "--"])
def test_the_flag_alone_takes_no_path_for_its_word(news: Path, tmp_path: Path, run: Run, order: str) -> None:
    path = tmp_path / "news.sieve"
    if order == "after":
        run("train", news, *OPTIONS, "-o", path, "--keep-stats")
    elif order == "before":
        run("train", *OPTIONS, "-o", path, "--keep-stats", news)
    else:
        run("train", *OPTIONS, "-o", path, "--keep-stats", "--", news)
    assert load(path).keep_stats is True
    assert os.listdir(tmp_path) == ["news.sieve"]


def test_new_words_and_classes_are_learned_and_named(adaptive_model: Path, later: Path, news: Path, run: Run) -> None:
    printed = run("update", adaptive_model, later).stdout
    assert "10 documents read, 10 added to the model" in printed
    assert "New classes: space" in printed
    assert "12 terms selected anew: " in printed
    assert "probe" in printed
    assert f"Written to {adaptive_model}: " in printed
    whole = load(adaptive_model)
    texts, labels = map(list, zip(*documents(), *NEW, strict=True))
    expected = Categorizer(**load(adaptive_model).get_params()).fit(texts, labels)
    assert whole.terms_ == expected.terms_
    assert whole.coef_.tobytes() == expected.coef_.tobytes()
    assert "10 documents were added by an earlier update, and skipped." in run("update", adaptive_model, later).stdout


def test_the_outcome_lists_terms_and_classes(adaptive_model: Path, later: Path, ask: Ask) -> None:
    before = load(adaptive_model)
    pair = [adaptive_model.read_bytes(), Path(f"{adaptive_model}.stats").read_bytes()]
    dry = ask("update", adaptive_model, later, "--dry-run")
    assert pair == [adaptive_model.read_bytes(), Path(f"{adaptive_model}.stats").read_bytes()]
    outcome = ask("update", adaptive_model, later)
    assert dry | {"written": True, "updated": None} == outcome | {"updated": None}
    after = load(adaptive_model)
    n_space = sum(label == "space" for _, label in NEW)
    assert outcome["new_classes"] == [{"label": "space", "documents": n_space, "similar_class": None}]
    assert outcome["lost_classes"] == []
    assert outcome["new_terms"] == [term for term in after.terms_ if term not in before.terms_]
    assert outcome["lost_terms"] == [term for term in before.terms_ if term not in after.terms_]
    assert outcome["documents"] == len(documents()) + 10


def test_a_new_class_that_looks_like_a_typing_error_is_questioned(
    adaptive_model: Path, tmp_path: Path, run: Run, ask: Ask
) -> None:
    rows = lines(tmp_path / "c.jsonl", ("goal keeper", "Sprot"), ("probe comet", "space"), ("a league", "phase 2"))
    outcome = ask("update", adaptive_model, rows, "--dry-run")
    similar = {row["label"]: row["similar_class"] for row in outcome["new_classes"]}
    assert similar == {"Sprot": "sport", "phase 2": None, "space": None}
    assert outcome["lost_classes"] == []
    dry = run("update", adaptive_model, rows, "--dry-run").stderr
    assert "Sprot is a new class. Did you mean sport? Then correct the label." in dry
    printed = run("update", adaptive_model, rows).stderr
    assert "Did you mean sport? Then correct the label, and train the model again." in printed
    assert "space is a new class" not in printed
    more = lines(tmp_path / "d.jsonl", ("a goal", "phase 3"))
    (row,) = ask("update", adaptive_model, more)["new_classes"]
    assert (row["label"], row["similar_class"]) == ("phase 3", None), "numbers are no typing errors"


def test_a_window_forgets_older_updates(adaptive_model: Path, later: Path, tmp_path: Path, run: Run) -> None:
    run("update", adaptive_model, later, "--window", "2")
    more = lines(tmp_path / "more.jsonl", ("probe comet moon", "space"), ("goal keeper", "sport"))
    printed = run("update", adaptive_model, more, "--window", "2").stdout
    assert "Classes that were forgotten: " in printed
    assert load(adaptive_model).classes_.tolist() == ["space", "sport"]
    assert load(adaptive_model).model_.about["n_documents"] == 12


def test_a_replay_gives_dates(news: Path, later: Path, feedback: Path, tmp_path: Path, run: Run) -> None:
    path = tmp_path / "old.sieve"
    run("train", news, "-o", path, *OPTIONS, "--keep-stats", "all", "--at", "1987-02-26")
    run("update", path, later, "--half-life", "1d", "--at", "1987-02-28")
    assert load(path).model_.about["n_documents"] == len(documents()) / 4 + 10
    failed = run("update", path, feedback, "--at", "1987-02-27", exit_code=1).stderr
    assert "--at 1987-02-27" in failed
    assert "this is before the last update" in failed


def test_skipped_labels_are_not_learned(adaptive_model: Path, later: Path, ask: Ask) -> None:
    outcome = ask("update", adaptive_model, later, "--skip-unknown-labels")
    assert outcome["added"] == 1
    assert outcome["new_classes"] == []


def test_retraining_keeps_the_statistics_of_all_terms(adaptive_model: Path, later: Path, run: Run, ask: Ask) -> None:
    run("update", adaptive_model, later, "--retrain")
    model = load(adaptive_model)
    assert "space" in model.classes_
    assert model.keep_stats == "all"
    assert ask("update", adaptive_model, later)["added_before"] == 10


def test_describing_keeps_the_pair_together(adaptive_model: Path, feedback: Path, run: Run, ask: Ask) -> None:
    run("describe", adaptive_model, "--title", "News")
    assert ask("update", adaptive_model, feedback)["added"] == len(CORRECTIONS)
    assert load(adaptive_model).title == "News"


def test_a_new_class_of_text_in_a_model_of_numbers_names_its_place(tmp_path: Path, run: Run) -> None:
    model, later = tmp_path / "numbers.sieve", write_csv(tmp_path / "later.csv", [("oar deck", "1"), ("comet", "3")])
    plain_categorizer(classifier="nb", keep_stats="all").fit(["sail oar", "salt oven"], [1, 2]).save(model)
    failed = " ".join(run("update", model, later, exit_code=1).stderr.split())
    assert "later.csv: line 3: The new class '3' is text, and the classes of the model are numbers" in failed
    assert "update the model in Python" in failed
    assert load(model).classes_.tolist() == [1, 2]


def test_a_missing_or_foreign_file_is_named_with_the_command_that_trains(
    adaptive_model: Path, later: Path, run: Run
) -> None:
    statistics = Path(f"{adaptive_model}.stats")
    statistics.unlink()
    failed = run("update", adaptive_model, later, exit_code=1).stderr
    assert "news.sieve.stats: this file is missing" in failed
    assert "--keep-stats all" in failed
    assert "--selector" not in failed  # ig is the default with all statistics
    statistics.write_bytes(b"something else")
    assert "news.sieve.stats" in run("update", adaptive_model, later, exit_code=1).stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--half-life", "-5d"], "--half-life -5d; use a time above 0"),
        (["--half-life", "5 years"], "--half-life '5 years'; use a time above 0"),
        (["--window", "0"], "--window 0; use a number of updates from 1"),
        (["--window", "two"], "'two' is not a valid integer"),
        (["--at", "soon"], "--at soon; use a date"),
        (["--window", "2", "--half-life", "9d"], "--half-life 9d with --window 2; use one of the two"),
        (["--retrain", "--window", "2"], "--window is for a model with the statistics of all terms"),
    ],
)
def test_wrong_options_change_nothing(
    adaptive_model: Path, later: Path, run: Run, options: list[str], message: str
) -> None:
    before = adaptive_model.read_bytes()
    assert message in " ".join(run("update", adaptive_model, later, *options, exit_code=2).stderr.split())
    assert adaptive_model.read_bytes() == before


def test_other_models_can_not_forget(updatable_model: Path, feedback: Path, news: Path, run: Run) -> None:
    failed = run("update", updatable_model, feedback, "--half-life", "9d", exit_code=2).stderr
    assert "--half-life is for a model with the statistics of all terms" in " ".join(failed.split())
    failed = run("train", news, "-o", updatable_model, "--at", "2026-01-01", exit_code=2).stderr
    assert "only statistics of all terms have a time" in failed


def test_updates_in_two_processes_learn_all_documents(
    adaptive_model: Path, later: Path, news: Path, tmp_path: Path
) -> None:
    """One may find the model locked, changes nothing then, and is started again."""
    more = lines(tmp_path / "more.jsonl", *((f"probe moon v{number}", "space") for number in range(9)))
    waiting, running = [later, more], dict[Path, subprocess.Popen[str]]()
    while waiting or running:
        for path in waiting:
            command = [sys.executable, "-m", "textsieve", "update", str(adaptive_model), str(path)]
            running[path] = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        waiting = []
        for path, process in list(running.items()):
            _, message = process.communicate(timeout=120)
            del running[path]
            if process.returncode:
                assert "is being written or updated by another process" in message
                waiting.append(path)
    updated = load(adaptive_model)
    rows = [*documents(), *NEW, *((f"probe moon v{number}", "space") for number in range(9))]
    texts, labels = map(list, zip(*rows, strict=True))
    whole = Categorizer(**updated.get_params()).fit(texts, labels)
    assert updated.terms_ == whole.terms_
    assert updated.coef_.tobytes() == whole.coef_.tobytes()


def test_a_second_update_at_the_same_time_raises(adaptive_model: Path, later: Path, run: Run) -> None:
    with locked(str(adaptive_model)):
        failed = run("update", adaptive_model, later, exit_code=1).stderr
    assert "is being written or updated by another process" in failed


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_raises_before_anything_is_read(adaptive_model: Path, later: Path, run: Run) -> None:
    adaptive_model.parent.chmod(0o500)
    try:
        assert "can't be written" in run("update", adaptive_model, later, exit_code=1).stderr
    finally:
        adaptive_model.parent.chmod(0o700)


def test_settings_that_need_documents_are_refused_before_reading(tmp_path: Path, run: Run) -> None:
    rows = write_csv(tmp_path / "rows.csv", documents(2))
    arguments = ("train", rows, "-o", tmp_path / "a.sieve", "--keep-stats", "all")
    assert "use one of nb, cnb, rocchio" in run(*arguments, exit_code=2).stderr
    failed = run(*arguments, "--classifier", "nb", "--selector", "forward", exit_code=2).stderr
    assert "--selector forward needs the documents" in failed
    assert not (tmp_path / "a.sieve").exists()
