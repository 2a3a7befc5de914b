"""What is accounted for: events at numbers, the steps they are made of, and sampling schemes.

A neighbouring relation says which two data sets a guarantee is about.  One unit of it, in words:
- "add": the second data set has one row more; "remove": one row less; the guarantee bounds
  P(M(x) in E) <= e^eps P(M(x') in E) + delta for x the first and x' the second.
- "add or remove": both; the larger of the two curves.
- "replace": one row has another value; the number of rows is public.
- "zero out": one row contributes nothing any more, as if it were absent, while the number of rows
  stays public; both directions.
They are different statements: a replacement is a removal and an addition, so its cost is larger,
and a number for one says nothing about another until a theorem joins them.

An event is a description that a whole class of mechanisms meets; it answers its loss laws and its
Renyi curves in one direction.  `Pieces.upper` are loss laws that dominate every mechanism of the
class, so what they give is a guarantee; `Pieces.lower` are loss laws that some mechanism of the
class has on some pair of data sets, so no proof that knows only the events can give less.  Where
both are the same laws the answer of an engine is two-sided.

Composition is adaptive: the profile of adaptively composed mechanisms is at most that of the
product of dominating pairs, direction by direction (Zhu, Dong, Wang 2022, Theorem 10); the
directions are compared after composing, never inside.

A step is what is left of either tree, that of public events and that of a checked program, once
relation, movements and numbers are known: rounds of a curve, on all of the data or on a sample.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, get_args

import msgspec

from metricdp.errors import ParameterError
from metricdp.expr import Expr, num
from metricdp.spaces.metrics import Adjacency

if TYPE_CHECKING:
    from metricdp.accounting.costs import Approx, Number
    from metricdp.accounting.losses.loss import Loss, Parts
    from metricdp.accounting.renyi import Curve

Relation = Literal["add", "remove", "add or remove", "replace", "zero out"]
#: The relations in which rows differ; a direction says which of the two data sets comes first.
Kind = Literal["add or remove", "replace", "zero out"]

UNIT: dict[Relation, str] = {
    "add": "one row added",
    "remove": "one row removed",
    "add or remove": "one row added or removed",
    "replace": "one row replaced",
    "zero out": "one row zeroed out",
}


class RelationError(ParameterError):
    """An event under a neighbouring relation for which no theorem is known, or none is used here.

    There is no fallback: a number for another relation would be a number about other data sets.
    """


class Case(msgspec.Struct, frozen=True):
    """One direction of a relation, between data sets that differ in `units` rows.

    Attributes:
        kind: how they differ.
        forward: the first data set has the rows and the second lacks them ("replace": holds the
            rows of the one side).
        units: how many rows differ; >= 1.
    """

    kind: Kind
    forward: bool = True
    units: int = 1


def relation(value: Any) -> Relation:
    """The relation of this name ("add-or-remove" and "zero_out" are accepted spellings).

    Raises:
        ParameterError: no relation; there is no default.
    """
    name = " ".join(str(value).replace("-", " ").replace("_", " ").split()).lower()
    known: Sequence[Relation] = get_args(Relation)
    for each in known:
        if each == name:
            return each
    listed = ", ".join(f'"{each}"' for each in known)
    raise ParameterError(
        f"{value!r} is no neighbouring relation", place="relation", remedy=f"choose one of {listed}"
    )


def cases(which: Relation) -> tuple[Case, ...]:
    """The directions whose largest curve is the relation's."""
    if which == "add":
        return (Case("add or remove", False),)
    if which == "remove":
        return (Case("add or remove", True),)
    return Case(which, True), Case(which, False)


class Pieces(msgspec.Struct, frozen=True):
    """One round of an event in one direction.

    Attributes:
        upper: (loss law, count) that dominate it together; None: none is known, only curves.
        lower: (loss law, count) that some mechanism of this description has; () is always right.
        gap: total variation by which the mechanism may differ from the one of the laws, on each of
            the two data sets.
    """

    upper: Parts | None
    lower: Parts
    gap: Fraction = Fraction(0)


#: Something that reads no private data.
FREE = Pieces((), ())


def exactly(*losses: Loss) -> Pieces:
    """Pieces whose loss laws are attained."""
    parts = tuple((loss, 1) for loss in losses)
    return Pieces(parts, parts)


class AccountedEvent(msgspec.Struct, frozen=True):
    """A description of a mechanism; see the module."""

    def pieces(self, case: Case) -> Pieces:
        """Loss laws of one round.  RelationError: no theorem under this relation."""
        raise NotImplementedError

    def steps(self, case: Case) -> tuple[AccountedStep, ...]:
        """Renyi curves of one round, for cheap bounds; NoCurve where none is known."""
        raise NotImplementedError

    @property
    def place(self) -> str:
        """Name in messages."""
        return type(self).__name__


class Scheme(msgspec.Struct, frozen=True):
    """How a secret sample of the rows is drawn, afresh; its fields are expressions.

    Each scheme answers what it does to a cost (`amplified`, an expression), to a Renyi curve
    (`curve`) and to loss laws (`pieces`).

    Attributes:
        name: of the scheme, in messages and where samples are drawn.
        words: "sampling ..." in a derivation.
        base: the adjacency of samples under which what reads them must be stated.
        coupled: whether samples of neighbours can be drawn together so that one row differs.
    """

    name: ClassVar[str]
    words: ClassVar[str]
    base: ClassVar[Adjacency]
    coupled: ClassVar[bool] = True

    @property
    def place(self) -> str:
        """Name in messages."""
        return self.name

    def at(self, numbers: Mapping[str, int | Fraction | float]) -> Self:
        """The scheme with its public names replaced by their values.

        Raises:
            ExpressionError: a name without a value.
            ParameterError: a parameter of the scheme that is no rational number.
        """
        found: dict[str, Expr] = {}
        for name in self.__struct_fields__:
            value = getattr(self, name).exact(numbers)
            if value is None:
                raise ParameterError(f"{getattr(self, name)} is no rational number", place="sample")
            found[name] = num(value)
        return msgspec.structs.replace(self, **found)

    def require(self, adjacency: Adjacency) -> None:
        """SpaceError where the scheme has no theorem under this adjacency."""
        raise NotImplementedError

    def amplified(
        self,
        adjacency: Adjacency,
        epsilon: Number,
        delta: Number,
        replaced: tuple[Number, Number] | None = None,
    ) -> Approx:
        """(epsilon, delta) of the mechanism on the sample, for one unit of distance of the data.

        Args:
            adjacency: what one unit of distance of the whole data is.
            epsilon: of what reads the sample, for one row of it under `base`.
            delta: likewise.
            replaced: (epsilon, delta) of what reads the sample when one of its rows is replaced,
                where that is known to be less than two steps under `base`.

        Raises:
            SpaceError: the scheme has no theorem under this adjacency.
        """
        raise NotImplementedError

    @property
    def drawn(self) -> Expr | None:
        """How many rows the sample has, where that is public."""
        return None

    def moved_rows(self, adjacency: Adjacency) -> Expr:
        """In how many rows coupled samples of data at distance 1 differ, at most."""
        raise NotImplementedError

    def share(self) -> Fraction:
        """The expected share of the rows that is drawn.  ParameterError: it is outside [0, 1]."""
        raise NotImplementedError

    def takes_all(self, adjacency: Adjacency) -> bool:
        """Whether a sample of every row is the data themselves, as far as one unit moves them."""
        raise NotImplementedError

    def curve(
        self,
        base: Curve,
        adjacency: Adjacency,
        allowed: Fraction,
        units: int,
        replaced: Curve | None = None,
    ) -> tuple[Curve, Fraction] | None:
        """(curve, leak) on all of the data where the sampled base has a curve of its own.

        Args:
            base: for one row of the sample.
            allowed: the most delta to give away.
            units: by how many rows the data differ.
            replaced: for one row of the sample that is replaced, where that is known to be less
                than two steps under `base`.
        """
        raise NotImplementedError

    def pieces(self, reads: AccountedEvent, case: Case) -> Pieces:
        """Loss laws of what reads the sample, on all of the data.

        Raises:
            RelationError: no theorem under this relation, or for this reader.
        """
        raise NotImplementedError


class AccountedStep(msgspec.Struct, frozen=True):
    """`count` rounds of one mechanism.

    Attributes:
        curve: Renyi curve; see `accounting.renyi`.
        count: rounds, >= 0.
        leak: delta of each round beside the curve: the probability of an open failure.
        scheme: how rows are sampled afresh in each round; the curve is then that of the mechanism
            on the sample, for one row of it.
        pair: an (epsilon, delta) that one round is known to have beside its curve (a calibrated
            Gaussian); used by basic composition.
        adjacency: of the sampled rows; "": the one that the accountant is told.
        units: by how many rows the sampled data differ; >= 1.
        far: (curve, leak) of one round when the samples differ in as many rows as coupled samples
            of the data may; it holds without any amplification.
        beside: steps of the same round on the unsampled data, read by the very events that read
            the sample; the two are then no separate steps.
        options: one of these happens, chosen by public or released values, in place of the curve.
        replaced: (curve, leak) of one round when one row of its sample is replaced, where rows of
            the sample are otherwise added or removed.
    """

    curve: Curve
    count: int = 1
    leak: Fraction = Fraction(0)
    scheme: Scheme | None = None
    pair: tuple[Fraction, Fraction] | None = None
    adjacency: Adjacency | None = None
    units: int = 1
    far: tuple[Curve, Fraction] | None = None
    beside: tuple[AccountedStep, ...] = ()
    options: tuple[tuple[AccountedStep, ...], ...] = ()
    replaced: tuple[Curve, Fraction] | None = None

    @property
    def whole(self) -> bool:
        """Whether the curve and the leak say everything: no sampling is left to be paid."""
        return self.scheme is None and not self.options

    def losses(self, adjacency: Adjacency | None, forward: bool) -> Parts | None:
        """Loss laws of all rounds in one direction, or None; the leak of a step without a sample
        is left out.

        Args:
            adjacency: what one unit of distance is, where the step does not say it.
            forward: whether the first data set has the row that the second one lacks.
        """
        if self.options or self.beside:
            return None
        found: Parts | None
        if self.scheme is None:
            found = self.curve.losses()
        else:
            known = self.adjacency or adjacency
            if self.leak or known is None:
                return None
            other = self.replaced
            swapped = None if other is None or other[1] else other[0]
            reads = SampleReader(self.curve, self.scheme.base, swapped)
            try:
                found = self.scheme.pieces(reads, Case(known, forward, self.units)).upper
            except ParameterError:
                return None  # no theorem for the sampler, or for all that reads one sample
        return None if found is None else tuple((loss, n * self.count) for loss, n in found)


class SampleReader(AccountedEvent, frozen=True):
    """What reads a sample, known by its curve.

    Attributes:
        curve: for one unit of `base` on the sample.
        base: one row of the sample added or removed, or replaced.
        replaced: its curve for one row replaced, where that is less than two steps.
    """

    curve: Curve
    base: Adjacency
    replaced: Curve | None = None

    def pieces(self, case: Case) -> Pieces:
        """RelationError is never raised: a replacement is a removal and an addition."""
        twice = self.base == "add or remove" and case.kind == "replace"
        return Pieces(self.curve.losses(case.units * (2 if twice else 1)), ())

    def steps(self, case: Case) -> tuple[AccountedStep, ...]:
        """The curve, at one unit of `base`."""
        return (AccountedStep(self.curve),)


class SampledEvent(AccountedEvent, frozen=True):
    """An event that reads a secret, fresh random sample; its field `event` reads the sample."""


class NoCurve(Exception):
    """An event for which no Renyi curve is kept; the cheap bounds then do not exist."""


def refuse(event: AccountedEvent | Scheme, case: Case, reason: str, remedy: str) -> RelationError:
    """The error that no theorem covers the event under this relation."""
    unit = UNIT[case.kind]
    return RelationError(f'no theorem for "{unit}": {reason}', place=event.place, remedy=remedy)


CONTRIBUTION, REPLACE = "contribution", "replace"


class PathEvent(AccountedEvent, frozen=True):
    """An event with a cost per step; the field `per` says what one step is.

    per="contribution" (the default): one row added, removed or zeroed out; a replaced row is two
    steps, out and in.  per="replace": one row replaced; nothing is then known about data sets with
    another number of rows.
    """

    def __post_init__(self) -> None:
        if self._of("per") not in (CONTRIBUTION, REPLACE):
            raise ParameterError(
                f"per is {self._of('per')!r}",
                place=self.place,
                remedy='choose "contribution" (one row added, removed or zeroed out) or "replace"',
            )

    def _of(self, name: str) -> Any:
        return getattr(self, name)

    def _put(self, name: str, value: Any) -> None:
        msgspec.structs.force_setattr(self, name, value)

    def length(self, case: Case) -> int:
        """Number of steps between the two data sets.

        Raises:
            RelationError: the step is a replacement and the data sets differ otherwise.
        """
        if self._of("per") == REPLACE:
            if case.kind != "replace":
                raise refuse(
                    self, case, "its cost is stated for one replaced row",
                    'ask for relation="replace", or state the cost of one row added or removed',
                )  # fmt: skip
            return case.units
        return case.units * (2 if case.kind == "replace" else 1)
