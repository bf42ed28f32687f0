"""Models for tests: fixed small models, and a hypothesis strategy for any small model."""

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from textsieve.classifiers.linear import LinearScorer
from textsieve.evaluation.calibration import JointCalibration
from textsieve.prediction import Model

TERMS = ("goal", "market", "straße", "北京", "new york", "zz top band", "x1")


def small_model(**changes: Any) -> Model:
    """Return a single-label model with three classes and four terms."""
    model = Model(
        terms=("goal", "market", "straße", "new york"),
        classes=("city", "money", "sport"),
        class_docs=(3, 5, 4),
        multilabel=False,
        lowercase=True,
        strip_accents=None,
        stop_words=frozenset({"the", "of"}),
        ngram_range=(1, 2),
        tf="log",
        norm="l2",
        idf=np.array([1.5, 1.25, 2.0, 3.0]),
        scorer=LinearScorer(
            np.array([[-1, -0.5, 2], [-0.5, 1.5, -1], [1, 0.25, -0.75], [2.5, 0.5, -1]], np.float32),
            np.array([-0.5, 0.25, -0.25]),
        ),
        thresholds=None,
        settings={"selector": "ocfs", "n_terms": 4, "classifier": "svm", "C": 1.0},
        about={"trained": "2025-01-02T03:04:05Z", "n_documents": 12, "held_out": None, "versions": {"numpy": "2"}},
    )
    return replace(model, **changes)


def multilabel_model(**changes: Any) -> Model:
    """Return the small model as a multilabel model."""
    return small_model(**({"multilabel": True, "thresholds": np.array([0.5, 0.25, -0.1])} | changes))


def two_classes(**changes: Any) -> Model:
    """Return the small model with two classes, which share one output."""
    scorer = LinearScorer(np.array([[2], [-1.5], [0.1], [-3]], np.float32), np.array([0.25]))
    return small_model(**({"classes": (0, 1), "class_docs": (7, 5), "scorer": scorer} | changes))


def same(model: Model, other: Model) -> bool:
    """Return whether two models are equal to the last bit; stop words count only if the model needs them."""
    return all(_plain(getattr(model, name)) == _plain(getattr(other, name)) for name in _COMPARED) and (
        not model.needs_stop_words or model.stop_words == other.stop_words
    )


_COMPARED = [name for name in Model.__dataclass_fields__ if name != "stop_words"]


def _plain(value: Any) -> Any:
    if isinstance(value, LinearScorer):
        return _plain(value.coefficients), _plain(value.intercepts)
    if isinstance(value, JointCalibration):
        return value.slope, value.offset, _plain(value.unknown_docs)
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype, value.tobytes()
    if isinstance(value, tuple):
        return tuple((type(element), element) for element in value)
    return value


finite = st.one_of(st.floats(-8, 8, width=32), st.sampled_from([0.0, -0.0, 1e-30, -1e30]))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
label_lists = st.one_of(
    st.lists(st.text(max_size=4), min_size=1, max_size=4, unique=True),
    st.lists(st.integers(-(10**30), 10**30), min_size=1, max_size=4, unique=True),
    st.lists(st.integers(-5, 5) | st.floats(allow_nan=False), min_size=1, max_size=4, unique=True),
    st.just([False, True]),
)


@st.composite
def models(draw: st.DrawFn) -> Model:
    """Draw a small model."""
    terms = tuple(draw(st.lists(st.sampled_from(TERMS), max_size=len(TERMS), unique=True)))
    classes = tuple(sorted(draw(label_lists)))
    multilabel = draw(st.booleans())
    n_outputs = 1 if not multilabel and len(classes) == 2 and draw(st.booleans()) else len(classes)

    def floats(size: int) -> list[float]:
        return draw(st.lists(finite, min_size=size, max_size=size))

    return Model(
        terms=terms,
        classes=classes,
        class_docs=tuple(draw(st.lists(st.integers(0, 9), min_size=len(classes), max_size=len(classes)))),
        multilabel=multilabel,
        has_label_matrix=multilabel and draw(st.booleans()),
        lowercase=draw(st.booleans()),
        strip_accents=None,
        stop_words=draw(st.sampled_from([frozenset(), frozenset({"the", "new"})])),
        ngram_range=draw(st.sampled_from([(1, 1), (1, 2), (1, 3), (2, 5)])),
        tf=draw(st.sampled_from(["tf", "binary", "log"])),
        norm=draw(st.sampled_from(["l2", "none"])),
        idf=draw(st.none() | st.just(np.abs(np.array(floats(len(terms)))).clip(0, 9))),
        scorer=LinearScorer(
            np.array(floats(len(terms) * n_outputs), np.float32).reshape(len(terms), n_outputs),
            np.array(floats(n_outputs), np.float64),
        ),
        thresholds=np.array(floats(len(classes)), np.float64) if multilabel else None,
        fallback=draw(st.none() | st.integers(0, len(classes) - 1)),
        settings=draw(st.dictionaries(st.text(max_size=4), json_values, max_size=3)),
        about=draw(st.dictionaries(st.text(max_size=4), json_values, max_size=3)),
    )


documents = st.lists(
    st.lists(st.sampled_from([*TERMS, "Goal", "the", "new", "york", "zz", "top", "other", "-"]), max_size=12).map(
        " ".join
    ),
    max_size=6,
)
