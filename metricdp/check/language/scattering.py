"""`counts[i] += v`, `table[i, j] += v`, `rows[i][j] += v` where private values say which entry:
each entry is one side of a branch.

Entry j is what it was, plus v where i == j.  So every row adds to one entry at most, and the
entries know by their branches which rows add to them (`values.regions`).  An array becomes its sum
with the vector that is v at i and 0 elsewhere.  The position has to be shown to lie inside: where
it did not, Python would raise, and an exception is seen.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any, cast

import msgspec

from metricdp.check.domain import joins, row_shares
from metricdp.check.domain.privacy import PrivacyDomain
from metricdp.check.language.applying import apply
from metricdp.check.language.interpreter import Interpreter
from metricdp.check.language.known_keys import is_one_of
from metricdp.check.language.lexicographic import items_of
from metricdp.check.language.lookups import key_text
from metricdp.check.language.operators import binary, equal
from metricdp.check.source.advice import KEYS_OF_ROWS
from metricdp.check.values import public
from metricdp.check.values.arrays import shape_of
from metricdp.check.values.dictionaries import is_dictionary, key_of, keys_of, missing_of
from metricdp.check.values.findings import Stop
from metricdp.check.values.forms import Form, best_hi, best_lo, combine
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import UNKNOWN, ListRef, Obj, TupleValue, Value
from metricdp.expr import ONE, ZERO, Expr, compare, num
from metricdp.primitives._common import scale_range
from metricdp.record import Requirement
from metricdp.run.rewrite import BY_KEYS
from metricdp.spaces import Gradient, Scalar, Space, Vector

#: Most entries of a list that are followed one by one.
MOST = 1024
_OPERATORS: dict[type, str] = {ast.Add: "add", ast.Sub: "sub"}


def scattered(
    interpreter: Interpreter, node: ast.AugAssign, target: ast.Subscript, frame: Frame
) -> bool:
    """Read `name[i] += v` at a private position; False where it is another statement."""
    base, axes = entry_of(target)
    if _has_keys(interpreter, target, frame):
        base, axes = cast(ast.Name, target.value), [target.slice]
    if base is None:
        rows, axes = entry_of_rows(target)
        return rows is not None and _in_rows(interpreter, node, rows.id, axes, frame)
    held = frame.names.get(base.id)
    if base.id in frame.outside or not (isinstance(held, ListRef) or _is_array(held)):
        return False
    if len(axes) != (len(_axes_of(held)) if isinstance(held, Value) else 1):
        return False
    if len(axes) == 2:
        assert isinstance(held, Value)
        return _in_table(interpreter, node, base.id, held, axes, frame)
    index = interpreter.seen(interpreter.evaluate(target.slice, frame))
    if public.in_float(index) and not _is_dictionary(interpreter, held):
        raise _in_float(interpreter, node, target.slice)
    if not interpreter.has_private(index) and not _at_known(interpreter, node, held, index, frame):
        return False
    operator = _OPERATORS.get(type(node.op))
    if operator is None or not (isinstance(index, Value) or items_of(index)):
        raise interpreter.stop(
            node, "unsupported-syntax",
            "a private value says which entry changes, and there is a rule for sums alone",
            "+= or -= of a number", f"{interpreter.text(target)} += value",
        )  # fmt: skip
    interpreter.heap.read(held)
    if isinstance(held, ListRef):
        _entries(interpreter, node, held, index, operator, frame)
    else:
        assert isinstance(held, Value) and isinstance(index, Value)
        _array(interpreter, node, base.id, held, index, operator, frame)
    return True


def _has_keys(interpreter: Interpreter, target: ast.Subscript, frame: Frame) -> bool:
    """Whether `name[a, b]` is an entry of a dictionary, of which the pair is the key."""
    held = frame.names.get(target.value.id) if isinstance(target.value, ast.Name) else None
    if not isinstance(held, ListRef) or not isinstance(target.slice, ast.Tuple):
        return False
    return is_dictionary(interpreter.heap.lists[held.number])


def _is_dictionary(interpreter: Interpreter, held: Obj | None) -> bool:
    return isinstance(held, ListRef) and is_dictionary(interpreter.heap.lists[held.number])


def _in_table(
    interpreter: Interpreter, node: ast.AugAssign, name: str, held: Value, axes: list[ast.expr],
    frame: Frame,
) -> bool:  # fmt: skip
    """`table[i, j] += v`: the same at the position that the entry has, row by row."""
    indices = [interpreter.seen(interpreter.evaluate(axis, frame)) for axis in axes]
    rows, columns = _axes_of(held)
    operator = _OPERATORS.get(type(node.op))
    known = not any(map(interpreter.has_private, indices))
    if known and not (held.private and _owned(interpreter, name, frame)):
        return False
    count = columns.as_fraction()
    if operator is None or count is None or not all(isinstance(each, Value) for each in indices):
        raise interpreter.stop(
            node, "unsupported-syntax",
            "a private value says which entry of a table with two axes changes, and there is a "
            "rule for sums alone, where the number of columns is known",
            "+= or -= of a number, and a number of columns that is written in the program",
            f"{name} = np.zeros((n, 3)) before, and {interpreter.text(node.target)} += value",
        )  # fmt: skip
    i, j = indices
    assert isinstance(i, Value) and isinstance(j, Value)
    for axis, index, size in ((axes[0], i, rows), (axes[1], j, columns)):
        _lies_inside(interpreter, node, axis, index, size)
        _is_no_mask(interpreter, node, index)
    plain: Any = (None, None)
    before = binary(interpreter, ast.Mult(), i, public.literal(int(count)), node, *plain)
    position = binary(interpreter, ast.Add(), before, j, node, *plain)
    assert isinstance(position, Value)
    interpreter.heap.read(held)
    _array(interpreter, node, name, held, position, operator, frame, int(count))
    return True


def _in_rows(
    interpreter: Interpreter, node: ast.AugAssign, name: str, axes: list[ast.expr], frame: Frame
) -> bool:
    """`table[i][j] += v` of a list of lists: the same at the position that the entry has, row by
    row; False where it is another statement.

    Raises:
        Stop: rows are one list, or not lists of one length; or a row of an array, which may have
            other names.
    """
    held, text = frame.names.get(name), interpreter.text
    if len(_axes_of(held)) == 2:
        raise interpreter.stop(
            node.target, "unsupported-syntax",
            "an entry of a row of a table with two axes changes, and the row may have other names",
            "an array, and both positions at once",
            f"{name}[{', '.join(map(text, axes))}] += value",
        )  # fmt: skip
    if name in frame.outside or not isinstance(held, ListRef):
        return False
    if (tables := _tables_of(interpreter, held)) is not None:
        return _in_tables(interpreter, node, held, tables, axes, frame)
    indices = [interpreter.seen(interpreter.evaluate(axis, frame)) for axis in axes]
    operator = _OPERATORS.get(type(node.op))
    lists = _rows_of(interpreter, held)
    if not any(map(interpreter.has_private, indices)) and not (
        interpreter.domain.of_rows
        and lists
        and operator
        and _are_known(interpreter, lists, indices)
    ):
        return False
    if operator is None or lists is None or not all(isinstance(each, Value) for each in indices):
        raise interpreter.stop(
            node, "unsupported-syntax",
            f"private values say which entry of `{name}` changes, and there is a rule for sums of "
            "numbers alone, in different lists of one length",
            "+= or -= of a number, and a list of its own for every row",
            f"{name} = [[0] * 3 for _ in range(2)]",
        )  # fmt: skip
    i, j = indices
    assert isinstance(i, Value) and isinstance(j, Value)
    rows = [interpreter.heap.lists[each.number] for each in lists]
    columns = len(rows[0].items) if isinstance(rows[0], TupleValue) else 0
    for axis, index, size in ((axes[0], i, len(rows)), (axes[1], j, columns)):
        _lies_inside(interpreter, node, axis, index, num(size))
    plain: Any = (None, None)
    before = binary(interpreter, ast.Mult(), i, public.literal(columns), node, *plain)
    position = binary(interpreter, ast.Add(), before, j, node, *plain)
    assert isinstance(position, Value)
    interpreter.heap.read(held)
    entries = [item for row in rows if isinstance(row, TupleValue) for item in row.items]
    keys = list(range(len(entries)))
    items = _added_to_one(interpreter, node, entries, keys, position, operator, frame, columns)
    for at, (row, each) in enumerate(zip(rows, lists, strict=True)):
        assert isinstance(row, TupleValue)
        part = tuple(items[at * columns : (at + 1) * columns])
        interpreter.may_change(each, node, scattered=True)
        interpreter.heap.lists[each.number] = msgspec.structs.replace(row, items=part)
    return True


def _in_tables(
    interpreter: Interpreter, node: ast.AugAssign, held: ListRef, tables: list[ListRef],
    axes: list[ast.expr], frame: Frame,
) -> bool:  # fmt: skip
    """`table[a][b] += v` of a dictionary of dictionaries with the same keys: the same at the pair;
    False where it is another statement."""
    indices = tuple(interpreter.seen(interpreter.evaluate(axis, frame)) for axis in axes)
    if not any(map(interpreter.has_private, indices)):
        return False
    operator = _OPERATORS.get(type(node.op))
    if operator is None or not all(isinstance(each, Value) for each in indices):
        raise interpreter.stop(
            node, "unsupported-syntax",
            "private values say which entry changes, and there is a rule for sums alone",
            "+= or -= of a number", f"{interpreter.text(node.target)} += value",
        )  # fmt: skip
    contents = [interpreter.heap.lists[each.number] for each in tables]
    outer = interpreter.heap.lists[held.number]
    inner = [each for each in contents if isinstance(each, TupleValue)]
    assert isinstance(outer, TupleValue)
    keys = [(a, b) for a in keys_of(outer) for b in keys_of(inner[0])]
    index = TupleValue(indices)
    if not (is_one_of(interpreter.domain, index, keys) or interpreter.domain.put_off()):
        one, other = map(interpreter.text, axes)
        raise interpreter.stop(
            node, "partial-operation",
            f"nothing shows that {one} and {other} are keys of this table: others would raise, and "
            "that would be seen", f"the test that they are: if {one} in ... and {other} in ...",
            "one dictionary under pairs: counts = {(a, b): 0 for a in FIRST for b in SECOND}",
        )  # fmt: skip
    interpreter.heap.read(held)
    entries = [item for each in inner for item in each.items]
    items = _added_to_one(interpreter, node, entries, keys, index, operator, frame, BY_KEYS)
    size = len(inner[0].items)
    for at, (table, each) in enumerate(zip(inner, tables, strict=True)):
        part = tuple(items[at * size : (at + 1) * size])
        interpreter.may_change(each, node, scattered=True)
        interpreter.heap.lists[each.number] = msgspec.structs.replace(table, items=part)
    return True


def _tables_of(interpreter: Interpreter, held: ListRef) -> list[ListRef] | None:
    """The dictionaries of a dictionary: different ones, under the same keys each; None of anything
    else."""
    outer = interpreter.heap.lists[held.number]
    if not isinstance(outer, TupleValue) or not is_dictionary(outer) or missing_of(outer):
        return None
    tables = [each for each in outer.items if isinstance(each, ListRef)]
    held_by = [interpreter.heap.lists[each.number] for each in tables]
    inner = [each for each in held_by if isinstance(each, TupleValue) and is_dictionary(each)]
    if not tables or len(inner) != len(outer.items) or len(set(tables)) != len(tables):
        return None
    keys = keys_of(inner[0])
    alike = all(keys_of(each) == keys and not missing_of(each) for each in inner)
    return tables if alike and keys and len(keys) * len(inner) <= MOST else None


def _are_known(interpreter: Interpreter, rows: list[ListRef], indices: list[Obj]) -> bool:
    """Whether two public positions are written in the program, and lie inside."""
    first = interpreter.heap.lists[rows[0].number]
    assert isinstance(first, TupleValue)
    known = [getattr(each, "literal", None) for each in indices]
    return all(
        type(at) is int and 0 <= at < size
        for at, size in zip(known, (len(rows), len(first.items)), strict=True)
    )


def _rows_of(interpreter: Interpreter, held: ListRef) -> list[ListRef] | None:
    """The rows of a list of lists: different lists, of as many numbers each; None of anything
    else."""
    table = interpreter.heap.lists[held.number]
    if not isinstance(table, TupleValue) or is_dictionary(table):
        return None
    lists = [row for row in table.items if isinstance(row, ListRef)]
    rows = [interpreter.heap.lists[row.number] for row in lists]
    lengths = {
        len(row.items) if isinstance(row, TupleValue) and not is_dictionary(row) else 0
        for row in rows
    }
    alone = len(set(lists)) == len(table.items)
    (columns, *others) = lengths or {0}
    return lists if alone and columns and not others and columns * len(lists) <= MOST else None


def entry_of(target: ast.expr) -> tuple[ast.Name | None, list[ast.expr]]:
    """The name and the positions of `name[i]` or `name[i, j]`; no name for anything else, so that
    whoever looks for what a statement changes finds the name there."""
    if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name):
        return None, []
    axes = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
    plain = len(axes) <= 2 and not any(
        isinstance(axis, ast.Slice | ast.Starred | ast.Tuple) for axis in axes
    )
    return (target.value if plain else None), list(axes)


def entry_of_rows(target: ast.expr) -> tuple[ast.Name | None, list[ast.expr]]:
    """The name and the positions of `name[i][j]`; no name for anything else."""
    inner = target.value if isinstance(target, ast.Subscript) else None
    if not isinstance(inner, ast.Subscript) or not isinstance(inner.value, ast.Name):
        return None, []
    assert isinstance(target, ast.Subscript)
    axes = [inner.slice, target.slice]
    plain = not any(isinstance(axis, ast.Slice | ast.Starred | ast.Tuple) for axis in axes)
    return (inner.value if plain else None), axes


def _axes_of(held: Obj | None) -> tuple[Expr, ...]:
    """The lengths of the axes of an array, public or private; none of anything else."""
    if not isinstance(held, Value):
        return ()
    if not held.private:
        return shape_of(held) or ()
    if isinstance(held.space, Gradient):
        return held.space.shape
    return (
        () if not isinstance(held.space, Vector) or held.space.size is None else (held.space.size,)
    )


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
    if not isinstance(contents, TupleValue) or key_of(index) is UNKNOWN:
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
        base = each.target.value if isinstance(each.target.value, ast.Name) else None
        held = None if base is None else frame.names.get(base.id)
        if isinstance(held, Value) and not held.private and _is_array(held):
            assert base is not None
            frame.names[base.id] = interpreter.domain.lifted(held, interpreter.module, node)


def _is_array(held: Obj | None) -> bool:
    """Whether a value is an array of numbers whose axes are known, or a private one."""
    if not isinstance(held, Value) or not isinstance(held.space, Vector | Gradient):
        return False
    return bool(_axes_of(held)) and held.space.element in ("Real", "Int")


# -- lists and dictionaries --------------------------------------------------------------------


def _entries(
    interpreter: Interpreter, node: ast.AugAssign, base: ListRef, index: Obj, operator: str,
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
    private = interpreter.has_private(index)
    if private and is_dictionary(contents):
        _is_key(interpreter, node, index, keys)
    elif private:
        assert isinstance(node.target, ast.Subscript) and isinstance(index, Value)
        _lies_inside(interpreter, node, node.target.slice, index, num(len(keys)))
    items = _added_to_one(interpreter, node, contents.items, keys, index, operator, frame)
    interpreter.may_change(base, node, scattered=True)
    interpreter.heap.lists[base.number] = msgspec.structs.replace(contents, items=tuple(items))


def _added_to_one(
    interpreter: Interpreter, node: ast.AugAssign, entries: Sequence[Obj], keys: list[Any],
    index: Obj, operator: str, frame: Frame, columns: int | str = 0,
) -> list[Obj]:  # fmt: skip
    """What the entries are after something was added to the one whose key is `index`.

    Args:
        columns: of a list of lists, of which the keys are positions row by row; `BY_KEYS` of a
            dictionary of dictionaries, of which they are pairs; else 0.
    """
    value = _added(interpreter, node, frame)
    state, acted = interpreter.domain.state, f"{operator}:{columns}" if columns else operator
    moved_into = _range(interpreter, value, operator)
    state.enforced.append((interpreter.site(node), moved_into))
    if isinstance(moved_into, Scalar) and value.form is not None:
        sign = ONE if operator == "add" else -ONE
        share = combine([(value.form, sign)])
        row_shares.added(state, share, moved_into.lo, moved_into.hi)
    interpreter.act(node, "scatter", acted)
    items: list[Obj] = []
    for key, item in zip(keys, entries, strict=True):
        if not isinstance(item, Value) or not _is_number(item):
            raise _no_numbers(interpreter, node)
        nodes: Any = (None, None)
        if not interpreter.has_private(index):
            chosen = key_of(index) == key
            items.append(
                binary(interpreter, node.op, item, value, node, *nodes) if chosen else item
            )
            continue
        here = equal(interpreter, index, key, node)
        more = binary(interpreter, node.op, item, value, node, *nodes)
        name = interpreter.text(node.target)
        items.append(
            joins.join(interpreter.domain, here, more, item, interpreter.module, node, name)
        )
    interpreter.act(node, "scatter", acted)
    return items


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
    operator: str, frame: Frame, columns: int = 0,
) -> None:  # fmt: skip
    """
    Args:
        columns: of an array with two axes, of which `index` is a position row by row; else 0.
    """
    space = base.space
    assert isinstance(space, Vector | Gradient) and space.size is not None
    if not columns:
        assert isinstance(node.target, ast.Subscript)
        _lies_inside(interpreter, node, node.target.slice, index, space.size)
    if not columns:
        _is_no_mask(interpreter, node, index)
    if not _owned(interpreter, name, frame):
        raise interpreter.stop(
            node, "in-place-operator",
            f"`{name}` is an array that changes, and another name, a list or the caller may hold "
            "it", "a list, which may have several names, where it begins",
            "a list of lists in its place" if columns
            else f"{name} = [0] * {space.size}",
        )  # fmt: skip
    value = _added(interpreter, node, frame)
    if space.element == "Int" and value.private and getattr(value.space, "element", "") == "Real":
        raise interpreter.stop(
            node, "unsupported-call", f"`{name}` is an array of whole numbers, and NumPy would cut "
            "off what is added", "an array of floats", f"an array of floats: {name} = np.zeros(n)",
        )  # fmt: skip
    state = interpreter.domain.state
    state.enforced.append((interpreter.site(node), _range(interpreter, value, operator)))
    acted = f"{operator}:{columns}" if columns else operator
    interpreter.act(node, "scatter", acted)
    size = public.public_count(space.size)
    record, nodes = interpreter.named("one_hot", node), [None, None, None]
    value = interpreter.domain.lifted(value, interpreter.module, node)
    one = apply(interpreter, record, [index, size, value], {}, node, nodes, {})
    if columns:
        one = _with_axes(interpreter.domain, one, _axes_of(base))
    none: Any = (None, None)
    frame.names[name] = binary(interpreter, node.op, base, one, node, *none)
    interpreter.act(node, "scatter", acted)


def _is_no_mask(interpreter: Interpreter, node: ast.AugAssign, index: Value) -> None:
    """Raises:
    Stop: a truth value is no position of an array: NumPy changes all entries, or none.
    """
    space = index.space
    private = isinstance(space, Scalar) and (space.element == "Bool" or space.kind == "bool")
    if private or public.kind(index) == "bool":
        raise interpreter.stop(
            node, "private-index", "a truth value in the place of a position means all entries of "
            "an array, or none", "a whole number", "a list in its place, or int(...) of the value",
        )  # fmt: skip


def _with_axes(domain: PrivacyDomain, vector: Obj, shape: tuple[Expr, ...]) -> Value:
    """The array with two axes that has the entries of a vector just made, row by row."""
    assert isinstance(vector, Value) and isinstance(vector.space, Vector)
    assert vector.form is not None
    ((atom, factor),) = vector.form.terms
    assert factor == ONE and vector.form.constant == ZERO
    held, atoms = vector.space, domain.state.atoms
    space = Gradient(held.element, held.norm, held.size, held.lo, held.hi, held.radius, shape=shape)
    atoms[atom] = msgspec.structs.replace(atoms[atom], space=space)
    return msgspec.structs.replace(vector, space=space)


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
    interpreter: Interpreter, node: ast.AugAssign, axis: ast.expr, index: Value, size: Expr
) -> None:
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
        if whole and space.in_float:
            raise _in_float(interpreter, node, axis)
        inside = whole and _holds(interpreter, node, (lo, ">=", ZERO), (hi, "<", size))
    elif not index.private and index.expr is not None and index.expr.is_integer():
        if public.in_float(index):
            raise _in_float(interpreter, node, axis)
        inside = _holds(interpreter, node, (index.expr, ">=", ZERO), (index.expr, "<", size))
    if inside:
        return
    if interpreter.domain.put_off():
        return
    text = interpreter.text(axis)
    written = f"int(min(max({text}, 0), {size - num(1)}))"
    raise interpreter.stop(
        node, "partial-operation",
        f"nothing shows that {text} is a whole number from 0 to {size - num(1)}: another one would "
        "raise, and that would be seen",
        "a position that certainly lies inside",
        f"{_with_position(interpreter, node, axis, written)} {_change(interpreter, node)}",
    )  # fmt: skip


def _in_float(interpreter: Interpreter, node: ast.AugAssign, axis: ast.expr) -> Stop:
    """The rejection of a whole number that Python holds in a float: it is no position."""
    text = interpreter.text(axis)
    return interpreter.stop(
        node, "private-index",
        f"{text} is a number that Python holds in a float, and a float is no position",
        "an integer", f"{_with_position(interpreter, node, axis, f'int({text})')} += 1",
    )  # fmt: skip


def _with_position(
    interpreter: Interpreter, node: ast.AugAssign, axis: ast.expr, written: str
) -> str:
    """The entry that changes, with another text for one of its positions."""
    assert isinstance(node.target, ast.Subscript)
    base, axes = entry_of(node.target)
    rows, parts = entry_of_rows(node.target)
    if rows is not None:
        texts = [written if each is axis else interpreter.text(each) for each in parts]
        return f"{rows.id}[{texts[0]}][{texts[1]}]"
    texts = [written if each is axis else interpreter.text(each) for each in axes]
    return f"{interpreter.text(base or node.target.value)}[{', '.join(texts)}]"


def _change(interpreter: Interpreter, node: ast.AugAssign) -> str:
    """What is done to the entry, as it was written."""
    return f"{'-' if isinstance(node.op, ast.Sub) else '+'}= {interpreter.text(node.value)}"


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
    interpreter: Interpreter, node: ast.AugAssign, index: Obj, keys: list[Any]
) -> None:  # fmt: skip
    """Raises:
    Stop: nothing shows that a private value is one of the keys.
    """
    if not keys:
        raise interpreter.stop(node, "private-length", *KEYS_OF_ROWS)
    items = items_of(index)
    if items and any(type(key) is not tuple or len(key) != len(items) for key in keys):
        raise interpreter.stop(
            node, "unsupported-syntax",
            "a tuple of private values says which entry changes, and no key is a tuple like it",
            "keys that are tuples of as many values",
            "counts = {(a, b): 0 for a in FIRST for b in SECOND}",
        )  # fmt: skip
    if is_one_of(interpreter.domain, index, keys) or interpreter.domain.put_off():
        return
    assert isinstance(node.target, ast.Subscript)
    base, text = interpreter.text(node.target.value), key_text(interpreter, node.target)
    raise interpreter.stop(
        node, "partial-operation",
        f"nothing shows that {text} is a key of `{base}`: another one would raise, and that would "
        "be seen", f"the test that it is one: if {text} in {base}",
        f"if {text} in {base}: {interpreter.text(node.target)} {_change(interpreter, node)}",
    )  # fmt: skip
