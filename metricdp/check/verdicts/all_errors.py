"""Every independent mistake of a function that was rejected, read once more from its start.

The first reading has decided the verdict.  This one makes no guarantee and no program: all that it
gives is diagnostics, and the steps that `explain` shows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from metricdp.check.domain.state import CheckState
from metricdp.check.language.recovery import POISON, Recovering
from metricdp.check.source.declared import Declaration, arguments, claims, parameter
from metricdp.check.values.findings import Stop
from metricdp.check.values.objects import Closure, Obj, Poison, TupleValue
from metricdp.check.verdicts.reading import (
    argument,
    as_data,
    checkable,
    output,
    released,
    requirement,
)
from metricdp.diagnostics import Diagnostic, Note
from metricdp.effort import Exhausted, within

#: Most mistakes of one function that are shown at once.
LIMIT = 20


class Mistakes(msgspec.Struct):
    """What the second reading found.

    Attributes:
        diagnostics: errors by line, the first one of the first reading among them; then what
            `reveal` has to say.
        state: steps and movements up to the end of the function; None if it cannot be read.
    """

    diagnostics: list[Diagnostic]
    state: CheckState | None = None


def all_errors(
    declared: Declaration, first: Diagnostic, revealed: Sequence[Diagnostic]
) -> Mistakes:
    """The mistakes of a rejected function.

    Args:
        first: what the first reading rejected.
        revealed: what `reveal` said until then.
    """
    try:
        checkable(declared)
    except Stop:
        return Mistakes([first])
    reading = Recovering(declared.module)
    try:
        with within():
            _read(declared, reading)
    except (Exhausted, RecursionError):
        return Mistakes([first])
    state = reading.domain.state
    # Which of several `return`s it was, only this reading knows.
    placed = first.code == "private-return" and any(d.code == first.code for d in reading.found)
    errors = [] if placed else [first]
    for found in reading.found:
        if not any(_one(found, known) for known in errors):
            errors.append(found)
    file = declared.module.path
    errors.sort(key=lambda d: (d.span.file != file, d.span.file, d.span.line, d.span.column))
    infos = [*revealed]
    infos += [w for w in state.warnings if not any(_one(w, known) for known in infos)]
    return Mistakes([*_capped(errors), *infos], state)


def _read(declared: Declaration, reading: Recovering) -> None:
    node, module = declared.node, declared.module
    if node.args.vararg or node.args.kwarg:
        return
    given: dict[str, Obj] = {}
    for each in arguments(declared):
        given[each.arg] = reading.attempt(lambda: argument(reading, parameter(declared, each)))  # noqa: B023
    for name, option in declared.options.items():
        one = msgspec.structs.replace(declared, options={name: option})
        _tried(reading, lambda: claims(one))  # noqa: B023
    reading.domain.noise_allowed = declared.kind == "measurement"
    function = Closure(node, module, None, node.name)
    result = reading.attempt(lambda: reading.run(function, given))
    for pending in reading.domain.state.pending:
        _tried(reading, lambda: requirement(pending))  # noqa: B023
    result = reading.seen(result)
    if _holds_poison(result):
        return
    result = reading.attempt(lambda: as_data(result, module, node))
    if isinstance(result, Poison):
        return
    _tried(reading, lambda: output(declared, result))
    if declared.kind == "measurement":
        _tried(reading, lambda: released(reading, result, module, node))


def _holds_poison(value: Obj) -> bool:
    if isinstance(value, TupleValue):
        return any(map(_holds_poison, value.items))
    return isinstance(value, Poison)


def _tried(reading: Recovering, action: Callable[[], Any]) -> None:
    def run() -> Obj:
        action()
        return POISON

    reading.attempt(run)


def _one(a: Diagnostic, b: Diagnostic) -> bool:
    """Whether two findings are about one mistake."""
    return a.code == b.code and (a.span == b.span)


def _capped(errors: list[Diagnostic]) -> list[Diagnostic]:
    if len(errors) <= LIMIT:
        return errors
    shown = errors[:LIMIT]
    more = Note(shown[-1].span, f"{len(errors) - LIMIT} more mistakes in this function")
    shown[-1] = msgspec.structs.replace(shown[-1], notes=(*shown[-1].notes, more))
    return shown
