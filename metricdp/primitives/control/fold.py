"""fold: starts with a value and goes through the entries of a vector, or the rows of a matrix:
acc = f(acc, x).

Stability.  If f moves by at most a * (movement of acc) + s * (movement of x) + k * (movement of a
captured variable), then after n entries (induction) the initial value pays a^n, a captured variable
k (1 + a + ... + a^(n-1)), and entry i pays s a^(n-1-i).  By Hoelder, for a vector: from L1
s max(1, a)^(n-1), from L2 s sqrt(1 + a^2 + ... + a^(2n-2)), from LInf s (1 + ... + a^(n-1)).
A matrix with c columns: the worst single row, so the same with c for n, times max(1, a)^(n-c).
Over discrete entries each changed entry pays at most w = f's movement for it: w max(1, a)^(n-1) per
change, at most w (1 + ... + a^(n-1)) in all.
Tight for f(acc, x) = a acc + s x: move the first entry (a > 1), or all entries by the weights.
Using s alone for the entries, or n for captured variables, is unsound for a > 1.
Source: linear recurrences; Hoelder.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import (
    INF,
    ONE,
    ZERO,
    D,
    Expr,
    linear_coefficient,
    maximum,
    minimum,
    num,
    power,
    root,
    total_over_rows,
)
from metricdp.primitives._common import discrete, range_of, times
from metricdp.primitives.control.loop import rounds
from metricdp.record import (
    ONE_METRIC,
    Arg,
    Body,
    Conclusion,
    Failure,
    Instance,
    Moves,
    Spelling,
    Witness,
    refuse,
    scalar_moves,
)
from metricdp.spaces import Matrix, Scalar, Space, Vector
from metricdp.spaces.norms import L1, L2, NORM_NAMES, LInf, dual, norm_of
from metricdp.spaces.vectors import Entries

example = "v: dp.Vector[dp.Real, dp.L1] = [1, 2, 3]; dp.fold(lambda total, x: total + x, 0, v)"

kind = "transformation"
spelling = Spelling(numpy=("functools.reduce",), seed=("fold",))


def _formals(args: dict[str, Arg]) -> tuple[Space, ...]:
    """What the function receives: the accumulator, any real number, and one entry."""
    return Scalar("Real"), _container(args["xs"]).entry


formals = {"f": _formals}


def _container(xs: Arg) -> Entries | Matrix:
    if not xs.private or not isinstance(xs.space, (Entries, Matrix)):
        raise refuse(
            "unsupported-call",
            f"`fold` goes through the entries of a private vector or matrix, and {xs.text} is none",
            need="a Vector or Matrix argument",
            help="dp.fold(lambda acc, x: acc + x, 0, xs)",
        )
    return xs.space


def rule(f: Arg, init: Arg, xs: Arg) -> Conclusion:
    """A function of the accumulator and an entry, its initial value, and the entries.

    The accumulator is a number; `functools.reduce(f, xs, init)` is the same.
    """
    space, body = _container(xs), _body(f)
    _number(init)
    size, width = _sizes(space)
    a, s = _factor(body.maps[0], "Real"), _factor(body.maps[1], space.element)
    kept = _kept(a, size)
    maps: dict[str, Moves] = {"xs": _entries(a, s, size, width, space)}
    if init.private:
        maps["init"] = scalar_moves(times(kept, D))
    why = None
    if any(g.is_infinite for moves in maps.values() for g in moves.values()):
        why = _why(f, a)
    return Conclusion(
        _result(body, init),
        maps,
        captured=INF if a.is_infinite else rounds(size, a),
        why_infinite=why,
    )


def _body(f: Arg) -> Body:
    body = f.body
    if body is None or not body.deterministic or len(body.maps) != 2:
        raise refuse(
            "unsupported-call",
            f"`fold` applies a function of two arguments that can be read, and {f.text} is none",
            need="a function of the accumulator and an entry, without noise",
            help="dp.fold(lambda acc, x: acc + x, 0, xs)",
        )
    if not isinstance(body.space, Scalar) or body.space.element == "Data":
        raise refuse(
            "unsupported-call",
            f"the accumulator of `fold` is a number, and the function returns {body.space}",
            need="a function to a real or whole number",
            help="dp.fold(lambda acc, x: acc + dp.undisc(dp.clamp(x, 0, 1)), 0, xs)",
        )
    return body


def _number(init: Arg) -> None:
    """Refuses an initial value that is not known to be one number: an array would move all over."""
    number = isinstance(init.space, Scalar) and init.space.element != "Data"
    if init.private or init.released:
        known = number
    else:
        known = init.value is not None or isinstance(init.literal, bool)
    if not known:
        raise refuse(
            "unsupported-call",
            f"the accumulator of `fold` starts from a number, and {init.text} is not known as one",
            need="a real or whole number to start from",
            help="dp.fold(lambda acc, x: acc + x, 0, xs)",
        )


def _sizes(space: Entries | Matrix) -> tuple[Expr, Expr]:
    """Number of entries, and of entries that one row of the metric holds."""
    if isinstance(space, Matrix):
        assert space.rows is not None and space.cols is not None
        return space.rows * space.cols, space.cols
    assert space.size is not None
    return space.size, space.size


def _factor(moves: Moves, element: str) -> Expr:
    """Movement of f per unit of one argument; of one changed entry, over whole or discrete ones."""
    g = moves.get((ONE_METRIC, ONE_METRIC), INF)
    if element == "Data":
        return g.subs({"d_in": ONE})
    factor = linear_coefficient(g)
    if factor is None and element != "Real":
        factor = linear_coefficient(total_over_rows(g, True, None))
    return INF if factor is None else factor


def _kept(a: Expr, n: Expr) -> Expr:
    """a^n, also for a = 0 and an n that may be 0."""
    if a.is_infinite:
        return INF
    if a == ONE or (a.is_zero and n.sign() != "+"):
        return ONE
    return power(a, n)


def _entries(a: Expr, s: Expr, n: Expr, width: Expr, space: Entries | Matrix) -> Moves:
    """Moves from the entries, in every norm that the space carries."""
    norms = (space.norm,) if discrete(space) else NORM_NAMES
    if s.is_zero:
        return {(p, ONE_METRIC): ZERO for p in norms}
    if a.is_infinite or s.is_infinite:
        return {(p, ONE_METRIC): INF for p in norms}
    largest = maximum(ONE, a)
    first = power(largest, n - width)
    weights = {  # norms of (1, a, a**2, ...)
        LInf.name: power(largest, width - 1),
        L2.name: root(rounds(width, a * a)),
        L1.name: rounds(width, a),
    }
    bounds = {p: s * first * weights[dual(p)] * D for p in norms}
    if discrete(space):
        everything = s * rounds(n, a)
        # Two discrete vectors are at LInf distance 0 or 1, and then every entry may differ.
        vector = not isinstance(space, Matrix)
        bounds = {
            p: everything if p == "LInf" and vector else minimum(everything, bound)
            for p, bound in bounds.items()
        }
    return {(p, ONE_METRIC): bound for p, bound in bounds.items()}


def _result(body: Body, init: Arg) -> Scalar:
    """The initial value, or a result of the function."""
    assert isinstance(body.space, Scalar)
    lo, hi = range_of(init)
    return Scalar("Real", minimum(body.space.lo, lo), maximum(body.space.hi, hi))


def _why(f: Arg, a: Expr) -> Failure:
    return Failure(
        "infinite-stability",
        f"{f.text} multiplies a small step of "
        f"{'the accumulator' if a.is_infinite else 'an entry'} without limit",
        "a function whose movement is a public multiple of its arguments'",
        "dp.fold(lambda acc, x: acc + dp.clamp(x, 0, 1), 0, xs)",
    )


def reorder(args: tuple[Arg, ...]) -> tuple[int, ...] | None:
    """The order of functools.reduce(f, xs, init): the entries come before the initial value."""
    if len(args) != 3:
        return None
    entries = [isinstance(x.space, (Entries, Matrix)) for x in args[1:]]
    return (0, 2, 1) if entries == [True, False] else None


def run(f: Any, init: Any, xs: Any) -> Any:
    """The fold from the first entry to the last, row by row."""
    for x in xs:
        for v in x if isinstance(x, list) else (x,):
            init = f(init, v)
    return init


def _linear(a: Any, s: Any, element: str = "Real") -> tuple[Any, Body]:
    def f(acc: Any, x: Any) -> Any:
        return Fraction(a) * acc + s * x

    def changed(acc: Any, x: Any) -> Any:
        return Fraction(a) * acc + s * min(max(x, 0), 1)

    entry = scalar_moves(num(s) if element == "Data" else s * D)
    body = Body(Scalar("Real"), (scalar_moves(num(a) * D), entry))
    return (changed if element == "Data" else f), body


def instances() -> Iterable[Instance]:
    start = Scalar("Real")
    for a, s in ((1, 1), (2, 3), (Fraction(1, 2), 4)):
        f, body = _linear(a, s)
        for p in NORM_NAMES:
            known = p == "LInf" or (p == "L1" and a >= 1) or (p, a) == ("L2", 1)
            yield Instance(
                {"init": start, "xs": Vector("Real", p, num(4))},
                {"f": f}, {"f": body}, "attained" if known else "unknown",
            )  # fmt: skip
            rows = Matrix("Real", p, num(2), num(4))
            yield Instance(
                {"xs": rows}, {"f": f, "init": 0}, {"f": body}, "attained" if known else "unknown"
            )
    for p in NORM_NAMES:
        f, body = _linear(2, 1, "Data")
        data = Vector("Data", p, num(3))
        yield Instance({"xs": data}, {"f": f, "init": 0}, {"f": body}, "unknown")


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """The first entry moves (L1), or the first row alike (L2 by its root of 4 entries, LInf)."""
    if instance.tight == "unknown":
        return None
    space = instance.private["xs"]
    assert isinstance(space, (Vector, Matrix))
    row = norm_of(space.norm).widest(Fraction(d), 4)
    zero = [Fraction(0)] * 4
    if isinstance(space, Matrix):
        matrix = instance.bodies["f"].maps[0][ONE_METRIC, ONE_METRIC]
        # With a < 1 the last row weighs most.
        growing = linear_coefficient(matrix) in (ONE, num(2))
        return {"xs": [zero, zero]}, {"xs": [row, zero] if growing else [zero, row]}
    return {"init": Fraction(0), "xs": zero}, {"init": Fraction(d), "xs": row}
