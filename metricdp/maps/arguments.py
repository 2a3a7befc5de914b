"""Public arguments of a constructor, as the rule of a record reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import cache
from inspect import Parameter, signature
from math import isfinite
from typing import Any

from metricdp.errors import ParameterError
from metricdp.expr import num
from metricdp.plain import plain
from metricdp.record import REGISTRY, Arg, Body, Record
from metricdp.spaces import Space


@cache
def parameters_of(rule: Callable[..., Any]) -> Mapping[str, Parameter]:
    """Parameters of a rule by name; rules are few, and are applied often."""
    return signature(rule).parameters


def bind(record: Record, argument: str, public: Mapping[str, Any]) -> dict[str, Any]:
    """Public arguments by name, without those left at their default.

    Raises:
        ParameterError: a name that the rule does not have, one that is missing, or what can be no
            number where the rule needs one.
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
    found = {name: exact(value, name, record.name) for name, value in public.items()}
    for name, value in found.items():
        _of_its_kind(record, name, value)
    return found


@cache
def _kinds(name: str) -> Mapping[str, str]:
    """Arguments of a record that are a number, or a sequence, in all of its instances."""
    found: dict[str, set[str]] = {}
    for instance in REGISTRY[name].instances():
        for key, value in instance.public.items():
            kind = "number" if _is_number(value) else type(value).__name__
            found.setdefault(key, set()).add("sequence" if kind in ("tuple", "list") else kind)
    return {key: next(iter(kinds)) for key, kinds in found.items() if len(kinds) == 1}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | Fraction) and not isinstance(value, bool)


def _of_its_kind(record: Record, name: str, value: Any) -> None:
    """ParameterError for what can be no number, or no sequence, where the record has one.

    Texts and Booleans are left to the rule: some take them for values of rows.
    """
    kind = _kinds(record.name).get(name) if record.name in REGISTRY else None
    optional = parameters_of(record.rule)[name].default is not Parameter.empty
    if name in record.formals and not callable(value) and not (value is None and optional):
        raise ParameterError(
            f"`{name}` is a {type(value).__name__}, which is no function",
            place=record.name,
            remedy=f"give a function for `{name}`",
        )
    if kind not in ("number", "sequence") or (value is None and optional):
        return
    if _is_number(value) or isinstance(value, bool | str | list | tuple):
        return
    several = callable(value) or (hasattr(value, "__len__") and not isinstance(value, bytes))
    if kind == "sequence" and several:
        return
    raise ParameterError(
        f"`{name}` is a {type(value).__name__}, which is no {kind}",
        place=record.name,
        remedy=f"give a {kind} for `{name}`",
    )


def exact(value: Any, name: str, place: str) -> Any:
    """A public argument, read once: numbers as rationals (the double that Python built).

    Functions, spaces and maps stay what they are.

    Raises:
        ParameterError: NaN or an infinity; an object that is none of these.
    """
    return _exact(plain(value, name, _keeps), name, place)


def _keeps(value: Any) -> bool:
    return callable(value) or issubclass(type(value), Space)


def _exact(value: Any, name: str, place: str) -> Any:
    if isinstance(value, float | Decimal):
        if not isfinite(value):
            raise ParameterError(
                f"`{name}` is {value}", place=place, remedy=f"give a finite `{name}`"
            )
        return Fraction(value)
    if type(value) in (list, tuple):
        return type(value)(_exact(item, name, place) for item in value)
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
