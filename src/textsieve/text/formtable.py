"""A table of normal forms that counts as a table of words does, and looks at each different word of a text once.

Inside it there is a table of the words as they are written, with the stop words. A slice of documents is counted by
that one; then the words that are new in it get their forms, and the counts are added up by form. So the loop over the
text is the same as without forms, and forms cost as much as there are new words. Forms are numbered in the order of
their first use, because words are.

A reader learns words as they are written, though no forms. When it is done it is kept for the next one who wants a
reader, so that a stream of predictions asks for the form of a frequent word once, and not with every batch. A reader
with too many words keeps the first half, as what is frequent comes early.
"""

import os
from collections import deque

import numpy as np

from ..kernels import forms as kernels
from .words import Forms
from .wordtable import Bytes, Codes, Counted, Ints, Slice, WordTable, room, spelled_as_lines

MOST_READ = 1 << 18
"""Words that a reader keeps from one slice of documents to the next."""


class FormTable(WordTable):
    """Forms and their numbers; see `WordTable`. Stop words, which are compared as they are written, have none."""

    def __init__(self, forms: Forms, stop_words: WordTable) -> None:
        super().__init__()
        self._forms = forms
        self._written = stop_words
        self._form_numbers = np.full(stop_words.size, -1, np.int64)
        self._places: Codes = np.empty(0, np.uint64)
        self._idle: deque[FormTable] = deque(maxlen=os.cpu_count())

    def reader(self) -> "FormTable":
        """A table that shares the forms, and reads words on its own: one that is idle, or a new one."""
        try:
            while (idle := self._idle.pop()).size != self.size:  # it has not heard of the newest forms
                pass
        except IndexError:  # another thread may have taken the last one
            other = self.empty_twin()
            other.slots, other.starts, other.spelling, other.size = self.slots, self.starts, self.spelling, self.size
            return other
        return idle

    def take_back(self, reader: WordTable) -> None:
        """Keep a reader that is done for the next one who wants one."""
        assert isinstance(reader, FormTable)
        self._idle.append(reader)

    def empty_twin(self) -> "FormTable":
        """A table with the same stop words, and no forms."""
        return FormTable(self._forms, self._written.empty_twin())

    def count(self, documents: Slice, classes: Bytes, *, learn: bool, in_sequence: bool) -> Counted:
        """Count the forms of some documents, or write them down `in_sequence`."""
        if not learn:
            self._forget_some()
        counted = self._written.count(documents, classes, learn=True, in_sequence=in_sequence)
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
        spelled = spelled_as_lines(self._forms(self._written.joined(new, np.ones(len(new), np.int64))))
        numbers: Ints = self.add(*spelled) if learn else self.find(*spelled)
        self._form_numbers = np.concatenate([self._form_numbers, numbers])

    def _forget_some(self) -> None:
        """Keep half of the words if there are too many; a stream that goes on for ever has new ones for ever."""
        if self._written.size > self._written.n_stop + MOST_READ:
            n_kept = self._written.n_stop + MOST_READ // 2
            self._written = self._written.beginning(n_kept)
            self._form_numbers = self._form_numbers[:n_kept].copy()
