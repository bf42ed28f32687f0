"""A runner of commands for all documentation pages."""

from collections.abc import Iterator

import pytest

from tests.terminals import Runner, running


@pytest.fixture(scope="session")
def runner() -> Iterator[Runner]:
    """Yield a process that runs commands; it starts once, which takes seconds."""
    with running() as made:
        yield made
