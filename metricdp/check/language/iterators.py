"""Functions of `itertools` of public things: what they give, where all of it is consumed at once.

Each gives an iterator, which is empty once it was gone through and reads what it is given later
than it is called.  So a call or a loop has to go through it at once; those that have no end are not
read.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from metricdp.check.language import totality
from metricdp.check.language.builtin_calls import not_consumed
from metricdp.check.language.interpreter import Interpreter
from metricdp.check.language.iteration import known_items
from metricdp.check.source import spelled
from metricdp.check.values import public
from metricdp.check.values.dictionaries import is_mapping
from metricdp.check.values.objects import Obj, Range, TupleValue, Value
from metricdp.check.values.total import TOTAL

#: Most items that are followed one by one.
_MOST = 4096
#: Functions of sequences -> what they make of the known ones.
_OF_ALL: dict[str, Callable[..., Iterable[Any]]] = {
    "product": itertools.product, "chain": itertools.chain,
}  # fmt: skip
#: Functions of one sequence.
_OF_ONE: dict[str, Callable[..., Iterable[Any]]] = {"pairwise": itertools.pairwise}
#: Functions of one sequence and a number of items.
_OF_SOME: dict[str, Callable[..., Iterable[Any]]] = {
    "combinations": itertools.combinations, "permutations": itertools.permutations,
    "combinations_with_replacement": itertools.combinations_with_replacement,
}  # fmt: skip
_NAMES = frozenset({*_OF_ALL, *_OF_ONE, *_OF_SOME, "accumulate"})


def call(
    interpreter: Interpreter, dotted: str, arguments: list[Obj], keywords: dict[str, Obj],
    node: ast.AST,
) -> Obj:  # fmt: skip
    """`itertools.name(...)`."""
    name = dotted.removeprefix("itertools.")
    if any(map(interpreter.has_private, (*arguments, *keywords.values()))):
        raise interpreter.stop(
            node, "unsupported-call", f"`{dotted}` on private values has no rule",
            "public things; rows one by one",
            spelled.call(dotted, node) or "a comprehension over the rows: [f(row) for row in rows]",
        )  # fmt: skip
    if name not in _NAMES or keywords:
        raise interpreter.stop(
            node, "unsupported-call", f"`{dotted}` is not read",
            f"one of {', '.join(sorted(_NAMES))}, with values by position",
            "a loop or a comprehension over public things",
        )  # fmt: skip
    if node not in interpreter.consumed:
        raise not_consumed(interpreter, name, node)
    origin = public.origin(*map(interpreter.seen, arguments))
    made = _known(interpreter, name, arguments, node)
    interpreter.handed_on(arguments, node)
    if made is None:
        return Value(origin, source="computed")
    totality.shown(interpreter, node, TOTAL)
    return TupleValue(tuple(made))


def _known(
    interpreter: Interpreter, name: str, arguments: list[Obj], node: ast.AST
) -> list[Obj] | None:
    """The items, where those of all arguments are known; None where they are not."""
    many: int | None = None
    if name in _OF_SOME:
        found = getattr(arguments[-1], "literal", None) if len(arguments) == 2 else None
        if type(found) is not int or not 0 <= found <= 8:
            return None
        many, arguments = found, arguments[:1]
    parts = [_items(interpreter, each, node) for each in arguments]
    lists = [part for part in parts if part is not None]
    if len(lists) < len(parts) or not lists or (name not in _OF_ALL and len(lists) > 1):
        return None
    if name == "accumulate":
        return _added(lists[0])
    if name == "chain":
        found_items: list[Obj] = [item for part in lists for item in part]
        return found_items if len(found_items) <= _MOST else None
    make = _OF_ALL.get(name) or _OF_ONE.get(name) or _OF_SOME[name]
    given: tuple[Any, ...] = (*lists,) if many is None else (*lists, many)
    rows = [*itertools.islice(make(*given), _MOST + 1)]
    return [TupleValue(tuple(row)) for row in rows] if len(rows) <= _MOST else None


def _items(interpreter: Interpreter, value: Obj, node: ast.AST) -> Sequence[Obj] | None:
    inside = interpreter.heap.opened(value)
    if isinstance(inside, Range):
        return known_items(inside, public.LISTED)
    if not isinstance(inside, TupleValue) or inside.names:
        return None
    if is_mapping(inside):
        return None
    return interpreter.iterated(inside, node)


def _added(items: Sequence[Obj]) -> list[Obj] | None:
    """The sums of the first items."""
    found: list[Obj] = []
    total: Value | None = None
    for each in items:
        if not isinstance(each, Value):
            return None
        total = each if total is None else public.binary("+", total, each)
        found.append(total)
    return found
