"""Rigorous interval evaluation: rational operations exact, irrational ones rounded outward."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf, isnan

from metricdp.errors import ExpressionError
from metricdp.expr import elementary
from metricdp.expr.atoms import Atom
from metricdp.expr.core import UNIT, Env, Expr, Interval, Monomial, Number, Value
from metricdp.expr.normal import erfc

#: What the error of a symbol without a value begins with; the name follows.
NO_VALUE = "no value for "
_LONGEST_SUM = 1_000_000
# Exact powers beyond this many bits are rounded instead.
_MOST_EXACT_BITS = 20_000
# Higher roots go through the logarithm.
_HIGHEST_ROOT = 64


def enclose(expr: Expr, env: Env, bits: int = 64) -> Interval:
    """Lower and upper bound of the value; see `Expr.enclose`."""
    if expr.inf:
        return (inf, inf) if expr.inf > 0 else (-inf, -inf)
    total: Interval | None = None
    cache: dict[Atom, Interval] = {}
    for monomial, coefficient in expr.terms.items():
        scale = Fraction(coefficient)
        value: Interval = scale, scale
        if monomial != UNIT:
            factors = [] if coefficient == 1 else [value]
            for atom, exponent in monomial:
                if atom.kind in ("exp", "pow"):
                    factors.append(_scaled_exponent(atom, exponent, env, bits))
                    continue
                if atom not in cache:
                    cache[atom] = _atom(atom, env, bits)
                factors.append(raised(cache[atom], exponent, bits))
            value = factors[0]
            for factor in factors[1:]:
                value = times(value, factor)
            if (
                not value[0]
                and not value[1]
                and any(isinstance(e, float) for f in factors for e in f)
            ):
                value = _at_infinity(monomial, env)
        total = value if total is None else plus(total, value)
    return (Fraction(0), Fraction(0)) if total is None else total


def _at_infinity(monomial: Monomial, env: Env) -> Interval:
    """0 * oo: 0 if a factor is 0, everything if a factor only tends to 0."""
    far = {name for name, value in env.items() if value in (inf, -inf)}
    for atom, exponent in monomial:
        if not atom.symbols & far and raised(_atom(atom, env, 64), exponent, 64) == (0, 0):
            return Fraction(0), Fraction(0)
    return -inf, inf


def plus(left: Interval, right: Interval) -> Interval:
    """Sum of enclosures; an indefinite oo - oo widens to everything on that side."""
    low = _add(left[0], right[0], -inf)
    if left[0] is left[1] and right[0] is right[1] and not isinstance(low, float):
        return low, low
    return low, _add(left[1], right[1], inf)


def _add(left: Value, right: Value, end: float) -> Value:
    """The sum; `end` where one of them is that."""
    if isinstance(left, float):
        return end if isinstance(right, float) and right == end else left
    return right if isinstance(right, float) else left + right


def _mul(left: Value, right: Value) -> Value:
    if not left or not right:
        return Fraction(0)
    if isinstance(left, float) or isinstance(right, float):
        return inf if (left > 0) == (right > 0) else -inf
    return left * right


def times(left: Interval, right: Interval) -> Interval:
    """Product of enclosures, with 0 * oo = 0."""
    if _is_point(left) and _is_point(right):
        point = _mul(left[0], right[0])
        return point, point
    if _nonneg(left[0]) and _nonneg(right[0]):
        return _mul(left[0], right[0]), _mul(left[1], right[1])
    corners = [_mul(a, b) for a in left for b in right]
    return min(corners), max(corners)


def _is_point(value: Interval) -> bool:
    # Comparing two rationals takes as long as multiplying them.
    return value[0] is value[1] or value[0] == value[1]


def _nonneg(value: Value) -> bool:
    return value >= 0 if isinstance(value, float) else value.numerator >= 0


def raised(base: Interval, exponent: Number, bits: int) -> Interval:
    """A constant power of an enclosure."""
    if exponent == 1:
        return base
    if exponent < 0:
        return reciprocal(raised(base, -exponent, bits))
    if isinstance(exponent, int):
        return _integer_power(base, exponent, bits)
    low, high = base
    if high < 0:
        raise ExpressionError("a root of a negative number is not real")
    if exponent.denominator > _HIGHEST_ROOT:
        return _by_logarithm(base, (Fraction(exponent), Fraction(exponent)), bits)
    powered = _integer_power((max(low, Fraction(0)), high), exponent.numerator, bits)
    return elementary.root(powered, exponent.denominator, bits)


def reciprocal(value: Interval) -> Interval:
    """1 / enclosure."""
    low, high = value
    if low <= 0 <= high:
        if low == high == 0:
            raise ExpressionError("division by zero")
        return (
            -inf if low < 0 else _flip(high),
            inf if high > 0 else _flip(low),
        )
    return _flip(high), _flip(low)


def _flip(value: Value) -> Value:
    return Fraction(0) if isinstance(value, float) else 1 / value


def _integer_power(base: Interval, exponent: int, bits: int) -> Interval:
    if exponent == 1:
        return base
    low, high = base
    if exponent % 2 == 0 and low < 0:
        low, high = (-high, -low) if high <= 0 else (Fraction(0), max(-low, high))
    return (
        _endpoint(low, exponent, bits, down=True),
        _endpoint(high, exponent, bits, down=False),
    )


def _endpoint(value: Value, exponent: int, bits: int, down: bool) -> Value:
    if isinstance(value, float):
        return value if value > 0 or exponent % 2 else inf
    size = max(value.numerator.bit_length(), value.denominator.bit_length())
    if size * exponent <= _MOST_EXACT_BITS or abs(value) in (0, 1):
        return value**exponent
    negative = value < 0 and exponent % 2 == 1
    low, high = elementary.large_power(abs(value), exponent, bits)
    if negative:
        return -high if down else -low
    return low if down else high


def _scaled_exponent(atom: Atom, factor: Number, env: Env, bits: int) -> Interval:
    """exp(x)**factor as exp(factor*x), base**x likewise: roots of powers would be slow."""
    *bases, exponent = (enclose(arg, env, bits) for arg in atom.args)
    if factor != 1:
        exponent = times(exponent, (Fraction(factor), Fraction(factor)))
    return _tower(bases[0], exponent, bits) if bases else elementary.exp(exponent, bits)


def _atom(atom: Atom, env: Env, bits: int) -> Interval:
    kind = atom.kind
    if kind == "sym":
        held = env.get(str(atom.label))
        if isinstance(held, tuple):  # all numbers of an interval
            return held
        value = lookup(str(atom.label), env)
        return value, value
    if kind == "prime":
        return Fraction(int(atom.label)), Fraction(int(atom.label))
    if kind == "sum":
        return _sum(atom, env, bits)
    return _FUNCTIONS[kind](bits, *(enclose(arg, env, bits) for arg in atom.args))


def _alone(bits: int, value: Interval) -> Interval:
    return value


def _max(bits: int, *args: Interval) -> Interval:
    return max(a[0] for a in args), max(a[1] for a in args)


def _min(bits: int, *args: Interval) -> Interval:
    return min(a[0] for a in args), min(a[1] for a in args)


def _abs(bits: int, value: Interval) -> Interval:
    low, high = value
    if low >= 0:
        return low, high
    return (-high, -low) if high <= 0 else (Fraction(0), max(-low, high))


def lookup(name: str, env: Env) -> Value:
    """The value of a symbol as an exact rational or an infinity."""
    try:
        value = env[name]
    except KeyError:
        raise ExpressionError(NO_VALUE + str(name)) from None
    if isinstance(value, float):
        if isnan(value):
            raise ExpressionError(f"{name} is NaN")
        if value in (inf, -inf):
            return value
    return value if type(value) is Fraction else Fraction(value)


def _tower(base: Interval, exponent: Interval, bits: int) -> Interval:
    low, high = exponent
    if low == high and isinstance(low, Fraction):
        if low == 0:
            return Fraction(1), Fraction(1)
        power: Number = low.numerator if low.denominator == 1 else low
        return raised(base, power, bits)
    return _by_logarithm(base, exponent, bits)


def _by_logarithm(base: Interval, exponent: Interval, bits: int) -> Interval:
    if base[1] < 0:
        raise ExpressionError("a power of a negative number is not real")
    if base == (0, 0) and exponent[0] > 0:
        return base
    logarithm = elementary.log((max(base[0], Fraction(0)), base[1]), bits)
    return elementary.exp(times(exponent, logarithm), bits)


def _sum(atom: Atom, env: Env, bits: int) -> Interval:
    _, lo, hi = atom.args
    first, first_high = enclose(lo, env, bits)
    last, last_high = enclose(hi, env, bits)
    if first != first_high or isinstance(first, float):
        raise ExpressionError(f"the limits of {atom.label} are not rational numbers")
    if isinstance(last, float) or isinstance(last_high, float):
        raise ExpressionError("a sum over infinitely many terms has no value here")
    fewest = int(last - first) + 1 if last >= first else 0
    # A rounded root may stand on either side of a whole number: then both counts are enclosed.
    most = int(last_high - first) + 1 if last_high >= first else 0
    if most > _LONGEST_SUM:
        raise ExpressionError(f"a sum of {most} terms is too long to evaluate")
    found = total = _terms(atom, first, 0, fewest, env, bits)
    for count in range(fewest, most):
        total = plus(total, _terms(atom, first, count, count + 1, env, bits))
        found = min(found[0], total[0]), max(found[1], total[1])
    return found


def _terms(atom: Atom, first: Fraction, start: int, stop: int, env: Env, bits: int) -> Interval:
    """The sum of some of the terms."""
    total: Interval = (Fraction(0), Fraction(0))
    inner = dict(env)
    for step in range(start, stop):
        inner[str(atom.label)] = first + step
        total = elementary.shortened(plus(total, enclose(atom.args[0], inner, bits)), bits)
    return total


#: Kind of an atom -> its enclosure, from the bits asked for and the enclosures of its arguments.
_FUNCTIONS: dict[str, Callable[..., Interval]] = {
    "base": _alone,
    "lump": _alone,
    "max": _max,
    "min": _min,
    "abs": _abs,
    "floor": lambda bits, value: (elementary.floor(value[0]), elementary.floor(value[1])),
    "ceiling": lambda bits, value: (elementary.ceil(value[0]), elementary.ceil(value[1])),
    "exp": lambda bits, value: elementary.exp(value, bits),
    "log": lambda bits, value: elementary.log(value, bits),
    "tanh": lambda bits, value: elementary.tanh(value, bits),
    "erfc": lambda bits, value: erfc(value, bits),
    "pow": lambda bits, base, exponent: _tower(base, exponent, bits),
}
