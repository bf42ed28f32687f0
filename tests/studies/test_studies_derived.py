"""Measurements that are derived from others, each of which is measured only once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import pytest
from studies.claim_texts import measured_text
from studies.judging import judge
from studies.measurements import Estimate, Largest, MeanOf, Measurement, ReportStep, Scope, WhereLargest
from studies.paper import MICRO_F1, Cell, Claim, Item, Paper, PaperRequest
from studies.reproduction import measure

calls: list[float] = []


@dataclass(frozen=True)
class Given(Measurement):
    """A measurement whose number is given."""

    number: float | None

    @classmethod
    def measure_all(
        cls, requested: Sequence[Self], scope: Scope, report_step: ReportStep
    ) -> Iterator[tuple[Self, Estimate]]:
        """Record each measurement, and yield its number."""
        for measurement in requested:
            calls.append(measurement.number or 0.0)
            yield (
                measurement,
                Estimate(measurement.number, 0.5, None if measurement.number is not None else "nothing there"),
            )


def item_of(*conditions: Cell, claims: tuple[Claim, ...] = ()) -> Item:
    """Return an item with these measurements."""
    return Item("table1", "numbers", MICRO_F1, conditions, claims=claims)


def test_parts_are_measured_once_and_stored(tmp_path: object) -> None:
    """A measurement may be a part of several others and have a cell of its own."""
    calls.clear()
    parts = Given(0.25), Given(0.75), Given(0.5)
    measurements = [
        Largest(parts),
        WhereLargest(parts, (1.0, 2.0, 3.0)),
        MeanOf(parts),
        MeanOf(parts, are_draws=False),
        Largest((MeanOf(parts[:2]), parts[2])),
        parts[0],
    ]
    item = item_of(*(Cell("row", number, measurement) for number, measurement in enumerate(measurements)))
    requests = [PaperRequest(Paper("one", "One", "", (item,)), [item])]
    for _ in range(2):
        estimates, _ = measure(requests, Scope(), f"{tmp_path}/r.jsonl", lambda *_: None)
        assert sorted(calls) == [0.25, 0.5, 0.75]
        assert estimates[measurements[0]] == Estimate(0.75, 0.5)
        assert estimates[measurements[1]] == Estimate(2.0)
        mean = estimates[measurements[2]]
        assert mean.value == 0.5
        assert mean.half_width is not None
        assert mean.half_width > 0.25
        assert estimates[measurements[3]] == Estimate(0.5)
        assert estimates[measurements[4]].value == 0.5
        assert estimates[measurements[5]] == Estimate(0.25, 0.5)


def test_of_equal_numbers_the_first_place_is_returned_and_a_part_without_number_is_a_problem() -> None:
    """Test `measure_all` without a paper."""
    parts = Given(0.5), Given(0.5)
    ((_, where),) = WhereLargest.measure_all([WhereLargest(parts, (7.0, 8.0))], Scope(), lambda _: None)
    assert where == Estimate(7.0)
    ((_, none),) = Largest.measure_all([Largest((*parts, Given(None)))], Scope(), lambda _: None)
    assert none == Estimate(None, problem="nothing there")


@pytest.mark.parametrize(("number", "verdict"), [(0.81, "agrees"), (0.79, "differs")])
def test_a_claim_may_be_against_a_number(number: float, verdict: str) -> None:
    """The paper may say "above .8"."""
    item = item_of(Cell("row", 1, Given(number)), claims=(Claim("above .8", "row", 0.8),))
    (judged,) = judge(item, {Given(number): Estimate(number)}).claims
    assert judged.verdict == verdict
    assert "row against 0.8" in measured_text(judged, item)
