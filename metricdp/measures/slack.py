"""Advanced composition of a whole tree, for a delta that is given up: the slack.

Every event, every block of private rows and every block on one sample is one step with its own
(epsilon, delta); a choice by public or released values counts with the largest of each sum.  See
`composition` for the theorem and for what it requires.
"""

from __future__ import annotations

from typing import Any

from metricdp.expr import ZERO, Expr, maximum
from metricdp.measures.composition import Approx, advanced_sums, better_of
from metricdp.measures.events import Choice, Repeat, Sequence, Tree
from metricdp.measures.mixed import mixed, mixes
from metricdp.measures.pure_rho import pure_to_zcdp
from metricdp.measures.readings import available, over_rounds, spent

#: Sums over steps of epsilon tanh(epsilon / 2), of epsilon^2, and of delta.
Sums = tuple[Expr, Expr, Expr]


def with_slack(tree: Tree, source: Any, distance: Expr, slack: Expr) -> Approx:
    """The better of basic and advanced composition, at the delta of the advanced one; steps with a
    rho alone are converted at the slack (`mixed`).

    Args:
        tree: available in (epsilon, delta) or in (rho, delta), or one that `mixes`.
        source, distance: see `readings.spent`.
        slack: required to lie in (0, 1).
    """
    if mixes(tree) or "approx" not in available(tree):
        return mixed(tree, source, distance, slack)
    epsilon, delta = spent(tree, "approx", source, distance)
    return better_of(Approx(epsilon, delta), advanced_sums(*_sums(tree, source, distance), slack))


def _sums(tree: Tree, source: Any, distance: Expr) -> Sums:
    if isinstance(tree, Sequence):
        drift = squares = delta = ZERO
        for item in tree.items:
            a, b, c = _sums(item, source, distance)
            drift, squares, delta = drift + a, squares + b, delta + c
        return drift, squares, delta
    if isinstance(tree, Choice):
        options = [_sums(item, source, distance) for item in tree.items]
        first, second, third = (maximum(*parts) for parts in zip(*options, strict=True))
        return first, second, third
    if isinstance(tree, Repeat):
        first, second, third = (
            over_rounds(tree, part) for part in _sums(tree.body, source, distance)
        )
        return first, second, third
    epsilon, delta = spent(tree, "approx", source, distance)
    return pure_to_zcdp(epsilon), epsilon**2, delta
