"""Private rows as columns: what every row is, said in the columnar language, and which rows count.

A table is read when something is asked of all its rows (`total`, `count`, `group`), a piece at a
time; until then maps and filters of rows only make nodes.  Going through it gives Python values row
by row, so what has no form in the language runs as well, in Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from metricdp.columns.evaluators import by_reference
from metricdp.columns.grids import Bound, GridRange, range_of, whole_range
from metricdp.columns.language import Node, Untraceable, both, condition, constant
from metricdp.columns.moments import Instant
from metricdp.columns.nullable import Nullable, known_there, like, parts
from metricdp.columns.planned import planned
from metricdp.columns.progress import pieces
from metricdp.columns.stored import Stored
from metricdp.columns.tracing import row_of, traced
from metricdp.errors import InternalError

if TYPE_CHECKING:
    from metricdp.columns.ahead import Ahead
    from metricdp.columns.elsewhere import ColumnsElsewhere, Engine
    from metricdp.columns.groups import TablePart
    from metricdp.columns.order import Between, Ordered
    from metricdp.columns.part_tables import PartTables
    from metricdp.columns.passes import Pass
    from metricdp.columns.products import RowSums
    from metricdp.columns.ranked import Ranked
    from metricdp.columns.sum_plans import SumPlan
    from metricdp.columns.texts import Texts

#: Turns the values of a row's nodes into the row that programs see.
Build = Callable[[Sequence[Any]], Any]


class Table(Sequence[Any]):
    """Rows of a private table.

    Args:
        columns: stored columns of one length, or those of an engine.
        row: the row as a program sees it, with nodes in place of values: a node, one that may be
            missing, or a tuple, named tuple or dictionary of such.
        where: the condition of the rows that count; None for all.
        chosen: stored rows that belong to the table, in order, or the `Part` of a grouped table
            that holds them; None for all.
        value: Python value of a number -> what programs see of it, row by row.
    """

    __slots__ = (
        "_ahead",
        "_asked",
        "_counted",
        "_grouped",
        "_listed",
        "_made",
        "_ordered",
        "_ranked",
        "_repeated",
        "_sided",
        "chosen",
        "columns",
        "row",
        "value",
        "where",
    )
    __array_ufunc__ = None

    def __init__(
        self,
        columns: tuple[Stored, ...] | ColumnsElsewhere,
        row: Any,
        where: Node | None = None,
        chosen: Any = None,
        value: Callable[[Any], Any] = lambda x: x,
    ) -> None:
        self.columns: Any = columns
        self.row, self.where = row, where
        self.chosen, self.value = chosen, value
        self._listed: list[Any] | None = None
        self._ordered: Ordered | None = None
        #: Rows by their rank between two numbers; and whether sides of numbers were asked for.
        self._ranked: tuple[Fraction, Fraction, Ranked | None] | None = None
        self._sided = False
        #: The number of rows, once they were read; tables of the same rows share it.
        self._counted: list[int] = []
        self._repeated: Any = None
        self._asked: tuple[Any, Any] | None = None
        self._made: dict[Any, Any] | None = None
        #: Stored column -> its rows by what they hold; tables of the same rows share it.
        self._grouped: dict[int, Any] | None = {} if where is None and chosen is None else None
        #: Sums that are made before they are asked for; tables of the same rows share it.
        self._ahead: list[Any] = []

    @property
    def engine(self) -> Engine | None:
        """What answers for rows that lie elsewhere; None of rows that are held here."""
        return getattr(self.columns, "engine", None)

    @property
    def part(self) -> TablePart | None:
        """The part of a grouped table that the table holds, or what stands for all of them
        (`together`); None of any other."""
        return self.chosen if hasattr(self.chosen, "groups") else None

    @property
    def positions(self) -> Any:
        """Stored rows that belong to the table, in order; None for all."""
        return self.chosen if self.part is None else self.chosen.positions

    def with_row(self, row: Any) -> Table:
        """The table of what a function makes of every row."""
        made = Table(self.columns, row, self.where, self.chosen, self.value)
        made._counted, made._grouped, made._ahead = self._counted, self._grouped, self._ahead
        return made

    def mapped(self, function: Callable[[Any], Any]) -> Table:
        """The table of what a function makes of every row.

        Raises:
            Untraceable: the function has no form in the columnar language.
        """
        return self.with_row(row_of(traced(function, self.row)))

    def accepted(self, predicate: Callable[[Any], Any]) -> Table:
        """The rows that a predicate accepts.

        Raises:
            Untraceable: the predicate has no form in the columnar language.
        """
        return self.filtered(condition(traced(predicate, self.row)))

    def filtered(self, test: Any) -> Table:
        """The rows of which a condition holds, too.

        Raises:
            Untraceable: it is a vector.
        """
        if isinstance(test, Node) and test.width is not None:
            raise Untraceable("the truth value of a vector")
        test = constant(test)
        row = known_there(self.row, test)
        if self._grouped is not None and not by_reference():
            found = self._equal(test, self._grouped)
            if found is not None:
                return found if row is self.row else found.with_row(row)
        where = test if self.where is None else both(self.where, test)
        return Table(self.columns, row, where, self.chosen, self.value)

    def _equal(self, test: Node, grouped: dict[int, Any]) -> Table | None:
        """The rows of a column that equals a constant, where the column was grouped for that."""
        from metricdp.columns.equal import Values, equality

        found = equality(test)
        if found is None:
            return None
        (position, public), rest = found
        values = grouped.setdefault(position, Values())
        every = Table(self.columns, (), None, None, self.value)
        chosen = values.chosen(every, position, public)
        return None if chosen is None else Table(self.columns, self.row, rest, chosen, self.value)

    def _where_equal(self, asked: Sequence[tuple[Node, Bound]]) -> Table | None:
        """The rows to which sums are restricted that add something where a column equals a
        constant, and nothing elsewhere: the rounds of `if row.key == k: total += ...`."""
        if self._grouped is None or not asked or asked[0][0].operator != "select":
            return None
        test = asked[0][0].arguments[0]
        if not all(_adds_where(test, node, bound) for node, bound in asked) or by_reference():
            return None
        return self._equal(test, self._grouped)

    def taken(self, chosen: Any) -> Table:
        """The rows at some positions, a sequence or an array, in this order."""
        import numpy as np

        self._here("rows by their positions")
        positions = np.array(chosen, np.int64)
        held = self.held()
        if held is not None:
            positions = held[positions]
        return Table(self.columns, self.row, None, positions, self.value)

    def followed_by(self, constant: Any, times: int) -> Table:
        """Rows that are single values, and then as many times a public one.

        Raises:
            Untraceable: rows of another kind, or a constant that is no value of theirs.
        """
        value, there = parts(self.row)
        last = like(value, constant).public
        low, high = value.range or (None, None)
        if low is not None and high is not None:
            low, high = min(low, last), max(high, last)
        values = Stored(value.base, self._extended(value, last, times), low, high)
        if not isinstance(self.row, Nullable):
            return Table((values,), values.node(0), value=self.value)
        marks = Stored("boolean", self._extended(there, True, times))
        row = Nullable(values.node(0), marks.node(1))
        return Table((values, marks), row, value=self.value)

    def _extended(self, node: Node, last: Any, times: int) -> Any:
        import numpy as np

        from metricdp.columns.texts import Texts

        if node.base == "text":
            codes, values = self.coded(node)
            return Texts(np.append(codes, np.full(times, len(values))), [*values, last])
        held = self.array(node)
        if held.dtype.kind == "i" and abs(last) >= 1 << 63:
            held = held.astype(object)
        return np.concatenate([held, np.full(times, last, held.dtype)])

    def coded(self, node: Node) -> tuple[Any, list[Any]]:
        """For every row the position of a value among different ones, and these."""
        import numpy as np

        from metricdp.columns.occurrences import coded

        pieces = [values[0] for _, values in self.pieces(node)]
        return coded(pieces) if pieces else (np.zeros(0, np.int64), [])

    def texts(self, node: Node) -> Texts:
        """The texts of a node in all rows."""
        import numpy as np

        from metricdp.columns.occurrences import coded
        from metricdp.columns.texts import Texts

        pieces = [values[0] for _, values in self.pieces(node)]
        values = pieces[0].values if pieces else []
        if all(piece.values is values for piece in pieces):
            codes = [piece.codes for piece in pieces] or [np.zeros(0, np.int64)]
            return Texts(np.concatenate(codes), values, pieces[0].known if pieces else None)
        return Texts(*coded(pieces))

    def held(self) -> Any:
        """Positions of the rows that count among the stored ones; None for all."""
        import numpy as np

        if self.where is None:
            return self.positions
        kept = Table(self.columns, self.where, None, self.positions).array(self.where)
        found = np.flatnonzero(kept)
        return found if self.positions is None else self.positions[found]

    def owned(self) -> Table:
        """The same table, whatever becomes of the caller's arrays."""
        columns = tuple(column.owned() for column in self.columns)
        return Table(columns, self.row, self.where, self.positions, self.value)

    def once(self, key: Any, make: Callable[[Table], Any]) -> Any:
        """What a function makes of the table, made when it is first asked for.

        Args:
            key: what the function is told by; evaluators are told apart.
        """
        key = by_reference(), key
        self._made = {} if self._made is None else self._made
        if key not in self._made:
            self._made[key] = make(self)
        return self._made[key]

    # -- read piece by piece

    def pieces(
        self, *nodes: Node, summed: bool = False, raw: bool = False
    ) -> Iterator[tuple[int, list[Any]]]:
        """For every piece the number of its rows that count, and the values of nodes in them.

        Args:
            summed, raw: as for `arrays.Plan`.
        """
        self._here("values of single rows")
        if by_reference():
            piece = self._by_reference(nodes)
            self._counted[:] = [piece[0]]
            yield piece
            return
        from metricdp.columns.arrays import Plan

        asked = nodes if self.where is None else (self.where, *nodes)
        yield from self._read_through(planned(Plan, asked, summed, raw), ())

    def room(self) -> Callable[[int, Any], Any]:
        """What makes an array of so many rows of a kind, to be filled: it lies where the columns
        lie, in memory or in files."""
        from metricdp.columns.files import room

        here = self.engine is None
        in_file = here and any(column.in_file for column in self.columns)
        return partial(room, in_file=in_file)

    def counted(self, rows: int) -> None:
        """Say how many rows there are, where somebody knows."""
        self._counted[:] = [rows]

    def _here(self, what: str) -> None:
        """Raises:
        EngineError: the rows lie elsewhere.
        """
        if self.engine is not None:
            raise self.engine.refused(what)

    def _read_through(self, plan: Any, fresh: Sequence[Any]) -> Iterator[tuple[int, list[Any]]]:
        """`pieces` of the nodes of a plan, the first of which is the filter's; fills arrays of the
        last.

        Args:
            fresh: for each of the last nodes the array that takes its values of all stored rows.
        """
        if self.where is None and not fresh:
            yield from self._all_rows(plan)
            return
        import numpy as np

        count, first = 0, len(plan.results) - len(fresh)
        for start, stop, made in self._read(plan):
            for array, values in zip(fresh, made[first:], strict=True):
                array[..., start:stop] = values
            rows, made = stop - start, made[:first]
            if self.where is not None:
                kept, *made = made
                rows = int(np.count_nonzero(kept))
                count += rows
                made = [x[:, kept] if getattr(x, "ndim", 1) == 2 else x[kept] for x in made]
            # Only who asked has the arrays now: their memory is used again.
            last = [made]
            del made
            yield rows, last.pop()
        self._counted[:] = [count]

    def _all_rows(self, plan: Any) -> Iterator[tuple[int, list[Any]]]:
        """`_read_through` of all rows, which keeps nothing: memory of a piece is used again."""
        from metricdp.columns.arrays import spread

        for start, stop, rows in self._slices(plan.rows):
            count, read = stop - start, self._reader(plan, rows, start, stop)
            yield count, [spread(x, count) for x in plan.run(read)]

    def _by_reference(self, nodes: Sequence[Node]) -> tuple[int, list[Any]]:
        """All rows as one piece, evaluated one at a time."""
        from metricdp.columns.arrays import held
        from metricdp.columns.reference import ReferencePlan

        plan = ReferencePlan(nodes if self.where is None else (self.where, *nodes))
        every = range(len(self.columns[0])) if self.positions is None else self.positions.tolist()
        rows = [plan.run(partial(self._cell, row)) for row in every]
        if self.where is not None:
            rows = [values for kept, *values in rows if kept]
        columns = [[values[i] for values in rows] for i in range(len(nodes))]
        return len(rows), [held(x, node) for x, node in zip(columns, nodes, strict=True)]

    def _cell(self, row: int, position: int) -> Any:
        return self.columns[position].cell(row)

    def _read(self, plan: Any) -> Iterator[tuple[int, int, list[Any]]]:
        """For every piece of stored rows its ends, and what a plan gives for it."""
        from metricdp.columns.arrays import spread

        for start, stop, rows in self._slices(plan.rows):
            read = self._reader(plan, rows, start, stop)
            yield start, stop, [spread(x, stop - start) for x in plan.run(read)]

    def _slices(self, size: int) -> Iterator[tuple[int, int, Any]]:
        """For every piece of stored rows its ends, and the rows: a slice, or positions."""
        self._here("values of single rows")
        positions = self.positions
        held = len(self.columns[0] if positions is None else positions)
        if 0 < held <= size:  # nobody waits for one piece
            yield 0, held, slice(0, held) if positions is None else positions
            return
        for start in pieces(range(0, held, size), positions is None):
            stop = min(start + size, held)
            yield start, stop, slice(start, stop) if positions is None else positions[start:stop]

    def _reader(self, plan: Any, rows: Any, start: int, stop: int) -> Callable[..., Any]:
        """What a plan reads some rows with: a column once, though several steps may ask for it."""
        return partial(self._column, {} if plan.again else None, rows, start, stop)

    def _column(
        self, known: dict[int, Any] | None, rows: Any, start: int, stop: int, position: int,
        read: Any,
    ) -> Any:  # fmt: skip
        if position >= len(self.columns):
            kept = self._repeated.returning.kept(position, start, stop)
            return kept if read is Stored.piece else read(Stored("double", kept), slice(None))
        if known is None:
            return read(self.columns[position], rows)
        # A column is read once: as it is, if more than one node reads it.
        if position not in known:
            known[position] = read(self.columns[position], rows)
        return known[position]

    @property
    def cols(self) -> int:
        """Numbers of a row that is one vector.

        Raises:
            AttributeError: rows of another kind have no such length.
        """
        if isinstance(self.row, Node) and self.row.width is not None:
            return self.row.width
        raise AttributeError("cols")

    def size(self) -> int:
        """The number of rows."""
        if self.part is not None and self.part.every:
            return self._sizes()  # type: ignore[no-any-return]
        if self.where is None and (self.engine is None or self.chosen is not None):
            return len(self.columns[0] if self.chosen is None else self.chosen)
        if not self._counted and self.part is not None:
            test: Any = self.where
            kept = Table(self.columns, test, None, self.chosen)
            self._counted[:] = [kept.ticks([(test, GridRange(0, 0, 1))])[0] or 0]
        if not self._counted:
            self._sums([], [], [])
        return self._counted[0]

    def _sizes(self) -> Any:
        """The number of rows of each part."""
        if self.where is None:
            return self.chosen.sizes()
        return self.ticks([(self.where, GridRange(0, 0, 1))])[0]

    def total(self) -> Any:
        """The exact sum of rows that are single numbers.

        Raises:
            Untraceable: rows of another kind.
        """
        bound = self.bound()
        if bound is None:
            from metricdp.values import sum_of_array

            return sum((sum_of_array(x) for _, (x,) in self.pieces(self.row)), Fraction(0))
        return self.totals([(self.row, bound)])[0]

    def bound(self) -> GridRange | None:
        """The grid of rows that are single numbers; None where no range is known.

        Raises:
            Untraceable: rows of another kind.
        """
        return bound_of(self.row)

    def ordered(self) -> Ordered:
        """The rows in order of size; made once.

        Raises:
            Untraceable: rows that are no single numbers.
        """
        if self._ordered is None:
            from metricdp.columns.order import Ordered

            self._ordered = Ordered(self.array(_number(self.row)))
        return self._ordered

    def sides(self, numbers: Sequence[Any]) -> list[tuple[int, int]]:
        """How many rows lie below, and how many above, each of several numbers.

        The first time rows are counted piece by piece; who asks again has them put in order once.

        Raises:
            Untraceable: rows that are no single numbers.
        """
        from metricdp.columns.order import sides

        node = _number(self.row)
        if self.engine is not None:
            return self.engine.sides(self, node, numbers)
        if self._ordered is None and not self._sided:
            self._sided = True
            return sides((values for _, (values,) in self.pieces(node)), numbers)
        return sides([self.ordered().values], numbers)

    def between(self, low: Fraction, high: Fraction) -> Between | None:
        """The rows between two numbers, in order of size; None where some are no doubles.

        Raises:
            Untraceable: rows that are no single numbers.
        """
        if self.engine is not None:
            return self.engine.between(self, _number(self.row), low, high)
        if self._ordered is not None or by_reference():
            return self.ordered().between(low, high)
        if self._ranked is None or self._ranked[:2] != (low, high):
            self._ranked = low, high, self._ranked_between(low, high)
        ranked = self._ranked[2]
        return self.ordered().between(low, high) if ranked is None else ranked.between()

    def _ranked_between(self, low: Fraction, high: Fraction) -> Ranked | None:
        """None where putting all rows in order is as good, or a function would be called twice."""
        from metricdp.columns.arrays import Plan
        from metricdp.columns.graphs import in_order
        from metricdp.columns.ranked import ENOUGH, Ranked, RankedParts

        node, positions = _number(self.row), self.positions
        stored = len(self.columns[0] if positions is None else positions)
        asked = [node] if self.where is None else [self.where, node]
        if node.base != "double" or stored < ENOUGH or not (parts := RankedParts(low, high)):
            return None
        if any(each.operator == "called" for each in in_order(asked)[0]):
            return None

        columns = self.columns  # of the table itself, this would be a circle

        def read(places: Any) -> Any:
            places = places if positions is None else positions[places]
            if node.operator == "stored":
                return columns[node.public].piece(places)
            return Table(columns, (), None, places).array(node)

        plan = Plan(asked)
        pieces = ((made[0] if made[1:] else None, made[-1]) for _, _, made in self._read(plan))
        return Ranked(parts, stored, pieces, read, self.room())

    def totals(self, asked: Sequence[tuple[Node, Bound]]) -> list[Any]:
        """Exact sums over the rows, of what each adds within a bound.

        Returns:
            A rational for a range; for others `Numbers`, integers with one unit.
        """
        from metricdp.columns.totals import finished

        if self.part is not None and self.part.every:
            return self.ticks(asked)
        part = self._where_equal(asked)
        if part is not None:
            return part.totals([(node.arguments[1], bound) for node, bound in asked])
        return [
            finished(bound, ticks, node.width)
            for (node, bound), ticks in zip(asked, self.ticks(asked), strict=True)
        ]

    def ticks(self, asked: Sequence[tuple[Node, Bound]]) -> list[Any]:
        """`totals` in steps of the grid of each bound; None of no rows."""
        whole = by_reference()
        if self._asked is None or self._asked[0] is not asked or whole:
            found = None if self.part is None else self.part.ticks(self.where, asked)
            if found is not None:
                return found
            ranges = [(node, bound) for node, bound in asked if isinstance(bound, GridRange)]
            if len(ranges) == len(asked):
                return list(self._sums(ranges, range(len(ranges)), []).ticks())
            if self.engine is not None:
                return self.engine.ticks(self, asked)
        from metricdp.columns.totals import add_all, total_of

        bounds, read, ends = self._read_for(asked, whole)
        sums = [total_of(bound, node.width, whole) for node, bound in asked]
        rows = 0
        sizes, again = self._again(whole, *(node for nodes in read for node in nodes))
        last = [sizes[end - 1] for end in ends]
        for count, values in again:
            rows += count
            parts = [
                values[end - 1] if len(nodes) == 1 else tuple(values[end - len(nodes) : end])
                for nodes, end in zip(read, ends, strict=True)
            ]
            add_all(sums, bounds, parts, last)
        return [held.sum if rows else None for held in sums]

    def _read_for(
        self, asked: Sequence[tuple[Node, Bound]], whole: bool
    ) -> tuple[list[Bound], list[tuple[Node, ...]], list[int]]:
        """The bounds of sums, the nodes that are read for each, and where those of each end among
        all; kept for who asks with the same tuple again."""
        from metricdp.columns.totals import factors

        if self._asked is not None and self._asked[0] is asked:
            return self._asked[1]  # type: ignore[no-any-return]
        bounds = [bound for _, bound in asked]
        read = [(node,) if whole else factors(node, bound) for node, bound in asked]
        found = bounds, read, [*accumulate(map(len, read))]
        if type(asked) is tuple and not whole:
            self._asked = asked, found
        return found

    def _again(
        self, whole: bool, *nodes: Node
    ) -> tuple[list[Any], Iterator[tuple[int, list[Any]]]]:
        """`pieces` of nodes that may be asked for again; and `passes.Pass.sizes` of each.

        Args:
            whole: the reference evaluates them, all rows in one piece.
        """
        if whole:
            return [None] * len(nodes), self.pieces(*nodes)
        from metricdp.columns.passes import Passes

        if self._repeated is None:
            held = len(self.columns[0] if self.positions is None else self.positions)
            self._repeated = Passes(held, len(self.columns))
        made = self._repeated.of(nodes if self.where is None else (self.where, *nodes))
        read = self._kept_as_read(made) if made.fresh else self._read_through(made.plan, ())
        return made.sizes[-len(nodes) :], read

    def _kept_as_read(self, made: Pass) -> Iterator[tuple[int, list[Any]]]:
        returning = self._repeated.returning
        filled = {key: returning.array(node) for key, node in made.fresh.items()}
        yield from self._read_through(made.plan, [*filled.values()])
        returning.keep(filled)

    def sums(
        self,
        asked: Sequence[tuple[Node, GridRange]],
        summed: Sequence[int],
        pairs: Sequence[tuple[int, int]],
    ) -> tuple[list[Fraction], list[Fraction]]:
        """Exact sums over the rows of numbers, each moved into its bound, and of their products.

        Args:
            summed: positions of the numbers that are summed.
            pairs: positions of the factors of the products that are summed.
        """
        held = self._sums(asked, summed, pairs)
        return held.totals(), held.products()

    def _sums(
        self,
        asked: Sequence[tuple[Node, GridRange]],
        summed: Sequence[int],
        pairs: Sequence[tuple[int, int]],
    ) -> RowSums:
        from metricdp.columns.products import RowSums
        from metricdp.columns.sums import ends, unclamped

        bounds = [bound for _, bound in asked]
        if self.engine is not None:
            return self.engine.sums(self, asked, summed, pairs)
        if by_reference():
            sums = RowSums(bounds, summed, pairs)
            nodes = [unclamped(node, *ends(bound)) for node, bound in asked]
            for count, values in self.pieces(*nodes):
                cells = [_cells(x) for x in values]
                sums.add_plainly([[c[i] for c in cells] for i in range(count)])
            return sums
        filters = () if self.where is None else (self.where,)
        nodes = [*filters, *(n for n, _ in asked)]
        whole = self._grouped is not None and not pairs
        if whole and asked and [*summed] == [*range(len(asked))]:
            return self._sums_ahead().sums(nodes, bounds, self._one_pass)
        from metricdp.columns.sum_plans import sum_plan

        made = planned(sum_plan, nodes, tuple(bounds), tuple(pairs), bool(filters))
        return self._pass(made, bounds, summed, pairs)

    def _sums_ahead(self) -> Ahead:
        if not self._ahead:
            from metricdp.columns.ahead import Ahead

            kinds = [column.node(0) for column in self.columns]
            self._ahead.append(Ahead(tuple((k.base, k.width, k.most) for k in kinds)))
        return self._ahead[0]  # type: ignore[no-any-return]

    def _one_pass(self, made: SumPlan, bounds: Sequence[GridRange]) -> RowSums:
        return self._pass(made, bounds, range(len(bounds)), [])

    def _pass(
        self,
        made: SumPlan,
        bounds: Sequence[GridRange],
        summed: Sequence[int],
        pairs: Sequence[tuple[int, int]],
    ) -> RowSums:
        """The sums that a plan is of."""
        import numpy as np

        from metricdp.columns.arrays import spread
        from metricdp.columns.products import RowSums
        from metricdp.columns.quick import patched, without_number
        from metricdp.columns.sums import Mask

        plan, quick, known, free, same, size, flat = made
        first, positions = int(self.where is not None), self.positions
        sums, count = RowSums(bounds, summed, pairs, same), 0

        def added(found: list[Any], add: Callable[..., Any]) -> Any:
            nonlocal count
            placed = enumerate(found, -first)
            found = [x if i in same else spread(x, stop - start) for i, x in placed]
            mask = None if self.where is None else Mask(found[0])
            done = add(found[first:], mask, known, free)
            if done is not False:
                count += stop - start if mask is None else mask.rows
            return done

        found: Any
        held = min(size, len(self.columns[0]))
        lying = None if flat is None or positions is not None else flat.on(self.columns, held)
        flatly = dict.fromkeys((i for i in range(len(bounds)) if i not in same), 0)
        with np.errstate(all="ignore"):
            for start, stop, rows in self._slices(size):
                if lying is not None and lying.add(start, stop, flatly):
                    count += stop - start
                    continue
                found = odd = None  # the memory of the last piece is used again
                if quick is None:
                    added(plan.run(self._reader(plan, rows, start, stop)), sums.add)
                    continue
                if lying is not None:
                    found, lying = lying.values(), None
                else:
                    found, odd = quick.run(self._reader(plan, rows, start, stop))
                    if odd is None and added(found, sums.add_numbers):
                        continue
                quick = None  # there may be more like it
                found = [spread(x, stop - start) for x in found]
                odd = without_number(found, odd)
                places = odd.nonzero()[0] + start if positions is None else rows[odd]
                again = plan.run(self._reader(plan, places, start, stop))
                added(patched(found, odd, [spread(x, len(places)) for x in again]), sums.add)
        if flat is not None:
            sums.add_ticks(flatly)
        sums.count(count)
        if self.where is not None:
            self._counted[:] = [count]
        return sums

    # -- by public keys

    def parts(self, key: Callable[[Any], Any], keys: Sequence[Any]) -> Sequence[Table]:
        """The rows of each public key, in their order: a row belongs to the first that it equals.

        Raises:
            Untraceable: the key function has no form in the columnar language.
        """
        row: Any = row_of(traced(key, self.row))
        if isinstance(row, Instant):
            row, keys = row.number, row.numbers(keys)
        if self.engine is not None:
            return self._parts(self.engine.groups(self, row, keys))
        nodes, find = _finder(row, keys)
        from metricdp.columns.groups import GroupCodes

        rows = Table(self.columns, (), None, self.positions, self.value)
        codes = rows._codes(self.where, nodes, find, len(keys))
        if by_reference():
            listed, rows = codes.tolist(), rows.with_row(self.row)
            found = ([i for i, code in enumerate(listed) if code == k] for k in range(len(keys)))
            return tuple(Table.taken(rows, positions) for positions in found)
        return self._parts(GroupCodes(rows.positions, codes, len(keys), rows.pieces))

    def _parts(self, groups: Any) -> PartTables:
        from metricdp.columns.part_tables import PartTables

        columns, row, value = self.columns, self.row, self.value
        return PartTables(self, groups, lambda part: Table(columns, row, None, part, value))

    def _codes(self, where: Node | None, nodes: Sequence[Node], find: Any, count: int) -> Any:
        """The code of every row's key; `count` where a condition does not hold."""
        from metricdp.columns.keys import code_type

        codes, start = self.room()(self.size(), code_type(count)), 0
        asked = nodes if where is None else [*nodes, where]
        for rows, values in self.pieces(*asked, summed=True):
            piece = codes[start : start + rows]
            piece[:] = find(values[: len(nodes)])
            if where is not None:
                piece[~values[-1]] = count
            start += rows
        return codes

    def tallies(self, keys: Sequence[Any]) -> Any:
        """How many rows have each of some public keys, the first of equal ones, and none of them.

        Returns:
            int64 array of shape (number of keys + 1,).

        Raises:
            Untraceable: rows of several values, or of several fields that are not in a tuple.
        """
        if self.engine is not None:
            return self.engine.tallies(self, keys)
        import numpy as np

        from metricdp.columns.counted import ROWS, plain_column, plain_counts
        from metricdp.columns.groups import counted
        from metricdp.columns.keys import told

        if self.part is None and self.where is None and not by_reference():
            column = plain_column(self.row, keys, self.columns)
            if column is not None:
                return plain_counts(column, len(keys), (rows for *_, rows in self._slices(ROWS)))
        nodes, find = _finder(self.row, keys)
        if self.part is not None:
            names = tuple(map(told, keys))
            found = self.part.tallies(self.where, nodes, find, len(keys), names)
            if found is not None:
                return found
        total = np.zeros(len(keys) + 1, np.int64)
        for _, values in self.pieces(*nodes, summed=True):
            total += counted(find(values), len(total))
            del values
        return total

    def occurrences(self) -> tuple[list[Any], Any]:
        """The different rows, as Python's own values, and an int64 array of how often each occurs.

        Raises:
            Untraceable: rows that are neither one value nor a tuple of such.
        """
        if self.engine is not None:
            return self.engine.occurrences(self)
        from metricdp.columns.occurrences import occurrences, of_texts

        nodes = self.row if isinstance(self.row, tuple) else (self.row,)
        if any(not isinstance(node, Node) or node.width is not None for node in nodes):
            raise Untraceable("rows that are no values")
        if isinstance(self.row, Node) and self.row.base == "text":
            return of_texts(texts for _, (texts,) in self.pieces(self.row))
        read = [values for _, values in self.pieces(*nodes)]
        columns, counts = occurrences(read, len(nodes))
        if isinstance(self.row, tuple):
            return list(zip(*columns, strict=True)), counts
        return columns[0], counts

    # -- row by row

    def plain(self) -> Any:
        """The rows as reference functions read them."""
        if isinstance(self.row, Node) and self.row.width is not None:
            from metricdp.values import NumberRows

            return NumberRows(self.rows(), self.row.width)
        if isinstance(self.row, Node):
            from metricdp.values import ExactVector

            return ExactVector(self.rows())
        return self.rows()

    def array(self, node: Node) -> Any:
        """The values of a node in all rows, in one array."""
        if self.where is None and node.base == "double" and node.width is None:
            # Small pieces are written into one array: the memory of each is used again.
            whole, at = self.room()(self.size(), float), 0
            for rows, (values,) in self.pieces(node):
                whole[at : at + rows] = values
                at += rows
            return whole
        import numpy as np

        from metricdp.columns.arrays import DTYPES

        found = [values[0] for _, values in self.pieces(node)]
        if not found:
            return np.zeros(0, DTYPES[node.base])
        return found[0] if len(found) == 1 else np.concatenate(found)

    def __len__(self) -> int:
        return self.size()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.rows())

    def __getitem__(self, index: Any) -> Any:
        return self.rows()[index]

    def __eq__(self, other: object) -> Any:
        """Whether the rows are those of another table or list, one by one."""
        if isinstance(other, Table | list):
            return self.rows() == list(other)
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "Table(private)"

    def rows(self) -> list[Any]:
        """The rows as Python values; made once, so the list is not to be changed."""
        if self._listed is None:
            nodes: list[Node] = []
            build = builder(self.row, nodes, self.value)
            listed: list[Any] = []
            for count, values in self.pieces(*nodes):
                cells = [_cells(x) for x in values]
                listed.extend(build([c[i] for c in cells]) for i in range(count))
            self._listed = listed
        return self._listed


def _finder(row: Any, keys: Sequence[Any]) -> Any:
    """See `keys.finder`."""
    from metricdp.columns.keys import finder, finder_by_reference

    return (finder_by_reference if by_reference() else finder)(row, keys)


def _adds_where(test: Node, node: Node, bound: Bound) -> bool:
    """Whether a node is 0 where a condition does not hold, and 0 lies in its bound."""
    if node.operator != "select" or node.arguments[0] is not test:
        return False
    other = node.arguments[2]
    zeros = other.public if isinstance(other.public, tuple) else (other.public,)
    if other.operator != "constant" or other.base == "text" or any(zeros):
        return False
    # 0 lies in every ball.
    return not isinstance(bound, GridRange) or bound.first <= 0 <= bound.last


def _number(row: Any) -> Node:
    if not isinstance(row, Node) or row.width is not None or row.base == "text":
        raise Untraceable("rows that are no numbers")
    return row


def bound_of(row: Any) -> GridRange | None:
    """The grid of a number of every row; None where no range is known.

    Raises:
        Untraceable: anything but a number.
    """
    node = _number(row)
    if node.base == "boolean":
        return GridRange(0, 0, 1)
    if node.range is None:
        return None
    return _grid(*node.range, node.base == "integer")


@lru_cache(256)
def _grid(low: Any, high: Any, whole: bool) -> GridRange | None:
    """The grid of public ends; equal numbers have one, of whatever types they are."""
    return (whole_range if whole else range_of)(Fraction(low), Fraction(high))


def _cells(x: Any) -> list[Any]:
    made: list[Any] = x.T.tolist() if getattr(x, "ndim", 1) == 2 else x.tolist()
    return made


def builder(row: Any, nodes: list[Node], value: Callable[[Any], Any]) -> Build:
    """What makes a row from the values of its nodes, which are put into `nodes`.

    Args:
        value: Python value of a number -> what is seen of it.
    """
    if isinstance(row, Node):
        place = len(nodes)
        nodes.append(row)
        if row.base in ("text", "boolean"):
            return lambda values: values[place]
        return lambda values: value(values[place])
    if isinstance(row, Instant):
        return builder(row.number, nodes, row.value)
    if isinstance(row, Nullable):
        inner, there = builder(row.value, nodes, value), builder(row.there, nodes, value)
        return lambda values: inner(values) if there(values) else None
    if isinstance(row, dict):
        parts = {key: builder(item, nodes, value) for key, item in row.items()}
        return lambda values: {key: part(values) for key, part in parts.items()}
    if isinstance(row, tuple):
        items = [builder(item, nodes, value) for item in row]
        if hasattr(row, "_fields"):
            return lambda values: type(row)(*(item(values) for item in items))
        return lambda values: tuple(item(values) for item in items)
    if row is None or isinstance(row, str | int | float | Fraction):
        return lambda values: row
    raise InternalError(f"a {type(row).__name__} is no part of a row")


def aligned(tables: Sequence[Table]) -> Table | None:
    """The table whose rows are tuples of the rows of tables that hold the same stored rows.

    Returns:
        None where they were filtered one by one, or hold different numbers of rows.
    """
    first = tables[0]
    if all(
        t.columns is first.columns and t.where is first.where and t.chosen is first.chosen
        for t in tables
    ):
        rows = tuple(table.row for table in tables)
        return Table(first.columns, rows, first.where, first.chosen, first.value)
    if any(t.where is not None or not _same(t.positions, first.positions) for t in tables):
        return None
    if len({len(t.columns[0]) for t in tables}) > 1:
        return None
    columns: list[Stored] = []
    parts = []
    for table in tables:
        parts.append(moved(table.row, len(columns)))
        columns.extend(table.columns)
    return Table(tuple(columns), tuple(parts), None, first.positions, first.value)


def _same(x: Any, y: Any) -> bool:
    """Whether two tables take the same stored rows."""
    if x is y:
        return True
    return x is not None and y is not None and len(x) == len(y) and bool((x == y).all())


def moved(row: Any, by: int, known: dict[int, Node] | None = None) -> Any:
    """The same row over columns that stand further on."""
    known = {} if known is None else known
    if isinstance(row, tuple):
        parts = [moved(item, by, known) for item in row]
        return type(row)(*parts) if hasattr(row, "_fields") else tuple(parts)
    if isinstance(row, dict):
        return {key: moved(item, by, known) for key, item in row.items()}
    if isinstance(row, Instant):
        return Instant(row.kind, moved(row.number, by, known))
    if isinstance(row, Nullable):
        return Nullable(moved(row.value, by, known), moved(row.there, by, known))
    if not isinstance(row, Node):
        return row
    if id(row) not in known:
        public = row.public + by if row.operator == "stored" else row.public
        given = tuple(moved(a, by, known) for a in row.arguments)
        made = Node(row.operator, given, row.base, row.width, public, row.most)
        made.range = row.range
        known[id(row)] = made
    return known[id(row)]
