"""Method calls: NumPy's on private containers, Python's on lists that the program made."""

from __future__ import annotations

import ast

from metricdp.check.language import axes, counters, dictionaries, given, moments, totality
from metricdp.check.language.applying import apply
from metricdp.check.language.comprehensions import consumed
from metricdp.check.language.finding import FINDING, found_in
from metricdp.check.language.growing import grow
from metricdp.check.language.interpreter import Interpreter, place
from metricdp.check.language.libraries import refuse_impure
from metricdp.check.language.ordering import sort
from metricdp.check.source import habits
from metricdp.check.source.advice import ENTRY_OF_ROWS, OF_DICTIONARIES, method_advice, parts_advice
from metricdp.check.values import moments as public_moments
from metricdp.check.values import public, sequences, total_calls
from metricdp.check.values.findings import Stop
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import AlignedParts, ListRef, Obj, TupleValue, Value
from metricdp.check.values.total import TOTAL
from metricdp.columns import characters
from metricdp.record import by_numpy
from metricdp.run.frames import column_made
from metricdp.spaces import Matrix, Records
from metricdp.spaces.products import Parts
from metricdp.spaces.vectors import Entries

#: Methods by which lists, sets and dictionaries change what they hold.
_CHANGING = frozenset(
    "append extend insert pop remove clear sort reverse update add discard difference_update "
    "intersection_update symmetric_difference_update popitem setdefault subtract move_to_end "
    "appendleft extendleft popleft rotate".split()
)
VIEWS = frozenset({"keys", "values", "items"})
_ARRAY_CHANGING = frozenset("resize fill put itemset partition setfield setflags byteswap".split())
#: Objects whose attributes that are called are methods.
Data = Value | TupleValue | AlignedParts | ListRef
DATA = (Value, TupleValue, AlignedParts, ListRef)


def call_method(
    interpreter: Interpreter, node: ast.Call, func: ast.Attribute, base: Data, frame: Frame
) -> Obj:
    """The result of a method call."""
    arguments = [_argument(interpreter, argument, base, frame) for argument in node.args]
    keywords = {k.arg or "": interpreter.evaluate(k.value, frame) for k in node.keywords}
    if dictionaries.held(interpreter, base) is not None:
        found = dictionaries.method(interpreter, base, func.attr, arguments, keywords, node)
        if found is None:
            raise _no_method(interpreter, func.attr, node, "dictionary")
        return found
    if isinstance(base, ListRef) and func.attr in ("append", "extend") and len(arguments) == 1:
        interpreter.act(node, "call", place(node))
        grow(interpreter, base, func.attr, arguments[0], node)
        return public.literal(None)
    in_place = isinstance(base, ListRef) and func.attr == "sort" and not arguments
    if isinstance(base, ListRef) and in_place and sort(interpreter, base, keywords, node):
        return public.literal(None)
    if func.attr == "copy" and not (arguments or keywords):
        inside = interpreter.heap.opened(base)
        if isinstance(inside, TupleValue) and inside.is_list:
            totality.shown(interpreter, node, TOTAL)
            return interpreter.heap.new(interpreter.iterated(inside, node))
        if isinstance(inside, Value) and not inside.private and isinstance(base, ListRef):
            totality.shown(interpreter, node, TOTAL)
            return interpreter.heap.hold(inside)
        if sequences.is_parameter(inside) and not interpreter.domain.decided:
            return inside
    if func.attr == "get" and not keywords:
        found = given.got(interpreter, base, arguments, node)
        if found is not None:
            return found
    if func.attr in FINDING and len(arguments) == 1 and not keywords:
        found = found_in(interpreter, base, func.attr, arguments[0], node)
        if found is not None:
            return found
    if isinstance(base, Value) and base.private:
        if func.attr in _CHANGING:
            raise _escape(interpreter, func.attr, node)
        if moments.is_private(base):
            return moments.method(interpreter, base, func.attr, arguments, keywords, node)
        if (rows := counters.rows_of(interpreter, base)) is not None:
            return counters.method(interpreter, rows, func.attr, arguments, keywords, node)
        if is_text(base):
            return _of_text(interpreter, base, func.attr, arguments, keywords, node)
        if func.attr in axes.ALONG and axes.is_matrix(base):
            kind = "along_method"
            return axes.along(interpreter, func.attr, base, arguments, keywords, node, kind)
        if func.attr == "copy" and not (arguments or keywords) and _is_container(base):
            # Nothing stores into a private container, so that it is its own copy.
            interpreter.act(node, "itself", "")
            return base
        record = by_numpy(f"numpy.{func.attr}")
        if record is None:
            table = isinstance(base.space, Records)
            if isinstance(base.space, Parts):
                need, help = parts_advice(func.attr, func.value)
                raise interpreter.stop(
                    node, "unsupported-call",
                    f"parts are a tuple of tables, one for each key, without `.{func.attr}`",
                    need, help,
                )  # fmt: skip
            raise _no_method(interpreter, func.attr, node, "table" if table else "private value")
        named = {k.arg: k.value for k in node.keywords if k.arg}
        result = apply(
            interpreter, record, [base, *arguments], keywords, node, [None, *node.args], named
        )
        interpreter.act(node, "method", record.name)
        return result
    viewed = func.attr in VIEWS and not (arguments or keywords)
    if viewed and (shown := sequences.view(base, func.attr)) is not None:
        totality.shown(interpreter, node, TOTAL)
        return shown
    private = any(interpreter.has_private(a) for a in (base, *arguments, *keywords.values()))
    if func.attr in _CHANGING and (private or not isinstance(base, ListRef)):
        raise _escape(interpreter, func.attr, node)
    refuse_impure(interpreter, func.attr, keywords, private, node)
    bare = isinstance(base, Value) and not (private or arguments or keywords)
    if bare and (known := public_moments.called(base, func.attr)) is not None:
        totality.shown(interpreter, node, TOTAL)
        return known
    if (text := _of_literal(interpreter, base, func.attr, arguments, keywords)) is not None:
        totality.shown(interpreter, node, TOTAL)
        return text
    if isinstance(base, Value) and not private and not _changes(func.attr):
        if interpreter.domain.decided:
            needs = total_calls.method(base, func.attr, arguments, keywords)
            totality.shown(interpreter, node, needs)
        interpreter.handed_on([*arguments, *keywords.values()], node)
        held = total_calls.made_by(func.attr) if public.kind(base) == "text" else ""
        space = public.TEXT if held == "text" else None
        return Value(public.origin(base, *arguments), space, source="computed", holds=held)
    if isinstance(base, Value) and not private:
        raise _escape(interpreter, func.attr, node)
    if func.attr in OF_DICTIONARIES:
        raise _no_method(interpreter, func.attr, node, "dictionary")
    raise _no_method(interpreter, func.attr, node, "list or tuple")


def _of_literal(
    interpreter: Interpreter, base: Data, name: str, arguments: list[Obj], keywords: dict[str, Obj]
) -> Obj | None:
    """A method of a text that is written in the program, in letters of ASCII: what Python makes of
    it; None of any other."""
    literals = [getattr(each, "literal", None) for each in (base, *arguments)]
    texts = [each for each in literals if isinstance(each, str) and each.isascii()]
    if keywords or len(texts) < len(literals):
        return None
    text, *given = texts
    if name in total_calls.OF_TEXTS and not given:
        return public.literal(getattr(text, name)())
    if name == "split" and len(given) < 2 and given != [""]:
        parts = text.split(given[0]) if given else text.split()
        return interpreter.heap.new(tuple(map(public.literal, parts)))
    return None


def _argument(interpreter: Interpreter, node: ast.expr, base: Data, frame: Frame) -> Obj:
    """An argument; a generator where a method of something public, such as a text, consumes it."""
    if isinstance(node, ast.GeneratorExp) and not interpreter.has_private(base):
        return consumed(interpreter, node, frame)
    return interpreter.evaluate(node, frame)


def is_text(value: Value) -> bool:
    """Whether a value is a private text."""
    return value.private and getattr(value.space, "kind", "") == "str"


def _is_container(value: Value) -> bool:
    """Whether a private value is rows or numbers that Python holds in a list or an array."""
    return isinstance(value.space, Records | Matrix | Entries)


def _of_text(
    interpreter: Interpreter, base: Value, name: str, arguments: list[Obj],
    keywords: dict[str, Obj], node: ast.Call,
) -> Obj:  # fmt: skip
    """A method of a private text."""
    if name not in characters.METHODS and name not in characters.SPLITTING:
        raise _no_method(interpreter, name, node, "private text")
    for keyword in keywords:
        raise interpreter.stop(
            node, "unsupported-keyword", f"`.{name}` has no rule for `{keyword}=`",
            "its values by position", f"remove `{keyword}=`",
        )  # fmt: skip
    assert isinstance(node.func, ast.Attribute)
    record, written = interpreter.named("text_method", node), [node.func.value, None, *node.args]
    given = [base, public.literal(name), *arguments]
    result = apply(interpreter, record, given, {}, node, written, {})
    interpreter.act(node, "named_method", record.name)
    return result


def _changes(name: str) -> bool:
    """Whether a method may change its object: its length is charged for."""
    return name.startswith("_") or name in _ARRAY_CHANGING


def _no_method(interpreter: Interpreter, name: str, node: ast.Call, kind: str) -> Stop:
    if (made := column_made(node)) is not None and isinstance(node.func, ast.Attribute):
        table = interpreter.text(node.func.value)
        return interpreter.stop(
            node, "unsupported-call",
            f"the rows of `{table}` are read, and they do not hold what `mutate` made: "
            f"{made or 'a new column'} is a name for what is computed of other columns",
            "what is asked of columns; or the rows of the table as it entered, under another name",
            f"a question about columns: {table}.{made or 'v'}.clip(0, 10).sum()",
        )  # fmt: skip
    need, help = method_advice(name, kind)
    if kind == "dictionary" and name == "get" and isinstance(node.func, ast.Attribute):
        need, help = "keys that are known", ENTRY_OF_ROWS.format(ast.unparse(node.func.value))
    if kind == "table" and isinstance(node.func, ast.Attribute):
        help = habits.instead(name, node.func.value) or help
    return interpreter.stop(
        node, "unsupported-call", f"the method `{name}` of a {kind} has no rule", need, help
    )


def _escape(interpreter: Interpreter, name: str, node: ast.AST) -> Stop:
    return interpreter.stop(
        node, "private-escape",
        f"`.{name}` would change an object that other code can see",
        "a list made in this function, or a new value", "build a new value and give it a name",
    )  # fmt: skip
