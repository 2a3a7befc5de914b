"""Refuting the claim of a checked function: a pair of inputs, or an event and its probabilities.

A transformation is attacked as any other.  A measurement is run on both inputs of a pair along the
same outputs; where a returned value is a draw of Laplace noise itself, the event "output >= t" has
exact probabilities on the grid, and a claim is refuted when they break it.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import ceil, floor
from random import Random
from time import thread_time
from typing import Any

import msgspec

from metricdp.audit.decorated import assignments, subjects_of
from metricdp.audit.results import Refuted
from metricdp.audit.search import search
from metricdp.audit.subject import Claim
from metricdp.audit.values import shown
from metricdp.check.verdicts.sites import addresses
from metricdp.check.verdicts.verify import Outcome
from metricdp.effort import Exhausted, within
from metricdp.errors import MetricdpError
from metricdp.expr import Expr, num
from metricdp.families.added import Added
from metricdp.run.addresses import by_sides
from metricdp.run.compile import CompiledProgram, Machine
from metricdp.spaces import Owned
from metricdp.spaces.base import symbols_of
from metricdp.values import wrap

#: Of this thread's work, for one set of public values.
SECONDS = 1.0
#: By the clock: a program that runs for longer than this, or for as long, is not run again.
MOST_SECONDS = 15.0


def refute(outcome: Outcome, claimed: Mapping[str, Expr]) -> Mapping[str, Any] | None:
    """A counterexample to the claims of a checked function, as printed; None if none was found."""
    try:
        with within(MOST_SECONDS):
            if "stability" in claimed:
                return _transformation(outcome, claimed["stability"])
            return _measurement(outcome, claimed)
    except (MetricdpError, Exhausted):
        return None


def _transformation(outcome: Outcome, claim: Expr) -> Mapping[str, Any] | None:
    path = f"metricdp audit {outcome.declared.module.path}::{outcome.declared.name}"
    values = assignments(outcome)
    for subject, env in zip(subjects_of(outcome, path), values, strict=True):
        names = {n: num(v) for n, v in env.items() if isinstance(v, int | Fraction)}
        closed = claim.subs({n: e for n, e in names.items() if n in claim.symbols})
        attacked = msgspec.structs.replace(
            subject, claim=Claim(dict.fromkeys(subject.inputs, closed))
        )
        result = search(attacked, 0, 2000, SECONDS, thread_time)
        if isinstance(result, Refuted):
            return _pair(result, outcome)
    return None


def _pair(found: Refuted, outcome: Outcome) -> Mapping[str, Any]:
    shown_pair: dict[str, str] = {}
    for name in found.x:
        shown_pair[name] = shown(found.x[name])
        shown_pair[f"{name}'"] = shown(found.x2[name])
    moving = [d for d in found.d_in.values() if not d.is_zero]
    return {
        **shown_pair,
        "d_in": str(moving[0]) if moving else "0",
        "moved": str(found.moved) if found.moved is not None else found.why,
        "claimed": str(found.claimed),
        "results": " and ".join(found.results),
        "replay": f"{found.replay} --seed {found.seed}",
    }


class _Run:
    """One run of a measurement: the value that entered each draw, along given outputs."""

    def __init__(self, outcome: Outcome, public: Mapping[str, Any]) -> None:
        self.outcome, self.public = outcome, public
        checked = outcome.program
        program = CompiledProgram(checked.actions, checked.used, checked.decided)
        self.machine = Machine(self._draw, program.pins)
        self.machine.variants = by_sides(addresses(getattr(outcome.guarantee, "tree", None)))
        declared = outcome.declared
        self.function = program.function(declared.node, declared.module, self.machine)
        self.outputs: list[Any] = []
        self.entered: list[tuple[str, Any]] = []

    def __call__(self, values: Mapping[str, Any], outputs: list[Any]) -> Any:
        self.outputs, self.entered, self.machine.path = outputs, [], []
        arguments = {name: wrap(value) for name, value in values.items()}
        return self.function(**arguments, **self.public)

    def _draw(self, site: str, name: str, args: Any, keywords: Any) -> Any:
        from metricdp.record import REGISTRY

        code = REGISTRY[name].rule.__code__
        value = {**dict(zip(code.co_varnames, args, strict=False)), **keywords}["x"]
        self.entered.append((site, value))
        if len(self.entered) > len(self.outputs):
            # A fresh object, so that identity tells whether the program returns it.
            self.outputs.append(_fresh(value))
        return self.outputs[len(self.entered) - 1]


def _fresh(value: Any) -> Any:
    """What a draw releases here: what entered, as doubles."""
    if isinstance(value, list | tuple):
        return type(value)([_fresh(item) for item in value])
    return float(value)


def _measurement(outcome: Outcome, claimed: Mapping[str, Expr]) -> Mapping[str, Any] | None:
    guarantee = outcome.guarantee
    assert guarantee is not None
    if "epsilon" not in claimed or len(guarantee.private()) != 1:
        return None
    if any(
        not (n.family.adds or n.family.answers) or n.rounds or n.drawn
        for n in guarantee.sites.values()
    ):
        # A choice steers what follows, so the events below would not be all; and noise that depends
        # on the round, or on what was released, has no number of its own.
        return None
    (entry,) = guarantee.private()
    assert entry.space is not None
    for env in assignments(outcome):
        numbers = {n: v for n, v in env.items() if isinstance(v, int | Fraction)}
        numbers |= {n: Fraction(3) for n in symbols_of(entry.space) if n not in numbers}
        epsilon = Fraction(claimed["epsilon"].upper(numbers))
        delta = Fraction(claimed["delta"].upper(numbers)) if "delta" in claimed else Fraction(0)
        public = {i.name: wrap(env[i.name]) for i in guarantee.inputs if i.space is None}
        found = _attack(outcome, _Run(outcome, public), entry, numbers, (epsilon, delta))
        if found is not None:
            setting = {n: str(env[n]) for n in public}
            return {
                **({"at": ", ".join(f"{k}={v}" for k, v in setting.items())} if setting else {}),
                **found,
            }
    return None


def _attack(
    outcome: Outcome,
    run: _Run,
    entry: Any,
    numbers: Mapping[str, Any],
    claim: tuple[Fraction, Fraction],
) -> Mapping[str, Any] | None:
    inside = entry.space.inside if isinstance(entry.space, Owned) else entry.space
    space, rng, stop = inside.at(numbers), Random("metricdp refute"), thread_time() + SECONDS
    extremes = list(space.extremes())
    tried: set[str] = set()
    for trial in range(400):
        if thread_time() > stop:
            return None
        x = extremes[trial] if trial < len(extremes) else space.sample(rng, 2)
        y = space.neighbours(x, 1, rng)
        if (pair := repr((x, y))) in tried:
            continue  # half of the draws of a small space; a run follows given outputs alone
        tried.add(pair)
        if space.distance(x, y) != num(1):
            continue
        outputs: list[Any] = []
        returned = run({entry.name: x}, outputs)
        first = run.entered
        run({entry.name: y}, outputs)
        if [s for s, _ in first] != [s for s, _ in run.entered]:
            continue
        found = _event(outcome, returned, outputs, first, run.entered, numbers, claim)
        if found is not None:
            return {entry.name: shown(x), f"{entry.name}'": shown(y), "d_in": "1", **found}
    return None


def _event(
    outcome: Outcome, returned: Any, outputs: list[Any], first: Any, second: Any,
    numbers: Mapping[str, Any], claim: tuple[Fraction, Fraction],
) -> Mapping[str, Any] | None:  # fmt: skip
    from metricdp.noise.enclose import exp_bounds

    items = returned if isinstance(returned, tuple) else (returned,)
    guarantee = outcome.guarantee
    assert guarantee is not None
    p, q = (Fraction(1), Fraction(1)), (Fraction(1), Fraction(1))
    conditions: list[str] = []
    for output, (site, a), (_, b) in zip(outputs, first, second, strict=True):
        noise = guarantee.sites[site]
        visible = [i for i, item in enumerate(items) if item is output]
        if not visible or isinstance(a, list | tuple) or a == b:
            continue
        family = noise.family
        if not isinstance(family, Added) or not family.is_pure:
            continue
        stated = {key: Fraction(e.upper(numbers)) for key, e in noise.noise.items()}
        scale, extra = family.request(stated, stated.__getitem__)
        step = family.step_of(scale)
        laws = [family.law_around(Fraction(v) / step, scale / step, extra) for v in (a, b)]
        # Beyond both centres, on the side on which x is the likelier input.
        edge = laws[0].center
        if a > b:
            tails = [law.tail(ceil(edge)) for law in laws]
        else:
            tails = [law.cdf(floor(edge)) for law in laws]
        sign = ">=" if a > b else "<="
        name = "output" if len(items) == 1 else f"output[{visible[0]}]"
        conditions.append(f"{name} {sign} {float(Fraction(a)):g}")
        p = (p[0] * tails[0][0], p[1] * tails[0][1])
        q = (q[0] * tails[1][0], q[1] * tails[1][1])
    epsilon, delta = claim
    allowed = exp_bounds(epsilon)[1] * q[1] + delta
    if not conditions or p[0] <= allowed:
        return None
    limit = float(exp_bounds(epsilon)[1])
    return {
        "event": " and ".join(conditions),
        "probabilities": f"{float(p[0]):.4g} on x, {float(q[1]):.4g} on x'",
        "ratio": f"{float(p[0] / q[1]):.4g}, above e^{float(epsilon):g} = {limit:.4g}",
    }


__all__ = ["refute"]
