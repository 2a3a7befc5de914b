"""A pair of finite laws as an event: the user's own mechanism, exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.measures.accounted import (
    AccountedEvent,
    AccountedStep,
    Case,
    Kind,
    NoCurve,
    Pieces,
    exactly,
    refuse,
    relation,
)
from metricdp.measures.parameters import exact


class Finite(AccountedEvent, frozen=True):
    """A mechanism whose worst pair of output laws is known outcome by outcome.

    The pair must dominate every pair of neighbouring data sets of the relation that is named.  A
    row and what replaces it may change places from one round to the next, so a pair about "replace"
    has to be one law of losses in both directions.

    Args:
        first: probabilities of the outcomes on the data set with the row, as a sequence or as
            {outcome: probability}; rationals (1/3 is Fraction(1, 3) or "1/3") that sum to 1.
        second: likewise on the other data set, of the same outcomes.
        relation: what the pair is about: "add or remove", "replace" or "zero out".

    Raises:
        ParameterError: negative probabilities, a sum that is not 1, or different outcomes.
    """

    first: Any
    second: Any
    relation: Any

    def __post_init__(self) -> None:
        named = relation(self.relation)
        if named in ("add", "remove"):
            raise ParameterError(
                f'relation is "{named}"',
                place=self.place,
                remedy='choose "add or remove": the first law is that of the data with the row, and'
                " both directions follow",
            )
        first, second = self.first, self.second
        if isinstance(first, Mapping) and isinstance(second, Mapping):
            keys = list(dict.fromkeys([*first, *second]))
            first = [first.get(key, 0) for key in keys]
            second = [second.get(key, 0) for key in keys]
        put = msgspec.structs.force_setattr
        put(self, "relation", named)
        put(self, "first", _law(first, "first", self.place))
        put(self, "second", _law(second, "second", self.place))
        if len(self.first) != len(self.second):
            raise ParameterError(
                f"the laws have {len(self.first)} and {len(self.second)} outcomes",
                place=self.place,
                remedy="give both laws on the same outcomes, with probability 0 where needed",
            )

    def pieces(self, case: Case) -> Pieces:
        from metricdp.accounting.losses.atomic import FiniteLoss

        known: Kind = self.relation
        if case.kind != known:
            raise refuse(
                self, case, f'the pair of laws is about "{known}"',
                f'ask for relation="{known}", or give the pair of the other relation',
            )  # fmt: skip
        if case.units != 1:
            raise refuse(
                self, case, f"the pair of laws is about one row, not {case.units}",
                "give the pair of laws of data sets that differ in that many rows",
            )  # fmt: skip
        if known == "replace" and not self._symmetric:
            raise refuse(
                self, case, "the pair is worse in one direction than in the other",
                "give a symmetric pair whose profile is at least that of both, or state it as"
                " Approximate(epsilon, delta)",
            )  # fmt: skip
        loss = FiniteLoss(tuple(zip(self.first, self.second, strict=True)))
        return exactly(loss if case.forward else loss.reversed())

    @property
    def _symmetric(self) -> bool:
        """Whether the losses of (first, second) and of (second, first) have one law."""
        return _by_ratio(self.first, self.second) == _by_ratio(self.second, self.first)

    def steps(self, case: Case) -> tuple[AccountedStep, ...]:
        raise NoCurve


def _by_ratio(p: Sequence[Fraction], q: Sequence[Fraction]) -> dict[Fraction | None, Fraction]:
    """P-mass of every likelihood ratio p / q; None: q is 0."""
    found: dict[Fraction | None, Fraction] = {}
    for a, b in zip(p, q, strict=True):
        if a:
            ratio = a / b if b else None
            found[ratio] = found.get(ratio, Fraction(0)) + a
    return found


def _law(values: Any, name: str, place: str) -> tuple[Fraction, ...]:
    if isinstance(values, str) or not isinstance(values, Sequence) or not values:
        raise ParameterError(
            f"{name} is no sequence of probabilities", place=place,
            remedy='write Finite(["2/3", "1/3"], ["1/3", "2/3"], "replace")',
        )  # fmt: skip
    found = tuple(exact(value, f"a probability of {name}", place) for value in values)
    if any(value < 0 for value in found):
        raise ParameterError(f"a probability of {name} is negative", place=place)
    if sum(found) != 1:
        raise ParameterError(
            f"the probabilities of {name} sum to {float(sum(found))!r}, not exactly 1", place=place,
            remedy='write them as fractions that sum to 1: "0.1" and Fraction(1, 10) are exact, the'
            " double 0.1 is not",
        )  # fmt: skip
    return found
