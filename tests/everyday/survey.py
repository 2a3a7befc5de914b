"""Checks the first version of every program beside this file, and compares costs with `truth.toml`.

    python tests/everyday/survey.py                the table and the counts
    python tests/everyday/survey.py --full         with every message in full
    python tests/everyday/survey.py 036 079        some programs only

Nothing is expected here: it says what happens.  A program counts as proved at its true cost when
the verdict is "proved" and the ratio of the cost to the truth (or to the finer truth) is 1.
"""

from __future__ import annotations

import math
import sys
import time
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

from metricdp.check import check_paths
from metricdp.diagnostics.result import CheckOptions, CheckReport, FunctionReport

HERE = Path(__file__).parent
#: Of wall time, generous: other work on the machine is no property of a program.
SECONDS = 60.0
MEANING = {"add_remove": ("added or removed",), "replace": ("replaced", "changed", "of one row")}
#: Costs proved since that are below the cost by hand, and attained.
BELOW_BY_HAND = {
    # By hand: 3 eps, whatever `stop` is.
    "043_private_tuning": "eps + 2*log(1 + exp(-eps)/10) - 2*log(1/10 + exp(-eps))",
}
FUNCTIONS = {
    "log": math.log,
    "exp": math.exp,
    "sqrt": math.sqrt,
    "tanh": math.tanh,
    "Max": max,
    "Min": min,
    "Abs": abs,
    "ceiling": math.ceil,
    "floor": math.floor,
    "oo": math.inf,
    "pi": math.pi,
}


def number(text: str, values: dict[str, float]) -> float | None:
    """An expression of a report at public numbers; None where it cannot be read."""
    try:
        return float(eval(text.replace("^", "**"), {"__builtins__": {}}, FUNCTIONS | values))
    except Exception:
        return None


def claimed(function: FunctionReport) -> dict[str, str]:
    """Measure -> cost, of the dearest private input (all programs have one)."""
    for found in function.inputs:
        if found.private and found.privacy:
            return dict(found.privacy)
    return {}


def ratio(name: str, truth: dict[str, Any], costs: dict[str, str]) -> tuple[str, str]:
    """The cost in numbers, and how many times the truth it is."""
    values = {name: float(value) for name, value in truth.get("set", {}).items()}
    for measure in ("epsilon", "rho"):
        if measure in truth and measure in costs:
            found, true = number(costs[measure], values), number(truth[measure], values)
            if found is None or not true:
                return costs[measure], "cannot be read"
            tighter = truth.get("tighter") or BELOW_BY_HAND.get(name)
            finer = number(tighter, values) if tighter else None
            if finer and math.isclose(found, finer, rel_tol=1e-9):
                return f"{measure} {found:.6g}", "1 (finer)"
            times = f"{found / true:.6g}"
            lost = number(costs.get("delta", "0"), values)
            allowed = number(truth.get("delta", "0"), values)
            if lost is None or allowed is None or lost > allowed * (1 + 1e-9):
                times += f", delta {costs['delta']}"
            return f"{measure} {found:.6g}", times
    return ", ".join(f"{k} {v}" for k, v in costs.items()) or "none", "other measure"


def survey(name: str, truth: dict[str, Any]) -> dict[str, Any]:
    """What check says of one program."""
    asked = {key: str(value) for key, value in truth.get("set", {}).items()}
    options = CheckOptions(set=asked, timeout=SECONDS)
    started = time.process_time()
    row: dict[str, Any] = {"name": name, "truth": truth, "messages": []}
    try:
        report: CheckReport = check_paths([str(HERE / f"{name}.py")], options)
    except Exception as error:
        return row | {"verdict": "crashed", "code": type(error).__name__, "first": str(error)}
    finally:
        row["seconds"] = time.process_time() - started
    errors = [found for found in report.diagnostics if found.severity == "error"]
    row["messages"] = list(report.diagnostics)
    function = next((f for f in report.functions if f.name == truth["function"]), None)
    if function is None:
        row["verdict"] = "not found"
    else:
        row["verdict"] = function.verdict
        row["requires"] = list(function.requires)
        row["unit"] = "; ".join(i.unit for i in function.inputs if i.private)
    if any(found.code == "internal-error" for found in errors):
        row["verdict"] = "crashed"
    if row["verdict"] == "proved" and function is not None:
        row["costs"] = claimed(function)
        row["cost"], row["ratio"] = ratio(name, truth, row["costs"])
    elif errors:
        row["code"], row["line"], row["first"] = (
            errors[0].code,
            errors[0].span.line,
            errors[0].message,
        )
        row["codes"] = [found.code for found in errors]
    return row


def group(row: dict[str, Any]) -> str:
    """Where a program is counted."""
    unsafe = row["truth"].get("truth") == "unsafe"
    if row["verdict"] == "proved":
        if unsafe:
            return "UNSAFE BUT PROVED"
        return "proved, true cost" if row["ratio"] in ("1", "1 (finer)") else "proved, other cost"
    if row["verdict"] in ("rejected", "refuted"):
        return f"unsafe, {row['verdict']}" if unsafe else f"safe, {row['verdict']}"
    return str(row["verdict"])


def cell(text: object) -> str:
    """Text of one cell of a table."""
    return str(text).replace("|", "\\|").replace("\n", " ")


def main(arguments: list[str]) -> None:
    """Prints the table."""
    full = "--full" in arguments
    chosen = [a for a in arguments if not a.startswith("-")]
    truths = tomllib.loads((HERE / "truth.toml").read_text(encoding="utf-8"))
    rows = [
        survey(name, truth)
        for name, truth in truths.items()
        if not chosen or any(name.startswith(c) for c in chosen)
    ]
    print("| program | group | claimed | truth | ratio | code | first message | s |")
    print("|---|---|---|---|---|---|---|---|")
    for row in rows:
        truth = row["truth"]
        true = truth.get("epsilon") or (f"rho {truth['rho']}" if "rho" in truth else "unsafe")
        true += "" if truth.get("sure", True) else " (not sure)"
        said = f"{row['line']}: {row['first']}" if "line" in row else row.get("first", "")
        line = (row["name"], group(row), row.get("cost", ""), true, row.get("ratio", ""),
                row.get("code", ""), said, f"{row['seconds']:.1f}")  # fmt: skip
        print("| " + " | ".join(map(cell, line)) + " |")
        if full:
            for found in row["messages"]:
                print(f"    {found.severity}[{found.code}] line {found.span.line}: {found.message}")
                print(f"        need: {found.need}\n        help: {found.help}")
            print(f"    costs {row.get('costs')} requires {row.get('requires')} {row.get('unit')}")
        wanted = MEANING[truth["neighbours"]]
        if row.get("unit") and not any(words in row["unit"] for words in wanted):
            print(f"    neighbours: {row['unit']}, not {truth['neighbours']}")
    print()
    for name, count in Counter(map(group, rows)).most_common():
        print(f"{count:4} {name}")
    print("\nfirst codes of safe programs that were rejected:")
    codes = Counter(row.get("code", "") for row in rows if group(row).startswith("safe"))
    for code, count in codes.most_common():
        names = [row["name"][:3] for row in rows
                 if group(row).startswith("safe") and row.get("code", "") == code]  # fmt: skip
        print(f"{count:4} {code}: {' '.join(names)}")


if __name__ == "__main__":
    main(sys.argv[1:])
