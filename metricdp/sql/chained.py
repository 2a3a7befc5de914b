"""From a chain of methods of data frames to the programs that it means.

The numbers, groups and limits are those of queries in SQL (`parts`, `limits`, `planned`), and so
are the programs, the budget's shares and the table that comes back.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NoReturn

from metricdp.errors import ParameterError, TrackedError
from metricdp.plain import plain
from metricdp.sql.chain_syntax import ChainPart, RowColumns, ends_of, leaf, shown
from metricdp.sql.clause import Clause
from metricdp.sql.limits import limits_of, require_rows
from metricdp.sql.parts import (
    KEY_CLASSES,
    MOST_GROUPS,
    GroupKey,
    GroupNumber,
    Mean,
    Output,
    mean_of,
    spread_of,
)
from metricdp.sql.plan import Finish, Lowered, Options
from metricdp.sql.planned import planned
from metricdp.sql.program import Names
from metricdp.sql.tables import SqlTable
from metricdp.sql.terms import SqlValue, every


@dataclass(frozen=True)
class ChainText:
    """A chain as it was written: refusals name the method; see `plan.Asking`."""

    text: str
    clause: Clause
    grouping: Any = None

    def fail(self, node: Any, fact: str, remedy: str, *in_sql: str) -> NoReturn:
        """
        Raises:
            ParameterError: always.
        """
        raise ParameterError(fact, place="release", remedy=remedy)


@dataclass(frozen=True)
class AskedChain:
    """What a chain asks of a table.

    Attributes:
        text: as it was written.
        columns: what the columns are, of one row.
        where: conditions on rows.
        groups: names of columns, each with its public keys, or None.
        numbers: output -> formula of `p0`, `p1`, ..., and these parts.
    """

    text: str
    table: SqlTable
    columns: RowColumns
    where: tuple[ast.expr, ...]
    groups: tuple[tuple[str, tuple[Any, ...] | None], ...]
    numbers: Mapping[str, tuple[ast.expr, tuple[ChainPart, ...]]]


def lowered_chain(asked: AskedChain, options: Options) -> Lowered:
    """The programs of a chain; nothing is checked, run or charged.

    Raises:
        ParameterError: an option that is missing, or that means nothing.
        TrackedError: an expression that has no meaning here.
    """
    query = ChainText(asked.text, Clause())
    names = Names()
    names.table, table = names.parameter(asked.table)
    groups = _groups(asked, table)
    most, rows = limits_of(query, table, groups, options)
    outputs = _Outputs(asked, table, rows, bool(groups)).all()
    require_rows(query, table, outputs, all(group.value.column for group in groups))
    where = every(_code(each) for each in asked.where)
    columns: list[tuple[str, GroupKey | None]] = [(group.name, group) for group in groups]
    columns += [(output.name, None) for output in outputs]
    done = Finish(None, (), None, 0, False)
    return planned(query, table, names, where, groups, columns, outputs, (most, rows), done, (),
                   options)  # fmt: skip


def _code(node: ast.expr) -> str:
    """An expression of one row, in parentheses where it is more than a name or a call."""
    text = shown(node)
    return text if isinstance(node, ast.Attribute | ast.Subscript | ast.Call) else f"({text})"


def _groups(asked: AskedChain, table: SqlTable) -> tuple[GroupKey, ...]:
    kinds = {column.name: column.kind for column in table.columns}
    found: list[GroupKey] = []
    number = 1
    for name, keys in asked.groups:
        node = asked.columns.of(leaf(name))
        plain_field = isinstance(node, ast.Attribute | ast.Subscript)
        own = _field_name(node) if plain_field else ""
        truth = asked.columns.is_true_or_false(node)
        kind = kinds[own] if own else "bool" if truth else _kind_of(keys)
        if kind not in KEY_CLASSES:
            raise TrackedError(
                f"{name} is no key: doubles are never quite equal, and of a made column the "
                "kind is not known",
                remedy="a column of whole numbers, texts, truth values or dates; or keys=[...]",
            )
        if keys is None and kind == "bool":
            keys = (False, True)
        if keys is not None and any(type(each) is not KEY_CLASSES[kind] for each in keys):
            raise ParameterError(
                f"keys of {name} are of the kind {kind}, and another is given",
                place="keys",
                remedy=f'group_by("{name}", keys=[...])',
            )
        value = SqlValue(_code(node), kind, column=own)
        found.append(GroupKey(name, value, keys, None))
        number *= 1 if keys is None else len(keys)
    if number > MOST_GROUPS:
        raise ParameterError(f"more than {MOST_GROUPS} groups", place="keys", remedy="fewer keys")
    return tuple(found)


def asked_leaf(name: str) -> ast.expr:
    """A column by its name."""
    return ast.Subscript(ast.Name("_", ast.Load()), ast.Constant(name), ast.Load())


def _field_name(node: ast.expr) -> str:
    """The field of a row that an expression is; "" where it is none."""
    if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "row":
        return node.attr
    if isinstance(node, ast.Subscript) and getattr(node.value, "id", "") == "row":
        return str(getattr(node.slice, "value", ""))
    return ""


def _kind_of(keys: tuple[Any, ...] | None) -> str:
    """The kind of a column that was made, by its keys."""
    return type(keys[0]).__name__ if keys else ""


class _Outputs:
    """Writes the numbers of a chain as outputs of a query.

    Args:
        rows: rows of a person in a group.
    """

    def __init__(self, asked: AskedChain, table: SqlTable, rows: int | None, grouped: bool) -> None:
        self.asked, self.table, self.rows, self.grouped = asked, table, rows, grouped
        #: Sums that are drawn anyway, so that means use them.
        self.sums: set[tuple[Any, ...]] = set()

    def all(self) -> list[Output]:
        """Every output, in turn."""
        first = [self.output(name, *found) for name, found in self.asked.numbers.items()]
        self.sums = {p.key for o in first if o.form == "{0}" for p in o.parts if p.kind == "sum"}
        return [self.output(name, *found) for name, found in self.asked.numbers.items()]

    def output(self, name: str, formula: ast.expr, parts: Sequence[ChainPart]) -> Output:
        drawn: list[GroupNumber] = []
        forms: list[str] = []
        mean = None
        for part in parts:
            made, form, found = self.part(part)
            at = len(drawn)
            forms.append(form.format(*(f"{{{at + i}}}" for i in range(len(made)))))
            drawn += made
            mean = found
        if not isinstance(formula, ast.Name):
            mean = None
        return Output(name, self.formula(formula, forms, True), tuple(drawn), mean)

    def formula(self, node: ast.expr, forms: Sequence[str], outermost: bool = False) -> str:
        """An expression of released numbers."""
        if isinstance(node, ast.Name):
            return forms[int(node.id[1:])]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return f"(-{self.formula(node.operand, forms)})"
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            return repr(node.value)
        if not isinstance(node, ast.BinOp):
            raise TrackedError(f"{shown(node)} beside a released number",
                               remedy="numbers and + - * / of them")  # fmt: skip
        left, right = (self.formula(each, forms) for each in (node.left, node.right))
        if not isinstance(node.op, ast.Div):
            sign = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}[type(node.op)]
            return f"({left} {sign} {right})"
        if any(isinstance(each, ast.Name) for each in ast.walk(node.right)):
            if not outermost:
                raise TrackedError(
                    "a quotient of released numbers may be missing, and here something is made of "
                    "it", remedy="the quotient as an output of its own",
                )  # fmt: skip
            return f"({left} / {right} if {right} != 0 else None)"
        if right in ("0", "0.0"):
            raise TrackedError("a division by 0", remedy="another divisor")
        return f"({left} / {right})"

    def part(self, part: ChainPart) -> tuple[list[GroupNumber], str, Mean | None]:
        """What is drawn for one number, its formula, and the middle of a mean."""
        columns = self.asked.columns
        test = None if part.where is None else columns.of(part.where)
        tests = () if test is None else (_code(test),)
        if part.value is None:
            return [GroupNumber("count", tests=tests, rows=self.rows)], "{0}", None
        node = columns.of(part.value)
        if part.kind == "nunique":
            return [self.different(node, tests)], "{0}", None
        truth = columns.is_true_or_false(node)
        if truth and part.kind == "sum":
            more = (_code(node),)
            return [GroupNumber("count", tests=(*tests, *more), rows=self.rows)], "{0}", None
        if truth:
            value = SqlValue(f"(1 if {shown(node)} else 0)", "int", (), Fraction(0), Fraction(1))
        else:
            ends = ends_of(node)
            value = SqlValue(_code(node), "float", (), *(ends or (None, None)))
        if part.kind == "sum":
            return [GroupNumber("sum", value.code, tests, self.rows)], "{0}", None
        if value.low is None or value.high is None:
            raise ParameterError(
                f"a {part.kind} needs the bounds of {shown(part.value)}", place="release",
                remedy=f"{shown(part.value)}.clip(0, 20): bounds that you know without the data",
            )  # fmt: skip
        if part.kind == "quantile":
            return [self.quantile(part, value, tests)], "{0}", None
        if part.kind == "mean":
            return mean_of(value, tests, self.rows, None, self.sums)
        made, form = spread_of(value, tests, self.rows, None, 1, part.kind == "std")
        return made, form, None

    def different(self, node: ast.expr, tests: tuple[str, ...]) -> GroupNumber:
        """Persons, or different values."""
        if self.table.unit and _field_name(node) == self.table.unit:
            if tests and self.grouped:
                raise TrackedError("persons of a group are counted without a condition",
                                   remedy="filter the table before it is grouped")  # fmt: skip
            return GroupNumber("persons", tests=tests)
        return GroupNumber("distinct", _code(node), tests, self.rows)

    def quantile(self, part: ChainPart, value: SqlValue, tests: tuple[str, ...]) -> GroupNumber:
        share = plain(part.share, "quantile")
        if type(share) not in (int, float) or not 0 <= share <= 1:
            raise ParameterError(
                "the share of a quantile is a number from 0 to 1",
                place="quantile",
                remedy="t.x.clip(0, 20).quantile(0.9)",
            )
        exact = Fraction(repr(share)) if isinstance(share, float) else Fraction(share)
        return GroupNumber("quantile", value.code, tests, self.rows, value.low, value.high, exact)


def fields_of(table: SqlTable) -> RowColumns:
    """The columns of a table as it is."""
    row = ast.Name("row", ast.Load())
    found: dict[str, ast.expr] = {}
    for each in table.columns:
        if table.items:
            found[each.name] = ast.Subscript(row, ast.Constant(each.name), ast.Load())
        else:
            found[each.name] = ast.Attribute(row, each.name, ast.Load())
    kinds = {each.name: each.kind for each in table.columns if not each.missing}
    truths = frozenset(ast.dump(found[name]) for name, kind in kinds.items() if kind == "bool")
    return RowColumns(found, truths)
