"""A checked program beside the same text as plain Python: each mechanism hides the same numbers.

The checked function runs and its draws are recorded; then the text is executed as Python would,
with mechanisms that give the recorded releases.  What they were asked to hide is compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from checked_modules import load

import metricdp as dp
from metricdp.run.emit import LogEntry, Recording, Seeded, handling


class _Plain:
    """`metricdp` to the text: mechanisms of one number, decorators that do nothing, the rest."""

    def __init__(self, log: Sequence[LogEntry]) -> None:
        self.log, self.asked = list(log), []

    def laplace(self, x: Any, **_: Any) -> Any:
        self.asked.append(x)
        return self.log[len(self.asked) - 1].output

    gaussian = discrete_laplace = laplace

    def clamp(self, x: Any, lower: Any, upper: Any) -> Any:
        return min(max(x, lower), upper)

    def measurement(self, *given: Any, **_: Any) -> Any:
        return given[0] if given else lambda function: function

    transformation = measurement

    def __getattr__(self, name: str) -> Any:
        return getattr(dp, name)


def checked(folder: Path, source: str, name: str = "f") -> Any:
    """The checked function of a text."""
    return getattr(load(folder, source), name)


def run(function: Any, *data: Any, seed: int = 1, **public: Any) -> tuple[Any, list[LogEntry]]:
    """What a checked function gives, and its draws."""
    recorder = Recording(Seeded(seed))
    with handling(recorder):
        released = function(*data, **public)
    return released.value if hasattr(released, "value") else released, recorder.log


def same(folder: Path, source: str, *data: Any, name: str = "f", **public: Any) -> list[Any]:
    """The values that were hidden; they are those of plain Python, and so is the result."""
    function = checked(folder, source, name)
    result, log = run(function, *data, **public)
    plain = _Plain(log)
    text = "\n".join(line for line in Path(function_file(function)).read_text().splitlines()
                     if not line.startswith(("import metricdp", "from metricdp")))  # fmt: skip
    names: dict[str, Any] = {"dp": plain, "__name__": "plain"}
    exec(compile("from metricdp import *\n" + text, "plain", "exec", dont_inherit=True), names)
    names["dp"] = plain
    wanted = names[name](*data, **public)
    assert len(plain.asked) == len(log), "another number of draws"
    for entry, asked in zip(log, plain.asked, strict=True):
        assert abs(Fraction(entry.value) - Fraction(asked)) < Fraction(1, 10**6), (entry, asked)
    assert close(result, wanted), (result, wanted)
    return [entry.value for entry in log]


def function_file(function: Any) -> str:
    """Where a checked function was written."""
    return str(function.__wrapped__.__code__.co_filename)


def close(a: Any, b: Any) -> bool:
    """Whether two results are alike, up to rounding."""
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(close(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(close, a, b))
    if isinstance(a, str | bool | None) or isinstance(b, str | bool | None):
        return a == b
    return abs(float(a) - float(b)) < 1e-6
