"""Calls of Python's builtins: rules for private values, plain arithmetic for public ones."""

from __future__ import annotations

import ast

import msgspec

from metricdp.check.language import dictionaries, totality
from metricdp.check.language.applying import apply
from metricdp.check.language.displays import public_set
from metricdp.check.language.interpreter import Interpreter, Nodes
from metricdp.check.language.operators import logic
from metricdp.check.language.over_rows import as_list
from metricdp.check.source import spelled
from metricdp.check.source.advice import beside, without
from metricdp.check.source.names import BUILTINS
from metricdp.check.values import public, sequences, total, total_calls
from metricdp.check.values.dictionaries import is_dictionary
from metricdp.check.values.findings import Stop
from metricdp.check.values.forms import best_hi, best_lo
from metricdp.check.values.heap import Heap
from metricdp.check.values.objects import Numbered, Obj, Range, TupleValue, Value, Zip
from metricdp.check.values.regions import SAME_NUMBER
from metricdp.check.values.terms import kept, with_term
from metricdp.expr import INF, ONE, ZERO, absolute, ceil, compare, maximum, num
from metricdp.record import REGISTRY, Requirement, by_operator
from metricdp.spaces import Records, Scalar
from metricdp.spaces.texts import Cells

#: Builtins whose result is gone through once.
ITERATORS = frozenset({"map", "filter"})
#: Builtins that look at how many items a tuple or list has, and not at them.
_OF_SHAPES = frozenset({"len", "list", "tuple", "reversed"})


def call_builtin(
    interpreter: Interpreter, name: str, arguments: list[Obj], keywords: dict[str, Obj],
    node: ast.AST, nodes: Nodes, keyword_nodes: dict[str, ast.expr],
) -> Obj:  # fmt: skip
    """Call a builtin by its name."""
    if name not in BUILTINS:
        read = any(map(interpreter.has_private, (*arguments, *keywords.values())))
        raise interpreter.stop(
            node, "unsupported-call",
            f"`{name}` is not part of the checked language",
            "a function of metricdp, or a supported builtin",
            without(name, private=read),
        )  # fmt: skip
    given, arguments = arguments, [interpreter.seen(argument) for argument in arguments]
    private = any(interpreter.has_private(a) for a in (*arguments, *keywords.values()))
    if interpreter.domain.decided and (not private or name in ("zip", "enumerate")):
        totality.shown(interpreter, node, total_calls.builtin(name, arguments, keywords))
    if name == "range":
        return _range(interpreter, arguments, node)
    if name == "zip":
        # `strict` compares lengths, which are public.
        others = {k: v for k, v in keywords.items() if k != "strict" or interpreter.has_private(v)}
        no_keywords(interpreter, name, others, node)
        return Zip(tuple(given))
    if name == "dict":
        return dictionaries.called(interpreter, given, keywords, node)
    if name == "enumerate":
        return _enumerate(interpreter, given, keywords, node)
    if arguments and isinstance(arguments[0], Range) and not keywords:
        known = _of_range(interpreter.heap, name, arguments[0]) if len(arguments) == 1 else None
        if known is not None:
            return known
    if name == "print" and private:
        raise interpreter.stop(
            node, "private-escape", "a private value would be printed", "released or public values",
            "release the value first",
        )  # fmt: skip
    if name in _OF_SHAPES and arguments and isinstance(arguments[0], TupleValue):
        totality.shown(interpreter, node, total.TOTAL)  # whatever its items are
    if name == "len" and arguments and isinstance(arguments[0], TupleValue):
        return public.literal(len(arguments[0].items))
    if name == "len" and arguments:
        length = public.public_length(sequences.opened(arguments[0]))
        if length is not None:
            return public.public_count(length)
    if name == "reversed" and arguments and isinstance(arguments[0], TupleValue):
        interpreter.handed_on(given[:1], node)  # an iterator: it reads the list later
        return TupleValue(interpreter.items(arguments[0], node)[::-1])
    if name in ("list", "tuple") and arguments and isinstance(arguments[0], TupleValue):
        inside = interpreter.heap.opened(given[0])
        assert isinstance(inside, TupleValue)
        items = interpreter.iterated(inside, node)
        return interpreter.heap.new(items) if name == "list" else TupleValue(items)
    if name == "list" and not arguments:
        return interpreter.heap.new(())
    if name in ("set", "frozenset") and not keywords and len(arguments) <= 1:
        inside = interpreter.heap.opened(given[0]) if given else TupleValue(())
        if isinstance(inside, TupleValue):
            return public_set(interpreter, interpreter.iterated(inside, node), node)
        if (made := sequences.as_set(sequences.opened(inside))) is not None:
            return interpreter.domain.counted_apart(made)
    if name in ("sorted", "list", "tuple") and len(arguments) == 1:
        ordered_keys = _keys_in_order(name, arguments[0], keywords)
        if ordered_keys is not None:
            return ordered_keys
    if name in ("sorted", "list", "tuple") and (of_set := _of_set(arguments)) is not None:
        if keywords or name != "sorted":
            of_set = tuple(public.one_of(of_set, "public") for _ in of_set)
        return TupleValue(of_set) if name == "tuple" else interpreter.heap.new(of_set)
    if name == "sorted" and len(arguments) == 1 and is_dictionary(arguments[0]):
        assert isinstance(arguments[0], TupleValue)
        arguments = [TupleValue(interpreter.iterated(arguments[0], node))]
    if name == "sorted" and len(arguments) == 1 and not private and not keywords:
        ordered = _in_order(interpreter.heap, arguments[0])
        if ordered is not None:
            return ordered
    if not private:
        alone = len(given) == 1 and name not in ("map", "filter")
        inner = interpreter.heap.opened(given[0]) if alone else None
        interpreter.handed_on(inner.items if isinstance(inner, TupleValue) else given, node)
        if keywords:
            return Value(public.origin(*arguments, *keywords.values()), source="computed")
        return _public(interpreter, name, arguments, node)
    if (
        name in ("sum", "min", "max", *_TESTS)
        and len(arguments) == 1
        and isinstance(arguments[0], TupleValue)
    ):
        no_keywords(interpreter, name, keywords, node)
        return over_tuple(interpreter, name, arguments[0], node)
    number = arguments[0] if len(arguments) == 1 else None
    if name == "list" and isinstance(number, Value) and isinstance(number.space, Records):
        no_keywords(interpreter, name, keywords, node)
        interpreter.act(node, "identity", "")
        return as_list(number)
    if name == "round" and (places := spelled.call("round", node)):
        raise interpreter.stop(
            node, "wrong-arguments", "`round` of a private value gives a whole number here",
            "one argument", places,
        )  # fmt: skip
    if name == "float" and isinstance(number, Value):
        # Discrete data of any type may be text, which is no number to Python.
        element, kind = (getattr(number.space, field, "") for field in ("element", "kind"))
        if element == "Data" and kind not in ("float", "int", "bool"):
            raise _no_rule(interpreter, name, node)
        totality.shown(interpreter, node, total.TOTAL)
        if element == "Bool" and isinstance(number.space, Scalar):
            whole = Scalar("Int", number.space.lo, number.space.hi)
            number = msgspec.structs.replace(number, space=whole)
        return _nearest_double(interpreter, number)
    record = by_operator(name)
    if name in ("set", "frozenset") and isinstance(getattr(number, "space", None), Cells):
        no_keywords(interpreter, name, keywords, node)
        record = REGISTRY["different_parts"]
    if name in ITERATORS:
        if node not in interpreter.consumed:
            raise not_consumed(interpreter, name, node)
        record = record or REGISTRY.get(name)
    if record is None:
        raise _no_rule(interpreter, name, node)
    return apply(interpreter, record, arguments, keywords, node, nodes, keyword_nodes)


#: What connects the items of a list of truth values.
_TESTS = {"any": "or", "all": "and"}
#: Whole numbers up to this size are doubles.
_EXACT = num(2**53)


def _nearest_double(interpreter: Interpreter, number: Value) -> Value:
    """`float(x)` of a private number.

    Of an integer of a row that may be no double it is another number: a filter by the one says
    nothing of the other.  What is a double already is itself, and what may be an integer becomes
    another kind of number, which arithmetic with integers tells apart.
    """
    domain, space, form, term = interpreter.domain, number.space, number.form, number.term
    if not isinstance(space, Scalar) or form is None:
        return number
    whole = space.element == "Int" or space.kind == "int"
    if space.element == "Int":
        space = msgspec.structs.replace(space, kind="float")
        number = msgspec.structs.replace(number, space=space)
    lo, hi = domain.range(form) or (space.lo, space.hi)
    ends = best_lo(space.lo, lo), best_hi(space.hi, hi)
    known = [compare(absolute(end), "<=", _EXACT) is True for end in ends]
    if term is not None and (whole or term[0] != "row"):
        term = kept(("rule", SAME_NUMBER if all(known) else "float", ("x", term)))
    if not whole or all(known) or not (domain.of_rows or domain.by_row.reading):
        found = with_term(number, term)
    else:
        lo, hi = (e if k else side for e, k, side in zip(ends, known, (-INF, INF), strict=True))
        rounded = msgspec.structs.replace(space, lo=lo, hi=hi)
        movement = domain.movement(number)
        atom = domain.state.atom(rounded, movement, domain.state.regions(form))
        found = with_term(domain.private(rounded, atom, number.step, number.why), term)
    assert isinstance(found, Value)
    return found


def not_consumed(interpreter: Interpreter, name: str, node: ast.AST) -> Stop:
    """The rejection of an iterator that could be gone through twice: Python finds nothing then, and
    it has no length."""
    assert isinstance(node, ast.expr)
    return interpreter.stop(
        node, "unsupported-syntax",
        f"`{name}(...)` is an iterator, which has no length and is empty once it was gone through",
        "a list, or an iterator that is gone through where it is made",
        f"list({ast.unparse(node)})",
    )  # fmt: skip


def _no_rule(interpreter: Interpreter, name: str, node: ast.AST) -> Stop:
    """The rejection of a builtin on private values."""
    return interpreter.stop(
        node, "unsupported-call", f"`{name}` on private values has no rule",
        "sum, min, max, abs, len, round, or a function of metricdp",
        beside(name, f"dp.sum, dp.map, dp.clamp, ... in place of {name}(...)"),
    )  # fmt: skip


def no_keywords(
    interpreter: Interpreter, name: str, keywords: dict[str, Obj], node: ast.AST
) -> None:
    """Refuse keywords that a builtin over a tuple has no rule for."""
    for keyword in keywords:
        raise interpreter.stop(
            node, "unsupported-keyword", f"`{name}` has no rule for `{keyword}=`",
            "positional arguments", f"remove `{keyword}=`",
        )  # fmt: skip


def _enumerate(
    interpreter: Interpreter, arguments: list[Obj], keywords: dict[str, Obj], node: ast.AST
) -> Obj:
    """`enumerate(values, start)`."""
    start = arguments[1] if len(arguments) > 1 else keywords.get("start", public.literal(0))
    if not arguments or not isinstance(start, Value) or start.private or start.expr is None:
        raise interpreter.stop(
            node, "wrong-arguments", "`enumerate` needs something to count, and a public start",
            "enumerate(values)", "enumerate(values)",
        )  # fmt: skip
    return Numbered(arguments[0], start.expr)


def _public(interpreter: Interpreter, name: str, arguments: list[Obj], node: ast.AST) -> Value:
    """A builtin of public values."""
    if (
        name in ("min", "max", "sum")
        and len(arguments) == 1
        and isinstance(arguments[0], TupleValue)
    ):
        arguments = list(interpreter.items(arguments[0], node))
        if name == "sum":
            return _fold_public(arguments)
    values = [a if isinstance(a, Value) else Value(public.origin(a)) for a in arguments]
    made = public.call(name, values)
    interpreter.domain.drawn.computed(made, name, *values)
    return made


def _fold_public(arguments: list[Obj]) -> Value:
    total: Value = public.literal(0)
    for item in arguments:
        total = public.binary("+", total, item if isinstance(item, Value) else Value("public"))
    return total


def over_tuple(interpreter: Interpreter, name: str, values: TupleValue, node: ast.AST) -> Obj:
    """sum, min, max, any or all of a tuple or list display."""
    items = list(interpreter.items(values, node))
    if name in _TESTS and not all(map(_is_truth, items)):
        raise interpreter.stop(
            node, "unsupported-call", f"`{name}` asks for truth values, and one of these is none",
            "a comparison in each place", _compared(interpreter, name, items, node),
        )  # fmt: skip
    if isinstance(node, ast.Call) and len(node.args) == 1:
        interpreter.act(node, "over", name)
    if name in _TESTS:  # Python would ask no further than it has to; what is asked is total
        return logic(interpreter, _TESTS[name], items, node, [None] * len(items))
    if name != "sum":
        record = by_operator(name)
        assert record is not None
        return apply(interpreter, record, items, {}, node, [None] * len(items), {})
    record = by_operator("+")
    assert record is not None
    total: Obj = public.literal(0)
    for item in items:
        if not interpreter.has_private(total) and not interpreter.has_private(item):
            total = _fold_public([total, item])
        else:
            total = apply(interpreter, record, [total, item], {}, node, [None, None], {})
    return total


def _compared(interpreter: Interpreter, name: str, items: list[Obj], node: ast.AST) -> str:
    """`any` or `all` with a comparison in the place of everything that is no truth value."""
    display = node.args[0] if isinstance(node, ast.Call) else None
    if not isinstance(display, ast.List | ast.Tuple) or len(display.elts) != len(items):
        return f"comparisons: {name}(f(x) > 0 for x in ...)"
    parts = []
    for each, item in zip(display.elts, items, strict=True):
        text = getattr(getattr(item, "space", None), "kind", "") == "str"
        zero = "" if _is_truth(item) else ' != ""' if text else " != 0"
        parts.append(f"{interpreter.text(each)}{zero}")
    return f"{name}([{', '.join(parts)}])"


def _is_truth(value: Obj) -> bool:
    if not isinstance(value, Value) or not value.private:
        return public.kind(value) == "bool"
    space = value.space
    return isinstance(space, Scalar) and "bool" in (space.python_kind, space.kind)


def _range(interpreter: Interpreter, arguments: list[Obj], node: ast.AST) -> Obj:
    """`range(...)` with a public number of rounds."""
    values: list[Value] = []
    if not 1 <= len(arguments) <= 3:
        raise interpreter.stop(
            node, "wrong-arguments", "`range` takes one to three numbers", "range(n)", "range(n)",
        )  # fmt: skip
    for argument in arguments:
        if not isinstance(argument, Value) or argument.private:
            raise interpreter.stop(
                node, "private-loop-bound",
                "a private value sets the number of rounds",
                "a public number of rounds", "use a public parameter as the bound",
            )  # fmt: skip
        if (
            argument.origin == "released"
            or argument.expr is None
            or argument.source == "irrational"
        ):
            raise interpreter.stop(
                node, "private-loop-bound",
                "the number of rounds is not known as a public expression",
                "a public parameter, a literal or a size",
                "use a public parameter as the bound",
            )  # fmt: skip
        if public.in_float(argument):
            text = interpreter.text(node.args[len(values)] if isinstance(node, ast.Call) else None)
            raise interpreter.stop(
                node, "private-loop-bound",
                f"{text} is a number that Python holds in a float, and `range` takes none",
                "an integer", f"int({text})",
            )  # fmt: skip
        values.append(argument)
    zero, one = public.literal(0), public.literal(1)
    start, stop_, step = {
        1: lambda: (zero, values[0], one),
        2: lambda: (values[0], values[1], one),
        3: lambda: (values[0], values[1], values[2]),
    }[len(values)]()
    assert start.expr is not None and stop_.expr is not None and step.expr is not None
    if step.expr.sign() not in ("+", "-"):
        if any(name.startswith("_") for name in step.expr.symbols):
            raise interpreter.stop(
                node, "private-loop-bound", "the step of this range may be 0",
                "a step that is not 0", "use a literal step",
            )  # fmt: skip
        text = interpreter.text(node.args[2] if isinstance(node, ast.Call) else None)
        asked = Requirement(step.expr, ">=", ONE, remedy=f"give {text} as 1 or more")
        interpreter.domain.require((asked,), interpreter.module, node)
    span = stop_.expr - start.expr
    count = span if step.expr == num(1) else ceil(span / step.expr)
    return Range(start, maximum(ZERO, count), step.expr)


# -- sequences whose number of items is known ----------------------------------------------


def _of_range(heap: Heap, name: str, numbers: Range) -> Obj | None:
    """`len`, `reversed`, `list` or `tuple` of a range; None for another builtin."""
    start = numbers.start.expr
    if start is None:
        return None
    if name == "len":
        return public.public_count(numbers.count)
    if name == "reversed":
        last = start + (numbers.count - ONE) * numbers.step
        return Range(public.public_count(last), numbers.count, -numbers.step)
    if name not in ("list", "tuple", "sorted"):
        return None
    listed = public.listed(numbers)
    if name == "sorted" or isinstance(listed, Value):
        return public.unlisted(numbers)
    return heap.new(list(listed.items)) if name == "list" else listed


def _of_set(arguments: list[Obj]) -> tuple[Obj, ...] | None:
    """The items of one set that is known, in their order; None for anything else."""
    held = getattr(arguments[0], "literal", None) if len(arguments) == 1 else None
    if not isinstance(held, frozenset):
        return None
    kinds = {str if isinstance(item, str) else float for item in held if item is not None}
    if len(kinds) > 1 or None in held or any(isinstance(item, tuple) for item in held):
        return None
    return tuple(public.literal(item) for item in sorted(held))


def _keys_in_order(name: str, given: Obj, keywords: dict[str, Obj]) -> Value | None:
    """`sorted(x)`, `list(x)` or `tuple(x)` of a public parameter, or of what is made of it."""
    backwards = getattr(keywords.get("reverse"), "literal", None)
    if keywords and (keywords.keys() != {"reverse"} or not isinstance(backwards, bool)):
        return None
    opened = sequences.opened(given)
    how = f"{name} backwards" if backwards else name
    return sequences.in_order(given if isinstance(opened, Zip) else opened, how)


def _in_order(heap: Heap, values: Obj) -> Obj | None:
    """`sorted` of public values; None if their number is not known."""
    if isinstance(values, Value) and values.size is not None:
        return Value(values.origin, values.space, source="computed", size=values.size)
    if not isinstance(values, TupleValue) or values.names or not values.items:
        return None
    numbers = [item for item in values.items if isinstance(item, Value)]
    known = [type(n.literal) in (int, float) and n.literal == n.literal for n in numbers]
    texts = [type(n.literal) is str for n in numbers]
    if (all(known) or all(texts)) and len(numbers) == len(values.items):
        ordered: list[Value] = sorted(numbers, key=lambda number: number.literal)
        return heap.new(ordered)
    origin = public.origin(*values.items)
    each = [public.one_of(values.items, origin) for _ in values.items]
    return heap.new(each)
