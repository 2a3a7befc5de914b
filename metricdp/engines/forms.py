"""Operators of one value in SQL: each gives what `columns.reference` gives.

The first argument of a form is the dialect, which writes what engines write in several ways.

Doubles are IEEE doubles on both sides, and only operations that IEEE 754 rounds correctly have a
form.  Integers are of 64 or 128 bits, as the public bounds on their size allow: none can overflow.
No expression raises, and none is NULL.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from metricdp.columns.days import DayPart
from metricdp.columns.keys import Edges, KeyPlaces
from metricdp.columns.language import LARGEST, Node
from metricdp.engines.dialect import Dialect, NoForm
from metricdp.errors import InternalError

#: Sizes that integers of 64 and of 128 bits hold after one more sum.
_LONG: Final = float(1 << 62)
_HUGE: Final = float(1 << 124)
_BEYOND: Final = 1 << 125
#: Integers up to here are doubles.
_EXACT: Final = 1 << 53
#: A whole number that is made of a double lies between these, or is moved there.
WHOLE: Final = 1 << 62
#: Operators that make whole numbers of doubles.
_ROUNDING: Final = ("floor", "ceil", "trunc", "round")


def _kind(sql: Dialect, node: Node) -> str:
    """The type of integers.

    Raises:
        NoForm: they may have more than 124 bits.
    """
    if node.most < _LONG:
        return "BIGINT"
    if node.most < _HUGE:
        return sql.huge
    raise NoForm("whole numbers that may have more than 124 bits")


def _arithmetic(sign: str) -> Callable[..., str]:
    def work(sql: Dialect, node: Node, x: str, y: str) -> str:
        if node.base == "integer":
            return f"(CAST({x} AS {_kind(sql, node)}) {sign} {y})"
        return _finite(sql, node, f"({x} {sign} {y})")

    return work


def _finite(sql: Dialect, node: Node, text: str) -> str:
    """A double that is no NaN: infinite ones are the largest."""
    if node.most < 1e308:
        return text
    return f"greatest(least({text}, {sql.double(LARGEST)}), {sql.double(-LARGEST)})"


def _divided(sql: Dialect, node: Node, x: str, y: str) -> str:
    divisor = node.arguments[1]
    if divisor.operator == "constant":
        return _finite(sql, node, f"({x} / {y})") if divisor.public else "0e0"
    return f"CASE WHEN {y} = 0 THEN 0e0 ELSE {_finite(sql, node, f'({x} / {y})')} END"


def _whole_division(sql: Dialect, node: Node, x: str, y: str) -> str:
    if node.base != "integer":
        return _whole_division_of_doubles(sql, node, x, y)
    kind = _kind(sql, node)
    x, divisor = f"CAST({x} AS {kind})", node.arguments[1]
    whole = sql.quotient(x, y, node.arguments[0].most)
    if divisor.operator == "constant" and divisor.public > 0:
        return f"({whole} - CASE WHEN {x} % {y} < 0 THEN 1 ELSE 0 END)"
    down = f"({x} % {y} <> 0 AND ({x} < 0) <> ({y} < 0))"
    return f"CASE WHEN {y} = 0 THEN 0 WHEN {down} THEN {whole} - 1 ELSE {whole} END"


def _whole_division_of_doubles(sql: Dialect, node: Node, x: str, y: str) -> str:
    """As Python divides: the quotient without the rest is nearly whole, and becomes so."""
    rest = f"({x} % {y})"
    down = f"({rest} <> 0 AND ({rest} < 0) <> ({y} < 0))"
    near = f"(({x} - {rest}) / {y} - CASE WHEN {down} THEN 1e0 ELSE 0e0 END)"
    whole = sql.rounded("floor", near)
    # An infinite quotient less itself is no number, which an engine holds to be the largest.
    found = f"({whole} + CASE WHEN {near} - {whole} > 0.5e0 THEN 1e0 ELSE 0e0 END)"
    return f"CASE WHEN {y} = 0 THEN 0e0 ELSE {_finite(sql, node, found)} END"


def _remainder(sql: Dialect, node: Node, x: str, y: str) -> str:
    if node.base == "integer":
        kind = _kind(sql, max(node.arguments, key=lambda a: a.most))
        x = f"CAST({x} AS {kind})"
    rest = f"({x} % {y})"
    return (
        f"CASE WHEN {y} = 0 THEN 0 WHEN {rest} <> 0 AND ({rest} < 0) <> ({y} < 0) "
        f"THEN {rest} + {y} ELSE {rest} END"
    )


def _negated(sql: Dialect, node: Node, x: str) -> str:
    return f"(-CAST({x} AS {_kind(sql, node)}))" if node.base == "integer" else f"(-{x})"


def _absolute(sql: Dialect, node: Node, x: str) -> str:
    return f"abs(CAST({x} AS {_kind(sql, node)}))" if node.base == "integer" else f"abs({x})"


def _to_double(sql: Dialect, node: Node, x: str) -> str:
    (whole,) = node.arguments
    if whole.base == "boolean":
        return f"CASE WHEN {x} THEN 1e0 ELSE 0e0 END"
    _kind(sql, whole)
    return sql.double_of(x, whole.most)


def saturates(node: Node) -> bool:
    """Whether whole numbers that may be of any size are right up to 62 bits, and too small in size
    beyond."""
    made = node.operator in _ROUNDING or node.operator == "by_value"
    return made and node.base == "integer" and not node.most < _LONG


def holds_saturated(node: Node) -> bool:
    """Whether an operator makes the same of numbers beyond 62 bits as of their ends."""
    if node.operator == "clamp":
        return all(end is None or abs(end) < WHOLE for end in node.public)
    inner = [a for a in node.arguments if saturates(a)]
    others = [a for a in node.arguments if not saturates(a)]
    return (
        node.operator in ("lt", "le", "eq")
        and len(inner) == len(others) == 1
        and others[0].operator == "constant"
        and abs(others[0].public) < WHOLE
    )


def _to_whole(operator: str) -> Callable[..., str]:
    def work(sql: Dialect, node: Node, x: str) -> str:
        if saturates(node):
            x = f"greatest(least({x}, {sql.double(2.0**62)}), {sql.double(-(2.0**62))})"
        return f"CAST({sql.rounded(operator, x)} AS BIGINT)"

    return work


def _compared(sign: str) -> Callable[..., str]:
    def work(sql: Dialect, node: Node, x: str, y: str) -> str:
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
                text = f"CAST(CAST({text} AS BIGINT) AS DOUBLE)"
            sides.append(text)
        return f"({sides[0]} {sign} {sides[1]})"

    return work


def _comparable(node: Node, text: str) -> str:
    return f"CASE WHEN {text} THEN 1 ELSE 0 END" if node.base == "boolean" else text


def _selected(sql: Dialect, node: Node, test: str, x: str, y: str) -> str:
    if node.base == "integer":
        kind = _kind(sql, node)
        x, y = f"CAST({x} AS {kind})", f"CAST({y} AS {kind})"
    return f"CASE WHEN {test} THEN {x} ELSE {y} END"


def _made_finite(sql: Dialect, node: Node, x: str) -> str:
    """A sum whose parts may be infinite: what is no number is 0."""
    return (
        x
        if node.most < 1e308
        else f"CASE WHEN isnan({x}) THEN 0e0 ELSE {_finite(sql, node, x)} END"
    )


def _root(sql: Dialect, node: Node, x: str) -> str:
    return f"CASE WHEN {x} > 0 THEN {sql.root(x)} ELSE 0e0 END"


def form_of_text(sql: Dialect, node: Node, x: str) -> str | None:
    """A function of a text; None where the engine has none that is the same for every text."""
    function, given = node.public
    made = _TEXTS.get(function)
    return None if made is None else made(sql, x, *given)


def _starts(form: Callable[[Dialect, str, str], str]) -> Callable[..., str | None]:
    def work(sql: Dialect, x: str, part: Any = None, *places: Any) -> str | None:
        parts = (part,) if isinstance(part, str) else part
        if places or not isinstance(parts, tuple) or not all(isinstance(p, str) for p in parts):
            return None
        return f"({' OR '.join(form(sql, x, sql.quoted(p)) for p in parts)})" if parts else "false"

    return work


def _holds(sql: Dialect, x: str, part: Any) -> str:
    return sql.holds(x, sql.quoted(part)) if isinstance(part, str) else "false"


def _lies_in(sql: Dialect, x: str, whole: Any) -> str | None:
    if isinstance(whole, str):
        return sql.holds(sql.quoted(whole), x)
    if not isinstance(whole, frozenset):
        return "false"
    return f"({x} IN ({', '.join(map(sql.quoted, sorted(whole)))}))" if whole else "false"


#: Function of a text -> its form; None of values that it does not take.
_TEXTS: Final[dict[str, Callable[..., str | None]]] = {
    "len": lambda sql, x: sql.length(x),
    "holds": _holds,
    "lies_in": _lies_in,
    "startswith": _starts(lambda sql, x, part: sql.starts(x, part)),
    "endswith": _starts(lambda sql, x, part: sql.ends(x, part)),
}


def _position(sql: Dialect, node: Node, x: str) -> str:
    places = node.public
    (row,) = node.arguments
    if isinstance(places, Edges):
        if row.base != "integer" and row.base != "double":
            raise NoForm("bins of texts")
        ends = places.least
        if row.base == "integer":  # no whole number of a row is larger
            ends = [max(min(end, _BEYOND), -_BEYOND) for end in ends]
        return _bin(sql, x, row, ends, 0)
    if isinstance(places, DayPart):
        return sql.day_part(places.name, x)
    if not isinstance(places, KeyPlaces):
        raise InternalError("a position among nothing that is known")
    cases = [
        f"WHEN {x} = {text} THEN {place}"
        for key, place in places.first.items()
        if (text := sql.key(key, row)) is not None
    ]
    return f"CASE {' '.join(cases)} ELSE {places.count} END" if cases else str(places.count)


def _bin(sql: Dialect, x: str, row: Node, ends: Sequence[Any], before: int) -> str:
    """How many of some rising ends lie at or below a number, found by halves."""
    if not len(ends):
        return str(before)
    half = len(ends) // 2
    end = ends[half]
    left = _bin(sql, x, row, ends[:half], before)
    right = _bin(sql, x, row, ends[half + 1 :], before + half + 1)
    return f"CASE WHEN {x} < {sql.literal(end, row)} THEN {left} ELSE {right} END"


def _item(sql: Dialect, node: Node, x: str) -> str:
    inner = [sql.literal(value, node) for value in node.public]
    *some, last = enumerate(inner)
    if not some:
        return inner[0]
    return f"CASE {' '.join(f'WHEN {x} = {i} THEN {v}' for i, v in some)} ELSE {last[1]} END"


def clamped(sql: Dialect, text: str, low: Any, high: Any, like: Node) -> str:
    """An expression moved between two numbers of its kind."""
    if text.isidentifier() and None not in (low, high):
        # Faster than a choice of the least and the greatest.
        first, last = sql.literal(low, like), sql.literal(high, like)
        inner = f"WHEN {text} > {last} THEN {last} ELSE {text}"
        return f"CASE WHEN {text} < {first} THEN {first} {inner} END"
    if high is not None:
        text = f"least({text}, {sql.literal(high, like)})"
    return text if low is None else f"greatest({text}, {sql.literal(low, like)})"


FORMS: Final[dict[str, Callable[..., str]]] = {
    "add": _arithmetic("+"),
    "sub": _arithmetic("-"),
    "mul": _arithmetic("*"),
    "div": _divided,
    "floordiv": _whole_division,
    "mod": _remainder,
    "neg": _negated,
    "abs": _absolute,
    "min": lambda sql, node, x, y: f"least({x}, {y})",
    "max": lambda sql, node, x, y: f"greatest({x}, {y})",
    "double": _to_double,
    **{operator: _to_whole(operator) for operator in _ROUNDING},
    "lt": _compared("<"),
    "le": _compared("<="),
    "eq": _compared("="),
    "and": lambda sql, node, x, y: f"({x} AND {y})",
    "or": lambda sql, node, x, y: f"({x} OR {y})",
    "not": lambda sql, node, x: f"(NOT {x})",
    "select": _selected,
    "sqrt": _root,
    "plain_add": lambda sql, node, x, y: f"({x} + {y})",
    "made_finite": _made_finite,
    "position": _position,
    "item": _item,
}
#: Operators whose forms have an argument in several places.
REPEATING: Final = frozenset("floordiv mod position item sqrt double div made_finite".split())
#: Operators without a form, as a message calls them.
NAMES: Final = {"called": "a function from outside"}
