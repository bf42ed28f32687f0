"""Load by wrk: what it counts."""

from __future__ import annotations

from pathlib import Path

from benchmarks.serve_wrk import has_wrk, run_wrk

from tests import depth
from tests.serve.expected import get, post
from tests.serve.load_clients import measured_server


def test_wrk_counts_responses_and_errors(models: dict[str, Path]) -> None:
    if not has_wrk():
        depth.absent("wrk is not installed")
    requests = [(post("/v1/predict", {"texts": ["a late goal", "ünknown"]}), 200, None), (get("/nowhere"), 404, None)]
    with measured_server(models["single"]) as server:
        outcome = run_wrk(server, 4, 1, requests)
    assert outcome["responses"] > 100
    assert abs(outcome["wrong"] / outcome["responses"] - 0.5) < 0.1
    assert outcome["lost"] == 0
    assert 0 < outcome["p50"] <= outcome["p99"] <= outcome["p999"]
    assert outcome["server"] > 0
    assert outcome["worked"] > 0
