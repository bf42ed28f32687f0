"""`textsieve serve`: serve a web page and an API for a model."""

import os
import signal
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

import click

from ..serve.limits import Limits
from . import options

if TYPE_CHECKING:
    from socket import socket


def _limit_option(name: str, default: int | float, metavar: str, description: str) -> options.Decorator:
    """Return an option for a limit of requests, above 0; it takes integers if the default is an integer."""
    number = click.IntRange(min=1) if isinstance(default, int) else click.FloatRange(min=0, min_open=True)
    return click.option(name, type=number, default=default, show_default=True, metavar=metavar, help=description)


def _check_workers(context: click.Context, parameter: click.Parameter, n_workers: int) -> int:
    """Return the number of workers; raise `BadParameter` for several workers on a system that can't fork processes."""
    if n_workers > 1 and not hasattr(os, "fork"):
        problem = f"{n_workers}; this system can't run more than one worker, because it has no os.fork: use 1."
        raise click.BadParameter(problem)
    return n_workers


@click.command(
    epilog=options.examples(
        "textsieve serve news.sieve",
        "textsieve serve news.sieve --port 9000 --feedback corrections.jsonl --reload",
        "textsieve serve news.sieve --workers 4",
        "TEXTSIEVE_TOKEN=... textsieve serve news.sieve --host 0.0.0.0 --allow-host news.example.org",
    )
)
@click.argument("model", shell_complete=options.complete_files)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="The address to listen on; by default, only this machine can connect.",
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="The port; 0 uses any free port."
)
@click.option(
    *("--allow-host", "hosts"),
    multiple=True,
    metavar="NAME",
    help="A host name or IP address that requests may use, with any port, besides those of this machine; may be "
    "repeated.  "
    "[default: any name if other machines can connect]",
)
@click.option(
    "--feedback",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Accept corrections of labels, and append them to this file as JSON lines.",
)
@click.option("--reload", "watch", is_flag=True, help="Reload the model file when it changes; SIGHUP also reloads it.")
@options.min_probability
@click.option(
    "--max-body",
    type=options.size,
    default=str(Limits.body),
    show_default=True,
    metavar="SIZE",
    help="The maximum size of a request body, in bytes, or as 20MB.",
)
@_limit_option("--max-documents", Limits.documents, "N", "The maximum number of documents in a request.")
@_limit_option("--max-length", Limits.length, "CHARACTERS", "The maximum length of a document.")
@_limit_option("--timeout", Limits.seconds, "SECONDS", "The maximum time for a request.")
@click.option("--access-log/--no-access-log", default=True, show_default=True, help="Log a line for each request.")
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    callback=_check_workers,
    help="Number of processes that answer requests; use one for each core. Each of them allows 1,000 connections and "
    "1,000 open requests. Not available on Windows.",
)
@click.option(
    "--jobs",
    type=options.threads,
    default="-1",
    metavar="N",
    help="Number of threads for long requests; -1 uses all cores. The workers divide them, and have at least one each.",
)
def command(
    model: str,
    host: str,
    port: int,
    hosts: tuple[str, ...],
    feedback: str | None,
    watch: bool,
    min_probability: float | None,
    max_body: int,
    max_documents: int,
    max_length: int,
    timeout: float,
    access_log: bool,
    workers: int,
    jobs: int,
) -> None:
    """Serve a web page and an API for a model.

    The page is at / and the API reference at /docs; neither needs the internet. By default, only this machine can
    connect. If you use --host to allow others, set the environment variable TEXTSIEVE_TOKEN to a secret that clients
    send as a bearer token. The log goes to standard error and contains no document text. Ctrl-C ends the service after
    it has finished all open requests.
    """
    if hasattr(signal, "SIGHUP"):
        # SIGHUP asks for a reload, but would end a process that is still starting. So it is ignored until the service
        # is ready, which then checks whether the file has changed in the meantime.
        signal.signal(signal.SIGHUP, lambda *_: None)
    from ..extras import require_extra

    require_extra("serve", what="textsieve serve")
    from ..serve.guard import LOOPBACK_NAMES, allowed_hosts, checked_hosts
    from ..serve.metrics import open_metrics
    from ..serve.server import (
        TOKEN_VARIABLE,
        is_loopback,
        open_listener,
        run,
        token_from_environment,
        url_of,
    )
    from ..serve.service import Log, Service
    from ..serve.supervisor import run_workers
    from ..settings import n_threads
    from .messages import print_message, warn
    from .opening import check_output, hint_if_not_a_model

    if feedback is not None:
        check_output(feedback, model, what="feedback")
    token = token_from_environment()
    names = checked_hosts(hosts)
    limits = Limits(max_body, max_documents, max_length, timeout)
    with ExitStack() as stack:
        metrics = stack.enter_context(open_metrics(workers))
        with hint_if_not_a_model("serve", model):
            service = Service(
                model,
                limits=limits,
                feedback=feedback,
                n_jobs=max(1, n_threads(jobs) // workers),
                log=Log(),
                logs_requests=access_log,
                min_probability=min_probability,
                metrics=metrics,
            )
        listener = stack.enter_context(open_listener(host, port))
        if token is None and not (is_loopback(listener) and LOOPBACK_NAMES.issuperset(names)):
            way = " through a proxy" if is_loopback(listener) else ""
            problem = f"other machines can use this service{way} without a token"
            warn(f"{problem}; set {TOKEN_VARIABLE} to a secret to require it.")
        served = service.holder.model
        if feedback is not None:
            print_message("note" if served.update_method.name else "warning", served.update_method.description)
        name = f"{served.name} ({served.id})"
        lines = _ready_lines(name, listener, names, needs_token=token is not None)
        access = "with a token" if token is not None else "without a token"
        stack.callback(service.log, "Ended")

        def announce() -> None:
            service.log(f"Started with {name} at {url_of(listener)}, {access}")
            click.echo("\n".join(lines))

        serve = run if workers == 1 else partial(run_workers, workers)
        serve(
            service,
            listener,
            hosts=allowed_hosts((host, listener.getsockname()[0]), names, is_loopback=is_loopback(listener)),
            token=token,
            watch=watch,
            ready=announce,
        )


def _ready_lines(model: str, listener: "socket", hosts: Sequence[str], *, needs_token: bool) -> list[str]:
    """Return the lines that are printed when the service is ready: the addresses at which it serves the model.

    `model` is the name and version of the model, and `hosts` are the names given with --allow-host.
    """
    from ..serve.server import TOKEN_VARIABLE, url_of, urls_for_others

    lines = [f"Serving {model} at {url_of(listener)} (Ctrl-C ends it)"]
    if urls := urls_for_others(listener, hosts):
        with_token = f", with the token in {TOKEN_VARIABLE}" if needs_token else ""
        lines.append(f"Other machines can open {' or '.join(urls)}{with_token}")
    return lines
