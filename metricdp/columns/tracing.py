"""What a function does with its row, as nodes: it is called on stand-ins, and they remember.

A branch on a value of the row is followed on both sides, and the results are selected from by its
condition; a function with too many ways through it is left to Python.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

from metricdp.columns.itself import Itself
from metricdp.columns.language import (
    DECIDER,
    Node,
    RowSumState,
    Untraceable,
    constant,
    negated,
    select,
    stack,
    vector,
)
from metricdp.columns.moments import Instant, chosen
from metricdp.columns.nullable import Nullable, known_there
from metricdp.columns.planned import kept_rows
from metricdp.columns.words import TextPieces

#: The most ways through a function that are followed.
_MOST_WAYS: Final = 32


def traced(function: Callable[..., Any], *given: Any) -> Any:
    """The result of a function, with nodes in place of values.

    Raises:
        Untraceable: it does something that the language has no operator for.
    """
    alone()
    kept = kept_rows() if len(given) == 1 else None
    return _traced(function, *given) if kept is None else kept.traced(function, given[0], _traced)


def _traced(function: Callable[..., Any], *given: Any) -> Any:
    ways: list[tuple[list[tuple[Node, bool]], Any]] = []
    ahead: list[bool] = []
    while True:
        way = _Way(ahead)
        token = DECIDER.set(way)
        try:
            result = function(*given)
        except Untraceable:
            raise
        except Exception as error:  # whatever it is, the function itself runs row by row
            raise Untraceable(f"an operation that raises {type(error).__name__}") from None
        finally:
            DECIDER.reset(token)
        ways.append((way.taken, result))
        if len(ways) > _MOST_WAYS:
            raise Untraceable(f"more than {_MOST_WAYS} ways through a function of a row")
        ahead = [side for _, side in way.taken]
        while ahead and not ahead[-1]:
            ahead.pop()
        if not ahead:
            return _joined(ways, 0)
        ahead[-1] = False


def alone() -> None:
    """Stand-ins of one table mean nothing in the rows of another one.

    Raises:
        Untraceable: a function of a row is being traced.
    """
    if DECIDER.get() is not None:
        raise Untraceable("rows inside of a function of a row")


class _Way:
    """One way through a function: sides that are given, then every first one."""

    def __init__(self, ahead: list[bool]) -> None:
        self.ahead = ahead
        self.taken: list[tuple[Node, bool]] = []

    def __call__(self, node: Node) -> bool:
        at = len(self.taken)
        side = self.ahead[at] if at < len(self.ahead) else True
        self.taken.append((node, side))
        return side


def _joined(ways: list[tuple[list[tuple[Node, bool]], Any]], depth: int) -> Any:
    first, result = ways[0]
    if len(ways) == 1:
        return result
    yes = [way for way in ways if way[0][depth][1]]
    no = [way for way in ways if not way[0][depth][1]]
    return merged(first[depth][0], _joined(yes, depth + 1), _joined(no, depth + 1))


def merged(test: Any, x: Any, y: Any) -> Any:
    """x where the condition holds, else y; for values of any kind that a row can have.

    Raises:
        Untraceable: they are of two kinds.
    """
    if x is y or (not symbolic(x) and not symbolic(y) and type(x) is type(y) and x == y):
        return x
    if isinstance(test, Nullable):
        test = test.truth()
    if isinstance(x, Nullable) or isinstance(y, Nullable):
        x, y = known_there(x, test), known_there(y, negated(test))
    if isinstance(x, tuple | list) and type(x) is type(y) and len(x) == len(y):
        parts = [merged(test, a, b) for a, b in zip(x, y, strict=True)]
        return type(x)(*parts) if hasattr(x, "_fields") else type(x)(parts)
    if isinstance(x, dict) and isinstance(y, dict) and list(x) == list(y):
        return {key: merged(test, x[key], y[key]) for key in x}
    if (
        isinstance(x, tuple | list | dict)
        or isinstance(y, tuple | list | dict)
        or x is None
        or y is None
    ):
        raise Untraceable("a branch whose sides are of two kinds")
    if isinstance(x, Instant) or isinstance(y, Instant):
        return chosen(test, x, y)
    return select(test, x, y)


#: What neither stands for a value of a row nor holds one.
_PLAIN: Final = frozenset({bool, int, float, str, Fraction, type(None)})
#: Items of a tuple that is gone through once.
_LONG: Final = 64
#: What stands for one.
_OF_ROWS: Final = (Node, Instant, Nullable, TextPieces, RowSumState)


def symbolic(value: Any) -> bool:
    """Whether a value stands for one of a row, or holds such a value."""
    kind = type(value)
    if kind in _PLAIN:
        return False
    stands, holds = _kind(kind)  # type: ignore[arg-type]
    if stands or not holds:
        return stands
    if kind is dict:
        return any(map(symbolic, value.values()))
    plain = (
        _is_plain(Itself(value)) if kind is tuple and len(value) > _LONG else _holds_plain(value)
    )
    return not plain and any(map(symbolic, value))


def _holds_plain(value: Any) -> bool:
    return _PLAIN.issuperset(map(type, value))


@lru_cache(maxsize=8)
def _is_plain(value: Itself) -> bool:
    """Whether a tuple holds nothing but values that nothing changes."""
    return _holds_plain(value.held)


@lru_cache(maxsize=512)
def _kind(kind: type) -> tuple[bool, bool]:
    """Whether values of a type stand for those of a row, and whether they may hold such values."""
    holds = kind in (tuple, list, dict) or hasattr(kind, "_fields")
    return issubclass(kind, _OF_ROWS), holds


def each_entry(function: Callable[..., Any], *vectors: Any) -> Node:
    """What a function makes of every entry of a vector, or of every entry of several, in order.

    Raises:
        Untraceable: it does something that the language has no operator for.
    """
    columns = [list(vector(each)) for each in vectors]
    return stack([constant(traced(function, *entries)) for entries in zip(*columns, strict=False)])


def row_of(value: Any) -> Any:
    """A result as a row: public values in it are the same in every row.

    Raises:
        Untraceable: it is no row.
    """
    if isinstance(value, Node | Instant | Nullable):
        return value
    if isinstance(value, tuple):
        parts = [row_of(item) for item in value]
        if all(a is b for a, b in zip(parts, value, strict=True)):
            return value
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, dict):
        held = {key: row_of(item) for key, item in value.items()}
        return value if all(held[key] is value[key] for key in held) else held
    if isinstance(value, bool | int | float | Fraction | str):
        return constant(value)
    raise Untraceable(f"a {type(value).__name__} as the result of a function of a row")
