"""Results as HTML for notebooks, in the look of the report and of the service's page, and the colours that they share.

- `theme.py`: the colours, for light and dark mode.
- `markup.py`: escaped HTML, its building blocks (`card`, `facts`, `table`, `bar`, `interval`), and pages made of them.
- `marked_text.py`: a text whose terms are coloured by what they contribute.
- `assets/notebook.css`: the style of these blocks. All its rules apply to elements inside `.textsieve` alone.

An object assembles its HTML in `_repr_html_` from these blocks, so this package knows no other part of textsieve.
"""

from .marked_text import TermSpan as TermSpan
from .marked_text import marked_text as marked_text
from .markup import Column as Column
from .markup import Html as Html
from .markup import bar as bar
from .markup import card as card
from .markup import element as element
from .markup import escape as escape
from .markup import facts as facts
from .markup import interval as interval
from .markup import note as note
from .markup import notebook_html as notebook_html
from .markup import page_html as page_html
from .markup import signed_bar as signed_bar
from .markup import table as table
from .theme import colour_css as colour_css
