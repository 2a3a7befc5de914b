"""Privacy profile and trade-off curve of a guarantee, with the bracket that is certified.

A curve is computed where the straight lines between its points do not belie it: close where it
falls steeply, and at its corners.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import inf, log10
from typing import TYPE_CHECKING, Any, TypeVar

from metricdp.errors import ParameterError
from metricdp.pictures.audits import reached
from metricdp.pictures.axes import COLOURS, GREY, axes

if TYPE_CHECKING:
    from metricdp.measures.guarantee import Guarantee


#: The smallest delta that a profile shows unless its epsilons are given, in decades; mechanisms
#: that may leak everything with some probability stop before.
_FAR = range(12, 0, -1)
#: What is computed at a point; the second argument reads a float from it.
Found = TypeVar("Found")

#: Largest fall of delta between two points, in decades; closer points than the part of the range
#: that follows cannot be told apart on paper.
_DECADES, _NEAR = 0.5, 1 / 1024
#: Largest distance of a chord from a convex curve of rates in [0, 1].
_GAP = 0.005
#: Rounds of halving, each at most doubling the points.
_ROUNDS = 6

Points = dict[float, Found]


def profile(
    guarantee: Any, epsilons: Sequence[float] | None = None, *, label: str = "", ax: Any = None
) -> Any:
    """delta as a function of epsilon, with the certified bracket shaded.

    Args:
        guarantee: what `metricdp.measures.account` returns.
        epsilons: where it is computed; None: from 0 to where delta is 1e-12 (or the least
            power of ten that it reaches), closer where delta falls steeply.
        label: name in the legend; "": the relation, in words.
        ax: axes to draw into.

    Returns:
        The axes.

    Raises:
        MissingExtraError: matplotlib is not installed.
        ParameterError: no guarantee, no axes; no epsilon was given, or a negative one.
    """
    _known(guarantee, "profile")
    ax = axes(ax, "Privacy profile")

    def delta(epsilon: float) -> Any:
        return guarantee.delta(Fraction(epsilon))

    if epsilons is None:
        far = _far(guarantee)
        points = falling(delta, lambda x: float(x.upper), [far * i / 32 for i in range(33)])
        epsilons, found = list(points), list(points.values())
    else:
        epsilons = _floats(epsilons, "epsilons")
        if not epsilons or not min(epsilons) >= 0:
            raise ParameterError("epsilons are at least 0, and at least one", place="epsilons")
        found = [delta(e) for e in epsilons]
    lower = [float(x.lower) for x in found]
    upper = [float(x.upper) for x in found]
    colour = COLOURS[len(ax.get_lines()) % len(COLOURS)]
    (line,) = ax.plot(epsilons, upper, color=colour, linewidth=1.8, label=label or guarantee.unit)
    ax.fill_between(epsilons, lower, upper, color=line.get_color(), alpha=0.25, linewidth=0)
    positive = [x for x in upper if x > 0]
    if positive:
        ax.set_yscale("log")
        ax.set_ylim(bottom=min([*positive, ax.get_ylim()[0]]) / 2, top=1.5)
    ax.set_xlim(left=0)
    ax.set_xlabel("ε")
    ax.set_ylabel("δ(ε), certified bracket")
    ax.legend(frameon=False)
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
        label: name in the legend; "": that it is proved, and the relation in words.
        samples: number of false-alarm rates, at least 2; more are added at corners.
        ax: axes to draw into.

    Returns:
        The axes.

    Raises:
        MissingExtraError: matplotlib is not installed.
        ParameterError: no guarantee, no axes; fewer than 2 samples, a point outside the unit
            square, or a verdict that has no number.
    """
    _known(guarantee, "tradeoff")
    attacks = _pairs(points)
    if samples < 2 or not all(0 <= x <= 1 for point in attacks for x in point):
        raise ParameterError("rates lie in [0, 1], and a curve needs 2 samples", place="tradeoff")
    alone, ax = ax is None, axes(ax, "Trade-off: mistakes that no attacker can avoid")
    if alone:
        ax.figure.set_size_inches(7.8, 4.4)
    # Dense near 0, where curves are steep.
    starts = [(i / (samples - 1)) ** 2 for i in range(samples)]
    curve = convex(lambda a: guarantee.tradeoff(Fraction(a)), lambda x: float(x.lower), starts)
    rates, found = list(curve), list(curve.values())
    lower = [float(x.lower) for x in found]
    upper = [float(x.upper) for x in found]
    if not ax.get_lines():
        ax.plot([0, 1], [1, 0], color=GREY, linestyle=":", linewidth=1, label="guessing blindly")
    colour = COLOURS[(len(ax.get_lines()) - 1) % len(COLOURS)]
    ax.plot(rates, lower, color=colour, linewidth=1.8, label=label or f"proved: {guarantee.unit}")
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
    # Beside the axes: steep curves and the diagonal leave no corner free.
    ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.02, 1.0), fontsize=9)
    return ax


def _far(guarantee: Guarantee) -> float:
    """The epsilon up to which a profile is drawn."""
    from metricdp.accounting.engines import NoAnswerError

    for decade in _FAR:
        try:
            return float(guarantee.epsilon(Fraction(1, 10**decade)).upper) or 1.0
        except NoAnswerError:
            continue
    return 1.0


def _known(guarantee: Any, name: str) -> None:
    from metricdp.measures.guarantee import Guarantee

    if not isinstance(guarantee, Guarantee):
        raise ParameterError(
            f"{type(guarantee).__name__} is no guarantee",
            place=name,
            remedy=f'{name}(account(Gaussian(1), "add or remove"))',
        )


def _floats(values: Any, place: str) -> list[float]:
    try:
        return [float(x) for x in values]
    except (TypeError, ValueError):
        raise ParameterError(
            f"{type(values).__name__} gives no list of numbers", place=place,
            remedy=f"{place}=[0, 0.5, 1]",
        ) from None  # fmt: skip


def _pairs(points: Any) -> list[tuple[float, float]]:
    try:
        return [(float(a), float(b)) for a, b in points]
    except (TypeError, ValueError):
        raise ParameterError(
            f"{type(points).__name__} gives no pairs of rates", place="points",
            remedy="points=[(false_alarm_rate, miss_rate)]",
        ) from None  # fmt: skip


def falling(
    at: Callable[[float], Found], read: Callable[[Found], float], starts: Sequence[float]
) -> Points[Found]:
    """Points of a decreasing curve on a logarithmic scale, close where it falls steeply.

    A pure mechanism has delta 0 from its epsilon on: the chord to that end would show a delta that
    is too small by orders of magnitude.
    """

    def steep(xs: list[float], ys: list[float], i: int) -> bool:
        high, low = ys[i], ys[i + 1]
        fall = (log10(high) - log10(low) if low > 0 else inf) if high > 0 else 0.0
        return xs[i + 1] - xs[i] > _NEAR * xs[-1] and fall > _DECADES

    return _halved(at, read, starts, steep)


def convex(
    at: Callable[[float], Found], read: Callable[[Found], float], starts: Sequence[float]
) -> Points[Found]:
    """Points of a convex curve, close at its corners.

    A chord lies above the curve, which would promise too many mistakes of an attacker: between two
    points the curve is above the lines through the next points on either side.
    """

    def high(xs: list[float], ys: list[float], i: int) -> bool:
        if i == 0 or i + 2 >= len(xs):
            return False
        left, chord, right = ((ys[j + 1] - ys[j]) / (xs[j + 1] - xs[j]) for j in (i - 1, i, i + 1))
        if right <= left:
            return False
        corner = (ys[i + 1] - ys[i] + left * xs[i] - right * xs[i + 1]) / (left - right)
        return (chord - left) * (corner - xs[i]) > _GAP

    return _halved(at, read, starts, high)


def _halved(
    at: Callable[[float], Found],
    read: Callable[[Found], float],
    starts: Sequence[float],
    wanted: Callable[[list[float], list[float], int], bool],
) -> Points[Found]:
    points = {x: at(x) for x in starts}
    for _ in range(_ROUNDS):
        xs = sorted(points)
        ys = [read(points[x]) for x in xs]
        middles = [(xs[i] + xs[i + 1]) / 2 for i in range(len(xs) - 1) if wanted(xs, ys, i)]
        if not middles:
            break
        points.update((x, at(x)) for x in middles)
    return {x: points[x] for x in sorted(points)}
