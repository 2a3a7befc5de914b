"""Programs with finitely many runs: the exact laws of what they show, compared with the claim.

Coins, choices, orders and noise that is only compared with something are not released, so two runs
along the same released values say little of them.  But all runs can be followed, with their
probabilities: what is public then has a finite law on every input, and a claim is compared with the
laws.  Chances are those of real numbers, rounded to doubles.

A law says what a program does with stand-ins for its generators.  So every law is compared with
runs of the program as it is (`plainly`) before anything is said from it.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Hashable, Iterable, Mapping
from contextlib import ExitStack
from fractions import Fraction
from functools import partial
from math import inf
from typing import Any

import msgspec

from metricdp.audit.measurements.exact import compared
from metricdp.audit.measurements.limits import OutOfTime, check
from metricdp.audit.measurements.neighbours import Pair
from metricdp.audit.measurements.verdicts import PrivacyClaim, Verdict, grouped
from metricdp.audit.replaying.deciding import DecidingMakers
from metricdp.audit.replaying.decisions import Decisions, Endless, Far
from metricdp.audit.replaying.outcomes import PublicOutcome, copied, form, observe
from metricdp.audit.replaying.patches import replaced
from metricdp.audit.replaying.plainly import FALSE_ALARM, RUNS, contradiction, plain_outcomes
from metricdp.audit.replaying.programs import Distances, ReplayedProgram
from metricdp.audit.replaying.state import ProgramState
from metricdp.audit.replaying.tape import Tape
from metricdp.errors import ParameterError
from metricdp.laws import FiniteLaw
from metricdp.run.emit import handling

Values = Mapping[str, Any]
#: Most runs on one input.
_RUNS = 4096
#: Chances are doubles, and claims decimals: both are rounded.
_WIDER = 1e-9


class _NoDraws:
    """Draws of this package are not among those that can be taken in turn."""

    test_only = True

    def __init__(self, decisions: Decisions) -> None:
        self._decisions = decisions

    @property
    def source(self) -> Any:
        """Bits of samples."""
        raise self._decisions.stop("rows are sampled")

    def handle(self, draw: Any, value: Any) -> Any:
        """The output of one draw."""
        raise self._decisions.stop(f"`{draw.mechanism}` is drawn")


class AllRuns:
    """All runs of one plain function.

    Args:
        program: what is followed; its function is plain Python.
    """

    def __init__(self, program: ReplayedProgram) -> None:
        self.program = program
        self.state = ProgramState(program.function)
        self._laws: dict[Any, FiniteLaw] = {}
        self._names: dict[Any, str] = {}
        self._ended = False
        self.runs = 0

    def verdict(self, pairs: Iterable[tuple[Values, Values, Distances]]) -> Verdict | None:
        """The exact verdict on pairs of inputs; None where a law is not finite, or time is up
        before the first pair is done."""
        claims: list[tuple[Pair, PrivacyClaim]] = []
        inputs: dict[Any, Values] = {}
        for x, y, apart in pairs:
            try:
                self._law(x)
                self._law(y)
            except Far:
                continue
            except Endless:
                return None
            except OutOfTime:
                break
            a, b = (next(iter(v.values())) if len(v) == 1 else dict(v) for v in (x, y))
            inputs[form(a)], inputs[form(b)] = x, y
            claims.append((Pair(a, b, sum(apart.values(), Fraction(0))), self.program.claim(apart)))
        if not self._ended or all(inf in claim.bounds for _, claim in claims):
            return None
        wider = [(pair, _wider(claim)) for pair, claim in claims]
        try:
            found = compared(self.program.name, lambda x: self._law(inputs[form(x)]), wider)
        except ParameterError:
            return None
        said = {_wider(claim): claim for _, claim in claims}
        notes = (
            f"all runs were followed, {grouped(self.runs)} in all",
            f"{RUNS} plain runs on each input agree with its law (true laws disagree with a chance "
            f"of {FALSE_ALARM:g} at most)",
        )
        return msgspec.structs.replace(
            found, claim=said.get(found.claim, found.claim), details=(*found.details, *notes)
        )

    def _law(self, values: Values) -> FiniteLaw:
        """The law of what is public on one input.

        Raises:
            Endless: a draw cannot be taken in turn, or there are too many runs, or plain runs show
                something else.
            OutOfTime: at the deadline.
        """
        key = form(dict(values))
        if key not in self._laws:
            weights = self._weights(values)
            outcomes = plain_outcomes(self.program, self.state, values, len(self._laws))
            why = contradiction(weights, [self._names.get(_parts(o), "") for o in outcomes])
            if why:
                raise Endless(why)
            self._laws[key] = FiniteLaw(weights)
        return self._laws[key]

    def _weights(self, values: Values) -> dict[Hashable, Fraction]:
        found: dict[Hashable, Fraction] = {}
        taken: list[int] | None = []
        count = 0
        while taken is not None:
            count += 1
            if count > _RUNS:
                raise Endless("too many runs")
            check()
            decisions = Decisions(taken)
            outcome = self._run(values, decisions)
            if outcome.parts["error"] is None:
                self._ended = True
            elif decisions.standing:
                decisions.stop("a run fails in which one object stands for many numbers")
            if decisions.endless is not None:
                raise decisions.endless
            name = self._name(outcome)
            found[name] = found.get(name, Fraction(0)) + decisions.probability
            taken = decisions.following()
        self.runs += count
        return found

    def _name(self, outcome: PublicOutcome) -> str:
        """Everything that is public in words: one name for each, on all inputs."""
        parts = _parts(outcome)
        if parts not in self._names:
            text = _text(outcome)
            others = sum(name.startswith(text) for name in self._names.values())
            self._names[parts] = f"{text} ({others + 1})" if others else text
        return _Shown(self._names[parts])

    def _run(self, values: Values, decisions: Decisions) -> PublicOutcome:
        makers = DecidingMakers(decisions)
        before = _shared()
        arguments = {name: copied(value) for name, value in values.items()}
        public = {n: makers.instead(v) or copied(v) for n, v in self.program.public.items()}
        readers = self.state.begun()
        readers.update({f"`{name}`": partial(public.__getitem__, name) for name in public})
        with ExitStack() as stack:
            stack.enter_context(handling(_NoDraws(decisions)))
            stack.enter_context(replaced(self.program.function, makers))
            if self.program.generator:
                arguments[""] = makers.numpy()
            outcome = observe(
                lambda: self.program.call({**public, **arguments}), readers, Tape(),
                self.program.name,
            )  # fmt: skip
        self.state.reset()
        if _shared() != before:
            decisions.stop("a draw is made by a sampler that nobody replaced")
        return outcome


def _shared() -> tuple[Any, ...]:
    """The states of the generators behind the functions of `random` and `numpy.random`: any
    sampler that draws from one of them leaves its trace there, also one of another library."""
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return (random.getstate(),)
    kind, key, *rest = numpy.random.get_state()
    return random.getstate(), kind, key.tobytes(), *rest


def _wider(claim: PrivacyClaim) -> PrivacyClaim:
    room = Fraction(_WIDER)
    bounds = tuple(b if b == inf else Fraction(b) * (1 + room) + room / 1000 for b in claim.bounds)
    return PrivacyClaim(claim.measure, bounds)


def _text(outcome: PublicOutcome) -> str:
    """What is public, in words: the result, and whatever else is there."""
    error = outcome.parts["error"]
    text = outcome.shown["result"] if error is None else f"{error[0]}: {error[1]}"
    printed = outcome.parts["printed"]
    return f"{text}, printing {printed!r}" if printed else text


def _parts(outcome: PublicOutcome) -> Any:
    return tuple(sorted(outcome.parts.items()))


class _Shown(str):
    """An outcome in an event, without quotes around its text."""

    def __repr__(self) -> str:
        return str(self)
