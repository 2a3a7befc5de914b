"""Draws of this package on a tape: every one goes through `emit`, and this answers them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cached_property
from pathlib import Path as FilePath
from typing import Any

from metricdp.audit.replaying.paths import Path
from metricdp.audit.replaying.tape import Asked, Entry, Tape
from metricdp.audit.values import plain
from metricdp.families.family import Draw

PACKAGE = str(FilePath(__file__).resolve().parents[2])
_SITE_PACKAGES = "site-packages"


class Taping:
    """The handler of a run that is recorded, or that follows a tape."""

    test_only = True

    def __init__(self, tape: Tape, path: Path, place: Callable[[Draw], str] | None = None) -> None:
        self.tape, self.path, self._place = tape, path, place

    @cached_property
    def source(self) -> Any:
        """The bits of samples of rows and of secret rounds: the same in both runs."""
        from metricdp.audit.replaying.rows import Rows

        return Rows(self.tape, self.path)

    def handle(self, draw: Draw, value: Any) -> Any:
        """The output of one draw."""
        site = where() if self._place is None else self._place(draw)
        known = spelt(value)
        public = {"scale": draw.scale, **draw.extra, **draw.family.public_shape(known)}
        asked = Asked(site, draw.mechanism, public, family=draw.family)
        entry = Entry(asked, draw.norm, draw, known)
        position = len(self.tape.entries)
        earlier = self.tape.add(entry)
        if earlier is None:
            entry.output = self.path.answer(draw, value, position)
        else:
            entry.output = earlier.output
        return entry.output


def spelt(value: Any) -> Any:
    """A private value as lists, tuples and exact numbers; packed arrays, too."""
    if isinstance(value, str) or not hasattr(value, "__len__"):
        return plain(value)
    if hasattr(value, "items"):
        return {key: spelt(each) for key, each in value.items()}
    items = [spelt(each) for each in value]
    return tuple(items) if isinstance(value, tuple) else items


def where() -> str:
    """ "file:line" of the innermost code outside of this package and of installed ones."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        foreign = _SITE_PACKAGES in name or name.startswith((PACKAGE, "<frozen"))
        if not foreign:
            return f"{FilePath(name).name}:{frame.f_lineno}"
        frame = frame.f_back
    return ""
