"""The statistics of `benchmarks/calls.py` without privacy, in NumPy and pandas: the yardsticks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from calls_data import CITIES, MOODS, Learning
from calls_programs import gradients

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))
import train_digits


def total_of_products(d: Any) -> Any:
    return np.clip(d["x"].to_numpy() * d["y"].to_numpy(), 0, 1).sum()


def total_of_clipped(d: Any) -> Any:
    return np.dot(np.clip(d["x"].to_numpy(), 0, 1), np.clip(d["y"].to_numpy(), 0, 1))


def moments(rows: Any) -> Any:
    x = np.clip(rows, -1, 1)
    mean = x.mean(axis=0)
    return (x.T @ x / len(x) - np.outer(mean, mean)).ravel()


def moments_by_numpy(rows: Any) -> Any:
    return np.cov(np.clip(rows, -1, 1), rowvar=False, bias=True).ravel()


def line(d: Any) -> Any:
    x, y = np.clip(d["x"].to_numpy(), 0, 1), np.clip(d["y"].to_numpy(), 0, 1)
    mean_x, mean_y = x.mean(), y.mean()
    slope = (x @ y / len(x) - mean_x * mean_y) / (x @ x / len(x) - mean_x**2)
    return slope, mean_y - slope * mean_x


def mean_where(d: Any) -> Any:
    return np.clip(d["y"].to_numpy()[d["x"].to_numpy() > 0.5], 0, 1).mean()


def first_three_rows(d: Any) -> Any:
    return d.groupby("person")["days"].head(3).sum()


def sums_of_persons(d: Any) -> Any:
    return d.groupby("person")["days"].sum().clip(0, 50).sum()


def persons_in_both(d: Any) -> Any:
    stays, bills = d
    return stays["person"][stays["person"].isin(bills["person"])].nunique()


def mean_ratio(d: Any) -> Any:
    treated, outcome = d["treated"].to_numpy(), np.clip(d["outcome"].to_numpy(), 0, 10)
    return outcome[treated].mean() / outcome[~treated].mean()


def sums_by_bincount(d: Any) -> Any:
    frame, regions = d
    kept = np.clip(frame["amount"].to_numpy(), 0, 100)
    return np.bincount(frame["region"].to_numpy(), kept, minlength=len(regions))


def sums_by_pandas(d: Any) -> Any:
    frame, regions = d
    found = frame["amount"].clip(0, 100).groupby(frame["region"]).sum()
    return found.reindex(regions, fill_value=0.0).to_numpy()


def means_by_pandas(d: Any) -> Any:
    return d["amount"].clip(0, 100).groupby(d["city"]).mean().reindex(CITIES).to_numpy()


def means_by_codes(d: Any) -> Any:
    codes, found = pd.factorize(d["city"])
    totals = np.bincount(codes, np.clip(d["amount"].to_numpy(), 0, 100))
    return pd.Series(totals / np.bincount(codes), list(found)).reindex(CITIES).to_numpy()


def bins_by_count(x: Any) -> Any:
    return np.bincount((10 * np.clip(x, 0, 99.99)).astype(np.int64), minlength=1000)


def bins_by_edges(x: Any) -> Any:
    return np.histogram(np.clip(x, 0, 99.99), np.arange(1001) / 10)[0]


def counts_of(column: Any) -> Any:
    return column.value_counts().reindex(CITIES, fill_value=0).to_numpy()


def cross_by_pandas(d: Any) -> Any:
    found = d.groupby(["city", "mood"]).size().unstack(fill_value=0)
    return found.reindex(index=CITIES, columns=MOODS, fill_value=0).to_numpy()


def cross_by_codes(d: Any) -> Any:
    cities = pd.Categorical(d["city"], CITIES).codes.astype(np.int64)
    codes = cities * len(MOODS) + pd.Categorical(d["mood"], MOODS).codes
    return np.bincount(codes, minlength=len(CITIES) * len(MOODS)).reshape(len(CITIES), -1)


def quantiles(shares: Any, x: Any) -> Any:
    ordered = np.sort(x)
    return ordered[np.minimum((np.asarray(shares) * len(x)).astype(int), len(x) - 1)]


def ten_most(x: Any) -> Any:
    counts = np.bincount(x, minlength=10_000)
    best = np.argpartition(-counts, 10)[:10]
    return best[np.argsort(-counts[best], kind="stable")]


def unit_ball(rows: Any) -> Any:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1)


def logistic(d: Learning) -> Any:
    x, y, weights = unit_ball(d.rows), np.clip(d.labels, 0, 1), np.zeros(d.rows.shape[1])
    for _ in range(d.rounds):
        weights -= x.T @ (1 / (1 + np.exp(-(x @ weights))) - y) / len(x)
    return weights


def k_means(d: Learning) -> Any:
    x, centres = unit_ball(d.rows), np.array(d.rows[:5])
    for _ in range(d.rounds):
        mine = (x @ centres.T - (centres * centres).sum(axis=1) / 2).argmax(axis=1)
        for j in range(len(centres)):
            centres[j] = x[mine == j].sum(axis=0) / max((mine == j).sum(), 1)
        centres /= np.maximum(np.linalg.norm(centres, axis=1, keepdims=True), 1)
    return centres


def lasso(d: Learning) -> Any:
    x, y = np.clip(d.rows, -1, 1), np.clip(d.labels, -1, 1)
    columns = x.shape[1]
    weights = np.zeros(columns)
    for step in range(d.rounds):
        residual = np.clip(x @ weights - y, -1, 1)
        total = x.T @ residual
        corner = int(np.argmax(np.append(-total, total)))
        vertex = np.zeros(columns)
        vertex[corner % columns] = 2.0 if corner < columns else -2.0
        weights += 2 / (step + 2) * (vertex - weights)
    return weights


def ridge(d: Learning) -> Any:
    x, y = unit_ball(d.rows), np.clip(d.labels, -1, 1)
    weights = np.zeros(x.shape[1])
    for _ in range(d.rounds):
        weights *= min(1, 2 / max(float(np.linalg.norm(weights)), 1e-300))
        weights = weights - (x.T @ (x @ weights - y) / len(x) + 0.1 * weights)
    return weights


def components(d: Learning) -> Any:
    x = unit_ball(d.rows)
    return np.abs(np.flip(np.linalg.eigh(x.T @ x)[1], 1))


def trained(records: Any) -> Any:
    """The loop of `examples/train_digits.py` on whole batches, without noise."""
    weights = train_digits.start()
    for _ in range(3):
        first, bias, second, last = train_digits.layers(weights)
        x = records[:, :-1] / 16
        hidden = np.tanh(x @ first + bias)
        scores = hidden @ second + last
        chances = np.exp(scores - scores.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        chances[np.arange(len(x)), records[:, -1].astype(int)] -= 1
        back = (chances @ second.T) * (1 - hidden * hidden)
        squares = (1 + (x * x).sum(axis=1)) * (back * back).sum(axis=1)
        squares += (1 + (hidden * hidden).sum(axis=1)) * (chances * chances).sum(axis=1)
        share = 1 / np.maximum(np.sqrt(squares), 1)[:, None]
        back, chances = back * share, chances * share
        parts = (x.T @ back).ravel(), back.sum(axis=0), (hidden.T @ chances).ravel()
        weights = weights - np.concatenate([*parts, chances.sum(axis=0)]) / len(x)
    return weights


def trained_by_gradients(records: Any) -> Any:
    """The same with a gradient per record, 128 records at a time."""
    weights = train_digits.start()
    for _ in range(3):
        total = np.zeros(len(weights))
        for start in range(0, len(records), 128):
            found = gradients._function(records[start : start + 128], weights)
            found *= (1 / np.maximum(np.sqrt((found * found).sum(axis=1)), 1))[:, None]
            total += found.sum(axis=0)
        weights = weights - total / len(records)
    return weights


def levels(d: Any) -> Any:
    """The counts of 0 .. 126 and of all others, below their sums by two, by four, ..."""
    level = np.bincount(np.minimum(d, 127), minlength=128)
    found = [level]
    while len(level) > 1:
        level = level.reshape(-1, 2).sum(axis=1)
        found.insert(0, level)
    return np.concatenate(found)


def nearest_to_median(d: Any) -> int:
    """Among 0, 1, ..., 100: the position is the number."""
    return round(float(np.median(d)))
