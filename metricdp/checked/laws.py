"""The law of what a checked function releases: its program, run along every path of its choices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.checked.joint_laws import Leaf, joint_law, keys_of, leaf
from metricdp.errors import MetricdpError, ParameterError
from metricdp.run.release import Release

if TYPE_CHECKING:
    from fractions import Fraction

    from metricdp.checked.arguments import Bound
    from metricdp.checked.function import CheckedFunction
    from metricdp.measures.accountant import Certified
    from metricdp.run.pending import Paths

#: Paths of choices that are run.
MOST = 1024


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
        """The least certified epsilon; see `Guarantee.certified`."""
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
    # Loaded by those who ask for laws only.
    from metricdp.run.pending import Paths

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
    from metricdp.run.emit import handling

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
