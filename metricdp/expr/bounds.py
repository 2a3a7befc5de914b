"""Bounds of one quantity: the least of several sound upper bounds; the range of a product."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import lru_cache

from metricdp.errors import ExpressionError
from metricdp.expr.atoms import Atom
from metricdp.expr.core import INF, ZERO, Expr
from metricdp.expr.functions import maximum, minimum
from metricdp.expr.relations import compare

_INTEGERS = (1, 2, 3, 7)
_REALS = (Fraction(1), Fraction(2), Fraction(1, 3), Fraction(7, 2))
_DISTANCES = (Fraction(1), Fraction(2), Fraction(3), Fraction(1, 2))
_SIGNED = (Fraction(1), Fraction(-2), Fraction(1, 3), Fraction(-7, 2))
#: Beyond every constant that a program writes down: where sizes are this large, it is the constant
#: that bounds.
_MANY = 10**6
_TURNS = 6
#: Kinds of atoms whose values take no longer where sizes are large: no powers, and no sums.
_QUICK = frozenset("sym prime base lump min max abs floor ceiling".split())


def best(options: Iterable[Expr]) -> Expr:
    """The least of several upper bounds of one quantity.

    Every option must be sound on its own: where no comparison is certain, sample points choose,
    and bounds that cross at the sample points are joined by Min.  INF when there is no option.
    """
    kept: list[Expr] = []
    for option in dict.fromkeys(options):
        if option.inf or any(compare(k, "<=", option) for k in kept):
            continue
        kept = [k for k in kept if not compare(option, "<=", k)]
        kept.append(option)
    if not kept:
        return INF
    if len(kept) == 1:
        return kept[0]
    return _by_samples(tuple(kept))


@lru_cache(maxsize=4096)
def _by_samples(kept: tuple[Expr, ...]) -> Expr:
    table = [tuple(_sampled(option, env) for option in kept) for env in _points(kept)]
    winners = set(range(len(kept)))
    useful: set[int] = set()
    for row in table:
        known = [value for value in row if value is not None]
        if not known:
            continue
        smallest = min(known)
        at = {i for i, value in enumerate(row) if value == smallest}
        winners &= at
        useful |= at if not useful & at else set()
    if winners:
        return min((kept[i] for i in winners), key=lambda e: (len(str(e)), str(e)))
    return minimum(*(kept[i] for i in sorted(useful)))


def _sampled(option: Expr, env: dict[str, Fraction | int]) -> Fraction | float | None:
    try:
        return option.enclose(env)[1]
    except ExpressionError:
        return None


def _points(options: tuple[Expr, ...]) -> Iterator[dict[str, Fraction | int]]:
    """Sample points: values go round, so that symbols take different values."""
    atoms = sorted({a for o in options for a in free_symbols(o)}, key=lambda a: str(a.label))
    moving = any(atom.label == "d_in" for atom in atoms)
    turns = _TURNS + all(each.kind in _QUICK for o in options for each in _atoms(o))
    for distance in _DISTANCES if moving else _DISTANCES[:1]:
        for turn in range(turns):
            env: dict[str, Fraction | int] = {}
            for place, atom in enumerate(atoms):
                index = (2654435761 * (turn + 1) * (2 * place + 3) >> 13) & 3
                if atom.label == "d_in":
                    env["d_in"] = distance
                elif atom.integer:
                    env[str(atom.label)] = _MANY if turn == _TURNS else _INTEGERS[index]
                else:
                    env[str(atom.label)] = (_REALS if atom.nonneg else _SIGNED)[index]
            yield env


def free_symbols(expr: Expr) -> Iterator[Atom]:
    """The symbol atoms inside an expression, with repetitions."""
    return (atom for atom in _atoms(expr) if atom.kind == "sym")


def _atoms(expr: Expr) -> Iterator[Atom]:
    for monomial in expr.terms:
        for atom, _ in monomial:
            yield atom
            for arg in atom.args:
                yield from _atoms(arg)


def scaled_range(factor: Expr, lo: Expr, hi: Expr) -> tuple[Expr, Expr]:
    """Range of factor * x for x in [lo, hi]; either end may be infinite.

    A factor of unknown sign times an infinite end gives an infinite range.
    """
    sign = factor.sign()
    if sign in ("+", ">=0"):
        return factor * lo, factor * hi
    if sign in ("-", "<=0"):
        return factor * hi, factor * lo
    if sign == "0":
        return ZERO, ZERO
    if lo.inf or hi.inf:
        return -INF, INF
    ends = factor * lo, factor * hi
    return minimum(*ends), maximum(*ends)
