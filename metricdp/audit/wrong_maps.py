"""Wrong versions of stability maps, which the attack has to refute.

A survivor is excused only when it is as large as the true map at every distance that the input
space attains (`equal_on`): then it is no different map.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction

from metricdp.expr import ONE, D, Expr, compare, num, root
from metricdp.record import Moves
from metricdp.spaces import Gradient, Scalar, Space, Vector

#: Distances at which two maps of a space with arbitrary distances are compared.
_SAMPLE = tuple(num(d) for d in (1, 2, 3, 5, Fraction(1, 2), 1000))


def drop_abs(g: Expr) -> Expr:
    """The negated bound: what |c| becomes without its bars, for a negative factor c."""
    return -g


def forget_d(g: Expr) -> Expr:
    """The value at distance 1, for every distance."""
    return g.subs({"d_in": ONE})


def root_d(g: Expr) -> Expr:
    """sqrt(d_in) in place of d_in."""
    return g.subs({"d_in": root(D)})


def halve(g: Expr) -> Expr:
    """Half the bound."""
    return g / 2


ONE_MAP: Mapping[str, Callable[[Expr], Expr]] = {
    "drop abs": drop_abs,
    "forget d": forget_d,
    "sqrt d": root_d,
    "halve": halve,
}


def swap_metric(moves: Moves) -> Moves:
    """The map of the opposite conversion: L1 -> L2 is taken for L2 -> L1, and back."""
    return {(p, q): moves.get((q, p), g) for (p, q), g in moves.items()}


def mutants(moves: Moves) -> dict[str, Callable[[Moves], Moves]]:
    """Name -> mutation, for those that change some finite map of `moves`."""

    def lifted(change: Callable[[Expr], Expr]) -> Callable[[Moves], Moves]:
        return lambda m: {
            key: g if g.is_infinite or g.is_zero else change(g) for key, g in m.items()
        }

    found = {name: lifted(change) for name, change in ONE_MAP.items()}
    found["swap metric"] = swap_metric
    return {name: change for name, change in found.items() if change(moves) != dict(moves)}


def equal_on(space: Space, g: Expr, wrong: Expr) -> bool:
    """Whether the wrong map is at least the true one at every distance that the space attains.

    Spaces that attain every distance are compared at a sample of them.
    """
    for d in attainable(space):
        true, changed = g.subs({"d_in": d}), wrong.subs({"d_in": d})
        if compare(changed, ">=", true) is not True:
            return False
    return True


def attainable(space: Space) -> Iterable[Expr]:
    """Nonzero distances: all of them where they are few, else a sample."""
    if isinstance(space, Scalar):
        if space.element in ("Data", "Bool"):
            return (ONE,)
        width = (space.hi - space.lo) if not space.lo.is_infinite else space.hi
        if space.element == "Int" and width == ONE:
            return (ONE,)
    if isinstance(space, (Vector, Gradient)) and space.element in ("Data", "Bool"):
        size = space.size.as_fraction() if space.size is not None else None
        if not space.geometry.inverse:
            return (ONE,)
        if size is not None:
            return [space.geometry.of_ones(num(k)) for k in range(1, int(size) + 1)]
    return _SAMPLE
