"""Generators that draw onto a tape, with the methods of NumPy's and of the standard library's."""

from __future__ import annotations

from functools import cached_property, lru_cache
from random import Random
from typing import Any

# Its own name: while a program runs, `numpy.random.default_rng` draws onto the tape.
from numpy.random import SeedSequence, default_rng

from metricdp.audit.replaying.answering import where
from metricdp.audit.replaying.laws import CAUCHY, EXPONENTIAL, LOCATED
from metricdp.audit.replaying.paths import OutputPath
from metricdp.audit.replaying.pending import Array, Waiting
from metricdp.audit.replaying.tape import DrawRequest, NoiseBlock, Tape, TapedDraw, exactly
from metricdp.errors import ReplayError
from metricdp.families.added import Added

#: Draws that are used as they are; the second run gets the same ones.
_READ = ("random", "integers", "uniform", "geometric", "poisson", "random_sample", "bytes")


@lru_cache(maxsize=1 << 10)
def _spread(seed: int, number: int) -> SeedSequence:
    """A seed as NumPy spreads it: runs on both inputs, and of every audit, begin with the same."""
    return SeedSequence([seed, number])


class _Late:
    """NumPy's generator of a seed, made at its first draw: most of a run's draw nothing, and a
    seed takes time to spread.  Shared by shallow copies, as the generator itself would be."""

    def __init__(self, seed: list[int]) -> None:
        self.seed = seed

    @cached_property
    def rng(self) -> Any:
        return default_rng(_spread(*self.seed))


class Generator:
    """Noise on a tape, with the methods of `numpy.random.Generator`.

    Args:
        tape: of the run.
        path: which outputs are chosen.
        number: of the generator in its run, so that two of them differ.
    """

    def __init__(self, tape: Tape, path: OutputPath, number: int = 0) -> None:
        self._tape, self._path = tape, path
        self._late = _Late([path.seed, number])

    @property
    def _inner(self) -> Any:
        return self._late.rng

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Laplace noise of a scale around `loc`."""
        return self._located("laplace", loc, scale, size)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Gaussian noise of a standard deviation around `loc`."""
        return self._located("normal", loc, scale, size)

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Gumbel noise of a scale around `loc`."""
        return self._located("gumbel", loc, scale, size)

    def logistic(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Logistic noise of a scale around `loc`."""
        return self._located("logistic", loc, scale, size)

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        """One-sided exponential noise."""
        return self._drawn(EXPONENTIAL, 0.0, scale, size, self._inner.standard_exponential)

    def standard_normal(self, size: Any = None, *_: Any) -> Any:
        """Gaussian noise of standard deviation 1."""
        return self._located("normal", 0.0, 1.0, size)

    def standard_exponential(self, size: Any = None, *_: Any) -> Any:
        """One-sided exponential noise of scale 1."""
        return self.exponential(1.0, size)

    def standard_cauchy(self, size: Any = None) -> Any:
        """Cauchy noise."""
        return self._drawn(CAUCHY, 0.0, 1.0, size, self._inner.standard_cauchy)

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None) -> Any:
        """A choice among items: the positions are drawn, by weights that are private."""
        import numpy as np

        if size is not None or not replace:
            # Positions are drawn, so that the second run takes its own items.
            count = a if isinstance(a, int) else len(a)
            several = (count, size, replace, p)
            asked = (count, size, replace)
            chosen = self._read("choice", asked, lambda: self._inner.choice(*several))
            return chosen if isinstance(a, int) else np.asarray(a)[chosen]
        items = range(a) if isinstance(a, int) else a
        if self._tape.paused:
            return items[int(self._inner.choice(len(items), p=p))]
        public = {"number of candidates": len(items)}
        entry = TapedDraw(
            DrawRequest(where(), "choice", public, p is not None), "", None, _plain(p)
        )
        earlier = self._tape.add(entry)
        if earlier is None:
            entry.output = int(self._inner.choice(len(items), p=p))
            if self._path.kind != "drawn":
                possible = [i for i in range(len(items)) if p is None or p[i]]
                turn = self._path.seed + len(self._tape.entries)
                entry.output = possible[turn % len(possible)]
        else:
            entry.output = earlier.output
            if p is None:
                self._tape.unplaced.append(entry.asked.site)
        return int(entry.output) if isinstance(a, int) else items[entry.output]

    def binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        """A count of coins, whose chance may be private."""
        return self._read("binomial", (), lambda: self._inner.binomial(n, p, size))

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Items in place, in the recorded order."""
        order = self.permutation(len(x))
        items = [x[i] for i in order]
        x[:] = items

    def permutation(self, x: Any, axis: int = 0) -> Any:
        """Positions or items in another order."""
        count = x if isinstance(x, int) else len(x)
        order = self._read("permutation", (count,), lambda: self._inner.permutation(count))
        if isinstance(x, int):
            return order
        import numpy as np

        return np.asarray(x)[order]

    def spawn(self, n_children: int) -> list[Generator]:
        """Further generators on the same tape."""
        return [Generator(self._tape, self._path, 100 + i) for i in range(n_children)]

    def __getattr__(self, name: str) -> Any:
        if name in _READ:
            method = name if name != "random_sample" else "random"
            # Looked up at a draw: a run finds all of these, and most of them draw nothing.
            return lambda *a, **k: self._read(
                name, (repr(a), repr(k)), lambda: getattr(self._inner, method)(*a, **k)
            )
        if name.startswith("__"):
            raise AttributeError(name)
        raise ReplayError(
            f"`{name}` is a sampler that replay does not follow",
            place=where(),
            remedy="wrap the mechanism that uses it with metricdp.audit.traced, or audit "
            "by samples",
        )

    def _located(self, method: str, loc: Any, scale: Any, size: Any) -> Any:
        inner = getattr(self._inner, method)
        return self._drawn(LOCATED[method], loc, scale, size, lambda n: inner(0.0, 1.0, n))

    def _drawn(self, family: Added, loc: Any, scale: Any, size: Any, make: Any) -> Any:
        import numpy as np

        known = np.asarray(loc.read() if isinstance(loc, Waiting) else loc, dtype=float)
        if size is None and not known.ndim and type(scale) in (int, float):
            shape, scales = (), [float(scale)]  # the most usual draw
        else:
            shape = np.broadcast_shapes(known.shape, np.shape(scale))
            if size is not None:
                shape = tuple(size) if hasattr(size, "__len__") else (int(size),)
            scales = np.broadcast_to(np.asarray(scale, dtype=float), shape).ravel().tolist()
        count = int(np.prod(shape)) if shape else 1
        if any(not s >= 0 for s in scales):
            raise ValueError("scale < 0")
        if self._tape.paused:
            plain = known + np.reshape(
                [z * s for z, s in zip(make(count), scales, strict=True)], shape
            )
            return plain if shape or size is not None else float(plain)
        single = scales[0] if len(set(scales)) == 1 else tuple(scales)
        asked = DrawRequest(where(), family.name, {"scale": single, "shape": shape}, family=family)
        position = len(self._tape.entries)
        noise = [float(z) * s for z, s in zip(make(count), scales, strict=True)]
        for i, s in enumerate(scales):
            far = self._path.noise(position, i, s)
            noise[i] = noise[i] if far is None else float(far)
        block = NoiseBlock(noise, {}, None, asked.site)
        entry = TapedDraw(asked, family.norm if count > 1 else "", None, None, None, block)
        earlier = self._tape.add(entry)
        if earlier is not None and earlier.block is not None:
            block.recorded = earlier.block
            block.noise = list(earlier.block.noise)
        shifts = np.broadcast_to(known, shape).ravel().tolist() if shape else [float(known)]
        waiting = [Waiting(self._tape, block, i, 1, shifts[i]) for i in range(count)]
        return Array(self._tape, waiting, shape) if shape or size is not None else waiting[0]

    def _read(self, mechanism: str, public: tuple[Any, ...], make: Any) -> Any:
        """A draw that is used as it is: the second run gets the recorded one."""
        if self._tape.paused:
            return make()
        asked = DrawRequest(where(), mechanism, {"arguments": public} if public else {}, False)
        entry = TapedDraw(asked)
        earlier = self._tape.add(entry)
        drawn = make()
        if earlier is not None:
            self._tape.unplaced.append(asked.site)
            drawn = earlier.output
        entry.output = drawn
        return drawn.copy() if hasattr(drawn, "copy") else drawn


class StandardGenerator(Random):
    """Noise on a tape, with the methods of `random.Random`."""

    def __new__(cls, *_: Any) -> StandardGenerator:
        return super().__new__(cls)

    def __init__(self, tape: Tape, path: OutputPath, number: int = 0) -> None:
        self._drawing = Generator(tape, path, number)
        super().__init__(0)

    def gauss(self, mu: Any = 0.0, sigma: Any = 1.0) -> Any:
        """Gaussian noise."""
        return self._drawing.normal(mu, sigma)

    normalvariate = gauss

    def expovariate(self, lambd: Any = 1.0) -> Any:
        """One-sided exponential noise of scale 1/lambd."""
        return self._drawing.exponential(1.0 / lambd)

    def random(self) -> float:
        """A number in [0, 1)."""
        drawing: Any = self.__dict__.get("_drawing")
        return float(drawing.random()) if drawing is not None else super().random()

    def getrandbits(self, k: int) -> int:
        """k bits."""
        words = self._drawing.integers(0, 2**32, size=(k + 31) // 32).tolist()
        number = 0
        for word in words:
            number = number << 32 | int(word)
        return number >> (32 * len(words) - k)


def _plain(p: Any) -> Any:
    return None if p is None else [exactly(x) for x in p]
