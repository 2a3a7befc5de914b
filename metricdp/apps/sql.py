"""`metricdp sql`: a query in SQL on a table in a file, as a checked program."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

import click

from metricdp.apps.options import amount, is_number, probability
from metricdp.apps.output import write, write_json
from metricdp.errors import MetricdpError, ParameterError

if TYPE_CHECKING:
    from metricdp.sql.answers import QueryAnswer
    from metricdp.sql.tables import SqlColumn


def _pairs(
    context: click.Context, parameter: click.Parameter, values: Sequence[str]
) -> dict[str, str]:
    """NAME=TEXT pairs as a dictionary."""
    found: dict[str, str] = {}
    for value in values:
        name, equals, text = value.partition("=")
        if not equals or not name.strip() or not text or name.strip() in found:
            raise click.BadParameter(f"{value!r} is not of the form NAME=..., each name once")
        found[name.strip()] = text
    return found


@click.command()
@click.argument("query", metavar="QUERY")
@click.option(
    "--table", "tables", multiple=True, required=True, metavar="NAME=FILE", callback=_pairs,
    help="A Parquet or CSV file, or a pattern of such files.",
)  # fmt: skip
@click.option("--unit", metavar="COLUMN", help="The column that tells persons apart.")
@click.option("--each-row", is_flag=True, help="Every row is another person.")
@click.option("--epsilon", metavar="E", callback=amount, help="What the query may cost.")
@click.option("--delta", metavar="D", callback=probability, help="To find keys that are private.")
@click.option("--rho", metavar="R", callback=amount, help="In place of epsilon: Gaussian noise.")
@click.option(
    "--keys", multiple=True, metavar="COLUMN=A,B", callback=_pairs,
    help="Public keys of GROUP BY; COLUMN=@FILE: one in each line.",
)  # fmt: skip
@click.option(
    "--bounds", multiple=True, metavar="COLUMN=LO:HI", callback=_pairs,
    help="Bounds of a column that is added up.",
)  # fmt: skip
@click.option("--max-groups", type=int, metavar="K", help="Groups of one person.")
@click.option("--max-rows", type=int, metavar="M", help="Rows of one person in a group.")
@click.option(
    "--share", "shares", multiple=True, metavar="OUTPUT=W", callback=_pairs,
    help="Its share of the budget; 1 each.",
)  # fmt: skip
@click.option(
    "--schema", "schema_file", metavar="FILE",
    help="CREATE TABLE statements; needed for CSV files.",
)  # fmt: skip
@click.option("--dialect", type=click.Choice(("duckdb", "bigquery")))
@click.option("--collect", is_flag=True, help="Read the columns into memory.")
@click.option("--ledger", metavar="FILE", help="Where the spend is written.")
@click.option("--dataset", metavar="NAME", help="With --ledger: the name of the data.")
@click.option(
    "--total-epsilon", metavar="E", callback=amount, help="With --ledger: the whole budget."
)
@click.option(
    "--total-delta", metavar="D", callback=probability, help="With --ledger: the whole delta."
)
@click.option("--show", is_flag=True, help="Print the Python program, and run nothing.")
@click.option(
    "--explain", is_flag=True,
    help="Print what it guarantees, its noise and the SQL of engines, and run nothing.",
)  # fmt: skip
@click.option("--output-format", type=click.Choice(("text", "json")), default="text")
def sql(output_format: str, **given: Any) -> int:
    """Answer a query in SQL with differential privacy.

    QUERY is one SELECT with aggregates, or - for standard input.  It becomes a
    checked Python program (--show), whose guarantee is proved before a row is read (--explain).
    Exit code: 0 answered; 1 refused; 2 wrong usage.
    """
    if bool(given["unit"]) == given["each_row"]:
        raise click.UsageError("say whose rows they are: --unit COLUMN, or --each-row")
    if (given["ledger"] is None) != (given["dataset"] is None):
        raise click.UsageError("--ledger and --dataset belong together")
    try:
        return _answered(given, output_format)
    except MetricdpError as error:
        if output_format == "json":
            body = {"kind": type(error).__name__, "message": error.fact, "help": error.remedy}
            place = {n: getattr(error, n) for n in ("line", "column") if hasattr(error, n)}
            write_json({"schema": 1, "error": body | place})
        else:
            write(f"no answer: {error}\n")
        return 1


def _answered(given: dict[str, Any], output_format: str) -> int:
    from msgspec import to_builtins

    from metricdp.spaces import space_of
    from metricdp.sql import Options
    from metricdp.sql.asking import prepared
    from metricdp.sql.declared import annotation_of
    from metricdp.sql.explained import explained

    query = given["query"] if given["query"] != "-" else sys.stdin.read()
    columns = _columns(given)
    annotations = {n: annotation_of(n, c, given["unit"] or "") for n, c in columns.items()}
    kinds = {c.name.lower(): c.kind for each in columns.values() for c in each}
    options = Options(
        given["epsilon"], given["delta"], given["rho"],
        {name: _keys(text, kinds.get(name.lower(), "")) for name, text in given["keys"].items()},
        {name: _bounds(name, text) for name, text in given["bounds"].items()},
        given["max_groups"], given["max_rows"], given["shares"], given["dialect"],
    )  # fmt: skip
    spaces = {name: space_of(each, name) for name, each in annotations.items()}
    if given["show"] or given["explain"]:
        asked = prepared(query, spaces, options)
        if given["show"]:
            texts = [each for each in (asked.lowered.keys, asked.lowered.main) if each is not None]
            write("\n\n".join(each.source for each in texts))
        elif output_format == "json":
            write_json({"schema": 1, **to_builtins(explained(asked))})
        else:
            write(f"{explained(asked)}\n")
        return 0
    session = _session(given, annotations, query, options)
    answer = session.sql(
        query, epsilon=options.epsilon, delta=options.delta, rho=options.rho, keys=options.keys,
        bounds=options.bounds, max_groups=options.max_groups, max_rows=options.max_rows,
        shares=options.shares, dialect=options.dialect,
    )  # fmt: skip
    if output_format == "json":
        write_json(_json(answer))
    else:
        write(f"{answer!r}\nunit: {answer.releases[0].unit}\n")
        write("".join(f"share: {each}\n" for each in answer.shares))
    return 0


def _session(given: dict[str, Any], annotations: dict[str, Any], query: str, options: Any) -> Any:
    """A session of one query, or of a ledger."""
    from metricdp.engines.opened import table
    from metricdp.sessions import Budget, Session
    from metricdp.spaces import space_of
    from metricdp.sql import lowered

    spaces = {name: space_of(each, name) for name, each in annotations.items()}
    found = lowered(query, spaces, options)
    unit, spent = found.budget
    opened = {n: table(path, collect=given["collect"]) for n, path in given["tables"].items()}
    data = {name: (annotations[name], opened[name]) for name in annotations}
    delta = given["total_delta"] or found.delta
    if unit == "rho":
        budget = Budget(rho=spent)
    else:
        budget = Budget(epsilon=given["total_epsilon"] or spent, delta=delta)
    return Session(data, budget=budget, dataset=given["dataset"], ledger=given["ledger"])


def _columns(given: dict[str, Any]) -> dict[str, tuple[SqlColumn, ...]]:
    """Table -> its columns, as it is declared, or as its file says."""
    from metricdp.sql.declared import declared_columns

    declared: dict[str, tuple[SqlColumn, ...]] = {}
    if given["schema_file"] is not None:
        try:
            with open(given["schema_file"], encoding="utf-8") as file:
                declared = declared_columns(file.read())
        except (OSError, UnicodeDecodeError):
            raise ParameterError("no such file of declarations", place="--schema") from None
    found = {}
    for name, path in given["tables"].items():
        found[name] = declared[name] if name in declared else _of_file(name, path)
    return found


def _of_file(name: str, path: str) -> tuple[SqlColumn, ...]:
    from metricdp.answers.schema import columns_of
    from metricdp.engines.opened import table
    from metricdp.sql.tables import KINDS, SqlColumn, is_plain_name

    if not path.endswith((".parquet", ".parq", ".pq")):
        raise ParameterError(
            f"{os.path.basename(path)} says nothing of the types of its columns, and its cells are "
            "private", place=f"--table {name}",
            remedy=f'--schema FILE, with CREATE TABLE {name} (person BIGINT NOT NULL, plan TEXT)',
        )  # fmt: skip
    held = columns_of(table(path))
    return tuple(
        SqlColumn(c.name, c.kind, c.missing, zone=c.zone)
        for c in held if c.kind in KINDS and is_plain_name(c.name)
    )  # fmt: skip


def _keys(text: str, kind: str) -> list[Any]:
    """Keys as they are typed, or the lines of a file."""
    if text.startswith("@"):
        try:
            with open(text[1:], encoding="utf-8") as file:
                texts = file.read().splitlines()
        except (OSError, UnicodeDecodeError):
            raise ParameterError(f"no such file of keys: {text[1:]}", place="--keys") from None
    else:
        texts = [each.strip() for each in text.split(",")]
    try:
        if kind == "int" or (not kind and all(each.lstrip("-").isdecimal() for each in texts)):
            return [int(each) for each in texts]
        if kind == "date":
            return [date.fromisoformat(each) for each in texts]
    except ValueError:
        raise ParameterError(f"keys that are no {kind}", place="--keys") from None
    if kind == "bool":
        known = {"true": True, "false": False}
        return [known.get(each.lower(), each) for each in texts]
    return texts


def _bounds(name: str, text: str) -> tuple[int | float, int | float]:
    ends = text.split(":")
    if len(ends) != 2 or not all(is_number(each) and "/" not in each for each in ends):
        raise ParameterError(f"{text!r} are no bounds", place=f"--bounds {name}", remedy="0:20")
    low, high = (int(e) if e.lstrip("+-").isdecimal() else float(e) for e in ends)
    return low, high


def _json(answer: QueryAnswer) -> dict[str, Any]:
    plain = (str, int, float, bool, type(None))

    def of(value: Any) -> Any:
        return value if isinstance(value, plain) else str(value)

    def near(ends: tuple[float, float] | None) -> list[float] | None:
        return None if ends is None else [float(end) for end in ends]

    return {
        "schema": 1,
        "columns": list(answer.columns),
        "rows": [[of(row[name]) for name in answer.columns] for row in answer.rows],
        "intervals": [[near(row[name]) for name in answer.columns] for row in answer.intervals],
        "cost": answer.cost,
        "unit": answer.releases[0].unit,
        "shares": list(answer.shares),
        "programs": list(answer.programs),
    }
