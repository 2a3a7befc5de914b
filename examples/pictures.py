"""Draws the five pictures of docs/pictures.md.

python examples/pictures.py [FOLDER]      # needs: pip install "metricdp[accounting,plots]"
"""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path

import metricdp as dp
from metricdp import pictures
from metricdp.laws import PiecewiseLaw
from metricdp.laws.distances import compare_topologies
from metricdp.measures import Gaussian, Laplace, Poisson, Repeated, account


@dp.measurement
def visits(rows: dp.Records[float], eps: float):
    return dp.laplace(dp.sum(dp.clamp(rows, 0, 20)), epsilon=eps)


@dp.measurement
def people(rows: dp.Records[float], eps: float):
    return dp.laplace(dp.count(rows), epsilon=eps)


def profile():
    """Two training runs of the same length: the noise decides."""
    ax = None
    for noise in (1, 2):
        run = Repeated(Poisson("0.01", Gaussian(noise)), 10_000)
        guarantee = account(run, "add or remove")
        ax = pictures.profile(guarantee, label=f"noise {noise}, rate 0.01, 10,000 rounds", ax=ax)
    return ax


def tradeoff():
    """Laplace noise under attack: the test "output >= t" reaches the curve exactly."""
    from metricdp.laws import LaplaceLaw

    here, there = LaplaceLaw(0, 1), LaplaceLaw(1, 1)
    points = [
        (float(here.tail(Fraction(t))[1]), float(there.cdf(Fraction(t))[1]))
        for t in (-1, 0, Fraction(1, 2), 1, 2)
    ]
    return pictures.tradeoff(account(Laplace(1), "add or remove"), points)


def audited():
    """A sum that is clamped after adding up: one row moves it by 10, and 1 is charged."""
    from metricdp import audit

    def total(rows: dp.Records[float], rng):
        return min(max(sum(rows), 0), 10) + rng.laplace(scale=5)

    verdict = audit.sampled(
        total, epsilon=1, space=dp.Records[float], samples=20_000, bits=False, name="total"
    )
    return pictures.audited(verdict)


def convergence():
    """nu_n tends to the uniform law in every topology but that of differential privacy."""

    def nu(n: int) -> PiecewiseLaw:
        near = Fraction(1, n)
        return PiecewiseLaw.of([0, near, 1], [near * near, 1 - near * near])

    uniform = PiecewiseLaw([0, 1], [1])
    return pictures.convergence(compare_topologies(nu, uniform, at=(2, 4, 8, 16, 32, 64)))


def ledger():
    """Four spends of one session."""
    session = dp.Session({"rows": (dp.Records[float], [0, 3, 1, 20, 2])}, budget=dp.Budget(1))
    for query, eps in ((visits, 0.25), (people, 0.1), (visits, 0.3), (people, 0.05)):
        session.run(query, eps=eps)
    return pictures.ledger(session.ledger)


@dp.measurement
def by_ward(visits: dp.Records[tuple[int, str], dp.Ids("0")], eps: float, rows: int):
    kept = dp.limit_rows(visits, "0", rows)
    return {w: dp.laplace(sum(1 for v in kept if v[1] == w), epsilon=eps) for w in "abcdef"}


def preview():
    """Visits that nobody made: most persons have one, and a few have fifty."""
    visits = [(p, "abcdef"[(p + k) % 6]) for p in range(300) for k in range(1 if p % 30 else 50)]
    truth = {ward: sum(1 for _, each in visits if each == ward) for ward in "abcdef"}
    return pictures.preview(by_ward.preview(visits, eps=1, rows=5).against(truth))


def main(folder: str = "docs/pictures") -> None:
    Path(folder).mkdir(parents=True, exist_ok=True)
    for draw in (profile, tradeoff, audited, convergence, ledger, preview):
        path = Path(folder) / f"{draw.__name__}.png"
        draw().figure.savefig(path, dpi=110, metadata={"Software": None})
        print(path)


if __name__ == "__main__":
    main(*sys.argv[1:])
