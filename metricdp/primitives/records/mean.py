"""mean: the mean of the entries of a vector, or of the rows of a table.

Stability.  Vectors over R of n entries: the sum's bound over n, n^(-1/p) from L_p.
Records with rows in [L, U], R = U - L.  Known size n (change-one, Hamming): one replaced row moves
the mean by at most R / n; so n >= 1 is required.
Unknown size (symmetric, insert-delete): a table of fewer than n0 = `at_least` rows is filled up to
n0 rows with the public value m = `empty` (default 0), so the mean is total.  Below n0 rows an added
row takes the place of an m and moves the mean by at most max(|U - m|, |L - m|) / n0; from n >= n0
rows on, the mean moves by |x - mean| / (n + 1) <= R / (n0 + 1).  The bound is the larger one; with
n0 = 1 it is max(R/2, |U - m|, |L - m|), and m = (L + U)/2 makes it R/2.
Tight: n0 rows at U, add an L; or no rows, add the end that is farther from m.
Source: OpenDP make_mean; leave-one-out form of the mean.  Exact sum, so order does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import ONE, ZERO, D, Expr, absolute, compare, maximum, minimum, num
from metricdp.primitives._common import given, public_number, row_range
from metricdp.record import (
    Arg,
    Conclusion,
    Failure,
    Instance,
    Requirement,
    Spelling,
    Witness,
    infinite,
    refuse,
    scalar_moves,
)
from metricdp.spaces import Records, Scalar, Vector
from metricdp.spaces.metrics import PRIVATE_SIZE, PUBLIC_SIZE
from metricdp.spaces.norms import NORM_NAMES, NORMS

example = (
    "visits: dp.Records[float] = [3.0, 4.0, 120.0]; "
    "dp.mean(dp.clamp(visits, 0, 20), empty=0, at_least=2)"
)

spelling = Spelling(
    numpy=("numpy.mean", "statistics.mean", "statistics.fmean"),
    seed=("mean",),
    opendp=("make_mean",),
)

NONE = Arg(literal=None)


def rule(x: Arg, empty: Arg = NONE, at_least: Arg = NONE) -> Conclusion:
    """A vector, or a table with one column; `empty` and `at_least` are public."""
    if isinstance(x.space, Vector):
        _nothing_to_fill(x, empty, at_least)
        return _vector(x.space)
    if isinstance(x.space, Records):
        return _records(x, x.space, empty, at_least)
    raise refuse(
        "unsupported-call",
        f"`mean` averages the entries of a vector or the rows of a table, and {x.text} is neither",
        need="a Vector or Records argument",
        help="dp.mean(dp.clamp(rows, lower, upper))",
    )


def _nothing_to_fill(x: Arg, empty: Arg, at_least: Arg) -> None:
    if given(empty) or given(at_least):
        raise refuse(
            "wrong-arguments",
            f"the number of rows of {x.text} is public, so nothing fills it up",
            need="no `empty` and no `at_least`",
            help=f"dp.mean({x.text})",
        )


def _vector(space: Vector) -> Conclusion:
    n = space.size
    if n is None:
        raise refuse(
            "unsupported-call",
            "a vector without a public size has no public number to divide by",
            need="the number of entries",
            help="Vector[Real, L1].at(n=5), or vector_domain(..., size=5)",
        )
    if space.element == "Data":
        raise refuse(
            "wrong-metric",
            "entries under the discrete metric have no distance that a mean could keep",
            need="real entries",
            help="dp.mean(dp.undisc(dp.clamp(x, lower, upper)))",
        )
    moves = {(name, ""): D / norm.of_ones(n) for name, norm in NORMS.items()}
    return Conclusion(Scalar("Real", space.lo, space.hi), {"x": moves}, requires=(_nonempty(n),))


def _nonempty(n: Expr) -> Requirement:
    return Requirement(n, ">=", ONE, remedy="give at least one row")


def _records(x: Arg, space: Records, empty: Arg, at_least: Arg) -> Conclusion:
    lo, hi, _ = row_range(space, x.text, "mean")
    if lo.is_infinite or hi.is_infinite:
        why = Failure(
            "unbounded-mean",
            "one person can move this mean by any amount",
            need="finite public bounds on each row",
            help=f"dp.mean(dp.clamp({x.text}, lower, upper))",
        )
        return infinite(why, Scalar("Real"), "x")
    if space.size is not None:
        if space.size.is_zero:
            raise refuse(
                "requirement-fails",
                f"{x.text} has no rows to average",
                need="at least one row",
                help=f"dp.mean({x.text}) of a table with rows",
            )
        _nothing_to_fill(x, empty, at_least)
        moves = scalar_moves((hi - lo) / space.size * D)
        return Conclusion(Scalar("Real", lo, hi), {"x": moves}, requires=(_nonempty(space.size),))
    fill = public_number(empty, ZERO, "mean", "empty")
    least = public_number(at_least, ONE, "mean", "at_least")
    if compare(least, ">=", ONE) is False:
        raise refuse(
            "requirement-fails",
            f"`at_least` of `mean` is {least}",
            need="1 or more",
            help="choose `at_least` >= 1",
        )
    far = maximum(absolute(hi - fill), absolute(lo - fill))
    added = maximum((hi - lo) / (least + 1), far / least)
    bound = space.row_metric.per_unit(added, (hi - lo) / least)
    requires = (Requirement(least, ">=", ONE, remedy="choose `at_least` >= 1"),)
    return Conclusion(
        Scalar("Real", minimum(lo, fill), maximum(hi, fill)),
        {"x": scalar_moves(bound * D)},
        requires=requires if at_least.value is not None else (),
    )


def run(x: Any, empty: Any = None, at_least: Any = None) -> Any:
    """Exact mean; a short table is filled up with `empty`."""
    from metricdp.values import exact_sum

    missing = max(0, int(at_least or 1) - len(x))
    rows = [*x, *[empty or 0] * missing] if missing else x
    return exact_sum(rows) / Fraction(len(rows))


def tabular(x: Any, empty: Any = None, at_least: Any = None) -> Any:
    """The same of a table, each row moved into its range, with the filling added to the sum.

    The bound rests on ranges of rows alone.
    """
    total = Fraction(x.total())
    missing = max(0, int(at_least or 1) - len(x))
    return (total + Fraction(empty or 0) * missing) / (len(x) + missing)


def columnar(x: Any, empty: Any = None, at_least: Any = None) -> Any:
    """The mean of the vector of a row."""
    from metricdp.columns.language import Untraceable, div, total, vector

    length = len(vector(x))
    if not length or empty is not None or at_least is not None:
        raise Untraceable("the mean of what is filled up")
    return div(total(x), length)


def instances() -> Iterable[Instance]:
    for norm in NORM_NAMES:
        yield Instance({"x": Vector("Real", norm, num(4))})
    row = Scalar("Data", num(-3), num(5), "float")
    for metric in PUBLIC_SIZE:
        yield Instance({"x": Records(row, metric, num(3))})
    for metric in PRIVATE_SIZE:
        yield Instance({"x": Records(row, metric)}, {"empty": Fraction(1)}, tight="approached")
        yield Instance({"x": Records(row, metric)}, {}, tight="approached")
        public = {"empty": Fraction(1), "at_least": 3}
        yield Instance({"x": Records(row, metric)}, public, tight="approached")


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Entries moved along the norm; rows replaced; one row added (the bound is met at d = 1)."""
    space = instance.private["x"]
    if isinstance(space, Vector):
        return {"x": [0] * 4}, {"x": space.geometry.widest(d, 4)}
    assert isinstance(space, Records) and isinstance(space.row, Scalar)
    lo, hi = space.row.lo.as_fraction(), space.row.hi.as_fraction()
    assert lo is not None and hi is not None
    if space.size is not None:
        return {"x": [lo] * 3}, {"x": [hi] * d + [lo] * (3 - d)}
    if d > 1:
        return None
    least, fill = instance.public.get("at_least", 1), instance.public.get("empty", Fraction(0))
    if (hi - lo) / (least + 1) >= max(hi - fill, fill - lo) / least:
        return {"x": [hi] * least}, {"x": [hi] * least + [lo]}
    return {"x": []}, {"x": [hi if hi - fill >= fill - lo else lo]}
