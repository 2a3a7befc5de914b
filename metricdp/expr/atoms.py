"""Atoms: what expressions are polynomials in.  Interned, so that equality is identity."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from metricdp.effort import no_larger

if TYPE_CHECKING:
    from metricdp.expr.core import Expr


class Atom:
    """A symbol, a prime under a root, a function of expressions, or a sum to be raised to a power.

    Attributes:
        kind: "sym", "prime", "base" (a sum), "lump" (a sum whose power is too large to expand),
            "pow" (symbolic exponent), "sum", or a function: "max", "min", "abs", "floor",
            "ceiling", "exp", "log", "tanh", "erfc".
        label: name of the symbol or of the bound variable; the prime.
        args: arguments of a function; bodies and limits.
        nonneg, positive, integer: facts; False says only "not known".
        serial: order of creation, by which monomials are sorted.
        symbols: names of free symbols.
        weight: number of its parts.
    """

    __slots__ = (
        "__weakref__",
        "args",
        "integer",
        "kind",
        "label",
        "nonneg",
        "positive",
        "serial",
        "symbols",
        "weight",
    )

    kind: str
    label: str | int
    args: tuple[Expr, ...]
    nonneg: bool
    positive: bool
    integer: bool
    serial: int
    symbols: frozenset[str]
    weight: int

    def __reduce__(self) -> tuple[Any, ...]:
        facts = (self.nonneg, self.positive, self.integer)
        return intern_atom, (self.kind, self.label, self.args, *facts)


_SERIAL = count()
_TABLE: WeakValueDictionary[tuple[Any, ...], Atom] = WeakValueDictionary()


def intern_atom(
    kind: str,
    label: str | int,
    args: tuple[Expr, ...],
    nonneg: bool = False,
    positive: bool = False,
    integer: bool = False,
) -> Atom:
    """The one atom with this content."""
    nonneg = nonneg or positive
    key = (kind, label, args, nonneg, positive, integer)
    found = _TABLE.get(key)
    if found is not None:
        return found
    atom = Atom()
    atom.weight = 1
    if args:
        atom.weight += _weight(args)
        no_larger(atom.weight)
    atom.kind, atom.label, atom.args = kind, label, args
    atom.nonneg, atom.positive, atom.integer = nonneg, positive, integer
    atom.serial = next(_SERIAL)
    if kind == "sym":
        atom.symbols = frozenset((str(label),))
    else:
        names: frozenset[str] = frozenset().union(*(arg.symbols for arg in args))
        if kind == "sum":  # args are (body, lo, hi); the variable is bound in the body only
            body = args[0].symbols - {str(label)}
            names = frozenset().union(body, args[1].symbols, args[2].symbols)
        atom.symbols = names
    # setdefault, so that two threads never hold two atoms of one content.
    return _TABLE.setdefault(key, atom)


def _weight(expressions: tuple[Expr, ...]) -> int:
    """Number of terms and factors, with those inside of functions and powers."""
    return sum(
        1 + sum(atom.weight for atom, _ in monomial)
        for expr in expressions
        for monomial in expr.terms
    )


def symbol(name: str, nonneg: bool, integer: bool, positive: bool) -> Atom:
    """The atom of a public symbol."""
    return intern_atom("sym", name, (), nonneg or positive, positive, integer)


def prime(value: int) -> Atom:
    """The atom of a prime (or unfactored cofactor) under a root."""
    return intern_atom("prime", value, (), positive=True, integer=True)
