"""What the rules of tables with ids share: the table, the column of ids, and whose row is whose."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from metricdp.expr import Expr
from metricdp.record import Arg, Failure, refuse
from metricdp.spaces import Owned, Records, Scalar
from metricdp.spaces.fields import field_space


def owned_table(x: Arg, verb: str, call: str) -> Owned:
    """The space of a table with ids.

    Args:
        call: an example of a right call.

    Raises:
        Refusal: anything else.
    """
    if x.private and isinstance(x.space, Owned):
        return x.space
    if isinstance(x.space, Records):
        raise refuse(
            "unsupported-call",
            f"`{verb}` asks whose rows are whose, and {x.text} counts rows: {x.space.unit}",
            need='a table with a column of ids, Records[Row, Ids("person")]',
            help=f'ask a table of Records[{x.space.row}, dp.Ids("person")]'
            if hasattr(x.space.row, "names")
            else f"leave `{verb}` out: {x.text}",
        )
    raise refuse(
        "unsupported-call",
        f"`{verb}` asks whose rows are whose, and {x.text} is no table",
        need='a table with a column of ids, Records[Row, Ids("person")]',
        help=call,
    )


def by_ids(per: Arg, x: Arg, space: Owned, call: str) -> str:
    """The name of the column of ids, as it was written in the call.

    Raises:
        Refusal: another column, or nothing that is written out.
    """
    if per.literal == space.column and not per.private:
        return space.column
    raise refuse(
        "unsupported-call",
        f"a unit of {x.text} is one {space.whose}, and this asks for {per.text}",
        need="the column of ids of this table, written out",
        help=call,
    )


def public_number(most: Arg, space: Owned, of: str, call: str, need: str) -> Expr:
    """How many rows or groups of one id are kept.

    Args:
        of: what is counted.
        call, need: an example of a right call, and what is missing in this one.

    Raises:
        Refusal: no public whole number.
    """
    value = most.value
    if value is None or most.private or most.released or not value.is_integer():
        raise refuse(
            "unsupported-call",
            f"how many {of} one {space.whose} may have is {most.text}, which is no public whole "
            "number",
            need=need,
            help=call,
        )
    return value


def number_of_rows(verb: str, value: Arg, call: str) -> Scalar:
    """The space of what a deterministic function of one row, which gives numbers, adds up to.

    Args:
        call: an example of a right call.

    Raises:
        Refusal: no such function.
    """
    body = value.body
    made = field_space(body.space) if body is not None and body.deterministic else None
    if not isinstance(made, Scalar) or made.kind not in ("int", "float", "bool"):
        raise refuse(
            "unsupported-call",
            f"`{verb}` adds up a number of every row, and {value.text} gives none",
            need="a function of one row to a number, without noise",
            help=call,
        )
    return Scalar("Data", kind="float" if made.kind == "float" else "int")


def captured_numbers() -> Failure:
    """Why what rows add up to has no bound where the function captures something private."""
    return Failure(
        "infinite-stability",
        "what is added depends on other private values, so one person may change every number",
        need="a function of a row and of public values",
        help="release the other value before",
    )


def rounded_once(total: Fraction) -> Fraction:
    """A sum as it is, where it is whole, or the nearest double."""
    from metricdp.columns.language import nearest

    return total if total.denominator == 1 else Fraction(nearest(total))


def owner(row: Any, column: str) -> Any:
    """Whose row it is: a row of the reference, or of columns."""
    if isinstance(row, dict):
        return row[column]
    return getattr(row, column) if hasattr(row, "_fields") else row[int(column)]
