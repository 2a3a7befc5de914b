"""`weights.get(row.city, 0)`, `weights[row.city]`, `CITIES.index(row.city)`: what a public
dictionary or list has for a value that is private.

The dictionary, its keys and what is in it are public and known; which entry is taken is not.  So it
is the expression that asks for one key after the other, `a if k == "a" else b if k == "b" else 0`:
the keys differ, so at most one of them is equal, and a key that is not there has the default.
Without a default the value has to be one of the keys (`known_keys`), and the last of them needs no
test.  The position of a value in a list is the first at which it stands.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, cast

import msgspec

from metricdp.check.domain import joins
from metricdp.check.language import totality
from metricdp.check.language.interpreter import Interpreter
from metricdp.check.language.known_keys import are_compared, is_one_of
from metricdp.check.language.operators import equal
from metricdp.check.values import public, total
from metricdp.check.values.dictionaries import entries_of, missing_of
from metricdp.check.values.findings import Stop
from metricdp.check.values.objects import Obj, TupleValue, Value
from metricdp.check.values.public import is_number

#: Most keys that are asked for one after the other.
MOST = 512


def looked_up(
    interpreter: Interpreter, contents: Obj | None, arguments: list[Obj], node: ast.Call
) -> Obj | None:
    """`d.get(key, default)` of a private key; None where this is another kind of question."""
    if not 1 <= len(arguments) <= 2 or not isinstance(contents, TupleValue):
        return None
    index, entries = interpreter.seen(arguments[0]), _entries(interpreter, contents)
    if not _can_be_asked(index, entries):
        return None
    if len(arguments) == 1:
        raise _no_default(interpreter, entries, node)
    default = _known(interpreter.seen(arguments[1]))
    if not _are_alike([default, *entries.values()]):
        return None
    interpreter.act(node, "looked_up", "")
    return _chosen(interpreter, index, entries, default, node)


def entry_at(
    interpreter: Interpreter, contents: Obj | None, index: Obj, node: ast.AST
) -> Obj | None:
    """`d[key]` of a private key that is certainly there; None where this is another question.

    Raises:
        Stop: nothing shows that the key is there.
    """
    if not isinstance(contents, TupleValue) or missing_of(contents):
        return None
    index, entries = interpreter.seen(index), _entries(interpreter, contents)
    if not _can_be_asked(index, entries) or not _are_alike([*entries.values()]):
        return None
    if not _is_there(interpreter, index, list(entries), node):
        assert isinstance(node, ast.Subscript)
        base, key = interpreter.text(node.value), key_text(interpreter, node)
        raise interpreter.stop(
            node, "partial-operation",
            f"nothing shows that {key} is a key of `{base}`: another one would raise, and that "
            "would be seen", f"the test that it is one, if {key} in {base}, or a default",
            f"{base}.get({key}, 0)",
        )  # fmt: skip
    interpreter.act(node, "entry_at", "")
    return _chosen(interpreter, index, entries, entries[list(entries)[-1]], node)


def key_text(interpreter: Interpreter, node: ast.Subscript) -> str:
    """How a key is written where it stands alone."""
    text = interpreter.text(node.slice)
    bare = isinstance(node.slice, ast.Tuple) and not text.startswith("(")
    return f"({text})" if bare else text


def position_of(
    interpreter: Interpreter, items: Sequence[Obj], value: Obj, node: ast.Call
) -> Obj | None:
    """`items.index(value)` of a private value that is certainly there; None where this is another
    question.

    Raises:
        Stop: nothing shows that the value is there.
    """
    known = [public_literal(interpreter.seen(each)) for each in items]
    places: dict[Any, Obj] = {}
    for at, each in enumerate(known):
        places.setdefault(each, public.literal(at))
    if not _can_be_asked(value, places) or not are_compared(value, known):
        return None
    if not _is_there(interpreter, value, list(places), node):
        assert isinstance(node.func, ast.Attribute)
        base, text = interpreter.text(node.func.value), interpreter.text(node.args[0])
        raise interpreter.stop(
            node, "partial-operation",
            f"nothing shows that {text} is in `{base}`: Python would raise where it is not, and "
            "that would be seen", f"the test that it is there: if {text} in {base}",
            f"{interpreter.text(node)} if {text} in {base} else -1",
        )  # fmt: skip
    interpreter.act(node, "position_of", "")
    return _chosen(interpreter, value, places, public.literal(known.index(list(places)[-1])), node)


def _no_default(interpreter: Interpreter, entries: Mapping[Any, Obj], node: ast.Call) -> Stop:
    """The rejection of `d.get(key)`, which gives None in place of a value of the entries' kind."""
    assert isinstance(node.func, ast.Attribute)
    base, key = interpreter.text(node.func.value), interpreter.text(node.args[0])
    default = {"str": '"none"', "bool": "False"}.get(_kind(next(iter(entries.values()))), "0")
    return interpreter.stop(
        node, "unsupported-call",
        f"`{base}.get` gives None where {key} is no key, and what is beside it is not None",
        f"a default like the entries, or the test before: if {key} in {base}",
        f"{base}.get({key}, {default})",
    )  # fmt: skip


def public_literal(value: Obj) -> Any:
    """A public value that the program writes; the value itself where it writes none."""
    held = getattr(value, "literal", value)
    return held if isinstance(value, Value) and not value.private else value


def _is_there(interpreter: Interpreter, value: Obj, known: list[Any], node: ast.AST) -> bool:
    domain = interpreter.domain
    return is_one_of(domain, value, known) or (domain.decided and domain.put_off())


def _chosen(
    interpreter: Interpreter, index: Obj, entries: Mapping[Any, Obj], default: Obj, node: ast.AST
) -> Obj:
    """One entry after the other, each where the value is its key."""
    found = default
    for key, entry in reversed([*entries.items()]):
        if entry is default:
            continue
        test = equal(interpreter, index, key, node)
        name = interpreter.text(cast(ast.expr, node))
        found = joins.join(interpreter.domain, test, entry, found, interpreter.module, node, name)
    totality.shown(interpreter, node, total.TOTAL)
    return found


def _entries(interpreter: Interpreter, contents: TupleValue) -> dict[Any, Obj]:
    return {k: _known(interpreter.seen(each)) for k, each in entries_of(contents).items()}


def _known(value: Obj) -> Obj:
    """A number that the program writes, as it is written: a loop may have given it a name."""
    if isinstance(value, TupleValue):
        return msgspec.structs.replace(value, items=tuple(map(_known, value.items)))
    number = isinstance(value, Value) and type(value.literal) in (int, Fraction)
    return public.literal(value.literal) if number and not value.private else value  # type: ignore[union-attr]


def _can_be_asked(index: Obj, entries: Mapping[Any, Obj]) -> bool:
    return 1 <= len(entries) <= MOST and are_compared(index, list(entries))


def _are_alike(values: list[Obj]) -> bool:
    """Whether all are public values of one kind, or tuples of as many with one kind each."""
    if all(isinstance(value, TupleValue) for value in values):
        tuples = [value for value in values if isinstance(value, TupleValue)]
        plain = not any(each.is_list or each.names or each.kind for each in tuples)
        if not plain or len({len(each.items) for each in tuples}) != 1:
            return False
        columns = zip(*(each.items for each in tuples), strict=True)
        return all(_are_of_one_kind(column) for column in columns)
    return _are_of_one_kind(values)


def _are_of_one_kind(values: Sequence[Obj]) -> bool:
    """Whether all are numbers, all are texts that are written, or all are truth values."""
    (kind, *others) = {_kind(value) for value in values}
    return bool(kind) and not others


def _kind(value: Obj) -> str:
    if not isinstance(value, Value) or value.private:
        return ""
    if isinstance(value.literal, bool | str):
        return type(value.literal).__name__
    return "number" if is_number(value) and public.kind(value) != "bool" else ""
