"""Real data for the algorithms, from the wheels of statsmodels and scikit-learn."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np


@cache
def visits() -> Any:
    """Doctor visits in 20,190 person-years of the RAND Health Insurance Experiment."""
    from statsmodels.datasets import randhie

    return randhie.load_pandas().data["mdvis"].to_numpy(dtype=float)


@cache
def health() -> list[str]:
    """Self-rated health in the same person-years, as words."""
    from statsmodels.datasets import randhie

    table = randhie.load_pandas().data
    words = np.full(len(table), "excellent", dtype=object)
    for column, word in (("hlthg", "good"), ("hlthf", "fair"), ("hlthp", "poor")):
        words[table[column].to_numpy() == 1] = word
    return [str(word) for word in words]


@cache
def marriages() -> Any:
    """6,366 answers to a survey of 1974: eight columns about a marriage, in units of their maximum.

    Rows are divided by the square root of 8, so that none is longer than 1.
    """
    from statsmodels.datasets import fair

    table = fair.load_pandas().data
    columns = table.drop(columns="affairs").to_numpy(dtype=float)
    return columns / columns.max(axis=0) / np.sqrt(columns.shape[1])


@cache
def affairs() -> Any:
    """Whether the same people had an affair: 1 or 0."""
    from statsmodels.datasets import fair

    return (fair.load_pandas().data["affairs"].to_numpy() > 0).astype(int)


@cache
def diabetes() -> tuple[Any, Any]:
    """442 patients: ten columns, rows of length at most 1, labels in [-1, 1]."""
    from sklearn.datasets import load_diabetes

    rows, labels = load_diabetes(return_X_y=True)
    rows = rows / np.linalg.norm(rows, axis=1).max()
    centred = labels - 175
    return rows, centred / 175


@cache
def flowers() -> tuple[Any, Any]:
    """150 irises: four lengths, centred at (5, 3, 3, 1) cm and within the unit ball; species."""
    from sklearn.datasets import load_iris

    rows, species = load_iris(return_X_y=True)
    return (rows - np.array([5.0, 3.0, 3.0, 1.0])) / 6, species
