"""The configuration for Prometheus on the page about monitoring fits the metrics of the service, and is complete."""

from __future__ import annotations

import re

from tests.docs.running import DOCS
from textsieve.serve.metrics import open_metrics

PAGE = (DOCS / "how-to" / "serve-monitor.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^```yaml\n# (\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))


def test_every_metric_on_the_page_exists() -> None:
    with open_metrics(1) as metrics:
        exposed = set(re.findall(r"^# TYPE (\w+)", metrics.text("model", "id", 0).decode(), re.MULTILINE))
    named = set(re.findall(r"\btextsieve_\w+", PAGE)) - {"textsieve_token"}
    assert {name.removesuffix("_bucket") for name in named} - exposed == set()
    assert len(named) > 8


def test_the_scrape_configuration_loads_the_rules() -> None:
    assert FILES.keys() == {"prometheus.yml", "rules.yml"}
    assert re.search(r"^rule_files: \[rules\.yml\]$", FILES["prometheus.yml"], re.MULTILINE)
