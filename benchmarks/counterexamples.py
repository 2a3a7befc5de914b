"""Time to a counterexample for every mutated map of every rule.

Run: python benchmarks/counterexamples.py

Goal: each refutation within 1 s. Mutants that are equal to the right map at every attainable
distance survive; they are counted and not timed. Exit code 1 above the goal.
"""

from __future__ import annotations

import inspect
import statistics
import sys
import time

from metricdp.audit.records import attack_record, conclusion_of, moves_of
from metricdp.audit.wrong_maps import mutants
from metricdp.primitives import load
from metricdp.record import REGISTRY

GOAL_S = 1.0


def main() -> int:
    """Attacks every mutant, prints the distribution of times, and says whether the goal is met."""
    load()
    times: list[tuple[float, str]] = []
    survived = 0
    for record in REGISTRY.values():
        variadic = any(
            p.kind is inspect.Parameter.VAR_POSITIONAL
            for p in inspect.signature(record.rule).parameters.values()
        )
        if record.kind == "mechanism" or variadic:
            continue
        for number, instance in enumerate(record.instances()):
            conclusion = conclusion_of(record, instance)
            if conclusion.space is None or instance.tight == "unknown":
                continue
            moves = [moves_of(conclusion, name) for name in instance.private]
            for name, change in {k: v for m in moves for k, v in mutants(m).items()}.items():
                start = time.perf_counter()
                result = attack_record(record, instance, 0, 100, change)
                if result.refuted:
                    times.append((time.perf_counter() - start, f"{record.name}-{number} {name}"))
                else:
                    survived += 1
    slowest, which = max(times)
    median = statistics.median(t for t, _ in times)
    print(f"{len(times)} mutants refuted: median {1000 * median:.1f} ms, slowest {slowest:.2f} s")
    print(f"slowest: {which}; {survived} not refuted in 100 pairs (see tests/laws/test_mutants.py)")
    return 0 if slowest <= GOAL_S else 1


if __name__ == "__main__":
    sys.exit(main())
