"""randomized_response_bits: every bit of a list is told, or turned with probability f / 2.

Privacy.  Each bit has its own coin, so its truth has probability 1 - f/2 and its opposite f/2: a
bit that differs has a ratio of at most (2 - f) / f, and a list with k different bits
epsilon = k ln((2 - f) / f).  Lists at distance d in L1 differ in at most d bits, in L2 in at most
d^2.  Two lists of one length with at most m ones differ in at most 2m bits.  The length of the list
is public: it is released.
f = 1 tells nothing.  Tight: the answer that is the truth of one list.
rho = d e tanh(e / 2), e = ln((2 - f) / f), as each different bit is one answer of two.
Source: Erlingsson, Pihur, Korolova (2014), Theorem 1 (permanent randomized response).
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.accounting.costs import pure_to_zcdp
from metricdp.expr import ONE, ZERO, log, num
from metricdp.families.recorded import Recorded
from metricdp.measures.events import Event
from metricdp.primitives.mechanisms._noise import public_argument, public_number
from metricdp.primitives.mechanisms.randomized_response_kept import exactly, open_share
from metricdp.record import MOVED, Arg, Conclusion, Instance, Requirement, Spelling, refuse
from metricdp.spaces import Vector

example = (
    "bits: dp.Vector[dp.Bool, dp.L1] = [True, False, True]; "
    "dp.randomized_response_bits(bits, f=0.5)"
)

spelling = Spelling(opendp=("make_randomized_response_bitvec",))

NAME = "randomized_response_bits"


def rule(x: Arg, *, f: Arg) -> Conclusion:
    """A vector of Booleans; `f` is public, 0 < f <= 1: twice the chance that a bit is turned."""
    if not x.private or x.space is None:
        raise public_argument(x, NAME)
    if not isinstance(x.space, Vector) or x.space.element != "Bool":
        raise refuse(
            "wrong-norm",
            f"`{NAME}` answers bit by bit, and {x.text} lies in {x.space}",
            need="a vector of Booleans",
            help=f"declare {x.text} as Vector[Bool, L1]",
        )
    share = exactly(public_number(f, NAME, "f"), f)
    one = log((2 - share) / share) if open_share(share / 2) else ZERO
    requires = (
        Requirement(share, ">", ZERO, "bad-noise", f"choose {f.chosen} > 0"),
        Requirement(share, "<=", ONE, "bad-noise", f"choose {f.chosen} <= 1"),
    )
    norm = "L2" if x.space.norm == "L2" else "L1"
    bits = MOVED**2 if norm == "L2" else MOVED
    privacy = {"pure": (bits * one,), "zcdp": (bits * pure_to_zcdp(one),)}
    return Conclusion(
        None, requires=requires, events=(Event(NAME, family, norm, {"f": share}, privacy),)
    )


def run(x: Any, f: Fraction, source: Any = None) -> list[bool]:
    """The list of answers, as long as x."""
    from metricdp.noise.bernoulli import bernoulli

    return [bool(bit) != bernoulli(Fraction(f) / 2, None, source) for bit in x]


def law(x: Any, f: Fraction) -> Any:
    """Exact joint law of the answers."""
    from metricdp.laws import FiniteLaw, ProductLaw

    turned = Fraction(f) / 2
    return ProductLaw(tuple(FiniteLaw({bool(bit): 1 - turned, not bit: turned}) for bit in x))


family = Recorded(NAME, run, law)


def instances() -> Iterable[Instance]:
    for f in (Fraction(1, 2), Fraction(9, 10)):
        for norm in ("L1", "L2"):
            yield Instance({"x": Vector("Bool", norm, num(4))}, {"f": f}, {}, "approached")


def tight(instance: Instance, d: int, tol: Fraction) -> Any:
    """Lists that differ in d bits, or d^2 of them; None where there are not so many."""
    space = instance.private["x"]
    assert isinstance(space, Vector)
    bits = d * d if space.norm == "L2" else d
    if bits > 4:
        return None
    return {"x": [False] * 4}, {"x": [True] * bits + [False] * (4 - bits)}
