"""Samples of a fixed size from a public number of rows, one row replaced.

- m of n rows without replacement: the pair of `losses.without_replacement` at rate m/n (Zhu, Dong,
  Wang 2022; Balle, Barthe, Gaboardi 2018, Theorem 9).  The lower end is the one mixture pair that
  some data have in every round.
- m draws with replacement from n rows: their Theorem 10.
Both are refused where a row may be added or removed: the number of rows is then private, and the
rate is not defined.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.expr import num
from metricdp.measures import sampling
from metricdp.measures.accounting import sampled_losses
from metricdp.measures.accounting.combined import checked
from metricdp.measures.accounting.event import FREE, Event, Pieces, refuse
from metricdp.measures.accounting.parameters import whole
from metricdp.measures.accounting.relations import Case
from metricdp.measures.accounting.samplers import (
    Sampler,
    base_pieces,
    one_row,
    sampled_step,
    through,
)
from metricdp.measures.step import Step


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
        # Zeroing a row out is one way of replacing it; a row that another one takes the place of
        # in the sample is always replaced.
        base, near = _either_way(self, case), base_pieces(self, case.kind)
        upper = through(base, lambda loss: sampled_losses.without_replacement(loss, rate))
        lower = through(near, lambda loss: sampled_losses.poisson(loss, rate, case.forward))
        return Pieces(upper.upper, lower.lower)

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
        near, first = base_pieces(self, case.kind), _either_way(self, case)
        chance = 1 - (1 - Fraction(1, self.rows)) ** self.draws
        lower = near
        if chance < 1:
            lower = through(near, lambda loss: sampled_losses.poisson(loss, chance, case.forward))
        if not first.upper:
            return Pieces(first.upper, lower.lower)
        law = sampled_losses.with_replacement(self._copies, self.draws, self.rows)
        return Pieces(((law, 1),), lower.lower)

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
    one_row(event, case)
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
