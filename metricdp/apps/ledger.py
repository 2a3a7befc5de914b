"""`metricdp ledger`: what was spent on which data, whether its rows are whole, who may spend."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from metricdp.apps.output import write, write_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from metricdp.sessions.filed import Checked
    from metricdp.sessions.ledger import Ledger
    from metricdp.sessions.views import Compared


class _Ledger(click.Group):
    """Prints the ledger that it is given, unless it is given what to do with one."""

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] in self.commands:
            return super().resolve_command(context, args)
        return "show", show, args

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        # Options before the file belong to `show`.
        if args and args[0] not in (*self.commands, "-h", "--help"):
            args = ["show", *args]
        return super().parse_args(context, args)


@click.group(cls=_Ledger)
def ledger() -> None:
    """Print a ledger and verify its chain; set limits, approve, move."""


@ledger.command()
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
def show(
    file: str, other: str | None, head: str | None, releases: str | None, output_format: str
) -> int:
    """Print a ledger and verify its chain; nothing is written, there or beside it.

    FILE is a file, or the address of a server (postgresql://host/database).

    With OTHER, the two files are compared instead: copies, or copies that were both continued.

    Exit code: 0 every row is whole and every sum right; 1 the chain is broken, does not contain
    the head, parted from the other one, or filed releases are missing, altered, foreign or
    duplicated; 2 wrong usage or internal error.
    """
    for name in filter(None, (file, other)):
        _require(name)
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


_BY = click.option("--by", metavar="NAME", required=True, help="Who does it, by name.")


@ledger.command()
@click.argument("file")
@click.argument("dataset")
@click.option("--epsilon")
@click.option("--delta")
@click.option("--rho")
@click.option("--renyi")
@click.option("--analyst", metavar="NAME")
@click.option("--purpose", metavar="NAME")
@click.option("--per", default="ever", show_default=True,
              type=click.Choice(("ever", "year", "month", "week", "day", "question")))  # fmt: skip
@click.option("--approver", "approvers", metavar="NAME", multiple=True)
@_BY
def limit(file: str, dataset: str, by: str, **fields: Any) -> int:
    """Set a limit within the budget of DATASET; see docs/sessions.md."""
    from metricdp.sessions.limits import Limit

    def action(found: Ledger) -> str:
        made = Limit(**fields)
        row = found.limit(dataset, made, by=by)
        return f"row {row.number}: {made.describe()}"

    return _changed(file, action)


@ledger.command()
@click.argument("file")
@click.argument("dataset")
@click.argument("row", type=int)
@click.option("--refuse", is_flag=True, help="Refuse the question instead.")
@_BY
def approve(file: str, dataset: str, row: int, refuse: bool, by: str) -> int:
    """Approve the question of ROW, which waits: it may be asked once."""

    def action(found: Ledger) -> str:
        said = found.approve(dataset, row, by=by, granted=not refuse)
        return f"row {said.number}: {'refused' if refuse else 'approved'} by {by}"

    return _changed(file, action)


@ledger.command()
@click.argument("file")
@click.argument("dataset")
def waiting(file: str, dataset: str) -> int:
    """Print the questions that wait for an approval."""
    from metricdp.sessions.budget import costs
    from metricdp.sessions.views import shown

    def action(found: Ledger) -> str:
        lines = []
        for row in found.waiting(dataset):
            body = row.data()
            cost = costs(row.numbers("cost"))
            given = ", ".join(f"{k}={v}" for k, v in body["arguments"].items())
            who = f"{body['analyst']}, {body['time']}"
            lines.append(shown(f"row {row.number}: {body['name']}({given}) costs {cost}: {who}"))
        return "\n".join(lines) or "nothing waits"

    return _changed(file, action)


@ledger.command()
@click.argument("file")
@click.argument("target")
def move(file: str, target: str) -> int:
    """Go on at TARGET, which is empty: a file, or a server (postgresql://host/database)."""
    from metricdp.sessions.ledger import Ledger

    def action(found: Ledger) -> str:
        there = Ledger(target)
        return f"{found.move(there)} rows, head {there.head[:16]}: {there.path}"

    return _changed(file, action)


def _changed(file: str, action: Callable[[Ledger], str]) -> int:
    _require(file)
    from metricdp.errors import MetricdpError
    from metricdp.sessions.ledger import Ledger

    try:
        write(action(Ledger(file, create=False)) + "\n")
    except MetricdpError as error:
        write(f"{error}\n")
        return 1
    return 0


def _require(name: str) -> None:
    if not name.startswith(("postgresql://", "postgres://")) and not os.path.isfile(name):
        raise click.UsageError(f"no such file: {name}")


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
