"""`textsieve terms`: which terms tell the classes of some documents apart."""

from typing import TYPE_CHECKING, Any

import click

from . import options

if TYPE_CHECKING:
    from ..training.ranking import RankedTerms, Scored


@click.command(
    epilog=options.examples(
        "textsieve terms news.csv --selector ocfs -k 20",
        "textsieve terms mails/ --selector chi --selector-option pooling=max --stop-words english",
    )
)
@click.argument("path")
@options.reading
@options.selection
@click.option(
    *("-k", "--terms", "n_terms"),
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    metavar="N",
    help="How many terms, overall and of each class.",
)
@options.terms_are
@options.jobs
@options.json_wanted
def command(
    path: str,
    reading: dict[str, Any],
    selection: dict[str, Any],
    n_terms: int,
    terms_are: dict[str, Any],
    jobs: int,
    wants_json: bool,
) -> None:
    """Show the best terms of labelled documents, overall and for each class.

    Of each class those are shown that speak for it, by the score that the method gives them for that class alone.
    PATH is what train takes, and may be larger than memory; or vectors (svmlight), whose columns are called #0, #1, ...
    """
    from ..selectors.named import selector_of
    from ..training.ranking import rank_terms
    from .json_output import print_json
    from .opening import opened
    from .progress import progress

    selector = selector_of(selection["selector"], options.as_dict(selection["selector_options"]))
    with opened(path, reading) as corpus, progress() as tell:
        ranked = rank_terms(corpus, selector, n_terms, progress=tell, n_jobs=jobs, **options.counting(terms_are))
    if wants_json:
        print_json(_as_dict(ranked, selection["selector"]))
    else:
        _show(ranked, f"{corpus.name}: {corpus.report}", selection["selector"])


def _as_dict(ranked: "RankedTerms", selector: str) -> dict[str, Any]:
    def listed(scored: "Scored") -> list[dict[str, Any]]:
        return [{"term": term, "score": score} for term, score in scored]

    return {
        "selector": selector,
        "n_documents": ranked.n_documents,
        "n_terms": ranked.n_terms,
        "terms": listed(ranked.best),
        "classes": [
            {"label": label, "documents": ranked.class_docs[label], "terms": listed(scored)}
            for label, scored in ranked.by_class.items()
        ],
    }


def _show(ranked: "RankedTerms", about: str, selector: str) -> None:
    from .output import Column, Fitting, Page, label_text, numbers
    from .wording import printable

    page = Page()
    page.line(about)
    page.line(f"{len(ranked.by_class):,} classes, {ranked.n_terms:,} terms, scored by {selector}")
    best = [[f"{place:,}", printable(term), f"{score:.4g}"] for place, (term, score) in enumerate(ranked.best, 1)]
    page.table([*numbers(""), Column("best terms"), *numbers("score")], best)
    rows = [
        [label_text(label), f"{ranked.class_docs[label]:,}", Fitting([term for term, _ in scored])]
        for label, scored in ranked.by_class.items()
    ]
    if rows:
        page.table([Column("class"), *numbers("docs"), Column("terms that speak for it", "terms")], rows)
