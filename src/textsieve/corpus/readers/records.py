"""Split the lines of a delimited file into records: CSV quoting, without its usual limits.

Python's own `csv` needs four bytes per character of a field and rejects long fields unless a process-wide setting is
changed. It also either swallows the rest of a file after a quote that is never closed, or rejects the quotes that
tab-separated files contain as mere punctuation. Here, a line without a quote is one `split`; with quotes, `find` jumps
from quote to quote, so that time and memory are linear in the record whatever it contains.

A record has at most `ReadLimits.max_document` characters and `MAX_FIELDS` fields, because a line of nothing but
delimiters would otherwise become a list that takes many times its size.

A field that begins with a quote continues to the next single quote, across line ends and delimiters; two quotes stand
for one. In a `lenient` file such a quote is punctuation if the field does not end at its closing quote, or if it has no
closing quote in its line and both this line and the next are full records by themselves. So the lines of a quoted
multi-line field must not contain exactly the delimiters that would make records of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...errors import InputError, Place
from ..bounds import ReadLimits

QUOTE = '"'
MAX_FIELDS = 100_000
PARTS_OF_BLOCK = 1_000
"""Number of parts of a field, such as lines, that are joined at once: short strings need fifty times their length."""
Numbered = tuple[int, str]


def read_records(
    lines: Iterator[Numbered], delimiter: str, *, name: str, bounds: ReadLimits, lenient: bool
) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of the first line and the fields of each record; a blank line has no fields."""
    reader = _Records(lines, delimiter, name, bounds, lenient)
    while (numbered := reader.take()) is not None:
        number, line = numbered
        yield number, reader.split(number, line)


class _Records:
    def __init__(self, lines: Iterator[Numbered], delimiter: str, name: str, bounds: ReadLimits, lenient: bool) -> None:
        self._lines = lines
        self._delimiter = delimiter
        self._name = name
        self._bounds = bounds
        self._lenient = lenient
        self._ahead: list[Numbered] = []
        self._delimiters = 0
        self._size = 0  # characters of the record so far

    def take(self) -> Numbered | None:
        return self._ahead.pop() if self._ahead else next(self._lines, None)

    def split(self, number: int, line: str) -> list[str]:
        """Return the fields of the record that begins with this line, reading further lines if they belong to it."""
        if QUOTE in line:
            self._size = len(line)
            fields = self._split_quoted(number, line)
        else:
            line = line.rstrip("\r\n")
            fields = line.split(self._delimiter, MAX_FIELDS) if line else []
        if len(fields) > MAX_FIELDS:
            raise self._too_many_fields(number)
        self._delimiters = self._delimiters or len(fields) - 1
        return fields

    def _split_quoted(self, number: int, line: str) -> list[str]:
        fields = []
        at = 0
        while True:
            if line.startswith(QUOTE, at) and not (self._lenient and self._is_punctuation(line, at)):
                field, line, at = self._quoted(number, line, at + 1)
            else:
                end = line.find(self._delimiter, at)
                end = len(line.rstrip("\r\n")) if end < 0 else end
                field, at = line[at:end], end
            fields.append(field)
            if len(fields) > MAX_FIELDS:
                raise self._too_many_fields(number)
            if not line.startswith(self._delimiter, at):
                return fields
            at += 1

    def _quoted(self, number: int, line: str, at: int) -> tuple[str, str, int]:
        """Parse a field after its opening quote; return it, the line in which it ends, and the position after it."""
        blocks: list[str] = []
        parts: list[str] = []
        while True:
            if len(parts) == PARTS_OF_BLOCK:
                blocks.append("".join(parts))
                parts.clear()
            quote = line.find(QUOTE, at)
            if quote < 0:
                parts.append(line[at:])
                following = self.take()
                if following is None:
                    raise InputError(
                        f'the quote (") opened in the record in line {number} is never closed. '
                        "Close it, or double it if it is part of the text.",
                        place=self._name,
                    )
                line, at = following[1], 0
                self._size += len(line)
                self._bounds.check_document(self._size, Place(self._name, f"the record that begins in line {number}"))
            elif line.startswith(QUOTE, quote + 1):
                parts.append(line[at : quote + 1])
                at = quote + 2
            else:
                parts.append(line[at:quote])
                break
        if not self._ends_field(line, quote + 1):
            raise InputError(
                f"{line[quote + 1 : quote + 31]!r} follows a closing quote, "
                f"where {self._delimiter!r} or the end of the line is expected. "
                "Double the quotes that are part of a text.",
                place=Place(self._name, f"line {number}"),
            )
        return "".join([*blocks, *parts]), line, quote + 1

    def _too_many_fields(self, number: int) -> InputError:
        return InputError(
            f"more than {MAX_FIELDS:,} fields. This is no table of documents, or "
            f"{self._delimiter!r} does not separate its columns.",
            place=Place(self._name, f"line {number}"),
        )

    def _ends_field(self, line: str, at: int) -> bool:
        return line.startswith(self._delimiter, at) or not line[at : at + 3].strip("\r\n")

    def _is_punctuation(self, line: str, at: int) -> bool:
        """Return whether the quote at the beginning of a field is only part of its text."""
        quote = line.find(QUOTE, at + 1)
        while quote >= 0 and line.startswith(QUOTE, quote + 1):
            quote = line.find(QUOTE, quote + 2)
        if quote >= 0:
            return not self._ends_field(line, quote + 1)
        following = self.take()
        if following is None:
            return True
        self._ahead.append(following)
        here, there = line.count(self._delimiter), following[1].count(self._delimiter)
        return here == there == (self._delimiters or here or 1)
