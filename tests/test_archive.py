"""An archive by its versions: which are read, and what is said of others."""

import pytest

from textsieve import InputError
from textsieve.archive import Kind, pack, unpack


@pytest.mark.parametrize(
    ("newest", "oldest", "said"),
    [(1, 1, "version 1"), (2, 1, "version 1 or 2"), (3, 1, "version 1 to 3"), (9, 7, "version 7 to 9")],
)
def test_what_is_read_is_said_of_what_is_not(newest: int, oldest: int, said: str) -> None:
    kind = Kind("x", newest, "an x", oldest)
    for version in (oldest, newest):
        assert unpack(kind, pack(kind._replace(version=version), {}, {}))[0]["version"] == version
    for version in (oldest - 1, newest + 1):
        with pytest.raises(InputError, match=rf"this release reads 'x' {said}\. "):
            unpack(kind, pack(kind._replace(version=version), {}, {}))
