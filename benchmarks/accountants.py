"""Certified accounting next to dp-accounting and prv-accountant, in one run.

    python -m venv peers && peers/bin/pip install dp-accounting==0.6 prv-accountant==0.2 \\
        python-flint msgspec click
    PYTHONPATH=. peers/bin/python benchmarks/accountants.py [--repeats 3] [--json FILE]

Every cell is a process of its own, so that its peak memory is its own; seconds are those of the
question, without imports, with every cache of metricdp empty, the best of the repeats.  "width" is
upper minus lower; dp-accounting's privacy loss distributions (at their default grid of 1e-4) give
an upper bound only, prv-accountant's interval leaves round-off out.  `contour` is metricdp's first
engine alone, `checked` with the second one.  Peers that are not installed are left out.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from fractions import Fraction
from time import perf_counter
from typing import Any

DELTAS = {"small": "1e-15", "tiny": "1e-30"}

#: Name -> (delta, list of (kind, parameters, rounds)).
CASES: dict[str, tuple[str, list[tuple[str, tuple[float, ...], int]]]] = {
    "1000 x Gaussian(50)": ("1e-5", [("gaussian", (50.0,), 1000)]),
    "100,000 x Gaussian(500)": ("1e-5", [("gaussian", (500.0,), 100_000)]),
    "Poisson .01, noise 1, 10,000": ("1e-5", [("poisson", (0.01, 1.0), 10_000)]),
    "256/60000, noise 1.1, 14,063": ("1e-5", [("poisson", (256 / 60000, 1.1), 14_063)]),
    "Poisson .001, noise .6, 100,000": ("1e-6", [("poisson", (0.001, 0.6), 100_000)]),
    "500 x Laplace(10)": ("1e-6", [("laplace", (10.0,), 500)]),
    "100 different mechanisms": (
        "1e-5",
        [
            *(("gaussian", (60.0 + i,), 1) for i in range(40)),
            *(("laplace", (50.0 + i,), 1) for i in range(30)),
            *(("poisson", (0.005 + 0.001 * i, 1.0 + 0.05 * i), 10) for i in range(30)),
        ],
    ),
}
CALIBRATION = "noise for epsilon 1, Poisson .01, 10,000"
NAMES = [*CASES, CALIBRATION]
TOOLS = ("contour", "checked", "dp-accounting", "prv-accountant")


def ours(case: str, checked: bool, delta: str | None = None) -> tuple[float, float]:
    """(lower, upper) of metricdp."""
    from metricdp.measures import Gaussian, Laplace, Poisson, Repeated, account, calibrate

    if case == CALIBRATION:
        found = calibrate(
            lambda noise: Repeated(Poisson(0.01, Gaussian(noise)), 10_000),
            epsilon=1, delta="1e-5", relation="add or remove",
        )  # fmt: skip
        return float(found.too_little), float(found)
    at, parts = CASES[case]
    make: dict[str, Any] = {
        "gaussian": Gaussian,
        "laplace": Laplace,
        "poisson": lambda rate, noise: Poisson(rate, Gaussian(noise)),
    }
    events = [Repeated(make[kind](*values), rounds) for kind, values, rounds in parts]
    answer = account(events, "add or remove", checked=checked).epsilon(delta or at)
    # As differences of doubles would hide a width of 1e-9 at large epsilon, the width is exact.
    return float(answer.upper) - float(answer.error), float(answer.upper)


def dp_accounting(case: str) -> tuple[float, float]:
    """(0, upper) of dp-accounting's privacy loss distributions."""
    import dp_accounting as dpa
    from dp_accounting.pld import PLDAccountant

    make: dict[str, Any] = {
        "gaussian": dpa.GaussianDpEvent,
        "laplace": dpa.LaplaceDpEvent,
        "poisson": lambda rate, noise: dpa.PoissonSampledDpEvent(rate, dpa.GaussianDpEvent(noise)),
    }
    if case == CALIBRATION:
        found = dpa.calibrate_dp_mechanism(
            PLDAccountant,
            lambda noise: dpa.SelfComposedDpEvent(make["poisson"](0.01, noise), 10_000),
            1.0, 1e-5, dpa.LowerEndpointAndGuess(1.0, 4.0), tol=1e-5,
        )  # fmt: skip
        return 0.0, float(found)
    delta, parts = CASES[case]
    accountant = PLDAccountant()
    for kind, values, rounds in parts:
        accountant.compose(make[kind](*values), rounds)
    return 0.0, float(accountant.get_epsilon(float(delta)))


def prv_accountant(case: str) -> tuple[float, float]:
    """(lower, upper) of prv-accountant with eps_error 0.01."""
    import prv_accountant as prv

    if case == CALIBRATION:
        raise NotImplementedError("no calibration of certified bounds")
    make: dict[str, Any] = {
        "gaussian": prv.GaussianMechanism,
        "laplace": prv.LaplaceMechanism,
        "poisson": prv.PoissonSubsampledGaussianMechanism,
    }
    delta, parts = CASES[case]
    accountant = prv.PRVAccountant(
        prvs=[
            make[kind](1 / values[0]) if kind == "laplace" else make[kind](*values)
            for kind, values, _ in parts
        ],
        max_self_compositions=[rounds for _, _, rounds in parts],
        eps_error=0.01,
        delta_error=float(delta) / 1000,
    )
    low, _, high = accountant.compute_epsilon(float(delta), [rounds for _, _, rounds in parts])
    return float(low), float(high)


def empty_caches() -> None:
    """As after the import."""
    for name, module in list(sys.modules.items()):
        if name.startswith("metricdp."):
            for value in list(vars(module).values()):
                clear = getattr(value, "cache_clear", None)
                if callable(clear) and getattr(value, "__name__", "") != "flint":
                    clear()


def answered(tool: str, case: str, repeats: int) -> dict[str, Any]:
    """One cell, in this process: interval, seconds, megabytes, and smaller deltas for us."""
    work: dict[str, Any] = {
        "contour": lambda: ours(case, checked=False),
        "checked": lambda: ours(case, checked=True),
        "dp-accounting": lambda: dp_accounting(case),
        "prv-accountant": lambda: prv_accountant(case),
    }
    warm = "1000 x Gaussian(50)" if case != "1000 x Gaussian(50)" else "500 x Laplace(10)"
    {
        "contour": lambda: ours(warm, checked=False), "checked": lambda: ours(warm, checked=True),
        "dp-accounting": lambda: dp_accounting(warm), "prv-accountant": lambda: None,
    }[tool]()  # fmt: skip
    times: list[float] = []
    found = (0.0, 0.0)
    for _ in range(repeats):
        empty_caches()
        start = perf_counter()
        found = work[tool]()
        times.append(perf_counter() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    result: dict[str, Any] = {
        "lower": found[0], "upper": found[1], "seconds": min(times), "megabytes": peak,
    }  # fmt: skip
    if tool == "contour" and case != CALIBRATION:
        for name, delta in DELTAS.items():
            empty_caches()
            start = perf_counter()
            result[name] = [*ours(case, False, delta), perf_counter() - start]
        result["relative"] = relative_width(case)
    return result


def relative_width(case: str) -> float:
    """Width of delta over itself, where delta is about 1e-30."""
    from metricdp.measures import Gaussian, Laplace, Poisson, Repeated, account

    make: dict[str, Any] = {
        "gaussian": Gaussian,
        "laplace": Laplace,
        "poisson": lambda rate, noise: Poisson(rate, Gaussian(noise)),
    }
    events = [Repeated(make[kind](*values), rounds) for kind, values, rounds in CASES[case][1]]
    guarantee = account(events, "add or remove", checked=False)
    delta = guarantee.delta(Fraction(guarantee.epsilon("1e-30").upper))
    return float(delta.error / delta.upper)


def cell(tool: str, case: str, repeats: int) -> dict[str, Any]:
    """One cell, in a process of its own."""
    done = subprocess.run(
        [sys.executable, __file__, "--cell", tool, case, "--repeats", str(repeats)],
        capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode:
        return {"failed": done.stderr.strip().splitlines()[-1:]}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    """Print one block per case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--cell", nargs=2, metavar=("TOOL", "CASE"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.cell:
        print(json.dumps(answered(*arguments.cell, arguments.repeats)))
        return
    table: dict[str, dict[str, Any]] = {}
    for case in NAMES:
        print(case)
        table[case] = {}
        for tool in TOOLS:
            repeats = arguments.repeats if tool in ("contour", "checked") else 1
            found = table[case][tool] = cell(tool, case, repeats)
            if "failed" in found:
                print(f"   {tool:15} {' '.join(found['failed'])[:90]}")
                continue
            low, high = found["lower"], found["upper"]
            width = f"width {high - low:.1e}" if low else "upper bound only"
            line = f"   {tool:15} {low:12.7f} {high:12.7f}   {width:18}"
            print(f"{line} {found['seconds']:9.4f} s {found['megabytes']:6.0f} MB")
            for name, delta in DELTAS.items():
                if name in found:
                    a, b, seconds = found[name]
                    print(f"      at {delta:6}   {a:12.7f} {b:12.7f}   width {b - a:.1e}"
                          f"       {seconds:9.4f} s")  # fmt: skip
            if "relative" in found:
                print(f"      delta near 1e-30: relative width {found['relative']:.1e}")
        theirs, mine = table[case]["dp-accounting"], table[case]["contour"]
        if "seconds" in theirs and "seconds" in mine:
            both = table[case]["checked"].get("seconds")
            also = f", {theirs['seconds'] / both:.1f} with the check" if both else ""
            print(f"   ratio to dp-accounting: {theirs['seconds'] / mine['seconds']:.1f}{also}")
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(table, file, indent=1)


if __name__ == "__main__":
    main()
