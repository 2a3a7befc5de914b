"""Public expressions: exact sums of monomials over interned atoms.

An expression is infinite, or a dictionary {monomial: rational coefficient}; a monomial is a tuple
of (atom, exponent) sorted by atom.  Equal polynomials have equal dictionaries, so `==` decides
them.  Nothing here is ever rounded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import isfinite, isnan
from typing import Any

from metricdp.errors import ExpressionError
from metricdp.expr.atoms import Atom, symbol

Number = int | Fraction
Monomial = tuple[tuple[Atom, Number], ...]

#: Values of public names.
Env = Mapping[str, int | Fraction | float]
Value = Fraction | float  # float: an infinity
Interval = tuple[Value, Value]

UNIT: Monomial = ()


def reduced(value: Number) -> Number:
    """The same rational, as an int when it is one: integers are many times faster."""
    if type(value) is int:
        return value
    return value.numerator if value.denominator == 1 else value


class Expr:
    """An immutable public expression: a formula in public symbols, or plus or minus infinity.

    Operators take `Expr`, int, Fraction and float (the exact double).  `0 * INF` is 0; `INF - INF`
    and division by zero raise ExpressionError.  Symbols stand for finite reals; a quotient stands
    for its value where the divisor is not zero, so `x / x` is 1.
    """

    __slots__ = ("_hash", "_symbols", "_text", "inf", "mixed", "terms")
    terms: dict[Monomial, Number]
    inf: int  # +1, -1: infinite; 0: finite
    mixed: bool  # some term has a power of a sum, so cancellation must be looked for
    _hash: int | None
    _text: str | None
    _symbols: frozenset[str] | None

    def __init__(self, terms: dict[Monomial, Number], inf: int = 0, mixed: bool = False) -> None:
        self.terms = terms
        self.inf = inf
        self.mixed = mixed
        self._hash = None
        self._text = None
        self._symbols = None

    # -- identity

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if isinstance(other, Expr):
            return self.inf == other.inf and self.terms == other.terms
        if isinstance(other, (int, Fraction)):
            return self.as_fraction() == other
        return NotImplemented

    def __hash__(self) -> int:
        if self._hash is None:
            terms = self.terms
            if self.inf:
                self._hash = hash(float("inf") * self.inf)
            elif not terms:
                self._hash = 0
            elif len(terms) > 1:
                self._hash = hash(frozenset(terms.items()))
            else:
                ((monomial, coefficient),) = terms.items()
                self._hash = hash((monomial, coefficient) if monomial else coefficient)
        return self._hash

    def __bool__(self) -> bool:
        raise TypeError("an expression has no truth value: use is_zero, sign() or compare")

    def __repr__(self) -> str:
        return f"Expr({str(self)!r})"

    def __str__(self) -> str:
        if self._text is None:
            self._text = OPERATORS.text(self)
        return self._text

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.terms, self.inf, self.mixed)

    # -- facts

    @property
    def is_zero(self) -> bool:
        """It is the number 0."""
        return not self.terms and not self.inf

    @property
    def is_infinite(self) -> bool:
        """It is plus or minus infinity."""
        return self.inf != 0

    @property
    def is_number(self) -> bool:
        """It is one rational number."""
        terms = self.terms
        return not self.inf and (not terms or (len(terms) == 1 and UNIT in terms))

    @property
    def symbols(self) -> frozenset[str]:
        """Names of the free symbols."""
        if self._symbols is None:
            found: set[str] = set()
            for monomial in self.terms:
                for atom, _ in monomial:
                    found |= atom.symbols
            self._symbols = frozenset(found)
        return self._symbols

    def as_fraction(self) -> Fraction | None:
        """The rational number it is, or None."""
        if not self.is_number:
            return None
        found = self.terms.get(UNIT, 0)
        return found if type(found) is Fraction else Fraction(found)

    def sign(self) -> str | None:
        """What is known of the sign: "+", "-", "0", ">=0", "<=0", or None."""
        return OPERATORS.sign(self)

    def is_integer(self) -> bool | None:
        """True or False where integrality is known, else None."""
        return OPERATORS.is_integer(self)

    # -- evaluation

    def subs(self, values: Mapping[str, Expr]) -> Expr:
        """The expression with symbols replaced, all at once, by name."""
        return OPERATORS.substitute(self, values)

    def enclose(self, env: Env, bits: int = 64) -> Interval:
        """Rigorous lower and upper bound of the value at `env` (floats only for infinities).

        Rational operations are exact; irrational ones are rounded outward to about `bits` bits.
        Raises ExpressionError for a missing symbol, a division by zero or a negative radicand.
        """
        return OPERATORS.enclose(self, env, bits)

    def upper(self, env: Env) -> Value:
        """A number at or above the value at `env`."""
        return self.enclose(env)[1]

    def lower(self, env: Env) -> Value:
        """A number at or below the value at `env`."""
        return self.enclose(env)[0]

    def exact(self, env: Env) -> Fraction | None:
        """The value at `env`, when it is rational and found without rounding; else None."""
        low, high = self.enclose(env)
        if low == high:
            return low if isinstance(low, Fraction) else None
        values = {name: num(value) for name, value in env.items() if name in self.symbols}
        return self.subs(values).as_fraction()

    # -- arithmetic

    def __add__(self, other: Expr | int | Fraction | float) -> Expr:
        if type(other) is not Expr:
            try:
                other = num(other)
            except TypeError:
                return NotImplemented
        if self.inf or other.inf:
            if self.inf and other.inf and self.inf != other.inf:
                raise ExpressionError("oo - oo has no value")
            return self if self.inf else other
        if not other.terms:
            return self
        if not self.terms:
            return other
        return self._with(other.terms, other.mixed)

    def _with(self, others: Mapping[Monomial, Number], mixed: bool) -> Expr:
        """The finite sum with other terms."""
        terms = dict(self.terms)
        for monomial, coefficient in others.items():
            present = terms.get(monomial)
            if present is None:
                terms[monomial] = coefficient
            elif total := reduced(present + coefficient):
                terms[monomial] = total
            else:
                del terms[monomial]
        if self.mixed or mixed:
            return OPERATORS.cancelled(terms)
        return Expr(terms)

    __radd__ = __add__

    def __neg__(self) -> Expr:
        return Expr({m: -c for m, c in self.terms.items()}, -self.inf, self.mixed)

    def __pos__(self) -> Expr:
        return self

    def __sub__(self, other: Expr | int | Fraction | float) -> Expr:
        if type(other) is not Expr:
            try:
                other = num(other)
            except TypeError:
                return NotImplemented
        if self.inf or other.inf or not self.terms:
            return self + -other
        if not other.terms:
            return self
        return self._with({m: -c for m, c in other.terms.items()}, other.mixed)

    def __rsub__(self, other: int | Fraction | float) -> Expr:
        return -self + other

    def __mul__(self, other: Expr | int | Fraction | float) -> Expr:
        if type(other) is not Expr:
            try:
                other = num(other)
            except TypeError:
                return NotImplemented
        if self.inf or other.inf:
            return _infinite_product(self, other)
        if len(self.terms) > len(other.terms):
            self, other = other, self
        if not self.terms:
            return ZERO
        if len(self.terms) == 1:
            factor = self.terms.get(UNIT)
            if factor is None and len(other.terms) == 1:
                factor = other.terms.get(UNIT)
                self, other = other, self
            if factor is not None:
                if factor == 1:
                    return other
                return Expr(
                    {m: reduced(c * factor) for m, c in other.terms.items()}, 0, other.mixed
                )
        return OPERATORS.product(self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Expr | int | Fraction | float) -> Expr:
        if type(other) is not Expr:
            try:
                other = num(other)
            except TypeError:
                return NotImplemented
        if other.is_number:
            divisor = other.terms.get(UNIT, 0)
            if divisor == 0:
                raise ExpressionError("division by zero")
            if divisor == 1:
                return self
            return self * number(reduced(Fraction(divisor.denominator, divisor.numerator)))
        if other.inf and self.inf:
            raise ExpressionError("oo/oo has no value")
        return self * OPERATORS.inverse(other)

    def __rtruediv__(self, other: int | Fraction | float) -> Expr:
        return num(other) / self

    def __pow__(self, other: Expr | int | Fraction | float) -> Expr:
        return OPERATORS.power(self, num(other))

    def __rpow__(self, other: int | Fraction | float) -> Expr:
        return OPERATORS.power(num(other), self)

    def __abs__(self) -> Expr:
        return OPERATORS.absolute(self)


class Operators:
    """The work behind the methods of expressions.

    A quotient asks for signs and a sign for quotients, so none of the files that know how can
    stand below the others: each of them works with expressions alone, and `metricdp.expr.operators`
    sets them all here.
    """

    __slots__ = (
        "absolute",
        "cancelled",
        "enclose",
        "inverse",
        "is_integer",
        "power",
        "product",
        "sign",
        "substitute",
        "text",
    )
    absolute: Callable[[Expr], Expr]
    cancelled: Callable[[dict[Monomial, Number]], Expr]
    enclose: Callable[[Expr, Env, int], Interval]
    inverse: Callable[[Expr], Expr]
    is_integer: Callable[[Expr], bool | None]
    power: Callable[[Expr, Expr], Expr]
    product: Callable[[Expr, Expr], Expr]
    sign: Callable[[Expr], str | None]
    substitute: Callable[[Expr, Mapping[str, Expr]], Expr]
    text: Callable[[Expr], str]


OPERATORS = Operators()


def _restored(terms: dict[Monomial, Number], inf: int, mixed: bool) -> Expr:
    """An expression from a pickle: monomials are sorted by the atoms of this process."""
    here = {tuple(sorted(m, key=lambda pair: pair[0].serial)): c for m, c in terms.items()}
    return Expr(here, inf, mixed)


def _infinite_product(left: Expr, right: Expr) -> Expr:
    if not left.inf:
        left, right = right, left
    if right.inf:
        return INF if left.inf == right.inf else NEGATIVE_INF
    sign = right.sign()
    if sign == "0":
        return ZERO
    if sign in ("+", ">=0"):
        return left
    if sign in ("-", "<=0"):
        return -left
    raise ExpressionError(f"oo times {right} has no value: its sign is not known")


def size(value: Number) -> Number:
    """The absolute value of a rational."""
    return value if value >= 0 else -value


def number(value: Number) -> Expr:
    """A reduced rational as an expression; a small integer is one object, with one hash."""
    if type(value) is int and -_SMALL <= value <= _SMALL:
        return _INTEGERS[value + _SMALL]
    return Expr({UNIT: value} if value else {})


_SMALL = 64
_INTEGERS = [Expr({UNIT: value} if value else {}) for value in range(-_SMALL, _SMALL + 1)]


def num(value: Expr | int | Fraction | float | str) -> Expr:
    """A number as an expression.

    Args:
        value: int, Fraction, float (the exact double), or text: "0.1" is 1/10, "oo" is infinity.
    Raises ExpressionError for NaN and for text that is no number; TypeError for other types.
    """
    if isinstance(value, Expr):
        return value
    if isinstance(value, int):
        return number(int.__int__(value))
    if isinstance(value, Fraction):
        return number(reduced(value))
    if isinstance(value, float):
        if isnan(value):
            raise ExpressionError("NaN is no number")
        if not isfinite(value):
            return INF if value > 0 else NEGATIVE_INF
        return number(reduced(Fraction(value)))
    if isinstance(value, str):
        text = value.strip()
        if text in ("oo", "inf", "+oo", "-oo", "-inf"):
            return NEGATIVE_INF if text[0] == "-" else INF
        try:
            return number(reduced(Fraction(text)))
        except (ValueError, ZeroDivisionError):
            raise ExpressionError(f"{value!r} is no number") from None
    if hasattr(value, "__index__"):  # integers of array libraries
        return number(int(value))
    raise TypeError(f"no public number: {type(value).__name__}")


def digits(expr: Expr) -> int:
    """Binary digits of the longest coefficient."""
    lengths = (c.numerator.bit_length() + c.denominator.bit_length() for c in expr.terms.values())
    return max(lengths, default=0)


def single(atom: Atom, exponent: Number = 1) -> Expr:
    """One atom as an expression; not for powers of sums or primes beyond normal form."""
    return Expr({((atom, exponent),): 1}, 0, atom.kind == "base")


def sym(name: str, *, nonneg: bool = False, integer: bool = False, positive: bool = False) -> Expr:
    """A public symbol; the facts are part of it: two symbols of one name differ if facts do."""
    return single(symbol(name, nonneg, integer, positive))


ZERO = number(0)
ONE = number(1)
INF = Expr({}, 1)
NEGATIVE_INF = Expr({}, -1)
#: Distance between two inputs: the argument of every stability map.
D = sym("d_in", nonneg=True)
