"""`counts[i] += v` where a private value says which entry: each entry is one side of a branch.

Entry j is what it was, plus v where i == j.  So every row adds to one entry at most, and the
entries know by their branches which rows add to them (`values.regions`).  An array becomes its sum
with the vector that is v at i and 0 elsewhere.  The position has to be shown to lie inside: where
it did not, Python would raise, and an exception is seen.
"""

from __future__ import annotations

import ast
from typing import Any

import msgspec

from metricdp.check.domain import joins
from metricdp.check.language.applying import apply
from metricdp.check.language.interpreter import Interpreter
from metricdp.check.language.operators import binary
from metricdp.check.source.advice import KEYS_OF_ROWS
from metricdp.check.values import public
from metricdp.check.values.arrays import shape_of
from metricdp.check.values.dictionaries import is_dictionary, key_of, keys_of
from metricdp.check.values.findings import Stop
from metricdp.check.values.forms import Form, best_hi, best_lo
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import ListRef, Obj, TupleValue, Value
from metricdp.check.values.regions import disjoint, outside_of
from metricdp.check.values.terms import of
from metricdp.expr import ONE, ZERO, Expr, compare, num
from metricdp.primitives._common import scale_range
from metricdp.record import Requirement
from metricdp.spaces import Scalar, Space, Vector

#: Most entries of a list that are followed one by one.
MOST = 256
_OPERATORS: dict[type, str] = {ast.Add: "add", ast.Sub: "sub"}


def scattered(
    interpreter: Interpreter, node: ast.AugAssign, target: ast.Subscript, frame: Frame
) -> bool:
    """Read `name[i] += v` at a private position; False where it is another statement."""
    base = target.value
    if not isinstance(base, ast.Name) or isinstance(target.slice, ast.Slice | ast.Tuple):
        return False
    held = frame.names.get(base.id)
    if base.id in frame.outside or not (isinstance(held, ListRef) or _is_array(held)):
        return False
    index = interpreter.seen(interpreter.evaluate(target.slice, frame))
    if not interpreter.has_private(index) and not _at_known(interpreter, node, held, index, frame):
        return False
    operator = _OPERATORS.get(type(node.op))
    if operator is None or not isinstance(index, Value):
        raise interpreter.stop(
            node, "unsupported-syntax",
            "a private value says which entry changes, and there is a rule for sums alone",
            "+= or -= of a number", f"{interpreter.text(target)} += value",
        )  # fmt: skip
    interpreter.heap.read(held)
    if isinstance(held, ListRef):
        _entries(interpreter, node, held, index, operator, frame)
    else:
        assert isinstance(held, Value)
        _array(interpreter, node, base.id, held, index, operator, frame)
    return True


def _at_known(
    interpreter: Interpreter, node: ast.AugAssign, held: Obj | None, index: Obj, frame: Frame
) -> bool:
    """Whether a public position is one of those to which a loop over rows adds."""
    assert isinstance(node.target, ast.Subscript) and isinstance(node.target.value, ast.Name)
    if isinstance(held, Value):
        owned = held.private and isinstance(index, Value)
        return owned and _owned(interpreter, node.target.value.id, frame)
    assert isinstance(held, ListRef)
    contents = interpreter.heap.lists[held.number]
    if not interpreter.domain.of_rows or type(node.op) not in _OPERATORS:
        return False
    if not isinstance(contents, TupleValue) or not isinstance(index, Value):
        return False
    numbers = all(isinstance(item, Value) and _is_number(item) for item in contents.items)
    return numbers and len(contents.items) <= MOST and key_of(index) in _keys(contents)


def _keys(contents: TupleValue) -> list[Any]:
    """The keys of a dictionary, or the positions of a list."""
    dictionary = is_dictionary(contents)
    return keys_of(contents) if dictionary else list(range(len(contents.items)))


def lifted_arrays(interpreter: Interpreter, node: ast.For | ast.While, frame: Frame) -> None:
    """Arrays of zeros to which a loop over private rows adds are private from its start."""
    for each in ast.walk(node):
        if not isinstance(each, ast.AugAssign) or not isinstance(each.target, ast.Subscript):
            continue
        name = each.target.value.id if isinstance(each.target.value, ast.Name) else ""
        held = frame.names.get(name)
        if isinstance(held, Value) and not held.private and _is_array(held):
            frame.names[name] = interpreter.domain.lifted(held, interpreter.module, node)


def _is_array(held: Obj | None) -> bool:
    """Whether a value is an array of numbers whose length is known, or a private vector."""
    if not isinstance(held, Value) or not isinstance(held.space, Vector):
        return False
    if held.private:
        return held.space.size is not None and held.space.element in ("Real", "Int")
    return len(shape_of(held) or ()) == 1


# -- lists and dictionaries --------------------------------------------------------------------


def _entries(
    interpreter: Interpreter, node: ast.AugAssign, base: ListRef, index: Value, operator: str,
    frame: Frame,
) -> None:  # fmt: skip
    contents = interpreter.heap.lists[base.number]
    if not isinstance(contents, TupleValue) or len(contents.items) > MOST:
        raise interpreter.stop(
            node, "private-index", "a private value says which entry of a list changes, and the "
            "entries are not known one by one",
            f"a list or a dictionary of at most {MOST} numbers", "counts = np.zeros(n)",
        )  # fmt: skip
    keys = _keys(contents)
    if index.private and is_dictionary(contents):
        _is_key(interpreter, node, index, keys)
    elif index.private:
        _lies_inside(interpreter, node, index, num(len(keys)))
    value = _added(interpreter, node, frame)
    state = interpreter.domain.state
    state.enforced.append((interpreter.site(node), _range(interpreter, value, operator)))
    interpreter.act(node, "scatter", operator)
    items = []
    for key, item in zip(keys, contents.items, strict=True):
        if not isinstance(item, Value) or not _is_number(item):
            raise _no_numbers(interpreter, node)
        nodes: Any = (None, None)
        if not index.private:
            chosen = key_of(index) == key
            items.append(
                binary(interpreter, node.op, item, value, node, *nodes) if chosen else item
            )
            continue
        here = binary(interpreter, ast.Eq(), index, public.literal(key), node, *nodes)
        more = binary(interpreter, node.op, item, value, node, *nodes)
        assert isinstance(here, Value)
        name = interpreter.text(node.target)
        items.append(
            joins.join(interpreter.domain, here, more, item, interpreter.module, node, name)
        )
    interpreter.may_change(base, node, scattered=True)
    interpreter.heap.lists[base.number] = msgspec.structs.replace(contents, items=tuple(items))
    interpreter.act(node, "scatter", operator)


def _added(interpreter: Interpreter, node: ast.AugAssign, frame: Frame) -> Value:
    lists = dict(interpreter.heap.lists)
    value = interpreter.seen(interpreter.evaluate(node.value, frame))
    # The entries were read before: what is added may not change them under this statement.
    interpreter.unchanged(lists, node, "what is added to an entry")
    if not isinstance(value, Value) or not _is_number(value):
        raise _no_numbers(interpreter, node)
    return value


def _is_number(value: Value) -> bool:
    if not value.private:
        return public.is_number(value)
    return isinstance(value.space, Scalar) and value.space.kind != "str"


def _no_numbers(interpreter: Interpreter, node: ast.AugAssign) -> Stop:
    return interpreter.stop(
        node, "unsupported-call",
        "a private value says which entry changes, and the entries are not all numbers",
        "a list, a dictionary or an array of numbers", "counts = [0] * n",
    )  # fmt: skip


def _range(interpreter: Interpreter, value: Value, operator: str) -> Space | None:
    """Where a run moves what one row adds, a negative number where it subtracts; None of what is
    public."""
    space = value.space
    if not value.private or not isinstance(space, Scalar):
        return None
    lo, hi = interpreter.domain.range(value.form or Form(())) or (space.lo, space.hi)
    ends = best_lo(space.lo, lo), best_hi(space.hi, hi)
    lo, hi = ends if operator == "add" else scale_range(ends, -ONE)
    return msgspec.structs.replace(space, lo=lo, hi=hi)


# -- arrays ------------------------------------------------------------------------------------


def _array(
    interpreter: Interpreter, node: ast.AugAssign, name: str, base: Value, index: Value,
    operator: str, frame: Frame,
) -> None:  # fmt: skip
    space = base.space
    assert isinstance(space, Vector) and space.size is not None
    _lies_inside(interpreter, node, index, space.size)
    if not _owned(interpreter, name, frame):
        raise interpreter.stop(
            node, "in-place-operator",
            f"`{name}` is an array that changes, and another name, a list or the caller may hold "
            "it", "a list, which may have several names", f"a list in its place: {name} = [0] * n",
        )  # fmt: skip
    value = _added(interpreter, node, frame)
    if space.element == "Int" and value.private and getattr(value.space, "element", "") == "Real":
        raise interpreter.stop(
            node, "unsupported-call", f"`{name}` is an array of whole numbers, and NumPy would cut "
            "off what is added", "an array of floats", f"an array of floats: {name} = np.zeros(n)",
        )  # fmt: skip
    state = interpreter.domain.state
    state.enforced.append((interpreter.site(node), _range(interpreter, value, operator)))
    interpreter.act(node, "scatter", operator)
    size = public.public_count(space.size)
    record, nodes = interpreter.named("one_hot", node), [None, None, None]
    value = interpreter.domain.lifted(value, interpreter.module, node)
    one = apply(interpreter, record, [index, size, value], {}, node, nodes, {})
    none: Any = (None, None)
    frame.names[name] = binary(interpreter, node.op, base, one, node, *none)
    interpreter.act(node, "scatter", operator)


def _owned(interpreter: Interpreter, name: str, frame: Frame) -> bool:
    """Whether nothing else holds the array of a name, which NumPy changes and a run replaces."""
    around: set[str] = set()
    parent = frame.parent
    while parent is not None:
        around |= parent.names.keys()
        parent = parent.parent
    function = interpreter.active[-1]
    assert isinstance(function, ast.FunctionDef | ast.Lambda)
    return name in interpreter.ownership.names(function, interpreter.module, around)


# -- positions ---------------------------------------------------------------------------------


def _lies_inside(
    interpreter: Interpreter, node: ast.AugAssign, index: Value, size: Expr
) -> None:  # fmt: skip
    """Raises:
    Stop: nothing shows that a position is a whole number from 0 to size - 1.
    """
    space, inside = index.space, False
    if isinstance(space, Scalar):
        whole = space.element in ("Int", "Bool") or space.kind in ("int", "bool")
        lo, hi = interpreter.domain.range(index.form or Form(())) or (space.lo, space.hi)
        lo, hi = best_lo(space.lo, lo), best_hi(space.hi, hi)
        if space.element == "Bool":
            lo, hi = ZERO, num(1)
        inside = whole and _holds(interpreter, node, (lo, ">=", ZERO), (hi, "<", size))
    elif not index.private and index.expr is not None and index.expr.is_integer():
        inside = _holds(interpreter, node, (index.expr, ">=", ZERO), (index.expr, "<", size))
    if inside:
        return
    if interpreter.domain.put_off():
        return
    assert isinstance(node.target, ast.Subscript)
    text = interpreter.text(node.target.slice)
    raise interpreter.stop(
        node, "partial-operation",
        f"nothing shows that {text} is a whole number from 0 to {size - num(1)}: another one would "
        "raise, and that would be seen",
        "a position that certainly lies inside",
        f"{interpreter.text(node.target.value)}[int(min(max({text}, 0), {size - num(1)}))] += 1",
    )  # fmt: skip


def _holds(
    interpreter: Interpreter, node: ast.AugAssign, *relations: tuple[Expr, str, Expr]
) -> bool:
    """Whether relations of public numbers hold, or are required from now on."""
    for left, operator, right in relations:
        known = compare(left, operator, right)
        hidden = any(name.startswith("_") for name in left.symbols | right.symbols)
        if known is False or (known is None and (hidden or left.is_infinite)):
            return False
    asked = tuple(
        Requirement(*each, remedy="choose numbers for which every position lies inside")
        for each in relations
    )
    interpreter.domain.require(asked, interpreter.module, node)
    return True


def _is_key(
    interpreter: Interpreter, node: ast.AugAssign, index: Value, keys: list[Any]
) -> None:  # fmt: skip
    """Raises:
    Stop: nothing shows that a private value is one of the keys.
    """
    term = of(index)
    terms = [of(public.literal(key)) for key in keys]
    if term is not None and None not in terms:
        others = outside_of(term, [each for each in terms if each is not None])
        if disjoint(interpreter.domain.where, others):
            return
    if interpreter.domain.put_off():
        return
    if not keys:
        raise interpreter.stop(node, "private-length", *KEYS_OF_ROWS)
    assert isinstance(node.target, ast.Subscript)
    base, text = interpreter.text(node.target.value), interpreter.text(node.target.slice)
    raise interpreter.stop(
        node, "partial-operation",
        f"nothing shows that {text} is a key of `{base}`: another one would raise, and that would "
        "be seen", f"the test that it is one: if {text} in {base}",
        f"if {text} in {base}: {interpreter.text(node.target)} += 1",
    )  # fmt: skip
