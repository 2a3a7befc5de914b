"""Random programs over rows with fields: comprehensions, filters, loops with branches, helpers.

Their rows compute with extremes, so that bounds have to be enforced; `plain` programs do not, so
that rows in columns and rows one by one have to agree.
"""

from __future__ import annotations

from random import Random

HEADER = """from dataclasses import dataclass
from typing import Annotated

import metricdp as dp
from metricdp import ChangeOne, Size


@dataclass
class R:
    a: Annotated[float, dp.Bounds(-3, 7)]
    k: Annotated[int, dp.Bounds(-2, 5)]
    u: float
    n: int
    s: str
    b: bool


"""
FLOATS, INTEGERS = ("a", "u"), ("k", "n")
#: Constants that lose what stands beside them, or leave the doubles.
_EXTREME = (
    "9007199254740994.0", "1e300", "-1e300", "1e30", "1e-300", "0.1", "2**62", "2**63", "3**41",
    "10**19", "-2**53",
)  # fmt: skip
_TEXTS = ("'x'", "'y'", "'long text'", "''")


class Rows:
    """Writes one program; the function is called f, of `rows` and a public integer c >= 1."""

    def __init__(self, seed: int | str, plain: bool) -> None:
        self.rng, self.plain = Random(f"rows {seed}"), plain
        self.locals: list[str] = []
        self.fresh = 0
        #: Whether the helper is written, which knows no name of f, and does not call itself.
        self.inside = False

    def program(self) -> str:
        """The source text."""
        space = self.rng.choice(
            ["dp.Records[R]", "dp.Records[R, ChangeOne]", "Annotated[dp.Records[R, ChangeOne], "
             "Size(4)]", "dp.Records[R, dp.Hamming]", "dp.Records[R, dp.InsertDelete]"]
        )  # fmt: skip
        helper = self._helper()
        lines, results = [], []
        for i in range(self.rng.randint(1, 3)):
            kind = self.rng.choice(["_loop", "_loop", "_made", "_filtered", "_parts", "_keyed"])
            lines += getattr(self, kind)(f"t{i}")
            several = kind in ("_parts", "_keyed")
            results.append(f"t{i}" if several else f"dp.laplace(t{i}, scale=1)")
        body = "\n".join(f"    {line}" for line in lines)
        return (
            f"{HEADER}{helper}\n\n@dp.measurement\ndef f(rows: {space}, c: int):\n"
            f"{body}\n    return {', '.join(results)}\n"
        )

    def _helper(self) -> str:
        self.inside = True
        lines = self._block(self.rng.randint(0, 2), "    ")
        text = "\n".join(["def g(r, lo=-1, hi=2):", *lines, f"    return {self._bounded(2)}"])
        self.inside, self.locals = False, []
        return text

    # -- what is done with all rows

    def _loop(self, name: str) -> list[str]:
        """Rounds that add to names."""
        outer, self.locals = self.locals, []
        body = self._block(self.rng.randint(0, 2), "    ")
        added = self._added(name)
        self.locals = outer
        return [f"{name} = 0", f"for r in {self._source()}:", *body, *added]

    def _added(self, name: str) -> list[str]:
        one, two = self._bounded(2), self._bounded(1)
        test = self._test(1)
        return self.rng.choice([
            [f"    {name} += {one}"],
            [f"    {name} += {one}", f"    {name} -= {two}"],
            [f"    if {test}:", f"        {name} += {one}"],
            [f"    if {test}:", f"        {name} += {one}", "    else:",
             f"        {name} -= {two}"],
            [f"    {name} = {name} + ({one} if {test} else {two})"],
            [f"    {name} += {test}"],
        ])  # fmt: skip

    def _made(self, name: str) -> list[str]:
        """A comprehension, bounded, and summed."""
        one = self._bounded(2)
        tests = "".join(f" if {self._test(1)}" for _ in range(self.rng.choice([0, 0, 1, 2])))
        rows = f"[{one} for r in {self._source()}{tests}]"
        total = self.rng.choice([
            f"dp.sum({rows})", f"dp.sum({rows})", f"dp.sum(dp.clamp({rows}, -1, 1))",
            f"dp.mean(dp.clamp({rows}, -1, 2), empty=0)", f"sum({rows})",
            f"dp.sum([dp.clamp(z * z, 0, 3) for z in {rows}])",
            f"dp.sum([z if z > 1 else 1 for z in {rows}])",
        ])  # fmt: skip
        return [f"{name} = {total}"]

    def _filtered(self, name: str) -> list[str]:
        return [
            f"{name} = "
            + self.rng.choice([
                f"dp.count([r for r in rows if {self._test(2)}])",
                f"dp.count(lambda r: {self._test(2)}, rows)",
                f"len([r for r in rows if {self._test(2)}])",
            ])
        ]  # fmt: skip

    def _parts(self, name: str) -> list[str]:
        """Sums over the rows of every public key."""
        key, keys = self.rng.choice(
            [("r.s", "'x', 'y', ''"), ("r.k", "0, 1, 3"), ("r.n", "0, 7, -1"), ("r.b", "True, 0"),
             ("r.k % 3", "2, 0"), ("r.a", "0, 2.5, 7")]
        )  # fmt: skip
        loop = [f"    {line}" for line in self._loop("q")]
        more = [f"    q += dp.count([r for r in p if {self._test(1)}])"]
        return [
            f"{name} = []",
            f"for p in dp.partition(rows, key=lambda r: {key}, keys=({keys})):",
            *(line.replace("in rows", "in p") for line in loop),
            *(more if self.rng.random() < 0.5 else []),
            f"    {name}.append(dp.laplace(q, scale=1))",
        ]

    def _keyed(self, name: str) -> list[str]:
        """The same sum for several public values of a field."""
        field, keys = self.rng.choice(
            [("r.s", "'x', 'y', ''"), ("r.k", "0, 1, 3"), ("r.n", "0, 7, -1"), ("r.k", "2.5, 1.0")]
        )
        test = f"{field} == v" + (f" and {self._test(0)}" if self.rng.random() < 0.4 else "")
        rows = f"[{self._bounded(2)} for r in rows if {test}]"
        return [f"{name} = [dp.laplace(dp.sum({rows}), scale=1) for v in ({keys})]"]

    def _source(self) -> str:
        if self.rng.random() < 0.7:
            return "rows"
        return f"[r for r in rows if {self._test(1)}]"

    # -- what is done with one row

    def _block(self, count: int, indent: str) -> list[str]:
        lines: list[str] = []
        for _ in range(count):
            name, kind = f"z{self.fresh}", self.rng.randrange(5)
            self.fresh += 1
            if kind < 2 or not self.locals:
                lines.append(f"{indent}{name} = {self._number(2)}")
                self.locals.append(name)
            elif kind == 2:
                held = self.rng.choice(self.locals)
                lines += [f"{indent}if {self._test(1)}:", f"{indent}    {held} = {self._number(1)}"]
                if self.rng.random() < 0.5:
                    lines += [f"{indent}else:", f"{indent}    {held} = {held} - {self._number(0)}"]
            elif kind == 3:
                held = self.rng.choice(self.locals)
                lines += [
                    f"{indent}for j{self.fresh} in range(3):",
                    f"{indent}    {held} = {held} * 0.5 + j{self.fresh}",
                ]
            else:
                lines += [
                    f"{indent}{name} = [{self._number(1)}, {self._number(0)}]",
                    f"{indent}if {self._test(1)}:",
                    f"{indent}    {name}[0] = {self._number(0)}",
                    f"{indent}{name} = {name}[0] - {name}[1]",
                ]
                self.locals.append(name)
        return lines

    def _bounded(self, depth: int) -> str:
        """A number of which check knows a range."""
        a, lo = self._number(depth), self.rng.choice([-3, -1, 0, "0.1", "-0.3", 2])
        hi = self.rng.choice([2, 3, "2.5", "10/3", "hi" if self.inside else "c + 2"])
        forms = [
            f"dp.clamp({a}, {lo}, {hi})", f"dp.clamp({a}, {lo}, {hi})", f"min(max({a}, {lo}), 3)",
            f"(1.0 if {self._test(1)} else dp.clamp({a}, {lo}, 2))", "r.a", "r.k", "r.a * r.k",
            "(r.a + 1e16) - 1e16", "r.a / 3", "0.1 * r.a * r.k", "r.a - 0.1 * r.k", "r.k ** 2",
            "r.a ** 2", "(r.k + 9007199254740993.0) - 9007199254740992", "abs(r.a)", "r.b + r.k",
            f"dp.clamp({a}, {lo}, {hi}) * r.k", f"dp.clamp({a}, {lo}, 2) / 7", "r.k // 3",
            "r.k % 3",
        ]  # fmt: skip
        if self.plain:
            forms = [f for f in forms if "e16" not in f and "900" not in f]
        if not self.inside and depth == 2 and self.rng.random() < 0.5:
            return f"g(r, {self.rng.randint(-3, 0)}, {self.rng.randint(1, 4)})"
        return self.rng.choice(forms)

    def _number(self, depth: int) -> str:
        leaves = ["r.a", "r.k", "r.u", "r.n", *self.locals * 2, str(self.rng.randint(-3, 4))]
        leaves += ["lo"] if self.inside else ["c"]
        if not self.plain:
            leaves += [self.rng.choice(_EXTREME)] * 2
        if depth <= 0 or self.rng.random() < 0.2:
            return self.rng.choice(leaves)
        a, b = self._number(depth - 1), self._number(depth - 1)
        lo = self.rng.randint(-5, 1)
        forms = [
            f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"(r.u * {a} / {b})", f"(-{a})",
            f"abs({a})",
            f"max({a}, {b})", f"min({a}, {b})", f"({a} if {self._test(depth - 1)} else {b})",
            f"dp.clamp({a}, {lo}, {lo + 4})",
        ]  # fmt: skip
        if not self.plain:
            # Public numbers by 0 raise, as in Python.
            divisor = self.rng.choice(["3", "-7", "0.3", "2**64", "1e-300", "-1e300"])
            forms += [
                f"(r.u * {a} // {divisor})", f"({a} % {divisor})", f"dp.sqrt({a})",
                f"dp.exp({a})", f"dp.log({a})",
                f"dp.floor({a})", f"dp.round({a})", f"({a} ** 2)", f"dp.sin({a})", f"dp.tanh({a})",
                f"dp.ceil({a})", f"max({a}, {b}, 1)",
            ]  # fmt: skip
        return self.rng.choice(forms)

    def _test(self, depth: int) -> str:
        lo = self.rng.randint(-2, 3)
        forms = [
            "r.b", "not r.b", f"r.s == {self.rng.choice(_TEXTS)}", "r.s != 'x'", f"r.k > {lo}",
            f"r.k == {lo}", f"r.n < {lo}", f"r.a > {lo}.5", f"r.u <= {lo}", "r.k == r.n",
            f"{lo} < r.k <= 4", "r.a < r.u", "r.u == r.k",
        ]  # fmt: skip
        if depth > 0:
            one, two = self._test(depth - 1), self._test(depth - 1)
            forms += [f"({one} and {two})", f"({one} or {two})", f"not ({one})"] * 2
            forms += [f"{self._number(depth)} > {self._number(0)}"]
        return self.rng.choice(forms)
