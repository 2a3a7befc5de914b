"""One program, from features: a source of data, how it is changed, a number, noise, contexts.

A feature is a function that writes its piece; what it needs and what it gives is its kind.  Pieces
of any kinds nest: contexts stand inside of contexts, samples are sampled again, numbers are added.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

HEAD = """\
from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Annotated, NamedTuple, TypedDict

import numpy as np
import metricdp as dp
from metricdp import (
    Aligned, Bool, Bounds, ChangeOne, Data, Gradient, Hamming, Ids, InsertDelete, Int, L1, L2, LInf,
    Matrix, Real, Records, Size, Vector,
)

MONDAY = date(2024, 1, 1)
"""


class Rows(NamedTuple):
    """A private value in scope.

    Attributes:
        text: its expression.
        kind: "records", "vector", "matrix", "gradient" or "number".
        cell: what a row is: "float", "int", "str", "pair", "person", "fields", "real", "whole",
            "datum", "bit", "review", "maybe", "dated".
        replaced: one row is replaced, and their number is public.
        ordered: rows stand where they stand (Hamming distance).
    """

    text: str
    kind: str
    cell: str
    replaced: bool = False
    ordered: bool = False


class Value(NamedTuple):
    """A released value: its expression, and whether it is a number."""

    text: str
    number: bool


Inner = Callable[["Writer", Rows], Value]


class Feature(NamedTuple):
    """A named piece of the language.

    Attributes:
        kind: "source", "change", "number", "noise" or "context".
        write: writes it; source: (w) -> Rows; change: (w, rows) -> Rows or None; number:
            (w, rows) -> text or None; noise: (w, rows, number) -> Value or None; context:
            (w, rows, inner) -> Value or None.  None: it does not fit.
    """

    name: str
    kind: str
    write: Callable[..., Any]


FEATURES: dict[str, Feature] = {}


def feature(name: str, kind: str) -> Callable[[Any], Any]:
    """Enter a function in the table of features."""

    def enter(write: Any) -> Any:
        assert name not in FEATURES, name
        FEATURES[name] = Feature(name, kind, write)
        return write

    return enter


def of_kind(kind: str) -> list[Feature]:
    """The features of a kind, in order of their names."""
    return [f for _, f in sorted(FEATURES.items()) if f.kind == kind]


class Misfit(Exception):
    """The features do not fit each other."""


class Writer:
    """The program as far as it is written; `used` are the features in it."""

    def __init__(self, rng: Random, wanted: list[Feature]) -> None:
        self.rng, self.wanted = rng, wanted
        self.used: set[str] = set()
        self.parameters: list[tuple[str, str]] = []
        self.public: dict[str, Any] = {}
        self.above: list[str] = []
        self.lines: list[str] = []
        self.indent = "    "
        self.count = 0
        self.owed: list[str] = []

    def fresh(self, stem: str) -> str:
        """A new name."""
        self.count += 1
        return f"{stem}{self.count}"

    def line(self, text: str) -> None:
        """A statement at the current depth."""
        self.lines.append(self.indent + text)

    def block(self) -> Any:
        """A deeper block, as a context manager."""
        return _Block(self)

    def parameter(self, stem: str, annotation: str) -> str:
        """A new private parameter."""
        name = self.fresh(stem)
        self.parameters.append((name, annotation))
        return name

    def given(self, stem: str, kind: str, value: Any) -> str:
        """A new public parameter with a value; mostly the value itself as a literal."""
        if self.rng.random() < 0.7:
            return repr(value)
        name = self.fresh(stem)
        self.parameters.append((name, kind))
        self.public[name] = value
        return name

    def chance(self, share: float) -> bool:
        """A coin."""
        return self.rng.random() < share

    def pick(self, *options: Any) -> Any:
        """One of some options."""
        return self.rng.choice(options)

    def number(self, rows: Rows) -> str:
        """A private number of these rows."""
        for feature in self._turn("number"):
            found = feature.write(self, rows)
            if found is not None:
                self.used.add(feature.name)
                return str(found)
        raise Misfit("number")

    def noise(self, rows: Rows) -> Value:
        """A mechanism around a number of these rows, or around the rows."""
        for feature in self._turn("noise"):
            found = feature.write(self, rows)
            if found is not None:
                self.used.add(feature.name)
                return found  # type: ignore[no-any-return]
        raise Misfit("noise")

    def source(self) -> Rows:
        """New data."""
        feature = self._turn("source")[0]
        self.used.add(feature.name)
        found: Rows = feature.write(self)
        return found

    def _turn(self, kind: str) -> list[Feature]:
        """The wanted features of a kind that are not used yet, then others at random."""
        owed = [f for f in self.wanted if f.kind == kind and f.name not in self.used]
        again = [f for f in self.wanted if f.kind == kind and f.name in self.used]
        if again and self.chance(0.5):
            owed += again
        usual = [f for f in of_kind(kind) if f.name in USUAL[kind]]
        self.rng.shuffle(usual)
        return owed + usual

    def written(self, contexts: list[Feature], rows: Rows) -> Value:
        """Releases inside of contexts, the first one outermost."""
        if not contexts:
            return self.released(rows)
        first, *others = contexts
        found = first.write(self, rows, lambda w, r: w.written(others, r))
        if found is None:
            raise Misfit(first.name)
        self.used.add(first.name)
        value: Value = found
        return value

    def released(self, rows: Rows) -> Value:
        """As many mechanisms as are wanted, at least one."""
        value = self.noise(rows)
        for _ in range(sum(f.kind == "noise" for f in self.wanted) - 1):
            other = self.noise(rows)
            name = self.fresh("v")
            self.line(f"{name} = {value.text}")
            if value.number and other.number and self.chance(0.5):
                value = Value(f"{name} + {other.text}", True)
            else:
                value = Value(f"({name}, {other.text})", False)
        return value

    def expression(self, inner: Inner, rows: Rows) -> Value:
        """What `inner` writes as one expression: statements go into a function of their own."""
        kept, self.lines = self.lines, []
        with self.block():
            value = inner(self, rows)
            if self.lines:
                self.line(f"return {value.text}")
        lines, self.lines = self.lines, kept
        if not lines:
            return value
        name = self.fresh("once")
        self.line(f"def {name}():")
        self.lines += lines
        return Value(f"{name}()", value.number)


class _Block:
    def __init__(self, writer: Writer) -> None:
        self.writer = writer

    def __enter__(self) -> None:
        self.writer.indent += "    "

    def __exit__(self, *_: Any) -> None:
        self.writer.indent = self.writer.indent[:-4]


#: Features that programs have where nothing else is wanted.
USUAL: dict[str, tuple[str, ...]] = {
    "source": ("records of floats", "records of ints", "records, one replaced", "vector in L1",
               "matrix of data", "aligned containers", "real number"),
    "number": ("count", "sum of clamped rows", "sum of entries", "the number itself",
               "rows in a loop"),
    "noise": ("noise: laplace", "noise: gaussian", "noise: discrete_laplace"),
}  # fmt: skip


class Program(NamedTuple):
    """A program with the features in it and the values of its public parameters."""

    source: str
    used: frozenset[str]
    public: dict[str, Any]


def write(rng: Random, wanted: list[Feature]) -> Program:
    """A program that has the wanted features.

    Raises:
        Misfit: they do not fit each other.
    """
    w = Writer(rng, wanted)
    rows = w.source()
    for _ in range(2):
        if any(f.kind == "source" and f.name not in w.used for f in wanted):
            other = w.source()
            if not w.chance(0.5):
                rows, other = other, rows
            value = w.fresh("first")
            w.line(f"{value} = {w.noise(other).text}")
            w.owed.append(value)
    changes = [f for f in wanted if f.kind == "change"]
    contexts = [f for f in wanted if f.kind == "context"]
    rng.shuffle(changes)
    rng.shuffle(contexts)
    inside = [f for f in changes if contexts and rng.random() < 0.4]
    for change in changes:
        if change not in inside:
            rows = _changed(w, change, rows)

    def body(writer: Writer, held: Rows) -> Value:
        for change in inside:
            held = _changed(writer, change, held)
        return writer.released(held)

    if contexts:
        last = Feature("", "context", lambda writer, held, _: body(writer, held))
        value = w.written([*contexts, last], rows)
        w.used.discard("")
    else:
        value = body(w, rows)
    missing = [f.name for f in wanted if f.name not in w.used]
    if any(FEATURES[name].kind == "number" for name in missing):
        extra = w.noise(rows) if rng.random() < 0.5 else None
        if extra is not None:
            value = Value(f"({value.text}, {extra.text})", False)
    text = value.text if not w.owed else f"({', '.join([value.text, *w.owed])})"
    w.line(f"return {text}")
    parameters = ", ".join(f"{n}: {a}" for n, a in w.parameters)
    body_text = "\n".join(w.lines)
    above = "\n\n".join(w.above)
    source = f"{HEAD}{above}\n\n\n@dp.measurement\ndef f({parameters}):\n{body_text}\n"
    return Program(source, frozenset(w.used), dict(w.public))


def _changed(w: Writer, change: Feature, rows: Rows) -> Rows:
    found = change.write(w, rows)
    if found is None:
        raise Misfit(change.name)
    w.used.add(change.name)
    changed: Rows = found
    return changed
