"""The tables of docs/explanation/testors.md; `tests/docs` runs its code."""

import re
from pathlib import Path

import numpy as np
import pytest

from textsieve import TermCounter, TermWeighter, TypicalTestors
from textsieve.selectors.testors.transversals import minimal_rows

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "testors.md"
TEXT = PAGE.read_text(encoding="utf-8")


def table_under(title: str) -> list[list[str]]:
    """Return the rows of the table whose first line begins with the title, the header first."""
    table = re.search(rf"^(\| {re.escape(title)}.*\n)\|[-|: ]+\n((?:\|.*\n)+)", TEXT, re.MULTILINE)
    assert table is not None
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in (table[1] + table[2]).splitlines()]


TITLES, *DOCUMENTS = table_under("class | goal")
TERMS = np.array(TITLES[1:])
FITTED = TypicalTestors(epsilon=0.4, delta=0.15).fit(
    np.array([[float(cell) for cell in row[1:]] for row in DOCUMENTS]), [row[0] for row in DOCUMENTS]
)


def test_the_rows_of_the_page() -> None:
    _, *rows = table_under("class | against")
    assert len(rows) == 12
    for label, against, marked, minimal, _ in rows:
        comparison = FITTED.comparison_[label].toarray()
        place = FITTED.classes_.tolist().index(against)
        assert sorted(TERMS[comparison[place]]) == marked.split()
        others = [at for at in range(4) if FITTED.classes_[at] != label]
        minimal_places = [others[at] for at in minimal_rows(comparison[others])]
        assert (place in minimal_places) == (minimal == "yes")


def test_the_testors_of_the_page() -> None:
    _, *rows = table_under("class | against")
    for label in FITTED.classes_:
        expected = next(row[4] for row in rows if row[0] == label)
        testors = sorted(" ".join(sorted(TERMS[list(testor)])) for testor in FITTED.testors(label))
        assert "; ".join(testors) == expected
    assert sorted(TERMS[~FITTED.support_]) == ["team"]
    assert "*ball, goal, ice, law, vote, match, set*" in " ".join(TEXT.split())


@pytest.mark.filterwarnings("ignore:.*no term sets apart")
def test_the_weights_of_the_command_line_give_other_testors() -> None:
    texts = [" ".join(" ".join([term] * int(n)) for term, n in zip(TERMS, row[1:], strict=True)) for row in DOCUMENTS]
    counter = TermCounter()
    weights = TermWeighter(tf="log", idf="plain", norm="l2").fit_transform(counter.fit_transform(texts))
    fitted = TypicalTestors().fit(weights, [row[0] for row in DOCUMENTS])
    names = counter.get_feature_names_out()
    testors = {label: {" ".join(names[list(testor)]) for testor in fitted.testors(label)} for label in fitted.classes_}
    assert testors["football"] == {"goal", "ball"}
    assert testors["tennis"] == {"set"}
    assert fitted.stats_.sums[names.tolist().index("match")] == 0
