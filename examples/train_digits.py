"""A small neural network on handwritten digits, trained by a program whose privacy is proved.

Two programs train the same network (64 pixels, 40 hidden units, 10 digits) by noisy clipped
gradients.  `train` samples each record with probability q in every round, and its guarantee is for
one record added or removed; `train_replaced` samples b records without replacement, and its
guarantee is for one record replaced.  The gradient of one record is a black box: any Python that
sees one record and the released weights.  What is charged, and what runs, follows from the program:
the clipping norm, the noise, the sampling scheme and the public denominator.

    python examples/train_digits.py            # trains at epsilon 1, 3 and 8, and prints accuracies
"""

from __future__ import annotations

import sys
import time
from typing import Annotated

import numpy as np

import metricdp as dp
from metricdp import L2, ChangeOne, Data, LInf

DELTA = 1e-5


@dp.black_box(returns=Annotated[dp.Vector[Data, LInf], dp.Size(3010)])
def gradient(record, weights):
    """Gradient of the cross-entropy at one record: 64 pixels in 0 .. 16, then the digit."""
    x = np.asarray(record[:-1]) / 16
    first, bias, second, last = layers(np.asarray(weights))
    hidden = np.tanh(x @ first + bias)
    scores = hidden @ second + last
    chances = np.exp(scores - scores.max())
    chances /= chances.sum()
    chances[int(record[-1])] -= 1
    back = (second @ chances) * (1 - hidden * hidden)
    outer = np.outer(x, back).ravel(), back, np.outer(hidden, chances).ravel(), chances
    return np.concatenate(outer)


@dp.measurement
def train(
    records: dp.Records[dp.Vector[Data, LInf]],
    weights: np.ndarray,
    q: float,
    rounds: int,
    sigma: float,
    rate: float,
    expected: float,
):
    """Poisson samples; `expected` is the expected batch size: the real one is private."""
    for _ in range(rounds):
        batch = dp.sample(records, q=q)
        total = 0.0
        for record in batch:
            total = total + dp.undisc(dp.clip(gradient(record, weights), L2))
        weights = weights - rate * dp.gaussian(total, scale=sigma) / expected
    return weights


@dp.measurement
def train_replaced(
    records: dp.Records[dp.Vector[Data, LInf], ChangeOne],
    weights: np.ndarray,
    b: int,
    rounds: int,
    sigma: float,
    rate: float,
):
    """Samples of b records without replacement: the batch size is public."""
    for _ in range(rounds):
        batch = dp.sample(b, records)
        total = 0.0
        for record in batch:
            total = total + dp.undisc(dp.clip(gradient(record, weights), L2))
        weights = weights - rate * dp.gaussian(total, scale=sigma) / b
    return weights


def layers(weights):
    """Weights and biases of both layers, of shapes (64, 40), (40,), (40, 10), (10,)."""
    return (
        weights[:2560].reshape(64, 40),
        weights[2560:2600],
        weights[2600:3000].reshape(40, 10),
        weights[3000:],
    )


def start(seed=0):
    """Public random weights to start from."""
    rng = np.random.default_rng(seed)
    first, second = rng.normal(0, 1 / 8, 2560), rng.normal(0, 1 / 6, 400)
    return np.concatenate([first, np.zeros(40), second, np.zeros(10)])


def accuracy(weights, records):
    """Share of the records whose digit gets the largest score."""
    first, bias, second, last = layers(np.asarray(weights))
    scores = np.tanh(records[:, :-1] / 16 @ first + bias) @ second + last
    return float((scores.argmax(axis=1) == records[:, -1]).mean())


def digits():
    """1,437 records to learn from and 360 to test on: 64 pixels and the digit."""
    from sklearn.datasets import load_digits

    data = load_digits()
    records = np.column_stack([data.data, data.target]).astype(float)
    shuffled = records[np.random.default_rng(0).permutation(len(records))]
    return shuffled[360:], shuffled[:360]


def main() -> None:
    records, test = digits()
    q, rounds, weights = 0.25, 60, start()
    print(f"{len(records)} records, tested on {len(test)}; delta = {DELTA}")
    print("one record added or removed, Poisson samples:")
    for sigma, rate in ((7.5, 2.0), (2.95, 4.0), (1.42, 6.0)):
        began = time.perf_counter()
        spent = train.spent(DELTA, q=q, rounds=rounds, sigma=sigma)
        released = train(
            records, weights, q=q, rounds=rounds, sigma=sigma, rate=rate, expected=q * len(records)
        )
        _show(spent, accuracy(released.value, test), began)
    print("one record replaced, samples without replacement:")
    # Samples of a quarter cost about as much noise per round as all records do; all take part.
    b, rounds = len(records), 30
    for sigma, rate in ((44.0, 2.0), (17.0, 5.0), (6.5, 4.0)):
        began = time.perf_counter()
        known = {"b": b, "rounds": rounds, "sigma": sigma, "len_records": len(records)}
        spent = train_replaced.spent(DELTA, **known)
        released = train_replaced(records, weights, b=b, rounds=rounds, sigma=sigma, rate=rate)
        _show(spent, accuracy(released.value, test), began)


def _show(spent, score, began) -> None:
    took = time.perf_counter() - began
    print(
        f"   epsilon {float(spent.epsilon):6.3f} ({spent.rule})   "
        f"test accuracy {score:.3f}   {took:.1f} s"
    )
    sys.stdout.flush()


if __name__ == "__main__":
    main()
