"""What the private quantiles share: rows that are numbers, and how far their scores move."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from metricdp.expr import ONE, ZERO, Expr, maximum, num
from metricdp.primitives.mechanisms._noise import public_argument
from metricdp.record import Arg, Requirement, refuse
from metricdp.spaces import Records, Scalar

if TYPE_CHECKING:
    from metricdp.columns.table import Table


def number_rows(x: Arg, mechanism: str) -> Records:
    """The table, whose rows are numbers.

    Raises:
        Refusal: public data, or no table of numbers.
    """
    space = x.space
    if not x.private or space is None:
        raise public_argument(x, mechanism)
    numbers = isinstance(space, Records) and isinstance(space.row, Scalar)
    if not numbers or space.row.kind not in ("float", "int"):  # type: ignore[attr-defined]
        raise refuse(
            "unsupported-call",
            f"`{mechanism}` orders numbers, and {x.text} lies in {space}",
            need="a table of numbers: Records[float] or Records[int]",
            help=f"dp.{mechanism}([row.field for row in {x.text}], ...)",
        )
    assert isinstance(space, Records)
    return space


def share(alpha: Arg, mechanism: str) -> tuple[Expr, tuple[Requirement, ...]]:
    """The public share of rows below, and 0 <= alpha <= 1.

    Raises:
        Refusal: private, released, or no number.
    """
    if alpha.value is None or alpha.private or alpha.released:
        raise refuse(
            "private-argument" if alpha.private else "bad-noise",
            f"`alpha` of `{mechanism}` is {alpha.text}, which is no public number",
            need="the share of rows below the quantile",
            help="alpha=0.5 for the median",
        )
    help = f"choose {alpha.chosen} between 0 and 1"
    return alpha.value, (
        Requirement(alpha.value, ">=", ZERO, "bad-noise", help),
        Requirement(alpha.value, "<=", ONE, "bad-noise", help),
    )


def spread(space: Records, alpha: Expr) -> Expr:
    """How far differences of two scores move when one row is added, removed or replaced.

    For the minimum and the maximum every score moves one way.
    """
    if alpha.as_fraction() in (0, 1):
        return ONE
    return space.row_metric.per_unit(2 * maximum(alpha, 1 - alpha), num(2))


def score(below: int, above: int, alpha: Fraction) -> Fraction:
    """-|(1 - alpha) below - alpha above|."""
    return -abs((1 - alpha) * below - alpha * above)


def table(x: Any) -> Table | None:
    """A table of numbers; None of anything else."""
    from metricdp.columns.table import Table

    return x if isinstance(x, Table) else None


def numbers(x: Any) -> list[Fraction]:
    """The rows in order of size."""
    return sorted(Fraction(value) for value in x)
