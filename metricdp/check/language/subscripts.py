"""Subscripts: entries, rows and columns by an index; slices along one axis or two."""

from __future__ import annotations

import ast
from typing import Any

from metricdp.check.domain import part_at
from metricdp.check.domain.joins import join
from metricdp.check.language import counters, dictionaries, given, totality
from metricdp.check.language.applying import apply
from metricdp.check.language.interpreter import Interpreter
from metricdp.check.language.over_rows import field_of_each, in_each_row
from metricdp.check.language.parts import with_part
from metricdp.check.loops.positions import read_once
from metricdp.check.source.advice import ENTRY_OF_ROWS, parts_advice
from metricdp.check.source.habits import column
from metricdp.check.values import public, sequences, total
from metricdp.check.values.findings import Stop
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import ROW, UNKNOWN, AlignedParts, Obj, TupleValue, Value
from metricdp.record import Requirement, by_operator
from metricdp.run.frames import is_column
from metricdp.spaces import Matrix, Records, Scalar
from metricdp.spaces.products import Parts


def subscript(interpreter: Interpreter, node: ast.Subscript, frame: Frame) -> Obj:
    """An entry, or a part."""
    base = interpreter.evaluate(node.value, frame)
    if isinstance(node.slice, ast.Slice):
        return _slice(interpreter, base, node, node.slice, frame)
    if dictionaries.held(interpreter, base) is not None:
        index = interpreter.evaluate(node.slice, frame)
        return dictionaries.entry(interpreter, base, index, node)
    if (rows := counters.rows_of(interpreter, base)) is not None:
        return counters.entry(interpreter, rows, interpreter.evaluate(node.slice, frame), node)
    indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if len(indices) == 2 and any(isinstance(i, ast.Slice) for i in indices):
        return _line(interpreter, base, node, indices, frame)
    if len(indices) > 1 and isinstance(interpreter.heap.opened(base), TupleValue | AlignedParts):
        raise interpreter.stop(
            node, "unsupported-syntax",
            f"a list or tuple is read at {len(indices)} positions at once",
            "one position", "x[0][1]",
        )  # fmt: skip
    opened = interpreter.heap.opened(base)
    if (found := field_of_each(interpreter, node, opened, frame)) is not None:
        return found
    for index_node in indices:
        index = interpreter.evaluate(index_node, frame)
        if (kept := in_each_row(interpreter, node, [opened, index], frame)) is not None:
            return kept
        base = _entry(interpreter, interpreter.heap.opened(base), index, node, index_node)
    return base


def _slice(
    interpreter: Interpreter, base: Obj, node: ast.Subscript, part: ast.Slice, frame: Frame
) -> Obj:
    """`values[1:3]` of a tuple or a list whose items are known."""
    opened = interpreter.heap.opened(base)
    ends = _read_ends(interpreter, part, frame)
    known: list[Any] = [getattr(end, "literal", UNKNOWN) for end in ends]
    known = [None if k is ... else k for k in known]
    plain = all(k is None or type(k) is int for k in known) and known[2] != 0
    if interpreter.domain.decided and not (isinstance(opened, Value) and opened.private):
        totality.shown(interpreter, node, total.sliced(opened, ends))
    if isinstance(opened, TupleValue) and plain and not opened.names:
        items = opened.items[slice(known[0], known[1], known[2])]
        return interpreter.heap.new(items) if opened.is_list else TupleValue(items)
    if isinstance(opened, Value) and opened.private:
        return _private_slice(interpreter, opened, node, part, ends)
    interpreter.handed_on([base], node)
    if interpreter.has_private(base) or any(interpreter.has_private(end) for end in ends):
        raise interpreter.stop(
            node, "unsupported-syntax",
            "the length of this slice is not known while checking",
            "a slice of a vector or a matrix, or of a tuple with literal ends",
            "index single entries",
        )  # fmt: skip
    return sequences.part(opened, known, public.origin(base)) or Value(
        public.origin(base), source="computed"
    )


def _line(
    interpreter: Interpreter, base: Obj, node: ast.Subscript, indices: list[ast.expr], frame: Frame
) -> Obj:
    """A part of a matrix by rows and columns: `m[i, :]` is row i, `m[:, j]` is column j."""
    base = interpreter.heap.opened(base)
    if isinstance(base, Value) and base.private:
        return _axes(interpreter, base, node, indices, frame)
    read: list[Obj] = [base]
    for index in indices:
        if isinstance(index, ast.Slice):
            read += _read_ends(interpreter, index, frame)
        else:
            read.append(interpreter.evaluate(index, frame))
    if not any(interpreter.has_private(value) for value in read):
        if interpreter.domain.decided:
            raise totality.partial(interpreter, node)
        return Value(public.origin(*read), source="computed")
    raise interpreter.stop(
        node, "unsupported-syntax",
        "this part of a matrix is not part of the checked language",
        "a row m[i, :], a column m[:, j] or an entry m[i, j]", "m[i, :]   or   m[:, j]",
    )  # fmt: skip


def _entry(
    interpreter: Interpreter, base: Obj, index: Obj, node: ast.Subscript, index_node: ast.expr
) -> Obj:
    if public.in_float(index) and (isinstance(base, TupleValue) or interpreter.has_private(base)):
        raise in_float(interpreter, node, index_node)
    row = _row_of_round(interpreter, base, index, node)
    if row is not None:
        interpreter.act(node, "primitive", "index")
        return row
    if isinstance(base, AlignedParts):
        base = TupleValue(base.parts)
    decided, positions = interpreter.domain.decided, interpreter.domain.state.positions
    if isinstance(base, TupleValue):
        known = getattr(index, "literal", UNKNOWN)
        items = interpreter.items(base, node)
        if is_column(node) and base.kind.startswith(ROW) and known in base.names:
            interpreter.act(node, "column", "")
            return base.items[base.names.index(known)]
        if isinstance(known, int) and -len(items) <= known < len(items):
            if decided:
                totality.shown(interpreter, node, total.entry(base, index, positions))
            return items[known]
        # In a loop, and in a helper, the list may grow before the round that asks.
        sure = not decided and not base.kind and _runs_once(interpreter)
        if isinstance(known, int) and sure:
            raise interpreter.stop(
                node, "private-index",
                f"there is no position {known} among {len(items)} items: every run would fail",
                "a position of an item", f"a position below {len(items)}" if items
                else "a list with items",
            )  # fmt: skip
        interpreter.handed_on(items, node)
        if not any(interpreter.has_private(item) for item in (*base.items, index)):
            if decided:
                totality.shown(interpreter, node, total.entry(base, index, positions))
            if isinstance(index, Value) and index.expr is not None:
                interpreter.picked |= index.expr.symbols
            return public.one_of(base.items, public.origin(*base.items, index))
        chosen = _one_of(interpreter, base, index, node)
        if chosen is not None:
            return chosen
        raise interpreter.stop(
            index_node, "private-index", "the index of this tuple is not known while checking",
            "a literal index inside the tuple", f"{interpreter.text(node.value)}[0]",
        )  # fmt: skip
    if not (interpreter.has_private(base) or interpreter.has_private(index)):
        if decided:
            totality.shown(interpreter, node, total.entry(base, index, positions))
        return _known_place(base, index) or public.item(base, index)
    if isinstance(getattr(base, "space", None), Records) and public.kind(index) == "text":
        raise _column(interpreter, node, getattr(index, "literal", UNKNOWN))
    if (found := given.entry_at(interpreter, base, index, node)) is not None:
        return found
    if isinstance(base, Value) and not base.private and getattr(base.keys, "how", ()) == ("dict",):
        text = interpreter.text(node.value)
        raise interpreter.stop(
            node, "private-index", f"which entry of {text} is read is private",
            "keys that are known", ENTRY_OF_ROWS.format(text),
        )  # fmt: skip
    if isinstance(base, Value) and isinstance(base.space, Parts):
        part = _part(interpreter, base, index, node, index_node)
        if part is not None:
            return part
        raise interpreter.stop(
            node, "unsupported-call", "parts are a tuple of tables, and are read one by one",
            *parts_advice("items", node.value),
        )  # fmt: skip
    record, base = by_operator("[]"), with_part(interpreter, base, index)
    assert record is not None
    return apply(interpreter, record, [base, index], {}, node, [node.value, index_node], {})


def _part(
    interpreter: Interpreter, parts: Value, index: Obj, node: ast.Subscript, index_node: ast.expr
) -> Obj | None:
    """The part of a table at a public position: the rows with the key that stands there."""
    held = part_at.keys_of(interpreter.domain, parts)
    keys = None if held is None else interpreter.heap.opened(held)
    if not isinstance(keys, TupleValue | Value) or interpreter.has_private(keys):
        return None
    if public.kind(index) not in ("int", "exact", "number"):  # of a private one it is ""
        return None
    key = _entry(interpreter, keys, index, node, index_node)
    return part_at.part(interpreter.domain, parts, key, interpreter.module, node)


def in_float(interpreter: Interpreter, node: ast.AST, position: ast.expr) -> Stop:
    """The rejection of a whole number that Python holds in a float: it is no position."""
    text = interpreter.text(position)
    whole = interpreter.text(node) if isinstance(node, ast.expr) else text
    return interpreter.stop(
        node, "private-index",
        f"{text} is a number that Python holds in a float, and a float is no position",
        "an integer", whole.replace(text, f"int({text})", 1),
    )  # fmt: skip


def _known_place(base: Obj, index: Obj) -> Value | None:
    """An item of a public parameter at a whole number that is not negative: from the front, every
    number is another item."""
    if not (isinstance(base, Value) and isinstance(index, Value) and index.origin == "public"):
        return None
    at = index.expr
    if at is None or not at.is_integer() or at.sign() not in ("0", "+", ">=0"):
        return None
    hidden = index.source == "irrational" or any(name.startswith("_") for name in at.symbols)
    return None if hidden else sequences.one(base, at)


def _runs_once(interpreter: Interpreter) -> bool:
    """Whether the present code stands in the checked function itself, and in no loop."""
    return not interpreter.endings and len(interpreter.active) == 1


def _column(interpreter: Interpreter, node: ast.Subscript, name: object) -> Stop:
    """The rejection of `rows["age"]`."""
    return interpreter.stop(
        node, "unsupported-call",
        f"`{interpreter.text(node.value)}` is a table of rows and no data frame: columns are asked "
        f"for row by row",
        "a field of each row", column(name if isinstance(name, str) else "field", node.value),
    )  # fmt: skip


def _one_of(
    interpreter: Interpreter, base: TupleValue, index: Obj, node: ast.Subscript
) -> Obj | None:
    """An item at a public position that is not known: any of them, as after public branches.

    The position is the same in both runs that are compared, so the result moves by what the item
    there moves, and by the largest of the items at most.  A released position may lie outside: that
    it does is a function of what was released.
    """
    items = [item for item in base.items if isinstance(item, Value)]
    spaces = {getattr(item.space, "element", "") for item in items if item.private}
    alike = len(items) == len(base.items) and len(spaces) == 1 and not base.kind
    if not alike or interpreter.has_private(index) or not isinstance(index, Value):
        return None
    if any(not isinstance(item.space, Scalar) for item in items if item.private):
        return None
    needs = total.entry(base, index, interpreter.domain.state.positions)
    if needs is None and (interpreter.domain.decided or not _released_number(index)):
        return None
    remedy = f"a position below {len(items)}"
    asked = tuple(Requirement(*need, code="private-index", remedy=remedy) for need in needs or ())
    totality.shown(interpreter, node, total.TOTAL)
    interpreter.domain.require(asked, interpreter.module, node)
    test = Value(public.origin(index), source="computed", holds="bool")
    found: Obj = items[0]
    for item in items[1:]:
        found = join(
            interpreter.domain, test, found, item, interpreter.module, node,
            interpreter.text(node.value),
        )  # fmt: skip
    return found


def _released_number(index: Value) -> bool:
    return index.origin == "released" and public.kind(index) in ("number", "int")


def _row_of_round(interpreter: Interpreter, base: Obj, index: Obj, node: ast.AST) -> Obj | None:
    """The entry or row at a position that follows the round of a loop, each read once."""
    return read_once(
        interpreter.domain, interpreter.readings, base, index, interpreter.module, node
    )


def _private_slice(
    interpreter: Interpreter, base: Value, node: ast.Subscript, part: ast.Slice, ends: list[Obj]
) -> Obj:
    """Some entries of a private vector, or some rows of a private matrix."""
    interpreter.act(node, "axes", "slice")
    return _cut(interpreter, "slice", base, node, part, ends)


def _axes(
    interpreter: Interpreter, base: Value, node: ast.Subscript, indices: list[ast.expr],
    frame: Frame,
) -> Obj:  # fmt: skip
    """A part of a private matrix by its rows and its columns, one of them a slice."""
    if not isinstance(base.space, Matrix):
        raise interpreter.stop(
            node, "unsupported-syntax",
            "two positions of a value that is no matrix", "one position", "v[1:]",
        )  # fmt: skip
    rows, columns = indices
    found: Obj = base
    done = []
    if isinstance(rows, ast.Slice):
        if _ends(rows) != [None, None, None]:
            found = _cut(
                interpreter, "slice", found, node, rows, _read_ends(interpreter, rows, frame)
            )
            done.append("slice")
        else:
            done.append("")
        name = "slice_cols" if isinstance(columns, ast.Slice) else "column"
    else:
        index = interpreter.evaluate(rows, frame)
        row = _row_of_round(interpreter, found, index, node)
        record = interpreter.named("index", node)
        found = row or apply(interpreter, record, [found, index], {}, node, [None, rows], {})
        done.append("index")
        name = "slice"
    if isinstance(columns, ast.Slice):
        if _ends(columns) != [None, None, None]:
            found = _cut(
                interpreter, name, found, node, columns, _read_ends(interpreter, columns, frame)
            )
        else:
            name = ""
    else:
        index = interpreter.evaluate(columns, frame)
        record = interpreter.named(name, node)
        found = apply(interpreter, record, [found, index], {}, node, [None, columns], {})
    interpreter.act(node, "axes", ",".join([*done, name]))
    return found


def _cut(
    interpreter: Interpreter,
    name: str,
    base: Obj,
    node: ast.Subscript,
    part: ast.Slice,
    ends: list[Obj],
) -> Obj:
    # The last node is None: the action of a whole subscript is noted once, by its axes.
    nodes = [node.value, *_ends(part), None]
    return apply(interpreter, interpreter.named(name, node), [base, *ends], {}, node, nodes, {})


def _read_ends(interpreter: Interpreter, part: ast.Slice, frame: Frame) -> list[Obj]:
    """Start, stop and step; `...` for one that is left out."""
    found = [
        public.literal(...) if end is None else interpreter.evaluate(end, frame)
        for end in _ends(part)
    ]
    for end, value in zip(_ends(part), found, strict=True):
        whole = isinstance(value, Value) and value.expr is not None and value.expr.is_integer()
        if end is not None and whole and public.in_float(value):
            raise in_float(interpreter, end, end)
    return found


def _ends(part: ast.Slice) -> list[ast.expr | None]:
    return [part.lower, part.upper, part.step]
