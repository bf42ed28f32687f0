"""Spark sessions for tests: on this machine's cores, on a cluster of two workers, and through Connect.

A test with the fixture `spark` runs on all three, or on those that it names:
`@pytest.mark.parametrize("spark", ["local"], indirect=True)`.
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
    """Yield all kinds of sessions; nothing is started before it is needed."""
    reason = missing()
    if reason is not None:
        absent(reason)
    before = descendants(os.getpid())
    all_sessions = Sessions(tmp_path_factory.mktemp("spark"))
    try:
        yield all_sessions
    finally:
        all_sessions.close()
    new = descendants(os.getpid()) - before
    left = {process for process in new if "chromium" not in " ".join(command_of(process))}  # the browser of other tests
    assert not left, f"left behind: {[command_of(process) for process in left]}"


@pytest.fixture(scope="package", params=KINDS)
def spark(request: pytest.FixtureRequest, sessions: Sessions) -> SparkSession:
    """Return a session of each kind in turn."""
    return sessions.of(request.param)


@pytest.fixture
def cluster(sessions: Sessions) -> Cluster:
    """Return the cluster, for tests that kill parts of it; they leave two workers behind."""
    return sessions.cluster
