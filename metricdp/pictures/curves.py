"""Privacy profile and trade-off curve of a guarantee, with the bracket that is certified."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from metricdp.errors import ParameterError
from metricdp.pictures.audits import reached
from metricdp.pictures.axes import COLOURS, GREY, axes

#: The smallest delta that a profile shows unless its epsilons are given.
_FAR = 1e-12


def profile(
    guarantee: Any, epsilons: Sequence[float] | None = None, *, label: str = "", ax: Any = None
) -> Any:
    """delta as a function of epsilon, with the certified bracket shaded.

    Args:
        guarantee: what `metricdp.measures.account` returns.
        epsilons: where it is computed; None: from 0 to where delta is 1e-12.
        label: name in the legend, when several guarantees share the axes.
        ax: axes to draw into.

    Returns:
        The axes.

    Raises:
        MissingExtraError: matplotlib is not installed.
        ParameterError: no epsilon was given, or a negative one.
    """
    if epsilons is None:
        far = float(guarantee.epsilon(Fraction(_FAR)).upper)
        epsilons = [far * i / 32 for i in range(33)]
    if not epsilons or min(epsilons) < 0:
        raise ParameterError("epsilons are at least 0, and at least one", place="epsilons")
    ax = axes(ax, "Privacy profile")
    found = [guarantee.delta(Fraction(e)) for e in epsilons]
    lower = [float(x.lower) for x in found]
    upper = [float(x.upper) for x in found]
    colour = COLOURS[len(ax.get_lines()) % len(COLOURS)]
    (line,) = ax.plot(epsilons, upper, color=colour, linewidth=1.8, label=label or None)
    ax.fill_between(epsilons, lower, upper, color=line.get_color(), alpha=0.25, linewidth=0)
    ax.set_yscale("log")
    positive = [x for x in upper if x > 0]
    if positive:
        ax.set_ylim(bottom=min([*positive, ax.get_ylim()[0]]) / 2, top=1.5)
    ax.set_xlim(left=0)
    ax.set_xlabel("ε")
    ax.set_ylabel("δ(ε), certified bracket")
    _legend(ax, label)
    return ax


def tradeoff(
    guarantee: Any,
    points: Iterable[tuple[float, float]] = (),
    *,
    audit: Any = None,
    label: str = "",
    samples: int = 33,
    ax: Any = None,
) -> Any:
    """The least miss rate of any attacker at each false-alarm rate, with what an audit reached.

    Args:
        guarantee: what `metricdp.measures.account` returns.
        points: (false-alarm rate, miss rate) of attacks, each in [0, 1]; a point below the curve
            shows that the guarantee is false.
        audit: a verdict, whose attack and lower bound are drawn; see `pictures.audited`.
        label: name in the legend.
        samples: number of false-alarm rates, at least 2.
        ax: axes to draw into.

    Returns:
        The axes.

    Raises:
        MissingExtraError: matplotlib is not installed.
        ParameterError: fewer than 2 samples, a point outside the unit square, or a verdict that has
            no number.
    """
    attacks = [(float(a), float(b)) for a, b in points]
    if samples < 2 or not all(0 <= x <= 1 for point in attacks for x in point):
        raise ParameterError("rates lie in [0, 1], and a curve needs 2 samples", place="tradeoff")
    ax = axes(ax, "Trade-off: mistakes that no attacker can avoid")
    # Dense near 0, where curves are steep.
    rates = [(i / (samples - 1)) ** 2 for i in range(samples)]
    found = [guarantee.tradeoff(Fraction(a)) for a in rates]
    lower = [float(x.lower) for x in found]
    upper = [float(x.upper) for x in found]
    if not ax.get_lines():
        ax.plot([0, 1], [1, 0], color=GREY, linestyle=":", linewidth=1, label="guessing blindly")
    colour = COLOURS[(len(ax.get_lines()) - 1) % len(COLOURS)]
    ax.plot(rates, lower, color=colour, linewidth=1.8, label=label or "proved")
    ax.fill_between(rates, lower, upper, color=colour, alpha=0.25, linewidth=0)
    ax.fill_between(rates, 0, lower, color=colour, alpha=0.06, linewidth=0)
    if attacks:
        xs, ys = zip(*attacks, strict=True)
        ax.plot(xs, ys, "o", color=COLOURS[1], markersize=5, label="reached by the audit")
    if audit is not None:
        reached(audit, ax)
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    ax.set_xlabel("false-alarm rate")
    ax.set_ylabel("miss rate")
    ax.legend(frameon=False, loc="upper right")
    return ax


def _legend(ax: Any, label: str) -> None:
    if label:
        ax.legend(frameon=False)
