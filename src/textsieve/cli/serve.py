"""`textsieve serve`: serve a web page and an API for a model."""

import click

from ..serve.hangup import Hangup
from ..serve.limits import Limits
from . import options


def _limit(name: str, default: int | float, metavar: str, about: str) -> options.Decorator:
    """Return an option for a limit on requests; it is an integer if its default is one."""
    kind = click.IntRange(min=1) if isinstance(default, int) else click.FloatRange(min=0, min_open=True)
    return click.option(name, type=kind, default=default, show_default=True, metavar=metavar, help=about)


@click.command(
    epilog=options.examples(
        "textsieve serve news.sieve",
        "textsieve serve news.sieve --port 9000 --feedback corrections.jsonl --reload",
        "TEXTSIEVE_TOKEN=... textsieve serve news.sieve --host 0.0.0.0 --allow-host news.example.org",
    )
)
@click.argument("model")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="Where to listen; by default nobody but this machine can ask.",
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="The port; 0: any that is free."
)
@click.option(
    *("--allow-host", "names"),
    multiple=True,
    metavar="NAME",
    help="A name by which the service may be called; may be repeated.  "
    "[default: this machine's own; any if others can reach it]",
)
@click.option(
    "--feedback",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Let people correct labels, and write a JSON line for each correction to the end of this file.",
)
@click.option("--reload", "watch", is_flag=True, help="Use a new model file as soon as it is there; SIGHUP does, too.")
@_limit("--max-body", Limits.body, "BYTES", "Of a request.")
@_limit("--max-documents", Limits.documents, "N", "Of a request.")
@_limit("--max-length", Limits.length, "CHARACTERS", "Of a document.")
@_limit("--timeout", Limits.seconds, "SECONDS", "After which a request is given up.")
@click.option("--access-log/--no-access-log", default=True, show_default=True, help="A line for each request.")
@options.jobs
def command(
    model: str,
    host: str,
    port: int,
    names: tuple[str, ...],
    feedback: str | None,
    watch: bool,
    max_body: int,
    max_documents: int,
    max_length: int,
    timeout: float,
    access_log: bool,
    jobs: int,
) -> None:
    """Serve a page and an API to use a model.

    The page is at / and needs no network, the API is described at /docs. Nobody but this machine can ask, unless --host
    says otherwise; then set TEXTSIEVE_TOKEN in the environment to a secret that callers send as a bearer token. The log
    goes to standard error and has no document text. Ctrl-C ends the service when all requests are answered.
    """
    hangup = Hangup()
    from ..extras import require_extra

    require_extra("serve", what="textsieve serve")
    from ..serve.guard import HERE
    from ..serve.running import address_of, is_loopback, listening, run, token_from_environment
    from ..serve.service import Log, Service
    from .arguments import expecting_a_model
    from .ending import warn
    from .opening import refuse_to_lose

    if feedback is not None:
        refuse_to_lose(feedback, model, what="feedback")
    token = token_from_environment()
    limits = Limits(max_body, max_documents, max_length, timeout)
    with expecting_a_model("serve", model):
        service = Service(model, limits=limits, feedback=feedback, n_jobs=jobs, log=Log(), logs_requests=access_log)
    with listening(host, port) as listener:
        hosts = {host, *names}
        if is_loopback(listener):
            hosts |= HERE
        elif not names:
            hosts = set()  # any host name is allowed
        if not is_loopback(listener) and token is None:
            warn("whoever reaches this machine can ask; set TEXTSIEVE_TOKEN to a secret to let in only who knows it.")
        loaded = service.current.now
        line = f"Serving {loaded.name} ({loaded.id}) at {address_of(listener)} (Ctrl-C ends it)"
        allowed = {name.lower() for name in hosts} or None
        run(service, listener, hosts=allowed, token=token, watch=watch, hangup=hangup, ready=lambda: click.echo(line))
