"""Run all comparisons and write RESULTS.md beside this file."""

import platform
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from textsieve.settings import n_threads

from . import (
    categorizing,
    counting,
    neighbours,
    one_pass,
    projecting,
    scoring,
    streaming,
    subspaces,
    svm_training,
    testors,
    voting,
)
from .harness import table
from .newsgroups import newsgroups

PACKAGES = ("textsieve", "scikit-learn", "numpy", "scipy", "numba")


def main() -> None:
    """Print each table as soon as it is measured, and write all of them to RESULTS.md."""
    megabytes = sum(map(len, newsgroups()[0])) / 1e6
    parts = [
        "# Results of the last `make bench`",
        f"{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, "
        + ", ".join(f"{name} {version(name)}" for name in PACKAGES)
        + f", {n_threads(-1)} cores. Times are medians; a ratio above 1 says that textsieve is faster. "
        f"Data: the training documents of 20 Newsgroups by date, {megabytes:.0f} MB of text.",
    ]
    sections: list[tuple[str, Callable[[], str]]] = [
        ("## Text to counts", lambda: table(counting.results())),
        ("", counting.memory),
        ("", counting.compilation),
        ("## Counts to scores", lambda: table(scoring.results())),
        ("", lambda: table(one_pass.results())),
        ("", one_pass.memory),
        ("## Documents to directions", lambda: table(projecting.results())),
        ("", projecting.accuracy),
        ("## Typical testors", lambda: table(testors.results())),
        ("", testors.growth),
        ("## Text to labels", lambda: table(categorizing.results())),
        ("", categorizing.quality),
        ("", categorizing.size),
        ("", streaming.memory),
        ("## Rows to hyperplanes", lambda: table(svm_training.results())),
        ("## Random subspaces", lambda: table(subspaces.results())),
        ("", subspaces.quality),
        ("## Votes on feature projections", lambda: table(voting.results())),
        ("", voting.memory),
        ("## Neighbours", lambda: table(neighbours.results())),
        ("", neighbours.memory),
        ("", neighbours.agreement),
        ("", neighbours.quality),
    ]
    for title, measure in sections:
        body = measure()
        parts += [title, body] if title else [body]
        print(f"{title}\n\n{body}\n" if title else f"{body}\n", flush=True)
    Path(__file__).with_name("RESULTS.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
