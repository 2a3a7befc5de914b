"""Decorated functions as subjects of attack, from their source: nothing of the user is imported.

The function that is attacked is compiled from the syntax tree that check read, on run-time values,
as in a release.  What is attacked is the claim in the decorator, else the map that check proved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from metricdp.audit.subject import Claim, Subject, Values
from metricdp.check.verdicts.verify import Outcome
from metricdp.errors import ExpressionError, SourceError
from metricdp.expr import D, Expr, compare, num, parse, sym
from metricdp.spaces import Owned, Space
from metricdp.spaces.base import symbols_of
from metricdp.spaces.same_persons import side_by_side, taken_apart

#: Values of public parameters: the first that meets what the guarantee requires, and a negative.
_POSITIVE = (Fraction(3, 2), Fraction(2), Fraction(1), Fraction(1, 2), Fraction(7))
_NEGATIVE = (Fraction(-2), Fraction(-1))
_SIZES, _SIZE = ("len_", "different_", "rows_", "cols_"), 3
_OTHER = {"str": "a", "bool": True}


def outcomes_of(path: str) -> list[Outcome]:
    """What check concludes about the decorated functions of a file.

    Raises:
        SourceError: the file cannot be read or parsed.
    """
    from metricdp.check.source.program import Project
    from metricdp.check.verdicts.api import outcomes
    from metricdp.diagnostics import Diagnostic

    module = Project().load(path)
    if isinstance(module, Diagnostic):
        raise SourceError(module.message, place=path)
    return outcomes(module)


def subjects_of(outcome: Outcome, replay: str = "") -> Iterator[Subject]:
    """Subjects of a transformation: one per choice of public values, at most two.

    Raises:
        SourceError: it was rejected before it had a bound, it is a measurement, or a public
            parameter has a type, or requirements, for which no value can be made up.
    """
    declared, guarantee = outcome.declared, outcome.guarantee
    if declared.kind != "transformation":
        raise SourceError(
            f"`{declared.name}` is a {declared.kind}, and attacks are on transformations",
            place=declared.module.path,
        )
    if guarantee is None:
        reason = outcome.diagnostics[0].message if outcome.diagnostics else "it has no bound"
        raise SourceError(f"`{declared.name}` is rejected: {reason}", place=declared.module.path)
    if guarantee.output_space is None:
        raise SourceError(
            f"the result of `{declared.name}` has no single space", place=declared.module.path
        )
    found = assignments(outcome)
    if not found:
        raise SourceError(
            "no values were found for the public names that meet what is required",
            place=f"{declared.module.path}::{declared.name}",
            remedy="attack a Transformation made with values: Transformation(..., f, map)",
        )
    for env in found:
        yield _subject(outcome, env, replay)


def _subject(outcome: Outcome, env: Mapping[str, Any], replay: str) -> Subject:
    from metricdp.values import wrap

    guarantee = outcome.guarantee
    assert guarantee is not None and guarantee.output_space is not None
    numbers = {n: v for n, v in env.items() if isinstance(v, (int, Fraction))}
    maps = {
        guarantee.input(name).label: g.subs({n: num(numbers[n]) for n in g.symbols if n in numbers})
        for name, g in claimed(outcome).items()
    }
    public = {i.name: wrap(env[i.name]) for i in guarantee.inputs if i.space is None}
    function, together = compiled(outcome), guarantee.moved_together()

    def run(values: Values) -> Any:
        given = taken_apart(values, together)
        return function(**{name: wrap(value) for name, value in given.items()}, **public)

    shown = ", ".join(f"{i.name}={env[i.name]}" for i in guarantee.inputs if i.space is None)
    spaces = {i.name: _inside(i.space).at(numbers) for i in guarantee.private() if i.space}
    return Subject(
        f"{guarantee.name}({shown})" if shown else guarantee.name,
        side_by_side(spaces, together),
        run,
        guarantee.output_space.at(numbers),
        Claim(maps),
        (),
        replay,
    )


def _inside(space: Space) -> Space:
    """The space of a parameter's value in the program, whose data have entered."""
    return space.inside if isinstance(space, Owned) else space


def compiled(outcome: Outcome) -> Any:
    """The checked function, compiled from the tree that was checked; it may add no noise."""
    from metricdp.run.compile import CompiledProgram, Machine

    def no_noise(*_: Any) -> Any:
        raise AssertionError("a transformation has no mechanism")

    declared, checked = outcome.declared, outcome.program
    program = CompiledProgram(checked.actions, checked.used, checked.decided)
    return program.function(declared.node, declared.module, Machine(no_noise, program.pins))


def claimed(outcome: Outcome) -> dict[str, Expr]:
    """The map of each private parameter: as claimed in the decorator, else as proved."""
    guarantee = outcome.guarantee
    assert guarantee is not None
    found = {i.name: i.stability for i in guarantee.inputs if i.space is not None}
    for claim in guarantee.claims:
        if "stability" in claim.claim:
            known = {n: sym(n) for n in _names(outcome)} | {"d_in": D}
            found = dict.fromkeys(found, parse(claim.claim["stability"], known))
    return {name: g for name, g in found.items() if g is not None}


def _names(outcome: Outcome) -> set[str]:
    """Public names of the guarantee: parameters, sizes, and symbols of its maps."""
    guarantee = outcome.guarantee
    assert guarantee is not None
    names = {i.name for i in guarantee.inputs if i.space is None}
    for space in (*(i.space for i in guarantee.inputs), guarantee.output_space):
        names |= symbols_of(space)
    for entry in guarantee.inputs:
        names |= entry.stability.symbols if entry.stability is not None else set()
    return names - {"d_in"}


def assignments(outcome: Outcome) -> list[dict[str, Any]]:
    """Values for every public name that meet what is required: positive ones, and negative."""
    guarantee = outcome.guarantee
    assert guarantee is not None
    types = {i.name: i.type for i in guarantee.inputs if i.space is None}
    unknown = {n: t for n, t in types.items() if t not in ("int", "float", *_OTHER)}
    if unknown:
        name, kind = next(iter(unknown.items()))
        raise SourceError(
            f"no value can be made up for the public parameter {name}: {kind}",
            place=f"{guarantee.file}::{guarantee.name}",
            remedy="attack a Transformation made with a value: Transformation(..., f, map)",
        )
    fixed: dict[str, Any] = {n: _OTHER[t] for n, t in types.items() if t in _OTHER}
    fixed |= _required(guarantee.requires)
    counts = _counts(outcome)
    free = sorted(_names(outcome) - set(fixed) - counts)
    fixed = dict.fromkeys(counts, _SIZE) | fixed
    found = []
    for candidates in (_POSITIVE, _NEGATIVE):
        for value in candidates:
            env = {n: _typed(value, types.get(n)) for n in free} | fixed
            if _meets(guarantee.requires, env):
                found.append(env)
                break
    return found[: 2 if free else 1]


def _counts(outcome: Outcome) -> set[str]:
    """Names that count entries, rows or columns, whatever they are called."""
    guarantee = outcome.guarantee
    assert guarantee is not None
    spaces = [*(i.space for i in guarantee.inputs), guarantee.output_space]
    named = set().union(*(symbols_of(space, sizes=True) for space in spaces))
    return named | {n for n in _names(outcome) if n.startswith(_SIZES)}


def _required(requires: tuple[tuple[Expr, str, Expr], ...]) -> dict[str, int | Fraction]:
    """Names that must equal a number: sizes that a public matrix fixes."""
    found: dict[str, int | Fraction] = {}
    for left, op, right in requires:
        value = right.as_fraction()
        if op == "==" and value is not None and str(left) in left.symbols:
            found[str(left)] = int(value) if value.denominator == 1 else value
    return found


def _typed(value: Fraction, kind: str | None) -> int | Fraction:
    return int(value) or 1 if kind == "int" else value


def _meets(requires: tuple[tuple[Expr, str, Expr], ...], env: Mapping[str, Any]) -> bool:
    values = {n: num(v) for n, v in env.items() if isinstance(v, (int, Fraction))}
    try:
        return all(compare(a.subs(values), op, b.subs(values)) for a, op, b in requires)
    except ExpressionError:
        return False
