"""What transformations and measurements share: one input space, a function, steps, trust."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp import errors
from metricdp.errors import InternalError, MetricdpError, ParameterError, bare
from metricdp.maps.distances import name_of, space_of, typed
from metricdp.maps.fixed import Fixed
from metricdp.maps.steps import (
    ASSUMED,
    IDEAL,
    OPEN,
    Explanation,
    MapStep,
    Reliance,
    Vouched,
    explain,
)
from metricdp.spaces import Space

if TYPE_CHECKING:
    from metricdp.maps.transformation import Transformation


_FIELDS = ("input_space", "function", "name", "steps", "enter", "leave")


class Map(Fixed):
    """A function from a metric space, with the steps it was made of.

    Attributes:
        input_space: domain and metric of the argument.
        function: total on the domain; on reference values where `enter` is given, else on plain
            Python values.
        name: for printing; a chain joins its parts with " >> ".
        steps: one `Step` per link.
        enter: brings data into the domain (clamping, replacing NaN; never a message about a
            value) and makes reference values of them; None for a map made by hand.
        leave: makes plain Python values of the result; None where the result is plain already.
    """

    __slots__ = _FIELDS

    def __init__(
        self,
        input_space: Space,
        function: Callable[[Any], Any],
        name: str,
        steps: Vouched | None,
        made: Callable[[str, tuple[Reliance, ...]], MapStep],
        trust: str,
        enter: Callable[[Any], Any] | None,
        leave: Callable[[Any], Any] | None,
    ) -> None:
        self.input_space = space_of(input_space, "input_space")
        self.function = function
        self.name = name or name_of(function)
        if steps is not None and not isinstance(steps, Vouched):
            raise ParameterError(
                "the steps of a map are those that the library has proved", place="steps",
                remedy="leave steps out; build the map from constructors to have them proved",
            )  # fmt: skip
        self.steps: tuple[MapStep, ...] = (
            steps.steps if steps else (made(self.name, by_hand(self.name, trust)),)
        )
        self.enter, self.leave = enter, leave

    @property
    def rests_on(self) -> tuple[Reliance, ...]:
        """What the bounds of all steps rest on, each once."""
        return tuple(dict.fromkeys(r for step in self.steps for r in step.rests_on))

    @property
    def trust(self) -> str:
        """ "proved" if every step rests on proved rules or checked programs, else "asserted"."""
        kinds = {reliance.kind for reliance in self.rests_on}
        return "asserted" if ASSUMED in kinds or not kinds else "proved"

    @property
    def requires(self) -> tuple[str, ...]:
        """What its numbers require of public names without a number; enforced when it runs."""
        return tuple(r.why for r in self.rests_on if r.kind == OPEN)

    def explain(self, d_in: int | float | Fraction = 1) -> Explanation:
        """Every step at a distance: before, after, formula and reason.

        Raises:
            ParameterError: a distance that is negative or NaN.
        """
        return explain(self.steps, typed(d_in, "d_in"))

    def __call__(self, value: Any) -> Any:
        """The function's value at data that are first brought into the input domain.

        Raises:
            SchemaError: data of another type or shape than the input space.
            InternalError: a function of the chain raised; of its error only the type is told.
        """
        result, failed = self._attempt(self._evaluate, value, self.enter)
        value = None  # no frame of an error shows private data
        if failed is not None:
            raise failed from None
        return result

    def at_entered(self, value: Any, leave: Callable[[Any], Any]) -> Any:
        """The value at reference values of the input space; `leave` makes plain ones of them."""
        call = self.function
        action = call if self.enter is not None else lambda entered: call(leave(entered))
        result, failed = self._attempt(action, value)
        value = None
        if failed is not None:
            raise failed from None
        return result

    def exactly(self, value: Any) -> Any:
        """As a call, but reference values stay what they are where `leave` would follow."""
        enter, call = self.enter, self.function
        result, failed = self._attempt(call, value, enter)
        value = None
        if failed is not None:
            raise failed from None
        return result

    def _attempt(
        self,
        action: Callable[[Any], Any],
        value: Any,
        enter: Callable[[Any], Any] | None = None,
    ) -> tuple[Any, MetricdpError | None]:
        """(result, None), or an error that keeps no frame of the action and no word of data."""
        entered = enter is None
        try:
            if enter is not None:
                value, entered = enter(value), True
            return action(value), None
        except MetricdpError as error:
            # The library's texts name no data; a function by hand writes what it likes into one.
            if not entered or self.trust == "proved":
                return None, bare(error)
            kind = _known(error)
        except Exception as error:
            kind = _known(error)
        failed = InternalError(
            f"a function raised {kind}, which tells something about the data",
            place=self.name,
            remedy="a function in a map returns a value for every element of its domain",
        )
        return None, failed

    def _evaluate(self, value: Any) -> Any:
        result = self.function(value)
        return result if self.leave is None else self.leave(result)

    invoke = __call__

    def chained_after(self, first: Transformation) -> Map:
        """The chain "first, then self".

        Raises:
            SpaceError: the result of `first` is no argument of this map.
        """
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        assert isinstance(other, Map)
        if self.input_space != other.input_space or self.steps != other.steps:
            return False
        rebuilt = all(step.version for step in self.steps)
        return rebuilt or bool(self.function == other.function)

    def __hash__(self) -> int:
        return hash((self.input_space, self.name))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self._state())

    def _state(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _slots(type(self))}

    def _table(self, bounds: dict[str, str], output: str) -> str:
        from metricdp.report.cards import card, table

        facts = {
            "input": self.input_space.describe(),
            "unit": self.input_space.unit,
            "output": output,
            **bounds,
            "requires": "; ".join(self.requires),
            "trust": self.trust,
            "rests on": "; ".join(map(str, self.rests_on)),
        }
        rows = table([fact for fact in facts.items() if fact[1]])
        return card(type(self).__name__.lower(), self.name, inside=rows)


def _known(error: Exception) -> str:
    """The name of an error's class, where everybody has that class: others are named by hand."""
    kind = type(error)
    known = any(vars(module).get(kind.__name__) is kind for module in (builtins, errors))
    return kind.__name__ if known else "an error of its own"


def _slots(kind: type) -> tuple[str, ...]:
    return tuple(name for base in kind.__mro__ for name in getattr(base, "__slots__", ()))


def _restore(kind: type[Map], state: dict[str, Any]) -> Map:
    item = kind.__new__(kind)
    for name, value in state.items():
        object.__setattr__(item, name, value)
    return item


def by_hand(name: str, trust: str) -> tuple[Reliance, ...]:
    """What a map without steps of its own rests on.

    Raises:
        ParameterError: a trust other than "asserted".
    """
    if trust == "asserted":
        return (Reliance(ASSUMED, f"the map of `{name}` was written by hand"),)
    if trust == "proved":
        raise ParameterError(
            "only the library says that a map is proved, of its rules and of checked functions",
            place=name,
            remedy="leave trust out; or decorate the function with @dp.measurement or"
            " @dp.transformation, and take function.at(...)",
        )  # fmt: skip
    raise ParameterError(f"no trust is called {trust!r}", place=name, remedy="leave trust out")


def steps_of(first: Map, second: Map) -> tuple[MapStep, ...]:
    """The steps of "first, then second"; rounding between a rule and what is written by hand is
    told, because a rounded sum moves by more than the sum."""
    if first.leave is None or second.enter is not None or not second.steps:
        return first.steps + second.steps
    if not _rounded(second.input_space):
        return first.steps + second.steps
    step, *rest = second.steps
    note = Reliance(IDEAL, f"numbers are rounded to doubles before {step.name}")
    noted = msgspec.structs.replace(step, rests_on=(*step.rests_on, note))
    return (*first.steps, noted, *rest)


def _rounded(space: Any) -> bool:
    """Whether values of a space may lie between doubles, and their distance is that of numbers."""
    parts = [*getattr(space, "parts", ()), *getattr(space, "fields", ())]
    parts += [part for name in ("inner", "value") if (part := getattr(space, name, None))]
    return getattr(space, "element", "") == "Real" or any(map(_rounded, parts))
