"""A guarantee: a relation, its unit, and the privacy curve of events, asked from both sides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.measures import queries
from metricdp.measures.accounted import UNIT, AccountedEvent, Relation
from metricdp.measures.accounted import relation as named
from metricdp.measures.answer import Answer
from metricdp.measures.parameters import target_delta, target_epsilon, target_rate
from metricdp.measures.reading import one_event, read

if TYPE_CHECKING:
    from metricdp.measures.gaussian_fit import GaussianFit


class Guarantee(msgspec.Struct, frozen=True):
    """What events cost together, under one neighbouring relation.

    Numbers of queries are the decimals that are typed: 1e-5 is 1/100000.

    Attributes:
        event: all of the events, as one.
        relation: which two data sets are compared.
        checked: whether the second engine checks every answer; it takes about half of the time.
    """

    event: AccountedEvent
    relation: Relation
    checked: bool = True

    @property
    def unit(self) -> str:
        """The unit of privacy in words."""
        return UNIT[self.relation]

    def epsilon(self, delta: Any) -> Answer:
        """The least epsilon at which (epsilon, delta) holds.

        Args:
            delta: in [0, 1).

        Raises:
            ParameterError: delta outside its range.
            NoAnswerError: no finite epsilon has this delta.
            EnginesDisagree: a defect of the library.
        """
        return queries.epsilon(self.event, self.relation, target_delta(delta), self.checked)

    def delta(self, epsilon: Any) -> Answer:
        """The least delta at which (epsilon, delta) holds; epsilon >= 0.  Errors as `epsilon`."""
        return queries.delta(self.event, self.relation, target_epsilon(epsilon), self.checked)

    def advantage(self) -> Answer:
        """The largest difference of true and false positive rates of an attack: delta(0).

        It is the total variation distance of the two output laws.
        """
        found = self.delta(0)
        return msgspec.structs.replace(found, quantity="advantage", at="")

    def true_positive_rate(self, false_positive_rate: Any) -> Answer:
        """The largest true positive rate of an attack with this false positive rate."""
        from metricdp.measures.tradeoff import power

        rate = target_rate(false_positive_rate, "false_positive_rate", "true_positive_rate")
        return power(self.event, self.relation, rate, self.checked)

    def tradeoff(self, alpha: Any) -> Answer:
        """The least type II error beta of a test of level alpha: 1 - the largest power.

        Source: Dong, Roth, Su (2022), Definition 2.1 and Proposition 2.12.  `float` is the lower
        end, as a larger error is the better promise.
        """
        from metricdp.measures.tradeoff import power

        rate = target_rate(alpha, "alpha", "tradeoff")
        found = power(self.event, self.relation, rate, self.checked)
        return msgspec.structs.replace(
            found, quantity="beta", lower=1 - found.upper, upper=1 - found.lower, safe="lower",
            at=f"alpha = {alpha}",
        )  # fmt: skip

    def gdp(self, delta: Any = 0) -> GaussianFit:
        """The least mu such that the guarantee is mu-GDP wherever its profile is above delta.

        Raises:
            NoAnswerError: no mu is proved at delta = 0, as the losses have heavier tails than any
                Gaussian; choose delta > 0.
        """
        from metricdp.measures.gaussian_fit import fit

        return fit(self.event, self.relation, target_delta(delta))

    def rdp(self, delta: Any) -> Answer:
        """A cheap upper bound of epsilon from Renyi divergences.

        Raises:
            NoAnswerError: an event has no Renyi curve, or none reaches delta.
        """
        from metricdp.measures import cheap

        return cheap.renyi(self.event, self.relation, target_delta(delta))

    def zcdp(self) -> Answer:
        """A rho with D_alpha <= rho alpha at all orders; only an upper bound.

        Raises:
            NoAnswerError: an event has no finite rho (sampling amplifies no rho, for example).
        """
        from metricdp.measures import cheap

        return cheap.rho(self.event, self.relation)

    def basic(self, delta: Any) -> Answer:
        """Basic composition: every round alone at an equal share of delta, epsilons added."""
        from metricdp.measures import cheap

        return cheap.basic(self.event, self.relation, target_delta(delta))

    def __str__(self) -> str:
        return f"{describe(self.event)}: {self.unit}"

    def __repr__(self) -> str:
        return f"<guarantee of {self}>"

    def _repr_html_(self) -> str:
        from metricdp.report.cards import card

        facts = (("neighbours", self.unit), ("ask it", ".epsilon(delta), .delta(epsilon), .gdp()"))
        return card("guarantee", describe(self.event), facts=facts)


def account(events: Any, relation: Any, *, checked: bool = True) -> Guarantee:
    """The guarantee of an event or a list of events under a neighbouring relation.

    Args:
        events: an event, or several in sequence, each possibly chosen after the answers before.
        relation: "add", "remove", "add or remove", "replace" or "zero out".  There is no default:
            a number under one relation says nothing about another.
        checked: whether the second engine checks every answer of the first.

    Raises:
        RelationError: an event that has no theorem under the relation.
        ParameterError: no event, or no relation.
    """
    event, which = one_event(events), named(relation)
    read(event, which)
    return Guarantee(event, which, checked)


def describe(event: AccountedEvent) -> str:
    """The event as it is written on the command line."""
    from metricdp.measures.text import spelled

    return spelled(event)
