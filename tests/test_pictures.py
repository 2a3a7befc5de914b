"""Pictures show the numbers of what they draw."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
import warnings
from fractions import Fraction
from io import BytesIO
from math import exp
from pathlib import Path

import numpy as np
import pytest

import metricdp as dp
from metricdp import audit, pictures
from metricdp.errors import ParameterError
from metricdp.laws import PiecewiseLaw
from metricdp.laws.distances import compare_topologies
from metricdp.measures import Approximate, Gaussian, Laplace, Pure, account

ROOT = Path(__file__).resolve().parent.parent
UNIFORM = PiecewiseLaw([0, 1], [1])


def test_a_profile_is_drawn_at_its_upper_end() -> None:
    guarantee = account(Laplace(1), "add or remove")
    ax = pictures.profile(guarantee, [0.0, 0.5, 1.0], label="one")
    (line,) = ax.get_lines()
    assert list(line.get_ydata()) == [
        float(guarantee.delta(Fraction(e)).upper) for e in (0.0, 0.5, 1.0)
    ]
    assert ax.get_yscale() == "log"
    pictures.profile(account(Gaussian(1), "add or remove"), [0.0, 1.0], label="two", ax=ax)
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["one", "two"]


def test_a_profile_needs_epsilons() -> None:
    guarantee = account(Laplace(1), "add or remove")
    for wrong in ([], [-1.0]):
        with pytest.raises(ParameterError, match="epsilons"):
            pictures.profile(guarantee, wrong)


def test_a_trade_off_is_drawn_at_what_is_proved_below_the_diagonal() -> None:
    guarantee = account(Gaussian(1), "add or remove")
    ax = pictures.tradeoff(guarantee, [(0.1, 0.8)], samples=5)
    diagonal, curve, tests = ax.get_lines()
    assert list(diagonal.get_ydata()) == [1, 0]
    rates, misses = curve.get_xdata(), curve.get_ydata()
    assert list(misses) == [float(guarantee.tradeoff(Fraction(a)).lower) for a in rates]
    assert all(a + b <= 1 for a, b in zip(rates, misses, strict=True))
    assert (list(tests.get_xdata()), list(tests.get_ydata())) == ([0.1], [0.8])


@pytest.mark.parametrize(("points", "samples"), [([(1.5, 0.0)], 5), ([], 1)])
def test_rates_outside_the_unit_square_are_refused(points: list, samples: int) -> None:
    with pytest.raises(ParameterError, match="rates"):
        pictures.tradeoff(account(Gaussian(1), "add or remove"), points, samples=samples)


def test_an_audit_is_drawn_below_its_claim() -> None:
    verdict = audit.finite([["3/4", "1/4"], ["1/4", "3/4"]], epsilon=1, name="coin")
    ax = pictures.audited(verdict)
    diagonal, claimed, shown, point = ax.get_lines()
    assert list(diagonal.get_ydata()) == [1, 0]
    fold = 1 / (1 + exp(1))
    assert list(claimed.get_xdata()) == pytest.approx([0, fold, 1, 1])
    assert list(claimed.get_ydata()) == pytest.approx([1, fold, 0, 0])
    # Truth with 3/4: both mistakes have probability 1/4, and the curve of ln 3 goes through there.
    assert (point.get_xdata()[0], point.get_ydata()[0]) == (0.25, 0.25)
    assert shown.get_xdata()[1] == pytest.approx(0.25)
    assert claimed.get_ydata()[1] > 0.25


def test_an_audit_by_samples_is_drawn_at_its_bounds() -> None:
    guarantee = account(Laplace(2), "add or remove")
    verdict = audit.sampled(
        lambda x, rng: x + rng.laplace(scale=2),
        epsilon=0.5,
        pairs=[(0, 1)],
        samples=4000,
        bits=False,
    )
    assert not verdict.refuted
    ax = pictures.tradeoff(guarantee, audit=verdict, samples=17)
    point = ax.get_lines()[-1]
    assert point.get_xdata()[0] == float(verdict.q[1])
    assert point.get_ydata()[0] == 1 - float(verdict.p[0])
    # What survives lies above the guarantee.
    alpha = verdict.q[1]
    assert 1 - verdict.p[0] >= guarantee.tradeoff(alpha).lower
    labels = [t.get_text() for t in ax.get_legend().get_texts()]
    assert any("confidence 1 - 1e-06" in label for label in labels)


def test_verdicts_without_a_curve_are_refused() -> None:
    leak = audit.replay(lambda rows: len(rows), pairs=[([], [1.0])], epsilon=1)
    rho = audit.finite([["3/4", "1/4"], ["1/4", "3/4"]], rho=1)
    for wrong, word in ((leak, "no number"), (rho, "epsilon and delta"), (3, "epsilon and delta")):
        with pytest.raises(ParameterError, match=word):
            pictures.audited(wrong)


def test_infinite_distances_are_told_and_not_plotted_as_numbers() -> None:
    evidence = compare_topologies(
        lambda n: PiecewiseLaw([0, Fraction(1, n), 1], [0, Fraction(n, n - 1)]),
        UNIFORM,
        at=(2, 4, 8, 16),
    )
    ax = pictures.convergence(evidence)
    labels = [t.get_text() for t in ax.get_legend().get_texts()]
    assert "differential privacy: infinite" in labels
    total_variation = next(x for x in ax.get_lines() if x.get_label().startswith("total"))
    assert list(total_variation.get_ydata()) == list(evidence["TV"].values)


def test_a_ledger_is_drawn_as_shares_of_its_budget() -> None:
    session = dp.Session({"x": (dp.Records[int], [1, 2, 3])}, budget=dp.Budget(epsilon=2))
    with pytest.raises(ParameterError, match="counts"):
        pictures.ledger(session.ledger, "other")
    ax = pictures.ledger(session.ledger)
    (left,) = ax.patches
    assert left.get_width() == 1


def test_without_matplotlib_the_error_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['matplotlib'] = None; sys.modules['matplotlib.figure'] = None\n"
        "from metricdp.pictures import profile\n"
        "from metricdp.errors import MissingExtraError\n"
        "from metricdp.measures import Laplace, account\n"
        "try: profile(account(Laplace(1), 'add or remove'), [0.5])\n"
        "except MissingExtraError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 'pip install "metricdp[plots]"' in done.stdout


def test_the_page_shows_the_pictures_that_the_example_draws() -> None:
    page = (ROOT / "docs" / "pictures.md").read_text(encoding="utf-8")
    shown = re.findall(r"\(pictures/(\w+)\.png\)", page)
    example = runpy.run_path(str(ROOT / "examples" / "pictures.py"))
    assert all((ROOT / "docs" / "pictures" / f"{name}.png").is_file() for name in shown)
    assert all(callable(example[name]) for name in shown)
    assert len(example["ledger"]().patches) == 5
    assert len(example["convergence"]().get_lines()) == 4
    assert len(example["audited"]().get_lines()) == 6


def test_a_picture_of_something_else_says_what_to_draw() -> None:
    guarantee = account(Laplace(1), "add or remove")
    session = dp.Session({"x": (dp.Records[int], [1, 2, 3])}, budget=dp.Budget(epsilon=2))
    wrong = [
        (lambda: pictures.profile("x"), "no guarantee"),
        (lambda: pictures.profile(guarantee, 3), "epsilons"),
        (lambda: pictures.profile(guarantee, [float("nan")]), "epsilons"),
        (lambda: pictures.profile(guarantee, [0.5], ax=[1, 2]), "no axes"),
        (lambda: pictures.tradeoff(Laplace(1)), "no guarantee"),
        (lambda: pictures.tradeoff(guarantee, 3), "pairs"),
        (lambda: pictures.convergence(guarantee), "no evidence"),
        (lambda: pictures.ledger(session), "no ledger"),
    ]
    for draw, word in wrong:
        with pytest.raises(ParameterError, match=word) as refused:
            draw()
        assert refused.value.place


def test_columns_of_numpy_are_epsilons() -> None:
    ax = pictures.profile(account(Laplace(1), "add or remove"), np.linspace(0, 1, 3))
    assert list(ax.get_lines()[0].get_xdata()) == [0, 0.5, 1]
    # A number says nothing without its relation.
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["one row added or removed"]


def test_a_profile_is_not_belied_by_the_lines_between_its_points() -> None:
    """The delta of Laplace noise falls to 0 at epsilon 1, where one chord would cut the corner."""
    ax = pictures.profile(account(Laplace(1), "add or remove"))
    (line,) = ax.get_lines()
    for epsilon in (0.98, 0.99, 0.995):
        drawn = np.interp(epsilon, line.get_xdata(), np.log10(line.get_ydata()))
        assert drawn == pytest.approx(np.log10(-np.expm1((epsilon - 1) / 2)), abs=0.1)


def test_a_trade_off_is_not_belied_by_the_lines_between_its_points() -> None:
    ax = pictures.tradeoff(account(Pure(1), "add or remove"))
    curve = ax.get_lines()[1]
    corner = 1 / (1 + exp(1))
    assert corner <= np.interp(corner, curve.get_xdata(), curve.get_ydata()) <= corner + 0.006


def test_distances_of_zero_are_told() -> None:
    same = compare_topologies(lambda n: UNIFORM, UNIFORM, at=(1, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ax = pictures.convergence(same)
        ax.figure.savefig(BytesIO())
    assert "total variation: 0" in [t.get_text() for t in ax.get_legend().get_texts()]


def test_profiles_that_never_reach_0_or_are_0() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for event, least in ((Approximate(1, "1e-6"), 1e-6), (Pure(0), 0.0)):
            ax = pictures.profile(account(event, "add or remove"))
            ax.figure.savefig(BytesIO())
            assert min(ax.get_lines()[0].get_ydata()) == pytest.approx(least, rel=1)
