"""Dictionaries of numbers whose keys are private: counts per key, absent keys counting 0."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.expr import ONE, Expr, root
from metricdp.spaces.base import Space
from metricdp.spaces.scalars import Scalar

if TYPE_CHECKING:
    from random import Random

    from metricdp.spaces.lengths import Length

#: Norms over the union of the keys; "L0": the number of keys whose values differ.
KEYED_NORMS = ("L0", "L1", "L2", "LInf")
#: Norms that bound three at once -> those three.
TRIPLES = {"L01Inf": ("L0", "L1", "LInf"), "L02Inf": ("L0", "L2", "LInf")}


class Keyed(Space, frozen=True):
    """A dictionary from keys to nonzero numbers; which keys there are is private.

    Under a single norm the distance is that norm of the differences, key by key, where a key that
    is absent counts as 0.  Under a triple the distance is the least t for which all three norms are
    at most t times `per`: closeness of thresholded releases in one number.  `per` is (l0, l1,
    linf) or (l0, l2, linf), what a distance of 1 may move; (2, 2, 1) for counts when a row is
    replaced.

    Attributes:
        key: space of a key, a `Scalar` with element Data.
        value: space of a value, a `Scalar` "Int" or "Real"; 0 is no value: such keys are absent.
        norm: "L0", "L1", "L2", "LInf", "L01Inf" or "L02Inf".
        per: three positive numbers; only of the triples.
    """

    key: Scalar
    value: Scalar
    norm: str = "L1"
    per: tuple[Expr, Expr, Expr] = (ONE, ONE, ONE)

    def __post_init__(self) -> None:
        if self.norm not in TRIPLES:
            msgspec.structs.force_setattr(self, "per", (ONE, ONE, ONE))

    def __str__(self) -> str:
        return f"Keyed[{self.key.kind or self.key}, {self.value}, {self.norm}]"

    @property
    def unit(self) -> str:
        return f"distance 1 in the {self.norm} norm over all keys"

    def _facts(self) -> list[str]:
        facts = [f"each value {fact}" for fact in self.value._facts()]
        if self.norm in TRIPLES and self.per != (ONE, ONE, ONE):
            moved = ", ".join(
                f"{norm} {share}" for norm, share in zip(TRIPLES[self.norm], self.per, strict=True)
            )
            facts.append(f"per unit {moved}")
        return facts

    def share(self, norm: str) -> Expr | None:
        """How far a distance of 1 may move the value in another norm; None if that is not known.

        From a triple to one of its norms this is an entry of `per`.  L1 bounds L2 and LInf, L2
        bounds LInf; integer values that differ do so by at least 1, so L1 bounds L0 as well.
        """
        if norm == self.norm:
            return ONE
        known = dict(zip(TRIPLES.get(self.norm, ()), self.per, strict=False))
        if norm in known:
            return known[norm]
        order = ("L1", "L2", "LInf")
        if norm in order and self.norm in order and order.index(self.norm) < order.index(norm):
            return ONE
        if norm == "L0" and self.norm == "L1" and self.value.element in ("Int", "Bool"):
            return ONE
        if norm == "L2" and "L1" in known:
            return root(known["L1"] * known["LInf"])  # |v|_2^2 <= |v|_1 |v|_oo
        return None

    def contains(self, value: Any) -> bool:
        from metricdp.spaces.dictionaries import contains_keyed

        return contains_keyed(self, value)

    def length(self, x: Any, y: Any) -> Length:
        from metricdp.spaces.dictionaries import keyed_length

        return keyed_length(self, x, y)

    def sample(self, rng: Random, size_hint: int = 4) -> Any:
        from metricdp.spaces.dictionaries import sample_keyed

        return sample_keyed(self, rng, size_hint)

    def extremes(self) -> list[Any]:
        from metricdp.spaces.dictionaries import extreme_keyed

        return extreme_keyed(self)

    def neighbours(self, x: Any, d: int | Fraction, rng: Random) -> Any:
        from metricdp.spaces.dictionaries import move_keyed

        return move_keyed(self, x, d, rng)

    def shrink(self, x: Any) -> Iterator[Any]:
        from metricdp.spaces.dictionaries import shrink_keyed

        return shrink_keyed(self, x)
