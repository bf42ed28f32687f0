"""The reference of the Python API, as griffe loads it for mkdocstrings: types, defaults and descriptions are right."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.depth import absent
from tests.docs.running import ROOT
from tests.docs.test_docs_pages import documented_names
from textsieve.extras import is_installed

EXTENSION = str(ROOT / "website" / "docstrings.py")
CONSTANT = re.compile(r"[A-Z][A-Z0-9_]+")


def loaded(package: str, folder: Path) -> Any:
    """Return a package in a folder as griffe loads it for the site."""
    if not is_installed("mkdocstrings-python"):
        absent("the extra 'docs' is not installed")
    import griffe

    return griffe.load(
        package,
        search_paths=[str(folder)],
        docstring_parser="numpy",
        extensions=griffe.load_extensions(EXTENSION),
        resolve_aliases=True,
    )


@pytest.fixture(scope="module")
def textsieve_code() -> Any:
    return loaded("textsieve", ROOT / "src")


def documented_objects(package: Any) -> Iterator[Any]:
    """Yield the objects of the reference, with the public methods of classes."""
    for name in documented_names():
        documented = package[name.removeprefix("textsieve.")]
        yield documented
        if documented.is_class:
            yield from (member for member in documented.members.values() if member.is_function and member.is_public)


def sections_of(documented: Any, kind: str) -> list[Any]:
    """Return the entries of the sections of a docstring that have this kind."""
    if documented.docstring is None:
        return []
    sections = documented.docstring.parse("numpy", warnings=False)
    return [entry for section in sections if section.kind.value == kind for entry in section.value]


@pytest.mark.slow
def test_parameters_have_the_defaults_and_types_of_their_signature(textsieve_code: Any) -> None:
    n_parameters = 0
    for documented in documented_objects(textsieve_code):
        for entry in sections_of(documented, "parameters"):
            parameter = documented.parameters[entry.name]
            assert str(entry.default) == str(parameter.default), (documented.path, entry.name)
            assert entry.annotation is not None, (documented.path, entry.name)
            assert entry.description, (documented.path, entry.name)
            n_parameters += 1
    assert n_parameters > 100


@pytest.mark.slow
def test_signatures_show_values_instead_of_names_of_constants(textsieve_code: Any) -> None:
    for documented in documented_objects(textsieve_code):
        for parameter in documented.parameters if documented.is_function or documented.is_class else ():
            assert not CONSTANT.fullmatch(str(parameter.default)), (documented.path, parameter.name)
    assert str(textsieve_code["ForwardSelection"].parameters["candidates"].default) == "4000"


@pytest.mark.slow
def test_attributes_have_a_description_and_a_name_only(textsieve_code: Any) -> None:
    n_attributes = 0
    for documented in documented_objects(textsieve_code):
        for entry in sections_of(documented, "attributes"):
            assert re.fullmatch(r"\w+(, \w+)*", entry.name), (documented.path, entry.name)
            assert len(entry.description) > len("a word"), (documented.path, entry.name)
            n_attributes += 1
    assert n_attributes > 50


def test_shared_entries_constants_and_attributes_are_prepared(tmp_path: Path) -> None:
    (tmp_path / "example").mkdir()
    (tmp_path / "example" / "numbers.py").write_text("MOST = 7\n")
    source = '''
    """A module."""

    from .numbers import MOST

    FEWEST = 2

    class Limits:
        """The limits.

        Parameters
        ----------
        low, high : int, "all" or None
            The limits.
        size
            The size
            of it.

        Attributes
        ----------
        sizes_ : array, one | for each
            document
        low_, high_ : the limits

        More text.
        """

        def __init__(self, low=FEWEST, high: int = MOST, size: int = 3) -> None:
            """Keep them."""
    '''
    (tmp_path / "example" / "__init__.py").write_text(textwrap.dedent(source))
    limits = loaded("example", tmp_path)["Limits"]
    entries = sections_of(limits, "parameters")
    parameters = {entry.name: (str(entry.annotation), str(entry.default)) for entry in entries}
    assert parameters == {
        "low": ("int or all or None", "2"),
        "high": ("int or all or None", "7"),
        "size": ("int", "3"),
    }
    assert [str(parameter.default) for parameter in limits.parameters][1:] == ["2", "7", "3"]
    assert entries[2].description.strip() == "The size\nof it."
    attributes = {entry.name: entry.description.strip() for entry in sections_of(limits, "attributes")}
    assert attributes["sizes_"] == "array, one | for each\ndocument"
    assert attributes["low_, high_"] == "the limits"
