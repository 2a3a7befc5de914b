"""Words for sizes, ranges and units, and the parsing of subscripts that annotations share."""

from __future__ import annotations

from typing import Any

from metricdp.errors import SpaceError
from metricdp.expr import INF, ONE, ZERO, Expr, sym
from metricdp.spaces.base import NEG_INF


def size_symbol(prefix: str, parameter: str) -> Expr:
    """The symbol of a size: `len_x`, `rows_x`, `cols_x`; a nonnegative integer."""
    return sym(f"{prefix}_{parameter}", nonneg=True, integer=True)


def pair(owner: str, item: Any) -> tuple[Any, Any]:
    """The two arguments of `Vector[E, N]` and its like."""
    if isinstance(item, tuple) and len(item) == 2:
        return item
    remedy = f"write {owner}[Real, L2], for example"
    if isinstance(item, tuple) and len(item) == 3:
        remedy = f"write Annotated[{owner}[Real, L2], dp.Size(3)] for a size that is known"
    raise SpaceError(f"{owner} takes an element and a norm", remedy=remedy)


def one_or_two(owner: str, item: Any) -> tuple[Any, Any]:
    """The arguments of `Records[T]` or `Records[T, Metric]`; the second may be None."""
    if not isinstance(item, tuple):
        return item, None
    if len(item) == 2:
        return item
    raise SpaceError(
        f"{owner} takes the type of a record and perhaps a metric",
        remedy=f"write {owner}[tuple[float, int]] for records with two fields",
    )


def range_words(lo: Expr, hi: Expr) -> list[str]:
    """ "in [0, 20]", ">= 0", "<= 1", or nothing."""
    if lo != NEG_INF and hi != INF:
        return [f"in [{lo}, {hi}]"]
    if lo != NEG_INF:
        return [f">= {lo}"]
    return [f"<= {hi}"] if hi != INF else []


def entries_words(element: str, lo: Expr, hi: Expr) -> list[str]:
    """The range of the entries, without the range that Bool implies."""
    if element == "Bool" and (lo, hi) == (ZERO, ONE):
        return []
    return [f"entries {words}" for words in range_words(lo, hi)]


def size_words(size: Expr | None, many: str, one: str) -> list[str]:
    """ "len_x entries", "1 row", or nothing."""
    return [] if size is None else [f"{size} {one if size == ONE else many}"]


def radius_words(radius: tuple[tuple[str, Expr], ...], prefix: str = "") -> list[str]:
    """ "every row has L2 norm at most 1"."""
    return [f"{prefix}{norm} norm at most {bound}" for norm, bound in radius]
