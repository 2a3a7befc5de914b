"""Mechanisms of other libraries, known to replay by a decorator or by their address."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from fractions import Fraction
from functools import wraps
from inspect import signature
from typing import Any, TypeVar

import msgspec

from metricdp.audit.replaying.answering import where
from metricdp.audit.replaying.laws import called
from metricdp.audit.replaying.paths import OutputPath
from metricdp.audit.replaying.tape import DrawRequest, Tape, TapedDraw, exactly, hides
from metricdp.errors import ParameterError
from metricdp.families.family import Family

F = TypeVar("F", bound=Callable[..., Any])

_ACTIVE: ContextVar[tuple[Tape, OutputPath] | None] = ContextVar("metricdp_replay", default=None)


class Sampler(msgspec.Struct, frozen=True):
    """How a function is a mechanism: what it adds noise to, and how much.

    Attributes:
        mechanism: "laplace", "discrete_laplace", "gaussian", "discrete_gaussian", or a name of
            your own for one whose law is not known here.
        value: name of the argument that is private.
        scale: name of the argument that is the scale of the noise, or "".
        norm: in which the private argument moves; by default L1, and L2 for Gaussian noise.
        sensitivity: largest movement at distance 1 that the noise is made for, where it is known:
            a number, or the name of the argument that holds it.
    """

    mechanism: str
    value: str
    scale: str = ""
    norm: str = ""
    sensitivity: int | float | str | None = None

    def call(self, function: Any, args: tuple[Any, ...], keywords: Mapping[str, Any]) -> Any:
        """The function's result, or the tape's while a program is replayed."""
        active = _ACTIVE.get()
        if active is None:
            return function(*args, **keywords)
        tape, path = active
        bound = signature(function).bind(*args, **keywords)
        bound.apply_defaults()
        given = dict(bound.arguments)
        for name in (self.value, self.scale):
            if name and name not in given:
                raise ParameterError(
                    f"the mechanism has no argument {name}", place=where(),
                    remedy=f"name one of {', '.join(given)}",
                )  # fmt: skip
        value = _plain(given.pop(self.value))
        public = {k: _plain(v) for k, v in given.items()}
        if self.scale:
            public["scale"] = public.pop(self.scale)
        several = isinstance(value, list)
        public["shape"] = len(value) if several else "number"
        family = called(self.mechanism)
        norm = self.norm or ("L2" if family is not None and family.by_rho else "L1")
        limit = (
            given.get(self.sensitivity) if isinstance(self.sensitivity, str) else self.sensitivity
        )
        asked = DrawRequest(where(), self.mechanism, public, family=family)
        entry = TapedDraw(
            asked, norm if several else "", None, value, None, None,
            None if limit is None else exactly(limit),
        )  # fmt: skip
        position = len(tape.entries)
        earlier = tape.add(entry)
        if earlier is not None and _hidden(family, public, earlier.value, value):
            entry.output = earlier.output
            return entry.output
        token, tape.paused = _ACTIVE.set(None), True
        try:
            drawn = function(*args, **keywords)
        finally:
            tape.paused = False
            _ACTIVE.reset(token)
        entry.output = self._chosen(drawn, value, public.get("scale"), path, position)
        return entry.output

    def _chosen(self, drawn: Any, value: Any, scale: Any, path: OutputPath, position: int) -> Any:
        width = exactly(scale) if not isinstance(scale, list) else None
        if not _adds(called(self.mechanism)) or not width or path.noise(position, 0, 1) is None:
            return drawn
        if isinstance(value, list):
            import numpy as np

            far = [float(v + path.noise(position, i, width)) for i, v in enumerate(value)]
            return np.array(far).reshape(np.shape(drawn))
        centre = exactly(value)
        if centre is None:
            return drawn
        found = centre + Fraction(path.noise(position, 0, width))
        return round(found) if isinstance(drawn, int) else float(found)


def traced(
    mechanism: str,
    *,
    value: str,
    scale: str = "",
    norm: str = "",
    sensitivity: int | float | str | None = None,
) -> Callable[[F], F]:
    """Tell replay that a function is a mechanism; elsewhere it stays what it is.

    Args:
        mechanism, value, scale, norm, sensitivity: see `Sampler`.

    >>> @traced("laplace", value="total", scale="b", sensitivity=1)
    ... def noisy(total, b):
    ...     return total
    >>> noisy(3, 2)
    3
    """
    spec = Sampler(mechanism, value, scale, norm, sensitivity)

    def decorate(function: F) -> F:
        @wraps(function)
        def mechanism_call(*args: Any, **keywords: Any) -> Any:
            return spec.call(function, args, keywords)

        return mechanism_call  # type: ignore[return-value]

    return decorate


@contextmanager
def tracing(samplers: Mapping[str, Sampler], tape: Tape, path: OutputPath) -> Iterator[None]:
    """Inside the block the functions at these addresses, and all that are traced, are on the tape.

    Raises:
        ParameterError: an address "module:function" where nothing is.
    """
    token = _ACTIVE.set((tape, path))
    with ExitStack() as stack:
        stack.callback(_ACTIVE.reset, token)
        for address, spec in samplers.items():
            owner, name = _found(address)
            original = getattr(owner, name)
            setattr(owner, name, _instead(spec, original))
            stack.callback(setattr, owner, name, original)
        yield


def _instead(spec: Sampler, original: Any) -> Any:
    @wraps(original)
    def call(*args: Any, **keywords: Any) -> Any:
        return spec.call(original, args, keywords)

    return call


def _found(address: str) -> tuple[Any, str]:
    from importlib import import_module

    module, _, path = address.partition(":")
    try:
        owner: Any = import_module(module)
        *outer, name = path.split(".")
        for each in outer:
            owner = getattr(owner, each)
        getattr(owner, name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ParameterError(
            f"there is no {address}", place="samplers", remedy='write "package.module:function"'
        ) from error
    return owner, name


def _hidden(family: Family | None, public: Mapping[str, Any], *values: Any) -> bool:
    """Whether the recorded output may come of the second input, too."""
    if not _adds(family):
        return True
    scale = public.get("scale", 1)
    numbers = [n for v in values for n in (v if isinstance(v, list) else [v])]
    return all(hides(s, *numbers) for s in (scale if isinstance(scale, list) else [scale]))


def _adds(family: Family | None) -> bool:
    return family is not None and family.adds


def _plain(value: Any) -> Any:
    """Numbers as they are, arrays as flat lists of rationals."""
    if hasattr(value, "ravel"):
        value = value.ravel().tolist()
    if isinstance(value, list | tuple):
        return [exactly(each) if exactly(each) is not None else repr(each) for each in value]
    number = exactly(value)
    return number if number is not None else repr(value)
