"""`collections.Counter` of private rows: how many rows equal a key that is public.

Which keys it has is decided by the rows, so they are read by public keys alone, and `counts[key]`
is the number of rows equal to the key, 0 where there are none: the record `count` of these rows.
"""

from __future__ import annotations

import ast

from metricdp.check.language import totality
from metricdp.check.language.applying import apply
from metricdp.check.language.interpreter import Interpreter, Nodes
from metricdp.check.source.advice import KEYS_OF_ROWS
from metricdp.check.values import total
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import Closure, Obj, Value
from metricdp.spaces import Keyed, Records

_ROW, _KEY = ".row", ".key"
#: What gives away which keys there are, and what a person would do with it.
_SHOWING = frozenset("elements items keys most_common values popitem".split())


def countable(interpreter: Interpreter, value: Obj) -> bool:
    """Whether a value is a private table."""
    value = interpreter.seen(value)
    return isinstance(value, Value) and value.private and isinstance(value.space, Records)


def counted(interpreter: Interpreter, rows: Obj, node: ast.AST, nodes: Nodes) -> Obj:
    """`Counter(rows)` of a private table."""
    rows = interpreter.seen(rows)
    pairs = [getattr(each, "elt", None) for each in nodes]
    if isinstance(pairs[0], ast.Tuple):  # read by public pairs alone it is no counter any more
        raise interpreter.stop(node, "private-length", *KEYS_OF_ROWS)
    made = apply(interpreter, interpreter.named("count_by", node), [rows], {}, node, nodes, {})
    if isinstance(made, Value) and isinstance(rows, Value) and made.form is not None:
        interpreter.domain.counted[made.form] = rows
    return made


def rows_of(interpreter: Interpreter, base: Obj) -> Value | None:
    """The rows that a value counts; None for any other value."""
    if not isinstance(base, Value) or not isinstance(base.space, Keyed) or base.form is None:
        return None
    return interpreter.domain.counted.get(base.form)


def entry(interpreter: Interpreter, rows: Value, index: Obj, node: ast.AST) -> Obj:
    """`counts[key]`."""
    index = interpreter.seen(index)
    if interpreter.has_private(index):
        raise interpreter.stop(
            node, "private-index", "a private value says which count is read",
            "public keys", "for key in KEYS, with KEYS = (...)",
        )  # fmt: skip
    if not isinstance(index, Value):
        raise interpreter.stop(
            node, "unsupported-call", "this key is no single value", "a number or a text",
            "one public value as the key",
        )  # fmt: skip
    if interpreter.domain.decided:
        totality.holds(interpreter, node, total.hashed(index))
    interpreter.act(node, "tally", "")
    equal = ast.Compare(ast.Name(_ROW, ast.Load()), [ast.Eq()], [ast.Name(_KEY, ast.Load())])
    one = ast.arguments([], [ast.arg(_ROW)], None, [], [], None, [])
    function = ast.Lambda(one, equal)
    for part in ast.walk(function):
        ast.copy_location(part, node)
    same = Closure(function, interpreter.module, Frame({_KEY: index}), "the count")
    record = interpreter.named("count", node)
    return apply(interpreter, record, [rows, same], {}, node, [None, None], {})


def method(
    interpreter: Interpreter, rows: Value, name: str, arguments: list[Obj],
    keywords: dict[str, Obj], node: ast.Call,
) -> Obj:  # fmt: skip
    """`counts.get(key, 0)`, `counts.total()`."""
    if name == "get" and len(arguments) == 2 and not keywords:
        if getattr(arguments[1], "literal", None) != 0:
            raise interpreter.stop(
                node, "unsupported-call", "a key that no row has is counted as 0 here",
                "0 as the default", _got(interpreter, node, f"{_key(interpreter, node)}, 0"),
            )  # fmt: skip
        return entry(interpreter, rows, arguments[0], node)
    if name == "get" and len(arguments) == 1 and not keywords:
        raise interpreter.stop(
            node, "private-length",
            "`.get` gives None where no row has this key, and that would show whether one has",
            "0 as the default", _got(interpreter, node, f"{_key(interpreter, node)}, 0"),
        )  # fmt: skip
    if name == "total" and not arguments and not keywords:
        interpreter.act(node, "tally", "")
        record = interpreter.named("count", node)
        return apply(interpreter, record, [rows], {}, node, [None], {})
    if name in _SHOWING:
        raise interpreter.stop(node, "private-length", *KEYS_OF_ROWS)
    raise interpreter.stop(
        node, "unsupported-call", f"the method `{name}` of counts of private rows has no rule",
        "counts by public keys", "[counts[key] for key in KEYS], with KEYS = (...)",
    )  # fmt: skip


def _key(interpreter: Interpreter, node: ast.Call) -> str:
    return interpreter.text(node.args[0])


def _got(interpreter: Interpreter, node: ast.Call, arguments: str) -> str:
    assert isinstance(node.func, ast.Attribute)
    return f"{interpreter.text(node.func.value)}.get({arguments})"
