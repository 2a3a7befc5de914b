"""What an audit showed, under the trade-off curve of what was claimed."""

from __future__ import annotations

from math import exp, inf
from textwrap import fill, shorten
from typing import TYPE_CHECKING, Any

from metricdp.errors import ParameterError
from metricdp.pictures.axes import COLOURS, GREY, axes

if TYPE_CHECKING:
    from metricdp.audit.measurements.verdicts import Verdict

#: Longest text of an event in a legend, and its lines.
_LONG, _WIDE = 90, 28


def audited(verdict: Verdict, *, ax: Any = None) -> Any:
    """The claim's trade-off curve, the one that the audit leaves possible, and the attack.

    The attack is the test "the event happened, so the input is x": its false-alarm rate is the
    probability of the event on x', its miss rate that of the opposite on x.  Of samples, the point
    is at the bounds of both rates, which hold together at the verdict's confidence; the true rates
    lie to the left and below, as the thin lines say.  A point below the claimed curve refutes.

    Args:
        verdict: of any auditor, on a claim in epsilon and delta.
        ax: axes to draw into.

    Returns:
        The axes.

    Raises:
        MissingExtraError: matplotlib is not installed.
        ParameterError: a claim in rho or of nothing, or a verdict without a number.

    The curve of (epsilon, delta) is max(0, 1 - delta - e^epsilon a, e^-epsilon (1 - delta - a)).
    Source: Dong, Roth, Su (2022), Proposition 2.5, after Wasserman and Zhou (2010).
    """
    claim = _claim(verdict)
    alone, ax = ax is None, axes(ax, f"Audit of {verdict.name}")
    if alone:
        ax.figure.set_size_inches(7.8, 4.4)
    epsilon, delta = float(claim.epsilon), float(claim.delta)
    ax.plot([0, 1], [1, 0], color=GREY, linestyle=":", linewidth=1, label="guessing blindly")
    rates, misses = curve(epsilon, delta)
    ax.plot(
        rates, misses, color=COLOURS[0], linewidth=1.8, label=f"claimed: {fill(str(claim), _WIDE)}"
    )
    ax.fill_between(rates, 0, misses, color=COLOURS[0], alpha=0.06, linewidth=0)
    reached(verdict, ax)
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    ax.set_xlabel("false-alarm rate: event on x'")
    ax.set_ylabel("miss rate: no event on x")
    # Beside the axes: steep curves and the diagonal leave no corner free.
    ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.02, 1.0), fontsize=9)
    return ax


def reached(verdict: Verdict, ax: Any) -> None:
    """What an audit showed, drawn on the axes of a trade-off curve; see `audited`."""
    claim = _claim(verdict)
    loss = None if verdict.loss is None else float(verdict.loss)
    if loss is None:
        raise ParameterError(
            "the verdict has no number to draw: what leaks has no epsilon",
            place="verdict",
            remedy="print(verdict)",
        )
    sure = f",\nconfidence 1 - {verdict.false_alarm:.2g}" if verdict.false_alarm else ""
    rates, misses = curve(loss, float(claim.delta))
    ax.plot(
        rates, misses, color=COLOURS[1], linewidth=1.4, linestyle="--",
        label=f"shown: epsilon {'oo' if loss == inf else f'{loss:.3g}'}{sure}",
    )  # fmt: skip
    if verdict.p is None or verdict.q is None:
        return
    alarm, miss = float(verdict.q[1]), 1 - float(verdict.p[0])
    if verdict.false_alarm:
        bounds = {"color": COLOURS[1], "linewidth": 0.8, "alpha": 0.6}
        ax.plot([0, alarm], [miss, miss], **bounds)
        ax.plot([alarm, alarm], [0, miss], **bounds)
    text = shorten(verdict.event, _LONG, placeholder=" ...")
    ax.plot(
        [alarm], [miss], "o", color=COLOURS[1], markersize=5, clip_on=False, zorder=3,
        label=fill(text, _WIDE),
    )  # fmt: skip


def curve(epsilon: float, delta: float) -> tuple[list[float], list[float]]:
    """Corners of the trade-off curve of (epsilon, delta): false-alarm rates and miss rates."""
    if epsilon == inf:
        return [0.0, 0.0, 1.0], [1 - delta, 0.0, 0.0]
    ratio = exp(min(epsilon, 700.0))
    fold = (1 - delta) / (1 + ratio)
    return [0.0, fold, 1 - delta, 1.0], [1 - delta, fold, 0.0, 0.0]


def _claim(verdict: Any) -> Any:
    claim: Any = getattr(verdict, "claim", None)
    measure = getattr(claim, "measure", "")
    if measure not in ("pure", "approx") or claim.epsilon == inf:
        raise ParameterError(
            "a trade-off curve is drawn of a verdict on a claim in epsilon and delta",
            place="verdict",
            remedy="audited(audit.sampled(mechanism, epsilon=1, pairs=...))",
        )
    return claim
