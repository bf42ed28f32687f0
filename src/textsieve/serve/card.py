"""What is told of a model to those who use it: of what it was trained, how, and how good that was."""

from __future__ import annotations

from typing import Any

from ..prediction import Model


def card(model: Model) -> dict[str, Any]:
    """The model in plain values; no training text but the terms, and those are told elsewhere."""
    about, settings = model.about, model.settings
    documents = zip(model.classes, model.class_docs, strict=True)
    return {
        "labels": model.labels,
        "classes": [{"label": label, "documents": n_documents} for label, n_documents in documents],
        "terms": len(model.terms),
        "terms_seen": about.get("n_terms_seen"),
        "classifier": settings.get("classifier"),
        "selector": settings.get("selector"),
        "trained": about.get("trained"),
        "updated": about.get("updated"),
        "documents": about.get("n_documents"),
        "held_out": about.get("held_out"),
        "probabilities": model.calibration is not None,
        "settings": settings,
    }
