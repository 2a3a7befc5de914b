"""The columnar language: a closed set of total operators over the columns of one table.

A node says how one value of a row comes from the stored columns of that row, and from nothing else.
Numbers of a row are what Python holds, and are computed as Python computes: IEEE doubles with one
rounding per operation, and unbounded integers.  Operators are total: x / 0 is 0, a result that is
no number is 0.0, and an infinite one is the largest double.

Evaluators (`reference`, `arrays`) give every operator its meaning; records use the functions below
and know no evaluator.
"""

from __future__ import annotations

import operator as plain
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from fractions import Fraction
from functools import lru_cache
from math import inf, isfinite, nextafter
from typing import Any, Final, Protocol

from metricdp.columns.characters import made

LARGEST: Final = sys.float_info.max
#: What a node holds: "double", "integer", "boolean" or "text".
Base = str


class Untraceable(Exception):
    """A function does something with its row that the language has no operator for.

    Attributes:
        what: the operation, in words.
    """

    def __init__(self, what: str) -> None:
        self.what = what
        super().__init__(what)


class Node:
    """A value of every row.

    Attributes:
        operator: one of `OPERATORS`.
        arguments: the nodes that it is computed from.
        base: what it holds.
        width: how many numbers, when it is a vector; None for one value.
        public: what else the operator needs: a number, a position, a text.
        most: a public bound on the size of a number; infinite where there is none.
        range: the least and the greatest number that it can be, where `clamp` has said so.
    """

    __slots__ = ("arguments", "base", "most", "operator", "public", "range", "width")
    __array_ufunc__ = None

    def __init__(
        self,
        operator: str,
        arguments: tuple[Node, ...],
        base: Base,
        width: int | None = None,
        public: Any = None,
        most: float = inf,
    ) -> None:
        self.operator, self.arguments = operator, arguments
        self.base, self.width, self.public, self.most = base, width, public, most
        self.range: tuple[Any, Any] | None = None

    def __bool__(self) -> bool:
        return decide(self)

    # Python would compare stand-ins, or look them up, where their values are meant.
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise Untraceable("a comparison that is no operator of a row")

    def __iter__(self) -> Any:
        if self.width is None:
            raise Untraceable("going through one value of a row")
        return iter([entry(self, i) for i in range(self.width)])

    def __len__(self) -> int:
        if self.width is None:
            raise Untraceable("the length of one value of a row")
        return self.width

    def __repr__(self) -> str:
        return f"Node({self.operator})"


#: Says which way a branch on a value of a row goes while a function is traced; see `tracing`.
DECIDER: ContextVar[Callable[[Node], bool] | None] = ContextVar("metricdp_decider", default=None)


def decide(node: Node) -> bool:
    """The truth value of a condition: known of constants, else the one that is being traced."""
    if node.width is not None:
        raise Untraceable("the truth value of a vector")
    if node.operator == "constant":
        return bool(node.public)
    decider = DECIDER.get()
    if decider is None:
        raise Untraceable("a branch on a value of a row")
    return decider(node)


#: Every operator; `reference` gives each its meaning.
OPERATORS: Final = frozenset(
    """stored constant add sub mul div floordiv mod neg abs min max clamp double floor ceil trunc
    round lt le eq and or not select sum entry slice concat stack largest smallest sorted outer
    called scaled_into exp log sqrt sin cos tanh sigmoid softplus power text by_value position
    item""".split()
)


def single(value: Any) -> Node:
    """One value of every row.

    Raises:
        Untraceable: a vector, or what wraps a value.
    """
    if not isinstance(value, Node) or value.width is not None:
        raise Untraceable("fields, keys or ids that are no single values")
    return value


# -- leaves


def stored(position: int, base: Base, width: int | None = None, most: float = inf) -> Node:
    """The column at a position of the table.

    Args:
        most: bound on the size of its numbers.
    """
    return Node("stored", (), base, width, position, 1.0 if base == "boolean" else most)


def constant(value: Any) -> Node:
    """The same public value in every row: a number, a text, a Boolean or a sequence of numbers."""
    if isinstance(value, Node):
        return value
    if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
        value = value.item()
    if isinstance(value, bool):
        return Node("constant", (), "boolean", None, value, 1.0)
    if isinstance(value, int):
        return Node("constant", (), "integer", None, value, size_of(value))
    if isinstance(value, float | Fraction):
        number = nearest(value)
        return Node("constant", (), "double", None, number, abs(number))
    if isinstance(value, str):
        return Node("constant", (), "text", None, value)
    items = listed(value)
    if items is None or not (_NUMBERS.issuperset(map(type, items)) or all(map(_is_number, items))):
        raise Untraceable(f"a {type(value).__name__} together with a value of a row")
    numbers = tuple(map(nearest, items))
    return Node(
        "constant", (), "double", len(numbers), numbers, max(map(abs, numbers), default=0.0)
    )


#: Kinds of public numbers, which other rationals are beside.
_NUMBERS: Final = frozenset({bool, int, float, Fraction})


def _is_number(x: Any) -> bool:
    return type(x) in _NUMBERS or isinstance(x, Fraction)


def listed(value: Any) -> list[Any] | None:
    """The items of a public sequence, or of an array, row by row; None of anything else."""
    if isinstance(value, list | tuple):
        return list(value)
    if hasattr(value, "tolist") and getattr(value, "ndim", 0) in (1, 2):
        return list(value.ravel().tolist())
    return None


def nearest(value: Any) -> float:
    """The double nearest to a number; what is none is 0, and beyond the largest it saturates."""
    try:
        number = float(value)
    except OverflowError:
        number = inf if value > 0 else -inf
    if number != number:
        return 0.0
    return min(max(number, -LARGEST), LARGEST) + 0.0


def size_of(value: int | float) -> float:
    """A bound on the size of a number, as a double."""
    try:
        return float(abs(value)) * (1 + 2**-50)
    except OverflowError:
        return inf


# -- arithmetic


def as_double(x: Node) -> Node:
    """The double nearest to an integer; a double is itself."""
    if x.base == "double":
        return x
    if x.base == "text":
        raise Untraceable("arithmetic on a text")
    if x.operator == "constant":
        return constant(nearest(x.public))
    return Node("double", (x,), "double", x.width, None, x.most)


def _as_integer(x: Node) -> Node:
    if x.base == "boolean":
        if x.operator == "constant":
            return constant(int(x.public))
        return Node("select", (x, constant(1), constant(0)), "integer", x.width, None, 1.0)
    return x


def real(x: Any) -> Node:
    """float(x): of a truth value 1.0 or 0.0."""
    return as_double(_number(x))


def _numbers(x: Any, y: Any) -> tuple[Node, Node]:
    """Two numbers of one kind, as Python would make them."""
    a, b = constant(x), constant(y)
    if a.base == "text" or b.base == "text":
        raise Untraceable("arithmetic on a text")
    a, b = _as_integer(a), _as_integer(b)
    if a.base != b.base:
        a, b = as_double(a), as_double(b)
    return a, b


def _width(*nodes: Node) -> int | None:
    widths = {n.width for n in nodes} - {None}
    if len(widths) > 1:
        raise Untraceable("vectors of different lengths")
    return widths.pop() if widths else None


def _known(*nodes: Node) -> bool:
    return all(n.operator == "constant" for n in nodes)


def _made(operator: str, most: float, *nodes: Node, base: Base = "", public: Any = None) -> Node:
    return Node(operator, nodes, base or nodes[0].base, _width(*nodes), public, most * (1 + 2**-40))


def add(x: Any, y: Any) -> Any:
    """x + y."""
    if isinstance(x, RowSumState) or isinstance(y, RowSumState):
        return x.plus(y) if isinstance(x, RowSumState) else y.plus(x)
    if _texts(x, y):
        return by_value(plain.add, "text", x, y)
    a, b = _numbers(x, y)
    return _made("add", a.most + b.most, a, b)


def sub(x: Any, y: Any) -> Any:
    """x - y."""
    if isinstance(x, RowSumState):
        return x.plus(neg(y))
    a, b = _numbers(x, y)
    return _made("sub", a.most + b.most, a, b)


def mul(x: Any, y: Any) -> Any:
    """x * y."""
    a, b = _numbers(x, y)
    return _made("mul", _product(a.most, b.most), a, b)


def _product(a: float, b: float) -> float:
    return 0.0 if not a or not b else a * b


def div(x: Any, y: Any) -> Any:
    """x / y, in doubles; x / 0 is 0."""
    a, b = (as_double(n) for n in _numbers(x, y))
    known = b.operator == "constant" and b.width is None and b.public
    return _made("div", a.most / abs(b.public) if known else inf, a, b)


def floordiv(x: Any, y: Any) -> Any:
    """x // y, of integers an integer; x // 0 is 0."""
    a, b = _numbers(x, y)
    return _made("floordiv", a.most + 1 if a.base == "integer" else inf, a, b)


def mod(x: Any, y: Any) -> Any:
    """x % y with the sign of y; x % 0 is 0."""
    a, b = _numbers(x, y)
    return _made("mod", b.most, a, b)


def neg(x: Any) -> Any:
    """-x."""
    a = _number(x)
    return _made("neg", a.most, a)


def absolute(x: Any) -> Any:
    """|x|."""
    a = _number(x)
    return _made("abs", a.most, a)


def _number(x: Any) -> Node:
    a = _as_integer(constant(x))
    if a.base == "text":
        raise Untraceable("arithmetic on a text")
    return a


def minimum(x: Any, y: Any) -> Any:
    """The smaller of two numbers."""
    return _extreme("min", x, y)


def maximum(x: Any, y: Any) -> Any:
    """The larger of two numbers."""
    return _extreme("max", x, y)


def _extreme(operator: str, x: Any, y: Any) -> Node:
    a, b = _numbers(x, y)
    return _made(operator, max(a.most, b.most), a, b)


def clamp(x: Any, lower: Any, upper: Any) -> Node:
    """x moved into [lower, upper]; a double where it is one, or an end is no integer.

    The ends are the doubles, or the integers, inside of the interval, so that no result lies
    outside.  Where a run releases reversed ends, every result is the lower one.
    """
    a = _number(x)
    if any(isinstance(end, Node) for end in (lower, upper)):
        found: Node = minimum(maximum(a, lower), upper)
        return found
    whole, integers, doubles = _interval(lower, upper)
    if doubles == (None, None):
        return a
    if not whole:
        a = as_double(a)
    ends = integers if a.base == "integer" else doubles
    if ends is None:
        raise Untraceable("an interval that holds no number of the row's kind")
    if a.range is not None and _within(a.range, ends):
        return a
    if a.operator == "clamp" and None not in (*a.public, *ends):
        # Two clamps in a row are one: to the ends of the first, moved by the second.
        ends = tuple(min(max(end, ends[0]), ends[1]) for end in a.public)
        (a,) = a.arguments
    if None in ends:
        # An end may lie outside of what a is.
        size = a.most + max(size_of(end) for end in ends if end is not None)
        return _made("clamp", size, a, public=ends)
    made = _made("clamp", max(map(size_of, ends)), a, public=ends)
    made.range = ends
    return made


@lru_cache(256)
def _interval(lower: Any, upper: Any) -> tuple[bool, Any, Any]:
    """Whether the ends of an interval are integers, and the integers and doubles inside of it, as
    `inner_integers` and `inner_doubles` have them; of reversed ends only the lower one."""
    low, high = (None if end is None else Fraction(end) for end in (lower, upper))
    if low is not None and high is not None and low > high:
        high = low
    whole = all(end is None or end.denominator == 1 for end in (low, high))
    return whole, inner_integers(low, high), inner_doubles(low, high)


def _within(inner: tuple[Any, Any], outer: tuple[Any, Any]) -> bool:
    low, high = outer
    return (low is None or low <= inner[0]) and (high is None or inner[1] <= high)


def inner_integers(low: Fraction | None, high: Fraction | None) -> Any:
    """The least and the greatest integer in an interval; None where there is none.

    An end that is None is none.
    """
    first = None if low is None else -(-low.numerator // low.denominator)
    last = None if high is None else high.numerator // high.denominator
    if first is not None and last is not None and first > last:
        return None
    return first, last


@lru_cache(256)
def inner_doubles(low: Fraction | None, high: Fraction | None) -> Any:
    """The least and the greatest double in an interval; None where there is none."""
    first = last = None
    if low is not None:
        first = nearest(low)
        if Fraction(first) < low:
            first = nextafter(first, inf)
    if high is not None:
        last = nearest(high)
        if Fraction(last) > high:
            last = nextafter(last, -inf)
    if first == inf or last == -inf or (first is not None and last is not None and first > last):
        return None
    return first, last


def whole(operator: str, x: Any) -> Node:
    """floor, ceil, trunc or round (ties to even) of a number, an integer."""
    a = _number(x)
    return a if a.base == "integer" else _made(operator, a.most + 1, a, base="integer")


def floor(x: Any) -> Node:
    """The largest integer at or below x."""
    return whole("floor", x)


def ceil(x: Any) -> Node:
    """The smallest integer at or above x."""
    return whole("ceil", x)


def trunc(x: Any) -> Node:
    """x without its fraction."""
    return whole("trunc", x)


def nearest_integer(x: Any) -> Node:
    """The nearest integer, halves to the even one."""
    return whole("round", x)


def relu(x: Any) -> Node:
    """max(x, 0)."""
    found: Node = maximum(x, 0)
    return found


def same(x: Any) -> Any:
    """x itself."""
    return x


def clamp_upper_first(x: Any, upper: Any, lower: Any) -> Node:
    """`clamp` with the upper end first."""
    return clamp(x, lower, upper)


#: Function of a double -> bound on its size.
_FUNCTIONS: Final = {
    "exp": inf, "log": 1100.0, "sqrt": inf, "sin": 1.0, "cos": 1.0, "tanh": 1.0, "sigmoid": 1.0,
    "softplus": inf,
}  # fmt: skip


def function(name: str, x: Any) -> Node:
    """A function of a double: exp, log, sqrt, sin, cos, tanh, sigmoid, softplus."""
    if name not in _FUNCTIONS:
        raise Untraceable(f"the function {name}")
    return _made(name, _FUNCTIONS[name], as_double(_number(x)))


def exp(x: Any) -> Node:
    """e**x; the largest double where it is larger."""
    return function("exp", x)


def log(x: Any) -> Node:
    """ln x; 0 where x has none."""
    return function("log", x)


def sqrt(x: Any) -> Node:
    """The square root; 0 of negative numbers."""
    return function("sqrt", x)


def sin(x: Any) -> Node:
    """sin x."""
    return function("sin", x)


def cos(x: Any) -> Node:
    """cos x."""
    return function("cos", x)


def tanh(x: Any) -> Node:
    """tanh x."""
    return function("tanh", x)


def sigmoid(x: Any) -> Node:
    """1 / (1 + e**-x)."""
    return function("sigmoid", x)


def softplus(x: Any) -> Node:
    """ln(1 + e**x)."""
    return function("softplus", x)


def power(x: Any, k: Any) -> Node:
    """x ** k: products where k is a small public integer, else of doubles."""
    a, b = _number(x), _number(k)
    if b.operator == "constant" and b.width is None and b.public in (0, 1, 2, 3, 4):
        a = a if b.base == "integer" else as_double(a)
        return _product_of(a, int(b.public))
    if a.base == b.base == "integer":
        if b.operator != "constant" or b.width is not None or not 0 <= b.public <= _MOST_POWER:
            raise Untraceable("an integer to a power that is no small public integer")
        return _product_of(a, b.public)
    return _made("power", inf, as_double(a), as_double(b))


#: The largest power of integers: they grow by so many times their length.
_MOST_POWER: Final = 64


def _product_of(a: Node, times: int) -> Node:
    """The product of so many times a number."""
    if not times:
        return add(mul(a, 0), 1)  # type: ignore[no-any-return]
    found = a
    for _ in range(times - 1):
        found = mul(found, a)
    return found


# -- conditions


def lt(x: Any, y: Any) -> Node:
    """x < y."""
    return _compared("lt", x, y)


def le(x: Any, y: Any) -> Node:
    """x <= y."""
    return _compared("le", x, y)


def eq(x: Any, y: Any) -> Node:
    """x == y."""
    return _compared("eq", x, y)


def _compared(operator: str, x: Any, y: Any) -> Node:
    if isinstance(x, Fraction) and isinstance(y, Node):
        return _with_rational(operator, y, x, flipped=True)
    if isinstance(y, Fraction) and isinstance(x, Node):
        return _with_rational(operator, x, y, flipped=False)
    a, b = constant(x), constant(y)
    if (a.base == "text") != (b.base == "text"):
        return constant(False) if operator == "eq" else _no_order()
    if a.base == "text" and operator != "eq":
        return by_value(plain.lt if operator == "lt" else plain.le, "boolean", a, b)
    if a is b:
        return constant(operator != "lt")
    return _made(operator, 1.0, a, b, base="boolean")


def _no_order() -> Node:
    raise Untraceable("the order of a text and a number")


def _texts(*xs: Any) -> bool:
    return all(isinstance(x, str) or (isinstance(x, Node) and x.base == "text") for x in xs)


def _with_rational(operator: str, x: Node, number: Fraction, flipped: bool) -> Node:
    """A comparison with a public rational, exact: its neighbours among what x can be decide it."""
    if x.base == "text":
        return constant(False) if operator == "eq" else _no_order()
    below: int | float
    above: int | float
    if x.base == "double":
        near = nearest(number)
        exact = Fraction(near)
        below = near if exact <= number else nextafter(near, -inf)
        above = near if exact >= number else nextafter(near, inf)
    else:
        below, above = (
            number.numerator // number.denominator,
            -(-number.numerator // number.denominator),
        )
    low, high = _outer(below), _outer(above)
    if operator == "eq":
        return _made("eq", 1.0, x, low, base="boolean") if below == above else constant(False)
    if flipped:  # number < x, number <= x
        strict = operator == "lt" and below == above
        return _made("lt" if strict else "le", 1.0, high, x, base="boolean")
    strict = operator == "lt" and below == above
    return _made("lt" if strict else "le", 1.0, x, low, base="boolean")


def _outer(value: int | float) -> Node:
    """A constant that may be infinite: only comparisons meet it."""
    base = "integer" if isinstance(value, int) else "double"
    return Node("constant", (), base, None, value, inf)


def gt(x: Any, y: Any) -> Node:
    """x > y."""
    return _compared("lt", y, x)


def ge(x: Any, y: Any) -> Node:
    """x >= y."""
    return _compared("le", y, x)


def ne(x: Any, y: Any) -> Node:
    """x != y."""
    return negated(eq(x, y))


class Perhaps(ABC):
    """A value that a row may not have."""

    __slots__ = ()

    @abstractmethod
    def truth(self) -> Node:
        """Whether it is there, and true."""


def condition(x: Any) -> Node:
    """Whether a value is true: a number that is not 0, a text that is not empty, and of what may be
    missing, what is there and true."""
    if isinstance(x, Perhaps):
        return x.truth()
    a = constant(x)
    if a.base == "boolean":
        return a
    return negated(eq(a, "" if a.base == "text" else 0))


def negated(x: Any) -> Node:
    """not x."""
    a = condition(x)
    if a.operator == "not":
        return a.arguments[0]
    return constant(not a.public) if _known(a) else Node("not", (a,), "boolean", a.width, None, 1.0)


def both(x: Any, y: Any) -> Node:
    """x and y, as a Boolean."""
    return _made("and", 1.0, condition(x), condition(y))


def either(x: Any, y: Any) -> Node:
    """x or y, as a Boolean."""
    return _made("or", 1.0, condition(x), condition(y))


def select(test: Any, x: Any, y: Any) -> Any:
    """x where the condition holds, else y; tuples part by part."""
    if x is y:
        return x
    if isinstance(x, RowSumState) or isinstance(y, RowSumState):
        return _selected_sums(test, x, y)
    if isinstance(x, tuple) and isinstance(y, tuple) and len(x) == len(y) and type(x) is type(y):
        parts = [select(test, a, b) for a, b in zip(x, y, strict=True)]
        return type(x)(*parts) if hasattr(x, "_fields") else tuple(parts)
    c = condition(test)
    if _known(c):
        return x if c.public else y
    a, b = constant(x), constant(y)
    if a.base != b.base:
        a, b = _numbers(a, b)
    if _known(a, b) and a.width == b.width and a.public == b.public:
        return a
    if a.base == "text" and c.width is not None:
        raise Untraceable("texts that a vector chooses")
    return Node("select", (c, a, b), a.base, _width(a, b, c), None, max(a.most, b.most))


# -- vectors


def entry(x: Node, position: int) -> Node:
    """One entry of a vector."""
    return Node("entry", (x,), x.base, None, position, x.most)


def stack(items: Sequence[Any]) -> Node:
    """The vector of these numbers."""
    nodes = [as_double(_number(x)) for x in items]
    if any(n.width is not None for n in nodes):
        raise Untraceable("a vector of vectors")
    most = max((n.most for n in nodes), default=0.0)
    return Node("stack", tuple(nodes), "double", len(nodes), None, most)


def concat(parts: Sequence[Any]) -> Node:
    """The entries of several vectors, one after the other."""
    nodes = [as_double(vector(x)) for x in parts]
    width = sum(n.width or 0 for n in nodes)
    return Node(
        "concat", tuple(nodes), "double", width, None, max((n.most for n in nodes), default=0.0)
    )


def vector(x: Any) -> Node:
    """A vector, of a row or public."""
    if isinstance(x, list | tuple) and any(isinstance(item, Node) for item in x):
        return stack(x)
    a = constant(x)
    if a.width is None:
        raise Untraceable("one number where a vector is needed")
    return a


def part(x: Node, start: int, stop: int, step: int = 1) -> Node:
    """The entries start, start + step, ... before stop."""
    positions = range(start, stop, step)
    return Node("slice", (x,), x.base, len(positions), (start, stop, step), x.most)


def total(x: Any) -> Node:
    """The sum of the entries of a vector, of doubles half by half; see `reference`."""
    a = _as_integer(vector(x))
    return Node("sum", (a,), a.base, None, None, a.most * max(a.width or 1, 1) * (1 + 2**-40))


def dot(x: Any, w: Any) -> Node:
    """The inner product of two vectors."""
    return total(mul(vector(x), vector(w)))


def joined(*xs: Any) -> Node:
    """The entries of several vectors; a tuple of vectors is several."""
    parts = xs[0] if len(xs) == 1 and isinstance(xs[0], list | tuple) else xs
    return concat(parts)


def outer(x: Any) -> Node:
    """x x^T, row by row in one vector."""
    a = as_double(vector(x))
    width = (a.width or 0) ** 2
    return Node("outer", (a,), "double", width, None, _product(a.most, a.most) * (1 + 2**-40))


def rising(x: Any) -> Node:
    """The entries in rising order."""
    a = vector(x)
    return Node("sorted", (a,), a.base, a.width, None, a.most)


def at(x: Any, i: Any) -> Node:
    """The entry at a position of the row or a public one: Python's meaning, or the nearest end."""
    a, place = vector(x), constant(i)
    length = a.width or 0
    if not length:
        return constant(0.0)
    if place.base == "double":
        place = floor(place)
    if _known(place):
        k = int(place.public)
        return entry(a, 0 if k < -length else min(k, length - 1) % length)
    if length > _MOST_CHOICES or place.base != "integer":
        raise Untraceable(f"one of {length} entries at a position of the row")
    found = entry(a, 0)
    for k in range(1, length):
        here = either(eq(place, k - length), ge(place, k) if k == length - 1 else eq(place, k))
        found = select(here, entry(a, k), found)
    return found


#: Entries between which a position of the row chooses.
_MOST_CHOICES: Final = 64


def between(x: Any, start: Any, stop: Any, step: Any) -> Node:
    """The entries of a slice with public ends; `...` stands for an end that is left out."""
    a = vector(x)
    ends = [None if end is ... or end is None else end for end in (start, stop, step)]
    if any(isinstance(end, Node) for end in ends):
        raise Untraceable("a slice between values of the row")
    return part(a, *slice(*(None if e is None else int(e) for e in ends)).indices(a.width or 0))


def length_in(x: Any, norm: str | None) -> Node:
    """The L1, L2 or LInf norm of a vector."""
    a = as_double(vector(x))
    if norm == "L1":
        return total(absolute(a))
    most = largest(absolute(a))
    if norm == "LInf":
        return most
    if norm != "L2":
        raise Untraceable(f"the norm {norm}")
    # Relative to the largest entry: squares neither overflow nor vanish.
    relative = div(a, select(gt(most, 0.0), most, 1.0))
    found: Node = mul(sqrt(total(mul(relative, relative))), most)
    return found


def in_norm(x: Any, norm: Any) -> Any:
    """x itself."""
    return x


def shares(x: Any) -> Node:
    """e**x_i divided by the sum of all e**x_j."""
    parts = _exponentials(vector(x))
    found: Node = div(parts, total(parts))
    return found


def log_of_exponentials(x: Any) -> Node:
    """ln of the sum of e**x_i; 0 of none."""
    a = vector(x)
    if not a.width:
        return constant(0.0)
    found: Node = add(largest(a), log(total(_exponentials(a))))
    return found


def _exponentials(a: Node) -> Node:
    return exp(sub(a, largest(a)))


def largest(*xs: Any) -> Node:
    """The largest of several numbers, or of the entries of a vector; 0 of none."""
    return _end_of("largest", maximum, xs)


def smallest(*xs: Any) -> Node:
    """The smallest of several numbers, or of the entries of a vector; 0 of none."""
    return _end_of("smallest", minimum, xs)


def _end_of(operator: str, pair: Callable[[Any, Any], Node], xs: tuple[Any, ...]) -> Node:
    if len(xs) == 1 and not isinstance(xs[0], list | tuple):
        a = vector(xs[0])
        return Node(operator, (a,), a.base, None, None, a.most) if a.width else constant(0.0)
    first, *rest = xs[0] if len(xs) == 1 else xs
    found = constant(first)
    for x in rest:
        found = pair(found, x)
    return found


def scaled_into(x: Any, norm: str, radius: Any) -> Node:
    """The vector, scaled down to norm `radius` where it is longer: nearly, as doubles go.

    What adds it up moves it into the ball for good (`Bound`).
    """
    if isinstance(radius, Node) or norm not in ("L1", "L2", "LInf"):
        raise Untraceable(f"a ball of the norm {norm}")
    a = as_double(vector(x))
    return Node("scaled_into", (a,), "double", a.width, (norm, nearest(radius)),
                min(a.most, nearest(radius)) * (1 + 2**-30))  # fmt: skip


class Called(Protocol):
    """A function of rows from outside: what it makes of one, and of many."""

    width: int | None

    def row(self, x: Any) -> Any:
        """A double, or a list of them, from a double or a list."""

    def rows(self, x: Any) -> Any:
        """The same of arrays of shape (rows,) or (width, rows)."""


def called(function: Called, x: Any) -> Node:
    """What a function from outside gives for a number or a vector: doubles."""
    a = as_double(constant(x))
    return Node("called", (a,), "double", function.width, function, inf)


# -- public functions and lists


def by_value(function: Callable[..., Any], base: Base, *xs: Any) -> Node:
    """What a function makes of values: it is asked once for the different ones of many rows.

    Args:
        function: of floats, integers, Booleans or texts; a finite float, an integer, a Boolean or a
            text, as `base` says, which depends on these values alone.
    """
    nodes = tuple(map(constant, xs))
    if any(node.width is not None for node in nodes):
        raise Untraceable("a function of the values of a vector")
    return Node("by_value", nodes, base, None, function, 1.0 if base == "boolean" else inf)


def item(x: Node, values: Sequence[Any]) -> Node:
    """The item of a public list at a position of the row, which lies in it."""
    if x.range is None or x.base != "integer" or not 0 <= x.range[0] <= x.range[1] < len(values):
        raise Untraceable("an item at a position that may lie outside of the list")
    if all(isinstance(value, str) for value in values):
        return Node("item", (x,), "text", None, tuple(map(str, values)))
    if all(isinstance(value, bool) for value in values):
        return Node("item", (x,), "boolean", None, tuple(values), 1.0)
    if any(isinstance(value, bool | str) for value in values):
        raise Untraceable("a list of values of several kinds")
    items: tuple[Any, ...] = tuple(map(nearest, values))
    base = "double"
    if all(isinstance(v, int) or (isinstance(v, Fraction) and v.denominator == 1) for v in values):
        items, base = tuple(map(int, values)), "integer"
    elif any(found != value for found, value in zip(items, values, strict=True)):
        raise Untraceable("a number that is no double")
    made = Node("item", (x,), base, None, items, max(map(size_of, items)))
    made.range = min(items), max(items)
    return made


# -- texts


def text(x: Any, name: str, *given: Any) -> Node:
    """A method or function of a text with public arguments (`lower`, `startswith`, `len`, ...)."""
    a, base = constant(x), made(name)
    if not base or a.base != "text" or any(isinstance(g, Node) for g in given):
        raise Untraceable(f"the method {name} of a value of a row")
    most = 1.0 if base == "boolean" else _LONGEST_TEXT
    return Node("text", (a,), base, None, (name, given), most)


#: More characters no memory holds, and so no count or position of some is larger.
_LONGEST_TEXT: Final = 2.0**48


def contained(x: Any, items: Iterable[Any]) -> Node:
    """Whether a value is one of these public ones: numbers, Booleans and texts; nothing else is."""
    a = constant(x)
    if a.base == "text":
        return text(a, "lies_in", frozenset(each for each in items if isinstance(each, str)))
    numbers = [
        each
        for each in items
        if isinstance(each, int | Fraction) or (isinstance(each, float) and isfinite(each))
    ]
    if len(numbers) > _MOST_CHOICES and a.width is None:
        return by_value(frozenset(Fraction(each) for each in numbers).__contains__, "boolean", a)
    found: Node = constant(False)
    for item in numbers:
        same = eq(a, item)
        found = same if _known(found) and not found.public else either(found, same)
    return found


# -- sums over rows


class RowSumState:
    """A state of a loop over rows, to which every row adds.

    Attributes:
        name: which state.
        added: what a row adds; None for nothing.
        keys: of a state with entries, what their positions stand for.
        placed: what a row adds to single entries: the position of one, or the number of keys for
            none, what is added to it, and its bounds.
    """

    __slots__ = ("added", "keys", "name", "placed")
    __array_ufunc__ = None

    def __init__(
        self, name: str, added: Any = None, keys: Sequence[Any] = (),
        placed: tuple[tuple[Node, Any, Any], ...] = (),
    ) -> None:  # fmt: skip
        self.name, self.added, self.keys, self.placed = name, added, keys, placed

    def plus(self, more: Any) -> RowSumState:
        """The state after a row adds `more`, too."""
        if isinstance(more, RowSumState):
            raise Untraceable("a sum that is added to a sum")
        if self.placed:
            raise Untraceable("a sum that is added to, and to single entries")
        return RowSumState(
            self.name, more if self.added is None else add(self.added, more), self.keys
        )

    def plus_at(self, position: Node, more: Any, bounds: Any) -> RowSumState:
        """The state after a row adds `more` to one entry."""
        if self.added is not None:
            raise Untraceable("a sum that is added to, and to single entries")
        placed = *self.placed, (position, more, bounds)
        return RowSumState(self.name, None, self.keys, placed)

    def __bool__(self) -> bool:
        raise Untraceable("a branch on a sum that is not complete")


def _selected_places(test: Any, x: RowSumState, y: RowSumState) -> RowSumState:
    """What both sides add to single entries; a side that is not taken adds to none."""
    if x.added is not None or y.added is not None:
        raise Untraceable("a sum that is added to, and to single entries")
    same = 0  # what was added before both sides
    for a, b in zip(x.placed, y.placed, strict=False):
        if a is not b:
            break
        same += 1
    none, taken = len(x.keys), condition(test)
    then = [(select(taken, at, none), more, bounds) for at, more, bounds in x.placed[same:]]
    other = [(select(taken, none, at), more, bounds) for at, more, bounds in y.placed[same:]]
    return RowSumState(x.name, None, x.keys, (*x.placed[:same], *then, *other))


def _selected_sums(test: Any, x: Any, y: Any) -> RowSumState:
    if not (isinstance(x, RowSumState) and isinstance(y, RowSumState) and x.name == y.name):
        raise Untraceable("a sum that becomes another value")
    if x.placed or y.placed:
        return _selected_places(test, x, y)
    if x.added is None and y.added is None:
        return x
    width = next((n.width for n in (x.added, y.added) if isinstance(n, Node)), None)
    nothing = [0.0] * width if width is not None else 0
    a, b = (nothing if added is None else added for added in (x.added, y.added))
    return RowSumState(x.name, select(test, a, b))
