"""The law of what a checked function releases: its program, run along every path of its choices.

The values on the paths are put together again: noise that is pending stands beside the choices, and
entries that follow choices of their own are independent.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.errors import MetricdpError, ParameterError
from metricdp.laws import EnclosedLaw, FiniteLaw, ProductLaw, push
from metricdp.laws.interval import ONE, add, outward, times
from metricdp.laws.outcomes import gathered
from metricdp.laws.row_samples import mixed
from metricdp.noise.enclose import Bounds
from metricdp.run.emit import handling
from metricdp.run.pending import Fork, Paths, law_of
from metricdp.run.release import Release

if TYPE_CHECKING:
    from fractions import Fraction

    from metricdp.checked.arguments import Bound
    from metricdp.checked.function import CheckedFunction
    from metricdp.measures.accountant import Certified


#: Paths of choices that are run.
MOST = 1024
#: How values stand in a release: None for one of them, else the shapes of the items.
Shape = Any


class Applied(msgspec.Struct, frozen=True):
    """A checked function at public arguments, as a function of its private one.

    Attributes:
        public: its public arguments, read when the map was made.
        name: of the private argument.
        numbers: values of all public names in its cost, sizes among them.
    """

    function: CheckedFunction
    public: Bound
    name: str
    numbers: Mapping[str, Fraction]

    def __hash__(self) -> int:
        return hash(id(self.function))

    def __call__(self, data: Any) -> Any:
        return self.function.at_bound(self.public, {self.name: data})

    def certified(self, delta: Fraction, distance: Fraction) -> Certified:
        """The least certified epsilon; see `FunctionGuarantee.certified`."""
        guarantee = self.function.outcome.guarantee
        assert guarantee is not None
        return guarantee.certified(self.name, delta, self.numbers, distance)

    def law(self, data: Any) -> Any:
        """The law of the value of the release; see `program_law`."""
        return program_law(lambda: self(data), self.function.__name__)

    def law_after(self, data: Any, outer: Callable[[Any], Any]) -> Any:
        """The law of a function of the release."""
        return program_law(lambda: self(data), self.function.__name__, outer)


def program_law(
    run: Callable[[], Any], name: str, outer: Callable[[Any], Any] | None = None
) -> Any:
    """The law of the value that a run releases.

    Choices, answers and samples of rows are taken in turn; what a path releases is a value, or
    noise as it is drawn.  Of a release the value counts, not its other draws.  Sequences and the
    values of dictionaries, in the order of their keys, are tuples.

    Args:
        run: runs a checked program under the current handler.
        outer: a function of the release, whose value then counts.

    Raises:
        ParameterError: the step that has no law, by name: a number that the program goes on with, a
            mechanism without one, rounds of a private selection; too many paths; post-processing
            that fails.
    """
    paths = Paths(MOST, name)
    leaves: list[Leaf] = []
    keys = None
    for path in paths.runs():
        value = _on_path(paths, run, outer)
        if keys is not None and keys != keys_of(value):
            raise ParameterError(
                "the keys of a dictionary depend on the noise", place=name,
                remedy="release a tuple of pairs",
            )  # fmt: skip
        keys = keys_of(value)
        leaves.append(leaf(path, value, name))
    return joint_law(leaves, name)


def _on_path(paths: Paths, run: Callable[[], Any], outer: Callable[[Any], Any] | None) -> Any:
    """The value on the path that `paths` is on."""
    failed: Exception | None = None
    released = value = None
    with handling(paths):
        try:
            released = value = run()
            if outer is not None:
                paths.strict = True
                value = outer(released)
        except Exception as error:
            failed = error
    strict, paths.strict = paths.strict, False
    if paths.refused is not None:
        refused = paths.refused
        fact = f"{refused.fact} ({refused.place})"
        raise ParameterError(fact, place=paths.name, remedy=refused.remedy) from None
    if failed is not None and strict:
        raise ParameterError(
            f"post-processing fails with {type(failed).__name__}", place=paths.name,
            remedy="a function with a value for every release",
        ) from None  # fmt: skip
    if failed is not None:
        if not paths.path or not isinstance(failed, MetricdpError):
            raise failed
        raise ParameterError(
            f"the program fails on some of its draws: {failed.fact}", place=paths.name,
            remedy=failed.remedy,
        ) from None  # fmt: skip
    return value.value if isinstance(value, Release) else value


class Leaf(msgspec.Struct, frozen=True):
    """One path: its choices as (law, outcome, hidden), and the entries of the release on it.

    An entry is a law where noise is pending, and `FiniteLaw.sure` of a value elsewhere.
    """

    choices: tuple[tuple[Any, Any, bool], ...]
    shape: Shape
    entries: tuple[Any, ...]
    fixed: bool
    value: Any


def leaf(path: Sequence[Fork], value: Any, name: str) -> Leaf:
    """What one path gives.

    Raises:
        ParameterError: a draw that is released twice, or a value that cannot be an outcome.
    """
    entries: list[Any] = []
    seen: list[Any] = []
    shape = _shape(value, entries, seen, name)
    if len({id(item) for item in seen}) != len(seen):
        raise ParameterError(
            "one draw is released twice, and its values are no independent entries",
            place=name,
            remedy="release it once",
        )
    choices = tuple((c.law, c.outcome, c.hidden) for c in path)
    fixed = not seen
    return Leaf(choices, shape, tuple(entries), fixed, _plain(value, name) if fixed else None)


def _shape(value: Any, entries: list[Any], seen: list[Any], name: str) -> Shape:
    law = law_of(value)
    if law is not None and not isinstance(law, ProductLaw):
        entries.append(law)
        seen.append(value)
        return None
    items = _items(value) if law is None else list(value)
    if items is None:
        entries.append(FiniteLaw.sure(_plain(value, name)))
        return None
    return tuple(_shape(item, entries, seen, name) for item in items)


def _items(value: Any) -> list[Any] | None:
    """The items of a sequence, or the values of a dictionary in the order of its keys."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return list(value.values())
    return list(value) if isinstance(value, list | tuple) else None


def _plain(value: Any, name: str) -> Hashable:
    """A value as an outcome: sequences and dictionaries are tuples."""
    items = _items(value)
    if items is not None:
        return tuple(_plain(item, name) for item in items)
    if hasattr(value, "item") and not hasattr(value, "__len__"):
        value = value.item()
    try:
        hash(value)
    except TypeError:
        raise ParameterError(
            f"a {type(value).__name__} cannot be an outcome",
            place=name,
            remedy="release numbers, texts, or tuples of them",
        ) from None
    return value  # type: ignore[no-any-return]


def keys_of(value: Any) -> tuple[Any, ...]:
    """The keys of the dictionaries of a release, which its outcomes do not show."""
    if isinstance(value, dict):
        return (tuple(value), *(keys_of(item) for item in value.values()))
    return tuple(keys_of(item) for item in value) if isinstance(value, list | tuple) else ()


def joint_law(leaves: Sequence[Leaf], name: str) -> Any:
    """The law of the release.

    Raises:
        ParameterError: pending noise whose part in a mixture is irrational.
    """
    if len(leaves) == 1:
        only = leaves[0]
        return FiniteLaw.sure(only.value) if only.fixed else _built(only.shape, list(only.entries))
    found = _independent(leaves)
    if found is not None:
        return found
    weights = [_chance(each) for each in leaves]
    if all(each.fixed for each in leaves):
        pairs = [(each.value, w) for each, w in zip(leaves, weights, strict=True)]
        masses = gathered(pairs, add, name)
        if all(low == high for low, high in masses.values()):
            return FiniteLaw({k: low for k, (low, _) in masses.items()})
        return EnclosedLaw(masses)
    if any(low != high for low, high in weights):
        raise ParameterError(
            "noise follows a choice whose probabilities are irrational",
            place=name,
            remedy="a mixture of laws with infinitely many outcomes needs rational shares",
        )
    return mixed(
        (_built(each.shape, list(each.entries)), w[0])
        for each, w in zip(leaves, weights, strict=True)
    )


def _built(shape: Shape, entries: list[Any]) -> Any:
    """Entries side by side, as the release has them."""
    if shape is None:
        return entries.pop(0)
    return ProductLaw(tuple(_built(item, entries) for item in shape))


def _chance(each: Leaf) -> Bounds:
    chance = ONE
    for law, outcome, _ in each.choices:
        chance = times(chance, law.pmf(outcome))
        if chance[0] != chance[1]:
            chance = outward(chance, 1024)
    return chance


def _independent(leaves: Sequence[Leaf]) -> Any:
    """The product law, where choices are the same on all paths and each entry shows one at most."""
    first = leaves[0]
    laws = [law for law, _, _ in first.choices]
    for each in leaves:
        if any(hidden for _, _, hidden in each.choices) or each.shape != first.shape:
            return None
        if [law for law, _, _ in each.choices] != laws:
            return None
    by_path = {tuple(x for _, x, _ in each.choices): each.entries for each in leaves}
    if len(by_path) != len(leaves):
        return None
    shown: dict[int, int] = {}
    for j in range(len(laws)):
        for i in range(len(first.entries)):
            if _shows(by_path, i, j):
                if j in shown.values() or i in shown:
                    return None
                shown[i] = j
    parts = [
        _entry(by_path, i, shown[i], laws[shown[i]]) if i in shown else first.entries[i]
        for i in range(len(first.entries))
    ]
    return None if None in parts else _built(first.shape, parts)


def _shows(by_path: dict[tuple[Any, ...], tuple[Any, ...]], i: int, j: int) -> bool:
    """Whether entry i depends on choice j, the others as they are."""
    seen: dict[tuple[Any, ...], Any] = {}
    for path, entries in by_path.items():
        rest = path[:j] + path[j + 1 :]
        if rest in seen and not _same(seen[rest], entries[i]):
            return True
        seen.setdefault(rest, entries[i])
    return False


def _same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and repr(a) == repr(b) and bool(a == b)


def _entry(by_path: dict[tuple[Any, ...], tuple[Any, ...]], i: int, j: int, law: Any) -> Any:
    """The law of entry i, a function of choice j; None where it is a mixture without shares."""
    values = {path[j]: entries[i] for path, entries in by_path.items()}
    if all(isinstance(v, FiniteLaw) and len(v) == 1 for v in values.values()):
        images = {x: v.support()[0] for x, v in values.items()}
        if all(_same(x, y) for x, y in images.items()):
            return law
        return push(law, images.__getitem__)
    shares = {x: law.pmf(x) for x in values}
    if any(low != high for low, high in shares.values()):
        return None
    return mixed((v, Fraction(shares[x][0])) for x, v in values.items())
