"""Random programs whose helpers call each other several times, often with the same arguments."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from types import SimpleNamespace
from typing import Any

HEADER = "import metricdp as dp\n\n"


class Helpers:
    """One program: `source`, and what plain Python makes of it."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(f"helpers {seed}")
        self.levels = self.rng.randint(2, 4)
        text = "".join(self.helper(level) for level in range(self.levels))
        lines = [f"    r{i} = {self.rng.choice(['x', 'y', 'x - y'])}" for i in range(2)]
        lines += [line for _ in range(self.rng.randint(2, 5)) for line in self.statement()]
        text += "@dp.transformation\ndef program(x: dp.Real, y: dp.Real, n: int):\n"
        self.source = HEADER + text + "\n".join(lines) + "\n    return r0 - r1\n"

    def helper(self, level: int) -> str:
        """`def h{level}(a, b)`; it calls those below it."""
        choose = self.rng.choice
        body = [f"    s = {self.call(level, ('a', 'b')) if level else 'a - b'}"]
        for _ in range(self.rng.randint(0, 2)):
            again = self.call(level, ("a", "b")) if level else choose(["abs(a)", "2 * b", "a"])
            body += choose([
                [f"    s = s + {again}"], [f"    s = s - {again}"],
                ["    if a > 1:", f"        s = {again}"],
                ["    if dp.clamp(a, 0, 3) > 1:", "        s = dp.clamp(a, 0, 3)",
                 "    else:", f"        s = {again} - s"],
                ["    for i in range(3):", f"        s = s + {again}"],
                [f"    s = dp.clamp(s, {self.rng.randint(-3, 0)}, 2)"], ["    s = abs(s)"],
            ])  # fmt: skip
        return f"def h{level}(a, b):\n" + "\n".join(body) + "\n    return s\n\n"

    def call(self, level: int, names: tuple[str, ...]) -> str:
        """A call of a helper below `level`."""
        inner = self.rng.randrange(level)
        forms = [*names, *names, f"2 * {names[0]}", f"{names[0]} - {names[1]}", "1"]
        return f"h{inner}({self.rng.choice(forms)}, {self.rng.choice(forms)})"

    def statement(self) -> list[str]:
        """A statement of the program on r0 and r1."""
        rng = self.rng
        r = f"r{rng.randrange(2)}"
        value = self.call(self.levels, ("x", "y", "r0", "r1")[: rng.choice([2, 4])])
        forms = [[f"    {r} = {value}"], [f"    {r} = {r} + {value}"]]
        test = rng.choice(["x > 0", "n > 2", "dp.clamp(y, -1, 1) > 0", "x > 1"])
        forms.append([f"    if {test}:", f"        {r} = {value}", "    else:",
                      f"        {r} = {self.call(self.levels, ('x', 'y'))}"])  # fmt: skip
        forms.append(["    for i in range(2):", f"        {r} = {r} + {value}"])
        return rng.choice(forms)

    def evaluate(self, x: Fraction, y: Fraction, n: int) -> Fraction:
        """What plain Python computes, with exact fractions."""
        dp = SimpleNamespace(
            transformation=lambda f: f, Real=None, clamp=lambda v, lo, hi: min(max(v, lo), hi)
        )
        space: dict[str, Any] = {"dp": dp}
        exec(self.source.replace(HEADER, ""), space)
        return Fraction(space["program"](x, y, n))
