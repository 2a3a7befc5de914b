"""Programs of a second look at sessions and audits, each of which was answered wrongly."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checked_modules import load

import metricdp as dp
from metricdp.audit import audited, replay, sampled
from metricdp.errors import ParameterError, ReplayError

_RARE = {
    "rand": lambda: np.random.rand() < 1e-6,
    "randint": lambda: np.random.randint(10**6) == 0,
    "standard_t": lambda: np.random.standard_t(3) > 100,
    "multinomial": lambda: np.random.multinomial(1, [1e-6, 1 - 1e-6])[0] == 1,
    "bytes": lambda: np.random.bytes(3) == b"\0\0\0",
    "betavariate": lambda: random.betavariate(1, 1) < 1e-6,
    "randbytes": lambda: random.randbytes(3) == b"\0\0\0",
}


@pytest.mark.parametrize("rare", _RARE.values(), ids=_RARE)
def test_a_rare_leak_by_a_sampler_that_is_not_followed_does_not_survive_exactly(
    rare: Callable[[], Any],
) -> None:
    """The coin has epsilon ln(7/3), and once in a million runs the row is shown: no epsilon holds.
    The coin was followed, the other draw was not, and plain runs are too few to show it."""

    def leaking(rows: list[float]) -> object:
        coin = random.random() < 0.7
        positive = bool(rows) and rows[0] > 0
        if rare():
            return "row", positive
        return positive == coin

    with pytest.raises(ReplayError):
        replay(leaking, space=dp.Records[float, dp.Hamming], epsilon=1, seconds=60, most=4)


def _when(rows: list[float]) -> object:
    return len(rows) + np.random.laplace(), time.time()


def test_a_time_that_is_released_does_not_refute_a_true_claim() -> None:
    """All runs on x came before those on x', so that a clock told which input it was: a true claim
    was refuted with an error of 1e-6.  In a random order the error is at most the stated one."""
    found = sampled(_when, epsilon=1, space=dp.Records[float], samples=4000, bits=False)
    assert not found.refuted, str(found)


@pytest.mark.parametrize(
    "written",
    [
        lambda rows: "1.0" if len(rows) % 2 else "1.00",
        lambda rows: {"size": "+3" if len(rows) % 2 else "3"},
        lambda rows: "1e3" if len(rows) % 2 else "1000",
        lambda rows: f"{5:0{1 + len(rows) % 3}}",
        lambda rows: Decimal("1.0") if len(rows) % 2 else Decimal("1.00"),
    ],
)
def test_how_a_number_is_written_is_an_output(written: Callable[[Any], Any]) -> None:
    """Zeros at the end, a plus and an exponent were counted as equal."""
    found = sampled(written, epsilon=1, pairs=[([], [1.0])], samples=4000, bits=False)
    assert found.refuted, str(found)


def test_an_integer_that_is_no_double_is_refuted_and_shown() -> None:
    for auditor in (replay, sampled):
        found = auditor(lambda rows: -(10**400) - len(rows), epsilon=1, pairs=[([], [1.0])])
        assert found.refuted
        assert len(str(found)) < 2000


@pytest.mark.parametrize("auditor", [replay, sampled, audited])
def test_inputs_that_one_run_uses_up_are_refused(auditor: Callable[..., Any]) -> None:
    """From the second run on both inputs were empty, so that everything survived."""
    with pytest.raises(ParameterError, match="uses up"):
        auditor(lambda rows: len(list(rows)), epsilon=1, pairs=[(iter([]), iter([1.0] * 9))])


def test_a_deadline_that_a_program_turns_into_an_interrupt_only_ends_the_audit() -> None:
    """As a checked function does: `metricdp audit` ended as if Ctrl-C had been pressed."""

    def program(rows: list[float]) -> int:
        try:
            while True:
                pass
        except BaseException:
            raise KeyboardInterrupt from None

    for auditor in (replay, sampled):
        with pytest.raises((ParameterError, ReplayError), match=r"decided|said"):
            auditor(program, epsilon=1, pairs=[([], [1.0])], seconds=0.3)


@pytest.mark.parametrize(
    "twin",
    [
        "visits\u200b", "\ufeffvisits", "vi\u00adsits", "visits\u3164", "visits\u2800",
        "visits\ufe0f", "visits\u034f", "visits\u2060", "visits\U000e0020", "1\u00a0a", "1\u2003a",
    ],
)  # fmt: skip
def test_a_name_that_looks_like_another_one_has_no_budget_of_its_own(twin: str) -> None:
    with pytest.raises(ParameterError, match=r"cannot be seen|another one"):
        dp.Session(
            {"visits": (dp.Records[float], [1.0])}, budget=dp.Budget(epsilon=1), dataset=twin,
            ledger=dp.Ledger(),
        )  # fmt: skip


def test_an_interruption_after_the_noise_of_a_chain_hands_out_what_was_paid() -> None:
    import metricdp.opendp as od

    def post(value: float) -> float:
        raise KeyboardInterrupt

    space = od.vector_domain(od.atom_domain(T=float, nan=False)), od.symmetric_distance()
    chain = space >> od.t.then_count() >> od.m.then_laplace(5.0) >> post
    session = dp.Session({"x": (dp.Records[float], [1.0, 2.0])}, budget=dp.Budget(epsilon=1))
    with pytest.raises(KeyboardInterrupt) as caught:
        session.release(chain)
    (drawn,) = caught.value.releases  # type: ignore[attr-defined]
    assert isinstance(drawn.value, (int, float))


def test_a_checked_function_at_its_parameters_is_one_release_in_a_session(tmp_path: Path) -> None:
    module: Any = load(
        tmp_path,
        """
        @dp.measurement
        def noisy(x: dp.Records[float], eps: float):
            return dp.laplace(dp.count(x), epsilon=eps)
        """,
    )
    session = dp.Session(
        {"x": (dp.Records[float], [1.0, 2.0])}, budget=dp.Budget(epsilon=1), unit=3
    )
    release = session.release(module.noisy.at(eps=0.1))
    assert isinstance(release.value, float)
    assert release.cost == "ε = 0.3"
    assert session.left() == {"epsilon": Fraction(7, 10)}
