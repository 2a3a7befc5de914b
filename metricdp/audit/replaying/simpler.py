"""From a pair that replay refutes by to a simpler one: fewer rows, rounder values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from metricdp.audit.measurements.neighbours import Pair
from metricdp.audit.measurements.shrinking import smaller
from metricdp.audit.replaying.findings import Finding
from metricdp.audit.replaying.paths import Path
from metricdp.audit.replaying.programs import Distances
from metricdp.errors import ReplayError

Values = Mapping[str, Any]
#: Seconds for a simpler pair, about.
_SHRINKING = 1.0


def simpler(
    attack: Any,
    found: Finding,
    x: Values,
    y: Values,
    apart: Distances,
    paths: Callable[[], list[Path]],
) -> tuple[Finding, Values, Values, Distances]:
    """The same kind of finding on a simpler pair, where one private input is all there is.

    Args:
        attack: the search, whose `try_pair` looks at a pair.
        found: on the inputs x and y, which are so far apart.
        paths: along which simpler pairs are looked at.
    """
    if len(attack.program.inputs) != 1:
        return found, x, y, apart
    [(name, space)] = attack.program.inputs.items()
    best = found

    def breaks(pair: Pair) -> bool:
        nonlocal best
        distances = {name: pair.d or Fraction(1)}
        try:
            other = attack.try_pair({name: pair.x}, {name: pair.x2}, distances, paths())
        except ReplayError:
            return False
        if other is None or (other.kind, other.site) != (found.kind, found.site):
            return False
        if found.loss is not None and (other.loss is None or other.loss < found.loss):
            return False
        best = other
        return True

    simple = smaller(Pair(x[name], y[name], apart[name]), space, breaks, _SHRINKING)
    if simple is None:
        return found, x, y, apart
    return best, {name: simple.x}, {name: simple.x2}, {name: simple.d or Fraction(1)}
