"""Dictionaries that the program makes: displays, comprehensions, stores, entries, methods.

A dictionary whose keys are known while checking holds any values, each followed on its own.  Under
keys that are public but not known, it holds public and released values of which nothing is known.
Keys are never private: which keys there are can be seen.
"""

from __future__ import annotations

import ast
from typing import Any

import msgspec

from metricdp.check.language import totality
from metricdp.check.language.interpreter import Interpreter
from metricdp.check.language.iteration import known_items
from metricdp.check.language.lookups import entry_at, looked_up
from metricdp.check.values import public, sequences, total
from metricdp.check.values.dictionaries import (
    as_object,
    dictionary,
    entries_of,
    is_dictionary,
    is_mapping,
    key_of,
    missing_of,
    of_numbers,
    unknown_keys,
)
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import (
    UNKNOWN,
    Builtin,
    ListRef,
    Obj,
    Range,
    TupleValue,
    Value,
    View,
    Zip,
)
from metricdp.spaces import Scalar

#: What the types that `defaultdict` is given make of nothing.
_MADE: dict[str, Any] = {"int": 0, "float": 0.0, "bool": False, "str": "", "Counter": 0}
_CONTAINERS = ("list", "dict")
#: Most keys of a range that are followed one by one.
MOST = 1024
_VIEWS = ("keys", "values", "items")


def display(interpreter: Interpreter, node: ast.Dict, frame: Frame) -> Obj:
    """`{k: v, **d}`, each key before its value, as Python evaluates them."""
    made = interpreter.heap.hold(dictionary({}))
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        if key_node is None:
            _merge(interpreter, made, interpreter.evaluate(value_node, frame), value_node)
            continue
        key = interpreter.evaluate(key_node, frame)
        store(interpreter, made, key, interpreter.evaluate(value_node, frame), key_node)
    interpreter.heap.stored.discard(made.number)
    return made


def called(
    interpreter: Interpreter, arguments: list[Obj], keywords: dict[str, Obj], node: ast.AST
) -> Obj:
    """`dict(...)`: of nothing, of a dictionary, of pairs, of `zip(keys, values)`, of keywords."""
    made = interpreter.heap.hold(dictionary({}))
    for argument in arguments:
        _merge(interpreter, made, argument, node)
    for name, value in keywords.items():
        store(interpreter, made, public.literal(name), value, node)
    totality.shown(interpreter, node, total.TOTAL)  # its keys were asked for
    interpreter.heap.stored.discard(made.number)
    return made


def with_default(interpreter: Interpreter, arguments: list[Obj], node: ast.AST) -> Obj:
    """`collections.defaultdict(int)`: a missing key has what the type makes of nothing."""
    names = [each.name if isinstance(each, Builtin) else "" for each in arguments]
    name = names[0] if len(names) == 1 else ""
    if name not in {*_MADE, *_CONTAINERS}:
        raise interpreter.stop(
            node, "unsupported-call", "what this defaultdict makes for a missing key is not known",
            "defaultdict(int), defaultdict(float), defaultdict(list) or defaultdict(dict)",
            "d = {key: 0 for key in KEYS}",
        )  # fmt: skip
    totality.shown(interpreter, node, total.TOTAL)
    return interpreter.heap.hold(dictionary({}, name))


def from_keys(interpreter: Interpreter, arguments: list[Obj], node: ast.AST) -> Obj:
    """`dict.fromkeys(keys, value)`: the same value under every key."""
    opened = interpreter.heap.opened(arguments[0]) if arguments else None
    one = opened if len(arguments) == 1 else None
    if one is not None and (made := sequences.without_repeats(one)) is not None:
        if interpreter.domain.decided:
            totality.shown(interpreter, node, None)
        return interpreter.domain.counted_apart(made)
    value = arguments[1] if len(arguments) > 1 else public.literal(None)
    keys: tuple[Obj, ...] | None = None
    if isinstance(opened, Range):
        keys = known_items(opened, MOST)
    elif isinstance(opened, TupleValue):
        keys = interpreter.iterated(opened, node)
    known = [key_of(key) for key in keys or ()]
    if len(arguments) > 2 or keys is None or UNKNOWN in known:
        raise interpreter.stop(
            node, "unsupported-call", "the keys of this dictionary are not known here",
            "keys that are known while checking",
            "a comprehension over public keys: {key: 0 for key in KEYS}",
        )  # fmt: skip
    totality.shown(interpreter, node, total.TOTAL)
    return interpreter.heap.hold(dictionary(dict.fromkeys(known, value)))


def counter(interpreter: Interpreter, arguments: list[Obj], node: ast.AST) -> Obj:
    """`collections.Counter()`, or a counter of public things."""
    if any(interpreter.has_private(argument) for argument in arguments):
        if isinstance(held(interpreter, arguments[0]), TupleValue):
            assert isinstance(node, ast.Call)
            given = interpreter.text(node.args[0])
            raise interpreter.stop(
                node, "unsupported-call", "a counter of numbers that are not released has no rule",
                "noise on every count",
                "Counter({key: dp.laplace(count, epsilon=1) "
                f"for key, count in {given}.items()}})",
            )  # fmt: skip
        raise interpreter.stop(
            node, "unsupported-call", "private rows would decide which keys this counter has",
            "counts for public keys",
            "{key: len([row for row in rows if row.field == key]) for key in KEYS}",
        )  # fmt: skip
    if not arguments:
        totality.shown(interpreter, node, total.TOTAL)
        return interpreter.heap.hold(dictionary({}, "Counter"))
    if interpreter.domain.decided:
        totality.shown(interpreter, node, None)
    interpreter.handed_on(arguments, node)
    known = held(interpreter, arguments[0]) if len(arguments) == 1 else None
    if isinstance(known, TupleValue) and of_numbers(known):
        return interpreter.heap.hold(dictionary(entries_of(known), "Counter"))
    return interpreter.heap.hold(unknown_keys(public.origin(*map(interpreter.seen, arguments))))


def _most_common(
    interpreter: Interpreter, contents: TupleValue, arguments: list[Obj], node: ast.AST
) -> Obj | None:
    """`counter.most_common(k)` of public or released numbers."""
    given = [*map(interpreter.seen, arguments)]
    if missing_of(contents) != "Counter" or not of_numbers(contents) or len(given) > 1:
        return None
    if not all(isinstance(each, Value) and not each.private for each in given):
        return None
    pairs = tuple(TupleValue((as_object(k), v)) for k, v in entries_of(contents).items())
    origin = public.origin(*contents.items, *given)
    wanted = getattr(given[0], "literal", UNKNOWN) if given else None
    if not pairs or not (wanted is None or (type(wanted) is int and wanted >= 0)):
        return Value(origin, source="computed")
    count = len(pairs) if wanted is None else min(wanted, len(pairs))
    one = public.one_of(pairs, origin)
    return interpreter.heap.new([public.another(one) for _ in range(count)])


def held(interpreter: Interpreter, value: Obj) -> TupleValue | Value | None:
    """The contents of a dictionary, known or not; None for anything else."""
    opened = interpreter.heap.opened(value) if isinstance(value, ListRef) else value
    if isinstance(opened, TupleValue):
        return opened if is_dictionary(opened) else None
    unknown = isinstance(value, ListRef) and isinstance(opened, Value) and is_mapping(opened)
    return opened if unknown and isinstance(opened, Value) else None


def entry(interpreter: Interpreter, base: Obj, index: Obj, node: ast.AST) -> Obj:
    """`d[key]`."""
    contents, key = held(interpreter, base), key_of(index)
    if isinstance(node, ast.Subscript):
        chosen = entry_at(interpreter, contents, index, node)
        if chosen is not None:
            return chosen
    _public_key(interpreter, index, node)
    if interpreter.domain.decided:
        followed = isinstance(contents, TupleValue) and (key is not UNKNOWN or missing_of(contents))
        needs = total.hashed(interpreter.seen(index)) if followed else None
        totality.shown(interpreter, node, needs)  # a known key that is missing is refused below
    if not isinstance(contents, TupleValue):
        assert contents is not None
        found = _item(contents)
        return msgspec.structs.replace(found, origin=public.origin(contents, index))
    entries, missing = entries_of(contents), missing_of(contents)
    if key is not UNKNOWN and key in entries:
        return entries[key]
    if key is UNKNOWN and not missing:
        return _one_of(interpreter, contents, index, (), node)
    if not missing or not isinstance(base, ListRef):
        raise interpreter.stop(
            node, "unknown-name", f"this dictionary has no key {key!r}",
            "one of its keys", ", ".join(map(repr, entries)) or "store a value first",
        )  # fmt: skip
    value = _made_of(interpreter, missing)
    if missing == "Counter":  # which does not keep what it was only asked for
        return (
            value if key is not UNKNOWN else _one_of(interpreter, contents, index, (value,), node)
        )
    store(interpreter, base, index, value, node)
    return value if key is not UNKNOWN else entry(interpreter, base, index, node)


def store(interpreter: Interpreter, base: ListRef, index: Obj, value: Obj, node: ast.AST) -> None:
    """`d[key] = value`."""
    _public_key(interpreter, index, node)
    if interpreter.domain.decided:
        totality.holds(interpreter, node, total.hashed(interpreter.seen(index)))
    contents, key = held(interpreter, base), key_of(index)
    interpreter.may_change(base, node)
    if isinstance(contents, TupleValue) and key is not UNKNOWN:
        entries = entries_of(contents)
        entries[key] = value
        interpreter.heap.lists[base.number] = dictionary(entries, missing_of(contents))
        return
    parts = [value, *(contents.items if isinstance(contents, TupleValue) else ())]
    if any(interpreter.has_private(part) for part in parts):
        raise interpreter.stop(
            node, "private-index",
            "under which key this dictionary keeps a private value is not known while checking",
            "literal keys, or released values", "for key in KEYS, with KEYS = (...) as a literal",
        )  # fmt: skip
    interpreter.handed_on(parts, node)
    assert contents is not None
    origin = public.origin(*map(interpreter.seen, parts), index, contents)
    numbers = of_numbers(contents) and all(map(public.is_number, parts))
    made = unknown_keys(origin, numbers)
    if _all_public(interpreter.seen(index)):  # a released key chooses among draws
        interpreter.domain.drawn.fills(made, contents, value)
    interpreter.heap.lists[base.number] = made


def method(
    interpreter: Interpreter, base: Obj, name: str, arguments: list[Obj],
    keywords: dict[str, Obj], node: ast.Call,
) -> Obj | None:  # fmt: skip
    """The result of a method of a dictionary; None for one that has no meaning here."""
    contents = held(interpreter, base)
    if not isinstance(base, ListRef):  # a dictionary at the top of a file, which nothing changes
        assert isinstance(contents, TupleValue)
        if not contents.kind:  # a row that is read as a dictionary
            return None
        if name in ("setdefault", "update", "pop"):
            return None
        base = interpreter.heap.hold(contents)
    if name == "get" and not keywords:
        chosen = looked_up(interpreter, contents, arguments, node)
        if chosen is not None:
            return chosen
    if interpreter.domain.decided:
        totality.shown(interpreter, node, _needs(interpreter, base, name, arguments))
    if name in _VIEWS and not arguments and not keywords:
        return View(base, name)
    if name == "most_common" and isinstance(contents, TupleValue) and not keywords:
        return _most_common(interpreter, contents, arguments, node)
    if name == "copy" and not arguments and not keywords:
        assert contents is not None
        return interpreter.heap.hold(contents)
    if name == "update" and isinstance(contents, TupleValue) and missing_of(contents) == "Counter":
        raise interpreter.stop(
            node, "unsupported-call", "`update` of a counter adds to what is there",
            "one key after the other", "for key, n in more.items(): counts[key] += n",
        )  # fmt: skip
    if name == "update":
        for argument in arguments:
            _merge(interpreter, base, argument, node)
        for key, value in keywords.items():
            store(interpreter, base, public.literal(key), value, node)
        return public.literal(None)
    if name in ("get", "setdefault") and 1 <= len(arguments) <= 2 and not keywords:
        return _got(interpreter, base, name, arguments, node)
    if name == "pop" and 1 <= len(arguments) <= 2 and not keywords:
        return _popped(interpreter, base, arguments, node)
    return None


def _needs(interpreter: Interpreter, base: ListRef, name: str, arguments: list[Obj]) -> total.Needs:
    """Whether a method fails for no public arguments; of keys that are stored, `store` asks."""
    if name in ("get", "setdefault", "pop") and arguments:
        contents, key = held(interpreter, base), key_of(arguments[0])
        there = isinstance(contents, TupleValue) and key in entries_of(contents)
        if name == "pop" and len(arguments) < 2 and not there:
            return None
        return total.hashed(interpreter.seen(arguments[0]))
    return total.TOTAL if name in (*_VIEWS, "copy", "update") else None


def _got(
    interpreter: Interpreter, base: ListRef, name: str, arguments: list[Obj], node: ast.AST
) -> Obj:
    """`d.get(key, default)`, `d.setdefault(key, default)`."""
    index, *rest = arguments
    _public_key(interpreter, index, node)
    default = rest[0] if rest else public.literal(None)
    contents, key = held(interpreter, base), key_of(index)
    if isinstance(contents, TupleValue) and key is not UNKNOWN:
        entries = entries_of(contents)
        if key in entries:
            return entries[key]
        if name == "setdefault":
            store(interpreter, base, index, default, node)
        return default
    if name == "setdefault":
        store(interpreter, base, index, default, node)
        return entry(interpreter, base, index, node)
    if isinstance(contents, TupleValue):
        return _one_of(interpreter, contents, index, (default,), node)
    return _opaque(interpreter, base, index, default, node)


def _popped(
    interpreter: Interpreter, base: ListRef, arguments: list[Obj], node: ast.AST
) -> Obj | None:
    """`d.pop(key, default)`."""
    contents, key = held(interpreter, base), key_of(arguments[0])
    if not isinstance(contents, TupleValue) or key is UNKNOWN:
        return None
    entries = entries_of(contents)
    if key not in entries:
        return arguments[1] if len(arguments) > 1 else None
    interpreter.may_change(base, node)
    found = entries.pop(key)
    interpreter.heap.lists[base.number] = dictionary(entries, missing_of(contents))
    return found


def _merge(interpreter: Interpreter, base: ListRef, added: Obj, node: ast.AST) -> None:
    """`d.update(added)`: a dictionary, pairs, or `zip(keys, values)`."""
    if isinstance(added, Zip):
        parts = [interpreter.heap.opened(part) for part in added.parts]
        if all(isinstance(part, TupleValue) for part in parts):
            rows = zip(*(interpreter.iterated(p, node) for p in parts), strict=False)  # type: ignore[arg-type]
            added = TupleValue(tuple(map(TupleValue, rows)))
    contents = held(interpreter, added)
    if isinstance(contents, TupleValue):
        for known, value in entries_of(contents).items():
            store(interpreter, base, as_object(known), value, node)
        return
    opened = interpreter.heap.opened(added)
    pairs = opened.items if isinstance(opened, TupleValue) else ()
    pairs = tuple(interpreter.heap.opened(pair) for pair in pairs)
    if pairs and all(isinstance(pair, TupleValue) and len(pair.items) == 2 for pair in pairs):
        for pair in pairs:
            assert isinstance(pair, TupleValue)
            key, value = pair.items
            store(interpreter, base, key, value, node)
        return
    if isinstance(opened, TupleValue) and not opened.items:
        return
    unknown = Value(public.origin(interpreter.seen(added)), source="computed")
    if interpreter.has_private(added):
        raise interpreter.stop(
            node, "unsupported-call",
            "which keys this dictionary has is not known while checking",
            "pairs that are written out, or zip(KEYS, values) of known lengths",
            "{key: f(key) for key in KEYS}",
        )  # fmt: skip
    store(interpreter, base, Value("public", source="computed"), unknown, node)


def _one_of(
    interpreter: Interpreter, contents: TupleValue, index: Obj, more: tuple[Obj, ...], node: ast.AST
) -> Obj:
    """An entry under a key that is not known while checking."""
    items = (*contents.items, *more)
    if any(interpreter.has_private(item) for item in items):
        raise interpreter.stop(
            node, "private-index", "which entry of this dictionary is read is not known here",
            "a literal key, or a loop over literal keys", "for key in KEYS, with KEYS = (...)",
        )  # fmt: skip
    interpreter.handed_on(items, node)
    seen = tuple(map(interpreter.seen, items))
    return public.one_of(seen, public.origin(*seen, index))


def _opaque(
    interpreter: Interpreter, base: ListRef, index: Obj, default: Obj, node: ast.AST
) -> Obj:
    contents = interpreter.heap.lists[base.number]
    if interpreter.has_private(default):
        raise interpreter.stop(
            node, "private-index", "the default of `.get` is private, and the entries are not",
            "a public default", "test for the key first",
        )  # fmt: skip
    interpreter.handed_on([default], node)
    return Value(public.origin(contents, index, interpreter.seen(default)), source="computed")


def _made_of(interpreter: Interpreter, missing: str) -> Obj:
    if missing == "list":
        return interpreter.heap.new(())
    if missing == "dict":
        return interpreter.heap.hold(dictionary({}))
    return public.literal(_MADE[missing])


def _item(contents: Value) -> Value:
    """An entry of a dictionary whose keys are not known: a number, where all entries are."""
    space = Scalar("Real") if of_numbers(contents) else None
    return Value(contents.origin, space, source="computed")


def _all_public(index: Obj) -> bool:
    """Whether nothing in a key was released."""
    if isinstance(index, TupleValue):
        return all(map(_all_public, index.items))
    return isinstance(index, Value) and index.origin == "public"


def _public_key(interpreter: Interpreter, index: Obj, node: ast.AST) -> None:
    """Raises:
    Stop: a private key.
    """
    if interpreter.has_private(interpreter.seen(index)):
        raise interpreter.stop(
            node, "private-index", "a private value is a key, and keys can be seen",
            "public keys, or dp.stable_histogram, which finds keys at a cost",
            "store under public keys, in a loop over them",
        )  # fmt: skip
