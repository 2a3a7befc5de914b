"""`metricdp ledger`: what was spent on which data, and whether the chain of rows is whole."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from metricdp.apps.output import write, write_json

if TYPE_CHECKING:
    from metricdp.sessions.filed import Checked
    from metricdp.sessions.ledger import Ledger
    from metricdp.sessions.views import Compared


@click.command()
@click.argument("file")
@click.argument("other", required=False)
@click.option("--head", metavar="HASH", help="A head that was noted earlier: it must be there.")
@click.option(
    "--releases",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False),
    help="Hold the filed releases in a folder (.json, .md) against the rows.",
)
@click.option("--output-format", type=click.Choice(("text", "json", "html")), default="text")
def ledger(
    file: str, other: str | None, head: str | None, releases: str | None, output_format: str
) -> int:
    """Print a ledger file and verify its chain; nothing is written, there or beside it.

    With OTHER, the two files are compared instead: copies, or copies that were both continued.

    Exit code: 0 every row is whole and every sum right; 1 the chain is broken, does not contain
    the head, parted from the other one, or filed releases are missing, altered, foreign or
    duplicated; 2 wrong usage or internal error.
    """
    for name in filter(None, (file, other)):
        if not os.path.isfile(name):
            raise click.UsageError(f"no such file: {name}")
    if other is not None and (releases is not None or output_format == "html"):
        raise click.UsageError("two files are compared as text or json, without --releases")
    from metricdp.errors import LedgerError
    from metricdp.sessions.filed import check_releases
    from metricdp.sessions.ledger import Ledger

    try:
        found = Ledger(file, create=False)
        found.verify(_full(found, head))
        if other is not None:
            return _compared(found, Ledger(other, create=False), output_format)
        checked = None if releases is None else check_releases(found, releases)
        _printed(found, checked, output_format)
    except LedgerError as error:
        return _broken(error, output_format)
    return 1 if checked is not None and checked.findings else 0


def _printed(found: Ledger, checked: Checked | None, output_format: str) -> None:
    from metricdp.sessions.views import ledger_html, ledger_json, ledger_text

    if output_format == "json":
        write_json(
            {**ledger_json(found), **({} if checked is None else {"releases": _data(checked)})}
        )
        return
    write((ledger_html if output_format == "html" else ledger_text)(found) + "\n")
    if checked is not None and output_format == "text":
        write("\n" + "\n".join(checked.lines()) + "\n")


def _compared(one: Ledger, other: Ledger, output_format: str) -> int:
    from metricdp.sessions.views import compare

    found: Compared = compare(one, other)
    if output_format == "json":
        write_json({**_data(found), "parted": found.parted})
    else:
        write("\n".join(found.lines()) + "\n")
    return 1 if found.parted else 0


def _data(found: Any) -> Any:
    import msgspec

    return msgspec.to_builtins(found, enc_hook=str)


def _full(found: Ledger, head: str | None) -> str | None:
    """The hash of the row that a printed beginning of it (8 characters or more) means."""
    if head is None or len(head) < 8:
        return head
    return next((known for known in found.hashes() if known.startswith(head)), head)


def _broken(error: Exception, output_format: str) -> int:
    if output_format == "json":
        write_json({"whole": False, "error": str(error)})
    else:
        write(f"{error}\n")
    return 1
