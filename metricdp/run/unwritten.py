"""Whether dictionaries, functions and frozen objects were written to, as CPython keeps it itself.

Each write to a dictionary of CPython gives it a version that no dictionary had before (PEP 509).  A
function holds the addresses of its code and of its defaults, an object with slots those of what is
in them.  So a look at these words says whether what was compared before may be another now: to
compare some thousand names one by one took longer than all else that a small call does.

The words are read where they lie, by NumPy, as numbers; nothing is written, and every object that
is looked at, or whose address is, is kept alive, so that no other one comes to lie there.  Which
words they are is found out by writing to dictionaries and functions made for that; where one write
does not show as it should, and in interpreters that this was not tried with, there is no such look,
and who asks has to compare.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from types import FunctionType, MappingProxyType, ModuleType
from typing import Any, Final, NamedTuple

from metricdp.errors import InternalError

#: Versions of CPython that count writes so, as was tried in each.
_FIRST, _AFTER = (3, 11), (3, 14)
#: Bytes of a word; words of an object that are no field, and which of them is its class.
_WORD: Final = 8
_HEADER: Final = 2
_CLASS: Final = 1
#: The flag of classes whose objects have no other class, ever.
_IMMUTABLE: Final = 1 << 8
#: Words that an address of 64 bits can be of, as far as NumPy counts bytes.
_ADDRESSES: Final = 1 << 59


class _Layout(NamedTuple):
    """Where words stand in an object: the version of a dictionary, what a function holds, and in
    which order a class and its bases are asked."""

    version: int
    held: tuple[int, ...]
    lineage: int


class Unwritten:
    """Some objects, and what shows a write to one of them.

    Args:
        dictionaries: of modules, of classes (as `vars` gives them), and tables.
        functions: of which the code and the defaults count.
        slotted: objects without a dictionary, of which every slot counts, and the names of these;
            a table in a slot counts with what is in it.
        asked: of which the class counts.
        classes: of which their bases count.
    """

    def __init__(
        self,
        dictionaries: Iterable[Mapping[Any, Any]],
        functions: Sequence[FunctionType],
        slotted: Sequence[tuple[Any, Sequence[str]]] = (),
        asked: Iterable[Any] = (),
        classes: Sequence[type] = (),
    ) -> None:
        inside = [(f.__code__, f.__defaults__, f.__kwdefaults__) for f in functions]
        fields = [getattr(o, name, None) for o, names in slotted for name in names]
        found = [*map(dictionary, dictionaries)]
        found += [each for each in fields if type(each) is dict]
        found += [named for _, _, named in inside if named is not None]
        found = [*{id(each): each for each in found}.values()]
        asked = [each for each in asked if _may_change(each)]
        lineages = [(kind, kind.__mro__) for kind in classes]
        # Of what is at an address it counts that it is there: so it lives as long as this.
        self._held = found, functions, slotted, inside, fields, asked, [*map(type, asked)]
        self._lineages = lineages
        self._places: Any = None
        layout = _layout()
        if layout is not None:
            import numpy as np

            versions = sorted(_place(each, layout.version) for each in found)
            fixed = [_place(o, at) for o, _ in slotted for at in _slots(o)]
            fixed += [_place(o, _CLASS) for o in asked]
            fixed += [_place(kind, layout.lineage) for kind in classes]
            # Functions are many: what `_place` says of each, at once.
            of_functions = np.array([*map(id, functions)], np.int64)[:, None] // _WORD - 1
            of_functions = of_functions + np.array(layout.held, np.int64)
            self._places = np.concatenate(
                [np.array(versions + fixed, np.int64), of_functions.ravel()]
            )
            self._fixed = _memory().take(self._places[len(versions) :]).tobytes()

    def now(self) -> bytes | None:
        """What is another text after a write to one of the objects.

        Returns:
            None where nothing is known of writes, or where a function or an object holds something
            else than when this was made.
        """
        if self._places is None:
            return None
        words: bytes = _memory().take(self._places).tobytes()
        return words if words.endswith(self._fixed) else None


def dictionary(space: Mapping[Any, Any]) -> dict[Any, Any]:
    """The dictionary itself, of which `vars` of a class is a view."""
    found = space
    if isinstance(space, MappingProxyType):
        (found,) = gc.get_referents(space)
    if type(found) is not dict:
        raise InternalError("names that stand in no dictionary")
    return found


def _may_change(held: Any) -> bool:
    """Whether an object may be given another class."""
    return isinstance(held, ModuleType) or not type(held).__flags__ & _IMMUTABLE


def _slots(held: Any) -> range:
    """Words of an object that are its fields."""
    kind = type(held)
    if kind.__dictoffset__ or kind.__itemsize__:
        raise InternalError(f"a {kind.__name__} has more fields than its slots")
    return range(_HEADER, kind.__basicsize__ // _WORD)


@cache
def _memory() -> Any:
    """The words of this process, as an array of integers that nothing is written to."""
    import numpy as np

    return np.asarray(_Words())


class _Words:
    """What NumPy makes the array from; the word at address 0 is none of it."""

    __array_interface__: Final = {
        "version": 3, "typestr": "<u8", "shape": (_ADDRESSES,), "data": (_WORD, True),
    }  # fmt: skip


def _place(held: Any, at: int) -> int:
    """The place of a word of an object among all words of the process."""
    return id(held) // _WORD - 1 + at


def _words(held: Any, count: int) -> list[int]:
    """The first words of an object."""
    first = _place(held, 0)
    found: list[int] = _memory()[first : first + count].tolist()
    return found


@cache
def _layout() -> _Layout | None:
    """Where the words stand in this interpreter; None where they are not found."""
    known = sys.implementation.name == "cpython" and _FIRST <= sys.version_info < _AFTER
    locked = getattr(sys, "_is_gil_enabled", lambda: True)()
    if not known or not locked or sys.maxsize != (1 << 63) - 1 or sys.byteorder != "little":
        return None
    try:
        version, held, lineage = _of_dictionaries(), _of_functions(), _of_classes()
    except (ValueError, TypeError, OverflowError, IndexError):  # no such array of NumPy's
        return None
    if version is None or held is None or lineage is None:
        return None
    return _Layout(version, held, lineage)


def _of_dictionaries() -> int | None:
    """The word that every write to every kind of dictionary changes, and that reading does not."""
    changed = set(range(_HEADER, dict.__basicsize__ // _WORD))
    for space, writes, reads in _tried():
        found, size = dictionary(space), dict.__basicsize__ // _WORD
        seen: set[tuple[int, ...]] = set()
        for write in writes:
            before = _words(found, size)
            write()
            after = _words(found, size)
            changed &= {at for at in changed if before[at] != after[at]}
            seen.add(tuple(after))
        for read in reads:
            before = _words(found, size)
            read()
            changed &= {at for at in changed if before[at] == _words(found, size)[at]}
        changed &= {at for at in changed if len({words[at] for words in seen}) == len(seen)}
    return changed.pop() if len(changed) == 1 else None


#: Rounds in which code is run until an interpreter has made it quicker.
_ROUNDS: Final = 64

_Act = Callable[[], Any]


def _tried() -> Iterator[tuple[Mapping[Any, Any], list[_Act], list[_Act]]]:
    """A table, a class and a module, with ways to write to them and to read them."""
    table: dict[Any, Any] = {}
    yield (
        table,
        [
            lambda: table.update(x=0), lambda: table.update(x=object()),
            lambda: table.setdefault("y", 1), lambda: table.pop("y"),
            lambda: table.__setitem__("z", 1), lambda: table.__setitem__("z", 2),
            lambda: table.__delitem__("z"), lambda: table.__ior__({"x": 3}),
            lambda: table.popitem(), lambda: table.update(x=1), table.clear,
            lambda: table.__setitem__("x", 1),
        ],
        [lambda: table["x"], lambda: [*table.items()], lambda: table.get("y"), table.copy],
    )  # fmt: skip

    class Kind:
        x: Any = 0

        def write(self) -> None:
            Kind.x = object()

        def read(self) -> Any:
            return self.x, Kind.x

    made = Kind()
    by_name: list[_Act] = [
        lambda: setattr(Kind, "x", object()), lambda: setattr(Kind, "y", 1),
        lambda: delattr(Kind, "y"), lambda: setattr(Kind, "__len__", None),
    ]  # fmt: skip
    yield vars(Kind), [*by_name, *[made.write] * _ROUNDS], [made.read] * _ROUNDS

    module: Any = ModuleType("tried")
    exec("x = 0\ndef write():\n global x\n x = object()\ndef read():\n return x", vars(module))

    def from_outside() -> None:
        module.x = object()

    writes = [
        *[module.write] * _ROUNDS, *[from_outside] * _ROUNDS,
        lambda: setattr(module, "y", 1), lambda: delattr(module, "y"),
    ]  # fmt: skip
    yield vars(module), writes, [module.read, lambda: module.x] * _ROUNDS


def _of_functions() -> tuple[int, ...] | None:
    """The words of a function that are the addresses of its code and its defaults."""

    def one(x: Any = (), *, y: Any = ()) -> None: ...
    def other(x: Any = [], *, y: Any = []) -> Any:  # noqa: B006
        return x, y

    found = []
    for name in ("__code__", "__defaults__", "__kwdefaults__"):
        places = []
        for value in (getattr(one, name), getattr(other, name)):
            setattr(one, name, value)
            words = _words(one, one.__sizeof__() // _WORD)
            places.append([at for at, word in enumerate(words) if word == id(value)])
        if len(places[0]) != 1 or places[0] != places[1]:
            return None
        found += places[0]
    return tuple(found)


def _of_classes() -> int | None:
    """The word of a class that is the address of the order in which its bases are asked."""

    class First: ...

    class Second: ...

    class Kind(First): ...

    places = []
    above: Any = type
    for bases in (First,), (Second,), (First, Second):
        Kind.__bases__ = bases
        words = _words(Kind, above.__basicsize__ // _WORD)
        places.append([at for at, word in enumerate(words) if word == id(Kind.__mro__)])
    return places[0][0] if len(places[0]) == 1 and places[0] == places[1] == places[2] else None
