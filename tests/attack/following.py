"""Runs of a checked function along outputs: what entered each draw, on every sample of its rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import prod
from typing import Any

import msgspec

from metricdp.errors import MetricdpError
from metricdp.families.family import Draw
from metricdp.laws.row_samples import row_samples
from metricdp.noise import SeededSource
from metricdp.run.draws import perform
from metricdp.run.emit import handling

#: Runs over samples of rows, for one input and one choice of outputs.
MOST_SAMPLES = 64


class Drawn(msgspec.Struct):
    """One draw of one run: the request, what entered, what came out."""

    draw: Draw
    value: Any
    output: Any


class Run(msgspec.Struct):
    """One run along outputs.

    Attributes:
        drawn: its draws, in order.
        chance: probability of its samples of rows.
        result: what the function returned, as text; or the error, by its class.
        extra: it asked for more draws than there were outputs, or for another one.
    """

    drawn: list[Drawn]
    chance: Fraction
    result: str
    extra: str = ""


class TooMany(Exception):
    """More samples of rows than are worth a look."""


class Diverged(Exception):
    """A draw that the recorded run did not make there."""


class Outputs:
    """Which outputs the draws give: `kind` is "drawn", "high", "low" or "steered"."""

    def __init__(self, kind: str, seed: str, sides: Mapping[int, list[int]] | None = None) -> None:
        self.kind, self.seed, self.sides = kind, seed, sides or {}

    def __call__(self, draw: Draw, value: Any, position: int) -> Any:
        """The output of a draw on the recorded run."""
        from attack.losses import far

        drawn = perform(draw, value, SeededSource(f"{self.seed} {position}"))
        sides = {"high": [1], "low": [-1], "drawn": [0]}.get(self.kind)
        if sides is None:
            sides = self.sides.get(position, [1])
        return far(draw, value, drawn, sides)


class Along:
    """The handler of one run: outputs of a tape, or chosen and put on it; samples of a path."""

    test_only = True

    def __init__(self, tape: list[Drawn] | None, choose: Outputs | None, path: list[int]) -> None:
        self.tape, self.choose, self.path = tape, choose, path
        self.drawn: list[Drawn] = []
        self.ways: list[int] = []
        self.chances: list[Fraction] = []
        self.too_many = False
        self.source = Samples(self)

    def handle(self, draw: Draw, value: Any) -> Any:
        """The output of one draw."""
        position = len(self.drawn)
        if self.tape is None:
            assert self.choose is not None
            output = self.choose(draw, value, position)
        else:
            if position >= len(self.tape):
                raise Diverged(f"one draw more: {draw.mechanism} at {draw.site}")
            first = self.tape[position].draw
            if (first.site, first.mechanism) != (draw.site, draw.mechanism):
                raise Diverged(f"{draw.mechanism} at {draw.site} for {first.mechanism}")
            output = self.tape[position].output
        self.drawn.append(Drawn(draw, value, output))
        return output


class Samples:
    """Samples of rows by their place in the enumeration; other bits are the same in every run."""

    def __init__(self, along: Along) -> None:
        self._along, self._bits = along, SeededSource("rounds")

    def positions(self, scheme: str, number: Fraction, parts: Any) -> list[int]:
        """The rows of this path."""
        along, found = self._along, []
        for each in row_samples(scheme, number, len(parts[0])):
            found.append(each)
            if len(found) > MOST_SAMPLES:
                along.too_many = True
                raise TooMany
        place = along.path[len(along.ways)] if len(along.ways) < len(along.path) else 0
        along.ways.append(len(found))
        along.chances.append(found[place][1])
        return list(found[place][0])

    def __getattr__(self, name: str) -> Any:
        return getattr(self._bits, name)


def _run(function: Any, given: Mapping[str, Any], along: Along) -> Run:
    result, extra = "", ""
    with handling(along):
        try:
            result = text(function(**given).value)
        except MetricdpError as error:
            # What diverges inside of the run arrives as an error of the run.
            extra = along_error(error)
            result = f"error {type(error).__name__}"
    if along.too_many:
        raise TooMany
    if along.tape is not None and not extra and len(along.drawn) < len(along.tape):
        extra = f"{len(along.drawn)} draws for {len(along.tape)}"
    return Run(along.drawn, prod(along.chances, start=Fraction(1)), result, extra)


def along_error(error: MetricdpError) -> str:
    """How a run diverged, if this error says so."""
    return str(error.fact) if "Diverged" in str(error.fact) else ""


def text(value: Any) -> str:
    """A released value as text, arrays with every entry."""
    if hasattr(value, "tolist"):
        return repr(value.tolist())
    if isinstance(value, list | tuple):
        return f"{type(value).__name__}[{', '.join(map(text, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k!r}: {text(v)}" for k, v in value.items()) + "}"
    return repr(value)


def record(function: Any, given: Mapping[str, Any], choose: Outputs, path: list[int]) -> Run:
    """A run whose outputs are chosen as it goes."""
    return _run(function, given, Along(None, choose, path))


def follow(function: Any, given: Mapping[str, Any], tape: list[Drawn]) -> Iterator[Run]:
    """The runs along recorded outputs, one for every way to sample rows.

    Raises:
        TooMany: more than `MOST_SAMPLES`.
    """
    path: list[int] = []
    for _ in range(MOST_SAMPLES + 1):
        along = Along(tape, None, path)
        yield _run(function, given, along)
        ways, places = along.ways, (path + [0] * len(along.ways))[: len(along.ways)]
        while ways and places[-1] == ways[-1] - 1:
            ways, places = ways[:-1], places[:-1]
        if not ways:
            return
        path = [*places[:-1], places[-1] + 1]
    raise TooMany
