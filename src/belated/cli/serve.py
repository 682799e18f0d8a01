"""``belated serve``: durable learners and models over HTTP, with a page to look at."""

import argparse
import errno
import ipaddress
from pathlib import Path
from typing import TYPE_CHECKING

from belated.cli.command import Command, CommandFailed, needing_store, whole_number
from belated.cli.terminal import is_watched, say
from belated.core.errors import InvalidArgument

if TYPE_CHECKING:
    from belated.service.door import DurableStore
    from belated.service.http.serving import Certificate

STORE, HOST, PORT = "sqlite:///belated.db", "127.0.0.1", 8000
"""What is served, and where, unless somebody says otherwise: only this machine can reach it."""

LAST_PORT = 65535


def add_options(parser: argparse.ArgumentParser) -> None:
    """Where the events are kept, and where requests come in."""
    parser.add_argument("--store", default=STORE, metavar="ADDRESS", help=f"where events are kept (default: {STORE})")
    parser.add_argument("--host", default=HOST, help=f"the address to listen at (default: {HOST}, this machine only)")
    parser.add_argument(
        "--port",
        type=whole_number(0, most=LAST_PORT),
        default=PORT,
        help=f"the port; 0 for any that is free (default: {PORT})",
    )
    parser.add_argument("--certificate", type=Path, metavar="FILE", help="for TLS: the certificate with its chain")
    parser.add_argument("--private-key", type=Path, metavar="FILE", help="for TLS: the private key of the certificate")


def serve(options: argparse.Namespace) -> int:
    """Open the store, print the first key if there is none, and serve until a signal comes."""
    try:
        from belated.service.http.service import Service
        from belated.service.http.serving import opened_socket, run
    except ModuleNotFoundError as missing:
        raise CommandFailed(f"{missing.name} is missing: pip install 'belated[service]'") from None
    certificate = _certificate(options)
    try:
        listening = opened_socket(options.host, options.port)
    except OSError as error:
        hint = "; take another with --port" if error.errno == errno.EADDRINUSE else ""
        raise CommandFailed(f"cannot listen at {options.host}:{options.port}: {error}{hint}") from error
    with listening, _opened(options.store) as store:
        service = Service(store)
        secret = service.make_first_key()
        if secret is not None:
            say(f"The first key, of an admin. It is shown this once:\n\n    {secret}\n")
        address = _address(options.host, listening.getsockname()[1], certificate is not None)
        if certificate is None and not _is_own(options.host):
            say("Others can reach this address, and keys cross the network readably: use --certificate, or a proxy.")
        run(service, listening, certificate, lambda: say(f"Serving {store.journal.address} at {address}"))
    say("Ended; everything is stored.")
    return 0


def _opened(address: str) -> "DurableStore":
    """The store, opened with a line of progress."""
    import belated
    from belated.sim.watching import bar_of

    with needing_store(), bar_of(None, is_watched(), "event") as bar:

        def show(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        return belated.open(address, compiled=True, progress=show)


def _certificate(options: argparse.Namespace) -> "Certificate | None":
    """The files for TLS, which were tried: a wrong one is told before anything is opened or printed."""
    from belated.service.http.serving import Certificate, check_certificate

    files = {"--certificate": options.certificate, "--private-key": options.private_key}
    if not any(files.values()):
        return None
    for option, file in files.items():
        if file is None:
            raise InvalidArgument(f"TLS needs two files, --certificate and --private-key: {option} is missing")
        if not file.is_file():
            raise InvalidArgument(f"{option}: there is no file {str(file)!r}")
    found = Certificate(options.certificate, options.private_key)
    check_certificate(found)
    return found


def _is_own(host: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _address(host: str, port: int, secure: bool) -> str:
    shown = f"[{host}]" if ":" in host else host
    return f"http{'s' if secure else ''}://{shown}:{port}"


COMMAND = Command("serve", "serve durable learners over HTTP, with a page to look at", add_options, serve)
