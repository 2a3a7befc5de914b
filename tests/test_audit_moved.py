"""Laws that are one pair, moved: the same divergences, computed once."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import pairwise

import pytest

from metricdp.audit import Pair, PrivacyClaim
from metricdp.audit.measurements import exact
from metricdp.audit.measurements.exact import compared
from metricdp.laws import zcdp_rho
from metricdp.laws.grid import GridLaw
from metricdp.laws.rounded import RoundedGaussianLaw, RoundedLaplaceLaw, RoundedLaw
from metricdp.laws.tulap import RoundedTulapLaw


def law(center: F | int, scale: int = 3, kind: type[RoundedLaw] = RoundedLaplaceLaw) -> GridLaw:
    return GridLaw(kind(F(center), F(scale)), F(1, 8))


@pytest.mark.parametrize("kind", [RoundedLaplaceLaw, RoundedGaussianLaw])
@pytest.mark.parametrize("centers", [(F(7, 3), F(-9, 4)), (F(-5, 3), F(1, 7)), (4, 6), (6, 4)])
def test_masses_are_those_of_the_pair(kind: type[RoundedLaw], centers: tuple[F, F]) -> None:
    """Every cell of the moved pair has the masses of one cell of the pair, each once."""
    pair = [law(c, 3, kind) for c in centers]
    first, second = exact.at_home(*pair)
    assert 0 <= first.law.center < 1
    assert second.law.center >= first.law.center

    def masses(p: GridLaw, q: GridLaw) -> list[tuple[float, float]]:
        found = [tuple(float(law.law.pmf(k)[0]) for law in (p, q)) for k in range(-60, 61)]
        return sorted((round(a, 12), round(b, 12)) for a, b in found)[-30:]

    assert masses(first, second) == masses(*pair)


def test_other_pairs_stay() -> None:
    for pair in ((law(3), law(4, 2)), (law(3), law(4, 3, RoundedGaussianLaw)), (1, 2)):
        assert exact.at_home(*pair) == pair


def test_laws_with_parameters_of_their_own() -> None:
    one, other, loose = (
        GridLaw(RoundedTulapLaw(F(center), F(3), F(1), delta), F(1, 8))
        for center, delta in ((7, F(0)), (5, F(0)), (5, F(1, 10)))
    )
    first, second = exact.at_home(one, other)
    assert (first.law.center, second.law.center) == (0, 2)
    assert (first.law.epsilon, second.law.delta) == (1, 0)
    assert exact.at_home(one, loose) == (one, loose)


def test_a_shift_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    exact._rho.cache_clear()
    monkeypatch.setattr("metricdp.laws.zcdp_rho", lambda p, q: asked.append(p) or zcdp_rho(p, q))
    claim = PrivacyClaim("zcdp", (F(1, 2),))
    pairs = [(Pair(a, b, F(1)), claim) for a, b in pairwise(range(6))]
    assert not compared("noise", law, pairs).refuted
    assert len(asked) == 1


def test_progress_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from contextlib import contextmanager

    from metricdp.audit.measurements import exact

    steps: list[float] = []

    @contextmanager
    def bar(name: str):  # type: ignore[no-untyped-def]
        yield type("Bar", (), {"step": lambda self, share: steps.append(share)})()

    monkeypatch.setattr(exact, "progress_on", bar)
    claim = PrivacyClaim("pure", (F(1, 2),))
    compared("noise", law, [(Pair(a, a + 1, F(1)), claim) for a in range(4)])
    assert steps == [0.25] * 4
