r"""Split prepared texts into terms: `analyzer`, `token_pattern`, `tokenizer` and `char_ngram_range`, in plain Python.

With the same settings, the terms are those of scikit-learn's `CountVectorizer`:

- "word": the tokens that `token_pattern` matches or `tokenizer` returns, without stop words, or n-grams of them;
- "char": the n-grams of characters of the whole text, after two or more white-space characters in a row were replaced
  by one space (a single tab or line break stays as it is);
- "char_wb": the n-grams of characters of each word between white space, with a space before and after it. A word that
  is shorter than the shortest n-gram counts once, as a whole;
- a function that returns the terms of a document.

There is another analyzer, "text", for texts of any script; see `tokens`.

With the setting `char_ngram_range`, words are counted together with n-grams of characters. These are the n-grams of
"char_wb", with marks that distinguish them from words: `SPACE_MARK` (`▁`) stands for the space before or after a word,
and `INNER_MARK` (`…`) is added at an end of the n-gram without such a space, where the word may go on. So there is the
word `the`, and there are the n-grams `▁the▁`, the whole word, and `…the…`, a part of `mother` as well as of `the`. A
`SPACE_MARK` in the text counts as white space, so two n-grams never have the same spelling. In a document, words come
before n-grams.

The terms of a text are listed by where they begin, and of those that begin at the same place shorter ones first.
`partial_fit` numbers terms in this order. Few documents are split into terms by this module. Many documents are split
by kernels, which give the same terms, except for user's functions and unusual token patterns (those without a
`words.token_rule`): the kernels then only count the terms that this module returns.

**Time limit.** A regular expression such as `(\w+)+x` can take longer than the age of the universe for one document.
Python's `re` can't be stopped from outside, but it handles signals while it matches. So in the main thread, a timer of
the operating system that counts the seconds of the processor interrupts a document that takes too long. It is not
available in other threads and on Windows. (The package `regex` has a time limit, but other word characters than `re`.)
"""

import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import chain
from typing import Any

from ..errors import DocumentError, InputError, Setting, shown
from ..settings import is_whole
from .choices import ANALYZERS, WORD_PATTERN
from .tokens import SPACE_MARK, TokenPlaces, split_text, token_places
from .words import NOT_SPACE, TEXT_RULE, WORD_WITH_NAMES, Forms, TokenRule, token_rule, words_to_count

Function = Callable[[Any], Any]
"""A user's function: an analyzer, a tokenizer or a preprocessor."""

INNER_MARK = "\N{HORIZONTAL ELLIPSIS}"
"""Stands at the beginning or end of a spelled n-gram that has no space there."""

PATTERN_SECONDS, PATTERN_SECONDS_PER_CHARACTER = 10.0, 1e-5
"""A regular expression may take at most this many seconds for a document, plus so many for each of its characters."""

_SAMPLES = ("", "a", "A1_ é-b .", "- 1x # a 中")
"""Token patterns are tried on these texts.

For example, `\\b\\w*\\b` does not match the empty string in the first, and `(?<=-)\\w*` matches it in the last only.
"""

_FASTER_PATTERN = "use a pattern without nested repetitions such as (a+)+"

WHITE_SPACE_RUN = re.compile(r"\s\s+")
"""The white space that the analyzer "char" replaces by one space."""

_INVISIBLE = re.compile(r"[^\S ]|[\x00-\x1f\x7f-\x9f]")  # white space other than a space, and control characters


class SlowPattern(DocumentError):
    """Raised if `token_pattern` takes too long for a document."""


@dataclass(frozen=True)
class Analysis:
    """How a prepared text is split into terms."""

    analyzer: str | Function = "word"
    token_pattern: str | None = WORD_PATTERN
    tokenizer: Function | None = None
    char_ngram_range: tuple[int, int] | None = None

    def checked(self) -> "Analysis":
        """Raise `InputError` for an invalid setting, and return self."""
        if not (callable(self.analyzer) or (isinstance(self.analyzer, str) and self.analyzer in ANALYZERS)):
            allowed = ", ".join(map(repr, ANALYZERS))
            raise InputError(setting="analyzer", value=self.analyzer, hint=f"use one of {allowed}, or a function")
        if not (self.tokenizer is None or callable(self.tokenizer)):
            raise InputError(setting="tokenizer", value=self.tokenizer, hint="use a function, or None")
        if self.analyzer == "word" and self.tokenizer is None:
            _check_pattern(self.token_pattern)
        if self.char_ngram_range is not None:
            check_ngram_range("char_ngram_range", self.char_ngram_range)
            self._require_words_without_marks()
        return self

    def effective(self) -> "Analysis":
        """Return the same analysis with the default of each setting that has no effect.

        For example, `token_pattern` has no effect if there is a tokenizer. So analyses that always return the same
        terms compare equal.
        """
        has_tokenizer = self.analyzer == "word" and self.tokenizer is not None
        has_pattern = self.analyzer == "word" and not has_tokenizer
        lengths = self.char_ngram_range  # two numbers, perhaps in a list, or of numpy's types
        return replace(
            self,
            tokenizer=self.tokenizer if has_tokenizer else None,
            token_pattern=self.token_pattern if has_pattern else WORD_PATTERN,
            char_ngram_range=None if lengths is None else (int(lengths[0]), int(lengths[1])),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the settings that differ from the defaults, by name."""
        settings = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in settings.items() if value != getattr(WORDS, name)}

    def describe(self) -> dict[str, Any]:
        """Return the settings that say what terms are, as JSON values; a user's function is given by its name."""
        name = self.analyzer if isinstance(self.analyzer, str) else shown(self.analyzer)
        return {"analyzer": name, "char_ngram_range": self.char_ngram_range}

    def _require_words_without_marks(self) -> None:
        """Raise `InputError` unless `char_ngram_range` can add n-grams of characters to the words.

        Words must be found by a `TokenRule` that never finds a word with `SPACE_MARK` or `INNER_MARK`, because such a
        word could look like an n-gram.
        """
        # Tokens of `\S+` can contain the marks. The analyzer "text" drops `SPACE_MARK`, and `…` is a token of its own.
        words_can_have_marks = self.rule is not None and self.rule.characters == NOT_SPACE and self.analyzer != "text"
        if self.rule is not None and not words_can_have_marks:
            return
        if not self.has_words:
            cause = Setting("analyzer", self.analyzer)
        elif self.tokenizer is not None:
            cause = Setting("tokenizer", self.tokenizer)
        else:
            cause = Setting("token_pattern", self.token_pattern)
        raise InputError(
            (
                Setting("char_ngram_range", self.char_ngram_range),
                " adds n-grams of characters to words of letters and digits, which ",
                cause,
                " does not count",
            ),
            hint=("use ", Setting("analyzer", "text"), ", or leave out ", Setting("char_ngram_range")),
        )

    @property
    def counts_only_characters(self) -> bool:
        """Return whether all terms are n-grams of characters."""
        return self.analyzer in ("char", "char_wb")

    @property
    def counts_characters(self) -> bool:
        """Return whether some terms are n-grams of characters."""
        return self.counts_only_characters or self.char_ngram_range is not None

    @property
    def is_padded(self) -> bool:
        """Return whether n-grams of characters are formed within each word, after adding a space on both sides."""
        return self.analyzer == "char_wb"

    @property
    def has_words(self) -> bool:
        """Return whether terms consist of words, so that stop words can be left out."""
        return self.analyzer in ("word", "text")

    @cached_property
    def rule(self) -> TokenRule | None:
        """Return the rule by which kernels find tokens, or None if terms are no tokens or only Python can find them."""
        if self.analyzer == "text":
            return TEXT_RULE
        if not self.has_words or self.tokenizer is not None or self.token_pattern is None:
            return None
        return token_rule(self.token_pattern)

    @property
    def may_have_line_feeds(self) -> bool:
        """Return whether terms can contain a line feed."""
        return self.analyzer == "char" or (not self.counts_only_characters and self.rule is None)

    @property
    def keeps_nul(self) -> bool:
        """Return whether the terms that kernels count can contain the character NUL."""
        return self.counts_characters or (self.rule is not None and self.rule.characters == NOT_SPACE)

    @property
    def function(self) -> tuple[str, Function] | None:
        """Return the name and the value of the setting that is a function to split texts, or None if there is none."""
        if callable(self.analyzer):
            return "analyzer", self.analyzer
        return ("tokenizer", self.tokenizer) if self.analyzer == "word" and self.tokenizer is not None else None

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Return the compiled `token_pattern`."""
        assert self.token_pattern is not None
        return re.compile(self.token_pattern)

    def tokens(self, text: Any, number: int = 0, *, joins_names: bool = False) -> list[str]:
        """Return the words of a prepared text; `number` is the document's number in error messages.

        For the analyzer "text", these are the words and symbols, followed by the grams (see `tokens`).
        """
        if self.analyzer == "text":
            sequences, grams = split_text(text, joins_names=joins_names)
            return [*chain.from_iterable(sequences), *grams]
        if self.tokenizer is not None:
            return _returned_terms(self.tokenizer(text), "tokenizer", number)
        with self._limited_time(text, number):
            return self._pattern(joins_names).findall(text)

    def token_places(self, text: str, *, joins_names: bool = False) -> TokenPlaces:
        """Return where the words of a prepared text are; not for texts that a user's function splits.

        If `token_pattern` has a group, the word is what the group matches, perhaps nothing: then its place is empty.
        """
        if self.analyzer == "text":
            return token_places(text, joins_names=joins_names)
        pattern = self._pattern(joins_names)
        group = pattern.groups  # 0 for the whole match, or the only group
        with self._limited_time(text):
            matches = list(pattern.finditer(text))
        # A group that takes no part in a match is None; `tokens` returns an empty word for it.
        places = [(match.start(), match.start()) if match[group] is None else match.span(group) for match in matches]
        return TokenPlaces([places], [])

    def _pattern(self, joins_names: bool) -> re.Pattern[str]:
        """Return the regular expression for words; `joins_names` is possible only with the default pattern."""
        return WORD_WITH_NAMES if joins_names else self.pattern

    @contextmanager
    def _limited_time(self, text: str, number: int = 0) -> Iterator[None]:
        """Raise `SlowPattern` if matching `token_pattern` in this block takes too long for `text`.

        Patterns with a `rule` always take linear time and need no limit.
        """
        if self.rule is not None:
            yield
            return
        seconds = PATTERN_SECONDS + PATTERN_SECONDS_PER_CHARACTER * len(text)
        try:
            with time_limit(seconds):
                yield
        except TimeoutError as problem:
            raise SlowPattern(
                f"it takes more than {seconds:.0f} seconds for this document",
                number=number,
                setting="token_pattern",
                value=self.token_pattern,
                hint=f"{_FASTER_PATTERN}, or shorter documents",
            ) from problem

    def terms(
        self,
        text: Any,
        ngram_range: tuple[int, int],
        stop_words: frozenset[str],
        *,
        forms: Forms | None = None,
        joins_names: bool = False,
        number: int = 0,
        by_length: bool = False,
    ) -> list[str]:
        """Return the terms of a prepared text, one for each occurrence, sorted by where they begin, shorter ones first.

        After the words come the grams of the analyzer "text", then the n-grams of characters of `char_ngram_range`.
        With `by_length`, n-grams are in the order of scikit-learn: all short ones before longer ones ("char_wb": in
        each word). `forms` returns the normal forms of words, and `number` is the document's number in error messages.
        """
        if callable(self.analyzer):
            return _returned_terms(self.analyzer(text), "analyzer", number)
        if self.analyzer == "char":
            return ngrams_of(WHITE_SPACE_RUN.sub(" ", text), ngram_range, by_length=by_length)
        if self.analyzer == "char_wb":
            return _padded_ngrams(text, ngram_range, by_length=by_length)

        def counted(tokens: list[str]) -> list[str]:
            """Return tokens without stop words, and as normal forms if there are `forms`."""
            if stop_words:
                tokens = [token for token in tokens if token not in stop_words]
            return words_to_count(tokens, forms, joins_names=joins_names)

        def ngrams(tokens: list[str]) -> list[str]:
            """Return the n-grams of the words of a sequence, which are tokens that follow each other."""
            words = counted(tokens)
            if tuple(ngram_range) == (1, 1):
                return words
            return list(map(" ".join, ngrams_of(words, ngram_range, by_length=by_length)))

        if self.analyzer == "text":
            sequences, grams = split_text(text, joins_names=joins_names)
            # A gram is in no n-gram of words, so it is a term only if single words are terms.
            terms = [*chain.from_iterable(map(ngrams, sequences)), *(counted(grams) if ngram_range[0] == 1 else ())]
        else:
            terms = ngrams(self.tokens(text, number, joins_names=joins_names))
        return terms if self.char_ngram_range is None else terms + marked_ngrams(text, self.char_ngram_range)


WORDS = Analysis()
"""The default: words of two or more letters, digits or underscores."""


def analysis_of(
    analyzer: str | Function,
    token_pattern: str | None = WORD_PATTERN,
    tokenizer: Function | None = None,
    char_ngram_range: tuple[int, int] | None = None,
) -> Analysis:
    """Return the analysis with these settings, or raise `InputError`; for the defaults it is the shared `WORDS`."""
    analysis = Analysis(analyzer, token_pattern, tokenizer, char_ngram_range).checked()
    return WORDS if analysis == WORDS else analysis


def check_ngram_range(setting: str, value: object) -> None:
    """Raise `InputError` unless a value is a pair of whole numbers with 1 <= first <= second."""
    lengths = tuple(value) if isinstance(value, tuple | list) else ()
    if len(lengths) != 2 or not all(map(is_whole, lengths)) or not 1 <= lengths[0] <= lengths[1]:
        raise InputError(
            setting=setting,
            value=value,
            hint="use (shortest, longest), whole numbers with 1 <= shortest <= longest",
        )


def ngrams_of(sequence: Any, ngram_range: tuple[int, int], *, by_length: bool) -> list[Any]:
    """Return the n-grams of a text or list, as slices of it: of "abc" for lengths 1 to 2, "a", "ab", "b", "bc", "c".

    They are in the order of their begins, shorter ones first; with `by_length`, all short ones come before longer ones.
    """
    shortest, longest = ngram_range
    size = len(sequence)
    longest = min(longest, size)
    if by_length:
        return [
            sequence[begin : begin + length]
            for length in range(shortest, longest + 1)
            for begin in range(size - length + 1)
        ]
    return [
        sequence[begin:end] for begin in range(size) for end in range(begin + shortest, min(begin + longest, size) + 1)
    ]


def is_marked(term: str) -> bool:
    """Return whether a term is an n-gram of characters with marks, as `mark_ngram` returns it, and not a word.

    Other terms that begin with a mark are the symbol `…` and n-grams of words that begin with it, such as `… and`.
    Neither is taken for an n-gram of characters, because `…` is nothing but a mark, and `… and` has a space.
    """
    if term[:1] not in (SPACE_MARK, INNER_MARK) or " " in term:
        return False
    ngram = unmark_ngram(term)
    return ngram != "" and mark_ngram(ngram) == term  # false if a mark is missing, as in `▁th`


def mark_ngram(ngram: str) -> str:
    """Return an n-gram of characters with marks: ` th` becomes `▁th…`."""
    begin = "" if ngram[0] == " " else INNER_MARK
    end = "" if ngram[-1] == " " else INNER_MARK
    return f"{begin}{ngram.replace(' ', SPACE_MARK)}{end}"


def unmark_ngram(term: str) -> str:
    """Return an n-gram of characters without its marks: `▁th…` becomes ` th`."""
    return term.removeprefix(INNER_MARK).removesuffix(INNER_MARK).replace(SPACE_MARK, " ")


def group_parts(values: Iterable[tuple[str, float]]) -> list[tuple[str, float]]:
    """Add up the values of terms that are parts of each other, and return the groups, largest absolute value first.

    An n-gram of characters belongs to the first word that contains it, or else to the first n-gram before it in
    `values` that contains it. Only terms with values of the same sign are in one group, and a group has the name of the
    word or n-gram that contains the others.

    >>> group_parts([("…goa…", 2.0), ("goal", 1.0), ("…oal▁", -0.5), ("…strik…", 0.25), ("…str…", 0.25)])
    [('goal', 3.0), ('…oal▁', -0.5), ('…strik…', 0.5)]
    """
    pairs = list(values)
    # By sign (whether values are positive): the terms that n-grams may belong to, as pairs of the text in which n-grams
    # are searched and the term. Words are added first, because an n-gram may come before its word in `values`.
    wholes: dict[bool, list[tuple[str, str]]] = {False: [], True: []}
    for term, value in pairs:
        if not is_marked(term):
            wholes[value > 0].append((f" {term} ", term))
    groups: dict[tuple[str, bool], float] = {}
    for term, value in pairs:
        name = term
        if is_marked(term):
            ngram, possible = unmark_ngram(term), wholes[value > 0]
            name = next((whole for text, whole in possible if ngram in text), term)
            if name == term:
                possible.append((ngram, term))
        groups[name, value > 0] = groups.get((name, value > 0), 0.0) + value
    return sorted(((name, value) for (name, _), value in groups.items()), key=lambda group: -abs(group[1]))


def display_term(term: str, analyzer: object = "word") -> str:
    r"""Return a term as tables and pages show it; `analyzer` is the setting with which it was counted.

    N-grams of "char_wb" get the marks of `mark_ngram`. In those of "char", `SPACE_MARK` replaces spaces, but there is
    no `INNER_MARK`, since at its ends a word may end as well as go on. Control characters, and white space other than
    spaces, are escaped: `\t` for a tab. A term without marks is quoted if it has no letter or digit, a space at an end,
    or a comma, which would look like the end of the term in a list.
    """
    if analyzer == "char_wb" and term:  # an empty term can't get marks
        return _INVISIBLE.sub(_escape, mark_ngram(term))
    is_char_ngram = analyzer == "char"
    visible = _INVISIBLE.sub(_escape, term.replace(" ", SPACE_MARK) if is_char_ngram else term)
    if is_marked(term) and not is_char_ngram:
        return visible
    needs_quotes = not any(map(str.isalnum, term)) or visible != visible.strip() or "," in visible
    return f"“{visible}”" if needs_quotes else visible


def _escape(match: re.Match[str]) -> str:
    r"""Return characters as an escape sequence, such as \n."""
    return match[0].encode("unicode_escape").decode()


def marked_ngrams(text: str, ngram_range: tuple[int, int]) -> list[str]:
    """Return the n-grams of characters of the words of a text, with marks."""
    return list(map(mark_ngram, _padded_ngrams(text.replace(SPACE_MARK, " "), ngram_range, by_length=False)))


def _padded_ngrams(text: str, ngram_range: tuple[int, int], *, by_length: bool) -> list[str]:
    """Return the n-grams of characters of the words of a text, each word with a space before and after it."""
    ngrams: list[str] = []
    for word in text.split():
        padded = f" {word} "
        shortest = min(ngram_range[0], len(padded))  # a word that is too short counts as a whole
        ngrams += ngrams_of(padded, (shortest, ngram_range[1]), by_length=by_length)
    return ngrams


def _returned_terms(result: object, setting: str, number: int) -> list[str]:
    """Return the terms that a user's function returned for a document; raise `InputError` unless they are strings.

    If the function is an analyzer, it may return one string, whose characters are the terms, as in scikit-learn. A
    tokenizer that returns one string is a mistake.
    """
    if not isinstance(result, Iterable) or (isinstance(result, str) and setting == "tokenizer"):
        raise InputError(
            (Setting(setting), f" returned {shown(result)} ({type(result).__name__}) for document {number}"),
            hint="return a list of strings",
        )
    terms = list(result)
    for term in terms:
        if not isinstance(term, str):
            raise InputError(
                (
                    Setting(setting),
                    f" returned {shown(term)} ({type(term).__name__}) among the terms of document {number}",
                ),
                hint="return a list of strings",
            )
    return terms


def _check_pattern(pattern: object) -> None:
    """Raise `InputError` for a token pattern that is invalid, has several groups, can match "", or takes too long."""
    if not isinstance(pattern, str):
        raise InputError(
            setting="token_pattern", value=pattern, hint=r"use a regular expression as a string, such as r'\b\w+\b'"
        )
    try:
        compiled = re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as problem:  # the last two: deep nesting, huge repetition counts
        raise InputError(
            f"it is not a valid regular expression: {problem}",
            setting="token_pattern",
            value=pattern,
            hint="see the documentation of Python's re",
        ) from problem
    if compiled.groups > 1:
        raise InputError(
            f"it has {compiled.groups} capturing groups, so it is unclear which one is the token",
            setting="token_pattern",
            value=pattern,
            hint="capture one group at most, and write (?:...) for the others",
        )
    try:
        with time_limit(PATTERN_SECONDS):
            can_be_empty = any(not match[0] for sample in _SAMPLES for match in compiled.finditer(sample))
    except TimeoutError as problem:
        raise InputError(
            f"it takes more than {PATTERN_SECONDS:.0f} seconds for a text of a few characters",
            setting="token_pattern",
            value=pattern,
            hint=_FASTER_PATTERN,
        ) from problem
    if can_be_empty:
        raise InputError(
            "it matches the empty string",
            setting="token_pattern",
            value=pattern,
            hint="require at least one character, with + in place of *",
        )


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `TimeoutError` in the block if the main thread computes for more than `seconds` of processor time.

    There is no limit in other threads, on Windows, and while the program uses this timer of the operating system, or
    its signal, for something else.
    """
    import signal  # not needed for predicting a document

    if (
        threading.current_thread() is not threading.main_thread()
        or not hasattr(signal, "setitimer")
        or signal.getitimer(signal.ITIMER_VIRTUAL)[0] > 0
        or signal.getsignal(signal.SIGVTALRM) not in (signal.SIG_DFL, signal.SIG_IGN)
    ):
        yield
        return
    deadline = time.thread_time() + seconds

    def interrupt(*_: object) -> None:
        """Raise `TimeoutError` after the deadline; before it, set the timer again.

        The timer counts the time of all threads, so it can end before the main thread, in which this runs, has used
        its time.
        """
        left = deadline - time.thread_time()
        if left <= 0:
            raise TimeoutError(f"more than {seconds} seconds")
        signal.setitimer(signal.ITIMER_VIRTUAL, max(left, 0.01))  # not too often; and a timer of 0 would never end

    previous = signal.signal(signal.SIGVTALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    finally:
        signal.signal(signal.SIGVTALRM, previous)
