"""A tracked value: a private value of a session with its space and its bound.

Operations that have a rule give tracked values; every other operation raises `TrackedError`, which
says what to write.  The object holds operations and public facts, never a private number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, Protocol

from metricdp.errors import TrackedError
from metricdp.expr import ZERO, Expr
from metricdp.record import REGISTRY, by_numpy, by_operator
from metricdp.spaces import Space

#: NumPy functions that take their arguments in one tuple.
_JOINING = ("numpy.concatenate", "numpy.hstack")


class NoAttributeError(TrackedError, AttributeError):
    """An attribute of a tracked value that is neither a public fact nor a rule."""


def refused(what: str, remedy: str) -> TrackedError:
    """The refusal of an operation."""
    return TrackedError(f"{what} has no rule on a tracked value", remedy=remedy)


_RELEASE = "release it first: dp.laplace(x, epsilon=0.1).value"
_NUMBER = f"{_RELEASE}; or use a rule, such as dp.clamp, dp.floor or numpy.sqrt"
_TEST = "comparisons of tracked values join with & and |, and count with dp.count(test, x)"
_ROWS = "use a rule on the whole value: dp.sum(x), dp.count(x), dp.map(f, x), dp.filter(f, x)"
_COPY = "keep the session in its process; release what has to travel"


def _binary(operator: str) -> Callable[[Tracked, Any], Any]:
    def method(self: Tracked, other: Any) -> Any:
        return self._work.operator(operator, self, other)

    return method


def _reflected(operator: str) -> Callable[[Tracked, Any], Any]:
    def method(self: Tracked, other: Any) -> Any:
        return self._work.operator(operator, other, self)

    return method


def _unary(record: str) -> Callable[[Tracked], Any]:
    def method(self: Tracked) -> Any:
        return self._work.apply(REGISTRY[record], [self], {})

    return method


def _no(what: str, remedy: str) -> Callable[..., NoReturn]:
    def method(self: Tracked, *args: Any, **keywords: Any) -> NoReturn:
        raise refused(what, remedy)

    return method


class Rules(Protocol):
    """What a tracked value asks for its operations: the workspace of its session."""

    def apply(self, record: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """A record on tracked and public arguments."""

    def operator(self, symbol: str, left: Any, right: Any) -> Any:
        """left symbol right, as the checker reads it."""

    def bounds(self, value: Any) -> dict[str, Expr]:
        """Table -> movement of an abstract value in the norm of its space."""

    def chain(self, value: Any, node: Any) -> Any:
        """A table in the words of data frames; None of what is no table with columns."""


class Tracked:
    """A private value of a session: `session["table"]`, and what operations make of it."""

    __slots__ = ("__weakref__", "_node", "_value", "_work")

    def __init__(self, work: Rules, value: Any, node: Any) -> None:
        self._work, self._value, self._node = work, value, node

    # -- public facts -----------------------------------------------------------------------

    @property
    def space(self) -> Space:
        """The space that the value lies in; a public fact."""
        found: Space = self._value.space
        return found

    @property
    def bounds(self) -> dict[str, Expr]:
        """Table -> how far the value moves when that table moves by d_in; public facts."""
        return self._work.bounds(self._value)

    @property
    def bound(self) -> Expr:
        """How far the value moves with the one table that it is made of.

        Raises:
            TrackedError: it is made of several tables; see `bounds`.
        """
        found = self.bounds
        if len(found) > 1:
            raise refused("one bound for several tables", "x.bounds has one per table")
        return next(iter(found.values()), ZERO)

    def __repr__(self) -> str:
        moves = ", ".join(f"{name}: {bound}" for name, bound in self.bounds.items())
        return f"<tracked {self.space.describe()}; moves by {moves or 0}>"

    def _repr_html_(self) -> str:
        from metricdp.report.cards import card

        moves = [(f"moves with {name} by", str(bound)) for name, bound in self.bounds.items()]
        return card("tracked value", self.space.describe(), facts=[*moves, ("to see it", _RELEASE)])

    # -- rules ------------------------------------------------------------------------------

    def __metricdp_apply__(self, record: Any, args: Any, keywords: Any) -> Any:
        return self._work.apply(record, list(args), dict(keywords))

    __add__, __radd__ = _binary("+"), _reflected("+")
    __sub__, __rsub__ = _binary("-"), _reflected("-")
    __mul__, __rmul__ = _binary("*"), _reflected("*")
    __truediv__, __rtruediv__ = _binary("/"), _reflected("/")
    __floordiv__, __rfloordiv__ = _binary("//"), _reflected("//")
    __mod__, __rmod__ = _binary("%"), _reflected("%")
    __pow__, __rpow__ = _binary("**"), _reflected("**")
    __matmul__, __rmatmul__ = _binary("@"), _reflected("@")
    __and__, __rand__ = _binary("and"), _reflected("and")
    __or__, __ror__ = _binary("or"), _reflected("or")
    __lt__, __le__ = _binary("<"), _binary("<=")
    __gt__, __ge__ = _binary(">"), _binary(">=")
    __eq__, __ne__ = _binary("=="), _binary("!=")
    __neg__, __abs__, __invert__ = _unary("neg"), _unary("abs"), _unary("logical_not")
    __floor__, __ceil__, __trunc__ = _unary("floor"), _unary("ceil"), _unary("trunc")

    def __pos__(self) -> Tracked:
        return self

    def __round__(self, digits: None = None) -> Any:
        if digits is not None:
            raise refused("round(x, digits)", "round(x * 100) / 100")
        return self._work.apply(REGISTRY["round"], [self], {})

    def __getitem__(self, index: Any) -> Any:
        chain = self._work.chain(self._value, self._node) if isinstance(index, str) else None
        if chain is not None:
            return chain[index]
        if type(index) is not int:
            raise refused("indexing with anything but a whole number", _ROWS)
        record = by_operator("[]")
        assert record is not None
        return self._work.apply(record, [self, index], {})

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
        name = f"numpy.{ufunc.__name__}"
        if method != "__call__" or keywords:
            raise refused(f"{name}.{method} or a keyword of it", _ROWS)
        return self._numpy(name, inputs, {})

    def __array_function__(self, function: Any, types: Any, args: Any, keywords: Any) -> Any:
        module = str(getattr(function, "__module__", "numpy"))
        return self._numpy(f"{module}.{function.__name__}", args, keywords)

    def _numpy(self, name: str, args: Any, keywords: Any) -> Any:
        record = by_numpy(name)
        if record is None:
            raise refused(f"`{name}`", "a function of metricdp, or a NumPy function with a rule")
        if name in _JOINING and len(args) == 1 and isinstance(args[0], tuple | list):
            args = tuple(args[0])
        return self._work.apply(record, list(args), dict(keywords))

    # -- everything else is refused ---------------------------------------------------------

    __float__, __int__ = _no("float()", _NUMBER), _no("int()", _NUMBER)
    __complex__, __index__ = _no("complex()", _NUMBER), _no("use as a position", _NUMBER)
    __bool__ = _no("a test (if, and, or, not, a < b < c)", _TEST)
    __len__ = _no("len()", "dp.count(x) is private and tracked; dp.len(x) where it is public")
    __iter__, __reversed__ = _no("iteration", _ROWS), _no("reversed()", _ROWS)
    __contains__ = _no("in", "dp.count(lambda row: row == value, x)")
    __str__, __format__ = _no("printing", _RELEASE), _no("formatting", _RELEASE)
    __hash__ = _no("hash()", "use the name of the variable as the key")
    __reduce__, __reduce_ex__ = _no("pickle", _COPY), _no("pickle or copy", _COPY)
    __copy__, __deepcopy__ = _no("copy", _COPY), _no("copy", _COPY)
    __array__ = _no("conversion to an array", _ROWS)
    __setitem__, __delitem__ = _no("assignment", _ROWS), _no("del", _ROWS)
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = _no("a shift", _NUMBER)
    __xor__ = __rxor__ = _no("^", "x != y")
    __divmod__ = __rdivmod__ = _no("divmod()", "x // y and x % y")
    __call__ = _no("a call", _ROWS)
    __enter__ = __exit__ = _no("with", _ROWS)
    __bytes__ = __dir__ = _no("bytes()", _RELEASE)
    __iadd__, __isub__, __imul__ = __add__, __sub__, __mul__

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise NoAttributeError(f"{name} has no rule on a tracked value")
        chain = self._work.chain(self._value, self._node)
        if chain is not None:
            return getattr(chain, name)
        remedy = f"write dp.{name}(x)" if name in REGISTRY else _ROWS
        raise NoAttributeError(f"`.{name}` has no rule on a tracked value", remedy=remedy)


class RowView:
    """A row inside a traced function: its fields by name or position are tracked values."""

    __slots__ = ("_fields", "_names", "_positions")

    def __init__(self, fields: tuple[Any, ...], names: tuple[str, ...], items: bool) -> None:
        self._positions = fields
        self._names = dict(zip(names, fields, strict=False)) if not items else {}
        self._fields = dict(zip(names, fields, strict=False)) if items else {}

    def __getattr__(self, name: str) -> Any:
        if name in self._names:
            return self._names[name]
        raise NoAttributeError(f"a row has no field `{name}`", remedy="use a declared field")

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str) and key in self._fields:
            return self._fields[key]
        if type(key) is int and 0 <= key < len(self._positions) and not self._fields:
            return self._positions[key]
        raise refused(f"row[{key!r}]", "a declared field, or a position of the row")

    __iter__ = __len__ = __bool__ = _no("a row as a whole", "use its fields")
