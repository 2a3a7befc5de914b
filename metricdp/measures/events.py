"""Events: what a mechanism spent, as data; and the composition tree over them.

No node stores an (epsilon, delta): curves under any measure are readings of the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from metricdp.errors import InternalError
from metricdp.expr import ONE, Expr, Relation


class Event(msgspec.Struct, frozen=True):
    """One application of a mechanism.

    Attributes:
        mechanism: name of the record.
        norm: norm in which the mechanism measures its argument ("" scalar, "L1", "L2", "LInf").
        noise: parameters of the noise as expressions, possibly in `_bound` (record.BOUND).
            Laplace: {"scale"}; Gaussian: {"sigma"} or, calibrated at run time,
            {"epsilon", "delta", "bound"}; randomized response: {"epsilon"}.
        privacy: cost per measure, as expressions in `_moved`, `_ratio` and public names:
            "pure": (epsilon,), "zcdp": (rho,), "approx": (epsilon, delta), "approx_zcdp":
            (rho, delta).  A measure that is missing is not available for this event.
        site: address of the call in the checked program (filled by check).
        size: number of entries of a vector argument (filled by check).
        parts: of a tuple that enters as one vector, the number of entries of each item that is a
            vector, None for a number; empty where no item is a vector (filled by check).
    """

    mechanism: str
    norm: str
    noise: Mapping[str, Expr]
    privacy: Mapping[str, tuple[Expr, ...]]
    site: str = ""
    size: Expr | None = None
    parts: tuple[Expr | None, ...] = ()


class Spent(msgspec.Struct, frozen=True):
    """An event with the movement of its argument, per source: {source: Expr in d_in}."""

    event: Event
    moved: Mapping[Any, Expr]


class Sequence(msgspec.Struct, frozen=True):
    """Adaptive sequential composition of its items."""

    items: tuple[Tree, ...] = ()


class Repeat(msgspec.Struct, frozen=True):
    """`count` rounds of `body`; `index` is the public loop variable in body, from 0, or ""."""

    count: Expr
    body: Tree
    index: str = ""


class Parallel(msgspec.Struct, frozen=True):
    """`body` runs once per row; row source `row` of `body` belongs to `parent` (one row each).

    `unit` says that a row is at distance 0 or 1 from its replacement (discrete rows); the distances
    of the rows add up to at most `factor` times that of the parent.  `whole`: they are whole
    numbers, and every step of 1 can be made alone (parts of a table).  `count` is the number of
    rows; 1 where a node inside counts the same rounds.
    """

    body: Tree
    row: Any
    parent: Any
    unit: bool = False
    factor: Expr = ONE
    whole: bool = False
    count: Expr = ONE


class Choice(msgspec.Struct, frozen=True):
    """One of the items happens, chosen by public or released values: the worst one is charged.

    `conditions` has, per item, relations of public names that hold wherever it happens; it may be
    empty where nothing is known.
    """

    items: tuple[Tree, ...]
    conditions: tuple[tuple[Relation, ...], ...] = ()


class Sampled(msgspec.Struct, frozen=True):
    """`body` reads a secret sample of the rows of `parent`, drawn afresh once before it.

    Attributes:
        row: the source of the sample's movement in `body`: one row of the sample.
        parent: the source whose rows are sampled.
        scheme: one of `sampling.Scheme`.
        adjacency: what one unit of distance of `parent` is.
        site: address of the call that draws the sample.
    """

    body: Tree
    row: Any
    parent: Any
    scheme: Any
    adjacency: str
    site: str = ""


class Selected(msgspec.Struct, frozen=True):
    """`body` runs a secret random number of times, and the result of the best score is released.

    Attributes:
        stop: parameter of the number of rounds, in (0, 1]; geometric rounds stop after each one
            with this chance.
        shape: in (-1, 1]; 1: geometric, 0: logarithmic (`noise.rounds`).
        site: address of the call.
    """

    body: Tree
    stop: Expr
    shape: Expr
    site: str = ""


Tree = Spent | Sequence | Repeat | Parallel | Choice | Sampled | Selected


def parts(tree: Tree) -> tuple[Tree, ...]:
    """The trees inside a node, in order.

    Raises:
        InternalError: no node of a composition tree.
    """
    if isinstance(tree, Spent):
        return ()
    if isinstance(tree, Sequence | Choice):
        return tree.items
    if isinstance(tree, Repeat | Parallel | Sampled | Selected):
        return (tree.body,)
    raise no_node(tree)


def with_parts(tree: Tree, change: Callable[[Tree], Tree]) -> Tree:
    """The node with every tree inside it replaced; an event stays as it is.

    Raises:
        InternalError: no node of a composition tree.
    """
    if isinstance(tree, Spent):
        return tree
    if isinstance(tree, Sequence | Choice):
        return msgspec.structs.replace(tree, items=tuple(change(item) for item in tree.items))
    if isinstance(tree, Repeat | Parallel | Sampled | Selected):
        return msgspec.structs.replace(tree, body=change(tree.body))
    raise no_node(tree)


def nodes(tree: Tree) -> Iterator[Tree]:
    """Every node of a tree, those around others first."""
    yield tree
    for part in parts(tree):
        yield from nodes(part)


def no_node(tree: Any) -> InternalError:
    """What a reading of trees says of a node that it does not know: it may not be skipped."""
    return InternalError(f"{type(tree).__name__} is no node of a composition tree")
