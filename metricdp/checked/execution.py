"""One run of a checked program: noise from the guarantee at each site, a release at the end.

A mechanism is called in one of four ways: it draws by its own record, it answers with a category,
it chooses among candidates, or it adds noise to a value of the shape that was proved.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import msgspec

from metricdp.check.source.declared import Declaration
from metricdp.check.verdicts.guarantee import Guarantee, SiteNoise
from metricdp.check.verdicts.taken import where_known
from metricdp.checked.about import about, spent_at
from metricdp.checked.arguments import Arguments
from metricdp.checked.charged import Charged, ChargedCalls, calls
from metricdp.checked.path import pinned_handler, the_path
from metricdp.checked.private_selection import Selector
from metricdp.checked.samples import RowSampler
from metricdp.checked.shapes import Proved, proved_shapes
from metricdp.errors import InternalError, MetricdpError, ParameterError, PostProcessingError, bare
from metricdp.expr import Expr
from metricdp.measures.events import Tree
from metricdp.run.addresses import without_rounds
from metricdp.run.compile import Program
from metricdp.run.draws import Draw, Drawn
from metricdp.run.emit import Handler, collecting, emit
from metricdp.run.extended import split
from metricdp.run.interrupted import counted, interrupted
from metricdp.run.machine import Machine, plain
from metricdp.run.release import Release
from metricdp.run.samplers import PARAMETER, no_choice, sampler_of, way_of


def evaluate(program: Program, declared: Declaration, arguments: Arguments, boxes: Any) -> Any:
    """The exact value of a transformation."""

    def no_noise(site: str, name: str, args: Any, bound: Any) -> Any:
        raise InternalError(f"a transformation drew noise at {site}")

    machine = Machine(no_noise, program.pins, boxes)
    return program.function(declared.node, declared.module, machine)(**arguments.values)


def execute(
    program: Program, declared: Declaration, guarantee: Guarantee, arguments: Arguments, boxes: Any
) -> Release:
    """Run a measurement: every draw and the cost are prepared from public numbers before data are
    used, so that nothing but the program itself can fail after noise was spent.

    Raises:
        PostProcessingError: the code after a release failed; `releases` has what was released.
        InternalError: a draw is not one that was charged; `releases` has what was released before.
        KeyboardInterrupt: with the attribute `releases`.
        SourceError: something on the path of a draw was replaced.
    """
    answering, test = pinned_handler()
    guarantee, draws, privacy = where_known(
        guarantee, arguments.env, lambda g: (g, site_draws(g, arguments), spent_at(g, arguments))
    )
    shapes = proved_shapes(guarantee, arguments.env)
    source = getattr(answering, "source", None)
    made = calls_of(guarantee, guarantee.tree) if guarantee.tree is not None else None
    handler = Charged(made, arguments.env, draws, answering, declared.name)

    def noise(site: str, name: str, args: Any, bound: dict[str, Any]) -> Any:
        draw = handler.draw(site, machine.round_of)
        way = way_of(draw.mechanism, site)
        if way == "answered":
            return respond(draw, bound, handler)
        if way == "by its record":
            answer = draw_by_record(draw, bound, handler)
            marked = draw.mechanism == "canonical_noise" and type(answer) is int
            return _Whole(answer, len(drawn) - 1) if marked else answer
        if way == "chosen":
            return select(draw, bound, handler)
        shape = shapes.get(draw.site) or Proved()
        hidden = shape.filled(draw, bound["x"])
        shape.same_kind(draw, hidden, declared.name)
        released = emit(draw, hidden, handler)
        return _Whole(released, len(drawn) - 1) if type(released) is int else released

    machine = Machine(noise, program.pins, boxes)
    machine.variants = made.sides if made is not None else {}
    machine.sampler = RowSampler(guarantee.tree, arguments.env, source, handler.call)
    machine.selector = Selector(guarantee.tree, arguments.env, source, _without_marks, handler)
    function = program.function(declared.node, declared.module, machine)
    # Whatever could fail besides the program is made before the first draw.
    described = about(guarantee)
    shown = {
        name: (repr(given), "caller" if name in arguments.given else "default")
        for name, given in arguments.public.items()
    }
    failed: BaseException | None = None
    value: Any = None
    outputs: tuple[int | None, ...] = ()
    with collecting() as drawn:
        try:
            value, outputs = _outputs(plain(function(**arguments.values)), drawn)
        except BaseException as error:
            failed = _failure(error, declared.name, tuple(drawn))
    if failed is not None:
        arguments = machine = function = handler = None  # type: ignore[assignment]
        raise failed from None
    if boxes and not test:  # code of the user has run meanwhile
        the_path().verify()
    return Release(
        value=value,
        outputs=outputs,
        function=guarantee.name,
        fingerprint=guarantee.fingerprint,
        unit="; ".join(
            dict.fromkeys(f"{i.name}: {i.space.unit}" for i in guarantee.private() if i.space)
        ),
        privacy=privacy,
        draws=tuple(drawn),
        requires=guarantee.requirement_texts(),
        parameters=shown,
        rests_on=guarantee.rests_on,
        test_only=test,
        about=described,
    )


class _Whole(int):
    """A released integer that remembers its draw: small integers are shared objects otherwise."""

    index: int

    def __new__(cls, value: int, index: int) -> _Whole:
        new = super().__new__(cls, value)
        new.index = index
        return new


def _outputs(value: Any, drawn: list[Drawn]) -> tuple[Any, tuple[int | None, ...]]:
    """The result with plain integers, and the index of the draw that each output is."""
    items = value if type(value) is tuple else (value,)
    indices = tuple(_source(item, drawn) for item in items)
    return _without_marks(value), indices


def _source(item: Any, drawn: list[Drawn]) -> int | None:
    if isinstance(item, _Whole):
        return item.index
    if item is None or isinstance(item, int | str):
        return None
    return next((i for i, draw in enumerate(drawn) if draw.value is item), None)


def _without_marks(value: Any) -> Any:
    if isinstance(value, _Whole):
        return int(value)
    if type(value) in (list, tuple):
        return type(value)(map(_without_marks, value))
    if type(value) is dict:
        return {key: _without_marks(item) for key, item in value.items()}
    return value


def _failure(error: BaseException, name: str, drawn: tuple[Drawn, ...]) -> BaseException:
    """A fresh error that carries what was released, and no frame of the run."""
    fresh: BaseException
    if isinstance(error, MetricdpError) and not drawn:
        return bare(error)
    if isinstance(error, InternalError):
        fresh = InternalError(error.fact, place=error.place, remedy=error.remedy)
        fresh.releases = drawn
        return fresh
    if isinstance(error, Exception):
        fact = f"{type(error).__name__} after {counted(len(drawn))}"
        if isinstance(error, MetricdpError):
            fact += f" ({error.fact})"
        fresh = PostProcessingError(
            f"the program failed with {fact}",
            place=name,
            remedy="guard the post-processing, e.g. max(count, 1) as divisor",
        )
        fresh.releases = drawn
        return fresh
    return interrupted(error, drawn)


def calls_of(guarantee: Guarantee, tree: Tree) -> ChargedCalls:
    """The calls of a guarantee's tree."""
    rounds = {name: loop for s in guarantee.sites.values() for name, loop in s.rounds.items()}
    return calls(tree, rounds)


def site_draws(
    guarantee: Guarantee, arguments: Arguments
) -> dict[str, Draw | Callable[[Mapping[str, int]], Draw]]:
    """The noise of every site, in rationals, from the guarantee's expressions.

    Noise that depends on the rounds of loops is a function of the numbers of their rounds.

    Raises:
        ParameterError: noise that is not positive.
    """
    found: dict[str, Draw | Callable[[Mapping[str, int]], Draw]] = {}
    if guarantee.tree is None:
        return found
    for site, (proved, moved) in calls_of(guarantee, guarantee.tree).noises.items():
        if proved.rounds:
            found[site] = partial(_draw_in_round, site, proved, moved, arguments.env)
        else:
            found[site] = _draw(site, proved, moved, arguments.env)
    return found


def _draw_in_round(
    site: str,
    proved: SiteNoise,
    moved: list[Expr],
    env: dict[str, Fraction],
    rounds: Mapping[str, int],
) -> Draw:
    numbers = {name: Fraction(rounds[without_rounds(loop)]) for name, loop in proved.rounds.items()}
    return _draw(site, proved, moved, {**env, **numbers})


def _draw(site: str, proved: SiteNoise, moved: list[Expr], env: dict[str, Fraction]) -> Draw:
    bound = Fraction(proved.bound.upper(env))
    moves = (Fraction(m.upper(env)) for m in moved)
    least = min((m for m in moves if m > 0), default=bound)
    mechanism = sampler_of(proved.mechanism)
    way = way_of(mechanism, site)
    noise = {key: Fraction(e.upper(env)) for key, e in proved.noise.items()}
    extra: dict[str, Any] = {}
    if way == "answered":
        k = int(noise["choices"])
        extra = {"k": k, "epsilon": _exactly(proved.noise["epsilon"], env)}
    if way == "by its record":
        extra = noise
    if mechanism == "above_threshold":
        extra = {"query_scale": noise["query_scale"]}
    scale = _scale(mechanism, noise, proved, env)
    return Draw(site, mechanism, proved.norm, scale, bound, least, extra)


def _exactly(expr: Any, env: dict[str, Fraction]) -> Fraction:
    """A privacy parameter, never larger than it is."""
    return Fraction(expr.lower(env))


def _scale(mechanism: str, noise: dict[str, Fraction], proved: Any, env: Any) -> Fraction:
    way = way_of(mechanism)
    if way == "answered":
        return Fraction(0)
    if way == "by its record":
        return noise.get("scale", Fraction(0))
    parameter = PARAMETER[mechanism]
    if parameter in noise:
        return noise[parameter]
    if mechanism != "gaussian":
        raise InternalError(f"the scale of {proved.mechanism} is not stated")
    from metricdp.primitives.mechanisms.gaussian import sigma_of

    exact = {k: _exactly(proved.noise[k], env) if k != "bound" else noise[k] for k in noise}
    return sigma_of(exact)


def respond(draw: Draw, bound: dict[str, Any], handler: Handler) -> Any:
    """Randomised response over categories; a value that is none of them counts as the first."""
    choices = tuple(bound.get("choices") or (False, True))
    if len(choices) != draw.extra["k"]:
        extra = {**draw.extra, "k": len(choices)}
        draw = msgspec.structs.replace(draw, extra=extra)
    value = bound["x"]
    index = next((i for i, choice in enumerate(choices) if choice == value), 0)
    return choices[int(emit(draw, index, handler))]


def select(draw: Draw, bound: dict[str, Any], handler: Handler) -> Any:
    """What the call returns: a candidate, a position, or None above a threshold.

    Args:
        draw: the noise that was proved for the call.
        bound: the arguments by name; functions are compiled from the tree that was checked.

    Raises:
        ParameterError: no candidates at all.
    """
    if draw.mechanism in ("exponential_mechanism", "permute_and_flip"):
        candidates = _some(list(bound["candidates"]), "candidates", draw)
        score = bound["score"]
        return candidates[emit(draw, [score(c) for c in candidates], handler)]
    if draw.mechanism == "report_noisy_max":
        return emit(draw, _some(list(bound["scores"]), "scores", draw), handler)
    if draw.mechanism != "above_threshold":
        raise no_choice(draw.mechanism, draw.site)
    data = bound["data"]
    if bound.get("candidates") is not None:
        answers = [bound["queries"](data, c) for c in list(bound["candidates"])]
    else:
        answers = [query(data) for query in bound["queries"]]
    extra = {**draw.extra, "threshold": bound["threshold"], "reports": bound.get("reports")}
    return emit(msgspec.structs.replace(draw, extra=extra), answers, handler)


def _some(items: Sequence[Any], name: str, draw: Draw) -> Sequence[Any]:
    if not items:
        raise ParameterError(
            f"{draw.mechanism} has nothing to choose from", place=name,
            remedy="give at least one candidate",
        )  # fmt: skip
    return items


def draw_by_record(draw: Draw, bound: Mapping[str, Any], handler: Handler) -> Any:
    """What the call returns.

    Args:
        draw: the noise that was proved for the call, its parameters in `extra`.
        bound: the arguments by name, as the program gave them; the noise counts before them.
    """
    private, extra = split(draw.mechanism, draw.extra, bound)
    return emit(msgspec.structs.replace(draw, extra=extra), bound[private], handler)
