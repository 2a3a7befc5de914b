"""array: the vector of several numbers, in their order.

Stability.  Every number is one entry: when they move by d_1, ..., d_k, the vector moves by the sum
of these in L1, by sqrt(d_1^2 + ... + d_k^2) in L2, and by the largest of them in LInf.
Entries in [a_i, b_i] with m_i = max(|a_i|, |b_i|) give a vector whose norms are at most those of
(m_1, ..., m_k).  Discrete numbers make a discrete vector: 1 in LInf, however many of them differ.
A vector is the array of itself.  Truth values alone are refused, since NumPy adds them up by `or`.
Tight: one number moved.
Source: definition of the norms.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from metricdp.expr import INF, ONE, D, Expr, maximum, minimum, num
from metricdp.primitives._common import discrete, kind_of, largest, range_of, whole
from metricdp.record import ONE_METRIC, Arg, Conclusion, Instance, Moves, Spelling, Witness, refuse
from metricdp.spaces import NEG_INF, Scalar, Vector
from metricdp.spaces.norms import NORM_NAMES, NORMS
from metricdp.spaces.vectors import Entries

example = "x: dp.Real = 3; y: dp.Real = 4; dp.array(x, y)"

spelling = Spelling(numpy=("numpy.array", "numpy.asarray"))


def rule(*xs: Arg) -> Conclusion:
    """Private and public numbers, at least one of them private; or one private vector."""
    if len(xs) == 1 and xs[0].private and isinstance(xs[0].space, Entries):
        own = xs[0].space
        norms = (own.norm,) if discrete(own) else NORM_NAMES
        return Conclusion(own, {"0": {(p, p): D for p in norms}})
    for x in xs:
        _is_number(x)
    if all(getattr(x.space, "element", "") == "Bool" for x in xs):
        raise refuse(
            "unsupported-call",
            "an array of truth values adds up by `or`, and has no rule",
            need="numbers",
            help=f"dp.array([{', '.join(f'float({x.text})' for x in xs)}])",
        )
    ranges = [range_of(x) for x in xs]
    lows, highs = [lo for lo, _ in ranges], [hi for _, hi in ranges]
    lo = NEG_INF if NEG_INF in lows else minimum(*lows)
    hi = INF if INF in highs else maximum(*highs)
    size = num(len(xs))
    private = [str(i) for i, x in enumerate(xs) if x.private]
    if any(x.private and discrete(x.space) for x in xs):
        moves: Moves = {(ONE_METRIC, "LInf"): ONE}
        return Conclusion(
            Vector("Data", "LInf", size, lo, hi), dict.fromkeys(private, moves), combine="concat"
        )
    element = "Int" if all(map(whole, xs)) else "Real"
    found = Vector(element, "L2", size, lo, hi, _radius([largest(r) for r in ranges]))
    moves = {(ONE_METRIC, p): D for p in NORM_NAMES}
    return Conclusion(found, dict.fromkeys(private, moves), combine="concat")


def _radius(sizes: list[Expr]) -> tuple[tuple[str, Expr], ...]:
    """The norms of the vector of the largest sizes, where they say more than the range of all."""
    if any(size.is_infinite for size in sizes) or all(size == sizes[0] for size in sizes):
        return ()
    return tuple((p, NORMS[p].combined(sizes)) for p in NORM_NAMES)


def _is_number(x: Arg) -> None:
    """Raises:
    Refusal: not one number.
    """
    number = isinstance(x.space, Scalar) or (not x.private and x.value is not None)
    if number and kind_of(x) != "str" and not isinstance(x.literal, str):
        return
    raise refuse(
        "unsupported-call",
        f"an array is made of numbers, and {x.text} is none that is known here",
        need="private numbers, and public ones",
        help="an array of numbers of one row, without texts and containers",
    )


def run(*xs: Any) -> Any:
    """The numbers in order, True as 1; one list of them, as NumPy writes it, is several
    arguments."""
    return [int(x) if isinstance(x, bool) else x for x in _items(xs)]


def columnar(*xs: Any) -> Any:
    """The vector of numbers of a row."""
    from metricdp.columns.language import Node, stack

    if len(xs) == 1 and isinstance(xs[0], Node) and xs[0].width is not None:
        return xs[0]
    return stack(_items(xs))


def _items(xs: tuple[Any, ...]) -> Any:
    return xs[0] if len(xs) == 1 and isinstance(xs[0], Sequence) else xs


def instances() -> Iterable[Instance]:
    yield Instance({"0": Scalar("Real")})
    yield Instance({"0": Scalar("Real"), "1": Scalar("Int", num(-2), num(3))}, tight="unknown")
    yield Instance({"0": Scalar("Real", num(0), num(1)), "1": Scalar("Bool")}, tight="unknown")
    yield Instance({"0": Scalar("Data"), "1": Scalar("Data")}, tight="unknown")
    for norm in NORM_NAMES:
        yield Instance({"0": Vector("Real", norm, num(2))}, tight="unknown")


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """One number, moved by d."""
    if instance.tight == "unknown":
        return None
    return {"0": Fraction(0)}, {"0": Fraction(d)}
