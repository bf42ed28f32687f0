"""Mark the words that decide.

The explanation of a ticket, as notebooks and pages show it: words that speak for the class are blue, words that speak
against it are orange, and the table has what each word adds to the score. `explain` returns it, and nothing is
estimated: the numbers add up to the score.
"""

from pathlib import Path

from textsieve import Categorizer, read

tickets = read("tickets.csv", text=["title", "description"], label="section", fold_labels=True)
model = Categorizer(analyzer="word").fit(tickets)
explanation = model.explain("The lamp arrived broken. I would like to return it and get my money back.")
Path("explained_text.html").write_text(explanation._repr_html_(), encoding="utf-8")
