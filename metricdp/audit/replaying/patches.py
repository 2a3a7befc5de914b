"""Generators that a plain function makes or finds, replaced while it runs."""

from __future__ import annotations

import os
import random
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, cached_property, lru_cache
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
#: Functions of `secrets`, and the methods of a generator that stand for them.
_SECRETS = {"randbelow": "randrange", "randbits": "getrandbits", "choice": "choice"}


@contextmanager
def replaced(function: Any, makers: Makers) -> Iterator[None]:
    """Inside the block every generator of NumPy and of `random` that is made, or that the function
    finds by a global name, a default or a closure, draws onto the tape."""
    held: list[tuple[Any, str, Any]] = []
    modules: list[tuple[dict[str, Any], dict[str, Any]]] = []
    makers.share()
    _RUNNING.append(makers)
    try:
        for module, values in _instead():
            # All names at once: one by one they were a third of a short run.
            scope = vars(module)
            before = {name: scope[name] for name in values}
            modules.append((scope, before))
            if module is os or module is secrets:
                # Also where the function was imported by its name.
                makers.functions += [(before[name], new) for name, new in values.items()]
            scope.update(values)
        for scope, name, value in reached(function):
            instead = makers.instead(value, name)
            if instead is not None:
                held.append((scope, name, _get(scope, name)))
                _set(scope, name, instead)
        yield
    finally:
        for scope, name, value in reversed(held):
            _set(scope, name, value)
        for space, before in reversed(modules):
            space.update(before)
        _RUNNING.pop()


#: Makers of the runs that are under way, the innermost last.
_RUNNING: list[Makers] = []
_urandom = os.urandom


@cache
def _instead() -> list[tuple[ModuleType, dict[str, Any]]]:
    """(module, name -> what stands there while a function runs).

    Made once, so each of them asks the run that is under way: to make them for each of thousands
    of runs was a tenth of their time.  A program may keep one: later it is what it stood for.
    """
    import numpy as np

    def drawing(module: ModuleType, name: str, which: str, method: str) -> Any:
        real = getattr(module, name)

        def draw(*args: Any, **named: Any) -> Any:
            if not _RUNNING:
                return real(*args, **named)
            return getattr(getattr(_RUNNING[-1], which), method)(*args, **named)

        return draw

    def making(real: Any, which: str) -> Any:
        return lambda *args, **named: (getattr(_RUNNING[-1], which) if _RUNNING else real)(
            *args, **named
        )

    of_numpy = {name: drawing(np.random, name, "of_numpy", name) for name in _NUMPY}
    of_random = {name: drawing(random, name, "of_random", name) for name in _STANDARD}
    secret = {name: drawing(secrets, name, "of_random", m) for name, m in _SECRETS.items()}
    kinds = (np.random.Generator, np.random.RandomState)
    classes = {kind.__name__: _class_of(kind, "default_rng") for kind in kinds}
    standard = {k.__name__: _class_of(k, "standard") for k in (Random, random.SystemRandom)}
    seeding = {module: making(module.seed, "seeded") for module in (np.random, random)}
    maker = making(np.random.default_rng, "default_rng")
    return [
        (np.random, {**of_numpy, "default_rng": maker, "seed": seeding[np.random], **classes}),
        (random, {**of_random, "seed": seeding[random], **standard}),
        (os, {"urandom": _octets}),
        (secrets, {
            **secret, "token_bytes": _octets, "SystemRandom": standard["SystemRandom"],
        }),
    ]  # fmt: skip


def _octets(size: int | None = 32) -> bytes:
    if not _RUNNING or _asked_by_this_package():
        # A ledger's token is no noise: that goes through a handler.
        return _urandom(32 if size is None else size)
    getrandbits = _RUNNING[-1].of_random.getrandbits
    return bytes(getrandbits(8) for _ in range(32 if size is None else size))


def _asked_by_this_package() -> bool:
    frame: Any = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename == secrets.__file__:
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename.startswith(PACKAGE)


class Makers:
    """Makes the generators of one run, numbered in order."""

    def __init__(self, tape: Tape, path: OutputPath) -> None:
        self.tape, self.path, self.count = tape, path, 0
        #: Numbers of the generators behind the functions of the two modules.
        self._shared = (0, 0)
        self.known: dict[int, Any] = {}
        #: (function of the system's randomness, what stands for it).
        self.functions: list[tuple[Any, Any]] = []
        import numpy as np

        self._default = np.random.default_rng
        self._kinds = (np.random.Generator, np.random.RandomState)

    def share(self) -> None:
        """The next two generators are those behind the functions of the two modules."""
        self._shared = (self.count + 1, self.count + 2)
        self.count += 2

    @cached_property
    def of_numpy(self) -> Any:
        """What the functions of `numpy.random` draw from; made where one is called."""
        return self.numpy(self._shared[0])

    @cached_property
    def of_random(self) -> Any:
        """What those of `random`, and of the system's randomness, draw from."""
        return self.standard(number=self._shared[1])

    def numpy(self, number: int | None = None) -> Generator:
        """The next generator of NumPy's kind, or the one of a number."""
        return Generator(self.tape, self.path, self._numbered(number))

    def standard(self, *seed: Any, number: int | None = None) -> StandardGenerator:
        """The next one of the standard library's kind, or the one of a number."""
        self.seeded(*seed)
        return StandardGenerator(self.tape, self.path, self._numbered(number))

    def _numbered(self, number: int | None) -> int:
        if number is not None:
            return number
        self.count += 1
        return self.count

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


def _class_of(old: type, maker: str) -> Any:
    """A class whose instances the makers of the run that is under way make."""

    class Kind(type):
        def __instancecheck__(cls, value: Any) -> bool:
            return isinstance(value, (Generator, StandardGenerator, old))

        def __call__(cls, *args: Any) -> Any:
            return getattr(_RUNNING[-1], maker)(*args) if _RUNNING else old(*args)

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
