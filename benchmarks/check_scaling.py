"""How `metricdp check` grows: every dimension of a program, doubled until it shows.

Run: python benchmarks/check_scaling.py [DIMENSION ...]

Every program is checked in a process of its own, with its JSON report made.  The table gives CPU
seconds and peak memory (beyond that of the imports) per size, and the largest factor of a doubling;
the goal is that no doubling costs more than 2.3 times where a tenth of a second is spent at all.
A program that is rejected as too large within seconds counts as answered.  Exit code 1: a goal was
missed.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

FACTOR = 2.3
#: Below this many seconds, a factor is noise.
NOTICED = 0.1
#: A program that is too large has to be rejected within so many seconds.
ANSWERED = 15
#: A program that takes longer than this is stopped.
LIMIT = int(os.environ.get("LIMIT", "60"))
HEADER = "import metricdp as dp\nfrom dataclasses import dataclass\n"
TRANSFORMATION = "\n@dp.transformation\ndef f({}):\n"
MEASUREMENT = "\n@dp.measurement\ndef f({}):\n"


def _body(head: str, parameters: str, lines: list[str], result: str) -> str:
    return HEADER + head.format(parameters) + "".join(f"    {line}\n" for line in lines) + (
        f"    return {result}\n"
    )  # fmt: skip


def functions(n: int) -> str:
    """n checked functions in one file."""
    one = (
        "\n@dp.measurement\ndef f{0}(rows: dp.Records[float], eps: float):\n"
        "    kept = dp.clamp(rows, 0, {0} + 1)\n"
        "    total = dp.laplace(dp.sum(kept), epsilon=eps / 2)\n"
        "    size = dp.laplace(dp.count(kept), epsilon=eps / 2)\n    return total / size\n"
    )
    return HEADER + "".join(one.format(i) for i in range(n))


def statements(n: int) -> str:
    """One transformation of n statements."""
    return _body(TRANSFORMATION, "x: dp.Real", [f"y{i} = {i + 2} * x" for i in range(n)], "y0")


def statements_of_measurement(n: int) -> str:
    """One measurement of n statements that add no noise."""
    return _body(MEASUREMENT, "x: dp.Real", [f"y{i} = abs({i + 2} * x)" for i in range(n)],
                 "dp.laplace(x, scale=1)")  # fmt: skip


def _helpers(n: int, step: str, first: str = "abs(a)") -> str:
    text = HEADER + f"\ndef f0(a):\n    return {first}\n"
    return text + "".join(f"\ndef f{i}(a):\n    return {step.format(i - 1)}\n"
                          for i in range(1, n + 1))  # fmt: skip


def helpers_same(n: int) -> str:
    """Helpers that call the next one twice with the same argument."""
    return _helpers(n, "f{0}(a) + f{0}(a)") + (
        f"\n@dp.transformation\ndef f(x: dp.Real):\n    return f{n}(x)\n"
    )


def helpers_different(n: int) -> str:
    """Helpers that call the next one twice with different arguments."""
    return _helpers(n, "f{0}(a) + f{0}(2 * a)") + (
        f"\n@dp.transformation\ndef f(x: dp.Real):\n    return f{n}(x)\n"
    )


def helpers_public(n: int) -> str:
    """Helpers of public numbers that call the next one twice with different arguments."""
    return _helpers(n, "f{0}(a) + f{0}(a + 1)", "a") + (
        f"\n@dp.transformation\ndef f(x: dp.Real, n: int):\n    return f{n}(n) * x\n"
    )


def helpers_noise(n: int) -> str:
    """Helpers that call the next one twice, and add noise at the end."""
    return _helpers(n, "f{0}(a) + f{0}(a)", "dp.laplace(a, scale=1)") + (
        f"\n@dp.measurement\ndef f(x: dp.Real):\n    return f{n}(x)\n"
    )


def helpers_rows(n: int) -> str:
    """Helpers that call the next one twice, called once per row."""
    return _helpers(n, "f{0}(a) + f{0}(a)") + (
        f"\n@dp.transformation\ndef f(x: dp.Vector[dp.Real, dp.L1]):\n"
        f"    return [f{n}(r) for r in x]\n"
    )


def calls_deep(n: int) -> str:
    """Helpers that call the next one once."""
    return _helpers(n, "f{0}(a)") + (
        f"\n@dp.transformation\ndef f(x: dp.Real):\n    return f{n}(x)\n"
    )


def private_parameters(n: int) -> str:
    """n private parameters, all of which are added up."""
    names = [f"x{i}" for i in range(n)]
    return _body(MEASUREMENT, ", ".join(f"{x}: dp.Real" for x in names),
                 ["t = 0", *(f"t = t + {x}" for x in names)], "dp.laplace(t, scale=1)")  # fmt: skip


def private_releases(n: int) -> str:
    """n private parameters, each released by itself."""
    names = [f"x{i}" for i in range(n)]
    return _body(MEASUREMENT, ", ".join(f"{x}: dp.Real" for x in names),
                 [f"r{i} = dp.laplace(x{i}, scale=1)" for i in range(n)], "r0")  # fmt: skip


def private_unused(n: int) -> str:
    """A transformation with n private parameters that returns all of them."""
    names = [f"x{i}" for i in range(n)]
    return _body(TRANSFORMATION, ", ".join(f"{x}: dp.Real" for x in names),
                 ["t = 0", *(f"t = t + {x}" for x in names)], "abs(t)")  # fmt: skip


def public_parameters(n: int) -> str:
    """n public parameters, each in the cost."""
    names = [f"e{i}" for i in range(n)]
    return _body(MEASUREMENT, "x: dp.Real, " + ", ".join(f"{e}: float" for e in names),
                 [f"r{i} = dp.laplace(x, epsilon=e{i})" for i in range(n)], "r0")  # fmt: skip


def sites(n: int) -> str:
    """n mechanism calls with one public parameter."""
    lines = [f"r{i} = dp.laplace(x, epsilon=eps / {i + 1})" for i in range(n)]
    return _body(MEASUREMENT, "x: dp.Real, eps: float", lines, "r0")


def sites_gaussian(n: int) -> str:
    """n Gaussian mechanism calls with literal noise."""
    return _body(MEASUREMENT, "x: dp.Real",
                 [f"r{i} = dp.gaussian(x, rho={i + 1})" for i in range(n)], "r0")  # fmt: skip


def loops_nested(n: int) -> str:
    """Public loops inside each other."""
    lines = ["t = x - x", *("    " * i + f"for i{i} in range(n):" for i in range(n))]
    return _body(TRANSFORMATION, "x: dp.Real, n: int", [*lines, "    " * n + "t = t + x"], "t")


def loops_nested_noise(n: int) -> str:
    """Public loops inside each other around a mechanism."""
    lines = ["    " * i + f"for i{i} in range(n):" for i in range(n)]
    last = "    " * n + "t = dp.laplace(x, scale=1)"
    return _body(MEASUREMENT, "x: dp.Real, n: int", ["t = 0.0", *lines, last], "t")


def loops(n: int) -> str:
    """Loops after each other."""
    lines = [line for i in range(n) for line in (f"for v{i} in x:", f"    t += {i + 1} * v{i}")]
    return _body(
        TRANSFORMATION, "x: dp.Vector[dp.Real, dp.L1], y: dp.Real", ["t = y - y", *lines], "t"
    )


def branches_private(n: int) -> str:
    """Private branches after each other."""
    lines = [
        line for i in range(n) for line in (f"if x > {i}:", f"    t = t + dp.clamp(x, 0, {i + 1})")
    ]
    return _body(TRANSFORMATION, "x: dp.Real", ["t = 0", *lines], "t")


def branches_public(n: int) -> str:
    """Public branches after each other."""
    lines = [line for i in range(n) for line in (f"if n > {i}:", f"    t = t + {i + 1} * x")]
    return _body(TRANSFORMATION, "x: dp.Real, n: int", ["t = x", *lines], "t")


def branches_returning(n: int) -> str:
    """Public branches after each other, each of which returns."""
    lines = [line for i in range(n) for line in (f"if n > {i}:", f"    return {i + 1} * x")]
    return _body(TRANSFORMATION, "x: dp.Real, n: int", lines, "x")


def branches_half_returning(n: int) -> str:
    """Branches that may return under a further condition: both sides go on."""
    lines = [
        line
        for i in range(n)
        for line in (
            f"if n > {i}:",
            f"    if n > {2 * i + 1000}:",
            "        return x",
            f"    t = t + {i} * x",
        )
    ]
    return _body(TRANSFORMATION, "x: dp.Real, n: int", ["t = x", *lines], "t")


def branches_released(n: int) -> str:
    """Branches on a released value, with noise on both sides."""
    lines = [
        line
        for i in range(n)
        for line in (
            f"if r > {i}:",
            "    s = dp.laplace(x, scale=1)",
            "else:",
            "    s = dp.laplace(x, scale=2)",
        )
    ]
    return _body(MEASUREMENT, "x: dp.Real", ["r = dp.laplace(x, scale=1)", *lines], "s")


def branches_nested(n: int) -> str:
    """Branches inside each other."""
    lines = ["t = x", *("    " * i + f"if n > {i}:" for i in range(n)), "    " * n + "t = t + x"]
    return _body(TRANSFORMATION, "x: dp.Real, n: int", lines, "t")


def elif_chain(n: int) -> str:
    """One `if` with n `elif`s."""
    lines = ["if n == 0:", "    t = x"]
    lines += [line for i in range(1, n) for line in (f"elif n == {i}:", f"    t = {i} * x")]
    return _body(TRANSFORMATION, "x: dp.Real, n: int", ["t = x", *lines], "t")


def conditionals(n: int) -> str:
    """Conditional expressions after each other on the same name."""
    return _body(TRANSFORMATION, "x: dp.Real, n: int",
                 ["t = x", *(f"t = t if n > {i} else t + x" for i in range(n))], "t")  # fmt: skip


def comprehensions(n: int) -> str:
    """Comprehensions inside each other."""
    text = "v0"
    for level in range(n):
        text = f"[{text} for v{level} in {'x' if level == n - 1 else f'[v{level + 1}]'}]"
    return _body(TRANSFORMATION, "x: dp.Vector[dp.Real, dp.L1]", [f"y = {text}"], "x")


def doublings(n: int) -> str:
    """n = n + n of a public number."""
    return _body(TRANSFORMATION, "x: dp.Real, n: int", ["n = n + n"] * n, "n * x")


def doublings_private(n: int) -> str:
    """x = x + x of a private number."""
    return _body(TRANSFORMATION, "x: dp.Real", ["x = x + x"] * n, "x")


def doublings_of_sums(n: int) -> str:
    """n = n * (n + 1) of a public number."""
    return _body(TRANSFORMATION, "x: dp.Real, n: int", ["n = n * (n + 1)"] * n, "n * x")


def maxima(n: int) -> str:
    """n = max(n, n + m) + max(m, n) of public numbers."""
    return _body(
        TRANSFORMATION,
        "x: dp.Real, n: int, m: int",
        ["n = max(n, n + m) + max(m, 2 * n)"] * n,
        "n * x",
    )


def powers(n: int) -> str:
    """n = 2 ** n of a literal."""
    return _body(TRANSFORMATION, "x: dp.Real", ["n = 2"] + ["n = 2 ** n"] * n, "n * x")


def squares(n: int) -> str:
    """n = n * n of a literal."""
    return _body(TRANSFORMATION, "x: dp.Real", ["n = 3"] + ["n = n * n"] * n, "n * x")


def strings(n: int) -> str:
    """A text of n characters, in a comparison."""
    return _body(TRANSFORMATION, "x: dp.Real", [f"t = {'a' * n!r}"], "x")


def digits(n: int) -> str:
    """A number of n digits."""
    return _body(TRANSFORMATION, "x: dp.Real", [], f"0x{'f' * n} * x")


def displays(n: int) -> str:
    """A loop over a tuple of n literals."""
    items = ", ".join(map(str, range(1, n + 1)))
    lines = ["t = x - x", f"for v in ({items},):", "    t += v * x"]
    return _body(TRANSFORMATION, "x: dp.Real", lines, "t")


def displays_noise(n: int) -> str:
    """Noise in a loop over a tuple of n literals."""
    items = ", ".join(map(str, range(1, n + 1)))
    lines = ["t = 0.0", f"for v in ({items},):", "    t = dp.laplace(x, scale=v)"]
    return _body(MEASUREMENT, "x: dp.Real", lines, "t")


def appends(n: int) -> str:
    """A list that grows by statements."""
    return _body(
        TRANSFORMATION,
        "x: dp.Real",
        ["t = []", *(f"t.append({i} * x)" for i in range(n))],
        "sum(t)",
    )


def tuples(n: int) -> str:
    """A tuple of n private numbers."""
    return _body(
        TRANSFORMATION, "x: dp.Real", [f"t = ({', '.join(f'{i + 1} * x' for i in range(n))},)"], "t"
    )


def tuples_nested(n: int) -> str:
    """t = (t, t): a tuple whose parts are shared."""
    return _body(TRANSFORMATION, "x: dp.Real", ["t = x", *["t = (t, t)"] * n], "x")


def fields(n: int) -> str:
    """A dataclass of n fields, and rows of them."""
    text = HEADER + "\n@dataclass\nclass Row:\n" + "".join(f"    a{i}: float\n" for i in range(n))
    used = " + ".join(f"dp.clamp(r.a{i}, 0, 1)" for i in range(n))
    return text + (
        "\n@dp.measurement\ndef f(rows: dp.Records[Row]):\n"
        f"    return dp.laplace(sum({used} for r in rows), scale=1)\n"
    )


def sums_long(n: int) -> str:
    """x + x + ... + x in one expression."""
    return _body(TRANSFORMATION, "x: dp.Real", [], " + ".join(["x"] * n))


def expressions_deep(n: int) -> str:
    """Calls inside each other."""
    return _body(TRANSFORMATION, "x: dp.Real", [], "abs(" * n + "x" + ")" * n)


def negations(n: int) -> str:
    """Signs in front of each other."""
    return _body(TRANSFORMATION, "x: dp.Real", [], "-" * n + "x")


DIMENSIONS: dict[str, tuple[Callable[[int], str], int, int]] = {
    # name: (program, first size, last size)
    "functions": (functions, 250, 8000),
    "statements": (statements, 625, 5000),
    "statements_of_measurement": (statements_of_measurement, 625, 5000),
    "helpers_same": (helpers_same, 5, 40),
    "helpers_different": (helpers_different, 5, 40),
    "helpers_public": (helpers_public, 5, 40),
    "helpers_noise": (helpers_noise, 5, 40),
    "helpers_rows": (helpers_rows, 5, 40),
    "calls_deep": (calls_deep, 25, 1600),
    "private_parameters": (private_parameters, 100, 800),
    "private_releases": (private_releases, 100, 800),
    "private_unused": (private_unused, 100, 800),
    "public_parameters": (public_parameters, 100, 800),
    "sites": (sites, 250, 4000),
    "sites_gaussian": (sites_gaussian, 250, 4000),
    "loops_nested": (loops_nested, 4, 16),
    "loops_nested_noise": (loops_nested_noise, 4, 16),
    "loops": (loops, 50, 800),
    "branches_private": (branches_private, 125, 1000),
    "branches_public": (branches_public, 125, 1000),
    "branches_returning": (branches_returning, 15, 1000),
    "branches_half_returning": (branches_half_returning, 4, 64),
    "branches_released": (branches_released, 125, 1000),
    "branches_nested": (branches_nested, 10, 90),
    "elif_chain": (elif_chain, 15, 1000),
    "conditionals": (conditionals, 125, 1000),
    "comprehensions": (comprehensions, 4, 64),
    "doublings": (doublings, 2500, 20000),
    "doublings_private": (doublings_private, 2500, 20000),
    "doublings_of_sums": (doublings_of_sums, 4, 64),
    "maxima": (maxima, 4, 64),
    "powers": (powers, 4, 64),
    "squares": (squares, 8, 64),
    "strings": (strings, 10**5, 10**7),
    "digits": (digits, 1000, 10**6),
    "displays": (displays, 500, 8000),
    "displays_noise": (displays_noise, 250, 4000),
    "appends": (appends, 500, 8000),
    "tuples": (tuples, 500, 8000),
    "tuples_nested": (tuples_nested, 5, 40),
    "fields": (fields, 50, 400),
    "sums_long": (sums_long, 100, 12800),
    "expressions_deep": (expressions_deep, 20, 1600),
    "negations": (negations, 100, 6400),
}


def measured(path: Path) -> tuple[float, float, int]:
    """CPU seconds, MB beyond the imports, exit code (-1: stopped at the limit) of one check."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT + 1))
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        from metricdp.apps.cli import main as check

        os._exit(check(["check", str(path), "--output-format", "json"]))
    _, status, usage = os.wait4(child, 0)
    seconds = usage.ru_utime + usage.ru_stime
    code = max(-1, os.waitstatus_to_exitcode(status))
    return seconds, usage.ru_maxrss / 1024 - pages * resource.getpagesize() / 2**20, code


def grown(name: str, folder: Path) -> bool:
    """Measures one dimension, prints its line, and says whether it meets the goal."""
    program, size, last = DIMENSIONS[name]
    cells, before, well, worst = [], 0.0, True, 0.0
    while True:
        path = folder / f"{name}_{size}.py"
        path.write_text(program(size))
        seconds, memory, code = measured(path)
        verdict = {0: "", 1: " rejected", 2: " ERROR", -1: " STOPPED"}[code]
        cells.append(f"{size}: {seconds:.2f} s {memory:.0f} MB{verdict}")
        well = well and (code == 0 or (code == 1 and seconds < ANSWERED))
        if code == 0 and seconds > NOTICED and before > NOTICED / 4:
            worst = max(worst, seconds / before)
        before = seconds
        if size >= last or code < 0:
            break
        size = min(2 * size, last)
    well = well and worst <= FACTOR
    shown = f"{'ok  ' if well else 'MISS'} {name} (largest factor {worst:.1f})"
    print(f"{shown}: {'; '.join(cells)}", flush=True)
    return well


def main() -> int:
    """Measures the dimensions that were named, or all."""
    from metricdp.primitives import load

    load()
    wanted = sys.argv[1:] or list(DIMENSIONS)
    with tempfile.TemporaryDirectory() as folder:
        missed = [name for name in wanted if not grown(name, Path(folder))]
    print("goals missed: " + ", ".join(missed) if missed else "all goals met")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
