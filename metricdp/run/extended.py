"""Draws whose sampler is the reference function of their record, on exact values.

Nothing is rounded before the noise, so no grid is chosen; a record of this list takes exact
rationals and draws by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import TYPE_CHECKING, Any

from metricdp.record import REGISTRY

if TYPE_CHECKING:
    from metricdp.noise import BitSource
    from metricdp.run.draws import Draw

#: Records that draw by themselves.
EXTENDED = frozenset(
    {
        "canonical_noise",
        "interval_quantile",
        "laplace_threshold",
        "gaussian_threshold",
        "private_quantile",
        "randomized_response_bits",
        "randomized_response_kept",
        "stable_histogram",
        "top_k",
    }
)


def draw_extended(draw: Draw, value: Any, source: BitSource) -> Any:
    """One draw by the record's reference function, at the parameters in `draw.extra`."""
    from metricdp.primitives import load

    load()
    return REGISTRY[draw.mechanism].run(value, **draw.extra, source=source)


def split(name: str, noise: Mapping[str, Any], public: Mapping[str, Any]) -> tuple[str, Any]:
    """The private argument of a record's run, and its other arguments by name.

    Args:
        noise: parameters of the noise as the event states them; they count before `public`.
        public: arguments as the caller gave them.
    """
    private, *others = signature(REGISTRY[name].run).parameters
    found = {}
    for parameter in others:
        if parameter in noise:
            found[parameter] = noise[parameter]
        elif public.get(parameter) is not None:
            found[parameter] = public[parameter]
    return private, found
