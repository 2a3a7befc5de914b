"""A mechanism on a tracked value as a question: its events, its noise, and one draw when paid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.check.values.hashing import content_hash
from metricdp.check.verdicts.guarantee import FunctionGuarantee, Input
from metricdp.check.verdicts.reading import requirement
from metricdp.check.verdicts.sites import noise_by_site
from metricdp.checked.about import spent_at
from metricdp.checked.arguments import Arguments
from metricdp.checked.charged import Charged, Scope, calls
from metricdp.checked.path import pinned_handler
from metricdp.checked.prepared import site_draws
from metricdp.checked.rehearsal import gone_through, lies_elsewhere
from metricdp.checked.shapes import Proved, proved_shapes
from metricdp.errors import InternalError, ParameterError
from metricdp.expr import compare, num
from metricdp.families.family import Draw
from metricdp.maps.steps import shown
from metricdp.measures.events import Tree
from metricdp.measures.readings import available, leaves
from metricdp.record import REGISTRY, Record
from metricdp.run.emit import collecting, emit
from metricdp.run.machine import Machine
from metricdp.run.pins import present
from metricdp.run.release import About, Release, answers, not_covered, unprotected, versions
from metricdp.sessions.asking import Question
from metricdp.sessions.budget import Budget
from metricdp.sessions.costs import Asked, cost
from metricdp.sessions.data import HeldTable
from metricdp.sessions.graph import described, evaluate, tables_of, written
from metricdp.sessions.tracked import Tracked, refused
from metricdp.sessions.workspace import source_of

_TARGETS = ("epsilon", "eps", "delta", "rho", "alpha", "omega")


def of_mechanism(
    record: Record,
    hidden: Tracked,
    tree: Tree,
    pending: Sequence[Any],
    public: Mapping[str, Any],
    tables: Mapping[str, HeldTable],
    distances: Mapping[str, Fraction],
    budget: Budget,
) -> Question:
    """A mechanism of the registry around one tracked value.

    Raises:
        TrackedError: a value that belongs to a function of rows, or a mechanism that chooses.
        ParameterError: a requirement on public numbers that fails.
        BudgetError: no cost in the budget's measure.
    """
    if record.family is None or not record.family.reads_one:
        remedy = "write a checked function, and session.run it"
        raise refused(f"`{record.name}`, which does not add noise to one value,", remedy)
    scope = tuple(name for name in tables if name in tables_of(hidden._node))
    sources = {source_of(name): name for name in tables}
    for leaf in leaves(tree):
        if not leaf.moved.keys() <= sources.keys():
            raise refused("a row outside of its function", "use it inside the function only")
    _required(pending, record.name)
    asked = Asked(
        tree,
        {source: distances[name] for source, name in sources.items()},
        {source: tables[name].space for source, name in sources.items()},
        part=any(table.part for table in tables.values()),
    )
    guarantee = FunctionGuarantee(
        "session", record.name, 0, "measurement",
        tuple(Input(n, tables[n].space) for n in scope), "released", None, tree,
        available(tree)[0], sites=noise_by_site(tree),
        fingerprint=_fingerprint(record, hidden, public),
    )  # fmt: skip
    arguments = Arguments({}, {}, {}, guarantee.held({}, complete=True))
    (draw,) = site_draws(guarantee, arguments.env).values()
    assert isinstance(draw, Draw)
    privacy = spent_at(guarantee, arguments)
    numbers = {n: _typed(n, v) for n, v in public.items() if _numeric(v)}
    if any(lies_elsewhere(tables[name].admitted) for name in scope):
        gone_through(
            {name: tables[name].admitted for name in scope},
            lambda values: evaluate(hidden._node, values, Machine(_no_noise)),
        )

    def recost(name: str, value: Fraction) -> Mapping[str, Fraction]:
        again = _tree_again(record, hidden, tree, {**public, name: value})
        changed = msgspec.structs.replace(asked, tree=again)
        return cost(changed, budget, {}, record.name)

    return Question(
        name=record.name,
        scope=scope,
        asked=asked,
        cost=cost(asked, budget, {}, record.name),
        run=lambda: _run(record, hidden, draw, public, guarantee, privacy, tables),
        numbers=numbers,
        public=public,
        fingerprint=guarantee.fingerprint,
        recost=recost,
        tunable=tuple(n for n in ("epsilon", "rho", "scale", "eps") if n in numbers),
    )


def _numeric(value: Any) -> bool:
    return (isinstance(value, int | Fraction) and not isinstance(value, bool)) or (
        isinstance(value, float) and value == value and abs(value) != float("inf")
    )


def _typed(name: str, value: Any) -> Fraction:
    """Targets are the decimals that were typed, other floats the doubles, as in check."""
    decimal = isinstance(value, float) and name in _TARGETS
    return Fraction(float.__repr__(value)) if decimal else Fraction(value)


def _required(pending: Sequence[Any], place: str) -> None:
    for each in pending:
        open_ = requirement(each)
        if open_ is not None and compare(*open_) is not True:
            left, op, right = open_
            raise ParameterError(f"{left} {op} {right} is not known to hold", place=place)


def _tree_again(record: Record, hidden: Tracked, tree: Tree, public: Mapping[str, Any]) -> Tree:
    """The events of the same mechanism with other public numbers."""
    from metricdp.record import Arg

    (leaf,) = leaves(tree)
    given = {
        name: Arg(value=num(_typed(name, v)), text=name)
        for name, v in public.items() if _numeric(v)
    }  # fmt: skip
    conclusion = record.rule(Arg(hidden.space, True, text="x"), **given)
    (event,) = conclusion.events
    return msgspec.structs.replace(leaf, event=event)


def _fingerprint(record: Record, hidden: Tracked, public: Mapping[str, Any]) -> str:
    """Of the operations, with the versions of all rules."""
    rules = REGISTRY.versions()
    return content_hash(f"{rules}|{record.name}|{described(hidden._node)!r}|{hidden.space}", 16)


def _no_noise(*args: Any) -> Any:
    raise InternalError("a tracked value drew noise of its own")


def _run(
    record: Record, hidden: Tracked, draw: Draw, public: Mapping[str, Any],
    guarantee: FunctionGuarantee, privacy: Mapping[str, str], tables: Mapping[str, HeldTable],
) -> Release:  # fmt: skip
    pins = present()
    pins.verify()
    handler, test = pinned_handler()

    machine = Machine(_no_noise, pins)
    assert guarantee.tree is not None
    made = Scope(calls(guarantee.tree, {}).counts, {})
    left = Charged(made, {draw.site: draw}, handler, record.name)
    draw = left.draw(draw.site, {})
    with collecting() as drawn:
        value = evaluate(hidden._node, {n: t.admitted for n, t in tables.items()}, machine)
        entering = draw.family.entering(draw, {"x": value, **public})
        value = entering.value
        if draw.family.fills:
            shape = proved_shapes(guarantee, {}).get(draw.site) or Proved()
            value = shape.filled(draw, value)
            shape.same_kind(draw, value, record.name)
        released = emit(entering.draw, value, left)
        if entering.leaving is not None:
            released = entering.leaving(released)
    del entering
    value = None
    spaces = {i.name: i.space for i in guarantee.private() if i.space is not None}
    moves = [f"{name} moves it by {bound}" for name, bound in hidden.bounds.items()]
    return Release(
        value=released,
        function=record.name,
        fingerprint=guarantee.fingerprint,
        unit="; ".join(f"{n}: {s.unit}" for n, s in spaces.items()),
        privacy=privacy,
        draws=tuple(drawn),
        parameters={n: (shown(v), "caller") for n, v in public.items()},
        rests_on=("running time is not protected",),
        answers=answers(spaces.values(), guarantee.answers, {}),
        outputs=(0,),
        test_only=test,
        about=About(
            not_covered=not_covered(spaces),
            unprotected=unprotected(spaces),
            derivation=(*written(hidden._node), f"in {hidden.space.describe()}", *moves),
            versions=versions(),
        ),
    )
