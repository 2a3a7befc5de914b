"""Time of checking each algorithm, in one warm process. Run: python benchmarks/case_studies.py

Goals: every algorithm, among them the case studies of Duet, in 5 ms; every training loop in 20 ms.
Each time is the median processor time of several checks of a file that holds this function alone.
Exit code 1 when a goal is missed.
"""

from __future__ import annotations

import ast
import gc
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GOAL, TRAINING_GOAL = 0.005, 0.020
REPEATS = 21


def alone(path: Path) -> dict[str, str]:
    """Every measurement of a file, in a file of its own with the rest of the module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = [
        node.name for node in tree.body if isinstance(node, ast.FunctionDef) and _checked(node)
    ]
    found = {}
    for name in names:
        body = [
            node
            for node in tree.body
            if not (isinstance(node, ast.FunctionDef) and _checked(node) and node.name != name)
        ]
        found[name] = ast.unparse(ast.Module(body, []))
    return found


def _checked(node: ast.FunctionDef) -> bool:
    return any("measurement" in ast.unparse(decorator) for decorator in node.decorator_list)


def seconds(source: str, folder: Path) -> float:
    """Median time of checking one program, which must be proved."""
    from metricdp.check import check_paths

    file = folder / "program.py"
    file.write_text(source, encoding="utf-8")
    times = []
    for _ in range(REPEATS):
        start = time.process_time()
        report = check_paths([str(file)])
        times.append(time.process_time() - start)
        if report.count("proved") != 1:
            sys.exit(f"not proved:\n{source}")
    return statistics.median(times)


def main() -> int:
    """Measures, prints, and says whether the goals are met."""
    files = [(path, GOAL) for path in sorted((ROOT / "metricdp" / "algorithms").glob("[a-z]*.py"))]
    files.append((ROOT / "examples" / "train_digits.py", TRAINING_GOAL))
    missed = []
    gc.freeze()
    with tempfile.TemporaryDirectory() as name:
        for path, goal in files:
            for function, source in alone(path).items():
                took = seconds(source, Path(name))
                print(
                    f"{function:28} {took * 1000:6.2f} ms   goal {goal * 1000:.0f} ms", flush=True
                )
                if took > goal:
                    missed.append(function)
    print("goals missed: " + ", ".join(missed) if missed else "all goals met")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
