"""Public arguments of a constructor, as the rule of a record reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from inspect import Parameter, signature
from math import isfinite
from numbers import Rational
from typing import Any

from metricdp.errors import ParameterError
from metricdp.expr import num
from metricdp.record import Arg, Body, Record
from metricdp.spaces import Space


@cache
def parameters_of(rule: Callable[..., Any]) -> Mapping[str, Parameter]:
    """Parameters of a rule by name; rules are few, and are applied often."""
    return signature(rule).parameters


def bind(record: Record, argument: str, public: Mapping[str, Any]) -> dict[str, Any]:
    """Public arguments by name, without those left at their default.

    Raises:
        ParameterError: a name that the rule does not have, or one that is missing.
    """
    parameters = parameters_of(record.rule)
    unknown = sorted(public.keys() - parameters.keys() | public.keys() & {argument})
    if unknown:
        known = ", ".join(name for name in parameters if name != argument)
        raise ParameterError(
            f"`{record.name}` has no public argument `{unknown[0]}`",
            place=record.name,
            remedy=f"its arguments are {known}" if known else "it has none",
        )
    missing = [
        name
        for name, p in parameters.items()
        if name != argument and name not in public and p.default is Parameter.empty
    ]
    if missing:
        raise ParameterError(
            f"`{record.name}` needs `{missing[0]}`",
            place=record.name,
            remedy=f"give {', '.join(f'{name}=...' for name in missing)}",
        )
    return {name: exact(value, name, record.name) for name, value in public.items()}


def exact(value: Any, name: str, place: str) -> Any:
    """A public number as a rational (the double that Python built); anything else as it is.

    Raises:
        ParameterError: NaN or an infinity.
    """
    if isinstance(value, bool | str) or value is None:
        return value
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        value = value.item()
    if isinstance(value, float):
        if not isfinite(value):
            raise ParameterError(
                f"`{name}` is {value}", place=place, remedy=f"give a finite `{name}`"
            )
        return Fraction(value)
    if isinstance(value, Rational) and not isinstance(value, int):
        return Fraction(value)
    if isinstance(value, list | tuple):
        return type(value)(exact(item, name, place) for item in value)
    return value


def abstract(
    argument: str, space: Space, public: Mapping[str, Any], bodies: Mapping[str, Body]
) -> dict[str, Arg]:
    """The arguments of the rule: one private value of a space, and public ones."""
    found = {argument: Arg(space, True, text=argument)}
    for name, value in public.items():
        numeric = isinstance(value, int | Fraction) and not isinstance(value, bool)
        found[name] = Arg(
            value=num(value) if numeric else None,
            literal=None if isinstance(value, Callable) else value,  # type: ignore[arg-type]
            text=str(value) if numeric or value is None else name,
            body=bodies.get(name),
        )
    return found


def private_argument(record: Record) -> str:
    """The private argument of a record: the rule's first, unless its instances say otherwise."""
    first = next(iter(parameters_of(record.rule)))
    private = next(iter(record.instances())).private
    return first if first in private else next(iter(private))
