"""The privacy domain: applies records to abstract values.

It is the only part of check that knows movement, sources and events; which constants hold is the
records' business, which syntax they were written in is the interpreter's.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from metricdp.check.domain import (
    bins,
    groups,
    owned,
    places,
    quotients,
    replaced_rows,
    replaced_vectors,
    row_shares,
    several_rows,
    tuples,
)
from metricdp.check.domain.apart import ends
from metricdp.check.domain.by_row import RowByRow, containers
from metricdp.check.domain.drawn import BOUNDS, SCALED, DrawnNumbers, MovementUnit
from metricdp.check.domain.movements import together
from metricdp.check.domain.parallel import about_rows
from metricdp.check.domain.part_at import KeyedParts
from metricdp.check.domain.ranges import let_through
from metricdp.check.domain.requirements import follows
from metricdp.check.domain.rising import Rising, note, note_parameter
from metricdp.check.domain.scaling import REMEMBERED, in_order
from metricdp.check.domain.state import CheckState, PendingRequirement
from metricdp.check.domain.unread import Unread, UnreadBounds, in_words
from metricdp.check.source.advice import as_called
from metricdp.check.values import public
from metricdp.check.values.arrays import ARRAY
from metricdp.check.values.facts import Fact
from metricdp.check.values.findings import Stop, report, stop
from metricdp.check.values.forms import (
    Form,
    Movement,
    Source,
    all_norms,
    best_hi,
    best_lo,
    capped,
    combine,
    describe_bounds,
    moved,
    norms_of,
    show,
    single,
    start,
)
from metricdp.check.values.objects import (
    ROW,
    UNKNOWN,
    Builtin,
    Closure,
    Constant,
    Library,
    Obj,
    TupleValue,
    Value,
    literal_text,
)
from metricdp.check.values.regions import (
    NOWHERE,
    Region,
    Term,
    accepted,
    both,
    either,
    in_reading,
    nonzero,
    rejected,
    union,
)
from metricdp.check.values.rounding import may_round
from metricdp.check.values.row_sums import RowSum
from metricdp.check.values.terms import Table, applied, of, of_given, of_row, with_term
from metricdp.diagnostics import Note, Span
from metricdp.expr import (
    INF,
    ONE,
    ZERO,
    D,
    Expr,
    absolute,
    best,
    compare,
    linear_coefficient,
    maximum,
    sym,
)
from metricdp.measures.events import Choice, Spent, Tree, noise_bound
from metricdp.primitives._common import add_ranges, scale_range
from metricdp.record import Arg, Body, Conclusion, Failure, Groups, Record, Refusal, Requirement
from metricdp.spaces import (
    Gradient,
    Keyed,
    Matrix,
    Maybe,
    Moment,
    Owned,
    Records,
    Row,
    Scalar,
    Space,
    Vector,
)
from metricdp.spaces.base import symbols_of
from metricdp.spaces.norms import NORMS
from metricdp.spaces.vectors import Entries

#: Rules whose result is bounded whatever their argument is.
BOUNDING = frozenset(
    {"clamp", "clip", "clipn", "min", "max", "minimum", "maximum", "sigmoid", "tanh", "sin", "cos"}
)
#: Element of a single-column row by its declared type: inside a row function it is a number.
ROW_ELEMENTS = {"float": "Real", "int": "Int", "bool": "Bool", "str": "Data", "": "Real"}


T = TypeVar("T")


#: Records that make one row of every row of a table, and keep their order.
_SAME_ROWS = frozenset({"map", "clamp"})
#: Records that leave rows of a table out by what is in them.
_SELECTING = frozenset({"filter", "slice", "count", "sum"})
#: The record of comprehensions with tests, and that of what they make of a row.
FILTER, MAP = "filter", "map"
#: What a function of rows gives: its space, what it moves by, and which function it is.
_Made = tuple[Space, Mapping[Source, Mapping[str, Expr]], Term | None]


class Reason(msgspec.Struct, frozen=True):
    """Why a bound is infinite, and where it became so."""

    failure: Failure
    module: Any
    node: Any


class PrivacyDomain:
    """Applies records; `call` interprets a function of the program on abstract arguments."""

    def __init__(self, call: Callable[..., Obj]) -> None:
        self.call = call
        self.state = CheckState()
        self.site: Callable[[ast.AST], str] = lambda node: ""
        #: Whether mechanisms may be used here: not in a transformation.
        self.noise_allowed = True
        #: Private conditions that decide whether the present code runs.
        self.private_tests = 0
        #: Functions around that score one candidate after the other, at the same places of a run.
        self.scoring = 0
        #: Functions of rows, and loops over records, that the present code is inside of.
        self.of_rows = 0
        #: Readings of rounds that may not be the last ones, in which nothing is refused for what
        #: it may raise; and how often that was put off.
        self._lenient = self._put_off = 0
        #: What the conditions of public branches say about parameters, where the code runs.
        self.assumed: tuple[Fact, ...] = ()
        #: What all conditions say under which the present code runs, private ones among them.
        self.supposed: frozenset[Fact] = frozenset()
        #: The rows for which the present code runs, by the conditions around it.
        self.where: Region = None
        #: Address of a mechanism call -> its module and node.
        self.noise_places: dict[str, tuple[Any, ast.AST]] = {}
        self.by_row = RowByRow()
        self._concluded: dict[Any, Conclusion] = {}
        #: Why a function argument of the present record is infinitely unstable.
        self._body_why: Reason | None = None
        #: Parts of the number that a function argument makes of a row.
        self._body_shares: tuple[RowSum, ...] = ()
        #: Bounds that were written and could not be read; and that of a function argument.
        self.unread = UnreadBounds()
        self._body_unread: Unread | None = None
        #: Form of a part of an aligned parameter -> the parameter's source.
        self.aligned: dict[Form, Source] = {}
        #: Tables and numbers that one more record of a source can only raise.
        self.rising: Rising = {}
        #: Tables that are made, row by row, of those of which a unit replaces a row.
        self.of_replaced: replaced_rows.Made = {}
        #: Tables that are made, row by row, of those of which a unit adds or removes a row.
        self.of_added: replaced_rows.Made = {}
        #: Parts of tables whose rows are replaced: sources whose rows come and go.
        self.of_parts: set[Source] = set()
        #: Table -> the name under which terms speak of its rows: one row of it is a function of one
        #: row of a parameter.
        self.tables: dict[Form, Table] = {}
        self._whole: dict[tuple[Any, ...], bool] = {}
        #: Table -> the rows of its parameter that it may not have a row of.
        self.left_out: dict[Form, Region] = {}
        #: Terms of ids, of which all rows of a unit have one.
        self.ids: set[Term] = set()
        #: Table whose rows are one number each -> the term of that number.
        self.made_of: dict[Form, Term] = {}
        #: Table whose rows are one number each -> the parts of that number (`domain.row_shares`).
        self.shares_of: dict[Form, tuple[RowSum, ...]] = {}
        #: Table -> of how many groups of its rows one unit changes some.
        self.groups: dict[Table, groups.InGroups] = {}
        #: Parts of a table -> the most parts that one unit changes, and rows in each.
        self.parts: dict[Form, tuple[Expr, Expr]] = {}
        #: Parts of a table -> the table, the key of a row, and the keys (`domain.part_at`).
        self.keyed: KeyedParts = {}
        #: Counts of the rows of a table by their values -> these rows.
        self.counted: dict[Form, Value] = {}
        #: Table that functions of one row made -> the table whose rows it has, in their order.
        self.same_rows: dict[Form, Form] = {}
        #: Public and released scalars that terms name, and their terms, by the identity of objects.
        self.fixed: dict[int, tuple[Value, Term]] = {}
        #: Symbols of the rounds, read as one, that the present code is inside of.
        self.rounds: list[str] = []
        #: Sources that are tables, or of whose persons tables were made -> whether one unit adds or
        #: removes one row.
        self.adds: dict[Source, bool] = {}
        #: Those of whose persons tables were made, who may have several rows in them.
        self.persons: set[Source] = set()
        #: Histogram of a table -> what is counted in it (`domain.bins`).
        self.bins: bins.Bins = {}
        #: Sources that are tuples: their components, which are regions, share the distance.
        self.shared: set[Source] = set()
        #: Released numbers that bound what is released after them.
        self.drawn = DrawnNumbers()

    @property
    def decided(self) -> bool:
        """Whether private data decide if the present code runs, or how often."""
        return bool(self.private_tests or self.of_rows)

    def leniently(self, read: Callable[[], T], lenient: bool) -> tuple[T, bool]:
        """What a trial round gives, and whether it has to be read again: states of a loop that are
        public in its first reading may become private, whose operations are total."""
        before = self._put_off
        self._lenient += lenient
        try:
            return read(), self._put_off > before
        finally:
            self._lenient -= lenient

    def put_off(self) -> bool:
        """Whether a refusal can wait for another reading, which is then due."""
        self._put_off += bool(self._lenient)
        return bool(self._lenient)

    # -- terms ------------------------------------------------------------------------------

    def term(self, value: Obj) -> Term | None:
        """The term of a value; a public or released scalar that has none is named as one object.

        One object is one value: in one round of the loops around the place where it was made,
        which are among those around the place where it is first named (`fix`).
        """
        known = of(value)
        if known is not None or not isinstance(value, Value) or value.private:
            return known
        return of_given(value) or self.fix(value)

    def operand(self, value: Obj) -> Term | None:
        """The term of what arithmetic or a branch is given.

        1 and 1.0 are one number, which arithmetic with integers beyond 2**53 tells apart: a number
        that may be either is named as one object.
        """
        term = self.term(value)
        if term is None or term[0] != "number" or not isinstance(value, Value):
            return term
        if value.private or value.holds == "int" or type(value.literal) is bool:
            return term
        if value.source in ("literal", "parameter"):
            return (*term, value.source)
        return self.fix(value)

    def fix(self, value: Value) -> Term | None:
        """The name of a public or released scalar; None for what may be changed in place.

        What is named before the rounds of a loop are read is the same value in all of them; what is
        named inside may be another one in every round.
        """
        held = self.fixed.get(id(value))
        if held is None:
            if not public.kind(value):
                return None
            # Kept with the object, so that no other object has its identity.
            held = self.fixed[id(value)] = value, ("fixed", len(self.fixed), *self._rounds())
        return held[1]

    def _rounds(self) -> Iterator[Term]:
        """What the name of a thing holds that the present rounds make: it is theirs alone."""
        return (("number", sym(n, nonneg=True, integer=True)) for n in self.rounds)

    # -- values -----------------------------------------------------------------------------

    def private(self, space: Space, form: Form, step: str = "", why: Reason | None = None) -> Value:
        value = Value("private", space, form, step=step, why=why)
        if step and (steps := self.state.steps) and steps[-1].id == step:
            steps[-1].value = value
        return value

    def counted_apart(self, made: Value) -> Value:
        """Something public, of which a run counts the different items."""
        if made.keys is not None:
            self.state.told_apart |= {made.keys.of}
        return made

    def parameter(self, name: str, space: Space, source: Source | None = None) -> Value:
        """A private parameter: one atom that moves by d_in.

        Args:
            source: of its movement, where other parameters share it.
        """
        source = source or Source("param", name)
        space = space.inside if isinstance(space, Owned) else space
        value = self.private(space, self.state.atom(space, start(space, source)))
        note_parameter(self.rising, value, source)
        self._enters(value, source)
        return value

    def _enters(self, value: Value, source: Source) -> None:
        """A table whose rows are a source of their own: terms speak of them."""
        if isinstance(value.space, Records) and value.form is not None:
            self.tables[value.form] = (value.form.terms[0][0],)
            self.left_out[value.form] = NOWHERE
            self.adds[source] = not value.space.row_metric.replaces
            replaced_rows.note_parameter(self.state, self.of_replaced, self.of_added, value, source)

    def is_whole(self, field: Term) -> bool:
        """Whether a field of a row, as a term, holds whole numbers, or no numbers."""
        return self._whole.get(field[1:3], False)

    def _note_whole(self, space: Space, table: Table, place: tuple[int, ...]) -> None:
        fields = space.fields if isinstance(space, Row) else ()
        for i, field in enumerate(fields):
            at = (*place, i)
            self._whole[table, at[0] if len(at) == 1 else at] = _is_whole(field)
        if not fields:
            self._whole[table, -1] = _is_whole(space)

    def formal(
        self, space: Space, source: Source, table: Table | None = None, place: tuple[int, ...] = ()
    ) -> Obj:
        """A fresh argument of a function: one value, or one per field of a row.

        Args:
            table: whose row it is, where terms speak of its rows.
            place: of a field that holds several values, where it stands in the row.
        """
        if table is not None:
            self._note_whole(space, table, place)
        if isinstance(space, Row):
            parts = tuple(
                self.formal(field, source, table, (*place, i))
                if isinstance(field, Row)
                else with_term(self.formal(field, source), _of_row(table, (*place, i), source))
                for i, field in enumerate(space.fields)
            )
            kind = f"{ROW}{space.name}" if space.kind == "attributes" else ""
            # The values of one field are a tuple as any other.
            names = () if place else space.names
            return TupleValue(parts, space.kind == "items", names, kind)
        if table is not None and isinstance(space, Scalar | Moment | Maybe):
            return with_term(self.formal(space, source), _of_row(table, (-1,), source))
        if isinstance(space, Moment):
            return self.private(space, self.state.atom(space, {source: {"": ONE}}))
        if isinstance(space, Scalar) and space.kind and not space.in_float:
            # A field of a row is read as a number; under the discrete metric of the row it moves by
            # any amount.
            element = ROW_ELEMENTS[space.kind]
            space = Scalar(element, space.lo, space.hi, space.kind if element == "Data" else "")
            moves = ONE if element in ("Data", "Bool") else INF
            return self.private(space, self.state.atom(space, {source: {"": moves}}))
        value = self.private(space, self.state.atom(space, start(space, source)))
        self._enters(value, source)
        return value

    def lifted(self, value: Value, module: Any, node: ast.AST) -> Value:
        """A public number or vector as a private one that does not move.

        Raises:
            Stop: nothing says how many numbers the value holds.
        """
        if value.private:
            return value
        literal = value.literal
        text = isinstance(value.space, Scalar) and value.space.kind == "str"
        if isinstance(value.space, Entries | Moment) or (text and literal is UNKNOWN):
            assert value.space is not None
            return self.private(value.space, self.state.atom(value.space, {}))
        if literal is UNKNOWN and public.kind(value) == "bool":
            return self.private(Scalar("Bool"), self.state.atom(Scalar("Bool"), {}))
        if not isinstance(literal, str) and not public.is_number(value):
            raise stop(
                module, node, "size-mismatch",
                "nothing says how many numbers a public value holds that meets private ones",
                "a public number", "declare it as float, or tuple[float, ...]",
            )  # fmt: skip
        if isinstance(literal, str):
            # A text is no number: two texts are two values, as a branch would show.
            text_space = Scalar("Data", kind="str")
            return self.private(text_space, self.state.atom(text_space, {}))
        if isinstance(literal, bool):
            return self.private(Scalar("Bool"), Form((), ONE if literal else ZERO))
        expr = self._exactly(value)
        element = "Int" if expr.is_integer() else "Real"
        kind = "float" if element == "Int" and public.in_float(value) else ""
        return self.private(Scalar(element, expr, expr, kind), Form((), expr))

    def _exactly(self, value: Value) -> Expr:
        """A public number as an expression; what Python rounds is not its expression."""
        known = value.expr if value.source != "irrational" else None
        return known if known is not None else self.state.unknown()

    def movement(self, value: Value) -> Mapping[Source, Mapping[str, Expr]]:
        """How far a private value moves, per source and norm; nothing for other values."""
        return self.state.movement(value.form) if value.form is not None else {}

    def alone(self, value: Value) -> Mapping[Source, Mapping[str, Expr]]:
        """How far a private value moves where nothing else shares the unit that moves it."""
        return replaced_rows.alone(self.state, value.form) if value.form is not None else {}

    def range(self, form: Form) -> tuple[Expr, Expr] | None:
        """Interval of a scalar form, from the ranges of its atoms."""
        out = (form.constant, form.constant)
        for atom, coefficient in form.terms:
            space = self.state.atoms[atom].space
            if not isinstance(space, Scalar):
                return None
            out = add_ranges(out, scale_range((space.lo, space.hi), coefficient))
        return out

    def row_range(self, form: Form) -> tuple[Expr, Expr] | None:
        """Interval of a number of one row, of which no more parts count than one row meets."""
        whole = self.range(form)
        if whole is None or len(form.terms) < 2 or not self.state.by_rows:
            return whole
        lo, hi = row_shares.range_of(self.state, form)
        return best_lo(whole[0], lo), best_hi(whole[1], hi)

    # -- application ------------------------------------------------------------------------

    def argument(self, value: Obj, text: str, exact_targets: bool = False, name: str = "") -> Arg:
        """What a rule may know about an argument.

        An irrational public number is a float when the program runs, an ulp from its expression:
        only mechanisms (`exact_targets`), whose noise is computed from the expression, see it.
        """
        if isinstance(value, Value):
            if value.private:
                return Arg(value.space, True, text=text)
            literal = None if value.literal is UNKNOWN else value.literal
            expr = None if value.source == "irrational" and not exact_targets else value.expr
            free = value.origin == "released"
            floating = public.in_float(value)
            return Arg(
                value.space, False, expr, literal, free, text, name=name, size=value.size,
                floating=floating,
            )  # fmt: skip
        return Arg(literal=_literal(value), text=text)

    def apply(
        self,
        record: Record,
        given: Mapping[str, Obj],
        module: Any,
        node: ast.AST,
        texts: Mapping[str, str],
        order: tuple[str, ...] = (),
    ) -> Value:
        """The conclusion of a record for these arguments, as a value; records the step.

        `given` maps parameter names of the rule to objects; variadic ones are "0", "1", ... in
        `order`.
        """
        found = self._applied(record, given, module, node, texts, order)
        named = with_term(found, applied(record, given, found, self.term, self.operand))
        assert isinstance(named, Value)
        return named

    def _applied(
        self,
        record: Record,
        given: Mapping[str, Obj],
        module: Any,
        node: ast.AST,
        texts: Mapping[str, str],
        order: tuple[str, ...],
    ) -> Value:
        self.by_row.applied(record, given, self.movement)
        key = self._key(record, given)
        if key is not None and record.name == "div":  # of which ranges say more than spaces do
            key = (*key, quotients.bounds(self.state, given))
        if key is not None and (known := self.state.memo.get(key)) is not None:
            return known  # type: ignore[no-any-return]
        noisy = record.kind == "mechanism"
        if noisy:
            given = self._hides_nothing(given, module, node)
        args = {n: self.argument(v, texts.get(n, n), noisy, n) for n, v in given.items()}
        if record.kind == "mechanism":
            self._decimals(args, given)
        if record.name in BOUNDS and any(arg.private for arg in args.values()):
            self._drawn_bounds(args, given)
        unit = self._in_units(record, args, given, module, node)
        captured: dict[Source, dict[str, Expr]] = {}
        told: dict[str, Term | None] = {}
        self._body_why = self._body_unread = None
        self._body_shares = ()
        try:
            for name in record.formals:
                if isinstance(given.get(name), Closure):
                    args[name] = self._summary(
                        record, name, args, given, module, node, captured, told
                    )
            conclusion = self.concluded(record, args, order)
        except Refusal as refusal:
            raise refused(owned.refusal(record, args, refusal.failure), module, node) from None
        if record.name == "slice":
            told["predicate"] = self._places(given)
        value = self.conclude(record, conclusion, args, given, captured, told, module, node, unit)
        if not captured:
            note(self.rising, record, given, value)
        if key is not None:
            self.state.memo[key] = value
        return value

    def _hides_nothing(
        self, given: Mapping[str, Obj], module: Any, node: ast.AST
    ) -> Mapping[str, Obj]:
        """Noise of a known scale on a public or released number: it hides a number that does not
        move, and costs nothing.  A target would make no noise of it, and is left to the rule."""
        x, scale = given.get("x"), given.get("scale")
        free = scale is not None and getattr(scale, "literal", UNKNOWN) is not None
        if not (free and isinstance(x, Value) and public.is_number(x)):
            return given
        return {**given, "x": self.lifted(x, module, node)}

    def concluded(self, record: Record, args: dict[str, Arg], order: tuple[str, ...]) -> Conclusion:
        """What the rule of a record says; each reading of a loop asks the same again."""
        shown = tuple((n, type(a.literal), literal_text(a.literal)) for n, a in args.items())
        key = (record.name, order, shown, tuple(args.values()))
        try:
            known = self._concluded.get(key)
        except TypeError:  # a literal that has no hash
            known = key = None  # type: ignore[assignment]
        if known is None:
            named = {name: arg for name, arg in args.items() if name not in order}
            known = record.rule(*(args[name] for name in order), **named)
            if key is not None:
                self._concluded[key] = known
        return known

    def _decimals(self, args: dict[str, Arg], given: Mapping[str, Obj]) -> None:
        """Targets are the decimals that were typed: 0.1 is 1/10."""
        for name in ("epsilon", "eps", "delta", "rho", "alpha", "omega"):
            value = given.get(name)
            if isinstance(value, Value) and not value.private and value.expr is not None:
                typed = value.typed if value.typed is not None else value.expr
                args[name] = msgspec.structs.replace(args[name], value=typed)
                self.state.targets |= typed.symbols

    def _drawn_bounds(self, args: dict[str, Arg], given: Mapping[str, Obj]) -> None:
        """Released numbers as bounds, which a rule may know as expressions."""
        for name, arg in args.items():
            if arg.released and (expr := self.drawn.of(given[name])) is not None:
                args[name] = msgspec.structs.replace(arg, value=expr)

    def _in_units(
        self,
        record: Record,
        args: dict[str, Arg],
        given: Mapping[str, Obj],
        module: Any,
        node: ast.AST,
    ) -> MovementUnit | None:
        """The unit of what a mechanism hides, where a released number bounds it.

        Raises:
            Stop: the scale of the noise is not known to follow that number.
        """
        x, scale = given.get("x"), given.get("scale")
        if record.name not in SCALED or not isinstance(x, Value) or x.form is None:
            return None
        norm, _ = SCALED[record.name]
        movement = {s: m.get("", m.get(norm, INF)) for s, m in self.movement(x).items()}
        if not any(map(self.drawn.names, movement.values())):
            return None
        wide = None
        if scale is not None and getattr(scale, "literal", UNKNOWN) is not None:
            wide = self.drawn.of(scale, exactly=False)
            if wide is None:
                raise _other_scale(record, args, module, node)
        unit = self.drawn.unit(movement, wide, self.state.rounds)
        if unit is None:
            raise _other_scale(record, args, module, node)
        if unit.scale is not None:
            args["scale"] = msgspec.structs.replace(args["scale"], value=unit.scale, released=False)
        return unit

    def _key(self, record: Record, given: Mapping[str, Obj]) -> Any:
        # What a branch assumes about parameters is required again outside of it.
        if record.kind == "mechanism" or record.formals or self.assumed:
            return None
        parts: list[Any] = [record.name]
        for name, value in given.items():
            if not isinstance(value, Value):
                return None
            if value.private:
                parts.append((name, value.form, value.space))
            elif value.source == "irrational":
                return None
            elif value.expr is not None:
                parts.append((name, value.expr))
            elif value.literal is not UNKNOWN:
                parts.append((name, type(value.literal).__name__, literal_text(value.literal)))
            else:
                return None
        return tuple(parts)

    def _summary(
        self,
        record: Record,
        name: str,
        args: dict[str, Arg],
        given: Mapping[str, Obj],
        module: Any,
        node: ast.AST,
        captured: dict[Source, dict[str, Expr]],
        told: dict[str, Term | None],
    ) -> Arg:
        """Interpret a function argument on fresh atoms and summarise what it does to them."""
        spaces = record.formals[name](args)
        loop = self.state.loop_number()
        sources, formals = [], []
        for i, space in enumerate(spaces):
            source = Source("row", f"{name}{i}", loop)
            sources.append(source)
            formals.append(self.formal(space, source, self._table(given, spaces)))
        mark = self.state.checkpoint()
        reading = self.by_row.begin(containers(given), sources)
        decided = not _in_every_entry(record, given)
        self.of_rows += decided
        around = self.where
        if len(formals) == 1:
            self.where = both(around, self.let_in(containers(given), loop))
        try:
            result = self.call(given[name], tuple(formals), module, node)
        finally:
            self.of_rows -= decided
            self.where = around
        what = self.by_row.end(reading)
        key = self.site(node), f"{record.name} {name}"
        self.by_row.note(key, module, node, what, listed=bool(reading.what))
        if self.state.cut(mark) is not None or len(self.state.samples) > mark[6]:
            raise stop(
                module, node, "mechanism-in-loop",
                f"the function given to `{record.name}` adds noise once per row",
                "a function without mechanisms", f"add the noise to the result of {record.name}",
            )  # fmt: skip
        if record.name == MAP and tuples.is_row(result) and _of_tables(given):
            assert isinstance(result, TupleValue)
            found = self._row(result, module, node)
        elif isinstance(result, Value):
            found = self._single(result, module, node)
        else:
            raise stop(
                module, node, "unsupported-call",
                f"the function given to `{record.name}` returns several values",
                "one number or one row per call", "return one value",
            )  # fmt: skip
        found_space, movement, term = found
        # Keys that may be missing are looked up row by row, and so is what lies in a range that
        # only a run knows.
        late = any(name.startswith("_") for name in symbols_of(found_space))
        alone = bool(reading.what) or late or _may_miss(found_space)
        by_row = self.is_whole if alone else None
        told[name] = of_row(term, loop, by_row) if movement.keys() <= set(sources) else None
        if record.name == MAP and told[name] is not None and isinstance(result, Value):
            shares = row_shares.of_rows(
                self.state, result.form or Form(()), lambda term: of_row(term, loop, by_row)
            )
            self._body_shares = shares
        maps = []
        for source, space in zip(sources, spaces, strict=True):
            norm = getattr(space, "norm", "")
            moves = movement.get(source, {})
            maps.append({(norm, out): moves.get(out, ZERO) for out in norms_of(found_space)})
        for source, bounds in movement.items():
            if source not in sources:
                into = captured.setdefault(source, {})
                for out, bound in bounds.items():
                    into[out] = into[out] + bound if out in into else bound
        kept = None
        of_rows = (
            isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp) and not self.scoring
        )
        if record.name == FILTER and of_rows and isinstance(result, Value):
            # A run moves what a comprehension lets through into this space.
            kept = let_through(self.state, spaces[0], formals[0], result)
        return Arg(text=args[name].text, body=Body(found_space, tuple(maps), kept=kept))

    def _single(self, result: Value, module: Any, node: ast.AST) -> _Made:
        """What a function gives that gives one value."""
        if not result.private:
            result = self.lifted(result, module, node)
        self._body_why = self._body_why or result.why
        self._body_unread = self._body_unread or self.unread.of([result.step])
        space = result.space
        assert space is not None
        if isinstance(space, Scalar):
            space = self._narrowed(result)
        return space, self.movement(result), of(result)

    def _narrowed(self, value: Value) -> Scalar:
        """The space of a number, with the range that its form has."""
        space = value.space
        assert isinstance(space, Scalar)
        interval = self.row_range(value.form or Form(()))
        if interval is None:
            return space
        lo, hi = best_lo(space.lo, interval[0]), best_hi(space.hi, interval[1])
        return msgspec.structs.replace(space, lo=lo, hi=hi)

    def _row(self, result: TupleValue, module: Any, node: ast.AST) -> _Made:
        """What a function gives that gives a row.

        Raises:
            Stop: a part of it is no value of a field.
        """
        items = []
        for item in result.items:
            assert isinstance(item, Value)
            items.append(item if item.private else self.lifted(item, module, node))
        row = tuples.row_of(items, self._narrowed)
        if row is None:
            raise stop(
                module, node, "unsupported-call",
                "a part of the tuple that is made of a row is no number, text, date or time",
                "a tuple of single values", "one comprehension for each of them",
            )  # fmt: skip
        for item in items:
            self._body_why = self._body_why or item.why
        self._body_unread = self._body_unread or self.unread.of([item.step for item in items])
        return row, tuples.together(map(self.movement, items)), tuples.term_of([*map(of, items)])

    def conclude(
        self,
        record: Record,
        conclusion: Conclusion,
        args: Mapping[str, Arg],
        given: Mapping[str, Obj],
        captured: Mapping[Source, Mapping[str, Expr]],
        told: Mapping[str, Term | None],
        module: Any,
        node: ast.AST,
        unit: MovementUnit | None = None,
    ) -> Value:
        span = module.span(node)
        private = {n: v for n, v in given.items() if isinstance(v, Value) and v.private}
        for trust in conclusion.rests_on:
            self.state.rests_on[trust] = None
        self.state.answers.update(dict.fromkeys(conclusion.answers))
        inputs = tuple(v.step for v in given.values() if isinstance(v, Value) and v.step)
        if conclusion.events:
            return self.release(record, conclusion, private, inputs, module, node, unit)
        self.require(conclusion.requires, module, node)
        if conclusion.space is None or not (private or captured):
            origin = "released" if any(a.released for a in args.values()) else "public"
            return Value(origin, expr=conclusion.value, source="computed")
        why = next((v.why for v in private.values() if v.why is not None), self._body_why)
        space = conclusion.space
        if record.name in quotients.RULES:
            space = quotients.narrowed(self.state, record.name, given, space)
        if conclusion.linear is not None and not captured:
            form = self._linear(conclusion, private, given)
            bounds: Any = self.state.movement(form)
        else:
            bounds = self._bounds(space, conclusion, private, captured, record.name in BOUNDING)
            regions = self._regions(record, bounds, private, captured, told)
            if record.name == "index" and not captured:
                counted, regions = regions, bins.entry(self.bins, given, bounds, regions)
            form = self.state.atom(space, bounds, regions)
            if record.name == "index" and not captured:
                bins.note_entry(self.state, self.bins, given, bounds, counted, form)
            self._as_table(record, space, form, given, private, told, conclusion)
            alone = self._narrowed_to(record, private, regions)
            if any(alone(v) != self.movement(v) for v in private.values()):
                own = self._bounds(
                    space, conclusion, private, captured, record.name in BOUNDING, alone
                )
                self.state.alone[form.terms[0][0]] = dict(own)
            self._by_category(record, form, given, private, told)
            if record.name == "concat" and not captured:
                replaced_vectors.joined(self.state, form, [*private.values()])
            if record.name in REMEMBERED:
                self.state.made[form] = record.name, in_order(record, given)
            if conclusion.square_of:
                self.state.products[form] = given[conclusion.square_of]
        endless = any(b.is_infinite for m in bounds.values() for b in m.values())
        unread = self.unread.of(inputs) or self._body_unread
        unread = unread or self.unread.noted(self.state, record.name, args, given, module, node)
        if endless and conclusion.why_infinite is not None:
            why = why or Reason(in_words(conclusion.why_infinite, unread), module, node)
        elif endless and why is None:
            why = Reason(
                Failure("infinite-stability", f"the result of `{record.name}` moves by any amount",
                        "finite bounds on its arguments", "dp.clamp the arguments first"),
                module, node,
            )  # fmt: skip
        value = self.private(space, form)
        if not captured:
            self._note_replaced(record, given, value, private, told)
        text = describe_bounds(self.alone(value), space)
        step = self.state.step(
            record.name, inputs, f"{space.describe()}; moves by {text}", span,
            bound=text, space=str(space), version=record.version,
        )  # fmt: skip
        self.unread.keep(step, space, unread)
        return self.private(space, form, step, why if endless else None)

    # -- rows ---------------------------------------------------------------------------------

    def _table(self, given: Mapping[str, Obj], formals: tuple[Space, ...]) -> Table | None:
        """The table whose row a function is given, where terms speak of its rows."""
        held = [v for v in given.values() if isinstance(v, Value) and v.private]
        if len(held) != 1 or len(formals) != 1 or held[0].form is None:
            return None
        return self.tables.get(held[0].form)

    def let_in(self, rows: Sequence[Value], reading: int) -> Region:
        """The rows of one table that filters left in it, as rows that a reading is given."""
        (table,) = rows if len(rows) == 1 else (None,)
        if table is None or table.form is None or table.form not in self.tables:
            return None
        regions = self.state.regions(table.form)
        found = union(regions.get(source) for source in self.movement(table))
        return in_reading(found, self.tables[table.form], reading)

    def _regions(
        self,
        record: Record,
        bounds: Mapping[Source, Any],
        private: Mapping[str, Value],
        captured: Mapping[Source, Any],
        told: Mapping[str, Term | None],
    ) -> dict[Source, Region]:
        """Which rows can move the result: those that move an argument, and that are selected."""
        found: dict[Source, Region] = {}
        if not (self.adds or self.shared):
            return found
        (table,) = private.values() if len(private) == 1 else (None,)
        replaces = isinstance(table, Value) and _replaces(table.space)
        # Of a table whose rows are replaced only a filter and a slice leave out rows: one unit
        # moves what is counted in one region and in another one, each by as much as it would move
        # it alone.
        counted = replaces and record.name not in ("filter", "slice")
        selected = None if counted else self._selected(record, private, told)
        for source in bounds:
            held = [
                self.state.regions(value.form).get(source)
                for value in private.values()
                if value.form is not None and source in self.movement(value)
            ]
            rows = selected if source in self.adds else None
            known = held and (source in self.adds or source in self.shared)
            region = both(union(held), rows) if known else None
            if source not in captured and region is not None:
                found[source] = region
        return found

    def _selected(
        self, record: Record, private: Mapping[str, Value], told: Mapping[str, Term | None]
    ) -> Region:
        """The rows of a table that a record does not leave out; a sum leaves out what is 0."""
        if len(private) != 1:
            return None
        (value,) = private.values()
        if value.form is None or value.form not in self.tables:
            return None
        if record.name in ("filter", "slice"):
            return accepted(told.get("predicate"))
        if not isinstance(value.space, Records):
            return None
        if record.name == "count":
            return accepted(told.get("predicate"))
        if record.name == "sum" and (term := self.made_of.get(value.form)) is not None:
            truths = replaced_rows.is_truth(value.space.row)
            return accepted(term) if truths else nonzero(term)
        return None

    def _left_out(
        self, record: Record, table: Value, given: Mapping[str, Obj],
        told: Mapping[str, Term | None],
    ) -> Region:  # fmt: skip
        """The rows of which a record may leave out a row, or which have none in its table; None
        where these may be any: where a run goes on row by row behind a test, it asks it again, and
        what rounds may then be another number (`values.rounding`)."""
        assert table.form is not None
        before = self.left_out.get(table.form)

        def besides(test: Term | None) -> Region:
            return None if may_round(test, self.is_whole) else either(before, rejected(test))

        if record.name == "filter" or (record.name == "count" and len(given) > 1):
            return besides(told.get("predicate"))
        rows = table.space
        if record.name == "sum" and isinstance(rows, Records) and replaced_rows.is_truth(rows.row):
            return besides(self.made_of.get(table.form))
        return before if record.name in ("sum", "count", "len", *_SAME_ROWS) else None

    def _note_replaced(
        self,
        record: Record,
        given: Mapping[str, Obj],
        value: Value,
        private: Mapping[str, Value],
        told: Mapping[str, Term | None],
    ) -> None:
        """What a result is of rows that are replaced, and which of them can move it."""
        (table,) = private.values() if len(private) == 1 else (None,)
        if table is None or table.form is None:
            return
        replaced = table.form in self.of_replaced
        made = self.of_replaced if replaced else self.of_added
        if table.form not in made:
            return
        source = made[table.form]
        selected = self._selected(record, private, told)
        region = both(self.state.regions(table.form).get(source), selected)
        left_out = self._left_out(record, table, given, told)
        shares = self.shares_of.get(table.form, ())
        if record.name == "count_distinct" and self.made_of.get(table.form) in self.ids:
            several_rows.note_ids(self.state, value, source)
        replaced_rows.note(
            self.state, made, record, given, value, region, left_out, replaced, shares
        )

    def _places(self, given: Mapping[str, Obj]) -> Term | None:
        """Which rows a slice of a table keeps, whose positions are its own."""
        value = given["x"]
        if not isinstance(value, Value) or not isinstance(value.space, Records):
            return None
        table = self.tables.get(value.form) if value.form is not None else None
        if table is None or value.form != single(table[0]) or value.space.size is None:
            return None
        return places.kept(table, value.space.size, given)

    def _as_table(
        self,
        record: Record,
        space: Space,
        form: Form,
        given: Mapping[str, Obj],
        private: Mapping[str, Value],
        told: Mapping[str, Term | None],
        conclusion: Conclusion,
    ) -> None:
        """Rows of the result as functions of one row: what a filter keeps is as it was, and what a
        function makes of a row is a row of a new table."""
        if not isinstance(space, Records) or len(private) != 1:
            return
        (value,) = private.values()
        if value.form is not None and record.name in _SAME_ROWS:
            self.same_rows[form] = self.same_rows.get(value.form, value.form)
        if isinstance(value.space, Owned):
            self._persons(form, value.space, space, conclusion.groups)
        if record.name == "join_public" and value.form in self.of_added:
            self._several(form, self.of_added[value.form])
        if value.form is None or value.form not in self.tables:
            return
        if record.name == "filter" or record.name in _SAME_ROWS:
            self.left_out[form] = self._left_out(record, value, given, told)
        if record.name in ("filter", "slice"):
            self.tables[form] = self.tables[value.form]
            if value.form in self.made_of:
                self.made_of[form] = self.made_of[value.form]
        elif record.name == "clamp":
            self.tables[form] = (form.terms[0][0], *self._rounds())
        elif record.name == "map" and len(told) == 1:
            (term,) = told.values()
            if term is not None:
                table = self.tables[form] = (form.terms[0][0], *self._rounds())
                self.made_of[form] = term
                self.shares_of[form] = self._body_shares
                held = groups.kept(self.groups.get(self.tables[value.form]), term, table)
                if held is not None:
                    self.groups[table] = held

    def _persons(self, form: Form, of_all: Owned, space: Records, of: Groups | None) -> None:
        """A new table whose rows persons have: terms speak of these, as parts of a person."""
        sources = [*self.state.movement(form)]
        if len(sources) == 1 and sources[0].kind == "param":
            self.adds.setdefault(sources[0], False)
            table = self._several(form, sources[0])
            if isinstance(space.row, Row) and space.row == of_all.row:
                self.ids.add(("row", table, space.row.names.index(of_all.column)))
            if of is not None and (held := groups.named(table, space.row, of)) is not None:
                self.groups[table] = held

    def _several(self, form: Form, source: Source) -> Table:
        """A new table of which one unit changes several rows: terms speak of these."""
        table = self.tables[form] = (form.terms[0][0], *self._rounds())
        self.left_out[form] = NOWHERE
        self.persons.add(source)
        several_rows.note_table(self.state, self.of_added, form, table, source)
        return table

    def _narrowed_to(
        self, record: Record, private: Mapping[str, Value], regions: Mapping[Source, Region]
    ) -> Callable[[Value], Mapping[Source, Movement]]:
        """How far an argument moves alone, where these rows of it are all that count.

        Of a table of which one unit changes few groups a record that selects rows sees no others.
        """
        (table,) = private.values() if len(private) == 1 else (None,)
        known = None if table is None else self.groups_of(table)
        if table is None or known is None or record.name not in _SELECTING:
            return self.alone
        less = groups.narrowed(known, regions, self.alone(table))
        return self.alone if less is None else lambda value: less

    def groups_of(self, table: Value) -> groups.InGroups | None:
        """Of how many groups of a table one unit changes rows; None where that is not known."""
        name = None if table.form is None else self.tables.get(table.form)
        return None if name is None else self.groups.get(name)

    def _by_category(
        self, record: Record, form: Form, given: Mapping[str, Obj],
        private: Mapping[str, Value], told: Mapping[str, Term | None],
    ) -> None:  # fmt: skip
        """Note how far numbers of rows by group move: a row is counted in its own group alone."""
        (table,) = private.values() if len(private) == 1 else (None,)
        if table is not None and record.name == "partition":
            key = told.get("key")
            parts = groups.of_parts(self.groups_of(table), key)
            self.parts.update({form: parts} if parts is not None else {})
            if key is not None:
                self.keyed[form] = table, key, given["keys"]
        if (
            record.name == "histogram" and table is not None and table.form is not None
            and table.form in {**self.of_added, **self.of_replaced}
            and table.form not in self.state.several and len(self.movement(table)) == 1
        ):  # fmt: skip
            adds = table.form in self.of_added
            source = (self.of_added if adds else self.of_replaced)[table.form]
            term = "bin", form.terms[0][0], *self._rounds()
            self.bins[form] = bins.Binned(source, term, adds, self.left_out.get(table.form))
        if record.name != "histogram" or given.keys() != {"x", "categories"}:
            return
        if table is None or (known := self.groups_of(table)) is None or table.form is None:
            return
        moves = groups.of_categories(known, self.tables[table.form])
        alone = replaced_rows.alone(self.state, form)
        if moves and len(alone) == 1:
            ((source, movement),) = alone.items()
            least = {n: best([b, *([moves[n]] if n in moves else [])]) for n, b in movement.items()}
            self.state.alone[form.terms[0][0]] = {source: least}

    def _linear(
        self, conclusion: Conclusion, private: Mapping[str, Value], given: Mapping[str, Obj]
    ) -> Form:
        assert conclusion.linear is not None
        parts = []
        for name, factor in conclusion.linear.items():
            value = given[name]
            assert isinstance(value, Value)
            if value.private:
                assert value.form is not None
                parts.append((value.form, factor))
            else:
                expr = self._exactly(value)
                parts.append((Form((), expr), factor))
        return combine(parts)

    def _bounds(
        self,
        space: Space,
        conclusion: Conclusion,
        private: Mapping[str, Value],
        captured: Mapping[Source, Mapping[str, Expr]],
        bounding: bool,
        alone: Callable[[Value], Mapping[Source, Movement]] | None = None,
    ) -> dict[Source, dict[str, Expr]]:
        """The movement of a result.

        Args:
            alone: how far arguments move by which no region is charged for a part of a unit.
        """
        movement_of = alone or self.movement
        # What one input moves in all tables of a join by the id, it moves in the result alike.
        by_id = conclusion.combine == "by_id" and len(private) > 1
        in_all = [movement_of(value).keys() for value in private.values()] if by_id else []
        alike = set(in_all[0]).intersection(*in_all[1:]) if in_all else set()
        per_source: dict[Source, list[tuple[Region, Mapping[str, Expr]]]] = {}
        for name, value in private.items():
            moves = conclusion.maps.get(name)
            if moves is None:
                if conclusion.linear is None or name not in conclusion.linear:
                    # The rule took no account of it, so nothing bounds what it does.
                    nowhere = dict.fromkeys(norms_of(space), INF)
                    for source in movement_of(value):
                        per_source.setdefault(source, []).append((None, nowhere))
                    continue
                factor = conclusion.linear[name]
                moves = {(n, n): absolute(factor) * D for n in norms_of(space)}
            shared = value.form if alone is None else None
            about = self.state.regions(shared) if shared is not None else {}
            for source, movement in movement_of(value).items():
                options: dict[str, list[Expr]] = {}
                for (inner, outer), step in moves.items():
                    if inner in movement:
                        step = D if source in alike else step
                        options.setdefault(outer, []).append(moved(step, movement[inner]))
                found = {outer: best(each) for outer, each in options.items()}
                per_source.setdefault(source, []).append((about.get(source), found))
        for source, movement in captured.items():
            found = {out: conclusion.captured * bound for out, bound in movement.items()}
            if norms_of(space) != tuple(found) and "" in found:
                found = dict.fromkeys(norms_of(space), found[""])
            per_source.setdefault(source, []).append((None, found))
        out: dict[Source, dict[str, Expr]] = {}
        wanted = norms_of(space)

        def of_all(each: Sequence[Mapping[str, Expr]]) -> dict[str, Expr]:
            merged: dict[str, Expr] = {}
            for norm in wanted:
                terms = [found[norm] for found in each if norm in found]
                if len(terms) < len(each):
                    continue
                if conclusion.combine in ("max", "by_id"):
                    merged[norm] = maximum(*terms)
                elif conclusion.combine == "concat":
                    merged[norm] = NORMS[norm].combined(terms)
                else:
                    merged[norm] = sum(terms[1:], terms[0])
            return merged

        for source, parts in per_source.items():
            full = all_norms(space, together(parts, of_all))
            out[source] = {
                norm: capped(space, full[norm], norm, bounding) for norm in wanted if norm in full
            }
        return out

    # -- releases and requirements ---------------------------------------------------------

    def release(
        self,
        record: Record,
        conclusion: Conclusion,
        private: Mapping[str, Value],
        inputs: tuple[str, ...],
        module: Any,
        node: ast.AST,
        unit: MovementUnit | None = None,
    ) -> Value:
        (event,) = conclusion.events
        (value,) = private.values()
        self._may_spend(record.name, module, node)
        movement = {s: m.get(event.norm, INF) for s, m in self.alone(value).items()}
        shared = {s: m.get(event.norm, INF) for s, m in self.movement(value).items()}
        for bound in movement.values():
            if bound.is_infinite:
                raise self.endless(value, module, node, f"`{record.name}` cannot hide it")
        ways = self._ways(record, value, movement)
        if unit is not None:
            movement, ways = dict(unit.moves), self.drawn.in_units(unit, ways)
            shared = movement
            event = msgspec.structs.replace(event, unit=unit.size, drawn=unit.drawn)
        size = getattr(value.space, "size", None) if event.norm else None
        shape = getattr(value.space, "shape", ()) if event.norm else ()
        event = msgspec.structs.replace(event, site=self.site(node), size=size, shape=shape)
        self.noise_places[event.site] = (module, node)
        self.require(conclusion.requires, module, node, movement)
        regions = self.state.regions(value.form) if self.adds and value.form is not None else {}
        about = {s: regions[s] for s in movement if s in self.adds and regions.get(s) is not None}
        within: dict[Source, Expr] = {}
        sums: dict[Source, tuple[RowSum, ...]] = {}
        for s in movement if unit is None else ():
            assert value.form is not None
            if s in self.state.come or s in self.state.replaced:
                sums[s] = row_shares.of_number(self.state, value.form, s) or ()
                of_sums = union(each.region for each in sums[s])
                if sums[s] and of_sums is not None and s in self.state.come:
                    about.setdefault(s, of_sums)
            known = replaced_vectors.vector_of(self.state, [value.form], s)
            if known is not None and s in self.of_parts:
                within[s] = known.replaced[event.norm or "L1"] * D
            elif known is None or s.kind != "param" or s not in self.state.replaced:
                continue
            elif known.region is not None and s not in about:
                both_rows = 2 * known.come[event.norm or "L1"] * D
                late = both_rows.symbols - movement[s].symbols
                if not any(name.startswith("_") for name in late):
                    about[s], shared[s] = known.region, both_rows
        leaf = Spent(event, movement, ways)
        by_side = self._by_side(value, leaf) if not (about or ways or unit) else None
        if about or within:
            leaf = about_rows(leaf, about, shared, within, sums)
        self.state.spend(leaf if by_side is None else by_side)
        space = conclusion.space or value.space
        if isinstance(space, Records | Keyed):
            space = None  # what a table or a dictionary releases is none
        elif space is not None and hasattr(space, "norm"):
            space = msgspec.structs.replace(space, norm="LInf", lo=-INF, hi=INF, radius=())
            if isinstance(space, Gradient) and not shape:  # a run gives an array of its entries
                space = Vector(space.element, "LInf", space.size)
        elif isinstance(space, Scalar) and space.element != "Data":
            space = Scalar(space.element)
        noise = ", ".join(f"{k} {show(v, '_bound')}" for k, v in event.noise.items())
        step = self.state.step(
            record.name, inputs, f"released with {noise}", module.span(node), bound=noise,
            space="released", version=record.version, site=event.site,
        )  # fmt: skip
        array = isinstance(space, Vector) or bool(shape)
        array = array and getattr(space, "element", "") == "Real"
        return Value("released", space, expr=None, step=step, holds=ARRAY if array else "")

    def _by_side(self, value: Value, leaf: Spent) -> Tree | None:
        """The event of a value that a public condition chose, per side: noise that is set for the
        larger movement hides the smaller one; None of any other value.

        Only of what parameters move, outside of loops: there nothing is put in the place of a
        source, so that the noise stays that of both sides.
        """
        terms = value.form.terms if value.form is not None else ()
        ((atom, factor), *others) = terms or ((-1, ONE),)
        sides = self.state.sides.get(atom, ())
        if self.rounds or others or factor != ONE or len(sides) != 2:
            return None
        names = {n for known, _ in sides for r in known for n in r.left.symbols | r.right.symbols}
        if names & self.state.rounds:  # of a round that is over
            return None
        moved = [
            {
                s: best([m.get(leaf.event.norm, INF), leaf.moved.get(s, INF)])
                for s, m in self.state.movement(form).items()
            }
            for _, form in sides
        ]
        sources = {source for each in (leaf.moved, *moved) for source in each}
        if any(source.kind != "param" for source in sources) or any(
            bound.is_infinite for each in moved for bound in each.values()
        ):
            return None
        bound = noise_bound(leaf)
        items = tuple(Spent(leaf.event, each, bound=bound) for each in moved)
        return Choice(items, tuple(known for known, _ in sides))

    def _ways(
        self, record: Record, value: Value, movement: Mapping[Source, Expr]
    ) -> dict[Source, tuple[Expr, Expr]]:
        """How far up and down one unit moves a number that noise is added to; asked on samples."""
        adds = record.family is not None and record.family.adds
        if not (adds and self.state.samples and isinstance(value.space, Scalar)):
            return {}
        assert value.form is not None
        found = {}
        for source, whole in movement.items():
            both = ends(self.state, self.rising, value.form, source)
            up, down, most = (linear_coefficient(m) for m in (*both, whole))
            if up is None or down is None or most is None:
                continue
            if any(compare(each, "<", most) is True for each in (up, down)):
                found[source] = both
        return found

    def counts_in(self, values: Sequence[Value]) -> list[Span]:
        """Places of the numbers of rows that private values are made of, before any noise."""
        steps = {step.id: step for step in self.state.steps}
        waiting = [value.step for value in values if value.private]
        seen: set[str] = set()
        found = []
        while waiting:
            name = waiting.pop()
            step = steps.get(name)
            if step is None or name in seen or step.space == "released":
                continue
            seen.add(name)
            waiting += step.inputs
            if step.rule in ("len", "size", "count"):
                found.append(step.span)
        return found

    def _may_spend(self, name: str, module: Any, node: ast.AST) -> None:
        if not self.noise_allowed:
            raise stop(
                module, node, "mechanism-in-transformation",
                f"`{name}` adds noise in a transformation", "a transformation without mechanisms",
                "decorate the function with @dp.measurement",
            )  # fmt: skip
        if self.private_tests:
            raise stop(
                module, node, "private-condition-mechanism",
                "a private condition decides whether noise is added here, so that there is an "
                "answer, or none, would show how the data decided",
                "the same mechanisms whatever the private data",
                "move the mechanism out of the branch, or let a released number decide",
            )  # fmt: skip

    def endless(self, value: Value, module: Any, node: ast.AST, consequence: str) -> Stop:
        """The rejection of an infinite movement, at the place where it became infinite."""
        why = value.why
        if why is None:
            return Stop(
                report(
                    module, node, "infinite-stability",
                    f"one person can move this value by any amount, so {consequence}",
                    "a finite bound on the value", "dp.clamp(value, lower, upper) before it",
                    label="d = oo",
                )
            )  # fmt: skip
        f = why.failure
        notes: tuple[Note, ...] = ()
        if why.node is not node and why.module is module:
            notes = (Note(module.span(node), consequence),)
        return Stop(
            report(
                why.module, why.node, f.code, f.message, f.need, f.help, label="d = oo", notes=notes
            )
        )

    def require(
        self,
        requirements: tuple[Requirement, ...],
        module: Any,
        node: ast.AST,
        movement: Any = None,
    ) -> None:
        """Drop what holds, reject what fails, keep the rest for the guarantee."""
        for requirement in requirements:
            left, right = requirement.left, requirement.right
            late = "_bound" in left.symbols | right.symbols
            if not late:
                verdict = compare(left, requirement.op, right)
                if verdict is True:
                    continue
                if verdict is None and follows(left, requirement.op, right, self.assumed):
                    continue
                if verdict is False:
                    raise failed(requirement, module, node)
            self.state.pending.append(
                PendingRequirement(
                    requirement, module.span(node), module, node, movement if late else None
                )
            )


#: Records that call a function once for every entry or row of a container of public length.
_EVERY_ENTRY = frozenset({"map", "map_rows", "fold"})


def _other_scale(record: Record, args: Mapping[str, Arg], module: Any, node: ast.AST) -> Stop:
    """The rejection of noise that is not known to grow with the released bound of what it hides."""
    x, scale = args["x"].text, args.get("scale")
    if scale is None or scale.text in ("_", "None"):
        noise = "noise"
        help = "divide by the bound, clamp to [0, 1], add noise, multiply by the bound afterwards"
    else:
        noise = f"the scale {scale.text}"
        help = f"dp.{record.name}({x}, {SCALED[record.name][1]})"
    return stop(
        module, node, "released-cost",
        f"{x} moves by a number that was released, and nothing shows that {noise} is a multiple "
        "of it, so that the cost would be another one in every run",
        "noise that follows the bound, whatever was released", help,
    )  # fmt: skip


def _in_every_entry(record: Record, given: Mapping[str, Obj]) -> bool:
    """Whether public sizes alone say how often a function of rows is called."""
    held = [v for v in given.values() if isinstance(v, Value) and v.private]
    return record.name in _EVERY_ENTRY and all(
        isinstance(value.space, Vector | Matrix | Scalar) for value in held
    )


def _replaces(space: Space | None) -> bool:
    return isinstance(space, Records) and space.row_metric.replaces


def _of_tables(given: Mapping[str, Obj]) -> bool:
    """Whether a record goes through tables, whose rows may have fields."""
    held = [v for v in given.values() if isinstance(v, Value) and v.private]
    return bool(held) and all(isinstance(value.space, Records) for value in held)


def _may_miss(space: Space) -> bool:
    """Whether some value that a row gives may be missing."""
    return any(map(_may_miss, space.fields)) if isinstance(space, Row) else isinstance(space, Maybe)


def _is_whole(space: Space) -> bool:
    """Whether values of a space are whole numbers, or no numbers."""
    if isinstance(space, Maybe):
        return _is_whole(space.inner)
    if isinstance(space, Scalar):
        return space.kind in ("int", "bool", "str") or space.element in ("Int", "Bool")
    return isinstance(space, Moment)


def _of_row(table: Table | None, place: tuple[int, ...], source: Source) -> Term | None:
    """The term of a field; of a field that holds several values, of one of these."""
    if table is None:
        return None
    return ("row", table, place[0] if len(place) == 1 else place, source.loop)


def refused(failure: Failure, module: Any, node: ast.AST) -> Stop:
    """The rejection of arguments that a rule does not cover."""
    f = failure
    return stop(module, node, f.code, f.message, f.need, as_called(f.help, node))


def failed(requirement: Requirement, module: Any, node: ast.AST) -> Stop:
    """The rejection of a requirement that does not hold."""
    r = requirement
    if r.code == "claimed-sensitivity":
        return stop(
            module, node, r.code,
            f"one person moves this value by up to {r.left}, and the claim is {r.right}",
            f"a claim of at least {r.left}", f"claim {r.left} in place of {r.right}",
        )  # fmt: skip
    return stop(
        module, node, r.code, f"this needs {r.left} {r.op} {r.right}, which does not hold",
        f"{r.left} {r.op} {r.right}", r.remedy,
    )  # fmt: skip


def _literal(value: Obj) -> Any:
    if isinstance(value, Constant):
        return value.value
    if isinstance(value, Library):
        return value.dotted.rsplit(".", 1)[-1]
    if isinstance(value, Builtin):
        return value.name
    if isinstance(value, TupleValue):
        names = any(isinstance(item, Library | Builtin) for item in value.items)
        items = [None if names else _literal(item) for item in value.items]
        return None if any(item is None for item in items) else tuple(items)
    if isinstance(value, Value) and not value.private and value.literal is not UNKNOWN:
        return value.literal
    return None
