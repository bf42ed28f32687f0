"""Claims that a lead is larger in some columns than in others, and figures whose horizontal positions are a row."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import pytest
from studies.figures import draw
from studies.judging import judge
from studies.measurements import Estimate, Measurement, ReportStep, Scope
from studies.paper import MACRO_F1, TERMS, Cell, Claim, Item


@dataclass(frozen=True)
class Known(Measurement):
    """A measurement whose number is given."""

    value: float

    @classmethod
    def measure_all(
        cls, requested: Sequence[Self], scope: Scope, report_step: ReportStep
    ) -> Iterator[tuple[Self, Estimate]]:
        """Raise an error, because the tests give the estimates."""
        raise NotImplementedError


NUMBERS = {
    "terms": {"few": 100.0, "some": 300.0, "many": 1000.0, "all": 5000.0},
    "ours": {"few": 0.6, "some": 0.5, "many": 0.5},
    "theirs": {"few": 0.4, "some": 0.45, "many": 0.5},
    "every term": {"all": 0.3},
}


def outcome(*claims: Claim, **more: Any) -> Any:
    conditions = tuple(
        Cell(row, column, Known(value), unit=TERMS if row == "terms" else None)
        for row, points in NUMBERS.items()
        for column, value in points.items()
    )
    item = Item("figure7", "of numbers", MACRO_F1, conditions, claims=claims, **more)
    return judge(
        item,
        {
            cell.measurement: Estimate(cell.measurement.value)
            for cell in conditions
            if isinstance(cell.measurement, Known)
        },
    )


@pytest.mark.parametrize(
    ("how", "few", "many", "here", "elsewhere", "verdict"),
    [
        ("difference", ("few",), ("many",), 0.2, 0.0, "agrees"),
        ("difference", ("many",), ("few", "some"), 0.0, 0.125, "differs"),
        ("difference", ("few", "many"), ("some",), 0.1, 0.05, "close"),
        ("relative", ("few",), ("some",), 0.6 / 0.4 - 1, 0.5 / 0.45 - 1, "agrees"),
        ("ratio", ("few",), ("some",), 0.6 / 0.4, 0.5 / 0.45, "agrees"),
    ],
)
def test_a_claim_may_say_that_a_lead_is_larger_than_in_other_columns(
    how: Any, few: Any, many: Any, here: float, elsewhere: float, verdict: str
) -> None:
    (judged,) = outcome(Claim("farther ahead", "ours", "theirs", few, more_than_at=many, how=how)).claims
    assert (judged.value, judged.elsewhere) == (pytest.approx(here), pytest.approx(elsewhere))
    assert judged.verdict == verdict


def test_points_are_drawn_over_the_numbers_of_the_row() -> None:
    drawn = draw(outcome(over="terms")).to_dict()
    points = [row for rows in drawn["datasets"].values() for row in rows if {"x", "y"} <= row.keys()]
    assert {(100.0, 0.6), (300.0, 0.5), (1000.0, 0.5), (100.0, 0.4)} <= {(row["x"], row["y"]) for row in points}
    assert not any(row["y"] > 1 for row in points)
    assert any(row["y"] == 0.3 for row in points)  # "every term" is drawn as a line to compare with
