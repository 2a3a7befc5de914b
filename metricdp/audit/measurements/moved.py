"""Pairs of laws that are one pair, moved: their divergences are computed once."""

from __future__ import annotations

from functools import lru_cache
from math import floor
from typing import Any

from msgspec.structs import replace


def at_home(p: Any, q: Any) -> tuple[Any, Any]:
    """The pair of rounded laws on one grid moved by whole cells, and mirrored, so that the first
    centre lies in [0, 1) cells and the second at or above it; other pairs as they are.

    No divergence changes: both maps are bijections of the outcomes.  The noise is continuous and
    symmetric, so a cell and its mirror image have one mass (their ends have none).
    """
    from metricdp.laws.grid import GridLaw
    from metricdp.laws.rounded import RoundedLaw

    if not (isinstance(p, GridLaw) and isinstance(q, GridLaw) and p.step == q.step):
        return p, q
    mine, other = p.law, q.law
    if not isinstance(mine, RoundedLaw) or type(mine) is not type(other):
        return p, q
    if replace(mine, center=other.center) != other:
        return p, q  # of another scale, or another noise
    sign = -1 if other.center < mine.center else 1
    a, b = sign * mine.center, sign * other.center
    cells = floor(a)
    first, second = (replace(mine, center=center - cells) for center in (a, b))
    return GridLaw(first, p.step), GridLaw(second, p.step)


@lru_cache(maxsize=256)
def _rho(p: Any, q: Any) -> Any:
    from metricdp.laws import zcdp_rho

    return zcdp_rho(p, q)


def rho_between(p: Any, q: Any) -> Any:
    """`metricdp.laws.zcdp_rho`, known of pairs that were asked for before."""
    p, q = at_home(p, q)
    try:
        return _rho(p, q)
    except TypeError:
        # A law that holds a list or a dictionary has no hash.
        from metricdp.laws import zcdp_rho

        return zcdp_rho(p, q)
