"""What engines would be asked by a run of a checked program: its SQL, before any row is read.

The program runs as it was checked, on tables of which only the declared columns are known, on
engines that answer as if there were no rows, with noise that nobody sees.  So the texts hold what
is public: columns, keys, edges and bounds that the program or its caller wrote.  What depends on
rows (private keys, the different texts of which Python computes something, the next step of a
search among values) or on released numbers is shown as a table without rows would have it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from html import escape
from typing import Any

import msgspec

from metricdp.engines.foreseen import Foreseen, foreseeing
from metricdp.engines.opened import OpenTable
from metricdp.engines.sketched import ENGINES, sketches
from metricdp.engines.sources import rehearsing
from metricdp.errors import EngineError, ParameterError
from metricdp.run.cells import kind_of
from metricdp.run.emit import Seeded, handling
from metricdp.spaces import Maybe, Moment, Owned, Records, Row, Scalar, Space


class AskedText(msgspec.Struct, frozen=True):
    """What one engine would be asked.

    Attributes:
        engine: its name.
        statements: in SQL, in their order.
        refused: what has no form there, in words; "" where everything has one.  Then a run is
            refused before the first statement, unless it is given `dp.table(..., collect=True)`.
    """

    engine: str
    statements: tuple[str, ...]
    refused: str = ""


class ExplainedPlan(msgspec.Struct, frozen=True):
    """A checked program on tables: what is proved, and what engines would be asked.

    Attributes:
        function: its name.
        guarantee: the derivation of how far one unit moves every value, as text.
        asked: one for each engine.
        noise: of every kind of draw that a table without rows meets, in words.
    """

    function: str
    guarantee: str
    asked: tuple[AskedText, ...]
    noise: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [self.guarantee]
        lines += ["", "noise", *(f"   {each}" for each in self.noise)] if self.noise else []
        for each in self.asked:
            lines += ["", f"{each.engine} is asked (shortened; `asked` has all of it):"]
            if each.refused:
                lines[-1] = f"{each.engine} refuses it before anything is spent: {each.refused}"
                continue
            for statement in each.statements:
                lines += [*(f"   {line}" for line in shortened(statement)), ""]
            lines.pop()
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def explained(
    name: str,
    guarantee: str,
    spaces: Mapping[str, Space],
    bound: Callable[[Mapping[str, Any]], Callable[[], Any]],
) -> ExplainedPlan:
    """What is proved of a program, and what engines would be asked.

    Args:
        guarantee: as text.
        spaces: of the private parameters.
        bound: tables for these -> what runs the program on them.

    Raises:
        ParameterError: a private parameter that is no table of columns, or see `bound`.
    """
    for each, space in spaces.items():
        if not isinstance(space, Records | Owned):
            raise ParameterError(
                f"{each} lies in {space}, and only tables of rows lie on an engine",
                place=name,
                remedy="explain programs over dp.Records",
            )
    asked = tuple(_asked(engine, spaces, bound) for engine in ENGINES)
    return ExplainedPlan(name, guarantee, asked, _noise(bound(dict.fromkeys(spaces, ()))))


def _noise(run: Callable[[], Any]) -> tuple[str, ...]:
    """The draws of a run without rows, in words: the law of each depends on no row."""
    with handling(Seeded(0)):
        try:
            draws = getattr(run(), "draws", ())
        except Exception:
            return ()  # as in `_asked`
    laws = Counter((d.mechanism, float(d.noise_scale), d.half_width()) for d in draws)
    return tuple(
        f"{_times(many)}{name}, scale {scale:.6g}"
        + ("" if width is None else f": ± {float(width):.6g} (95%)")
        for (name, scale, width), many in laws.items()
    )


def _times(many: int) -> str:
    return "" if many == 1 else f"{many} times "


def _asked(
    engine: str,
    spaces: Mapping[str, Space],
    bound: Callable[[Mapping[str, Any]], Callable[[], Any]],
) -> AskedText:
    statements: list[str] = []
    refused = ""
    kinds = {name: _kinds(name, space) for name, space in spaces.items()}
    foreseen = Foreseen()
    # A run asks together what its rehearsal heard: so this is a rehearsal, and then one more.
    for hearing in (True, False):
        statements.clear()
        made = sketches(engine, kinds, statements)
        run = bound(dict(zip(kinds, map(OpenTable, made), strict=True)))
        with rehearsing(), foreseeing(foreseen, hearing), handling(Seeded(0)):
            try:
                run()
            except EngineError as error:
                refused = error.fact
            except Exception:
                # Of numbers that are none of the data: a run may go on where this does not.
                break
    return AskedText(engine, tuple(dict.fromkeys(statements)), refused)


def _kinds(table: str, space: Space) -> dict[str, str]:
    """Name of a column -> kind of its field.

    Raises:
        ParameterError: a field that no column holds.
    """
    assert isinstance(space, Records | Owned)
    row = space.row
    names, fields = (row.names, row.fields) if isinstance(row, Row) else (("value",), (row,))
    return {
        name: _kind(f"{table}.{name}", field) for name, field in zip(names, fields, strict=True)
    }


def _kind(place: str, field: Space) -> str:
    inner = field.inner if isinstance(field, Maybe) else field
    found = ""
    if isinstance(inner, Moment):
        found = "instant" if inner.zone else inner.kind
    elif isinstance(inner, Scalar):
        found = kind_of(inner.element, inner.kind)
    if not found:
        raise ParameterError(
            f"a field in {field}, which no column of an engine holds",
            place=place,
            remedy="declare it as int, float, bool, str, date or datetime",
        )
    return found


#: A text or a name in quotes, a bracket, or what begins a clause.
_PART = re.compile(
    r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`[^`]*`|[()]"
    r"| (?=(?:FROM|WHERE|GROUP BY|(?:LEFT|SEMI|ANTI) JOIN|HAVING|ORDER BY|UNION ALL|SELECT)\b)"
)
#: Queries inside of so many others are left out, and so is what is in brackets and longer than so
#: many characters, or behind so many in a line.
_DEEP, _LONG, _WIDE = 2, 30, 100


def shortened(statement: str) -> list[str]:
    """The lines of a statement as a person reads it, a clause each, with ... for what is long."""
    lines = _inside(statement, 0, 0)[0].split("\n")
    return [line if len(line) <= _WIDE else f"{line[:_WIDE]}..." for line in lines]


def _inside(text: str, start: int, depth: int) -> tuple[str, int]:
    """What stands up to the bracket that closes, shortened, and where that is."""
    parts, at = [], start
    while (found := _PART.search(text, at)) is not None:
        parts.append(text[at : found.start()])
        at = found.end()
        if found[0] == ")":
            return "".join(parts), at
        if found[0] == " ":
            parts.append("\n" + "   " * depth)
        elif found[0] == "(":
            query = text.startswith("SELECT", at)
            inner, at = _inside(text, at, depth + query)
            long = depth >= _DEEP if query else len(inner) > _LONG
            parts.append("(...)" if long else f"({inner})")
        else:
            parts.append(found[0])
    return "".join([*parts, text[at:]]), len(text)
