"""Draw documents in two dimensions.

Maximum margin finds the two directions, weighted sums of all terms, along which the classes are far apart and
each class is narrow. Points far from their class are worth a look.
"""

import altair as alt

from textsieve import MaximumMargin, TermCounter, TermWeighter, read
from textsieve.plots import save
from textsieve.plots.style import apply_style, curve_style

tickets = read("tickets.csv", text=["title", "description"], label="section", merge_labels="auto")
