"""Signed affine forms over numbered atoms: how an abstract private value moves.

A real value is `sum of coefficient * atom + constant`; an atom is one abstract quantity whose
movement is known per source.  A source is a private parameter, one row of it in one loop, or the
state of a loop at the start of a round.  Keeping the form is what makes `x - x` 0-stable.
Movements are read as the sum of |coefficient| * movement of the atom, per source and norm.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

import msgspec

from metricdp.check.values.regions import Region
from metricdp.effort import MOST_BITS_OF_FACTOR, no_longer
from metricdp.expr import INF, ONE, ZERO, D, Expr, absolute, best, compare, compose, sym
from metricdp.expr.core import digits
from metricdp.spaces import Gradient, Keyed, Matrix, Scalar, Space, Vector
from metricdp.spaces.diameters import diameter
from metricdp.spaces.keyed import KEYED_NORMS, TRIPLES
from metricdp.spaces.norms import NORM_NAMES, conversion


class Source(msgspec.Struct, frozen=True, order=True):
    """Where a movement comes from: kind "param", "row" or "state"; the name; the loop's number."""

    kind: str
    name: str
    loop: int = 0


#: norm ("" for spaces with a single metric) -> movement as an Expr in d_in of the source.
Movement = Mapping[str, Expr]
#: source -> movement.
Bounds = Mapping[Source, Movement]


class Quantity(msgspec.Struct, frozen=True):
    """One abstract quantity: the space it lies in and how far it moves, per source.

    `regions` says per source which rows of it can move the quantity at all; a source that it leaves
    out may move it by any of its rows.
    """

    space: Space
    bounds: Bounds
    regions: Mapping[Source, Region] = {}


class Form(msgspec.Struct, frozen=True):
    """Sum of coefficient * atom plus a public constant (for containers: added to every entry)."""

    terms: tuple[tuple[int, Expr], ...]
    constant: Expr = ZERO


def single(atom: int) -> Form:
    """The form of one atom."""
    return Form(((atom, ONE),))


def combine(parts: Iterable[tuple[Form, Expr]]) -> Form:
    """Sum of factor * form; terms that cancel disappear."""
    terms: dict[int, Expr] = {}
    constant = ZERO
    for form, factor in parts:
        for atom, coefficient in form.terms:
            term = coefficient if factor is ONE else coefficient * factor
            terms[atom] = terms[atom] + term if atom in terms else term
        if not form.constant.is_zero:
            constant = constant + form.constant * factor
    kept = sorted((a, c) for a, c in terms.items() if not c.is_zero)
    return Form(tuple(kept), constant)


def norms_of(space: Space | None) -> tuple[str, ...]:
    """The norms in which movement in a space is measured."""
    if isinstance(space, Keyed):
        return (*KEYED_NORMS, space.norm) if space.norm in TRIPLES else KEYED_NORMS
    return NORM_NAMES if isinstance(space, Vector | Matrix | Gradient) else ("",)


def width(space: Space) -> Expr:
    """Number of columns that conversions between norms see."""
    size = space.cols if isinstance(space, Matrix) else getattr(space, "size", None)
    return size if size is not None else INF


def all_norms(space: Space, known: Movement) -> Movement:
    """`known` completed to every norm of the space by the least conversion."""
    if isinstance(space, Keyed):
        return {
            norm: known[norm] if norm in known else _shared(space, known, norm)
            for norm in norms_of(space)
        }
    if not isinstance(space, Vector | Matrix | Gradient) or len(known) == len(NORM_NAMES):
        return known
    n = width(space)
    full: dict[str, Expr] = dict(known)
    for norm in NORM_NAMES:
        if norm not in full:
            full[norm] = best([scaled(b, conversion(p, norm, n)) for p, b in known.items()])
    return full


def _shared(space: Keyed, known: Movement, norm: str) -> Expr:
    """The least bound in another norm; infinite where the norms known say nothing about it."""
    shares = [(b, msgspec.structs.replace(space, norm=p).share(norm)) for p, b in known.items()]
    return best([scaled(b, share) for b, share in shares if share is not None] or [INF])


def scaled(bound: Expr, factor: Expr) -> Expr:
    """factor * bound, 0 * INF = 0."""
    return bound if factor is ONE else factor * bound


def start(space: Space, source: Source, per_norm: bool = False) -> Bounds:
    """Movement of a fresh quantity from its own source.

    Measured by d_in in the space's declared norm; with `per_norm`, by one symbol per norm, so that
    what comes back says which norm it depends on (see `own_norm`).
    """
    if isinstance(space, Keyed):
        # A loop would follow each norm by a symbol of its own: not for dictionaries.
        endless = dict.fromkeys(norms_of(space), INF)
        return {source: endless if per_norm else all_norms(space, {space.norm: D})}
    if not isinstance(space, Vector | Matrix | Gradient):
        return {source: {"": D}}
    if per_norm:
        return {source: {norm: NORM_SYMBOLS[norm] for norm in NORM_NAMES}}
    return {source: all_norms(space, {space.norm: D})}


NORM_SYMBOLS = {norm: sym(f"_move_{norm}", nonneg=True) for norm in NORM_NAMES}
#: Names in which a movement may grow.
DISTANCES = {"d_in", *(f"_move_{norm}" for norm in NORM_NAMES)}


def own_norm(bound: Expr, space: Space, norm: str) -> Expr:
    """`bound`, in the per-norm symbols, as a map of the movement in `norm` alone."""
    if not norm or isinstance(space, Keyed):
        return bound
    return _in_norm(bound, width(space), norm)


@lru_cache(maxsize=2048)
def _in_norm(bound: Expr, n: Expr, norm: str) -> Expr:
    named = {f"_move_{other}": conversion(norm, other, n) * D for other in NORM_NAMES}
    return bound.subs(named)


def total(bounds: Iterable[tuple[Bounds, Expr]]) -> dict[Source, dict[str, Expr]]:
    """Sum over (bounds, |factor|): the triangle inequality."""
    out: dict[Source, dict[str, Expr]] = {}
    for each, factor in bounds:
        for source, movement in each.items():
            into = out.setdefault(source, {})
            for norm, bound in movement.items():
                term = scaled(bound, factor)
                into[norm] = into[norm] + term if norm in into else term
    return out


def magnitude(coefficient: Expr) -> Expr:
    """|coefficient|."""
    return ONE if coefficient is ONE else absolute(coefficient)


def moved(outer: Expr, inner: Expr) -> Expr:
    """outer after inner, with the identity taken as it stands."""
    return inner if outer is D or outer == D else compose(outer, inner)


def capped(space: Space | None, bound: Expr, norm: str = "", bounding: bool = False) -> Expr:
    """A finite movement of a discrete scalar is at most 1; in a ball, or in the range of a function
    that is there to bound (`bounding`), nothing moves by more than the diameter, where no better
    bound is known."""
    discrete = isinstance(space, Scalar) and space.element in ("Data", "Bool")
    if discrete and not (bound.is_zero or bound.is_infinite or bound == D):
        return ONE
    if bounding and bound.is_infinite and isinstance(space, Scalar):
        return diameter(space) if space.element in ("Real", "Int") else bound
    ball = isinstance(space, Vector | Gradient) and (space.radius or bounding)
    if isinstance(space, Vector | Gradient) and ball and space.element == "Real":
        if bound.is_infinite:
            return diameter(space, norm)
        # A bound that grows with the distance stays as it is, so that loops can multiply it.
        if not bound.is_zero and bound.symbols.isdisjoint(DISTANCES):
            widest = diameter(space, norm)
            return widest if compare(widest, "<=", bound) is True else bound
    return bound


def describe_bounds(bounds: Mapping[Source, Mapping[str, Expr]], space: Space) -> str:
    """Movement per source in the printed norm, for steps."""
    norm = getattr(space, "norm", "")
    parts = []
    for source, movement in sorted(bounds.items(), key=lambda item: item[0]):
        bound = movement.get(norm, next(iter(movement.values()), ZERO))
        no_longer(digits(bound), MOST_BITS_OF_FACTOR, "the movement of a private value")
        if source.kind != "state":
            parts.append(f"{bound}" if source.kind == "param" else f"{bound} per row")
    return ", ".join(dict.fromkeys(parts)) or "0"


def show(expr: Expr, hidden: str) -> str:
    """Text of a noise parameter, with the movement spelled `bound`."""
    return str(expr).replace(hidden, "bound")


def best_lo(a: Expr, b: Expr) -> Expr:
    """A lower bound, the larger of two where that is certain."""
    return b if compare(a, "<=", b) is True else a


def best_hi(a: Expr, b: Expr) -> Expr:
    """An upper bound, the smaller of two where that is certain."""
    return b if compare(b, "<=", a) is True else a
