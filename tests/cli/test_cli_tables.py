"""`evaluate`, `explain`, `terms` and `info`: the same figures as the library, as tables and as JSON."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.reference.cli_cases import SUBJECTS, Run, documents, write_csv
from tests.reference.model_archives import unpack

import textsieve
from textsieve.archive import pack
from textsieve.modelfile.header import KIND
from textsieve.registry import SELECTORS
from textsieve.selectors.testors.shares import Shares
from textsieve.selectors.testors.shortest import Shortest

Ask = Callable[..., Any]


# -- evaluate ----------------------------------------------------------------------------------------------------


@pytest.fixture
def test_set(tmp_path: Path) -> Path:
    """Three documents that the model gets right, one wrong, one unlabelled, and one of an unknown class."""
    rows = [("the striker", "sport"), ("the budget", "politics"), ("an atom", "science"), ("a goal", "science")]
    return write_csv(tmp_path / "test.csv", [*rows, ("a vote", ""), ("a penalty", "crime")])


def test_evaluate_has_the_figures_of_the_library(model: Path, test_set: Path, run: Run, ask: Ask) -> None:
    outcome = ask("evaluate", model, test_set)
    assert outcome == textsieve.load(model).evaluate(textsieve.read(test_set)).to_dict()
    assert outcome["accuracy"] == outcome["micro_f1"] == 0.6
    printed = run("evaluate", model, test_set).stdout
    assert "5 documents; 1 without a label" in printed
    assert "does not know 1 of the classes: crime" in printed
    assert "micro-F1 0.600" in printed
    assert f"macro-F1 {outcome['macro_f1']:.3f}" in printed
    classes, _, confusion = printed.partition("Confusion")
    assert rows(classes)["science"] == ["2", "1", "1.000", "0.500", "0.667"]
    assert rows(classes)["crime"] == ["1", "0", "0.000", "0.000", "0.000"]
    matrix, _, _ = confusion.partition(" taken for ")
    assert rows(matrix)["science"] == [".", "1", "1", "."], "one science document was taken for sport"


def test_evaluate_names_the_fallback_class(tmp_path: Path, run: Run) -> None:
    """The only selected term occurs in the larger class, so documents without terms get the smaller class."""
    of_two = [("goal", "sport")] * 9 + [(f"word{at}", "other") for at in range(6)]
    printed = {}
    for name, n_terms in (("few", 1), ("all", "all")):
        options = ["--selector", "chi", "--terms", n_terms, "--held-out", 0]
        run("train", write_csv(tmp_path / "x.csv", of_two), "-o", tmp_path / name, *options)
        unheard = write_csv(tmp_path / "y.csv", [("unheard", "other"), ("goal", "sport")])
        commands = ("evaluate", tmp_path / name, unheard), ("explain", tmp_path / name, "unheard")
        printed[name] = [run(*command).stdout for command in commands]
    evaluated, explained = printed["few"]
    assert "1 document is empty or has no term of the model: it gets the class of most training documents" in evaluated
    assert "micro-F1 1.000" in evaluated
    assert "Predicted: other" in explained
    assert "so the class of most training documents without such terms is taken, whatever the scores" in explained
    evaluated, explained = printed["all"]
    assert "no term of the model: it gets the most frequent class, sport" in evaluated
    assert "so the most frequent class is taken, whatever the scores" in explained


def rows(printed: str) -> dict[str, list[str]]:
    """Return the other words of each line, by its first word."""
    return {line.split()[0]: line.split()[1:] for line in printed.splitlines() if line.strip()}


def test_evaluate_of_many_classes_lists_the_worst_confusions(tmp_path: Path, run: Run) -> None:
    rows = [(f"word{n} common", f"class-with-a-long-name-{n:02}") for n in range(40) for _ in range(3)]
    run("train", write_csv(tmp_path / "x.csv", rows), "-o", tmp_path / "m", "--held-out", 0)
    wrong = write_csv(tmp_path / "y.csv", [("word1 common", "class-with-a-long-name-02")] * 3)
    printed = run("evaluate", tmp_path / "m", wrong, "--examples", 0).stdout
    assert "Most frequent confusions" in printed
    last = printed.splitlines()[-1].split()
    assert last == ["class-with-a-long-name-02", "class-with-a-long-name-01", "3"]


def test_evaluate_shows_examples_of_confused_classes(model: Path, test_set: Path, run: Run, ask: Ask) -> None:
    outcome = ask("evaluate", model, test_set)
    crime, science = outcome["confusions"]  # equally frequent, so the larger share of a class comes first
    assert (crime["label"], crime["predicted"], crime["n_documents"], crime["share"]) == ("crime", "sport", 1, 1.0)
    assert (science["label"], science["predicted"], science["n_documents"], science["share"]) == (
        *("science", "sport"),
        *(1, 0.5),
    )
    (example,) = science["examples"]
    assert (example["place"], example["text"]) == ("line 5", "a goal")
    printed = run("evaluate", model, test_set).stdout
    assert "science taken for sport: 1 document, 50.0% of science" in printed
    assert f"  line 5 ({example['probability']:.0%}): a goal" in printed
    for options in (["--examples", 0], ["--examples", 0, "--json"]):
        assert "a goal" not in run("evaluate", model, test_set, *options).stdout


def test_examples_are_bounded_and_the_most_probable_come_first(model: Path, tmp_path: Path, ask: Ask) -> None:
    texts = ["a goal of the", "the striker and the goal", f"goal {'word ' * 200}", "goal striker keeper"]
    wrong = write_csv(tmp_path / "wrong.csv", [(text, "science") for text in texts])
    for n_examples in (1, 2, 9):
        (pair,) = ask("evaluate", model, wrong, "--examples", n_examples)["confusions"]
        probabilities = [example["probability"] for example in pair["examples"]]
        assert probabilities == sorted(probabilities, reverse=True)
        assert len(probabilities) == min(n_examples, 4)
    assert max(len(example["text"]) for example in pair["examples"]) == 200


def test_examples_in_a_folder_are_named_by_their_file(model: Path, tmp_path: Path, run: Run) -> None:
    (tmp_path / "docs/science").mkdir(parents=True)
    (tmp_path / "docs/science/3.txt").write_text("a\n\n goal")
    assert "  science/3.txt (" in run("evaluate", model, tmp_path / "docs").stdout
    assert ": a goal\n" in run("evaluate", model, tmp_path / "docs").stdout


def test_evaluate_shows_accuracy_by_probability_band(model: Path, test_set: Path, run: Run, ask: Ask) -> None:
    bands = ask("evaluate", model, test_set)["bands"]
    assert [(band["min_probability"], band["max_probability"]) for band in bands][::7] == [(0, 0.5), (0.99, 1)]
    assert sum(band["documents"] for band in bands) == 5
    assert sum(band["documents"] * band["accuracy"] for band in bands) == pytest.approx(3)
    printed = run("evaluate", model, test_set).stdout
    assert "Labels by probability band" in printed
    assert "0.95 to 0.99" in printed


def test_evaluate_a_multilabel_model(tagger: Path, tagged: Path, run: Run, ask: Ask) -> None:
    outcome = ask("evaluate", tagger, tagged)
    assert outcome["micro_f1"] > 0.9
    printed = run("evaluate", tagger, tagged).stdout
    assert "accuracy" not in printed
    assert "Confusion" not in printed


def test_evaluate_standard_input(model: Path, news: Path, ask: Ask) -> None:
    assert ask("evaluate", model, "-", input=news.read_bytes())["documents"] == 60


@pytest.mark.parametrize(("name", "hint"), [("x.csv", " Did you mean --label team?"), ("x.txt", "")])
def test_evaluate_warns_if_no_label_is_a_class(name: str, hint: str, model: Path, tmp_path: Path, run: Run) -> None:
    path = tmp_path / name
    if hint:
        path.write_text("body,team,day\na goal,sport,monday\na vote,politics,tuesday\n")
    else:
        path.write_text("__label__monday a goal\n__label__tuesday a vote\n")
    result = run("evaluate", model, path, *(["--label", "day"] if hint else []))
    assert f"warning: {path}: no label is a class of the model.{hint}\n" in result.stderr
    assert "The model does not know 2 of the classes: monday, tuesday" in result.stdout
    if hint:
        assert "is a class of the model" not in run("evaluate", model, path, "--label", "team").stderr


def test_evaluate_without_labels_raises_an_error(model: Path, tmp_path: Path, run: Run) -> None:
    (tmp_path / "x.txt").write_text("just text")
    result = run("evaluate", model, tmp_path / "x.txt", exit_code=1)
    assert "no document has a label" in result.stderr
    assert "--label" in result.stderr


@pytest.mark.parametrize("width", [100, 80, 60, 50, 30])
def test_numbers_are_never_cut_and_lines_are_wrapped(
    width: int, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [(text, f"the.class.of.{label}.and.so.on") for text, label in documents()]
    path, model = write_csv(tmp_path / "x.csv", rows), tmp_path / "m"
    run("train", path, "-o", model)
    monkeypatch.setenv("COLUMNS", str(width))
    for printed, titles in (
        (run("evaluate", model, path).stdout, ["docs", "predicted", "precision", "recall", "F1"]),
        (run("info", model).stdout, ["docs", "held out", "precision", "recall", "F1"]),
    ):
        header, rule, *body = printed[printed.index("\nclass ") + 1 :].splitlines()[:5]
        assert all(f" {title}" in header for title in titles)
        assert len([line for line in body if line.count(" 1.000") == 3 and " 20 " in line]) == 3, printed
        longest = max(map(len, printed.splitlines()))
        assert longest <= max(width, len(rule))
        if width >= 60:
            assert longest <= width


# -- explain -----------------------------------------------------------------------------------------------------


def test_explain_has_the_contributions_of_the_library(model: Path, run: Run, ask: Ask) -> None:
    text = "the striker and the goal, the goal"
    outcome = ask("explain", model, text)
    assert outcome["predicted"] == "sport"
    assert outcome["classes"][0]["label"] == "sport"
    for row in outcome["classes"]:
        added = row["intercept"] + sum(part["contribution"] for part in row["contributions"])
        assert added == pytest.approx(row["score"], abs=1e-12)
    printed = run("explain", model, text).stdout
    assert "Predicted: sport" in printed
    first = rows(printed.partition("\n\n")[2].partition("\n\n")[0])
    part = next(part for part in outcome["classes"][0]["contributions"] if part["term"] == "goal")
    assert first["goal"] == ["2", f"{part['weight']:.4f}", f"{part['contribution']:+.4f}"]
    assert first["="] == ["score", f"{outcome['classes'][0]['score']:+.4f}"]


def test_explain_a_number_of_classes_and_terms(model: Path, run: Run, ask: Ask) -> None:
    assert len(ask("explain", model, "goal", "--classes", 1)["classes"]) == 1
    assert [row["label"] for row in ask("explain", model, "goal", "--label", "science")["classes"]] == ["science"]
    assert "(2 other terms)" in run("explain", model, "the goal and striker number1", "-n", 3).stdout
    assert "(1 other term)" in run("explain", model, "the goal and striker number1", "--show", 4).stdout
    result = run("explain", model, "goal", "--label", "crime", exit_code=1)
    assert "--label crime: there is no such class; the classes are ['politics', 'science', 'sport']" in result.stderr


def test_explain_standard_input_and_a_text_without_known_terms(model: Path, run: Run, ask: Ask) -> None:
    assert ask("explain", model, "-", input="the\nstriker\n")["predicted"] == "sport"
    printed = run("explain", model, "xyzzy").stdout
    assert "No term of the text is known to the model, so the most frequent class is taken" in printed


def test_explain_a_multilabel_model(tagger: Path, run: Run, ask: Ask) -> None:
    outcome = ask("explain", tagger, "goal striker budget vote")
    assert outcome["predicted"] == ["politics", "sport"]
    assert all(row["threshold"] is not None for row in outcome["classes"])
    assert "Predicted: politics, sport" in run("explain", tagger, "goal striker budget vote").stdout


# -- terms -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["terms", "explain"])
def test_the_number_of_terms_is_not_given_twice(verb: str, news: Path, model: Path, run: Run) -> None:
    arguments = ["terms", news] if verb == "terms" else ["explain", model, "goal"]
    names = "-k, --terms" if verb == "terms" else "--terms"
    for shown in ("-n", "--show"):
        printed = run(*arguments, shown, 20 if verb == "terms" else 15, "--terms", 6, exit_code=2).stderr
        assert f"{names} and -n, --show are the same option; leave out one." in " ".join(printed.split())


@pytest.mark.parametrize("selector", SELECTORS)
def test_terms_has_the_scores_of_the_selector(selector: str, news: Path, run: Run, ask: Ask) -> None:
    outcome = ask("terms", news, "--selector", selector, "--stop-words", "english", "-k", 5)
    assert (outcome["n_documents"], len(outcome["terms"])) == (60, 5)
    scores = [term["score"] for term in outcome["terms"]]
    if selector != "forward":  # its terms are in the order of selection
        assert scores == sorted(scores, reverse=True)
    for row in outcome["classes"]:
        assert row["documents"] == 20
        assert {term["term"] for term in row["terms"]} <= set(SUBJECTS[row["label"]])
    printed = run("terms", news, "--selector", selector, "--stop-words", "english", "-k", 5).stdout
    assert all(term["term"] in printed for term in outcome["terms"])
    assert all(label in printed for label in SUBJECTS)


def test_testors_of_each_class(news: Path, run: Run, ask: Ask) -> None:
    outcome = ask("terms", news, "--selector", "testors", "--selector-option", "epsilon=0.2", "-k", 3)
    texts, labels = zip(*textsieve.read(news), strict=True)
    counter, weighter = textsieve.TermCounter(), textsieve.TermWeighter(idf="plain")
    weights = weighter.fit_transform(counter.fit_transform(texts))
    selector = textsieve.TypicalTestors(epsilon=0.2).fit(weights, labels)
    names = counter.get_feature_names_out()
    for row in outcome["classes"]:
        selected = set(names[selector.class_terms_[row["label"]]])
        assert {term["term"] for term in row["terms"]} <= selected
        assert len(row["terms"]) == min(3, len(selected))
        shortest = selector.shortest_testors(row["label"], limit=1)
        assert row["shortest_testor"] == names[list(shortest.testors[0])].tolist()
        assert row["is_proved_shortest"] is True
        assert row["indistinguishable_from"] == list(shortest.indistinguishable_from)
    assert outcome["scores_are_exact"] is selector.scores_are_exact_ is True
    printed = run("terms", news, "--selector", "testors", "--selector-option", "epsilon=0.2").stdout
    assert "shortest testor" in printed
    assert "shortest testor" not in run("terms", news).stdout
    assert "sample" not in printed
    assert "but not from" not in printed
    assert "shortest_testor" not in ask("terms", news)["classes"][0]
    assert "scores_are_exact" not in ask("terms", news)


def test_indistinguishable_classes_are_named_beside_the_shortest_testor(tmp_path: Path, run: Run, ask: Ask) -> None:
    table = tmp_path / "same.csv"
    table.write_text("text,label\ngoal,sport\ngoal,football\nballot,politics\n", encoding="utf-8")
    outcome = {row["label"]: row for row in ask("terms", table, "--selector", "testors")["classes"]}
    assert outcome["sport"]["shortest_testor"] == outcome["football"]["shortest_testor"] == ["goal"]
    assert outcome["sport"]["indistinguishable_from"] == ["football"]
    assert outcome["football"]["indistinguishable_from"] == ["sport"]
    assert outcome["politics"]["indistinguishable_from"] == []
    printed = run("terms", table, "--selector", "testors").stdout
    assert "but not from" in printed
    assert re.search(r"sport +1 +goal +football", printed)


def test_terms_shows_the_thresholds_of_testors_and_the_number_of_selected_terms(
    news: Path, run: Run, ask: Ask, tmp_path: Path
) -> None:
    given = ("--selector", "testors", "--selector-option", "epsilon=0.2")
    outcome = ask("terms", news, *given, "-k", 3)
    texts, labels = zip(*textsieve.read(news), strict=True)
    counter, weighter = textsieve.TermCounter(), textsieve.TermWeighter(idf="plain")
    weights = weighter.fit_transform(counter.fit_transform(texts))
    selector = textsieve.TypicalTestors(epsilon=0.2).fit(weights, labels)
    assert len(outcome["terms"]) == 3
    assert outcome["n_selected"] == selector.get_support().sum() > 3
    assert (outcome["epsilon"], outcome["delta"]) == (0.2, 0.15)
    printed = run("terms", news, *given, "-k", 3).stdout
    selected = f"{outcome['n_selected']} of them selected by testors with epsilon 0.2 and delta 0.15"
    assert f"3 classes, {outcome['n_terms']} terms, {selected}" in printed
    assert "score: the share of the typical testors of a class that contain the term" in " ".join(printed.split())
    assert f"3 of the {outcome['n_selected']} selected terms are shown" in printed
    assert "are shown" not in run("terms", news, *given, "-k", 99).stdout
    assert "n_selected" not in ask("terms", news)
    assert "score: " not in run("terms", news).stdout


def test_train_and_info_show_the_thresholds_of_testors(news: Path, run: Run, ask: Ask, tmp_path: Path) -> None:
    given = ("train", news, "-o", tmp_path / "m", "--selector", "testors")
    outcome = ask(*given, "-k", 14)
    thresholds = outcome["testors"]
    assert thresholds["delta"] == 0.15
    assert 0.15 < thresholds["epsilon"] < 1
    assert ask("info", tmp_path / "m")["testors"] == thresholds
    by = f"selected by testors with epsilon {thresholds['epsilon']:.4g} and delta 0.15"
    assert f"{outcome['n_terms']} of 24 terms {by}; classifier svm" in run(*given, "-k", 14).stdout
    assert f"{outcome['n_terms']} of 24 terms {by}; one label a document" in run("info", tmp_path / "m").stdout
    assert "testors" not in ask("train", news, "-o", tmp_path / "m")
    every = ask(*given, "-k", "all")
    left = every["n_terms_seen"] - every["n_terms"]
    assert left > 0
    assert f"The other {left} terms are in no typical testor" in run(*given, "-k", "all").stdout
    assert "in no typical testor" not in run(*given, "-k", 14).stdout


def test_a_list_of_terms_that_is_cut_ends_in_etc(news: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    lines = run("terms", news, "--selector", "testors", "--selector-option", "epsilon=0.2").stdout.splitlines()
    cut = [line for line in lines if line.rstrip().endswith(", etc.")]
    assert len(cut) == 3, lines
    assert all(len(line) <= 50 for line in lines)
    monkeypatch.setenv("COLUMNS", "300")
    assert "etc." not in run("terms", news, "--selector", "testors", "--selector-option", "epsilon=0.2").stdout


def test_the_marks_of_ngrams_are_explained_where_terms_are_listed(news: Path, run: Run, tmp_path: Path) -> None:
    model = tmp_path / "m.sieve"
    for options, explained in (
        (["--char-ngrams", "3"], "Terms with ▁ or … are n-grams of characters: ▁ is the space before or after a word"),
        (["--analyzer", "char_wb", "--ngrams", "3"], "Terms with ▁ or … are n-grams of characters"),
        (["--analyzer", "char", "--ngrams", "3"], "▁ is a space in an n-gram of characters."),
        (["--analyzer", "word"], ""),
    ):
        outputs = [run("train", news, "-o", model, "--held-out", "0", *options).stdout, run("info", model).stdout]
        outputs += [run("terms", news, *options).stdout, run("explain", model, "striker").stdout]
        for output in outputs:
            if "▁" in output.replace(explained, ""):
                assert explained
                assert explained in output
        assert ("▁" in outputs[2]) == bool(explained)  # others list words in place of their n-grams


@pytest.mark.parametrize("verb", ["train", "terms"])
def test_identical_documents_raise_an_error(verb: str, tmp_path: Path, run: Run) -> None:
    path = write_csv(tmp_path / "ident.csv", [("same words here", label) for label in ["x", "y", "z"] * 9])
    output = ["-o", tmp_path / "m"] if verb == "train" else []
    printed = run(verb, path, *output, "--selector", "testors", exit_code=1).stderr
    assert "ident.csv: No class has a term with a mean weight above 0" in printed
    assert "A term that every document has weighs 0 by its idf" in printed


def test_errors_about_settings_do_not_name_the_file(news: Path, run: Run) -> None:
    for option, message, exit_code in (
        ("epsilon=x", "epsilon='x'; use a number", 2),
        ("delta=0", "delta=0; use a number", 2),
        ("depth=3", "--selector-option: 'testors' has no option 'depth'", 2),
        ("epsilon=7", "epsilon=7.0: it is above every", 1),
    ):
        printed = run("terms", news, "--selector", "testors", "--selector-option", option, exit_code=exit_code).stderr
        assert printed.startswith(f"error: {message}")
        assert news.name not in printed


@pytest.mark.parametrize("verb", ["train", "terms"])
def test_wrong_usage_exits_before_a_file_is_read(verb: str, tmp_path: Path, run: Run) -> None:
    output = ["-o", tmp_path / "m"] if verb == "train" else []
    given = ("--selector", "testors", "--selector-option", "epsilon=x")
    assert "epsilon='x'" in run(verb, tmp_path / "none.csv", *output, *given, exit_code=2).stderr


def test_estimated_scores_have_a_note(news: Path, run: Run, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "textsieve.selectors.testors.estimator.shares_of_testors",
        lambda basic, *_: Shares(np.full(basic.shape[1], 0.5), exact=False),
    )
    assert ask("terms", news, "--selector", "testors")["scores_are_exact"] is False
    assert "scores are estimated from a sample" in run("terms", news, "--selector", "testors").stdout


def test_a_shortest_testor_that_is_not_proved_is_marked(
    news: Path, run: Run, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    given_up = Shortest([(0,)], 1, False)
    monkeypatch.setattr("textsieve.selectors.testors.estimator.shortest_transversals", lambda *_: given_up)
    assert ask("terms", news, "--selector", "testors")["classes"][0]["is_proved_shortest"] is False
    assert "the search was stopped early" in run("terms", news, "--selector", "testors").stdout


def test_terms_are_those_that_the_selector_selects(news: Path, ask: Ask) -> None:
    texts, labels = zip(*textsieve.read(news), strict=True)
    counter, weighter = textsieve.TermCounter(), textsieve.TermWeighter(idf="plain")
    weights = weighter.fit_transform(counter.fit_transform(texts))
    selector = textsieve.OCFS(k=7).fit(weights, labels)
    outcome = ask("terms", news, "-n", 7)
    best = selector.ranking_[:7]
    assert [term["term"] for term in outcome["terms"]] == counter.get_feature_names_out()[best].tolist()
    assert [term["score"] for term in outcome["terms"]] == pytest.approx(selector.scores_[best].tolist(), rel=1e-5)


def test_terms_of_a_stream_are_the_same(news: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = {name: ask("terms", news, "--selector", name) for name in ("ocfs", "chi")}
    monkeypatch.setattr("textsieve.training.counted_documents.MAX_VALUES", 50)
    for name, expected in whole.items():
        outcome = ask("terms", news, "--selector", name)
        assert [term["term"] for term in outcome["terms"]] == [term["term"] for term in expected["terms"]]
        for row, other in zip(outcome["classes"], expected["classes"], strict=True):
            assert row["label"] == other["label"]
            assert [term["score"] for term in row["terms"]] == pytest.approx(
                [term["score"] for term in other["terms"]], rel=1e-5
            )


def test_terms_of_vectors(tmp_path: Path, run: Run, ask: Ask) -> None:
    path = tmp_path / "x.svm"
    path.write_text("1 1:2 3:1\n2 2:1 3:1\n" * 5)
    outcome = ask("terms", path, "-k", 2)
    assert {term["term"] for term in outcome["terms"]} == {"#0", "#1"}
    assert [row["terms"][0]["term"] for row in outcome["classes"]] == ["#0", "#1"]
    assert "#0" in run("terms", path, "--selector", "chi").stdout


def test_terms_with_options_and_fewer_terms_than_requested(news: Path, run: Run, ask: Ask) -> None:
    outcome = ask("terms", news, "-k", 1000, "--ngrams", "2", "--min-df", 5)
    assert len(outcome["terms"]) == outcome["n_terms"] < 1000
    assert all(" " in term["term"] for term in outcome["terms"])
    assert (
        "pooling='best'"
        in run(*("terms", news, "--selector", "chi", "--selector-option", "pooling=best"), exit_code=1).stderr
    )


# -- info --------------------------------------------------------------------------------------------------------


def test_info_has_the_figures_of_the_model(model: Path, run: Run, ask: Ask) -> None:
    outcome = ask("info", model)
    assert outcome["bytes"] == model.stat().st_size
    assert outcome["settings"]["selector"] == "forward"
    assert outcome["versions"]["textsieve"] == textsieve.__version__
    assert outcome["trained"]
    assert [row["label"] for row in outcome["classes"]] == sorted(SUBJECTS)
    assert "terms" not in outcome
    printed = run("info", model).stdout
    for part in (
        model.name,
        outcome["trained"],
        "60 documents",
        "3 classes",
        "24 of 24 terms",
        "'forward'",
        "micro-F1",
        "sport",
    ):
        assert part in printed


def test_info_shows_how_many_documents_were_held_out(model: Path, run: Run, ask: Ask) -> None:
    held_out = {row["label"]: row["held_out"]["documents"] for row in ask("info", model)["classes"]}
    printed = run("info", model).stdout
    assert "docs  held out  precision" in printed
    assert {label: rows(printed)[label][:2] for label in SUBJECTS} == {
        label: ["20", str(held_out[label])] for label in SUBJECTS
    }
    assert set(held_out.values()) == {4}


def test_info_lists_the_terms(model: Path, run: Run, ask: Ask) -> None:
    terms = textsieve.load(model).terms_
    assert run("info", model, "--terms").stdout.splitlines() == terms
    assert ask("info", model, "--terms")["terms"] == terms


def test_info_of_a_model_made_in_python(tmp_path: Path, run: Run, ask: Ask) -> None:
    texts, labels = zip(*documents(), strict=True)
    numbers = [sorted(SUBJECTS).index(label) for label in labels]
    textsieve.Categorizer(class_weight={0: 2.0}, stop_words=["the"]).fit(texts, numbers).save(tmp_path / "m")
    assert [row["label"] for row in ask("info", tmp_path / "m")["classes"]] == [0, 1, 2]
    assert "class_weight" in run("info", tmp_path / "m").stdout
    line = json.loads(run("predict", tmp_path / "m", "-", "--scores", input="the striker\n").stdout)
    assert line["label"] == 2
    assert set(line["scores"]) == {"0", "1", "2"}


@pytest.mark.parametrize(
    "about",
    [{"held_out": 5}, {"curve": [1]}, {"n_documents": "x"}, {"testors": {"epsilon": "x", "delta": 1}}, {"testors": 1}],
)
def test_invalid_descriptions_of_a_model_raise_an_error(
    about: dict[str, Any], model: Path, tmp_path: Path, run: Run
) -> None:
    header, arrays = unpack(KIND, model.read_bytes())
    (tmp_path / "odd").write_bytes(pack(KIND, header | {"about": about}, arrays))
    assert "about is not what textsieve writes" in run("info", tmp_path / "odd", exit_code=1).stderr
    run("predict", tmp_path / "odd", "-", input="the striker\n", exit_code=1)


@pytest.mark.parametrize("about", [{}, {"later": {"n": "x"}}])
def test_info_of_a_model_with_little_description(about: dict[str, Any], model: Path, tmp_path: Path, run: Run) -> None:
    header, arrays = unpack(KIND, model.read_bytes())
    (tmp_path / "odd").write_bytes(pack(KIND, header | {"about": about}, arrays))
    run("info", tmp_path / "odd")
    run("info", tmp_path / "odd", "--json")


def test_no_control_characters_reach_the_terminal(model: Path, tmp_path: Path, run: Run) -> None:
    header, arrays = unpack(KIND, model.read_bytes())
    header["about"]["versions"] = {"textsieve": "\x1b[31m"}
    (tmp_path / "odd").write_bytes(pack(KIND, header, arrays))
    assert "\x1b" not in run("info", tmp_path / "odd").stdout


def test_info_of_unknown_settings(model: Path, tmp_path: Path, run: Run) -> None:
    header, arrays = unpack(KIND, model.read_bytes())
    header["settings"]["class_weight"] = [1, 2]
    (tmp_path / "odd").write_bytes(pack(KIND, header, arrays))
    assert "class_weight is [1, 2]" in run("info", tmp_path / "odd", exit_code=1).stderr


def test_a_label_can_mean_unlabelled(tmp_path: Path, ask: Ask, run: Run) -> None:
    path = tmp_path / "signs.csv"
    rows = ["-1,dull weak", "1,bright strong", "0,plain even"] * 4
    path.write_text("label,text\n" + "\n".join(rows) + "\n")
    every = ask("terms", path, "--selector", "tofa", "-k", 2)
    assert [row["label"] for row in every["classes"]] == ["-1", "0", "1"]
    assert 0 < every["weight"] < 1
    two = ask("terms", path, "--selector", "tofa", "-k", 2, "--selector-option", "unlabelled=-1")
    assert [row["label"] for row in two["classes"]] == ["0", "1"]
    weightless = ask("terms", path, "--selector", "tofa", "-k", 2, "--selector-option", "weight=0")
    assert {term["term"] for term in weightless["classes"][0]["terms"]} == {"dull", "weak"}
    assert (
        "scored by tofa with weight 0.5"
        in run("terms", path, "--selector", "tofa", "--selector-option", "weight=0.5").stdout
    )
    path.write_text("label,text\nfish,one two\nfish,two three\n")
    assert "means none" not in run("terms", path, "--selector", "tofa", exit_code=1).output


def test_evaluate_writes_a_page_with_examples(run: Run, model: Path, tmp_path: Path) -> None:
    rows = [*documents(5), ("the goal of the <script>keeper", "science")]
    page = tmp_path / "page.html"
    run("evaluate", model, write_csv(tmp_path / "test.csv", rows), "--report", page)
    html = page.read_text(encoding="utf-8")
    assert "Confused classes" in html
    assert "line 17" in html
    assert "<script" not in html
    message = run("evaluate", model, tmp_path / "test.csv", "--report", tmp_path / "no" / "page.html", exit_code=1)
    assert "no" in message.output
    assert not (tmp_path / "no").exists()


def test_earlier_names_of_options_still_work(model: Path, news: Path, run: Run) -> None:
    """-k is the number of terms to select in other commands, so it is no longer in the help of those that only show."""
    for arguments, new, *earlier in (
        (["explain", model, "the goal and striker number1"], "--show", "--terms"),
        (["terms", news], "-n", "-k", "--terms"),
    ):
        shown = run(*arguments, new, 3).stdout
        assert shown != run(*arguments).stdout
        for name in earlier:
            assert run(*arguments, name, 3).stdout == shown
            assert f"{name} " not in run(arguments[0], "--help").stdout.replace("--show", "")
