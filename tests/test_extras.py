"""The packages of an extra are read from the metadata, and errors about missing ones say how to install them."""

import importlib
import sys
from importlib import metadata

import pytest

from textsieve import InputError, extras


def without(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretend that a package is not installed."""

    def distribution(name: str) -> metadata.Distribution:
        if name == missing:
            raise metadata.PackageNotFoundError(name)
        return metadata.distribution(name)

    monkeypatch.setattr(extras, "distribution", distribution)
    extras.require_package.cache_clear()


def test_installed_packages_raise_no_error() -> None:
    extras.require_extra("plots", what="x")
    extras.require_extra("test", what="x")


@pytest.mark.parametrize("missing", ["altair", "vl-convert-python"])
def test_a_missing_package_is_named(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    without(missing, monkeypatch)
    with pytest.raises(InputError) as caught:
        extras.require_extra("plots", what="--energy-plot")
    assert str(caught.value) == (
        f"--energy-plot needs {missing}; pip install 'textsieve[plots]', "
        "or pip install '.[plots]' in a copy of its source."
    )
    extras.require_extra("test", what="x")


def test_all_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["numpy>=2", "no-such-one>=1; extra == 'few'", 'no_such_two[a]; python_version > "3" and extra == "few"']
    monkeypatch.setattr(extras, "requires", lambda _: [*lines, "no-such-three; extra == 'fewer'"])
    with pytest.raises(InputError, match="x needs no-such-one and no_such_two; pip install 'textsieve\\[few\\]'"):
        extras.require_extra("few", what="x")


def test_an_unknown_extra_raises_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    for known in (None, ["numpy>=2"]):
        monkeypatch.setattr(extras, "requires", lambda _, known=known: known)
        with pytest.raises(InputError, match="which this installation does not know"):
            extras.require_extra("plots", what="x")


def test_one_package_of_an_extra_can_be_required_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    without("altair", monkeypatch)
    extras.require_package("vl-convert-python", extra="plots", what="x")
    for _ in range(2):  # a missing package is not cached
        with pytest.raises(InputError, match=r"x needs altair; pip install 'textsieve\[plots\]'"):
            extras.require_package("altair", extra="plots", what="x")


@pytest.mark.parametrize(("part", "needed"), [("plots", "altair"), ("spark", "pyspark")])
def test_features_name_the_packages_that_they_need(part: str, needed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    without(needed, monkeypatch)
    for name in list(sys.modules):
        if name.startswith(f"textsieve.{part}"):
            monkeypatch.delitem(sys.modules, name)
    with pytest.raises(InputError, match=rf"textsieve\.{part} needs {needed}; pip install 'textsieve\[{part}\]'"):
        importlib.import_module(f"textsieve.{part}")
