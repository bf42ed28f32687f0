"""Draw documents in two dimensions.

Maximum margin finds the two directions, weighted sums of all terms, along which the classes are far apart and
each class is narrow. Points far from their class are worth a look.
"""

import altair as alt

from textsieve import MaximumMargin, TermCounter, TermWeighter, read
from textsieve.plots import save
from textsieve.plots.style import apply_style, curve_style

tickets = read("tickets.csv", text=["title", "description"], label="section", fold_labels=True)
texts, labels = tickets.load()
sections = ["account", "delivery", "product"]
pairs = [(text, label) for text, label in zip(texts, labels, strict=True) if label in sections]
texts, labels = map(list, zip(*pairs, strict=True))
rows = TermWeighter().fit_transform(TermCounter().fit_transform(texts))
points = MaximumMargin(n_components=2).fit(rows, labels).transform(rows)

data = [
    {"x": x, "y": y, "section": label, "text": text}
    for (x, y), label, text in zip(points.tolist(), labels, texts, strict=True)
]
scale = alt.Scale(domain=sections, range=[curve_style(number).colour for number in range(len(sections))])
shapes = alt.Scale(domain=sections, range=[curve_style(number).symbol for number in range(len(sections))])
legend = alt.Legend(title=None, orient="top", labelFontSize=13, labelColor="#222222")
chart = (
    alt.Chart(alt.InlineData(values=data), width=600, height=420)
    .mark_point(filled=True, size=60, opacity=0.75)
    .encode(
        alt.X("x:Q", title="first direction", axis=alt.Axis(grid=False)),
        alt.Y("y:Q", title="second direction", axis=alt.Axis(grid=False)),
        alt.Color("section:N", scale=scale, legend=legend),
        alt.Shape("section:N", scale=shapes, legend=legend),
    )
)
save(apply_style(chart), "two_dimensions.svg")
