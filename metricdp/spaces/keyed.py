"""Dictionaries of numbers whose keys are private: counts per key, absent keys counting 0."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.expr import ONE, Expr, root
from metricdp.spaces.base import Space, bound_value
from metricdp.spaces.lengths import Length, rational, root_of
from metricdp.spaces.norms import NORM_NAMES, NORMS, norm_of
from metricdp.spaces.scalars import Scalar, canonical

if TYPE_CHECKING:
    from random import Random

#: Norms over the union of the keys; "L0": the number of keys whose values differ.
KEYED_NORMS = ("L0", *NORM_NAMES)
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
        return f"one unit of {self.norm} distance over all keys"

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
        own, other = NORMS.get(self.norm), NORMS.get(norm)
        if own and other and own.inverse > other.inverse:
            return ONE
        if norm == "L0" and self.norm == "L1" and self.value.element in ("Int", "Bool"):
            return ONE
        if norm == "L2" and "L1" in known:
            return root(known["L1"] * known["LInf"])  # |v|_2^2 <= |v|_1 |v|_oo
        return None

    def contains(self, value: Any) -> bool:
        """Whether the value is a dictionary of keys and nonzero values of their domains."""
        return isinstance(value, Mapping) and all(
            self.key.contains(k) and self.value.contains(v) and v != 0 for k, v in value.items()
        )

    def length(self, x: Any, y: Any) -> Length:
        """The norm of the differences over the union of the keys, absent ones counting 0."""
        left = {canonical(k): Fraction(v) for k, v in x.items()}
        right = {canonical(k): Fraction(v) for k, v in y.items()}
        zero = Fraction(0)
        gaps = [abs(left.get(k, zero) - right.get(k, zero)) for k in {**left, **right}]
        gaps = [gap for gap in gaps if gap]
        if self.norm == "L0":
            return rational(len(gaps))
        if self.norm not in TRIPLES:
            return norm_of(self.norm).length(gaps)
        l0, middle, linf = (self._share(i) for i in range(3))
        outer = max(len(gaps) / l0, max(gaps, default=zero) / linf)
        if self.norm == "L01Inf":
            return rational(max(outer, sum(gaps, zero) / middle))
        between = root_of(sum((gap * gap for gap in gaps), zero) / middle**2)
        return rational(outer) if between.at_most(outer) else between

    def sample(self, rng: Random, size_hint: int = 4) -> Any:
        """A few keys with values; values of 0 leave their key out."""
        drawn = {
            self._key({}, rng): self.value.sample(rng) for _ in range(rng.randint(0, size_hint))
        }
        return {k: v for k, v in drawn.items() if v}

    def extremes(self) -> list[Any]:
        """No key, one key at each extreme value, and all extreme keys at once."""
        keys = self.key.extremes()
        values = [v for v in self.value.extremes() if v]
        found: list[dict[Any, Any]] = [{}]
        found += [{keys[0]: v} for v in values]
        return found + [dict.fromkeys(keys, v) for v in values]

    def neighbours(self, x: Any, d: int | Fraction, rng: Random) -> Any:
        """Values moved step by step, keys appearing and going, while the distance allows."""
        y = dict(x)
        steps = 0
        while steps < 12:
            steps += 1
            z = dict(y)
            k = self._key(y, rng)
            old = z.get(k, 0)
            whole = self.value.element in ("Int", "Bool")
            step = (
                rng.choice((1, max(1, floor(d)))) if whole else Fraction(d) / rng.choice((1, 2, 3))
            )
            new = rng.choice((self.value.neighbours(old, step, rng), 0, old + step))
            if new:
                z[k] = new
            else:
                z.pop(k, None)
            if self.contains(z) and self.length(x, z).at_most(d):
                y = z
        return y

    def shrink(self, x: Any) -> Iterator[Any]:
        """One key fewer, then one value simpler, then one key simpler."""
        for k in x:
            yield {other: v for other, v in x.items() if other != k}
        for k, v in x.items():
            for simpler in self.value.shrink(v):
                if simpler:
                    yield {**x, k: simpler}
        for k in x:
            for key in self.key.shrink(k):
                if key not in x:
                    yield {(key if other == k else other): w for other, w in x.items()}

    def _share(self, i: int) -> Fraction:
        found = bound_value(self.per[i], False)
        return Fraction(1) if found is None else found

    def _key(self, x: Mapping[Any, Any], rng: Random) -> Any:
        """A key: one that is there already, an extreme one, or any."""
        draw = rng.random()
        if x and draw < 0.4:
            return rng.choice(list(x))
        return rng.choice(self.key.extremes()) if draw < 0.7 else self.key.sample(rng)


def in_order(counts: Mapping[Any, Any]) -> dict[Any, Any]:
    """The nonzero entries sorted by key, numbers before text: the order says nothing."""
    present = [k for k, v in counts.items() if v]
    return {k: counts[k] for k in sorted(present, key=lambda k: (isinstance(k, str), k))}
