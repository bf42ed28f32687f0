"""`suggest_documents`: which unlabelled documents to label next.

A label helps if the model is unsure about the document, and if many other documents resemble it: then the model learns
about all of them. So the rule has two steps.

**Candidates: the most uncertain documents.** The *margin* of a document says how sure the model is about it:

- for one label per document, the probability of the best class minus that of the second best, or the difference of
  their scores if the model has no probabilities;
- for a multilabel model with thresholds, the smallest distance of a class's score from the threshold of the class: if
  it is small, a little more of one term would add or remove a label;
- for a multilabel model that gives each document its r best classes, the difference between the scores of the classes
  at ranks r and r + 1.

Only the order of the margins matters, so scores need no scale. The candidates are the documents with the smallest
margins, `CANDIDATES_PER_SUGGESTION` for each suggestion that is wanted. Those in the surer half of the pool are left
out, unless the other half has fewer documents than suggestions are wanted.

**Coverage: unlike each other, like the others, fair over classes.** Let s(i, j) be the cosine of the candidates i and j
in the weights of the model's terms, and c(j) the number of candidates of the class that is predicted for j (in a
multilabel model, of the class with the nearest threshold). A set S of suggested documents covers the candidates by

    f(S) = sum over candidates j of max(s(i, j) for i in S) / sqrt(c(j)).

Each step adds the document that raises f most. A document that resembles one in S adds little; so does an outlier,
which resembles nothing. The latter matters: a rule that only keeps documents apart collects outliers. Because of the
square root, a class with four times as many candidates counts twice as much in f. So a frequent class can't fill the
list, and a class with a single candidate does not get as many places as a large one.
docs/research/suggest-results.md says how the rule was chosen.

The *gain* of a document, by which it would raise f, never grows when S does (f is submodular). This has two
consequences. Choosing the document with the largest gain in each step reaches at least 63 % of the best possible f
(Nemhauser, Wolsey and Fisher, 1978). And a gain from an earlier step is an upper bound of the present gain, so a
document whose earlier gain is too small needs no new computation (Minoux, 1978).

Documents with equal weights are the same to the model, so only the first of them can become a candidate. These are
exact copies, documents that differ only in terms that the model does not know, and all documents without any of its
terms: one of these stands for all, with a margin of 0.

Time is linear in the size of the pool. Memory holds the rows of the candidates and 8 bytes for each document, but no
texts: those of the suggested documents are read again in the end. At most `MAX_COMPARED` candidates are compared with
each other. If there are more, they are divided into parts by class, and each part suggests its share. The result
depends only on the documents and their order.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arrays import CSR, Bools, Codes, Floats, Ints
from .categorizer import Categorizer
from .corpus import Corpus
from .corpus.batch import DocumentPlace
from .errors import InputError, counted, shown
from .evaluation.scores import blocks
from .prediction import Label, Model, Predictions, as_written
from .prediction.records import Records
from .progress import Progress, progress_or_shown
from .settings import is_whole
from .training.corrections import hash_text
from .training.updating import stack_rows

CANDIDATES_PER_SUGGESTION = 10
MAX_COMPARED = 2_000
"""The cosines of so many candidates with each other take 16 MB."""
HASH_BYTES = 8
"""The number of bytes of a hash that are stored and compared."""
KEYS = ("text", "number", "predicted", "probability", "why")
"""The keys of a suggestion as a JSON object. The prediction is no "label": no command may take it for a true one."""

LABELLED, EMPTY, KNOWN = "labelled", "empty", "known"
"""Why documents are skipped, for `Suggestions.skipped`."""


# -- uncertainty -----------------------------------------------------------------------------------------------------


class Uncertainty(NamedTuple):
    """How sure a model is about some documents."""

    margins: Floats
    """The smaller, the less sure; 0 for a document without any of the model's terms."""
    classes: Ints
    """The best class; in a multilabel model the class with the nearest threshold, or the last that is predicted.

    A document without any of the model's terms has the number of classes instead.
    """
    others: Ints
    """The class with which `classes` is compared; -1 if it is compared with a threshold, or no term is known."""

    def select(self, chosen: Ints) -> Uncertainty:
        """Return the values of some documents, given by their indices."""
        return Uncertainty(self.margins[chosen], self.classes[chosen], self.others[chosen])

    @classmethod
    def joined(cls, parts: Sequence[Uncertainty]) -> Uncertainty:
        """Return the values of the documents of several parts."""
        return cls(
            np.concatenate([part.margins for part in parts]),
            np.concatenate([part.classes for part in parts]),
            np.concatenate([part.others for part in parts]),
        )


def uncertainty_of(model: Model, predictions: Predictions) -> Uncertainty:
    """Return how sure a model is about documents, by the margins that the module's docstring defines."""
    scores, is_unknown = predictions.scores, predictions.is_unknown
    if model.multilabel and model.thresholds is not None:  # the class whose score is nearest to its threshold
        distances = np.abs(scores - model.thresholds)
        classes = distances.argmin(axis=1)
        margins, others = distances[np.arange(len(scores)), classes], np.full(len(scores), -1)
    elif model.multilabel:  # the last of the r best classes, which are predicted, and the next one
        classes_by_score = np.argsort(-scores, axis=1, kind="stable")
        n_predicted = min(model.ranks or 1, len(model.classes) - 1)
        classes, others = classes_by_score[:, n_predicted - 1], classes_by_score[:, n_predicted]
        margins = _difference(scores, classes, others)
    else:  # the best class and the second best
        values = scores if model.calibration is None else model.probabilities(scores, is_unknown)
        classes = values.argmax(axis=1)
        without_best = values.copy()
        without_best[np.arange(len(values)), classes] = -np.inf
        others = without_best.argmax(axis=1)
        margins = _difference(values, classes, others)
    return Uncertainty(
        np.where(is_unknown, 0.0, margins),
        np.where(is_unknown, len(model.classes), classes),
        np.where(is_unknown, -1, others),
    )


def _difference(values: Floats, classes: Ints, others: Ints) -> Floats:
    """Return for each document the value of one class minus that of another."""
    documents = np.arange(len(values))
    difference: Floats = values[documents, classes] - values[documents, others]
    return difference


# -- candidates ------------------------------------------------------------------------------------------------------


class _Candidates(NamedTuple):
    """Documents that may be suggested, sorted by position; each array has an element for each of them."""

    positions: Ints
    """The position of the document in the pool, from 0."""
    text_hashes: Codes
    row_hashes: Codes
    """Hashes of the rows of weights; documents with equal ones are copies to the model."""
    n_alike: Ints
    """The number of documents with the same row, including the document itself."""
    uncertainty: Uncertainty
    rows: CSR
    """The weights of the model's terms (documents x terms)."""

    def select(self, chosen: Ints) -> _Candidates:
        """Return some of the documents, given by their indices in these arrays, which must ascend."""
        return _Candidates(
            self.positions[chosen],
            self.text_hashes[chosen],
            self.row_hashes[chosen],
            self.n_alike[chosen],
            self.uncertainty.select(chosen),
            CSR.of(self.rows.matrix()[chosen]),
        )

    def most_uncertain(self, n: int) -> _Candidates:
        """Return the n documents of smallest margin; of equal margins, the first."""
        return self.select(np.sort(np.argsort(self.uncertainty.margins, kind="stable")[:n]))

    def without_copies(self) -> _Candidates:
        """Return the first document of each group with the same row; its `n_alike` is the sum of the group's."""
        # Groups are sorted by hash; `firsts` has the first document of each, `group_of` the group of each document.
        _, firsts, group_of = np.unique(self.row_hashes, return_index=True, return_inverse=True)
        n_alike = np.bincount(group_of, weights=self.n_alike).astype(np.int64)
        by_position = np.argsort(firsts)
        return self.select(firsts[by_position])._replace(n_alike=n_alike[by_position])

    @classmethod
    def joined(cls, parts: Sequence[_Candidates]) -> _Candidates:
        """Return the documents of several parts, one part after the other."""
        return cls(
            np.concatenate([part.positions for part in parts]),
            np.concatenate([part.text_hashes for part in parts]),
            np.concatenate([part.row_hashes for part in parts]),
            np.concatenate([part.n_alike for part in parts]),
            Uncertainty.joined([part.uncertainty for part in parts]),
            stack_rows([part.rows for part in parts]),
        )


class _CandidatePool:
    """Collects the `n_candidates` most uncertain documents of a pool, without copies.

    Memory holds at most twice as many documents, and one batch.
    """

    def __init__(self, n_candidates: int) -> None:
        self._n_candidates = n_candidates
        self._parts: list[_Candidates] = []  # the documents kept by the last `_shrink`, and those added since
        self._n_documents = 0  # in all parts

    def add(self, candidates: _Candidates) -> None:
        """Add documents, which must come after all that were added before."""
        self._parts.append(candidates)
        self._n_documents += len(candidates.positions)
        if self._n_documents >= 2 * self._n_candidates:
            self._shrink()

    def _shrink(self) -> None:
        """Drop copies, and then all but the `n_candidates` most uncertain documents.

        A copy that is added after its original was dropped has the same margin, so it will be dropped, too.
        """
        self._parts = [_Candidates.joined(self._parts).without_copies().most_uncertain(self._n_candidates)]
        self._n_documents = len(self._parts[0].positions)

    def candidates(self) -> _Candidates | None:
        """Return the most uncertain of the added documents; None if none was added."""
        if self._parts:
            self._shrink()
        return self._parts[0] if self._parts else None


# -- coverage --------------------------------------------------------------------------------------------------------


class Covering(NamedTuple):
    """Documents that were chosen to cover all candidates, in the order of the choice."""

    chosen: Ints
    n_represented: Ints
    """The number of other documents that each chosen document stands for.

    A document is represented by the chosen document that is most similar to it; copies count, too.
    """


def cover(rows: CSR, n: int, weights: Floats, n_alike: Ints) -> Covering:
    """Return n documents that together resemble all documents most, by greedy choice (see the module's docstring).

    `rows` has the weights of terms in at most a few thousand documents, because all pairs are compared. `weights` has
    the factor of each document in f, 1 / sqrt(c(j)). `n_alike` has the number of documents with the same row as each.
    """
    similarity = _cosines(rows)
    n_documents = rows.n_rows
    best = np.zeros(n_documents, similarity.dtype)  # the largest similarity of each document to a chosen one

    def gain_of(document: int) -> float:
        """Return how much choosing this document now would raise f."""
        return float(np.maximum(similarity[document] - best, 0) @ weights)

    # The entries are (-gain, document, how many documents were chosen when the gain was computed); the largest gain is
    # popped first. A gain from an earlier step is an upper bound. So it is computed again only when it is the largest,
    # and the document goes back into the heap. A largest gain that is up to date wins.
    heap = [(-gain_of(document), document, 0) for document in range(n_documents)]
    heapq.heapify(heap)
    chosen: list[int] = []
    while heap and len(chosen) < n:
        _, document, n_chosen_then = heapq.heappop(heap)
        if n_chosen_then < len(chosen):
            heapq.heappush(heap, (-gain_of(document), document, len(chosen)))
            continue
        chosen.append(document)
        best = np.maximum(best, similarity[document])
    represented_by = similarity[chosen].argmax(axis=0)  # a position in `chosen` for each document
    represented_by[chosen] = np.arange(len(chosen))  # a chosen document represents itself, also if another is equal
    is_represented = best > 0
    n_represented = np.bincount(represented_by[is_represented], n_alike[is_represented], minlength=len(chosen))
    return Covering(np.array(chosen, np.int64), n_represented.astype(np.int64) - 1)  # - 1: without itself


def _cosines(rows: CSR) -> NDArray[np.float32]:
    """Return the cosine of each pair of documents (documents x documents).

    Documents without terms have a cosine of 1 with each other, and of 0 with all others.
    """
    from scipy.sparse import csr_matrix, diags_array, hstack

    matrix = rows.matrix().astype(np.float64)
    norms = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    is_empty = csr_matrix((norms == 0).astype(np.float64)[:, np.newaxis])  # one more column: 1 for rows without terms
    scaled = diags_array(1 / np.where(norms > 0, norms, 1)) @ matrix
    unit_rows = csr_matrix(hstack([scaled, is_empty]))
    cosines: NDArray[np.float32] = (unit_rows @ unit_rows.T).toarray().astype(np.float32)
    return np.clip(cosines, 0, 1)


def _cover_in_parts(candidates: _Candidates, n: int) -> Covering:
    """Return n candidates that cover all of them; parts of at most `MAX_COMPARED` candidates are covered separately.

    Candidates are sorted by class before they are divided, so a part has as few classes as possible. The result has the
    first document that each part chose, then the second of each, and so on.
    """
    margins, classes, _ = candidates.uncertainty
    weights = 1 / np.sqrt(np.bincount(classes)[classes])
    by_class = np.lexsort((margins, classes))  # by class, and then by margin
    n_parts = -(-len(by_class) // MAX_COMPARED)  # both quotients are rounded up
    n_per_part = -(-n // n_parts)
    choices: list[tuple[int, int, int, int]] = []  # rank in its part, part, number of the candidate, n_represented
    for part_number, part in enumerate(np.array_split(by_class, n_parts)):
        numbers = np.sort(part)
        members = candidates.select(numbers)
        chosen, n_represented = cover(members.rows, n_per_part, weights[numbers], members.n_alike)
        documents = zip(numbers[chosen].tolist(), n_represented.tolist(), strict=True)
        choices += [(rank, part_number, number, n_others) for rank, (number, n_others) in enumerate(documents)]
    _, _, best_numbers, best_represented = zip(*sorted(choices)[:n], strict=True)
    return Covering(np.array(best_numbers), np.array(best_represented))


# -- suggestions -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Suggestion:
    """A document to label."""

    text: str
    number: int
    """Its number among the documents of the pool, from 1."""
    predicted: Label | list[Label]
    """The predicted label, or the list of labels of a multilabel model."""
    probability: float | None
    """The probability of the predicted label; None if the model has no probabilities or is multilabel."""
    why: str
    """Why the document was chosen, in a few words."""
    kept: dict[str, object] = field(default_factory=dict)
    """The values of the columns that `read` keeps."""

    def as_dict(self) -> dict[str, object]:
        """Return a JSON object; a model without probabilities has no "probability"."""
        values = {name: getattr(self, name) for name in KEYS}
        if self.probability is None:
            del values["probability"]
        return self.kept | values


class Suggestions(list[Suggestion]):
    """Documents to label, the most useful first; and the numbers of documents that were read and skipped."""

    n_read: int = 0
    skipped: dict[str, int]
    """The number of documents that can't be suggested, by reason."""


def suggest_documents(
    model: Categorizer | Model,
    documents: Corpus | Iterable[str],
    n: int = 100,
    *,
    exclude: Corpus | Iterable[str] = (),
    n_jobs: int | None = -1,
    progress: Progress | None = None,
) -> Suggestions:
    """Return at most n documents whose labels would help the model most, the most useful first.

    `documents` is the pool: a corpus, or texts. Skipped are documents with a label, empty ones, copies of other
    documents, and those whose text is in `exclude`, in a labelled document of the pool, or in an earlier update of the
    model (if the model keeps its statistics). `progress` is called with the stage, the number of documents read, and
    None.

    Examples
    --------
    >>> import textsieve
    >>> texts = ["the striker scored", "a late goal", "the vote failed", "a new law"]
    >>> labels = ["sport", "sport", "politics", "politics"]
    >>> model = textsieve.Categorizer(analyzer="word").fit(texts * 5, labels * 5)
    >>> suggestions = textsieve.suggest_documents(model, ["the striker scored again", "the vote on a goal"], n=1)
    >>> [suggestion.text for suggestion in suggestions]
    ['the vote on a goal']
    """
    if not is_whole(n) or n < 1:
        raise InputError(setting="n", value=n, hint="use a number of documents, at least 1")
    if isinstance(model, Categorizer):
        trained, added_hashes = model.model_, model.hashes_of_updates()
    else:
        trained, added_hashes = model, []
    if len(trained.classes) < 2 and not (trained.multilabel and trained.thresholds is not None):
        raise InputError(
            f"The model has only the class {shown(trained.classes[0])}, so it is never unsure",
            hint="train it on documents of at least two classes",
        )
    pool = documents if isinstance(documents, Corpus) else Corpus.from_texts(documents)
    excluded = (text for text in (exclude.texts() if isinstance(exclude, Corpus) else exclude))
    known_hashes = [*added_hashes, *map(hash_text, excluded)]
    candidates, result = _find_candidates(trained, pool, n, known_hashes, n_jobs, progress_or_shown(progress))
    if candidates is not None:
        covering = _cover_in_parts(candidates, min(n, len(candidates.positions)))
        result.extend(_read_suggestions(trained, pool, candidates, covering))
    return result


def _find_candidates(
    model: Model,
    pool: Corpus,
    n: int,
    known_hashes: list[bytes],
    n_jobs: int | None,
    progress: Progress,
) -> tuple[_Candidates | None, Suggestions]:
    """Read the pool; return the candidates (None if there are none), and an empty result with the numbers of documents.

    `known_hashes` are those of texts that are not to be suggested.
    """
    result = Suggestions()
    result.skipped = dict.fromkeys((LABELLED, EMPTY, KNOWN), 0)
    # A labelled document may come after its unlabelled copy. So such copies are removed when all of the pool is read,
    # and until then, twice as many candidates as needed are kept.
    collected = _CandidatePool(2 * CANDIDATES_PER_SUGGESTION * n)
    hashes_of_labelled: list[Codes] = []
    all_margins: list[Floats] = []
    known = _as_codes(known_hashes)
    for batch, places in pool.placed_batches():
        hashes = _as_codes(map(hash_text, batch.texts))
        # A document that could be skipped for several reasons counts for the first of them.
        is_labelled = _is_labelled(model, batch.labels, places)
        is_empty = ~is_labelled & np.array([not text or text.isspace() for text in batch.texts])
        is_known = ~is_labelled & ~is_empty & np.isin(hashes, known)
        for reason, is_skipped in ((LABELLED, is_labelled), (EMPTY, is_empty), (KNOWN, is_known)):
            result.skipped[reason] += int(is_skipped.sum())
        hashes_of_labelled.append(hashes[is_labelled])
        numbers = np.flatnonzero(~(is_labelled | is_empty | is_known))  # of the documents in the batch that are left
        if len(numbers):
            with pool.naming_documents(result.n_read, batch.kept):
                batch_rows = model.rows(batch.texts, n_jobs)
            rows = CSR.of(batch_rows.matrix()[numbers])
            uncertainty = _uncertainty_of_rows(model, rows, n_jobs)
            all_margins.append(uncertainty.margins)
            positions, n_alike = numbers + result.n_read, np.ones(len(numbers), np.int64)
            row_hashes = _as_codes(_hash_rows(rows))
            collected.add(_Candidates(positions, hashes[numbers], row_hashes, n_alike, uncertainty, rows))
        result.n_read += len(batch)
        progress("reading the pool", result.n_read, None)
    candidates = collected.candidates()
    if candidates is None:
        return None, result
    is_labelled_elsewhere = np.isin(candidates.text_hashes, np.concatenate(hashes_of_labelled))
    candidates = candidates.select(np.flatnonzero(~is_labelled_elsewhere))
    median_margin = np.median(np.concatenate(all_margins))
    n_in_unsure_half = int((candidates.uncertainty.margins <= median_margin).sum())
    candidates = candidates.most_uncertain(max(n, min(CANDIDATES_PER_SUGGESTION * n, n_in_unsure_half)))
    return (candidates if len(candidates.positions) else None), result


def _is_labelled(model: Model, labels: Sequence[tuple[str, ...]], places: Sequence[DocumentPlace]) -> Bools:
    """Return which documents are labelled: with a label, or for a multilabel model also with an explicit empty list."""
    return np.array(
        [
            bool(label_set) or (model.multilabel and place.is_of_no_class)
            for label_set, place in zip(labels, places, strict=True)
        ]
    )


def _as_codes(hashes: Iterable[bytes]) -> Codes:
    """Return the first 8 bytes of each hash as a number; texts or rows with equal numbers are taken for the same."""
    return np.frombuffer(b"".join(hash_bytes[:HASH_BYTES] for hash_bytes in hashes), np.uint64)


def _hash_rows(rows: CSR) -> Iterator[bytes]:
    """Yield a hash of each row's nonzero weights and their columns; all rows without any have the same hash."""
    is_nonzero = rows.data != 0
    for start, stop in pairwise(rows.indptr.tolist()):
        nonzero = is_nonzero[start:stop]
        columns, values = rows.indices[start:stop][nonzero], rows.data[start:stop][nonzero]
        yield blake2b(columns.astype(np.int64).tobytes() + values.tobytes(), digest_size=HASH_BYTES).digest()


def _uncertainty_of_rows(model: Model, rows: CSR, n_jobs: int | None) -> Uncertainty:
    """Return how sure a model is about documents; they are scored in blocks, so that few scores are in memory."""
    parts = blocks(rows.n_rows, len(model.classes))
    return Uncertainty.joined([uncertainty_of(model, model.predict_rows(rows.part(part), n_jobs)) for part in parts])


def _read_suggestions(model: Model, pool: Corpus, candidates: _Candidates, covering: Covering) -> list[Suggestion]:
    """Read the texts of the chosen candidates, and return the suggestions, the best first."""
    # Texts are read in the order of the pool, and suggestions are then put into the order of the choice, their rank.
    rank_of_position = {int(candidates.positions[number]): rank for rank, number in enumerate(covering.chosen.tolist())}
    chosen = candidates.select(np.sort(covering.chosen))
    predictions = model.predict_rows(chosen.rows)
    reasons = _reasons(model, chosen.uncertainty, predictions)
    suggestion_by_rank: dict[int, Suggestion] = {}
    for position, (text, kept), record, reason in zip(
        chosen.positions.tolist(),
        _read_documents(pool, chosen),
        Records(model).of(predictions),
        reasons,
        strict=True,
    ):
        rank = rank_of_position[position]
        n_others = int(covering.n_represented[rank])
        suggestion_by_rank[rank] = Suggestion(
            text,
            position + 1,
            record["labels"] if model.multilabel else record["label"],
            record.get("probability"),
            reason + (f"; stands for {counted(n_others, 'similar document')}" if n_others else ""),
            kept,
        )
    return [suggestion_by_rank[rank] for rank in range(len(suggestion_by_rank))]


def _read_documents(pool: Corpus, chosen: _Candidates) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield the text and the kept values of each chosen document, in the order of the pool.

    Raises `InputError` if the pool was changed since the candidates were read.
    """
    remaining = dict(zip(chosen.positions.tolist(), chosen.text_hashes.tolist(), strict=True))  # hashes by position
    n_before = 0
    for batch in pool.text_batches():
        for position in sorted(remaining.keys() & range(n_before, n_before + len(batch))):
            text = batch.texts[position - n_before]
            if _as_codes([hash_text(text)])[0] != remaining.pop(position):
                raise _changed_error(pool)
            yield text, batch.kept[position - n_before] if batch.kept else {}
        n_before += len(batch)
        if not remaining:
            return
    raise _changed_error(pool)


def _changed_error(pool: Corpus) -> InputError:
    """Return the error for a pool that had other documents when it was read again."""
    return InputError("was changed while it was read", place=pool.name, hint="Run it again.")


def _reasons(model: Model, uncertainty: Uncertainty, predictions: Predictions) -> Iterator[str]:
    """Yield for each document why the model is unsure, such as "sport (52%) or politics (47%)"."""
    names = [as_written(label) for label in model.classes]
    has_probabilities = not model.multilabel and model.calibration is not None
    is_unknown = predictions.is_unknown
    values = model.probabilities(predictions.scores, is_unknown) if has_probabilities else predictions.scores
    for number, (margin, cls, other) in enumerate(zip(*(part.tolist() for part in uncertainty), strict=True)):
        if cls == len(names):
            yield "has none of the model's terms"
        elif other < 0:
            yield f"near the threshold of {names[cls]} ({margin:.3f} from it)"
        elif has_probabilities:
            probabilities = values[number]
            yield f"{names[cls]} ({probabilities[cls]:.0%}) or {names[other]} ({probabilities[other]:.0%})"
        else:
            yield f"{names[cls]} or {names[other]} (scores {margin:.3f} apart)"
