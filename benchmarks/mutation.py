"""Mutation testing: change one expression or statement at a time, and count the changes that no test notices.

`python -m benchmarks.mutation` draws a sample of mutants of the packages in `PACKAGES`, runs the tests that execute the
changed line on each, and prints how many are killed (a test fails), time out (an endless loop, which counts as killed),
survive, or are executed by no test. The sample depends on the seed and the source code only, so a second run measures
new tests on the same mutants: `--results FILE` saves the outcomes, `--before FILE` compares with those of another run.

The tests run in a copy of the repository. A first run of all tests in `TESTS` measures line and branch coverage for
each test. A mutant is then tested in a fork of a process that has already imported pytest, numba and scikit-learn. The
fork runs the tests that execute the mutated lines, then the other tests of the same files (they may share a fixture
that executes the lines), until one fails or they have used `--seconds` of processor time. A hook on Python's import
system replaces the mutated module, also in processes that the tests start.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib
import json
import multiprocessing
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Generator, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import coverage
import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("stats", "selectors", "classifiers", "training", "prediction", "modelfile")
TESTS = (*PACKAGES, "categorizer")
MIN_MUTANTS = 30
"""The smallest number of mutants drawn from each package."""
EXAMPLES = {"coverage": 5, "mutant": 25}
"""The most examples that hypothesis tries in a test: few for coverage, which only records executed lines."""
MEMORY = 12 << 30
"""Bytes of address space that a mutant may use."""
PRELOADED = (
    "numpy", "scipy.sparse", "scipy.stats", "sklearn.svm", "sklearn.pipeline", "sklearn.model_selection", "numba.typed",
    "hypothesis.extra.numpy", "selenium.webdriver.support.ui", "selenium.webdriver.chrome.webdriver", "click",
)  # fmt: skip
"""Packages that the tests import, imported once for all mutants; textsieve is not among them."""
HOOK = """
import importlib.machinery as _machinery, os as _os
_path, _, _mutated = _os.environ.get("TEXTSIEVE_MUTANT", "").partition("=")
if _path:
    _original = _machinery.SourceFileLoader.get_code
    def _get_code(self, name):
        if self.path != _path:
            return _original(self, name)
        with open(_mutated, "rb") as file:
            return compile(file.read(), _path, "exec", dont_inherit=True)
    _machinery.SourceFileLoader.get_code = _get_code
"""
"""The code that replaces the module at one path by another file; all processes that the tests start run it."""

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
    ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}  # fmt: skip
FUNCTIONS = {
    name: other
    for pair in (("min", "max"), ("any", "all"), ("minimum", "maximum"), ("argmin", "argmax"), ("floor", "ceil"))
    for name, other in (pair, pair[::-1])
}


class Mutant(NamedTuple):
    """One change of a source file: the bytes from `start` to `end` become `replacement`."""

    file: str
    line: int
    start: int
    end: int
    original: str
    replacement: str
    lines: tuple[int, int]
    """First and last line of the code that a test has to execute; (0, 0) for code that runs on import."""

    @property
    def name(self) -> str:
        """Return the text that identifies the mutant in lists and files."""
        return f"{self.file}:{self.line}:{self.start}: {_shorten(self.original)} -> {_shorten(self.replacement)}"

    @property
    def package(self) -> str:
        """Return the name of the package of the file."""
        return Path(self.file).parts[2]

    def apply(self, source: bytes) -> bytes:
        """Return the mutated source."""
        return source[: self.start] + self.replacement.encode() + source[self.end :]


class Outcome(NamedTuple):
    """The result of the tests of one mutant, and the test that killed it, if one did."""

    name: str
    package: str
    outcome: str
    killer: str = ""


def _shorten(code: str) -> str:
    return " ".join(code.split())


class Collector:
    """Collects the mutants of one source file."""

    def __init__(self, file: str, source: bytes) -> None:
        self.file = file
        self.source = source
        self.mutants: list[Mutant] = []
        self._starts = [0]  # the byte offset of each line
        for line in source.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        self._lines = (0, 0)
        self._is_in_function = False
        self._statements(ast.parse(source).body)

    def _add(self, node: Any, replacement: ast.AST | str) -> None:
        """Add the mutant in which the code of a node is replaced."""
        start = self._starts[node.lineno - 1] + node.col_offset
        end = self._starts[node.end_lineno - 1] + node.end_col_offset
        text = replacement if isinstance(replacement, str) else ast.unparse(replacement)
        if isinstance(replacement, ast.expr):
            text = f"({text})"
        original = self.source[start:end].decode()
        self.mutants.append(Mutant(self.file, node.lineno, start, end, original, text, self._lines))

    def _statements(self, body: Iterable[ast.stmt]) -> None:
        for statement in body:
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        """Add the mutants of a statement, of its expressions, and of the statements in its blocks."""
        if isinstance(node, ast.Import | ast.ImportFrom | ast.Assert):
            return
        if isinstance(node, ast.FunctionDef):
            self._function(node)
            return
        if isinstance(node, ast.ClassDef):
            self._statements(node.body)
            return
        blocks = [getattr(node, name, []) for name in ("body", "orelse", "finalbody")]
        blocks += [handler.body for handler in getattr(node, "handlers", [])]
        blocks += [case.body for case in getattr(node, "cases", [])]
        first = min((block[0].lineno for block in blocks if block), default=0)
        if self._is_in_function:
            self._lines = (node.lineno, max(node.lineno, first - 1) if first else node.end_lineno or node.lineno)
        self._mutate_statement(node)
        if not isinstance(node, ast.Raise):  # its arguments are a message
            for name, value in ast.iter_fields(node):
                if name not in ("body", "orelse", "finalbody", "handlers", "cases", "annotation"):
                    self._expressions(value)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            return
        for block in blocks:
            self._statements(block)

    def _function(self, node: ast.FunctionDef) -> None:
        """Add the mutants of a function and its default values, but not of `__repr__` and `__str__`."""
        if node.name in ("__repr__", "__str__"):
            return
        before = self._is_in_function, self._lines
        self._lines = (node.body[0].lineno, node.end_lineno or node.lineno)
        self._expressions([*node.args.defaults, *node.args.kw_defaults])
        self._is_in_function = True
        self._statements(node.body)
        self._is_in_function, self._lines = before

    def _mutate_statement(self, node: ast.stmt) -> None:
        """Add the mutants that replace the statement itself, or negate its condition."""
        match node:
            case ast.Return(value=ast.expr() as value):
                if not (isinstance(value, ast.Constant) and value.value is None):
                    self._add(node, "return None")
            case ast.Raise():
                self._add(node, "pass")
            case ast.AugAssign():
                self._add(node, "pass")
                if type(node.op) in OPERATORS:
                    self._add(node, _replaced(node, op=OPERATORS[type(node.op)]()))
            case ast.Expr(value=ast.Call() | ast.Yield() | ast.YieldFrom()):
                self._add(node, "pass")
            case ast.Continue():
                self._add(node, "break")
            case ast.Break():
                self._add(node, "continue")
            case ast.If(test=test) | ast.While(test=test):
                self._negate(test)

    def _negate(self, test: ast.expr) -> None:
        """Add the mutant with the negated condition, unless another mutant is the same."""
        if "TYPE_CHECKING" not in ast.unparse(test) and not _has_opposite(test):
            self._add(test, ast.UnaryOp(ast.Not(), test))

    def _expressions(self, value: object) -> None:
        """Add the mutants of an expression, or of all in a list."""
        if isinstance(value, list):
            for item in value:
                self._expressions(item)
        elif isinstance(value, ast.JoinedStr):
            return  # mostly messages
        elif isinstance(value, ast.AST):
            if isinstance(value, ast.expr):
                self._mutate_expression(value)
            if isinstance(value, ast.keyword) and value.arg == "strict":
                return  # `strict=True` of zip only checks lengths that are always equal
            for child in ast.iter_child_nodes(value):
                if not _is_type(child, value):
                    self._expressions(child)
            if isinstance(value, ast.comprehension):
                for test in value.ifs:
                    self._negate(test)

    def _mutate_expression(self, node: ast.expr) -> None:
        """Add the mutants that replace an expression: other operators, constants and functions."""
        match node:
            case ast.Compare():
                for position, operator in enumerate(node.ops):
                    changed = [*node.ops[:position], COMPARISONS[type(operator)](), *node.ops[position + 1 :]]
                    self._add(node, _replaced(node, ops=changed))
            case ast.BinOp() if type(node.op) in OPERATORS and not _is_text(node.left) and not _is_text(node.right):
                if self._lines != (0, 0) or not isinstance(node.op, ast.BitOr):  # a union of types on import
                    self._add(node, _replaced(node, op=OPERATORS[type(node.op)]()))
            case ast.BoolOp():
                self._add(node, _replaced(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And()))
            case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert()):
                self._add(node, node.operand)
            case ast.Constant(value=bool() as value):
                self._add(node, str(not value))
            case ast.Constant(value=int() as value):
                for other in (value + 1, value - 1) if value > 0 else (value + 1,):
                    self._add(node, str(other))
            case ast.Constant(value=float() as value):
                self._add(node, repr(2 * value or 1.0))
            case ast.IfExp():
                self._negate(node.test)
            case ast.Call(func=ast.Name(id=name)) if name in FUNCTIONS:
                self._add(node.func, FUNCTIONS[name])
            case ast.Call(func=ast.Attribute(attr=name)) if name in FUNCTIONS:
                self._add(node.func, _replaced(node.func, attr=FUNCTIONS[name]))


def _replaced(node: ast.AST, **fields: object) -> Any:
    """Return a copy of a node with other fields."""
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _is_type(child: ast.AST, parent: ast.AST) -> bool:
    """Return whether an argument of a call is a type, as in `isinstance(value, str | bytes)`."""
    match parent:
        case (
            ast.Call(func=ast.Name(id="isinstance"), args=[_, kind])
            | ast.Call(func=ast.Name(id="cast"), args=[kind, _])
        ):
            return child is kind
    return False


def _has_opposite(test: ast.expr) -> bool:
    """Return whether another mutation of a condition is its negation."""
    if isinstance(test, ast.Compare):
        return isinstance(test.ops[0], ast.Eq | ast.NotEq | ast.Is | ast.IsNot | ast.In | ast.NotIn)
    return isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)


def collect(root: Path) -> list[Mutant]:
    """Return all mutants of the packages, in the order of their files."""
    mutants: list[Mutant] = []
    for package in PACKAGES:
        for path in sorted((root / "src" / "textsieve" / package).rglob("*.py")):
            mutants += Collector(str(path.relative_to(root)), path.read_bytes()).mutants
    return mutants


def draw(mutants: Sequence[Mutant], number: int, seed: int) -> list[Mutant]:
    """Return a random sample: at least `MIN_MUTANTS` mutants of each package, and more of packages that have more."""
    generator = random.Random(seed)
    groups: dict[str, list[Mutant]] = defaultdict(list)
    for mutant in mutants:
        groups[mutant.package].append(mutant)
    n_each = min(MIN_MUTANTS, number // len(PACKAGES))
    sample: list[Mutant] = []
    others: list[Mutant] = []
    for package in PACKAGES:
        generator.shuffle(groups[package])
        sample += groups[package][:n_each]
        others += groups[package][n_each:]
    return sorted(sample + generator.sample(others, number - len(sample)))


def limit_examples(number: int) -> None:
    """Let hypothesis try at most `number` examples for each test of this process, and not simplify one that fails."""
    hypothesis = importlib.import_module("hypothesis")
    settings, phase = hypothesis.settings, hypothesis.Phase
    original = settings.max_examples
    type.__setattr__(settings, "max_examples", property(lambda self: min(number, original.fget(self))))
    type.__setattr__(settings, "phases", property(lambda self: (phase.explicit, phase.generate)))


class Recorder:
    """Pytest plugin that tells coverage which test runs, and sums up the seconds of each test that passes."""

    def __init__(self, measured: coverage.Coverage) -> None:
        self.measured = measured
        self.seconds: dict[str, float] = defaultdict(float)
        self.not_passed: set[str] = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Name the context of the lines that are executed from now on."""
        self.measured.switch_context(item.nodeid)
        return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add the seconds of setup, call or teardown."""
        self.seconds[report.nodeid] += report.duration
        if not report.passed:
            self.not_passed.add(report.nodeid)


class Selection:
    """Pytest plugin that runs some tests in a given order, and stops after the first that fails or when time is up."""

    def __init__(self, tests: Sequence[str], seconds: float) -> None:
        self.order = {test: position for position, test in enumerate(tests)}
        self.seconds = seconds
        self.failed = ""
        self.is_time_up = False

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Select and sort the tests."""
        selected = [item for item in items if item.nodeid in self.order]
        items[:] = sorted(selected, key=lambda item: self.order[item.nodeid])

    def pytest_runtest_teardown(self, item: pytest.Item) -> None:
        """Stop if this process and those that it has waited for have used their processor time."""
        if sum(os.times()[:4]) > self.seconds:
            self.is_time_up = True
            item.session.shouldstop = "time is up"

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember the test if it failed."""
        if report.failed and not self.failed:
            self.failed = report.nodeid


class Laboratory:
    """A copy of the repository in which mutants are tested."""

    def __init__(self, folder: Path, seconds: float = 60) -> None:
        self.folder = folder
        self.limit = seconds
        self.tree = folder / "tree"
        self.coverage_file = folder / "coverage"
        self.state_file = folder / "measured.json"
        self.seconds: dict[str, float] = {}
        """The seconds of each test that passes."""
        self.covering: dict[str, dict[int, list[str]]] = {}
        """The tests that execute each line of each file."""

    def prepare(self) -> None:
        """Copy the repository and measure the coverage of each test, or only of test files that have changed."""
        shutil.rmtree(self.tree, ignore_errors=True)
        shutil.copytree(ROOT, self.tree, ignore=shutil.ignore_patterns(".*", "__pycache__"))
        (self.folder / "site").mkdir(exist_ok=True)
        (self.folder / "site" / "sitecustomize.py").write_text(HOOK, encoding="utf-8")
        folders = [self.tree / "tests", *(self.tree / "tests" / name for name in TESTS)]
        files = [path for folder in folders for path in sorted(folder.glob("test_*.py"))]
        others = [path for name in ("src", "tests") for path in sorted((self.tree / name).rglob("*.py"))]
        digests = {str(path.relative_to(self.tree)): _digest([path]) for path in files}
        digests["others"] = _digest(path for path in others if path not in files)
        state = json.loads(self.state_file.read_text(encoding="utf-8")) if self.state_file.exists() else {}
        old = state.get("digests", {})
        if old.get("others") != digests["others"]:
            old, state = {}, {}
            self.coverage_file.unlink(missing_ok=True)
        changed = [file for file in digests if file != "others" and digests[file] != old.get(file)]
        known_seconds = state.get("seconds", {})
        self.seconds = {test: seconds for test, seconds in known_seconds.items() if _file(test) not in changed}
        if changed:
            if self._fork(lambda: self._measure(changed, digests), None):
                raise RuntimeError(f"The tests do not run: see {self.folder / 'log.txt'}")
            self.seconds = json.loads(self.state_file.read_text(encoding="utf-8"))["seconds"]
        data = coverage.CoverageData(str(self.coverage_file))
        data.read()
        for path in data.measured_files():
            contexts = data.contexts_by_lineno(path)
            self.covering[str(Path(path).relative_to(self.tree))] = {
                line: [test for test in tests if test in self.seconds] for line, tests in contexts.items()
            }

    def tests(self, mutant: Mutant) -> list[str]:
        """Return the tests for a mutant, those that execute its lines first.

        Tests of its package come before others, files with few seconds before others, and fast tests first in a file.
        """
        first, last = mutant.lines if mutant.lines != (0, 0) else (0, sys.maxsize)
        lines = self.covering.get(mutant.file, {})
        covering = {test for line, tests in lines.items() if first <= line <= last for test in tests}
        if not covering:
            return []
        files: dict[str, float] = defaultdict(float)
        for test in covering:
            files[_file(test)] += self.seconds[test]
        folder = f"tests/{mutant.package}/"
        sorted_files = sorted(files, key=lambda file: (not file.startswith(folder), files[file]))
        others = [test for test in self.seconds if _file(test) in files and test not in covering]
        ordered: list[str] = []
        for tests in (covering, others):
            ordered += sorted(tests, key=lambda test: (sorted_files.index(_file(test)), self.seconds[test]))
        return ordered

    def run(self, mutant: Mutant) -> Outcome:
        """Test one mutant."""
        tests = self.tests(mutant)
        if not tests:
            return Outcome(mutant.name, mutant.package, "not covered")
        with tempfile.TemporaryDirectory(dir=self.folder) as temporary:
            source = mutant.apply((self.tree / mutant.file).read_bytes())
            compile(source, mutant.file, "exec", dont_inherit=True)
            mutated = Path(temporary, "mutated.py")
            mutated.write_bytes(source)
            killer = Path(temporary, "killer")
            code = self._fork(lambda: self._test(mutant, mutated, tests, killer), 20 * self.limit)
            if code in (None, -signal.SIGXCPU):
                return Outcome(mutant.name, mutant.package, "timed out")
            if code < 0:
                return Outcome(mutant.name, mutant.package, "killed", f"signal {-code}")
            if code == 0:
                return Outcome(mutant.name, mutant.package, "survived")
            return Outcome(mutant.name, mutant.package, "killed", killer.read_text(encoding="utf-8"))

    def _measure(self, files: Sequence[str], digests: dict[str, str]) -> int:
        """Run test files, and add their coverage and the seconds of their passing tests to the stored state."""
        measured = coverage.Coverage(
            data_file=str(self.coverage_file), branch=True, source=[str(self.tree / "src")], config_file=False
        )
        measured.load()
        limit_examples(EXAMPLES["coverage"])
        recorder = Recorder(measured)
        measured.start()
        self._pytest(files, recorder)
        measured.stop()
        measured.save()
        measured.json_report(outfile=str(self.folder / "coverage.json"))
        passed = {test: seconds for test, seconds in recorder.seconds.items() if test not in recorder.not_passed}
        state = {"digests": digests, "seconds": self.seconds | passed}
        self.state_file.write_text(json.dumps(state), encoding="utf-8")
        return 0

    def _test(self, mutant: Mutant, mutated: Path, tests: Sequence[str], killer: Path) -> int:
        """Run tests on the mutated module in this process; return 0 if none fails, and write the one that does."""
        os.environ["TEXTSIEVE_MUTANT"] = f"{self.tree / mutant.file}={mutated}"
        exec(HOOK, {})
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
        resource.setrlimit(resource.RLIMIT_CPU, (round(2 * self.limit), resource.getrlimit(resource.RLIMIT_CPU)[1]))
        limit_examples(EXAMPLES["mutant"])
        for file, group in groupby(tests, key=_file):  # file by file, as reading all of them takes longest
            selection = Selection(list(group), self.limit)
            code = self._pytest([file], selection)
            if selection.is_time_up and not selection.failed:
                return 0  # pytest says that it was interrupted
            if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
                killer.write_text(selection.failed or file, encoding="utf-8")
                return code
        return 0

    def _pytest(self, paths: Sequence[str], plugin: object) -> int:
        """Run pytest in the copy of the repository, one test after the other, and return its exit code."""
        options = ["-o", "addopts=--import-mode=importlib", "-p", "no:cacheprovider", "-q"]
        options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # hypothesis is preloaded
        options += [f"--basetemp={self.folder / f'temporary-{os.getpid()}'}"]
        if isinstance(plugin, Selection):
            options.append("-x")
        return int(pytest.main([*options, *paths], plugins=[plugin]))

    def _fork(self, function: Callable[[], int], limit: float | None) -> int | None:
        """Return the exit code of a function in a process of its own, or None if it took more than `limit` seconds."""
        process = multiprocessing.get_context("fork").Process(target=self._enter, args=(function,))
        process.start()
        process.join(limit)
        code = process.exitcode
        with suppress(ProcessLookupError):
            os.killpg(process.pid or 0, signal.SIGKILL)  # also ends processes that it started
        process.join()
        shutil.rmtree(self.folder / f"temporary-{process.pid}", ignore_errors=True)
        return code

    def _enter(self, function: Callable[[], int]) -> None:
        """Set up a forked process in the copy of the repository, call the function, and exit with its result."""
        os.setsid()
        os.chdir(self.tree)
        site, source = str(self.folder / "site"), str(self.tree / "src")
        sys.path[:0] = [str(self.tree), source]
        os.environ["PYTHONPATH"] = os.pathsep.join([site, source, os.environ.get("PYTHONPATH", "")])
        os.environ.pop("TEXTSIEVE_DATA", None)
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        sys.dont_write_bytecode = False
        if "TEXTSIEVE_MUTATION_LOG" not in os.environ:
            quiet = os.open(self.folder / "log.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            os.dup2(quiet, 1)
            os.dup2(quiet, 2)
        code = function()
        sys.stdout.flush()
        os._exit(code)


def _digest(paths: Iterable[Path]) -> str:
    return sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()


def _file(test: str) -> str:
    return test.partition("::")[0]


def table(outcomes: Collection[Outcome], before: Collection[Outcome] = ()) -> str:
    """Return a Markdown table of outcomes by package, and the mutants that survive or that no test executes."""
    kinds = ("killed", "timed out", "survived", "not covered")
    heads = ["package", "mutants", *kinds, "alive", *(["alive before"] if before else [])]
    rows = [f"| {' | '.join(heads)} |", f"|---|{'---:|' * (len(heads) - 1)}"]
    for package in (*PACKAGES, "all"):
        counts, earlier = (
            Counter(outcome.outcome for outcome in run if package in ("all", outcome.package))
            for run in (outcomes, before)
        )
        cells = [package, counts.total(), *(counts[kind] for kind in kinds), _alive(counts)]
        rows.append(f"| {' | '.join(map(str, [*cells, *([_alive(earlier)] if before else [])]))} |")
    alive = [outcome for outcome in outcomes if outcome.outcome in kinds[2:]]
    alive.sort(key=lambda outcome: outcome.outcome)
    return "\n".join([*rows, "", *(f"- {outcome.outcome}: `{outcome.name}`" for outcome in alive), ""])


def _alive(counts: Counter[str]) -> str:
    """Return the share of mutants that no test notices, or an empty text if there are none."""
    return f"{(counts['survived'] + counts['not covered']) / counts.total():.1%}" if counts else ""


def load(path: Path | None) -> list[Outcome]:
    """Return the outcomes in a file with one JSON array for each line, or none if there is no such file."""
    if path is None or not path.exists():
        return []
    return [Outcome(*json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


_laboratories: list[Laboratory] = []
"""The laboratory of a worker process, which inherits it from its parent instead of reading it for each mutant."""


def _use(laboratory: Laboratory) -> None:
    _laboratories.append(laboratory)


def _run(mutant: Mutant) -> Outcome:
    return _laboratories[0].run(mutant)


def main() -> None:
    """Test a sample of mutants and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--number", type=int, default=300, help="number of mutants to draw (300)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the sample (0)")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="number of mutants tested at a time")
    parser.add_argument("--seconds", type=float, default=60, help="processor time for the tests of a mutant (60)")
    parser.add_argument("--folder", type=Path, help="folder for the copy and its coverage, used again if it has them")
    parser.add_argument("--results", type=Path, help="file for outcomes; mutants that it has already are not run again")
    parser.add_argument("--before", type=Path, help="file with the outcomes of an earlier run to compare with")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        laboratory = Laboratory((options.folder or Path(temporary)).resolve(), options.seconds)
        laboratory.folder.mkdir(parents=True, exist_ok=True)
        os.environ["NUMBA_CACHE_DIR"] = str(laboratory.folder / "numba")
        for module in PRELOADED:
            importlib.import_module(module)
        laboratory.prepare()
        everything = collect(laboratory.tree)
        sample = draw(everything, options.number, options.seed)
        print(f"{len(sample)} of {len(everything)} mutants, seed {options.seed}", flush=True)
        known = {outcome.name: outcome for outcome in load(options.results)}
        outcomes = [known[mutant.name] for mutant in sample if mutant.name in known]
        left = [mutant for mutant in sample if mutant.name not in known]
        fork = multiprocessing.get_context("fork")
        with ProcessPoolExecutor(options.processes, fork, _use, (laboratory,)) as pool:
            for outcome in pool.map(_run, left):
                outcomes.append(outcome)
                print(f"{len(outcomes)}/{len(sample)} {outcome.outcome}: {outcome.name} {outcome.killer}", flush=True)
                if options.results:
                    with options.results.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(outcome) + "\n")
        print(table(outcomes, load(options.before)))


if __name__ == "__main__":
    main()
