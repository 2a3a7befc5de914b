"""Repeat and permute: does a black box remember, or draw at random?

The box runs on synthetic rows, never on anyone's data, as it is loaded (without the fresh copy per
call of a checked run): twice in order, then backwards, then shuffled.  A function of its arguments
gives one result per row in all passes; counters, caches, globals and random numbers give others.
Whatever library state it keeps without these signs is not found: surviving is no proof.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from metricdp.errors import SourceError
from metricdp.run.boxes import Copies, admitted, argument, quiet
from metricdp.spaces import Scalar, Space

#: Lengths of synthetic rows that are tried where nothing says how long rows are.
LENGTHS = (3, 1, 2, 4, 5, 8, 10, 16, 64, 65, 100, 784, 785)

Row = tuple[Any, ...]


class BoxReport(msgspec.Struct, frozen=True):
    """What the passes found.

    Attributes:
        name: of the box.
        rows: how many synthetic rows ran.
        why: "" if every pass agreed; else what differs, in words.
        example: the synthetic arguments on which it differs.
        failed: rows on which the box raised or gave a result outside of its space.
        error: type and text of the first of those failures: what a checked run hides.
    """

    name: str
    rows: int
    why: str = ""
    example: str = ""
    failed: int = 0
    error: str = ""

    @property
    def refuted(self) -> bool:
        """Whether the box is certainly no function of its arguments."""
        return bool(self.why)

    def __str__(self) -> str:
        if self.why:
            return (
                f"error[box-effect]: `{self.name}` {self.why}\n"
                f"   = row     {self.example} (synthetic)\n"
                "   = help    return a value that depends on the arguments only"
            )
        text = f"`{self.name}` gave one result per row: {self.rows} synthetic rows, in 4 orders"
        if self.failed:
            text += f"\n   = note    {self.failed} of them give the public default: {self.error}"
        return text


def audit_box(
    box: Any, rows: Sequence[Row] | None = None, seed: int = 0, space: Space | None = None
) -> BoxReport:
    """Run a box again and again on synthetic arguments.

    Args:
        box: a function decorated with `@dp.black_box`, or any callable.
        rows: synthetic argument tuples, one per call.  Made up if left out: from the annotations
            of the box, else as one list of numbers of a length that the box accepts.
        seed: of made-up rows and of the shuffled order.
        space: declared space of the result, with numbers for its sizes; results that it does not
            hold are counted, since a checked run replaces them by the default in silence.

    Raises:
        SourceError: no rows are given, and none that could be made up is accepted.
    """
    function = getattr(box, "_function", box)
    name = getattr(box, "__name__", type(box).__name__)
    # Every pass starts from the state in which the box was loaded, and keeps it between its rows.
    copies = Copies(function)
    given = list(rows) if rows is not None else _made_up(copies, name, seed)
    order = list(range(len(given)))
    shuffled = random.Random(seed).sample(order, len(order))
    passes: list[dict[int, str]] = []
    errors: dict[int, str] = {}
    for indices in (order, order, order[::-1], shuffled):
        loaded = copies.fresh()
        seen = {}
        for index in indices:
            seen[index], error = _result(loaded, given[index], space)
            if error:
                errors.setdefault(index, error)
            # At once again: a counter or a random number shows here.
            if _result(loaded, given[index], space)[0] != seen[index]:
                why = "gives two results for one row: it keeps a state, or draws at random"
                return BoxReport(name, len(given), why, _shown(given[index]))
        passes.append(seen)
    for later, why in zip(passes[1:], _WHY, strict=True):
        for index in order:
            if later[index] != passes[0][index]:
                return BoxReport(name, len(given), why, _shown(given[index]))
    first = next(iter(errors.values()), "")
    return BoxReport(name, len(given), failed=len(errors), error=first)


_WHY = (
    "gives other results when it is run again: it keeps a state, or draws at random",
    "gives other results when the rows come backwards: an earlier row changes a later one",
    "gives other results when the rows are shuffled: an earlier row changes a later one",
)


def _result(function: Callable[..., Any], row: Row, space: Space | None) -> tuple[str, str]:
    """The result as text, to compare; and why it would be replaced by the default."""
    with quiet():
        try:
            value = function(*(argument(x) for x in row))
            if space is None:
                return repr(_listed(value)), ""
            found = admitted(space, value)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            return type(error).__name__, f"{type(error).__name__}: {error}"[:200]
    wrong = "" if found is not None else f"{type(value).__name__} is no value of {space}"
    return repr(found if isinstance(space, Scalar) else _listed(found)), wrong


def _listed(value: Any) -> Any:
    if hasattr(value, "detach"):
        value = value.detach().numpy()
    if hasattr(value, "tolist"):
        return value.tolist()
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str) else value


def _shown(row: Row) -> str:
    text = ", ".join(repr(_listed(x)) for x in row)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _made_up(copies: Copies, name: str, seed: int) -> list[Row]:
    import inspect

    rng = random.Random(seed)
    function = copies.fresh()
    try:
        needed = [
            p
            for p in inspect.signature(function).parameters.values()
            if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
    except (TypeError, ValueError):
        needed = []
    if len(needed) == 1:
        kind = str(getattr(needed[0].annotation, "__name__", needed[0].annotation))
        for length in (0,) if kind in ("float", "int") else (*LENGTHS, 0):
            rows: list[Row] = [(_numbers(rng, length),) for _ in range(8)]
            # A copy: what trying rows leaves behind is no part of the passes.
            if any(not _result(copies.fresh(), row, None)[1] for row in rows[:2]):
                return rows
    raise SourceError(
        f"no synthetic row was found that `{name}` accepts", place=name,
        remedy="metricdp.audit.audit_box(box, rows=[(row, ...), ...]), with made-up rows",
    )  # fmt: skip


def _numbers(rng: random.Random, length: int) -> list[float] | float:
    """A made-up row; one number for length 0."""
    if not length:
        return float(rng.randint(-40, 90))
    return [float(rng.randint(-4, 9)) for _ in range(length)]


def box_of(path: str, name: str, load: Callable[[str], Any]) -> tuple[Any, Space | None] | None:
    """The loaded black box of a file, and its space where its sizes are numbers; None if none.

    Args:
        load: imports a file.
    """
    from metricdp.check.source.boxes import returned_space
    from metricdp.check.source.program import Module, Project
    from metricdp.check.values.objects import BlackBox
    from metricdp.spaces.base import symbols_of

    module = Project().load(path)
    found = module.lookup(name) if isinstance(module, Module) else None
    if not isinstance(found, BlackBox):
        return None
    space = returned_space(found)
    return getattr(load(path), name), None if symbols_of(space) else space
