"""Typical testors of the topics of Reuters-21578: the selection is the union of all listed testors."""

import html
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from tests.reference.archives import files_in

from textsieve import ClassStats, TermCounter, TermWeighter, TypicalTestors


@pytest.fixture(scope="module")
def stats(data_dir: Path) -> ClassStats:
    """Return statistics of ltc weights of the ModApte training documents, for topics with at least two documents."""
    texts, topics = [], []
    for name, data in files_in(data_dir / "reuters21578.tar.gz"):
        text = data.decode("latin-1") if name.endswith(".sgm") else ""
        for document in re.findall(r"<REUTERS.*?</REUTERS>", text, re.DOTALL):
            document_topics = re.findall(r"<D>(.*?)</D>", document.split("<TOPICS>")[1].split("</TOPICS>")[0])
            if 'LEWISSPLIT="TRAIN"' in document and 'TOPICS="YES"' in document and document_topics:
                texts.append(html.unescape(re.sub(r"<[^>]+>", " ", "<TEXT" + document.split("<TEXT", 1)[1])))
                topics.append(document_topics)
    sizes = Counter(topic for own in topics for topic in own)
    counts = TermCounter().fit_transform(texts)
    weights = TermWeighter(tf="log", idf="plain", norm="l2").fit_transform(counts)
    return ClassStats.from_matrix(weights, [[topic for topic in own if sizes[topic] > 1] for own in topics])


@pytest.mark.filterwarnings("ignore:.*no term sets apart")
def test_the_selection_is_the_union_of_all_listed_testors(stats: ClassStats) -> None:
    selector = TypicalTestors(epsilon=0.25).fit_stats(stats)
    assert len(stats.classes) > 90
    n_testors = 0
    for label, class_terms in selector.class_terms_.items():
        quick, slow = (set(selector.testors(label, method=method)) for method in ("mmcs", "lex"))
        assert quick == slow
        assert sorted({term for testor in quick for term in testor}) == class_terms.tolist()
        rows = selector.comparison_[label].toarray()
        rows = rows[rows.any(axis=1)]
        assert all(rows[:, list(testor)].any(axis=1).all() for testor in list(quick)[:50])
        if quick:
            assert selector.shortest_testors(label, limit=1).size == min(map(len, quick))
        n_testors += len(quick)
    assert n_testors > 1000
    assert selector.scores_are_exact_


@pytest.mark.filterwarnings("ignore:.*no term sets apart")
@pytest.mark.parametrize("k", [200, 500, 1500])
def test_k_selects_k_terms_or_slightly_fewer(stats: ClassStats, k: int) -> None:
    selector = TypicalTestors(k=k).fit_stats(stats)
    assert 0.98 * k <= selector.support_.sum() <= k
    again = TypicalTestors(epsilon=selector.epsilon_).fit_stats(stats)
    assert np.array_equal(again.support_, selector.support_)
