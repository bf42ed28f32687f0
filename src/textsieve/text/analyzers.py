"""The names of analyzers, the default token pattern and the longest n-gram of characters.

They are here, and not in `analysis`, because the help of the command line reads them without numpy.
"""

ANALYZERS = {
    "word": "what the token pattern matches",
    "text": "words, symbols, and n-grams of scripts without spaces",
    "char": "n-grams of the characters of the whole text",
    "char_wb": "n-grams of the characters of each word, with a space before and after it",
}
"""The analyzers that are given by name, with a description of their terms."""

MAX_CHARACTERS = 100
"""The largest number of characters of an n-gram in a model; longer ones would make predictions slow."""

WORD_PATTERN = r"(?u)\b\w\w+\b"
"""The default token pattern, which is scikit-learn's: words of two or more letters, digits or underscores."""
