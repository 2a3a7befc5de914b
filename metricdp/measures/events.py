"""Events: what a mechanism spent, as data; and the composition tree over them.

No node stores an (epsilon, delta): curves under any measure are readings of the tree.

Sources of movement: which a node reads from outside, and which it makes.  A node that runs per row,
or on a sample, makes a source of its own, one row, and maps it to the source whose rows these are.
Every cost is read through these maps, so a source that no node maps to a parameter is charged to
nobody.

A tree seen through a stable map has the movements of its events composed (`moved_by`).  Of a tree
at given public numbers only a part can happen (`measures.taken`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import Any

import msgspec

from metricdp.errors import InternalError, SpaceError
from metricdp.expr import ONE, ZERO, D, Expr, Relation, compose, maximum
from metricdp.families.family import Family
from metricdp.measures.accounted import Scheme
from metricdp.spaces.metrics import Adjacency

#: Smallest chance to stop that runs: a selection has up to 1 / stop rounds on average.
LEAST_STOP = Fraction(1, 10**9)


class Event(msgspec.Struct, frozen=True):
    """One application of a mechanism.

    Attributes:
        mechanism: name of the record.
        family: how it is drawn, and what its law is.
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
        shape: of an array with two axes, their lengths; else empty (filled by check).
        unit: what one unit of the movement and of the noise is in a run: an expression in numbers
            that were released before (filled by check, see `check.domain.drawn`).
        drawn: their symbols -> the addresses of the calls that release them.
    """

    mechanism: str
    family: Family
    norm: str
    noise: Mapping[str, Expr]
    privacy: Mapping[str, tuple[Expr, ...]]
    site: str = ""
    size: Expr | None = None
    parts: tuple[Expr | None, ...] = ()
    shape: tuple[Expr, ...] = ()
    unit: Expr = ONE
    drawn: Mapping[str, str] = {}


class Spent(msgspec.Struct, frozen=True):
    """An event with the movement of its argument, per source: {source: Expr in d_in}.

    Attributes:
        ways: source -> how far up, and how far down, one unit of it moves a number, each times
            d_in, where one of the two is known to be less than `moved`; see `measures.replaced` and
            `measures.joint`.  What changes `moved` and leaves this out states less, and nothing
            wrong.
        bound: the movement that a target's noise is set for; None: the largest of `moved` at 1.
    """

    event: Event
    moved: Mapping[Any, Expr]
    ways: Mapping[Any, tuple[Expr, Expr]] = {}
    bound: Expr | None = None


def noise_bound(leaf: Spent) -> Expr:
    """The largest single-input movement at distance 1: what a target's noise is calibrated to."""
    return (
        leaf.bound
        if leaf.bound is not None
        else _largest(tuple(dict.fromkeys(leaf.moved.values())))
    )


@lru_cache(maxsize=2048)
def _largest(moved: tuple[Expr, ...]) -> Expr:
    ends = [each.subs({"d_in": ONE}) for each in moved]
    return maximum(*ends) if ends else ZERO


class Sequence(msgspec.Struct, frozen=True):
    """Adaptive sequential composition of its items."""

    items: tuple[Tree, ...] = ()


class Repeat(msgspec.Struct, frozen=True):
    """`count` rounds of `body`; `index` is the public loop variable in body, from 0, or ""."""

    count: Expr
    body: Tree
    index: str = ""


class Reach(msgspec.Struct, frozen=True):
    """How far one unit of a parent reaches among the rows of a node.

    Units are persons of their own: d of them change at most d `touched` rows.

    Attributes:
        touched: the most rows that one unit changes.
        most: the largest distance that one unit moves one row by.
    """

    touched: Expr
    most: Expr


class Parallel(msgspec.Struct, frozen=True):
    """`body` runs once per row; row source `row` of `body` belongs to `parent` (one row each).

    `unit` says that a row is at distance 0 or 1 from its replacement (discrete rows); the distances
    of the rows add up to at most `factor` times that of the parent.  `whole`: they are whole
    numbers, and every step of 1 can be made alone (parts of a table).  `count` is the number of
    rows; 1 where a node inside counts the same rounds.

    `each`: the items of `body`, a choice, all happen, `count` times each, every one on rows of its
    own (filters of a table).  They may also be read one after the other, at their sum (`apart`).

    `reach`: what is known besides, where one person may have parts of several rows, but not all of
    the distance in one.
    """

    body: Tree
    row: Any
    parent: Any
    unit: bool = False
    factor: Expr = ONE
    whole: bool = False
    count: Expr = ONE
    each: bool = False
    reach: Reach | None = None


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
        scheme: how rows are drawn, see `accounted.Scheme`.
        adjacency: what one unit of distance of `parent` is.
        site: address of the call that draws the sample.
    """

    body: Tree
    row: Any
    parent: Any
    scheme: Scheme
    adjacency: Adjacency
    site: str = ""


class Selected(msgspec.Struct, frozen=True):
    """`body` runs a secret random number of times, and the result of the best score is released.

    Attributes:
        stop: parameter of the number of rounds, in (0, 1]; geometric rounds stop after each one
            with this chance.
        shape: in (-1, 1]; 1: geometric, 0: logarithmic (`noise.bernoulli.selection_rounds`).
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


def numbers_in(node: Tree) -> Iterator[Expr]:
    """Every expression in public names that a node itself states, without its parts.

    Raises:
        InternalError: no node of a composition tree.
    """
    if isinstance(node, Spent):
        event = node.event
        yield from (*node.moved.values(), *event.noise.values())
        yield from (each for both in node.ways.values() for each in both)
        yield from (node.bound,) if node.bound is not None else ()
        yield from (each for cost in event.privacy.values() for each in cost)
        yield from (each for each in (event.size, *event.parts, *event.shape) if each is not None)
    elif isinstance(node, Repeat):
        yield node.count
    elif isinstance(node, Parallel):
        yield from (node.count, node.factor)
        yield from (node.reach.touched, node.reach.most) if node.reach is not None else ()
    elif isinstance(node, Choice):
        for relations in node.conditions:
            for relation in relations:
                yield from (relation.left, relation.right)
    elif isinstance(node, Selected):
        yield from (node.stop, node.shape)
    elif isinstance(node, Sampled):
        yield from (getattr(node.scheme, name) for name in node.scheme.__struct_fields__)
    elif not isinstance(node, Sequence):
        raise no_node(node)


def no_node(tree: Any) -> InternalError:
    """What a reading of trees says of a node that it does not know: it may not be skipped."""
    return InternalError(f"{type(tree).__name__} is no node of a composition tree")


def made(tree: Tree) -> Mapping[Any, Any]:
    """The sources that a node makes for its parts: each with the source outside that it is of.

    Raises:
        InternalError: no node of a composition tree.
    """
    if isinstance(tree, Parallel | Sampled):
        return {tree.row: tree.parent}
    if isinstance(tree, Spent | Sequence | Repeat | Choice | Selected):
        return {}
    raise no_node(tree)


def own(tree: Tree) -> frozenset[Any]:
    """The sources that a node itself reads, without its parts."""
    return frozenset(tree.moved) if isinstance(tree, Spent) else frozenset(made(tree).values())


def consumed(tree: Tree) -> frozenset[Any]:
    """The sources from outside whose movement reaches an event of the tree."""
    inside: frozenset[Any] = frozenset().union(*(consumed(part) for part in parts(tree)))
    return (inside - made(tree).keys()) | own(tree)


def mentioned(tree: Tree) -> frozenset[Any]:
    """Every source that the tree names, also those that it makes itself."""
    inside = (mentioned(part) for part in parts(tree))
    return own(tree).union(made(tree), *inside)


def traced(
    tree: Tree, outside: Mapping[Any, Any] | None = None
) -> Iterator[tuple[Spent, Mapping[Any, Any]]]:
    """Every event with its sources, each with the one from outside of the tree that it stands for.

    Args:
        outside: what sources stand for that nodes around the tree make.
    """
    known = dict(outside or {})
    for row, parent in made(tree).items():
        known[row] = known.get(parent, parent)
    if isinstance(tree, Spent):
        yield tree, {source: known.get(source, source) for source in tree.moved}
    for part in parts(tree):
        yield from traced(part, known)


def require_from(tree: Tree, sources: Iterable[Any], place: str) -> None:
    """Nothing in a tree is charged to nobody.

    Raises:
        InternalError: the tree reads a source that is none of these.
    """
    left = consumed(tree) - frozenset(sources)
    if left:
        names = ", ".join(sorted(map(str, left)))
        raise InternalError(f"nobody is charged for what is read of {names}", place=place)


def movable(tree: Tree, stability: Expr) -> bool:
    """Whether `moved_by` applies: nothing in the tree counts rows, or none of them move more."""
    if stability == D:
        return True
    if isinstance(tree, Parallel | Sampled) and not _filters(tree):
        return False
    return all(movable(part, stability) for part in parts(tree))


def _filters(tree: Tree) -> bool:
    return isinstance(tree, Parallel) and tree.each


def with_source(tree: Tree, old: Any, new: Any) -> Tree:
    """The tree that reads another source in place of one, outside of the nodes that make it."""
    change = msgspec.structs.replace
    if isinstance(tree, Spent):
        moved = {new if k == old else k: v for k, v in tree.moved.items()}
        return change(
            tree, moved=moved, ways={new if k == old else k: v for k, v in tree.ways.items()}
        )
    found = with_parts(tree, lambda part: with_source(part, old, new))
    if isinstance(found, Parallel | Sampled) and found.parent == old:
        return change(found, parent=new)
    return found


def apart(tree: Parallel) -> Tree:
    """Filters of a table one after the other, as if every one were of all rows.

    Raises:
        InternalError: rows, or parts of which not every one happens.
    """
    whole = ONE if tree.reach is None else tree.reach.most
    spread = tree.reach is None and tree.factor != ONE
    if not (tree.each and isinstance(tree.body, Choice)) or tree.unit or spread or whole != ONE:
        raise InternalError("these rows cannot be read one after the other")
    items = Sequence(tuple(with_source(item, tree.row, tree.parent) for item in tree.body.items))
    return items if tree.count == ONE else Repeat(tree.count, items)


#: Most parts of which every two are read together.
_MOST_IN_PAIRS = 12


def two_parts(tree: Parallel) -> Tree:
    """What one unit does that reaches two parts of a table: any two, or one of them twice where one
    item stands for several parts."""
    items = tree.body.items if tree.each and isinstance(tree.body, Choice) else ()
    if tree.count != ONE or not 1 < len(items) <= _MOST_IN_PAIRS:
        return Sequence((tree.body, tree.body))
    return Choice(tuple(Sequence(pair) for pair in combinations(items, 2)))


def all_apart(tree: Tree) -> Tree:
    """The tree with all filters of its tables one after the other."""
    found = with_parts(tree, all_apart)
    return apart(found) if isinstance(found, Parallel) and found.each else found


def moved_by(tree: Tree, stability: Expr) -> Tree:
    """The tree of "a map with this stability, then the mechanisms of `tree`".

    Every source of movement moves by `stability` in place of d_in.

    Raises:
        SpaceError: events per row or per sample: their movement is that of rows, not of a distance.
    """
    if stability == D:
        return tree
    if isinstance(tree, Spent):
        moved = {source: compose(move, stability) for source, move in tree.moved.items()}
        return msgspec.structs.replace(tree, moved=moved, ways={})
    if isinstance(tree, Parallel) and tree.each:
        return moved_by(apart(tree), stability)
    if isinstance(tree, Parallel | Sampled):
        raise SpaceError(
            "a measurement that runs per row or on a sample reads the rows themselves",
            remedy="chain row-wise maps inside the function that samples or partitions",
        )
    return with_parts(tree, lambda part: moved_by(part, stability))
