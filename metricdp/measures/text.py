"""Events as text, written and read: `poisson(0.01, gaussian(1)) x 10000` of the command line.

Names are those of the classes in small letters with words joined by "-" ("without-replacement");
arguments are numbers as typed, name=value pairs, or events.  ` x N` after an event repeats it,
events joined by commas follow one another, brackets hold several together, and `noise` is a number
that is looked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from metricdp.errors import ParameterError
from metricdp.expr.decimals import decimal_up
from metricdp.measures.accounted import AccountedEvent
from metricdp.measures.additive import (
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
)
from metricdp.measures.combined import Composed, Group, Repeated, Selection
from metricdp.measures.curves import ZCDP
from metricdp.measures.private import (
    Approximate,
    ExponentialMechanism,
    NoisyMax,
    PermuteAndFlip,
    Pure,
    RandomizedResponse,
    SparseVector,
)
from metricdp.measures.sampled import Poisson, TruncatedPoisson, WithoutReplacement, WithReplacement

#: Name -> event; `Renyi` and `Finite` take tables, which a line of text has no room for.
NAMES: dict[str, type[AccountedEvent]] = {
    "gaussian": Gaussian,
    "laplace": Laplace,
    "discrete-gaussian": DiscreteGaussian,
    "discrete-laplace": DiscreteLaplace,
    "randomized-response": RandomizedResponse,
    "exponential-mechanism": ExponentialMechanism,
    "permute-and-flip": PermuteAndFlip,
    "noisy-max": NoisyMax,
    "sparse-vector": SparseVector,
    "pure": Pure,
    "approximate": Approximate,
    "zcdp": ZCDP,
    "poisson": Poisson,
    "truncated-poisson": TruncatedPoisson,
    "without-replacement": WithoutReplacement,
    "with-replacement": WithReplacement,
    "selection": Selection,
    "group": Group,
}


def spelled(event: AccountedEvent) -> str:
    """The event as text; a table or a law is shortened."""
    if isinstance(event, Composed):
        return ", ".join(spelled(each) for each in event.events) or "nothing"
    if isinstance(event, Repeated):
        inner = spelled(event.event)
        several = isinstance(event.event, Composed) and len(event.event.events) > 1
        return f"({inner}) x {event.count}" if several else f"{inner} x {event.count}"
    name = next((n for n, kind in NAMES.items() if kind is type(event)), event.place.lower())
    if name in ("renyi", "finite"):
        return f"{name}(...)"
    shown = []
    fields, values = event.__struct_fields__, type(event).__struct_defaults__
    defaults = dict(zip(fields[len(fields) - len(values) :], values, strict=True))
    for field in fields:
        value = getattr(event, field)
        if field in defaults and value == defaults[field]:
            continue
        text = spelled(value) if isinstance(value, AccountedEvent) else _number(value)
        shown.append(f"{field}={text}" if field in defaults else text)
    return f"{name}({', '.join(shown)})"


def _number(value: Any) -> str:
    if isinstance(value, Fraction):
        short = f"{float(value):.6g}"
        if value and not Fraction(short):
            return decimal_up(value, 6)
        return str(value) if value.denominator < 1000 and Fraction(short) != value else short
    return str(value).lower() if isinstance(value, bool) else str(value)


#: The word for a number that is looked for.
UNKNOWN = "noise"
_TOKEN = re.compile(
    r"\s*(?:(?P<number>[+-]?[0-9.][0-9.eE]*(?:(?<=[eE])[+-][0-9]+)?(?:/[0-9]+)?(?![A-Za-z_]))"
    r"|(?P<name>[A-Za-z][A-Za-z_-]*)|(?P<sign>[(),=*]))"
)


def parsed(text: str, noise: Fraction | None = None) -> AccountedEvent:
    """The event of a line of text, or of several joined by commas.

    Args:
        noise: what the word `noise` stands for in the place of a number; None: it is unknown.

    Raises:
        ParameterError: no event; the message shows where it stops making sense.
    """
    reader = _Reader(text, noise)
    found = reader.events()
    if reader.kind != "end":
        raise reader.error("expected ' x N', a comma or the end")
    return found


class _Reader:
    """Reads tokens from left to right: kind ("number", "name", "sign", "end"), value, place."""

    def __init__(self, text: str, noise: Fraction | None) -> None:
        self.text, self.noise = text, noise
        self._tokens = self._split()
        self.kind, self.value, self.at = next(self._tokens)

    def _split(self) -> Iterator[tuple[str, str, int]]:
        at, text = 0, self.text.rstrip()
        while at < len(text):
            found = _TOKEN.match(text, at)
            if not found:
                self.at = at
                raise self.error("no name, number or sign")
            assert found.lastgroup is not None
            yield found.lastgroup, found.group(found.lastgroup), found.start(found.lastgroup)
            at = found.end()
        while True:
            yield "end", "", len(text)

    def advance(self) -> str:
        value = self.value
        self.kind, self.value, self.at = next(self._tokens)
        return value

    def take(self, sign: str) -> bool:
        if self.kind == "sign" and self.value == sign:
            self.advance()
            return True
        return False

    def error(self, message: str) -> ParameterError:
        return ParameterError(
            f"{message} at {self.text[: self.at]!r} <-- here --> {self.text[self.at :]!r}",
            place="event",
            remedy='write for example "poisson(0.01, gaussian(1)) x 10000"; names: '
            + ", ".join(NAMES),
        )

    def events(self) -> AccountedEvent:
        """Events joined by commas."""
        found = [self.event()]
        while self.take(","):
            found.append(self.event())
        return found[0] if len(found) == 1 else Composed(found)

    def event(self) -> AccountedEvent:
        """One event, or several in brackets, with its repetitions."""
        found = self._one()
        while (self.kind == "name" and self.value in ("x", "X")) or self.take("*"):
            if self.kind == "name":
                self.advance()
            if self.kind != "number":
                raise self.error("expected a number of rounds")
            found = Repeated(found, self.advance())
        return found

    def _one(self) -> AccountedEvent:
        if self.take("("):
            inner = self.events()
            if not self.take(")"):
                raise self.error("expected ')'")
            return inner
        if self.kind != "name":
            raise self.error("expected the name of an event")
        name = self.value.lower().replace("_", "-")
        if name not in NAMES:
            raise self.error(f"{self.value!r} is no event")
        self.advance()
        return self._made(NAMES[name])

    def _made(self, kind: type[AccountedEvent]) -> AccountedEvent:
        if not self.take("("):
            raise self.error("expected '(' and the parameters")
        values: list[Any] = []
        named: dict[str, Any] = {}
        while not self.take(")"):
            if (values or named) and not self.take(","):
                raise self.error("expected ',' or ')'")
            self._argument(values, named)
        try:
            return kind(*values, **named)
        except TypeError:
            fields = ", ".join(kind.__struct_fields__)
            raise ParameterError(
                f"does not take these parameters: {self.text!r}",
                place=kind.__name__,
                remedy=f"it takes {fields}",
            ) from None

    def _argument(self, values: list[Any], named: dict[str, Any]) -> None:
        if self.kind == "number":
            if named:
                raise self.error("expected a name=value pair after another one")
            values.append(self.advance())
        elif self.kind == "name" and self.value == UNKNOWN:
            self.advance()
            if self.noise is None:
                raise self.error("`noise` is a number to be found, and nothing looks for it")
            values.append(self.noise)
        elif self.kind == "name" and self.value.replace("-", "_") in _FIELDS:
            name = self.advance().replace("-", "_")
            if not self.take("="):
                raise self.error("expected '='")
            if self.kind not in ("number", "name"):
                raise self.error("expected a value")
            value: Any = self.advance()
            named[name] = {"true": True, "false": False}.get(value.lower(), value)
        else:
            values.append(self.event())


_FIELDS = {
    name
    for kind in NAMES.values()
    for name in kind.__struct_fields__
    if name not in ("event", "events")
}
