"""What is replayed: checked functions, measurements and plain Python functions, in one form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from fractions import Fraction
from functools import partial
from inspect import Parameter, signature
from math import ceil, inf
from types import FunctionType
from typing import Any

import msgspec

from metricdp.audit.measurements.verdicts import Number, PrivacyClaim
from metricdp.audit.replaying.tape import TapedDraw
from metricdp.audit.unusual import Beyond, beyond_of
from metricdp.errors import ExpressionError, MetricdpError, ParameterError, SourceError
from metricdp.expr import Expr, num
from metricdp.families.family import Draw
from metricdp.maps import Measurement
from metricdp.measures.events import Sequence, Spent, noise_bound
from metricdp.measures.readings import leaves
from metricdp.run.different import different
from metricdp.spaces import Records, Space, Vector
from metricdp.spaces.base import symbols_of
from metricdp.spaces.instants import as_instants
from metricdp.spaces.same_persons import side_by_side, taken_apart

#: Argument -> distance of its two values.
Distances = Mapping[str, Fraction]
#: The one private argument of what is no checked function.
PRIVATE = "private input"
#: Columns where their number is open.
_SIZE = 3
#: Names by which a parameter asks for a generator.
_GENERATORS = ("rng", "generator", "random_state", "noise")


def no_charge(entry: TapedDraw, position: int, apart: Distances) -> Fraction | None:
    """Nothing but the program itself says what its draws are paid for."""
    return _stated(entry) if entry.draw is None else None


def _stated(entry: TapedDraw) -> Fraction | None:
    """The sensitivity that a traced function states."""
    return None if entry.charged is None else Fraction(entry.charged)


class ReplayedProgram(msgspec.Struct, frozen=True):
    """A program under replay.

    Attributes:
        name: as printed.
        call: the result, from argument -> value; a generator stands under "" when it takes one.
        inputs: private argument -> concrete space; empty where only pairs of the user are tried.
        function: whose generators and state are watched; None for what runs in this package.
        claim: what is claimed at these distances.
        charge: largest movement that is paid for one draw at these distances; None if unknown.
        generator: whether the call takes a generator of noise.
        place: site of a draw as printed; None: the line that asks.
        public: other arguments by name, which the call takes too; each run gets copies.
        distances: at which pairs are made.
        beyond: what inputs may hold beside the values of their spaces; None where data are guarded.
        together: of an input that is several arguments of the function, which one unit of distance
            moves at once, their names.
    """

    name: str
    call: Callable[[Mapping[str, Any]], Any]
    inputs: Mapping[str, Space]
    function: Any
    claim: Callable[[Distances], PrivacyClaim]
    charge: Callable[[TapedDraw, int, Distances], Fraction | None] = no_charge
    generator: bool = False
    place: Callable[[Draw], str] | None = None
    public: Mapping[str, Any] = {}
    distances: tuple[int, ...] = (1,)
    beyond: Beyond | None = None
    together: Mapping[str, tuple[str, ...]] = {}

    def gathered(self, values: Any) -> Any:
        """Arguments by their own names as those that are moved on their own."""
        if not (self.together and isinstance(values, Mapping)):
            return values
        inside = {each for held in self.together.values() for each in held}
        found = {name: value for name, value in values.items() if name not in inside}
        try:
            made = {n: tuple(values[each] for each in h) for n, h in self.together.items()}
        except KeyError as error:
            raise ParameterError(
                f"a pair has no {error.args[0]}", place="pairs",
                remedy=f"all of {', '.join(sorted(inside))}",
            ) from None  # fmt: skip
        if len(self.inputs) == 1:
            return next(iter(made.values()))
        return {**found, **made}


def of_function(
    function: Any,
    space: Space | None,
    claim: PrivacyClaim | None,
    public: Mapping[str, Any],
    beyond: Beyond | None = None,
) -> ReplayedProgram:
    """A plain Python function: its first argument that is not given in `public` is private.

    Raises:
        ParameterError: a function without a private argument.
    """
    private, generator, holds = _parameters(function, public)
    stated = claim if claim is not None else PrivacyClaim("pure", (inf,))

    def call(values: Mapping[str, Any]) -> Any:
        given = {name: values[name] for name in public}
        if generator:
            given[generator] = values[""]
        if holds:
            return function(values[PRIVATE], **given)
        return function(**{private: values[PRIVATE]}, **given)

    inputs = {} if space is None else {PRIVATE: space}
    name = getattr(function, "__name__", type(function).__name__)
    return ReplayedProgram(
        name, call, inputs, function, lambda _: stated, generator=bool(generator), public=public,
        beyond=beyond,
    )  # fmt: skip


def _parameters(function: Any, public: Mapping[str, Any]) -> tuple[str, str, bool]:
    """(private argument, argument that takes a generator or "", whether it is positional)."""
    try:
        known = signature(function).parameters
    except (TypeError, ValueError):
        return "x", "", True
    usable = [p for p in known.values() if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
    generator = next((p.name for p in usable if p.name in _GENERATORS and p.name not in public), "")
    free = [p for p in usable if p.name not in public and p.name != generator]
    if not free and not any(p.kind is p.VAR_POSITIONAL for p in known.values()):
        raise ParameterError(
            "the function takes no private input",
            place=getattr(function, "__name__", "function"),
            remedy="the first argument that is not in public={...} is the private one",
        )
    for p in free[1:]:
        if p.default is Parameter.empty:
            raise ParameterError(
                f"`{p.name}` has no value", place=getattr(function, "__name__", "function"),
                remedy=f"public={{{p.name!r}: ...}}",
            )  # fmt: skip
    first = free[0] if free else None
    if first is None or first.kind is first.POSITIONAL_ONLY:
        return "x", generator, True
    return first.name, generator, False


def of_measurement(
    item: Measurement, distances: tuple[int, ...], guarded: bool = False
) -> ReplayedProgram:
    """A measurement of the library, of `metricdp.opendp` or made by hand."""
    expected = _leaves(item)

    def charge(entry: TapedDraw, position: int, apart: Distances) -> Fraction | None:
        if entry.draw is None or expected is None or position >= len(expected):
            return _stated(entry)
        leaf = expected[position]
        found = [_at(moved, apart[PRIVATE]) for moved in leaf.moved.values()]
        return found[0] if len(found) == 1 else None

    def claim(apart: Distances) -> PrivacyClaim:
        measure = next(m for m in ("pure", "zcdp", "approx", "approx_zcdp") if m in item.privacy)
        return PrivacyClaim(measure, tuple(part(apart[PRIVATE]) for part in item.privacy[measure]))

    foreign = item.enter is None and isinstance(item.function, FunctionType)
    return ReplayedProgram(
        item.name,
        lambda values: item(_handed(item.input_space, values[PRIVATE])),
        {PRIVATE: item.input_space},
        item.function if foreign else None,
        claim,
        charge,
        distances=distances,
        beyond=beyond_of(item, guarded),
    )


def _leaves(item: Measurement) -> list[Spent] | None:
    """Events in the order of the draws, where every one is drawn once."""
    tree = item.tree
    if isinstance(tree, Sequence) and all(isinstance(each, Spent) for each in tree.items):
        return leaves(tree)
    return [tree] if isinstance(tree, Spent) else None


def _at(moved: Expr, distance: Fraction) -> Fraction | None:
    found = moved.subs({"d_in": num(distance)})
    if found.symbols:
        return None
    number = found.upper({})
    return None if isinstance(number, float) else Fraction(number)


def of_checked(
    function: Any, public: Mapping[str, Any] | None, distances: tuple[int, ...]
) -> ReplayedProgram:
    """A checked measurement at public parameters; some are made up where none are given.

    Raises:
        NotProvedError: it is not proved.
        ParameterError: a transformation, or parameters for which no value can be made up.
    """
    from metricdp.audit.decorated import assignments

    guarantee = function.guarantee.data
    if guarantee.kind != "measurement" or guarantee.tree is None:
        raise ParameterError(
            f"`{guarantee.name}` is a {guarantee.kind}", place=guarantee.name,
            remedy="metricdp.audit.attack tries the bound of a transformation",
        )  # fmt: skip
    names = {entry.name for entry in guarantee.inputs if entry.space is None}
    made_up: list[dict[str, Any]] = []
    if public is None:
        with suppress(SourceError):
            made_up = assignments(function.outcome)
        if not made_up:
            raise ParameterError(
                f"no values can be made up for {', '.join(sorted(names)) or 'the sizes'}",
                place=guarantee.name, remedy="public={...}",
            )  # fmt: skip
    numbers = dict(public or {}) or dict(made_up[0] if made_up else {})
    given = {n: _argument(v) for n, v in numbers.items() if n in names}
    # Sizes that are made up are whole.
    sizes = {n: v if public else ceil(v) for n, v in numbers.items() if n not in names}
    env = _numbers(given, guarantee.targets, guarantee.told_apart)
    env.update({n: Fraction(v) for n, v in sizes.items()})
    _require(guarantee, env)
    for entry in guarantee.private():
        # The width of a table of rows is public, and needed for the array that it is given as.
        if isinstance(entry.space, Records):
            env.update({n: Fraction(_SIZE) for n in symbols_of(entry.space.row) if n not in env})
    spaces = {e.name: e.space.at(env) for e in guarantee.private() if e.space is not None}
    together = guarantee.moved_together()
    inputs = side_by_side(spaces, together)
    try:
        _cost(guarantee, env, {name: Fraction(1) for name in inputs})
    except ExpressionError as error:
        raise ParameterError(
            f"the cost has no value at these public arguments: {error.fact}",
            place=guarantee.name, remedy="public={...}",
        ) from None  # fmt: skip
    leaf_of: dict[str, list[Spent]] = {}
    for leaf in leaves(guarantee.tree):
        leaf_of.setdefault(leaf.event.site, []).append(leaf)
    file = guarantee.file.rpartition("/")[2]
    return ReplayedProgram(
        guarantee.name,
        lambda values: function(
            **{n: _handed(spaces[n], v) for n, v in taken_apart(values, together).items()}, **given
        ),
        inputs,
        None,
        partial(_cost, guarantee, env),
        partial(_charged, leaf_of, env),
        place=lambda draw: f"{file}:{draw.site.split('/')[-1].split('#')[0].split(':')[0]}",
        distances=distances,
        together={name: held for name, held in together.items() if len(held) > 1},
    )


def _require(guarantee: Any, env: Mapping[str, Fraction]) -> None:
    """Raises ParameterError for public numbers that the guarantee excludes."""
    guarantee.held(env)


def _handed(space: Space, value: Any) -> Any:
    """A value as data: rows of numbers are an array, which tells its width even without rows, and
    readings of a clock are instants."""
    if isinstance(space, Records) and isinstance(space.row, Vector) and isinstance(value, list):
        import numpy as np

        size = None if space.row.size is None else space.row.size.as_fraction()
        width = len(value[0]) if value else int(size if size is not None else _SIZE)
        return np.array(value, float).reshape(len(value), width)
    return as_instants(space, value)


def _numbers(
    given: Mapping[str, Any], targets: tuple[str, ...], told_apart: tuple[str, ...]
) -> dict[str, Fraction]:
    """Public numbers as the guarantee reads them: targets as typed, other floats as the double."""
    found = {}
    for name, value in given.items():
        if hasattr(value, "__len__") and not isinstance(value, str):
            found[f"len_{name}"] = Fraction(len(value))
            if name in told_apart:
                found[f"different_{name}"] = Fraction(different(name, value)[0])
        elif isinstance(value, int | float | Fraction) and not isinstance(value, bool):
            typed = isinstance(value, float) and name in targets
            found[name] = Fraction(repr(float(value))) if typed else Fraction(value)
    return found


def _argument(value: Any) -> Any:
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else float(value)
    return value


def _cost(guarantee: Any, env: Mapping[str, Fraction], apart: Distances) -> PrivacyClaim:
    """The cost of the inputs that move, added up."""
    totals: list[Number] = []
    held = guarantee.held(env)
    here, together = guarantee.at_numbers(held), guarantee.moved_together()
    for name, distance in apart.items():
        cost = here.cost(together[name][0], num(distance))
        parts = [each.upper(held) for each in cost.values()]
        totals = [a + b for a, b in zip(totals, parts, strict=True)] if totals else parts
    if guarantee.measure in ("zcdp", "approx_zcdp"):
        return PrivacyClaim(guarantee.measure, tuple(totals))
    epsilon, delta = totals[0], totals[1] if len(totals) > 1 else Fraction(0)
    return PrivacyClaim("approx", (epsilon, delta)) if delta else PrivacyClaim("pure", (epsilon,))


def _charged(
    leaf_of: Mapping[str, list[Spent]],
    env: Mapping[str, Fraction],
    entry: TapedDraw,
    position: int,
    apart: Distances,
) -> Fraction | None:
    """What the guarantee charges one draw for."""
    draw = entry.draw
    if draw is None:
        return None
    found = leaf_of.get(draw.site, [])
    exact = _from_leaves(found, env, apart)
    if exact is not None and any(leaf.event.drawn for leaf in found):
        # In units of a number that was released: the draw says what a unit of distance moves.
        bound = max(Fraction(noise_bound(leaf).upper(env)) for leaf in found)
        return exact * draw.bound / bound if bound else exact
    if exact is not None:
        return exact
    # Rows of a loop, or noise of a round: the draw itself states its bound at distance 1.
    at_one = len(apart) == 1 and set(apart.values()) <= {Fraction(1)}
    return draw.bound if at_one else None


def _from_leaves(
    found: list[Spent], env: Mapping[str, Fraction], apart: Distances
) -> Fraction | None:
    totals = []
    for leaf in found:
        total = Fraction(0)
        for source, moved in leaf.moved.items():
            if getattr(source, "kind", "") != "param":
                return None
            distance = apart.get(source.name)
            if distance is None:
                continue
            try:
                number = moved.upper({**env, "d_in": distance})
            except MetricdpError:
                return None
            if isinstance(number, float):
                return None
            total += Fraction(number)
        totals.append(total)
    return max(totals, default=None)
