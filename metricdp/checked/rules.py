"""The primitives as names of `metricdp`: what `dp.clamp` is outside a checked function.

Inside a checked function the name is syntax: the compiled program calls the record.  Called
directly, a transformation computes its reference function on plain values, which protects nobody;
a mechanism refuses, because no bound was proved for its argument.

What `help`, `inspect.signature` and stubs say of a primitive is read from its record: the sentence
of the proof note, what the arguments may be, spaces and bounds at the record's instances, one call,
the errors, and the proof note itself.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from inspect import Parameter, Signature, signature
from typing import Any

from metricdp.errors import NotProvedError
from metricdp.expr import Expr, num
from metricdp.record import REGISTRY, Arg, Instance, Record, Refusal, moves_of
from metricdp.spaces.markers import Marker
from metricdp.spaces.norms import NORM_NAMES

#: How many instances a docstring shows.
_SHOWN = 4
_ERRORS = {
    "transformation": (
        "Called outside a checked function it computes its value on plain data, which protects "
        "nobody."
    ),
    "mechanism": (
        "Raises NotProvedError outside a checked function and off tracked values: no bound is "
        "proved there."
    ),
}


def primitive(record: Record) -> Callable[..., Any]:
    """A primitive as a function; its docstring is made of its record."""

    def called(*args: Any, **keywords: Any) -> Any:
        for given in (*args, *keywords.values()):
            for item in given if isinstance(given, list | tuple) else (given,):
                tracked = getattr(type(item), "__metricdp_apply__", None)
                if tracked is not None:  # a tracked value of a session
                    return tracked(item, record, args, keywords)
        if record.kind == "mechanism":
            raise NotProvedError(
                f"`{record.name}` was called outside a checked function, so no bound is proved",
                remedy="call it in a function decorated with @dp.measurement, "
                "or on a tracked value of a session",
            )
        return record.run(*args, **keywords)

    called.__name__ = called.__qualname__ = record.name
    called.__module__ = "metricdp"
    called.__doc__ = manual_of(record)
    called.__signature__ = signature_of(record)  # type: ignore[attr-defined]
    return called


def _table() -> dict[str, Record]:
    """Public and seed names of the primitives."""
    from metricdp.primitives import load

    load()
    names = {
        seed: record
        for record in REGISTRY.values()
        for seed in record.spelling.seed
        if seed.isidentifier()
    }
    return {**names, **{r.name: r for r in REGISTRY.values() if r.kind != "control"}}


def rule(name: str) -> Callable[..., Any] | None:
    """The primitive of a public or seed name, or None."""
    record = _table().get(name)
    return primitive(record) if record is not None else None


def rule_names() -> list[str]:
    """Every public name of a primitive."""
    return sorted(_table())


def signature_of(record: Record) -> Signature:
    """The parameters of a rule with their defaults as a person writes them."""
    found = signature(record.rule).parameters.values()
    return Signature([Parameter(p.name, p.kind, default=_default(p.default)) for p in found])


def _default(default: Any) -> Any:
    if default is Parameter.empty:
        return default
    if isinstance(default, Arg) and default.literal is not None:
        return default.literal
    return None


def manual_of(record: Record) -> str:
    """The docstring of a primitive."""
    return f"{summary_of(record)}\n\nProof.\n{record.proof.strip()}"


def summary_of(record: Record) -> str:
    """The docstring without the proof note."""
    first = record.proof.split("\n\n")[0].replace("\n", " ").removeprefix(f"{record.name}: ")
    parts = [first[0].upper() + first[1:]]
    arguments = record.rule.__doc__
    if arguments:
        parts.append(f"Arguments: {' '.join(arguments.split())}")
    instances = list(record.instances())
    lines = dict.fromkeys(line for instance in instances if (line := _bound(record, instance)))
    if lines:
        head = (
            "At distance d_in of one argument the result moves by at most:"
            if record.kind == "transformation"
            else "Noise at some public arguments:"
        )
        parts.append("\n".join([head, *list(lines)[:_SHOWN]]))
    if instances:
        parts.append(f"One call: {_call(record, instances[0])}")
    return "\n\n".join([*parts, _ERRORS[record.kind]])


def _bound(record: Record, instance: Instance) -> str:
    """The spaces of an instance, and what a rule concludes there."""
    arguments = {
        **{n: Arg(space, True, text=n) for n, space in instance.private.items()},
        **{n: _public(n, v, instance) for n, v in instance.public.items()},
    }
    try:
        concluded = record.rule(**arguments)
    except (Refusal, TypeError):  # arguments by position only
        return ""
    spaces = ", ".join(f"{n} in {_described(s)}" for n, s in instance.private.items())
    if concluded.events:
        noise = ", ".join(f"{n} {e}" for event in concluded.events for n, e in event.noise.items())
        return f"    {spaces}: {noise}"
    own = next(iter(instance.private))
    norm = getattr(instance.private[own], "norm", "")
    moved = moves_of(concluded, own)
    bound = moved.get((norm, getattr(concluded.space, "norm", "")))
    result = f"    {spaces} -> {_described(concluded.space)}"
    return result if bound is None else f"{result}: {bound}"


def _described(space: Any) -> str:
    sizes = [getattr(space, name, None) for name in ("size", "rows", "cols")]
    shape = " x ".join(str(size) for size in sizes if size is not None)
    return f"{space} of {shape}" if shape else str(space)


def _public(name: str, value: Any, instance: Instance) -> Arg:
    exact = (
        num(value) if isinstance(value, int | Fraction) and not isinstance(value, bool) else None
    )
    return Arg(None, False, exact, value, False, str(value), instance.bodies.get(name))


def _call(record: Record, instance: Instance) -> str:
    """The call of an instance as source."""
    parameters = signature(record.rule).parameters
    names = list(parameters)
    given = {
        **{n: n for n in instance.private},
        **{n: _text(v) for n, v in instance.public.items()},
    }
    if any(n not in names for n in given):  # a rule of any number of arguments
        return f"dp.{record.name}({', '.join('xyzuvw'[i] for i in range(len(given)))})"
    order = sorted(given, key=names.index)
    needed = [n for n in names if parameters[n].default is Parameter.empty]
    in_place = needed if order[: len(needed)] == needed == names[: len(needed)] else []
    shown = [given[n] if n in in_place else f"{n}={given[n]}" for n in order]
    return f"dp.{record.name}({', '.join(shown)})"


def _text(value: Any) -> str:
    if isinstance(value, Fraction):
        return str(value.numerator) if value.denominator == 1 else str(float(value))
    if isinstance(value, Expr):
        return str(value)
    if isinstance(value, type) and issubclass(value, Marker):
        return f"dp.{value.name}"
    if isinstance(value, str) and value in NORM_NAMES:
        return f"dp.{value}"
    if isinstance(value, tuple | list):
        inside = ", ".join(map(_text, value))
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    return "f" if callable(value) else repr(value)
