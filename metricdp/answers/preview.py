"""What a program would answer, before anything is spent: many runs on data that are made up.

Every run draws its noise anew, from fixed seeds, so the table is the same whenever it is asked for.
All that a program does to the data shows: noise, limits on what a person contributes, clamps, and
what is computed from releases afterwards.  Of the noise of one draw alone `Release.interval` knows
the exact law; ratios, choices, sorted lists and private keys have none, and are tried here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from metricdp.errors import MetricdpError, ParameterError
from metricdp.run.emit import Seeded, handling
from metricdp.run.release import Release, show

#: How often a program runs, which tells a share of 95 % to about 3 %.
RUNS = 200
#: Share of the runs that lies within the ends that are shown.
SHARE = 0.95
#: So many runs at the beginning that all fail are the call's fault, and no bad luck.
_BEFORE = 3
#: Outputs that are shown.
_SHOWN = 40


class Expected(msgspec.Struct, frozen=True):
    """One number of the output, over all runs.

    Attributes:
        name: its place in the output: "" for a single number, `['a']`, `[0]['mean']`.
        middle: the median of the runs that have it.
        low, high: ends within which 95 % of them lie.
        share: of the runs that have it; private keys are there in some only.
        truth: what it should be, where that was told.
        error: the size of the error that 95 % of the runs stay within; None without a truth.
    """

    name: str
    middle: float
    low: float
    high: float
    share: float
    truth: float | None = None
    error: float | None = None


class Preview(msgspec.Struct, frozen=True):
    """What a program would answer on made-up data.

    Attributes:
        function: its name.
        cost: what a run costs, as a release prints it.
        outputs: every number of the output, in order; true and false count as 1 and 0.
        others: places in the output that hold no number, in any run.
        failed: the share of the runs that ended in an error.
        runs: how many there were.
        values: place of an output -> the number of every run that has it.
    """

    function: str
    cost: str
    outputs: tuple[Expected, ...]
    others: tuple[str, ...]
    failed: float
    runs: int
    values: Mapping[str, tuple[float, ...]]

    def against(self, truth: Any) -> Preview:
        """The same with the error of every output.

        Args:
            truth: what the made-up data would give without limits, clamps and noise: a number, or
                a tuple, list, dictionary or array of numbers as the program's output is one.

        Returns:
            A preview in which `truth` and `error` are filled in; a place that `truth` lacks has
            none.  The error holds all that differs: noise, and what limits and clamps leave out.

        Raises:
            ParameterError: it has no number where the output has one.
        """
        told = dict(_numbers("", truth))
        if not told.keys() & {each.name for each in self.outputs}:
            raise ParameterError(
                "no number of the truth has a place in the output", place="truth",
                remedy="give it the form of the output, whose places are "
                + ", ".join(each.name or "a number" for each in self.outputs[:8]),
            )  # fmt: skip
        found = tuple(self._compared(each, told.get(each.name)) for each in self.outputs)
        return msgspec.structs.replace(self, outputs=found)

    def _compared(self, each: Expected, truth: float | None) -> Expected:
        if truth is None:
            return each
        errors = sorted(abs(value - truth) for value in self.values[each.name])
        error = errors[math.ceil(SHARE * len(errors)) - 1]
        return msgspec.structs.replace(each, truth=truth, error=error)

    def _lines(self) -> list[str]:
        lines = [_line(each) for each in self.outputs[:_SHOWN]]
        more = len(self.outputs) - _SHOWN
        lines += [f"... {more} more"] if more > 0 else []
        lines += [f"{name or 'the output'}: no number" for name in self.others[:8]]
        lines += [f"{self.failed:.0%} of the runs ended in an error"] if self.failed else []
        return lines

    def __repr__(self) -> str:
        head = f"Preview of {self.function} on made-up data   a run costs {self.cost or 'nothing'}"
        note = f"{self.runs} runs with noise of their own; 95 % of them lie between the ends"
        return "\n".join([head, *(f"  {line}" for line in self._lines()), f"  ({note})"])

    def _repr_html_(self) -> str:
        from metricdp.report.html import release_html

        facts = [("function", self.function), ("data", "made up"), ("runs", str(self.runs))]
        return str(release_html(self._lines(), f"a run costs {self.cost}", facts))


def preview(run: Callable[[], Any], name: str) -> Preview:
    """Many runs of a measurement on made-up data.

    Raises:
        MetricdpError: what the first runs all end in.
    """
    seen: dict[str, list[float]] = {}
    others: dict[str, None] = {}
    cost, failed = "", 0
    for at in range(RUNS):
        with handling(Seeded(f"metricdp preview {at}")):
            try:
                release = run()
            except ParameterError:
                raise  # of the call, the same in every run
            except MetricdpError:
                failed += 1
                if failed == at + 1 == _BEFORE:
                    raise
                continue
        assert isinstance(release, Release)
        cost = release.cost
        for place, number in _places("", release.value):
            if number is None:
                others.setdefault(place)
            else:
                seen.setdefault(place, []).append(number)
    outputs = tuple(_expected(each, sorted(found), RUNS - failed) for each, found in seen.items())
    return Preview(
        name, cost, outputs, tuple(each for each in others if each not in seen), failed / RUNS,
        RUNS, {each: tuple(found) for each, found in seen.items()},
    )  # fmt: skip


def _expected(name: str, found: list[float], runs: int) -> Expected:
    tail = math.floor((1 - SHARE) / 2 * len(found))
    middle = (found[(len(found) - 1) // 2] + found[len(found) // 2]) / 2
    return Expected(name, middle, found[tail], found[-1 - tail], len(found) / runs)


def _numbers(place: str, value: Any) -> Iterator[tuple[str, float]]:
    return ((each, number) for each, number in _places(place, value) if number is not None)


def _places(place: str, value: Any) -> Iterator[tuple[str, float | None]]:
    """Every place in an output with the number that is there, None for anything else."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _places(f"{place}[{key!r}]", item)
    elif hasattr(value, "tolist"):
        yield from _places(place, value.tolist())
    elif isinstance(value, list | tuple):
        names = getattr(value, "_fields", range(len(value)))
        for key, item in zip(names, value, strict=True):
            yield from _places(f"{place}[{key!r}]", item)
    else:
        try:
            number = float(value) if not isinstance(value, str) else math.nan
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        yield place, None if math.isnan(number) else number


def _line(each: Expected) -> str:
    width = max(abs(each.high - each.middle), abs(each.low - each.middle))
    shown = show(each.middle, width or None)
    text = f"{each.name}: " if each.name else ""
    text += f"about {shown}, {show(each.low, width or None)} to {show(each.high, width or None)}"
    if each.truth is not None and each.error is not None:
        share = f", {each.error / abs(each.truth):.1%} of it" if each.truth else ""
        text += f"; true {show(each.truth, width or None)}, off by up to {show(each.error)}{share}"
    return text + (f" (in {each.share:.0%} of the runs)" if each.share < 1 else "")
