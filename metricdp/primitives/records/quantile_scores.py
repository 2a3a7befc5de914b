"""quantile_scores: how far each public candidate is from being the alpha-quantile of the rows.

The score of a candidate t is |(1 - alpha) #{rows < t} - alpha #{rows > t}| times `scale`: small at
the quantile.
Stability.  A row added or removed moves one of the two numbers by 1, so every score by at most
max(alpha, 1 - alpha) in LInf, and m times that in L1, sqrt(m) times in L2, for m candidates.  A
replaced row moves a score by at most (1 - alpha) + alpha = 1.  All times `scale`.
Tight: add rows on the heavier side of all candidates; move rows from below all candidates to above.
Source: Smith 2011; rules of tables; OpenDP make_quantile_score_candidates.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import INF, ONE, ZERO, D, Expr, maximum, num
from metricdp.primitives._common import public_number, row_range
from metricdp.record import (
    ONE_METRIC,
    Arg,
    Conclusion,
    Instance,
    Requirement,
    Spelling,
    Witness,
    refuse,
)
from metricdp.spaces import Records, Scalar, Vector
from metricdp.spaces.metrics import PUBLIC_SIZE
from metricdp.spaces.norms import NORMS

example = "visits: dp.Records[float] = [3.0, 4.0, 9.0]; dp.quantile_scores(visits, (0, 5, 10), 0.5)"

spelling = Spelling(opendp=("make_quantile_score_candidates",))

NONE = Arg(literal=None)


def rule(x: Arg, candidates: Arg, alpha: Arg, scale: Arg = NONE) -> Conclusion:
    """A table with one column of numbers, public candidates, alpha in [0, 1], a public unit."""
    space = x.space
    if not isinstance(space, Records):
        raise refuse(
            "unsupported-call",
            f"`quantile_scores` ranks the rows of a table, and {x.text} is none",
            need="a Records argument",
            help="dp.quantile_scores(rows, (0, 10, 20), 0.5)",
        )
    row_range(space, x.text, "quantile_scores")
    count, share = _count(candidates), _public(alpha, "alpha")
    unit = public_number(scale, ONE, "quantile_scores", "scale")
    heavier = maximum(share, 1 - share)
    each = space.row_metric.per_unit(heavier, ONE) * unit
    most = INF if space.size is None else heavier * unit * space.size
    whole = unit.is_integer() and (unit * share).is_integer()
    result = Vector("Int" if whole else "Real", "LInf", count, ZERO, most)
    return Conclusion(
        result,
        {"x": {(ONE_METRIC, name): norm.of_ones(count) * each * D for name, norm in NORMS.items()}},
        requires=(
            Requirement(share, ">=", ZERO, remedy="choose `alpha` between 0 and 1"),
            Requirement(share, "<=", ONE, remedy="choose `alpha` between 0 and 1"),
            Requirement(unit, ">", ZERO, remedy="choose `scale` > 0"),
        ),
    )


def _count(candidates: Arg) -> Expr:
    if candidates.private:
        raise refuse(
            "private-argument",
            f"the candidates {candidates.text} are private",
            need="public candidates",
            help="a tuple of numbers as a public parameter",
        )
    if isinstance(candidates.literal, tuple | list) and candidates.literal:
        return num(len(candidates.literal))
    size = candidates.space.size if isinstance(candidates.space, Vector) else None
    if size is None or candidates.released:
        raise refuse(
            "size-mismatch",
            f"nothing says how many candidates {candidates.text} holds",
            need="a literal tuple of at least one number, or a public parameter that is one",
            help=f"declare {candidates.text} as tuple[float, ...]",
        )
    return size


def _public(alpha: Arg, name: str) -> Expr:
    if alpha.private or alpha.value is None:
        raise refuse(
            "private-argument",
            f"`{name}` is no public number",
            need=f"a public `{name}`",
            help="dp.quantile_scores(rows, candidates, 0.5)",
        )
    return alpha.value


def run(x: Any, candidates: Any, alpha: Any, scale: Any = None) -> list[Any]:
    """The score of every candidate, exact."""
    counts = [(sum(1 for r in x if r < t), sum(1 for r in x if r > t)) for t in candidates]
    tops, bottom = _scores(counts, alpha, scale)
    return [Fraction(top, bottom) if top % bottom else top // bottom for top in tops]


def tabular(x: Any, candidates: Any, alpha: Any, scale: Any = None) -> Any:
    """The same from a table: any function of a row may precede it."""
    import numpy as np

    from metricdp.values.numbers import LIMIT, Numbers

    tops, bottom = _scores(x.sides(candidates), alpha, scale)
    most = max(tops, default=0)
    return Numbers(
        np.array(tops, np.int64 if most < LIMIT else object), Fraction(1, bottom), most=most
    )


def _scores(counts: list[tuple[int, int]], alpha: Any, scale: Any) -> tuple[list[int], int]:
    """|(1 - share) below - share above| scale of every candidate, over one denominator."""
    share, unit = Fraction(alpha), Fraction(1 if scale is None else scale)
    p, q, times = share.numerator, share.denominator, unit.numerator
    tops = [abs((q - p) * below - p * above) * times for below, above in counts]
    return tops, q * unit.denominator


def instances() -> Iterable[Instance]:
    row = Scalar("Data", kind="float")
    half = {"candidates": (0, 1), "alpha": Fraction(1, 2)}
    yield Instance({"x": Records(row)}, half)
    yield Instance({"x": Records(row, "InsertDelete")}, {**half, "alpha": Fraction(1, 4)})
    whole = Scalar("Data", num(-4), num(9), "int")
    low = {"candidates": (0, 3, Fraction(9, 2)), "alpha": Fraction(3, 4), "scale": 4}
    yield Instance({"x": Records(whole)}, low)
    for metric in PUBLIC_SIZE:
        yield Instance({"x": Records(row, metric, num(6))}, half)


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Rows below, or above, all candidates are added; rows pass from one side to the other."""
    space = instance.private["x"]
    assert isinstance(space, Records)
    below, above = Fraction(-2), Fraction(8)
    if isinstance(space.row, Scalar) and space.row.kind == "int":
        below, above = -2, 8  # type: ignore[assignment]
    if space.size is None:
        side = below if instance.public["alpha"] <= Fraction(1, 2) else above
        return {"x": []}, {"x": [side] * d}
    return {"x": [below] * 6}, {"x": [above] * d + [below] * (6 - d)}
