"""Arithmetic on public and released values: no rule is needed, nothing private moves.

Results stay expressions where they can, so that they may appear in bounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from metricdp.check.values import arrays
from metricdp.check.values.objects import UNKNOWN, Obj, Range, TupleValue, Value, shape
from metricdp.effort import MOST_BITS, no_larger, no_longer
from metricdp.expr import (
    Expr,
    ExpressionError,
    absolute,
    ceil,
    compare,
    exp,
    floor,
    log,
    maximum,
    minimum,
    num,
    power,
    root,
    tanh,
)
from metricdp.expr.core import digits
from metricdp.spaces import Moment, Scalar, Space, Vector
from metricdp.spaces.moments import CLASSES

#: What a public value is in that is certainly a text.
TEXT = Scalar("Data", kind="str")
#: Most bits of a whole number in a program: Python prints no more of them.
LARGEST = 14_000


def literal(value: Any) -> Value:
    """A literal of the program; a float is the double that Python builds."""
    if isinstance(value, set | frozenset):
        return Value("public", literal=frozenset(value), source="literal", size=num(len(value)))
    if isinstance(value, bool) or not isinstance(value, int | float):
        held = "bool" if isinstance(value, bool) else ""
        return Value("public", literal=value, source="literal", holds=held)
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return Value("public", literal=value, source="literal")
    if isinstance(value, int) and value.bit_length() > LARGEST:
        return Value("public", Scalar("Int"), source="literal", holds="int")
    typed = num(repr(value)) if isinstance(value, float) else None
    held = "int" if isinstance(value, int) else ""
    return Value(
        "public", expr=num(value), typed=typed, literal=value, source="literal", holds=held
    )


def origin(*values: Obj) -> str:
    """Released if any argument is released, or has something inside that is."""
    return "released" if any(map(_released, values)) else "public"


def _released(value: object) -> bool:
    if isinstance(value, TupleValue):
        return any(map(_released, value.items))
    return getattr(value, "origin", "") == "released"


def binary(operator: str, a: Value, b: Value) -> Value:
    """a operator b."""
    if arrays.ARRAY in (a.holds, b.holds):
        found = arrays.binary(operator, a, b, origin(a, b))
        return Value(origin(a, b), source="computed") if found is None else found
    if operator in ("<", "<=", ">", ">=", "==", "!="):
        return _comparison(operator, a, b)
    sets = isinstance(a.literal, frozenset) and isinstance(b.literal, frozenset)
    if sets and operator in _OF_SETS and origin(a, b) == "public":
        return literal(_OF_SETS[operator](a.literal, b.literal))
    if operator in TESTS:
        return Value(origin(a, b), number_space(a, b), source="computed", holds="bool")
    expr = arithmetic(operator, a.expr, b.expr)
    typed = None
    if a.typed is not None or b.typed is not None:
        left = a.expr if a.typed is None else a.typed
        right = b.expr if b.typed is None else b.typed
        typed = arithmetic(operator, left, right)
    irrational = "irrational" in (a.source, b.source) or (
        # Powers that Python computes in floating point.
        operator == "**"
        and (b.expr is None or not b.expr.is_integer() or b.expr.sign() not in ("0", "+", ">=0"))
    )
    real = operator != "**" or _is_real(a, b)
    space = number_space(a, b) if real else None
    if irrational and operator == "%":  # Python may have rounded over a multiple.
        return Value(origin(a, b), space, source="irrational")
    if irrational:
        return Value(origin(a, b), space, None, expr, typed, UNKNOWN, "irrational")
    held = "int" if _stays_whole(operator, a, b) else ""
    if operator == "+" and kind(a) == kind(b) == "text":
        held, space = "text", TEXT
    floating = operator == "/" or any(type(each.literal) is float for each in (a, b))
    if expr is not None and (operator == "/" or in_float(a) or in_float(b)):
        held = FLOAT
    known_value = _known(expr, "float" if floating else held)
    return Value(origin(a, b), space, None, expr, typed, known_value, "computed", holds=held)


#: Operators of two sets.
_OF_SETS: dict[str, Callable[[frozenset[Any], frozenset[Any]], frozenset[Any]]] = {
    "|": frozenset.union, "&": frozenset.intersection, "-": frozenset.difference,
    "^": frozenset.symmetric_difference,
}  # fmt: skip
#: Operators whose result is True or False, whatever they are given.
TESTS = frozenset({"is", "is not", "in", "not in"})
#: Operators that make an integer of two of them; a power needs an exponent that is not negative.
_WHOLE = frozenset({"+", "-", "*", "//", "%"})


def _stays_whole(operator: str, a: Value, b: Value) -> bool:
    if a.holds != "int" or b.holds != "int":
        return False
    natural = b.expr is not None and b.expr.sign() in ("0", "+", ">=0")
    return operator in _WHOLE or (operator == "**" and natural)


def _is_real(base: Value, exponent: Value) -> bool:
    """Whether a power is no complex number, which two floats may have."""
    if is_exact(exponent):
        return True
    return is_exact(base) and base.expr is not None and base.expr.sign() in ("0", "+", ">=0")


def is_exact(value: Value) -> bool:
    """Whether a public number is an integer or a rational in a run, and no float.

    The state of a loop is a symbol of which nothing is known, and may be a float.
    """
    if value.expr is None or value.source == "irrational" or value.private:
        return False
    return not any(name.startswith("_") for name in value.expr.symbols)


def arithmetic(operator: str, a: Expr | None, b: Expr | None) -> Expr | None:
    """a operator b; None where it has no expression."""
    if a is None or b is None:
        return None
    _fits(operator, a, b)
    try:
        if operator == "+":
            return a + b
        if operator == "-":
            return a - b
        if operator == "*":
            return a * b
        if operator == "/":
            return None if b.is_zero else a / b
        if operator == "//":
            return None if b.is_zero else floor(a / b)
        if operator == "%":
            return None if b.is_zero else a - b * floor(a / b)
        if operator == "**":
            fraction = b.as_fraction()
            if fraction is not None and abs(fraction) > 1000:
                return None
            return power(a, b)
    except (ExpressionError, ArithmeticError, ValueError):
        return None
    return None


def _fits(operator: str, a: Expr, b: Expr) -> None:
    """Raises:
    Exhausted: the result would have too many digits, or too many terms.
    """
    long = digits(a) + digits(b)
    if operator == "**" and (exponent := b.as_fraction()) is not None and abs(exponent) <= 1000:
        long = digits(a) * math.ceil(abs(exponent))
    no_longer(long, MOST_BITS, "a public number")
    no_larger(len(a.terms) + len(b.terms))


def _known(expr: Expr | None, held: str) -> Any:
    """The value of a computed number as Python holds it, where value and type are both certain.

    A private branch may choose between 5 and 5.0, and a text of them may be a key: whoever prints
    them tells them apart.

    Args:
        held: "int" or "float", as the number certainly is in a run; anything else is neither.
    """
    fraction = expr.as_fraction() if expr is not None else None
    if fraction is None or held not in ("int", "float"):
        return UNKNOWN
    if held == "int":
        return int(fraction)
    try:
        found = float(fraction)
    except OverflowError:
        return UNKNOWN
    return found if found == fraction else UNKNOWN


def _comparison(operator: str, a: Value, b: Value) -> Value:
    result: Any = UNKNOWN
    if "irrational" in (a.source, b.source):
        pass  # Python compares the rounded numbers.
    elif a.expr is not None and b.expr is not None:
        verdict = compare(a.expr, operator, b.expr)
        result = UNKNOWN if verdict is None else verdict
    elif a.literal is not UNKNOWN and b.literal is not UNKNOWN and operator in ("==", "!="):
        result = (a.literal == b.literal) == (operator == "==")
    held = "bool" if kind(a) and kind(b) else ""  # arrays are compared entry by entry
    return Value(origin(a, b), literal=result, source="computed", holds=held)


def unary(operator: str, a: Value) -> Value:
    """operator a."""
    if operator == "not":
        known = a.literal if isinstance(a.literal, bool) else UNKNOWN
        return Value(
            a.origin, literal=UNKNOWN if known is UNKNOWN else not known, source="computed",
            holds="bool",
        )  # fmt: skip
    if operator == "+" or (operator == "-" and a.holds == arrays.ARRAY):
        return a
    expr = -a.expr if a.expr is not None else None
    typed = -a.typed if a.typed is not None else None
    space = number_space(a)
    if a.source == "irrational":
        return Value(a.origin, space, None, expr, typed, UNKNOWN, "irrational")
    held = "int" if a.holds == "int" and operator == "-" else ""
    held = FLOAT if expr is not None and operator == "-" and in_float(a) else held
    known_value = _known(expr, "float" if type(a.literal) is float else held)
    return Value(a.origin, space, None, expr, typed, known_value, "computed", holds=held)


_FUNCTIONS: dict[str, Any] = {
    "abs": absolute,
    "math.fabs": absolute,
    "float": lambda e: e,
    "math.sqrt": root,
    "math.exp": exp,
    "math.log": log,
    "math.tanh": tanh,
    "math.floor": floor,
    "math.ceil": ceil,
    "min": minimum,
    "max": maximum,
}
#: Computed in floating point when it runs, so the result may not bound data, only set a target.
_IRRATIONAL = frozenset({"math.sqrt", "math.exp", "math.log", "math.tanh"})
_ROUNDING = frozenset({"math.floor", "math.ceil", "int"})
#: Of one sequence of numbers: a number.
_OF_ALL = frozenset({"sum", "min", "max"})
#: What a builtin makes, if it makes anything.
_MADE = {
    "int": "int", "len": "int", "bool": "bool", "any": "bool", "all": "bool", "str": "text",
    "repr": "text",
}  # fmt: skip
_SINGLE = frozenset(_FUNCTIONS) - {"min", "max"}


def call(name: str, values: list[Value]) -> Value:
    """A public function of public and released numbers, by dotted name."""
    function = _FUNCTIONS.get(name)
    expr: Expr | None = None
    exprs = [v.expr for v in values if v.expr is not None]
    known = function is not None and values and len(exprs) == len(values)
    if known and function is not None and (len(values) == 1 or name not in _SINGLE):
        try:
            expr = function(*exprs)
        except (ExpressionError, ArithmeticError, ValueError):
            expr = None
    if name == "int" and len(exprs) == 1 and len(values) == 1 and exprs[0].is_integer():
        expr = exprs[0]
    irrational = name in _IRRATIONAL or any(v.source == "irrational" for v in values)
    irrational = irrational or (name == "math.fabs" and not all(map(_is_double, values)))
    if irrational and name in _ROUNDING:
        expr = None  # The rounded number may lie on the other side of an integer.
    source = "irrational" if irrational else "computed"
    space = number_space(*values) if name in _FUNCTIONS or name == "round" else None
    if name in _OF_ALL and len(values) == 1 and space is None:
        space = number_space(item(values[0], literal(0)))  # an item is a number, so all of them are
    if name in ("float", "int", "len"):
        space = Scalar("Real")  # or an error, whatever the argument
    held = _MADE.get(name, "")
    space = TEXT if held == "text" else space
    if name in ("abs", "min", "max") and values and all(v.holds == "int" for v in values):
        held = "int"
    if expr is not None and (
        name == "float" or (name in ("abs", "min", "max") and all(map(in_float, values)))
    ):
        held = FLOAT
    floating = all(type(v.literal) is float for v in values)
    floating = name == "float" or (name in ("abs", "min", "max") and floating)
    known_value = UNKNOWN if irrational else _known(expr, "float" if floating else held)
    return Value(origin(*values), space, None, expr, None, known_value, source, holds=held)


def _is_double(value: Value) -> bool:
    """Whether a public number is certainly one that a float holds without rounding."""
    fraction = value.expr.as_fraction() if value.expr is not None else None
    if fraction is None:
        return False
    try:
        return float(fraction) == fraction
    except OverflowError:
        return False


def one_of(items: Sequence[Obj], source: str, step: str = "") -> Obj:
    """One of some public or released items; it is not known which.

    Args:
        source: origin of the choice.
        step: derivation step that made it.
    """
    rows = [item for item in items if isinstance(item, TupleValue)]
    if rows and len(rows) == len(items) and len({shape(row) for row in rows}) == 1:
        columns = zip(*(row.items for row in rows), strict=True)
        made = tuple(one_of(column, source, step) for column in columns)
        return msgspec.structs.replace(rows[0], items=made)
    if items and all(arrays.same_shape(item, items[0]) for item in items):
        return arrays.made(source, arrays.shape_of(items[0]) or ())
    known = [i.expr for i in items if isinstance(i, Value) and i.expr is not None]
    space = None
    if items and len(known) == len(items):
        space = Scalar("Int" if all(e.is_integer() for e in known) else "Real")
    held = common(*map(kind, items)) if items else ""
    if held in CLASSES:
        return Value(source, Moment(held), source="computed", step=step)
    return Value(source, space, source="computed", step=step, holds=held if held in CERTAIN else "")


def of_declared(value: Obj) -> bool:
    """Whether the items of a public sequence were looked at when they entered."""
    return isinstance(value, Value) and value.source == "parameter"


def unknown_values(origin: str, count: int) -> tuple[Value, ...]:
    """Values of which nothing is known, each an object of its own: one object is one value."""
    return tuple(Value(origin, source="computed") for _ in range(count))


def another(value: Obj) -> Obj:
    """The same said of another value: one object would be one value (`objects.same`)."""
    if isinstance(value, TupleValue):
        return msgspec.structs.replace(value, items=tuple(map(another, value.items)))
    if isinstance(value, Value) and not value.private:
        return msgspec.structs.replace(value)
    return value


def is_number(value: Obj) -> bool:
    """Whether a public or released value is certainly one number, and no array."""
    if not isinstance(value, Value) or value.private:
        return False
    known = isinstance(value.literal, int | float) or value.expr is not None
    return known or (isinstance(value.space, Scalar) and value.space.kind != "str")


#: What `Value.holds` says of a value that has neither literal nor expression.
CERTAIN = frozenset({"int", "exact", "bool", "text", arrays.ARRAY})
#: What a value holds that is a number or None.
OPTIONAL = "optional"
#: What a public number holds that Python computes as a float; a run may have a rational in its
#: place, which `kind` says.
FLOAT = "float"


def common(*kinds: str) -> str:
    """What a value certainly is that is one of these."""
    if len(set(kinds)) == 1:
        return kinds[0]
    return "exact" if {"int", "exact"} == set(kinds) else ""


def kind(value: Obj) -> str:
    """What a public or released value certainly is in a run: "int", "exact" (an integer or a
    rational), "number", "bool", "text", "date", "datetime", "timedelta" or "None"; "" where that
    is not known."""
    if not isinstance(value, Value) or value.private:
        return ""
    if isinstance(value.space, Moment):
        return value.space.kind
    if value.holds == OPTIONAL:
        return ""
    if value.holds and value.holds != FLOAT:
        return value.holds
    if value.literal is None:
        return "None"
    if isinstance(value.literal, str) or getattr(value.space, "kind", "") == "str":
        return "text"
    if is_exact(value):
        return "exact"
    if isinstance(value.space, Scalar) and value.space.element == "Data" and not value.space.kind:
        return ""  # any scalar, a text perhaps
    return "number" if is_number(value) else ""


def in_float(value: Obj) -> bool:
    """Whether Python holds a public number in a float, so that it is no position of a list and no
    number of rounds, whole or not."""
    if not isinstance(value, Value) or value.private:
        return False
    declared = value.source == "parameter" and value.expr is not None and not value.holds
    return type(value.literal) is float or value.holds == FLOAT or declared


def number_space(*values: Obj) -> Space | None:
    """The space of what arithmetic makes of these values, if all of them are numbers."""
    return Scalar("Real") if values and all(map(is_number, values)) else None


def item(base: Obj, index: Obj) -> Value:
    """`base[index]` of a public or released sequence: a number, if it holds numbers."""
    space = getattr(base, "space", None)
    if isinstance(base, Value) and is_number(index):
        row = arrays.item(base, origin(base, index))
        if row is not None:
            return row
    if isinstance(space, Vector) and is_number(index):
        kind = "str" if space.element == "Data" else ""
        held = "int" if space.element == "Int" and of_declared(base) else ""
        item_space = Scalar(space.element, kind=kind)
        return Value(origin(base, index), item_space, source="computed", holds=held)
    return Value(origin(base, index), source="computed")


def public_length(value: Obj) -> Expr | None:
    """Number of items of a public or released sequence; None where it is not known."""
    if not isinstance(value, Value) or value.private:
        return None
    if value.size is None and value.origin == "released" and isinstance(value.space, Vector):
        return value.space.size
    return value.size


def public_number(expr: Expr, holds: str = "") -> Value:
    """A public number known as an expression."""
    return Value("public", expr=expr, literal=_known(expr, holds), source="computed", holds=holds)


def public_count(expr: Expr) -> Value:
    """A number of rounds, rows or items, or the number of one of them: an integer in a run."""
    return public_number(expr, "int")


#: Most numbers of a range that become a list of known items.
LISTED = 64


def listed(numbers: Range) -> TupleValue | Value:
    """The numbers of a range, one by one where they are known and few."""
    start, count = numbers.start.expr, numbers.count.as_fraction()
    if start is None or count is None or count > LISTED:
        return unlisted(numbers)
    items = (public_count(start + num(i) * numbers.step) for i in range(int(count)))
    return TupleValue(tuple(items))


def unlisted(numbers: Range) -> Value:
    """The numbers of a range as one public sequence, of which the length is known."""
    space = Vector("Real", "LInf", numbers.count)
    return Value("public", space, source="computed", size=numbers.count)
