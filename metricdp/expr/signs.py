"""What is certain about sign and integrality, from the facts of symbols.

A sign is a set of possibilities, written as bits.  Beyond term-wise reasoning: symbols that are
at least 1 are shifted to start at 0, roots of symbols become symbols, denominators of known sign
are cleared, and Max, Min, Abs, floor and ceiling are split into cases.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import lcm

from metricdp.effort import tick
from metricdp.errors import ExpressionError
from metricdp.expr.atoms import Atom
from metricdp.expr.core import UNIT, Expr, Monomial, Number, sym
from metricdp.expr.functions import exp
from metricdp.expr.normal_form import together

MINUS, NIL, PLUS = 1, 2, 4
ANY = MINUS | NIL | PLUS
_WORDS = {PLUS: "+", MINUS: "-", NIL: "0", PLUS | NIL: ">=0", MINUS | NIL: "<=0"}
_DEPTH = 4
#: Functions that are split into cases, or bounded by constants.
_SPLIT = frozenset({"max", "min", "abs", "floor", "ceiling", "erfc"})


def sign(expr: Expr) -> str | None:
    """What is known of the sign: "+", "-", "0", ">=0", "<=0", or None."""
    return _WORDS.get(possible(expr))


def possible(expr: Expr) -> int:
    """The set of signs that cannot be excluded."""
    if expr.inf:
        return PLUS if expr.inf > 0 else MINUS
    bits = _termwise(expr)
    if bits not in (PLUS, MINUS, NIL) and len(expr.terms) > 1:
        bits &= _deep(expr)
    return bits


def _termwise(expr: Expr) -> int:
    total = NIL
    for monomial, coefficient in expr.terms.items():
        bits = of_monomial(monomial)
        total = _sum(total, bits if coefficient > 0 else _flip(bits))
        if total == ANY:
            break
    return total


def _flip(bits: int) -> int:
    return (bits & NIL) | (MINUS if bits & PLUS else 0) | (PLUS if bits & MINUS else 0)


def _sum(left: int, right: int) -> int:
    if left == NIL:
        return right
    if right == NIL:
        return left
    if (left | right) & MINUS and (left | right) & PLUS:
        return ANY
    return (left | right) & ~NIL if not (left & NIL and right & NIL) else left | right


def of_monomial(monomial: Monomial) -> int:
    """Possible signs of a product of powers."""
    total = PLUS
    for atom, exponent in monomial:
        if atom.positive:
            continue
        if not isinstance(exponent, int):
            bits = NIL | PLUS
        else:
            bits = of_atom(atom)
            if exponent % 2 == 0:
                bits = (bits & NIL) | PLUS
        if exponent < 0:
            bits &= ~NIL
        total = _product(total, bits)
    return total


def _product(left: int, right: int) -> int:
    result = (left | right) & NIL
    for a in (MINUS, PLUS):
        for b in (MINUS, PLUS):
            if left & a and right & b:
                result |= PLUS if a == b else MINUS
    return result


def of_atom(atom: Atom) -> int:
    """Possible signs of an atom."""
    if atom.positive:
        return PLUS
    if atom.nonneg:
        return NIL | PLUS
    if atom.kind in ("max", "min"):
        inner = [possible(arg) for arg in atom.args]
        bits = 0
        for one in (MINUS, NIL, PLUS):
            if any(i & one for i in inner):
                above = {MINUS: MINUS, NIL: MINUS | NIL, PLUS: ANY}[one]
                below = {MINUS: ANY, NIL: NIL | PLUS, PLUS: PLUS}[one]
                reach = above if atom.kind == "max" else below
                if all(i & reach for i in inner):
                    bits |= one
        return bits or ANY
    if atom.kind in ("base", "lump"):
        return possible(atom.args[0])
    if atom.kind == "tanh":
        return possible(atom.args[0])
    return ANY


@lru_cache(maxsize=8192)
def _deep(expr: Expr) -> int:
    tick()
    if not expr.symbols:
        return _of_constant(expr)
    bits = ANY
    try:
        low = least(expr, _DEPTH)
        high = None if low == "+" else least(-expr, _DEPTH)
    except ExpressionError:  # it has no value anywhere
        return ANY
    if low is not None:
        bits &= PLUS if low == "+" else PLUS | NIL
    if high is not None:
        bits &= MINUS if high == "+" else MINUS | NIL
    return bits or ANY


def _of_constant(expr: Expr) -> int:
    bits = 64
    try:
        while bits <= 4096:
            low, high = expr.enclose({}, bits)
            if low > 0:
                return PLUS
            if high < 0:
                return MINUS
            if low == high == 0:
                return NIL
            bits *= 4
    except ExpressionError:
        pass
    return ANY


def least(expr: Expr, depth: int) -> str | None:
    """ "+" or ">=0" when the expression is certainly so; None when that is not found."""
    known = _termwise(expr)
    if not known & MINUS:
        return ">=0" if known & NIL else "+"
    if not expr.symbols:
        bits = _of_constant(expr)
        return None if bits & MINUS else (">=0" if bits & NIL else "+")
    if depth == 0 or len(expr.terms) > 24:
        return None
    numerator, denominator = together(expr)
    if denominator.symbols:
        below = _termwise(denominator)
        if below & NIL:  # zero is excluded where a quotient has a value
            below &= ~NIL
        if below == PLUS:
            return least(numerator, depth - 1)
        if below == MINUS:
            return least(-numerator, depth - 1)
        return None
    shifted = _shifted(expr)
    known = _termwise(shifted)
    if not known & MINUS:
        return ">=0" if known & NIL else "+"
    return (
        _by_cases(expr, depth)
        or _by_fall(expr, depth)
        or _by_square(expr, depth)
        or _by_exponential(expr, depth)
    )


def _shifted(expr: Expr) -> Expr:
    """With t**k + 1 for k-th powers: quantities known to be at least 1 start at 0."""
    roots: dict[Atom, int] = {}
    for monomial in expr.terms:
        for atom, exponent in monomial:
            if atom.kind == "sym" or _is_at_least_one(atom):
                roots[atom] = lcm(roots.get(atom, 1), Fraction(exponent).denominator)
    values: dict[str, Expr] = {}
    for atom, k in roots.items():
        start = 1 if _is_at_least_one(atom) else 0
        if start or (k > 1 and atom.nonneg):
            name = str(atom.label)
            if atom.kind != "sym":
                name = f"'{atom.serial}"
                expr = _with_symbol(expr, atom, sym(name, positive=True))
            grows = atom.kind == "exp" and possible(atom.args[0]) == PLUS
            # Primed once more than any symbol that it stands for, so names never meet.
            fresh = sym(f"{name}'", nonneg=True, positive=grows)
            values[name] = (fresh + start) ** k
    # Roots cancel exactly only if every occurrence is a plain power of the symbol.
    return expr.subs(values) if values else expr


def _is_at_least_one(atom: Atom) -> bool:
    if atom.kind == "sym":
        return atom.positive and atom.integer
    if atom.kind == "exp":
        return not possible(atom.args[0]) & MINUS
    if atom.kind == "pow":
        base, exponent = atom.args
        return not (possible(base - 1) | possible(exponent)) & MINUS
    return atom.kind in ("max", "min", "ceiling", "abs") and atom.positive and atom.integer


def _with_symbol(expr: Expr, atom: Atom, stand_in: Expr) -> Expr:
    """The expression with a symbol for an atom; inside other atoms it stays, which is sound."""
    ((stand, _),) = next(iter(stand_in.terms))
    terms: dict[Monomial, Number] = {}
    for monomial, coefficient in expr.terms.items():
        pairs = [(stand, e) if a is atom else (a, e) for a, e in monomial]
        terms[tuple(sorted(pairs, key=lambda pair: pair[0].serial))] = coefficient
    return Expr(terms, 0, expr.mixed)


def _by_cases(expr: Expr, depth: int) -> str | None:
    for monomial in expr.terms:
        for atom, exponent in monomial:
            if exponent != 1 or atom.kind not in _SPLIT:
                continue
            factors = _factors_of(expr, atom)
            if factors is None:
                continue
            inside, rest = factors
            bits = _termwise(inside)
            if bits & MINUS and bits & PLUS:
                continue
            found = _cases(atom, not bits & MINUS, inside, rest, depth)
            if found:
                return found
    return None


def _factors_of(expr: Expr, atom: Atom) -> tuple[Expr, Expr] | None:
    """expr = inside * atom + rest, neither with the atom; None if it is not linear in it."""
    inside: dict[Monomial, Number] = {}
    rest: dict[Monomial, Number] = {}
    for monomial, coefficient in expr.terms.items():
        exponent = dict(monomial).get(atom, 0)
        if exponent == 0:
            rest[monomial] = coefficient
        elif exponent == 1:
            inside[tuple(pair for pair in monomial if pair[0] is not atom)] = coefficient
        else:
            return None
    return Expr(inside, 0, expr.mixed), Expr(rest, 0, expr.mixed)


def _cases(atom: Atom, rising: bool, inside: Expr, rest: Expr, depth: int) -> str | None:
    """The least known sign of inside*atom + rest; rising: inside is nonnegative."""
    if atom.kind == "abs":
        options = [atom.args[0], -atom.args[0]]
    elif atom.kind == "ceiling":
        options = [atom.args[0] if rising else atom.args[0] + 1]
    elif atom.kind == "floor":
        options = [atom.args[0] - 1 if rising else atom.args[0]]
    elif atom.kind == "erfc":
        return _between(atom, rising, inside, rest, depth)
    else:
        options = list(atom.args)
    found = [least(inside * option + rest, depth - 1) for option in options]
    # A lower bound of inside*atom is enough in one case; otherwise every case must hold.
    one_is_enough = (atom.kind in ("max", "abs") and rising) or (atom.kind == "min" and not rising)
    known = [f for f in found if f]
    if one_is_enough and known:
        return "+" if "+" in known else ">=0"
    if len(known) == len(found):
        return "+" if all(f == "+" for f in known) else ">=0"
    return None


def _between(atom: Atom, rising: bool, inside: Expr, rest: Expr, depth: int) -> str | None:
    """inside * erfc(x) + rest, where 0 < erfc(x) < 2, and erfc(x) <= 1 for x >= 0."""
    nonneg = not possible(atom.args[0]) & MINUS
    end = 0 if rising else (1 if nonneg else 2)
    found = least(inside * end + rest, depth - 1)
    strict = not _termwise(inside) & NIL and end != 1
    return "+" if found == ">=0" and strict else found


def _by_fall(expr: Expr, depth: int) -> str | None:
    """p erfc(a) - q erfc(b) + rest >= (p - q) erfc(b) + rest, for p, q >= 0 and a <= b."""
    falling = {a for m in expr.terms for a, e in m if a.kind == "erfc" and e == 1}
    if not 2 <= len(falling) <= 6:
        return None
    parts = {atom: _factors_of(expr, atom) for atom in falling}
    for one, p in parts.items():
        for other, q in parts.items():
            if one is other or p is None or q is None:
                continue
            if _termwise(p[0]) & MINUS or _termwise(q[0]) & PLUS:
                continue
            if least(other.args[0] - one.args[0], depth - 1):
                return least(p[0] * _alone(other) + p[1], depth - 1)
    return None


def _alone(atom: Atom) -> Expr:
    return Expr({((atom, 1),): 1})


def _by_square(expr: Expr, depth: int) -> str | None:
    """a - b >= 0 by a**2 >= b**2, for a, b >= 0 with square roots."""
    half = Fraction(1, 2)
    if not any(e in (half, -half) for m in expr.terms for _, e in m):
        return None
    above = Expr({m: c for m, c in expr.terms.items() if c > 0}, 0, expr.mixed)
    below = Expr({m: -c for m, c in expr.terms.items() if c < 0}, 0, expr.mixed)
    if (_termwise(above) | _termwise(below)) & MINUS or len(expr.terms) > 6:
        return None
    return least(above * above - below * below, depth - 1)


def _by_exponential(expr: Expr, depth: int) -> str | None:
    """a - c log(b) >= 0, or above 0, by e^(a / c) >= b or above b, for c > 0, and by a >= 0
    where c is 0; b > 0 since the logarithm has a value.
    """
    if len(expr.terms) > 6:
        return None
    for monomial in expr.terms:
        for atom, exponent in monomial:
            if exponent != 1 or atom.kind != "log":
                continue
            factors = _factors_of(expr, atom)
            bits = PLUS if factors is None else _termwise(factors[0])
            if factors is None or bits & PLUS:
                continue
            found = least(exp(factors[1] / -factors[0]) - atom.args[0], depth - 1)
            if found and bits & NIL:  # where c is 0, a is all
                found = ">=0" if least(factors[1], depth - 1) else None
            if found:
                return found
    return None


def is_integer(expr: Expr) -> bool | None:
    """True or False where integrality is known, else None."""
    if expr.inf:
        return None
    value = expr.as_fraction()
    if value is not None:
        return value.denominator == 1
    known = True
    rest = Fraction(0)
    for monomial, coefficient in expr.terms.items():
        if monomial == UNIT:
            rest = Fraction(coefficient)
            continue
        whole = all(a.integer and isinstance(e, int) and e > 0 for a, e in monomial)
        known = known and whole and isinstance(coefficient, int)
    if not known:
        return None
    return rest.denominator == 1
