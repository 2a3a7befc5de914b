"""Products, quotients and sums of terms, kept in normal form.

A term is a coefficient times powers of atoms: primes stand under roots only, sums below a fraction
line or under roots.  Sums are cancelled against powers of sums: (2*a + 2*b)/(a + b) is 2.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import floor, gcd, lcm

from metricdp.effort import no_larger, tick
from metricdp.errors import ExpressionError
from metricdp.expr.atoms import Atom, intern_atom
from metricdp.expr.core import UNIT, ZERO, Expr, Monomial, Number, reduced, single
from metricdp.expr.printing import leading_coefficient

# Beyond these sizes a quotient is left as it stands: correct, only not reduced.
_MOST_TERMS, _MOST_DIVISOR, _MOST_STEPS = 120, 12, 60


def monomial_product(left: Monomial, right: Monomial) -> tuple[Monomial, bool]:
    """The product, and whether a prime or a sum in it may have left its normal form."""
    if not left:
        return right, False
    if not right:
        return left, False
    exponents = dict(left)
    irregular = False
    for atom, exponent in right:
        present = exponents.get(atom)
        if present is None:
            exponents[atom] = exponent
            continue
        total = reduced(present + exponent)
        if total:
            exponents[atom] = total
        else:
            del exponents[atom]
        if total and atom.kind in ("prime", "base"):
            irregular = True
    if len(exponents) == 1:
        return tuple(exponents.items()), irregular
    return tuple(sorted(exponents.items(), key=_serial)), irregular


def _serial(pair: tuple[Atom, Number]) -> int:
    return pair[0].serial


def product(left: Expr, right: Expr) -> Expr:
    """The product of two finite expressions, neither zero."""
    tick()
    if len(left.terms) > 1:
        no_larger(len(left.terms) * len(right.terms))
    terms: dict[Monomial, Number] = {}
    extra: list[Expr] = []
    for m1, c1 in left.terms.items():
        for m2, c2 in right.terms.items():
            monomial, irregular = monomial_product(m1, m2)
            coefficient = reduced(c1 * c2)
            if irregular:
                extra.append(regular(coefficient, monomial))
                continue
            total = reduced(terms.get(monomial, 0) + coefficient)
            if total:
                terms[monomial] = total
            else:
                del terms[monomial]
    mixed = left.mixed or right.mixed
    if mixed:
        result = cancelled(terms)
    else:
        result = Expr(terms)
    for term in extra:
        result = result + term
    return result


def regular(coefficient: Number, monomial: Monomial) -> Expr:
    """A term in normal form: primes to exponents in (0, 1), sums to exponents below 1."""
    kept: list[tuple[Atom, Number]] = []
    expanded: list[tuple[Expr, int]] = []
    mixed = False
    for atom, exponent in monomial:
        if atom.kind == "prime":
            whole = floor(exponent)
            coefficient = coefficient * Fraction(int(atom.label)) ** whole
            exponent = reduced(exponent - whole)
        elif atom.kind == "base":
            whole = floor(exponent)
            if whole >= 1:
                expanded.append((atom.args[0], whole))
                exponent = reduced(exponent - whole)
            elif isinstance(exponent, int):
                flipped = _flipped(atom)
                if flipped is not None:  # a root's sum, which below a line has another sign
                    expanded.append((flipped, -exponent))
                    exponent = 0
            mixed = mixed or exponent != 0
        if exponent:
            kept.append((atom, exponent))
    result = Expr({tuple(kept): reduced(coefficient)}, 0, mixed)
    for base, times in expanded:
        for _ in range(times):
            result = result * base
    return result


def _flipped(atom: Atom) -> Expr | None:
    """1/sum where its normal form is not this atom to the power -1."""
    found = inverse(atom.args[0])
    return None if ((atom, -1),) in found.terms else found


def scaled_monomial(monomial: Monomial, coefficient: Number = 1) -> Expr:
    """A monomial that is already in normal form, as an expression."""
    mixed = any(atom.kind == "base" for atom, _ in monomial)
    return Expr({monomial: coefficient} if monomial != UNIT else {UNIT: coefficient}, 0, mixed)


def inverse(expr: Expr) -> Expr:
    """1/expr, for a non-zero expression; 1/INF is 0."""
    if expr.inf:
        return ZERO
    if expr.is_zero:
        raise ExpressionError("division by zero")
    if len(expr.terms) == 1:
        ((monomial, coefficient),) = expr.terms.items()
        flipped = tuple((atom, -exponent) for atom, exponent in monomial)
        return regular(reduced(1 / Fraction(coefficient)), flipped)
    return inverse_of_sum(expr)


@lru_cache(maxsize=2048)
def inverse_of_sum(expr: Expr) -> Expr:
    """1/expr, for an expression of several terms."""
    coefficient, common, base = primitive(expr, signed=True)
    atom = intern_atom("base", "", (base,), **sign_facts(base))
    return inverse(Expr({common: coefficient})) * single(atom, -1)


def primitive(expr: Expr, signed: bool) -> tuple[Number, Monomial, Expr]:
    """expr = rational * monomial * sum, the sum with content 1 (and leading sign +, if signed).

    Unless signed, the rational and the monomial are nonnegative, so that roots distribute.
    """
    terms = expr.terms
    content = reduced(
        Fraction(
            gcd(*(Fraction(c).numerator for c in terms.values())),
            lcm(*(Fraction(c).denominator for c in terms.values())),
        )
    )
    shared: dict[Atom, Number] = {}
    for atom in {atom for monomial in terms for atom, _ in monomial}:
        least = min(dict(monomial).get(atom, 0) for monomial in terms)
        if least and atom.kind not in ("prime", "base") and (signed or atom.nonneg):
            shared[atom] = least
    common = tuple(sorted(shared.items(), key=lambda pair: pair[0].serial))
    down = tuple((atom, -exponent) for atom, exponent in common)
    inner = {
        monomial_product(monomial, down)[0]: reduced(Fraction(c) / content)
        for monomial, c in terms.items()
    }
    result = Expr(inner, 0, expr.mixed)
    if signed and leading_coefficient(result) < 0:
        return -content, common, -result
    return content, common, result


def sign_facts(expr: Expr) -> dict[str, bool]:
    """What an atom over this expression is known to be."""
    sign = expr.sign()
    return {
        "nonneg": sign in ("+", ">=0"),
        "positive": sign == "+",
        "integer": bool(expr.is_integer()),
    }


def cancelled(terms: dict[Monomial, Number]) -> Expr:
    """The sum of the terms, with numerators divided by the sums below them where that is exact."""
    groups: dict[Monomial, dict[Monomial, Number]] = {}
    for monomial, coefficient in terms.items():
        below = tuple(pair for pair in monomial if pair[0].kind == "base")
        if below:
            rest = tuple(pair for pair in monomial if pair[0].kind != "base")
            groups.setdefault(below, {})[rest] = coefficient
    for below, numerator in groups.items():
        if len(numerator) == 1:
            continue
        for atom, exponent in below:
            if exponent > 0:
                continue
            quotient = exact_quotient(numerator, atom.args[0].terms)
            if quotient is None:
                continue
            raised, _ = monomial_product(below, ((atom, 1),))
            merged = {m: c for m, c in terms.items() if m not in _attached(numerator, below)}
            part = product(Expr(quotient), regular(1, raised))
            for monomial, coefficient in part.terms.items():
                total = reduced(merged.pop(monomial, 0) + coefficient)
                if total:
                    merged[monomial] = total
            return cancelled(merged)
    return Expr(terms, 0, bool(groups))


def _attached(numerator: dict[Monomial, Number], below: Monomial) -> dict[Monomial, Number]:
    return {monomial_product(rest, below)[0]: c for rest, c in numerator.items()}


def exact_quotient(
    numerator: dict[Monomial, Number], divisor: dict[Monomial, Number]
) -> dict[Monomial, Number] | None:
    """numerator / divisor when it is a polynomial that long division finds, else None."""
    if not len(divisor) <= len(numerator) <= _MOST_TERMS or len(divisor) > _MOST_DIVISOR:
        return None
    atoms = sorted(
        {atom for monomial in (*numerator, *divisor) for atom, _ in monomial},
        key=lambda atom: atom.serial,
    )
    if not {a for m in divisor for a, _ in m} <= {a for m in numerator for a, _ in m}:
        return None
    lead = max(divisor, key=lambda m: _degrees(m, atoms))
    inverse = tuple((atom, -exponent) for atom, exponent in lead)
    rest, quotient = dict(numerator), dict[Monomial, Number]()
    for _ in range(_MOST_STEPS):
        if not rest:
            return quotient
        top = max(rest, key=lambda m: _degrees(m, atoms))
        step, _ = monomial_product(top, inverse)
        factor = reduced(Fraction(rest[top]) / divisor[lead])
        if any(atom.kind == "prime" and not 0 < e < 1 for atom, e in step):
            return None
        quotient[step] = factor
        for monomial, coefficient in divisor.items():
            target, irregular = monomial_product(monomial, step)
            if irregular:
                return None
            left = reduced(rest.pop(target, 0) - coefficient * factor)
            if left:
                rest[target] = left
    return None


def _degrees(monomial: Monomial, atoms: list[Atom]) -> tuple[Number, ...]:
    exponents = dict(monomial)
    return tuple(exponents.get(atom, 0) for atom in atoms)


def together(expr: Expr) -> tuple[Expr, Expr]:
    """(numerator, denominator): sums with negative exponents brought below one line."""
    lowest: dict[Atom, Number] = {}
    for monomial in expr.terms:
        for atom, exponent in monomial:
            if exponent < lowest.get(atom, 0):
                lowest[atom] = exponent
    if not lowest:
        return expr, scaled_monomial(())
    factor: Monomial = tuple(
        sorted(((a, -e) for a, e in lowest.items()), key=lambda pair: pair[0].serial)
    )
    above = Expr({})
    for monomial, coefficient in expr.terms.items():
        above = above + regular(coefficient, monomial_product(monomial, factor)[0])
    return above, regular(1, factor)
