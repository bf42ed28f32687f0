"""Compare the accuracy and the file sizes of models: textsieve's with few coefficients, scikit-learn's and fastText's.

    python -m benchmarks.package_corpora FOLDER          download the corpora
    python -m benchmarks.model_sizes FOLDER [NAME ...]

prints two tables, writes the chart docs/research/model-sizes.svg, and stores each measurement in FOLDER/sizes, so
that an interrupted run can be resumed; of a corpus, only the models that its file lacks are measured. The corpora are
those of `defaults_terms`. Only development documents are used: models are trained on two thirds of each class and
predict the rest.

The first table has models of several sizes. The second compares criteria for dropping coefficients, at the same number
of bytes: |w|, |w| times the root mean square of the weights, the change of the loss (optimal brain damage), whole terms
by the norm of their coefficients, an SVM with an L1 penalty, which leaves coefficients out by itself, and an SVM with a
penalty on the norm of each term's coefficients (group L1), which leaves whole terms out.

fastText takes part if it can be imported (`pip install fasttext-numpy2-wheel`).
"""

from __future__ import annotations

import json
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import svds
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from textsieve import OCFS, Categorizer, TermCounter, TermWeighter
from textsieve.classifiers.class_weights import class_factors
from textsieve.classifiers.linear_form import Linear
from textsieve.classifiers.sieve import BinaryProblems, CoefficientSieve, Sieved, one_label_problems
from textsieve.classifiers.svm import LinearSVM
from textsieve.evaluation import folds

from .defaults_terms import corpus_names, mean_over_families, read_parts
from .newsgroups import shuffled

ALL_TERMS = "100,000 terms, 32 bits"
CATEGORIZERS: dict[str, dict[str, Any]] = {
    "textsieve, default": {},
    "10,000 words, 32 bits": {"analyzer": "word", "n_terms": 10_000, "class_weight": None},
    ALL_TERMS: {"n_terms": 100_000, "tf": "log", "classifier_options": {"C": 1.0}},
    **{f"max_size {size}": {"max_size": size} for size in ("10kB", "20kB", "50kB", "100kB", "200kB", "500kB")},
    "tolerance 1se": {"tolerance": "1se", "folds": 3},
}

PIPELINES: dict[str, Callable[[], list[Any]]] = {
    "LinearSVC, words": lambda: [TfidfVectorizer(), LinearSVC()],
    "LinearSVC, char_wb 3-5": lambda: [TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5)), LinearSVC()],
}

FASTTEXT = ("fastText", "fastText, quantized to 20,000 n-grams")
MODELS = [*CATEGORIZERS, *PIPELINES, *(FASTTEXT if find_spec("fasttext") is not None else ())]
"""The names of all models."""


class Measured(NamedTuple):
    """The accuracy of a model on held-out documents, and its size."""

    accuracy: float
    n_bytes: int


class Documents(NamedTuple):
    """Training documents and held-out documents."""

    texts: list[str]
    labels: list[str]
    test_texts: list[str]
    test_labels: list[str]


def split_development(name: str, folder: Path) -> Documents:
    """Return the development documents of a corpus: two thirds of each class to train on, and the rest."""
    parts = read_parts(name, folder)
    is_test = np.asarray(folds(parts.labels, 3)) == 0

    def part(positions: Any) -> tuple[list[str], list[str]]:
        return [parts.texts[i] for i in positions.tolist()], [parts.labels[i] for i in positions.tolist()]

    return Documents(*part(np.flatnonzero(~is_test)), *part(np.flatnonzero(is_test)))


def _accuracy(documents: Documents, predicted: Sequence[str]) -> float:
    return float(np.mean(np.asarray(predicted) == np.asarray(documents.test_labels)))


# -- models ------------------------------------------------------------------------------------------------------------


def measure_models(documents: Documents, names: Iterable[str]) -> dict[str, Measured]:
    """Return the accuracy and the size of some models of one corpus."""
    results = {}
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # fewer terms than asked for, documents without a selected term
        file = Path(folder) / "model"
        for name in names:
            if name in CATEGORIZERS:
                settings = CATEGORIZERS[name]
                if name == ALL_TERMS:  # the same kinds of terms as in the default
                    default = Categorizer(probabilities=None).fit(documents.texts, documents.labels)
                    settings = {**settings, "char_ngram_range": default.model_.analysis.char_ngram_range}
                model = Categorizer(probabilities=None, **settings).fit(documents.texts, documents.labels)
                model.save(file)
                predicted = model.predict(documents.test_texts)
                results[name] = Measured(_accuracy(documents, predicted), file.stat().st_size)
            elif name in PIPELINES:
                pipeline = make_pipeline(*PIPELINES[name]()).fit(documents.texts, documents.labels)
                import_module("joblib").dump(pipeline, file)
                predicted = pipeline.predict(documents.test_texts)
                results[name] = Measured(_accuracy(documents, predicted), file.stat().st_size)
        if not set(FASTTEXT).isdisjoint(names):
            results |= _measure_fasttext(documents, Path(folder))
    return results


def _measure_fasttext(documents: Documents, folder: Path) -> dict[str, Measured]:
    """Return the accuracy and the size of fastText's model, and of the same model quantized."""
    fasttext = import_module("fasttext")
    classes = sorted(set(documents.labels))
    numbers = {label: number for number, label in enumerate(classes)}
    pairs = zip(*shuffled(documents.texts, documents.labels), strict=True)
    train, file = folder / "train.txt", folder / "model.bin"
    lines = (f"__label__{numbers[label]} {' '.join(text.split())}" for text, label in pairs)
    train.write_text("\n".join(lines), encoding="utf-8")
    model = fasttext.train_supervised(str(train), epoch=25, wordNgrams=2, lr=0.5, thread=1, verbose=0)
    others = [" ".join(text.split()) for text in documents.test_texts]

    def measure() -> Measured:
        model.save_model(str(file))
        best, _ = model.predict(others)
        predicted = [classes[int(labels[0].removeprefix("__label__"))] if labels else "" for labels in best]
        return Measured(_accuracy(documents, predicted), file.stat().st_size)

    complete = measure()
    model.quantize(input=str(train), qnorm=True, retrain=True, cutoff=20_000, thread=1, verbose=0)
    return dict(zip(FASTTEXT, (complete, measure()), strict=True))


# -- criteria ----------------------------------------------------------------------------------------------------------

SIZES = (5_000, 10_000, 20_000, 50_000, 100_000, 200_000)
"""The numbers of bytes at which criteria are compared."""

SHARES = (0.3, 0.1, 0.05, 0.025, 0.01, 0.005)
"""The shares of the coefficients that are kept."""

DROPPING = ("abs(w)", "abs(w) x rms(x)", "loss", "terms")
"""The criteria by which the coefficients of an SVM are dropped at once."""

CRITERIA = ["abs(w), in rounds", *DROPPING, "L1", "L1, trained again", "group L1", "group L1, trained again"]

N_TERMS = 50_000
C = 1.0

L1_COSTS = (0.3, 1.0, 3.0, 10.0)
"""The costs of errors for the SVM with an L1 penalty."""

GROUP_PENALTIES = (0.5, 0.3, 0.15, 0.08, 0.04, 0.02, 0.01)
"""The group L1 penalties, as shares of the smallest penalty that leaves no term."""

GROUP_ROUNDS = 400
"""The largest number of steps of gradient descent for each group L1 penalty."""


class Problem(NamedTuple):
    """Weights and labels of one corpus."""

    rows: csr_matrix
    numbers: Any
    test_rows: csr_matrix
    test_numbers: Any

    @classmethod
    def of(cls, documents: Documents) -> Problem:
        """Count and weigh the documents, and select `N_TERMS` terms by OCFS."""
        counter = TermCounter(analyzer="text", ngram_range=(1, 2), char_ngram_range=(3, 5))
        counts, test_counts = counter.fit_transform(documents.texts), counter.transform(documents.test_texts)
        weighter = TermWeighter(tf="log", idf="smooth", norm="l2").fit(counts)
        classes, numbers = np.unique(documents.labels, return_inverse=True)
        columns = np.sort(OCFS(k="all").fit(weighter.transform(counts), numbers).ranking_[:N_TERMS])
        weighter = TermWeighter(tf="log", idf="smooth", norm="l2").fit(counts[:, columns])
        test_numbers = np.searchsorted(classes, documents.test_labels)
        rows, test_rows = (csr_matrix(weighter.transform(matrix[:, columns])) for matrix in (counts, test_counts))
        return cls(rows.astype(np.float32), numbers, test_rows.astype(np.float32), test_numbers)


def _size(n_terms: int, n_coefficients: int) -> float:
    """Return the approximate number of bytes of a model, by the means of models of 20 Newsgroups."""
    return 2.4 * n_terms + 1.3 * n_coefficients


def _importance(criterion: str, problem: Problem, form: Linear) -> Any:
    """Return how important each coefficient is (outputs x terms)."""
    weights = np.abs(form.coefficients)
    squares = problem.rows.multiply(problem.rows).tocsr()
    if criterion == "abs(w) x rms(x)":
        return weights * np.sqrt(np.asarray(squares.mean(axis=0)).ravel())
    if criterion == "loss":
        scores = problem.rows @ form.coefficients.T + form.intercepts
        curvature = np.empty_like(weights)
        for number in range(len(weights)):
            signs = np.where(problem.numbers == (1 if len(weights) == 1 else number), 1.0, -1.0)
            is_inside = (signs * scores[:, number] < 1).astype(np.float64)
            curvature[number] = 1 + 2 * C * (squares.T @ is_inside)
        return weights**2 * curvature
    if criterion == "terms":
        return np.broadcast_to(np.linalg.norm(form.coefficients, axis=0), weights.shape) * (weights > 0)
    return weights


def fit_group_lasso(problem: Problem, problems: BinaryProblems) -> Iterator[Linear]:
    """Yield SVMs with group L1 penalties: a row of coefficients for each output, with columns of zeros.

    The loss is λ Σ |w_t| + Σ C_ij max(0, 1 - y_ij s_ij)², where w_t has the coefficients of term t for all outputs j.
    It is minimised by accelerated proximal gradient descent (FISTA), which starts again from its last point if the loss
    rises. Each penalty starts from the result of the one before. Coefficients and intercepts have their own steps, of
    half the length that would be safe if the others stayed.
    """
    rows = problem.rows
    pairs = [problems.signs_and_costs(number) for number in range(problems.n_outputs)]
    signs, costs = (np.ascontiguousarray(np.transpose(arrays), np.float32) for arrays in zip(*pairs, strict=True))
    largest = float(svds(rows.astype(np.float64), k=1, return_singular_vectors=False, random_state=0)[0])
    step = 1 / (4 * float(costs.max()) * largest**2)
    intercept_steps = 1 / (4 * costs.sum(axis=0))
    intercepts = (signs * costs).sum(axis=0) / costs.sum(axis=0)  # optimal without terms
    coefficients = np.zeros((rows.shape[1], problems.n_outputs), np.float32)
    columns = csr_matrix(rows.T)

    def slacks(scores: Any) -> Any:
        return np.maximum(0, 1 - signs * scores)

    gradient = columns @ (-2 * costs * signs * slacks(np.broadcast_to(intercepts, signs.shape)))
    largest_penalty = float(np.linalg.norm(gradient, axis=1).max())
    for share in GROUP_PENALTIES:
        penalty, momentum, last_loss = share * largest_penalty, 1.0, np.inf
        point, point_intercepts = coefficients, intercepts
        for number in range(GROUP_ROUNDS):
            slope = -2 * costs * signs * slacks(rows @ point + point_intercepts)
            moved = point - step * (columns @ slope)
            norms = np.linalg.norm(moved, axis=1, keepdims=True)
            moved *= np.maximum(0, 1 - step * penalty / np.maximum(norms, 1e-30))
            moved_intercepts = point_intercepts - intercept_steps * slope.sum(axis=0)
            next_momentum = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
            factor = np.float32((momentum - 1) / next_momentum)
            point = moved + factor * (moved - coefficients)
            point_intercepts = moved_intercepts + factor * (moved_intercepts - intercepts)
            coefficients, intercepts, momentum = moved, moved_intercepts, next_momentum
            if number % 10 == 9:
                errors = costs * slacks(rows @ coefficients + intercepts) ** 2
                loss = float(errors.sum()) + penalty * float(np.linalg.norm(coefficients, axis=1).sum())
                if loss > last_loss:
                    point, point_intercepts, momentum = coefficients, intercepts, 1.0
                elif loss > last_loss * (1 - 1e-4):
                    break
                last_loss = loss
        yield Linear(coefficients.T.astype(np.float64), intercepts.astype(np.float64))


def measure_criteria(documents: Documents) -> dict[str, list[float]]:
    """Return the accuracy at each of `SIZES` by criterion; it is interpolated between the sizes of models."""
    problem = Problem.of(documents)
    n_classes = int(problem.numbers.max()) + 1
    svm = LinearSVM(C=C, class_weight="sqrt").fit(problem.rows, problem.numbers)
    form = Linear(svm.coef_, svm.intercept_)
    problems = one_label_problems(svm, problem.numbers, n_classes, "sqrt", None)
    sieve = CoefficientSieve(svm, problem.rows, "l2", problems, n_jobs=1)
    other = CoefficientSieve(svm, problem.test_rows, "l2", problems, n_jobs=1)

    def share_right(scores: Any) -> float:
        best = (scores[:, 0] > 0).astype(int) if scores.shape[1] == 1 else scores.argmax(axis=1)
        return float(np.mean(best == problem.test_numbers))

    def accuracy(sieved: Sieved) -> Measured:
        terms, scorer = sieved.scorer()
        scores = other.weigh(terms) @ scorer.coefficients + scorer.intercepts
        return Measured(share_right(scores), int(_size(len(terms), scorer.n_coefficients)))

    complete = Sieved.of(form)
    reference = svm.predict(problem.test_rows)
    most = Measured(
        float(np.mean(reference == problem.test_numbers)), int(_size(problem.rows.shape[1], len(complete.values)))
    )
    results: dict[str, list[Measured]] = {"abs(w), in rounds": []}
    rest = complete
    for share in SHARES:
        rest = sieve.cut(rest, max(int(share * len(complete.values)), len(form.intercepts)))
        results["abs(w), in rounds"].append(accuracy(rest))
    for criterion in DROPPING:
        importance = _importance(criterion, problem, form).ravel()
        order = np.argsort(-importance, kind="stable")
        for share in SHARES:
            kept = np.sort(order[: max(int(share * len(order)), len(form.intercepts))])
            part = Sieved(complete.columns[kept], complete.outputs[kept], complete.values[kept], form.intercepts)
            results.setdefault(criterion, []).append(accuracy(sieve.cut(part, len(kept))))
    for name, sparse_forms in (
        ("L1", _fit_lasso(problem, n_classes)),
        ("group L1", fit_group_lasso(problem, problems)),
    ):
        for sparse_form in sparse_forms:
            part = Sieved.of(sparse_form)
            part = part.largest(int(np.count_nonzero(part.values)))
            scores = problem.test_rows @ sparse_form.coefficients.T + sparse_form.intercepts
            size = int(_size(len(np.unique(part.columns)), len(part.values)))
            results.setdefault(name, []).append(Measured(share_right(scores), size))
            results.setdefault(f"{name}, trained again", []).append(accuracy(sieve.cut(part, len(part.values))))
    return {name: _at_sizes([*points, most], most.accuracy) for name, points in results.items()}


def _fit_lasso(problem: Problem, n_classes: int) -> Iterator[Linear]:
    """Yield SVMs of scikit-learn with L1 penalties."""
    factors = dict(enumerate(class_factors("sqrt", np.arange(n_classes), problem.numbers).tolist()))
    for cost in L1_COSTS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # liblinear does not converge for a large C
            lasso = LinearSVC(penalty="l1", dual=False, C=cost, class_weight=factors, random_state=0)
            lasso.fit(problem.rows, problem.numbers)
        yield Linear(np.asarray(lasso.coef_, np.float64), np.asarray(lasso.intercept_, np.float64))


def _at_sizes(points: list[Measured], reference: float) -> list[float]:
    """Return the loss of accuracy against `reference` at `SIZES`, interpolated on a logarithmic scale of bytes."""
    points = sorted(points, key=lambda point: point.n_bytes)
    sizes = np.log([max(point.n_bytes, 1) for point in points])
    accuracies = np.interp(np.log(SIZES), sizes, [point.accuracy for point in points])
    return [float(accuracy) - reference for accuracy in accuracies]


# -- tables ------------------------------------------------------------------------------------------------------------


def measured(folder: Path, names: Iterable[str], what: str) -> dict[str, dict[str, Any]]:
    """Return the results by corpus, measured now or in an earlier run; `what` is "models" or "criteria"."""
    stored = folder / "sizes"
    stored.mkdir(exist_ok=True)
    results = {}
    for name in names:
        file = stored / f"{what}-{''.join(letter if letter.isalnum() else '-' for letter in name)}.json"
        results[name] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        missing = [
            variant for variant in {"models": MODELS, "criteria": CRITERIA}[what] if variant not in results[name]
        ]
        if missing:
            documents = split_development(name, folder)
            results[name] |= measure_models(documents, missing) if what == "models" else measure_criteria(documents)
            file.write_text(json.dumps(results[name]), encoding="utf-8")
            print(f"{what}: {name} done", file=sys.stderr, flush=True)
    return results


def model_table(results: dict[str, dict[str, Any]]) -> str:
    """Return a table of the models: mean accuracy, median and largest size."""
    rows = ["| model | accuracy | median size | largest size |", "| --- | ---: | ---: | ---: |"]
    for model in next(iter(results.values())):
        present = {name: of_corpus[model] for name, of_corpus in results.items() if model in of_corpus}
        accuracy = mean_over_families({name: value for name, (value, _) in present.items()})
        sizes = [size / 1000 for _, size in present.values()]
        rows.append(f"| {model} | {accuracy:.4f} | {median(sizes):,.0f} kB | {max(sizes):,.0f} kB |")
    return "\n".join(rows)


def criteria_table(results: dict[str, dict[str, Any]]) -> str:
    """Return a table of the criteria: the mean loss in points against all coefficients, by size."""
    head = "".join(f" {size // 1000} kB |" for size in SIZES)
    rows = [f"| criterion |{head}", "| --- |" + " ---: |" * len(SIZES)]
    for criterion in next(iter(results.values())):
        losses = [
            mean_over_families({name: of_corpus[criterion][position] for name, of_corpus in results.items()})
            for position in range(len(SIZES))
        ]
        rows.append(f"| {criterion} |" + "".join(f" {100 * loss:+.2f} |" for loss in losses))
    return "\n".join(rows)


CHART = Path(__file__).parents[1] / "docs" / "research" / "model-sizes.svg"


def write_chart(results: dict[str, dict[str, Any]]) -> None:
    """Write a chart of the accuracy (vertical) by the size of the file (horizontal) for each corpus.

    Models of limited sizes are connected by a line.
    """
    altair = import_module("altair")
    points = [
        {
            "corpus": name,
            "kB": n_bytes / 1000,
            "accuracy": accuracy,
            "model": "textsieve, limited size" if model.startswith("max_size") else model,
        }
        for name, of_corpus in results.items()
        for model, (accuracy, n_bytes) in of_corpus.items()
        if model not in ("textsieve, default", "tolerance 1se")
    ]
    base = altair.Chart(altair.Data(values=points)).encode(
        x=altair.X(
            "kB:Q",
            title=None,
            scale=altair.Scale(type="log"),
            axis=altair.Axis(
                values=[10, 100, 1_000, 10_000, 100_000],
                labelExpr="datum.value < 1000 ? datum.value + ' kB' : datum.value / 1000 + ' MB'",
                labelOverlap=False,
                labelFontSize=8,
            ),
        ),
        y=altair.Y("accuracy:Q", title=None, scale=altair.Scale(zero=False)),
        color=altair.Color(
            "model:N",
            title=None,
            sort=list(dict.fromkeys(point["model"] for point in points)),
            legend=altair.Legend(orient="top", labelLimit=400, columns=3),
        ),
    )
    line = base.transform_filter("datum.model == 'textsieve, limited size'").mark_line()
    layers = altair.layer(line, base.mark_point(filled=True, size=25)).properties(width=180, height=100)
    facets = layers.facet(altair.Facet("corpus:N", title=None, sort=list(results)), columns=4)
    facets.resolve_scale(y="independent").save(str(CHART))


def main() -> None:
    """Measure, print both tables, and write the chart."""
    folder, *names = sys.argv[1:]
    names = names or corpus_names(Path(folder))
    print(f"On {len(names)} corpora.\n")
    models = measured(Path(folder), names, "models")
    print(model_table(models) + "\n")
    write_chart(models)
    print(criteria_table(measured(Path(folder), names, "criteria")))


if __name__ == "__main__":
    main()
