"""Amplification with the sampler inside: the measurement draws its own secret sample of the rows.

A bound that trusts the caller to have sampled is no bound: here the rows that the base measurement
sees are drawn afresh in each call, by the scheme and with the numbers that are charged, and nothing
about the sample is released.  Theorems are those of `measures.sampling`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import msgspec

from metricdp.errors import ParameterError, ReplayError, SpaceError
from metricdp.expr import num
from metricdp.maps.chaining import law_at
from metricdp.maps.costs import SOURCE, Readings, renamed
from metricdp.maps.distances import typed
from metricdp.maps.functions import Enter, Leave
from metricdp.maps.measurement import Measurement
from metricdp.maps.steps import PROVED, MapStep, Reliance, Vouched
from metricdp.measures.events import Sampled
from metricdp.measures.sampling import (
    MOST_DRAWS,
    PoissonSampling,
    SamplingWithoutReplacement,
    SamplingWithReplacement,
)
from metricdp.plain import scalar
from metricdp.spaces import Records
from metricdp.spaces.records import adjacency

#: The source of movement in the base: one row of the sample.
ROW = "row of the sample"


def sampled(
    measurement: Measurement,
    *,
    rate: int | float | Fraction | None = None,
    size: int | None = None,
    rows: int | None = None,
    replace: bool = False,
) -> Measurement:
    """The measurement on a secret random sample of the rows.

    Args:
        measurement: of tables; of rows added or removed for `rate`, of a public number of rows
            replaced for `size`; with a composition tree.
        rate: every row is taken with this probability, independently (Poisson).
        size: a uniform sample of so many of the `rows` rows; the base's number of rows.
        rows: how many rows the data have, with `size`.
        replace: whether rows are drawn with replacement.

    Returns:
        A measurement of tables of all rows: under the base's metric; with `rows` rows for `size`.

    Raises:
        ParameterError: not one of `rate` and `size`, a rate outside [0, 1], sizes that do not fit.
        SpaceError: a base that is not of tables under a metric that the scheme has a theorem for.
    """
    space = measurement.input_space
    if not isinstance(space, Records) or measurement.tree is None:
        raise SpaceError(
            f"`{measurement.name}` on {space.describe()} does not read rows by a known rule",
            place="sampled",
            remedy="sample the rows of a chain from Records to a release",
        )
    if (rate is None) == (size is None):
        raise ParameterError("a rate or a size", place="sampled", remedy="sampled(m, rate=0.01)")
    scheme: Any
    whole = space
    size, rows, replace = scalar(size), scalar(rows), bool(replace)
    if rate is not None:
        share = typed(rate, "rate")
        if share > 1 or rows is not None or replace:
            raise ParameterError(
                f"every row is taken with probability {rate}", place="rate",
                remedy="choose 0 <= rate <= 1, alone",
            )  # fmt: skip
        if space.sized:
            raise SpaceError(
                f"a Poisson sample has a private number of rows, and {measurement.name} takes "
                f"{space.describe()}",
                place="sampled",
                remedy="build the base on rows added or removed, or give size= and rows=",
            )
        scheme, number = PoissonSampling(num(share)), Fraction(share)
    else:
        assert size is not None
        if not space.sized or space.size is None or space.size.as_fraction() != size:
            raise SpaceError(
                f"the sample has {size} rows, and {measurement.name} takes {space.describe()}",
                place="sampled",
                remedy="build the base on ChangeOne tables with that number of rows",
            )
        most = MOST_DRAWS if replace else rows
        if rows is None or size < 0 or rows < 1 or size > most:
            raise ParameterError(
                f"{size} of {rows} rows", place="sampled", remedy="sampled(m, size=10, rows=1000)"
            )
        kind = SamplingWithReplacement if replace else SamplingWithoutReplacement
        scheme, number = kind(num(size), num(rows)), Fraction(size)
        whole = msgspec.structs.replace(space, size=num(rows))
    body, row = renamed(measurement.tree, SOURCE, ROW)
    tree = Sampled(body, row, SOURCE, scheme, adjacency(whole))
    function = OnSample(scheme.name, number, measurement)
    name = f"sampled({measurement.name})"
    step = MapStep(
        name, whole, None, costs=Readings(tree),
        reason="only a secret sample of the rows is read, drawn afresh in each call",
        rests_on=(*measurement.rests_on, Reliance(PROVED, "sampling with the sampler inside")),
    )  # fmt: skip
    return Measurement(
        whole, function, name=name, tree=tree, steps=Vouched((step,)), enter=Enter(whole)
    )


class OnSample(msgspec.Struct, frozen=True):
    """A measurement on rows that are drawn afresh."""

    scheme: str
    number: Fraction
    measurement: Measurement

    def __call__(self, rows: Any) -> Any:
        from metricdp.run.emit import current_handler
        from metricdp.run.sampling import positions, taken

        source = getattr(current_handler(), "source", None)
        if source is None:
            raise ReplayError("a replay draws no samples", place=self.measurement.name)
        chosen = taken(rows, positions(self.scheme, self.number, len(rows), source))
        return self.measurement.function(self._read(chosen))

    def law(self, rows: Any) -> Any:
        """The mixture of the laws on all samples; see `laws.row_samples`.

        Raises:
            ParameterError: more samples than are listed.
        """
        from metricdp.laws.row_samples import sampled_law
        from metricdp.run.sampling import taken

        base = self.measurement

        def law(chosen: tuple[int, ...]) -> Any:
            return law_at(base.function, self._read(taken(rows, list(chosen))), base.name)

        # Tables without an order give one law whatever the order of the sample.
        space = base.input_space
        ordered = not isinstance(space, Records) or space.row_metric.ordered
        name = f"sampled({base.name})"
        return sampled_law(law, self.scheme, self.number, len(rows), name, ordered)

    def _read(self, rows: Any) -> Any:
        """The rows as the measurement's function takes them."""
        base = self.measurement
        return rows if base.enter is not None else Leave(base.input_space)(rows)
