"""Checked functions and library measurements as questions to a session."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from metricdp.check.values.hashing import content_hash
from metricdp.check.verdicts.held import Held
from metricdp.checked.arguments import Env, admitted, bind_public, by_name
from metricdp.checked.function import CheckedFunction
from metricdp.checked.laws import Applied
from metricdp.checked.path import pinned_handler
from metricdp.checked.rehearsal import gone_through, lies_elsewhere
from metricdp.errors import (
    BudgetError,
    InternalError,
    MetricdpError,
    ParameterError,
    PostProcessingError,
    SpaceError,
)
from metricdp.maps import Measurement
from metricdp.maps.costs import MEASURES, SOURCE
from metricdp.maps.steps import shown
from metricdp.measures.events import Sequence
from metricdp.run.draws import Drawn, interrupted
from metricdp.run.emit import collecting
from metricdp.run.release import About, Release, answers, not_covered, unprotected, versions
from metricdp.run.rewrite import BOXES
from metricdp.run.shared import refuse_shared
from metricdp.sessions.asking import Question, canonical, is_plain
from metricdp.sessions.budget import UNITS, Budget
from metricdp.sessions.costs import Asked, cost, star
from metricdp.sessions.data import HeldTable, handed, require_fit, sizes_of
from metricdp.sessions.tracked import Tracked
from metricdp.spaces import Space
from metricdp.spaces.joining import fits

#: Parameters that a person turns down first.
_FIRST = ("eps", "epsilon", "rho", "scale", "sigma", "delta")


def of_function(
    function: CheckedFunction,
    tables: Mapping[str, HeldTable],
    distances: Mapping[str, Fraction],
    budget: Budget,
    args: tuple[Any, ...],
    keywords: dict[str, Any],
) -> Question:
    """A call of a checked measurement: private parameters are tables, by name or as they are given.

    Raises:
        NotProvedError: the function is not proved.
        ParameterError: a wrong call, or a public parameter that a requirement excludes.
        SpaceError: a table that is no argument of the function.
        BudgetError: no cost in the budget's measure.
    """
    function = function.now()
    guarantee = function.guarantee.data
    declared = function.outcome.declared
    if guarantee.kind != "measurement":
        raise ParameterError(
            f"`{guarantee.name}` is a {guarantee.kind}: it releases nothing",
            place=guarantee.name,
            remedy="call it in a function decorated with @dp.measurement",
        )
    private: dict[str, Space] = {i.name: i.space for i in guarantee.private() if i.space}
    if keywords.get("strict") and "strict" not in {i.name for i in guarantee.inputs}:
        raise ParameterError(
            "strict=True tells about the data without noise", place="session.run",
            remedy="leave strict out: values are moved into their bounds",
        )  # fmt: skip
    filled = dict(keywords)
    if not args:
        named = (private.keys() - keywords.keys()) & tables.keys()
        filled.update({name: name for name in named})
    given, passed = by_name(declared, args, filled)
    chosen = {n: _table(n, given[n], tables) for n in private}
    public = {n: v for n, v in given.items() if n not in private}
    for name, value in public.items():
        if isinstance(value, Tracked):
            raise ParameterError(
                f"a tracked value is given as the public parameter `{name}`", place=guarantee.name,
                remedy="release it first: dp.laplace(x, epsilon=0.1).value",
            )  # fmt: skip
    originals = {n: t.given() for n, t in chosen.items()}
    refuse_shared({n: v for n, v in originals.items() if v is not None}, public)
    bound = bind_public(guarantee, public, passed)
    env = dict(bound.env)
    for name, table in chosen.items():
        env.update(sizes_of(private[name].named(name), table.space))
    held = guarantee.held(env, complete=True)
    wanted = {n: space.named(n).at(env) for n, space in private.items()}
    for name, table in chosen.items():
        require_fit(table, wanted[name], guarantee.name)
    moving = {guarantee.input(n).source: t for n, t in chosen.items()}

    def asked_at(numbers: Held) -> Asked:
        """The step in the branches that a run with these numbers takes."""
        return Asked(
            guarantee.at_numbers(numbers).tree or Sequence(()),
            {source: distances[t.name] for source, t in moving.items()},
            {source: t.space for source, t in moving.items()},
            guarantee.slack,
            any(table.part for table in tables.values()),
        )

    def recost(name: str, value: Fraction) -> Mapping[str, Fraction]:
        changed = guarantee.held({**env, name: value}, complete=True)
        return cost(asked_at(changed), budget, changed, guarantee.name)

    asked = asked_at(held)
    paid = cost(asked, budget, held, guarantee.name)
    function.try_boxes(held)
    if any(lies_elsewhere(table.admitted) for table in chosen.values()):
        data = {name: handed(table, wanted[name]) for name, table in chosen.items()}
        function.rehearse(admitted(guarantee, bound, data))

    def charged(found: Env) -> None:
        same = all(found.get(name) == number for name, number in held.items())
        again = guarantee.held(found, complete=True)
        if not same or cost(asked, budget, again, guarantee.name) != paid:
            raise InternalError("the run is not the one that was charged", place=guarantee.name)

    def run() -> Release:
        data = {name: handed(table, wanted[name]) for name, table in chosen.items()}
        released: Release = function.at_bound(bound, data, charged)
        return released

    order = [i.name for i in guarantee.inputs]
    tunable = sorted((n for n in public if n in env), key=_rank)
    return Question(
        name=guarantee.name,
        scope=tuple(dict.fromkeys(chosen[n].name for n in order if n in chosen)),
        asked=asked,
        cost=paid,
        run=run,
        numbers=held,
        public={**bound.given, **{f"table of {n}": t.name for n, t in chosen.items()}},
        fingerprint=_identity(function),
        recost=recost,
        tunable=tuple(tunable),
    )


def _identity(function: CheckedFunction) -> str:
    """Of the function with every file that it was read from; "" where a black box runs in it."""
    program = function.outcome.program
    if program is None or any(kind in BOXES for kind, _, _ in program.actions.values()):
        return ""
    digests = sorted({module.digest for module in program.used.values()})
    return content_hash("|".join([function.guarantee.data.fingerprint, *digests]), 16)


def _rank(name: str) -> int:
    return _FIRST.index(name) if name in _FIRST else len(_FIRST)


def _table(parameter: str, given: Any, tables: Mapping[str, HeldTable]) -> HeldTable:
    """The table of a private parameter: its name, or the tracked value of a whole table."""
    name = given
    if isinstance(given, Tracked):
        name = given._node.name if given._node.kind == "table" else None
    if isinstance(name, str) and name in tables:
        return tables[name]
    raise ParameterError(
        f"the private parameter `{parameter}` is given something that is no table of the session",
        place="session.run",
        remedy=f'{parameter}=session["{next(iter(tables))}"]: computed values belong into the '
        "function",
    )


def of_measurement(
    measurement: Measurement,
    name: str | None,
    tables: Mapping[str, HeldTable],
    distances: Mapping[str, Fraction],
    budget: Budget,
) -> Question:
    """A measurement of the library, or one made by hand, on one table.

    Raises:
        SpaceError: no table is an argument of it, or several are and none is named.
        ParameterError: a requirement of its cost that is not decided.
        BudgetError: no cost in the budget's measure.
    """
    if measurement.requires:
        raise ParameterError(
            f"its cost requires {measurement.requires[0]}", place=measurement.name,
            remedy="give the number: function.at(..., len_x=100); or session.run the function",
        )  # fmt: skip
    table = _fitting(measurement, name, tables)
    distance = distances[table.name]
    asked = None
    if measurement.tree is not None:
        asked = Asked(measurement.tree, {SOURCE: distance}, {SOURCE: table.space}, part=table.part)

    def spends() -> dict[str, Fraction]:
        if asked is None or measurement.tree is not asked.tree:
            if table.part:
                return star(lambda d: _of_maps(measurement, d, budget), distance)
            return _of_maps(measurement, distance, budget)
        return cost(asked, budget, {}, measurement.name)

    paid = spends()
    # A function made by hand is called once, when it is paid for.
    known = asked is not None or isinstance(measurement.function, Applied)
    if known and lies_elsewhere(table.admitted):
        gone_through({}, lambda _: measurement(handed(table, measurement.input_space)))

    def run() -> Release:
        if spends() != paid:
            raise InternalError("the run is not the one that was charged", place=measurement.name)
        return _released(measurement, table, distance)

    return Question(
        name=measurement.name,
        scope=(table.name,),
        asked=asked,
        cost=paid,
        run=run,
        fingerprint=_fingerprint(measurement),
    )


def _fitting(
    measurement: Measurement, name: str | None, tables: Mapping[str, HeldTable]
) -> HeldTable:
    if name is not None and name not in tables:
        raise SpaceError(f"no table is called {name!r}", place="session.release",
                         remedy=f"tables: {', '.join(tables)}")  # fmt: skip
    found = [t for n, t in tables.items() if name in (None, n)]
    fitting = [t for t in found if fits(t.space, measurement.input_space)]
    if len(fitting) == 1:
        return fitting[0]
    if not fitting:
        raise SpaceError(
            f"{measurement.name} takes {measurement.input_space.describe()}, and no table is that",
            place="session.release",
            remedy="declare the table as the measurement's input space",
        )
    raise SpaceError(
        f"{measurement.name} takes any of {', '.join(t.name for t in fitting)}",
        place="session.release",
        remedy=f'session.release(measurement, "{fitting[0].name}")',
    )


def _of_maps(measurement: Measurement, distance: Fraction, budget: Budget) -> dict[str, Fraction]:
    """The cost of a measurement of which only maps are known."""
    kinds = [budget.kind, "pure"] if budget.kind == "approx" else [budget.kind]
    for kind in kinds:
        if kind not in measurement.privacy:
            continue
        found = measurement.map(distance, kind)
        parts = found if isinstance(found, tuple) else (found,)
        if any(isinstance(part, float) for part in parts):
            raise ParameterError("the cost is infinite", place=measurement.name)
        padded = (*parts, *[Fraction(0)] * (len(UNITS[budget.kind]) - len(parts)))
        return {u: Fraction(v) for u, v in zip(UNITS[budget.kind], padded, strict=True)}
    known = ", ".join(m for m in MEASURES if m in measurement.privacy)
    raise BudgetError(
        f"`{measurement.name}` has a cost in {known}, and the budget is counted in {budget.kind}",
        place=measurement.name,
        remedy="open the session with a budget in that measure",
    )


def _fingerprint(measurement: Measurement) -> str:
    """Of rules with versions; "" for a function made by hand, which nothing identifies."""
    values = [value for step in measurement.steps for value in step.arguments.values()]
    if not all(step.version for step in measurement.steps) or not all(map(is_plain, values)):
        return ""
    steps = [
        f"{step.name}|{step.version}|{step.input_space}|"
        f"{[(n, canonical(v)) for n, v in sorted(step.arguments.items())]!r}"
        for step in measurement.steps
    ]
    return content_hash("\n".join(steps), 16)


def _released(measurement: Measurement, table: HeldTable, distance: Fraction) -> Release:
    _, test = pinned_handler(library=True)
    failed: BaseException | None = None
    value: Any = None
    with collecting() as drawn:
        try:
            value = measurement(handed(table, measurement.input_space))
        except BaseException as error:
            failed = error
    if failed is not None:
        raise _after(failed, measurement.name, tuple(drawn)) from None
    if isinstance(value, Release):  # of a checked function, at public parameters
        return value
    spaces = {table.name: table.space}
    assumed = [str(r) for r in measurement.rests_on if r.kind == "user's assumption"]
    parameters = {
        f"{step.name}.{name}": (shown(value), "caller")
        for step in measurement.steps for name, value in step.arguments.items()
    }  # fmt: skip
    return Release(
        value=value,
        function=measurement.name,
        fingerprint=_fingerprint(measurement),
        unit=f"{table.name}: {table.space.unit}",
        draws=tuple(drawn),
        parameters=parameters,
        rests_on=tuple(map(str, measurement.rests_on)),
        answers=answers((table.space,), (), {}),
        test_only=test,
        about=About(
            not_covered=not_covered(spaces),
            unprotected=unprotected(spaces),
            derivation=tuple(str(measurement.explain(distance)).splitlines()),
            assumptions=tuple(assumed),
            versions=versions(),
        ),
    )


def _after(error: BaseException, name: str, drawn: tuple[Drawn, ...]) -> BaseException:
    """A failure that carries what was released and paid for before it, and no frame of the run."""
    if not drawn:
        return error
    if not isinstance(error, Exception):
        return interrupted(error, drawn)
    kind = error.fact if isinstance(error, MetricdpError) else type(error).__name__
    fresh = PostProcessingError(
        f"a step after the noise failed ({kind})", place=name,
        remedy="guard the post-processing; `releases` of this error has what was paid for",
    )  # fmt: skip
    fresh.releases = drawn
    return fresh
