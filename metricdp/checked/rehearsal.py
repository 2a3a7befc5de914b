"""A program on tables of an engine, gone through before anything is spent.

The program runs as it was checked, on engines that plan what they are asked and answer as if there
were no rows, with noise that nobody sees.  What has no form on an engine shows here.  A branch that
a released number decides may go another way in the run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import msgspec

from metricdp.check.verdicts.verify import Outcome
from metricdp.checked.arguments import Arguments
from metricdp.columns.table import Table
from metricdp.engines.foreseen import Foreseen, foreseeing
from metricdp.engines.sources import rehearsed, rehearsing
from metricdp.errors import EngineError
from metricdp.run.emit import Seeded, handling

#: Programs that were gone through, by what decides which way they go, and what they asked.
_DONE: dict[Any, tuple[Any, Foreseen]] = {}
#: So many are remembered.
_MOST = 256


def lies_elsewhere(value: Any) -> bool:
    """Whether a private argument is a table on an engine, or has one among its parts."""
    if type(value) is tuple:
        return any(map(lies_elsewhere, value))
    return isinstance(value, Table) and value.engine is not None


def rehearse(outcome: Outcome, arguments: Arguments, run: Callable[[Arguments], Any]) -> None:
    """Go through a program once for each schema and each choice of public arguments.

    Raises:
        EngineError: something has no form on the engine.
    """
    key = _key(outcome, arguments)
    if _done(key, outcome) is not None:
        return
    foreseen = gone_through(
        arguments.values,
        lambda values: run(msgspec.structs.replace(arguments, values=values)),
    )
    if foreseen is None:
        return
    if len(_DONE) >= _MOST:
        _DONE.clear()
    _DONE[key] = outcome.guarantee, foreseen


def gone_through(
    values: Mapping[str, Any], run: Callable[[dict[str, Any]], Any]
) -> Foreseen | None:
    """What is asked of tables on engines where they have no rows; None where another error ends it.

    Raises:
        EngineError: something has no form on the engine.
    """
    # Tables remember what they were told: those of the run are told nothing here.
    apart = {name: _fresh(value) for name, value in values.items()}
    refused: EngineError | None = None
    foreseen = Foreseen()
    with rehearsing(), foreseeing(foreseen, hearing=True), handling(Seeded(0)):
        try:
            run(apart)
        except EngineError as error:
            refused = EngineError(error.fact, place=error.place, remedy=error.remedy)
        except Exception:
            return None  # of numbers that are none of the data: the run will tell
    if refused is not None:
        raise refused
    return foreseen


def rehearsed_before(outcome: Outcome, arguments: Arguments) -> AbstractContextManager[None]:
    """Have the questions that a rehearsal heard asked together inside the block."""
    private = arguments.values.keys() - arguments.public.keys()
    if rehearsed() or not any(lies_elsewhere(arguments.values[name]) for name in private):
        return nullcontext()
    return foreseeing(_done(_key(outcome, arguments), outcome))


def _key(outcome: Outcome, arguments: Arguments) -> Any:
    private = arguments.values.values()
    places = [place for value in private for place in _places(value)]
    key = id(outcome.guarantee), repr(arguments.public), *map(_schema, private)
    return key if len(places) < 2 else (key, *places)


def _done(key: Any, outcome: Outcome) -> Foreseen | None:
    guarantee, foreseen = _DONE.get(key, (None, None))
    return foreseen if guarantee is outcome.guarantee else None


def _fresh(value: Any) -> Any:
    if type(value) is tuple:
        return tuple(map(_fresh, value))
    if not isinstance(value, Table):
        return value
    return Table(value.columns, value.row, value.where, value.chosen, value.value)


def _places(value: Any) -> list[str]:
    """Where the rows of engines lie: whether two tables may be joined depends on it."""
    if type(value) is tuple:
        return [place for each in value for place in _places(each)]
    engine = value.engine if isinstance(value, Table) else None
    return [] if engine is None else [engine.place]


def _schema(value: Any) -> Any:
    """What an engine's plans depend on."""
    if type(value) is tuple:
        return tuple(map(_schema, value))
    engine = value.engine if isinstance(value, Table) else None
    return None if engine is None else engine.schema
