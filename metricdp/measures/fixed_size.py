"""Samples of a fixed size from a public number of rows, one row replaced.

- m of n rows without replacement: the pair of `losses.sampled_cells` at rate m/n (Zhu, Dong,
  Wang 2022; Balle, Barthe, Gaboardi 2018, Theorem 9).  The lower end is the one mixture pair that
  some data have in every round.
- m draws with replacement from n rows: their Theorem 10; under Gaussian noise the smaller law of
  `losses.fixed_size_gaussian`, which also answers for several rows.
Both are refused where a row may be added or removed: the number of rows is then private, and the
rate is not defined.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import comb
from typing import Any

import msgspec

from metricdp.accounting.losses.loss import Parts
from metricdp.accounting.rounded import short_down
from metricdp.errors import InternalError, ParameterError
from metricdp.expr import num
from metricdp.measures import sampled_losses, sampling
from metricdp.measures.accounted import FREE, Case, Event, Pieces, refuse
from metricdp.measures.combined import checked
from metricdp.measures.parameters import whole
from metricdp.measures.samplers import (
    Sampler,
    base_pieces,
    one_row,
    sampled_step,
    through,
)
from metricdp.measures.step import Step

#: Numbers of replaced rows whose probability is below this are not told apart.
RAREST = Fraction(1, 10**45)
#: From below, rarer ones are left out: they spread the losses, and only the least deltas see them.
_SEEN = Fraction(1, 10**25)
#: Significant bits of the probabilities of the others.
_BITS = 256


class WithoutReplacement(Sampler, frozen=True):
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
        if case.units > 1:
            return self._several(case)
        # Zeroing a row out is one way of replacing it; a row that another one takes the place of
        # in the sample is always replaced.
        base, near = _either_way(self, case), base_pieces(self, case.kind)
        upper = through(base, lambda loss: sampled_losses.without_replacement(loss, rate))
        lower = through(near, lambda loss: sampled_losses.poisson(loss, rate, case.forward))
        return Pieces(upper.upper, lower.lower)

    def _several(self, case: Case) -> Pieces:
        others, m, k = self.rows - case.units, self.size, case.units
        if others < m:
            raise refuse(
                self, case, f"the {others} other rows do not fill a sample of {m}",
                "ask for fewer rows, or use group privacy on the answer",
            )  # fmt: skip
        none = Fraction(comb(self.rows - m, k), comb(self.rows, k))
        odds = (
            Fraction((k - j) * (m - j), (j + 1) * (others - m + j + 1)) for j in range(min(k, m))
        )
        return _gaussian_pieces(self, case, none, odds)

    def steps(self, case: Case) -> tuple[Step, ...]:
        scheme = sampling.WithoutReplacement(num(self.size), num(self.rows))
        return sampled_step(self.event, scheme, _fixed(self, case), "replace")


class WithReplacement(Sampler, frozen=True):
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
        first = _either_way(self, case)
        if case.units > 1 or _ratio(first.upper) is not None:
            return self._several(case)
        near = base_pieces(self, case.kind)
        chance = 1 - (1 - Fraction(1, self.rows)) ** self.draws
        lower = near
        if chance < 1:
            lower = through(near, lambda loss: sampled_losses.poisson(loss, chance, case.forward))
        if not first.upper:
            return Pieces(first.upper, lower.lower)
        law = sampled_losses.with_replacement(self._copies, self.draws, self.rows)
        return Pieces(((law, 1),), lower.lower)

    def _several(self, case: Case) -> Pieces:
        k, rest, m = case.units, self.rows - case.units, self.draws
        if rest <= 0:
            raise refuse(
                self, case, "every row may be another one",
                "ask for fewer rows, or use group privacy on the answer",
            )  # fmt: skip
        none = power_down(Fraction(rest, self.rows), m)
        odds = (Fraction((m - j) * k, (j + 1) * rest) for j in range(m))
        return _gaussian_pieces(self, case, none, odds)

    def _copies(self, copies: int) -> Any:
        """The law of what reads the sample when so many of its rows are replaced."""
        case = Case("replace", units=copies)
        pieces: Pieces = self.event.pieces(case)
        if not pieces.upper:
            raise refuse(
                self, case, f"{self.event.place} has no known law where several rows differ",
                "sample without replacement, or describe what reads the sample by an epsilon",
            )  # fmt: skip
        ((law, _),) = sampled_losses.merged(pieces.upper, upper=True)
        return law

    def steps(self, case: Case) -> tuple[Step, ...]:
        scheme = sampling.WithReplacement(num(self.draws), num(self.rows))
        return sampled_step(self.event, scheme, _fixed(self, case), "replace")


def _fixed(event: Event, case: Case) -> Case:
    """The case, if the number of rows is public in it."""
    if case.kind == "add or remove":
        raise refuse(
            event, case, "a sample of fixed size needs a public number of rows",
            'ask for relation="replace", or use Poisson(rate, event)',
        )  # fmt: skip
    return case


def _either_way(event: Any, case: Case) -> Pieces:
    """The base under replacement, where either sample may be the one that is named first.

    In a sample of fixed size another row stands where the row in question is left out, so the base
    has to dominate both orders; a pair of laws that is worse in one order than in the other is
    refused.
    """
    base = base_pieces(event, "replace")
    other = event.event.pieces(Case("replace", forward=False))
    back = None if other.upper is None else sampled_losses.merged(other.upper, upper=True)
    if base.upper != back and not sampled_losses.same_law(base.upper, back):
        raise refuse(
            event, case, f"{event.event.place} is worse in one direction than in the other, and"
            " a replaced row may be in the sample of either",
            "give a pair of laws that dominates both directions",
        )  # fmt: skip
    return base


def _ratio(parts: Parts | None) -> Fraction | None:
    """Of one Gaussian law, movement / standard deviation; None: it is another one."""
    from metricdp.accounting.losses.gaussian import GaussianLoss

    if not parts or not isinstance(parts[0][0], GaussianLoss):
        return None
    return parts[0][0].ratio


def power_down(x: Fraction, power: int) -> Fraction:
    """At most x^power, x in (0, 1); near to it."""
    found = Fraction(1)
    for bit in bin(power)[2:]:
        found = short_down(found * found * (x if bit == "1" else 1), _BITS)
    return found


def _gaussian_pieces(event: Any, case: Case, none: Fraction, odds: Iterable[Fraction]) -> Pieces:
    """The law of `losses.fixed_size_gaussian`, and from below the pair that some data have.

    Args:
        none: the probability that no replaced row is in the sample, or a little less.
        odds: of j + 1 replaced rows against j, for j = 0, 1, ...

    Raises:
        RelationError: several rows, and something else than Gaussian noise.
    """
    from metricdp.accounting.losses.by_cells import SymmetricLoss
    from metricdp.accounting.losses.fixed_size_gaussian import ByCellsLoss, FixedSizeHalfLoss
    from metricdp.accounting.losses.gaussian_mixtures import GaussianMixtureLoss

    first, near = _either_way(event, case), base_pieces(event, case.kind)
    if first.upper is not None and not first.upper:
        return FREE
    far, low = _ratio(first.upper), _ratio(near.lower)
    if far is None:
        one_row(event, case)
        raise InternalError("one row has its own law", place=event.place, remedy="please report")
    weights = [short_down(none, _BITS)]
    for ratio in odds:
        weights.append(short_down(weights[-1] * ratio, _BITS))
        if 1 - sum(weights) <= RAREST:
            break
    upper = SymmetricLoss(FixedSizeHalfLoss(far, tuple(weights)))
    if low is None:
        return Pieces(((upper, 1),), ())
    # What is left out counts as no movement at all.
    moved = [(w, j * low) for j, w in enumerate(weights) if j and w > _SEEN]
    still = (1 - sum(w for w, _ in moved), Fraction(0))
    pair = tuple(part for part in (still, *moved) if part[0])
    stands = ((Fraction(1), Fraction(0)),)
    lower = ByCellsLoss(GaussianMixtureLoss(*((pair, stands) if case.forward else (stands, pair))))
    return Pieces(((upper, 1),), ((lower, 1),))
