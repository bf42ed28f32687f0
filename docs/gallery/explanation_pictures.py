"""Draw the pictures of the explanation pages from the data in the pages' own code.

`make_gallery.py` calls `draw_all`. Each function below gets the names that the code of its page has made.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import altair as alt
import numpy as np

from textsieve import Categorizer, MaximumMargin, OrthogonalCentroid, TraceProjection, read
from textsieve.ensembles import coverage, diversity, usability
from textsieve.plots import Chart, lines, save
from textsieve.plots.style import GREY, INK, PALE, SMALL, apply_style, curve_style

PAGES = Path(__file__).parents[1] / "explanation"
PICTURES = PAGES / "pictures"
Names = Mapping[str, Any]
Rows = list[dict[str, Any]]

DRAWN: dict[str, Callable[[Names], Chart]] = {}
"""For each picture, the function that draws it."""
PAGE_OF = {"drop": "knn"}
"""The page of a picture that does not have the name of its page."""


def picture(draw: Callable[[Names], Chart]) -> Callable[[Names], Chart]:
    """Add a function to `DRAWN`, under its name with hyphens."""
    DRAWN[draw.__name__.replace("_", "-")] = draw
    return draw


def draw_all(names: Iterable[str] = ()) -> list[Path]:
    """Draw pictures, by default all, and return their paths."""
    PICTURES.mkdir(exist_ok=True)
    paths = []
    for name in names or DRAWN:
        path = PICTURES / f"{name}.svg"
        save(DRAWN[name](names_of(PAGES / f"{PAGE_OF.get(name, name)}.md")), path)
        paths.append(path)
    return paths


def names_of(page: Path) -> dict[str, Any]:
    """Run the Python code of a page, and return the names that it has made."""
    names: dict[str, Any] = {}
    code = "\n".join(re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE))
    with TemporaryDirectory() as folder, chdir(folder), redirect_stdout(StringIO()):
        exec(compile(code, str(page), "exec"), names)
    return names


# -- parts of charts ---------------------------------------------------------------------------------------------


def base(rows: Rows) -> alt.Chart:
    """Return a chart of rows of data."""
    return alt.Chart(alt.InlineData(values=rows))


def colours(names: list[str], **options: Any) -> alt.Color:
    """Return a colour for each name of a class, with a legend above the chart."""
    scale = alt.Scale(domain=names, range=[curve_style(number).colour for number in range(len(names))])
    settings: dict[str, Any] = {"orient": "top", "title": None, "labelFontSize": SMALL, "labelColor": INK} | options
    legend = alt.Legend(symbolStrokeWidth=0, symbolSize=120, **settings)
    return alt.Color("label:N", scale=scale, legend=legend)


def labels_of(axis: type[alt.X] | type[alt.Y], field: str, names: list[str], **options: Any) -> Any:
    """Return an axis of names without lines."""
    settings = {"title": None, "domain": False, "ticks": False, "labelAngle": 0, "labelLimit": 260} | options
    return axis(f"{field}:N", sort=names, scale=alt.Scale(domain=names), axis=alt.Axis(**settings))


def number(field: str, title: str | None, **options: Any) -> Any:
    """Return the settings of a numeric axis."""
    scale = alt.Scale(**{"nice": False, "zero": False, **options.pop("scale", {})})
    return {"shorthand": f"{field}:Q", "title": title, "scale": scale, "axis": alt.Axis(**{"grid": False, **options})}


def chart_of(*layers: alt.Chart, width: int = 560, height: int = 240, left: int = 14) -> Chart:
    """Return layers in the common style, with a margin on the left for fonts that are wider than expected."""
    chart = apply_style(alt.LayerChart(layer=list(layers), width=width, height=height))
    chart.config.padding = {"left": left, "right": 14, "top": 14, "bottom": 14}
    return chart


# -- the pictures ------------------------------------------------------------------------------------------------


@picture
def one_table(names: Names) -> Chart:
    """Draw counts and scores of some terms as a table whose darker cells have larger numbers."""
    stats, terms = names["stats"], names["terms"]
    shown = ["goal", "budget", "match", "team", "late", "the"]
    chosen = [terms.index(term) for term in shown]
    columns: dict[str, Any] = {f"{label}": stats.class_doc_freq(at) for at, label in enumerate(stats.classes)}
    for name in ("DocumentFrequency", "ChiSquare", "InformationGain", "OCFS"):
        columns[name] = names[name](k=4).fit_stats(stats).scores_
    titles = dict(zip(columns, ["politics", "sport", "DF", "chi-square", "inf. gain", "OCFS"], strict=True))
    rows = [
        {
            "term": term,
            "column": titles[name],
            "text": f"{values[at]:.3g}",
            "share": float(values[at] / max(values[chosen])),
            "kind": "documents" if name in stats.classes else "score",
        }
        for name, values in columns.items()
        for term, at in zip(shown, chosen, strict=True)
    ]
    x = labels_of(alt.X, "column", list(titles.values()), orient="top")
    y = labels_of(alt.Y, "term", shown)
    kinds = alt.Scale(domain=["documents", "score"], range=[curve_style(2).colour, curve_style(0).colour])
    cells = base(rows).mark_rect(cornerRadius=3).encode(
        x, y, alt.Color("kind:N", scale=kinds, legend=None),
        alt.Opacity("share:Q", scale=alt.Scale(domain=[0, 1], range=[0.04, 0.5]), legend=None),
    )  # fmt: skip
    return chart_of(cells, base(rows).mark_text(fontSize=SMALL, color=INK).encode(x, y, text="text:N"), height=210)


@picture
def tofa(names: Names) -> Chart:
    """Draw the weights of each term in the labelled documents, and the class means as vertical lines."""
    weights, labels = np.array(names["weights"][:4], float), names["labels"][:4]
    terms = ["goal", "ballot", "the"]
    rows = [
        {"term": term, "weight": weights[at, column] + 0.0, "label": label, "place": term}
        for column, term in enumerate(terms)
        for at, label in enumerate(labels)
    ]
    means = [
        {"term": term, "weight": float(weights[[own == label for own in labels], column].mean()), "label": label}
        for column, term in enumerate(terms)
        for label in ("sport", "politics")
    ]
    y = labels_of(alt.Y, "term", terms)
    offset = alt.YOffset("label:N", scale=alt.Scale(domain=["sport", "politics"], paddingOuter=0.6))
    x = alt.X(
        **number(
            "weight",
            "weight in a document; a line is the mean of a class",
            scale={"domain": [-0.2, 3.2]},
            values=[0, 1, 2, 3],
        )
    )
    colour = colours(["sport", "politics"])
    points = base(rows).mark_circle(size=170, opacity=0.85).encode(x, y, offset, colour)
    return chart_of(base(means).mark_tick(thickness=4, size=22).encode(x, y, offset, colour), points, height=230)


@picture
def forward(names: Names) -> Chart:
    """Draw which messages contain the terms that each selector takes."""
    texts, labels, terms, counts = (names[name] for name in ("texts", "labels", "terms", "counts"))
    rows, missing = [], []
    columns: dict[str, str] = {}
    for title, kind in (("OCFS", names["OCFS"]), ("forward", names["ForwardSelection"])):
        ranking = kind(k=4).fit(counts, labels).ranking_[:4]
        has_any = np.asarray(counts[:, ranking].sum(axis=1)).ravel() > 0
        missing += [{"text": text, "column": title} for text, has in zip(texts, has_any, strict=True) if not has]
        for place, column in enumerate(ranking, 1):
            columns[f"{title} {place}"] = terms[column]
            for text, label, count in zip(texts, labels, counts[:, column].toarray().ravel(), strict=True):
                if count:
                    rows.append({"text": text, "column": f"{title} {place}", "label": label})
    names_of_columns = list(columns)
    expression = "{" + ",".join(f"'{name}':'{term}'" for name, term in columns.items()) + "}[datum.value]"
    grid = [{"text": text, "column": name} for text in texts for name in names_of_columns]
    x = labels_of(alt.X, "column", names_of_columns, orient="top", labelExpr=expression)
    y = labels_of(alt.Y, "text", list(texts))
    cells = base(grid).mark_rect(fill=None, stroke=PALE).encode(x, y)
    present = base(rows).mark_circle(size=150).encode(x, y, colours(["billing", "login", "delivery"], offset=34))
    split = base([{"column": "forward 1"}]).mark_rule(color=GREY, strokeWidth=2, xOffset=-35).encode(x)
    gap = [{"text": row["text"], "column": f"{row['column']} {place}"} for row in missing for place in range(1, 5)]
    dashes = base(gap).mark_text(text="–", color=GREY, fontSize=SMALL).encode(x, y)
    heads = base([{"column": "OCFS 1", "name": "OCFS"}, {"column": "forward 1", "name": "forward selection"}])
    head = heads.mark_text(align="left", xOffset=-32, yOffset=-204, fontSize=SMALL, fontWeight="bold", color=INK)
    return chart_of(cells, present, dashes, split, head.encode(x, text="name:N"), height=340, left=44)


@picture
def testors(names: Names) -> Chart:
    """Draw the rows of the classes: a term in a minimal row is filled, others are outlined."""
    selector, terms, labels = names["selector"], names["terms"], names["labels"]
    classes = selector.classes_.tolist()
    order, rows = [], []
    for label in labels:
        comparison = selector.comparison_[label].toarray()
        marked = {
            other: set(np.flatnonzero(comparison[classes.index(other)]).tolist()) for other in labels if other != label
        }
        seen: list[set[int]] = []
        for other, own in marked.items():
            is_minimal = not any(rest < own for rest in marked.values()) and own not in seen
            seen.append(own)
            order.append(f"{label} against {other}")
            rows += [
                {"row": order[-1], "term": terms[column], "label": "minimal row" if is_minimal else "other row"}
                for column in own
            ]
    x, y = labels_of(alt.X, "term", terms.tolist(), orient="top"), labels_of(alt.Y, "row", order)
    grid = base([{"row": row, "term": term} for row in order for term in terms.tolist()])
    cells = grid.mark_rect(fill=None, stroke=PALE).encode(x, y)
    filled = base([row for row in rows if row["label"] == "minimal row"]).mark_circle(size=190, opacity=1)
    outlined = base([row for row in rows if row["label"] != "minimal row"]).mark_point(size=150, strokeWidth=2)
    blue, grey = alt.value(curve_style(0).colour), alt.value(GREY)
    return chart_of(cells, filled.encode(x, y, color=blue), outlined.encode(x, y, color=grey), height=300, left=34)


@picture
def tcfp(names: Names) -> Chart:
    """Draw the weights of each term; documents at or above the mean are filled, and the mean is a line."""
    weights, labels = np.array(names["weights"]), names["labels"]
    terms = ["goal", "ballot", "the"]
    rows, means = [], []
    for column, term in enumerate(terms):
        present = weights[:, column] > 0
        mean = float(weights[present, column].mean())
        means.append({"term": term, "weight": mean})
        for document in np.flatnonzero(present).tolist():
            value = float(weights[document, column])
            row = {"term": term, "weight": value, "label": labels[document], "name": f"d{document + 1}"}
            rows.append(row | {"votes": value >= mean, "document": str(document)})
    x = alt.X(**number("weight", "weight in a document; the line is the mean", scale={"domain": [0.1, 0.9]}))
    y = labels_of(alt.Y, "term", terms)
    offset = alt.YOffset("document:N", scale=alt.Scale(domain=["0", "1", "2", "3"], paddingOuter=0.4))
    colour = colours(["sport", "politics"])
    filled = base([row for row in rows if row["votes"]]).mark_circle(size=170, opacity=1).encode(x, y, offset, colour)
    empty = base([row for row in rows if not row["votes"]]).mark_point(size=140, strokeWidth=2)
    ticks = base(means).mark_tick(thickness=2, color=GREY, size=66).encode(x, y)
    text = base(rows).mark_text(dx=20, fontSize=SMALL, color=INK).encode(x, y, offset, text="name:N")
    return chart_of(ticks, filled, empty.encode(x, y, offset, colour), text, height=270)


@picture
def drop(names: Names) -> Chart:
    """Draw the documents on a quarter of a circle; DROP keeps the filled ones."""
    points, kept = names["points"], set(names["drop"].sample_indices_.tolist())
    rows = [
        {"x": float(x), "y": float(y), "label": f"class {label}", "name": str(at), "kept": at in kept,
         "tx": float(x * 1.09), "ty": float(y * 1.09)}
        for at, ((x, y), label) in enumerate(zip(points, "aaaabbbbb", strict=True))
    ]  # fmt: skip
    domain = {"scale": {"domain": [-0.06, 1.15]}, "values": [0, 0.5, 1]}
    x, y = alt.X(**number("x", "first term", **domain)), alt.Y(**number("y", "second term", **domain))
    tx, ty = alt.X(**number("tx", "first term", **domain)), alt.Y(**number("ty", "second term", **domain))
    lines_to = base(rows).mark_rule(color=PALE).encode(x, y, alt.X2(datum=0), alt.Y2(datum=0))
    colour = colours(["class a", "class b"])
    filled = base([row for row in rows if row["kept"]]).mark_circle(size=200, opacity=1).encode(x, y, colour)
    empty = base([row for row in rows if not row["kept"]]).mark_point(size=170, strokeWidth=2).encode(x, y, colour)
    text = base(rows).mark_text(fontSize=SMALL, color=INK).encode(tx, ty, text="name:N")
    return chart_of(lines_to, filled, empty, text, width=400, height=400)


@picture
def subspaces(names: Names) -> Chart:
    """Draw the three probabilities by the number of members, for 5,000 terms of which 50 are important."""
    members = np.unique(np.geomspace(1, 2000, 120).astype(int))
    sizes = (5000, 500, members, 50)
    curves = {
        "usable": (members, usability(*sizes)),
        "covered": (members, coverage(*sizes)),
        "diverse": (members, diversity(*sizes)),
    }
    best = names["suggest"](5000, 50, n_terms=500).n_estimators
    return lines(
        curves,
        x="number of members L, each with 500 of 5,000 terms, of which 50 are important",
        y="probability",
        log_x=True,
        y_domain=(0.0, 1.0),
        y_format=".0%",
        points=False,
        title="Usable, covered and diverse, by the number of members",
        caption=f"suggest takes {best} members: the lowest of the three is highest there.",
    )


@picture
def projections(names: Names) -> Chart:
    """Draw documents of two classes with two terms, and the direction of each method."""
    random = np.random.default_rng(0)
    noise = random.normal(size=(80, 2)) @ np.array([[1.2, 0.55], [-0.2, 0.4]])  # each row is an axis of the scatter
    is_second = np.repeat([False, True], 40)
    points = noise + np.where(is_second[:, None], [0.35, 0.95], [-0.35, -0.95])
    labels = np.where(is_second, "class b", "class a")
    rows = [{"x": float(x), "y": float(y), "label": str(label)} for (x, y), label in zip(points, labels, strict=True)]
    centre = points.mean(axis=0)
    methods = {
        "principal component": TraceProjection(weight=0, n_components=1),
        "orthogonal centroid": OrthogonalCentroid(),
        "maximum margin": MaximumMargin(),
    }
    arrows, texts = [], []
    for at, (title, method) in enumerate(methods.items()):
        direction = method.fit(points, labels).components_[0]
        length = 2.3 if at == 0 else 1.9
        begin, end = centre - length * direction, centre + length * direction
        arrows.append({"x": begin[0], "y": begin[1], "x2": end[0], "y2": end[1], "name": title})
        tip = max((begin, end), key=lambda point: float(point[1] if at else point[0]))
        texts.append({"x": float(tip[0]), "y": float(tip[1]), "name": title})
    scale = {"scale": {"domain": [-3.2, 3.8]}, "labels": False, "ticks": False}
    x, y = alt.X(**number("x", "weight of one term", **scale)), alt.Y(**number("y", "weight of another", **scale))
    dots = base(rows).mark_circle(size=60, opacity=0.7).encode(x, y, colours(["class a", "class b"]))
    rules = base(arrows).mark_rule(color=INK, strokeWidth=2.4).encode(x, y, x2="x2:Q", y2="y2:Q")
    rules = rules.encode(strokeDash=alt.StrokeDash("name:N", legend=None, sort=list(methods)))
    style: dict[str, Any] = {"fontSize": SMALL, "color": INK, "fontWeight": "bold"}
    positions: list[Any] = [("left", 6, -4), ("left", 4, -12), ("right", -4, -12)]
    placed = [
        base([row]).mark_text(dx=dx, dy=dy, align=align, **style).encode(x, y, text="name:N")
        for row, (align, dx, dy) in zip(texts, positions, strict=True)
    ]
    return chart_of(dots, rules, *placed, width=480, height=480)


@picture
def small_models(names: Names) -> Chart:
    """Draw the absolute values of all coefficients, the largest first."""
    model = names["model"]
    coefficients = np.sort(np.abs(model.coef_).ravel())[::-1]
    half = int(np.searchsorted(np.cumsum(coefficients**2) / (coefficients**2).sum(), 0.5)) + 1
    rows = [
        {"place": at, "size": float(size), "kind": "half" if at <= half else "others"}
        for at, size in enumerate(coefficients, 1)
    ]
    kinds = alt.Scale(domain=["half", "others"], range=[curve_style(0).colour, curve_style(6).colour])
    bars = base(rows).mark_bar(width=6).encode(
        alt.X(**number("place", "coefficients, the largest first", scale={"domain": [0, len(rows) + 1]})),
        alt.Y(**number("size", "absolute value", scale={"domainMin": 0, "zero": True}, grid=True, tickCount=5)),
        alt.Color("kind:N", scale=kinds, legend=None),
    )  # fmt: skip
    text = base([{"place": half + 1, "size": float(coefficients[0])}]).mark_text(
        align="left", fontSize=SMALL, color=INK, baseline="top",
        text=f"the {half} dark ones have half of the sum of squares, the other {len(rows) - half} the rest",
    )  # fmt: skip
    domain = number("place", "coefficients, the largest first", scale={"domain": [0, len(rows) + 1]})
    height = number("size", "absolute value", scale={"domainMin": 0, "zero": True})
    return chart_of(bars, text.encode(alt.X(**domain), alt.Y(**height)))


@picture
def calibration(_: Names) -> Chart:
    """Draw the share of right labels in ten bins of equally many held-out documents."""
    documents: tuple[Any, list[Any]] = read("docstrings").load()
    texts, labels = documents
    model = Categorizer().fit(texts[::2], labels[::2])
    probabilities = model.predict_proba(texts[1::2])
    sure = probabilities.max(axis=1)
    is_right = model.classes_[probabilities.argmax(axis=1)] == np.array(labels[1::2])
    bins = np.array_split(np.argsort(sure), 10)
    return lines(
        {
            "labels": ([sure[own].mean() for own in bins], [is_right[own].mean() for own in bins]),
            "ideal": ([0.0, 1.0], [0.0, 1.0]),
        },
        x="mean probability of the label",
        y="share of right labels",
        y_domain=(0.0, 1.0),
        y_format=".0%",
        title="How often labels are right, by how sure the model is",
        caption=f"{len(sure):,} held-out documents in ten bins of equal size",
    )


@picture
def contributions(names: Names) -> Chart:
    """Draw the intercept and the contributions of the terms as bars that continue one another."""
    billing = names["billing"]
    steps = [("(intercept)", billing.intercept), *((item.term, item.contribution) for item in billing.contributions)]
    rows, at = [], 0.0
    for name, value in steps:
        rows.append({"name": name, "from": at, "to": at + value, "label": "for" if value > 0 else "against",
                     "text": f"{value:+.3f}", "end": max(at, at + value)})  # fmt: skip
        at += value
    rows.append({"name": "score", "from": 0.0, "to": at, "label": "score", "text": f"{at:.3f}", "end": at})
    order = [row["name"] for row in rows]
    y = labels_of(alt.Y, "name", order)
    scale: dict[str, Any] = {"scale": {"domain": [-0.45, 0.45]}, "values": [-0.4, -0.2, 0, 0.2, 0.4], "grid": True}
    axis = number("from", "score for billing, so far", **scale)
    colour = alt.Color(
        "label:N",
        legend=None,
        scale=alt.Scale(domain=["for", "against", "score"], range=[curve_style(at).colour for at in (0, 1, 2)]),
    )
    bars = base(rows).mark_bar(height=22).encode(alt.X(**axis), y, colour, x2="to:Q")
    end = number("end", "score for billing, so far", **scale)
    text = base(rows).mark_text(align="left", dx=6, fontSize=SMALL, color=INK).encode(alt.X(**end), y, text="text:N")
    return chart_of(bars, text, height=230)
