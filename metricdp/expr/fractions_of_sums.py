"""Cancellation of sums against powers of sums: (2*a + 2*b)/(a + b) is 2."""

from __future__ import annotations

from fractions import Fraction

from metricdp.expr.atoms import Atom
from metricdp.expr.core import Expr, Monomial, Number, reduced
from metricdp.expr.products import monomial_product, product, regular, scaled_monomial

# Beyond these sizes a quotient is left as it stands: correct, only not reduced.
_MOST_TERMS, _MOST_DIVISOR, _MOST_STEPS = 120, 12, 60


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
