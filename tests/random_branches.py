"""Random programs whose branches know something: ranges, division, functions in pieces."""

from __future__ import annotations

from random import Random

from random_programs import Generator


class BranchGenerator(Generator):
    """Writes programs that mostly branch on what they then compute with."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.rng = Random(f"branches {seed}")

    def statement(self, indent: str) -> list[str]:
        """One statement."""
        kind = self.rng.choice(["narrow", "narrow", "narrow", "pieces", "pieces", "other"])
        if kind == "other" or self.depth:
            return super().statement(indent)
        return self._narrow(indent) if kind == "narrow" else self._pieces(indent)

    def _subject(self, indent: str) -> tuple[list[str], str]:
        """A new name for a number, often bounded, that a branch will ask about."""
        name = self._new()
        inside = self.rng.choice([*self.names, self.scalar(1)])
        if self.integers and self.rng.random() < 0.5:
            inside = self.rng.choice(self.integers)
        lo = self.rng.randint(-6, 0)
        value = self.rng.choice(
            [inside, f"dp.clamp({inside}, {lo}, {lo + self.rng.randint(1, 9)})"]
        )
        return [f"{indent}{name} = {value}"], name

    def _narrow(self, indent: str) -> list[str]:
        """A branch that uses what its condition says: division, small remainders, other ranges."""
        if self.depth:
            return self._assign(indent)
        lines, s = self._subject(indent)
        c, op = self.rng.randint(-3, 4), self.rng.choice(["<", "<=", ">", ">=", "=="])
        test = f"{s} {op} {c}"
        if self.rng.random() < 0.2:
            test = f"not ({test})"
        elif self.rng.random() < 0.45:
            other = f"{s} {self.rng.choice(['<', '>'])} {c + self.rng.randint(-3, 3)}"
            if self.rng.random() < 0.3:
                other = self.condition()
            test = f"{test} {self.rng.choice(['and', 'or'])} {other}"
        out = self._new()
        uses = [
            s, f"-{s}", f"({s} - {c})", f"abs({s})", f"({s} * {s})", str(c), f"max({s}, {c - 1})",
            f"dp.clamp({s}, {c - 2}, {c + 3})", f"(1 / (1 + abs({s})))",
            f"(1 / max(1, {s} - {c} + 1))", f"(1 / ({s} * {s} + 1))", f"min({s}, {c + 4})",
            f"(dp.clamp({s}, {c - 2}, {c + 3}) * {s})", f"(2 * {s} + {c})",
        ]  # fmt: skip
        one, two = self.rng.choice(uses), self.rng.choice(uses)
        after = [f"{indent}{out} = {out} + {s}"] if self.rng.random() < 0.3 else []
        self.names += [out, s]
        if self.rng.random() < 0.3:
            return [*lines, f"{indent}{out} = {one} if {test} else {two}", *after]
        inner = [f"{indent}    {out} = {one}"]
        if self.rng.random() < 0.3:
            inner = [
                f"{indent}    if {s} {self.rng.choice(['<', '>='])} {self.rng.randint(-4, 5)}:",
                f"{indent}        {out} = {one}",
                f"{indent}    else:",
                f"{indent}        {out} = {self.rng.choice(uses)}",
            ]
        return [*lines, f"{indent}if {test}:", *inner, f"{indent}else:",
                f"{indent}    {out} = {two}", *after]  # fmt: skip

    def _pieces(self, indent: str) -> list[str]:
        """A function in pieces, which mostly meet where the condition turns."""
        if self.depth:
            return self._assign(indent)
        s, lines = self.rng.choice([*self.names, "1"]), []
        if self.rng.random() < 0.4 or s == "1":
            lines, s = self._subject(indent)
            self.names.append(s)
        c, m, out = self.rng.randint(-2, 3), self.rng.randint(-2, 2), self._new()
        d = c + self.rng.randint(1, 4)
        k = [self.rng.randint(-3, 3) for _ in range(3)]
        off = [0, 0, 0, 0, 1, -1]
        first = f"{k[0]} * ({s} - {c}) + {m}"
        middle = f"{k[1]} * ({s} - {c + self.rng.choice(off)}) + {m + self.rng.choice(off)}"
        last = f"{k[2]} * ({s} - {d}) + {k[1] * (d - c) + m + self.rng.choice(off)}"
        less, more = self.rng.choice(["<", "<="]), self.rng.choice([">", ">="])
        self.names.append(out)
        if self.rng.random() < 0.5:
            chosen = f"{first} if {s} {less} {c} else {middle}"
            return [*lines, f"{indent}{out} = {chosen}"]
        return [
            *lines, f"{indent}if {s} {less} {c}:", f"{indent}    {out} = {first}",
            f"{indent}elif {s} {more} {d}:", f"{indent}    {out} = {last}",
            f"{indent}else:", f"{indent}    {out} = {middle}",
        ]  # fmt: skip
