"""Events that read a secret, fresh random sample of the rows.

With (P, Q) the dominating pair of the event on its sample, P the law of the sample with the row:
- Poisson, add or remove (and zero out): ((1-q) Q + q P, Q) and its reverse, exactly.  Advanced
  joint convexity (Balle, Barthe, Gaboardi 2018, Theorem 2): the sampled profile at
  ln(1 + q(e^eps - 1)) is q times the base's at eps; the reverse follows from the same curve.
- Poisson, replace: exact for Gaussian noise, a bound for pure events; others are refused.
- m of n rows without replacement, replace: the pair of `losses.sampling` at rate m/n (Zhu, Dong,
  Wang 2022; Balle, Barthe, Gaboardi 2018, Theorem 9).  The lower end is the one mixture pair that
  some data have in every round.
- m draws with replacement from n rows, replace: their Theorem 10.
A sample of fixed size is refused where a row may be added or removed: the number of rows is then
private, and the rate is not defined.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.expr import num
from metricdp.measures import renyi, sampling
from metricdp.measures.accounting import sampled_losses
from metricdp.measures.accounting.additive import Gaussian
from metricdp.measures.accounting.combined import Composed, Repeated, checked
from metricdp.measures.accounting.event import FREE, Event, NoCurve, Pieces, refuse
from metricdp.measures.accounting.parameters import share, whole
from metricdp.measures.accounting.relations import Case
from metricdp.measures.facts import pure_epsilon
from metricdp.measures.rounded import exp_down, exp_up, ln_down, ln_up, short_up
from metricdp.measures.step import Step


class Poisson(Event, frozen=True):
    """Every row is in the sample with probability `rate`, independently and afresh.

    Args:
        rate: in [0, 1].
        event: what reads the sample; per row of the sample.

    Raises:
        ParameterError: a rate outside [0, 1].
    """

    rate: Any
    event: Any

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "rate", share(self.rate, "rate", self.place))
        checked(self.event, self.place)

    def pieces(self, case: Case) -> Pieces:
        if not self.rate:
            return FREE
        if self.rate == 1:
            found: Pieces = self.event.pieces(case)
            return found
        if isinstance(self.event, Poisson):
            # A sample of a sample is a sample.
            return Poisson(self.rate * self.event.rate, self.event.event).pieces(case)
        _one_row(self, case)
        if case.kind == "replace":
            return self._replaced(case)
        base = _base(self, case.kind)
        return _both(base, lambda loss: sampled_losses.poisson(loss, self.rate, case.forward))

    def _replaced(self, case: Case) -> Pieces:
        base = _base(self, "add or remove")
        lower = _both(base, lambda loss: sampled_losses.poisson(loss, self.rate, case.forward))
        if _is_gaussian(self.event):
            # Antipodal contributions: the worst ones where a replaced row may move by 2.
            both = _both(base, lambda loss: sampled_losses.poisson_replace(loss, self.rate))
            far: Pieces = self.event.pieces(case)
            antipodal = sampled_losses.opposite(base.lower, far.lower)
            return both if antipodal else Pieces(both.upper, lower.lower)
        spent = _pure(self.event)
        if spent is None:
            raise refuse(
                self, case, "known for Gaussian noise and for events with a pure epsilon",
                'ask for "add or remove" or "zero out", or sample without replacement',
            )  # fmt: skip
        # Through the data without the row, both directions add (`measures.sampling`).
        there = ln_up(1 + self.rate * (exp_up(spent) - 1))
        back = ln_down(1 - self.rate * (1 - exp_down(-spent)))
        from metricdp.measures.losses.response import ResponseLoss

        return Pieces(((ResponseLoss(short_up(there - back)), 1),), lower.lower)

    def steps(self, case: Case) -> tuple[Step, ...]:
        if isinstance(self.event, Poisson):
            return Poisson(self.rate * self.event.rate, self.event.event).steps(case)
        return _sampled_step(self.event, sampling.Poisson(num(self.rate)), case, "add or remove")


class WithoutReplacement(Event, frozen=True):
    """A uniform set of `size` of the `rows` rows, afresh each time; both numbers are public.

    Args:
        size: rows of the sample, between 0 and `rows`.
        rows: rows of the data, >= 1.
        event: what reads the sample; per row of the sample.

    Raises:
        ParameterError: more rows in the sample than there are.
    """

    size: Any
    rows: Any
    event: Any

    def __post_init__(self) -> None:
        put = msgspec.structs.force_setattr
        put(self, "rows", whole(self.rows, "rows", self.place, least=1))
        put(self, "size", whole(self.size, "size", self.place))
        if self.size > self.rows:
            raise ParameterError(
                f"{self.size} of {self.rows} rows", place=self.place,
                remedy="choose size <= rows, or WithReplacement",
            )  # fmt: skip
        checked(self.event, self.place)

    def pieces(self, case: Case) -> Pieces:
        _fixed(self, case)
        if not self.size:
            return FREE
        if self.size == self.rows:
            found: Pieces = self.event.pieces(case)
            return found
        rate = Fraction(self.size, self.rows)
        # Zeroing a row out is one way of replacing it; a row that another one takes the place of
        # in the sample is always replaced.
        base, near = _either_way(self, case), _base(self, case.kind)
        upper = _both(base, lambda loss: sampled_losses.without_replacement(loss, rate))
        lower = _both(near, lambda loss: sampled_losses.poisson(loss, rate, case.forward))
        return Pieces(upper.upper, lower.lower)

    def steps(self, case: Case) -> tuple[Step, ...]:
        scheme = sampling.WithoutReplacement(num(self.size), num(self.rows))
        return _sampled_step(self.event, scheme, _fixed(self, case), "replace")


class WithReplacement(Event, frozen=True):
    """`draws` independent uniform draws from the `rows` rows, afresh each time.

    Args:
        draws: >= 0.
        rows: rows of the data, >= 1; public.
        event: what reads the sample; per row of the sample.

    Raises:
        ParameterError: a number outside its range.
    """

    draws: Any
    rows: Any
    event: Any

    def __post_init__(self) -> None:
        put = msgspec.structs.force_setattr
        put(self, "draws", whole(self.draws, "draws", self.place))
        put(self, "rows", whole(self.rows, "rows", self.place, least=1))
        checked(self.event, self.place)

    def pieces(self, case: Case) -> Pieces:
        _fixed(self, case)
        if not self.draws:
            return FREE
        near, first = _base(self, case.kind), _either_way(self, case)
        chance = 1 - (1 - Fraction(1, self.rows)) ** self.draws
        lower = near
        if chance < 1:
            lower = _both(near, lambda loss: sampled_losses.poisson(loss, chance, case.forward))
        if not first.upper:
            return Pieces(first.upper, lower.lower)
        law = sampled_losses.with_replacement(self._copies, self.draws, self.rows)
        return Pieces(((law, 1),), lower.lower)

    def _copies(self, copies: int) -> Any:
        """The law of what reads the sample when so many of its rows are replaced."""
        pieces: Pieces = self.event.pieces(Case("replace", units=copies))
        ((law, _),) = sampled_losses.merged(pieces.upper or (), upper=True)
        return law

    def steps(self, case: Case) -> tuple[Step, ...]:
        scheme = sampling.WithReplacement(num(self.draws), num(self.rows))
        return _sampled_step(self.event, scheme, _fixed(self, case), "replace")


class TruncatedPoisson(Event, frozen=True):
    """A Poisson sample of which at most `most` rows are kept, by any rule.

    The law differs from that of the full sample by at most tau = P(Binomial(rows, rate) > most) in
    total variation, on each of the two data sets, so R rounds cost
    delta(eps) + R tau (1 + e^eps) with delta the profile of plain Poisson samples.

    Args:
        rate: in [0, 1].
        most: rows that are kept at most, >= 0.
        rows: rows of the data at most; >= 1.
        event: what reads the sample; per row of the sample.

    Raises:
        ParameterError: a number outside its range.
    """

    rate: Any
    most: Any
    rows: Any
    event: Any

    def __post_init__(self) -> None:
        put = msgspec.structs.force_setattr
        put(self, "rate", share(self.rate, "rate", self.place))
        put(self, "most", whole(self.most, "most", self.place))
        put(self, "rows", whole(self.rows, "rows", self.place, least=1))
        checked(self.event, self.place)

    @property
    def plain(self) -> Poisson:
        """The same sample without the cut."""
        return Poisson(self.rate, self.event)

    def pieces(self, case: Case) -> Pieces:
        gap = binomial_above(self.rows, self.rate, self.most)
        return msgspec.structs.replace(self.plain.pieces(case), gap=gap)

    def steps(self, case: Case) -> tuple[Step, ...]:
        return self.plain.steps(case)


def binomial_above(rows: int, rate: Fraction, most: int) -> Fraction:
    """P(Binomial(rows, rate) > most), rounded up.

    Terms fall by ratios that fall from one to the next, so that a geometric sum bounds what is
    left once a ratio is below 1.
    """
    if most >= rows or not rate:
        return Fraction(0)
    if rate == 1 or (most + 1) <= rows * rate:
        return Fraction(1)
    k, odds = most + 1, rate / (1 - rate)
    term = short_up(_ln_binomial_up(rows, rate, k))
    total = term
    while True:
        ratio = short_up(Fraction(rows - k, k + 1) * odds)
        if k == rows or term < total / 2**80:
            break
        k, term = k + 1, short_up(term * ratio)
        total += term
    return min(Fraction(1), short_up(total + term * ratio / (1 - ratio)))


def _ln_binomial_up(rows: int, rate: Fraction, k: int) -> Fraction:
    """P(Binomial = k), rounded up."""
    log = k * ln_up(rate) + (rows - k) * ln_up(1 - rate)
    return comb(rows, k) * exp_up(log)


def _one_row(event: Event, case: Case) -> None:
    if case.units != 1:
        raise refuse(
            event, case, f"{case.units} rows are in the sample in every number up to that",
            "ask for one row, or use group privacy on the answer",
        )  # fmt: skip


def _fixed(event: Event, case: Case) -> Case:
    """The case, if the number of rows is public in it."""
    if case.kind == "add or remove":
        raise refuse(
            event, case, "a sample of fixed size needs a public number of rows",
            'ask for relation="replace", or use Poisson(rate, event)',
        )  # fmt: skip
    _one_row(event, case)
    return case


_SAMPLERS = (Poisson, WithoutReplacement, WithReplacement, TruncatedPoisson)


def _base(event: Any, kind: Any) -> Pieces:
    """Pieces of what reads the sample, of one round, with one law on either side."""
    inner = event.event
    if isinstance(inner, _SAMPLERS):
        raise ParameterError(
            f"{inner.place} inside {event.place}", place=event.place,
            remedy="sample once: only Poisson samples of Poisson samples are supported",
        )  # fmt: skip
    found: Pieces = inner.pieces(Case(kind))
    if found.gap:
        raise ParameterError(f"{inner.place} inside {event.place}", place=event.place)
    return Pieces(
        None if found.upper is None else sampled_losses.merged(found.upper, upper=True),
        sampled_losses.merged(found.lower, upper=False),
    )


def _either_way(event: Any, case: Case) -> Pieces:
    """The base under replacement, where either sample may be the one that is named first.

    In a sample of fixed size another row stands where the row in question is left out, so the base
    has to dominate both orders; a pair of laws that is worse in one order than in the other is
    refused.
    """
    base = _base(event, "replace")
    other = event.event.pieces(Case("replace", forward=False))
    back = None if other.upper is None else sampled_losses.merged(other.upper, upper=True)
    if base.upper != back and not sampled_losses.same_law(base.upper, back):
        raise refuse(
            event, case, f"{event.event.place} is worse in one direction than in the other, and"
            " a replaced row may be in the sample of either",
            "give a pair of laws that dominates both directions",
        )  # fmt: skip
    return base


def _both(base: Pieces, sampler: Any) -> Pieces:
    upper = None if base.upper is None else tuple((sampler(x), 1) for x, _ in base.upper)
    return Pieces(upper, tuple((sampler(x), 1) for x, _ in base.lower))


def _sampled_step(event: Any, scheme: sampling.Scheme, case: Case, base: Any) -> tuple[Step, ...]:
    """One step: what reads a sample composes first and is amplified once."""
    steps: tuple[Step, ...] = event.steps(Case(base))
    if not steps:
        return ()
    if not all(step.whole for step in steps):
        raise NoCurve  # the curve of a step that samples again is not that of its mechanism
    curves = [(step.curve, step.count) for step in steps]
    gaussians = [(c.rho * k) for c, k in curves if isinstance(c, renyi.Gaussian) and c.fine]
    curve: renyi.Curve
    if len(gaussians) == len(curves):
        curve = renyi.Gaussian(sum(gaussians, Fraction(0)))
    elif len(curves) == 1 and curves[0][1] == 1:
        curve = curves[0][0]
    else:
        curve = renyi.Composed(tuple(curves))
    leak = sum((step.leak * step.count for step in steps), Fraction(0))
    kind: sampling.Adjacency = "replace" if base == "replace" or case.kind == "replace" else base
    return (Step(curve, 1, leak, scheme, adjacency=kind, units=case.units),)


def _is_gaussian(event: Event) -> bool:
    """Whether everything that reads the sample is Gaussian noise."""
    if isinstance(event, Repeated):
        return _is_gaussian(event.event)
    if isinstance(event, Composed):
        return bool(event.events) and all(_is_gaussian(each) for each in event.events)
    return isinstance(event, Gaussian)


def _pure(event: Event) -> Fraction | None:
    """The pure epsilon of an event when a row is added or removed, or None."""
    total = Fraction(0)
    for step in event.steps(Case("add or remove")):
        pure = pure_epsilon(step.curve) if step.whole and not step.leak else None
        if pure is None:
            return None
        total += step.count * pure
    return total
