"""Every law of a mechanism against its sampler: chi-square, and the band of Dvoretzky and others.

Each check fails on a correct sampler with probability 1e-9 (chi-square) or 1e-6 (band); seeds are
fixed, so none of them flickers.
"""

from __future__ import annotations

from fractions import Fraction
from functools import wraps
from typing import Any

import msgspec
import pytest
from depth import depth
from noise_checks import follows, outcome

from metricdp import noise
from metricdp.audit.mechanisms import law_of
from metricdp.audit.records import conclusion_of
from metricdp.laws import (
    EmpiricalLaw,
    FiniteLaw,
    GaussianLaw,
    LaplaceLaw,
    ProductLaw,
    binned,
    rounded,
)
from metricdp.primitives import load
from metricdp.record import REGISTRY, Instance, Record

load()
CASES = [
    pytest.param(record, instance, id=f"{name}-{i}")
    for name, record in sorted(REGISTRY.items())
    if record.kind == "mechanism"
    for i, instance in enumerate(record.instances())
]
DRAWS = depth(200, 400)


def drawn(record: Record, instance: Instance, event: Any, x: Any, seed: str) -> list[Any]:
    """Runs of the sampler with the very noise that `law_of` gives to the law."""
    source = noise.SeededSource(seed)
    assert record.law is not None

    # The arguments of the law are what `law_of` reads from its signature.
    @wraps(record.law)
    def runs(*args: Any, **kwargs: Any) -> list[Any]:
        return [record.run(*args, **kwargs, source=source) for _ in range(DRAWS)]

    found: list[Any] = law_of(msgspec.structs.replace(record, law=runs), instance, event, x)
    return found


@pytest.mark.parametrize(("record", "instance"), CASES)
def test_every_sampler_has_the_law_of_its_record(record: Record, instance: Instance) -> None:
    (event,) = conclusion_of(record, instance).events
    pair = record.tight(instance, 1, Fraction(1, 1000))
    assert pair is not None
    if "quantile" in record.name:
        # The tight pair has hundreds of rows.
        pair = {"x": [1, 3, 7]}, {"x": [3, 7]}
    for i, x in enumerate(pair):
        law = law_of(record, instance, event, x)
        draws = drawn(record, instance, event, x, f"{record.name} {instance.public} {i}")
        if isinstance(law, ProductLaw):
            for part, entries in zip(law.parts, zip(*draws, strict=True), strict=True):
                follows(part, list(entries))
        elif record.name == "interval_quantile":
            # The law is on a fine grid; rows and bounds are integers.
            edges = list(range(1, 9))
            follows(binned(law, edges), [sum(e <= d for e in edges) for d in draws])
            assert all(law.pmf(d)[0] > 0 for d in draws[:20])
        elif record.name == "private_quantile":
            follows(law, [list(instance.public["candidates"]).index(d) for d in draws])
        elif record.name.startswith("randomized_response") and law.support()[0] == 0:
            answers = list(instance.public.get("choices") or (False, True))
            follows(law, [answers.index(d) for d in draws])
        else:
            follows(law, [outcome(law, d) for d in draws])


def test_a_wrong_law_does_not_fit() -> None:
    """A scale that is 15% too large is seen by the same check, on 40,000 draws."""
    draws = [int(z) for z in noise.discrete_laplace(Fraction(5), 40_000, noise.SeededSource("w"))]
    from metricdp.laws import DiscreteLaplaceLaw

    follows(DiscreteLaplaceLaw(0, Fraction(5)), draws)
    with pytest.raises(AssertionError):
        follows(DiscreteLaplaceLaw(0, Fraction(23, 4)), draws)
    with pytest.raises(AssertionError):
        follows(DiscreteLaplaceLaw(1, Fraction(5)), draws)


@pytest.mark.parametrize("name", ["laplace", "gaussian"])
def test_continuous_noise_lies_in_the_band_around_its_law(name: str) -> None:
    """DKW at confidence 1 - 1e-6, around the law on the grid and the ideal one."""
    sampler, kind = getattr(noise, name), {"laplace": LaplaceLaw, "gaussian": GaussianLaw}[name]
    scale, center = Fraction(3, 2), Fraction(7, 3)
    draws = sampler([center] * 20_000, scale, noise.SeededSource(name))
    seen = EmpiricalLaw(draws)
    ideal = kind(center, scale)
    grid = rounded(ideal, Fraction(1, 2**30))
    for x in range(-4, 9):
        low, high = seen.band(x, 1 - Fraction(1, 10**6))
        for law in (ideal, grid):
            assert low <= law.cdf(x)[1] and law.cdf(x)[0] <= high
    wrong = kind(center, scale * Fraction(11, 10))
    bands = {x: seen.band(x, 1 - Fraction(1, 10**6)) for x in range(-4, 9)}
    assert not all(_inside(wrong.cdf(x), band) for x, band in bands.items())


def _inside(p: Any, band: Any) -> bool:
    return bool(band[0] <= p[1] and p[0] <= band[1])


def test_coins_have_their_law() -> None:
    p = Fraction(3, 7)
    flips = noise.bernoulli(p, 20_000, noise.SeededSource("coins"))
    follows(FiniteLaw({True: p, False: 1 - p}), [bool(x) for x in flips])
