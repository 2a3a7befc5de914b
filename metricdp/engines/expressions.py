"""The columnar language in the SQL of DuckDB: exactly the values that `columns.reference` gives.

Doubles are IEEE doubles on both sides, and only operations that IEEE 754 rounds correctly have a
form.  Integers are of 64 or 128 bits, as the public bounds on their size allow: none can overflow.
No expression raises, and none is NULL.  What has no form is refused by its name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import isinf
from typing import Any, Final, Protocol

from metricdp.columns.graphs import in_order
from metricdp.columns.grids import GridRange
from metricdp.columns.keys import Edges, KeyPlaces
from metricdp.columns.language import LARGEST, Node, nearest
from metricdp.columns.reference import value_of
from metricdp.errors import InternalError

#: Sizes that integers of 64 and of 128 bits hold after one more sum.
_LONG: Final = float(1 << 62)
_HUGE: Final = float(1 << 124)
#: Integers up to here are doubles.
_EXACT: Final = 1 << 53
#: A whole number that is made of a double lies between these, or is moved there.
_WHOLE: Final = 1 << 62
_ROUNDING: Final = {"floor": "floor({})", "ceil": "ceil({})", "trunc": "trunc({})",
                    "round": "round_even({}, 0)"}  # fmt: skip


class NoForm(Exception):
    """An operation has no form on the engine.

    Attributes:
        what: the operation, in words.
    """

    def __init__(self, what: str) -> None:
        self.what = what
        super().__init__(what)


class Column(Protocol):
    """A stored column of an engine."""

    @property
    def clean(self) -> str:
        """The expression of its clean values."""

    def clamped(self, low: Any, high: Any) -> str | None:
        """The expression of its values, moved between two numbers; None where there is none."""


class Expressions:
    """The SQL of some nodes over one table: what is used twice is a column of an inner query.

    Args:
        columns: the stored columns.
        source: what stands behind FROM.
    """

    def __init__(self, columns: Sequence[Column], source: str, nodes: Sequence[Node]) -> None:
        self._columns, self._source = columns, source
        self._text: dict[int, str] = {}
        self._level: dict[int, int] = {}
        self._layers: list[list[str]] = []
        self._held: list[Node] = []  # so that no `id` is used again
        self._public: dict[int, Any] = {}
        ordered, _ = in_order(nodes)
        self._uses = Counter(id(a) for node in ordered for a in node.arguments)
        self._uses.update(map(id, nodes))
        for node in ordered:
            self._add(node)
        self._results = nodes

    def of(self, node: Node) -> str:
        """The expression of one of the nodes, in the outermost query."""
        return self._text[id(node)]

    @property
    def source(self) -> str:
        """What stands behind FROM of the outermost query."""
        found = self._source
        for names in self._layers:
            found = f"(SELECT *, {', '.join(names)} FROM {found})"
        return found

    def _add(self, node: Node) -> None:
        self._held.append(node)
        given = node.arguments
        if node.operator != "stored" and all(id(a) in self._public for a in given):
            value = value_of(node, *[self._public[id(a)] for a in given])
            self._public[id(node)] = value
            self._text[id(node)] = literal(value, node) if node.width is None else ""
            self._level[id(node)] = 0
            return
        if node.operator == "stored":
            self._name(node, self._columns[node.public].clean, 0)
            return
        level = max((self._level[id(a)] for a in given), default=0)
        self._name(node, self._made(node), level)

    def _name(self, node: Node, text: str, level: int) -> None:
        """Keep an expression, by a name where it is used more than once."""
        if self._uses[id(node)] > 1 and not text.isidentifier():
            while len(self._layers) <= level:
                self._layers.append([])
            name = f"metricdp_{len(self._held)}"
            self._layers[level].append(f"{text} AS {name}")
            text, level = name, level + 1
        self._text[id(node)], self._level[id(node)] = text, level

    def _made(self, node: Node) -> str:
        operator = node.operator
        if node.width is not None or any(a.width is not None for a in node.arguments):
            return self._of_vector(node)
        if operator == "clamp":
            return self._clamped(node)
        work = _FORMS.get(operator)
        if work is None:
            raise NoForm(_NAMES.get(operator, f"`{operator}`"))
        for a in node.arguments:
            if _saturates(a) and not _sees_no_end(node, a):
                raise NoForm("whole numbers of doubles that have no bound")
        return work(node, *[self._text[id(a)] for a in node.arguments])

    def _of_vector(self, node: Node) -> str:
        """A vector is nothing of its own; its entries are read where they were put together."""
        if node.operator == "stack":
            return ""
        if node.operator == "entry" and node.arguments[0].operator == "stack":
            inner = node.arguments[0].arguments[node.public]
            return self._text[id(inner)]
        raise NoForm("vectors of a row")

    def _clamped(self, node: Node) -> str:
        (x,) = node.arguments
        low, high = node.public
        if x.operator == "stored" and x.base == "double":
            found: str | None = self._columns[x.public].clamped(low, high)
            if found is not None:
                return found
        if _saturates(x) and any(end is not None and abs(end) >= _WHOLE for end in (low, high)):
            raise NoForm("whole numbers of doubles that have no bound")
        return clamped(self._text[id(x)], low, high, node)


def clamped(text: str, low: Any, high: Any, like: Node) -> str:
    """An expression moved between two numbers of its kind."""
    if text.isidentifier() and None not in (low, high):
        # Faster than a choice of the least and the greatest.
        first, last = literal(low, like), literal(high, like)
        inner = f"WHEN {text} > {last} THEN {last} ELSE {text}"
        return f"CASE WHEN {text} < {first} THEN {first} {inner} END"
    if high is not None:
        text = f"least({text}, {literal(high, like)})"
    return text if low is None else f"greatest({text}, {literal(low, like)})"


def ticks(text: str, node: Node, bound: GridRange) -> str:
    """The steps of a grid nearest to a number, ties to even, inside of a range: 64 bits.

    Raises:
        NoForm: a grid whose steps do not fit.
    """
    if max(-bound.first, bound.last) >= 1 << 62:
        raise NoForm("sums of numbers beyond 62 bits")
    if node.base == "boolean":
        return ticks(f"CASE WHEN {text} THEN 1 ELSE 0 END", _LIKE["integer"], bound)
    step = Fraction(2) ** bound.exponent
    low, high = bound.first * step, bound.last * step
    if node.base == "integer":
        if bound.exponent > 0:
            raise NoForm("a grid that is coarser than whole numbers")
        first, last = -(-low.numerator // low.denominator), high.numerator // high.denominator
        if first > last:
            raise NoForm("a range without a whole number")
        if not _inside(node, first, last):
            text = clamped(text, first, last, node)
        text = f"CAST({text} AS BIGINT)"
        return text if not bound.exponent else f"{text} * {1 << -bound.exponent}"
    if Fraction(float(low)) != low or Fraction(float(high)) != high or abs(bound.exponent) > 900:
        raise NoForm("a range whose ends are no doubles")
    if not _inside(node, low, high):
        text = clamped(text, float(low), float(high), node)
    return f"CAST({text} * {double(2.0**-bound.exponent)} AS BIGINT)"


def _inside(node: Node, low: Any, high: Any) -> bool:
    return node.range is not None and low <= node.range[0] and node.range[1] <= high


# -- literals


def literal(value: Any, node: Node) -> str:
    """A public value of the kind of a node."""
    if node.base == "text":
        return quoted(value)
    if node.base == "boolean":
        return "true" if value else "false"
    if node.base == "integer":
        if not -(1 << 126) < value < 1 << 126:
            raise NoForm("whole numbers beyond 126 bits")
        return f"({value})" if value < 0 else str(int(value))
    return double(value)


def double(value: float) -> str:
    """A double, as DuckDB reads it: without an exponent it would be a decimal."""
    if isinf(value):
        return f"CAST('{'-' if value < 0 else ''}infinity' AS DOUBLE)"
    text = repr(nearest(value))
    text = text if "e" in text else f"{text}e0"
    return f"({text})" if value < 0 else text


def quoted(text: str) -> str:
    """A text in quotes.

    Raises:
        NoForm: half of a surrogate pair, which no text of an engine holds.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise NoForm("a text that is no Unicode") from None
    return "'" + text.replace("'", "''") + "'"


def name(text: str) -> str:
    """The name of a column in quotes."""
    return '"' + text.replace('"', '""') + '"'


_LIKE: Final = {base: Node("constant", (), base) for base in ("double", "integer", "boolean")}


# -- operators


def _kind(node: Node) -> str:
    """The type of integers.

    Raises:
        NoForm: they may have more than 124 bits.
    """
    if node.most < _LONG:
        return "BIGINT"
    if node.most < _HUGE:
        return "HUGEINT"
    raise NoForm("whole numbers that may have more than 124 bits")


def _arithmetic(sign: str) -> Callable[..., str]:
    def work(node: Node, x: str, y: str) -> str:
        if node.base == "integer":
            return f"(CAST({x} AS {_kind(node)}) {sign} {y})"
        return _finite(node, f"({x} {sign} {y})")

    return work


def _finite(node: Node, text: str) -> str:
    """A double that is no NaN: infinite ones are the largest."""
    if node.most < 1e308:
        return text
    return f"greatest(least({text}, {double(LARGEST)}), {double(-LARGEST)})"


def _divided(node: Node, x: str, y: str) -> str:
    divisor = node.arguments[1]
    if divisor.operator == "constant":
        return _finite(node, f"({x} / {y})") if divisor.public else "0e0"
    return f"CASE WHEN {y} = 0 THEN 0e0 ELSE {_finite(node, f'({x} / {y})')} END"


def _whole_division(node: Node, x: str, y: str) -> str:
    if node.base != "integer":
        raise NoForm("`//` of numbers that are not whole")
    kind = _kind(node)
    x, divisor = f"CAST({x} AS {kind})", node.arguments[1]
    if divisor.operator == "constant" and divisor.public > 0:
        return f"({x} // {y} - CASE WHEN {x} % {y} < 0 THEN 1 ELSE 0 END)"
    down = f"({x} % {y} <> 0 AND ({x} < 0) <> ({y} < 0))"
    return f"CASE WHEN {y} = 0 THEN 0 WHEN {down} THEN {x} // {y} - 1 ELSE {x} // {y} END"


def _remainder(node: Node, x: str, y: str) -> str:
    if node.base == "integer":
        kind = _kind(max(node.arguments, key=lambda a: a.most))
        x = f"CAST({x} AS {kind})"
    rest = f"({x} % {y})"
    return (
        f"CASE WHEN {y} = 0 THEN 0 WHEN {rest} <> 0 AND ({rest} < 0) <> ({y} < 0) "
        f"THEN {rest} + {y} ELSE {rest} END"
    )


def _negated(node: Node, x: str) -> str:
    return f"(-CAST({x} AS {_kind(node)}))" if node.base == "integer" else f"(-{x})"


def _absolute(node: Node, x: str) -> str:
    return f"abs(CAST({x} AS {_kind(node)}))" if node.base == "integer" else f"abs({x})"


def _to_double(node: Node, x: str) -> str:
    if node.arguments[0].base == "boolean":
        return f"CASE WHEN {x} THEN 1e0 ELSE 0e0 END"
    if node.arguments[0].most > 2.0**63 * (1 + 2**-40):
        raise NoForm("doubles of whole numbers beyond 64 bits")
    return f"CAST({x} AS DOUBLE)"


def _saturates(node: Node) -> bool:
    """Whether a whole number is made of a double of any size: it is right up to 62 bits, and its
    size is too small beyond."""
    return node.operator in _ROUNDING and not node.most < _LONG


def _sees_no_end(node: Node, inner: Node) -> bool:
    """Whether an operator makes the same of numbers beyond 62 bits as of their ends."""
    others = [a for a in node.arguments if a is not inner]
    return (
        node.operator in ("lt", "le", "eq")
        and len(others) == 1
        and others[0].operator == "constant"
        and abs(others[0].public) < _WHOLE
    )


def _to_whole(operator: str) -> Callable[..., str]:
    def work(node: Node, x: str) -> str:
        if _saturates(node):
            x = f"greatest(least({x}, {double(2.0**62)}), {double(-(2.0**62))})"
        return f"CAST({_ROUNDING[operator].format(x)} AS BIGINT)"

    return work


def _compared(sign: str) -> Callable[..., str]:
    def work(node: Node, x: str, y: str) -> str:
        a, b = node.arguments
        if a.base == "text" or {a.base, b.base} in ({"double"}, {"integer"}):
            return f"({x} {sign} {y})"
        if a.base == b.base == "boolean" and sign == "=":
            return f"({x} = {y})"
        x, y = _comparable(a, x), _comparable(b, y)
        if "double" not in (a.base, b.base):
            return f"({x} {sign} {y})"
        sides = []
        for part, text in ((a, x), (b, y)):
            if part.base != "double":
                if part.most > _EXACT:
                    raise NoForm("a comparison of a double with a whole number beyond 53 bits")
                text = f"CAST({text} AS DOUBLE)"
            sides.append(text)
        return f"({sides[0]} {sign} {sides[1]})"

    return work


def _comparable(node: Node, text: str) -> str:
    return f"CASE WHEN {text} THEN 1 ELSE 0 END" if node.base == "boolean" else text


def _selected(node: Node, test: str, x: str, y: str) -> str:
    if node.base == "integer":
        kind = _kind(node)
        x, y = f"CAST({x} AS {kind})", f"CAST({y} AS {kind})"
    return f"CASE WHEN {test} THEN {x} ELSE {y} END"


def _root(node: Node, x: str) -> str:
    return f"CASE WHEN {x} > 0 THEN sqrt({x}) ELSE 0e0 END"


def _text(node: Node, x: str) -> str:
    function, given = node.public
    made = _TEXTS.get(function)
    found = None if made is None else made(x, *given)
    if found is None:
        raise NoForm(f"the function {function} of a text")
    return found


def _starts(form: str) -> Callable[..., str | None]:
    def work(x: str, part: Any = None, *places: Any) -> str | None:
        parts = (part,) if isinstance(part, str) else part
        if places or not isinstance(parts, tuple) or not all(isinstance(p, str) for p in parts):
            return None
        return f"({' OR '.join(form.format(x, quoted(p)) for p in parts)})" if parts else "false"

    return work


def _holds(x: str, part: Any) -> str:
    return f"contains({x}, {quoted(part)})" if isinstance(part, str) else "false"


def _lies_in(x: str, whole: Any) -> str | None:
    if isinstance(whole, str):
        return f"contains({quoted(whole)}, {x})"
    if not isinstance(whole, frozenset):
        return "false"
    return f"({x} IN ({', '.join(map(quoted, sorted(whole)))}))" if whole else "false"


#: Function of a text -> its form; None of values that it does not take.
_TEXTS: Final[dict[str, Callable[..., str | None]]] = {
    "len": lambda x: f"length({x})",
    "holds": _holds,
    "lies_in": _lies_in,
    "startswith": _starts("starts_with({}, {})"),
    "endswith": _starts("suffix({}, {})"),
}


def _position(node: Node, x: str) -> str:
    places = node.public
    (row,) = node.arguments
    if isinstance(places, Edges):
        if row.base != "integer" and row.base != "double":
            raise NoForm("bins of texts")
        return _bin(x, row, places.least, 0)
    if not isinstance(places, KeyPlaces):
        raise InternalError("a position among nothing that is known")
    cases = [
        f"WHEN {x} = {text} THEN {place}"
        for key, place in places.first.items()
        if (text := key_literal(key, row)) is not None
    ]
    return f"CASE {' '.join(cases)} ELSE {places.count} END" if cases else str(places.count)


def _bin(x: str, row: Node, ends: Sequence[Any], before: int) -> str:
    """How many of some rising ends lie at or below a number, found by halves."""
    if not len(ends):
        return str(before)
    half = len(ends) // 2
    end = ends[half]
    left = _bin(x, row, ends[:half], before)
    right = _bin(x, row, ends[half + 1 :], before + half + 1)
    return f"CASE WHEN {x} < {literal(end, row)} THEN {left} ELSE {right} END"


def key_literal(key: Any, row: Node) -> str | None:
    """A public key as a value of the kind of a node; None where no such value equals it."""
    if isinstance(key, str) or row.base == "text":
        return quoted(key) if isinstance(key, str) and row.base == "text" else None
    if not isinstance(key, int | float | Fraction):
        return None
    try:
        number = Fraction(key)
    except (ValueError, OverflowError):
        return None
    if row.base == "boolean":
        return {Fraction(0): "false", Fraction(1): "true"}.get(number)
    if row.base == "integer":
        whole = number.denominator == 1 and abs(number) < 1 << 126
        return literal(number.numerator, row) if whole else None
    found = nearest(number)
    return double(found) if Fraction(found) == number else None


def _item(node: Node, x: str) -> str:
    inner = [literal(value, node) for value in node.public]
    return f"CASE {' '.join(f'WHEN {x} = {i} THEN {v}' for i, v in enumerate(inner))} END"


_FORMS: Final[dict[str, Callable[..., str]]] = {
    "add": _arithmetic("+"),
    "sub": _arithmetic("-"),
    "mul": _arithmetic("*"),
    "div": _divided,
    "floordiv": _whole_division,
    "mod": _remainder,
    "neg": _negated,
    "abs": _absolute,
    "min": lambda node, x, y: f"least({x}, {y})",
    "max": lambda node, x, y: f"greatest({x}, {y})",
    "double": _to_double,
    **{operator: _to_whole(operator) for operator in _ROUNDING},
    "lt": _compared("<"),
    "le": _compared("<="),
    "eq": _compared("="),
    "and": lambda node, x, y: f"({x} AND {y})",
    "or": lambda node, x, y: f"({x} OR {y})",
    "not": lambda node, x: f"(NOT {x})",
    "select": _selected,
    "sqrt": _root,
    "text": _text,
    "position": _position,
    "item": _item,
}
#: Operators without a form, as a message calls them.
_NAMES: Final = {
    "called": "a function from outside",
    "by_value": "a function of values that Python computes",
    **{name: f"the function {name}" for name in
       ("exp", "log", "sin", "cos", "tanh", "sigmoid", "softplus", "power")},
    **dict.fromkeys(
        "sum slice concat largest smallest sorted outer scaled_into".split(), "vectors of a row"
    ),
}  # fmt: skip
