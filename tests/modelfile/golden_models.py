"""Train the models in `golden/` and write down what they predict.

`test_modelfile_golden.py` checks that these files load and predict the same for ever. A new version of the format gets
files of its own beside them. Only if the format changes before it is released, create them again, from the root of
the repository:

    python -m tests.modelfile.golden_models
"""

import json
import os
from pathlib import Path
from typing import Any

import textsieve
from textsieve import Categorizer

FOLDER = Path(__file__).parent / "golden"

SPORT = [
    "The goal of the striker won the match",
    "A striker missed a penalty in Old Town Park",
    "The match, a <b>league</b> game",
]
MONEY = ["The bank cut its rate", "Shares of the bank fell", "A market for shares and the café rate"]
SCIENCE = ["The atom and the quark", "A theory of the atom", "Proofs in quantum theory, at a café"]
TEXTS = [*SPORT, *MONEY, *SCIENCE] * 4
LABELS = (["sport"] * 3 + ["money"] * 3 + ["science"] * 3) * 4
LABEL_SETS = [
    [label, "sport"] if number % 5 == 0 and label != "sport" else [label] for number, label in enumerate(LABELS)
]
FALLBACK_LABELS = (["b"] * 3 + ["a", "a", "b"] + ["a"] * 3) * 4
"""Most documents are of class a, but most documents without "atom" and "bank" are of class b."""
DOCUMENTS = [
    "A goal for the market: the striker bought shares of a bank",
    "The theory of a match in Old Town Park",
    "banks",
    "",
]

DEFAULTS: dict[str, Any] = {
    "analyzer": "word",
    "char_ngram_range": None,
    "max_size": None,
    "class_weight": None,
}
"""The defaults of the version that wrote the models; settings of a model replace them."""

MODELS: dict[str, tuple[dict[str, Any], list[Any]]] = {
    "svm": ({"held_out": 0.25, "probabilities": "sigmoid", "n_terms": 12}, LABELS),
    "multilabel": (
        {"classifier": "nb", "ngram_range": (1, 2), "stop_words": "english", "strip_accents": "unicode", "n_terms": 10},
        LABEL_SETS,
    ),
    "label_matrix": (
        {"classifier": "logistic", "n_terms": 10, "cut": "zero"},
        [[int(name in labels) for name in ("money", "science", "sport")] for labels in LABEL_SETS],
    ),
    "two_classes": ({"classifier": "rocchio", "n_terms": 8}, [int(label == "sport") for label in LABELS]),
    "votes": (
        {"classifier": "subspace", "classifier_options": {"combine": "vote", "n_estimators": 5}, "n_terms": 10},
        LABELS,
    ),
    "neighbours": ({"classifier": "knn", "n_terms": 10}, LABELS),
    "prepared": ({"tags": "drop", "names": True, "normalise": "stem", "n_terms": 10}, LABELS),
    "fallback": ({"n_terms": 2, "selector": "df", "stop_words": "english"}, FALLBACK_LABELS),
    "analysis": (
        {
            "analyzer": "text",
            "char_ngram_range": (3, 4),
            "ngram_range": (1, 2),
            "stop_words": "english",
            "selector": "ocfs",
            "n_terms": 30,
        },
        LABELS,
    ),
    "pattern": ({"token_pattern": r"[^\W\d]+[,.]?", "n_terms": 12}, LABELS),
    "updatable": ({"classifier": "nb", "keep_stats": True, "n_terms": 10}, LABELS),
    "updatable_votes": ({"classifier": "tcfp", "keep_stats": True, "n_terms": 10}, LABEL_SETS),
    "joint": ({"n_terms": 12}, LABELS),
    "sieved": ({"max_size": "10kB", "selector": "ocfs", "char_ngram_range": (3, 3)}, LABELS),
}


def describe(model: Categorizer) -> dict[str, Any]:
    """Return the predictions of a model as JSON values."""
    predictions = model.model_.predict(DOCUMENTS)
    has_probabilities = model.model_.calibration is not None
    return {
        "terms": model.terms_,
        "classes": model.classes_.tolist(),
        "labels": [list(label) if isinstance(label, tuple) else label for label in _plain(predictions.labels)],
        "scores": predictions.scores.tolist(),
        "probabilities": model.predict_proba(DOCUMENTS).tolist() if has_probabilities else None,
        "contributions": {
            str(explained.label): [[part.term, part.contribution] for part in explained.contributions]
            for explained in model.explain(DOCUMENTS[0]).classes
        },
    }


def _plain(labels: Any) -> list[Any]:
    return labels.tolist() if hasattr(labels, "tolist") else list(labels)


def main() -> None:
    """Write all models and `expected.json`."""
    os.environ["SOURCE_DATE_EPOCH"] = "1750000000"
    expected = {}
    for name, (settings, labels) in MODELS.items():
        path = FOLDER / f"{name}.sieve"
        model = Categorizer(n_jobs=1, **DEFAULTS | settings).fit(TEXTS, labels)
        if model.keep_stats:
            model.update(DOCUMENTS[:2], labels[:2])
        model.save(path)
        expected[name] = describe(textsieve.load(path))
        if model.keep_stats:
            expected[name]["updated"] = describe(textsieve.load(path).update(TEXTS[:5], labels[:5]))
    (FOLDER / "expected.json").write_text(json.dumps(expected, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
