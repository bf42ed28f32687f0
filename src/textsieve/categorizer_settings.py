"""The settings of a `Categorizer`, in one table.

Each field of `Settings` is one setting: its name, type and default, a description, and its command-line option. This
table is the source of the docstring of `Categorizer`, the options of `textsieve train`, the Params of the Spark ML
stages, the settings in a model file, the command that trains a model again, and the settings in error messages.

The help of the command line reads this module, so it imports neither numpy nor click.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, TypedDict, TypeVar

from .errors import UNSET, InputError, shown
from .evaluation.names import CALIBRATIONS, CUTS
from .presentation import MAX_DESCRIPTION, MAX_EXAMPLE, MAX_EXAMPLES, MAX_TITLE, check_presentation
from .registry import CLASS_WEIGHT_RULES, CLASSIFIERS, PROJECTIONS, SELECTORS, list_updatable_classifiers
from .settings import as_bytes, as_number, is_whole, n_threads
from .text.choices import ANALYZERS, MAX_CHARACTERS, WORD_PATTERN

T = TypeVar("T")

AUTO: Final = "auto"
"""The value of settings that depend on other settings or on the documents; see `Settings.resolve`."""

AUTO_CHAR_NGRAMS: Final = (3, 5)
"""The lengths of character n-grams that short texts get by default."""

AUTO_MAX_SIZE: Final = "150kB"
"""The largest size of a model file by default, if coefficients can be dropped."""

ONE_STANDARD_ERROR: Final = "1se"
"""The value of `tolerance` for one standard error."""

DEFAULT_SELECTOR: Final = "forward"
STATISTICS_SELECTOR: Final = "ig"
"""The default selector if the statistics of all terms are kept, which is not enough for forward selection.

docs/research/adaptive-results.md compares the selectors.
"""

ALL_TERMS: Final = "all"
"""The value of `keep_stats` that keeps the statistics of all terms, and not only of the selected ones."""

MIN_MODEL_BYTES: Final = 2_000
"""The smallest value of `max_size`: the header alone takes about that many bytes."""


class Limits(TypedDict):
    """Limits on the number of documents with a term; see `TermCounter`."""

    min_df: float
    max_df: float


@dataclass(frozen=True)
class Option:
    """The command-line option for a setting."""

    name: str
    short: str | None = None
    metavar: str | None = None
    sets: Any = UNSET
    """If the option is a flag, the value that the setting has when the flag is given."""
    may_be: str | None = None
    """A word that may follow the flag, and is then the value of the setting: `--keep-stats all`."""
    default: Any = UNSET
    """The default on the command line, if it is not that of the setting."""
    help: str = ""
    """The description on the command line, if it is not that of the setting."""

    @property
    def is_flag(self) -> bool:
        """Return whether the option has no value."""
        return self.sets is not UNSET


@dataclass(frozen=True)
class SettingSpec:
    """A row of the table of settings."""

    name: str
    default: Any
    help: str
    choices: Mapping[str, str]
    """The names that the setting takes, and the meaning of each; empty if it takes no names."""
    others: str
    """The other values that it takes, in the words of the documentation: "int or None"."""
    option: Option | None
    """None if the setting can only be given in Python."""

    @property
    def type_text(self) -> str:
        """Return the possible values, names first, as numpydoc writes them: {"stem", "lemma"} or None."""
        names = "{" + ", ".join(f'"{name}"' for name in self.choices) + "}" if self.choices else ""
        separator = " " if self.others.startswith("or ") else ", "
        return separator.join(part for part in (names, self.others) if part)

    @property
    def description(self) -> str:
        """Return the description for the documentation: the help and the meaning of each name."""
        return self._with_meanings(self.help)

    @property
    def option_help(self) -> str:
        """Return the description for the command line; a flag takes no value, so it lists no meanings."""
        assert self.option is not None
        text = self.option.help or self.help
        return text if self.option.is_flag else self._with_meanings(text)

    @property
    def option_default(self) -> Any:
        """Return the default on the command line."""
        return self.default if self.option is None or self.option.default is UNSET else self.option.default

    def _with_meanings(self, text: str) -> str:
        """Return a text followed by the meaning of each name."""
        meanings = "; ".join(f"{name}: {meaning}" for name, meaning in self.choices.items())
        return f"{text} {meanings}." if meanings else text


def _row(
    others: str, help: str, *, choices: Mapping[str, str] | None = None, option: Option | None = None
) -> dict[str, Any]:
    """Return the metadata of a field of `Settings`: the fields of its `SettingSpec`, except name and default."""
    return {"others": others, "help": help, "choices": choices or {}, "option": option}


def _short(registry: Mapping[str, Any]) -> dict[str, str]:
    """Return the descriptions of registered methods by name, each up to the first semicolon."""
    return {name: row.about.partition(";")[0] for name, row in registry.items()}


@dataclass(frozen=True)
class Settings:
    """All settings of a `Categorizer`. The constructor raises `InputError` for values that are not allowed.

    `TrainingPlan.of` creates selector, projection, classifier and cut, and checks whether these work together.
    """

    selector: Any = field(
        default=AUTO,
        metadata=_row(
            "selector or None",
            "How terms are selected; None keeps all terms, or the most frequent ones if n_terms is a number.",
            choices={
                AUTO: f"forward, or {STATISTICS_SELECTOR} if the statistics of all terms are kept",
                **_short(SELECTORS),
            },
            option=Option("--selector", help="How terms are selected."),
        ),
    )
    selector_options: Mapping[str, Any] | None = field(
        default=None,
        metadata=_row(
            "dict or None",
            "Options of a selector given by name, such as pooling=max.",
            option=Option("--selector-option", metavar="NAME=VALUE"),
        ),
    )
    n_terms: int | float | str | None = field(
        default=None,
        metadata=_row(
            'int, float, "all", "auto" or None',
            "How many terms are selected: a number, a share of all terms, or all; auto takes the smallest number whose "
            "cross-validated score is within one standard error of the best. The default is 100,000 if coefficients "
            "are dropped afterwards, and otherwise 10,000, or all if there are fewer; testors, and a selector given as "
            "an object, decide themselves.",
            option=Option("--terms", short="-k", metavar="N|SHARE|all|auto"),
        ),
    )
    max_size: int | str | None = field(
        default=AUTO,
        metadata=_row(
            'int, str, "auto" or None',
            "The largest size of the model file, such as 100kB. Coefficients that decide least are dropped until the "
            f"model fits; only with the svm. auto is {AUTO_MAX_SIZE} with the svm, and no limit if you set the number "
            "of terms, a tolerance or a projection, or choose testors or a selector object.",
            option=Option("--max-size", metavar="SIZE|auto|none"),
        ),
    )
    tolerance: float | str | None = field(
        default=None,
        metadata=_row(
            'float, "1se" or None',
            "Drop the coefficients that decide least, as many as the cross-validated score allows: it may be this many "
            "points below the best, where one point is 1 % of the documents, or with 1se as much as one standard "
            "error; only with the svm.",
            option=Option("--tolerance", metavar="POINTS|1se"),
        ),
    )
    coefficient_dtype: str = field(
        default=AUTO,
        metadata=_row(
            "",
            "The type of the coefficients in the model and its file.",
            choices={
                AUTO: "8 bits if coefficients are dropped, and otherwise float32",
                "float32": "32 bits",
                "float64": "64 bits",
            },
            option=Option("--coefficient-dtype"),
        ),
    )
    projection: Any = field(
        default=None,
        metadata=_row(
            "projection or None",
            "Train a linear classifier on a projection of the weights of the selected terms. The trained model still "
            "has a coefficient for each term.",
            choices=_short(PROJECTIONS),
            option=Option("--projection"),
        ),
    )
    projection_options: Mapping[str, Any] | None = field(
        default=None,
        metadata=_row(
            "dict or None",
            "Options of a projection given by name, such as n_components=50.",
            option=Option("--projection-option", metavar="NAME=VALUE"),
        ),
    )
    classifier: Any = field(
        default="svm",
        metadata=_row(
            "or linear classifier",
            "What is trained on the selected terms.",
            choices=_short(CLASSIFIERS),
            option=Option("--classifier"),
        ),
    )
    classifier_options: Mapping[str, Any] | None = field(
        default=None,
        metadata=_row(
            "dict or None",
            "Options of a classifier given by name, such as C=10.",
            option=Option("--classifier-option", metavar="NAME=VALUE"),
        ),
    )
    class_weight: Mapping[Any, float] | str | None = field(
        default=AUTO,
        metadata=_row(
            'dict, "balanced", "sqrt", "auto" or None',
            "How much the documents of each class count: a factor for some classes, balanced for equal classes, or "
            "sqrt for classes that count by the square roots of their sizes. auto is sqrt with the svm, and otherwise "
            "none: all documents count the same.",
            option=Option("--class-weight", metavar="|".join((*CLASS_WEIGHT_RULES, AUTO, "none", "LABEL=FACTOR"))),
        ),
    )
    analyzer: str | Callable[[Any], Any] = field(
        default=AUTO,
        metadata=_row(
            "or callable",
            "What terms are; a function gets a document and returns its terms.",
            choices={**ANALYZERS, AUTO: "text, or word if a token pattern or a tokenizer is given"},
            option=Option("--analyzer", help="What terms are."),
        ),
    )
    token_pattern: str | None = field(
        default=WORD_PATTERN,
        metadata=_row(
            "str",
            "A regular expression for words, if the analyzer is word. If it has a capturing group, the group is the "
            "word. The default matches two or more letters, digits or underscores.",
            option=Option("--token-pattern", metavar="REGEX"),
        ),
    )
    tokenizer: Callable[[Any], Any] | None = field(
        default=None,
        metadata=_row(
            "callable or None",
            "A function that returns the words of a text, in place of the token pattern. A model file can't store it.",
        ),
    )
    preprocessor: Callable[[Any], Any] | None = field(
        default=None,
        metadata=_row(
            "callable or None",
            "A function that prepares a text, in place of lowercase and strip_accents. A model file can't store it.",
        ),
    )
    lowercase: bool = field(
        default=True,
        metadata=_row(
            "bool",
            "Convert texts to lowercase.",
            option=Option("--keep-case", sets=False, help="Distinguish uppercase from lowercase letters."),
        ),
    )
    strip_accents: str | Callable[[str], str] | None = field(
        default=None,
        metadata=_row(
            "callable or None",
            "Remove accents, so that é counts as e.",
            choices={"unicode": "all letters", "ascii": "fewer letters, but faster"},
            option=Option("--strip-accents"),
        ),
    )
    stop_words: str | Collection[str] | None = field(
        default=None,
        metadata=_row(
            "str, list or None",
            "Words to leave out: those of a language, such as english or de, or a list of words.",
            option=Option(
                "--stop-words",
                metavar="LANGUAGE|FILE",
                help="Words to leave out: those of a language, such as english or de, or those in a text file (in "
                "--encoding).",
            ),
        ),
    )
    tags: str = field(
        default="keep",
        metadata=_row(
            "",
            "What happens to HTML and SGML tags in texts.",
            choices={"keep": "they stay", "drop": "they are removed"},
            option=Option("--drop-tags", sets="drop", help="Remove HTML and SGML tags from texts."),
        ),
    )
    names: bool = field(
        default=False,
        metadata=_row(
            "bool",
            "Count a proper name, such as Santiago de Cuba, as one term.",
            option=Option("--names", sets=True),
        ),
    )
    normalise: str | None = field(
        default=None,
        metadata=_row(
            "or None",
            "Count words by their stems or lemmas; this needs the extra 'words'.",
            choices={"stem": "by the rules of Snowball", "lemma": "by a dictionary"},
            option=Option("--normalise"),
        ),
    )
    language: str | None = field(
        default=None,
        metadata=_row(
            "str or None",
            "Language of the stems or lemmas, such as german or de. The default is that of the stop words, or else "
            "english.",
            option=Option("--language", metavar="NAME|CODE"),
        ),
    )
    ngram_range: tuple[int, int] = field(
        default=(1, 1),
        metadata=_row(
            "tuple of two ints",
            "The fewest and the most words of a term: 1 and 2 for words and pairs of words. With the analyzers char "
            "and char_wb, the fewest and the most characters.",
            option=Option(
                "--ngrams",
                metavar="FROM-TO",
                help="How many words a term has: 1-2 for words and pairs of words; with the analyzers char and "
                "char_wb, how many characters.",
            ),
        ),
    )
    char_ngram_range: tuple[int, int] | str | None = field(
        default=AUTO,
        metadata=_row(
            'tuple of two ints, "auto" or None',
            "Count n-grams of characters, too, with this fewest and this most characters; none has a space inside. "
            "auto counts those of 3 to 5 characters if the analyzer is text, the texts are short, and coefficients are "
            "dropped: see docs/research/defaults-terms.md.",
            option=Option(
                "--char-ngrams",
                metavar="FROM-TO|auto|none",
                help="Count n-grams of characters, too: 3-5 for 3 to 5 characters between spaces; auto: these, if the "
                "texts are short. In lists of terms, ▁th… begins a word, …the… is anywhere in a word, and ▁the▁ is a "
                "whole word.",
            ),
        ),
    )
    min_df: float = field(
        default=1,
        metadata=_row(
            "int or float",
            "Leave out terms that occur in fewer documents, given as a number or a share.",
            option=Option("--min-df", metavar="N|SHARE"),
        ),
    )
    max_df: float = field(
        default=1.0,
        metadata=_row(
            "int or float",
            "Leave out terms that occur in more documents, given as a number or a share.",
            option=Option("--max-df", metavar="N|SHARE"),
        ),
    )
    tf: str | None = field(
        default=None,
        metadata=_row(
            "or None",
            "Term frequency in the classifier's weights: see TermWeighter. None is the default of the classifier.",
            choices={"tf": "the count", "binary": "1", "log": "1 + ln(count)", "loglog": "1 + ln(1 + ln(count))"},
        ),
    )
    idf: str | None = field(
        default=None,
        metadata=_row(
            "or None",
            "Inverse document frequency in the classifier's weights: see TermWeighter. None is the default of the "
            "classifier.",
            choices={"none": "1", "plain": "ln(n / df)", "smooth": "ln((1 + n) / (1 + df)) + 1"},
        ),
    )
    norm: str | None = field(
        default=None,
        metadata=_row(
            "or None",
            "Norm of the classifier's weights: see TermWeighter. None is the default of the classifier; Rocchio "
            "accepts no other norm than l2.",
            choices={"l2": "length 1", "l1": "sum 1", "none": "as they are"},
        ),
    )
    multilabel: bool | None = field(
        default=None,
        metadata=_row(
            "bool or None",
            "Whether a document may have several labels; by default, the labels decide.",
            option=Option("--multilabel/--no-multilabel"),
        ),
    )
    cut: str = field(
        default="pcut",
        metadata=_row(
            "",
            "How a multilabel model assigns labels by scores; see textsieve.evaluation. All but zero are tuned on "
            "held-out documents.",
            choices=CUTS,
            option=Option("--cut", help="How a multilabel model assigns labels by scores."),
        ),
    )
    cut_options: Mapping[str, Any] | None = field(
        default=None,
        metadata=_row(
            "dict or None",
            "Options of the cut, such as ranks=2 for rcut or floor=0.2 for scutfbr.",
            option=Option("--cut-option", metavar="NAME=VALUE"),
        ),
    )
    probabilities: str | None = field(
        default="auto",
        metadata=_row(
            "or None",
            "Fit probabilities on held-out documents, for predict_proba; this repeats the training on parts of the "
            "documents.",
            choices=CALIBRATIONS,
            option=Option("--probabilities"),
        ),
    )
    held_out: float | None = field(
        default=None,
        metadata=_row(
            "float or None",
            "Share of the documents, stratified by class, on which a model of the others is evaluated before a model "
            "is trained on all of them.",
            option=Option(
                "--held-out",
                metavar="SHARE",
                default=0.2,
                help="Share of the documents on which a model of the others is evaluated before a model is trained on "
                "all of them; 0: none.",
            ),
        ),
    )
    folds: int = field(
        default=5,
        metadata=_row(
            "int",
            "Folds of the cross-validation that tunes the number of terms, thresholds and probabilities.",
            option=Option("--folds", metavar="N"),
        ),
    )
    keep_stats: bool | str = field(
        default=False,
        metadata=_row(
            'bool or "all"',
            "Keep the statistics to which update adds documents, in the model file, which becomes larger; with "
            f"{list_updatable_classifiers('and')}. With all, keep those of all terms, so that update selects terms "
            "anew, learns new classes and can forget; with nb, cnb and rocchio. These are in a file of their own, with "
            ".stats after the name of the model, and this file has all words of the documents.",
            option=Option("--keep-stats", metavar="[all]", sets=True, may_be=ALL_TERMS),
        ),
    )
    title: str | None = field(
        default=None,
        metadata=_row(
            "str or None",
            f"A title for the readers of the web page, of up to {MAX_TITLE} characters; stored in the model file.",
            option=Option("--title", metavar="TEXT"),
        ),
    )
    description: str | None = field(
        default=None,
        metadata=_row(
            "str or None",
            "What the model is for, for the readers of the web page, in up to "
            f"{MAX_DESCRIPTION:,} characters; stored in the model file.",
            option=Option("--describe", metavar="TEXT"),
        ),
    )
    examples: Sequence[str] | None = field(
        default=None,
        metadata=_row(
            "list of str or None",
            f"Up to {MAX_EXAMPLES} texts of up to {MAX_EXAMPLE:,} characters, which readers of the web page can try. "
            "They are stored in the model file as you give them; it has no other texts, only the selected terms.",
            option=Option(
                "--example",
                metavar="TEXT",
                help=f"A text of up to {MAX_EXAMPLE:,} characters, which readers of the web page can try; at most "
                f"{MAX_EXAMPLES}. It is stored in the model file as you type it; the file has no other texts, only the "
                "selected terms.",
            ),
        ),
    )
    n_jobs: int | None = field(
        default=-1,
        metadata=_row(
            "int or None",
            "Number of threads; -1 uses all cores. The result does not depend on it.",
            option=Option("--jobs", metavar="N"),
        ),
    )

    def __post_init__(self) -> None:
        """Raise `InputError` for invalid values of some settings; others are checked where they are used.

        `TermCounter` checks how texts are read, and `TrainingPlan.of` checks the methods and their options.
        """
        from numpy import bool_

        n_threads(self.n_jobs)  # raises `InputError` if it is invalid
        for name in ("tf", "idf", "norm", "probabilities"):
            value, choices = getattr(self, name), SETTINGS[name].choices
            if not (value is None or (isinstance(value, str) and value in choices)):
                raise InputError(setting=name, value=value, allowed=(*choices, None))
        dtypes = SETTINGS["coefficient_dtype"].choices
        if not (isinstance(self.coefficient_dtype, str) and self.coefficient_dtype in dtypes):
            raise InputError(setting="coefficient_dtype", value=self.coefficient_dtype, allowed=dtypes)
        if not (self.multilabel is None or isinstance(self.multilabel, bool)):
            raise _wrong("multilabel", self.multilabel, "use True, False, or None to detect it from the labels")
        if not (isinstance(self.keep_stats, bool | bool_) or self.keeps_all_terms):
            raise _wrong("keep_stats", self.keep_stats, f"use True, False or {ALL_TERMS!r}")
        share = self.held_out
        if share is not None and (isinstance(share, bool) or not (isinstance(share, float | int) and 0 < share < 1)):
            raise _wrong("held_out", share, "use a share of the documents above 0 and below 1, or None")
        if not (is_whole(self.folds) and self.folds >= 2):
            raise _wrong("folds", self.folds, "use a number from 2")
        # `as_bytes` returns 0 for an invalid size.
        if not (self.max_size is None or is_auto(self.max_size)) and as_bytes(self.max_size) < MIN_MODEL_BYTES:
            hint = f"use a number of bytes from {MIN_MODEL_BYTES:,}, a text such as '100kB' or '1MB', 'auto', or None"
            raise _wrong("max_size", self.max_size, hint)
        # `as_number` returns NaN for an invalid number, which is in no range.
        if not (self.tolerance is None or self.tolerance == ONE_STANDARD_ERROR or 0 <= as_number(self.tolerance) < 100):
            raise _wrong("tolerance", self.tolerance, f"use a number of points from 0, or {ONE_STANDARD_ERROR!r}")
        check_presentation(vars(self))
        self._check_ngram_lengths()

    def _check_ngram_lengths(self) -> None:
        """Raise `InputError` for lengths of n-grams that are text, other than "auto", or longer than a model allows.

        `TermCounter` checks that they are two numbers.
        """
        hint = "use the smallest and the largest length of n-grams, such as (1, 3)"
        if isinstance(self.ngram_range, str):
            raise _wrong("ngram_range", self.ngram_range, hint)
        if isinstance(self.char_ngram_range, str) and not is_auto(self.char_ngram_range):
            raise _wrong("char_ngram_range", self.char_ngram_range, f"{hint}, 'auto', or None")
        lengths_in_characters = {"char_ngram_range": self.char_ngram_range}
        if self.analyzer in ("char", "char_wb"):  # with other analyzers, the other lengths are numbers of words
            lengths_in_characters["ngram_range"] = self.ngram_range
        for name, lengths in lengths_in_characters.items():
            if isinstance(lengths, tuple | list) and _is_above(lengths, MAX_CHARACTERS):
                raise _wrong(name, lengths, f"n-grams in a model have at most {MAX_CHARACTERS} characters")

    @classmethod
    def of_stored(cls, stored: Mapping[str, Any]) -> Settings:
        """Return the settings that a model records."""
        return cls(**restore_settings(stored))

    def as_dict(self) -> dict[str, Any]:
        """Return the settings by name."""
        return dict(vars(self))

    def resolve(self, *, texts_are_short: bool = False) -> Settings:
        """Return the settings with a value in place of "auto".

        This concerns `selector`, `analyzer`, `char_ngram_range`, `class_weight` and `max_size`. The "auto" of other
        settings stays: it stands for something that training finds out. docs/research/defaults-terms.md has the
        measurements behind these values.
        """
        has_ngrams = texts_are_short and self.short_texts_get_ngrams
        automatic: dict[str, Any] = {
            "selector": STATISTICS_SELECTOR if self.keeps_all_terms else DEFAULT_SELECTOR,
            "analyzer": "word" if self._has_own_words else "text",
            "char_ngram_range": AUTO_CHAR_NGRAMS if has_ngrams else None,
            "class_weight": "sqrt" if self._has_svm else None,
            "max_size": AUTO_MAX_SIZE if self._can_limit_size else None,
        }
        return replace(self, **{name: value for name, value in automatic.items() if is_auto(getattr(self, name))})

    @property
    def short_texts_get_ngrams(self) -> bool:
        """Return whether n-grams of characters are counted if the texts are short.

        They are if `char_ngram_range` is "auto", the analyzer is "text", the user has not said what words are (by
        `token_pattern`, `tokenizer`, `normalise` or `names`), and coefficients are dropped. If none were dropped, each
        n-gram would take the place of a word in the model.
        """
        analyzes_text = isinstance(self.analyzer, str) and self.analyzer in ("text", AUTO)
        has_default_words = not self._has_own_words and self.normalise is None and not self.names
        is_sieved = self.sieves_coefficients or (is_auto(self.max_size) and self._can_limit_size)
        return is_auto(self.char_ngram_range) and analyzes_text and has_default_words and is_sieved

    @property
    def keeps_all_terms(self) -> bool:
        """Return whether the statistics of all terms are kept: see `training.full_statistics`."""
        return isinstance(self.keep_stats, str) and self.keep_stats == ALL_TERMS

    @property
    def _has_svm(self) -> bool:
        """Return whether the classifier is the SVM, given by name."""
        return isinstance(self.classifier, str) and self.classifier == "svm"

    @property
    def _has_own_words(self) -> bool:
        """Return whether the user says what words are, by a tokenizer or a token pattern."""
        return self.tokenizer is not None or self.token_pattern != WORD_PATTERN

    @property
    def _can_limit_size(self) -> bool:
        """Return whether `max_size="auto"` limits the size of the model.

        It does if coefficients can be dropped, if the user has not said in another way how large the model is, and if
        it can be stored in a file, which it can't with a function. Testors and a selector that is given as an object
        choose the number of terms themselves, and so say how large the model is.
        """
        can_drop_coefficients = self._has_svm and self.projection is None
        selector_decides_size = not isinstance(self.selector, str) or self.selector == "testors"
        is_size_open = self.n_terms is None and self.tolerance is None and not selector_decides_size
        functions = (self.analyzer, self.tokenizer, self.preprocessor, self.strip_accents)
        return can_drop_coefficients and is_size_open and not any(map(callable, functions))

    @property
    def limits(self) -> Limits:
        """Return the limits on the number of documents with a term."""
        return {"min_df": self.min_df, "max_df": self.max_df}

    @property
    def sieves_coefficients(self) -> bool:
        """Return whether coefficients are dropped after training (`classifiers.sieve`).

        Before `resolve`, `max_size="auto"` counts as no limit.
        """
        return not (self.max_size is None or is_auto(self.max_size)) or self.tolerance is not None

    @property
    def reading(self) -> dict[str, Any]:
        """Return the settings of a `TermCounter`, without the limits."""
        return {name: getattr(self, name) for name in READING_SETTINGS}


READING_SETTINGS: Final = (
    *("analyzer", "token_pattern", "tokenizer", "preprocessor", "lowercase", "strip_accents", "stop_words", "tags"),
    *("names", "normalise", "language", "ngram_range", "char_ngram_range"),
)
"""The settings that say how texts are read and split into terms; those of a `TermCounter`, without the limits."""


def is_auto(value: Any) -> bool:
    """Return whether the value of a setting is "auto"."""
    return isinstance(value, str) and value == AUTO


def _is_above(values: Collection[Any], limit: int) -> bool:
    """Return whether one of the values is a number above the limit."""
    return any(is_whole(value) and value > limit for value in values)


def _wrong(name: str, value: Any, hint: str) -> InputError:
    """Return the error for a value that a setting does not take."""
    return InputError(setting=name, value=value, hint=hint)


SETTINGS: Final = {
    row.name: SettingSpec(name=row.name, default=row.default, **row.metadata) for row in fields(Settings)
}
"""The rows of the table by name, in the order of the constructor."""


class ObjectDescription(str):
    """A text in place of a setting's value that a model file can't store, such as a user's estimator or list of words.

    A loaded `Categorizer` has this text as the value of the setting, and can't be trained again before the user
    replaces it.
    """

    __slots__ = ()


FORMER_DEFAULTS: Final[Mapping[str, Any]] = {
    "analyzer": "word",
    "token_pattern": WORD_PATTERN,
    "tokenizer": None,
    "preprocessor": None,
    "char_ngram_range": None,
    "max_size": None,
    "tolerance": None,
}
"""The values of settings that models of earlier versions were trained with but don't record.

The present defaults may differ.
"""


def restore_settings(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that a model records as arguments of `Categorizer`, without the number of threads.

    Names that are no settings of this version are left out. JSON has neither tuples nor mappings whose keys are
    numbers, so a model records these as lists.
    """
    known = {name: value for name, value in stored.items() if name in SETTINGS and name != "n_jobs"}
    settings = {**FORMER_DEFAULTS, **known}
    if isinstance(settings.get("class_weight"), list):
        try:
            settings["class_weight"] = dict(settings["class_weight"])
        except (TypeError, ValueError) as problem:
            raise InputError(
                f"The model's setting class_weight is {shown(settings['class_weight'])}, not pairs of label and factor",
                hint="the file was not written by textsieve",
            ) from problem
    for name in ("ngram_range", "char_ngram_range"):
        if isinstance(settings.get(name), list):
            settings[name] = tuple(settings[name])
    return settings


def with_settings_documented(documented: type[T]) -> type[T]:
    """Replace "{settings}" in the docstring of a class by a description of each setting, in the style of numpydoc."""
    lines = []
    for spec in SETTINGS.values():
        lines += [f"    {spec.name} : {spec.type_text}"]
        lines += textwrap.wrap(
            spec.description, 120, initial_indent=" " * 8, subsequent_indent=" " * 8, break_on_hyphens=False
        )
    documented.__doc__ = (documented.__doc__ or "").replace("    {settings}", "\n".join(lines))
    return documented
