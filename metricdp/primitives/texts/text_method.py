"""text_method: a method of a private text with public arguments, `t.lower()`, `t.startswith("a")`.

Stability.  Texts that differ are at distance 1, and what the method gives lies in a discrete space,
or is a truth value: 1.  Given what it takes, a method of `columns.characters.METHODS` has a value
for every text; given anything else, the value of a search that finds nothing.
Tight: two texts of which the method makes something else.
Source: any function from a discrete space into one is 1-stable.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.columns.characters import METHODS, SPLITTING, method, pieces
from metricdp.columns.language import text
from metricdp.columns.words import TextPieces
from metricdp.primitives._common import given
from metricdp.primitives.texts._texts import MOVES, TEXT, is_text, known_wrong, result_of
from metricdp.record import Arg, Conclusion, Instance, Witness, refuse
from metricdp.spaces.texts import Cells

example = "towns: dp.Records[str] = ['Rome', 'Lima']; [t.lower() for t in towns]"

#: What values are that a method takes -> their types.
_TYPES: dict[str, tuple[type, ...]] = {
    "a text": (str,),
    "a text or None": (str,),
    "a text or a tuple of texts": (str, tuple),
    "a whole number or None": (int,),
    "a whole number": (int,),
}
_NOTHING = Arg()


def rule(
    x: Arg, name: Arg, first: Arg = _NOTHING, second: Arg = _NOTHING, third: Arg = _NOTHING
) -> Conclusion:
    """A private text, the name of a method, and public values for it."""
    known = name.literal
    if not is_text(x) or not isinstance(known, str) or known not in (*METHODS, *SPLITTING):
        raise refuse(
            "unsupported-call",
            f"{x.text} is no private text, or `{known}` no method of texts that is known here",
            need="a private text, and a method that has a value for every text",
            help=f"one of {', '.join(sorted([*METHODS, *SPLITTING]))}",
        )
    kinds, least, sure = SPLITTING[known] if known in SPLITTING else (*METHODS[known][1:], 0)
    values = [value for value in (first, second, third) if given(value) or value.released]
    _taken(x.text, known, kinds, least, values)
    if known in METHODS:
        return Conclusion(result_of(METHODS[known][0], -1 if "find" in known else 0), {"x": MOVES})
    return Conclusion(Cells(sure if _separates(x, known, first) else 0), {"x": MOVES})


def _separates(x: Arg, name: str, first: Arg) -> bool:
    """Whether a separator is a text that is not empty."""
    if first.literal == "":
        raise refuse(
            "wrong-arguments",
            "the separator is empty",
            need="a separator",
            help=f'{x.text}.{name}(",")',
        )
    return isinstance(first.literal, str)


def _taken(text: str, name: str, kinds: tuple[str, ...], least: int, values: list[Arg]) -> None:
    """Raises:
    Refusal: a private value, or one that the method certainly does not take.
    """
    if not least <= len(values) <= len(kinds):
        raise refuse(
            "wrong-arguments",
            f"`.{name}` is given {len(values)} values",
            need=f"{least} to {len(kinds)} public values",
            help=_written(text, name, kinds[: max(least, 0)]),
        )
    for kind, value in zip(kinds, values, strict=False):
        if value.private:
            raise refuse(
                "private-argument",
                f"`.{name}` is given {value.text}, which is private",
                need=f"{kind} that is public",
                help=_written(text, name, kinds[: max(least, 1)]),
            )
        if known_wrong(value, *_TYPES[kind]):
            raise refuse(
                "wrong-arguments",
                f"`.{name}` is given {value.text}, where it takes {kind}",
                need=kind,
                help=_written(text, name, kinds[: max(least, 1)]),
            )


def _written(text: str, name: str, kinds: tuple[str, ...]) -> str:
    return f"{text}.{name}({', '.join('1' if 'number' in kind else repr('a') for kind in kinds)})"


def run(x: Any, name: Any, first: Any = ..., second: Any = ..., third: Any = ...) -> Any:
    """Python's own method, where it takes these values."""
    values = tuple(value for value in (first, second, third) if value is not ...)
    if name in SPLITTING:
        return tuple(pieces(x, name, *values))
    return method(x, name, *values)


def columnar(x: Any, name: Any, first: Any = ..., second: Any = ..., third: Any = ...) -> Any:
    """The same of the texts of a column, once for the different ones."""
    values = tuple(_plain(value) for value in (first, second, third) if value is not ...)
    return TextPieces(x, name, values) if name in SPLITTING else text(x, name, *values)


def _plain(value: Any) -> Any:
    """A public value that a method may take, or one that none takes."""
    if isinstance(value, tuple) and all(isinstance(each, str) for each in value):
        return value
    return value if value is None or isinstance(value, str | int | Fraction) else ()


def instances() -> Iterable[Instance]:
    for name in ("lower", "title", "strip", "isdigit", "isspace"):
        yield Instance({"x": TEXT}, {"name": name})
    for name in ("startswith", "removesuffix", "count", "rfind", "split", "partition"):
        yield Instance({"x": TEXT}, {"name": name, "first": "a"})
    yield Instance({"x": TEXT}, {"name": "replace", "first": "a", "second": "bc"})
    yield Instance({"x": TEXT}, {"name": "endswith", "first": ("a", "b"), "second": 0})
    yield Instance({"x": TEXT}, {"name": "split", "first": "a", "second": 1})
    yield Instance({"x": TEXT}, {"name": "split"})
    yield Instance({"x": TEXT}, {"name": "rsplit", "first": "b"})


_PAIRS = (("", "a"), ("a", "b"), ("1", "a"), (" ", "a"), ("xa", "x"), ("xb", "x"))


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Two texts of which the method makes something else."""
    if instance.tight == "unknown" or d > 1:
        return None
    for left, right in _PAIRS:
        if run(left, **instance.public) != run(right, **instance.public):
            return {"x": left}, {"x": right}
    return None
