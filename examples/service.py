"""A service: several analysts ask at once, within limits that renew, and one question is approved.

The ledger is a file here; `python examples/service.py postgresql://host/database` uses a server,
which hosts share.  Run: `python examples/service.py`.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import metricdp as dp
from metricdp.errors import ApprovalError, BudgetError

sys.path.insert(0, str(Path(__file__).resolve().parent))
DATASET = "visits-2026"


async def main(ledger: str) -> None:
    from visits import mean_visits

    counted: Counter[str] = Counter()  # what a service gives to its metrics

    def events(event: Any) -> None:
        counted[event.kind] += 1
        sys.stdout.write(f"  log: {event}\n")  # in one piece: questions end in threads

    visits = [float(i % 9) for i in range(5000)]
    with dp.Session(
        {"visits": (dp.Records[float], visits)}, budget=dp.Budget(epsilon=6), dataset=DATASET,
        ledger=ledger, events=events, data_key=b"the owner's, kept elsewhere",
    ) as session:  # fmt: skip
        for limit in (
            dp.Limit(epsilon=2, per="month"),
            dp.Limit(epsilon=1, analyst="ann", per="month"),
            dp.Limit(epsilon=2, analyst="ben"),
            dp.Limit(epsilon=0.5, per="question", approvers=("carl",)),
        ):
            session.ledger.limit(DATASET, limit, by="dora")
        ann, ben = session.asked_by("ann", "report"), session.asked_by("ben", "audit")

        print("Asked at once; equal questions are paid for once:")
        await asyncio.gather(
            ann.run_async(mean_visits, eps=0.25), ben.run_async(mean_visits, eps=0.25),
            ben.run_async(mean_visits, eps=0.5),
        )  # fmt: skip

        print("\nBefore it is asked:", ann.cost(mean_visits, eps=1.5))
        try:
            await ann.run_async(mean_visits, eps=1.5)
        except BudgetError as error:
            print("Refused:", error)

        print("\nAbove the limit per question it waits:")
        try:
            await ben.run_async(mean_visits, eps=0.75)
        except ApprovalError as error:
            session.ledger.approve(DATASET, error.row, by="carl")
        print(await ben.run_async(mean_visits, eps=0.75))

        print("\n" + str(session.ledger))
        print("\nmetrics:", dict(counted))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else str(Path(folder) / "ledger.db")))
