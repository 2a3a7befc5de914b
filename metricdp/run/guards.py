"""Data that enter: schema facts are checked, value facts are enforced.

Schema facts (type, dtype, shape, equal lengths, None) raise `SchemaError`.  Value facts (bounds,
norms, NaN, infinities, integers beyond 64 bits) never raise, because an exception would tell
something about the data: NaN becomes 0, infinities the largest double, -0.0 becomes 0, integers
saturate, then values are moved into their bounds.  `strict=True` refuses instead, outside the
guarantee.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import reduce
from operator import and_
from typing import Any

from metricdp.columns.language import Node, both, lt
from metricdp.columns.moments import Instant
from metricdp.columns.nullable import Nullable
from metricdp.columns.stored import Stored
from metricdp.columns.table import Table
from metricdp.errors import (
    DataValueError,
    EngineError,
    MetricdpError,
    MissingExtraError,
    ParameterError,
    SchemaError,
    SpaceError,
    StorageError,
)
from metricdp.plain import is_iterator
from metricdp.run.arrays import into_ball_array, is_double, numbers
from metricdp.run.cells import (
    bare_cell,
    check_array,
    check_cell,
    check_cells,
    kind_of,
    schema_error,
    text,
    text_rows,
)
from metricdp.run.entering.chunks import in_chunks
from metricdp.run.entering.engines import source_of, table_of
from metricdp.run.entering.entered import Entered
from metricdp.run.entering.gaps import Gaps, as_list
from metricdp.run.entering.lists import in_an_array
from metricdp.run.entering.missing import not_nan, taken
from metricdp.run.entering.moments import row_of_moments
from metricdp.run.entering.nullable import held_and_marks, listed, marked, nullable, unmasked
from metricdp.run.entering.rows import fields_of
from metricdp.run.entering.sequences import column, sequence
from metricdp.run.entering.several import built, values_of
from metricdp.run.entering.stored import limits_of as _limits
from metricdp.run.entering.stored import stored
from metricdp.run.entering.unread import UnreadNumbers
from metricdp.run.entering.windows import in_windows
from metricdp.run.facts import (
    LEAST,
    MOST,
    Notice,
    Range,
    clean_floats,
    clean_number,
    doubles_within,
    into_ball,
)
from metricdp.run.rows import discrete_row
from metricdp.spaces import (
    Aligned,
    Keyed,
    Matrix,
    Maybe,
    Moment,
    Owned,
    Records,
    Row,
    Scalar,
    Space,
    TupleSpace,
    Vector,
)
from metricdp.spaces.base import bound_value, size_value
from metricdp.spaces.texts import Cells, Lines, Named
from metricdp.spaces.vectors import Entries
from metricdp.values import (
    Exact,
    ExactMatrix,
    ExactVector,
    NumberMatrix,
    NumberRows,
    Numbers,
)


def admit(
    name: str,
    space: Space,
    value: Any,
    *,
    strict: bool = False,
    env: Mapping[str, int | Fraction] | None = None,
    late: bool = False,
) -> Any:
    """The run-time value of a private argument; the caller's object is never changed.

    Rows of scalars are read where they lie, when they are used: the caller's arrays live as long as
    the call.  So are the rows of matrices of doubles that a loop goes through, if `late`.  Each
    reading is cleaned and moved into its bounds as it is made, so an array that another thread
    writes to meanwhile still meets its bounds; it is other data in each reading, and a guarantee is
    about data that stay as they are during a call.  Everything else is read once and copied.

    Args:
        name: the parameter, for messages.
        space: its declared space.
        value: number, list, tuple, NumPy array, or a column or data frame of pandas, Polars or
            Arrow; rows of records may be tuples, dataclass instances, dictionaries, or columns by
            name; records may also be an iterator of chunks, each any of these, which is read once.
        strict: refuse values that violate a declared fact; the refusal is outside the guarantee.
        env: numbers for public names in bounds and sizes.
        late: the value is used within this call, and by nobody after it.

    Returns:
        Exact | bool | str (scalars), Numbers and NumberMatrix (ExactVector and ExactMatrix where
        entries have no array form), Table (records of scalars of one kind each), list (other
        records), or a tuple (aligned containers, tuples).

    Raises:
        SchemaError: type, dtype, shape or lengths do not fit.
        DataValueError: only if strict.
        ParameterError: public bounds that no value can meet.
        StorageError: no room for the temporary files of an iterator.
    """
    concrete = space.at(env) if env else space
    try:
        return _admit(name, concrete, value, Notice(name, strict, late))
    except MetricdpError as error:
        # Raised afresh, so that no frame of this module, and no private local, hangs on it.
        fresh = _fresh(error)
    except Exception as error:
        fresh = SchemaError(
            f"data that cannot be read ({type(error).__name__})",
            place=name,
            remedy="pass a list, a tuple, a NumPy array, a data frame or an Arrow table",
        )
    value = None  # the traceback keeps this frame
    raise fresh from None


def _fresh(error: MetricdpError) -> MetricdpError:
    kinds = (
        SchemaError, DataValueError, ParameterError, SpaceError, EngineError, MissingExtraError,
        StorageError,
    )  # fmt: skip
    kind = next((k for k in kinds if isinstance(error, k)), MetricdpError)
    return kind(error.fact, place=error.place, remedy=error.remedy)


def _admit(name: str, space: Space, value: Any, notice: Notice) -> Any:
    if type(value) is Entered:
        return value.of(space, name)
    if isinstance(space, Scalar):
        kind = kind_of(space.element, space.kind)
        value = bare_cell(value)
        check_cell(name, value, kind)
        return _cell(space, value, notice)
    if isinstance(space, Lines):
        return text(name, value)
    if isinstance(space, Entries):
        return _entries(name, space, value, notice)
    if isinstance(space, Matrix):
        return _matrix(name, space, value, notice)
    if isinstance(space, Records):
        return _records(name, space, value, notice)
    if isinstance(space, Owned):
        return _owned(name, space, value, notice)
    if isinstance(space, Row):
        return _fields(name, space, [value], False, notice)[0]
    if isinstance(space, (Aligned, TupleSpace)):
        return _parts(name, space, value, notice)
    if isinstance(space, Keyed):
        return _keyed(name, space, value, notice)
    raise SpaceError(f"{space} holds no data", place=name)


def _cell(space: Scalar, x: Any, notice: Notice) -> Any:
    kind = kind_of(space.element, space.kind)
    if kind == "str" or isinstance(x, str):
        return str(x)
    return _number(kind, _limits(space), x, notice)


def _number(kind: str, limits: Range, x: Any, notice: Notice) -> Exact | bool:
    if kind == "bool" or (kind == "" and (isinstance(x, bool) or _is_numpy_bool(x))):
        return bool(clean_number(bool(x), limits, True, notice))
    return clean_number(x, limits, kind == "int", notice)


def _is_numpy_bool(x: Any) -> bool:
    return getattr(getattr(x, "dtype", None), "kind", "") == "b"


def _cells(name: str, space: Scalar, raw: Any, notice: Notice) -> list[Any]:
    kind = kind_of(space.element, space.kind)
    if hasattr(raw, "ndim"):
        check_array(name, raw, kind, 1)
    raw = as_list(raw)
    check_cells(name, raw, kind)
    if kind == "bool" and _limits(space) in ((None, None), (0, 1)):
        return [bool(x) for x in raw]
    if kind == "str" or all(isinstance(x, str) for x in raw):
        return [str(x) for x in raw]
    limits = _limits(space)
    return [str(x) if isinstance(x, str) else _number(kind, limits, x, notice) for x in raw]


def _entries(name: str, space: Entries, value: Any, notice: Notice) -> Any:
    raw = sequence(name, value)
    if type(space).__name__ == "Gradient":
        raw = _flat(name, raw)
    cells = _vector(name, space, raw, notice)
    _check_size(name, "entries", len(cells), size_value(space.size))
    bounded = _bounded(space, cells, notice)
    return bounded if isinstance(bounded, Numbers) else ExactVector(bounded)


def _vector(name: str, space: Entries | Matrix, raw: Any, notice: Notice) -> Any:
    """Clean entries: `Numbers`, or a list where they have no array form."""
    cell = space.entry
    kind, kinds = kind_of(cell.element, cell.kind), set[type]()
    if isinstance(raw, list):
        kinds = check_cells(name, raw, kind)
    else:
        check_array(name, raw, kind, 1)
    found = numbers(kind, _limits(cell), raw, kinds, notice)
    return _cells(name, cell, raw, notice) if found is None else found


def _flat(name: str, raw: Any) -> Any:
    """The entries of a tensor, or of a list of tensors, in order."""
    if not isinstance(raw, list):
        return raw.ravel() if raw.dtype.kind in "biuf" else raw.ravel().tolist()
    flat: list[Any] = []
    for part in raw:
        nested = isinstance(part, (list, tuple)) or getattr(part, "ndim", 0) > 0
        flat.append(_flat(name, sequence(name, part)) if nested else [part])
    return _joined(flat)


def _joined(parts: list[Any]) -> Any:
    """Arrays of numbers that doubles hold as one array, anything else as one list."""
    import numpy as np

    if parts and all(getattr(part, "dtype", None) in (np.float64, np.float32) for part in parts):
        return np.concatenate(parts)
    lists = (part if isinstance(part, list) else part.tolist() for part in parts)
    return [entry for part in lists for entry in part]


def _bounded(space: Entries | Matrix, cells: Any, notice: Notice) -> Any:
    array = isinstance(cells, Numbers)
    if not space.radius or (not array and any(isinstance(x, str) for x in cells)):
        return cells
    values = [(norm, bound_value(radius, True)) for norm, radius in space.radius]
    radii = [(norm, radius) for norm, radius in values if radius is not None]
    limits, integer = _limits(space), space.element in ("Int", "Bool")
    return (into_ball_array if array else into_ball)(cells, radii, limits, integer, notice)


def _matrix(name: str, space: Matrix, value: Any, notice: Notice) -> Any:
    raw = sequence(name, value)
    if isinstance(raw, list):
        rows: Any = [sequence(name, row) for row in raw]
        width = len(rows[0]) if rows else None
        if any(len(row) != width for row in rows):
            raise schema_error(name, "rows of unequal length", "give every row the same length")
    else:
        check_array(name, raw, kind_of(space.element, ""), 2)
        rows, width = raw, raw.shape[1]
    declared = size_value(space.cols)
    if width is not None:
        _check_size(name, "columns", width, declared)
    _check_size(name, "rows", len(rows), size_value(space.rows))
    cols = (declared or 0) if width is None else width
    if not isinstance(rows, list) and (lying := _lying(space, rows, notice)) is not None:
        return NumberMatrix(lying, len(rows), cols)
    if not space.radius and (flat := _end_to_end(rows)) is not None:
        cells = _vector(name, space, flat, notice)
        if isinstance(cells, Numbers):
            return NumberMatrix(cells, len(rows), cols)
        return ExactMatrix((cells[i * cols : (i + 1) * cols] for i in range(len(rows))), cols)
    lists = rows if isinstance(rows, list) else rows.tolist()
    bounded = [_bounded(space, _cells(name, space.entry, row, notice), notice) for row in lists]
    return ExactMatrix(bounded, cols)


def _lying(space: Matrix, rows: Any, notice: Notice) -> UnreadNumbers | None:
    """The entries of an array of floats where they lie; None where they are to be copied."""
    cell, limits = space.entry, _limits(space.entry)
    kind = kind_of(cell.element, cell.kind)
    if not notice.late or notice.strict or space.radius or kind not in ("float", ""):
        return None
    if rows.dtype.kind != "f" or not all(map(is_double, limits)):
        return None
    return UnreadNumbers(rows, *doubles_within(limits, notice.name))


def _end_to_end(rows: Any) -> Any:
    """All rows in one list or array; None where they are of several kinds."""
    if not isinstance(rows, list):
        return rows.ravel()
    if all(isinstance(row, list) for row in rows):
        return [cell for row in rows for cell in row]
    return None


def _records(name: str, space: Records, value: Any, notice: Notice) -> Any:
    opened = source_of(value)
    if opened is not None:
        found = table_of(name, space, opened, notice)
        if space.size is not None:
            _check_size(name, "records", len(found), size_value(space.size))
        return found
    found = (
        in_chunks(name, value, lambda chunk: _rows(name, space, chunk, notice))
        if is_iterator(value)
        else _rows(name, space, value, notice)
    )
    _check_size(name, "records", len(found), size_value(space.size))
    return found


def _owned(name: str, space: Owned, value: Any, notice: Notice) -> Any:
    """Rows with ids enter as rows do, but for ids that do not fit into 64 bits.

    A number that is moved to the end of the range would be another person's, and two persons one:
    rows with the first or the last number of the range as their id are left out.  Where a window is
    part of the unit, ids become texts of both, and rows on the first or the last date are left out.
    """
    found = _records(name, Records(space.row, drop_nan=space.drop_nan), value, notice)
    if space.kind == "int":
        found = _of_known_ids(space, found)
    if not space.day:
        return found
    if not isinstance(found, Table):
        return [made for row in found if (made := space.entered(row)) is not None]
    return in_windows(found, space)


def _of_known_ids(space: Owned, found: Any) -> Any:
    if not isinstance(found, Table):
        return [row for row in found if LEAST < space.row.parts(row)[space.place] < MOST]
    own = space.row.parts(found.row)[space.place]
    if found.engine is not None:
        return found.filtered(both(lt(LEAST, own), lt(own, MOST)))
    if found.columns[own.public].data.dtype.itemsize < 8:
        return found
    fits = both(lt(LEAST, own), lt(own, MOST))
    # In two steps: nearly always all fit, and no array of marks is made.
    all_fit = [bool(marks.all()) for _, (marks,) in found.pieces(fits)]
    return found if all(all_fit) else found.taken(found.array(fits).nonzero()[0])


def _rows(name: str, space: Records, value: Any, notice: Notice) -> Any:
    row = space.row
    if isinstance(row, Row):
        return _fields(name, row, value, space.drop_nan, notice)
    if isinstance(row, Vector):
        return _table(name, row, value, notice)
    if isinstance(row, Cells | Named):
        return text_rows(name, row, value)
    kind = kind_of(row.element, row.kind) if isinstance(row, Scalar) else ""
    raw = unmasked(value) if isinstance(row, Maybe) else in_an_array(kind, value)
    if raw is None:
        raw = column(name, value)
    if isinstance(row, Maybe):
        return _maybe(name, row.inner, raw, space.drop_nan, notice)
    return _column(name, row, raw, space.drop_nan, notice)


def _maybe(name: str, row: Scalar | Moment, raw: Any, drop: bool, notice: Notice) -> Any:
    """Rows that may be missing, or those that are there."""
    kind = _kind(row)
    raw, there = marked(name, kind, raw)
    if drop:
        return _column(name, row, taken(raw, there), False, notice)
    if isinstance(row, Scalar) and not kind:
        return listed(_cells(name, row, taken(raw, there), notice), there)
    return nullable(name, row, raw, there, notice)


def _table(name: str, row: Vector, value: Any, notice: Notice) -> Any:
    """The rows of a two-dimensional array, each a vector of doubles."""
    raw = sequence(name, value)
    if isinstance(raw, list):
        raise schema_error(
            name, "a list where a table of numbers is needed",
            "pass a NumPy array with one row per record: its width is public, its rows may be none",
        )  # fmt: skip
    check_array(name, raw, "float", 2)
    _check_size(name, "columns", raw.shape[1], size_value(row.size))
    if not row.radius:
        if notice.strict:
            raw = clean_floats(raw, _limits(row), notice)
        held = Stored("double", raw, *doubles_within(_limits(row), name))
        return Table((held,), held.node(0), value=discrete_row)
    clean = clean_floats(raw, _limits(row), notice)
    rows = [ExactVector(_bounded(row, list(map(Exact, each)), notice)) for each in clean.tolist()]
    return NumberRows(rows, raw.shape[1])


def _column(name: str, row: Scalar | Moment, raw: Any, drop_nan: bool, notice: Notice) -> Any:
    if isinstance(row, Scalar) and not kind_of(row.element, row.kind):
        if drop_nan:
            raw = taken(raw, not_nan(raw))
        return ExactVector(_cells(name, row, raw, notice))
    held = stored(name, row, raw, notice, drop_nan)
    return Table((held,), row_of_moments(row, held.node(0)), value=Exact)


def _fields(name: str, row: Row, value: Any, drop_nan: bool, notice: Notice) -> Any:
    fields = list(values_of(name, row, fields_of(name, row, value)))
    columns = [raw for _, _, raw in fields]
    if len(set(map(len, columns))) > 1:
        raise schema_error(name, "columns of unequal length", "give every column the same length")
    if drop_nan and any(isinstance(space, Maybe) for _, space, _ in fields):
        raise schema_error(
            name, "fields that may be missing, in records that drop what is missing",
            "declare the fields as optional, or the records as NoNaN(drop=True)",
        )  # fmt: skip
    if drop_nan:
        kept = reduce(and_, map(not_nan, columns))
        columns = [each if isinstance(each, Gaps) else taken(each, kept) for each in columns]
        fields = [
            (place, space, raw) for (place, space, _), raw in zip(fields, columns, strict=True)
        ]
    if all(_kind(space) for _, space, _ in fields):
        held: list[Stored] = []
        parts = [_field(place, space, raw, held, notice) for place, space, raw in fields]
        return Table(tuple(held), built(row, iter(parts)), value=Exact)
    cells = [_listed(place, space, raw, notice) for place, space, raw in fields]
    return [built(row, iter(parts)) for parts in zip(*cells, strict=True)]


def _kind(space: Scalar | Moment | Maybe) -> str:
    inner = space.inner if isinstance(space, Maybe) else space
    if isinstance(inner, Moment):
        return inner.kind
    return kind_of(inner.element, inner.kind)


def _field(
    name: str, space: Scalar | Moment | Maybe, raw: Any, held: list[Stored], notice: Notice
) -> Node | Instant | Nullable:
    """The part of a row that a field is; its columns are added to those that are held."""
    if isinstance(space, Maybe):
        raw, there = marked(name, _kind(space), raw)
        held += held_and_marks(name, space.inner, raw, there, notice)
        value = row_of_moments(space.inner, held[-2].node(len(held) - 2))
        return Nullable(value, held[-1].node(len(held) - 1))
    held.append(stored(name, space, raw, notice))
    return row_of_moments(space, held[-1].node(len(held) - 1))  # type: ignore[no-any-return]


def _listed(name: str, space: Scalar | Moment | Maybe, raw: Any, notice: Notice) -> list[Any]:
    """The cells of a field in a table that is a list of rows."""
    inner = space.inner if isinstance(space, Maybe) else space
    if isinstance(inner, Moment):
        held: list[Stored] = []
        part = _field(name, space, raw, held, notice)
        return Table(tuple(held), part).rows()
    if not isinstance(space, Maybe):
        return _cells(name, inner, raw, notice)
    raw, there = marked(name, _kind(space), raw)
    return listed(_cells(name, inner, taken(raw, there), notice), there)


def _parts(name: str, space: Aligned | TupleSpace, value: Any, notice: Notice) -> tuple[Any, ...]:
    count = len(space.parts)
    if not isinstance(value, (tuple, list)) or len(value) != count:
        raise schema_error(
            name, "not one value per declared part", f"pass a tuple of {count} values"
        )
    parts = tuple(
        _admit(f"{name}[{i}]", part, x, notice)
        for i, (part, x) in enumerate(zip(space.parts, value, strict=True))
    )
    if isinstance(space, Aligned) and len({len(part) for part in parts}) > 1:
        lengths: Sequence[str] = [str(len(part)) for part in parts]
        raise schema_error(
            name,
            f"aligned containers of different lengths, {' and '.join(lengths)}",
            "align the containers: row i of each belongs to the same person",
        )
    return parts


def _keyed(name: str, space: Keyed, value: Any, notice: Notice) -> dict[Any, Any]:
    """Keys in their order, so that the order of the data is not seen; zeros leave their key out."""
    from metricdp.spaces.keyed import in_order

    if not isinstance(value, Mapping):
        raise schema_error(name, f"a {type(value).__name__}", "pass a dictionary")
    pairs = list(value.items())
    keys = _cells(name, space.key, [key for key, _ in pairs], notice)
    numbers = _cells(name, space.value, [number for _, number in pairs], notice)
    total: dict[Any, Any] = {}
    for key, number in zip(keys, numbers, strict=True):
        total[key] = total.get(key, 0) + number  # keys that became one in their bounds
    return in_order({key: _cell(space.value, number, notice) for key, number in total.items()})


def _check_size(name: str, what: str, found: int, declared: int | None) -> None:
    if declared is not None and found != declared:
        raise schema_error(
            name, f"{found} {what} where {declared} are declared", f"pass {declared} {what}"
        )
