"""Text of an expression: sympy-parsable, deterministic, d_in last in a product."""

from __future__ import annotations

from fractions import Fraction

from metricdp.expr.atoms import Atom
from metricdp.expr.core import ONE, UNIT, ZERO, Expr, Monomial, Number, reduced, size

_NAMES = {
    "max": "Max",
    "min": "Min",
    "abs": "Abs",
    "floor": "floor",
    "ceiling": "ceiling",
    "exp": "exp",
    "log": "log",
    "tanh": "tanh",
    "erfc": "erfc",
}
_HALF = Fraction(1, 2)
Key = tuple[object, ...]


def text(expr: Expr) -> str:
    """The expression in sympy's syntax."""
    if expr.inf:
        return "oo" if expr.inf > 0 else "-oo"
    if not expr.terms:
        return "0"
    if len(expr.terms) == 1:
        ((monomial, coefficient),) = expr.terms.items()
        piece = _term(monomial, size(coefficient))
        return piece if coefficient > 0 else f"-{piece}"
    pieces: list[str] = []
    for monomial, coefficient in sorted(expr.terms.items(), key=_term_key):
        piece = _term(monomial, size(coefficient))
        if not pieces:
            pieces.append(piece if coefficient > 0 else f"-{piece}")
        else:
            pieces.append(f" + {piece}" if coefficient > 0 else f" - {piece}")
    return "".join(pieces)


def order(expr: Expr) -> Key:
    """Sorting key for arguments: numbers first, then by text."""
    if expr.inf:
        return (0, float(expr.inf) * float("inf"), "")
    value = expr.as_fraction()
    return (1, 0, str(expr)) if value is None else (0, value, "")


def leading_coefficient(expr: Expr) -> Number:
    """Coefficient of the first term by text: the same in every process."""
    return min(expr.terms.items(), key=lambda item: _term_key((item[0], 1)))[1]


def _term_key(item: tuple[Monomial, Number]) -> Key:
    monomial, coefficient = item
    degree = sum((e for a, e in monomial if a.kind == "sym"), start=0)
    return (coefficient < 0, monomial == UNIT, -degree, _term(monomial, 1))


def _term(monomial: Monomial, coefficient: Number) -> str:
    """A term with positive coefficient."""
    above: list[tuple[Key, str]] = []
    below: list[tuple[Key, str]] = []
    if coefficient.numerator != 1:
        above.append(((0,), _digits(coefficient.numerator)))
    if coefficient.denominator != 1:
        below.append(((0,), _digits(coefficient.denominator)))
    radicands: dict[Number, int] = {}
    exponential = ZERO
    towers: dict[Expr, Expr] = {}
    for atom, exponent in monomial:
        if atom.kind == "prime":
            radicands[exponent] = radicands.get(exponent, 1) * int(atom.label)
        elif atom.kind == "exp":
            exponential = exponential + atom.args[0] * reduced(exponent)
        elif atom.kind == "pow":
            base, power = atom.args
            towers[base] = towers.get(base, ZERO) + power * reduced(exponent)
        else:
            place = above if exponent > 0 else below
            place.append((_factor_key(atom), _power(atom, size(exponent))))
    for exponent, product in radicands.items():
        above.append(((1, str(exponent)), _raised(_digits(product), exponent)))
    if not exponential.is_zero:
        above.append(((3, "exp"), f"exp({exponential})"))
    for base, power in towers.items():
        if leading_coefficient(power) < 0 and len(power.terms) == 1:
            below.append(((3, str(base)), f"{_atomic(base)}**{_atomic(-power)}"))
        else:
            above.append(((3, str(base)), f"{_atomic(base)}**{_atomic(power)}"))
    top = "*".join(piece for _, piece in sorted(above)) or "1"
    if not below:
        return top
    bottom = "*".join(piece for _, piece in sorted(below))
    return f"{top}/({bottom})" if len(below) > 1 else f"{top}/{bottom}"


def _digits(value: int) -> str:
    # Python refuses decimal text beyond 4300 digits; hexadecimal parses everywhere.
    return str(value) if value.bit_length() < 14_000 else hex(value)


def _factor_key(atom: Atom) -> Key:
    if atom.label == "d_in":
        return (5, "d_in")
    if atom.kind == "sym":
        return (2, str(atom.label))
    return (4 if atom.kind in ("base", "lump") else 3, str(_body(atom)))


def _body(atom: Atom) -> str:
    if atom.kind in ("sym", "prime"):
        return str(atom.label)
    if atom.kind in ("base", "lump"):
        return str(atom.args[0])
    if atom.kind == "sum":
        body, lo, hi = atom.args
        return f"Sum({body}, ({atom.label}, {lo}, {hi}))"
    return f"{_NAMES[atom.kind]}({', '.join(map(str, atom.args))})"


def _power(atom: Atom, exponent: Number) -> str:
    body = _body(atom)
    if atom.kind in ("base", "lump") and exponent != _HALF:
        body = f"({body})"
    return _raised(body, exponent)


def _raised(body: str, exponent: Number) -> str:
    if exponent == 1:
        return body
    if isinstance(exponent, int):
        return f"{body}**{exponent}"
    if exponent == _HALF:
        return f"sqrt({body})"
    return f"{body}**({exponent})"


def _atomic(expr: Expr) -> str:
    """Text that may stand beside `**`."""
    if expr == ONE:
        return "1"
    if len(expr.terms) == 1:
        ((monomial, coefficient),) = expr.terms.items()
        if monomial == UNIT and isinstance(coefficient, int) and coefficient >= 0:
            return _digits(coefficient)
        plain = len(monomial) == 1 and monomial[0][1] == 1 and coefficient == 1
        if plain and monomial[0][0].kind != "pow":
            return str(expr)
    return f"({expr})"
