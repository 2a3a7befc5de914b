"""The typed refusals of distances: which pair, and what to give instead."""

from __future__ import annotations

from metricdp.errors import ParameterError
from metricdp.laws.space import FiniteSpace


def not_available(quantity: str, p: object, q: object, remedy: str = "") -> ParameterError:
    """The error for a pair of laws without an exact formula or a certified method."""
    names = f"{type(p).__name__} and {type(q).__name__}"
    return ParameterError(
        f"no exact formula or certified method for {names}", place=quantity, remedy=remedy
    )


def require_space(quantity: str, space: object) -> None:
    """ParameterError for what is no metric space."""
    if space is not None and not isinstance(space, FiniteSpace):
        raise ParameterError(
            f"a {type(space).__name__} is no metric space", place=quantity, remedy="a FiniteSpace"
        )


def no_metric(quantity: str) -> ParameterError:
    """The error for outcomes that are no numbers, when no space says how far apart they are."""
    return ParameterError(
        "the outcomes are no numbers, so nothing says how far apart they are",
        place=quantity,
        remedy="give space=FiniteSpace(points, distances)",
    )
