"""Lists, tuples and dictionaries inside of each other, as the values inside and how they stood.

How they stood is a text: `.` is a value, `[..]` a list, `(..)` a tuple and `{..}` a dictionary of
the values written inside, whatever its keys are: those of the run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from metricdp.errors import InternalError

#: How each container begins and ends.
LIST, TUPLE, DICTIONARY = ("[", "]"), ("(", ")"), ("{", "}")
VALUE = "."
#: What a dictionary shows of itself, which stands as a tuple.
VIEWS: tuple[type[Any], ...] = (type({}.keys()), type({}.values()), type({}.items()))


def values_inside(value: Any, stood: str) -> list[Any]:
    """The values inside of containers, in order.

    Raises:
        InternalError: they do not stand as they did while checking.
    """
    signs, found = iter(stood), list[Any]()
    _gathered(value, next(signs, ""), signs, found)
    if next(signs, "") or len(found) != stood.count(VALUE):
        raise _others()
    return found


def put_back(values: Sequence[Any], like: Any, stood: str) -> Any:
    """New containers like those that the values stood in, with other values in their order.

    Raises:
        InternalError: there are more values, or fewer.
    """
    if len(values) != stood.count(VALUE):
        raise _others()
    signs = iter(stood)
    return _made(iter(values), like, next(signs), signs)


def _gathered(value: Any, sign: str, signs: Iterator[str], found: list[Any]) -> None:
    if sign == VALUE:
        found.append(value)
        return
    for item in _items(value, sign):
        _gathered(item, next(signs, ""), signs, found)
    if next(signs, "") not in tuple("])}"):
        raise _others()


def _made(left: Iterator[Any], like: Any, sign: str, signs: Iterator[str]) -> Any:
    if sign == VALUE:
        return next(left)
    items = [_made(left, item, next(signs), signs) for item in _items(like, sign)]
    next(signs)
    if sign == "{":
        return dict(zip(like, items, strict=True))
    return tuple(items) if sign == "(" else items


def _items(value: Any, sign: str) -> Sequence[Any]:
    """What stands in a container.

    Raises:
        InternalError: it is none of the kind that it was while checking.
    """
    if sign == "{" and isinstance(value, dict):
        return tuple(value.values())
    if sign == "(" and (isinstance(value, tuple) or type(value) in VIEWS):
        return tuple(value)
    if sign == "[" and type(value) is list:
        return value
    raise _others()


def _others() -> InternalError:
    return InternalError("values that get noise stand otherwise than they did while checking")
