"""One entry of the gallery: a mechanism, what it claims, and the verdict that it must get."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import msgspec

#: What an audit must say.
Right = Literal["refuted", "survived"]

#: Entries by name, in the order of the files.
GALLERY: dict[str, GalleryEntry] = {}


class GalleryEntry(msgspec.Struct, frozen=True):
    """A mechanism with its claim.

    Attributes:
        name: of the function.
        run: for the sampled auditor `run(x, count)`: that many outputs; for the exact one
            `run(x)`: the law on x; for the replay auditor `run(x)`: one output.
        epsilon, delta, rho: the claim for neighbours.
        pairs: neighbouring inputs.
        right: the verdict that it must get.
        why: one line: what is wrong, or why it is right.
        auditor: "sampled", "exact", "replay", or "all": those that apply, one after the other.
        twin: the correct version of a broken one, or "".
        batched: whether `run` gives many outputs at once.
    """

    name: str
    run: Callable[..., Any]
    pairs: Sequence[tuple[Any, Any]]
    right: Right
    why: str
    epsilon: Any = None
    delta: Any = 0
    rho: Any = None
    auditor: str = "sampled"
    twin: str = ""
    batched: bool = True

    @property
    def claim(self) -> str:
        """The claim as text."""
        if self.rho is not None:
            return f"rho {float(self.rho):.4g}"
        epsilon = f"epsilon {float(self.epsilon):.4g}"
        return f"{epsilon}, delta {float(self.delta):.4g}" if self.delta else epsilon


def broken(pairs: Sequence[tuple[Any, Any]], why: str, **fields: Any) -> Callable[..., Any]:
    """Enter a function as a mechanism that must be refuted."""
    return _entered(pairs, why, "refuted", fields)


def correct(pairs: Sequence[tuple[Any, Any]], why: str, **fields: Any) -> Callable[..., Any]:
    """Enter a function as a mechanism that must survive."""
    return _entered(pairs, why, "survived", fields)


def _entered(
    pairs: Sequence[tuple[Any, Any]], why: str, right: Right, fields: dict[str, Any]
) -> Callable[..., Any]:
    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        name = function.__name__
        assert name not in GALLERY, f"two entries are called {name}"
        GALLERY[name] = GalleryEntry(name, function, pairs, right, why, **fields)
        return function

    return enter
