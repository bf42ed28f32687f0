"""Printed explanations and reports are a few readable lines."""

from tests.reference.categorizer_cases import plain_categorizer

import textsieve

TEXTS = ["goal keeper striker", "goal penalty", "vote budget", "budget minister", "atom", "proof theory", "sea", "ship"]
LABELS = ["sport", "sport", "politics", "politics", "science", "science", "travel", "travel"]


def trained() -> textsieve.Categorizer:
    return plain_categorizer().fit(TEXTS, LABELS)


def test_an_explanation_is_a_few_lines() -> None:
    explained = trained().explain("goal " + " ".join(TEXTS[:4]))
    first, best, *others, rest = str(explained).splitlines()
    assert first == f"Predicted: {explained.predicted}"
    top = explained.classes[0]
    assert best.startswith(f"{top.label}: {top.score:.3f} = {top.contributions[0].term} ")
    assert best.endswith(
        f", (1 other term) {sum(c.contribution for c in top.contributions[6:]):+.3f}, (intercept) {top.intercept:+.3f}"
    )
    assert len(others) == 2
    assert rest == "and 1 other class"
    assert repr(explained) == f"<Explanation of {explained.predicted}: 4 classes>"


def test_an_explanation_without_known_terms_says_so() -> None:
    printed = str(trained().explain("xyzzy"))
    assert printed.startswith("Predicted: politics\nNo term of the text is known to the model")


def test_a_multilabel_explanation_shows_all_labels() -> None:
    model = textsieve.Categorizer(folds=2).fit(TEXTS, [[label] for label in LABELS])
    explained = model.explain("goal")
    labels = explained.predicted
    assert isinstance(labels, tuple)
    assert str(explained).startswith("Predicted: " + (", ".join(map(str, labels)) or "no label"))


def test_a_report_is_a_table() -> None:
    report = trained().evaluate(TEXTS, ["sport", "politics", *LABELS[2:]])
    first, titles, *rows = str(report).splitlines()
    assert first == "8 documents: micro-F1 0.875, macro-F1 0.867, accuracy 0.875"
    assert titles.split() == ["class", "docs", "predicted", "precision", "recall", "F1"]
    assert [row.split() for row in rows][:3] == [
        ["politics", "3", "2", "1.000", "0.667", "0.800"],
        ["science", "2", "2", "1.000", "1.000", "1.000"],
        ["sport", "1", "2", "0.500", "1.000", "0.667"],
    ]
    assert len({len(row) for row in rows}) == 1
    assert repr(report) == f"<Report of {first}>"


def test_a_report_of_many_classes_is_shortened() -> None:
    labels = [f"class{number}" for number in range(60)]
    report = textsieve.Categorizer().fit([f"word{n}" for n in range(60)], labels).evaluate(["word1"], ["class1"])
    assert str(report).startswith("1 document: micro-F1")
    assert str(report).splitlines()[-1] == "and 10 more, in rows()"
