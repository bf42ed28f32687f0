"""The built-in corpus, which needs no download: docstrings of the packages that textsieve depends on.

The source files of the packages are parsed, never imported. A document is the docstring of a module, class or function,
and its label is the subpackage, such as `scipy.stats`. Left out are modules that are in no subpackage, private
subpackages, `numpy.distutils`, tests, vendored code, duplicate docstrings, docstrings of fewer than 15 words, and
classes of fewer than 30 documents.

Parsing takes some seconds, so the result is stored in the user's cache folder, in a file whose name contains the
versions of the packages. If that file is damaged or cannot be written, the packages are parsed again.
"""

from __future__ import annotations

import ast
import gzip
import json
import warnings
import zlib
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from ..errors import InputError
from ..files import replacing
from .batch import in_batches
from .corpus import Corpus

PACKAGES = {"numpy": "numpy", "scipy": "scipy", "sklearn": "scikit-learn"}
"""The packages: import name and distribution name."""

MIN_WORDS = 15
MIN_DOCUMENTS = 30
EXCLUDED_FOLDERS = ("tests", "externals", "extern", "vendor", "vendored")
EXCLUDED_CLASSES = ("numpy.distutils",)  # installed only for some versions of Python
CACHE_FORMAT = 1
"""A number in the name of the cache file; caches with another number are not read."""

Pair = tuple[str, str]
"""A docstring and its label."""


def corpus() -> Corpus:
    """Open the corpus, from the cache if it is there."""
    path = _cache_path()
    pairs = _from_cache(path)
    if pairs is None:
        pairs = collect()
        _to_cache(path, pairs)
    return Corpus("docstrings", lambda report: in_batches((text, (label,)) for text, label in pairs), multilabel=False)


def collect() -> list[Pair]:
    """Parse the packages, and return pairs of a docstring and its subpackage in the order of the files."""
    seen_texts: set[str] = set()
    pairs: list[Pair] = []
    for package in PACKAGES:
        for text, label in _docstrings_of(package):
            if text not in seen_texts and len(text.split()) >= MIN_WORDS and label not in EXCLUDED_CLASSES:
                seen_texts.add(text)
                pairs.append((text, label))
    sizes = Counter(label for _, label in pairs)
    return [(text, label) for text, label in pairs if sizes[label] >= MIN_DOCUMENTS]


def _docstrings_of(package: str) -> Iterator[Pair]:
    """Yield the docstrings of the public subpackages of a package, with their labels, in the order of the files.

    Raise `InputError` if the package is not installed.
    """
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise InputError(f"{package} is not installed", place="docstrings", hint=f"Install {PACKAGES[package]}")
    package_folder = Path(spec.origin).parent
    for path in sorted(package_folder.rglob("*.py"), key=lambda file: file.relative_to(package_folder).parts):
        parts = path.relative_to(package_folder).parts
        if len(parts) == 1 or parts[0].startswith("_") or any(map(_is_excluded, parts)):
            continue  # a module of the package itself, a private subpackage, or tests and vendored code
        for text in _docstrings_in(path):
            yield text, f"{package}.{parts[0]}"


def _is_excluded(part: str) -> bool:
    """Return whether a folder or file in a path is for tests, or for code of other projects."""
    return part.strip("_") in EXCLUDED_FOLDERS or part.startswith(("test_", "conftest."))


def _docstrings_in(path: Path) -> Iterator[str]:
    """Yield the docstrings of the module in a source file, and of its classes and functions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # invalid escapes in other packages are not our concern
        warnings.simplefilter("ignore", DeprecationWarning)
        tree = ast.parse(path.read_bytes(), filename=str(path))
    nodes = deque[ast.AST]([tree])
    # This is `ast.walk` without expressions, which are most of the nodes and contain no classes or functions.
    while nodes:
        node = nodes.popleft()
        nodes.extend(child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text:
                yield text


def _cache_path() -> Path:
    """Return the path of the cache for the installed versions of the packages."""
    from platformdirs import user_cache_path

    versions = "-".join(f"{name}{version(name)}" for name in PACKAGES.values())
    return user_cache_path("textsieve", appauthor=False) / f"docstrings-{CACHE_FORMAT}-{versions}.jsonl.gz"


def _from_cache(path: Path) -> list[Pair] | None:
    """Return the cached pairs, or None if the cache is missing, empty or damaged."""
    try:
        with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
            rows = [json.loads(line) for line in file]
        pairs = [(str(text), str(label)) for text, label in rows]
    except (OSError, EOFError, zlib.error, ValueError, TypeError):
        return None  # the caller parses the packages again
    return pairs or None


def _to_cache(path: Path, pairs: list[Pair]) -> None:
    """Write the pairs to the cache; if that fails, the next call parses the packages again."""
    lines = "".join(json.dumps(pair) + "\n" for pair in pairs)
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(str(path)) as file:
            file.write(gzip.compress(lines.encode(), mtime=0))
