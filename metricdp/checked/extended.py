"""Calls of mechanisms that draw by their own record: its private argument, and the rest by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from metricdp.run.draws import Draw
from metricdp.run.emit import Handler, emit
from metricdp.run.extended import split


def draw_by_record(draw: Draw, bound: Mapping[str, Any], handler: Handler) -> Any:
    """What the call returns.

    Args:
        draw: the noise that was proved for the call, its parameters in `extra`.
        bound: the arguments by name, as the program gave them; the noise counts before them.
    """
    private, extra = split(draw.mechanism, draw.extra, bound)
    return emit(msgspec.structs.replace(draw, extra=extra), bound[private], handler)
