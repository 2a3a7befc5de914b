"""What the distances accept as a law, and their typed refusals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metricdp.errors import ParameterError
from metricdp.laws.distances.steps import Steps
from metricdp.laws.empirical import EmpiricalLaw
from metricdp.laws.finite import FiniteLaw
from metricdp.laws.outcomes import has_labels
from metricdp.laws.space import FiniteSpace


def read_laws(quantity: str, p: Any, q: Any) -> tuple[Any, Any]:
    """Both as laws; a mapping outcome -> probability is a finite one.

    Raises:
        ParameterError: samples; anything else; weights that are negative or do not sum to 1.
    """
    return _law(quantity, p), _law(quantity, q)


def _law(quantity: str, law: Any) -> Any:
    if isinstance(law, Mapping) or has_labels(law):
        return FiniteLaw(law)
    if isinstance(law, EmpiricalLaw):
        raise ParameterError(
            "frequencies are no probabilities, and samples give no upper bound: outcomes that were "
            "not drawn may have any ratio",
            place=quantity,
            remedy="tv_from_samples, d_dp_from_samples (lower bounds), em_from_samples (both)",
        )
    if isinstance(law, Steps) or hasattr(law, "pmf"):
        return law
    raise ParameterError(
        f"a {type(law).__name__} is no law",
        place=quantity,
        remedy="give a law of metricdp.laws, or a mapping outcome -> probability",
    )


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
