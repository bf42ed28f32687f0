"""Find labels that are probably typing errors, such as "Shiping", and labels that stand for no label, such as "n/a".

**Typing errors.** Two labels are compared by their words in lowercase, without accents. A label may be an error for
another one in two cases:

- They differ only in separators or accents: "e-mail" and "email".
- They differ in one word, by one letter that is missing, doubled, wrong or swapped with the next one. Many pairs of
  right names differ in this way, too, such as "Iceland" and "Ireland" or "microeconomics" and "macroeconomics". So the
  label is reported only if it is much rarer than the other one, if both words are long and begin with the same letter,
  and if the word is in none of the documents with this label: people rarely make the same error in a text and in its
  label.

Digits must always be the same: "phase 1" is no error for "phase 2".

**Speed.** Two words that differ by one letter become the same when one letter is left out of one of them or of both:
"shiping" is "shipping" without a "p", and both "delivery" and "delivety" become "delivey". So labels are looked up in
a table of all labels with each of their letters left out in turn. The time is linear in the number of labels.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

MIN_SIZE_RATIO = 5
"""How many times as many documents as a label the label must have for which it may be a typing error."""
MIN_LETTERS = 5
"""The smallest number of letters of words that differ by a letter that is missing, doubled or swapped."""
MIN_LETTERS_REPLACED = 8
"""The smallest number of letters of words that differ by a wrong letter; shorter ones often are different words."""
MAX_LENGTH = 60
"""The length of the longest label that is compared; a longer one is not a name that somebody types."""
MAX_CODE = 3
"""The largest number of letters of a code: among labels such as "de" and "fr", "na" is a code and no placeholder."""

PLACEHOLDERS = frozenset(
    [
        *("n/a", "n.a.", "n.a", "n/k", "na", "nan", "nil", "null", "none", "no label", "not available"),
        *("not applicable", "not assigned", "not set", "undefined", "undetermined", "unassigned", "unclassified"),
        *("uncategorized", "uncategorised", "unlabeled", "unlabelled", "unknown", "unk", "unspecified", "blank"),
        *("tbd", "tba", "to be determined", "to be defined", "placeholder", "#n/a", "#ref!", "#value!", "#name?"),
        *("#null!", "#num!", "#div/0!"),
    ]
)
"""Labels that stand for no label, in lowercase and without brackets around them; the last ones are Excel's errors."""
PUNCTUATION = frozenset("-–—_.?…/\\|~ ")
"""A label of nothing but these characters stands for no label. + and * are not among them: they may be ratings."""
BRACKETS = re.compile(r"[(\[<{](.*)[)\]>}]", re.DOTALL)
SEPARATORS = re.compile(r"[\s\-_./,&']+")


class MisspelledLabel(NamedTuple):
    """A label that is probably a typing error."""

    label: str
    n_documents: int
    likely_label: str
    """The label with nearly the same name."""
    n_likely: int
    """The number of documents with that label."""


def find_placeholders(labels: Collection[str]) -> list[str]:
    """Return the labels that stand for no label, in the given order.

    A word such as "na" is left out if most labels are short codes, and "-" if there is a label "+".

    >>> find_placeholders(["billing", "n/a", "(blank)", "?", "delivery"])
    ['n/a', '(blank)', '?']
    """
    plain_labels = {label: _plain(label) for label in labels}
    is_no_label = {plain: plain in PLACEHOLDERS or PUNCTUATION.issuperset(plain) for plain in plain_labels.values()}
    others = [plain for plain in plain_labels.values() if not is_no_label[plain]]
    are_mostly_codes = 2 * sum(_is_code(plain) for plain in others) > len(others)
    are_ratings = "+" in others
    return [
        label
        for label, plain in plain_labels.items()
        if is_no_label[plain] and not (are_mostly_codes and _is_code(plain)) and not (are_ratings and plain == "-")
    ]


def _is_code(plain: str) -> bool:
    """Return whether a label may be a code, such as "de" for a country or a language."""
    return plain.isalpha() and len(plain) <= MAX_CODE


def _plain(label: str) -> str:
    """Return a label in lowercase, without invisible characters and brackets, and with single spaces."""
    visible = "".join(" " if unicodedata.category(char)[0] in "CZ" else char for char in label)
    plain = " ".join(visible.split()).casefold()
    in_brackets = BRACKETS.fullmatch(plain)
    return plain if in_brackets is None else in_brackets[1].strip()


def find_misspelled(
    sizes: Mapping[str, int], has_word: Callable[[str, str], bool], *, leave_out: Iterable[str] = ()
) -> list[MisspelledLabel]:
    """Return the labels that are probably typing errors, those with most documents first.

    `sizes` has the number of documents of each label. `has_word` is called with a label and a word in lowercase without
    accents, and returns whether a document with this label has the word. Labels to leave out are not compared.

    >>> find_misspelled({"Shipping": 40, "Billing": 30, "Shiping": 2}, lambda label, word: False)
    [MisspelledLabel(label='Shiping', n_documents=2, likely_label='Shipping', n_likely=40)]
    """
    left_out = set(leave_out)
    words_of = {label: _words(label) for label in sizes if label not in left_out and len(label) <= MAX_LENGTH}
    right_labels_of: defaultdict[str, list[str]] = defaultdict(list)  # of each variant
    misspelled = []

    def is_error_for(label: str, other: str) -> bool:
        """Return whether a label may be a typing error for another one, which is not rarer."""
        words, right = words_of[label], words_of[other]
        if "".join(words) == "".join(right):  # they differ in separators or accents
            return sum(map(str.isalpha, "".join(words))) >= MIN_LETTERS and _numbers(words) == _numbers(right)
        if MIN_SIZE_RATIO * sizes[label] > sizes[other] or len(words) != len(right):
            return False
        pairs = [pair for pair in zip(words, right, strict=True) if pair[0] != pair[1]]
        if len(pairs) != 1 or not _differ_by_one_letter(*pairs[0]):
            return False
        word, right_word = pairs[0]
        # A missing or additional s at the end is an error even if documents have the word, as plurals are frequent.
        return word.rstrip("s") == right_word.rstrip("s") or not has_word(label, word)

    # The most frequent labels come first. So each label is compared with the labels that are at least as frequent,
    # without those that have turned out to be errors themselves.
    for label in sorted(words_of, key=lambda label: (-sizes[label], label)):
        variants = set(_variants("".join(words_of[label])))
        similar = {other for variant in variants for other in right_labels_of[variant]}
        likely = min(
            (other for other in similar if is_error_for(label, other)),
            key=lambda other: (-sizes[other], other),
            default=None,
        )
        if likely is None:
            for variant in variants:
                right_labels_of[variant].append(label)
        else:
            misspelled.append(MisspelledLabel(label, sizes[label], likely, sizes[likely]))
    return misspelled


def _words(label: str) -> list[str]:
    """Return the words of a label in lowercase, without accents."""
    return [word for word in SEPARATORS.split(without_accents(label)) if word]


def without_accents(text: str) -> str:
    """Return a text in lowercase, without accents."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def _variants(joined: str) -> Iterator[str]:
    """Yield the joined words of a label as they are, and then with each letter left out: "ab", "b" and "a" for "ab"."""
    yield joined
    for at, char in enumerate(joined):
        if char.isalpha():
            yield joined[:at] + joined[at + 1 :]


def _numbers(words: Iterable[str]) -> list[str]:
    """Return the words that contain a digit."""
    return [word for word in words if any(char.isdigit() for char in word)]


def _differ_by_one_letter(word: str, other: str) -> bool:
    """Return whether two words differ by one letter that is missing, wrong, or swapped with the next one.

    Both words have to be long enough, and to begin with the same letter, because few errors are in the first one.

    >>> _differ_by_one_letter("shiping", "shipping"), _differ_by_one_letter("iceland", "ireland")
    (True, False)
    """
    if not (word.isalpha() and other.isalpha()) or min(len(word), len(other)) < MIN_LETTERS or word[0] != other[0]:
        return False
    shorter = min(len(word), len(other))
    # The position of the first difference; it is the end of the shorter word if the other one begins with this word.
    start = next((at for at in range(shorter) if word[at] != other[at]), shorter)
    rest, other_rest = word[start:], other[start:]
    if len(rest) != len(other_rest):  # the next letter of one of them is missing in the other
        return rest[1:] == other_rest or rest == other_rest[1:]
    if rest[1::-1] == other_rest[:2] and rest[2:] == other_rest[2:]:  # the next two letters are swapped
        return True
    return shorter >= MIN_LETTERS_REPLACED and rest[1:] == other_rest[1:]  # the next letter is wrong
