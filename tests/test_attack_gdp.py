"""mu of Gaussian privacy over every event: no finite mu for what may leak openly.

`Approximate(0, "0.1")` shows everything with probability 0.1, so its profile stays at 0.1 however
large epsilon is, and no Gaussian's does; it was given mu = 0.25.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from fractions import Fraction as F
from typing import Any

import pytest

from metricdp import measures
from metricdp.accounting.engines import NoAnswerError
from metricdp.accounting.gaussian import profile_bounds
from metricdp.check import check_source
from metricdp.diagnostics.result import CheckOptions
from metricdp.measures import account
from metricdp.measures.accounted import AccountedEvent, PathEvent, RelationError, SampledEvent
from metricdp.measures.additive import (
    Additive,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
)
from metricdp.measures.combined import Composed, Group, Repeated, Selection
from metricdp.measures.curves import ZCDP, Renyi
from metricdp.measures.finite import Finite
from metricdp.measures.private import (
    Approximate,
    ExponentialMechanism,
    NoisyMax,
    PermuteAndFlip,
    Pure,
    RandomizedResponse,
    SparseVector,
)
from metricdp.measures.sampled import Poisson, TruncatedPoisson, WithoutReplacement, WithReplacement

RELATIONS = ("replace", "add or remove", "zero out")
LEAK = Approximate(0, "0.1")

#: Event type -> examples; None: a class that others specialise, of which there are no events.
EXAMPLES: dict[str, tuple[AccountedEvent, ...] | None] = {
    "Additive": None, "PathEvent": None, "_Epsilon": None, "SampledEvent": None,
    "Gaussian": (Gaussian(2),),
    "Laplace": (Laplace(2),),
    "DiscreteLaplace": (DiscreteLaplace(2),),
    "DiscreteGaussian": (DiscreteGaussian(2),),
    "Composed": (
        Composed((Gaussian(2), LEAK)), Composed((Laplace(2), LEAK)),
        Composed((Pure(1), Laplace(2))),
    ),
    "Repeated": (Repeated(Gaussian(2), 3), Repeated(LEAK, 2), Repeated(RandomizedResponse(1), 3)),
    "Group": (Group(Gaussian(2), 3), Group(LEAK, 2), Group(Laplace(2), 2)),
    "Selection": (Selection(Gaussian(2), "0.5"),),
    "Pure": (Pure(1), Pure(0)),
    "PermuteAndFlip": (PermuteAndFlip(1),),
    "NoisyMax": (NoisyMax(1),),
    "SparseVector": (SparseVector(1),),
    "Approximate": (LEAK, Approximate(1, "1e-9")),
    "ExponentialMechanism": (ExponentialMechanism("0.5", adaptive=False),),
    "ZCDP": (ZCDP("0.1"),),
    "Renyi": (Renyi({2: "0.1", 8: "0.5"}),),
    "RandomizedResponse": (RandomizedResponse(1, 3), RandomizedResponse(1)),
    "Finite": (
        Finite(["1/4", "3/4"], ["3/4", "1/4"], "replace"),
        Finite(["1/10", "9/10", 0], [0, "9/10", "1/10"], "replace"),
        Finite(["1/10", "9/10"], [0, 1], "add or remove"),
        Finite([0, 1], ["1/10", "9/10"], "add or remove"),
    ),
    "WithoutReplacement": (
        WithoutReplacement(5, 50, Gaussian(2)), WithoutReplacement(5, 50, LEAK),
        WithoutReplacement(5, 50, RandomizedResponse(1)),
    ),
    "WithReplacement": (WithReplacement(5, 50, Gaussian(2)),),
    "Poisson": (Poisson("0.1", Gaussian(2)), Poisson("0.1", LEAK), Poisson("0.1", Pure(1))),
    "TruncatedPoisson": (TruncatedPoisson("0.1", 20, 50, Gaussian(2)),),
    "SampleReader": (),
}  # fmt: skip
#: Of these the profile stays above 0 for ever, under every relation that has a theorem.
LEAKING = {
    LEAK, Approximate(1, "1e-9"), Composed((Gaussian(2), LEAK)), Composed((Laplace(2), LEAK)),
    Repeated(LEAK, 2), Group(LEAK, 2), Poisson("0.1", LEAK), WithoutReplacement(5, 50, LEAK),
    *(EXAMPLES["Finite"] or ())[1:],
}  # fmt: skip


def _types(kind: type) -> Iterator[type]:
    for each in kind.__subclasses__():
        yield each
        yield from _types(each)


def test_every_event_type_has_examples() -> None:
    for module in pkgutil.iter_modules(measures.__path__):
        importlib.import_module(f"{measures.__name__}.{module.name}")
    ours = {k.__name__ for k in _types(AccountedEvent) if k.__module__.startswith("metricdp.")}
    assert ours == EXAMPLES.keys()
    abstract = {Additive, PathEvent, SampledEvent}
    assert {k.__name__ for k in abstract} < {n for n, found in EXAMPLES.items() if found is None}


def _cases() -> Iterator[Any]:
    for examples in EXAMPLES.values():
        for event in examples or ():
            yield pytest.param(event, id=str(event)[:60])


@pytest.mark.parametrize("event", list(_cases()))
def test_mu_dominates_the_profile_or_there_is_none(event: AccountedEvent) -> None:
    which = next(name for name in RELATIONS if _theorem(event, name))
    known = account(event, which, checked=False)
    for delta in (0, F(1, 5)) if event == LEAK else (0,):
        try:
            fit = known.gdp(delta)
        except NoAnswerError:
            continue
        # However far out: nothing stays above a Gaussian.
        for epsilon in (0, 1, 8, 200):
            # What is promised, which is rounded up.
            promised = known.delta(epsilon).upper
            if promised > delta:
                most = profile_bounds(F(epsilon), fit.upper)[1]
                assert promised <= most + F(1, 10**9), (epsilon, delta)
    if event in LEAKING:
        with pytest.raises(NoAnswerError):
            known.gdp()


def _theorem(event: AccountedEvent, which: str) -> bool:
    try:
        account(event, which, checked=False)
    except RelationError:
        return False
    return True


def test_what_has_no_leak_keeps_its_mu() -> None:
    for event in (Pure(1), RandomizedResponse(1, 3), Gaussian(2), Composed((Gaussian(2),) * 3)):
        assert 0 < account(event, "replace").gdp().upper < 3
    assert account(LEAK, "add or remove").gdp("0.1").upper == 0


SELECTED = """\
import metricdp as dp
from metricdp import Real


@dp.measurement
def alone(x: Real):
    return dp.gaussian(x, rho=0.125)


@dp.measurement
def in_branches(x: Real, n: int):
    if n > 3:
        return dp.gaussian(x, rho=0.125)
    return dp.gaussian(x, rho=0.5)


@dp.measurement
def laplace(x: Real):
    return dp.laplace(x, scale=2)


@dp.measurement
def approximate(x: Real):
    return dp.gaussian(x, rho=0.125) + dp.randomized_response(x > 0, epsilon=1)
"""


def test_programs_have_a_mu_where_noise_is_gaussian_alone() -> None:
    report = check_source(SELECTED, options=CheckOptions(measure="gdp"))
    found = {f.name: f.verdict for f in report.functions}
    assert found == {
        "alone": "proved", "in_branches": "proved", "laplace": "rejected",
        "approximate": "rejected",
    }  # fmt: skip
    privacy = {f.name: f.inputs[0].privacy for f in report.functions}
    assert privacy["alone"] == {"mu": "1/2"} and privacy["in_branches"] == {"mu": "1"}
