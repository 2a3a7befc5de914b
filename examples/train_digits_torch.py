"""`train_digits.py` with a PyTorch network as the black box: any framework, one record at a time.

The network is an ordinary `torch.nn.Sequential` with tanh units, and its gradient at one record is
a black box for the checker.  The training programs are those of `train_digits.py`; what they spend
is proved before anything runs, and does not depend on what torch computes.

    pip install 'metricdp[demo,torch]'
    python examples/train_digits_torch.py      # two to three minutes

This example is not part of the test suite, which needs no torch.
"""

from __future__ import annotations

import sys
import time
from typing import Annotated

import numpy as np
import torch
from train_digits import digits

import metricdp as dp
from metricdp import L2, ChangeOne, Data, LInf

DELTA = 1e-5


def network():
    """64 pixels, 40 hidden units, 10 digits: 3,010 weights."""
    return torch.nn.Sequential(torch.nn.Linear(64, 40), torch.nn.Tanh(), torch.nn.Linear(40, 10))


@dp.black_box(returns=Annotated[dp.Vector[Data, LInf], dp.Size(3010)])
def gradient(record, weights):
    """Gradient of the cross-entropy at one record: 64 pixels in 0 .. 16, then the digit."""
    row = torch.tensor(record, dtype=torch.float64)
    flat = torch.tensor(weights, requires_grad=True)
    loss = torch.nn.functional.cross_entropy(scores(flat, row[:-1])[None], row[-1:].long())
    (slope,) = torch.autograd.grad(loss, flat)
    return slope


def scores(flat, pixels):
    """Scores of the ten digits; `flat` holds the weights of both layers, one after the other."""
    first, bias, second, last = flat.split([2560, 40, 400, 10])
    hidden = torch.tanh(first.reshape(40, 64) @ (pixels / 16) + bias)
    return second.reshape(10, 40) @ hidden + last


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


def start(seed=0):
    """Public random weights to start from, in the order of `network().parameters()`."""
    torch.manual_seed(seed)
    parts = [p.detach().ravel() for p in network().parameters()]
    return torch.cat(parts).double().numpy()


def accuracy(weights, records):
    """Share of the records whose digit gets the largest score, by the network itself."""
    model = network().double()
    torch.nn.utils.vector_to_parameters(torch.tensor(np.array(weights)), model.parameters())
    with torch.no_grad():
        found = model(torch.tensor(records[:, :-1] / 16)).argmax(dim=1).numpy()
    return float((found == records[:, -1]).mean())


def main() -> None:
    torch.set_num_threads(1)  # one record is too little work for several
    records, test = digits()
    q, rounds, weights = 0.25, 60, start()
    print(f"{len(records)} records, tested on {len(test)}; delta = {DELTA}")
    print("one record added or removed, Poisson samples:")
    for sigma, rate in ((8.1, 2.0), (3.2, 4.0), (1.6, 6.0)):
        began = time.perf_counter()
        spent = train.spent(DELTA, q=q, rounds=rounds, sigma=sigma)
        released = train(
            records, weights, q=q, rounds=rounds, sigma=sigma, rate=rate, expected=q * len(records)
        )
        show(spent, accuracy(released.value, test), began)
    print("one record replaced, samples without replacement:")
    b, rounds = len(records), 30
    for sigma, rate in ((44.0, 2.0), (17.0, 5.0), (6.5, 4.0)):
        began = time.perf_counter()
        known = {"b": b, "rounds": rounds, "sigma": sigma, "len_records": len(records)}
        spent = train_replaced.spent(DELTA, **known)
        released = train_replaced(records, weights, b=b, rounds=rounds, sigma=sigma, rate=rate)
        show(spent, accuracy(released.value, test), began)


def show(spent, score, began) -> None:
    """One line per run: what it spent, the rule that bounds it, and what it learned."""
    took = time.perf_counter() - began
    print(
        f"   spent epsilon {float(spent.epsilon):6.3f}, delta {DELTA} ({spent.rule})   "
        f"test accuracy {score:.3f}   {took:.1f} s"
    )
    sys.stdout.flush()


if __name__ == "__main__":
    main()
