"""Random programs with operations on public values where private data decide whether they run.

Each program is a place (a private branch, a function of rows, a loop over records, a helper that is
called there, ...) around an expression of parameters, literals and a released number.  `PUBLIC` are
arguments that most operations fail on, and `DATA` are data that lead to the place and data that do
not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import inf, nan
from random import Random
from typing import Any

HEAD = """import math
import numpy as np
import metricdp as dp
from metricdp import Bool, Int, Real, Records
"""
PARAMETERS = (
    "n: int, f: float, t: str, b: bool, ws: tuple[float, ...], ks: tuple[int, ...], "
    "ts: tuple[str, ...], u: dict"
)
#: Parameter -> what it is called with.
PUBLIC: dict[str, tuple[Any, ...]] = {
    "n": (0, 1, -1, 2, 3, -7, 64, 10**400, -(10**400)),
    "f": (0.0, 1.5, -2.0, 5e-324, 1.7e308, -1.7e308, 1, 10**400),
    "t": ("", "a", "5", "nan", "1e999", "x" * 40),
    "b": (False, True),
    "ws": ((), (0.0,), (nan, inf, -1.0), (10**400, 1.5, -inf), (Fraction(1, 3),)),
    "ks": ((), (0,), (3, -1, 10**400)),
    "ts": ((), ("",), ("a", "b", "5")),
    "u": ({}, {"a": 1}),
}
#: Private arguments: those that lead to a place, and neighbours of them that do not.
DATA: tuple[tuple[float, bool, tuple[float, ...]], ...] = (
    (0.0, False, ()), (10.0, True, (10.0,)), (10.0, False, (0.0, 10.0)), (0.0, True, (1.0,)),
)  # fmt: skip

#: Statements before a `return`; E is the expression, Y what is released.
PLACES: dict[str, str] = {
    "branch": "if x > 3:\n    z = E\n    y = 1.0",
    "other side": "if x > 3:\n    y = 1.0\nelse:\n    z = E",
    "early": "if x > 3:\n    z = E\n    y = 1.0\nelif flag:\n    z = E",
    "ternary": "y = (1.0 if (E) == 1 else 0.5) if x > 3 else 0.0",
    "and": "y = 1.0 if x > 3 and (E) == 1 else 0.0",
    "or": "y = 1.0 if flag or (E) == 1 else 0.0",
    "not": "y = 1.0 if x > 3 and not (E) else 0.0",
    "chain": "y = 1.0 if 0 < x - 3 < (E) else 0.0",
    "element": "y = dp.sum([dp.clamp(v, 0, 1) if (E) == 1 else 0.0 for v in rows])",
    "filter": "y = dp.count([v for v in rows if v > 3 if (E) == 1])",
    "generator": "y = sum(dp.clamp(v, 0, 1) * (1.0 if (E) == 1 else 0.5) for v in rows)",
    "loop": "for v in rows:\n    z = E\n    y += dp.clamp(v, 0, 1)",
    "branch of a loop": "for v in rows:\n    if v > 3:\n        z = E\n        y += 1",
    "function": "def g(v):\n    z = E\n    return dp.clamp(v, 0, 1)\ny = dp.sum(dp.map(g, rows))",
    "lambda": "y = dp.count(lambda v: (E) == 1, rows)",
    "helper": "def h(k):\n    z = E\n    return 1.0\nif x > 3:\n    y = h(n)",
    "helper of rows": "def h(k):\n    return 1.0 if (E) == 1 else 0.5\n"
    "y = dp.sum([dp.clamp(v, 0, 1) * h(2) if v > 3 else 0.0 for v in rows])",
    "while": "if x > 3:\n    i = 0\n    while i < 2:\n        z = E\n        i += 1\n    y = 1.0",
    "rounds": "if flag:\n    for i in range(3):\n        z = E\n    y = 1.0",
    "append": "if x > 3:\n    zs = []\n    zs.append(E)\n    y = 1.0",
    "unpacked": "if x > 3:\n    one, two = (E, 1)\n    y = 1.0",
    "taken apart": "if x > 3:\n    one, two = W\n    y = 1.0",
    "rest": "if x > 3:\n    one, *more = W\n    y = 1.0",
    "state": "if x > 3:\n    s = 1\n    for i in range(2):\n        s = s + (E)\n    y = 1.0",
    "text": "y = 1.0 if x > 3 and f'{E}' == 'a' else 0.0",
    "public branch": "if x > 3:\n    if E:\n        y = 1.0\n    else:\n        y = 1.0",
    "mixed": "y = dp.clamp(x + (E), 0, 1) if x > 3 else 0.0",
    "mixed factor": "y = dp.sum([dp.clamp(v * (E), 0, 1) for v in rows])",
    "mixed divisor": "y = dp.sum([dp.clamp(v / (E), 0, 1) for v in rows])",
    "mixed floor": "y = dp.sum([dp.clamp(v // (E), 0, 1) for v in rows])",
    "mixed bound": "y = dp.sum([dp.clamp(dp.clamp(v, 0, (E)), 0, 1) for v in rows])",
    "mixed equal": "y = dp.count([v for v in rows if v == (E)])",
    "mixed order": "y = dp.count([v for v in rows if v < (E)])",
    "mixed bool": "y = dp.clamp(dp.sum([(v > 3) * (E) for v in rows]), 0, 1)",
    "mixed rounds": "for v in rows:\n    for i in range(3):\n        y += dp.clamp(v * (E), 0, 1)",
    "call of a rule": "if x > 3:\n    z = dp.clamp(E, 0, 1)\n    y = 1.0",
    "store": "zs = [1, 2]\nif x > 3:\n    zs[0] = 2 if (E) == 1 else 3\n    y = 1.0",
}  # fmt: skip


class Generator:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(f"partial {seed}")
        names = list(PLACES)
        self.place = names[seed % len(names)]

    def program(self) -> str:
        """The source text; the function is called f."""
        made = self.number(2) if self.rng.random() < 0.75 else self.anything(2)
        if self.place == "text":  # inside of another text
            made = made.replace("'", '"')
        body = PLACES[self.place].replace("W", self.sequence(1)).replace("E", made)
        lines = "\n".join(f"    {line}" for line in body.split("\n"))
        return (
            f"{HEAD}TABLE = {{'a': 1, 2: 0.5}}\n\n\n"
            f"def helper(k):\n    return {self.number(1, 'k')}\n\n\n"
            f"@dp.measurement\ndef f(x: Real, flag: Bool, rows: Records[float], w: Real, "
            f"{PARAMETERS}):\n"
            "    r = dp.laplace(dp.clamp(w, 0, 1), scale=1)\n    y = 0.0\n"
            f"{lines}\n    return dp.laplace(dp.clamp(y, 0, 2), epsilon=1)\n"
        )

    def pick(self, *made: Callable[[], str]) -> str:
        return self.rng.choice(made)()

    def literal(self) -> str:
        return self.rng.choice(
            "0 1 2 3 -1 -2 0.5 2.5 -1.5 0.0 1e300 1e-300 1e308 10 True math.inf".split()
        )

    def number(self, depth: int, name: str = "") -> str:
        """What is a number, if it is anything."""
        e = lambda: self.number(depth - 1, name)  # noqa: E731
        if depth <= 0 or self.rng.random() < 0.2:
            names = ["n", "f", "b", "r", "len(ws)"] if not name else [name, name, "2"]
            return self.rng.choice([*names, *names, self.literal()])
        if name:
            return f"({e()} {self.rng.choice(['+', '//', '%', '**', '/', '*'])} {e()})"
        operator = self.rng.choice(["+", "-", "*", "/", "//", "%", "/", "//", "**", "<<", ">>"])
        return self.pick(
            lambda: f"({e()} {operator} {e()})",
            lambda: f"({e()} {operator} {e()})",
            lambda: f"({e()} {operator} {self.literal()})",
            lambda: f"(-{e()})",
            lambda: f"{self.sequence(depth - 1)}[{e()}]",
            lambda: f"(1, 2, 3)[{e()}]",
            lambda: f"(1, n)[{self.rng.choice(['0', '1', '-1', '2', '-3'])}]",
            lambda: f"math.{self.function()}({e()})",
            lambda: f"{self.builtin()}({e()})",
            lambda: f"round({e()}, {self.rng.choice(['0', '2', '-308', 'n'])})",
            lambda: f"{self.rng.choice(['max', 'min', 'sum', 'len'])}({self.sequence(depth - 1)})",
            lambda: f"max({e()}, {e()})",
            lambda: f"divmod({e()}, {e()})[0]",
            lambda: f"helper({e()})",
            lambda: f"({e()} if {self.test(depth - 1)} else {e()})",
            lambda: f"int({self.text(0)})",
            lambda: f"float({self.text(0)})",
            lambda: f"len({self.text(0)})",
            lambda: f"sum({e()} for i in range(3))",
            lambda: f"sum([{e()} for i in range(2)])",
            lambda: f"len(range({e()}))",
            lambda: f"{self.dictionary()}[{self.key()}]",
            lambda: f"{self.dictionary()}.get({self.key()}, 2)",
            lambda: f"{self.dictionary()}.pop({self.key()})",
            lambda: f"len({self.dictionary()})",
            lambda: f"dp.sqrt({e()})",
            lambda: f"dp.clamp({e()}, 0, {e()})",
        )

    def dictionary(self) -> str:
        return self.rng.choice(
            ["u", "{'a': 1, 2: n}", "{t: 1}", "{n: 2}", "{j: 1 for j in (1, 2)}", "dict(a=f)",
             "{**u}", "dict(zip(ts, ks))", "TABLE"]
        )  # fmt: skip

    def key(self) -> str:
        return self.rng.choice(["'a'", "2", "t", "n", "u", "(1, t)", "[1]", "f"])

    def function(self) -> str:
        return self.rng.choice(
            "sqrt log exp floor ceil trunc sin tanh fabs log2 log10 factorial gamma".split()
        )

    def builtin(self) -> str:
        return self.rng.choice("abs int float round bool".split())

    def sequence(self, depth: int) -> str:
        return self.rng.choice(
            ["ws", "ks", "ws", "ks", f"({self.number(0)}, 2)", f"[{self.number(0)}]", "ts[1:]",
             f"ws[{self.number(0)}:]", f"ks[::{self.literal()}]", "sorted(ws)", "list(range(3))",
             f"tuple(range({self.number(0)}))", "()", "[i for i in range(3)]"]
        )  # fmt: skip

    def text(self, depth: int) -> str:
        return self.rng.choice(
            ["t", "'a'", "t.lower()", "ts[0]", f"str({self.number(0)})", "f'a{t}'", "'b' + t",
             f"f'{{{self.number(0)}}}'", f"t * {self.number(0)}", "f'{n:>5}'", "t.foo()", "'5'",
             "f'{t:d}'", f"t[{self.number(0)}]"]
        )  # fmt: skip

    def test(self, depth: int) -> str:
        e = lambda: self.number(depth)  # noqa: E731
        return self.pick(
            lambda: f"{e()} {self.rng.choice(['<', '>', '==', '!=', '<=', 'is'])} {e()}",
            lambda: f"{self.text(0)} {self.rng.choice(['<', '==', 'in'])} {self.text(0)}",
            lambda: f"{e()} in {self.sequence(0)}",
            lambda: f"(n != 0 and {e()} > 1)",
            lambda: f"({e()} or {e()})",
            lambda: f"not {e()}",
            lambda: f"{self.text(0)} < {e()}",
            lambda: f"ws == {self.sequence(0)}",
        )

    def anything(self, depth: int) -> str:
        return self.pick(
            lambda: self.test(1),
            lambda: self.text(1),
            lambda: self.sequence(1),
            lambda: f"({self.sequence(0)} + {self.sequence(0)})",
            lambda: f"({self.sequence(0)} * {self.number(0)})",
            lambda: f"any({self.sequence(0)})",
            lambda: f"sorted({self.sequence(0)})",
            lambda: f"np.{self.rng.choice(['sqrt', 'array', 'zeros', 'nope'])}({self.number(0)})",
            lambda: f"math.{self.rng.choice(['pi', 'nope', 'inf'])}",
            lambda: f"{self.text(0)}.split()",
            lambda: f"print({self.number(0)})",
            lambda: f"(t, n) == ({self.text(0)}, {self.number(0)})",
            lambda: f"dp.clamp({self.text(0)}, 0, 1)",
            lambda: f"list(zip(ws, ks, strict={self.rng.choice(['True', 'False'])}))",
        )


def arguments(seed: int, count: int) -> Iterator[dict[str, Any]]:
    """Public arguments of some calls."""
    rng = Random(f"public {seed}")
    for _ in range(count):
        yield {name: rng.choice(values) for name, values in PUBLIC.items()}
