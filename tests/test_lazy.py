"""Packages that load their names on first use look like any others."""

import importlib
import subprocess
import sys

import pytest

import textsieve
from textsieve.lazy import attach

PACKAGES = ["textsieve", "textsieve.text", "textsieve.classifiers"]


@pytest.mark.parametrize("name", PACKAGES)
def test_every_name_is_there_and_listed(name: str) -> None:
    package = importlib.import_module(name)
    assert package.__all__
    assert set(package.__all__) <= set(dir(package))
    for exported in package.__all__:
        assert getattr(package, exported).__name__ == exported
        assert getattr(package, exported).__module__.startswith(name)


@pytest.mark.parametrize("name", PACKAGES)
def test_other_names_are_not_there(name: str) -> None:
    package = importlib.import_module(name)
    with pytest.raises(AttributeError, match=f"module '{name}' has no attribute 'NoSuchName'"):
        package.NoSuchName  # noqa: B018
    with pytest.raises(ImportError, match="NoSuchName"):
        exec(f"from {name} import NoSuchName")


@pytest.mark.slow
def test_submodules_are_found_beside_the_names() -> None:
    code = "from textsieve.text import weights, TermCounter; print(weights.__name__, TermCounter.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["textsieve.text.weights", "TermCounter"]


def test_a_module_is_loaded_when_one_of_its_names_is_used() -> None:
    load, names, listed = attach("textsieve", {"errors": ["InputError", "shown"]})
    assert names() == ["InputError", "shown"] == sorted(listed)
    assert load("InputError") is textsieve.InputError
    with pytest.raises(AttributeError, match="'no'"):
        load("no")


def test_the_version_is_the_installed_one() -> None:
    from importlib.metadata import version

    assert textsieve.__version__ == version("textsieve")
