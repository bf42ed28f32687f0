"""Other terms than words at the command line: --analyzer, --token-pattern and --char-ngrams."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.reference.categorizer_cases import plain_categorizer
from tests.reference.cli_cases import CORRECTIONS, Ask, Run, command_in, lines, write_csv
from tests.reference.updating_twin import learned_by

from textsieve import InputError, load, read
from textsieve.serve.served_model import ModelHolder

TERMS = ("--analyzer", "text", "--ngrams", "1-2", "--char-ngrams", "3-4")


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Change to a temporary folder, where `compare` writes its results."""
    monkeypatch.chdir(tmp_path)


def test_a_model_reads_texts_as_it_was_trained(news: Path, tmp_path: Path, run: Run, ask: Ask) -> None:
    model = tmp_path / "news.sieve"
    outcome = ask("train", news, "-o", model, *TERMS, "--held-out", "0", "-k", "80")
    expected = {"analyzer": "text", "ngram_range": [1, 2], "char_ngram_range": [3, 4]}
    assert {name: outcome["settings"][name] for name in expected} == expected
    trained = plain_categorizer(analyzer="text", ngram_range=(1, 2), char_ngram_range=(3, 4), n_terms=80).fit(
        read(news)
    )
    assert load(model).terms_ == trained.terms_
    assert {"▁goa…", "striker"} <= set(run("info", model, "--terms").stdout.split("\n"))
    shown = " ".join(run("info", model).stdout.split())
    assert "analyzer='text', ngram_range=(1, 2), char_ngram_range=(3, 4)" in shown
    texts = ["strikers", "laboratories", "a parliamentary debate"]  # words that no training document has
    predicted = run("predict", model, "-", input="\n".join(texts) + "\n").stdout.splitlines()
    assert [json.loads(line)["label"] for line in predicted] == trained.predict(texts).tolist()
    assert trained.predict(texts).tolist() == ["sport", "science", "politics"]
    assert ask("evaluate", model, news)["micro_f1"] == 1.0


@pytest.mark.parametrize(
    ("given", "setting", "value"),
    [
        (["--analyzer", "char", "--ngrams", "2-3"], "analyzer", "char"),
        (["--analyzer", "char_wb", "--ngrams", "3"], "ngram_range", [3, 3]),
        (["--token-pattern", r"[a-z]+\d?"], "token_pattern", r"[a-z]+\d?"),
        (["--char-ngrams", "4"], "char_ngram_range", [4, 4]),
        (["--char-ngrams", "none"], "char_ngram_range", None),
    ],
)
def test_values_of_options_are_stored(
    given: list[str], setting: str, value: object, news: Path, tmp_path: Path, ask: Ask
) -> None:
    assert ask("train", news, "-o", tmp_path / "x", "--held-out", "0", *given)["settings"][setting] == value
    assert ask("evaluate", tmp_path / "x", news)["micro_f1"] == 1.0


@pytest.mark.parametrize(
    ("given", "printed"),
    [
        (["--analyzer", "bytes"], "'bytes' is not one of 'word', 'text', 'char', 'char_wb'"),
        (["--char-ngrams", "5-3"], "'5-3'; the smaller number comes first: use 3-5."),
        (["--analyzer", "char", "--ngrams", "3-2"], "'3-2'; the smaller number comes first: use 2-3."),
        (["--char-ngrams", "3-0"], "'3-0'; use 3-5 for n-grams of 3 to 5 characters, or none"),
        (["--char-ngrams", "x"], "'x'; use 3-5"),
        (["--token-pattern", "("], "--token-pattern '(': it is not a valid regular expression"),
        (["--token-pattern", "x*"], "--token-pattern 'x*': it matches the empty string"),
        (["--analyzer", "char", "--char-ngrams", "3-4"], "--char-ngrams 3-4 adds n-grams of characters to words"),
        (
            ["--analyzer", "char", "--names"],
            "--names needs words, which --analyzer char does not count; use --analyzer word or --analyzer text, or",
        ),
    ],
)
@pytest.mark.parametrize("verb", ["train", "terms", "compare"])
def test_invalid_options_exit_before_documents_are_read(
    given: list[str], printed: str, verb: str, tmp_path: Path, run: Run
) -> None:
    output = ["-o", tmp_path / "x"] if verb == "train" else []
    outcome = run(verb, tmp_path / "none.csv", *output, *given, exit_code=2).stderr
    assert printed in " ".join(outcome.split())


def test_documents_without_terms_name_the_pattern(news: Path, tmp_path: Path, run: Run) -> None:
    arguments = ["train", news, "-o", tmp_path / "x", "--token-pattern", "zzzz"]
    problem = r"--token-pattern zzzz matches nothing in them."
    assert problem in run(*arguments, exit_code=1).stderr
    assert "matches nothing but stop words in them" in run(*arguments, "--stop-words", "english", exit_code=1).stderr


def test_a_slow_pattern_of_a_model_names_the_file_and_the_document(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the last document takes long, and documents are numbered from 1."""
    monkeypatch.setattr("textsieve.text.analysis.PATTERN_SECONDS", 1.0)
    monkeypatch.setattr("textsieve.corpus.batch.BATCH_DOCUMENTS", 2)
    pattern = r"(?:a+)+b|\w+ "
    slow = "a" * 60
    write_csv(tmp_path / "good.csv", [("aab one ", "x"), ("ab two ", "y")] * 3)
    write_csv(tmp_path / "slow.csv", [("aab one ", "x"), ("ab two ", "y"), (slow, "x")])
    train = ("train", "-o", tmp_path / "m.sieve", "--token-pattern", pattern, "--held-out", "0", "--classifier", "nb")
    assert f"slow.csv: document 3: --token-pattern '{pattern}': it takes more than 1 seconds for this document" in (
        run(*train, tmp_path / "slow.csv", exit_code=1).stderr
    )
    run(*train, tmp_path / "good.csv", "--keep-stats")
    of_model = "the token pattern of the model, "
    for verb, place in (("predict", "document 3"), ("evaluate", "document 3"), ("update", "line 4")):
        printed = run(verb, tmp_path / "m.sieve", tmp_path / "slow.csv", exit_code=1).stderr
        assert f"slow.csv: {place}: {of_model}" in printed
        assert "--token-pattern" not in printed
    assert f"error: {of_model}" in run("explain", tmp_path / "m.sieve", slow, exit_code=1).stderr
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "second.txt").write_text(slow)
    assert (
        f"texts: second.txt: {of_model}" in run("predict", tmp_path / "m.sieve", tmp_path / "texts", exit_code=1).stderr
    )


def test_a_rule_and_a_factor_of_class_weights_name_the_conflict(tmp_path: Path, run: Run) -> None:
    weights = ("--class-weight", "sqrt", "--class-weight", "praise=3")
    printed = " ".join(run("train", "none.csv", "-o", tmp_path / "x", *weights, exit_code=2).stderr.split())
    assert (
        "sqrt and praise=3; balanced or sqrt sets the weights of all classes: give it alone, or label=factor" in printed
    )


def test_the_terms_command_has_the_same_terms(news: Path, ask: Ask) -> None:
    terms = {term["term"] for term in ask("terms", news, *TERMS, "-k", "500")["terms"]}
    assert {"striker", "the striker", "▁goa…", "…rik…"} <= terms
    assert all(len(term["term"]) == 2 for term in ask("terms", news, "--analyzer", "char", "--ngrams", "2")["terms"])


@pytest.mark.slow
@pytest.mark.usefixtures("elsewhere")
def test_a_comparison_measures_models_with_these_terms(news: Path, tmp_path: Path, run: Run, ask: Ask) -> None:
    compared = ("compare", news, "--selectors", "chi", "--terms", "30", "--classifiers", "nb", "--folds", 2)
    plain = ask(*compared, "--results", tmp_path / "words.jsonl")
    options = (*TERMS, "--results", tmp_path / "terms.jsonl", "--report", tmp_path / "terms.html")
    outcome = ask(*compared, *options)
    assert outcome["fingerprint"] != plain["fingerprint"]
    assert outcome["settings"]["char_ngram_range"] == [3, 4]
    assert outcome["rows"][0]["n_seen"] > 2 * plain["rows"][0]["n_seen"]
    assert "char_ngram_range" in (tmp_path / "terms.html").read_text(encoding="utf-8")
    printed = run(*compared, "--results", tmp_path / "terms.jsonl", exit_code=1).stderr
    assert "other settings" in " ".join(printed.split())


def test_an_update_reads_documents_with_the_terms_of_the_model(news: Path, tmp_path: Path, run: Run) -> None:
    model, feedback = tmp_path / "news.sieve", lines(tmp_path / "feedback.jsonl", *CORRECTIONS)
    run("train", news, "-o", model, *TERMS, "--classifier", "nb", "--keep-stats")
    expected = load(model).update(*map(list, zip(*CORRECTIONS, strict=True)))
    run("update", model, feedback)
    assert learned_by(load(model).model_) == learned_by(expected.model_)


def test_the_command_that_trains_a_model_again_has_these_options(news: Path, tmp_path: Path, run: Run) -> None:
    model, feedback = tmp_path / "news.sieve", lines(tmp_path / "feedback.jsonl", *CORRECTIONS)
    run("train", news, "-o", model, "--token-pattern", r"\b\w+\b", "--char-ngrams", "3-4", "--no-sources")
    command = command_in(run("update", model, feedback, exit_code=1).stderr)
    assert command[-4:] == ["--token-pattern", r"\b\w+\b", "--char-ngrams", "3-4"]
    run("train", write_csv(tmp_path / "a.csv", CORRECTIONS * 3), *command[3:])  # the same command is accepted
    assert load(model).char_ngram_range == (3, 4)


def test_a_service_refuses_a_model_with_a_slow_pattern(news: Path, tmp_path: Path, run: Run) -> None:
    """It could not stop a pattern that takes too long. Only patterns that take linear time are served."""
    run("train", news, "-o", tmp_path / "fast", "--token-pattern", r"\b\w[\w'-]*\b", "--held-out", "0")
    run("train", news, "-o", tmp_path / "slow", "--token-pattern", "[a-z]+", "--held-out", "0")
    printed = " ".join(run("serve", tmp_path / "slow", "--port", "0", exit_code=1).stderr.split())
    assert f"{tmp_path / 'slow'}: the model has the token pattern '[a-z]+', which may take very long" in printed
    assert "or predict with textsieve predict" in printed
    holder = ModelHolder(str(tmp_path / "fast"), lambda *_: None)
    served = holder.model
    (tmp_path / "slow").replace(tmp_path / "fast")
    with pytest.raises(InputError, match="the model has the token pattern"):
        holder.reload()
    assert holder.model is served
