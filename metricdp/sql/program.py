"""The source text of a checked function that asks what a query asks.

Everything in it is written here: names of columns come from the row type, literals are written
again from their values, and names of outputs are texts of ASCII.  Nothing of the query is copied
but in comments, whose lines hold characters that can be seen.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from keyword import kwlist, softkwlist
from typing import Any

from metricdp.sql.tables import SqlColumn, SqlTable, is_plain_name
from metricdp.sql.terms import every

_RESERVED = frozenset(
    "row rows asked kept once each dp eps rho delta math date datetime dataclass TypedDict Row "
    "Annotated query keys".split()
)


@dataclass(frozen=True)
class ProgramText:
    """A checked function as text.

    Attributes:
        source: a whole file.
        tables: private parameter -> the table of the session that it is.
        keys: parameter -> keys; None for those that are not known yet.
        entries: output -> its entry in what is returned; parts of means beside them.
    """

    source: str
    tables: dict[str, str]
    keys: dict[str, tuple[Any, ...] | None]
    entries: dict[str, str] = field(default_factory=dict)


class Names:
    """Names of variables, each used once.

    Attributes:
        table: the variable with the rows that are asked.
        tables: private parameters -> their tables.
        lines: that make `table` of the parameters.
    """

    def __init__(self) -> None:
        self.taken = _RESERVED | set(kwlist) | set(softkwlist) | set(dir(builtins))
        self.table = ""
        self.tables: dict[str, SqlTable] = {}
        self.lines: list[str] = []

    def copy(self) -> Names:
        """The same names, for a program of its own."""
        made = Names()
        made.taken, made.table = self.taken, self.table
        made.tables, made.lines = dict(self.tables), list(self.lines)
        return made

    def parameter(self, table: SqlTable) -> tuple[str, SqlTable]:
        """The parameter of a table, and the table with a row type of its own."""
        for name, known in self.tables.items():
            if known.name == table.name:
                return name, known
        rows = {row_name(each) for each in self.tables.values()}
        number, own = 1, table
        while row_name(own) in rows:
            number += 1
            own = replace(table, row=f"Row{number}")
        self.taken = self.taken | {row_name(own)}
        name = self.new(table.name, "table")
        self.tables[name] = own
        return name, own

    def line(self, wanted: str, code: str) -> str:
        """A variable with what an expression is."""
        name = self.new("", wanted)
        self.lines.append(f"    {name} = {code}")
        return name

    def new(self, wanted: str, otherwise: str) -> str:
        low = wanted.lower()
        name = low if is_plain_name(low) and low not in self.taken else otherwise
        number = 1
        while name in self.taken:
            number += 1
            name = f"{otherwise}_{number}"
        self.taken = self.taken | {name}
        return name


def comments(text: str) -> list[str]:
    """Lines of a query as comments."""
    shown = ["".join(c if c.isprintable() else " " for c in each) for each in text.splitlines()]
    return [f"# {each.rstrip()}" for each in shown if each.strip()]


def share(unit: str, part: Fraction) -> str:
    """A part of a budget: `eps / 6`, `2 * eps / 9`."""
    start = unit if part.numerator == 1 else f"{part.numerator} * {unit}"
    return start if part.denominator == 1 else f"{start} / {part.denominator}"


def row_name(table: SqlTable) -> str:
    """The name of the row type, as the table has it where that can be written: rows of one name and
    one form need not be read again."""
    own = is_plain_name(table.row) and table.row not in _RESERVED | set(dir(builtins))
    return table.row if own else "Row"


def row_type(table: SqlTable) -> list[str]:
    """The class of one row."""
    fields = [f"    {c.name}: {_type(c)}{' | None' if c.missing else ''}" for c in table.columns]
    name = row_name(table)
    head = [f"class {name}(TypedDict):"] if table.items else ["@dataclass", f"class {name}:"]
    return [*head, *fields]


def _type(column: SqlColumn) -> str:
    """The type of a field that is there."""
    if column.zone:
        return f"Annotated[{column.kind}, dp.Zone({column.zone!r})]"
    return column.kind


def file_of(
    tables: Sequence[SqlTable], text: str, claim: str, signature: str, body: Sequence[str]
) -> str:
    """A whole file with one checked function."""
    joined = "\n".join([*body, signature])
    kinds = {column.kind for table in tables for column in table.columns}
    items = [table.items for table in tables]
    times = [each for each in ("date", "datetime") if each in kinds or f"{each}(" in joined]
    # A first line that is code: what stands in a comment below cannot be read as an encoding.
    lines = ['"""A query as a checked program."""', "", *comments(text), ""]
    lines += ["import math"] if "math." in joined else []
    lines += [] if all(items) else ["from dataclasses import dataclass"]
    lines += [f"from datetime import {', '.join(times)}"] if times else []
    zoned = any(column.zone for table in tables for column in table.columns)
    typed = [*(["Annotated"] if zoned else []), *(["TypedDict"] if any(items) else [])]
    lines += [f"from typing import {', '.join(typed)}"] if typed else []
    lines += ["", "import metricdp as dp"]
    for table in tables:
        lines += ["", "", *row_type(table)]
    lines += ["", ""]
    lines += [f"@dp.measurement({claim})", f"def query({signature}):", *body]
    return "\n".join(lines) + "\n"


def annotation(table: SqlTable) -> str:
    """The space of the table."""
    row = row_name(table)
    return f"dp.Records[{row}, dp.{table.ids}]" if table.unit else f"dp.Records[{row}]"


CLAIMS = {"eps": "epsilon", "rho": "rho"}


def bare(tests: Iterable[str]) -> str:
    """Tests joined by `and`, without parentheses around all; "" for none."""
    found = every(tests)
    if found == "True":
        return ""
    return found[1:-1] if enclosed(found) else found


def enclosed(code: str) -> bool:
    """Whether parentheses stand around all of it, and it is the same without them."""
    if not (code.startswith("(") and code.endswith(")")):
        return False
    try:
        inside, whole = (ast.parse(each, mode="eval") for each in (code[1:-1], code))
    except (SyntaxError, RecursionError, MemoryError):
        return False
    return ast.dump(inside) == ast.dump(whole)
