"""Tables with ids: which are about the same persons, and what to write where rows are counted.

Parameters whose ids tell the same unit apart are one source of movement.  Its distance is that of
the one table that holds the rows of all of them, each row with the name of its table: a person has
all of their rows in all tables, or none.  Each parameter is a filter of that table, which is
1-stable, so that what holds of two filters of one table holds of two of these parameters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from metricdp.check.source.declared import Parameter
from metricdp.check.values.findings import stop
from metricdp.check.values.forms import Source
from metricdp.check.values.objects import SourceFile
from metricdp.record import Arg, Failure, Record
from metricdp.spaces import Owned, Space
from metricdp.spaces.windows import out_of_words


def sources(parameters: Iterable[Parameter], module: SourceFile) -> dict[str, Source]:
    """Private parameter -> its source of movement; tables about the same persons have one.

    Raises:
        Stop: such tables tell persons apart in different ways.
    """
    private = [p for p in parameters if p.space is not None]
    about: dict[str, list[Parameter]] = {}
    for each in private:
        if isinstance(each.space, Owned):
            about.setdefault(each.space.whose, []).append(each)
    found = {p.name: Source("param", p.name) for p in private}
    for whose, tables in about.items():
        for other in tables[1:]:
            _one_unit(whose, tables[0], other, module)
        shared = source_of([p.name for p in tables])
        found.update({p.name: shared for p in tables})
    return found


def source_of(names: Iterable[str]) -> Source:
    """The source of movement of tables about the same persons; no parameter has such a name."""
    return Source("param", " and ".join(names))


def _one_unit(whose: str, first: Parameter, other: Parameter, module: SourceFile) -> None:
    """Raises:
    Stop: ids of two kinds, or persons who are added in one table and changed in the other.
    """
    a, b = first.space, other.space
    assert isinstance(a, Owned) and isinstance(b, Owned)
    if a.kind == b.kind and a.metric == b.metric:
        return
    what = f"{first.name} and {other.name} both tell one {whose} apart"
    differs = f"ids are {a.kind} in {first.name} and {b.kind} in {other.name}"
    if a.kind == b.kind:
        differs = f"one unit is {a.unit} in {first.name}, and {b.unit} in {other.name}"
    own = b.ids_of(f"{out_of_words(whose)[0]}_of_{other.name}").replace(", Ch", ", dp.Ch")
    raise stop(
        module, other.node, "not-a-space", f"{what}, and {differs}",
        "one kind of ids, and one unit, in all tables about the same persons",
        f"{other.name}: dp.Records[{b.row}, dp.{own}]",
    )  # fmt: skip


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
                f"one {space.whose} may have any number of rows in {text}",
                need=f"a bound on the rows of one {space.whose}, or one number for each "
                f"{space.whose}: dp.sum_per_id, dp.count_ids",
                help=f'{text} = dp.limit_rows({text}, "{space.column}", 5) before this line'
                if text.isidentifier()
                else f'dp.limit_rows({text}, "{space.column}", 5)',
                fatal=True,
            )
    return None
