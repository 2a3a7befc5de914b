"""What the documents say of a primitive, read from its record: `help`, the stub and the reference.

The sentence of the proof note, what the arguments may be, one call with what it printed, spaces and
bounds at the record's instances, its names elsewhere, the diagnostics it may give, and the proof.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from inspect import Parameter, Signature, signature
from textwrap import indent
from typing import Any

import msgspec

from metricdp.checked.codes import codes_of
from metricdp.diagnostics.catalogue import CATALOGUE
from metricdp.errors import ExpressionError
from metricdp.expr import INF, ONE, D, Expr, num, sym
from metricdp.measures.events import Event
from metricdp.record import Arg, Instance, Record, Refusal, moves_of
from metricdp.spaces.markers import Marker
from metricdp.spaces.norms import NORM_NAMES

#: Names of a cost, by measure.
_MEASURES = {
    "pure": ("ε",), "zcdp": ("ρ",), "approx": ("ε", "δ"), "approx_zcdp": ("ρ", "δ"),
}  # fmt: skip
#: How many instances are shown.
_SHOWN = 4
OUTSIDE = {
    "transformation": (
        "Called outside a checked function it computes its value on plain data, which protects "
        "nobody."
    ),
    "mechanism": (
        "Raises NotProvedError outside a checked function and off tracked values: no bound is "
        "proved there."
    ),
}


def manual_of(record: Record) -> str:
    """The docstring of a primitive."""
    parts = [sentence_of(record)]
    arguments = arguments_of(record)
    if arguments:
        parts.append(f"Arguments: {arguments}")
    example, proved = example_of(record)
    parts.append("One call:\n" + indent(example or call_of(record), "    "))
    if proved:
        parts.append(f"Proved of it:\n{indent(proved, '    ')}")
    bounds = bounds_of(record)
    if bounds:
        parts.append("\n".join([f"{head_of(record)}:", *(f"    {line}" for line in bounds)]))
    names = elsewhere_of(record)
    if names:
        parts.append(
            "\n".join(["Elsewhere:", *(f"    {k}: {', '.join(v)}" for k, v in names.items())])
        )
    codes = codes_of(record)
    if codes:
        lines = [f"    {code}: {CATALOGUE[code].title}" for code in codes]
        parts.append("\n".join(["Diagnostics (`metricdp explain NAME`):", *lines]))
    parts.append(OUTSIDE[record.kind])
    return "\n\n".join([*parts, f"Proof.\n{record.proof.strip()}"])


def sentence_of(record: Record) -> str:
    """What a primitive does: the first paragraph of its proof note."""
    first = record.proof.split("\n\n")[0].replace("\n", " ").removeprefix(f"{record.name}: ")
    word, _, rest = first.partition(" ")
    formula = not word.strip(",:").isalpha() or rest[:1] in (
        "+",
        "-",
        "*",
        "/",
        "%",
        "<",
        ">",
        "=",
        "x",
    )
    return first if formula else first[0].upper() + first[1:]


def arguments_of(record: Record) -> str:
    """What the arguments may be."""
    return " ".join((record.rule.__doc__ or "").split())


def head_of(record: Record) -> str:
    """What the lines of `bounds_of` are."""
    if record.kind == "transformation":
        return "At distance d_in of one argument the result moves by at most"
    return (
        "Cost when the argument moves by d_in; with a target, by d_in times what one unit moves it"
    )


def bounds_of(record: Record) -> list[str]:
    """Spaces, and bounds or costs, at the record's first instances, sizes and numbers by name."""
    lines = (_bound(record, instance) for instance in record.instances())
    return list(dict.fromkeys(line for line in lines if line))[:_SHOWN]


def call_of(record: Record) -> str:
    """The call of the first instance as source."""
    instance = next(iter(record.instances()), None)
    return _call(record, instance) if instance is not None else f"dp.{record.name}(...)"


def example_of(record: Record) -> tuple[str, str]:
    """The record's example with what it printed, and what was proved of it; empty without one."""
    return _examples().get(record.name, ("", ""))


@cache
def _examples() -> Mapping[str, tuple[str, str]]:
    from metricdp.primitives._examples import EXAMPLES

    return EXAMPLES


def elsewhere_of(record: Record) -> dict[str, tuple[str, ...]]:
    """Where else a primitive has a name -> its names there."""
    spelling = record.spelling
    seeds = tuple(name for name in spelling.seed if name.isidentifier())
    found = {
        "Python": tuple(name.removesuffix("u") for name in spelling.operator),
        "NumPy": tuple(name for name in spelling.numpy if name.startswith("numpy.")),
        "Python and SciPy": tuple(n for n in spelling.numpy if not n.startswith("numpy.")),
        "Duet and DiffPrivacyInference": seeds,
        "OpenDP": spelling.opendp,
    }
    return {place: names for place, names in found.items() if names}


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


def _bound(record: Record, instance: Instance) -> str:
    """The spaces of an instance, and what a rule concludes there; by name where it can be."""
    spaces = {name: _of_any_size(space) for name, space in instance.private.items()}
    names = {name: _named(record, name, v, instance) for name, v in instance.public.items()}
    try:
        found = _concluded(record, spaces, names)
        return found + _given(instance, str | bool)
    except (Refusal, TypeError, ExpressionError, AssertionError):
        pass  # a rule that needs the numbers
    numbers = {name: _public(name, value, instance) for name, value in instance.public.items()}
    try:
        found = _concluded(record, instance.private, numbers)
    except (Refusal, TypeError):
        return ""
    return found + _given(instance, object)


def _given(instance: Instance, kind: Any) -> str:
    """The public arguments of a kind, which no name stands for."""
    given = ", ".join(
        f"{name} = {_text(value)}"
        for name, value in instance.public.items()
        if isinstance(value, kind) and not callable(value)
    )
    return f"   ({given})" if given else ""


def _concluded(record: Record, private: Mapping[str, Any], public: Mapping[str, Arg]) -> str:
    named = {name: Arg(space, True, text=name) for name, space in private.items()} | dict(public)
    placed = [named.pop(name) for name in sorted(named) if name.isdigit()]
    concluded = record.rule(*placed, **named)
    called = {name: "xyzuvw"[int(name)] if name.isdigit() else name for name in private}
    spaces = ", ".join(f"{called[name]} in {_described(each)}" for name, each in private.items())
    if concluded.events:
        costs = "; ".join(text for event in concluded.events for text in _costs(event))
        return f"{spaces}: {costs}"
    result = f"{spaces} -> {_sized(concluded.space)}"
    outer = getattr(concluded.space, "norm", "")
    bounds = {
        name: moves_of(concluded, name).get((getattr(space, "norm", ""), outer))
        for name, space in private.items()
    }
    if None in bounds.values():
        return result
    if len(different := set(bounds.values())) == 1:
        return f"{result}: {different.pop()}"
    return f"{result}: {', '.join(f'{each} of {called[name]}' for name, each in bounds.items())}"


def _costs(event: Event) -> Iterator[str]:
    """What an event costs in every measure; a target is met at the argument's distance 1."""
    known = {"_moved": D, "_ratio": D, "_bound": ONE}
    for measure, parts in event.privacy.items():
        names = _MEASURES[measure]
        shown = [
            str(part.subs({n: v for n, v in known.items() if n in part.symbols})) for part in parts
        ]
        yield ", ".join(f"{name} = {text}" for name, text in zip(names, shown, strict=True))


def _of_any_size(space: Any) -> Any:
    """The space with names for its public sizes."""
    named = {"size": "n", "rows": "n", "cols": "m"}
    found = {
        field: sym(name, nonneg=True)
        for field, name in named.items()
        if getattr(space, field, None) is not None
    }
    return msgspec.structs.replace(space, **found) if found else space


def _named(record: Record, name: str, value: Any, instance: Instance) -> Arg:
    """A public number by its name, anything else as it is."""
    if isinstance(value, bool) or not isinstance(value, int | Fraction):
        return _public(name, value, instance)
    number = sym(name, nonneg=record.kind == "mechanism")  # noise is of a positive scale
    return Arg(None, False, number, None, False, name, name=name)


def _sized(space: Any) -> str:
    """A space with its sizes."""
    if space is None:
        return "a public value"
    sizes = [getattr(space, name, None) for name in ("size", "rows", "cols")]
    shape = " x ".join(str(size) for size in sizes if size is not None)
    return f"{space} of {shape}" if shape else str(space)


def _described(space: Any) -> str:
    """A space with its sizes, and with its bounds where they say something."""
    text = _sized(space)
    bounded = getattr(space, "row", space)
    low, high = getattr(bounded, "lo", -INF), getattr(bounded, "hi", INF)
    plain = (low, high) == (-INF, INF) or getattr(bounded, "element", "") == "Bool"
    return text if plain else f"{text} within [{low}, {high}]"


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
