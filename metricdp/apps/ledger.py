"""`metricdp ledger`: what was spent on which data, and whether the chain of rows is whole."""

from __future__ import annotations

import os

import click

from metricdp.apps.output import write


@click.command()
@click.argument("file")
@click.option("--head", metavar="HASH", help="A head that was noted earlier: it must be there.")
@click.option("--output-format", type=click.Choice(("text", "json", "html")), default="text")
def ledger(file: str, head: str | None, output_format: str) -> int:
    """Print a ledger file and verify its chain.

    Exit code: 0 every row is whole and every sum right; 1 the chain is broken, or does not contain
    the head; 2 wrong usage or internal error.
    """
    if not os.path.isfile(file):
        raise click.UsageError(f"no such file: {file}")
    from metricdp.errors import LedgerError
    from metricdp.sessions.ledger import Ledger
    from metricdp.sessions.table import ledger_html, ledger_json, ledger_text

    try:
        found = Ledger(file, create=False)
        found.verify(_full(found, head))
    except LedgerError as error:
        return _broken(error, output_format)
    if output_format == "json":
        import json  # slow to import, and needed by one format only

        write(json.dumps(ledger_json(found), indent=2) + "\n")
    else:
        write((ledger_html if output_format == "html" else ledger_text)(found) + "\n")
    return 0


def _full(found: object, head: str | None) -> str | None:
    """The hash of the row that a printed beginning of it (8 characters or more) means."""
    from metricdp.sessions.ledger import Ledger

    assert isinstance(found, Ledger)
    if head is None or len(head) < 8:
        return head
    return next((row.hash for row in found.rows() if row.hash.startswith(head)), head)


def _broken(error: Exception, output_format: str) -> int:
    if output_format == "json":
        import json

        write(json.dumps({"whole": False, "error": str(error)}, indent=2) + "\n")
    else:
        write(f"{error}\n")
    return 1
