"""Small comparisons to make reports of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from textsieve import compare
from textsieve.comparison import Comparison, read_comparison
from textsieve.comparison.json_lines import decode_line, encode_line

from .categorizer_cases import small_texts

HOSTILE = "</script><img src=x onerror=\"window.hacked = 'yes'\">{{title}}<!--"
"""What a class, a term or a selector may be called, and does nothing but be shown."""
USUAL: dict[str, Any] = {
    "selectors": "ocfs,ig,all",
    "n_terms": "2,4,9",
    "classifiers": "svm,nb",
    "folds": 2,
    "n_jobs": 1,
}


def compared(n: int = 60, n_classes: int = 3, *, multilabel: bool = False, **other: Any) -> Comparison:
    """What is compared on texts of few words."""
    case = small_texts(n, n_classes, multilabel=multilabel)
    labels = [list(labels) for labels in case.label_sets] if multilabel else case.labels
    return compare(case.texts, labels, **{**USUAL, **other})


def of_many_classes(n_classes: int, **other: Any) -> Comparison:
    """Documents of many classes, of which some are alike."""
    texts = [f"own{number // 2} w{number % 7} w{copy}" for number in range(n_classes) for copy in range(4)]
    labels = [f"class {number:03}" for number in range(n_classes) for _ in range(4)]
    wanted = {**USUAL, "selectors": "ig", "n_terms": "20,60", "classifiers": "nb", **other}
    return compare(texts, labels, **wanted)


def renamed(folder: Path, names: dict[str, str]) -> Comparison:
    """The usual comparison with other names for classes, terms or selectors, by way of its file."""
    path = folder / "results.jsonl"
    compared(results=path)
    text = json.dumps([decode_line(line) for line in path.read_bytes().splitlines()])
    for old, new in names.items():
        assert json.dumps(old) in text
        text = text.replace(json.dumps(old), json.dumps(new))
    path.write_bytes(b"".join(map(encode_line, json.loads(text))))
    return read_comparison(path)
