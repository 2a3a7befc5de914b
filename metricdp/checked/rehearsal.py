"""A program on tables of an engine, gone through before anything is spent.

The program runs as it was checked, on engines that plan what they are asked and answer as if there
were no rows, with noise that nobody sees.  What has no form on an engine shows here.  A branch that
a released number decides may go another way in the run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from metricdp.check.verdicts.verify import Outcome
from metricdp.checked.arguments import Arguments
from metricdp.columns.table import Table
from metricdp.engines.sources import rehearsing
from metricdp.errors import EngineError
from metricdp.run.emit import Seeded, handling

#: Programs that were gone through, by what decides which way they go.
_DONE: dict[Any, Any] = {}
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
    private = arguments.values.values()
    places = [place for value in private for place in _places(value)]
    key: Any = id(outcome.guarantee), repr(arguments.public), *map(_schema, private)
    key = key if len(places) < 2 else (key, *places)
    if _DONE.get(key) is outcome.guarantee:
        return
    # Tables remember what they were told: those of the run are told nothing here.
    values = {name: _fresh(value) for name, value in arguments.values.items()}
    apart = msgspec.structs.replace(arguments, values=values)
    refused: EngineError | None = None
    with rehearsing(), handling(Seeded(0)):
        try:
            run(apart)
        except EngineError as error:
            refused = EngineError(error.fact, place=error.place, remedy=error.remedy)
        except Exception:
            return  # of numbers that are none of the data: the run will tell
    if refused is not None:
        raise refused
    if len(_DONE) >= _MOST:
        _DONE.clear()
    _DONE[key] = outcome.guarantee


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
