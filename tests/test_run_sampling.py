"""The run-time sampler: exact laws, by walking through every answer of the bit source."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import permutations, product
from math import prod
from typing import Any

import pytest

from metricdp.checked.charged import Charged, Scope, calls
from metricdp.checked.samples import RowSampler, charged, schemes_at
from metricdp.columns.table import Table
from metricdp.errors import InternalError, NotProvedError, ReplayError
from metricdp.expr import num, sym
from metricdp.measures.events import Repeat, Sampled, Sequence, Tree
from metricdp.measures.sampling import (
    PoissonSampling,
    SamplingWithoutReplacement,
    SamplingWithReplacement,
)
from metricdp.noise import SeededSource
from metricdp.run.emit import Seeded
from metricdp.run.guards import admit
from metricdp.run.sampling import positions, sample
from metricdp.spaces import Maybe, Records, Scalar
from metricdp.values import ExactMatrix, ExactVector, Numbers


class Walk:
    """A bit source that answers `below` from a list of numbers and notes the ranges asked for."""

    secure = False

    def __init__(self, answers: tuple[int, ...]) -> None:
        self.answers, self.asked = list(answers), []

    def below(self, n: int) -> int:
        self.asked.append(n)
        return self.answers[len(self.asked) - 1]


def charging(tree: Tree, numbers: dict[str, Fraction] | None = None) -> Any:
    """What takes the calls of this tree."""
    return Charged(Scope(calls(tree, {}).counts, numbers or {}), {}, Seeded(1), "test").call


@pytest.mark.parametrize(("n", "b"), [(4, 2), (4, 4), (3, 0), (5, 3)])
def test_subsets_and_their_orders_are_uniform(n: int, b: int) -> None:
    law: Counter[tuple[int, ...]] = Counter()
    for answers in product(*(range(n - i) for i in range(b))):
        walk = Walk(answers)
        law[tuple(positions("WithoutReplacement", Fraction(b), n, walk))] += Fraction(  # type: ignore[arg-type,call-overload]
            1, prod(walk.asked)
        )
    samples = list(permutations(range(n), b))
    assert law == {sample: Fraction(1, len(samples)) for sample in samples}


def test_draws_with_replacement_are_independent() -> None:
    law = Counter(
        tuple(positions("WithReplacement", Fraction(2), 3, Walk(answers)))  # type: ignore[arg-type]
        for answers in product(range(3), repeat=2)
    )
    assert law == Counter(dict.fromkeys(product(range(3), repeat=2), 1))


def test_poisson_inclusion_is_independent_per_row() -> None:
    source, n = SeededSource(5), 20_000
    taken = positions("Poisson", Fraction(1, 10), n, source)
    # Binomial(20000, 0.1): six standard deviations are 255; fails by chance once in 5e8 seeds.
    assert abs(len(taken) - n // 10) < 255
    assert positions("Poisson", Fraction(0), 50, source) == []
    assert positions("Poisson", Fraction(1), 50, source) == list(range(50))


def test_every_container_keeps_its_kind() -> None:
    import numpy as np

    scheme = SamplingWithoutReplacement(num(4), num(9))
    tree = Sampled(Sequence(()), "r", "p", scheme, "replace", "1:0")

    def sampler() -> RowSampler:
        return RowSampler(schemes_at(tree, {}), SeededSource(1), charging(tree))

    column = Numbers(np.arange(9), Fraction(1, 2))
    floats = admit("x", Records(Maybe(Scalar("Data", kind="float"))), np.arange(9.0))
    matrix, vector = ExactMatrix([[i, -i] for i in range(9)], 2), ExactVector(range(9))
    parts = sampler()(
        "1:0", "WithoutReplacement", 4, [column, (floats, matrix), vector, list("abcdefghi")]
    )
    kept = [int(x) for x in parts[4 - 1]]
    assert len(kept) == 4 and list(parts[0]) == [Fraction(i, 2) for i in kept]
    assert list(parts[1]) == kept and [row[0] for row in parts[2]] == kept
    assert parts[4] == ["abcdefghi"[i] for i in kept]
    assert [type(p) for p in parts[:4]] == [Numbers, Table, ExactMatrix, ExactVector]


def test_another_scheme_than_the_charged_one_is_refused() -> None:
    rate = sym("q", nonneg=True)
    node = Sampled(Sequence(()), "r", "p", PoissonSampling(rate), "add or remove", "4:8")
    tree = Repeat(num(3), node)
    assert charged(tree) == {"4:8": [PoissonSampling(rate)]}
    quarter = {"q": Fraction(1, 4)}
    left = charging(Repeat(num(4), node), quarter)
    draw = RowSampler(schemes_at(tree, quarter), SeededSource(1), left)
    draw("4:8", "Poisson", Fraction(1, 4), [[1, 2, 3]])
    draw("3:0#2/4:8", "Poisson", Fraction(1, 4), [[1, 2, 3]])
    for scheme, number in (("Poisson", Fraction(1, 2)), ("WithoutReplacement", 2)):
        with pytest.raises(InternalError):
            draw("4:8", scheme, number, [[1, 2, 3]])
    fixed = Sampled(
        Sequence(()), "r", "p", SamplingWithoutReplacement(num(2), sym("n")), "replace", "1:1"
    )
    draw = RowSampler(schemes_at(fixed, {"n": Fraction(5)}), SeededSource(1), charging(fixed))
    with pytest.raises(InternalError):
        draw("1:1", "WithoutReplacement", 2, [[1, 2, 3]])
    again = Sampled(
        Sequence(()), "r", "p", SamplingWithReplacement(num(2), num(3)), "replace", "1:1"
    )
    draw = RowSampler(schemes_at(again, {}), SeededSource(1), charging(again))
    assert len(draw("1:1", "WithReplacement", 2, [[1, 2, 3]])) == 2
    with pytest.raises(InternalError, match="more often than it was charged"):
        draw("1:1", "WithReplacement", 2, [[1, 2, 3]])
    with pytest.raises(InternalError, match="nothing was charged"):
        draw("1:2", "WithReplacement", 2, [[1, 2, 3]])


def test_samples_need_randomness_and_a_proof() -> None:
    half = Sampled(Sequence(()), "r", "p", PoissonSampling(num("1/2")), "add or remove", "1:1")
    with pytest.raises(ReplayError):
        draw = RowSampler(schemes_at(half, {}), None, charging(half))
        draw("1:1", "Poisson", Fraction(1, 2), [[1]])
    with pytest.raises(NotProvedError):
        sample([1, 2], q=0.5)
