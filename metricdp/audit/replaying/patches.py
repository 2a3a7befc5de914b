"""Generators that a plain function makes or finds, replaced while it runs."""

from __future__ import annotations

import os
import random
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from random import Random
from types import CodeType, FunctionType, ModuleType
from typing import Any

from metricdp.audit.replaying.answering import PACKAGE, where
from metricdp.audit.replaying.generators import Generator, StandardGenerator
from metricdp.audit.replaying.paths import OutputPath
from metricdp.audit.replaying.tape import Tape

#: Functions of the modules numpy.random and random that draw from a shared generator.
_NUMPY = (
    "laplace normal gumbel logistic exponential standard_normal standard_exponential "
    "standard_cauchy choice binomial shuffle permutation random uniform geometric poisson "
    "random_sample"
).split()
_STANDARD = (
    "gauss normalvariate expovariate random uniform triangular randint randrange choice choices "
    "shuffle sample getrandbits"
).split()


@contextmanager
def replaced(function: Any, makers: Makers) -> Iterator[None]:
    """Inside the block every generator of NumPy and of `random` that is made, or that the function
    finds by a global name, a default or a closure, draws onto the tape."""
    held: list[tuple[Any, str, Any]] = []
    modules: list[tuple[dict[str, Any], dict[str, Any]]] = []

    def fill(module: ModuleType, values: dict[str, Any]) -> None:
        # All names at once: one by one they were a third of a short run.
        scope = vars(module)
        modules.append((scope, {name: scope[name] for name in values}))
        scope.update(values)

    def put(scope: Any, name: str, value: Any) -> None:
        held.append((scope, name, _get(scope, name)))
        _set(scope, name, value)

    try:
        numpy = sys.modules.get("numpy")
        if numpy is not None:
            shared = makers.numpy()
            classes = {n: _class_of(getattr(numpy.random, n)) for n in ("Generator", "RandomState")}
            for made in classes.values():
                put(made, "make", makers.default_rng)
            drawing = {name: getattr(shared, name) for name in _NUMPY}
            made_or_seeded = {"default_rng": makers.default_rng, "seed": makers.seeded}
            fill(numpy.random, {**drawing, **made_or_seeded, **classes})
        common = makers.standard()
        classes = {name: _class_of(getattr(random, name)) for name in ("Random", "SystemRandom")}
        for made in classes.values():
            put(made, "make", makers.standard)
        drawing = {name: getattr(common, name) for name in _STANDARD}
        fill(random, {**drawing, "seed": makers.seeded, **classes})
        for module, values in _of_the_system(common):
            # Also where the function was imported by its name.
            makers.functions += [(getattr(module, name), new) for name, new in values.items()]
            fill(module, values)
        for scope, name, value in reached(function):
            instead = makers.instead(value, name)
            if instead is not None:
                put(scope, name, instead)
        yield
    finally:
        for scope, name, value in reversed(held):
            _set(scope, name, value)
        for space, before in reversed(modules):
            space.update(before)


def _of_the_system(common: Any) -> list[tuple[ModuleType, dict[str, Any]]]:
    """(module, function -> what stands for it) for randomness of the operating system."""

    real = os.urandom

    def octets(size: int | None = 32) -> bytes:
        if _asked_by_this_package():
            # A ledger's token is no noise: that goes through a handler.
            return real(32 if size is None else size)
        return bytes(common.getrandbits(8) for _ in range(32 if size is None else size))

    return [
        (os, {"urandom": octets}),
        (secrets, {
            "token_bytes": octets, "randbelow": common.randrange, "randbits": common.getrandbits,
            "choice": common.choice, "SystemRandom": random.SystemRandom,
        }),
    ]  # fmt: skip


def _asked_by_this_package() -> bool:
    frame: Any = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename == secrets.__file__:
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename.startswith(PACKAGE)


class Makers:
    """Makes the generators of one run, numbered in order."""

    def __init__(self, tape: Tape, path: OutputPath) -> None:
        self.tape, self.path, self.count = tape, path, 0
        self.known: dict[int, Any] = {}
        #: (function of the system's randomness, what stands for it).
        self.functions: list[tuple[Any, Any]] = []
        import numpy as np

        self._default = np.random.default_rng
        self._kinds = (np.random.Generator, np.random.RandomState)

    def numpy(self) -> Generator:
        """The next generator of NumPy's kind."""
        self.count += 1
        return Generator(self.tape, self.path, self.count)

    def standard(self, *seed: Any) -> StandardGenerator:
        """The next one of the standard library's kind."""
        self.seeded(*seed)
        self.count += 1
        return StandardGenerator(self.tape, self.path, self.count)

    def default_rng(self, seed: Any = None) -> Any:
        """Instead of `numpy.random.default_rng`."""
        if isinstance(seed, Generator):
            return seed
        self.seeded(seed)
        return self.numpy()

    def seeded(self, seed: Any = None, *_: Any) -> None:
        """A seed that the program chose is public: two runs with it draw the same noise."""
        if seed is None or (hasattr(seed, "random_raw") and not _fixed(seed)):
            return
        self.tape.seeds.append(f"{where()} ({_text(seed)})")

    def instead(self, value: Any, name: str = "") -> Any:
        """What stands for a generator that the function finds; None for anything else."""
        if value is self._default:
            return self.default_rng
        for old, new in self.functions:
            if value is old:
                return new
        owner = getattr(value, "__self__", None)
        if isinstance(owner, (*self._kinds, Random)):
            # `from random import gauss`: a method of a generator that stands under no name.
            return getattr(self.instead(owner), value.__name__, None)
        if not isinstance(value, (*self._kinds, Random)):
            return None
        bits: Any = getattr(value, "bit_generator", None)
        if name and _fixed(bits):
            self.tape.seeds.append(f"`{name}` ({bits.seed_seq.entropy})")
        if id(value) not in self.known:
            numpy = isinstance(value, self._kinds)
            self.known[id(value)] = self.numpy() if numpy else self.standard()
        return self.known[id(value)]


@cache
def _class_of(old: type) -> Any:
    """A class whose instances are made by what stands under `make` while a function runs.

    It is made once: a class for each of thousands of runs would be most of their time.
    """

    class Kind(type):
        make: Any = None

        def __instancecheck__(cls, value: Any) -> bool:
            return isinstance(value, (Generator, StandardGenerator, old))

        def __call__(cls, *args: Any) -> Any:
            return cls.make(*args)

    return Kind(old.__name__, (), {})


def _fixed(bits: Any) -> bool:
    """Whether a bit generator was given its entropy by the program."""
    entropy = getattr(getattr(bits, "seed_seq", None), "entropy", None)
    return isinstance(entropy, int) and entropy < 2**64


def _text(seed: Any) -> str:
    return repr(seed)[:40]


def _get(scope: Any, name: str) -> Any:
    if isinstance(scope, ModuleType | type):
        return getattr(scope, name)
    return scope[name] if isinstance(scope, dict) else scope.cell_contents


def _set(scope: Any, name: str, value: Any) -> None:
    if isinstance(scope, ModuleType | type):
        setattr(scope, name, value)
    elif isinstance(scope, dict):
        scope[name] = value
    else:
        scope.cell_contents = value


def reached(function: Any) -> list[tuple[Any, str, Any]]:
    """(scope, name, value) of the globals and closures of a function and of those it calls."""
    found: list[tuple[Any, str, Any]] = []
    pending, seen = [function], set()
    while pending:
        each = getattr(pending[0], "__wrapped__", pending[0])
        pending.pop(0)
        if not isinstance(each, FunctionType):
            each = getattr(each, "__func__", None) or _call_of(each)
        if not isinstance(each, FunctionType) or id(each) in seen:
            continue
        seen.add(id(each))
        scope = each.__globals__
        if str(scope.get("__name__", "")).split(".")[0] in ("metricdp", "numpy"):
            continue
        used = _names(each.__code__)
        for name in used:
            if name in scope:
                found.append((scope, name, scope[name]))
                pending.append(scope[name])
                for place in _inside(scope[name], used):
                    found.append(place)
                    pending.append(place[2])
        for name, cell in zip(each.__code__.co_freevars, each.__closure__ or (), strict=True):
            try:
                value = cell.cell_contents
            except ValueError:
                continue
            found.append((cell, name, value))
            pending.append(value)
            for place in _inside(value, used):
                found.append(place)
                pending.append(place[2])
        defaults = each.__defaults__ or ()
        names = each.__code__.co_varnames[: each.__code__.co_argcount][-len(defaults) or None :]
        for i, (name, value) in enumerate(zip(names, defaults, strict=False)):
            found.append((Default(each, i), name, value))
        for name, value in (each.__kwdefaults__ or {}).items():
            found.append((each.__kwdefaults__, name, value))
    return _once(found)


def _inside(module: Any, used: frozenset[str]) -> Iterator[tuple[Any, str, Any]]:
    """What code that uses these names may read of a module of the user, and of its submodules."""
    if not isinstance(module, ModuleType):
        return
    top = module.__name__.split(".")[0]
    foreign = "site-packages" in (getattr(module, "__file__", None) or "")
    if foreign or top in sys.stdlib_module_names or top in ("metricdp", "numpy", "__main__"):
        return
    scope = vars(module)
    for name in used & scope.keys():
        yield scope, name, scope[name]
        if isinstance(scope[name], ModuleType) and scope[name] is not module:
            yield from _inside(scope[name], used - {name})


class Default:
    """A positional default, as a place that is read and set like a cell of a closure."""

    def __init__(self, function: Any, index: int) -> None:
        self.function, self.index = function, index

    @property
    def cell_contents(self) -> Any:
        """The default."""
        return self.function.__defaults__[self.index]

    @cell_contents.setter
    def cell_contents(self, value: Any) -> None:
        items = list(self.function.__defaults__)
        items[self.index] = value
        self.function.__defaults__ = tuple(items)


def _call_of(value: Any) -> Any:
    """The method by which an object is called; None for what is no plain Python."""
    return vars(type(value)).get("__call__")


def _once(found: list[tuple[Any, str, Any]]) -> list[tuple[Any, str, Any]]:
    kept: dict[tuple[int, str], tuple[Any, str, Any]] = {}
    for scope, name, value in found:
        key = (id(scope) if not isinstance(scope, Default) else id(value), name)
        kept.setdefault(key, (scope, name, value))
    return list(kept.values())


@lru_cache(maxsize=256)
def _names(code: CodeType) -> frozenset[str]:
    inner = [_names(each) for each in code.co_consts if isinstance(each, CodeType)]
    return frozenset(code.co_names).union(*inner)
