"""Random small programs of the checked language, and what plain Python makes of them.

A program is text: check reads it, and `evaluate` runs the same text with exact fractions in a
namespace that knows a handful of functions.  Nothing of metricdp's run time is involved.
"""

from __future__ import annotations

import ast
from fractions import Fraction
from functools import lru_cache
from random import Random
from types import CodeType, SimpleNamespace
from typing import Any

SIZE = 3
#: Value of the public parameter `c` of every program.
COUNT = 3
#: Parameter -> annotation.
INPUTS = {
    "x": "Real",
    "y": "Real",
    "n": "Int",
    "b": "Bool",
    "v": "Annotated[Vector[Real, L1], Size(3)]",
    "w": "Annotated[Vector[Real, LInf], Size(3)]",
    "k": "Annotated[Vector[Int, L1], Size(3)]",
    "t": "Annotated[Vector[Data, L1], Size(3)]",
}
HEADER = (
    "from typing import Annotated\n"
    "import metricdp as dp\n"
    "from metricdp import Bool, Data, Int, L1, LInf, Real, Size, Vector\n\n"
)


class Generator:
    """Writes one program; `names` are the private scalars in scope."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(f"programs {seed}")
        self.inputs = sorted(self.rng.sample(sorted(INPUTS), self.rng.randint(1, 4)))
        self.names = [n for n in self.inputs if n in ("x", "y", "n")]
        self.integers = [n for n in self.inputs if n == "n"]
        self.vectors = [n for n in self.inputs if n in ("v", "w", "k")]
        self.fresh = 0
        self.helpers: list[str] = []
        self.depth = 0

    def program(self) -> str:
        """The source text; the function is called f."""
        if self.rng.random() < 0.4:
            self.helpers.append(self._helper())
        lines = self.block(self.rng.randint(1, 4), "    ")
        result = self.scalar(2)
        if self.rng.random() < 0.15:
            lines += [f"    if {self.condition()}:", f"        return {self.scalar(1)}"]
        lines.append(f"    return {result}")
        parameters = ", ".join([*(f"{n}: {INPUTS[n]}" for n in self.inputs), "c: int"])
        body = "\n".join(lines)
        helpers = "\n\n".join(self.helpers)
        return f"{HEADER}{helpers}\n\n@dp.transformation\ndef f({parameters}):\n{body}\n"

    def _helper(self) -> str:
        inner = Generator.__new__(Generator)
        inner.__dict__ = {**self.__dict__, "names": ["p", "q"], "integers": [], "vectors": [],
                          "inputs": [], "helpers": []}  # fmt: skip
        body = inner.block(self.rng.randint(0, 2), "    ")
        self.fresh = inner.fresh
        return "\n".join(["def helper(p, q=2):", *body, f"    return {inner.scalar(2)}"])

    # -- statements -------------------------------------------------------------------------

    def block(self, count: int, indent: str) -> list[str]:
        """Statements; names assigned by them are in scope afterwards."""
        lines: list[str] = []
        for _ in range(count):
            lines += self.statement(indent)
        return lines

    def statement(self, indent: str) -> list[str]:
        """One statement."""
        kinds = [
            "assign",
            "assign",
            "augment",
            "branch",
            "loop",
            "swap",
            "list",
            "closure",
            "decay",
            "circle",
        ]
        if self.vectors:
            kinds += ["rows", "rows", "zip", "indexed", "indexed", "turning"]
        if "t" in self.inputs:
            kinds += ["data"]
        if self.depth >= 2:
            kinds = ["assign", "augment", "swap"]
        kind = self.rng.choice(kinds)
        return getattr(self, f"_{kind}")(indent)  # type: ignore[no-any-return]

    def _new(self) -> str:
        self.fresh += 1
        return f"a{self.fresh}"

    def _locals(self) -> list[str]:
        return [n for n in self.names if n.startswith("a")]

    def _assign(self, indent: str) -> list[str]:
        line = f" = {self.scalar(2)}"
        old = self._locals()
        name = (
            self.rng.choice(old) if old and (self.depth or self.rng.random() < 0.3) else self._new()
        )
        if name not in self.names:
            if self.depth:
                return [f"{indent}pass"]
            self.names.append(name)
        return [f"{indent}{name}{line}"]

    def _augment(self, indent: str) -> list[str]:
        if not self._locals():
            return self._assign(indent)
        name = self.rng.choice(self._locals())
        return [f"{indent}{name} {self.rng.choice(['+=', '-=', '+='])} {self.scalar(1)}"]

    def _swap(self, indent: str) -> list[str]:
        old = self._locals()
        if len(old) < 2 or self.depth:
            return self._assign(indent)
        a, b = self.rng.sample(old, 2)
        return [f"{indent}{a}, {b} = {b}, {a}"]

    def _list(self, indent: str) -> list[str]:
        if self.depth:
            return self._assign(indent)
        box, other, name = self._new(), self._new(), self._new()
        lines = [
            f"{indent}{box} = [{self.scalar(1)}, {self.scalar(1)}]",
            f"{indent}{other} = {self.rng.choice([box, f'[{box}[1], {box}[0]]'])}",
            f"{indent}{other}[{self.rng.randint(0, 1)}] = {self.scalar(1)}",
            f"{indent}{box}.append({self.scalar(1)})",
            f"{indent}{name} = {box}[0] - {box}[1] + {box}[2]",
        ]
        self.names.append(name)
        return lines

    def _closure(self, indent: str) -> list[str]:
        if self.depth or not self._locals():
            return self._assign(indent)
        function, name, held = self._new(), self._new(), self.rng.choice(self._locals())
        default = f", c={held}" if self.rng.random() < 0.5 else ""
        read = "c" if default else held
        lines = [
            f"{indent}{function} = lambda u{default}: u - {read}",
            f"{indent}{held} = {self.scalar(1)}",
            f"{indent}{name} = {function}({self.scalar(1)})",
        ]
        self.names.append(name)
        return lines

    def _nested(self, indent: str, count: int) -> list[str]:
        self.depth += 1
        lines = self.block(count, indent + "    ")
        self.depth -= 1
        return lines

    def _branch(self, indent: str) -> list[str]:
        lines = [f"{indent}if {self.condition()}:", *self._nested(indent, 1)]
        if self.rng.random() < 0.5:
            lines += [f"{indent}else:", *self._nested(indent, 1)]
        return lines

    def _loop(self, indent: str) -> list[str]:
        first = self._assign(indent) if not self._locals() else []
        index = self._new()
        count = self.rng.choice(["3", "1, 4", "0", "2", "5, 0, -2"])
        body = self._nested(indent, self.rng.randint(1, 2))
        if self.rng.random() < 0.3:
            body = [*self._jump(indent, index), *body]
        if self.rng.random() < 0.2:
            return [*first, *self._while(indent, index, body)]
        if self.rng.random() < 0.4 and self._locals():
            body.append(
                f"{indent}    {self.rng.choice(self._locals())} += {index} * {self.scalar(0)}"
            )
        return [*first, f"{indent}for {index} in range({count}):", *body]

    def _jump(self, indent: str, index: str) -> list[str]:
        """A round that ends early, or the whole loop."""
        word = self.rng.choice(["break", "continue"])
        test = f"{index} == {self.rng.randint(0, 3)}"
        if word == "continue" and self.rng.random() < 0.5:
            test = self.condition()
        lines = [f"{indent}    if {test}:"]
        if self.rng.random() < 0.5 and self._locals():
            lines.append(f"{indent}        {self._held()} += {self.scalar(1)}")
        return [*lines, f"{indent}        {word}"]

    def _while(self, indent: str, index: str, body: list[str]) -> list[str]:
        """The same rounds under a counter that is moved before anything can end them."""
        down = self.rng.random() < 0.3
        start, test, step = (
            ("3", f"{index} > 0", "-= 1") if down else ("-1", f"{index} < 2", "+= 1")
        )
        if self.rng.random() < 0.5:
            test += f" and {index} * {index} != {self.rng.randint(0, 4)}"
        head = [f"{indent}{index} = {start}", f"{indent}while {test}:"]
        return [*head, f"{indent}    {index} {step}", *body]

    def _rows(self, indent: str) -> list[str]:
        first = self._assign(indent) if not self._locals() else []
        row, vector = self._new(), self.rng.choice(self.vectors)
        if self.rng.random() < 0.3:
            position = self._new()
            head = f"{indent}for {position}, {row} in enumerate({vector}):"
            extra = [f"{indent}    {self._held()} += {position} * {row}"] if self._locals() else []
        else:
            head, extra = f"{indent}for {row} in {vector}:", []
        self.names.append(row)
        if vector == "k":
            self.integers.append(row)
        body = self._nested(indent, self.rng.randint(1, 2))
        self.names.remove(row)
        if vector == "k":
            self.integers.remove(row)
        return [*first, head, *body, *extra]

    def _indexed(self, indent: str) -> list[str]:
        """Entries by a position that follows the round, or does not."""
        first = self._assign(indent) if not self._locals() else []
        if not self._locals():
            return first
        index, vector = self._new(), self.rng.choice(self.vectors)
        count, at = self.rng.choice([
            ("c", "{i}"), ("3", "{i}"), ("1, 3", "{i} - 1"), ("2, -1, -1", "{i}"),
            ("c - 1", "{i} + 1"), ("c", "2 - {i}"), ("c", "{i} - 2"), ("3", "{i} - 3"),
            ("c", "{i} // 2"), ("2", "2 * {i}"), ("0, 3, 2", "{i}"), ("-1, 3", "{i}"),
            ("-1, c", "{i}"), ("4", "{i} - 2"), ("5", "{i} // 2"),
        ])  # fmt: skip
        entry = f"{vector}[{at.format(i=index)}]"
        other = self.rng.choice([
            self.scalar(0), entry, f"{vector}[{index}]" if at == "{i}" else "2",
            f"sum({vector})", f"{self.rng.choice(self.vectors)}[0]",
        ])  # fmt: skip
        held = self._held()
        update = self.rng.choice([
            f"{held} += {entry}", f"{held} = {held} - 2 * {entry} + {other}",
            f"{held} = {entry} - {held} / 2", f"{held} += abs({entry} - {other})",
            f"{held} += {entry} if {self.condition()} else {other}",
            f"{held} += {index} * {entry}",
        ])  # fmt: skip
        head = f"{indent}for {index} in range({count}):"
        if self.rng.random() < 0.3:
            inner = self._new()
            again = f"{indent}    for {inner} in range({self.rng.choice(['2', 'c'])}):"
            return [*first, head, again, f"{indent}        {update}"]
        return [*first, head, f"{indent}    {update}"]

    def _turning(self, indent: str) -> list[str]:
        """A vector that every round changes, read at the position of the round."""
        if self.depth or not self._locals():
            return self._assign(indent)
        vector, index, held = self._new(), self._new(), self._held()
        source = self.rng.choice(self.vectors)
        part = f"{vector}[{self.rng.choice(['::-1', '1:', ':2', 'c:', ':c', '1:-1'])}]"
        update = self.rng.choice([f"{vector} = {vector}[::-1]", f"{held} += sum({part})"])
        lines = [
            f"{indent}{vector} = {source}",
            f"{indent}for {index} in range({self.rng.choice(['3', 'c'])}):",
            f"{indent}    {held} += {vector}[{index}]",
            f"{indent}    {update}",
        ]
        return lines

    def _decay(self, indent: str) -> list[str]:
        """One state feeds another, and shrinks or grows while it does."""
        if self.depth:
            return self._assign(indent)
        held, total, index = self._new(), self._new(), self._new()
        updates = [
            f"{total} += {held}",
            f"{held} = {held} {self.rng.choice(['/ 2', '* 2', '* 0', '- 1'])}",
        ]
        self.rng.shuffle(updates)
        lines = [f"{indent}{held} = {self.scalar(1)}", f"{indent}{total} = {self.scalar(0)}"]
        lines += [f"{indent}for {index} in range({self.rng.randint(0, 3)}):"]
        lines += [f"{indent}    {update}" for update in updates]
        self.names += [held, total]
        return lines

    def _circle(self, indent: str) -> list[str]:
        """States that feed each other."""
        if self.depth:
            return self._assign(indent)
        a, b, index = self._new(), self._new(), self._new()
        first = self.rng.choice([b, f"{b} / 2", f"{b} - 1", f"{b} + {self.scalar(0)}"])
        second = self.rng.choice([f"{a} + {b}", f"{a} - {b} / 2", f"2 * {a}", f"{a} * {index}"])
        lines = [f"{indent}{a}, {b} = {self.scalar(1)}, {self.scalar(0)}"]
        count = self.rng.choice([0, 1, 2, 4, 30])
        lines += [f"{indent}for {index} in range({count}):"]
        lines += [f"{indent}    {a}, {b} = {first}, {second}"]
        self.names += [a, b]
        return lines

    def _held(self) -> str:
        return self.rng.choice(self._locals())

    def _zip(self, indent: str) -> list[str]:
        if len(self.vectors) < 2:
            return self._rows(indent)
        first = self._assign(indent) if not self._locals() else []
        a, b = self._new(), self._new()
        one, two = self.rng.sample(self.vectors, 2)
        self.names += [a, b]
        body = self._nested(indent, 1)
        self.names.remove(a)
        self.names.remove(b)
        return [*first, f"{indent}for {a}, {b} in zip({one}, {two}):", *body]

    def _data(self, indent: str) -> list[str]:
        first = self._assign(indent) if not self._locals() else []
        row = self._new()
        held = self.rng.choice(self._locals() or ["0"])
        lo = self.rng.randint(-4, 0)
        hi = lo + self.rng.randint(0, 6)
        update = self.rng.choice([
            f"{held} += dp.undisc(dp.clamp({row}, {lo}, {hi}))",
            f"{held} = {held} / 2 + dp.undisc(dp.clamp({row}, {lo}, {hi}))",
            f"{held} += dp.clamp({row}, {lo}, {hi}) if {row} > 1 else 0",
        ])  # fmt: skip
        if not self._locals():
            return self._assign(indent)
        return [*first, f"{indent}for {row} in t:", f"{indent}    {update}"]

    # -- expressions ------------------------------------------------------------------------

    def scalar(self, depth: int) -> str:
        """A private or public number."""
        leaves = [*self.names, str(self.rng.randint(-3, 4))] * 2
        leaves += [f"{v}[{self.rng.randint(0, SIZE - 1)}]" for v in self.vectors]
        if depth <= 0 or self.rng.random() < 0.2:
            return self.rng.choice(leaves)
        a, b = self.scalar(depth - 1), self.scalar(depth - 1)
        lo = self.rng.randint(-5, 2)
        forms = [
            f"({a} + {b})", f"({a} - {b})", f"(-{a})", f"({self.rng.randint(-3, 3)} * {a})",
            f"({a} / {self.rng.choice([2, -3, 4])})", f"abs({a})", f"max({a}, {b})",
            f"min({a}, {b})",
            f"dp.clamp({a}, {lo}, {lo + self.rng.randint(0, 6)})",
            f"(dp.clamp({a}, -1, 2) * dp.clamp({b}, -2, 1))",
            f"({a} if {self.condition()} else {b})",
            f"(dp.clamp({a}, -1, 3) / (1 + abs({b})))",
            f"(1 / (2 + dp.clamp({a}, -1, 1)))", f"(dp.clamp({a}, -2, 1) ** 2)",
            f"({a} if {a} > {b} else {b})",
        ]  # fmt: skip
        if self.helpers:
            forms += [f"helper({a}, {b})", f"helper({a})"]
        for vector in self.vectors:
            forms += [
                f"sum({vector})", f"max({vector})", f"min({vector})",
                f"(sum({vector}) / len({vector}))",
                f"sum([dp.clamp(u, {lo}, 2) + {a} for u in {vector}])",
                f"max([2 * u - {a} for u in {vector}])", f"sum([abs(u) for u in {vector}])",
                f"sum({vector} - 2 * {self.rng.choice(self.vectors)})",
                f"sum({vector}[1:])", f"max({vector}[::{self.rng.choice([-1, 2])}])",
                f"sum({vector}[:c])", f"{vector}[1:][0]", f"{vector}[:-1][-1]",
                f"sum({vector}[i] - {a} for i in range(c))",
                f"max([2 * {vector}[i] + {a} for i in range(c)])",
                f"sum([{self.rng.choice([vector, *self.vectors])}[i] - {vector}[2 - i]"
                " for i in range(c)])",
                f"max([i * {a} - {vector}[i] for i in range(c)])",
                f"min([i * u + {a} for i, u in enumerate({vector})])",
                f"sum([{vector}[i] for i in range(c) for j in range(2) if j != i])",
            ]  # fmt: skip
            if self.integers:
                forms.append(f"dp.clamp({vector}, -2, 3)[{self.rng.choice(self.integers)}]")
        return self.rng.choice(forms)

    def condition(self) -> str:
        """A condition on booleans and integers, mostly."""
        forms = ["True"]
        if "b" in self.inputs:
            forms += ["b", "not b", "b and True"] * 2
        for name in self.integers:
            forms += [f"{name} < {self.rng.randint(-2, 3)}", f"{name} == 1", f"{name} % 2 == 0"]
        if self.names and self.rng.random() < 0.1:
            forms.append(f"{self.rng.choice(self.names)} < 1")
        return self.rng.choice(forms)


def evaluate(source: str, values: dict[str, Any]) -> Fraction:
    """What plain Python computes, with exact fractions."""
    dp = SimpleNamespace(clamp=_clamp, undisc=lambda value: value)
    space: dict[str, Any] = {"dp": dp, "sum": _sum, "_divide": lambda a, b: Fraction(a) / b}
    exec(_compiled(source), space)
    return Fraction(space["f"](**values, c=COUNT))


@lru_cache(maxsize=8)
def _compiled(source: str) -> CodeType:
    code = source.replace(HEADER, "from __future__ import annotations\n").replace(
        "@dp.transformation", ""
    )
    tree = ast.fix_missing_locations(_ExactDivision().visit(ast.parse(code)))
    return compile(tree, "<random program>", "exec")


class _ExactDivision(ast.NodeTransformer):
    """`a / b` of integers is a fraction, not a float."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Div):
            return node
        return ast.Call(ast.Name("_divide", ast.Load()), [node.left, node.right], [])


class Entries(list[Any]):
    """A vector with entrywise arithmetic, total in its index."""

    def __sub__(self, other: Entries) -> Entries:
        return Entries(a - b for a, b in zip(self, other, strict=True))

    def __rmul__(self, factor: int) -> Entries:  # type: ignore[override]
        return Entries(factor * a for a in self)

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return Entries(list.__getitem__(self, i))
        position = int(i)
        position += len(self) if position < 0 else 0
        return list.__getitem__(self, min(max(position, 0), len(self) - 1))


def _clamp(value: Any, lo: Any, hi: Any) -> Any:
    if isinstance(value, list):
        return Entries(_clamp(v, lo, hi) for v in value)
    return min(max(value, lo), hi)


def _sum(values: Any) -> Any:
    total: Any = 0
    for value in values:
        total = total + value
    return total


def pairs(
    inputs: list[str], rng: Random
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Fraction]]:
    """Two assignments and the distance of each input."""
    first = {name: _sample(name, rng) for name in inputs}
    second, distances = dict(first), {}
    moving = [rng.choice(inputs)] if rng.random() < 0.7 else inputs
    for name in inputs:
        if name in moving:
            second[name] = _moved(name, first[name], rng)
        distances[name] = _distance(name, first[name], second[name])
    return first, second, distances


def _number(rng: Random) -> Fraction:
    return Fraction(
        rng.choice([0, 1, -1, 2, -2, 3, -5, 7, 20, -100, Fraction(1, 2), Fraction(-3, 2)])
    )


def _sample(name: str, rng: Random) -> Any:
    if name in ("x", "y"):
        return _number(rng)
    if name == "n":
        return rng.choice([0, 1, -1, 2, -2, 3, 4, 10])
    if name == "b":
        return rng.random() < 0.5
    if name in ("k", "t"):
        return Entries(rng.choice([0, 1, -1, 2, 3, -4, 9, -50]) for _ in range(SIZE))
    return Entries(_number(rng) for _ in range(SIZE))


def _moved(name: str, value: Any, rng: Random) -> Any:
    step = rng.choice(
        [Fraction(1), Fraction(-1), Fraction(1, 2), Fraction(-2), Fraction(3), Fraction(1, 100)]
    )
    if name in ("x", "y"):
        return value + step
    if name == "n":
        return value + rng.choice([1, -1, 2, -3])
    if name == "b":
        return not value
    found = Entries(value)
    for i in range(SIZE):
        if rng.random() < 0.5:
            change = {"k": rng.choice([1, -1, 2]), "t": rng.choice([5, -5, 100, 1])}.get(name, step)
            found[i] = list.__getitem__(value, i) + change
    return found


def _distance(name: str, a: Any, b: Any) -> Fraction:
    if name == "b":
        return Fraction(int(a != b))
    if name in ("x", "y", "n"):
        return Fraction(abs(a - b))
    gaps = [abs(p - q) for p, q in zip(a, b, strict=True)]
    if name == "t":
        return Fraction(sum(gap != 0 for gap in gaps))
    return Fraction(max(gaps) if name == "w" else sum(gaps))
