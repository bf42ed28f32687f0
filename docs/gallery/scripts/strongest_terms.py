"""See what a model looks for.

The terms with the largest coefficients of each class. Look at them before you trust a model: a name or an
order number among them means that it has learned something that will not last.
"""

import altair as alt

from textsieve import Categorizer, read
from textsieve.plots import save
from textsieve.plots.style import apply_style

tickets = read("tickets.csv", text=["title", "description"], label="section", fold_labels=True)
model = Categorizer(analyzer="word").fit(tickets)

rows = [
    {"class": label, "term": term, "coefficient": coefficient, "place": f"{label} {place}"}
    for label, terms in model.class_terms(6).items()
    for place, (term, coefficient) in enumerate(terms)
]
bars = (
    alt.Chart(alt.InlineData(values=rows), width=210, height=110)
    .mark_bar(color="#0072B2")
    .encode(
        alt.X("coefficient:Q", title=None, axis=alt.Axis(tickCount=3)),
        alt.Y("term:N", sort="-x", title=None, axis=alt.Axis(labelFontSize=13)),
    )
)
header = alt.Header(labelFontSize=14, labelColor="#222222")
chart = bars.facet(alt.Facet("class:N", title=None, header=header), columns=2)
save(apply_style(chart.resolve_scale(y="independent")), "strongest_terms.svg")
