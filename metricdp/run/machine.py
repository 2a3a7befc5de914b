"""What compiled code calls back into: records, noise, functions of the program, black boxes."""

from __future__ import annotations

import math
import operator
from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from fractions import Fraction
from functools import lru_cache, partial
from types import FunctionType, GeneratorType
from typing import Any

from metricdp.columns import keys, language, progress
from metricdp.columns.language import Untraceable
from metricdp.columns.moments import Instant
from metricdp.columns.nullable import Nullable
from metricdp.columns.part_tables import PartTables
from metricdp.columns.table import Table, builder
from metricdp.columns.together import every_part
from metricdp.columns.tracing import alone, merged, symbolic
from metricdp.effort import tick
from metricdp.errors import ExpressionError, InternalError, ProgramError
from metricdp.primitives.times._times import ISO
from metricdp.run import rowwise
from metricdp.run.addresses import noted_at, taken, without_rounds
from metricdp.run.applied import applied
from metricdp.run.nesting import VIEWS, put_back, values_inside
from metricdp.run.pins import Pins, present
from metricdp.run.rewrite import MAP
from metricdp.run.rows import Joined, RowTables
from metricdp.run.straight import Outside
from metricdp.run.traced_once import TracedOnce
from metricdp.spaces.moments import value_of
from metricdp.values import Exact, ExactVector, NumberMatrix, Numbers, wrap

#: Answers a mechanism call: (address, record name, (), arguments by parameter) -> released value.
Mechanism = Callable[[str, str, tuple[Any, ...], dict[str, Any]], Any]

#: What connects the truth values of which Python asks whether any or all are true.
_TESTS = {"any": "logical_or", "all": "logical_and"}
#: Builtins that pass their arguments on as they are.
_STRUCTURAL = frozenset(
    {zip, enumerate, reversed, sorted, list, tuple, len, dict, min, max, sum, abs, bool}
) | {dict.fromkeys}
#: Those of them that do not look at what they pass on.
_OF_STAND_INS = frozenset({zip, enumerate, reversed, list, tuple, len})
#: Public functions that take integers, and no floats that are whole.
_OF_INTEGERS = frozenset({range, date, datetime, timedelta})
#: Functions that are exact on exact numbers, as they were checked.
_EXACT = frozenset({math.floor, math.ceil, math.trunc, int})
#: Most bits, signs or items of a public value.
_LONGEST = 10**8
_REPEATED = (str, bytes, list, tuple)
#: Public operations whose result may be too large to be held, and those that are not total.
_GROWING, _PARTIAL = frozenset({"mul", "pow", "lshift"}), frozenset({"floordiv", "mod"})
#: Public numbers that are exact.
_RATIONAL = (int, Exact)
#: Values that are Python's own already.
_AS_THEY_ARE = frozenset({float, int, bool, str, type(None)})
_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    name: getattr(operator, name) for name in ("lt", "le", "gt", "ge", "eq", "ne", "is_", "is_not")
}
#: Records of operators that other calls of one function apply to private numbers -> operators.
_OPERATORS = {
    "add": "add", "sub": "sub", "mul": "mul", "div": "div", "floordiv": "floordiv", "mod": "mod",
    "power": "pow",
}  # fmt: skip
#: Tests that records answer, and those that do of None.
_MEMBERS, _MISSING = frozenset({"in", "not in"}), frozenset({"is_", "is_not"})
#: Private numbers in arrays.
_ARRAYS = (Numbers, NumberMatrix)
#: What public rounds go through, parts of tables, and what stands in a loop of its own.
_PUBLIC = (range, zip, enumerate, tuple, PartTables, Joined, GeneratorType)
#: Public rounds that a loop which adds up may go through.
_ROUNDS = (tuple, PartTables)
#: Containers whose rows a loop goes through together.
_CONTAINERS = (Table, *_ARRAYS)
#: Comparisons of which records know the private ones.
_RECORDED = frozenset({"lt", "le", "gt", "ge", "eq", "ne"})


_IsoCalendar = namedtuple("_IsoCalendar", tuple(ISO))  # type: ignore[misc]


class Machine:
    """One per run, so that runs do not share state."""

    def __init__(self, mechanism: Mechanism, pins: Pins | None = None, boxes: Any = None) -> None:
        self.pins, self.mechanism, self.boxes = pins or present(), mechanism, boxes
        #: Answers the calls of a mechanism for all parts of a table: (address, arguments by
        #: parameter, one of them `PerPart`) -> released values, or None.
        self.mechanisms: Callable[[str, dict[str, Any]], list[Any] | None] | None = None
        #: Is told the numbers that names were given, by address.
        self.note: Callable[[str, Any], None] | None = None
        self.path: list[str] = []
        #: Address of a loop that counts its rounds -> number of the present round, from 0.
        self.round_of: dict[str, int] = {}
        #: Draws samples of rows; see `checked.samples`.
        self.sampler: Any = None
        #: What `addresses.by_sides` says of the program; and the sides that were taken so far.
        self.variants: Mapping[str, list[str]] = {}
        self.sides: dict[str, bool] = {}
        #: Runs rounds and keeps the best; see `checked.private_selection`.
        self.selector: Any = None
        #: Place of a function of rows that has no form in the columnar language -> what it does.
        self.by_row: dict[str, str] = {}
        #: A black box that the present function of rows calls once per row; "" where it calls none.
        self.singly = ""
        self.tables = RowTables()
        #: What a program sees of a value of the rows that a loop goes through.
        self.row_value: Callable[[Any], Any] = Exact
        #: How many calls of functions are running that are given nothing private.
        self.public = 0
        #: What was proved of the rows of maps and sums.
        self.bounds = rowwise.ProvedBounds({}, {})
        self.traced_once = TracedOnce()
        #: The `id` of two public numbers -> these, and their quotient.
        self._quotients: dict[tuple[int, int], tuple[Any, Any, Any]] = {}

    def primitive(
        self, name: str, order: tuple[int, ...] | None, /, *args: Any, **keywords: Any
    ) -> Any:
        """What a record makes of these arguments."""
        if self.public and name in _OPERATORS and not any(map(symbolic, args)):
            return self.divide(*args) if name == "div" else self.arithmetic(_OPERATORS[name], *args)
        if order is not None:
            args = tuple(args[i] for i in order)
        pinned = self.pins[name]
        if pinned.mechanism:
            raise InternalError(f"{name} was called where no noise was proved")
        if name == "len" and not symbolic(args[0]):  # public: it counts rounds and positions
            return pinned.run(*args)
        return applied(name, pinned, args, keywords, None, self.tables.of)

    def placed(
        self, place: str, name: str, order: tuple[int, ...] | None, /, *args: Any, **keywords: Any
    ) -> Any:
        """A record that goes through rows, at its place."""
        if order is not None:
            args = tuple(args[i] for i in order)
        pinned = self.pins[name]
        if name == MAP:
            given = {**dict(zip(pinned.parameters, args, strict=False)), **keywords}
            if isinstance(given.get("xs"), Table):
                alone()
                self.singly = ""
                try:
                    return self._within(place, given["xs"].mapped(given["f"]))
                except Untraceable as error:
                    self.by_row[place] = error.what
        self.singly = ""
        told = partial(self.by_row.setdefault, place)
        found = applied(name, pinned, args, keywords, told, self.tables.of)
        self._told(place)
        return found

    def bins(self, place: str, a: Any, bins: Any = 10, range: Any = None, **off: Any) -> Any:
        """Counts by public edges, and these edges, as `numpy.histogram` gives them."""
        import numpy as np

        edges = np.histogram_bin_edges(np.empty(0), plain(bins), plain(range))
        return self.placed(place, "histogram", None, a, edges=edges.tolist()), edges

    def columns(self, count: int, rows: Any) -> tuple[Any, ...]:
        """The fields of all rows, one table for each; of no rows too."""
        fields = [partial(_field, at) for at in range(count)]
        if isinstance(rows, Table):
            return tuple(map(rows.mapped, fields))
        return tuple(wrap([field(row) for row in rows]) for field in fields)

    def per_row(self, place: str, items: Any, function: Any, shuffled: bool) -> list[Any]:
        """What is released for every row; in a random order where nothing may see that of the rows,
        which is that of the draws as well."""
        self.by_row[place] = "noise that every row draws"
        rows = list(progress.rows(items))
        if shuffled:
            if self.sampler is None:
                raise InternalError("rows draw noise where none was proved")
            rows = [rows[at] for at in self.sampler.order(rows)]
        return [function(row) for row in rows]

    def there(self, value: Any, instead: Any) -> Any:
        """A value of a row that may be missing, where the program has asked whether it is.

        Args:
            instead: what stands for it in rows that are not asked for; the kind of a date or time.
        """
        if not isinstance(value, Nullable):
            return value
        if type(instead) is tuple:
            instead = value_of(instead[0], 0)
        return self.primitive("fill_missing", None, value, instead)

    def along(self, matrix: Any, axis: int | None, names: tuple[str, ...]) -> Any:
        """The sum or the mean of a matrix along an axis, or of all of its entries."""
        rows, cols = self.shape(matrix)
        for name in names:
            given = (rows * cols if axis is None else (rows, cols)[axis],) * (name == "div")
            matrix = self.primitive(name, None, matrix, *given)
        return matrix

    def tally(self, counts: Any, *key: Any) -> int:
        """How many rows equal a key; with none, how many rows there are."""
        return counts.get(key[0], 0) if key else sum(counts.values())

    def each(self, place: str, items: Any, function: Any, /, *tests: Any) -> Any:
        """A comprehension over rows: what a function makes of those that pass all tests."""
        if isinstance(items, Joined) and all(isinstance(part, Table) for part in items.parts):
            items = self.tables.of(items) or items
        if isinstance(items, Table):
            alone()
            self.singly = ""
            try:
                for test in tests:
                    items = items.accepted(test)
                return self._within(place, items.mapped(function))
            except Untraceable as error:
                self.by_row[place] = error.what
        elif not isinstance(items, _PUBLIC):
            self.by_row[place] = "rows that are no columns"
        rows = items if isinstance(items, _PUBLIC) else progress.rows(items)
        return wrap([function(x) for x in rows if all(bool(test(x)) for test in tests)])

    def copied(self, items: Any) -> Any:
        """`[row for row in rows]`: a table is the same table, so that what is made of both is made
        in one way."""
        return items if isinstance(items, Table | NumberMatrix) else list(items)

    def _within(self, place: str, table: Table) -> Table:
        self._told(place)
        return self.bounds.within(table, self.address(place))

    def fold(
        self, place: str, body: Any, items: Any, names: tuple[str, ...], states: tuple[Any, ...],
        outside: tuple[Any, ...] | None = None,
    ) -> tuple[Any, ...]:  # fmt: skip
        """A loop over rows whose rounds add to some names.

        Args:
            outside: `straight.Outside` of a round that is nothing but records.
        """
        table = self.tables.of(items)
        if table is not None:
            alone()
            here, self.row_value = self.address(place), table.value
            try:
                held = [_keys(state) for state in states]
                spaces = partial(self._space_of, here)
                trace = partial(rowwise.asked, names=names, space_of=spaces, keys=held)
                given = None if self.public or outside is None else Outside(*outside)
                asked = self.traced_once.asked(here, body, given, table, self.bounds, trace)
                added = asked.of(table)
            except Untraceable as error:
                self.by_row[place] = error.what
            else:
                self._told(place)
                return tuple(map(self._added, states, added))
        elif not isinstance(items, _ROUNDS):
            self.by_row[place] = "rows that are no columns"
        rows = progress.rounds(items) if isinstance(items, _ROUNDS) else progress.rows(items)
        for row in rows:
            states = body(row, *states)
        return states

    def sum_rows(self, place: str, items: Any, function: Callable[[Any], Any]) -> Any:
        """The sum of what a function makes of every row."""

        def body(row: Any, state: Any) -> tuple[Any, ...]:
            return (self.primitive("add", None, state, function(row)),)

        return self.fold(place, body, items, (".sum",), (0,))[0]

    def one_by_one(self, place: str, items: Any) -> Any:
        """The rows of a loop whose round is no function of a row."""
        self.by_row[place] = "a loop that does more than to add"
        return progress.rows(items)

    def in_rounds(self, items: Any) -> Iterator[Any]:
        """The rounds of a public loop, of which a person may want to know how far they are."""
        return progress.rounds(items)

    def _space_of(self, here: str, name: str) -> Any:
        return self.bounds.at(f"{here}:{name}")

    def _added(self, state: Any, more: Any) -> Any:
        if type(more) is list and type(state) in (list, dict):
            for key, each in zip(_keys(state), more, strict=True):
                held, at = _entry(state, key)
                held[at] = self.primitive("add", None, held[at], each)
            return state
        if more is None:
            return state
        if type(more) is Numbers and type(state) in _NUMBERS and not state:
            return more  # as `add` of nothing and a vector
        if type(more) is Fraction and type(state) in _RATIONAL and not state:
            return wrap(more)  # as `add` of 0 and a number
        return self.primitive("add", None, state, wrap(more))

    def scatter(
        self, place: str, name: str, state: Any, index: Any, value: Any, columns: int = 0
    ) -> Any:
        """`state[index] += value` (or `-=`) at a private position; nothing where there is none.

        Args:
            columns: of a list of lists, of which `index` is a position row by row; else 0.
        """
        if isinstance(state, language.RowSumState):
            position = self._position(index, state.keys) if symbolic(index) else None
            if position is None:
                position = language.constant(_public_position(state.keys, index))
            more = value if name == "add" else self.primitive("neg", None, value)
            return state.plus_at(position, more, self.bounds.at(self.address(place)))
        if symbolic(index) or symbolic(value):
            raise Untraceable("an entry of a list that is no state of the loop")
        if type(state) in (list, dict):
            at = index if type(state) is dict else int(index)
            if columns and (type(state) is not list or _columns(state) != columns):
                raise InternalError("a list of lists that was checked is none in the run")
            if at in (_keys(state) if type(state) is list or _is_nested(state) else state):
                held, here = _entry(state, at)
                held[here] = self.primitive(name, None, held[here], value)
            return state
        one = self.primitive("one_hot", None, int(index), len(_keys(state)), value)
        return self.primitive(name, None, state, one)

    def _position(self, index: Any, among: Sequence[Any]) -> Any:
        """The position of a value of a row among public keys, and their number of what is none."""
        if type(index) is not tuple:
            return keys.position(index, among)
        found: Any = len(among)
        for at, key in reversed([*enumerate(among)]):
            if type(key) is tuple and len(key) == len(index):
                found = language.select(self.compare("eq", index, key), at, found)
        return found

    def row_by_row(self, position: tuple[Any, Any], columns: int) -> Any:
        """Where an entry of an array with two axes stands among all of its entries."""
        i, j = position
        return self.primitive("add", None, self.primitive("mul", None, i, columns), j)

    def raised(self, error: Any) -> ProgramError:
        """What a `raise` or `assert` of the program raises; private data had no part in it."""
        made = error() if isinstance(error, type) else error
        text = str(made)
        return ProgramError(f"{type(made).__name__}: {text}" if text else type(made).__name__)

    def choose(self, test: Any, then: Callable[[], Any], other: Callable[[], Any]) -> Any:
        """A conditional expression whose condition is private."""
        if not symbolic(test):
            return then() if test else other()
        return merged(test, then(), other())

    def looked_up(self, entries: Mapping[Any, Any], key: Any, default: Any) -> Any:
        """What a public dictionary has under a private key."""
        found = default
        for each, entry in reversed([*entries.items()]):
            found = self.choose(
                self.compare("eq", key, each), partial(_same, entry), partial(_same, found)
            )
        return found

    def entry_at(self, entries: Mapping[Any, Any], key: Any) -> Any:
        """The same of a key that is certainly there."""
        *others, last = entries
        return self.looked_up({each: entries[each] for each in others}, key, entries[last])

    def entry_of(self, kind: str, entries: Any, key: Any, default: Any = None) -> Any:
        """What a dictionary that is a parameter has under a private key."""
        nothing = "" if kind == "str" else 0
        default = nothing if default is None else default
        return self.primitive("entry_of", None, entries, key, default, kind)

    def position_of(self, items: Sequence[Any], value: Any) -> Any:
        """Where a private value first stands in a public list, in which it certainly is."""
        places: dict[Any, int] = {}
        for at, each in enumerate(items):
            places.setdefault(each, at)
        return self.entry_at(places, value)

    def count_equal(self, place: str, rows: Any, key: Any) -> Any:
        """How many rows, or entries, equal a public value."""
        return self.placed(place, "count", None, rows, lambda row: self.compare("eq", row, key))

    def list_method(self, name: str, items: Any, value: Any) -> Any:
        """`items.index(value)` or `items.count(value)` of public things, as they are; noise on a
        list makes an array, which is found in like the list."""
        held = list(items) if getattr(items, "ndim", 0) == 1 else items
        return getattr(held, name)(value)

    def branch(self, test: Any, then: Any, other: Any, held: tuple[Any, ...]) -> Any:
        """A branch on a private condition, its sides as functions of names."""
        return rowwise.branch(test, then, other, held)

    def compare(self, name: str, x: Any, y: Any) -> Any:
        """A comparison with a private operand: containers and text as their record says."""
        if name in _MEMBERS and isinstance(y, language.RowSumState):
            if isinstance(y.keys, _Pairs):
                y = y.keys.outer
            elif type(y.keys) is not list:  # the entries of a list are no keys
                raise Untraceable("the entries of a sum that is not complete")
            else:
                y = y.keys
        if name in _MEMBERS or (y is None and name in _MISSING):
            if name in _MEMBERS and type(x) is tuple:
                found = self._is_among(x, y)
            elif name in _MEMBERS:
                found = self.primitive("contains", None, x, y)
            else:
                found = self.primitive("is_missing", None, x)
            if name in ("in", "is_"):
                return found
            return language.negated(found) if symbolic(found) else not found
        if type(y) is bool and name in _MISSING:  # x is a truth value, as it was checked
            x = x if symbolic(x) or x is None else bool(x)
            name = "eq" if name == "is_" else "ne"
        if type(x) is type(y) is tuple and name in _RECORDED and 0 < len(x) == len(y):
            return self._of_tuples(name, x, y)
        if symbolic(x) or symbolic(y):
            if name in _RECORDED:
                return self.primitive(name, None, x, y)
            raise Untraceable(f"`{name}` with a value of a row")
        arrays = hasattr(x, "dtype") or hasattr(y, "dtype")
        kinds = (str, list, *_ARRAYS)
        held = arrays or isinstance(x, kinds) or isinstance(y, kinds)
        if held and name in _RECORDED:
            return self.primitive(name, None, x, y)
        return _COMPARISONS[name](x, y)

    def _is_among(self, x: tuple[Any, ...], tuples: Iterable[Any]) -> Any:
        """Whether a tuple is one of those with as many items."""
        alike = [each for each in tuples if type(each) is tuple and len(each) == len(x)]
        return self.some(*(partial(self.compare, "eq", x, each) for each in alike))

    def _of_tuples(self, name: str, x: tuple[Any, ...], y: tuple[Any, ...]) -> Any:
        """A comparison of two tuples: the first items that differ decide."""
        *pairs, last = zip(x, y, strict=True)
        found = self.compare(name, *last)
        for a, b in reversed(pairs):
            equal = self.compare("eq", a, b)
            if name in ("eq", "ne"):
                parts = (equal, found) if name == "eq" else (self.compare("ne", a, b), found)
                logic = self.every if name == "eq" else self.some
                found = logic(*map(_given, parts))
                continue
            behind = self.every(_given(equal), _given(found))
            found = self.some(_given(self.compare(f"{name[0]}t", a, b)), _given(behind))
        return found

    def chain(self, names: Sequence[str], x: Any, y: Any, *later: Callable[[], Any]) -> Any:
        """`x < y < z` with a private operand: each is evaluated once, and `z` only if `x < y`."""
        for at, (name, following) in enumerate(zip(names, (*later, None), strict=True)):
            found = self.compare(name, x, y)
            if symbolic(found):
                return self._chained(found, names[at + 1 :], y, later[at:])
            if not bool(found):
                return False
            if following is not None:
                x, y = y, following()
        return True

    def _chained(self, found: Any, names: Sequence[str], y: Any, later: Sequence[Any]) -> Any:
        for name, following in zip(names, later, strict=True):
            x, y = y, following()
            found = language.both(found, self.compare(name, x, y))
        return found

    def every(self, *parts: Callable[[], Any]) -> Any:
        """`and` with a private operand: a Boolean, whatever the operands are."""
        return _logic(parts, language.both, True)

    def some(self, *parts: Callable[[], Any]) -> Any:
        """`or` with a private operand."""
        return _logic(parts, language.either, False)

    def by_key(self, name: str, /, *values: Any, key: Callable[[Any], Any]) -> Any:
        """`min` or `max` by a private key, one comparison after the other."""
        items = values if len(values) > 1 else values[0]
        found: list[Any] = []
        for item in items:
            here = key(item)
            if not found:
                found = [item, here]
                continue
            test = self.compare("lt" if name == "min" else "gt", here, found[1])
            if symbolic(test):
                found = [merged(test, item, found[0]), merged(test, here, found[1])]
            elif test:
                found = [item, here]
        return found[0]

    def then(self, callee: Any, value: Any) -> Any:
        """A call of a record whose callee is an expression, evaluated for its effects."""
        return value

    def as_checked(self, value: Any, expected: bool) -> bool:
        """A condition that check decided: code on its other side was never read.

        Raises:
            InternalError: it is another one.
        """
        if symbolic(value):
            raise Untraceable("a condition that was decided by the check")
        if bool(value) is not expected:
            raise InternalError(
                "a condition that was decided by the check is another one in the run",
                remedy="report this program: nothing after the condition is released",
            )
        return expected

    def extended(self, held: Any, more: Any) -> Any:
        """`held += more` of a list, which is longer under all of its names."""
        if type(held) is not list:
            raise InternalError("a list that was checked is none in the run")
        held.extend(more)
        return held

    def change_item(self, base: Any, index: Any, change: Callable[[Any], Any]) -> None:
        """`base[index] += y`, with base and index evaluated once."""
        base[index] = change(base[index])

    def noise(self, place: str, name: str, order: Any, /, *args: Any, **keywords: Any) -> Any:
        """One mechanism call at its site."""
        bound, pinned = self._bound(name, order, args, keywords), self.pins[name]
        if not pinned.mechanism:  # a composition: its noise is inside of its function
            return self.call(place, pinned.run, **bound)
        bound = {key: self._at(place, value) for key, value in bound.items()}
        return self.mechanism(self.address(place), name, (), bound)

    def nested(
        self, place: str, name: str, stood: str, order: Any, /, *args: Any, **keywords: Any
    ) -> Any:
        """One mechanism call on numbers that stand in lists and dictionaries inside of each other:
        what it releases stands in new ones.

        Args:
            stood: how they stood while checking (`run.nesting`).
        """
        bound = self._bound(name, order, args, keywords)
        entering = tuple(values_inside(bound["x"], stood))
        released = self.mechanism(self.address(place), name, (), {**bound, "x": entering})
        return put_back(released, bound["x"], stood)

    def _bound(
        self, name: str, order: Any, args: tuple[Any, ...], keywords: dict[str, Any]
    ) -> dict[str, Any]:
        """What a mechanism is given, by parameter."""
        if order is not None:
            args = tuple(args[i] for i in order)
        bound = {**dict(zip(self.pins[name].parameters, args, strict=False)), **keywords}
        return {key: tuple(v) if isinstance(v, VIEWS) else v for key, v in bound.items()}

    def given(self, *args: Any, **keywords: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Arguments of a mechanism, as they are."""
        return args, keywords

    def for_every(
        self, place: str, name: str, order: Any, items: Any, given: Any, told: bool
    ) -> list[Any]:
        """One mechanism call at its site for every item, the arguments of which do nothing else.

        Args:
            given: item -> arguments.
            told: whether a person may want to know how far the rounds are.
        """
        released = self._together(place, name, order, items, given)
        if released is not None:
            return released
        rounds = progress.rounds(items) if told else items
        calls = ((place, name, order, *given(item)) for item in rounds)
        return [self.noise(p, n, o, *args, **keywords) for p, n, o, args, keywords in calls]

    def append_every(
        self, into: Any, here: str, place: str, name: str, order: Any, items: Any, given: Any,
        told: bool,
    ) -> None:  # fmt: skip
        """`for_every`, each release of which is appended to a list as it is made.

        Args:
            here: the place of the call that appends.
        """
        if type(into) is list and _reads_fixed(given):
            released = self._together(place, name, order, items, given)
            if released is not None:
                into.extend(released)
                return
        for item in progress.rounds(items) if told else items:
            args, keywords = given(item)
            self.call(here, into.append, self.noise(place, name, order, *args, **keywords))

    def _together(
        self, place: str, name: str, order: Any, items: Any, given: Any
    ) -> list[Any] | None:
        """`for_every` of all parts of a table at once; None where they are asked one by one."""
        if self.mechanisms is None or not self.pins[name].mechanism or self.round_of:
            return None
        every = every_part(items)
        if every is None:
            return None
        try:
            args, keywords = given(every)
        except Exception:  # whatever it is, it happens again where the parts are asked one by one
            return None
        return self.mechanisms(self.address(place), self._bound(name, order, args, keywords))

    def _at(self, place: str, value: Any) -> Any:
        """Functions that a mechanism calls, with the mechanism in the addresses of their rows."""
        if type(value) in (list, tuple) and any(isinstance(x, FunctionType) for x in value):
            return type(value)(self._at(place, item) for item in value)
        return partial(self.call, place, value) if isinstance(value, FunctionType) else value

    def address(self, place: str) -> str:
        """The address of a call, as it was checked."""
        here = "/".join([*self.path, place])
        if self.variants and (known := self.variants.get(without_rounds(here))):
            return taken(here, known, self.sides)
        return here

    def noted(self, place: str, value: Any) -> None:
        """A name was given a number, of what was released, on which noise may depend."""
        if self.note is not None:
            self.note(noted_at(self.address(place)), value)

    def took(self, place: str, test: Any) -> bool:
        """A branch after which both sides go on, each with addresses of its own."""
        holds = bool(test)
        self.sides[without_rounds("/".join([*self.path, place]))] = holds
        return holds

    def call(self, place: str, function: Any, /, *args: Any, **keywords: Any) -> Any:
        """A function of the program, with the call remembered in the address of its sites."""
        tick()  # a check that looks for counterexamples runs programs, too
        self.path.append(place)
        try:
            return function(*args, **keywords)
        finally:
            self.path.pop()

    def call_public(self, place: str, function: Any, /, *args: Any, **keywords: Any) -> Any:
        """The same of a function that is given nothing private: what it does is Python's."""
        self.public += 1
        try:
            return self.call(place, function, *args, **keywords)
        finally:
            self.public -= 1

    def partial(self, function: Any, /, *given: Any, **named: Any) -> Any:
        """A function of the program with what it is given already."""
        return lambda *args, **keywords: function(*given, *args, **{**named, **keywords})

    def field_of(self, row: Any, name: str) -> Any:
        """A field of a row or an instance by its name."""
        return getattr(row, name)

    def with_field(self, instance: Any, name: str, value: Any) -> Any:
        """An instance with another value of one field."""
        return instance._replace(**{name: value})

    def over(self, name: str, values: Iterable[Any]) -> Any:
        """The sum, largest or smallest of the items of a tuple, or whether any or all of them are
        true, as their records say."""
        if name in _TESTS:
            found, *others = values
            for value in others:
                found = self.primitive(_TESTS[name], None, found, value)
            return found
        if name != "sum":
            return self.primitive(name, None, *values)
        total: Any = 0
        for value in values:
            total = self.primitive("add", None, total, value)
        return total

    def box(self, name: str, /, *args: Any, **keywords: Any) -> Any:
        """A black box: it sees plain Python, and its result is put into the declared space."""
        if self.boxes is None:
            raise InternalError(f"the black box {name} is not loaded here")
        if any(map(symbolic, args)) or any(map(symbolic, keywords.values())):
            return self._boxed_rows(name, args, keywords)
        progress.look()
        return self.boxes.call(
            name, [natural(a) for a in args], {k: natural(v) for k, v in keywords.items()}
        )

    def public_array(self, value: Any) -> Any:
        """What a black box made of public values alone, as NumPy's array."""
        import numpy as np

        return np.array(_as_public(value), float)

    def _boxed_rows(self, name: str, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        """What a box that takes many rows at once gives for every row."""
        others = [*args[1:], *keywords.values()]
        if any(map(symbolic, others)) or not args or not isinstance(args[0], language.Node):
            return self._boxed_values(name, args, keywords)
        named = {key: natural(value) for key, value in keywords.items()}
        public = [natural(a) for a in args[1:]]
        function = self.boxes.batched(name, public, named)
        if function is None and args[0].base == "double":  # another would be none to the box
            function = self.boxes.singly(name, public, named, self._seen_row)
            self.singly = f"the black box `{name}`"
        if function is None:
            return self._boxed_values(name, args, keywords)
        return language.called(function, args[0])

    def _boxed_values(self, name: str, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        """What a box gives for the values of every row, asked once for the different ones."""
        base = self.boxes.base(name)
        if not base:
            raise Untraceable(f"the black box `{name}`")
        nodes: list[language.Node] = []
        given = [_reader(each, nodes) for each in args]
        named = {key: _reader(each, nodes) for key, each in keywords.items()}
        self.singly = f"the black box `{name}`"

        # Rows are read once for every sum of them.
        known: dict[tuple[Any, ...], Any] = {}

        def call(*cells: Any) -> Any:
            if cells not in known:
                progress.look()
                seen = [read(cells) for read in given]
                words = {key: read(cells) for key, read in named.items()}
                known[cells] = _AS_HELD[base](self.boxes.call(name, seen, words))
            return known[cells]

        return language.by_value(call, base, *nodes)

    def _told(self, place: str) -> None:
        """Note what a function of rows in columns calls once per row all the same."""
        if self.singly:
            self.by_row[place] = self.singly
        self.singly = ""

    def _seen_row(self, value: Any) -> Any:
        """A value of a row, as a black box sees it that is called with the row alone."""
        return natural(self.row_value(value))

    def sample(
        self, place: str, scheme: str, /, *args: Any, q: Any = None, replace: Any = None
    ) -> Any:
        """Rows drawn at one site, by the scheme that was charged there."""
        if self.sampler is None:
            raise InternalError("rows were sampled where no sample was proved")
        containers = list(args)
        number = q if q is not None else containers.pop(0)
        return self.sampler(self.address(place), scheme, number, containers)

    def private_selection(
        self, place: str, /, run: Any, candidates: Any = None, *, stop: Any, shape: Any = 1,
        threshold: Any = None,
    ) -> Any:  # fmt: skip
        """The best of a secret number of rounds at one site, with the numbers charged there."""
        if self.selector is None:
            raise InternalError("rounds were repeated where no selection was proved")
        choices = None if candidates is None else list(candidates)

        def once(index: int | None) -> Any:
            given = () if index is None or choices is None else (choices[index],)
            depth = len(self.path)
            if index is not None:
                self.path.append(f"{place}#{index}")
            try:
                return self.call(place, run, *given)
            finally:
                del self.path[depth:]

        count = None if choices is None else len(choices)
        site = self.address(place)
        return self.selector(site, once, count, stop, shape, threshold)

    def rounds(self, place: str, items: Iterable[Any]) -> Iterator[Any]:
        """The items of a loop whose rounds were checked one by one, each with its own address."""
        for position, item in enumerate(items):
            self.path.append(f"{place}#{position}")
            try:  # `break` closes this generator at the `yield`.
                yield item
            finally:
                self.path.pop()

    def start_rounds(self, place: str) -> None:
        """A loop begins whose noise depends on the round."""
        self.round_of[self._loop(place)] = -1

    def next_round(self, place: str) -> bool:
        """Its next round begins."""
        self.round_of[self._loop(place)] += 1
        return True

    def _loop(self, place: str) -> str:
        return "/".join(part for part in [*self.path, place] if "#" not in part)

    def joined(self, *tables: Any) -> Joined:
        """Columns of the same rows, side by side."""
        return Joined(tables, True)

    def rows(self, items: list[Any]) -> Any:
        """The result of a comprehension over rows."""
        return wrap(items)

    def isocalendar(self, value: Any) -> Any:
        """The year, week and day of the week of a private date."""
        parts = (self.primitive("time_part", None, value, name) for name in ISO.values())
        return _IsoCalendar(*parts)

    def shape(self, value: Any) -> tuple[int, ...]:
        """The public sizes of a vector or a matrix."""
        return (len(value), value.cols) if hasattr(value, "cols") else (len(value),)

    def divide(self, x: Any, y: Any) -> Any:
        """Public division: exact on exact numbers, Python's own on released floats."""
        if isinstance(x, float) or isinstance(y, float):
            return _as_public(x) / _as_public(y)
        if isinstance(x, _RATIONAL) and isinstance(y, _RATIONAL):
            return self._quotient(x, y)
        return _as_public(x) / _as_public(y)

    def _quotient(self, x: Any, y: Any) -> Any:
        """Rounds divide the very same numbers again, and a fraction takes its time."""
        known = self._quotients.get((id(x), id(y)))
        if known is not None and known[0] is x and known[1] is y:
            return known[2]
        if y == 0:
            raise ZeroDivisionError("division by zero")
        if len(self._quotients) >= _QUOTIENTS:
            self._quotients.clear()
        found = Exact(x) / y
        self._quotients[id(x), id(y)] = x, y, found
        return found

    def arithmetic(self, name: str, x: Any, y: Any) -> Any:
        """Another public operation: NumPy arrays and released floats meet floats."""
        if symbolic(x) or symbolic(y):  # a public state of a loop over rows
            if name != "add":
                raise Untraceable(f"`{name}` with a state of a loop")
            return language.add(x, y)
        if hasattr(x, "dtype") or hasattr(y, "dtype"):
            x, y = _as_public(x), _as_public(y)
        if name in _GROWING:
            _no_longer(name, x, y)
        elif name in _PARTIAL and isinstance(x, _RATIONAL) and isinstance(y, _RATIONAL) and y == 0:
            raise ZeroDivisionError("division by zero")  # total on private numbers only
        return getattr(operator, name)(x, y)

    def pure(self, function: Any, /, *args: Any, **keywords: Any) -> Any:
        """A public function: of a library, it sees floats, as it would in plain Python."""
        if function is tuple and len(args) == 1 and type(args[0]) is range and not keywords:
            return _in_turn(args[0])
        if any(map(symbolic, args)) or any(map(symbolic, keywords.values())):
            if function is float and len(args) == 1 and isinstance(args[0], language.Node):
                return language.real(args[0])
            if function not in _OF_STAND_INS:
                raise Untraceable(f"`{getattr(function, '__name__', 'a function')}`")
            return function(*args, **keywords)
        if function is zip and args and all(isinstance(arg, _CONTAINERS) for arg in args):
            return Joined(args, bool(keywords.get("strict", False)))
        if function in _STRUCTURAL:
            return function(*args, **keywords)
        if function is float and len(args) == 1 and isinstance(args[0], int | Fraction):
            return Exact(args[0])
        if function in _EXACT:
            return function(*args)
        seen = natural if function in _OF_INTEGERS else plain
        return function(*map(seen, args), **{k: seen(v) for k, v in keywords.items()})

    def shown(self, value: Any) -> Any:
        """A public or released value inside a text."""
        return plain(value)


def _in_turn(numbers: range) -> tuple[int, ...]:
    """The numbers as a tuple: few people write categories another way, and every call does."""
    return _known_range(numbers) if len(numbers) <= _LONGEST_RANGE else tuple(numbers)


_known_range = lru_cache(maxsize=8)(tuple)
_LONGEST_RANGE = 1 << 17


#: Quotients of public numbers that are remembered.
_QUOTIENTS = 64
#: What a sum starts from.
_NUMBERS = frozenset({int, float, Exact})


def _same(value: Any) -> Any:
    return value


def _given(value: Any) -> Callable[[], Any]:
    return partial(_same, value)


def _field(at: int, row: Any) -> Any:
    return row[at]


def _public_position(keys: Sequence[Any], index: Any) -> int:
    """Where the entry of a public key or position stands among all entries."""
    if not isinstance(keys, list):  # positions, and not the keys of a dictionary
        return int(index)
    return keys.index(index) if index in keys else len(keys)


def _columns(state: list[Any]) -> int:
    """How many entries each row of a list of lists has; 0 of a list of anything else."""
    lengths = {len(row) if type(row) is list else 0 for row in state} or {0}
    return lengths.pop() if len(lengths) == 1 else 0


class _Pairs(list[Any]):
    """The pairs of keys of a dictionary of dictionaries.

    Attributes:
        outer: the keys of the dictionary itself.
    """

    def __init__(self, state: dict[Any, dict[Any, Any]]) -> None:
        super().__init__((a, b) for a, inner in state.items() for b in inner)
        self.outer = list(state)


def _is_nested(state: Any) -> bool:
    """Whether a value is a dictionary of dictionaries."""
    return type(state) is dict and bool(state) and all(type(v) is dict for v in state.values())


def _entry(state: Any, key: Any) -> tuple[Any, Any]:
    """The list or dictionary in which an entry is, and where: of a list of lists, entries are
    numbered row by row, and of a dictionary of dictionaries a pair of keys says which."""
    if _is_nested(state):
        return state[key[0]], key[1]
    columns = _columns(state) if type(state) is list else 0
    return (state[key // columns], key % columns) if columns else (state, key)


def _keys(state: Any) -> Sequence[Any]:
    """What the positions of a container stand for; nothing for any other state."""
    if type(state) is dict:
        return _Pairs(state) if _is_nested(state) else list(state)
    if type(state) is list and (columns := _columns(state)):
        return range(len(state) * columns)
    if hasattr(state, "dtype"):
        return range(state.size)
    entries = type(state) is list or isinstance(state, Numbers | ExactVector)
    return range(len(state)) if entries else ()


def _reader(value: Any, nodes: list[language.Node]) -> Callable[[Sequence[Any]], Any]:
    """What a black box sees of a value, from the values of all nodes of its arguments."""
    if not symbolic(value):
        public = natural(value)  # that of now, whenever the rows are read
        return lambda cells: public
    if not isinstance(value, language.Node | Instant | Nullable | tuple | dict):
        raise Untraceable("a black box of a state of a loop")
    build = builder(value, nodes, Exact)
    return lambda cells: natural(build(cells))


#: What a column holds -> a result of a black box as it holds it.
_AS_HELD: dict[str, Callable[[Any], Any]] = {
    "double": language.nearest, "integer": int, "boolean": bool, "text": str,
}  # fmt: skip


def _reads_fixed(function: FunctionType) -> bool:
    """Whether a function reads values alone that nothing changes: a list may be appended to."""
    try:
        return all(_is_fixed(cell.cell_contents) for cell in function.__closure__ or ())
    except ValueError:  # a name without a value
        return False


def _is_fixed(value: Any) -> bool:
    if type(value) is tuple:
        return all(map(_is_fixed, value))
    return type(value) in _AS_THEY_ARE or type(value) in (Exact, Table)


def _logic(parts: Sequence[Callable[[], Any]], combine: Any, neutral: bool) -> Any:
    """`and`, `or`: a node from the first part on that is one."""
    for at, part in enumerate(parts):
        value = part()
        if symbolic(value):
            found = language.condition(value)
            for later in parts[at + 1 :]:
                found = combine(found, later())
            return found
        if bool(value) is not neutral:
            return not neutral
    return neutral


def _no_longer(name: str, x: Any, y: Any) -> None:
    """Raises:
    ExpressionError: the result would be a number, text or list that no memory holds.
    """
    size = 0
    if name == "mul":
        whole, held = (x, y) if isinstance(x, int) else (y, x)
        size = len(held) * whole if type(held) in _REPEATED and isinstance(whole, int) else 0
    elif isinstance(x, int | Fraction) and isinstance(y, int):
        long = max(x.numerator.bit_length(), x.denominator.bit_length())
        size = long * abs(y) if name == "pow" else long + y
        size = 0 if x in (-1, 0, 1) else size
    if size > _LONGEST:
        raise ExpressionError("a public value is too large to be held", remedy="a smaller one")


def _as_public(value: Any) -> Any:
    return float(value) if isinstance(value, Exact) else value


def plain(value: Any) -> Any:
    """Exact numbers as Python's floats, which is what they stand for; containers item by item."""
    return _mapped(value, float, Numbers.plain)


def natural(value: Any) -> Any:
    """Exact numbers as Python's integers where they are whole, else as floats."""
    return _mapped(value, lambda x: int(x) if x.denominator == 1 else float(x), Numbers.natural)


def _mapped(value: Any, number: Callable[[Exact], Any], array: Callable[[Numbers], Any]) -> Any:
    if isinstance(value, Exact):
        return number(value)
    if isinstance(value, Numbers):
        return array(value)
    if isinstance(value, Table):
        return [_mapped(row, number, array) for row in value]
    if isinstance(value, NumberMatrix):
        return value.split(array(value.flat))
    if isinstance(value, PartTables):
        value = tuple(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_mapped(item, number, array) for item in value))
    if isinstance(value, list) or type(value) is tuple:
        if _AS_THEY_ARE.issuperset(map(type, value)):
            return tuple(value) if type(value) is tuple else list(value)
        items = [_mapped(item, number, array) for item in value]
        return tuple(items) if type(value) is tuple else items
    if type(value) is dict:
        return {_mapped(k, number, array): _mapped(v, number, array) for k, v in value.items()}
    return value
