"""What is done with a text before its terms are counted: one small object that counter, model and command line share.

In this order: tags go out of the text (`markup`), proper names become one word each (`names`), the text is lower-cased
and its accents are stripped (see `documents`), it is cut into words, stop words go, and the words that are left are put
into their normal form (`normalising`); names stay as they are. So a stop word is compared as it stands in the text, and
not as a stem. By default nothing of this is done.

The language is that of the normal forms. Where it is Turkish or Azerbaijani it also says how a text is lower-cased.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from ..errors import InputError, shown
from .languages import NAMES, WAYS, code_of, has_dotted_i
from .normalising import language_code

TAGS = ("keep", "drop")


@dataclass(frozen=True)
class Preparation:
    """Settings of the preparation; plain values, so that a model file can hold them."""

    tags: str = "keep"
    names: bool = False
    normalise: str | None = None
    language: str = "en"

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> "Preparation":
        """What settings by name say; there may be others among them.

        A language that is not given is that of the stop words, if these are a language's, or else English.
        """
        found = cls(*map(settings.__getitem__, SETTINGS))
        if found.language is not None:
            return found
        stop_words = settings["stop_words"]
        return replace(found, language=AS_IT_IS.language if code_of(stop_words) is None else stop_words)

    def checked(self) -> "Preparation":
        """The same with the language by its code, and without a language that nothing is done with."""
        for fault in self._faults():
            raise InputError(f"{fault}.")
        if self.normalise is not None:
            code = language_code(self.normalise, self.language)
        elif (known := code_of(self.language)) is not None:
            code = known if has_dotted_i(known) else AS_IT_IS.language
        else:
            raise InputError(
                f"language={shown(self.language)}; use the name or the code of a language, such as 'german' or 'de'."
            )
        return self if code == self.language else replace(self, language=code)

    def faults(self) -> Iterator[str]:
        """What is not a setting, in words; what a file holds is looked at before any package is there to ask."""
        yield from self._faults()
        if not (isinstance(self.language, str) and self.language in NAMES):
            yield f"language={shown(self.language)}; use the code of a language"
        elif self.normalise is None and self.language != AS_IT_IS.language and not has_dotted_i(self.language):
            yield f"language={shown(self.language)}, and nothing is normalised"

    def _faults(self) -> Iterator[str]:
        for name, allowed in (("tags", TAGS), ("names", (False, True)), ("normalise", (*WAYS, None))):
            value = getattr(self, name)
            if not any(value is each or (isinstance(value, str) and value == each) for each in allowed):
                yield f"{name}={shown(value)}; use {' or '.join(map(repr, allowed))}"

    def to_dict(self) -> dict[str, Any]:
        """The settings that say what is done, by name; none if nothing is."""
        done = {name: value for name, value in asdict(self).items() if value != getattr(AS_IT_IS, name)}
        return done if self.normalise is None else done | {"language": self.language}


SETTINGS = tuple(each.name for each in fields(Preparation))
"""The names of the settings."""

AS_IT_IS = Preparation()
"""Nothing is done."""
