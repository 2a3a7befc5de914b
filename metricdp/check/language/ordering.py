"""`sorted`, `min` and `max` by a key function.

Of public things the key is read on one of them.  The least or largest of a known number of things
by a private key is one comparison after the other, as Python does it: the first of equals is kept.
"""

from __future__ import annotations

import ast

from metricdp.check.domain import joins
from metricdp.check.language import totality
from metricdp.check.language.interpreter import Interpreter
from metricdp.check.language.iteration import known_items
from metricdp.check.values import public, total
from metricdp.check.values.dictionaries import is_mapping
from metricdp.check.values.findings import Stop
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import (
    Builtin,
    Closure,
    ListRef,
    Obj,
    Range,
    TupleValue,
    Value,
)
from metricdp.check.values.terms import kept, with_term
from metricdp.check.values.total import Needs
from metricdp.expr import ONE
from metricdp.record import by_operator
from metricdp.spaces import Scalar

ORDERING = frozenset({"sorted", "min", "max"})
#: Most numbers of a range that are told apart.
_MOST = 64
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
    if isinstance(whole, Range) and (numbers := known_items(whole, _MOST)):
        whole = TupleValue(numbers)
    items = interpreter.iterated(whole, node) if isinstance(whole, TupleValue) else ()
    seen = tuple(map(interpreter.seen, items))
    if name != "sorted" and seen and not others and isinstance(key, Closure):
        found = _by_private_key(interpreter, name, seen, key, node)
        if found is not None:
            return found
    if any(interpreter.has_private(value) for value in (*given, *others)):
        raise _private(interpreter, name, node)
    interpreter.act(node, "plain", "")
    interpreter.handed_on(items, node)
    seen = tuple(map(interpreter.seen, items))
    one = public.one_of(seen, public.origin(*seen)) if seen else _one(whole)
    made = _made_by(interpreter, key, one, name, node)
    if interpreter.has_private(made):
        raise _private(interpreter, name, node)
    plain = not others and _are_numbers(key, one, made)
    totality.shown(interpreter, node, _needs(name, whole) if plain else None)
    origin = public.origin(one, interpreter.seen(made), *seen, *others)
    found = public.one_of(seen, origin) if seen else Value(origin, source="computed")
    if name != "sorted":
        return _whole(origin) if isinstance(whole, Range) and not others else found
    if isinstance(whole, TupleValue):
        # Each is an object of its own: one object is one value.
        return interpreter.heap.new([public.another(found) for _ in items])
    size = whole.count if isinstance(whole, Range) else public.public_length(whole)
    return Value(origin, source="computed", size=size)


def _are_numbers(key: Obj, one: Obj, made: Obj) -> bool:
    """Whether what the key makes of an item are certainly numbers, which can be ordered."""
    if isinstance(key, Builtin):
        return key.name == "abs" and public.is_number(one)
    return public.is_number(made)


def _needs(name: str, whole: Obj) -> Needs:
    """What makes an order of things total whose keys are numbers: the least of none is an error."""
    if isinstance(whole, TupleValue):
        return total.sure(bool(whole.items) or name == "sorted")
    if isinstance(whole, Range):
        return total.TOTAL if name == "sorted" else ((whole.count, ">=", ONE),)
    return None


def sort(interpreter: Interpreter, base: ListRef, keywords: dict[str, Obj], node: ast.AST) -> bool:
    """`values.sort(key=f, reverse=True)` of a list of public things; False where it is none, or
    where private data decide whether it runs."""
    held = interpreter.heap.lists[base.number]
    if keywords.keys() - {"key", "reverse"} or interpreter.domain.decided or is_mapping(held):
        return False
    given = [held, *(value for word, value in keywords.items() if word != "key")]
    if any(map(interpreter.has_private, given)):
        return False
    interpreter.may_change(base, node)
    key = keywords.get("key")
    if isinstance(held, TupleValue):
        items = tuple(map(interpreter.seen, held.items))
        interpreter.handed_on(held.items, node)
        one = public.one_of(items, public.origin(*items)) if items else _one(held)
    else:
        items, one = (), _one(held)
    origin = public.origin(one, held)
    if key is not None:
        made = _made_by(interpreter, key, one, "sort", node)
        if interpreter.has_private(made):
            raise _private(interpreter, "sort", node)
        origin = public.origin(one, held, interpreter.seen(made))
    found = public.one_of(items, origin) if items else Value(origin, source="computed")
    sorted_ = TupleValue(tuple(public.another(found) for _ in items), True)
    whole = isinstance(held, TupleValue)
    interpreter.heap.lists[base.number] = sorted_ if whole else public.another(held)
    return True


def _by_private_key(
    interpreter: Interpreter, name: str, items: tuple[Obj, ...], key: Closure, node: ast.AST
) -> Obj | None:
    """The first item whose key is least, or largest; None where neither items nor keys are
    private."""
    mark, lists = interpreter.domain.state.checkpoint(), dict(interpreter.heap.lists)
    keys = [_made_by(interpreter, key, item, name, node) for item in items]
    if not any(map(interpreter.has_private, (*items, *keys))):
        interpreter.domain.state.rollback(mark)
        interpreter.heap.lists = lists
        return None
    interpreter.unchanged(lists, node, f"the key of `{name}`")
    interpreter.act(node, "by_key", name)
    domain, record = interpreter.domain, by_operator("<" if name == "min" else ">")
    assert record is not None
    best, least = items[0], keys[0]
    for item, one in zip(items[1:], keys[1:], strict=True):
        test = domain.apply(record, {"x": one, "y": least}, interpreter.module, node, {}, ())
        best = joins.join(domain, test, item, best, interpreter.module, node, "the result")
        least = joins.join(domain, test, one, least, interpreter.module, node, "the key")
    parts = [(str(at), domain.operand(each)) for at, each in enumerate((*items, *keys))]
    known = [(at, term) for at, term in parts if term is not None]
    # The comparisons as one term: their own would double with every item.
    return with_term(best, kept(("rule", f"{name} by key", *known)) if known == parts else None)


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
        return _whole("public")
    return Value(public.origin(whole), source="computed")


def _whole(origin: str) -> Value:
    """A number of a range."""
    return Value(origin, Scalar("Int"), source="computed", holds="int")


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
