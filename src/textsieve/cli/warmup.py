"""`textsieve warmup`: compile the kernels that other commands would compile at their first use on a machine."""

from __future__ import annotations

import click

from . import options


@click.command(epilog=options.examples("textsieve warmup", "textsieve warmup --all"))
@click.option(
    "--all", "wants_all", is_flag=True, help="Also compile what only other selectors, classifiers and analyzers use."
)
@options.json_flag
def command(wants_all: bool, wants_json: bool) -> None:
    """Compile for this processor now, rather than at the first use.

    textsieve compiles its inner loops when they are first used on a machine, which takes up to half a minute, and keeps
    the result in a cache. Run this command after the installation, or when you build an image, with the user who will
    run textsieve. The environment variable NUMBA_CACHE_DIR chooses another folder for the cache.
    """
    from ..progress import progress_display
    from ..warmup import warm_up
    from .json_output import print_json

    with progress_display() as on_progress:
        warmed = warm_up(on_progress, everything=wants_all)
    if wants_json:
        print_json({"compiled": warmed.n_compiled, "seconds": round(warmed.seconds, 1), "folder": warmed.folder})
    elif warmed.n_compiled:
        click.echo(f"Compiled {warmed.n_compiled} kernels in {warmed.seconds:.0f} s, in {warmed.folder}.")
    else:
        click.echo(f"Everything is compiled already, in {warmed.folder}.")
