"""Functions of the program: where they are defined, how a call goes into them, what is remembered.

A helper that adds no noise and changes nothing is a function of its arguments: called again on the
same values it gives the same value, and asks for the same requirements.  So it is read once for
each tuple of arguments, and helpers that call each other twice take no more reading than their
number of different calls.

Two arguments are the same only if they are certainly one value, not if they lie in one space: after
`sub(x, x)`, the call `sub(x, y)` is read afresh.  A private value is told by its form, a public one
by its expression or its literal.  Public and released values about which less is known are told by
all that is known of them; two of them may differ, so a call is remembered only if what was read of
it names nothing new (no atom, no unknown number), and so says of both what it says of one; its
result is another object each time.

What a call sees besides its arguments is part of the key: the private conditions and the public
facts under which it stands.  What was read in a round of a loop that is read again is forgotten
with it (`CheckState.rollback`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import msgspec

from metricdp.check.language.assignments import outside
from metricdp.check.language.generators import listed
from metricdp.check.language.interpreter import Interpreter, place
from metricdp.check.language.same_calls import argument_terms, named
from metricdp.check.source.advice import renamed
from metricdp.check.source.declared import default_nodes, plain_default
from metricdp.check.values.findings import stop
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import (
    UNKNOWN,
    AlignedParts,
    Builtin,
    Closure,
    Constant,
    Library,
    Numbered,
    Obj,
    Primitive,
    TupleValue,
    Value,
    Zip,
)
from metricdp.check.values.public import another
from metricdp.check.values.terms import forgotten
from metricdp.run.plainer import yields

#: Most functions of the program that are inside of each other.
MAX_DEPTH = 60
#: Most levels of one function that calls itself: the run needs some frames of Python for each.
MOST_LEVELS = 24


def enter(
    interpreter: Interpreter,
    callee: Closure,
    arguments: list[Obj],
    keywords: dict[str, Obj],
    node: ast.AST,
    at: str = "",
) -> Obj:
    """The result of a function of the program.

    A function that calls itself is read once for each level, with the arguments of that level, so
    it ends where public arguments that are known end it.

    Args:
        at: the place of the call, where it is not that of the node.

    Raises:
        Stop: it does not end within `MOST_LEVELS` levels, or does not take these arguments.
    """
    bound = _bound(interpreter, callee, arguments, keywords, node)
    seen_by_all = callee.frame is None and not any(
        map(partial(_hidden, interpreter), bound.values())
    )
    interpreter.public_calls[node] = seen_by_all and interpreter.public_calls.get(node, True)
    levels = sum(f is callee.node for f in interpreter.active)
    if levels >= MOST_LEVELS or len(interpreter.active) >= MAX_DEPTH:
        raise interpreter.stop(
            node, "recursion",
            f"`{callee.name}` calls itself, and nothing that is known while checking ends it "
            f"within {MOST_LEVELS} levels" if levels
            else f"more than {MAX_DEPTH} functions call each other before `{callee.name}`",
            "a function without recursion, or one that ends by a number that is written in the "
            "program", "write it as a loop",
        )  # fmt: skip
    around, interpreter.reached = interpreter.reached, set()
    interpreter.path.append(at or place(node))
    read = partial(interpreter.run, callee, bound)
    if isinstance(callee.node, ast.FunctionDef) and yields(callee.node):
        read = partial(listed, interpreter, callee, bound, node)
    terms = argument_terms(interpreter, bound)
    try:
        found = remembered(interpreter, callee, bound, read)
        return named(callee, terms, found, interpreter.reached)
    finally:
        interpreter.path.pop()
        interpreter.reached |= around


def _hidden(interpreter: Interpreter, value: Obj) -> bool:
    """Whether an argument is private, or a function, which may read what is."""
    return isinstance(value, Closure) or interpreter.has_private(value)


def _bound(
    interpreter: Interpreter,
    function: Closure,
    arguments: list[Obj],
    keywords: dict[str, Obj],
    node: ast.AST,
) -> dict[str, Obj]:
    """Arguments by parameter name, defaults evaluated where the function is defined."""
    spec = function.node.args
    arguments = [*function.given, *arguments]
    keywords = {**function.given_names, **keywords}
    if spec.kwarg:
        raise stop(
            function.module, function.node, "unsupported-syntax",
            f"`{function.name}` takes any keywords", "named parameters",
            "write the parameters out",
        )  # fmt: skip
    positional = [*spec.posonlyargs, *spec.args]
    if len(arguments) > len(positional) and spec.vararg is None:
        raise interpreter.stop(
            node, "wrong-arguments",
            f"`{function.name}` takes {len(positional)} arguments, not {len(arguments)}",
            f"{len(positional)} arguments",
            f"call {function.name} with {len(positional)} arguments",
        )  # fmt: skip
    bound = {p.arg: value for p, value in zip(positional, arguments, strict=False)}
    known = {p.arg for p in (*positional, *spec.kwonlyargs)}
    if spec.vararg is not None:
        bound[spec.vararg.arg] = TupleValue(tuple(arguments[len(positional) :]))
    for name, value in keywords.items():
        if name not in known or name in bound:
            raise interpreter.stop(
                node, "wrong-arguments",
                f"`{function.name}` has no free parameter `{name}`", "a parameter of the function",
                renamed(name, [n for n in known if n not in bound and n not in keywords]),
            )  # fmt: skip
        bound[name] = value
    for name, default in default_nodes(spec).items():
        if name in function.defaults:
            bound.setdefault(name, function.defaults[name])
            continue
        plain_default(name, default, function.module)
        outer, interpreter.module = interpreter.module, function.module
        value = interpreter.seen(interpreter.evaluate(default, Frame({})))
        interpreter.module = outer
        bound.setdefault(name, value)
    for value in bound.values():
        if isinstance(value, Zip | Numbered):
            raise interpreter.stop(
                node, "unsupported-syntax", "an iterator is passed on",
                "zip and enumerate in a for loop", "pass the containers",
            )  # fmt: skip
    missing = [name for name in known if name not in bound]
    if missing:
        raise interpreter.stop(
            node, "wrong-arguments", f"`{function.name}` needs `{missing[0]}`",
            "an argument for every parameter", f"{function.name}({missing[0]}=...)",
        )  # fmt: skip
    return bound


def lambda_(interpreter: Interpreter, node: ast.Lambda, frame: Frame) -> Obj:
    """`lambda x: ...`."""
    return Closure(
        node, interpreter.module, frame, "the lambda", _defaults(interpreter, node.args, frame)
    )


def definition(interpreter: Interpreter, node: ast.FunctionDef, frame: Frame) -> None:
    """A nested function, bound to its name."""
    if node.decorator_list:
        raise interpreter.stop(
            node, "unknown-decorator",
            f"the nested function `{node.name}` has a decorator",
            "nested functions without decorators", "remove the decorator",
        )  # fmt: skip
    if node.name in frame.outside:
        raise outside(interpreter, node)
    defaults = _defaults(interpreter, node.args, frame)
    frame.names[node.name] = Closure(node, interpreter.module, frame, node.name, defaults)


def _defaults(interpreter: Interpreter, spec: ast.arguments, frame: Frame) -> dict[str, Obj]:
    """Default arguments of a nested function: evaluated here and now; lists stay aliases."""
    return {
        name: interpreter.evaluate(default, frame) for name, default in default_nodes(spec).items()
    }


# -- calls on the very same arguments ----------------------------------------------------


class Unknown(Exception):
    """An argument that cannot be told from others."""


class _Seen(msgspec.Struct):
    """The key of a call; `exact` if every argument is certainly one value."""

    key: Any
    exact: bool


class _Known(msgspec.Struct, frozen=True):
    """What a call gave, and every function that was read for it."""

    result: Obj
    reach: frozenset[Any]


def remembered(
    interpreter: Interpreter, callee: Closure, arguments: Mapping[str, Obj], read: Callable[[], Obj]
) -> Obj:
    """The result of a call: `read()`, unless it is known what that gives."""
    state = interpreter.domain.state
    seen = _seen(interpreter, callee, arguments)
    if seen is None:
        return read()
    known = state.memo.get(seen.key)
    if known is not None and known.reach.isdisjoint(interpreter.active):
        interpreter.reached |= known.reach
        return known.result if seen.exact else another(forgotten(known.result))
    around, interpreter.reached = interpreter.reached, {callee.node}
    before = _effects(interpreter)
    names = _names(interpreter)
    result = read()
    quiet = before == _effects(interpreter) and (seen.exact or names == _names(interpreter))
    if quiet and _plain(result):
        state.memo[seen.key] = _Known(result, frozenset(interpreter.reached))
    interpreter.reached |= around
    return result


def _effects(interpreter: Interpreter) -> tuple[int, ...]:
    """What a call may do besides returning a value."""
    state = interpreter.domain.state
    return len(state.trace), len(state.samples), len(state.warnings), len(state.counted)


def _names(interpreter: Interpreter) -> tuple[int, ...]:
    """What tells whether a call has named something new."""
    state = interpreter.domain.state
    return len(state.atoms), state.unknowns, state.loops


def _seen(interpreter: Interpreter, callee: Closure, arguments: Mapping[str, Obj]) -> _Seen | None:
    if callee.frame is not None:
        return None  # What it closes over may change.
    found = _Seen(None, True)
    domain = interpreter.domain
    try:
        parts = tuple((name, _part(value, found)) for name, value in arguments.items())
        found.key = (
            "call", callee.node, parts, domain.private_tests, domain.decided, domain.noise_allowed,
            domain.assumed, domain.supposed, domain.where,
        )  # fmt: skip
        hash(found.key)
    except (Unknown, TypeError):
        return None
    return found


def _part(value: Obj, found: _Seen) -> Any:
    """What tells an argument from others."""
    if isinstance(value, Value):
        if value.private:
            return "private", value.form, value.space, value.facts, value.why, value.term
        literal = None
        if value.literal is not UNKNOWN:
            literal = type(value.literal), repr(value.literal)
        number = value.expr is not None and value.source != "irrational"
        step = ""
        if not number and literal is None:
            found.exact, step = False, value.step
        return (
            value.origin, value.space, value.expr, value.typed, literal, value.source, value.size,
            value.facts, value.why, value.holds, value.term, value.keys, step,
        )  # fmt: skip
    if isinstance(value, TupleValue):
        inside = tuple(_part(item, found) for item in value.items)
        return "tuple", inside, value.is_list, value.names, value.kind
    if isinstance(value, AlignedParts):
        return "aligned", tuple(_part(part, found) for part in value.parts)
    if isinstance(value, Closure) and value.frame is None:
        if value.given or value.given_names:
            raise Unknown
        return "function", value.node
    if isinstance(value, Primitive):
        return "record", value.record.name
    if isinstance(value, Library):
        return "library", value.dotted
    if isinstance(value, Builtin):
        return "builtin", value.name
    if isinstance(value, Constant):
        return "constant", value.node
    raise Unknown


def _plain(value: Obj) -> bool:
    """Whether a result holds nothing that could change, and nothing with a frame of its own."""
    if isinstance(value, TupleValue):
        return all(map(_plain, value.items))
    return isinstance(value, Value | AlignedParts)
