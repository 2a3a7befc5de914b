"""`opendp.mod`: the searches, and the features that have no meaning here."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from metricdp.errors import ParameterError
from metricdp.maps import search
from metricdp.maps.distances import typed
from metricdp.opendp.constructor import Partial
from metricdp.opendp.domains import Domain
from metricdp.opendp.metrics import Measure, Metric
from metricdp.opendp.objects import Measurement, Transformation
from metricdp.opendp.types import kind, type_name

__all__ = [
    "Domain",
    "Measure",
    "Measurement",
    "Metric",
    "Transformation",
    "assert_features",
    "binary_search",
    "binary_search_chain",
    "binary_search_param",
    "disable_features",
    "enable_features",
    "exponential_bounds_search",
]


def enable_features(*features: str) -> None:
    """Accepted and ignored: every object says itself what it rests on (`.rests_on`)."""


def disable_features(*features: str) -> None:
    """Accepted and ignored."""


def assert_features(*features: str) -> None:
    """Accepted and ignored."""


def binary_search(
    predicate: Callable[[Any], bool],
    bounds: tuple[Any, Any] | None = None,
    T: Any = None,
    return_sign: bool = False,
) -> Any:
    """The number nearest to the turn of a monotone predicate at which it holds.

    Args:
        bounds: (lower, upper); either may be None, and is then looked for.
        T: float or int.
        return_sign: also the side (1: it holds above, -1: below) on which the predicate holds.

    Raises:
        ParameterError: the predicate does not turn between the bounds.
    """
    found, sign = search.binary_search(predicate, bounds, _kind(T))
    return (found, sign) if return_sign else found


def exponential_bounds_search(predicate: Callable[[Any], bool], T: Any = None) -> Any:
    """Bounds between which a predicate turns, or None."""
    return search.exponential_bounds(predicate, _kind(T) or float)


def binary_search_chain(
    make_chain: Callable[[Any], Any],
    d_in: Any,
    d_out: Any,
    bounds: tuple[Any, Any] | None = None,
    T: Any = None,
) -> Any:
    """The chain at the parameter nearest to where `check(d_in, d_out)` turns.

    Raises:
        ParameterError: no parameter meets the budget.
    """
    return make_chain(binary_search_param(make_chain, d_in, d_out, bounds, T))


def binary_search_param(
    make_chain: Callable[[Any], Any],
    d_in: Any,
    d_out: Any,
    bounds: tuple[Any, Any] | None = None,
    T: Any = None,
) -> Any:
    """The parameter nearest to where `make_chain(parameter).check(d_in, d_out)` turns.

    The turn is computed where the map is a power of the parameter, and then confirmed on both of
    its sides; else it is bisected to the last double.

    Raises:
        ParameterError: no parameter meets the budget.
    """
    if isinstance(make_chain, Partial) or not callable(make_chain):
        raise ParameterError(
            "a function of the parameter is needed",
            place="binary_search_param",
            remedy="lambda scale: chain >> then_laplace(scale)",
        )
    if _kind(T) is not int and not _whole(bounds) and not isinstance(d_out, tuple):
        target = Fraction(typed(d_out, "d_out"))
        found = search.closed_form(lambda p: make_chain(p).exact_map(d_in), target)
        if found is not None and _inside(found, bounds):
            return found
    return binary_search(lambda p: make_chain(p).check(d_in, d_out), bounds, T)


def _whole(bounds: Any) -> bool:
    return bounds is not None and any(isinstance(b, int) for b in bounds)


def _inside(found: float, bounds: Any) -> bool:
    lower, upper = bounds if bounds is not None else (None, None)
    return (lower is None or lower <= found) and (upper is None or found <= upper)


def _kind(T: Any) -> type | None:
    if T is None:
        return None
    return int if kind(type_name(T)) == "int" else float
