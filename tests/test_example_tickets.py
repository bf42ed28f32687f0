"""The example tables of the documentation are those that their script writes."""

import csv
import runpy
from collections import Counter
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "docs" / "data"


def test_the_script_writes_the_same_bytes(tmp_path: Path) -> None:
    runpy.run_path(str(FOLDER / "make_tickets.py"))["make"](tmp_path)
    for name in ("tickets.csv", "new-tickets.csv"):
        assert (tmp_path / name).read_bytes() == (FOLDER / name).read_bytes(), name


def test_the_tables_have_what_pages_rely_on() -> None:
    with (FOLDER / "tickets.csv").open(encoding="utf-8", newline="") as file:
        tickets = list(csv.DictReader(file))
    with (FOLDER / "new-tickets.csv").open(encoding="utf-8", newline="") as file:
        new_tickets = list(csv.DictReader(file))
    assert list(tickets[0]) == ["id", "title", "description", "section"]
    assert list(new_tickets[0]) == ["id", "title", "description"]
    labels = Counter(ticket["section"] for ticket in tickets)
    assert {"billing", "Billing ", "BILLING", ""} <= set(labels)
    assert len({label.strip().lower() for label in labels} - {""}) == 6
    texts = {(ticket["title"], ticket["description"]) for ticket in tickets}
    assert len(texts) < len(tickets), "there are exact copies"
    assert texts.isdisjoint((ticket["title"], ticket["description"]) for ticket in new_tickets)
