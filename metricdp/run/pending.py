"""A run whose noise is not drawn: finitely many outcomes are taken in turn, numbers stay pending.

The law of a program's release needs the program, not a reading of it: each path of its choices is
one run of the very code that runs.  A number with infinitely many outcomes is a stand-in that may
be returned; whatever else is done with it stops the run, and names the draw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NoReturn

from metricdp.errors import MetricdpError, ParameterError
from metricdp.families.family import Draw
from metricdp.laws import EnclosedLaw, FiniteLaw, ProductLaw, RandomizedResponseLaw
from metricdp.laws.row_samples import row_samples
from metricdp.noise import SeededSource
from metricdp.run.draws import perform

_FINITE = FiniteLaw | EnclosedLaw | RandomizedResponseLaw
#: Outcome -> what the program gets.
Shown = Callable[[Any], Any]


class Touched(Exception):
    """A stand-in was used, or something was asked for that has no law."""


class Fork:
    """A place where paths part: its law, the outcome that was taken; hidden: never released."""

    __slots__ = ("hidden", "law", "outcomes", "place")

    def __init__(self, law: Any, outcomes: Sequence[Any], hidden: bool) -> None:
        self.law, self.outcomes, self.hidden = law, outcomes, hidden
        self.place = 0

    @property
    def outcome(self) -> Any:
        """The outcome that was taken."""
        return self.outcomes[self.place]


class Paths:
    """The handler of runs along all paths of choices, depth first.

    Attributes:
        refused: why the release has no law, once that is known.
        strict: asking for the type of a stand-in is a use of it; checked code does not ask.
    """

    test_only = True

    def __init__(self, most: int, name: str) -> None:
        self.most, self.name, self.strict = most, name, False
        self.path: list[Fork] = []
        self.refused: ParameterError | None = None
        self._reached = self._count = self._drawn = 0
        self._laws: dict[tuple[Any, ...], Any] = {}

    @property
    def source(self) -> Samples:
        """What samples of rows are drawn from."""
        return Samples(self)

    def runs(self) -> Iterator[list[Fork]]:
        """The choices of each path: run the program once per item, to its end."""
        while True:
            self._reached = self._drawn = 0
            self._count += 1
            if self._count > self.most:
                raise ParameterError(
                    f"the release has more than {self.most} paths of choices",
                    place=self.name,
                    remedy="ask for the law of a smaller program, or at fewer rows",
                )
            yield self.path
            while self.path and self.path[-1].place == len(self.path[-1].outcomes) - 1:
                self.path.pop()
            if not self.path:
                return
            self.path[-1].place += 1

    def refuse(self, fact: str, place: str, remedy: str) -> NoReturn:
        """Stop the run: the release has no law."""
        self.refused = self.refused or ParameterError(fact, place=place, remedy=remedy)
        raise Touched(fact)

    def handle(self, draw: Draw, value: Any) -> Any:
        """An outcome, or a stand-in for a number."""
        if draw.family.is_sure(draw):
            return perform(draw, value, SeededSource(0))  # no bit of it is drawn
        law = self._law(draw, value)
        if isinstance(law, _FINITE):
            outcomes: Any = law.support()
            return draw.family.shown(draw, value)(self.choose(law, outcomes))
        if isinstance(law, ProductLaw) and all(isinstance(part, _FINITE) for part in law.parts):
            entries: list[Any] = [(part, part.support()) for part in law.parts]
            return [self.choose(part, outcomes) for part, outcomes in entries]
        return pending(law, self, draw)

    def _law(self, draw: Draw, value: Any) -> Any:
        self._drawn += 1
        key = (self._drawn, *(choice.place for choice in self.path[: self._reached]))
        if key not in self._laws:
            try:
                self._laws[key] = draw.family.law(draw, value)
            except MetricdpError as error:
                self.refuse(error.fact, f"{draw.mechanism} at {draw.site}", error.remedy)
        return self._laws[key]

    def choose(self, law: Any, outcomes: Sequence[Any], hidden: bool = False) -> Any:
        """The outcome of this path at the choice that is reached."""
        if self._reached == len(self.path):
            self.path.append(Fork(law, outcomes, hidden))
        self._reached += 1
        return self.path[self._reached - 1].outcome


class Samples:
    """The samples of rows on each path; every other use of random bits is refused."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths

    def positions(self, scheme: str, number: Fraction, parts: Sequence[Any]) -> list[int]:
        """The rows of this path."""
        paths = self._paths
        try:
            law = FiniteLaw(dict(row_samples(scheme, number, len(parts[0]), paths.name)))
        except ParameterError as error:
            paths.refuse(error.fact, "sample", error.remedy)
        return list(paths.choose(law, law.support(), hidden=True))

    def __getattr__(self, name: str) -> Any:
        self._paths.refuse(
            "a random number of rounds has no law here",
            "private_selection",
            "maps.best_of of a measurement with finitely many outcomes has one",
        )


def pending(law: Any, paths: Paths, draw: Draw) -> Pending:
    """The stand-in for a draw: of several numbers, a sequence of stand-ins."""
    if isinstance(law, ProductLaw):
        return Several(law, paths, draw)
    return Pending(law, paths, draw)


class Pending:
    """A number, or a dictionary, that is released as it is: nothing may be done with it."""

    __slots__ = ("_draw", "_law", "_paths")

    def __init__(self, law: Any, paths: Paths, draw: Draw) -> None:
        self._law, self._paths, self._draw = law, paths, draw

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return _touch(self) if self._paths.strict else type(self)

    def __getattr__(self, name: str) -> Any:
        return _touch(self)

    def __hash__(self) -> int:
        return _touch(self)


class Several(Pending):
    """Several numbers of one draw, each of which may be released by itself."""

    __slots__ = ("_items",)

    def __init__(self, law: ProductLaw, paths: Paths, draw: Draw) -> None:
        super().__init__(law, paths, draw)
        self._items = [pending(part, paths, draw) for part in law.parts]

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Pending]:
        return iter(self._items)

    def __getitem__(self, index: Any) -> Any:
        return self._items[index] if type(index) is int else _touch(self)


def law_of(value: Any) -> Any:
    """The law of a stand-in; None for any other value."""
    return object.__getattribute__(value, "_law") if isinstance(value, Pending) else None


def _touch(value: Any, *_: Any, **__: Any) -> NoReturn:
    draw = object.__getattribute__(value, "_draw")
    kind = type(object.__getattribute__(value, "_law")).__name__
    paths: Paths = object.__getattribute__(value, "_paths")
    paths.refuse(
        f"the program uses the value of {draw.mechanism}, and its {kind} has infinitely many "
        "outcomes",
        f"{draw.mechanism} at {draw.site}",
        "release the number as it is, and ask for the law of post-processing with threshold, "
        "clamp or binned",
    )


_OPERATIONS = (
    "add sub mul truediv floordiv mod divmod pow matmul and or xor lshift rshift radd rsub rmul "
    "rtruediv rfloordiv rmod rdivmod rpow rmatmul rand ror rxor rlshift rrshift neg pos abs invert "
    "lt le gt ge eq ne bool int float complex index round floor ceil trunc str repr format bytes "
    "contains copy deepcopy reduce reduce_ex array array_ufunc array_function reversed"
)
for _name in _OPERATIONS.split():
    setattr(Pending, f"__{_name}__", _touch)
# Of a single number these are uses, too; of several they read one.
for _name in ("len", "iter", "getitem"):
    setattr(Pending, f"__{_name}__", _touch)
