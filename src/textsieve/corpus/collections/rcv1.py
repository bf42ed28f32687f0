"""RCV1-v2: 804,414 Reuters stories of 1996 and 1997 with 103 topics, published as vectors or tokens, not as texts.

The LYRL2004 split trains on the first 23,149 stories (`lyrl2004.py` reads its files). `top` keeps only the four top
codes: CCAT, ECAT, GCAT, MCAT. MULAN's five subsets have 6,000 stories each, with 944 binary terms; `mulan.py` reads
them and identifies their topics.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..batch import Batch, Report, in_batches
from ..corpus import Start
from . import lyrl2004, mulan
from .collection import Collection
from .editions import Choice, ChosenEdition, Edition, File, Paths

VECTORS, TOKENS = "", "tokens"
TOPICS = File("rcv1/rcv1-v2.topics.qrels.gz", ("2a98e5e5d8b770bded93afc8930d88299474317fe14181aee1466cc754d0d1c1",))
PIECES = ("train", "test_pt0", "test_pt1", "test_pt2", "test_pt3")
SUMS = {
    "vectors_train": "5468f656d0ba7a83afc7ad44841cf9a53048a5c083eedc005dcdb5cc768924ae",
    "vectors_test_pt0": "ed40f7e418d10484091b059703eeb95ae3199fe042891dcec4be6696b9968374",
    "vectors_test_pt1": "87700668ae45d45d5ca1ef6ae9bd81ab0f5ec88cc95dcef9ae7838f727a13aa6",
    "vectors_test_pt2": "48143ac703cbe33299f7ae9f4995db49a258690f60e5debbff8995c34841c7f5",
    "vectors_test_pt3": "dfcb0d658311481523c6e6ca0c3f5a3e1d3d12cde5d7a8ce629a9006ec7dbb39",
}
"""The known checksums of LYRL2004's files; none is known for the tokens."""
SUBSETS = {
    1: (101, "b2ee886a52fc33753a246afd5025e5e1bc91be8bc95533798e9abf87974f8495"),
    2: (90, "dcf47e73085ddc9ecd845c7574fe7762559db66dcdd6dd47a2864424ddda28b6"),
    3: (88, "09acb20453492a62b34fdd41190551a00caf21851fb4d63aa1f81d58a301640a"),
    4: (71, "983864d627187b91177958308aed1c5f27fa89aaa77c1389d1987b8418183053"),
    5: (90, "d7353bc859b4e604f3d0645e9a73b6417f2becc38c35eaa483348e08001e9312"),
}
"""The number of topics and the checksum of each of MULAN's subsets."""


def _start(files: Mapping[str, Paths], chosen: ChosenEdition) -> Start:
    paths = {name: file_paths[0] for name, file_paths in files.items()}
    wanted = mulan.TOP if chosen.get("topics") else None
    if chosen.edition.word not in (VECTORS, TOKENS):
        (subset,) = paths.values()
        return lambda report: mulan.batches(subset, chosen.part, wanted, chosen.bounds)
    topics_path = paths.pop(TOPICS.name)
    known: list[lyrl2004.Topics] = []
    topic_report = Report()

    def start(report: Report) -> Iterator[Batch]:
        if not known:
            known.append(lyrl2004.read_topics(topics_path, wanted, topic_report, chosen.bounds))
        for kind, count in topic_report.skipped.items():
            report.skipped[kind] = report.skipped.get(kind, 0) + count
        if chosen.edition.word == TOKENS:
            return in_batches(lyrl2004.token_documents(paths.values(), known[0], report, chosen.bounds))
        return lyrl2004.vector_batches(paths.values(), known[0], report, chosen.bounds)

    return start


def _published(kind: str) -> tuple[File, ...]:
    """Return the files of vectors or tokens, and the file of topics."""
    names = [f"{kind}_{piece}" for piece in PIECES]
    sums = [(SUMS[name],) if name in SUMS else () for name in names]
    pieces = (
        File(f"rcv1/lyrl2004_{name}.dat.gz", known, part=piece.partition("_")[0])
        for name, known, piece in zip(names, sums, PIECES, strict=True)
    )
    return (*pieces, TOPICS)


COLLECTION = Collection(
    name="rcv1",
    title="RCV1-v2",
    publisher="the online appendices of Lewis, Yang, Rose and Li (2004)",
    licence="research only",
    editions=(
        Edition(VECTORS, "LYRL2004's vectors", _published("vectors"), 804_414, 103, (23_149, 781_265)),
        Edition(TOKENS, "LYRL2004's stems, as texts", _published("tokens"), 804_414, 103, (23_149, 781_265)),
        *(
            Edition(
                *(f"subset{number}", f"MULAN's subset {number}, as vectors"),
                (File(f"rcv1/rcv1subset{number}_top944.mat", (checksum,)),),
                documents=6_000,
                classes=n_topics,
                split=(3_000, 3_000),
                publisher="MULAN's page of multi-label data sets",
            )
            for number, (n_topics, checksum) in SUBSETS.items()
        ),
    ),
    choices=(Choice("topics", {"top": "the four codes at the top alone"}),),
    several=True,
    start=_start,
)
