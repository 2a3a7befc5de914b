"""The rules of the registry applied to tracked values, by the very domain that check applies.

A session has one workspace: its tables are the sources of movement, its public numbers are known,
and what check concludes for symbols is concluded here for those numbers.
"""

from __future__ import annotations

import ast
import threading
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from metricdp.check.domain.privacy import PrivacyDomain
from metricdp.check.language.binding import bind_rule
from metricdp.check.values import public
from metricdp.check.values.findings import Stop
from metricdp.check.values.forms import Source
from metricdp.check.values.objects import Closure, TupleValue, Value
from metricdp.diagnostics import NOWHERE
from metricdp.errors import MetricdpError, ParameterError, TrackedError
from metricdp.expr import Expr, num
from metricdp.plain import plain, type_name
from metricdp.record import REGISTRY, Record, by_operator
from metricdp.run.release import Release
from metricdp.sessions.chains import chain_of, has_columns
from metricdp.sessions.graph import Operation, RowFunction
from metricdp.sessions.tracked import RowView, Tracked, refused
from metricdp.spaces import Aligned, Scalar, Space
from metricdp.spaces.markers import Marker
from metricdp.values import Exact

_NODE: ast.expr = ast.Constant(None, lineno=1, col_offset=0)
_ONE_EACH = "declare each table on its own, or write a checked function for aligned tables"


class NoFile:
    """The module of operations that stand in no file."""

    path = "session"
    lines: tuple[str, ...] = ()

    def span(self, node: Any) -> Any:
        """Nowhere."""
        return NOWHERE


class Workspace:
    """Applies records to tracked values.

    Args:
        release: pays for a mechanism and runs it.
        asks: the session that chains of methods on its tables ask; see `chains.ChainSession`.
    """

    def __init__(self, release: Callable[..., Any], asks: Any = None) -> None:
        from metricdp.primitives import load

        load()
        self.domain = PrivacyDomain(self._trace)
        self.module: Any = NoFile()
        self.lock = threading.RLock()
        self._release, self._asks = release, asks
        self._bodies: dict[int, tuple[Any, RowFunction]] = {}
        #: Calls of `apply` that are under way, and functions that are being traced.
        self._depth = self._tracing = 0
        #: What a function of the caller raised while it was traced.
        self._raised: Exception | None = None

    def text(self, node: Any) -> str:
        """What messages call an argument."""
        return "x"

    def table(self, name: str, space: Space) -> Tracked:
        """The tracked value of a table.

        Raises:
            TrackedError: aligned tables, which are several values.
        """
        if isinstance(space, Aligned):
            raise refused("a part of aligned tables", _ONE_EACH)
        return Tracked(self, self.domain.parameter(name, space), Operation("table", name))

    def bounds(self, value: Value) -> dict[str, Expr]:
        """Table -> movement in the norm of the value's space."""
        norm = getattr(value.space, "norm", "")
        found = self.domain.movement(value)
        return {source.name: moves[norm] for source, moves in found.items() if norm in moves}

    def chain(self, value: Value, node: Any) -> Any:
        """A table in the words of data frames; None of what is no table with columns."""
        if node.kind != "table" or not has_columns(value.space) or self._asks is None:
            return None
        return chain_of(self._asks, node.name, value.space)

    # -- application ------------------------------------------------------------------------

    def operator(self, symbol: str, left: Any, right: Any) -> Any:
        """left symbol right, as the checker reads it."""
        record = by_operator(symbol)
        assert record is not None
        if symbol in ("+", "-"):
            left, right = self._as_number(left, right), self._as_number(right, left)
        return self.apply(record, [left, right], {})

    def _as_number(self, value: Any, other: Any) -> Any:
        """Bounded discrete data next to a private number are read as a number, as in check."""
        if not (isinstance(value, Tracked) and isinstance(other, Tracked)):
            return value
        space, beside = value._value.space, other._value.space
        if not (isinstance(space, Scalar) and isinstance(beside, Scalar)):
            return value
        if space.element != "Data" or space.kind == "str" or beside.element not in ("Real", "Int"):
            return value
        if space.lo.is_infinite or space.hi.is_infinite:
            return value
        return self.apply(REGISTRY["undisc"], [value], {})

    def apply(self, record: Record, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """A record on tracked and public arguments: a tracked value, a public one or a release.

        Raises:
            TrackedError: no rule applies.
            ParameterError: a requirement of the rule on public numbers fails.
            BudgetError: a mechanism that costs more than what is left.
        """
        with self.lock:
            mark = self.domain.state.checkpoint()
            self._depth += 1
            failed: MetricdpError
            try:
                arguments = [self._read(a, record.name) for a in arguments]
                keywords = {str.__str__(k): self._read(a, record.name) for k, a in keywords.items()}
                return self._applied(record, arguments, keywords, mark)
            except Stop as stop:
                self.domain.state.rollback(mark)
                failed = _typed(stop)
            except Exception as error:
                self.domain.state.rollback(mark)
                if isinstance(error, MetricdpError) or error is self._raised:
                    raise
                # A rule that was given what it never expected has concluded nothing.
                failed = refused(f"`{record.name}` on these arguments", "see its documentation")
            except BaseException:
                self.domain.state.rollback(mark)
                raise
            finally:
                self._depth -= 1
                if not self._depth:
                    self._bodies.clear()
                    self._raised = None
        raise failed

    def _applied(
        self, record: Record, arguments: list[Any], keywords: dict[str, Any], mark: Any
    ) -> Any:
        objects = {id(a): self.abstract(a) for a in (*arguments, *keywords.values())}
        kept = [*arguments, *keywords.values()]  # ids stay theirs
        given, order, texts, permutation = bind_rule(
            self, record, [objects[id(a)] for a in arguments],
            {k: objects[id(a)] for k, a in keywords.items()}, _NODE,
            [None] * len(arguments), {},
        )  # fmt: skip
        if permutation is not None:
            arguments = [arguments[i] for i in permutation]
        if record.kind == "mechanism":
            return self._mechanism(record, given, arguments, keywords, mark, texts, order)
        if record.kind != "transformation":
            raise refused(f"`{record.name}`", "write a checked function, and session.run it")
        value = self.domain.apply(record, given, self.module, _NODE, texts, order)
        assert kept is not None
        if not value.private:
            return _number_of(value, record)
        concrete = [self._concrete(a) for a in arguments]
        named = {k: self._concrete(a) for k, a in keywords.items()}
        rows = getattr(value.space, "row", None)
        return Tracked(self, value, Operation("rule", record.name, concrete, named, rows))

    def _mechanism(
        self, record: Record, given: Any, arguments: Any, keywords: Any, mark: Any,
        texts: Any, order: Any,
    ) -> Any:  # fmt: skip
        several = [a for a in (*arguments, *keywords.values()) if isinstance(a, Tracked)]
        if len(several) != 1 or self._tracing:
            remedy = "write a checked function, and session.run it"
            raise refused(f"`{record.name}` on these arguments", remedy)
        (hidden,) = several
        value = self.domain.apply(record, given, self.module, _NODE, texts, order)
        pending = self.domain.state.pending[mark[1] :]
        tree = self.domain.state.cut(mark)
        self.domain.state.rollback(mark)
        assert tree is not None and value is not None
        public_ones = {
            name: found for name, found in _named(record, arguments, keywords).items()
            if not isinstance(found, Tracked)
        }  # fmt: skip
        return self._release(record, hidden, tree, pending, public_ones)

    # -- arguments --------------------------------------------------------------------------

    def _read(self, given: Any, name: str) -> Any:
        """An argument, read this once: what is charged and what runs is made of what is found."""
        if type(given) in (Tracked, RowView):
            return given
        if type(given) is Release:
            given = given.value
        if type(given) is range:
            given = tuple(given)
        if type(given) is type and issubclass(given, Marker):
            return given.name
        try:
            return plain(given, name, _keeps)
        except ParameterError:
            kind = type_name(given)
        raise TrackedError(
            f"a {kind} next to a tracked value has no rule",
            remedy="public numbers, texts, tuples and functions; or put the data in the session",
        )

    def abstract(self, given: Any) -> Any:
        """What a rule knows of an argument."""
        if isinstance(given, Tracked):
            if given._work is not self:
                raise refused("an operation on values of two sessions", "open one session on both")
            return given._value
        if isinstance(given, RowView):
            raise refused("a row as a whole", "use its fields")
        if isinstance(given, tuple | list):
            if any(isinstance(item, Tracked) for item in given):
                raise refused("a list of tracked values", "pass them one by one")
            return TupleValue(tuple(self.abstract(item) for item in given), isinstance(given, list))
        if isinstance(given, Fraction):
            return Value("public", expr=num(given), literal=given, source="literal")
        if given is None or isinstance(given, bool | int | float | str):
            return public.literal(given)
        if callable(given):
            return Closure(ast.Lambda(_NO_ARGUMENTS, _NODE), self.module, given, "function")
        raise TrackedError(
            f"a {type(given).__name__} next to a tracked value has no rule",
            remedy="public numbers, texts, tuples and functions; or put the data in the session",
        )

    def _concrete(self, given: Any) -> Any:
        """What a reference function gets: a node for what is private, else the public value."""
        if isinstance(given, Tracked):
            return given._node
        if isinstance(given, Fraction | float) and not isinstance(given, bool):
            return Exact(Fraction(given))
        if isinstance(given, tuple | list):
            return type(given)(self._concrete(item) for item in given)
        if callable(given):
            if id(given) not in self._bodies:
                raise refused("a function in this place", "a function of rows, as in dp.count")
            return self._bodies[id(given)][1]
        return given

    def _trace(self, closure: Any, formals: Any, module: Any, node: Any) -> Any:
        """Run a function once on formal arguments, and keep the operations that it makes."""
        nodes = [Operation("formal", i) for i in range(len(formals))]
        views = [self._view(f, n) for f, n in zip(formals, nodes, strict=True)]
        function = closure.frame
        self._tracing += 1
        try:
            result = function(*views)
        except Exception as error:
            self._raised = error
            raise
        finally:
            self._tracing -= 1
        result = self._read(result, "the function")
        abstract = self.abstract(result)
        self._bodies[id(function)] = (function, RowFunction(nodes, self._concrete(result)))
        return abstract

    def _view(self, formal: Any, node: Operation) -> Any:
        if isinstance(formal, TupleValue):
            fields = tuple(
                self._view(part, Operation("field", formal.names[i] if formal.names else i, [node]))
                for i, part in enumerate(formal.items)
            )
            return RowView(fields, formal.names, formal.is_list)
        return Tracked(self, formal, node)


def _keeps(given: Any) -> bool:
    """Tracked values in a list, and what is called: functions of rows, which are traced."""
    return type(given) in (Tracked, RowView) or callable(given)


_NO_ARGUMENTS = ast.arguments([], [], None, [], [], None, [])


def source_of(name: str) -> Source:
    """The source of movement of a table."""
    return Source("param", name)


def _named(record: Record, arguments: list[Any], keywords: dict[str, Any]) -> dict[str, Any]:
    code = record.rule.__code__
    return {**dict(zip(code.co_varnames[: code.co_argcount], arguments, strict=False)), **keywords}


def _number_of(value: Value, record: Record) -> Any:
    """A result that does not depend on private data."""
    exact = value.expr.as_fraction() if value.expr is not None else None
    if exact is None:
        raise refused(f"`{record.name}` of public values", "compute it without metricdp")
    return int(exact) if exact.denominator == 1 else float(exact)


def _typed(stop: Stop) -> MetricdpError:
    found = stop.diagnostic
    kind = ParameterError if found.code in ("requirement-fails", "bad-noise") else TrackedError
    return kind(found.message, place=found.code, remedy=found.help)
