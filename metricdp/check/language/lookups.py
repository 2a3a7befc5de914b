"""`weights.get(row.city, 0)`: what a public dictionary has under a key that is private.

The dictionary, its keys and what is in it are public and known; which entry is taken is not.  So it
is the expression that asks for one key after the other, `a if k == "a" else b if k == "b" else 0`:
the keys differ, so at most one of them is equal, and a key that is not there has the default.
"""

from __future__ import annotations

import ast
from fractions import Fraction
from typing import Any, cast

import msgspec

from metricdp.check.domain import joins
from metricdp.check.language import totality
from metricdp.check.language.interpreter import Interpreter
from metricdp.check.language.operators import binary
from metricdp.check.values import public, total
from metricdp.check.values.dictionaries import entries_of
from metricdp.check.values.objects import Obj, TupleValue, Value
from metricdp.spaces import Scalar

#: Most keys that are asked for one after the other.
MOST = 64


def looked_up(
    interpreter: Interpreter, contents: Obj | None, arguments: list[Obj], node: ast.Call
) -> Obj | None:
    """The entry under a private number or text; None where this is another kind of question."""
    if len(arguments) != 2 or not isinstance(contents, TupleValue):
        return None
    index, default = interpreter.seen(arguments[0]), _known(interpreter.seen(arguments[1]))
    entries = {k: _known(interpreter.seen(each)) for k, each in entries_of(contents).items()}
    if not _is_asked(index, list(entries)) or not _are_alike([default, *entries.values()]):
        return None
    found, plain = default, cast(Any, (None, None))
    for key, entry in reversed(entries.items()):
        test = binary(interpreter, ast.Eq(), index, public.literal(key), node, *plain)
        assert isinstance(test, Value)
        name = interpreter.text(node)
        found = joins.join(interpreter.domain, test, entry, found, interpreter.module, node, name)
    totality.shown(interpreter, node, total.TOTAL)
    interpreter.act(node, "looked_up", "")
    return found


def _known(value: Obj) -> Obj:
    """A number that the program writes, as it is written: a loop may have given it a name."""
    if isinstance(value, TupleValue):
        return msgspec.structs.replace(value, items=tuple(map(_known, value.items)))
    number = isinstance(value, Value) and type(value.literal) in (int, Fraction)
    return public.literal(value.literal) if number and not value.private else value  # type: ignore[union-attr]


def _is_asked(index: Obj, keys: list[Any]) -> bool:
    """Whether a private value can be compared with each of the keys as Python compares them."""
    if not isinstance(index, Value) or not index.private or not isinstance(index.space, Scalar):
        return False
    kinds = {type(key) for key in keys}
    whole = index.space.kind == "int" or (not index.space.kind and index.space.element == "Int")
    of_index = str if index.space.kind == "str" else int if whole else None
    return 1 <= len(keys) <= MOST and of_index is not None and kinds == {of_index}


def _are_alike(values: list[Obj]) -> bool:
    """Whether all are public numbers, or tuples of as many public numbers."""
    if all(isinstance(value, TupleValue) for value in values):
        tuples = [value for value in values if isinstance(value, TupleValue)]
        plain = not any(each.is_list or each.names or each.kind for each in tuples)
        columns = {len(each.items) for each in tuples}
        return plain and len(columns) == 1 and all(_are_numbers(each.items) for each in tuples)
    return _are_numbers(values)


def _are_numbers(values: Any) -> bool:
    return all(
        isinstance(value, Value) and not value.private and public.is_number(value)
        and not isinstance(value.literal, bool)
        for value in values
    )  # fmt: skip
