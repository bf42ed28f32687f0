"""Small comparisons for the tests of reports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from textsieve import compare
from textsieve.comparison import Comparison, read_comparison
from textsieve.comparison.json_lines import decode_line, encode_line

from .categorizer_cases import small_texts

HOSTILE = "</script><img src=x onerror=\"window.hacked = 'yes'\">{{title}}<!--"
"""A name for a class, a term or a selector that must be shown as text and never run."""
USUAL: dict[str, Any] = {
    "selectors": "ocfs,ig,all",
    "n_terms": "2,4,9",
    "classifiers": "svm,nb",
    "folds": 2,
    "n_jobs": 1,
}


def compared(n: int = 60, n_classes: int = 3, *, multilabel: bool = False, **other: Any) -> Comparison:
    """Return a comparison on small texts."""
    case = small_texts(n, n_classes, multilabel=multilabel)
    labels = [list(labels) for labels in case.label_sets] if multilabel else case.labels
    return compare(case.texts, labels, **{**USUAL, **other})


def of_many_classes(n_classes: int, **other: Any) -> Comparison:
    """Return a comparison on documents of many classes, some of which are alike."""
    texts = [f"own{number // 2} w{number % 7} w{copy}" for number in range(n_classes) for copy in range(4)]
    labels = [f"class {number:03}" for number in range(n_classes) for _ in range(4)]
    wanted = {**USUAL, "selectors": "ig", "n_terms": "20,60", "classifiers": "nb", **other}
    return compare(texts, labels, **wanted)


def renamed(folder: Path, names: dict[str, str]) -> Comparison:
    """Return the usual comparison with other names for classes, terms or selectors, read from an edited file."""
    path = folder / "results.jsonl"
    compared(results=path)
    text = json.dumps([decode_line(line) for line in path.read_bytes().splitlines()])
    for old, new in names.items():
        assert json.dumps(old) in text
        text = text.replace(json.dumps(old), json.dumps(new))
    path.write_bytes(b"".join(map(encode_line, json.loads(text))))
    return read_comparison(path)
