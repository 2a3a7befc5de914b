"""Random programs that read entries by position: loops, comprehensions, lists that loops fill."""

from __future__ import annotations

from random import Random

from random_programs import INPUTS, Generator

#: Rounds -> positions inside of three entries, where `{i}` is the number of the round and c is 3.
POSITIONS = {
    "c": (
        "{i}", "{i}", "2 - {i}", "{i} // 2", "{i} // 2", "({i} + 1) // 2", "{i} - 1", "{i} - 3",
        "2 * {i} // 3", "(2 - {i}) // 2", "1",
    ),
    "c - 1": ("{i}", "{i} + 1", "1 - {i}", "{i} // 2 + 1", "({i} + 2) // 2", "{i} - 2"),
    "2": ("{i}", "2 * {i}", "{i} + 1", "2 - {i}", "0 * {i}"),
    "2, -1, -1": ("{i}", "{i} // 2", "2 - {i}", "{i} - 3"),
    "5": ("{i} // 2", "{i} // 2", "{i} - 2", "{i} // 3"),
}  # fmt: skip


class PositionGenerator(Generator):
    """Writes programs that mostly read entries of vectors by position."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.rng = Random(f"positions {seed}")
        few = self.rng.sample(sorted(INPUTS), self.rng.randint(0, 2))
        self.inputs = sorted({"v", *few})
        self.names = [n for n in self.inputs if n in ("x", "y", "n")]
        self.integers = [n for n in self.inputs if n == "n"]
        self.vectors = [n for n in self.inputs if n in ("v", "w", "k")]

    def statement(self, indent: str) -> list[str]:
        """One statement."""
        if self.depth or self.rng.random() < 0.25:
            return super().statement(indent)
        kinds = ["_looped", "_looped", "_made", "_made", "_made", "_filled", "_changed"]
        return getattr(self, self.rng.choice(kinds))(indent)  # type: ignore[no-any-return]

    def _entry(self, index: str, count: str) -> str:
        position = self.rng.choice(POSITIONS[count]).format(i=index)
        return f"{self.rng.choice(self.vectors)}[{position}]"

    def _read(self, index: str, count: str) -> str:
        """A number made of entries, of the round, and of what was there before."""
        a, b = self._entry(index, count), self._entry(index, count)
        held = self.rng.choice([*self.names, "1"])
        return self.rng.choice([
            a, f"2 * {a}", f"({a} + {b})", f"({a} - {b})", f"abs({a} - {b})", f"({a} - {held})",
            f"({index} * {held} + {a})", f"{index} * {a}", f"max({a}, {held})", f"(1 - {index}) * "
            f"{held}",
        ])  # fmt: skip

    def _looped(self, indent: str) -> list[str]:
        held, index = self._new(), self._new()
        count = self.rng.choice(sorted(POSITIONS))
        read = self._read(index, count)
        update = self.rng.choice([
            f"{held} += {read}", f"{held} -= {read}", f"{held} = {read} - {held} / 2",
            f"{held} = max({held}, {read})",
        ])  # fmt: skip
        lines = [f"{indent}{held} = {self.scalar(0)}", f"{indent}for {index} in range({count}):"]
        deeper = f"{indent}    "
        if self.rng.random() < 0.2:
            lines.append(f"{deeper}if {index} {self.rng.choice(['==', '>'])} 1:")
            lines.append(f"{deeper}    {self.rng.choice(['break', 'continue'])}")
        elif self.rng.random() < 0.3:
            lines.append(f"{deeper}for {self._new()} in range({self.rng.choice(['2', 'c'])}):")
            deeper += "    "
        self.names.append(held)
        return [*lines, f"{deeper}{update}"]

    def _made(self, indent: str) -> list[str]:
        """A vector of a comprehension, and a number made of it."""
        made, out, index = self._new(), self._new(), self._new()
        count = self.rng.choice(["c", "c", "c - 1"])
        if self.rng.random() < 0.25:
            vector = self.rng.choice(self.vectors)
            row = self._new()
            entry = f"{self._read(index, 'c')} + {row}"
            comprehension = f"[{entry} for {index}, {row} in enumerate({vector})]"
        else:
            comprehension = f"[{self._read(index, count)} for {index} in range({count})]"
        use = self.rng.choice([
            f"sum({made})", f"max({made})", f"{made}[0]", f"sum({made}[1:])", f"min({made})",
            f"sum([abs(u) for u in {made}])", f"{made}[1] - {made}[0]",
            f"sum({made}[{index}] for {index} in range(c - 1))",
        ])  # fmt: skip
        self.names.append(out)
        return [f"{indent}{made} = {comprehension}", f"{indent}{out} = {use}"]

    def _filled(self, indent: str) -> list[str]:
        """A list that a loop fills with public numbers, and a loop over it."""
        held, out, index, item = self._new(), self._new(), self._new(), self._new()
        grow = self.rng.choice([
            [f"{out}.append({index})"], [f"{out}.append(1)", f"{out}.append(2)"],
            [f"{out}.extend(({index}, 1))"],
        ])  # fmt: skip
        lines = [
            f"{indent}{held} = {self.scalar(0)}",
            f"{indent}{out} = {self.rng.choice(['[]', '[1]'])}",
            f"{indent}for {index} in range({self.rng.choice(['c', '2'])}):",
            *(f"{indent}    {line}" for line in grow),
        ]
        step = self.rng.choice([*self.names, "1"])
        if self.rng.random() < 0.3:
            lines.append(f"{indent}{held} += len({out}) * {step}")
        else:
            lines += [f"{indent}for {item} in {out}:", f"{indent}    {held} += {step}"]
        self.names.append(held)
        return lines

    def _changed(self, indent: str) -> list[str]:
        """A vector that every round turns or moves, read at the position of the round."""
        vector, index, held = self._new(), self._new(), self._new()
        update = self.rng.choice([
            f"{vector}[::-1]", f"2 * {vector} - {self.rng.choice(self.vectors)}",
            f"{vector} - 2 * {self.rng.choice(self.vectors)}",
        ])  # fmt: skip
        self.names.append(held)
        return [
            f"{indent}{held} = {self.scalar(0)}",
            f"{indent}{vector} = {self.rng.choice(self.vectors)}",
            f"{indent}for {index} in range(c):",
            f"{indent}    {held} += {vector}[{index}]",
            f"{indent}    {vector} = {update}",
        ]
