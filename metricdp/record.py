"""The record of a primitive, its conclusion, and the registry.

A primitive is one module: its name, its docstring (the proof note), a `rule`, a `run`, `instances`
and a `tight` pair make the record (`read`).  Three readers share it: check applies `rule` to
abstract arguments, run executes `run`, audit attacks `run` with `instances` and the rule's maps.
"""

from __future__ import annotations

import threading
from collections.abc import (
    Callable,
    ItemsView,
    Iterable,
    Iterator,
    KeysView,
    Mapping,
    MutableMapping,
    ValuesView,
)
from types import ModuleType
from typing import Any

import msgspec

from metricdp.errors import InternalError
from metricdp.expr import INF, ZERO, D, Expr, absolute, sym
from metricdp.families.family import Family
from metricdp.measures.events import Event
from metricdp.spaces import Space
from metricdp.spaces.norms import NORM_NAMES

#: Norm of anything with a single metric: scalars, records, tuples.
ONE_METRIC = ""
#: In an event or requirement: how far the mechanism's argument moves (an Expr in d_in).
MOVED = sym("_moved", nonneg=True)
#: The largest single-input movement at distance 1: what a target calibrates its noise to.
BOUND = sym("_bound", nonneg=True)
#: MOVED / BOUND, simplified where the movement is linear.
RATIO = sym("_ratio", nonneg=True)

#: (norm of the argument, norm of the result) -> stability map in d_in.
Moves = Mapping[tuple[str, str], Expr]


class Arg(msgspec.Struct, frozen=True):
    """One abstract argument of a rule.

    Attributes:
        space: space of a private value; None for public and released values.
        private: whether the value depends on private data.
        value: a public number as an expression; None if it is no number or is not known.
        literal: a public Python value known when checking (norm, string, None, bool, tuple).
        released: public to the reader, but the output of a mechanism.
        text: source text of the argument, for messages and remedies.
        body: summary, when the argument is a function.
        name: of the parameter that it is given to, where that is known.
        size: how many items a public sequence holds, where that is known.
        floating: whether Python holds a public number in a float.
    """

    space: Space | None = None
    private: bool = False
    value: Expr | None = None
    literal: Any = None
    released: bool = False
    text: str = "_"
    body: Body | None = None
    name: str = ""
    size: Expr | None = None
    floating: bool = False

    @property
    def chosen(self) -> str:
        """What a remedy asks to choose: the text, or the parameter where a plain number stands."""
        plain = bool(self.name) and self.value is not None and not self.value.symbols
        return f"`{self.name if plain else self.text}`"


class Body(msgspec.Struct, frozen=True):
    """Summary of a function given to a primitive: what it does to fresh formal arguments.

    Attributes:
        space: space of the result (None: public or released result).
        maps: per formal parameter, the moves from that parameter to the result.
        deterministic: no mechanism inside.
        kept: of a test in a comprehension, the space of the arguments for which it holds.
    """

    space: Space | None
    maps: tuple[Moves, ...]
    deterministic: bool = True
    value: Expr | None = None
    kept: Space | None = None


class Requirement(msgspec.Struct, frozen=True):
    """`left op right` must hold (op: "<", "<=", ">", ">=", "==", "!="), with a remedy.

    `code` names the diagnostic when it is known to fail.
    """

    left: Expr
    op: str
    right: Expr
    code: str = "requirement-fails"
    remedy: str = ""


class Failure(msgspec.Struct, frozen=True):
    """Why a bound is infinite or a rule does not apply.

    Attributes:
        code: readable name in the catalogue of diagnostics ("unbounded-sum").
        message: one plain sentence.
        need: the missing fact.
        help: an edit that passes once its public values are filled in.
        fatal: whether the program is rejected here; else the bound is infinite, no more.
    """

    code: str
    message: str
    need: str = ""
    help: str = ""
    fatal: bool = False


class Refusal(Exception):
    """Raised by a rule that does not apply to its arguments; carries a `Failure`."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        super().__init__(failure.message)


class Groups(msgspec.Struct, frozen=True):
    """Of how many groups of a table one unit of distance changes rows.

    One unit changes rows of at most `touched` groups, at most `rows` in each, and at most
    `kept * rows` in all; a row is in the group of the rows that are equal to it in `columns`.

    Attributes:
        columns: names of fields of a row, which are no decimal numbers.
        kept, touched, rows: public whole numbers; `touched` is `kept`, or twice that where one
            unit takes rows out of groups and puts others in.
    """

    columns: tuple[str, ...]
    kept: Expr
    touched: Expr
    rows: Expr


class Told(msgspec.Struct, frozen=True):
    """What a reader of an answer is told, with public numbers in it.

    Attributes:
        parts: texts, and numbers with the word for one of what they count.
    """

    parts: tuple[str | tuple[Expr, str], ...]

    def at(self, env: Mapping[str, Any]) -> str:
        """The text, with numbers where they are known."""
        return "".join(p if isinstance(p, str) else _counted(*p, env) for p in self.parts)

    def __str__(self) -> str:
        return self.at({})


def told(*parts: str | tuple[Expr, str]) -> Told:
    """`Told` of these parts."""
    return Told(parts)


def _counted(number: Expr, word: str, env: Mapping[str, Any]) -> str:
    known = number.exact(env) if number.symbols <= env.keys() else None
    count = str(number if known is None else known)
    return f"{count} {word}" if count == "1" else f"{count} {word}s"


class Conclusion(msgspec.Struct, frozen=True):
    """What a rule concludes: data only, no Python function.

    Attributes:
        space: space of the result; None for a released or public result.
        maps: per private argument name, its moves.
        linear: per private argument name, the public factor, when result = sum of factor * argument
            exactly and all have one shape; then `maps` may be empty (the domain derives them).
        combine: "sum": the triangle inequality over arguments; "max": a direct proof (min, max);
            "concat": arguments stand side by side, so each norm is that of their movements;
            "by_id": the rows of a person in the result are made of the rows of this person alone,
            and nobody has rows there who has none in the arguments, so that what one input moves in
            several arguments it moves in the result by the largest of these, whatever `maps` say
            of an argument that moves alone.
        captured: factor on the movement of variables that a function argument captures.
        requires: facts about public parameters.
        events: noise added; the result is then released.
        rounding: absolute rounding error of the result (0: exact).
        rests_on: built-in trust to be printed.
        answers: which rows an answer is about, where some are left out.
        why_infinite: reason, when a move is infinite.
        value: the result as a public expression, when all arguments are public.
        square_of: the argument whose entries are multiplied with each other, and nothing else.
        groups: of a table, how many groups of rows one unit changes.
    """

    space: Space | None = None
    maps: Mapping[str, Moves] = {}
    linear: Mapping[str, Expr] | None = None
    combine: str = "sum"
    captured: Expr = ZERO
    requires: tuple[Requirement, ...] = ()
    events: tuple[Event, ...] = ()
    rounding: Expr = ZERO
    rests_on: tuple[str, ...] = ()
    answers: tuple[Told, ...] = ()
    why_infinite: Failure | None = None
    value: Expr | None = None
    square_of: str = ""
    groups: Groups | None = None


class Instance(msgspec.Struct, frozen=True):
    """Concrete arguments on which every law runs.

    Attributes:
        private: name -> space of each private argument (concrete sizes).
        public: name -> concrete public value (numbers, norms, Python functions for bodies).
        bodies: name -> Body of each function argument in `public`.
        tight: "attained", "approached" or "unknown" at this instance.
    """

    private: Mapping[str, Space]
    public: Mapping[str, Any] = {}
    bodies: Mapping[str, Body] = {}
    tight: str = "attained"


class Spelling(msgspec.Struct, frozen=True):
    """Other names of a primitive.

    Attributes:
        operator: Python operator or builtin ("+", "<", "abs", "len", "[]", "-u").
        numpy: dotted NumPy names ("numpy.clip").
        seed: names in the seed system.
        opendp: constructor names of OpenDP ("make_clamp").
    """

    operator: tuple[str, ...] = ()
    numpy: tuple[str, ...] = ()
    seed: tuple[str, ...] = ()
    opendp: tuple[str, ...] = ()


Rule = Callable[..., Conclusion]
Run = Callable[..., Any]
Instances = Callable[[], Iterable[Instance]]
#: Two values of every private argument: a pair that shows how far the result moves.
Witness = tuple[dict[str, Any], dict[str, Any]]
Tight = Callable[..., Witness | None]
#: What several primitives of one form are made of: rule, run, instances, tight.
Parts = tuple[Rule, Run, Instances, Tight]


class Record(msgspec.Struct, frozen=True):
    """A primitive; every field but the first and `proof` is a name in its module.

    Attributes:
        name: its public name in `metricdp`, the name of its module.
        proof: the docstring of its module.
        kind: "transformation", "mechanism" or "control".
        rule: abstract arguments -> what check believes.
        run: the reference function, exact on rationals.
        instances: where every law tries it.
        tight: (instance, d, tol) -> a pair at distance d that attains or approaches the bound.
        columnar: `run` on values of a row: a function of `metricdp.columns.language`, or its name.
        tabular: `run` on a `metricdp.columns.table.Table`.
        of_rows: `run` on matrices of discrete data as tables of their rows, which are doubles.
        law: (instance, argument) -> the output law of a mechanism.
        family: how a mechanism is drawn; its events carry it.
        formals: per function argument, what that function receives.
        reorder: positions of arguments that were given in another order, or None.
        example: private arguments with their spaces and data, and one expression:
            `"x: dp.Real = -3; dp.abs(x)"`; the reference runs it.
        takes_ids: whether the rule knows tables with ids, and says itself why it refuses one.
    """

    name: str
    proof: str
    kind: str
    rule: Rule
    run: Run
    instances: Instances
    tight: Tight
    spelling: Spelling = Spelling()
    columnar: str | Callable[..., Any] | None = None
    tabular: Callable[..., Any] | None = None
    of_rows: Callable[..., Any] | None = None
    law: Callable[..., Any] | None = None
    family: Family | None = None
    formals: Mapping[str, Callable[..., tuple[Space, ...]]] = {}
    reorder: Callable[[tuple[Arg, ...]], tuple[int, ...] | None] | None = None
    version: int = 1
    example: str = ""
    takes_ids: bool = False


#: Names that a primitive's module must have, and those that it may have.
_NEEDED = ("rule", "run", "instances", "tight")
_PARTS = frozenset(Record.__struct_fields__) - {"name", "proof"}
#: Modules, and `annotations` of `__future__`.
_IMPORTED = ModuleType | type(annotations)


def read(module: ModuleType, kind: str | None = None) -> Record:
    """The record that a module makes by its names.

    Its other functions and values are private (`_name`), constants (`NAME`), or stand in `__all__`
    because other files use them: a misspelt part is an error instead of a part that is missing.

    Args:
        kind: of the record; None where the module says it by `kind = "..."`.

    Raises:
        ValueError: a part is missing, or a public name is neither a part nor in `__all__`.
    """
    name = module.__name__.rpartition(".")[2]
    found = {key: value for key, value in vars(module).items() if key in _PARTS}
    if kind is not None and found.setdefault("kind", kind) != kind:
        raise ValueError(f"{module.__name__} is a {kind} by its folder, and says {found['kind']}")
    needed = (*_NEEDED, "kind", *(["law", "family"] if found.get("kind") == "mechanism" else []))
    missing = [key for key in needed if key not in found]
    missing += ["a docstring"] * (not module.__doc__)
    if missing:
        raise ValueError(f"{module.__name__} is no primitive: it lacks {', '.join(missing)}")
    offered = {*_PARTS, *getattr(module, "__all__", ())}
    # Names in lower case that were made in this module, and not imported.
    own = module.__name__
    unknown = [
        key
        for key, value in vars(module).items()
        if key[0] != "_"
        and key.islower()
        and key not in offered
        and (
            getattr(value, "__module__", "") == own
            if callable(value)
            else not isinstance(value, _IMPORTED)
        )
    ]
    if unknown:
        raise ValueError(
            f"{module.__name__}: {', '.join(unknown)} is no part of a primitive; "
            "write _name, or put it in __all__ where other files use it"
        )
    return Record(name=name, proof=module.__doc__ or "", **found)


#: What the index says of a primitive: its theme, its version, and its spellings (operators, NumPy
#: names, names in the seed system).
Row = tuple[str, int, tuple[str, ...], tuple[str, ...], tuple[str, ...]]


class Registry(MutableMapping[str, Record]):
    """Names -> records, in the order of the index; a record is loaded when it is first asked for.

    Names, versions and spellings are known without loading anything, so that a check loads what its
    program names.  Whoever goes through the records loads them all.
    """

    __slots__ = ("_all", "_held", "_load", "_lock", "_numpy", "_operators", "_seeds")

    def __init__(self) -> None:
        self._held: dict[str, Record | Row] = {}
        self._all = False  # every record is loaded, as is asked before each run
        self._operators: dict[str, str] = {}
        self._numpy: dict[str, str] = {}
        self._seeds: dict[str, list[str]] = {}
        self._load: Callable[[str, str], Record]
        self._lock = threading.RLock()

    def announce(self, index: Mapping[str, Row], load: Callable[[str, str], Record]) -> None:
        """Say which records there are.

        Args:
            index: name -> what is known of it before its module is imported.
            load: (name, theme) -> its record.

        Raises:
            ValueError: two records of one name or spelling.
        """
        self._load = load
        for name, row in index.items():
            self._add(name, row, row)

    def add(self, record: Record) -> None:
        """Add a record of no index.

        Raises:
            ValueError: two records of one name or spelling.
        """
        self._add(record.name, record, row_of(record, ""))

    def _add(self, name: str, held: Record | Row, row: Row) -> None:
        if name in self._held:
            raise ValueError(f"two records named {name}")
        _, _, operators, dotted, seeds = row
        for table, keys in ((self._operators, operators), (self._numpy, dotted)):
            for key in keys:
                if table.setdefault(key, name) != name:
                    raise ValueError(f"two records spelled {key}")
        for key in seeds:
            self._seeds.setdefault(key, []).append(name)
        self._held[name] = held
        self._all = False

    def __getitem__(self, name: str) -> Record:
        found = self._held[name]
        return self._loaded(name) if isinstance(found, tuple) else found

    def _loaded(self, name: str) -> Record:
        """A record that no one asked for before."""
        with self._lock:
            row = self._held[name]
            if not isinstance(row, tuple):  # loaded by another thread meanwhile
                return row
            record = self._load(name, row[0])
            if row != row_of(record, row[0]):
                raise not_current(f"another version or spelling of `{name}`")
            self._held[name] = record
            return record

    def _whole(self) -> dict[str, Record]:
        if not self._all:
            for name, found in self._held.items():
                if isinstance(found, tuple):
                    self._loaded(name)
            self._all = True
        return self._held  # type: ignore[return-value]

    def __contains__(self, name: object) -> bool:
        return name in self._held

    def __setitem__(self, name: str, record: Record) -> None:
        self._held[name] = record

    def __delitem__(self, name: str) -> None:
        del self._held[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)

    # Written out, so that no replaced method of a base stands between a run and the records.
    def get(  # type: ignore[override]
        self, name: str, default: Record | None = None
    ) -> Record | None:
        """The record of a name, or the default."""
        return self[name] if name in self._held else default

    def keys(self) -> KeysView[str]:
        """The names; loads nothing."""
        return self._held.keys()

    def values(self) -> ValuesView[Record]:
        """All records, loaded."""
        return self._whole().values()

    def items(self) -> ItemsView[str, Record]:
        """All names and their records, loaded."""
        return self._whole().items()

    def versions(self) -> str:
        """Names and versions of all rules, in the order of their names; loads nothing."""
        known = sorted(self._held.items())
        return ",".join(f"{n}{r[1] if isinstance(r, tuple) else r.version}" for n, r in known)

    def by_operator(self, operator: str) -> Record | None:
        """The record spelled by a Python operator or builtin."""
        name = self._operators.get(operator)
        return self[name] if name else None

    def by_numpy(self, dotted: str) -> Record | None:
        """The record spelled by a dotted NumPy name."""
        name = self._numpy.get(dotted)
        return self[name] if name else None

    def by_seed(self, name: str) -> list[Record]:
        """The records of a name in the seed system: one, or one for each number of arguments."""
        return [self[found] for found in self._seeds.get(name, ())]

    def seeds(self) -> list[str]:
        """The names in the seed system that a program may write; loads nothing."""
        return [name for name in self._seeds if name.isidentifier()]


REGISTRY = Registry()
by_operator, by_numpy, by_seed = REGISTRY.by_operator, REGISTRY.by_numpy, REGISTRY.by_seed


def row_of(record: Record, theme: str) -> Row:
    """What the index says of a record."""
    spelling = record.spelling
    return theme, record.version, spelling.operator, spelling.numpy, spelling.seed


def not_current(what: str) -> InternalError:
    """The error of an index that says something else than the modules."""
    return InternalError(
        f"the index of primitives is not current: {what}",
        remedy="python -m metricdp.primitives writes it again",
    )


def register(record: Record) -> Record:
    """Add a record of no index; a second record of the same name or operator is an error."""
    REGISTRY.add(record)
    return record


def scalar_moves(bound: Expr) -> Moves:
    """Moves of a map between spaces with a single metric."""
    return {(ONE_METRIC, ONE_METRIC): bound}


def moves_of(conclusion: Conclusion, name: str) -> Moves:
    """The maps of an argument; those of a linear conclusion are |factor| * d in every norm."""
    if conclusion.maps.get(name):
        return conclusion.maps[name]
    if conclusion.linear is None or name not in conclusion.linear:
        return {}
    bound = absolute(conclusion.linear[name]) * D
    norms = NORM_NAMES if hasattr(conclusion.space, "norm") else (ONE_METRIC,)
    if getattr(conclusion.space, "element", "") == "Data" and hasattr(conclusion.space, "norm"):
        norms = (str(getattr(conclusion.space, "norm", "")),)
    return {(n, n): bound for n in norms}


def infinite(why: Failure, space: Space, *names: str) -> Conclusion:
    """Conclusion with an infinite bound in each named argument, and the reason."""
    moves = {(i, o): INF for i in ("", *NORM_NAMES) for o in ("", *NORM_NAMES)}
    return Conclusion(space=space, maps=dict.fromkeys(names, moves), why_infinite=why)


def in_order(lower: Expr, upper: Expr, op: str = "<=") -> Requirement:
    """Bounds in order; numbers that are not are swapped, names are chosen."""
    remedy = f"choose {lower} {op} {upper}"
    if not (lower.symbols | upper.symbols):
        remedy = f"swap them: {upper}, {lower}"
    if lower == upper:
        remedy = f"choose an upper bound above {lower}"
    return Requirement(lower, op, upper, "reversed-bounds", remedy)


def refuse(code: str, message: str, *, need: str = "", help: str = "") -> Refusal:
    """A refusal to raise from a rule whose arguments it does not cover."""
    return Refusal(Failure(code, message, need, help, fatal=True))
