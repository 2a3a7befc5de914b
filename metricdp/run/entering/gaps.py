"""A column of which some rows are missing, as other libraries mark them; columns put together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from metricdp.columns.texts import Texts
from metricdp.run.entering import instants


class Gaps(msgspec.Struct, frozen=True):
    """Values, and which of them are there.

    Attributes:
        values: array or texts with one entry per row; any value of the kind where it is missing.
        there: a truth value per row.
    """

    values: Any
    there: Any

    def __len__(self) -> int:
        return len(self.there)


def with_gaps(values: Any, there: Any) -> Any:
    """The values alone where none is missing."""
    return values if there.all() else Gaps(values, there)


def coded(different: Any, codes: Any) -> Any:
    """A column of positions among different values.

    Args:
        different: texts in a list, or an array, either perhaps with gaps.
        codes: an array of our own, which nobody else writes to; -1 where a row is missing.

    Returns:
        None where a code is the position of no value.
    """
    import numpy as np

    if len(codes) and not -1 <= int(codes.min()) <= int(codes.max()) < len(different):
        return None
    there = codes >= 0
    if not there.any():
        return [None] * len(codes)
    # Arithmetic on codes, with those of another column, would not fit in bytes.
    wide = np.promote_types(codes.dtype, np.int32)
    positions = np.where(there, codes, 0).astype(wide, copy=False)
    if isinstance(different, Gaps):
        there = there & different.there[positions]
        different = different.values
    if isinstance(different, Texts):
        different = different.tolist()
    if isinstance(different, list):
        return with_gaps(Texts(positions, different), there)
    return with_gaps(different[positions], there)


def end_to_end(parts: Sequence[Any]) -> Any:
    """Columns of one kind, one after the other.

    Args:
        parts: at least one; lists, arrays, texts, or either of these with gaps.
    """
    import numpy as np

    from metricdp.columns.chunked import joined

    if len(parts) == 1:
        return parts[0]
    if any(isinstance(part, list) for part in parts):
        return [cell for part in parts for cell in as_list(part)]
    if any(isinstance(part, Gaps) for part in parts):
        there = [p.there if isinstance(p, Gaps) else np.ones(len(p), np.bool_) for p in parts]
        values = [p.values if isinstance(p, Gaps) else p for p in parts]
        return with_gaps(end_to_end(values), np.concatenate(there))
    if all(isinstance(part, instants.Instants) for part in parts):
        return instants.end_to_end(parts)
    if not any(isinstance(part, Texts) for part in parts):
        return joined(parts)
    known: dict[Any, int] = {}
    codes = [part.placed(known) for part in parts]
    return Texts(np.concatenate(codes), list(known))


def as_list(part: Any) -> list[Any]:
    """A column as a list, None where it is missing."""
    if isinstance(part, list):
        return part
    if not isinstance(part, Gaps):
        return list(part.tolist())
    values = as_list(part.values)
    return [x if kept else None for x, kept in zip(values, part.there.tolist(), strict=True)]
