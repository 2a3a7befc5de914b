"""Products of finite expressions, with monomials kept in normal form."""

from __future__ import annotations

from fractions import Fraction
from math import floor

from metricdp.effort import no_larger, tick
from metricdp.expr.atoms import Atom
from metricdp.expr.core import UNIT, Expr, Monomial, Number, reduced


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
        from metricdp.expr.fractions_of_sums import cancelled

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
    from metricdp.expr.powers import inverse

    found = inverse(atom.args[0])
    return None if ((atom, -1),) in found.terms else found


def scaled_monomial(monomial: Monomial, coefficient: Number = 1) -> Expr:
    """A monomial that is already in normal form, as an expression."""
    mixed = any(atom.kind == "base" for atom, _ in monomial)
    return Expr({monomial: coefficient} if monomial != UNIT else {UNIT: coefficient}, 0, mixed)
