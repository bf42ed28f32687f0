"""Stop words of a user's own that no text can have, because it is read in another way than they are written.

Stop words are compared with the words of a text as it is read: in small letters, perhaps without accents, cut at
apostrophes and hyphens. `Der`, `für` without accents and `don't` are never found there. So each is read as a text would
be; one that comes out as other words than itself does nothing, which the user is told, as by scikit-learn, unless these
words are on the list too (`Der` and `der`) or there are none (`I`, which is no word). What is on the list stays as it
is written: `don't` is not to take every `don` out of a text.
"""

from collections.abc import Collection

from ..errors import shown
from ..warning import warn
from .documents import Reading
from .words import WORD

MOST_NAMED = 5
"""Words that a warning names."""


def that_can_match(stop_words: Collection[str], reading: Reading) -> frozenset[str]:
    """The stop words of a user's own that texts can have; of others the user is warned."""
    read_as = {word: WORD.findall(reading.folded(word)) for word in stop_words}
    idle = {word: read for word, read in read_as.items() if read != [word] and not set(stop_words).issuperset(read)}
    if idle:
        warn(_warning(idle, len(read_as)))
    return frozenset(word for word, read in read_as.items() if read == [word])


def _warning(idle: dict[str, list[str]], n_words: int) -> str:
    named = [f"{shown(word)} as {' '.join(map(shown, idle[word]))}" for word in sorted(idle)[:MOST_NAMED]]
    more = ", and so on" if len(idle) > MOST_NAMED else ""
    return (
        f"{len(idle):,} of {n_words:,} stop words can never match, because a text is read in another way: "
        f"{', '.join(named)}{more}. Write stop words as they are read, or have capitals and accents read as these are "
        "written."
    )
