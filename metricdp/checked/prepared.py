"""What a run takes from its public numbers alone: made once for each, and the same in every run.

Everything here is a function of the guarantee and of exact numbers, which are the key; nothing of
the data is.  What a release shows, or a handler is given, is made afresh for every run: the objects
that are kept are reached by no caller.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from fractions import Fraction
from functools import partial
from typing import Any

import msgspec
from msgspec.structs import force_setattr

from metricdp.check.verdicts.guarantee import FunctionGuarantee, where_known
from metricdp.check.verdicts.sites import SiteNoise
from metricdp.checked.about import about, spent_at
from metricdp.checked.arguments import Arguments, exactly
from metricdp.checked.charged import ChargedCalls, Draws, Later, Released, Scope, calls
from metricdp.checked.private_selection import selections
from metricdp.checked.samples import Schemes, schemes_at
from metricdp.checked.shapes import Proved, proved_shapes
from metricdp.expr import Expr
from metricdp.families.family import Draw
from metricdp.measures.events import Selected, Tree
from metricdp.measures.readings import leaves
from metricdp.run.addresses import without_rounds
from metricdp.run.compile import CompiledProgram
from metricdp.run.release import About, answers
from metricdp.run.rowwise import ProvedBounds

#: Runs whose numbers are remembered, of one program.
_MOST = 64


class Prepared(msgspec.Struct, frozen=True):
    """A measurement at the public numbers of a run.

    Attributes:
        guarantee: in the branches that can be taken at these numbers.
        draws: the noise of every site.
        left: the calls that may be made; None where no tree says so.
        variants: see `addresses.by_sides`.
        later: name of a released number that bounds are in -> the address where it is drawn.
        best: sites whose noise is not that of one draw: a selection chose among several.
    """

    guarantee: FunctionGuarantee
    draws: Draws
    privacy: Mapping[str, str]
    shapes: Mapping[str, Proved]
    left: Scope | None
    variants: Mapping[str, list[str]]
    schemes: Schemes
    selections: Mapping[str, Selected]
    described: About
    unit: str
    requires: tuple[str, ...]
    answers: tuple[str, ...]
    later: Mapping[str, str]
    best: frozenset[str]

    def own_draws(self) -> Draws:
        """The noise of every site in objects of one run."""
        return {site: _own(d) if isinstance(d, Draw) else d for site, d in self.draws.items()}


def prepared(
    program: CompiledProgram, guarantee: FunctionGuarantee, arguments: Arguments, test: bool
) -> Prepared:
    """What is known before the data are used; kept with the program.

    Args:
        test: whether the run is for tests: what such a run made, before which nothing was compared
            with what was loaded, no other run takes.

    Raises:
        ParameterError: noise, or a cost, that has no value at these numbers.
    """
    key = "run", test, exactly(arguments.env)
    held: tuple[FunctionGuarantee, Prepared] | None = program.kept.get(key)
    if held is None or held[0] is not guarantee:
        held = guarantee, _prepared(guarantee, arguments)
        _keep(program, key, held)
    return held[1]


def bounds_at(program: CompiledProgram, env: Mapping[str, Fraction], test: bool) -> ProvedBounds:
    """What was proved of rows, at these numbers; kept with the program, see `prepared`."""
    key = "rows", test, exactly(env)
    found: ProvedBounds | None = program.kept.get(key)
    if found is None:
        found = ProvedBounds(program.enforced, dict(env), lasting=True)
        _keep(program, key, found)
    return found


def _keep(program: CompiledProgram, key: Any, found: Any) -> None:
    if len(program.kept) >= _MOST:
        program.kept.clear()
    program.kept[key] = found


def _prepared(guarantee: FunctionGuarantee, arguments: Arguments) -> Prepared:
    env = dict(arguments.env)
    later = {name: at for site in guarantee.sites.values() for name, at in site.drawn.items()}
    guarantee, draws, privacy = where_known(
        guarantee, env, lambda g: (g, site_draws(g, env), spent_at(g, arguments))
    )
    tree = guarantee.tree
    made = calls_of(guarantee, tree) if tree is not None else None
    chosen = selections(tree)
    return Prepared(
        guarantee,
        draws,
        privacy,
        proved_shapes(guarantee, env),
        Scope(made.counts, env) if made is not None else None,
        made.sides if made is not None else {},
        schemes_at(tree, env),
        chosen,
        about(guarantee),
        "; ".join(f"{i.label}: {i.unit}" for i in guarantee.units()),
        guarantee.requirement_texts(),
        answers((i.space for i in guarantee.private() if i.space), guarantee.answers, env),
        later,
        frozenset(leaf.event.site for each in chosen.values() for leaf in leaves(each.body)),
    )


def calls_of(guarantee: FunctionGuarantee, tree: Tree) -> ChargedCalls:
    """The calls of a guarantee's tree."""
    rounds = {name: loop for s in guarantee.sites.values() for name, loop in s.rounds.items()}
    return calls(tree, rounds)


def site_draws(
    guarantee: FunctionGuarantee, env: Mapping[str, Fraction]
) -> dict[str, Draw | Later]:
    """The noise of every site, in rationals, from the guarantee's expressions.

    Noise that depends on the rounds of loops, or on numbers that were released before, is a
    function of the numbers of these rounds, and of what was released at these addresses.

    Raises:
        ParameterError: noise that is not positive.
    """
    found: dict[str, Draw | Later] = {}
    if guarantee.tree is None:
        return found
    for site, (proved, moved) in calls_of(guarantee, guarantee.tree).noises.items():
        if proved.rounds or proved.drawn:
            found[site] = partial(_draw_later, site, proved, moved, env)
        else:
            found[site] = _draw(site, proved, moved, env)
    return found


def _draw_later(
    site: str,
    proved: SiteNoise,
    moved: list[Expr],
    env: Mapping[str, Fraction],
    rounds: Mapping[str, int],
    released: Released,
) -> Draw:
    numbers = {name: Fraction(rounds[without_rounds(loop)]) for name, loop in proved.rounds.items()}
    draw = _draw(site, proved, moved, {**env, **numbers})
    if not proved.drawn:
        return draw
    drawn = {name: released.number(address) for name, address in proved.drawn.items()}
    size = Fraction(proved.unit.upper({**env, **numbers, **drawn}))
    least = draw.bound if draw.least is None else draw.least
    return msgspec.structs.replace(
        draw, scale=draw.scale * size, bound=draw.bound * size, least=least * size
    )


def _draw(site: str, proved: SiteNoise, moved: list[Expr], env: Mapping[str, Fraction]) -> Draw:
    bound = Fraction(proved.bound.upper(env))
    moves = (Fraction(m.upper(env)) for m in moved)
    least = min((m for m in moves if m > 0), default=bound)
    noise = {key: Fraction(e.upper(env)) for key, e in proved.noise.items()}
    # A privacy parameter is never larger than it is.
    scale, extra = proved.family.request(noise, lambda key: Fraction(proved.noise[key].lower(env)))
    return Draw(site, proved.family, proved.norm, scale, bound, least, extra)


def _own(draw: Draw) -> Draw:
    """The same draw, of which no part that can be written to is that of another run."""
    new = copy(draw)
    for name in ("scale", "bound", "least"):
        force_setattr(new, name, _copied(getattr(draw, name)))
    force_setattr(new, "extra", {key: _copied(value) for key, value in draw.extra.items()})
    return new


def _copied(value: Any) -> Any:
    """A rational in slots of its own, which can be written to; anything else as it is."""
    if type(value) is not Fraction:
        return value
    new: Any = object.__new__(Fraction)
    new._numerator, new._denominator = value.as_integer_ratio()
    return new
