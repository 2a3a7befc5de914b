"""Replay of programs whose randomness is not added to something, or whose state is elsewhere."""

from __future__ import annotations

import os
import random
import secrets
import sys
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import erf, exp, log, sqrt
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from depth import depth

import metricdp as dp
from metricdp.audit import audited, replay
from metricdp.audit.measurements.verdicts import brief
from metricdp.audit.replaying.decisions import DecidedDraw, Decisions, Endless
from metricdp.audit.replaying.laws import CAUCHY, GUMBEL
from metricdp.audit.replaying.outcomes import text
from metricdp.errors import ReplayError
from metricdp.families.gaussian import GAUSSIAN
from metricdp.families.laplace import LAPLACE

ROWS = dp.Records[float]
REPLACED = dp.Records[float, dp.Hamming]


def positives(rows: Any) -> tuple[int, int]:
    return sum(x > 0 for x in rows), sum(x <= 0 for x in rows)


def responses(rows: Any, rng: Any) -> Any:
    return [x > 0 if rng.random() < 0.75 else not x > 0 for x in rows]


def responses_at_once(rows: Any, rng: Any) -> Any:
    truth = np.array(rows) > 0
    return np.where(rng.random(len(rows)) < 0.75, truth, ~truth)


def exponential_mechanism(rows: Any, rng: Any) -> Any:
    weights = np.exp(np.array(positives(rows)) / 2)
    return "ab"[rng.choice(2, p=weights / weights.sum())]


def exponential_mechanism_by_hand(rows: Any) -> Any:
    weights = [exp(score / 2) for score in positives(rows)]
    left = random.random() * sum(weights)
    for name, weight in zip("ab", weights, strict=True):
        left -= weight
        if left < 0:
            return name
    return "b"


def gumbel_threshold(rows: Any, rng: Any) -> Any:
    # P(z > -d) for logistic noise of scale 1 has odds e^d: a coin with a private score.
    first, second = positives(rows)
    return rng.logistic() > (second - first) / 2


def laplace_threshold(rows: Any, rng: Any) -> Any:
    return rng.laplace(scale=1) > 2 - min(len(rows), 1)


def permute_and_flip(rows: Any) -> Any:
    scores = positives(rows)
    for i in random.sample(range(2), 2):
        if random.random() < exp((scores[i] - max(scores)) / 2):
            return i
    raise AssertionError("the best one is always taken")


@pytest.mark.parametrize(
    ("function", "space", "epsilon"),
    [
        (responses, REPLACED, log(3)),
        (responses_at_once, REPLACED, log(3)),
        (laplace_threshold, ROWS, 1),
        (gumbel_threshold, ROWS, log((1 + exp(0.5)) / 2)),
        (exponential_mechanism, ROWS, log((1 + exp(0.5)) / 2)),
        (exponential_mechanism_by_hand, ROWS, log((1 + exp(0.5)) / 2)),
        (permute_and_flip, ROWS, 0.5),
    ],
)
def test_all_runs_are_followed(function: Any, space: Any, epsilon: float) -> None:
    verdict = replay(function, space=space, epsilon=3, most=depth(12, 24), seconds=60)
    assert not verdict.refuted and verdict.auditor == "exact", str(verdict)
    # The largest loss of small inputs, where one person weighs most.
    attained = float(verdict.loss)
    assert attained >= epsilon - 1e-6, str(verdict)
    assert not replay(
        function, space=space, epsilon=attained * (1 + 1e-8), most=depth(12, 24), seconds=60
    ).refuted
    wrong = replay(function, space=space, epsilon=attained * 0.999, most=depth(12, 24), seconds=60)
    assert wrong.refuted and wrong.auditor == "exact" and "all runs were followed" in str(wrong)


def test_a_claim_that_doubles_round_is_kept() -> None:
    share = exp(1) / (1 + exp(1))

    def coin(rows: Any, rng: Any) -> Any:
        return [x > 0 if rng.random() < share else not x > 0 for x in rows]

    verdict = replay(coin, space=REPLACED, epsilon=1)
    assert not verdict.refuted and 1 - 1e-8 < verdict.closest < 1 + 1e-8


def test_printing_is_part_of_a_law() -> None:
    def prints(rows: Any, rng: Any) -> Any:
        answer = (len(rows) > 0) == (rng.random() < 0.75)
        print("rows" if len(rows) > 2 else "few")
        return answer

    assert replay(prints, pairs=[([], [1.0])], epsilon=1.1).auditor == "exact"
    verdict = replay(prints, pairs=[([1.0] * 2, [1.0] * 3)], epsilon=9)
    assert verdict.refuted


@pytest.mark.parametrize(
    "function",
    [
        lambda rows, rng: len(rows) + rng.random(),
        lambda rows, rng: len(rows) + rng.geometric(0.5),
        lambda rows, rng: [x > 0 for x in rows] if rng.laplace() > rng.laplace() else 0,
        lambda rows, rng: rng.integers(1000) + len(rows),
        lambda rows, rng: rng.random() if len(rows) else 1 - rng.random(),
    ],
)
def test_endless_programs_are_refused(function: Any) -> None:
    with pytest.raises(ReplayError, match="used as a number"):
        replay(function, space=ROWS, epsilon=1, most=12)


def runs(program: Any) -> dict[Any, Fraction]:
    """The law of a program of one generator, by `Decisions` alone."""
    from metricdp.audit.replaying.deciding import Deciding, StandardDeciding

    found: dict[Any, Fraction] = {}
    taken: list[int] | None = []
    while taken is not None:
        decisions = Decisions(taken)
        outcome = program(Deciding(decisions), StandardDeciding(decisions))
        found[outcome] = found.get(outcome, Fraction(0)) + decisions.probability
        taken = decisions.following()
    return found


def test_laws_of_draws() -> None:
    third = Fraction(1, 3)
    assert runs(lambda a, b: tuple(a.permutation(3))) == {
        p: Fraction(1, 6) for p in product(range(3), repeat=3) if len(set(p)) == 3
    }
    assert runs(lambda a, b: tuple(sorted(b.sample(range(3), 2)))) == dict.fromkeys(
        [(0, 1), (0, 2), (1, 2)], third
    )
    assert runs(lambda a, b: int(a.binomial(2, 0.25))) == {
        0: Fraction(9, 16), 1: Fraction(6, 16), 2: Fraction(1, 16)
    }  # fmt: skip
    assert runs(lambda a, b: b.choices("ab", [1, 2])[0]) == {"a": third, "b": 2 * third}
    assert runs(lambda a, b: tuple(a.choice(3, 2, replace=False)))[(2, 0)] == Fraction(1, 6)

    def intervals(a: Any, b: Any) -> Any:
        u = 4 * a.random() - 1
        return sum(u < bound for bound in (-1, 0, 1, 2.5, 3))

    halves = {True: Fraction(1, 4), False: Fraction(3, 4)}
    assert runs(lambda a, b: bool(1 - a.random() < 0.25)) == halves
    # u is uniform on [-1, 3).
    quarter = Fraction(1, 4)
    assert runs(intervals) == {4: quarter, 3: quarter, 2: 3 * quarter / 2, 1: quarter / 2}


def test_tails_of_continuous_draws() -> None:
    for c in (-40.0, -3.0, -0.5, 0.0, 0.5, 3.0, 40.0):
        here, there = LAPLACE.below(Fraction(c)), LAPLACE.below(Fraction(-c))
        assert here + there == 1 or c == 0
        assert float(min(here, there)) == pytest.approx(exp(-abs(c)) / 2, rel=1e-12)
        gauss = GAUSSIAN.below(Fraction(c))
        assert float(gauss) == pytest.approx((1 + erf(c / sqrt(2))) / 2, abs=1e-15)
        assert 0 < CAUCHY.below(Fraction(c)) < 1
        assert float(GUMBEL.below(Fraction(c))) == pytest.approx(exp(-exp(-c)), abs=1e-15)
    draw = DecidedDraw(Decisions(), LAPLACE.below)
    assert draw < 1.0
    with pytest.raises(Endless, match="very close"):
        draw < 1.0 - 1e-9  # noqa: B015


def test_randomness_of_the_system_is_followed() -> None:
    def coin(rows: Any) -> Any:
        return [x > 0 if secrets.randbelow(4) else not x > 0 for x in rows]

    def system(rows: Any) -> Any:
        return [x > 0 if random.SystemRandom().random() < 0.75 else not x > 0 for x in rows]

    for function in (coin, system):
        assert not replay(function, space=REPLACED, epsilon=1.1).refuted
        wrong = replay(function, space=REPLACED, epsilon=1)
        assert wrong.refuted and wrong.loss == pytest.approx(log(3))

    def octets(rows: Any) -> Any:
        return len(rows) + int.from_bytes(os.urandom(2), "big") / 2**16

    before = os.urandom, secrets.randbelow, secrets.choice
    with pytest.raises(ReplayError, match="used as a number"):
        replay(octets, space=ROWS, epsilon=1)
    assert before == (os.urandom, secrets.randbelow, secrets.choice)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    folder = tmp_path / "kept_by_a_package"
    folder.mkdir()
    (folder / "__init__.py").write_text("from kept_by_a_package import store\n")
    (folder / "store.py").write_text(
        "SEEN = []\n_HIDDEN = {}\n"
        "def remember(n):\n    SEEN.append(n)\n"
        "def largest(n):\n    box = globals()['_HIDDEN']\n"
        "    box['n'] = max(n, box.get('n', 0))\n    return box['n']\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    import kept_by_a_package

    yield kept_by_a_package
    for name in ("kept_by_a_package", "kept_by_a_package.store"):
        sys.modules.pop(name, None)


def test_state_of_packages_is_watched(package: Any) -> None:
    def keeps(rows: Any, rng: Any) -> Any:
        package.store.remember(len(rows))
        return min(len(rows), 1) + rng.laplace(scale=1)

    verdict = replay(keeps, space=ROWS, epsilon=1)
    assert verdict.refuted and "the state of `SEEN`" in verdict.why
    assert package.store.SEEN == []


def test_what_earlier_runs_left_is_found(package: Any) -> None:
    # A place that no code names: the previous caller's data come out with the next result.
    def previous(rows: Any, rng: Any) -> Any:
        before = package.store.largest(0)
        vars(package.store)["_HID" + "DEN"]["n"] = len(rows)
        return before, min(len(rows), 1) + rng.laplace(scale=1)

    verdict = replay(previous, pairs=[([], [1.0])], epsilon=1)
    assert verdict.refuted and "after a run on x and" in verdict.why

    def counts(rows: Any, rng: Any) -> Any:
        vars(package.store)["_HID" + "DEN"]["n"] = package.store.largest(0) + 1
        return package.store.largest(0), min(len(rows), 1) + rng.laplace(scale=1)

    with pytest.raises(ReplayError, match="differ in the result"):
        replay(counts, pairs=[([], [1.0])], epsilon=1)


def test_chances_below_the_range_of_doubles_say_nothing() -> None:
    def far(rows: Any, rng: Any) -> Any:
        return rng.laplace(scale=1) > 746 - len(rows)

    # e^-745 is a double and e^-746 is none: their ratio is e and not infinite.
    pairs = [([], [1.0]), ([1.0] * 745, [1.0] * 746)]
    verdict = replay(far, pairs=pairs, epsilon=1, guarded=True)
    assert not verdict.refuted and verdict.pairs == 1


def test_a_pair_that_refutes_is_made_smaller() -> None:
    def unclamped(rows: Any, rng: Any) -> Any:
        return sum(max(x, 0.0) for x in rows) + rng.laplace(scale=1)

    verdict = replay(unclamped, space=ROWS, epsilon=1)
    # The loss is not made smaller than what was found, only the rest is.
    assert verdict.refuted and verdict.loss > 1000 and len(verdict.x + verdict.x2) == 1

    def rare(rows: Any, rng: Any) -> Any:
        noisy = min(len(rows), 1) + rng.laplace(scale=1)
        return 0 if any(x > 41.5 for x in rows) else noisy

    verdict = replay(rare, space=ROWS, epsilon=1)
    assert verdict.refuted and verdict.d_in == 1
    assert max(verdict.x + verdict.x2) <= 100 and len(verdict.x + verdict.x2) == 1
    # Pairs of the user stay as they are.
    pair = ([3.0], [3.0, 997.0])
    assert replay(rare, pairs=[pair], epsilon=1).x2 == [3.0, 997.0]


def test_the_reason_of_a_silent_replay_is_told() -> None:
    def geometric(x: int) -> int:
        rng = np.random.default_rng()
        return x + int(rng.geometric(0.5)) - int(rng.geometric(0.5))

    [verdict] = audited(geometric, epsilon=1, pairs=[(0, 1)], samples=2000)
    assert verdict.auditor == "sampled" and "record and replay says nothing" in str(verdict)


@pytest.mark.parametrize("part", [None, "", (), [], {}, 0, 0.0, False, b""])
def test_the_text_of_an_empty_part(part: Any) -> None:
    """That of nothing is in a table: it is that of everything else."""
    assert text(part) == brief(part)
