"""Numbers at which a guarantee holds: no requirement of it fails there.

Outside of its requirements a guarantee says nothing, so every number that is stated of one is read
at an object of this class, and there is no other way to make one than to decide the requirements.
A guarantee whose requirements no numbers meet never runs, and is no guarantee.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.check.domain.contradictions import contradictory
from metricdp.check.domain.requirements import in_words
from metricdp.check.values.findings import Stop
from metricdp.diagnostics import Diagnostic, Span
from metricdp.errors import ExpressionError, ParameterError
from metricdp.expr import Expr, Relation, compare, num

if TYPE_CHECKING:
    from metricdp.check.verdicts.guarantee import FunctionGuarantee


Required = tuple[Expr, str, Expr]


class Place(msgspec.Struct, frozen=True):
    """Where a requirement comes from, and how to meet it."""

    span: Span
    remedy: str = ""


class Held(Mapping[str, Fraction]):
    """Public numbers at which no requirement of a guarantee fails.

    Args:
        complete: refuse also a requirement that lacks a number.

    Attributes:
        undecided: requirements that lack a number, each with the names that are not set.

    Raises:
        ParameterError: a requirement fails at these numbers; a number that is not finite; an
            integer parameter that is given a fraction; a size that is none.
    """

    __slots__ = ("_values", "requires", "undecided")

    def __init__(
        self, guarantee: FunctionGuarantee, values: Mapping[str, Any], *, complete: bool = False
    ) -> None:
        self._values = _numbers(guarantee, values)
        self.requires = guarantee.requires
        undecided: dict[str, str] = {}
        for required in self.requires:
            verdict = decided(required, self._values)
            if verdict is False:
                raise _failed(guarantee, required, self._values)
            if verdict is None:
                left, op, right = required
                missing = sorted((left.symbols | right.symbols) - self._values.keys())
                if complete:
                    raise ParameterError(
                        f"{in_words(left, op, right)} needs {', '.join(missing)}",
                        place=guarantee.name,
                    )
                undecided[in_words(left, op, right)] = ", ".join(missing)
        self.undecided: Mapping[str, str] = undecided

    def __getitem__(self, name: str) -> Fraction:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def told(self) -> tuple[str, ...]:
        """The undecided requirements as they stand beside a number."""
        return tuple(beside(text, missing) for text, missing in self.undecided.items())


def beside(requirement: str, missing: str) -> str:
    """A requirement that is not decided, as it is printed next to a number."""
    names = missing.split(", ")
    verb = "is" if len(names) == 1 else "are"
    return f"{requirement} (not decided: {missing} {verb} not set)"


def decided(required: Required, values: Mapping[str, Fraction]) -> bool | None:
    """Whether a requirement holds at these numbers; None: a number is missing."""
    left, op, right = required
    try:
        if left.symbols | right.symbols <= values.keys():
            return Relation(left, op, right).holds(values)
        names = {name: num(value) for name, value in values.items()}
        return compare(left.subs(names), op, right.subs(names))
    except ExpressionError:  # A side has no value there, as 20/eps at eps = 0.
        return False


def proper(guarantee: FunctionGuarantee, costs: Mapping[str, Any], about: str) -> None:
    """A cost in numbers that promises something.

    Args:
        costs: epsilon, delta, rho, ... -> number; None: not known.
        about: what the cost is of, in a message.

    Raises:
        ParameterError: a cost that is negative or no number, or a delta of 1 or more.
    """
    for name, value in costs.items():
        if value is None or name in ("alpha", "omega"):
            continue
        # A finite epsilon beyond what can be computed is told as infinite, which is true of it.
        if value >= 0 and (name != "delta" or value < 1):
            continue
        fact = f"{about} costs {name} = {decimal(value)}, which promises nothing"
        need = "a delta below 1" if name == "delta" else f"a {name} of at least 0"
        span = Span(guarantee.file, guarantee.line, 1, guarantee.line, 1)
        raise _error(
            guarantee, fact,
            Diagnostic("vacuous-guarantee", span, fact, need, "other public numbers or distances"),
        )  # fmt: skip


def _numbers(guarantee: FunctionGuarantee, values: Mapping[str, Any]) -> dict[str, Fraction]:
    """Exact finite numbers; of integer parameters and of sizes integers."""
    if isinstance(values, Held):
        return dict(values)
    from metricdp.check.verdicts.claims import size_names

    types = {entry.name: entry.type for entry in guarantee.inputs if entry.space is None}
    sizes = {f"{what}_{name}" for name in types for what in ("len", "different")}.union(
        *(size_names(entry.space) for entry in guarantee.inputs if entry.space is not None)
    )
    found: dict[str, Fraction] = {}
    for name, value in values.items():
        if isinstance(value, float) and not isfinite(value):
            raise _unfit(guarantee, name, f"{value} is no finite number", f"{name}=1")
        exact = found[name] = Fraction(value)
        kind = types.get(name, "size" if name in sizes else "")
        if kind in ("int", "size") and exact.denominator != 1:
            fact = f"`{name}` is an integer, and {decimal(exact)} is none"
            raise _unfit(guarantee, name, fact, f"{name}={exact.__floor__()}")
        if kind == "size" and exact < 0:
            raise _unfit(guarantee, name, f"`{name}` is a size, and {exact} is none", f"{name}=0")
    return found


def _unfit(guarantee: FunctionGuarantee, name: str, fact: str, remedy: str) -> ParameterError:
    span = Span(guarantee.file, guarantee.line, 1, guarantee.line, 1)
    found = Diagnostic("requirement-fails", span, fact, f"a number that `{name}` can be", remedy)
    return _error(guarantee, fact, found)


def _failed(
    guarantee: FunctionGuarantee, required: Required, values: Mapping[str, Fraction]
) -> ParameterError:
    left, op, right = required
    names = sorted((left.symbols | right.symbols) & values.keys())
    shown = ", ".join(f"{name} = {decimal(values[name])}" for name in names)
    text = in_words(left, op, right)
    fact = f"this needs {text}, and {shown}"
    place = guarantee.places.get(required)
    span = place.span if place else Span(guarantee.file, guarantee.line, 1, guarantee.line, 1)
    remedy = (place.remedy if place else "") or f"choose public parameters with {text}"
    found = Diagnostic("requirement-fails", span, fact, text, remedy)
    return _error(guarantee, fact, found)


def _error(guarantee: FunctionGuarantee, fact: str, found: Diagnostic) -> ParameterError:
    error = ParameterError(fact, place=guarantee.name, remedy=found.help)
    error.diagnostic = found
    return error


def decimal(value: Any) -> str:
    """A number as it is told in a sentence."""
    if isinstance(value, float):
        return repr(value)
    try:
        return str(value) if value.denominator == 1 else repr(float(value))
    except OverflowError:
        return "a very large number"


def places_of(required: Iterable[tuple[Required, Place]]) -> dict[Required, Place]:
    """The first place of each requirement, and of each that is printed in its stead."""
    from metricdp.check.domain.requirements import parts

    found: dict[Required, Place] = {}
    for relation, place in required:
        for each in (relation, *parts(relation)):
            found.setdefault(each, place)
    return found


def possible(guarantee: FunctionGuarantee, span: Span) -> None:
    """Some public numbers may meet every requirement of a guarantee.

    Args:
        span: the function, for a requirement without a place of its own.

    Raises:
        Stop: none do; at the place of the last requirement of a smallest impossible set.
    """
    core = list(guarantee.requires)
    if not contradictory(core):
        return
    for relation in list(core):
        rest = [each for each in core if each is not relation]
        if contradictory(rest):
            core = rest
    found = [guarantee.places[each] for each in core if each in guarantee.places]
    last = max((place.span for place in found), key=lambda s: (s.line, s.column), default=span)
    told = " and ".join(in_words(*each) for each in core)
    which = "public numbers meet" if len(core) == 1 else "public numbers meet both"
    which = f"{which} of" if len(core) > 2 else which
    raise Stop(
        Diagnostic(
            "requirement-fails", last, f"no {which} {told}",
            "requirements that some public parameters meet",
            "remove what asks for one of them, or give it a parameter of its own",
        )
    )  # fmt: skip
