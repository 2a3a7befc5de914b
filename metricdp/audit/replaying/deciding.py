"""Generators whose draws are decisions, with the methods of NumPy's and the standard library's."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import comb, prod
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np

from metricdp.audit.replaying.decisions import MOST_OUTCOMES, DecidedDraw, Decisions
from metricdp.audit.replaying.generators import Generator
from metricdp.audit.replaying.laws import LOCATED
from metricdp.audit.replaying.patches import Makers
from metricdp.audit.replaying.paths import OutputPath
from metricdp.audit.replaying.tape import Tape
from metricdp.families.added import Added

#: Draws that one call may make.
_MOST = 64
#: What generators of NumPy have.
_KINDS = (np.random.Generator, np.random.RandomState)
_OWN = frozenset(name for kind in _KINDS for name in dir(kind))
_METHODS = frozenset(n for n in _OWN for k in _KINDS if callable(getattr(k, n, None)))


class Deciding(Generator):
    """Draws of `numpy.random.Generator` as decisions; those that cannot be are refused."""

    # Nothing is drawn: what the inherited methods name is not called.
    _inner: Any = SimpleNamespace(standard_exponential=None, standard_cauchy=None)

    def __init__(self, decisions: Decisions) -> None:
        self._decisions = decisions

    def random(self, size: Any = None, *_: Any) -> Any:
        """Uniform on [0, 1)."""
        return self._shaped(size, lambda: DecidedDraw(self._decisions))

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        """Uniform on [low, high)."""
        return self._shaped(size, lambda: low + (high - low) * DecidedDraw(self._decisions))

    def integers(
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = int, endpoint: bool = False
    ) -> Any:
        """An integer of a range."""
        first, last = (0, low) if high is None else (low, high)
        count = int(last) - int(first) + bool(endpoint)
        kind: Any = np.dtype(dtype).type
        return self._shaped(size, lambda: kind(int(first) + self._equal(count)), dtype)

    def choice(
        self, a: Any, size: Any = None, replace: bool = True, p: Any = None, *_unused: Any
    ) -> Any:
        """Items by weights, with or without replacement."""
        items = list(range(a)) if isinstance(a, int) else np.asarray(a)
        weights = [1] * len(items) if p is None else [*np.asarray(p, dtype=float).tolist()]
        if len(weights) != len(items):
            raise ValueError("a and p must have same size")
        if size is None:
            return items[self._decisions.decide(weights)]
        chosen: list[Any] = []
        for _ in range(self._count(size)):
            at = self._decisions.decide(weights)
            chosen.append(at)
            if not replace:
                weights[at] = 0
        found = np.asarray(items)[np.array(chosen, dtype=int)]
        return found.reshape((*size, *found.shape[1:])) if hasattr(size, "__len__") else found

    def permutation(self, x: Any, axis: int = 0) -> Any:
        """Positions or items in another order."""
        count = x if isinstance(x, int) else len(x)
        order = np.array(self._order(count), dtype=int)
        return order if isinstance(x, int) else np.asarray(x)[order]

    def binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        """A count of coins."""
        count, chance = int(n), Fraction(float(p))
        weights = [
            comb(count, k) * chance**k * (1 - chance) ** (count - k)
            for k in range(min(count, _MOST) + 1)
        ]
        if count > _MOST:
            raise self._decisions.stop(f"a binomial draw has {count} coins")
        return self._shaped(size, lambda: self._decisions.decide(weights), int)

    def spawn(self, n_children: int) -> list[Generator]:
        """Itself, as often."""
        return [self] * n_children

    def _order(self, count: int) -> list[int]:
        left = list(range(count))
        return [left.pop(self._equal(len(left))) for _ in range(count)]

    def _equal(self, count: int) -> int:
        return self._decisions.decide([1] * min(count, MOST_OUTCOMES + 1))

    def _count(self, size: Any) -> int:
        count = prod(map(int, size)) if hasattr(size, "__len__") else int(size)
        if count > _MOST:
            raise self._decisions.stop(f"{count} draws are made at once")
        return count

    def _shaped(self, size: Any, make: Callable[[], Any], dtype: Any = object) -> Any:
        if size is None:
            return make()
        found = np.empty(self._count(size), dtype=dtype)
        for i in range(len(found)):
            found[i] = make()
        return found.reshape(size)

    def _refused(self, name: str) -> Any:
        raise self._decisions.stop(f"`{name}` has no finite law")

    def _located(self, method: str, loc: Any, scale: Any, size: Any) -> Any:
        return self._drawn(LOCATED[method], loc, scale, size, None)

    def _drawn(self, family: Added, loc: Any, scale: Any, size: Any, make: Any) -> Any:
        """Continuous noise: a decision wherever it is compared."""
        if np.shape(scale):
            return self._refused(family.name)
        if not scale >= 0:
            raise ValueError("scale < 0")
        if np.shape(loc):
            size = np.shape(loc) if size is None else size
        noise = self._shaped(size, lambda: DecidedDraw(self._decisions, family.below))
        return loc + scale * noise

    def _read(self, mechanism: str, *_: Any) -> Any:
        return self._refused(mechanism)

    def __getattr__(self, name: str) -> Any:
        if name == "random_sample":
            return self.random
        if name not in _OWN:
            raise AttributeError(name)
        if name in _METHODS:
            return lambda *_, **__: self._refused(name)
        return self._refused(name)


class StandardDeciding(Random):
    """Coins, choices and orders of `random.Random` as decisions."""

    def __new__(cls, *_: Any) -> StandardDeciding:
        return super().__new__(cls)

    def __init__(self, decisions: Decisions) -> None:
        self._drawing = Deciding(decisions)
        super().__init__(0)

    def random(self) -> Any:
        """Uniform on [0, 1)."""
        return self._drawing.random()

    def uniform(self, a: Any, b: Any) -> Any:
        """Uniform on [a, b]."""
        return self._drawing.uniform(a, b)

    def randrange(self, start: int, stop: int | None = None, step: int = 1) -> int:
        """An item of a range."""
        items = range(start) if stop is None else range(start, stop, step)
        return items[self._drawing._equal(len(items))]

    def randint(self, a: int, b: int) -> int:
        """An integer of [a, b]."""
        return self.randrange(a, b + 1)

    def choice(self, seq: Any) -> Any:
        """An item."""
        return seq[self._drawing._equal(len(seq))]

    def choices(
        self, population: Any, weights: Any = None, *, cum_weights: Any = None, k: int = 1
    ) -> list[Any]:
        """Items by weights, with replacement."""
        if cum_weights is not None:
            before = [0, *list(cum_weights)[:-1]]
            weights = [b - a for a, b in zip(before, cum_weights, strict=True)]
        known = [1] * len(population) if weights is None else list(weights)
        return [population[self._drawing._decisions.decide(known)] for _ in range(k)]

    def shuffle(self, x: Any) -> None:
        """Another order, in place."""
        x[:] = [x[i] for i in self._drawing._order(len(x))]

    def sample(self, population: Any, k: int, *, counts: Any = None) -> list[Any]:
        """Items without replacement."""
        order = self._drawing._order(len(population))[:k]
        return [population[i] for i in order]

    def getrandbits(self, k: int) -> int:
        """k bits."""
        return self._drawing._equal(2**k)

    def _lost(self, *_: Any, **__: Any) -> Any:
        return self._drawing._refused("a draw of `random`")

    def gauss(self, mu: Any = 0.0, sigma: Any = 1.0) -> Any:
        """Gaussian noise."""
        return self._drawing.normal(mu, sigma)

    normalvariate = gauss

    def expovariate(self, lambd: Any = 1.0) -> Any:
        """One-sided exponential noise of scale 1/lambd."""
        return self._drawing.exponential(1.0 / lambd)

    triangular = betavariate = _lost
    gammavariate = lognormvariate = paretovariate = weibullvariate = vonmisesvariate = _lost


class DecidingMakers(Makers):
    """Makes generators that share the decisions of one run."""

    def __init__(self, decisions: Decisions) -> None:
        super().__init__(Tape(), OutputPath("drawn"))
        self._decisions = decisions

    def numpy(self, number: int | None = None) -> Generator:
        """The next generator of NumPy's kind."""
        return Deciding(self._decisions)

    def standard(self, *_: Any, number: int | None = None) -> Any:
        """The next one of the standard library's kind."""
        return StandardDeciding(self._decisions)
