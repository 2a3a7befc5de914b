"""Attacks on in-place operators: what is accepted does what the same lines do in NumPy.

Programs over one vector are made of assignments, aliases, rows, lists, helpers and in-place
operators.  Where check proves one, the run has to give what plain NumPy gives, and the caller's
array has to be what it was.  Seeds are fixed; nothing here has false alarms.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from checked_modules import load

from metricdp.check.language import methods
from metricdp.errors import NotProvedError

HEAD = """import numpy as np
import metricdp as dp
from metricdp import L1, LInf, Matrix, Real, Size, Vector
from typing import Annotated
"""
HELPERS = """
def same(v):
    return v


def halved(v):
    return v / 2


def changed(v):
    v += 1
    return v


def fresh(v):
    w = 0 * v
    w += v
    return w


def chosen(v, w):
    return v if len(v) > 2 else w


@dp.transformation
def f(x: Annotated[Vector[Real, L1], Size(3)]):
"""


class Generator:
    """Writes one program over vectors; the names in scope are `names`."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(f"in place {seed}")
        self.names = ["x"]
        self.lists: list[str] = []
        self.count = 0

    def program(self) -> str:
        lines = [line for _ in range(self.rng.randint(2, 6)) for line in self.statement()]
        lines += [f"c = {self.name()}", f"return c + 2 * {self.name()} + 4 * x"]
        return HELPERS + "\n".join(f"    {line}" for line in lines) + "\n"

    def name(self) -> str:
        return self.rng.choice(self.names)

    def value(self) -> str:
        n = self.name
        if self.rng.random() < 0.5:
            return self.rng.choice([f"{n()} + {n()}", f"2 * {n()}", f"fresh({n()})"])
        return self.rng.choice([
            n(), f"{n()} + {n()}", f"2 * {n()}", f"-{n()}", f"same({n()})", f"halved({n()})",
            f"fresh({n()})", f"changed({n()})", f"chosen({n()}, {n()})", f"(lambda v: v)({n()})",
            f"({n()} if 2 > 1 else {n()})", f"({n()}, {n()})[0]", f"[{n()}, {n()}][1]",
            f"({n()} + 1, {n()})[1]", "np.zeros(3)", f"np.abs({n()})",
        ])  # fmt: skip

    def fresh(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def statement(self) -> list[str]:
        target, kind = self.fresh(), self.rng.random()
        if kind < 0.35:
            line = f"{target} = {self.value()}"
            self.names.append(target)
            return [line]
        if kind < 0.7:
            target = self.names[-1] if self.rng.random() < 0.7 else self.name()
            operator = self.rng.choice(["+=", "-=", "*="])
            right = "2" if operator == "*=" else self.rng.choice(["1", self.value()])
            return [f"{target} {operator} {right}"]
        if kind < 0.8:
            lines = [f"{target} = [{self.name()}, {self.value()}]", f"{target}[0] += 1"]
            return [*lines[: self.rng.randint(1, 2)], f"{self.fresh()} = {target}[1]"]
        if kind < 0.9:
            other, right = self.fresh(), self.value()
            lines = [f"{target}, {other} = {self.value()}, {right}"]
            self.names += [target, other]
            return lines
        if self.rng.random() < 0.5:
            return [f"for i in range(2):", f"    {self.name()} += {self.value()}"]  # noqa: F541
        return [f"def {target}():", f"    return {self.name()}", f"{self.fresh()} = {target}()"]


def plain(text: str, x: Any) -> Any:
    """What plain NumPy makes of a program."""
    names: dict[str, Any] = {"np": np, "Annotated": {0: None}, "Vector": None}
    body = text.replace("@dp.transformation\n", "").replace(
        "x: Annotated[Vector[Real, L1], Size(3)]", "x"
    )
    exec(body, names)
    return names["f"](x)


def as_in_numpy(seed: int, folder: Path) -> bool | None:
    """Whether the program of a seed does what NumPy does; None if it is rejected."""
    text = Generator(seed).program()
    module: Any = load(folder, text, HEAD)
    data = np.array([1.0, 10.0, 100.0])
    try:
        found = module.f(data)
    except NotProvedError:
        return None
    own = data.copy()
    expected = plain(text, own)
    return np.array_equal(own, data) and [float(v) for v in found] == expected.tolist()


def test_what_is_proved_does_what_numpy_does(tmp_path: Path) -> None:
    found = {seed: as_in_numpy(seed, tmp_path) for seed in range(300)}
    assert [seed for seed, same in found.items() if same is False] == []
    assert sum(same is True for same in found.values()) > 40


def test_the_comparison_finds_what_the_rule_forbids(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("metricdp.check.language.assignments.owned_alone", lambda *given: None)
    assert any(as_in_numpy(seed, tmp_path) is False for seed in range(20))


@pytest.mark.parametrize(
    "lines",
    [
        "np.add(ws, 1, out=ws)",
        "ws.sum(out=ws)",
        "np.add.at(ws, 0, 1)",
        "ws.sort()",
        "ws += 1",
        "v = ws\n    v += 1",
        "v = ws[1:]\n    v += 1",
        "v = np.asarray(ws)\n    v += 1",
        "v = ws.reshape(3)\n    v += 1",
        "v = ws.T\n    v *= 2",
        "for v in [ws]:\n        v += 1",
        "v = [w for w in (ws, ws)][0]\n    v += 1",
        "v, w = ws, 1\n    v += 1",
        "v = w = 2 * ws\n    v += 1",
        "v = dp.reveal(ws)\n    v += 1",
    ],
)
def test_a_public_array_is_not_changed(lines: str, tmp_path: Path) -> None:
    text = f"""
@dp.measurement
def f(x: Real, ws: np.ndarray):
    {lines}
    return dp.laplace(x, scale=1), ws
"""
    module: Any = load(tmp_path, text, HEAD)
    with pytest.raises(NotProvedError):
        module.f(1.0, np.array([1.0, 2.0, 3.0]))


def test_every_method_that_changes_a_container_is_known_by_its_name() -> None:
    """A name that were missing would be a method as any other of a parameter (`popitem` was)."""
    pure = {"copy", "fromkeys", "most_common", "elements", "total", "maxlen", "count", "index"}
    for kind, fixed in (
        (list, tuple), (set, frozenset), (dict, MappingProxyType), (Counter, MappingProxyType),
        (defaultdict, MappingProxyType), (OrderedDict, MappingProxyType), (deque, tuple),
    ):  # fmt: skip
        known = {name for name in {*dir(kind)} - {*dir(fixed)} if not name.startswith("_")}
        assert known - pure - {"default_factory"} <= methods._CHANGING, kind
