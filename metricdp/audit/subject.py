"""What is attacked: a function between spaces with a claimed map, from whatever source."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import hypot, inf
from typing import Any

import msgspec

from metricdp.audit.unusual import Beyond, beyond_of
from metricdp.expr import INF, ZERO, Expr, compare, compose, linear_coefficient, maximum, num
from metricdp.maps import DistanceMap, Transformation
from metricdp.spaces import Space
from metricdp.spaces.lengths import Length
from metricdp.spaces.norms import NORMS

Values = Mapping[str, Any]
Pair = tuple[Values, Values]
#: What is said of a movement: an expression in d_in, or the map of a transformation.
Claimed = Expr | DistanceMap


class Claim:
    """Upper bound of the movement: per argument a map of its distance, summed or maximised.

    Args:
        maps: argument -> map in d_in; an expression may be wrong, negative ones included.
        combine: "sum" (triangle inequality), "max" (a direct proof), or the norm in which the
            arguments stand side by side.
        slack: absolute rounding error of the function, paid twice.
    """

    def __init__(
        self, maps: Mapping[str, Claimed], combine: str = "sum", slack: Expr = ZERO
    ) -> None:
        self.maps, self.combine, self.slack = maps, combine, slack
        self._slack = float(slack.upper({}))
        self._slopes = {name: _slope(g) for name, g in maps.items()}
        self._known: dict[tuple[str, float], float] = {}

    def as_float(self, distances: Mapping[str, float]) -> float:
        """The bound as a double, not rounded outward: for search only."""
        parts = [self._part(name, d) for name, d in distances.items() if d]
        if self.combine == "L2":
            return hypot(*parts) + 2 * self._slack
        total = max(parts, default=0.0) if self.combine in ("max", "LInf") else sum(parts)
        return total + 2 * self._slack

    def _part(self, name: str, d: float) -> float:
        slope = self._slopes[name]
        if slope is not None:
            return slope * d
        if d == inf:
            return inf
        found = self._known.get((name, d))
        if found is None:
            made, exact = self.maps[name], Fraction(d)
            value = made.upper({"d_in": exact}) if isinstance(made, Expr) else made(exact)
            found = self._known[name, d] = float(value)
        return found

    def value(self, distances: Mapping[str, Length]) -> Expr:
        """The bound, exactly (from above where a map is a Python function and d is irrational)."""
        parts = [_at(self.maps[name], d) for name, d in distances.items()]
        if self.combine == "max":
            return maximum(ZERO, *parts) + 2 * self.slack
        if self.combine in NORMS:
            return NORMS[self.combine].combined(parts) + 2 * self.slack
        return sum(parts, ZERO) + 2 * self.slack

    def holds(self, moved: Length, distances: Mapping[str, Length]) -> bool:
        """Whether the movement is within the bound, decided exactly."""
        bound = self.value(distances)
        if bound.is_infinite:
            return True
        number = bound.as_fraction()
        if number is not None:
            return moved.at_most(number)
        if moved.infinite:
            return False
        return compare(moved.expr(), "<=", bound) is not False

    def __str__(self) -> str:
        return ", ".join(
            str(g) if len(self.maps) == 1 else f"{g} in {name}" for name, g in self.maps.items()
        )


def _expr(g: Claimed) -> Expr | None:
    return g if isinstance(g, Expr) else g.expr


def _slope(g: Claimed) -> float | None:
    expr = _expr(g)
    slope = None if expr is None else linear_coefficient(expr)
    return None if slope is None else float(slope.upper({}))


def _at(g: Claimed, d: Length) -> Expr:
    expr = _expr(g)
    if expr is not None:
        if d.infinite:
            return INF if not expr.is_zero else ZERO
        return compose(expr, d.expr())
    if d.infinite:
        return INF
    if d == Length():
        return ZERO
    assert isinstance(g, DistanceMap)
    return num(g(d.expr().upper({})))


class Subject(msgspec.Struct, frozen=True):
    """A function under attack.

    Attributes:
        name: as printed.
        inputs: argument -> concrete space (numbers for every bound; sizes may be open).
        run: reference function of the arguments' values.
        output: space of the result.
        claim: what is claimed of the movement.
        pairs: pairs to try first, at d = 1, 2, 3 (tight pairs, pairs of the user).
        replay: command that repeats the attack, without the seed.
        beyond: what arguments may hold beside the values of their spaces; None where data are
            guarded.
    """

    name: str
    inputs: Mapping[str, Space]
    run: Callable[[Values], Any]
    output: Space
    claim: Claim
    pairs: tuple[Pair, ...] = ()
    replay: str = ""
    beyond: Beyond | None = None


def of_transformation(
    item: Transformation,
    replay: str = "",
    pairs: tuple[tuple[Any, Any], ...] = (),
    guarded: bool = False,
) -> Subject:
    """The subject of a concrete transformation; its argument is called x."""
    return Subject(
        item.name,
        {"x": item.input_space},
        lambda values: item.function(values["x"]),
        item.output_space,
        Claim({"x": item.stability}),
        tuple(({"x": a}, {"x": b}) for a, b in pairs),
        replay,
        beyond_of(item, guarded),
    )
