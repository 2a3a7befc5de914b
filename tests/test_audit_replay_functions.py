"""Replay of plain functions: every broken one is refuted for its reason, and no correct one is."""

from __future__ import annotations

import doctest
import os
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import replay_programs
from depth import depth
from replay_programs import BROKEN, CORRECT, Case, clamped

import metricdp as dp
from metricdp.audit import Sampler, replay, traced
from metricdp.errors import ParameterError, ReplayError

ROWS = dp.Records[float]


def audit(case: Case, **options: Any) -> Any:
    # The number of pairs ends the search, and not the speed of the machine.
    options = {"seconds": 60, **options}
    return replay(case.function, space=ROWS, epsilon=case.epsilon, delta=case.delta, **options)


@pytest.mark.parametrize("name", BROKEN)
def test_broken_programs_are_refuted(name: str) -> None:
    verdict = audit(BROKEN[name])
    assert verdict.refuted and verdict.auditor == "replay"
    assert BROKEN[name].word in str(verdict)
    assert verdict.false_alarm == 0 and "without statistics" in str(verdict)


@pytest.mark.parametrize("name", CORRECT)
@pytest.mark.parametrize("seed", depth([0], [0, 1]))
def test_correct_programs_survive(name: str, seed: int) -> None:
    verdict = audit(CORRECT[name], most=25, seed=seed)
    assert not verdict.refuted, str(verdict)
    assert "not proved" in str(verdict)


def test_there_are_enough_of_both() -> None:
    assert len(BROKEN) >= 15 and len(CORRECT) >= 10


@pytest.mark.parametrize("name", ["clamped_sum", "located", "scaled_noise", "histogram"])
def test_a_smaller_claim_is_refuted_at_the_true_loss(name: str) -> None:
    # The claims of these are attained: anything below is false, and the loss shown is exact.
    function = replay_programs.CORRECT[name].function
    verdict = replay(function, space=ROWS, epsilon=Fraction(99, 100), most=20)
    if name == "histogram":
        # Rounded counts are not the released values digit by digit.
        assert not verdict.refuted
        return
    assert verdict.refuted and verdict.loss == 1 and verdict.d_in == 1


def test_the_site_is_the_line_of_the_draw() -> None:
    verdict = audit(BROKEN["sum_without_clamp"])
    file, _, line = verdict.site.partition(":")
    source = Path(replay_programs.__file__).read_text(encoding="utf-8").splitlines()
    assert file == "replay_programs.py" and "rng.laplace(scale=1)" in source[int(line) - 1]


def generators() -> tuple[Any, ...]:
    drawing = np.random
    return drawing.default_rng, drawing.laplace, drawing.Generator, replay_programs.OURS


def test_state_and_generators_are_put_back() -> None:
    before = (list(replay_programs.MEMORY), replay_programs.LAST, dict(replay_programs.CACHE))
    originals = (
        np.random.default_rng,
        np.random.laplace,
        np.random.Generator,
        replay_programs.OURS,
    )
    for name in ("leaks_into_a_global", "leaks_into_a_global_number", "leaks_into_a_default"):
        audit(BROKEN[name])
    audit(CORRECT["global_generator"], most=3)
    assert before == (replay_programs.MEMORY, replay_programs.LAST, replay_programs.CACHE)
    assert all(a is b for a, b in zip(originals, generators(), strict=True))
    assert replay_programs.leaks_into_a_default.__defaults__ == ([],)


def test_the_inputs_of_the_user_are_not_changed() -> None:
    def empties(rows: Any, rng: Any) -> Any:
        noisy = len(rows) + rng.laplace(scale=1)
        rows.clear()
        return noisy

    pair = ([1.0, 2.0], [1.0])
    assert not replay(empties, pairs=[pair], epsilon=1).refuted
    assert pair == ([1.0, 2.0], [1.0])


def test_pairs_of_the_user_are_tried() -> None:
    def rare(rows: Any, rng: Any) -> Any:
        noisy = clamped(rows) + rng.laplace(scale=1)
        return 0 if 41.125 in rows else noisy

    assert not replay(rare, space=ROWS, epsilon=1, most=20).refuted
    verdict = replay(rare, pairs=[([1.0], [1.0, 41.125])], epsilon=1)
    assert verdict.refuted and verdict.x2 == [1.0, 41.125] and verdict.tried == 1


def test_public_arguments_and_output_lists() -> None:
    def fills(rows: Any, scale: float, out: list[float], rng: Any) -> Any:
        out.append(len(rows))
        return clamped(rows) + rng.laplace(scale=scale)

    verdict = replay(fills, space=ROWS, epsilon=1, public={"scale": 1.0, "out": []})
    assert verdict.refuted and "the state of `out`" in verdict.why


@traced("laplace", value="total", scale="b", sensitivity="moves")
def noisy(total: float, b: float, moves: float) -> float:
    return total + float(np.random.laplace(scale=b))


def scaled(total: float, width: float) -> float:
    return total + float(int.from_bytes(os.urandom(4), "big")) * width


def test_functions_that_state_their_sensitivity() -> None:
    def wrong(rows: Any) -> Any:
        return noisy(3 * clamped(rows), 30.0, 1.0) > 0

    def right(rows: Any) -> Any:
        return noisy(3 * clamped(rows), 3.0, 3.0) > 0

    verdict = replay(wrong, space=ROWS)
    assert verdict.refuted and "charged for 1 and moved 3" in verdict.why
    survived = replay(right, space=ROWS, epsilon=1, most=10)
    assert not survived.refuted and survived.closest == 1
    assert noisy(1.0, 1.0, 1.0) != noisy(1.0, 1.0, 1.0), "outside of an audit it draws"


def test_mechanisms_of_other_libraries() -> None:
    def program(rows: Any) -> Any:
        return scaled(clamped(rows) + len(rows), 2.0)

    with pytest.raises(ReplayError, match="used as a number"):
        replay(program, space=ROWS, epsilon=1)
    samplers = {f"{__name__}:scaled": Sampler("laplace", "total", "width", sensitivity=1)}
    verdict = replay(program, space=ROWS, samplers=samplers)
    assert verdict.refuted and "charged for 1 and moved 2" in verdict.why
    with pytest.raises(ParameterError, match="there is no"):
        replay(program, space=ROWS, samplers={"nowhere:f": Sampler("laplace", "x")})


def test_what_cannot_be_told_is_refused() -> None:
    def geometric(rows: Any, rng: Any) -> Any:
        # The difference of two geometric draws is discrete Laplace noise, and correct.
        return len(rows) + rng.geometric(0.5) - rng.geometric(0.5)

    with pytest.raises(ReplayError, match="used as a number"):
        replay(geometric, space=ROWS, epsilon=1, most=9)

    def fails(rows: Any, rng: Any) -> Any:
        raise KeyError("always")

    with pytest.raises(ReplayError, match="every run fails, with KeyError"):
        replay(fails, space=ROWS, epsilon=1, most=5)

    def unknown(rows: Any, rng: Any) -> Any:
        return clamped(rows) + rng.noncentral_f(1, 2, 3)

    with pytest.raises(ReplayError, match=r"every run fails|fails only when"):
        replay(unknown, space=ROWS, epsilon=1, most=5)


def test_an_error_before_the_draw_is_told() -> None:
    def median(rows: Any) -> Any:
        return sorted(rows)[len(rows) // 2] + np.random.laplace(scale=1)

    verdict = replay(median, pairs=[([], [1.0])], epsilon=1)
    assert verdict.refuted and "the run on x ends with IndexError" in str(verdict)


def test_hidden_draws_refute_nothing() -> None:
    # Sparse vector costs less than its draws together: no alarm, and the note says so.
    verdict = audit(CORRECT["above_threshold"], most=40)
    assert not verdict.refuted and "refutes nothing" in str(verdict)


def test_claims_by_composition() -> None:
    def training(rows: Any, clip: float, rng: Any) -> Any:
        weights = np.zeros(2)
        for _ in range(3):
            total = np.zeros(2)
            for x in rows:
                gradient = np.array([x, 1.0]) - weights
                total += gradient / max(1.0, float(np.linalg.norm(gradient)) / clip)
            weights = weights - 0.1 * (total + rng.normal(scale=4, size=2))
        return weights

    # rho = 3 / (2 * 4^2) for clipped gradients: epsilon 3 at delta 1e-5 is far above it.
    options: dict[str, Any] = {"space": ROWS, "epsilon": 3, "delta": 1e-5, "most": 5}
    for by_composition in (False, True):
        right = replay(training, public={"clip": 1.0}, by_composition=by_composition, **options)
        assert not right.refuted and "by composition" not in str(right)
    wrong = replay(training, public={"clip": 1e9}, by_composition=True, **options)
    assert wrong.refuted and "by composition" in wrong.why
    noted = replay(training, public={"clip": 1e9}, **options)
    assert not noted.refuted and "refutes nothing" in str(noted)


@pytest.mark.parametrize("name", ["above_threshold"])
def test_hidden_draws_need_their_guard(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # A version that takes every draw for released has a false alarm here.
    findings = import_module("metricdp.audit.replaying.findings")
    monkeypatch.setattr(findings, "_visible", lambda *_: True)
    assert audit(CORRECT[name], most=80).refuted


def test_the_page_is_executed() -> None:
    page = Path(__file__).resolve().parent.parent / "docs" / "auditing-replay.md"
    lines = page.read_text(encoding="utf-8").splitlines()
    text = "\n".join("" if line.startswith("```") else line for line in lines)
    test = doctest.DocTestParser().get_doctest(text, {}, page.name, None, 0)
    assert len(test.examples) >= 14
    printed: list[str] = []
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    doctest.DocTestRunner(optionflags=flags).run(test, out=printed.append)
    assert not printed, "".join(printed)


def test_bad_calls() -> None:
    function = CORRECT["clamped_sum"].function
    for bad in (
        lambda: replay(function, epsilon=1),
        lambda: replay(3, space=ROWS),
        lambda: replay(function, space=list, epsilon=1),
        lambda: replay(function, space=ROWS, epsilon=-1),
        lambda: replay(function, space=ROWS, epsilon=1, delta=1),
        lambda: replay(function, space=ROWS, epsilon=float("nan")),
        lambda: replay(function, space=ROWS, epsilon=1, distances=(1, 2)),
        lambda: replay(function, pairs=[], epsilon=1),
        lambda: replay(lambda: 0, space=ROWS, epsilon=1),
        lambda: replay(lambda rows, scale: 0, space=ROWS, epsilon=1),
    ):
        with pytest.raises(ParameterError):
            bad()
