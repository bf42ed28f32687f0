"""A table of normal forms that counts as a table of words does, and looks at each different word of a text once.

Inside it there is a table of the words as they are written, with the stop words. A slice of documents is counted by
that one; then the words that are new in it get their forms, and the counts are added up by form. So the loop over the
text is the same as without forms, and forms cost as much as there are different words. Forms are numbered in the order
of their first use, because words are.
"""

import numpy as np

from ..kernels import forms as kernels
from .words import Forms
from .wordtable import Bytes, Codes, Counted, Ints, Slice, WordTable, room


class FormTable(WordTable):
    """Forms and their numbers; see `WordTable`. Stop words, which are compared as they are written, have none."""

    def __init__(self, forms: Forms, written: WordTable) -> None:
        super().__init__()
        self._forms = forms
        self._written = written
        self._n_stop = written.size
        self._form_numbers = np.full(written.size, -1, np.int64)
        self._places: Codes = np.empty(0, np.uint64)

    def reader(self) -> "FormTable":
        """A table that shares the forms, and reads words on its own."""
        other = self.empty_twin(0)
        other.slots, other.starts, other.spelling, other.size = self.slots, self.starts, self.spelling, self.size
        return other

    def empty_twin(self, n_first: int) -> "FormTable":
        """A table with the same stop words, and no forms."""
        return FormTable(self._forms, self._written.empty_twin(self._n_stop))

    def count(self, documents: Slice, classes: Bytes, *, n_stop: int, learn: bool, in_sequence: bool) -> Counted:
        """Count the forms of some documents, or write them down `in_sequence`."""
        counted = self._written.count(documents, classes, n_stop=self._n_stop, learn=True, in_sequence=in_sequence)
        self._look_at_new_words(learn=learn)
        if in_sequence:
            kernels.write_forms(counted.entries, self._form_numbers)
            return counted
        self._places = room(self._places, self.size)
        n_entries = kernels.add_up_forms(*counted, self._form_numbers, self._places)
        return Counted(counted.entries[:n_entries].copy(), counted.row_ends)

    def _look_at_new_words(self, *, learn: bool) -> None:
        """Find the forms of the words that came last."""
        new = np.arange(len(self._form_numbers), self._written.size)
        if not len(new):
            return
        spelled = _spelled(self._forms(self._written.joined(new, np.ones(len(new), np.int64))))
        numbers: Ints = self.add(*spelled) if learn else self.find(*spelled)
        self._form_numbers = np.concatenate([self._form_numbers, numbers])


def _spelled(words: list[str]) -> tuple[Bytes, Codes]:
    """The bytes of many words in one array, and where each begins; no word has a line break in it."""
    lines = np.frombuffer("\n".join([*words, ""]).encode(), np.uint8)
    is_end = lines == ord("\n")
    starts = np.zeros(len(words) + 1, np.uint64)
    starts[1:] = np.flatnonzero(is_end) - np.arange(len(words))
    return lines[~is_end], starts
