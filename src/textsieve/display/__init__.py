"""Results as HTML for notebooks, in the look of the report and of the service's page.

- `markup.py`: the colours for light and dark mode, which the report shares; elements with escaped text; building blocks
  made of them (`card`, `facts`, `table`, `bar`, `interval`, `marked_text`); and pages.
- `assets/notebook.css`: the style of these blocks. All its rules apply to elements inside `.textsieve` alone.

An object assembles its HTML in `_repr_html_` from these blocks, so this package imports no other part of textsieve.
"""

from .markup import Column as Column
from .markup import Html as Html
from .markup import TermSpan as TermSpan
from .markup import bar as bar
from .markup import card as card
from .markup import colour_css as colour_css
from .markup import element as element
from .markup import escape as escape
from .markup import facts as facts
from .markup import interval as interval
from .markup import marked_text as marked_text
from .markup import note as note
from .markup import notebook_html as notebook_html
from .markup import page_html as page_html
from .markup import signed_bar as signed_bar
from .markup import table as table
