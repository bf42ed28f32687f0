"""The cross-validation of the default beside other pipelines: folds, differences, verdicts and resuming."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

import numpy as np
import pytest
from benchmarks.defaults_terms import (
    DEFAULT,
    N_FOLDS,
    N_REPEATS,
    CrossValidated,
    Difference,
    Parts,
    Score,
    best_pipeline,
    cross_validate,
    cross_validated,
    difference,
    difference_table,
)
from scipy.stats import t

from benchmarks import defaults_terms
from textsieve.comparison.summary import p_of_mean_lead

LABELS = ["boat", "tree", "zoo"] * 20
TEXTS = [f"{label} {number}" for number, label in enumerate(LABELS)]
Texts = Sequence[str]


def first_words(_texts: Texts, _labels: Texts, others: Texts) -> list[str]:
    """Predict the first word of a text, which is its label."""
    return [text.split()[0] for text in others]


def always_boat(_texts: Texts, _labels: Texts, others: Texts) -> list[str]:
    return ["boat" for _ in others]


def validated(**accuracies: Sequence[float]) -> CrossValidated:
    """Return the results of pipelines with some accuracies; `own` stands for the default."""
    names = {"own": DEFAULT}
    scores = {names.get(name, name): [Score(value, value / 2) for value in of] for name, of in accuracies.items()}
    return CrossValidated(60, scores)


def test_each_document_is_tested_once_in_each_repeat_and_each_class_in_each_fold() -> None:
    tested: list[str] = []

    def predict(texts: Texts, labels: Texts, others: Texts) -> list[str]:
        assert not set(texts) & set(others)
        assert len(texts) + len(others) == len(TEXTS)
        assert labels == first_words([], [], texts)
        assert set(first_words([], [], others)) == set(LABELS)
        tested.extend(others)
        return first_words(texts, labels, others)

    assert cross_validate(TEXTS, LABELS, predict) == [Score(1.0, 1.0)] * (N_FOLDS * N_REPEATS)
    assert set(Counter(tested).values()) == {N_REPEATS}
    n_per_repeat = len(TEXTS)
    repeats = [tested[begin : begin + n_per_repeat] for begin in range(0, len(tested), n_per_repeat)]
    assert all(set(repeat) == set(TEXTS) for repeat in repeats)
    assert repeats[0] != repeats[1]  # another division


def test_pipelines_are_tested_on_the_same_folds() -> None:
    seen: list[list[Texts]] = [[], []]
    for tested in seen:

        def predict(_texts: Texts, _labels: Texts, others: Texts, tested: list[Texts] = tested) -> Texts:
            tested.append(others)
            return others

        cross_validate(TEXTS, LABELS, predict)
    assert seen[0] == seen[1]


def test_classes_with_fewer_documents_than_folds_are_no_error(recwarn: pytest.WarningsRecorder) -> None:
    scores = cross_validate([*TEXTS, "ape 1"], [*LABELS, "ape"], always_boat)
    assert len(scores) == N_FOLDS * N_REPEATS
    assert not recwarn.list


def test_the_interval_is_wider_than_that_of_independent_folds() -> None:
    """The half width agrees with the corrected t-test: at its end, the p-value of the lead is .05."""
    leads = np.linspace(-0.01, 0.04, N_FOLDS * N_REPEATS)
    result = difference(validated(own=[0.5 + lead for lead in leads], other=[0.5] * len(leads)), "other", "accuracy")
    assert result.mean == pytest.approx(leads.mean())
    shifted = (leads - leads.mean() + result.half_width).tolist()
    assert p_of_mean_lead(shifted, 1 / (N_FOLDS - 1)) == pytest.approx(0.05)
    independent = t.ppf(0.975, len(leads) - 1) * leads.std(ddof=1) / np.sqrt(len(leads))
    assert result.half_width > 1.5 * independent


@pytest.mark.parametrize(
    ("lead", "half_width", "verdict"),
    [
        (-0.010, 0.004, "behind"),
        (-0.010, 0.006, "open"),
        (-0.004, 0.002, "open"),
        (-0.004, 0.0005, "not behind"),
        (0.010, 0.010, "not behind"),
        (0.010, 0.020, "open"),
    ],
)
def test_a_verdict_needs_an_interval_on_one_side_of_half_a_point(lead: float, half_width: float, verdict: str) -> None:
    assert Difference(lead, half_width).verdict == verdict


def test_the_best_pipeline_is_that_of_the_best_mean_and_never_the_default() -> None:
    results = validated(own=[1.0, 1.0], lucky=[0.9, 0.1], steady=[0.6, 0.6])
    assert best_pipeline(results, "accuracy") == "steady"
    assert best_pipeline(results, "macro_f1") == "steady"
    assert difference(results, "steady", "accuracy").mean == pytest.approx(0.4)
    assert difference(results, "steady", "macro_f1").mean == pytest.approx(0.2)


def test_a_fold_is_behind_if_any_pipeline_is_ahead_by_more_than_half_a_point() -> None:
    results = validated(own=[0.5, 0.5, 0.5, 0.5], lucky=[0.504, 0.51, 0.1, 0.1], steady=[0.4, 0.4, 0.506, 0.49])
    assert defaults_terms.n_folds_behind(results) == 2


def test_the_table_is_sorted_and_its_summary_counts() -> None:
    many = N_FOLDS * N_REPEATS
    wavering = [0.5, 0.6] * (many // 2) + [0.5]
    table = difference_table(
        {
            "good": validated(own=[0.6] * many, other=[0.5] * many),
            "bad": validated(own=[0.4] * many, other=[0.5] * many, worse=[0.3] * many),
            "unclear": validated(own=[0.5] * many, other=wavering),
        }
    )
    rows = [line.split(" | ") for line in table.splitlines() if line.startswith("| ")][2:]
    assert [row[0] for row in rows] == ["| bad", "| unclear", "| good"]
    assert [row[6] for row in rows] == ["behind", "open", "not behind"]
    assert [row[7] for row in rows] == [f"{n} of {many} |" for n in (many, many // 2, 0)]
    assert rows[0][1:6] == ["60", "0.400", "other", "-10.0 ± 0.0", "-5.0 ± 0.0"]
    assert rows[1][4].startswith(f"{100 * (0.5 - mean(wavering)):+.1f} ± ")
    assert table.splitlines()[-1] == (
        "Of 3 corpora, the mean is more than half a point behind on 2; by the intervals, the default is behind on 1, "
        "not on 1, and 1 are open. "
        f"On {many + many // 2} of {3 * many} single folds, it is more than half a point behind the best pipeline of "
        "the fold."
    )


def test_an_interrupted_run_measures_only_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def counted(name: str) -> defaults_terms.Predictor:
        def predict(texts: Texts, labels: Texts, others: Texts) -> list[str]:
            calls.append(name)
            if name == "broken":
                raise KeyboardInterrupt
            return first_words(texts, labels, others) if name == DEFAULT else always_boat(texts, labels, others)

        return predict

    parts = Parts(TEXTS[:40], LABELS[:40], TEXTS[40:], LABELS[40:])
    monkeypatch.setattr(defaults_terms, "read_parts", lambda name, folder: parts)
    monkeypatch.setattr(defaults_terms, "PIPELINES", {name: counted(name) for name in (DEFAULT, "broken")})
    with pytest.raises(KeyboardInterrupt):
        cross_validated(tmp_path, ["a corpus"])
    file = tmp_path / "terms" / "folds-a-corpus.json"
    assert list(json.loads(file.read_text())) == [DEFAULT]
    calls.clear()
    monkeypatch.setattr(defaults_terms, "PIPELINES", {name: counted(name) for name in (DEFAULT, "boats")})
    results = cross_validated(tmp_path, ["a corpus"])["a corpus"]
    assert set(calls) == {"boats"}
    assert results.n_documents == len(TEXTS)  # development and test documents
    assert results.scores[DEFAULT] == [Score(1.0, 1.0)] * (N_FOLDS * N_REPEATS)
    assert difference(results, "boats", "accuracy").mean == pytest.approx(2 / 3)


def test_the_command_prints_the_table_of_named_corpora(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = Parts(TEXTS, LABELS, TEXTS[:3], LABELS[:3])
    monkeypatch.setattr(defaults_terms, "read_parts", lambda name, folder: parts)
    monkeypatch.setattr(defaults_terms, "PIPELINES", {DEFAULT: first_words, "boats": always_boat})
    monkeypatch.setattr("sys.argv", ["defaults_terms", str(tmp_path), "cross-validate", "sms-spam", "questions"])
    defaults_terms.main()
    output = capsys.readouterr().out
    assert output.startswith("On 2 corpora.\n")
    assert output.count("| boats |") == 2
    assert "Of 2 corpora, the mean is more than half a point behind on 0;" in output


# -- the page ----------------------------------------------------------------------------------------------------------

PAGE = Path(defaults_terms.__file__).parents[1] / "docs" / "research" / "defaults-terms.md"


def section_of_page() -> str:
    (section,) = [
        part for part in PAGE.read_text(encoding="utf-8").split("\n## ") if part.startswith("Chance on small")
    ]
    return section


def rows_of_page() -> dict[str, list[str]]:
    """Return the cells of the table of differences, by corpus."""
    table = section_of_page().split("| corpus |")[1].split("\n\n")[0]
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]
    return {name: cells for name, *cells in lines}


def test_the_summary_on_the_page_counts_the_rows_of_its_table() -> None:
    text, rows = " ".join(section_of_page().split()), rows_of_page()
    leads = {name: [float(part) for part in cells[3].split(" ± ")] for name, cells in rows.items()}
    for name, cells in rows.items():
        lead, half = leads[name]
        if min(abs(lead - half + 0.5), abs(lead + half + 0.5)) > 0.1:  # otherwise, rounding decides
            assert cells[5] == Difference(lead / 100, half / 100).verdict
    verdicts = Counter(cells[5] for cells in rows.values())
    folds = [[int(number) for number in cells[6].split(" of ")] for cells in rows.values()]
    n_behind, n_folds = (sum(numbers) for numbers in zip(*folds, strict=True))
    assert n_folds == len(rows) * N_FOLDS * N_REPEATS
    assert (
        f"Of {len(rows)} corpora, the mean is more than half a point behind on "
        f"{sum(lead < -0.5 for lead, _ in leads.values())}; by the intervals, the default is behind on "
        f"{verdicts['behind']}, not on {verdicts['not behind']}, and {verdicts['open']} are open. On {n_behind} of "
        f"{n_folds} single folds, it is more than half a point behind"
    ) in text
    assert f"for these four corpora and {len(rows) - 4} others" in text


def test_the_sentence_on_four_corpora_has_the_leads_of_the_table() -> None:
    text, rows = " ".join(section_of_page().split()), rows_of_page()
    sentence = text[text.index("On the four corpora above") :]
    for name in ("applications-tr", "drug-reviews", "vaccine-stance", "questions"):
        assert f"{rows[name][3].split()[0]} (`{name}`)" in sentence
