"""Spark, where there is Java: on this machine's cores, on a cluster of two workers, and through Connect.

A test that takes `spark` runs on all three; `@pytest.mark.parametrize("spark", ["cluster"], indirect=True)` chooses.
"""

import os
from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from tests.depth import absent
from tests.processes import command_of, descendants
from tests.spark.cluster import Cluster, missing
from tests.spark.sessions import KINDS, Sessions


@pytest.fixture(scope="package")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sessions]:
    """All kinds of sessions; nothing is started before it is asked for."""
    reason = missing()
    if reason is not None:
        absent(reason)
    before = descendants(os.getpid())
    found = Sessions(tmp_path_factory.mktemp("spark"))
    try:
        yield found
    finally:
        found.close()
    new = descendants(os.getpid()) - before
    left = {each for each in new if "chromium" not in " ".join(command_of(each))}  # the browser of other tests
    assert not left, f"left behind: {[command_of(process) for process in left]}"


@pytest.fixture(scope="package", params=KINDS)
def spark(request: pytest.FixtureRequest, sessions: Sessions) -> SparkSession:
    """A session of each kind in turn."""
    return sessions.of(request.param)


@pytest.fixture
def cluster(sessions: Sessions) -> Cluster:
    """The cluster, for tests that take it apart; they leave two workers behind."""
    return sessions.cluster
