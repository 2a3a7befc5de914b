"""Numbers that a mechanism released, as bounds of what is released after them.

A program may release a bound first and clamp to it: `hi = dp.interval_quantile(...)`, then
`dp.laplace(dp.sum(dp.clamp(x, 0, hi)), epsilon=eps)`.  Its sum moves by `hi`, which only a run
knows, and the noise that hides it is a multiple of `hi`; the cost is not.

Proof.  Let z be everything that was released before.  Given z, the number is a constant, and so
is the bound h(z) of the movement that the rules give for this constant.  The noise is h(z) times
noise of scale n, and n mentions nothing that was released.  Laplace and Gaussian noise scale:
x + h n Z is h (x / h + n Z), and x / h moves by at most m = 1 per unit of distance, so for every z
the cost is that of the movement m under noise of scale n (where h(z) = 0 the value is the same for
all data, and is released as it is).  A mechanism whose cost is the same for every z composes with
what released z as any adaptively chosen mechanism does: what is charged is (m, n).

A program may also compute the bound of what it released, as Python does: `low, high =
find_bounds(x, eps)`.  What a name was given then is a function of z, and a constant given z like z
itself, however it was computed; the run notes the number that the name has from there on, and the
clamp uses this very number.

Only such a number is a symbol here that a run makes once, outside of every loop, function of rows
and round of a selection; a run that makes it twice has none (`checked.charged`).  A bound of data
is the number as it was released, or what `min`, `max`, `abs` and `-` make of it, which do not
round; of scales, whose noise is computed from the expression, all arithmetic is followed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager

import msgspec

from metricdp.check.domain.parts import Part, Parts, by_part
from metricdp.check.domain.state import CheckState
from metricdp.check.values import public
from metricdp.check.values.dictionaries import is_mapping
from metricdp.check.values.forms import Source
from metricdp.check.values.objects import Obj, TupleValue, Value
from metricdp.expr import D, Expr, absolute, linear_coefficient, maximum, minimum, sym

#: How the symbols of released numbers begin; no parameter has such a name.
RELEASED = "_released"
#: Records that take a bound.
BOUNDS = frozenset({"clamp", "min", "max", "minimum", "maximum"})
#: Mechanisms whose noise may be a multiple of a released number -> the norm of their argument, and
#: a target that they take.
SCALED = {"laplace": ("L1", "epsilon=eps"), "gaussian": ("L2", "rho=rho")}
_EXACT: Mapping[str, Callable[..., Expr]] = {"abs": absolute, "min": minimum, "max": maximum}


class MovementUnit(msgspec.Struct, frozen=True):
    """What one unit of a movement is in a run.

    Attributes:
        size: an expression in released numbers, >= 0.
        drawn: their symbols -> the addresses that release them.
        moves: the movement per source in units of it.
        scale: the scale of the noise in units of it; None for a target.
    """

    size: Expr
    drawn: Mapping[str, str]
    moves: Mapping[Source, Expr]
    scale: Expr | None = None


class DrawnNumbers:
    """Which values are released numbers, or made of them, by the identity of objects."""

    def __init__(self) -> None:
        #: The object, kept so that no other one has its identity; its expression; whether a run
        #: has exactly this number.
        self._known: dict[int, tuple[Value, Expr, bool]] = {}
        #: Objects that a mechanism made, whichever of its draws; kept, like those above.
        self._made: dict[int, Value] = {}
        #: Dictionaries under keys that are not known all of whose values are draws; kept.
        self._filled: dict[int, Value] = {}
        #: Symbol -> address of the mechanism that releases it.
        self.sites: dict[str, str] = {}
        #: Objects that a name was given, kept; and the symbols of these very numbers.
        self._noted: dict[int, tuple[Value, Expr]] = {}
        #: These symbols -> that name.
        self._given: dict[str, str] = {}
        #: Symbols of what one side of a branch alone released, behind that branch.
        self.apart: set[str] = set()
        #: As `_known` and `sites`, of what rounds release that are read one by one: formulas of
        #: outputs are made of them, and bounds are not.
        self._in_rounds: dict[int, tuple[Value, Expr]] = {}
        self.round_sites: dict[str, str] = {}
        #: Symbols of what decided whether a run goes on.
        self._passed: set[str] = set()

    def draws(self, value: Obj) -> None:
        """Note what a mechanism made."""
        if isinstance(value, Value):
            self._made[id(value)] = value

    def either(self, test: Obj, a: Obj, b: Obj, found: Obj) -> None:
        """Note what a branch gives: one draw or another one, where a public condition chooses.

        Chosen by what was released, a draw is no longer like one: the largest of many is too large.
        """
        public = isinstance(test, Value) and test.origin == "public"
        if public and self.is_draw(a) and self.is_draw(b):
            self.draws(found)

    def is_draw(self, value: Obj) -> bool:
        """Whether a value is what a mechanism made, and nobody chose it by what was released."""
        return id(value) in self._made

    def fills(self, made: Value, *parts: Obj) -> None:
        """Note a dictionary under keys that are not known, made of other ones and of values that
        are stored into them: whether each of its values is a draw, in every run."""
        if all(self.is_draw(part) or self.is_filled(part) for part in parts):
            self._filled[id(made)] = made

    def after_rounds(self, found: Value, begin: Obj, after: Obj) -> None:
        """Note such a dictionary after all rounds.  Rounds were read as if it were full of draws at
        their start where it is before them: what was made of that is no longer known if a round
        may leave it otherwise."""
        if self.is_filled(begin) and not self.is_filled(after):
            self._filled.clear()
        self.fills(found, begin, after)

    def is_filled(self, held: Obj) -> bool:
        """Whether each value of a dictionary is a draw that nothing released has chosen."""
        if isinstance(held, TupleValue):
            return is_mapping(held) and all(map(self.is_draw, held.items))
        return id(held) in self._filled

    def release(self, value: Value, site: str, nonneg: bool = False) -> None:
        """Name what a mechanism released.

        Args:
            nonneg: it is never below 0.
        """
        self._known[id(value)] = value, sym(self._symbol(site), nonneg=nonneg), True

    def _symbol(self, site: str) -> str:
        known = (name for name, address in self.sites.items() if address == site)
        name = next(known, f"{RELEASED}{len(self.sites) + 1}")
        self.sites[name] = site
        self.apart.discard(name)
        return name

    def named(self, value: Value, name: str, site: str) -> Value | None:
        """What a name is given that was computed of released values, as a number with a symbol of
        its own; None where it has one already, or is what a mechanism made.  An expression that
        Python rounded stays what scales are compared with.

        Args:
            site: address of the assignment, whose number a run notes.
        """
        if value.origin != "released" or self.of(value) is not None or self.is_draw(value):
            return None
        if id(value) in self._in_rounds:
            return None
        own = msgspec.structs.replace(value)  # other names of the same object are other numbers
        symbol = self._symbol(site)
        self._noted[id(own)], self._given[symbol] = (own, sym(symbol)), name
        rounded = self._known.get(id(value))
        if rounded is not None:
            self._known[id(own)] = own, *rounded[1:]
        return own

    def in_round(self, value: Value, site: str) -> None:
        """Name what a mechanism released in a round that has an address of its own."""
        name = f"{RELEASED}_round{len(self.round_sites) + 1}"
        self.round_sites[name] = site
        self._in_rounds[id(value)] = value, sym(name)

    def passed(self) -> None:
        """Note that a run may end here with an exception, and show nothing: which draws are shown
        is then chosen by what was released before, and none of that is like any draw."""
        self._made.clear()
        self._filled.clear()
        self._passed |= self.sites.keys() | self.round_sites.keys()

    def of(self, value: Obj, exactly: bool = True) -> Expr | None:
        """A public or released number as an expression; None where none is known.

        Args:
            exactly: a run has this number, and not one that Python rounded.
        """
        if not isinstance(value, Value) or value.private:
            return None
        known, noted = self._known.get(id(value)), self._noted.get(id(value))
        if known is not None and (known[2] or not exactly):
            return known[1]
        if known is not None or noted is not None:
            return None if noted is None else noted[1]
        if value.origin != "public" or value.source == "irrational" or value.expr is None:
            return None
        hidden = any(name.startswith("_") for name in value.expr.symbols)
        return None if hidden else value.expr

    def computed(self, made: Obj, operator: str, *given: Obj) -> None:
        """Note what an operator or a builtin made of released numbers."""
        if not isinstance(made, Value) or made.origin != "released":
            return
        if any(id(each) in self._in_rounds for each in given):
            several = sum(isinstance(v, Value) and v.origin == "released" for v in given) > 1
            if operator in ("min", "max") and several:
                return  # the best of what a loop released: it is chosen among many
            expr = _arithmetic(operator, [self._of_any(each) for each in given])
            if expr is not None:
                self._in_rounds[id(made)] = made, expr
            return
        keeps = operator in _EXACT or (operator == "-" and len(given) == 1)
        for exact in (True, False) if keeps else (False,):
            parts = [self.of(each, exact) for each in given]
            known = [part for part in parts if part is not None]
            if not given or len(known) < len(parts) or not any(map(self.names, known)):
                continue
            expr = _arithmetic(operator, known)
            if expr is not None:
                self._known[id(made)] = made, expr, exact
                return

    def _of_any(self, value: Obj) -> Expr | None:
        known = self._in_rounds.get(id(value))
        return self.of(value, exactly=False) if known is None else known[1]

    @contextmanager
    def on_one_side(self) -> Iterator[None]:
        """A side of a branch: what it releases, a run that takes the other one has not."""
        before = set(self.sites)
        yield
        self.apart |= self.sites.keys() - before

    def names(self, expr: Expr) -> frozenset[str]:
        """The released numbers in an expression."""
        return frozenset(name for name in expr.symbols if name in self.sites)

    def addresses(self) -> dict[str, str]:
        """Symbol -> address of the call that releases it, of all released numbers."""
        return {**self.sites, **self.round_sites}

    def parts(self, result: Obj) -> Parts:
        """What is known of each part of what a program returns."""
        return by_part(result, self._part)

    def _part(self, part: Obj) -> Part:
        each = id(part) in self._filled
        return Part(self.is_draw(part), None if each else self._formula(part), each)

    def _formula(self, part: Obj) -> Expr | None:
        """A part as arithmetic with released numbers."""
        found = self._of_any(part)
        if found is None or found.symbols & self._passed:
            return None
        hidden = {name for name in found.symbols if name.startswith("_")}
        named = self.sites.keys() | self.round_sites.keys()
        return found if hidden and hidden <= named else None

    def texts(self, state: CheckState) -> dict[str, str]:
        """How people call the released numbers: by the names that hold them, or by their lines."""
        steps = {step.site: step for step in state.steps if step.site}
        found = {}
        for name, site in self.sites.items():
            if (step := steps.get(site)) is not None:
                found[name] = step.name or f"released_in_line_{step.span.line}"
        return {**found, **self._given}

    def unit(
        self,
        movement: Mapping[Source, Expr],
        scale: Expr | None,
        rounds: AbstractSet[str] = frozenset(),
    ) -> MovementUnit | None:
        """The unit in which a movement, and the scale of its noise, mention no released number.

        Args:
            movement: per source.
            scale: of the noise; None for a target.
            rounds: symbols that are another number in every round of a loop.
        """
        slopes = {source: linear_coefficient(moves) for source, moves in movement.items()}
        known = [slope for slope in slopes.values() if slope is not None]
        if len(known) < len(slopes) or any(slope.is_infinite for slope in known):
            return None
        size = maximum(*known) if known else None
        if size is None or not self.names(size) or size.symbols & (self.apart | rounds):
            return None
        moves = {}
        for source, slope in slopes.items():
            assert slope is not None
            share = slope / size
            moves[source] = D if self.names(share) else share * D  # no slope is above the largest
        if scale is not None:
            scale = scale / size
            if self.names(scale):
                return None
        return MovementUnit(
            size, {name: self.sites[name] for name in self.names(size)}, moves, scale
        )

    def in_units(
        self, unit: MovementUnit, ways: Mapping[Source, tuple[Expr, Expr]]
    ) -> dict[Source, tuple[Expr, Expr]]:
        """How far one unit moves the same value up and down, in the unit of its noise; what
        mentions released numbers there is left out."""
        found = {}
        for source, both in ways.items():
            up, down = (linear_coefficient(each) for each in both)
            if up is None or down is None:
                continue
            shares = up / unit.size, down / unit.size
            if not any(self.names(share) for share in shares):
                found[source] = shares[0] * D, shares[1] * D
        return found


def _arithmetic(operator: str, given: Sequence[Expr | None]) -> Expr | None:
    """What an operator or a builtin makes of numbers; None where one of them is not known."""
    known = [each for each in given if each is not None]
    if len(known) < len(given):
        return None
    if operator == "-" and len(known) == 1:
        return -known[0]
    if operator in _EXACT and (len(known) > 1) == (operator != "abs"):
        return _EXACT[operator](*known)
    if operator in ("+", "-", "*", "/") and len(known) == 2:
        return public.arithmetic(operator, *known)
    return None


def in_words(text: str, names: Mapping[str, str]) -> str:
    """A text with the names of released numbers in place of their symbols."""
    if RELEASED not in text:
        return text
    for symbol in sorted(names, key=len, reverse=True):
        text = text.replace(symbol, names[symbol])
    return text
