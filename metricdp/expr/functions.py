"""Max, Min, Abs, floor, ceiling, exp, log, tanh, erfc, simplified by what is known of arguments."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from metricdp.effort import tick
from metricdp.errors import ExpressionError
from metricdp.expr.atoms import Atom, intern_atom
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
from metricdp.expr.normal_form import primitive, scaled_monomial
from metricdp.expr.printing import leading_coefficient, order

Argument = Expr | int | Fraction | float


def maximum(*arguments: Argument) -> Expr:
    """The largest argument; arguments that are certainly below another are dropped."""
    return _extreme("max", tuple(map(num, arguments)))


def minimum(*arguments: Argument) -> Expr:
    """The smallest argument; arguments that are certainly above another are dropped."""
    return _extreme("min", tuple(map(num, arguments)))


@lru_cache(maxsize=8192)
def _extreme(kind: str, arguments: tuple[Expr, ...]) -> Expr:
    if not arguments:
        raise ExpressionError(f"{kind} of no arguments has no value")
    flat: list[Expr] = []
    for argument in arguments:
        inner = _only_atom(argument)
        flat.extend(inner.args if inner is not None and inner.kind == kind else (argument,))
    # One comparison of each pair answers both ways round.
    wins, loses, neutral = (">=0", "<=0", NEGATIVE_INF) if kind == "max" else ("<=0", ">=0", INF)
    kept: list[Expr] = []
    for candidate in dict.fromkeys(flat):
        if candidate == neutral:
            continue
        if candidate.inf:
            return candidate
        tick()
        signs = [(k, _widened((k - candidate).sign())) for k in kept]
        if not any(wins in known for _, known in signs):
            kept = [k for k, known in signs if loses not in known] + [candidate]
    if not kept:
        return neutral
    if len(kept) == 1:
        return kept[0]
    factor = _common_factor(kept)
    if factor is not None:
        return factor * _extreme(kind, tuple(k / factor for k in kept))
    own = [k.sign() for k in kept]
    some = any if kind == "max" else all
    return single(
        intern_atom(
            kind,
            "",
            tuple(sorted(kept, key=order)),
            nonneg=some(s in ("+", ">=0", "0") for s in own),
            positive=some(s == "+" for s in own),
            integer=all(k.is_integer() for k in kept),
        )
    )


def _widened(sign: str | None) -> tuple[str, ...]:
    """The weak inequalities that a sign implies."""
    if sign in ("+", ">=0"):
        return (">=0",)
    if sign in ("-", "<=0"):
        return ("<=0",)
    return (">=0", "<=0") if sign == "0" else ()


def _only_atom(expr: Expr) -> Atom | None:
    """The atom that the expression consists of."""
    if len(expr.terms) == 1 and not expr.inf:
        ((monomial, coefficient),) = expr.terms.items()
        if coefficient == 1 and len(monomial) == 1 and monomial[0][1] == 1:
            return monomial[0][0]
    return None


def _common_factor(arguments: list[Expr]) -> Expr | None:
    """A nonnegative monomial (and a shared content) that divides every argument, if not 1."""
    shared: dict[Atom, Number] | None = None
    contents: set[Fraction] = set()
    for argument in arguments:
        if argument.inf or argument.is_zero:
            return None
        contents.add(_content(argument))
        for monomial in argument.terms:
            exponents = {a: e for a, e in monomial if a.nonneg and a.kind not in ("base", "prime")}
            if shared is None:
                shared = exponents
            else:
                shared = {a: _nearest(e, exponents.get(a, 0)) for a, e in shared.items()}
    pairs = [(a, e) for a, e in (shared or {}).items() if e]
    common = tuple(sorted(pairs, key=lambda pair: pair[0].serial))
    content = contents.pop() if len(contents) == 1 else Fraction(1)
    if content == 1 and not common:
        return None
    return scaled_monomial(common, reduced(content))


def _nearest(left: Number, right: Number) -> Number:
    """The exponent of the common factor: of one sign, the nearer to 0; else 0."""
    if left > 0 and right > 0:
        return min(left, right)
    if left < 0 and right < 0:
        return max(left, right)
    return 0


def _content(expr: Expr) -> Fraction:
    return Fraction(primitive(expr, signed=False)[0])


def absolute(argument: Argument) -> Expr:
    """The absolute value."""
    expr = num(argument)
    sign = expr.sign()
    if sign in ("+", ">=0", "0"):
        return expr
    if sign in ("-", "<=0"):
        return -expr
    if len(expr.terms) == 1:
        ((monomial, coefficient),) = expr.terms.items()
        known: Monomial = ()
        result = number(size(coefficient))
        for atom, exponent in monomial:
            even = isinstance(exponent, int) and exponent % 2 == 0
            if atom.nonneg or even or not isinstance(exponent, int):
                known = (*known, (atom, exponent))
            elif atom.kind in ("base", "lump"):
                result = result * absolute(atom.args[0]) ** exponent
            else:
                whole = atom.integer
                inner = intern_atom("abs", "", (single(atom),), nonneg=True, integer=whole)
                result = result * single(inner, exponent)
        return result * scaled_monomial(known)
    content, common, inner_sum = primitive(expr, signed=True)
    if common or content != 1:
        return absolute(scaled_monomial(common, content)) * absolute(inner_sum)
    whole = bool(inner_sum.is_integer())
    atom = intern_atom("abs", "", (inner_sum,), nonneg=True, integer=whole)
    return single(atom)


def floor(argument: Argument) -> Expr:
    """The largest integer at or below."""
    return _rounded("floor", num(argument))


def ceil(argument: Argument) -> Expr:
    """The smallest integer at or above."""
    return _rounded("ceiling", num(argument))


def _rounded(kind: str, expr: Expr) -> Expr:
    if expr.inf or expr.is_integer():
        return expr
    if not expr.symbols:
        value = _rounded_constant(kind, expr)
        if value is not None:
            return number(value)
    whole, rest = Expr({}), Expr({})
    for monomial, coefficient in expr.terms.items():
        term = scaled_monomial(monomial, coefficient)
        if monomial == UNIT:
            part = coefficient.numerator // coefficient.denominator
            whole, rest = whole + part, rest + (term - part)
        elif term.is_integer():
            whole = whole + term
        else:
            rest = rest + term
    if not whole.is_zero:
        return whole + _rounded(kind, rest)
    sign = rest.sign()
    # ceil of a positive is at least 1; floor of a nonnegative is at least 0.
    nonneg = sign in ("+", ">=0")
    positive = kind == "ceiling" and sign == "+"
    atom = intern_atom(kind, "", (rest,), nonneg=nonneg, positive=positive, integer=True)
    return single(atom)


def _rounded_constant(kind: str, expr: Expr) -> int | None:
    bits = 64
    while bits <= 4096:
        low, high = expr.enclose({}, bits)
        if isinstance(low, Fraction) and isinstance(high, Fraction):
            first, last = (
                (low.__floor__(), high.__floor__())
                if kind == "floor"
                else (low.__ceil__(), high.__ceil__())
            )
            if first == last:
                return first
        bits *= 4
    return None


def exp(argument: Argument) -> Expr:
    """The exponential; products of exponentials are kept so that equal ones cancel."""
    expr = num(argument)
    if expr.inf:
        return INF if expr.inf > 0 else ZERO
    result = ONE
    for monomial, coefficient in expr.terms.items():
        if len(monomial) == 1 and monomial[0][1] == 1 and monomial[0][0].kind == "log":
            result = result * monomial[0][0].args[0] ** coefficient
            continue
        inner = scaled_monomial(monomial)
        result = result * single(intern_atom("exp", "", (inner,), positive=True), coefficient)
    return result


def log(argument: Argument) -> Expr:
    """The natural logarithm of a positive expression; log(INF) is INF."""
    expr = num(argument)
    if expr.inf > 0:
        return INF
    if expr.sign() in ("-", "0", "<=0") or expr.inf:
        raise ExpressionError(f"log({expr}) has no value")
    if expr == ONE:
        return ZERO
    if len(expr.terms) == 1:
        ((monomial, coefficient),) = expr.terms.items()
        if coefficient == 1 and all(atom.kind == "exp" for atom, _ in monomial):
            result = ZERO
            for atom, exponent in monomial:
                result = result + atom.args[0] * number(exponent)
            return result
    sign = (expr - 1).sign()
    return single(
        intern_atom("log", "", (expr,), nonneg=sign in ("+", ">=0"), positive=sign == "+")
    )


def tanh(argument: Argument) -> Expr:
    """The hyperbolic tangent."""
    expr = num(argument)
    if expr.inf:
        return number(expr.inf)
    if expr.is_zero:
        return ZERO
    if leading_coefficient(expr) < 0:
        return -tanh(-expr)
    sign = expr.sign()
    nonneg = sign in ("+", ">=0")
    return single(intern_atom("tanh", "", (expr,), nonneg=nonneg, positive=sign == "+"))


def erfc(argument: Argument) -> Expr:
    """The complementary error function, 2 / sqrt(pi) times the integral of exp(-t**2) above."""
    expr = num(argument)
    if expr.inf:
        return ZERO if expr.inf > 0 else number(2)
    if expr.is_zero:
        return ONE
    return single(intern_atom("erfc", "", (expr,), positive=True))


def normal_tail(argument: Argument) -> Expr:
    """P(N(0, 1) >= argument) = erfc(argument / sqrt(2)) / 2; falls from 1 to 0."""
    return erfc(num(argument) / num(2) ** Fraction(1, 2)) / 2
