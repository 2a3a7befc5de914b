"""Every draw of a run is an event that was charged: the same one, and no more often.

A call takes its event from what is left of the composition tree, and the draw that is then made has
to be the one that was taken.  A call without an event, one more than were charged, another draw, or
the other side of a choice stops the run before anything is drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.check.verdicts.sites import SiteNoise, addresses, noise_by_site
from metricdp.errors import InternalError
from metricdp.expr import ONE, Expr
from metricdp.families.family import Draw
from metricdp.measures.counts import Counts, counts, number
from metricdp.measures.events import Tree
from metricdp.measures.readings import leaves
from metricdp.run.addresses import by_sides, charged_as

if TYPE_CHECKING:
    from metricdp.run.emit import Handler


class Released:
    """The numbers that a run has released so far, by the addresses of their mechanisms."""

    def __init__(self) -> None:
        self._numbers: dict[str, Fraction | None] = {}

    def note(self, site: str, value: Any) -> None:
        """A mechanism has returned a value, or a name was given one; where that happens twice there
        is no number."""
        if type(value).__module__ == "numpy" and getattr(value, "ndim", 1) == 0:
            value = value.item()  # an array that is written to is none
        # Candidates that a program writes as 0.5 are rationals in a run.
        exact = isinstance(value, int | Fraction)
        finite = exact or (isinstance(value, float) and isfinite(value))
        plain = finite and site not in self._numbers
        self._numbers[site] = Fraction(value) if plain else None

    def number(self, site: str) -> Fraction:
        """What was released at an address.

        Raises:
            InternalError: nothing was, no number was, or several numbers were.
        """
        found = self._numbers.get(site)
        if found is None:
            raise InternalError(f"no single number was released at {site}, on which noise depends")
        return found

    def known(self, sites: Mapping[str, str]) -> dict[str, Fraction]:
        """The numbers that are there, by the symbols of their addresses."""
        found = {name: self._numbers.get(site) for name, site in sites.items()}
        return {name: number for name, number in found.items() if number is not None}


#: A draw that is known in a run only: from the rounds that loops are in, and what was released.
Later = Callable[[Mapping[str, int], Released], Draw]
#: Number of a draw, or a function of what a run knows.
Draws = Mapping[str, Draw | Later]
#: Fields of a draw that the call itself may not change; `extra` may gain what only the run knows.
_FIXED = tuple(name for name in Draw.__struct_fields__ if name != "extra")
#: What was read of a tree before, so that no run reads it again, by the identity of the tree.
_known: dict[int, ChargedCalls] = {}
_MOST_TREES = 256


class ChargedCalls(msgspec.Struct):
    """What a tree says of its calls, as expressions.

    Attributes:
        counts: how often they happen.
        noises: address of a mechanism -> its noise, and how far its argument moves at distance 1.
        sides: see `addresses.by_sides`.
    """

    tree: Tree
    counts: Counts
    noises: Mapping[str, tuple[SiteNoise, list[Expr]]]
    sides: Mapping[str, list[str]]


def calls(tree: Tree, rounds: Mapping[str, str]) -> ChargedCalls:
    """The calls of a tree.

    Args:
        rounds: symbol of a round on which noise depends -> address of its loop.

    Raises:
        InternalError: two noises for one address.
    """
    known = _known.get(id(tree))
    if known is not None and known.tree is tree:
        return known
    noises: dict[str, tuple[SiteNoise, list[Expr]]] = {
        site: (noise, []) for site, noise in noise_by_site(tree, rounds).items()
    }
    for leaf in leaves(tree):
        moved = noises[leaf.event.site][1]
        moved += (each.subs({"d_in": ONE}) for each in leaf.moved.values())
    while len(_known) >= _MOST_TREES:
        _known.pop(next(iter(_known)), None)
    found = _known[id(tree)] = ChargedCalls(tree, counts(tree), noises, by_sides(addresses(tree)))
    return found


class Item(msgspec.Struct):
    """A call on one side of a choice.

    Attributes:
        choice, side: number of the choice, and of the side.
        each: how often the call happens each time that this side is chosen, at most.
        elsewhere: how often it happens outside of this choice, at most.
    """

    choice: int
    side: int
    each: int
    elsewhere: int


class Scope:
    """The calls that a run, or one round of a selection, may still make."""

    def __init__(self, found: Counts, numbers: Mapping[str, Fraction]) -> None:
        most = {key: number(expr, numbers) for key, expr in found.most.items()}
        self._most = {key: count for key, count in most.items() if isinstance(key, str)}
        self._sides: dict[str, list[Item]] = {}
        self._times: dict[int, int] = {}
        for choice, options in found.choices.items():
            times = most[choice]
            if times is None:
                continue
            self._times[choice] = times
            shared = Counter(key for option in options for key in option)
            for side, option in enumerate(options):
                for key, expr in option.items():
                    each = number(expr, numbers)
                    total = most.get(key)
                    # What several sides do tells nothing of the side.
                    if isinstance(key, str) and each and shared[key] == 1 and total is not None:
                        item = Item(choice, side, each, max(0, total - times * each))
                        self._sides.setdefault(key, []).append(item)
        self.rounds = {site: Scope(inner, numbers) for site, inner in found.rounds.items()}
        self.start()

    def fresh(self) -> Scope:
        """The same calls, none of which was made."""
        new = object.__new__(Scope)
        new._most, new._sides, new._times = self._most, self._sides, self._times
        new.rounds = {site: inner.fresh() for site, inner in self.rounds.items()}
        new.start()
        return new

    def start(self) -> None:
        """Nothing was called yet."""
        self._made: dict[str, int] = dict.fromkeys(self._most, 0)
        self._chosen: dict[int, dict[int, int]] = {}

    def take(self, address: str, calls: int = 1) -> bool:
        """So many calls more; False if one of them was not charged."""
        made = self._made.get(address)
        if made is None:
            return False
        most = self._most[address]
        self._made[address] = made = made + calls
        if most is not None and made > most:
            return False
        return all(self._fits(item, made) for item in self._sides.get(address, ()))

    def take_all(self, address: str, calls: int) -> bool:
        """So many calls more; False, and none of them, if one was not charged."""
        made, chosen = dict(self._made), {at: dict(sides) for at, sides in self._chosen.items()}
        if self.take(address, calls):
            return True
        self._made, self._chosen = made, chosen
        return False

    def _fits(self, item: Item, made: int) -> bool:
        """Whether the choice was made often enough for all calls on its sides."""
        chosen = self._chosen.setdefault(item.choice, {})
        inside = max(0, made - item.elsewhere)
        chosen[item.side] = max(chosen.get(item.side, 0), -(-inside // item.each))
        return sum(chosen.values()) <= self._times[item.choice]


class Charged:
    """What one run may draw; also the handler through which its draws go.

    Args:
        left: the calls of the composition tree that was charged; None: there is none.
        draws: the noise of every site, from that tree.
        inner: the handler that answers.
        name: of the function.
    """

    def __init__(self, left: Scope | None, draws: Draws, inner: Handler, name: str) -> None:
        self._inner, self._draws, self._name = inner, draws, name
        self._scopes = [left.fresh()] if left is not None else []
        self._due: Draw | None = None
        self.released = Released()

    @property
    def test_only(self) -> bool:
        return self._inner.test_only

    def next_of(self, site: str) -> Draw | None:
        """The draw of a site; None where none was charged, or one that depends on the round."""
        found = self._draws.get(charged_as(site, self._draws))
        return found if isinstance(found, Draw) else None

    def draw_all(self, site: str, calls: int) -> Draw | None:
        """`draw` of so many calls that answer together, each with noise of its own.

        Returns:
            None, and nothing is taken, where fewer are left; they are then asked one by one.
        """
        due = self.next_of(site)
        address = charged_as(site, self._draws)
        if due is None or not self._scopes or not self._scopes[-1].take_all(address, calls):
            return None
        self._due = due
        return due

    def draw(self, site: str, rounds: Mapping[str, int]) -> Draw:
        """The draw that was charged for a call, which has to be the next one.

        Raises:
            InternalError: none was, or none is left.
        """
        address = self.call(site, self._draws)
        found = self._draws[address]
        self._due = found if isinstance(found, Draw) else found(rounds, self.released)
        return self._due

    def call(self, site: str, known: Mapping[str, Any]) -> str:
        """The address at which a call was charged.

        Args:
            known: what was charged for calls of its kind, by address.

        Raises:
            InternalError: nothing was, or nothing is left.
        """
        address = charged_as(site, known)
        if address not in known:
            raise self._uncharged(f"nothing was charged for the call at {site}")
        if not self._scopes or not self._scopes[-1].take(address):
            raise self._uncharged(f"the call at {site} happens more often than it was charged")
        return address

    @contextmanager
    def in_rounds(self, address: str) -> Iterator[None]:
        """A selection, whose calls are counted round by round."""
        self._scopes.append(self._scopes[-1].rounds[address])
        try:
            yield
        finally:
            self._scopes.pop()

    def begin_round(self) -> None:
        """Its next round begins."""
        self._scopes[-1].start()
        self._due = None

    def handle(self, draw: Draw, value: Any) -> Any:
        """The released value for a draw; see `run.emit.Handler`.

        Raises:
            InternalError: it is not the draw that was charged.
        """
        due, self._due = self._due, None
        if due is not draw and (due is None or not _is_of(draw, due)):
            raise self._uncharged(f"the draw at {draw.site} is not the one that was charged")
        return self._inner.handle(draw, value)

    def _uncharged(self, fact: str) -> InternalError:
        return InternalError(fact, place=self._name, remedy="report this program: nothing is drawn")


def _is_of(draw: Draw, due: Draw) -> bool:
    """Whether a draw is the one that was charged, with what only the run knows beside it."""
    if any(getattr(draw, name) != getattr(due, name) for name in _FIXED):
        return False
    return all(draw.extra.get(key, value) == value for key, value in due.extra.items())
