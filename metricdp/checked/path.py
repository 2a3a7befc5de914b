"""The path of a draw, held fast: what stands between a proved mechanism and the system's bits.

A release that is not marked as a test was drawn by the functions that were loaded with metricdp.
They are written down once, when the first program is pinned, and compared before every such run,
unless nothing was written to them since (`run.unwritten`): what their names mean, and of which
class that is, what their classes have, their code and defaults, and the tables that they read.  A
run under a handler for tests is not compared, since its release says what it is.

Outside stay the interpreter, NumPy, and whoever writes to memory (`ctypes`, `gc`): Python protects
no program from another one in its own process.
"""

from __future__ import annotations

import dis
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from fractions import Fraction
from functools import cache
from importlib import import_module
from operator import attrgetter, is_not, itemgetter
from pkgutil import iter_modules
from typing import Any

from metricdp import columns, engines
from metricdp.errors import SourceError
from metricdp.families.recorded import Recorded
from metricdp.record import REGISTRY, Record, Registry
from metricdp.run.emit import Handler, current_handler, is_test
from metricdp.run.meanings import changed_name, changes
from metricdp.run.unwritten import Unwritten
from metricdp.spaces import Owned, Records

#: Modules on the path.  Of the first ones every name counts, because they are asked by attribute.
_WHOLE = """
noise noise.bernoulli noise.canonical noise.certified noise.discrete noise.discrete_scalar
noise.enclose noise.flips noise.grid noise.intervals noise.lazy noise.parameters noise.rounded
noise.rounded_scalar
noise.selection noise.source noise.vector_discrete noise.vector_rounded values.balls
values.exact values.forms values.numbers values.sums
""".split()
_USED = """
families.containers families.family run.addresses run.applied run.draws run.emit run.machine
run.meanings run.private_selection run.rowwise run.sampling run.traced_once run.unwritten
checked.charged checked.execution checked.path checked.prepared checked.private_selection
checked.samples checked.shapes
""".split()
#: What gives every row its values, and moves them into their bounds: a proof rests on both.
_COLUMNS = tuple(
    f"{package.__name__.removeprefix('metricdp.')}.{each.name}"
    for package in (columns, engines)
    for each in iter_modules(package.__path__)
)
#: What stands between a measurement of the library and its draw.
_LIBRARY = ("maps.functions", "maps.base", "maps.chaining", "maps.costs", "maps.measurement")
#: The code of a function.
_CODE = attrgetter("__code__")
_ALL = frozenset({*_WHOLE, *_USED, *_COLUMNS, *_LIBRARY, "values"})


class DrawPath:
    """Modules as they were when this was made."""

    def __init__(
        self, whole: Sequence[str], used: Sequence[str], mechanisms: Sequence[Record] = ()
    ) -> None:
        #: Names of modules and classes: what says whether one has changed, and what they meant.
        self._meanings: list[tuple[Callable[[], bool], str, Any, dict[str, Any]]] = []
        #: Fields of frozen objects and entries of other tables, with `_labels` and `_values`.
        self._spaces: list[tuple[Any, Callable[[Any], Any]]] = []
        self._sizes: list[tuple[str, Mapping[str, Any], int]] = []
        #: Classes, and the order in which they and their bases are asked.
        self._lineages: list[tuple[str, type, tuple[type, ...]]] = []
        self._labels: list[str] = []
        self._values: list[Any] = []
        #: Objects of which every slot counts, and the names of these.
        self._slotted: list[tuple[Any, Sequence[str]]] = []
        functions: dict[int, Any] = {}
        wanted: dict[str, set[str]] = {}
        kinds = {kind for r in mechanisms for kind in type(r.family).__mro__ if _is_own(kind)}
        records = _drawing(mechanisms)
        used = [*used, *sorted({_short(k) for k in kinds} - {*whole, *used, *records})]
        known = _ALL | set(used)
        for short in [*whole, *used, *records]:
            module = import_module(f"metricdp.{short}")
            own = _reached(module, records[short]) if short in records else [*_functions(module)]
            functions.update((id(f), f) for f in own)
            for found, names in _read(module, own, known):
                wanted.setdefault(found, set()).update(names)
            if short in whole:
                wanted.setdefault(module.__name__, set()).update(_held(module))
            for kind in () if short in records else _classes(module):
                self._enclose(f"{short}.{kind.__name__}", kind)
        for kind in (kind for kind in kinds if _short(kind) in records):
            functions.update((id(f), f) for f in _members_of(kind))
            self._enclose(f"{_short(kind)}.{kind.__name__}", kind)
        for family in {id(r.family): r.family for r in mechanisms}.values():
            self._hold(f"the family {family.name}", family)  # type: ignore[union-attr]
        if mechanisms:
            self._records([record.name for record in mechanisms])
            functions.update((id(f), f) for f in _members_of(Registry))
            self._enclose("record.Registry", Registry)
            self._enclose("fractions.Fraction", Fraction)
        for name, names in wanted.items():
            self._watch(name.removeprefix("metricdp."), vars(sys.modules[name]), names)
        meant = self.compared()
        tables = _tables(meant)
        held = (f for table in tables for value in table.values() for f in _plain(value))
        functions.update((id(f), f) for f in held)
        reached = sorted(functions.values(), key=id)
        self._functions, self._codes = reached, [f.__code__ for f in reached]
        ahead = {id(each): each for each in (*self._codes, *reached, *(v for _, v in meant))}
        self._ahead = sorted(ahead.values(), key=id)
        self._defaults = [(f, f.__defaults__) for f in reached if f.__defaults__ is not None]
        self._tables = [(table, [*table], [*table.values()]) for table in tables]
        modules = [(name.removeprefix("metricdp."), sys.modules[name]) for name in wanted]
        frozen = [(f"the object {type(held).__name__}", held) for held, _ in self._slotted]
        #: Whatever is asked by attribute: another class of it answers in its place.
        asked = [*modules, *frozen, *{id(v): (label, v) for label, v in meant}.values()]
        self._named_so, self._asked = map(list, zip(*asked, strict=True))
        self._kinds = [*map(type, self._asked)]
        self._classes = [space for _, space, _ in self._sizes]
        self._lengths = [*map(len, self._classes)]
        self._named = [(f, dict(f.__kwdefaults__)) for f in reached if f.__kwdefaults__ is not None]
        spaces = [space for _, _, space, _ in self._meanings]
        watched = [*spaces, *self._classes, *tables]
        kin = [kind for _, kind, _ in self._lineages]
        self._written = Unwritten(watched, reached, self._slotted, self._asked, kin)
        #: What showed writes when all was last compared.
        self._same: bytes | None = None

    def _enclose(self, label: str, kind: type) -> None:
        """A class: what it has, and that no name more would stand before those of its bases."""
        self._watch(label, vars(kind), _members(kind))
        self._lineages.append((label, kind, kind.__mro__))
        self._sizes.append((label, vars(kind), _size(vars(kind))))

    def _hold(self, label: str, held: Any) -> None:
        """The fields of a frozen object."""
        self._read_by(attrgetter, label, held, held.__struct_fields__)
        self._slotted.append((held, held.__struct_fields__))

    def _records(self, names: Sequence[str]) -> None:
        """Entries of the registry, which answers by itself."""
        self._read_by(itemgetter, "the record", REGISTRY, names)
        self._slotted.append((REGISTRY, Registry.__slots__))

    def _read_by(self, getter: Any, label: str, space: Any, names: Sequence[str]) -> None:
        kept = [*names, names[0]]  # a getter of one gives no tuple
        read = getter(*kept)
        self._spaces.append((space, read))
        self._labels += [f"{label}.{name}" for name in kept]
        self._values += read(space)

    def _watch(self, label: str, space: Mapping[str, Any], names: Any) -> None:
        """Names of a module or a class."""
        kept = sorted(n for n in names if n != "TYPE_CHECKING" and not _only_a_type(space[n]))
        if kept:
            meant = {name: space[name] for name in kept}
            self._meanings.append((changes(space, meant), label, space, meant))

    def compared(self) -> list[tuple[str, Any]]:
        """Every object that is compared, with what it is called."""
        of_names = (
            (f"{label}.{name}", value)
            for _, label, _, meant in self._meanings for name, value in meant.items()
        )  # fmt: skip
        return [*of_names, *zip(self._labels, self._values, strict=True)]

    def verify(self) -> None:
        """Compare with the present state of the interpreter, where something was written to.

        Raises:
            SourceError: something on the path of a draw was replaced.
        """
        now = self._written.now()
        if now is None or now != self._same:
            self._compare()
            self._same = now  # as it was before: what was written meanwhile is seen the next time

    def _compare(self) -> None:
        # Each of some thousand objects would be waited for; what walks a list fetches ahead, best
        # where one lies behind the other.
        self._ahead.copy()
        try:
            for changed, label, space, meant in self._meanings:
                if changed():
                    raise _replaced(f"{label}.{changed_name(space, meant)}")
            found: list[Any] = []
            for of, read in self._spaces:
                found += read(of)
        except NameError as error:
            raise _replaced(f"the name {error.name}") from None
        except KeyError as error:
            raise _replaced(f"the name {error.args[0]}") from None
        if any(map(is_not, found, self._values)):
            differs = zip(self._labels, found, self._values, strict=True)
            raise _replaced(next(label for label, now, kept in differs if now is not kept))
        if any(map(is_not, map(type, self._asked), self._kinds)):
            differs = zip(self._named_so, self._asked, self._kinds, strict=True)
            label = next(label for label, value, kind in differs if type(value) is not kind)
            raise _replaced(f"the class of {label}")
        for label, kind, lineage in self._lineages:
            now = kind.__mro__
            if len(now) != len(lineage) or any(map(is_not, now, lineage)):
                raise _replaced(f"a base of {label}")
        if [*map(len, self._classes)] != self._lengths:
            for label, space, size in self._sizes:
                if _size(space) != size:
                    raise _replaced(f"a name of {label}")
        # Equal code does the same: a code object is compared by all that it is.
        if [*map(_CODE, self._functions)] != self._codes:
            raise _replaced("the code of a sampler")
        for function, defaults in self._defaults:
            if function.__defaults__ is not defaults:
                raise _replaced("a default of a sampler")
        for function, named in self._named:
            if function.__kwdefaults__ != named:
                raise _replaced("a default of a sampler")
        for table, keys, values in self._tables:
            if [*table] != keys or any(map(is_not, table.values(), values)):
                raise _replaced("a table of samplers")


@cache
def the_path() -> DrawPath:
    """The path of a checked program in this process, made when it is first met."""
    from metricdp.primitives import load

    load()
    mechanisms = [r for _, r in sorted(REGISTRY.items()) if r.family is not None]
    return DrawPath(_WHOLE, _USED, mechanisms)


@cache
def columns_path() -> DrawPath:
    """What a program adds to it whose rows are columns; made when the first such one is checked."""
    return DrawPath((), _COLUMNS)


@cache
def library_path() -> DrawPath:
    """What a measurement of the library adds to it."""
    return DrawPath((), _LIBRARY)


def pinned_handler(*, library: bool = False, rows: bool = False) -> tuple[Handler, bool]:
    """The handler of this run, and whether it is for tests.

    Args:
        library: whether a measurement of the library runs, and no checked program.
        rows: whether rows are given, which may be columns.

    Raises:
        SourceError: it makes releases, and something on the path of a draw was replaced.
    """
    handler = current_handler()
    test = is_test(handler)
    if not test:
        the_path().verify()
        if library:
            library_path().verify()
        if rows:
            columns_path().verify()
    return handler, test


def has_rows(spaces: Iterable[Any]) -> bool:
    """Whether a space is one of rows, which may be columns, or has such a part."""
    return any(isinstance(s, Records | Owned) or has_rows(getattr(s, "parts", ())) for s in spaces)


def _drawing(mechanisms: Sequence[Record]) -> dict[str, list[Any]]:
    """Modules of the records that draw by themselves -> the functions that draw."""
    found: dict[str, list[Any]] = {}
    for record in mechanisms:
        if isinstance(record.family, Recorded):
            found.setdefault(_short(record.run), []).append(record.family.run)
    return found


def _short(value: Any) -> str:
    """The module that defines something, without the package."""
    return str(value.__module__).removeprefix("metricdp.")


def _is_own(kind: type) -> bool:
    return kind.__module__.startswith("metricdp.")


def _reached(module: types.ModuleType, functions: list[Any]) -> list[Any]:
    """These functions and those of their module that they call."""
    found: dict[str, Any] = {}
    pending = list(functions)
    while pending:
        function = pending.pop()
        found[function.__name__] = function
        for code in _codes(function.__code__):
            called = (vars(module).get(name) for name in code.co_names)
            pending += [
                f for f in called
                if isinstance(f, types.FunctionType) and f.__globals__ is vars(module)
                and f.__name__ not in found
            ]  # fmt: skip
    return [*found.values()]


def _members(kind: type) -> list[str]:
    """What a class has, its methods for operators included, without what only describes it; and the
    notes that it has already, in whose place no other name may come."""
    named = vars(kind).items()
    return [n for n, v in named if not n.startswith("__") or callable(v) or n in _NOTES]


#: What Python leaves with a class: the slots where one of its objects is copied, and annotations
#: where a class without any is asked for them.
_NOTES = ("__slotnames__", "__annotations__")


def _size(space: Mapping[str, Any]) -> int:
    """How many names a class has, without such notes."""
    return len(space) - sum(note in space for note in _NOTES)


def _only_a_type(value: Any) -> bool:
    """Whether a name is there for annotations alone."""
    homes = ("typing", "collections.abc", "__future__", "numpy.typing", "numpy._typing")
    home = getattr(value, "__module__", None) or type(value).__module__
    return home in homes or type(value).__module__ in homes


def _held(module: types.ModuleType) -> set[str]:
    """Names of a module; submodules of a package may be loaded later."""
    return {name for name in vars(module) if not name.startswith("__")}


def _classes(module: types.ModuleType) -> Iterator[type]:
    for value in vars(module).values():
        if isinstance(value, type) and value.__module__ == module.__name__:
            yield value


def _functions(module: types.ModuleType) -> Iterator[types.FunctionType]:
    """The functions that a module defines, those of its classes included."""
    for value in vars(module).values():
        if getattr(value, "__module__", "") == module.__name__:
            yield from _members_of(value) if isinstance(value, type) else _plain(value)


def _members_of(kind: type) -> Iterator[types.FunctionType]:
    for member in vars(kind).values():
        yield from _plain(member)


def _plain(value: Any) -> Iterator[types.FunctionType]:
    """The function behind a function, a property or a class method."""
    for inner in (value, *(getattr(value, n, None) for n in ("__func__", "fget"))):
        inner = getattr(inner, "__wrapped__", inner)
        if isinstance(inner, types.FunctionType):
            yield inner


def _read(
    module: types.ModuleType, functions: list[types.FunctionType], known: Set[str]
) -> Iterator[tuple[str, set[str]]]:
    """Module -> names of it that functions read: their globals, and what they import themselves."""
    for function in functions:
        for code in _codes(function.__code__):
            yield module.__name__, {name for name in code.co_names if name in vars(module)}
            if not any(name.startswith("metricdp") for name in code.co_names):
                continue
            home = ""
            for step in dis.get_instructions(code):
                if step.opname == "IMPORT_NAME":
                    home = str(step.argval)
                own = step.opname == "IMPORT_FROM" and home.removeprefix("metricdp.") in known
                if own and step.argval in vars(import_module(home)):
                    yield home, {step.argval}


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _codes(inner)


def _tables(held: list[tuple[str, Any]]) -> list[dict[Any, Any]]:
    """Dictionaries that are read; not what is kept of earlier runs, nor annotations, and of the
    registry the records that draw by themselves alone."""
    own = ("._known", *(f".{note}" for note in _NOTES))
    read = [v for label, v in held if type(v) is dict and not label.endswith(own)]
    return [*{id(v): v for v in read if v is not REGISTRY}.values()]


def _replaced(what: str) -> SourceError:
    return SourceError(
        f"{what} was replaced after metricdp was loaded, so noise may be other than was proved",
        remedy="undo the replacement, start a fresh interpreter, or draw with a handler for tests",
    )
