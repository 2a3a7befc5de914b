"""Which items of a public parameter are different, for everything that compares them with rows.

A row is compared with an item in plain Python or in columns, as whole numbers or as doubles.  What
is proved of items that are all different holds where no value of a row equals two of them, in
whichever way.  So numbers have to be different as doubles, of which whole numbers beyond 2**53
share some, and as rows hold them, whose infinite numbers are the largest finite ones; a text may
hold no NUL, with which some arrays pad their texts; and NaN is refused, which equals nothing.
Items that Python takes for one, such as 1, 1.0 and True, are one.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from sys import float_info
from typing import Any

from metricdp.errors import ParameterError


def different(name: str, items: Iterable[Any]) -> tuple[int, list[Any]]:
    """How many different items a public parameter has, and the first that repeats another.

    Args:
        name: the parameter, for messages.
        items: numbers, texts or dates.

    Returns:
        The number of different items; and a list of that item, or of nothing.

    Raises:
        ParameterError: an item that cannot be told apart from others in every way.
    """
    seen: set[Any] = set()
    doubles: dict[float, Any] = {}
    twice: list[Any] = []
    for item in items:
        if type(item) in (int, float, bool, Fraction):
            double = _double(name, item)
            if doubles.setdefault(double, item) != item:
                fact = f"{doubles[double]} and {item} are one double"
                raise _unclear(name, fact, "numbers that doubles tell apart")
        elif type(item) is str and "\0" in item:
            raise _unclear(name, "a text holds the character NUL", "texts without it")
        if item in seen and not twice:
            twice.append(item)
        seen.add(item)
    return len(seen), twice


def _double(name: str, item: Any) -> float:
    try:
        found = float(item)
    except OverflowError:
        raise _unclear(name, "a number is larger than every double", "smaller numbers") from None
    if found != found:
        raise _unclear(name, "NaN equals nothing", "numbers")
    return max(min(found, float_info.max), -float_info.max)


def _unclear(name: str, fact: str, remedy: str) -> ParameterError:
    fact = f"the items of `{name}` are told apart, and {fact}"
    return ParameterError(fact, place=name, remedy=remedy)
