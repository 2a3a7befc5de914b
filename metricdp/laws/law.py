"""What an output law can answer: rigorous enclosures, never floats."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Protocol

from metricdp.errors import ParameterError
from metricdp.noise.enclose import Bounds


class Law(Protocol):
    """A probability law on integers, or on finitely many outcomes."""

    def pmf(self, outcome: Any) -> Bounds:
        """P(X = outcome)."""

    def log_ratio(self, other: Any, outcome: Any) -> Bounds:
        """ln P(X = outcome) / Q(X = outcome); both probabilities positive."""

    def support(self) -> tuple[Hashable, ...] | None:
        """Outcomes of positive probability; None: all integers."""


#: Which function of `metricdp.laws.distances` answers for laws with densities.
_ON_LINE = {
    "max divergence": "d_dp_one_sided(p, q)",
    "hockey stick": "hockey_stick_at(p, q, factor) with factor = e**epsilon",
    "the best event": "hockey_stick_at(p, q, factor) with factor = e**epsilon, without the event",
    "the exact privacy profile": "hockey_stick_at(p, q, factor) at one factor = e**epsilon a time",
    "Renyi divergence": "renyi_divergence(p, q, alpha)",
    "zCDP bound": "zcdp(p, q)",
}


def no_closed_form(quantity: str, p: object, q: object) -> ParameterError:
    """The error for a pair of laws without a rigorous formula."""
    names = f"{type(p).__name__} and {type(q).__name__}"
    other = _ON_LINE.get(quantity) if hasattr(p, "density") and hasattr(q, "density") else None
    return ParameterError(
        f"{quantity} of {names} with these parameters is not available",
        remedy=f"on the line: metricdp.laws.distances.{other}" if other else "",
    )
