"""A query, asked of a session: its programs are checked, charged and run as any other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from metricdp.checked.function import CheckedFunction
from metricdp.errors import BudgetError, NotProvedError
from metricdp.run.emit import Seeded, handling
from metricdp.run.release import Release
from metricdp.sql.answers import QueryAnswer
from metricdp.sql.compiled import compiled
from metricdp.sql.lowering import lowered
from metricdp.sql.plan import Lowered, Options
from metricdp.sql.program import ProgramText


class AskedQuery(NamedTuple):
    """What a session does for a query.

    Attributes:
        run: a checked function with its arguments; charged, released.
        cost: what that would cost, without doing it; see `sessions.previews.CostPreview`.
    """

    run: Callable[..., Release[Any]]
    cost: Callable[..., Any]


class PreparedQuery(NamedTuple):
    """A query and its checked programs."""

    lowered: Lowered
    main: CheckedFunction[..., Any] | None
    keys: CheckedFunction[..., Any] | None


def prepared(text: str, spaces: Mapping[str, Any], options: Options) -> PreparedQuery:
    """A query as checked functions, each proved; nothing is charged or read.

    Raises:
        MissingExtraError, SqlError, SpaceError, ParameterError: see `lowering.lowered`.
        NotProvedError: check rejects the program; its text and the reason are in the message.
    """
    return proved(lowered(text, spaces, options))


def proved(found: Lowered) -> PreparedQuery:
    """What was planned as checked functions.

    Raises:
        NotProvedError: check rejects the program; its text and the reason are in the message.
    """
    programs = [None if each is None else _proved(each) for each in (found.main, found.keys)]
    return PreparedQuery(found, programs[0], programs[1])


def _proved(program: ProgramText) -> CheckedFunction[..., Any]:
    function = compiled(program.source)
    try:
        function.guarantee  # noqa: B018 - asked for, so that what is not proved is refused here
    except NotProvedError as error:
        raise NotProvedError(
            f"{error}\n\nThe program that this query means:\n\n{program.source}", place="sql",
            remedy="change the expression that the program shows, or write the program by hand",
        ) from None  # fmt: skip
    return function


def noise_of(asked: PreparedQuery) -> dict[str, float]:
    """Output -> half the width of its interval (95%), of those that are one draw.

    The noise of a draw does not depend on the data, so a table without rows is asked, with seeds.
    """
    found, main = asked.lowered, asked.main
    if main is None or found.main is None:
        return {}
    unit, amount = found.budget
    keys = made_up_keys(found)
    with handling(Seeded(0)):
        around = main(*([] for _ in found.main.tables), **{unit: amount}, **keys).interval()
    widths = {}
    for output in found.outputs:
        near = None if around is None or output.form != "{0}" else around.get(output.name)
        ends = next(iter(near.values()), None) if isinstance(near, dict) else near
        if ends is not None:
            widths[output.name] = float(ends[1] - ends[0]) / 2
    return widths


def made_up_keys(found: Lowered) -> dict[str, tuple[Any, ...]]:
    """A key in place of those that are found first."""
    if found.main is None:
        return {}
    made_up: Any = (0,) if found.groups and found.groups[0].value.kind == "int" else ("a",)
    return {name: made_up for name, known in found.main.keys.items() if known is None}


def ask(session: AskedQuery, spaces: Mapping[str, Any], text: str, options: Options) -> QueryAnswer:
    """The answer to a query.

    Raises:
        MissingExtraError, SqlError, SpaceError, ParameterError, NotProvedError: see `prepared`.
        BudgetError: more than what is left; nothing was spent.
    """
    return answered(session, prepared(text, spaces, options), text)


def answered(session: AskedQuery, asked: PreparedQuery, text: str) -> QueryAnswer:
    """The answer to what was prepared.

    Raises:
        BudgetError: more than what is left; nothing was spent.
    """
    found, main, keys = asked
    unit, amount = found.budget
    table = {unit: amount}
    released: list[Release[Any]] = []
    counts: dict[Any, Any] | None = None
    more: dict[str, Any] = {}
    if keys is not None and found.keys is not None:
        first = {**table, "delta": found.delta, **found.keys.tables}
        if main is not None and found.main is not None:
            _require_both(session, PreparedQuery(found, main, keys))
        released.append(session.run(keys, **first))
        counts = dict(released[0].value)
        more = {name: tuple(counts) for name in (found.main.keys if found.main else ())}
    values: Release[Any] | None = None
    if main is not None and found.main is not None and counts != {}:
        values = session.run(main, **table, **more, **found.main.tables)
        released.append(values)
    return QueryAnswer.of(found, text, tuple(released), values, counts)


def previews(session: AskedQuery, asked: PreparedQuery) -> list[Any]:
    """What each program of a query would cost, the one that finds keys first."""
    found, main, keys = asked
    unit, amount = found.budget
    made = []
    if keys is not None and found.keys is not None:
        first = {unit: amount, "delta": found.delta, **found.keys.tables}
        made.append(session.cost(keys, **first))
    if main is not None and found.main is not None:
        more = _likely(found) if made else {}
        made.append(session.cost(main, **{unit: amount}, **more, **found.main.tables))
    return made


def _likely(found: Lowered) -> dict[str, tuple[Any, ...]]:
    """Keys in place of those that are found first: as many as one person has."""
    if found.main is None:
        return {}
    kind = found.groups[0].value.kind
    many = range(found.most or 1)
    likely = tuple(many) if kind == "int" else tuple(map(str, many))
    return dict.fromkeys((n for n, known in found.main.keys.items() if known is None), likely)


def _require_both(session: AskedQuery, asked: PreparedQuery) -> None:
    """Both steps have to fit before the first one is paid for.

    Raises:
        BudgetError: they do not.
    """
    steps = previews(session, asked)
    for name, amount in steps[0].left.items():
        wanted = sum(
            (each.cost.get(name, Fraction(0)) for each in steps if not each.known), Fraction(0)
        )
        if wanted > amount:
            raise BudgetError(
                f"the keys and what is asked of them cost {name} = {float(wanted):g}, and "
                f"{float(amount):g} is left", place="sql", remedy="a smaller epsilon or delta",
            )  # fmt: skip
