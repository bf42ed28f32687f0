"""The table of defaults in docs/explanation/subspaces.md is correct; `tests/docs` runs the code of the page."""

import re
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "explanation" / "subspaces.md").read_text(encoding="utf-8")


def test_the_table_of_defaults() -> None:
    from textsieve import RandomSubspace
    from textsieve.registry import CLASSIFIERS

    (table,) = re.findall(r"\| `RandomSubspace` \|.*?\n\n", PAGE, re.DOTALL)
    rows = dict(re.findall(r"^\| `(\w+)`[^|]*\| (.*) \|$", table, re.MULTILINE))
    assert set(rows) - {"RandomSubspace"} == set(RandomSubspace().get_params()) - {"class_weight", "n_jobs"}
    for name, default in RandomSubspace().get_params().items():
        if name in rows and name != "estimator":
            alone, in_categorizer = rows[name].split(" | ")
            categorizer_default = CLASSIFIERS["subspace"].options.get(name, default)
            for cell, value in ((alone, default), (in_categorizer, categorizer_default)):
                assert cell.replace("`", "").replace('"', "").startswith(f"{value:g}" if name != "combine" else value)
