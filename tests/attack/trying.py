"""One program from its number: written, checked, attacked in every way, and told in one record."""

from __future__ import annotations

import linecache
import re
import signal
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from importlib import import_module
from itertools import combinations
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any
from unittest.mock import patch

import msgspec
from checked_modules import load

import metricdp as dp
import metricdp.audit.refute
from attack.following import Drawn
from attack.frequencies import Counts, watch
from attack.oracle import Hole, Proved, attack, cost, exactly, small
from attack.units import undercharged
from attack.writing import FEATURES, Feature, Misfit, Program, write
from metricdp.checked.path import the_path
from metricdp.errors import InternalError, MetricdpError
from metricdp.run.emit import Seeded, handling

for _home in ("contexts", "data", "filters", "missing", "persons", "places", "registered", "rows",
              "shares", "stores", "uses", "words"):  # fmt: skip
    import_module(f"attack.{_home}")  # they enter the features
#: By its name: in the package, `bernoulli` is the function.
COINS = import_module("metricdp.noise.bernoulli")
PAIRS = 4
#: Seconds for one program.
LONGEST = 10.0
#: Shares of the proved programs that are claimed below their cost, and run in a session.
CLAIMED, IN_SESSION = 0.05, 0.05
#: Modules of features to which one row may give most in one of many ways.
SEARCHED = ("attack.shares", "attack.persons", "attack.words")
_CORE = [f for _, f in sorted(FEATURES.items()) if not f.name.startswith("record:")]


class Tried(msgspec.Struct):
    """What became of one program.

    Attributes:
        verdict: "proved", "rejected", "refuted", "misfit", "slow", "hole" or "internal error".
        code: of the first diagnostic, or what is wrong.
        pairs: the pairs of features that are in it.
    """

    number: int
    verdict: str
    code: str = ""
    pairs: list[tuple[str, str]] = []
    seconds: float = 0.0
    source: str = ""
    hole: Hole | None = None
    ways: list[str] = []


def every_pair() -> list[tuple[str, str]]:
    """All pairs of different features."""
    return [tuple(sorted((a, b))) for a, b in combinations(sorted(FEATURES), 2)]  # type: ignore[misc]


def queue(seed: str) -> list[tuple[str, str]]:
    """The order in which pairs are written: those of the language first, records between them."""
    rng = Random(f"order {seed}")
    core, rest = [], []
    for pair in every_pair():
        (rest if any(name.startswith("record:") for name in pair) else core).append(pair)
    rng.shuffle(core)
    rng.shuffle(rest)
    mixed: list[tuple[str, str]] = []
    step = 4
    while core or rest:
        mixed += [core.pop() for _ in range(min(step, len(core)))]
        mixed += [rest.pop() for _ in range(min(1 if core else step, len(rest)))]
    return mixed


def wanted(number: int, seed: str, order: Sequence[tuple[str, str]]) -> list[Feature]:
    """The features of a program: a pair in turn, often with a third; or some of every kind."""
    rng = Random(f"features {seed} {number}")
    if number % 3 == 2:
        kinds = ["context", *rng.sample(["context", "change", "change", "noise", "source"], 3)]
        found = [rng.choice([f for f in _CORE if f.kind == kind]) for kind in kinds]
    else:
        found = [FEATURES[name] for name in order[(number - number // 3) % len(order)]]
        if rng.random() < 0.5:
            found.append(rng.choice([f for f in _CORE if f.kind in ("context", "change")]))
    return list({f.name: f for f in found}.values())


def make(number: int, seed: str, order: Sequence[tuple[str, str]]) -> tuple[Program | None, Random]:
    """The program of a number; None where its features do not fit."""
    features = wanted(number, seed, order)
    for turn in range(12):
        rng = Random(f"program {seed} {number} {turn}")
        try:
            return write(rng, features[: 2 if turn > 8 else None]), rng
        except Misfit:
            continue
    return None, Random()


def about(
    names: Sequence[str], seed: str, number: int, sources: Sequence[str] = ()
) -> Program | None:
    """A program that has one of these features, on rows of some kind; None where none fits.

    Args:
        sources: where rows come from; from anywhere, if that is not said.
    """
    rng = Random(f"about {seed} {number}")
    usual = [f.name for f in _CORE if f.kind == "source" and "record" in f.name]
    sources = sources or [*usual, "private tuple"]
    for _ in range(12):
        found = [FEATURES[rng.choice(names)], FEATURES[rng.choice(sources)]]
        if rng.random() < 0.3:
            found.append(rng.choice([f for f in _CORE if f.kind in ("context", "change")]))
        try:
            return write(rng, list({f.name: f for f in found}.values()))
        except Misfit:
            continue
    return None


class TooLong(BaseException):
    """A program took more than `LONGEST`."""


STOPPED: list[bool] = []


def _too_long(*_: object) -> None:
    STOPPED.append(True)
    raise TooLong


class Module:
    """A program as a module of a file, forgotten afterwards."""

    def __init__(self, folder: Path, source: str) -> None:
        self.module = load(folder, source, "")
        self.f = self.module.f

    def forget(self) -> None:
        """Leave nothing of the program in the process."""
        name = str(self.module.__file__)
        sys.modules.pop(self.module.__name__, None)
        linecache.cache.pop(name, None)
        Path(name).unlink(missing_ok=True)


def try_program(
    number: int, seed: str, order: Sequence[tuple[str, str]], folder: Path, counts: Counts
) -> Tried:
    """Write, check and attack the program of a number."""
    start = perf_counter()
    program, rng = make(number, seed, order)
    if program is None:
        return Tried(number, "misfit")
    STOPPED.clear()
    signal.signal(signal.SIGALRM, _too_long)
    signal.setitimer(signal.ITIMER_REAL, LONGEST)
    try:
        tried = judge(program, rng, folder, counts)
    except (TooLong, KeyboardInterrupt):  # a run that is stopped tells no more than the latter
        if not STOPPED:
            raise
        tried = Tried(number, "slow", source="")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    tried.number, tried.seconds = number, perf_counter() - start
    tried.pairs = [tuple(sorted(p)) for p in combinations(program.used, 2)]  # type: ignore[misc]
    return tried


@contextmanager
def quickly() -> Iterator[None]:
    """Short searches for counterexamples, and one round for every private selection.

    How many rounds there were, and all rounds but the best, is not released, so the draws of
    several rounds are no path of the release; one round costs no more than the selection.
    """
    the_path()  # what later runs are compared with is written down before a part is replaced
    with (
        patch.object(metricdp.audit.refute, "SECONDS", 0.02),
        patch.object(COINS, "selection_rounds", lambda *_: 1),
    ):
        yield


def judge(program: Program, rng: Random, folder: Path, counts: Counts | None) -> Tried:
    """Check and attack one program."""
    module = None
    try:
        module = Module(folder, program.source)
        with quickly():
            return _judge(program, module, rng, folder, counts)
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        told = f"{type(error).__name__} in {Path(place.filename).name}:{place.lineno}: {error}"
        return Tried(0, "internal error", told[:300], source=program.source)
    finally:
        if module is not None:
            module.forget()


def _judge(
    program: Program, module: Module, rng: Random, folder: Path, counts: Counts | None
) -> Tried:
    outcome = module.f.outcome
    if any(d.code == "internal-error" for d in outcome.diagnostics):
        message = outcome.diagnostics[0].message
        return Tried(0, "internal error", message[:300], source=program.source)
    if outcome.guarantee is None or outcome.verdict != "proved":
        code = outcome.diagnostics[0].code if outcome.diagnostics else "no reason"
        return Tried(0, str(outcome.verdict), code)
    proved = Proved(module.f, outcome.guarantee, program.public)
    seen: list[Drawn] = []
    search = any(FEATURES[name].write.__module__ in SEARCHED for name in program.used)
    hole = attack(proved, rng, PAIRS, seen, search=search)
    ways = [outcome.guarantee.measure]
    if hole is None and rng.random() < CLAIMED:
        hole = below(proved, program, folder)
        ways.append("claimed")
    if hole is None and rng.random() < IN_SESSION:
        hole = charged(proved, rng) or undercharged(proved, rng)
        ways.append("session")
    if hole is not None:
        verdict = "internal error" if "internal error" in hole.what else "hole"
        return Tried(0, verdict, hole.what, source=program.source, hole=hole)
    if seen and counts is not None:
        for drawn in {d.draw.mechanism: d for d in seen}.values():
            watch(drawn, rng, counts)
    return Tried(0, "proved", ways=ways)


def below(proved: Proved, program: Program, folder: Path) -> Hole | None:
    """A claim that is a thousandth below the proved cost, which must not be proved."""
    guarantee = proved.guarantee
    if guarantee.measure not in ("pure", "zcdp") or program.public:
        return None
    name = "epsilon" if guarantee.measure == "pure" else "rho"
    costs = [cost(proved, i, Fraction(1), proved.numbers)[name] for i in guarantee.private()]
    if not 1e-6 < max(costs) < 1e6 or any(s for i in guarantee.private() for s in _symbols(i)):
        return None
    claim = f"@dp.measurement({name}={max(costs) * 0.999!r})\ndef f("
    module = Module(folder, program.source.replace("@dp.measurement\ndef f(", claim))
    try:
        verdict = module.f.outcome.verdict
    finally:
        module.forget()
    if verdict != "proved":
        return None
    return Hole(f"the claim {name} = {max(costs) * 0.999!r} is proved, and it costs {max(costs)!r}")


def _symbols(entry: Any) -> Any:
    from metricdp.spaces.base import symbols_of

    return symbols_of(entry.space)


def charged(proved: Proved, rng: Random) -> Hole | None:
    """Whether a session charges what the check states."""
    guarantee = proved.guarantee
    (entry, *others) = guarantee.private()
    if others or guarantee.measure not in ("pure", "zcdp"):
        return None
    name = "epsilon" if guarantee.measure == "pure" else "rho"
    space = entry.space.at(proved.numbers)
    value = exactly(small(space, space.sample(rng, 2)))
    before = dp.Budget(**{name: 10**9})
    try:
        session = dp.Session({entry.name: (entry.space, _plain(value))}, budget=before)
        with handling(Seeded("session")):
            session.run(proved.function, **proved.public)
    except InternalError:
        raise
    except MetricdpError:
        return None
    spent = 10**9 - session.left()[name]
    stated = cost(proved, entry, Fraction(1), proved.numbers)[name]
    if float(spent) >= stated * (1 - 1e-9):
        return None
    return Hole(f"the session charges {name} {float(spent):.9g}, and the check states {stated:.9g}")


def _plain(value: Any) -> Any:
    from attack.oracle import plain

    return plain(value)


def shrunk(program: Program, what: str, seed: str, folder: Path, limit: float) -> str:
    """The program without the statements that the hole does not need."""
    kind = re.sub(r"[-\d.e+]+", "#", what)[:40]
    lines, stop = program.source.splitlines(), perf_counter() + limit
    index = len(lines) - 1
    while index > 0 and perf_counter() < stop:
        depth = len(lines[index]) - len(lines[index].lstrip())
        last = index + 1
        while last < len(lines) and (
            lines[last].startswith(" " * (depth + 1)) and lines[last].strip()
        ):
            last += 1
        shorter = [*lines[:index], *lines[last:]]
        text = "\n".join(shorter) + "\n"
        if lines[index].strip() and _still(program._replace(source=text), kind, seed, folder):
            lines = shorter
        index -= 1
    return "\n".join(lines)


def _still(program: Program, kind: str, seed: str, folder: Path) -> bool:
    for turn in range(3):
        try:
            found = judge(program, Random(f"{seed} {turn}"), folder, None)
        except Exception:
            return False
        if re.sub(r"[-\d.e+]+", "#", found.code)[:40] == kind:
            return True
    return False
