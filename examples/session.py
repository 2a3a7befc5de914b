"""Questions about the RAND Health Insurance Experiment, one budget for one person's years.

20,190 person-years, at most five per person: the unit of the session is a person, so every table
moves by 5. Questions are asked one after the other; the ledger says what is left. Run:
`python examples/session.py`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from statsmodels.datasets import randhie

import metricdp as dp
from metricdp.errors import BudgetError, TrackedError

sys.path.insert(0, str(Path(__file__).resolve().parent))


def main() -> None:
    from visits import mean_visits

    table = randhie.load_pandas().data
    session = dp.Session(
        {
            "visits": (dp.Records[float], table["mdvis"].to_numpy(dtype=float)),
            "poor": (dp.Records[bool], table["hlthp"].to_numpy(dtype=bool)),
        },
        unit=dp.Unit("one person, followed for at most 5 years", visits=5, poor=5),
        budget=dp.Budget(epsilon=2),
    )
    print("A checked function, at the distance of the unit:")
    print(session.run(mean_visits, eps=0.1), end="\n\n")

    print("Tracked values: each operation says how far one person moves its result.")
    visits = session["visits"]
    total = dp.sum(dp.clamp(visits, 0, 20))
    often = dp.count(lambda v: v >= 10, visits)
    print(repr(total))
    print(repr(often))
    print(dp.laplace(often, epsilon=0.05), end="\n\n")

    print("What has no rule is refused:")
    for wrong in (lambda: float(total), lambda: np.median(visits)):
        try:
            wrong()
        except TrackedError as error:
            print(f"  {error.fact}")

    print("\nSo is what does not fit, before data are read:")
    try:
        dp.laplace(total, epsilon=1)
    except BudgetError as error:
        print(f"  {error}", end="\n\n")

    print("An answer that was released already is free:")
    print(session.run(mean_visits, eps=0.1), end="\n\n")
    print(session.ledger)


if __name__ == "__main__":
    main()
