"""The address of every call of a mechanism, and the noise that is proved for it.

Code after a branch that may jump is read once per side.  Where both readings prove the same for a
call, its address says nothing of sides; where they differ, each state keeps an address of its own,
and the run follows the sides that it takes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import msgspec

from metricdp.errors import InternalError
from metricdp.expr import ONE, Expr
from metricdp.families.family import Family
from metricdp.measures.events import Sampled, Selected, Spent, Tree, nodes, noise_bound, with_parts
from metricdp.measures.readings import leaves
from metricdp.run.addresses import without_rounds, without_sides


class SiteNoise(msgspec.Struct, frozen=True):
    """The noise at one call of a mechanism, as expressions in the public parameters.

    `rounds` maps names that stand for the number of a round to the addresses of their loops.  The
    noise and the bound are in units of `unit`, an expression in the symbols of `drawn`, which maps
    them to the addresses where a run releases these numbers.
    """

    mechanism: str
    family: Family
    norm: str
    noise: Mapping[str, Expr]
    bound: Expr
    rounds: Mapping[str, str] = {}
    unit: Expr = ONE
    drawn: Mapping[str, str] = {}

    def in_a_run(self) -> Mapping[str, Expr]:
        """The noise as expressions in what is public and what was released before."""
        widths = {self.family.parameter, "bound"} if self.drawn else set()
        return {k: e * self.unit if k in widths else e for k, e in self.noise.items()}


def address_of(node: Tree) -> str | None:
    """The address of the call that a node is of; None for a node that is of no single call."""
    if isinstance(node, Spent):
        return node.event.site
    return node.site if isinstance(node, Sampled | Selected) else None


def state_of(node: Tree, counted: Mapping[str, str]) -> Any:
    """What was proved for the call that a node is of."""
    if isinstance(node, Spent):
        return noise_of(node, counted), node.event.size, node.event.parts, node.event.shape
    assert isinstance(node, Sampled | Selected)
    return node.scheme if isinstance(node, Sampled) else (node.stop, node.shape)


def noise_of(leaf: Spent, counted: Mapping[str, str]) -> SiteNoise:
    """The noise of an event.

    Args:
        counted: symbol of a round -> address of its loop.
    """
    bound = noise_bound(leaf)
    noise = {key: expr.subs({"_bound": bound}) for key, expr in leaf.event.noise.items()}
    names = {name for expr in (*noise.values(), bound) for name in expr.symbols}
    rounds = {name: loop for name, loop in counted.items() if name in names}
    event = leaf.event
    return SiteNoise(
        event.mechanism, event.family, event.norm, noise, bound, rounds, event.unit, event.drawn
    )


def settled(tree: Tree, counted: Mapping[str, str]) -> Tree:
    """The tree with the sides of branches in those addresses only that differ by them."""
    calls: dict[str, list[tuple[str, Tree]]] = {}
    for node in nodes(tree):
        address = address_of(node)
        if address is not None:
            calls.setdefault(without_rounds(address), []).append((address, node))
    renamed: dict[str, str] = {}
    for found in calls.values():
        if any("?" in address for address, _ in found):
            states = [(address, state_of(node, counted)) for address, node in found]
            if _agree(states):
                renamed |= {address: without_sides(address) for address, _ in states}
    return _renamed(tree, renamed) if renamed else tree


def _agree(states: list[tuple[str, Any]]) -> bool:
    """Whether no two readings of a call differ once the sides are left out of its addresses."""
    known: dict[str, Any] = {}
    if any(known.setdefault(without_sides(address), state) != state for address, state in states):
        return False
    # A loop that was unrolled on one side only has rounds in some of the addresses.
    return len({without_sides(address).count("#") for address, _ in states}) == 1


def _renamed(tree: Tree, names: Mapping[str, str]) -> Tree:
    change = msgspec.structs.replace
    if isinstance(tree, Spent):
        event = tree.event
        return change(tree, event=change(event, site=names.get(event.site, event.site)))
    found = with_parts(tree, lambda part: _renamed(part, names))
    if isinstance(found, Sampled | Selected):
        return change(found, site=names.get(found.site, found.site))
    return found


def differing(tree: Tree, counted: Mapping[str, str]) -> str | None:
    """An address at which two states were proved; None if there is none."""
    calls = [(address_of(node), node) for node in nodes(tree)]
    times = Counter(address for address, _ in calls if address is not None)
    known: dict[str, Any] = {}
    for address, node in calls:
        if address is not None and times[address] > 1:
            state = state_of(node, counted)
            if known.setdefault(address, state) != state:
                return address
    return None


def addresses(tree: Tree | None) -> list[str]:
    """The addresses of all calls that a run may reach."""
    found = (address_of(node) for node in (nodes(tree) if tree is not None else ()))
    return [address for address in found if address is not None]


def noise_by_site(
    tree: Tree | None, counted: Mapping[str, str] | None = None
) -> dict[str, SiteNoise]:
    """The noise of every site.

    Args:
        counted: symbol of a round on which noise depends -> address of its loop.

    Raises:
        InternalError: two noises for one site.
    """
    found: dict[str, SiteNoise] = {}
    for leaf in leaves(tree) if tree is not None else []:
        noise = noise_of(leaf, counted or {})
        if found.setdefault(leaf.event.site, noise) != noise:
            raise InternalError(f"two noises are proved for the call at {leaf.event.site}")
    return found
