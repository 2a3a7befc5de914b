"""One run of a checked program: noise from the guarantee at each site, a release at the end."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from metricdp.check.declared import Declaration
from metricdp.check.guarantee import Guarantee, number
from metricdp.checked.arguments import Arguments
from metricdp.errors import InternalError, MetricdpError, ParameterError, PostProcessingError
from metricdp.expr import ONE, decimal_up
from metricdp.measures.readings import leaves
from metricdp.run.compile import Machine, Program, plain
from metricdp.run.draws import Draw
from metricdp.run.emit import collecting, current_handler, emit
from metricdp.run.release import Release

#: Record name -> sampler, where the record's name is not the sampler's.
_SAMPLERS = {"laplacian_mechanism": "laplace", "gaussian_mechanism": "gaussian"}


def evaluate(program: Program, declared: Declaration, arguments: Arguments) -> Any:
    """The exact value of a transformation."""

    def no_noise(site: str, name: str, args: Any, keywords: Any) -> Any:
        raise InternalError(f"a transformation drew noise at {site}")

    machine = Machine(no_noise)
    return program.function(declared.node, declared.module, machine)(**arguments.values)


def execute(
    program: Program, declared: Declaration, guarantee: Guarantee, arguments: Arguments
) -> Release:
    """Run a measurement: every draw is prepared from public numbers before data are used.

    Raises:
        PostProcessingError: the code after a release failed; `releases` has what was released.
    """
    draws = site_draws(guarantee, arguments)
    categories: dict[str, tuple[Any, ...]] = {}

    def noise(site: str, name: str, args: Any, keywords: Any) -> Any:
        draw = draws.get(site)
        if draw is None:
            raise InternalError(f"no noise was proved for the call at {site}", place=declared.name)
        if draw.mechanism == "randomized_response":
            return _respond(draw, args, keywords, categories)
        return emit(draw, _noisy_argument(name, args, keywords))

    machine = Machine(noise)
    function = program.function(declared.node, declared.module, machine)
    failed: PostProcessingError | None = None
    value: Any = None
    with collecting() as drawn:
        try:
            value = plain(function(**arguments.values))
        except MetricdpError:
            raise
        except Exception as error:
            failed = PostProcessingError(
                f"the program failed with {type(error).__name__} after {len(drawn)} releases",
                place=declared.name,
                remedy="guard the post-processing, e.g. max(count, 1) as divisor",
            )
            failed.releases = tuple(drawn)
    if failed is not None:
        arguments = machine = function = None  # type: ignore[assignment]
        raise failed from None
    return Release(
        value=value,
        function=guarantee.name,
        fingerprint=guarantee.fingerprint,
        unit="; ".join(dict.fromkeys(f"{i.name}: {i.space.unit}" for i in guarantee.private() if i.space)),
        privacy=spent_at(guarantee, arguments),
        draws=tuple(drawn),
        requires=guarantee.requirement_texts(),
        parameters={n: (repr(v), "caller") for n, v in arguments.public.items()},
        rests_on=guarantee.rests_on,
        test_only=current_handler().test_only,
    )


def site_draws(guarantee: Guarantee, arguments: Arguments) -> dict[str, Draw]:
    """The noise of every site, in rationals, from the guarantee's expressions.

    Raises:
        ParameterError: noise that is not positive.
    """
    found: dict[str, Draw] = {}
    if guarantee.tree is None:
        return found
    env = arguments.env
    for leaf in leaves(guarantee.tree):
        site = leaf.event.site
        proved = guarantee.sites[site]
        bound = Fraction(proved.bound.upper(env))
        moved = [Fraction(m.subs({"d_in": ONE}).upper(env)) for m in leaf.moved.values()]
        least = min((m for m in moved if m > 0), default=bound)
        mechanism = _SAMPLERS.get(proved.mechanism, proved.mechanism)
        noise = {key: Fraction(e.upper(env)) for key, e in proved.noise.items()}
        extra: dict[str, Any] = {}
        if mechanism == "randomized_response":
            extra = {"k": int(noise.get("k", 2)), "epsilon": _exactly(proved.noise["epsilon"], env)}
        found[site] = Draw(
            site, mechanism, proved.norm, _scale(mechanism, noise, proved, env), bound, least, None, extra
        )
    return found


def _exactly(expr: Any, env: dict[str, Fraction]) -> Fraction:
    """A privacy parameter, never larger than it is."""
    return Fraction(expr.lower(env))


def _scale(mechanism: str, noise: dict[str, Fraction], proved: Any, env: Any) -> Fraction:
    if mechanism == "randomized_response":
        return Fraction(0)
    if "scale" in noise:
        return noise["scale"]
    if "sigma" in noise:
        return noise["sigma"]
    from metricdp.primitives.mechanisms.gaussian import sigma_of

    exact = {k: _exactly(proved.noise[k], env) if k != "bound" else noise[k] for k in noise}
    return sigma_of(exact)


def _noisy_argument(name: str, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """The private argument of a mechanism call, by the parameter names of its rule."""
    from metricdp.record import REGISTRY

    code = REGISTRY[name].rule.__code__  # type: ignore[attr-defined]
    names = code.co_varnames[: code.co_argcount]
    bound = {**dict(zip(names, args, strict=False)), **keywords}
    return bound["x"]


def _respond(
    draw: Draw, args: tuple[Any, ...], keywords: dict[str, Any], known: dict[str, tuple[Any, ...]]
) -> Any:
    """Randomised response over categories; a value that is none of them counts as the first."""
    names = ("x", "epsilon", "choices")
    bound = {**dict(zip(names, args, strict=False)), **keywords}
    choices = tuple(bound.get("choices") or (False, True))
    value = bound["x"]
    index = next((i for i, choice in enumerate(choices) if choice == value), 0)
    return choices[int(emit(draw, index))]


def spent_at(guarantee: Guarantee, arguments: Arguments) -> dict[str, str]:
    """The cost at distance 1 as decimals, the largest over the private inputs, rounded up."""
    worst: dict[str, Fraction | float] = {}
    for entry in guarantee.private():
        for measure, expr in guarantee.cost(entry.name).items():
            value = number(expr, arguments.env)
            if value is None:
                raise ParameterError(f"{expr} is not known", place=guarantee.name)
            worst[measure] = max(worst.get(measure, Fraction(0)), value)
    return {measure: decimal_up(value) for measure, value in worst.items()}
