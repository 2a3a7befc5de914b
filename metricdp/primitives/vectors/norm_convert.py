"""norm_convert: the same value, measured in another norm.

Stability.  Over the reals a container carries its bounds in L1, L2 and LInf at once, related by
n^max(0, 1/q - 1/p) for n entries (columns, for matrices): the conversion only chooses which one is
printed.  Discrete vectors carry one norm: k changed entries are k in L1, sqrt(k) in L2, 1 in LInf,
so L1 -> L2 is sqrt(d), L2 -> L1 is d^2 and at most sqrt(n) d, LInf -> L1 is n, LInf -> L2 sqrt(n).
Discrete matrices: L1 -> L2 is d (the changes may lie in d rows), LInf -> L1 is c d with c columns.
Tight: all entries changed; for the 1's a single one.
Source: Hoelder; counting changed entries.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.expr import ONE, num
from metricdp.primitives._common import discrete_conversion
from metricdp.primitives.vectors._norm_first import norm_argument, norm_first
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness, refuse
from metricdp.spaces import Matrix, Vector
from metricdp.spaces.norms import NORM_NAMES, conversion, norm_of
from metricdp.spaces.vectors import Entries

example = (
    "v: Annotated[dp.Vector[dp.Real, dp.L2], dp.Size(4)] = [1, 2, 3, 4]; dp.norm_convert(v, dp.L1)"
)

columnar = "in_norm"
spelling = Spelling(seed=("norm_convert",))
reorder = norm_first


def rule(x: Arg, norm: Arg) -> Conclusion:
    """A vector, gradient or matrix, and a norm; also with the norm first."""
    q = norm_argument(norm, "norm_convert")
    space = x.space
    if not x.private or not isinstance(space, (Entries, Matrix)):
        raise refuse(
            "unsupported-call",
            f"`norm_convert` needs a private vector or matrix, and {x.text} is none",
            need="a vector, a gradient or a matrix",
            help=f"use {x.text} as it is",
        )
    result = msgspec.structs.replace(space, norm=q)
    if space.element != "Data":
        return Conclusion(result, linear={"x": ONE})
    return Conclusion(result, {"x": {(space.norm, q): discrete_conversion(space.norm, q, space)}})


def run(x: Any, norm: Any) -> Any:
    """The value itself."""
    return x


def instances() -> Iterable[Instance]:
    for p in NORM_NAMES:
        for q in NORM_NAMES:
            yield Instance({"x": Vector("Real", p, num(4))}, {"norm": q})
            yield Instance({"x": Vector("Data", p, num(4))}, {"norm": q})
            yield Instance({"x": Matrix("Data", p, num(4), num(4))}, {"norm": q})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """As many changed entries as the distance allows, spread or together as the norms want."""
    space, q = instance.private["x"], str(instance.public["norm"])
    assert isinstance(space, (Vector, Matrix))
    p = space.norm
    if isinstance(space, Matrix):
        return _matrix(p, q, d)
    if space.element == "Real":
        alone = conversion(p, q, num(4)) == ONE
        moved = [Fraction(d), 0, 0, 0] if alone else norm_of(p).widest(Fraction(d), 4)
        return {"x": [0] * 4}, {"x": moved}
    changed = norm_of(p).changes(d, 4)
    if changed > 4 or (p == "LInf" and d > 1):
        return None
    return {"x": [0] * 4}, {"x": [1] * changed + [0] * (4 - changed)}


def _matrix(p: str, q: str, d: int) -> Witness | None:
    zero = [[0] * 4 for _ in range(4)]
    if p == "L2" and q == "L1":
        return ({"x": zero}, {"x": [[1] * d**2 + [0] * (4 - d**2), *zero[1:]]}) if d <= 2 else None
    row = [1] * 4 if p == "LInf" else [1, 0, 0, 0]
    return {"x": zero}, {"x": [list(row) for _ in range(d)] + zero[d:]}
