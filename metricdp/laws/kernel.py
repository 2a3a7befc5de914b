"""Finite mechanisms given as a function or a matrix: a law for every input, checked.

(A map from inputs to laws is called a kernel: a stochastic matrix when both sides are finite.)
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.laws.finite import EnclosedLaw, FiniteLaw
from metricdp.laws.outcomes import by_label, has_labels


class Kernel(msgspec.Struct, frozen=True):
    """A law for every input.

    Attributes:
        function: input -> law, or what `FiniteLaw` takes.
        inputs: where they are finitely many and known; None otherwise.
        name: for messages.
    """

    function: Callable[[Any], Any]
    inputs: tuple[Hashable, ...] | None = None
    name: str = "kernel"

    def law(self, x: Any) -> Any:
        """The law at an input.

        Raises:
            ParameterError: no such input; a value that is no law, with the input as its place.
        """
        if self.inputs is not None and x not in self.inputs:
            known = ", ".join(map(repr, self.inputs[:8]))
            raise ParameterError(f"no law for {x!r}", place=self.name, remedy=f"inputs: {known}")
        found = self.function(x)
        if hasattr(found, "pmf") and hasattr(found, "support"):
            return found
        try:
            return FiniteLaw(found)
        except ParameterError as error:
            raise ParameterError(
                f"at input {x!r}, {error.fact}", place=self.name, remedy=error.remedy
            ) from None

    def push(self, function: Callable[[Any], Any]) -> Kernel:
        """Every law pushed forward: post-processing."""
        from metricdp.laws.pushed import push

        return Kernel(_Pushed(self, function, push), self.inputs, self.name)

    def after(self, function: Callable[[Any], Any]) -> Kernel:
        """The kernel x -> law(function(x)): a transformation before it."""
        return Kernel(_After(self, function), None, self.name)


class _Pushed(msgspec.Struct, frozen=True):
    kernel: Kernel
    outer: Callable[[Any], Any]
    push: Callable[[Any, Callable[[Any], Any]], FiniteLaw | EnclosedLaw]

    def __call__(self, x: Any) -> FiniteLaw | EnclosedLaw:
        return self.push(self.kernel.law(x), self.outer)


class _After(msgspec.Struct, frozen=True):
    kernel: Kernel
    inner: Callable[[Any], Any]

    def __call__(self, x: Any) -> Any:
        return self.kernel.law(self.inner(x))


class _Rows(msgspec.Struct, frozen=True):
    rows: Mapping[Any, Any]

    def __call__(self, x: Any) -> Any:
        return self.rows[x]


def law_of(mechanism: Any, name: str = "") -> Kernel:
    """The kernel of a finite mechanism; `law_of(m).law(x)` is the law at an input.

    Args:
        mechanism: a function from an input to its law (a law, a dictionary {outcome: probability}
            or the probabilities of 0, 1, 2, ...), a dictionary or pandas Series {input: law}, or a
            stochastic matrix: a sequence of rows, whose inputs are 0, 1, 2, ...
        name: for messages.

    Raises:
        ParameterError: no mechanism; a row that is no law, when rows are given.
    """
    if isinstance(mechanism, Kernel):
        return mechanism
    if hasattr(mechanism, "law") and callable(mechanism.law):
        return Kernel(mechanism.law, None, name or str(getattr(mechanism, "name", "kernel")))
    if has_labels(mechanism) or (hasattr(mechanism, "columns") and not callable(mechanism)):
        mechanism = by_label(mechanism, name or "law_of")
    if isinstance(mechanism, Mapping):
        kernel = Kernel(_Rows(dict(mechanism)), tuple(mechanism), name or "kernel")
    elif callable(mechanism):
        return Kernel(mechanism, None, name or getattr(mechanism, "__name__", "kernel"))
    elif hasattr(mechanism, "__getitem__") and not isinstance(mechanism, str):
        rows = dict(enumerate(mechanism))
        sizes = {len(row) for row in rows.values() if hasattr(row, "__len__")}
        if len(sizes) > 1:
            raise ParameterError(
                f"rows of {min(sizes)} and of {max(sizes)} entries",
                place=name or "matrix",
                remedy="every row has one probability per outcome",
            )
        kernel = Kernel(_Rows(rows), tuple(rows), name or "matrix")
    else:
        raise ParameterError(
            f"{type(mechanism).__name__} is no mechanism",
            place="law_of",
            remedy="give a function of the input, a dictionary {input: law}, or a matrix",
        )
    if not kernel.inputs:
        raise ParameterError("there are no inputs", place=kernel.name)
    checked = {x: kernel.law(x) for x in kernel.inputs}
    return Kernel(_Rows(checked), kernel.inputs, kernel.name)
