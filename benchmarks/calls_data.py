"""Data of `benchmarks/calls.py`, as a user holds them: arrays, lists, and pandas data frames."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def pay(n: int) -> Any:
    """Numbers in [0, 120]."""
    return rng().uniform(0, 120, n)


def spread(n: int) -> Any:
    """Numbers in [0, 100] at equal distances of 100/n, in any order."""
    return (rng().permutation(n) + 0.5) * 100 / n


def pairs(n: int) -> Any:
    """Two columns about [0, 1], the second near the line 0.2 + x / 2."""
    x = rng().uniform(-0.05, 1.05, n)
    return pd.DataFrame({"x": x, "y": 0.2 + x / 2 + rng().normal(0, 0.1, n)})


def trials(n: int) -> Any:
    treated = rng().random(n) < 0.5
    return pd.DataFrame({"treated": treated, "outcome": rng().normal(5 + treated, 2, n)})


def purchases(n: int, regions: int) -> tuple[Any, tuple[int, ...]]:
    frame = pd.DataFrame({"region": rng().integers(0, regions, n), "amount": pay(n)})
    return frame, tuple(range(regions))


CITIES = tuple(f"city {k}" for k in range(20))
MOODS = ("good", "fair", "bad")


def texts(names: tuple[str, ...], n: int) -> Any:
    """A column of texts as pandas keeps them; every name occurs, when there are enough rows."""
    return pd.Series([names[i % len(names)] for i in rng().permutation(n)])


def cities(n: int) -> Any:
    return texts(CITIES, n)


def visits(n: int) -> Any:
    return pd.DataFrame({"city": cities(n), "amount": pay(n)})


def answers(n: int) -> Any:
    moods = pd.Series(rng().choice(MOODS, n))
    return pd.DataFrame({"city": cities(n), "mood": moods})


def items(n: int) -> Any:
    """Whole numbers below 10,000, of which ten are frequent, each more than the next."""
    frequent = (n - n // 10) * np.arange(11, 1, -1) // 65
    rest = rng().integers(10, 10_000, n - frequent.sum())
    return rng().permutation(np.append(rest, np.repeat(np.arange(10), frequent)))


def stays(n: int) -> Any:
    """Five rows of a person on average, in each of which the person is as many days."""
    person = rng().integers(0, max(1, n // 5), n)
    return pd.DataFrame({"person": person, "days": person % 100 / 4})


def stays_and_bills(n: int) -> Any:
    """Two tables about the same persons, half of whom are in the second one."""
    first = stays(n)
    return first, first[first["person"] < n // 10]


def words(n: int) -> Any:
    """Texts, each of them ten times."""
    return texts(tuple(f"word {k}" for k in range(max(1, n // 10))), n)


class Learning(NamedTuple):
    """Rows within the unit ball, labels in [-1, 1], and how long to learn from them."""

    rows: Any
    labels: Any
    rounds: int


def learning(n: int, columns: int, rounds: int) -> Learning:
    """A hundred rows are learned from for a few rounds: they are there to compare answers."""
    rows = rng().normal(0, 0.5, (n, columns)) / (1 + np.arange(columns))
    labels = np.clip(rows[:, 0] - rows[:, 1] + rng().normal(0, 0.1, n), -1, 1)
    return Learning(rows, labels, rounds if n > 100 else min(rounds, 5))


def digits(n: int) -> Any:
    pixels, digit = rng().integers(0, 17, (n, 64)), rng().integers(0, 10, n)
    return np.column_stack([pixels, digit]).astype(float)


def table_of_five(n: int) -> Any:
    return learning(n, 5, 0).rows


def whole(n: int) -> list[int]:
    """Whole numbers below 150."""
    found: list[int] = rng().integers(0, 150, n).tolist()
    return found
