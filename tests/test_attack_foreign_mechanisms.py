"""A mechanism whose name a reader does not know is refused: no reader has a default.

Each test puts a copy of a mechanism under another name into the registry, as a file would, and asks
one reader.  The copies are proved, with the cost of their originals.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from checked_modules import load as program
from foreign_mechanisms import MECHANISMS, foreign

import metricdp as dp
from metricdp.audit.replaying.moves import largest_loss, log_ratio, moved, rho
from metricdp.audit.replaying.paths import Path as AuditPath
from metricdp.audit.replaying.tape import Asked, Entry
from metricdp.errors import InternalError, MetricdpError
from metricdp.maps import make
from metricdp.noise import SeededSource
from metricdp.record import REGISTRY
from metricdp.run import samplers
from metricdp.run.draw_laws import draw_law
from metricdp.run.draws import Draw, drawn, perform
from metricdp.run.emit import Record, Seeded, handling
from metricdp.run.filing import noise_law
from metricdp.spaces import Scalar

#: A name that begins and ends as the names of samplers do.
NAME = "discrete_foreign_laplace"
INTEGERS = """
@dp.measurement
def f(n: dp.Int):
    return dp.discrete_foreign_laplace(n, scale=3)
"""


@pytest.fixture(params=MECHANISMS)
def copied(request: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The original's name, while a copy of it is registered."""
    monkeypatch.setitem(REGISTRY, NAME, foreign(request.param, NAME))
    yield request.param


@pytest.fixture
def two_sided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(REGISTRY, NAME, foreign("discrete_laplace", NAME))


@pytest.mark.parametrize("reader", [samplers.way_of, samplers.sampler_of, samplers.is_laplace])
def test_no_table_has_a_default(reader: Any) -> None:
    with pytest.raises(InternalError, match=NAME):
        reader(NAME)


def test_a_draw_of_a_foreign_mechanism_cannot_be_asked_for(copied: str) -> None:
    with pytest.raises(InternalError, match=f"no sampler for {NAME}"):
        Draw("f", NAME, "", Fraction(1), extra={"k": 2, "epsilon": 1})


def test_a_checked_program_releases_nothing(tmp_path: Path, two_sided: None) -> None:
    f = program(tmp_path, INTEGERS).f
    assert "1/3" in str(f.guarantee)  # the rule is fine; only the noise is unknown
    record = Record(Seeded(1))
    with handling(record), pytest.raises(InternalError, match="no sampler"):
        f(3)
    assert not record.log
    with pytest.raises(MetricdpError):
        f.law(3)


def test_a_session_releases_nothing(tmp_path: Path, two_sided: None) -> None:
    f = program(tmp_path, INTEGERS).f
    session = dp.Session({"n": (dp.Int, 3)}, budget=dp.Budget(epsilon=1))
    record = Record(Seeded(1))
    with handling(record), pytest.raises(MetricdpError):
        session.run(f)
    with handling(record), pytest.raises(MetricdpError):
        getattr(dp, NAME)(session["n"], scale=3)
    assert not record.log


def test_a_constructor_of_the_library_refuses(two_sided: None) -> None:
    with pytest.raises(InternalError, match="no sampler"):
        make(NAME, Scalar("Int"), scale=3)


@pytest.mark.parametrize("whole", [True, False])
def test_a_third_family_is_not_taken_for_gaussian(
    whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    third = samplers.Noise("cauchy", whole=whole)  # type: ignore[arg-type]
    monkeypatch.setattr(samplers, "ADDED", {**samplers.ADDED, NAME: third})
    monkeypatch.setattr("metricdp.run.draws.ADDED", samplers.ADDED)
    draw = Draw("f", NAME, "", Fraction(3))
    for value in (3, [3, 4]):
        with pytest.raises(InternalError, match=NAME):
            perform(draw, value, SeededSource(1))
        with pytest.raises(InternalError, match=NAME):
            draw_law(draw, value)
    shown = drawn(draw, 3)
    with pytest.raises(InternalError, match=NAME):
        shown.half_width()
    with pytest.raises(InternalError, match=NAME):
        noise_law(shown)


def test_a_choice_that_is_not_known_is_not_taken_for_above_threshold(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(samplers, "SELECTIONS", (*samplers.SELECTIONS, NAME))
    draw = Draw("f", NAME, "", Fraction(3), Fraction(1), extra={"threshold": 1, "query_scale": 6})
    with pytest.raises(InternalError, match=NAME):
        perform(draw, [1, 2], SeededSource(1))
    with pytest.raises(InternalError, match=NAME):
        draw_law(draw, [1, 2])


def test_the_audit_measures_no_foreign_draw() -> None:
    first, second = (Entry(Asked("f", NAME, {"scale": 3}), "", None, x, 5, None) for x in (1, 2))
    assert [read(first, second) for read in (moved, largest_loss, log_ratio, rho)] == [None] * 4


def test_the_audit_steers_no_foreign_draw(two_sided: None) -> None:
    with pytest.raises(InternalError, match="no sampler"):
        AuditPath("high").answer(Draw("f", NAME, "", Fraction(3)), 1, 0)


def test_the_copy_is_drawn_as_what_the_table_says(
    tmp_path: Path, two_sided: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = {**samplers.ADDED, NAME: samplers.Noise("laplace", whole=True)}
    for module in ("run.samplers", "run.draws"):
        monkeypatch.setattr(f"metricdp.{module}.ADDED", said)
    scales = {**samplers.PARAMETER, NAME: "scale"}
    monkeypatch.setattr("metricdp.checked.execution.PARAMETER", scales)
    f = program(tmp_path, INTEGERS).f
    g = program(tmp_path, INTEGERS.replace(NAME, "discrete_laplace")).f
    for seed in range(20):
        with handling(Seeded(seed)):
            once = f(3).value
        with handling(Seeded(seed)):
            assert g(3).value == once
