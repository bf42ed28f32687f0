"""See how much of all scores the best terms have.

The energy of the k best terms is their share of the sum of all scores. The curve shows at a glance whether a few terms
matter or many, and `energy=0.8` keeps as many terms as reach that share.
"""

from textsieve import OCFS, ChiSquare, ClassStats, InformationGain, TermCounter, TermWeighter, read
from textsieve.plots import energy_plot, save

texts, labels = read("docstrings").load()
counter = TermCounter()
stats = ClassStats.from_matrix(TermWeighter().fit_transform(counter.fit_transform(texts)), labels)

curves = {}
for name, selector in {"ocfs": OCFS(k="all"), "ig": InformationGain(k="all"), "chi": ChiSquare(k="all")}.items():
    scores = selector.fit_stats(stats).scores_[selector.ranking_]
    curves[name] = (scores.cumsum() / scores.sum()).clip(max=1.0)
save(energy_plot(curves, level=0.8), "energy_curve.svg")
