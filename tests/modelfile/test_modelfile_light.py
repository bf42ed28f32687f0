"""Loading a model and predicting a document imports numpy and safetensors, but no heavy packages."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.reference.model_cases import multilabel_model, small_model, two_classes

from textsieve.ensembles.scorer import SubspaceScorer
from textsieve.modelfile import write
from textsieve.prediction import Model

HEAVY = {"sklearn", "numba", "llvmlite", "scipy", "pandas", "pyarrow", "joblib"}

PREDICT = """
import sys
from textsieve.modelfile import read
model = read(sys.argv[1])
text = "The goal of New York, a market straße " * 20
assert model.predict([text]).n_unknown == 0
assert model.predict([text, "", "unknown"] * 200, n_jobs=2).n_unknown == 400
assert model.predict([text * 500]).n_unknown == 0  # a long one
assert model.explain(text).classes[0].contributions
assert model.spans(text) and model.spans("<b>" + text)
model.decision([text]), model.scores([text]), model.class_terms(3)
print(" ".join(sorted({name.partition(".")[0] for name in sys.modules})))
"""

VOTES = SubspaceScorer(
    term_indptr=np.array([0, 1, 3, 4, 4]),
    members=np.array([0, 0, 1, 1], np.int32),
    coefficients=np.ones((4, 3), np.float32),
    member_intercepts=np.zeros((2, 3)),
    classes=np.arange(3, dtype=np.int32),
    intercepts=np.full(3, 0.1),
    multilabel=False,
)


@pytest.mark.slow
@pytest.mark.parametrize(
    "model",
    [
        small_model(),
        multilabel_model(strip_accents="unicode"),
        multilabel_model(has_label_matrix=True, strip_accents="ascii"),
        two_classes(),
        small_model(stop_words="english", ngram_range=(1, 1), terms=("goal", "market", "straße", "york")),
        small_model(stop_words="english", ngram_range=(1, 2)),
        small_model(idf=None, norm="none", tf="tf"),
        small_model(scorer=VOTES),
    ],
    ids=["single label", "multilabel", "label matrix", "two", "english", "english runs", "plain", "votes of subspaces"],
)
def test_predicting_a_document_imports_no_heavy_packages(tmp_path: Path, model: Model) -> None:
    write(model, tmp_path / "model.sieve")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PREDICT, str(tmp_path / "model.sieve")],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(done.stdout.split())
    assert {"numpy", "safetensors", "textsieve"} <= loaded
    assert not loaded & HEAVY
