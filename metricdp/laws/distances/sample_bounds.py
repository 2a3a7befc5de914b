"""What samples prove about distances: one-sided bounds, each at a stated confidence.

An event that was chosen on one half of the samples is bounded on the other half by Clopper and
Pearson's intervals, P(S) from below and Q(S) from above, each wrong with probability at most half
of 1 - confidence.  Their difference and ratio are lower bounds of the hockey-stick divergence, the
total variation and d_DP.  No upper bound of these exists: laws that differ only on outcomes that
were not drawn have any ratio there, and a large total variation when such outcomes are many.

The earth mover's distance does have one, on an interval [low, high] that holds all outcomes: by the
band of Dvoretzky, Kiefer, Wolfowitz and Massart the integral of |F - F_n| is at most r times its
length.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.laws.distances.distance import Distance, decimals
from metricdp.laws.distances.public import d_em
from metricdp.laws.distances.sample_events import SampleEvent, best_event
from metricdp.laws.empirical import EmpiricalLaw
from metricdp.laws.interval import log, over, point
from metricdp.laws.numbers import real, share


class AtLeastFromSamples(msgspec.Struct, frozen=True):
    """distance >= low with this confidence; nothing is said about how large it may be.

    Attributes:
        low: the bound, 0 when the samples show nothing.
        confidence: of the bound, over the samples.
        event: what shows it, chosen on other samples than those that bound it.
        p, q: the lower bound of P(event) and the upper bound of Q(event).
        turned: whether P and Q change places in the event's probabilities.
    """

    low: Fraction
    confidence: Fraction
    event: SampleEvent
    p: Fraction
    q: Fraction
    turned: bool = False

    def __repr__(self) -> str:
        return f">= {decimals(self.low, False, 6)} at confidence {decimals(self.confidence, False)}"


def tv_from_samples(p: Any, q: Any, confidence: Any = "0.999") -> AtLeastFromSamples:
    """Lower bound of the total variation; arguments and errors as `hockey_stick_from_samples`."""
    return hockey_stick_from_samples(p, q, 1, confidence)


def hockey_stick_from_samples(
    p: Any, q: Any, factor: Any, confidence: Any = "0.999"
) -> AtLeastFromSamples:
    """Lower bound of sup P(S) - factor Q(S) from independent samples of both laws.

    Args:
        p, q: `EmpiricalLaw`s, or sequences of samples, four or more each.
        factor: e**epsilon >= 0.
        confidence: in (0, 1).

    Raises:
        ParameterError: other samples, factor or confidence.
    """
    t = share(factor, "factor")
    if t < 0:
        raise ParameterError("must not be negative", place="factor")
    here, there = _samples(p), _samples(q)
    event = best_event(here.samples[::2], there.samples[::2], float(t), False)
    return _bounded(here, there, event, t, confidence)


def d_dp_from_samples(p: Any, q: Any, confidence: Any = "0.999") -> AtLeastFromSamples:
    """Lower bound of d_DP: an epsilon that the mechanism's d_DP is not below; see above."""
    first, second = _samples(p), _samples(q)
    chosen = []
    for turned, (a, b) in ((False, (first, second)), (True, (second, first))):
        event = best_event(a.samples[::2], b.samples[::2], 1.0, True)
        share_of = [sum(x in event for x in s.samples[::2]) / len(s.samples[::2]) for s in (a, b)]
        chosen.append(((share_of[0] + 1e-3) / (share_of[1] + 1e-3), turned, event))
    _, turned, event = max(chosen, key=lambda choice: choice[:2])
    here, there = (second, first) if turned else (first, second)
    return _bounded(here, there, event, None, confidence, turned)


def _bounded(
    here: EmpiricalLaw,
    there: EmpiricalLaw,
    event: SampleEvent,
    t: Fraction | None,
    confidence: Any,
    turned: bool = False,
) -> AtLeastFromSamples:
    """The bound of P(event) - t Q(event), or without t of ln P(event) / Q(event)."""
    low = EmpiricalLaw(here.samples[1::2]).interval(event.__contains__, confidence)[0]
    high = EmpiricalLaw(there.samples[1::2]).interval(event.__contains__, confidence)[1]
    if t is not None:
        found = low - t * high
    else:
        found = log(over(point(low), point(high)))[0] if low > high else Fraction(0)
    return AtLeastFromSamples(
        max(Fraction(0), found), share(confidence, "confidence"), event, low, high, turned
    )


def em_from_samples(p: Any, q: Any, low: Any, high: Any, confidence: Any = "0.999") -> Distance:
    """Both bounds of the earth mover's distance of laws on [low, high], with this confidence.

    Raises:
        ParameterError: a sample outside of [low, high]; other samples or confidence.
    """
    here, there = _samples(p), _samples(q)
    start, end = real(low, "low"), real(high, "high")
    if any(not start <= real(x, "samples") <= end for s in (here, there) for x in s.counts):
        raise ParameterError(
            "a sample lies outside of [low, high]",
            place="samples",
            remedy="clamp the mechanism's output, or give a range that holds all outputs",
        )
    half = 1 - (1 - share(confidence, "confidence")) / 2
    slack = (end - start) * (here.radius(half) + there.radius(half))
    between = d_em(here.frequencies, there.frequencies).exact
    return Distance(
        max(Fraction(0), between - slack), min(end - start, between + slack),
        f"samples, confidence {confidence}",
    )  # fmt: skip


def _samples(law: Any) -> EmpiricalLaw:
    found = law if isinstance(law, EmpiricalLaw) else EmpiricalLaw(law)
    if len(found) < 4:
        raise ParameterError("four or more are needed", place="samples")
    return found
