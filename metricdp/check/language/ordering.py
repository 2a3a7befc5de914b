"""`sorted`, `min` and `max` of public things by a key function, which is read on one of them."""

from __future__ import annotations

import ast

from metricdp.check.language.interpreter import Interpreter
from metricdp.check.values import public
from metricdp.check.values.findings import Stop
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import Builtin, Closure, Obj, Range, TupleValue, Value

ORDERING = frozenset({"sorted", "min", "max"})
#: Builtins that are functions of one public value.
_KEYS = frozenset({"abs", "len", "str", "float", "int", "bool", "repr"})


def by_key(
    interpreter: Interpreter, name: str, given: list[Obj], keywords: dict[str, Obj], node: ast.AST
) -> Obj:
    """`sorted(values, key=f)`, `min(values, key=f)`, `max(a, b, key=f)`.

    Raises:
        Stop: the values, or what the key makes of one of them, are private.
    """
    key = keywords["key"]
    others = [value for word, value in keywords.items() if word != "key"]
    whole = interpreter.heap.opened(given[0]) if len(given) == 1 else TupleValue(tuple(given))
    items = interpreter.iterated(whole, node) if isinstance(whole, TupleValue) else ()
    seen = tuple(map(interpreter.seen, items))
    if any(interpreter.has_private(value) for value in (*given, *others)):
        raise _private(interpreter, name, node)
    interpreter.handed_on(items, node)
    one = public.one_of(seen, public.origin(*seen)) if seen else _one(whole)
    made = _made_by(interpreter, key, one, name, node)
    if interpreter.has_private(made):
        raise _private(interpreter, name, node)
    origin = public.origin(one, interpreter.seen(made), *seen, *others)
    found = public.one_of(seen, origin) if seen else Value(origin, source="computed")
    if name != "sorted":
        return found
    if isinstance(whole, TupleValue):
        return interpreter.heap.new([found] * len(items))
    size = whole.count if isinstance(whole, Range) else public.public_length(whole)
    return Value(origin, source="computed", size=size)


def getter(base: Obj) -> Closure:
    """`d.get` as a function: what `max(d, key=d.get)` is given."""
    frame = Frame({".dictionary": base}, None)
    call = ast.parse("_dictionary.get(_key)", mode="eval").body
    for name in ast.walk(call):
        if isinstance(name, ast.Name):
            name.id = {"_dictionary": ".dictionary", "_key": ".key"}[name.id]
    one = ast.arguments([], [ast.arg(".key")], None, [], [], None, [])
    return Closure(ast.copy_location(ast.Lambda(one, call), call), None, frame, "get")  # type: ignore[arg-type]


def _one(whole: Obj) -> Obj:
    """An item of something public whose items are not known."""
    if isinstance(whole, Range):
        return Value("public", source="computed")
    return Value(public.origin(whole), source="computed")


def _made_by(interpreter: Interpreter, key: Obj, one: Obj, name: str, node: ast.AST) -> Obj:
    if isinstance(key, Builtin) and key.name in _KEYS:
        return Value(public.origin(one), source="computed")
    if isinstance(key, Value) and key.literal is None:
        return one
    if not isinstance(key, Closure):
        raise interpreter.stop(
            node, "unsupported-call", f"the key of `{name}` is no function that can be read",
            "a lambda or a function of this project", f"{name}(values, key=lambda v: v)",
        )  # fmt: skip
    spent = len(interpreter.domain.state.trace)
    made = interpreter.call(key, (one,), key.module or interpreter.module, node)
    if len(interpreter.domain.state.trace) > spent:
        raise interpreter.stop(
            node, "unsupported-call", f"the key of `{name}` adds noise once per value",
            "noise before the order is made", "noisy = [dp.laplace(...) for ...]",
        )  # fmt: skip
    return made


def _private(interpreter: Interpreter, name: str, node: ast.AST) -> Stop:
    return interpreter.stop(
        node, "unsupported-call", f"`{name}` by a key orders private values",
        "released or public values", "release the values first, and order what is released",
    )  # fmt: skip
