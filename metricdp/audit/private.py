"""What claims privacy in a file: checked measurements, `Measurement` objects, plain functions.

All of them exist once the file runs, so it is imported.  A plain function claims what the command
line says; its inputs are those of the space that its first argument is annotated with, or the pairs
in its attribute `pairs`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from inspect import signature
from typing import Any, get_args, get_origin, get_type_hints

import msgspec

from metricdp.audit.measurements.audited import audited
from metricdp.audit.measurements.verdicts import Verdict
from metricdp.errors import SourceError
from metricdp.maps import Measurement


class Claimed(msgspec.Struct, frozen=True):
    """What the command line says of a measurement.

    Attributes:
        epsilon, delta: the claim of a plain function, as typed.
        public: public parameters by name.
        samples: outputs per input; None for as many as the time allows.
        confidence: of a refutation, as typed; None for the default.
        guarded: whatever calls the function guards its inputs.
    """

    epsilon: Any = None
    delta: Any = 0
    public: Mapping[str, Any] = {}
    samples: int | None = None
    confidence: Any = None
    guarded: bool = False


def measurements(names: Mapping[str, Any], wanted: str) -> Iterator[tuple[str, Any]]:
    """The measurements of a module's names: checked ones and objects; the wanted name, if given,
    may also be a plain function."""
    for name, value in names.items():
        if wanted not in ("", name) or name.startswith("__"):
            continue
        plain = bool(wanted) and callable(value) and not isinstance(value, type)
        checked = getattr(value, "kind", "") == "measurement" and hasattr(type(value), "guarantee")
        if checked or plain or isinstance(getattr(value, "core", value), Measurement):
            yield name, value


def audit_private(
    target: Any, name: str, path: str, claimed: Claimed, seed: int, seconds: float
) -> tuple[Verdict, ...]:
    """The verdicts on one measurement.

    Raises:
        SourceError: a plain function without a claim, or without inputs to try.
        NotProvedError: a checked function that is not proved.
    """
    options: dict[str, Any] = {"seed": seed, "seconds": seconds, "guarded": claimed.guarded}
    if claimed.samples is not None:
        options["samples"] = claimed.samples
    if claimed.confidence is not None:
        options["confidence"] = claimed.confidence
    if claimed.public:
        options["public"] = claimed.public
    if not isinstance(getattr(target, "core", target), Measurement) and not hasattr(
        type(target), "guarantee"
    ):
        options |= {"epsilon": claimed.epsilon, "delta": claimed.delta}
        options |= _inputs(target, name, path)
        if claimed.epsilon is None:
            raise SourceError(
                f"`{name}` is a plain function, and claims nothing",
                place=path,
                remedy=f"metricdp audit {path}::{name} --epsilon 1",
            )
    elif claimed.epsilon is not None:
        raise SourceError(
            f"`{name}` has a claim of its own", place=path, remedy="leave out --epsilon"
        )
    command = f"metricdp audit {path}::{name}{_typed(claimed)} --seed {seed}"
    return tuple(
        msgspec.structs.replace(verdict, name=name, command=command)
        for verdict in audited(target, **options)
    )


def _typed(claimed: Claimed) -> str:
    """The options again, as they may be typed."""
    said = "" if claimed.epsilon is None else f" --epsilon {claimed.epsilon}"
    said += f" --delta {claimed.delta}" if claimed.delta else ""
    said += "".join(f" --set {name}={value}" for name, value in claimed.public.items())
    said += "" if claimed.samples is None else f" --samples {claimed.samples}"
    said += " --guarded" if claimed.guarded else ""
    return said + ("" if claimed.confidence is None else f" --confidence {claimed.confidence}")


def _inputs(function: Any, name: str, path: str) -> dict[str, Any]:
    """The inputs to try for a plain function."""
    from metricdp.spaces import Space, space_of

    if getattr(function, "pairs", None):
        return {"pairs": function.pairs}
    hint: Any = None
    try:
        first = next(iter(signature(function).parameters))
        hint = get_type_hints(function, include_extras=True).get(first)
        space = hint if isinstance(hint, Space) else space_of(hint)
    except Exception:
        space = None
    if space is None or type(space).__name__ == "Public":
        inner = get_args(hint)[0] if get_origin(hint) is list and get_args(hint) else float
        written = f"dp.Records[{getattr(inner, '__name__', 'float')}]"
        raise SourceError(
            f"the inputs of `{name}` are not known",
            place=path,
            remedy=f"annotate its first argument ({written}: one row is added or removed), or set "
            f"{name}.pairs = [(x, neighbour_of_x)]",
        )
    return {"space": hint}
