"""The rows of `benchmarks/calls.py`: a call, its data, the same without privacy, and a target.

`ours` takes the data and a budget, so that the test of this table can ask for next to no noise and
compare with `plain`; the benchmark runs at a budget of 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import Any

import calls_chains as chains
import calls_data as data
import calls_plain as plain
import calls_programs as programs
import numpy as np
import pandas as pd
from calls_chains import SCALE, Chain, by_our_names, noise, one_draw
from calls_data import CITIES, MOODS
from calls_plain import train_digits

from metricdp import algorithms


@dataclass(frozen=True)
class Call:
    """One row of the table.

    Attributes:
        data: number of rows -> data.
        ours: data, budget -> released value.
        plain: the same statistic without privacy, in one way or several: the fastest counts.
        target: the largest ratio of our time to the yardstick's; infinite where there is none.
        share: rows of this call for each row that the command line asks for.
        peer: OpenDP's way to the release; it is then the yardstick in place of `plain`.
        limit: seconds that one call may take, where that is the target.
        memory: whether the peak of memory is measured too.
        growth: whether the time is measured at every power of ten too.
        off: how far, absolutely, `ours` at next to no noise may be from `plain`.
    """

    name: str
    data: Callable[[int], Any]
    ours: Callable[[Any, float], Any]
    plain: tuple[Callable[[Any], Any], ...]
    target: float = inf
    share: float = 1
    peer: Chain | None = None
    limit: float | None = None
    memory: bool = False
    growth: bool = False
    off: float = 1e-6


def released(program: Any, *public: Any, budget: str = "eps", **named: Any) -> Any:
    """The call of a program on one set of data."""
    return lambda d, b: program(d, *public, **named, **{budget: b}).value


def learned(program: Any, *public: Any, **named: Any) -> Any:
    return lambda d, b: program((d.rows, d.labels), *public, rounds=d.rounds, **named, rho=b).value


ZEROS = (0.0,) * 10


def clipped(x: Any) -> Any:
    return np.clip(x, 0, 100).sum()


COLUMNS = [
    Call("clamp, sum: array", data.pay, released(programs.total), (clipped,), 1.1, share=10,
         memory=True, growth=True),
    Call("clamp, sum: data frame column", lambda n: pd.Series(data.pay(n)),
         released(programs.total), (lambda x: clipped(x.to_numpy()), clipped), 1.1, share=10),
    Call("clamp, sum: list", lambda n: data.pay(n).tolist(), released(programs.total),
         (clipped,), 3, share=10, memory=True),
    Call("filter, clamp, sum", data.pay, released(programs.filtered_total),
         (lambda x: clipped(x[x > 50]),), 1.5),
    Call("count of a predicate", data.pay, released(programs.high_rows),
         (lambda x: np.count_nonzero(x > 50),), 1.5),
    Call("products: loop", data.pairs, released(programs.products_by_loop),
         (plain.total_of_clipped,), 1.5, memory=True, growth=True),
    Call("products: comprehension", data.pairs, released(programs.products_by_comprehension),
         (plain.total_of_products,), 1.5),
    Call("variance: by hand", data.pay, released(programs.variance_by_hand),
         (lambda x: np.clip(x, 0, 100).var(),), 1.5),
    Call("variance: dp.variance", data.pay, released(programs.variance),
         (lambda x: np.clip(x, 0, 100).var(ddof=1),), 1.5),
    Call("covariance of 5 columns", data.table_of_five,
         released(programs.covariance, budget="rho"),
         (plain.moments, plain.moments_by_numpy), 1.5, memory=True),
    Call("slope and intercept", data.pairs, released(programs.slope_and_intercept),
         (plain.line,), 1.5),
    Call("filter then mean", data.pairs, released(programs.filter_then_mean),
         (plain.mean_where,), 1.5, memory=True, growth=True),
    Call("A/B ratio", data.trials, released(programs.ratio), (plain.mean_ratio,), 1.5),
]  # fmt: skip

GROUPS = [
    *(
        Call(f"{k:,} group sums", partial(data.purchases, regions=k),
             lambda d, b: programs.group_sums(*d, eps=b).value,
             (plain.sums_by_bincount, plain.sums_by_pandas), 2, memory=k == 16, growth=k == 16)
        for k in (16, 1000)
    ),
    Call("means by a key of texts", data.visits, released(programs.means_by_city, CITIES),
         (plain.means_by_pandas, plain.means_by_codes), 2),
    Call("histogram of 1,000 bins", data.pay, released(programs.histogram),
         (plain.bins_by_count, plain.bins_by_edges), 2, memory=True),
    Call("categories of texts", data.cities, released(programs.categories, CITIES),
         (plain.counts_of,), 2),
    Call("cross table", data.answers, released(programs.cross_table, CITIES, MOODS),
         (plain.cross_by_pandas, plain.cross_by_codes), 2),
]  # fmt: skip

CHOICES = [
    # The release lies between two neighbouring rows, which are 100/n apart.
    Call("median", data.spread, released(programs.median), (partial(plain.quantiles, 0.5),), 1.5,
         memory=True, growth=True, off=1.01),
    Call("nine quantiles", data.spread, released(programs.deciles),
         (partial(plain.quantiles, np.arange(1, 10) / 10),), 1.5, off=1.01),
    Call("top 10 of 10,000 items", data.items, released(programs.top_ten), (plain.ten_most,), 1.5),
    Call("stable histogram, n/10 keys", data.words,
         released(programs.frequent_words, delta=1e-9),
         (lambda x: x.value_counts().to_dict(),), 1.5, memory=True),
]  # fmt: skip

# No ratio is promised here; memory is.
PERSONS = [
    Call("three rows of a person, sum", data.stays, released(programs.days_of_three_rows),
         (plain.first_three_rows,), memory=True, growth=True),
    Call("sums of persons", data.stays, released(programs.days_of_persons),
         (plain.sums_of_persons,), memory=True, growth=True),
    Call("persons of two tables", data.stays_and_bills,
         lambda d, b: programs.persons_with_bills(*d, eps=b).value,
         (plain.persons_in_both,), memory=True, growth=True),
]  # fmt: skip

KINDS = (
    ("discrete Laplace", programs.discrete_laplace, int, "l1", 60),
    ("discrete Gaussian", programs.discrete_gaussian, int, "l2", 40),
    ("Laplace", programs.laplace, float, "l1", 100),
    ("Gaussian", programs.gaussian, float, "l2", 100),
)

NOISE = [
    call
    for name, program, kind, norm, faster in KINDS
    for chain in [noise(kind, norm)]
    for call in (
        *(
            Call(f"{name} noise, scale {times * SCALE:,.0f}: checked",
                 lambda n, t=kind: data.pay(n).astype(t),
                 lambda d, b, p=program, s=times * SCALE: p(d, scale=s / b).value,
                 (np.asarray,), 1 / faster, peer=noise(kind, norm, times))
            for times in (1, 1000)
        ),
        Call(f"{name} noise: OpenDP's names", lambda n, t=kind: data.pay(n).astype(t).tolist(),
             by_our_names(chain), (np.asarray,), 1 / faster, peer=chain),
    )
]  # fmt: skip

CHAINS = [
    replace(call, name=f"{call.name}: {size}", share=share, target=target)
    for call in (
        Call("quantile scores, noisy max", lambda n: data.spread(n).tolist(),
             by_our_names(chains.median_choice), (plain.nearest_to_median,),
             peer=chains.median_choice),
        Call("resize, mean", lambda n: data.pay(n).tolist(),
             by_our_names(chains.mean_of_resized), (lambda d: np.clip(d, 0, 100).mean(),),
             peer=chains.mean_of_resized),
        Call("tree of counts", data.whole, by_our_names(chains.tree), (plain.levels,),
             peer=chains.tree),
        Call("count by categories", lambda n: data.cities(n).tolist(),
             by_our_names(chains.city_counts), (lambda d: plain.counts_of(pd.Series(d)),),
             peer=chains.city_counts),
    )
    for size, share, target in (("few", 1e-5, 1), ("some", 1e-3, 1), ("many", 1, 0.2))
]  # fmt: skip

LEARNING = [
    Call("logistic regression, 100 rounds", partial(data.learning, columns=10, rounds=100),
         learned(algorithms.logistic_regression, ZEROS, rate=1.0), (plain.logistic,), 4,
         share=0.02),
    Call("k-means, 5 centres, 10 rounds", partial(data.learning, columns=5, rounds=10),
         lambda d, b: algorithms.clusters(
             d.rows, tuple(tuple(map(float, row)) for row in d.rows[:5]), rounds=d.rounds, rho=b
         ).value, (plain.k_means,), 4, share=0.1),
    Call("Frank-Wolfe, 10 rounds", partial(data.learning, columns=10, rounds=10),
         lambda d, b: algorithms.frank_wolfe(
             (d.rows, d.labels), ZEROS, 2.0, rounds=d.rounds, eps=b
         ).value, (plain.lasso,), 4, share=0.02),
    Call("ridge, 10 rounds", partial(data.learning, columns=10, rounds=10),
         lambda d, b: algorithms.ridge_regression(
             np.column_stack([d.rows, d.labels]), rounds=d.rounds, rate=1.0, decay=0.1,
             radius=2.0, rho=b,
         ).value, (plain.ridge,), 4, share=0.02),
    Call("PCA of 10 columns", partial(data.learning, columns=10, rounds=0),
         lambda d, b: np.abs(algorithms.principal_components(d.rows, radius=1.0, rho=b).value),
         (plain.components,), 4, share=0.02, off=1e-4),
    # A gradient is a call of Python for each record: no target, what batches are measured against.
    Call("digits, one record at a time", data.digits,
         lambda d, b: train_digits.train(
             d, train_digits.start(), q=1.0, rounds=3, sigma=1 / b, rate=1.0,
             expected=float(len(d)),
         ).value, (plain.trained,), share=0.001),
    Call("digits, gradients in batches", data.digits,
         lambda d, b: programs.train_in_batches(
             d, train_digits.start(), q=1.0, rounds=3, sigma=1 / b, rate=1.0,
             expected=float(len(d)),
         ).value, (plain.trained_by_gradients,), 4, share=0.001),
]  # fmt: skip

SMALL = [
    Call("small: mean", data.pay, released(programs.mean), (lambda x: np.clip(x, 0, 100).mean(),),
         share=0.001, limit=0.0005),
    Call("small: count of a predicate", data.pay, released(programs.high_rows),
         (lambda x: np.count_nonzero(x > 50),), share=0.001, limit=0.0005),
    Call("small: categories", data.cities, released(programs.categories, CITIES),
         (plain.counts_of,), share=0.001, limit=0.0005),
    *(
        Call(f"small: one draw, {name}", lambda n, t=kind: t(7),
             by_our_names(chain), (np.asarray,), 1, share=1e-6,
             peer=chain, limit=0.0005)
        for name, _, kind, norm, _ in KINDS
        for chain in [one_draw(kind, norm)]
    ),
]  # fmt: skip

TABLE = [*COLUMNS, *GROUPS, *CHOICES, *PERSONS, *NOISE, *CHAINS, *LEARNING, *SMALL]
