"""Functions in a row, and the law of what they release.

A function that knows its law has a method `law(value)`: draws of noise, chains, compositions and
post-processing have one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from metricdp.errors import ParameterError
from metricdp.maps.base import Map
from metricdp.maps.distances import name_of
from metricdp.maps.fixed import Fixed


class Chained(Fixed):
    """Two functions in a row; reference values stay as they are between two rules."""

    __slots__ = ("convert", "inner", "outer")

    def __init__(self, first: Map, second: Map) -> None:
        self.inner, self.outer = first.function, second.function
        differ = (second.enter is None) != (first.leave is None)
        plain = first.leave if second.enter is None else second.enter
        self.convert: Callable[[Any], Any] | None = plain if differ else None

    def __call__(self, value: Any) -> Any:
        return self.outer(self._between(value))

    def _between(self, value: Any) -> Any:
        between = self.inner(value)
        return between if self.convert is None else self.convert(between)

    def law(self, value: Any) -> Any:
        """The law of the second function at the value of the first, which draws nothing."""
        return law_at(self.outer, self._between(value))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Chained):
            return NotImplemented
        return bool(self.inner == other.inner and self.outer == other.outer)

    def __hash__(self) -> int:
        return hash((self.inner, self.outer))

    def __reduce__(self) -> tuple[Any, ...]:
        return _chained, (self.inner, self.outer, self.convert)


def _chained(inner: Any, outer: Any, convert: Any) -> Chained:
    item = Chained.__new__(Chained)
    item.inner, item.outer, item.convert = inner, outer, convert
    return item


class PostProcessed(Fixed):
    """A release, then a function of it."""

    __slots__ = ("inner", "outer")

    def __init__(self, inner: Callable[[Any], Any], outer: Callable[[Any], Any]) -> None:
        self.inner, self.outer = inner, outer

    def __call__(self, value: Any) -> Any:
        return self.outer(self.inner(value))

    def law(self, value: Any) -> Any:
        """The law of the release pushed forward, where it has finitely many outcomes."""
        after = getattr(self.inner, "law_after", None)
        if callable(after):
            return after(value, self.outer)
        return pushed(law_at(self.inner, value), self.outer)

    def law_after(self, value: Any, outer: Callable[[Any], Any]) -> Any:
        """The law of a function of the result: one that sees what a call returns."""
        after = getattr(self.inner, "law_after", None)
        if callable(after):
            return after(value, lambda release: outer(self.outer(release)))
        return pushed(self.law(value), outer)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PostProcessed):
            return NotImplemented
        return bool(self.inner == other.inner and self.outer == other.outer)

    def __hash__(self) -> int:
        return hash((self.inner, self.outer))

    def __reduce__(self) -> tuple[Any, ...]:
        return PostProcessed, (self.inner, self.outer)


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
    from metricdp.laws import push

    try:
        return push(law, function)
    except ParameterError as error:
        fact, remedy = error.fact, error.remedy
    raise ParameterError(fact, place=f"post-processing {name_of(function)}", remedy=remedy)
