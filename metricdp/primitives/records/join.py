"""join: the pairs of rows of two tables that have one key, at most so many of each table per key.

Of the rows of a key the first table keeps the k, and the second one the m, that come first in the
order of a hash of their content (`_keys`), equal hashes by the content itself; m is k where it is
not given.  The constant of the hash is public and the same in
every run: which rows are kept has nothing to do with what they say, and is the same tomorrow.

Stability.  For every such order that depends on the rows alone: a row that is added or removed may
change places with one other, so keeping k rows per key is 2-stable.  A row of the first table that
is kept meets at most m rows of the second one, so 2m in the first table, and 2k in the second; when
both move, the sum: the joins differ by what the first table changes beside the old second one, and
what the second one changes beside the new first one.  m alone, without the row that is pushed out,
would be too small.  Without such bounds one row may meet all rows of the other table.  A private
variable in a key function may move every row, infinite.
Tight: a full key in the first table, and a new first row for it, beside m rows of the second; and
the same of the second one.
Source: rules of tables, truncated joins; triangle inequality.

Names.  Where both tables name their fields in one way, a row of the result has these names; a name
that stands in both gets `_a` in the first table and `_b` in the second, since either reading of the
bare name would be a guess.  Otherwise a row is a tuple.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import INF, ONE, D, Expr
from metricdp.primitives.records._joined import built, named, space_of
from metricdp.primitives.records._keys import fields_of, row_key, row_keys
from metricdp.record import (
    Arg,
    Body,
    Conclusion,
    Failure,
    Instance,
    Requirement,
    Witness,
    refuse,
    scalar_moves,
    told,
)
from metricdp.spaces import Owned, Records, Row, Scalar, Space, Symmetric

takes_ids = True

example = (
    "a: dp.Records[tuple[int, float]] = [(1, 2.0), (2, 5.0)]; "
    "b: dp.Records[tuple[int, str]] = [(1, 'Rome')]; "
    "dp.join(a, b, lambda r: r[0], lambda r: r[0], 1)"
)

_KINDS = {"Int": "int", "Real": "float", "Bool": "bool"}
_EXAMPLE = "dp.join(a, b, lambda x: x[0], lambda y: y[0], multiplicity=3)"


def _first(args: dict[str, Arg]) -> tuple[Space, ...]:
    _of_rows(args["a"], args["b"])
    return (_table(args["a"]).row,)


def _second(args: dict[str, Arg]) -> tuple[Space, ...]:
    return (_table(args["b"]).row,)


formals = {"key_a": _first, "key_b": _second}


def _table(arg: Arg) -> Records:
    space = arg.space
    if arg.private and isinstance(space, Records) and space.row_metric is Symmetric:
        return space
    raise refuse(
        "unsupported-call",
        f"`join` pairs the rows of two private tables under add or remove, and {arg.text} is none",
        need="two Records arguments",
        help=f"declare {arg.text} as Records[...]",
    )


def _of_rows(a: Arg, b: Arg) -> None:
    """Raises:
    Refusal: a table in which one person may have any number of rows.
    """
    both = isinstance(a.space, Owned) and isinstance(b.space, Owned)
    for x in (a, b):
        if isinstance(x.space, Owned):
            own = x.space.column
            columns = (own, getattr(b.space, "column", own)) if x is a else (own, own)
            on = f'"{own}"' if len(set(columns)) == 1 else f'("{columns[0]}", "{columns[1]}")'
            raise refuse(
                "unbounded-contribution",
                f"one {x.space.whose} may have any number of rows in {x.text}",
                need=f"a join by {own}, or a bound on the rows of one {x.space.whose}",
                help=f"dp.join_by_id({a.text}, {b.text}, {on})"
                if both
                else f'{x.text} = dp.limit_rows({x.text}, "{own}", 5) before this line',
            )


SAME = Arg(literal=None, text="None")


def rule(
    a: Arg, b: Arg, key_a: Arg, key_b: Arg, multiplicity: Arg, multiplicity_b: Arg = SAME
) -> Conclusion:
    """Two tables, the key of a row of each, and how many rows of each table a key may have: the
    first number in both, or in the first one, and another one in the second."""
    row = _pair(_table(a), _table(b))
    for key in (key_a, key_b):
        known = key.body is not None and key.body.deterministic
        if not known or not isinstance(getattr(key.body, "space", None), Scalar):
            raise refuse(
                "unsupported-call",
                f"`join` needs the key of a row as a function, and {key.text} is none",
                need="a function of one row to a number, a text or a truth value, without noise",
                help=_EXAMPLE,
            )
    call = f"dp.join({a.text}, {b.text}, {key_a.text}, {key_b.text}, 3)"
    k = _bound(multiplicity, call)
    same = multiplicity_b.value is None and multiplicity_b.text == SAME.text
    m = k if same else _bound(multiplicity_b, call)
    why = Failure(
        "infinite-stability",
        "the key of a row depends on other private values, so one person may move every row",
        need="a key that is a function of its row and of public values",
        help="release the other value before the join",
    )
    least = [Requirement(k, ">=", ONE, remedy="choose `multiplicity` >= 1")]
    kept: list[str | tuple[Expr, str]] = [" of each table at most ", (k, "row")]
    if m != k:
        least.append(Requirement(m, ">=", ONE, remedy="choose `multiplicity_b` >= 1"))
        kept = [f" of {a.text} at most ", (k, "row"), f", and of {b.text} at most ", (m, "row")]
    return Conclusion(
        Records(row),
        {"a": scalar_moves(2 * m * D), "b": scalar_moves(2 * k * D)},
        captured=INF,
        requires=tuple(least),
        answers=(told("the rows that `join` keeps:", *kept, " per key"),),
        why_infinite=why,
    )


def _bound(multiplicity: Arg, call: str) -> Expr:
    """The largest number of rows per key.

    Raises:
        Refusal: not a public whole number.
    """
    value = multiplicity.value
    if value is None or multiplicity.private or multiplicity.released or not value.is_integer():
        raise refuse(
            "unsupported-call",
            f"how many rows a key may have is {multiplicity.text}, which is no public whole number",
            need="a public bound on the rows of one key",
            help=call,
        )
    return value


def _pair(a: Records, b: Records) -> Row:
    """The columns of the first table, then those of the second.

    Raises:
        Refusal: values that may be missing, or two columns of one name.
    """
    fields: list[Scalar] = []
    for table in (a, b):
        held = table.row.fields if isinstance(table.row, Row) else (table.row,)
        for field in held:
            if not isinstance(field, Scalar):
                raise refuse(
                    "unsupported-call",
                    f"`join` reads rows of numbers, texts and truth values, and not {table.row}",
                    need="rows without missing values",
                    help="dp.drop_null or dp.impute before the join",
                )
            kind = field.kind or _KINDS.get(field.element, "float")
            fields.append(Scalar("Data", field.lo, field.hi, kind))
    return space_of(named(a.row), named(b.row), fields, f"{a.row} and {b.row}")


def run(
    a: Any, b: Any, key_a: Any, key_b: Any, multiplicity: Any, multiplicity_b: Any = None
) -> list[Any]:
    """The fields of both rows, for every pair of kept rows with one key."""
    of_b = multiplicity if multiplicity_b is None else multiplicity_b
    first, second = _kept(a, key_a, multiplicity), _kept(b, key_b, of_b)
    return [
        built(x, y, (*fields_of(x), *fields_of(y)))
        for key, rows in first.items()
        for x in rows
        for y in second.get(key, ())
    ]


def tabular(
    a: Any, b: Any, key_a: Any, key_b: Any, multiplicity: Any, multiplicity_b: Any = None
) -> Any:
    """The same rows, in the same order, as a table."""
    from metricdp.columns.joins import joined

    of_b = multiplicity if multiplicity_b is None else multiplicity_b
    most = max(0, int(multiplicity)), max(0, int(of_b))
    return joined(a, b, key_a, key_b, most, built, row_keys)


def _kept(table: Any, key: Any, multiplicity: Any) -> dict[Any, list[Any]]:
    """The rows of every key that come first, whatever the order of the table."""
    found: dict[Any, list[Any]] = {}
    for row in table:
        found.setdefault(key(row), []).append(row)
    most = max(0, int(multiplicity))
    return {key: sorted(rows, key=_order)[:most] for key, rows in found.items()}


def _order(row: Any) -> Any:
    return row_key(fields_of(row))


def instances() -> Iterable[Instance]:
    body = Body(Scalar("Data"), (scalar_moves(ONE),))
    tables = {"a": Records(Scalar("Data", kind="int")), "b": Records(Scalar("Data", kind="int"))}
    for k in (1, 2, 3):
        public = {"key_a": _last_digit, "key_b": _last_digit, "multiplicity": k}
        yield Instance(tables, public, {"key_a": body, "key_b": body})
    for k, m in ((1, 3), (2, 1)):
        public = {"key_a": _last_digit, "key_b": _last_digit, "multiplicity": k}
        more = {**public, "multiplicity_b": m}
        yield Instance(tables, more, {"key_a": body, "key_b": body})


def _last_digit(row: Any) -> Any:
    return int(row) % 10


def tight(instance: Instance, d: int, tol: Fraction) -> Witness:
    """For d keys, each of them full in both tables: a row that comes first, in the table in which
    it meets more."""
    k = instance.public["multiplicity"]
    m = instance.public.get("multiplicity_b", k)
    keys = [sorted((key + 10 * i for i in range(max(k, m) + 1)), key=_order) for key in range(d)]
    a, b = ([row for _, *others in keys for row in others[:most]] for most in (k, m))
    new = [row for row, *_ in keys]
    if m >= k:
        return {"a": a, "b": b}, {"a": [*new, *a], "b": b}
    return {"a": a, "b": b}, {"a": a, "b": [*new, *b]}
