"""Roots and powers, rational and symbolic, in normal form."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import comb, isqrt

from metricdp.errors import ExpressionError
from metricdp.expr.atoms import intern_atom, prime
from metricdp.expr.core import (
    INF,
    NEGATIVE_INF,
    ONE,
    UNIT,
    ZERO,
    Expr,
    Monomial,
    Number,
    num,
    number,
    reduced,
    single,
    size,
)
from metricdp.expr.functions import exp
from metricdp.expr.normal_form import inverse, primitive, regular, scaled_monomial, sign_facts

#: A power of a sum is multiplied out up to this many terms, and kept as it stands beyond.
_MOST_TERMS = 600
_TRIAL_DIVISION = 1000
_MOST_BITS = 4_000_000


def _length(value: Number) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def root(expr: Expr | int | Fraction | float, k: int = 2) -> Expr:
    """The real k-th root of a nonnegative expression, k a positive integer."""
    return _root(num(expr), k)


@lru_cache(maxsize=2048)
def _root(expr: Expr, k: int) -> Expr:
    return power(expr, number(reduced(Fraction(1, k))))


def power(base: Expr | int | Fraction | float, exponent: Expr | int | Fraction | float) -> Expr:
    """base**exponent.

    A rational exponent that is no integer, or a symbolic one, takes a base that is nonnegative
    wherever the expression has a value; 0**0 is 1.  Raises ExpressionError for a power of a
    negative number that is not real, and for 0 to a negative power.
    """
    base, exponent = num(base), num(exponent)
    if not exponent.is_number:
        return _symbolic_power(base, exponent)
    q = exponent.terms.get(UNIT, 0)
    if q == 1:
        return base
    if q == 0:
        return ONE
    if base.inf:
        if q < 0:
            return ZERO
        if base.inf > 0:
            return INF
        if isinstance(q, int):
            return NEGATIVE_INF if q % 2 else INF
        raise ExpressionError("a root of -oo is not real")
    if base.is_zero:
        if q < 0:
            raise ExpressionError("division by zero")
        return ZERO
    if isinstance(q, int):
        return _integer_power(base, q)
    if len(base.terms) == 1:
        ((monomial, coefficient),) = base.terms.items()
        return _root_of_term(monomial, coefficient, q)
    return _root_of_sum(base, q)


def _integer_power(base: Expr, q: int) -> Expr:
    if len(base.terms) == 1:
        ((monomial, coefficient),) = base.terms.items()
        if Fraction(coefficient) ** 2 != 1 and abs(q) * _length(coefficient) > _MOST_BITS:
            raise ExpressionError("a power of a number is too large to write out")
        raised = tuple((atom, reduced(e * q)) for atom, e in monomial)
        return regular(reduced(Fraction(coefficient) ** q), raised)
    if q < 0:
        return _integer_power(inverse(base), -q)
    if comb(len(base.terms) + q - 1, q) > _MOST_TERMS:
        facts = sign_facts(base)
        return single(intern_atom("lump", "", (base,), **facts), q)
    result, square = ONE, base
    while q:
        if q & 1:
            result = result * square
        q >>= 1
        if q:
            square = square * square
    return result


def _root_of_term(monomial: Monomial, coefficient: Number, q: Number) -> Expr:
    """(coefficient * monomial)**q; factors of unknown sign stay together under one root."""
    unknown = [(atom, e) for atom, e in monomial if not (atom.nonneg or not isinstance(e, int))]
    result = scaled_monomial(UNIT)
    odd = [(atom, e) for atom, e in unknown if isinstance(e, int) and e % 2]
    inside: Expr | None = None
    if coefficient < 0 and not odd and all(atom.positive for atom, _ in monomial):
        raise ExpressionError("a root of a negative number is not real")
    if odd and (coefficient < 0 or len(odd) > 1):
        inside = scaled_monomial(tuple(odd), -1 if coefficient < 0 else 1)
        coefficient = size(coefficient)
    elif coefficient < 0:
        inside = scaled_monomial(monomial, coefficient)
        return single(intern_atom("base", "", (inside,), **sign_facts(inside)), q)
    for atom, e in monomial:
        if inside is not None and (atom, e) in odd:
            continue
        factor: Expr
        if not atom.nonneg and isinstance(e, int) and e % 2 == 0:
            factor = power(abs(single(atom)), reduced(e * q))
        else:
            factor = regular(1, ((atom, reduced(e * q)),))
        result = result * factor
    if inside is not None:
        result = result * single(intern_atom("base", "", (inside,), **sign_facts(inside)), q)
    return result * rational_power(Fraction(coefficient), Fraction(q))


def _root_of_sum(base: Expr, q: Number) -> Expr:
    content, common, inner = primitive(base, signed=False)
    if base.sign() == "-":
        raise ExpressionError("a root of a negative number is not real")
    atom = intern_atom("base", "", (inner,), **sign_facts(inner))
    result = regular(1, ((atom, q),)) * rational_power(Fraction(content), Fraction(q))
    return result * _root_of_term(common, 1, q) if common else result


@lru_cache(maxsize=4096)
def rational_power(value: Fraction, q: Fraction) -> Expr:
    """value**q for a nonnegative rational: a rational times roots of primes."""
    if value < 0:
        raise ExpressionError("a root of a negative number is not real")
    result = ONE
    for whole, sign in ((value.numerator, 1), (value.denominator, -1)):
        for factor, times in _factors(whole):
            result = result * regular(1, ((prime(factor), reduced(q * times * sign)),))
    return result


def _factors(value: int) -> list[tuple[int, int]]:
    """Prime factors by trial division; a large cofactor stays whole, less perfect powers."""
    found = []
    candidate = 2
    while candidate * candidate <= value and candidate < _TRIAL_DIVISION:
        times = 0
        while value % candidate == 0:
            value //= candidate
            times += 1
        if times:
            found.append((candidate, times))
        candidate += 1 if candidate == 2 else 2
    if value > 1:
        times = 1
        while isqrt(value) ** 2 == value:
            value, times = isqrt(value), 2 * times
        found.append((value, times))
    return found


def _symbolic_power(base: Expr, exponent: Expr) -> Expr:
    if exponent.inf:
        raise ExpressionError("an infinite exponent has no value here")
    if base == ONE:
        return ONE
    if base.inf:
        sign = exponent.sign()
        if sign == "+":
            return base
        if sign == "-":
            return ZERO
        raise ExpressionError(f"oo**({exponent}) has no value: its sign is not known")
    if base.is_zero:
        if exponent.sign() == "+":
            return ZERO
        return single(intern_atom("pow", "", (base, exponent), nonneg=True))
    nonneg = base.sign() in ("+", ">=0")
    whole = bool(exponent.is_integer())
    if len(base.terms) == 1 and UNIT not in base.terms and (nonneg or whole):
        ((monomial, coefficient),) = base.terms.items()
        parts = [number(coefficient)] if coefficient != 1 else []
        if (nonneg and all(a.nonneg for a, _ in monomial)) or whole:
            if len(monomial) == 1 and not parts:
                ((atom, e),) = monomial
                if atom.kind == "exp":
                    return exp(atom.args[0] * number(e) * exponent)
                if e != 1:
                    return _symbolic_power(single(atom), exponent * number(e))
            else:
                parts += [scaled_monomial(((atom, e),)) for atom, e in monomial]
                result = ONE
                for part in parts:
                    result = result * _symbolic_power(part, exponent)
                return result
    value = base.as_fraction()
    if value is not None and 0 < value < 1:
        return _symbolic_power(number(reduced(1 / value)), -exponent)
    splits = nonneg or all(isinstance(c, int) for c in exponent.terms.values())
    if not splits:
        return _power_atom(base, exponent)
    result = ONE
    for monomial, coefficient in exponent.terms.items():
        if monomial == UNIT:
            result = result * power(base, number(coefficient))
        else:
            tower = _power_atom(base, scaled_monomial(monomial))
            result = result * power(tower, number(coefficient))
    return result


def _power_atom(base: Expr, exponent: Expr) -> Expr:
    sign = base.sign()
    whole = bool(base.is_integer()) and bool(exponent.is_integer())
    facts = {
        "nonneg": sign in ("+", ">=0"),
        "positive": sign == "+",
        "integer": whole and exponent.sign() in ("+", ">=0"),
    }
    return single(intern_atom("pow", "", (base, exponent), **facts))
