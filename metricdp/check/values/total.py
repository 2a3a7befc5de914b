"""Which operations on public values have a value, always: operators, and parts of sequences.

Each function says of one kind of operation under which relations of public parameters it cannot
fail, whatever the values are that a run admits: none, where it never fails, and None where nothing
says so.  What is not listed may fail.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import ceil

from metricdp.check.values import arrays, moments, public
from metricdp.check.values.dictionaries import is_dictionary, is_mapping
from metricdp.check.values.objects import Obj, TupleValue, Value
from metricdp.expr import ZERO, Expr, absolute, compare, num
from metricdp.expr.core import digits
from metricdp.spaces import Scalar, Vector

#: left, operator, right: what makes an operation total; () for one that is, None for no other.
Needs = tuple[tuple[Expr, str, Expr], ...] | None
TOTAL: Needs = ()
NOWHERE: Mapping[str, Expr] = {}

NUMBERS = frozenset({"int", "exact", "number", "bool"})
SCALARS = NUMBERS | {"text", "None"}
#: Integers and rationals are added and multiplied exactly, whatever their size.
EXACT = frozenset({"int", "exact", "bool"})
#: Between these magnitudes a constant meets any number without an overflow or a division by 0.0.
LARGE, SMALL = Fraction(2) ** 900, Fraction(1, 2**900)
#: Most binary digits of a number that is made here, and of a public parameter (a rational has two).
LONGEST, PARAMETER = 10**7, 30_000
_ORDER = frozenset({"<", "<=", ">", ">="})


def binary(operator: str, left: Obj, right: Obj) -> Needs:
    """`left operator right` of two values with nothing private in them."""
    a, b = public.kind(left), public.kind(right)
    if operator in ("is", "is not"):
        return TOTAL
    if moments.kind(left) or moments.kind(right):
        return sure(moments.total(operator, left, right))
    if operator in ("==", "!="):
        return sure(_is_plain(left) and _is_plain(right))
    if operator in _ORDER:
        return sure({a, b} <= NUMBERS or a == b == "text")
    if operator in ("in", "not in"):
        return sure(bool(a) and _holds(right, a))
    if operator in ("&", "|", "^"):
        return sure(a == b == "bool")
    if not (isinstance(left, Value) and isinstance(right, Value)):
        return None
    if arrays.ARRAY in (a, b):
        return sure(arrays.total_binary(operator, left, right))
    if operator == "+" and "text" in (a, b):
        return sure(a == b and any(isinstance(v.literal, str) for v in (left, right)))
    if not {a, b} <= NUMBERS:
        return None
    if operator in ("+", "-", "*"):
        whole = a == b == "int" and operator != "*"
        return sure(whole or _may_meet(left, right) or _are_small(left, right))
    if operator in ("/", "//", "%"):
        return _divided(left, right)
    return _power(left, right) if operator == "**" else None


def joined(left: TupleValue, right: TupleValue) -> Needs:
    """`left + right` of two tuples, or of two lists."""
    alike = left.is_list == right.is_list
    return sure(alike and not is_dictionary(left) and not is_dictionary(right))


def sure(total: bool) -> Needs:
    return TOTAL if total else None


def _may_meet(left: Value, right: Value) -> bool:
    """Whether numbers are added, multiplied and divided without an overflow: both are exact, or one
    is a constant of the program.

    Of exact ones, the length of one is known: numbers that are not known would double in length
    in every round of a loop.
    """
    if is_small(left) or is_small(right):
        return True
    if not {public.kind(left), public.kind(right)} <= EXACT:
        return False
    lengths = [length for length in map(digits_of, (left, right)) if length is not None]
    return bool(lengths) and sum(lengths) <= LONGEST


def _are_small(left: Value, right: Value) -> bool:
    """Whether both are constants, of which one may be rounded: math.sqrt(2) * 3."""
    return all(is_small(each) or _is_small_float(each) for each in (left, right))


def _is_small_float(value: Value) -> bool:
    expr = value.expr
    if expr is None or expr.symbols or expr.is_infinite or public.kind(value) != "number":
        return False
    size = absolute(expr)
    return compare(size, "<=", num(LARGE)) is True and compare(size, ">=", num(SMALL)) is True


def digits_of(value: Value) -> int | None:
    """Most binary digits of an exact public number in a run; None where nothing says so."""
    if public.kind(value) == "bool":
        return 1
    return _digits(value.expr) if value.expr is not None and public.is_exact(value) else None


#: Functions in expressions whose results are about as long as their arguments.
_PLAIN = frozenset({"max", "min", "abs", "floor", "ceiling", "base"})


def _digits(expr: Expr) -> int | None:
    if expr.is_infinite:
        return None
    total = 0
    for monomial in expr.terms:
        total += digits(expr) + 2
        for atom, exponent in monomial:
            parts: list[int | None] = [PARAMETER]
            if atom.kind in _PLAIN:
                parts = [_digits(arg) for arg in atom.args]
            elif atom.kind not in ("sym", "prime"):
                return None
            lengths = [part for part in parts if part is not None]
            if len(lengths) < len(parts):
                return None
            total += ceil(abs(Fraction(exponent)) * sum(lengths))
    return total


def constant_of(value: Value) -> Fraction | None:
    """A number that is written in the program."""
    if public.kind(value) == "bool":
        return Fraction(value.literal) if isinstance(value.literal, bool) else None
    return value.expr.as_fraction() if value.expr is not None and public.is_exact(value) else None


def is_small(value: Value) -> bool:
    if public.kind(value) == "bool":
        return True
    known = constant_of(value)
    return known is not None and (not known or SMALL <= abs(known) <= LARGE)


def _divided(left: Value, right: Value) -> Needs:
    if public.kind(right) == "bool":
        return None  # False is 0
    if right.expr is None or not public.is_exact(right):
        return None
    exact = {public.kind(left), public.kind(right)} <= EXACT and _may_meet(left, right)
    return ((right.expr, "!=", ZERO),) if exact or is_small(right) else None


def _power(left: Value, right: Value) -> Needs:
    exponent = constant_of(right)
    if exponent is None or public.kind(right) == "bool":
        return None
    if exponent.denominator != 1:
        return TOTAL  # a rational in a run: `values.exact` has a value for every base
    length = digits_of(left) if public.kind(left) in EXACT else None
    if exponent >= 0:
        return sure(length is not None and length * exponent <= LONGEST)
    known = constant_of(left)
    return sure(bool(known) and is_small(left) and abs(exponent) <= 1)


def unary(operator: str, value: Obj) -> Needs:
    """`-a`, `+a`, `not a` of a value with nothing private in it."""
    if operator == "not":
        return truth(value)
    return sure(operator in "+-" and public.kind(value) in NUMBERS)


def positive(value: Obj) -> Needs:
    """`+a` of a private value: Python has none for texts."""
    space = getattr(value, "space", None)
    return sure(isinstance(space, Scalar) and space.element in ("Real", "Int", "Bool"))


def truth(value: Obj) -> Needs:
    """A value as a condition: an array of several entries is none."""
    return sure(isinstance(value, TupleValue) or public.kind(value) in SCALARS)


def _is_plain(value: Obj) -> bool:
    """A number, a text, None, or a tuple or list of these: compared as a whole."""
    if isinstance(value, TupleValue):
        return all(map(_is_plain, value.items))
    return public.kind(value) in SCALARS


def hashed(key: Obj) -> Needs:
    """A key of a dictionary."""
    if isinstance(key, TupleValue):
        return sure(not key.is_list and all(hashed(item) is TOTAL for item in key.items))
    return sure(public.kind(key) in SCALARS)


def _holds(container: Obj, kind: str) -> bool:
    """Whether a container can be searched for a scalar of this kind."""
    if is_mapping(container):
        return True  # a scalar has a hash
    if isinstance(container, TupleValue):
        return _is_plain(container)
    if public.kind(container) == "text":
        return kind == "text"
    return isinstance(container, Value) and isinstance(container.space, Vector)


# -- parts of public values -----------------------------------------------------------------


def entry(base: Obj, index: Obj, positions: Mapping[str, Expr] = NOWHERE) -> Needs:
    """`base[index]`.

    Args:
        positions: step that released a position -> how many there were.
    """
    known = getattr(index, "literal", None)
    size = size_of(base)
    if size is None or not isinstance(index, Value) or index.private:
        return None
    if index.origin == "released" and public.kind(index) == "number":
        count = positions.get(index.step)
        return None if count is None else ((size, ">=", count),)
    if public.kind(index) != "int" or index.expr is None or not public.is_exact(index):
        return None
    if isinstance(known, int) and known < 0:
        return ((size, ">=", num(-known)),)
    if isinstance(known, int):
        return ((size, ">", num(known)),)
    return (index.expr, ">=", ZERO), (index.expr, "<", size)


def unpacked(value: Obj, count: int, more: bool = False) -> Needs:
    """A public sequence bound to so many names; with `more`, to a name of the rest, too."""
    size = size_of(value)
    return None if size is None else ((size, ">=" if more else "==", num(count)),)


def sliced(base: Obj, ends: Iterable[Obj]) -> Needs:
    """`base[i:j]`; a step may not be 0."""
    *places, step = ends
    known = getattr(step, "literal", 0)
    stepped = known is ... or (public.kind(step) == "int" and isinstance(known, int) and known != 0)
    whole = all(
        getattr(end, "literal", 0) is ... or public.kind(end) in ("int", "None") for end in places
    )
    held = size_of(base) is not None or public.kind(base) == "text"
    return sure(held and stepped and whole)


def size_of(value: Obj) -> Expr | None:
    """Number of items of a tuple, list or public sequence."""
    if isinstance(value, TupleValue):
        return None if is_dictionary(value) else num(len(value.items))
    return public.public_length(value)


def of_numbers(value: Obj) -> bool:
    if isinstance(value, TupleValue):
        return not value.names and all(public.kind(item) in NUMBERS for item in value.items)
    space = getattr(value, "space", None)
    return isinstance(space, Vector) and space.element in ("Real", "Int")
