"""A mechanism is drawn as the family that its events carry, or not at all: no reader has a default.

Tests put a copy of a mechanism under another name into the registry, as a file would, and ask one
reader.  The copies are proved, with the cost of their originals.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import pytest
from checked_modules import load as program
from foreign_mechanisms import MECHANISMS, foreign

import metricdp as dp
from metricdp.audit.records import conclusion_of
from metricdp.audit.replaying.moves import largest_loss, log_ratio, moved, rho
from metricdp.audit.replaying.paths import OutputPath
from metricdp.audit.replaying.tape import DrawRequest, TapedDraw
from metricdp.errors import InternalError, MetricdpError
from metricdp.families.added import Added, Rounded, Whole
from metricdp.families.chosen import Comparing
from metricdp.families.family import Draw, Family
from metricdp.maps import make
from metricdp.noise import SeededSource
from metricdp.record import REGISTRY
from metricdp.run.draws import drawn, perform
from metricdp.run.emit import Recording, Seeded, handling
from metricdp.run.filing import noise_law
from metricdp.spaces import Scalar

#: A name that begins and ends as the names of samplers do.
NAME = "discrete_foreign_laplace"
INTEGERS = """
@dp.measurement
def f(n: dp.Int):
    return dp.discrete_foreign_laplace(n, scale=3)
"""


@pytest.fixture
def two_sided(monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy whose events carry a family that nothing draws."""
    monkeypatch.setitem(REGISTRY, NAME, foreign("discrete_laplace", NAME, Family(NAME)))


class Third(Added, frozen=True):
    """Noise of a family that leaves out what it has to say."""

    parameter: ClassVar[str] = "scale"


class ThirdWhole(Whole, frozen=True):
    """The same on the integers."""


class ThirdRounded(Rounded, frozen=True):
    """The same on a grid."""


READERS: tuple[Callable[[Family], Any], ...] = (
    lambda f: f.request({"scale": Fraction(1)}, lambda name: Fraction(1)),
    lambda f: f.fixed({"scale": Fraction(1)}, {}),
    lambda f: f.words(Fraction(1), {}),
    lambda f: f.public_shape(3),
    lambda f: Draw("f", f),
)


@pytest.mark.parametrize("reader", READERS)
def test_no_table_has_a_default(reader: Callable[[Family], Any]) -> None:
    with pytest.raises(InternalError, match=NAME):
        reader(Family(NAME))


def test_a_draw_that_nothing_draws_cannot_be_asked_for() -> None:
    with pytest.raises(InternalError, match=f"no sampler for {NAME}"):
        Draw("f", Family(NAME), "", Fraction(1), extra={"k": 2, "epsilon": 1})


def test_a_checked_program_releases_nothing(tmp_path: Path, two_sided: None) -> None:
    f = program(tmp_path, INTEGERS).f
    assert "1/3" in str(f.guarantee)  # the rule is fine; only the noise is unknown
    record = Recording(Seeded(1))
    with handling(record), pytest.raises(InternalError, match="no sampler"):
        f(3)
    assert not record.log
    with pytest.raises(MetricdpError):
        f.law(3)


def test_a_session_releases_nothing(tmp_path: Path, two_sided: None) -> None:
    f = program(tmp_path, INTEGERS).f
    session = dp.Session({"n": (dp.Int, 3)}, budget=dp.Budget(epsilon=1))
    record = Recording(Seeded(1))
    with handling(record), pytest.raises(MetricdpError):
        session.run(f)
    with handling(record), pytest.raises(MetricdpError):
        getattr(dp, NAME)(session["n"], scale=3)
    assert not record.log


def test_a_constructor_of_the_library_refuses(two_sided: None) -> None:
    with pytest.raises(InternalError, match="no sampler"):
        make(NAME, Scalar("Int"), scale=3)


@pytest.mark.parametrize("kind", [Third, ThirdWhole, ThirdRounded])
def test_a_third_family_is_not_taken_for_another(kind: type[Added]) -> None:
    draw = Draw("f", kind(NAME), "", Fraction(3))
    for value in (3, [3, 4]):
        with pytest.raises(InternalError, match=NAME):
            perform(draw, value, SeededSource(1))
        with pytest.raises(InternalError, match=NAME):
            draw.family.law(draw, value)
    shown = drawn(draw, 3)
    if kind is not Third:
        with pytest.raises(InternalError, match=NAME):
            shown.half_width()
    with pytest.raises(InternalError, match=NAME):
        noise_law(shown)


def test_a_choice_that_is_not_known_is_not_taken_for_above_threshold() -> None:
    extra = {"threshold": 1, "query_scale": 6}
    draw = Draw("f", Comparing(NAME), "", Fraction(3), Fraction(1), extra=extra)
    with pytest.raises(InternalError, match=NAME):
        perform(draw, [1, 2], SeededSource(1))
    with pytest.raises(InternalError, match=NAME):
        draw.family.law(draw, [1, 2])


def test_the_audit_measures_no_foreign_draw() -> None:
    first, second = (
        TapedDraw(DrawRequest("f", NAME, {"scale": 3}), "", None, x, 5, None) for x in (1, 2)
    )
    assert [read(first, second) for read in (moved, largest_loss, log_ratio, rho)] == [None] * 4


@pytest.mark.parametrize("kind", [Third, ThirdWhole, ThirdRounded])
def test_the_audit_steers_no_foreign_draw(kind: type[Added]) -> None:
    with pytest.raises(InternalError, match="no sampler"):
        OutputPath("high").answer(Draw("f", kind(NAME), "", Fraction(3)), 1, 0)


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_copy_keeps_the_family_of_its_original(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = foreign(name, NAME)
    for instance in REGISTRY[name].instances():
        (event,) = conclusion_of(copy, instance).events
        assert (event.mechanism, event.family) == (NAME, REGISTRY[name].family)


def test_a_copy_is_drawn_as_the_family_that_it_carries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(REGISTRY, NAME, foreign("discrete_laplace", NAME))
    f = program(tmp_path, INTEGERS).f
    g = program(tmp_path, INTEGERS.replace(NAME, "discrete_laplace")).f
    for seed in range(20):
        with handling(Seeded(seed)):
            once = f(3).value
        with handling(Seeded(seed)):
            assert g(3).value == once
