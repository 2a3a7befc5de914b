"""Columns of moments, as libraries mark them that know a zone of a column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec


class Instants(msgspec.Struct, frozen=True):
    """NumPy's dates in UTC, of a column whose type names a zone, which one does not matter.

    It is no array, and nothing makes one of it, so that its clock is asked for or it is refused.

    Attributes:
        values: an array of dates; NaT where a row is missing.
        told: the type of the column, for messages.
    """

    values: Any
    told: str

    @property
    def dtype(self) -> Any:
        return self.values.dtype

    @property
    def ndim(self) -> int:
        return int(self.values.ndim)

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, rows: Any) -> Instants:
        return Instants(self.values[rows], self.told)


def end_to_end(parts: Sequence[Instants]) -> Instants:
    """Columns of instants, one after the other."""
    import numpy as np

    return Instants(np.concatenate([part.values for part in parts]), parts[0].told)
