"""Names and attributes: what they stand for, in a frame, a file, a library."""

from __future__ import annotations

import ast
import math

from metricdp.check.language import classes, moments, totality
from metricdp.check.language.applying import apply
from metricdp.check.language.interpreter import Interpreter
from metricdp.check.language.ordering import getter
from metricdp.check.language.over_rows import field_of_each
from metricdp.check.source import habits
from metricdp.check.source.advice import field_advice, frame_outside
from metricdp.check.source.names import BUILTINS
from metricdp.check.values import public, total_calls
from metricdp.check.values.dictionaries import as_object, dictionary, is_mapping, key_of
from metricdp.check.values.frames import Frame
from metricdp.check.values.moments import FIXED, known
from metricdp.check.values.moments import attribute as attribute_of_public
from metricdp.check.values.objects import (
    UNKNOWN,
    Closure,
    Computed,
    Constant,
    External,
    Library,
    Member,
    ModuleRef,
    Obj,
    RecordClass,
    TupleValue,
    Value,
)
from metricdp.expr import Expr
from metricdp.record import by_operator
from metricdp.spaces import Matrix, Maybe, Records, Row, Vector

_NUMBERS = {
    "math.pi": math.pi, "math.e": math.e, "math.tau": math.tau, "math.inf": math.inf,
    "numpy.pi": math.pi, "numpy.e": math.e, "numpy.inf": math.inf,
}  # fmt: skip


def constant(interpreter: Interpreter, node: ast.Constant, frame: Frame) -> Obj:
    """A literal."""
    if isinstance(node.value, int) and node.value.bit_length() > public.LARGEST:
        raise interpreter.stop(
            node, "too-large",
            f"this number has {node.value.bit_length()} bits, more than Python prints",
            f"numbers of at most {public.LARGEST} bits", "a power, or a smaller number",
        )  # fmt: skip
    return public.literal(node.value)


def name(interpreter: Interpreter, node: ast.Name, frame: Frame) -> Obj:
    """What a name stands for where it is read."""
    found = interpreter.resolve(node.id, frame)
    interpreter.heap.read(found)
    interpreter.not_reserved({node.id}, node)
    if found is None:
        raise interpreter.stop(
            node, "unknown-name", f"`{node.id}` has no meaning here",
            "a parameter, an assignment, an import or a function of the project",
            f"assign `{node.id}` before this line" ,
        )  # fmt: skip
    if isinstance(found, External):
        raise interpreter.stop(
            node, found.code, found.reason, "a name whose meaning can be read",
            frame_outside(interpreter.here, node)
            or found.remedy or ("put its file beside this one, or write it here"
            if found.code == "missing-import"
            else "use a literal, a checked function, or a public parameter"),
        )  # fmt: skip
    if node.id in BUILTINS and _shadowed(interpreter, node.id, frame):
        raise interpreter.stop(
            node, "shadowed-builtin",
            f"`{node.id}` is a builtin, and this file gives the name another meaning",
            "a name of its own for the new function", f"rename `{node.id}`",
        )  # fmt: skip
    return constant_value(interpreter, found)


def _shadowed(interpreter: Interpreter, name: str, frame: Frame) -> bool:
    """Whether the top of the file assigns or defines a builtin's name."""
    if frame.lookup(name) is not None:
        return False
    statements = interpreter.module.bindings.get(name, [])
    return any(not isinstance(s, ast.Import | ast.ImportFrom) for s in statements)


def attribute(interpreter: Interpreter, node: ast.Attribute, frame: Frame) -> Obj:
    """`base.name`."""
    base = interpreter.evaluate(node.value, frame)
    if (column := field_of_each(interpreter, node, base, frame)) is not None:
        return column
    found = attribute_of(interpreter, base, node)
    if interpreter.domain.decided:
        totality.shown(interpreter, node, total_calls.attribute(base, found, node.attr))
    return found


def attribute_of(interpreter: Interpreter, base: Obj, node: ast.Attribute) -> Obj:
    """`base.name`, where `base` is evaluated already."""
    if node.attr == "get" and is_mapping(interpreter.heap.opened(base)):
        return getter(base)
    if isinstance(base, Library):
        return public_constant(Library(f"{base.dotted}.{node.attr}"))
    if isinstance(base, ModuleRef):
        found = base.module.lookup(node.attr)
        if found is None or isinstance(found, External):
            raise interpreter.stop(
                node, "missing-import",
                f"`{node.attr}` is not found in {base.module.path}",
                "a function or constant of that file", "check the spelling",
            )  # fmt: skip
        return constant_value(interpreter, found)
    if isinstance(base, TupleValue) and node.attr in base.names and not base.is_list:
        classes.plain(interpreter, node, "field")
        return base.items[base.names.index(node.attr)]
    if isinstance(base, TupleValue | RecordClass):
        read = classes.attribute(interpreter, base, node)
        if read is not None:
            return _of_class(interpreter, *read, base, node)
    if isinstance(base, RecordClass):
        raise classes.no_attribute(interpreter, base, node)
    if isinstance(base, Value) and moments.is_private(base):
        return moments.attribute(interpreter, base, node)
    if isinstance(base, Value) and base.private and node.attr == "T":
        record = by_operator(".T")
        if record is not None:
            return apply(interpreter, record, [base], {}, node, [node.value], {})
    if isinstance(base, Value) and node.attr == "shape" and (sizes := _shape_of(base)):
        interpreter.act(node, "shape", "")
        return TupleValue(tuple(map(public.public_count, sizes)))
    if isinstance(base, Value) and not base.private:
        classes.plain(interpreter, node, "field")
        return attribute_of_public(base, node.attr)
    if isinstance(base, Closure):
        raise interpreter.stop(
            node, "unsupported-call",
            f"`{ast.unparse(node.value)}` is a function, and has no `.{node.attr}` here",
            "a call of the function", f"{ast.unparse(node.value)}(...)",
        )  # fmt: skip
    if isinstance(getattr(base, "space", None), Maybe):
        text = ast.unparse(node.value)
        raise interpreter.stop(
            node, "unsupported-call", f"`{text}` may be missing, and then it has no `.{node.attr}`",
            "values that are there",
            f"ask first whether it is there: if {text} is not None",
        )  # fmt: skip
    names = base.names if isinstance(base, TupleValue) else ()
    fields = "a field of the row" if names else "a field of a row, or a function of metricdp"
    raise interpreter.stop(
        node, "unsupported-call", f"`.{node.attr}` of a private value has no rule",
        fields,
        _of_table(base, node) or field_advice(names, getattr(base, "is_list", False), node),
    )  # fmt: skip


def _of_table(base: Obj, node: ast.Attribute) -> str:
    """What to write for `.name` of a table of rows; "" if nothing is known."""
    space = getattr(base, "space", None)
    if not isinstance(space, Records):
        return ""
    if isinstance(space.row, Row) and node.attr in space.row.names:
        return habits.column(node.attr, node.value)
    return habits.instead(node.attr, node.value)


def _of_class(
    interpreter: Interpreter, cls: RecordClass, member: Member | None, base: Obj,
    node: ast.Attribute,
) -> Obj:  # fmt: skip
    """The value of a property, or of a constant of a class."""
    if member is None:
        classes.plain(interpreter, node, "field")
        return constant_value(interpreter, cls.attributes[node.attr])
    enter = interpreter.semantics.enter
    result = enter(interpreter, member.function, [base], {}, node, classes.place_of(node))
    interpreter.read_inside(node)
    return result


def _shape_of(base: Value) -> tuple[Expr, ...]:
    """Public sizes of a private vector or matrix; () for anything else."""
    space = base.space if base.private else None
    if isinstance(space, Matrix) and space.rows is not None and space.cols is not None:
        return space.rows, space.cols
    return (space.size,) if isinstance(space, Vector) and space.size is not None else ()


def public_constant(found: Obj) -> Obj:
    """A literal of the top of a file as a value."""
    if isinstance(found, Library) and found.dotted in _NUMBERS:
        return public.literal(_NUMBERS[found.dotted])
    if isinstance(found, Library) and found.dotted in FIXED:
        return known(FIXED[found.dotted])
    if not isinstance(found, Constant):
        return found
    return _of_literal(found.value)


def constant_value(interpreter: Interpreter, found: Obj) -> Obj:
    """The value of a constant; anything else as it is."""
    return _built(interpreter, found) if isinstance(found, Computed) else public_constant(found)


def _built(interpreter: Interpreter, found: Computed) -> Obj:
    """A constant that is built from literals, read in its own file; nothing can change it, and it
    is made when the file is read, whatever private data decide where it is named."""
    known = interpreter.built.get(found.node)
    if known is None:
        outer, around = interpreter.module, interpreter.building
        domain = interpreter.domain
        decided, domain.private_tests, domain.of_rows = (domain.private_tests, domain.of_rows), 0, 0
        interpreter.module, interpreter.building = found.module, True
        try:
            known = interpreter.seen(interpreter.evaluate(found.node, Frame({})))
        finally:
            interpreter.module, interpreter.building = outer, around
            domain.private_tests, domain.of_rows = decided
        interpreter.built[found.node] = known
    return known


def _of_literal(value: object) -> Obj:
    """A literal as the objects that it is made of."""
    if isinstance(value, tuple | list):
        return TupleValue(tuple(map(_of_literal, value)), isinstance(value, list))
    if isinstance(value, dict) and all(key_of(as_object(key)) is not UNKNOWN for key in value):
        return dictionary({key: _of_literal(held) for key, held in value.items()})
    return public.literal(value)
