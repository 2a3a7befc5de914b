"""Tables with ids: what to write where rows are counted, and one person may have any number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from metricdp.record import Arg, Failure, Record
from metricdp.spaces import Owned, Space


def refusal(record: Record, args: Mapping[str, Arg], found: Failure) -> Failure:
    """Why a record does not apply to these arguments, where its rule says `found`."""
    if record.takes_ids:
        return found
    return unbounded((arg.text, arg.space) for arg in args.values()) or found


def unbounded(held: Iterable[tuple[str, Space | None]]) -> Failure | None:
    """The rejection of a table with ids where rows are asked for; None where there is none.

    Args:
        held: text and space of everything that is asked.
    """
    for text, space in held:
        if isinstance(space, Owned):
            return Failure(
                "unbounded-contribution",
                f"one {space.column} may have any number of rows in {text}",
                need=f"a bound on the rows of one {space.column}",
                help=f'{text} = dp.limit_rows({text}, "{space.column}", 5) before this line'
                if text.isidentifier()
                else f'dp.limit_rows({text}, "{space.column}", 5)',
                fatal=True,
            )
    return None
