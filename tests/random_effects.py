"""Random programs whose calls leave a trace: each appends its number to a list and returns it.

What check concludes about the list, what the compiled program makes of it and what plain Python
makes of it have to be the same: then every call is evaluated once, and in Python's order.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

HEADER = """import metricdp as dp
from metricdp import Real


def second(a, b=0, *, c=0):
    return b + 0 * c


@dp.measurement
def f(x: Real):
    log = []
    def t(v):
        log.append(v)
        return v
"""


class Generator:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(f"effects {seed}")
        self.count = 0
        self.lists: list[str] = []

    def program(self) -> str:
        """The source text; the function is called f, and returns the trace."""
        lines = [line for _ in range(self.rng.randint(2, 5)) for line in self.statement(2)]
        body = "\n".join(f"    {line}" for line in lines)
        return f"{HEADER}{body}\n    return tuple(log)\n"

    def name(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def expression(self, depth: int) -> str:
        """An integer."""
        if depth == 0 or self.rng.random() < 0.15:
            self.count += 1
            return f"t({self.count})" if self.rng.random() < 0.8 else str(self.rng.randint(0, 3))
        return str(self.rng.choice(self._expressions())(depth - 1))

    def _expressions(self) -> list[Callable[[int], str]]:
        e, pick = self.expression, self.rng.choice
        return [
            lambda d: f"({e(d)} {pick('+-*')} {e(d)})",
            lambda d: f"(-{e(d)})",
            lambda d: f"(1 if {e(d)} {pick(['<', '>', '=='])} {e(d)} else 2)",
            lambda d: f"({e(d)} if {pick(['True', 'False', '3 > 2'])} else {e(d)})",
            lambda d: f"(1 if {e(d)} < {e(d)} < {self.later()} else 2)",
            lambda d: f"(1 if {e(d)} > 0 {pick(['and', 'or'])} {self.later()} > 1 else 2)",
            lambda d: f"({e(d)}, {e(d)})[{pick(['0', '1', '-1'])}]",
            lambda d: f"[{e(d)}, {e(d)}, {e(d)}][{pick(['0', '1', '2'])}]",
            lambda d: f"(({e(d)}, 1), {e(d)})[0][{pick(['0', '1'])}]",
            lambda d: f"{{'a': {e(d)}, 'b': {e(d)}}}['{pick('ab')}']",
            lambda d: f"len(({e(d)}, {e(d)}))",
            lambda d: f"second({e(d)}, {e(d)})",
            lambda d: f"second(b={e(d)}, a={e(d)})",
            lambda d: f"second({e(d)}, c={e(d)}, *({e(d)},))",
            lambda d: f"(lambda a, b={e(d)}: a + b)({e(d)})",
            lambda d: f"(second, t)[{pick(['0', '0', '1'])}]({e(d)})",
            lambda d: f"max({e(d)}, {e(d)})",
            lambda d: f"sum([{e(d)} for _ in range({pick('0123')})])",
            lambda d: f"sum({self.later()} for _ in range({e(0)} % 3))",
            lambda d: f"len([i for i in ({e(d)}, {e(d)}) if {e(d)} > 1])",
            lambda d: f"len(f'{{{e(0)}:{{{e(0)}}}}} {{{e(0)}}}') * 0",
            lambda d: f"[{e(d)}, 1, 2][{pick(['0', '1'])}:{self.number()}][0]",
            lambda d: f"abs({e(d)})",
        ]  # fmt: skip

    def number(self) -> str:
        """A literal, or a call in its place."""
        return str(self.rng.randint(1, 3)) if self.rng.random() < 0.6 else self.expression(0)

    def later(self) -> str:
        """As `number`, where Python may not evaluate it: seldom a call, which is rejected."""
        return self.number() if self.rng.random() < 0.05 else "2"

    def statement(self, depth: int) -> list[str]:
        """Lines of one statement."""
        return list(self.rng.choice(self._statements())(depth))

    def _statements(self) -> list[Callable[[int], list[str]]]:
        return [self._plain, self._plain, self._list, self._stored, self._unpacked, self._branch,
                self._for, self._while, self._function]  # fmt: skip

    def _plain(self, depth: int) -> list[str]:
        name, more = self.name(), self.rng.random() < 0.5
        lines = [f"{name} = {self.expression(2)}"]
        if more:
            lines.append(f"{name} {self.rng.choice('+-*')}= {self.expression(2)}")
        return lines

    def _list(self, depth: int) -> list[str]:
        name = self.name()
        self.lists.append(name)
        return [
            f"{name} = [{self.expression(1)}, {self.expression(1)}]",
            f"{name}.append({self.expression(1)})",
            f"{name}.extend(({self.expression(1)}, {self.expression(1)}))",
        ]

    def _stored(self, depth: int) -> list[str]:
        if not self.lists:
            return self._list(depth)
        name, at = self.rng.choice(self.lists), self.rng.choice(["0", "1", "-1"])
        return [
            f"{name}[{at}] = {self.expression(1)}",
            f"{name}[{self.rng.choice(['0', '-1'])}] += {self.expression(1)}",
            f"{name}[second({self.expression(0)}, 1)] = {self.expression(1)}",
        ][: self.rng.randint(1, 3)]

    def _unpacked(self, depth: int) -> list[str]:
        one, two = self.name(), self.name()
        return [
            f"{one}, {two} = {self.expression(1)}, {self.expression(1)}",
            f"{one} = {two} = {self.expression(1)}",
        ]

    def _branch(self, depth: int) -> list[str]:
        test = f"{self.expression(1)} {self.rng.choice('<>')} {self.expression(1)}"
        inside = self._block(depth)
        return [f"if {test}:", *inside, "else:", *self._block(depth)]

    def _for(self, depth: int) -> list[str]:
        items = f"({self.expression(1)}, {self.expression(1)})"
        count = self.rng.choice(["range(2)", "enumerate", "zip"])
        if count == "enumerate":
            return [f"for i, j in enumerate({items}):", *self._block(depth)]
        if count == "zip":
            return [f"for i, j in zip({items}, (1, {self.expression(1)})):", *self._block(depth)]
        return [f"for i in {items}:", *self._block(depth)]

    def _while(self, depth: int) -> list[str]:
        name = self.name()
        return [f"{name} = 0", f"while {name} < 2:", f"    {name} += 1", *self._block(depth)]

    def _function(self, depth: int) -> list[str]:
        name = self.name()
        return [
            f"def {name}(a, b={self.expression(1)}, e={self.expression(1)}, "
            f"*, c={self.expression(1)}):",
            f"    return a + {self.expression(1)}",
            f"{self.name()} = {name}({self.expression(1)}, c={self.expression(1)})",
        ]

    def _block(self, depth: int) -> list[str]:
        # Names bound inside do not exist in every branch: a list of them is not used after it.
        known = list(self.lists)
        lines = ["pass"] if depth == 0 else self.statement(depth - 1)
        self.lists = known
        return [f"    {line}" for line in lines]


def traced(source: str) -> tuple[int, ...]:
    """What plain Python makes of a program."""
    body = source[source.index("def second") :].replace("@dp.measurement\n", "")
    names: dict[str, Any] = {"Real": None}
    exec(body, names)
    found: tuple[int, ...] = names["f"](None)
    return found
