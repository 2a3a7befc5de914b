"""dot: the sum of x_i w_i, one vector private or both.

Stability.  Public w: the dual norm of w, max |w_i| from L1, |w|_2 from L2, sum |w_i| from LInf
(Hoelder).  Tight: move along the extremal vector of w.
Both private: |x.y - x'.y'| <= |x - x'|_p |y|_p* + |y - y'|_p |x'|_p*, so each argument pays the
bound on the other's dual norm; infinite without one.
Source: Hoelder's inequality.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.errors import SpaceError
from metricdp.expr import INF, ZERO, D, Expr, absolute, maximum, minimum, num
from metricdp.primitives import _exact
from metricdp.primitives._common import Range, discrete, no_bound, nonnegative, times
from metricdp.primitives._entrywise import common_shape
from metricdp.record import (
    ONE_METRIC,
    Arg,
    Conclusion,
    Instance,
    Moves,
    Requirement,
    Spelling,
    Witness,
    refuse,
)
from metricdp.spaces import NEG_INF, Scalar, Space, Vector, implied_radius
from metricdp.spaces.norms import NORM_NAMES, dual, norm_of
from metricdp.spaces.vectors import Entries

example = "v: Annotated[dp.Vector[dp.Real, dp.L1], dp.Size(2)] = [1, 2]; dp.dot(v, (3, -1))"

columnar = "dot"
spelling = Spelling(numpy=("numpy.inner",))


def rule(x: Arg, w: Arg) -> Conclusion:
    """Two vectors of one length."""
    if not x.private and not w.private:
        return Conclusion()
    for arg in (x, w):
        if arg.private and (not isinstance(arg.space, Entries) or discrete(arg.space)):
            raise refuse(
                "unsupported-call",
                f"`dot` multiplies vectors of real numbers, and {arg.text} lies in {arg.space}",
                need="a vector over the reals",
                help=f"dp.dot(dp.undisc(dp.clip({arg.text}, dp.L2)), weights)",
            )
    if x.private and w.private:
        return _both(x, w)
    name, private, public = ("x", x, w) if x.private else ("w", w, x)
    space = private.space
    assert isinstance(space, Entries) and space.size is not None
    weights = public.literal if isinstance(public.literal, (tuple, list)) else None
    if weights is None:
        moves: Moves = {(p, ONE_METRIC): INF for p in NORM_NAMES}
        return Conclusion(Scalar("Real"), {name: moves}, why_infinite=_why(public))
    length = num(len(weights))
    if space.size != length and space.size.is_number:
        raise refuse(
            "size-mismatch",
            f"{private.text} has {space.size} entries and {public.text} has {len(weights)}",
            need="one length",
            help=f"give {public.text} {space.size} entries",
        )
    values = [num(Fraction(v)) for v in weights]
    moves = {(p, ONE_METRIC): size * D for p, size in _dual_norms(values).items()}
    same = Requirement(
        space.size, "==", length, "size-mismatch", f"give {private.text} {length} entries"
    )
    signs = (minimum(*values), maximum(*values)) if values else (ZERO, ZERO)
    found = _product(space, _dual_norms(values), signs)
    return Conclusion(found, {name: moves}, requires=() if space.size == length else (same,))


def _product(x: Entries, dual: dict[str, Expr], other: Range) -> Scalar:
    """The range of a product with a vector of these dual norms and entries (Hoelder)."""
    most = [times(implied_radius(x, p), bound) for p, bound in dual.items()]
    finite = [bound for bound in most if not bound.is_infinite]
    if not finite:
        return Scalar("Real", ZERO if _same_sign((x.lo, x.hi), other) else NEG_INF)
    bound = minimum(*finite) if len(finite) > 1 else finite[0]
    return Scalar("Real", ZERO if _same_sign((x.lo, x.hi), other) else -bound, bound)


def _same_sign(a: Range, b: Range) -> bool:
    up, down = (nonnegative(a[0]), nonnegative(b[0])), (nonnegative(-a[1]), nonnegative(-b[1]))
    return all(up) or all(down)


def _dual_norms(w: list[Expr]) -> dict[str, Expr]:
    sizes = [absolute(v) for v in w]
    return {p: norm_of(dual(p)).combined(sizes) for p in NORM_NAMES}


def _both(x: Arg, w: Arg) -> Conclusion:
    _, requires = common_shape(x, w, "@")
    assert x.space is not None and w.space is not None
    maps = {"x": _against(w.space), "w": _against(x.space)}
    endless = any(g.is_infinite for moves in maps.values() for g in moves.values())
    why = _why(w if _unbounded(w.space) else x) if endless else None
    assert isinstance(x.space, Entries) and isinstance(w.space, Entries)
    radii = {p: implied_radius(w.space, dual(p)) for p in NORM_NAMES}
    found = _product(x.space, radii, (w.space.lo, w.space.hi))
    return Conclusion(found, maps, requires=requires, why_infinite=why)


def _against(other: Space) -> Moves:
    return {(p, ONE_METRIC): times(implied_radius(other, dual(p)), D) for p in NORM_NAMES}


def _unbounded(space: Space) -> bool:
    return implied_radius(space, "LInf").is_infinite


def _why(other: Arg) -> Any:
    return no_bound(
        "unbounded-product",
        f"a small step is multiplied by {other.text}, whose size is not known when checking",
        f"a bound on the norm of {other.text}",
        f"dp.clip({other.text}, dp.L2)"
        if other.private
        else f"write the entries of {other.text} as a tuple",
    )


def run(x: Any, w: Any) -> Any:
    """Exact sum of products.

    Raises:
        SpaceError: the (public) lengths differ.
    """
    if len(x) != len(w):
        raise SpaceError(f"{len(x)} and {len(w)} entries do not fit")
    return _exact.exact_sum(
        _exact.rational(a) * _exact.rational(b) for a, b in zip(x, w, strict=True)
    )


def instances() -> Iterable[Instance]:
    weights = (Fraction(3), Fraction(-4), Fraction(0))
    for norm in NORM_NAMES:
        yield Instance({"x": Vector("Real", norm, num(3))}, {"w": weights})
        yield Instance({"w": Vector("Int", norm, num(3))}, {"x": (1, 1, 1)}, tight="unknown")
        ball = Vector("Real", norm, num(3), radius=(("L2", num(2)),))
        yield Instance({"x": ball, "w": ball}, tight="unknown")
        yield Instance({"x": ball, "w": Vector("Real", norm, num(3))}, tight="unknown")


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Along the extremal vector of (3, -4, 0)."""
    if instance.tight == "unknown":
        return None
    step = {
        "L1": [0, -d, 0],
        "L2": [Fraction(3 * d, 5), Fraction(-4 * d, 5), 0],
        "LInf": [d, -d, d],
    }[instance.private["x"].norm]  # type: ignore[attr-defined]
    return {"x": [0, 0, 0]}, {"x": step}
