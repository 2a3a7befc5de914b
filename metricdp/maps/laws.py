"""Output laws of the functions inside measurements.

A function that knows its law has a method `law(value)`: draws of noise, chains, compositions and
post-processing have one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from metricdp.errors import ParameterError
from metricdp.laws import push
from metricdp.maps.distances import name_of


def law_at(function: Callable[[Any], Any], value: Any, name: str = "") -> Any:
    """The law of a function's release at a value; `name` is told where it has none.

    Raises:
        ParameterError: the function does not know its law.
    """
    law = getattr(function, "law", None)
    if callable(law):
        return law(value)
    name = name or name_of(function)
    raise ParameterError(
        f"the output law of `{name}` is not known",
        place=name,
        remedy="give the function a method `law`, or audit it by samples or by replay",
    )


def pushed(law: Any, function: Callable[[Any], Any]) -> Any:
    """The law of a function of the release.

    Raises:
        ParameterError: infinitely many outcomes, or a value that cannot be an outcome.
    """
    try:
        return push(law, function)
    except ParameterError as error:
        fact, remedy = error.fact, error.remedy
    raise ParameterError(fact, place=f"post-processing {name_of(function)}", remedy=remedy)
