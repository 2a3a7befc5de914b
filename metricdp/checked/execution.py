"""One run of a checked program: noise from the guarantee at each site, a release at the end.

A mechanism is called in one of four ways: it draws by its own record, it answers with a category,
it chooses among candidates, or it adds noise to a value of the shape that was proved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from fractions import Fraction
from types import NoneType
from typing import Any

from metricdp.check.domain.parts import Part, Parts
from metricdp.check.source.declared import Declaration
from metricdp.check.verdicts.guarantee import FunctionGuarantee
from metricdp.checked.arguments import Arguments
from metricdp.checked.charged import Charged
from metricdp.checked.path import has_rows, pinned_handler
from metricdp.checked.prepared import bounds_at, prepared
from metricdp.checked.private_selection import Selector
from metricdp.checked.samples import RowSampler
from metricdp.checked.shapes import Proved
from metricdp.columns.part_tables import PartTables
from metricdp.columns.planned import keeping
from metricdp.columns.progress import running
from metricdp.columns.table import Table
from metricdp.columns.together import PerPart
from metricdp.errors import (
    EngineError,
    InternalError,
    MetricdpError,
    PostProcessingError,
    ProgramError,
    bare,
)
from metricdp.run import derived
from metricdp.run.compile import CompiledProgram
from metricdp.run.draws import Drawn, counted, interrupted
from metricdp.run.emit import RunLog, collecting, emit, emit_each
from metricdp.run.machine import Machine, plain
from metricdp.run.parts import matched, of_items
from metricdp.run.release import Release
from metricdp.run.rowwise import ProvedBounds
from metricdp.values import listed


def evaluate(
    program: CompiledProgram, declared: Declaration, arguments: Arguments, boxes: Any
) -> Any:
    """The exact value of a transformation."""

    def no_noise(site: str, name: str, args: Any, bound: Any) -> Any:
        raise InternalError(f"a transformation drew noise at {site}")

    machine = Machine(no_noise, program.pins, boxes)
    machine.bounds = bounds_at(program, arguments.env, False)
    with running(declared.name):
        return _as_rationals(
            program.function(declared.node, declared.module, machine)(**arguments.values)
        )


def _as_rationals(value: Any) -> Any:
    """A result with vectors of rationals in place of arrays, and rows in place of tables."""
    if isinstance(value, Table):
        return value.rows()
    if isinstance(value, PartTables):
        value = tuple(value)
    if type(value) in (list, tuple):
        return type(value)(map(_as_rationals, value))
    if type(value) is dict:
        return {key: _as_rationals(item) for key, item in value.items()}
    return listed(value)


def execute(
    program: CompiledProgram,
    declared: Declaration,
    guarantee: FunctionGuarantee,
    arguments: Arguments,
    boxes: Any,
) -> Release:
    """Run a measurement: every draw and the cost are prepared from public numbers before data are
    used, so that nothing but the program itself can fail after noise was spent.

    Raises:
        PostProcessingError: the code after a release failed; `releases` has what was released.
        InternalError: a draw is not one that was charged; `releases` has what was released before.
        KeyboardInterrupt: with the attribute `releases`.
        SourceError: something on the path of a draw was replaced.
    """
    rows = has_rows(each.space for each in guarantee.private())
    answering, test = pinned_handler(rows=rows)
    known = prepared(program, guarantee, arguments, test)
    source = getattr(answering, "source", None)
    later = known.later
    handler = Charged(known.left, known.own_draws(), answering, declared.name)

    def noise(site: str, name: str, args: Any, bound: dict[str, Any]) -> Any:
        draw = handler.draw(site, machine.round_of)
        family = draw.family
        entering = family.entering(draw, bound)
        hidden = entering.value
        if isinstance(hidden, Table) and program.pins[name].tabular is None:
            machine.by_row[site.rpartition("/")[2]] = f"`{name}`"
        shape = known.shapes.get(draw.site) or Proved()
        if family.fills:
            hidden = shape.filled(draw, hidden)
            shape.same_kind(draw, hidden, declared.name)
        released = emit(entering.draw, hidden, handler)
        if entering.leaving is None:
            released = shape.shaped(released)
        else:
            released = entering.leaving(released)
        note(site, released)
        if family.released and type(released) is int:
            return _Whole(released, len(drawn) - 1)
        return released

    def note(site: str, released: Any) -> None:
        handler.released.note(site, released)
        if site in later.values():  # what was proved of rows may be in numbers from now on
            numbers = {**arguments.env, **handler.released.known(later)}
            machine.bounds = ProvedBounds(program.enforced, numbers)

    def noises(site: str, bound: dict[str, Any]) -> list[Any] | None:
        """`noise` of one number of every part, drawn at once; None where each is to be drawn."""
        hidden = bound.get("x")
        if not isinstance(hidden, PerPart) or type(answering) is not RunLog:
            return None
        draw = handler.next_of(site)
        if draw is None or draw.norm or draw.site in known.shapes:
            return None
        family = draw.family
        if not (family.adds and family.reads_one and family.released and family.fills):
            return None
        entering = family.entering(draw, bound)
        if entering.draw is not draw or entering.value is not hidden or entering.leaving:
            return None
        if handler.draw_all(site, len(hidden.ticks)) is None:
            return None
        start = len(drawn)
        released = emit_each(draw, hidden.numbers(), handler)
        if all(type(value) is int for value in released):
            return [_Whole(value, start + at) for at, value in enumerate(released)]
        return released

    machine = Machine(noise, program.pins, boxes)
    machine.mechanisms, machine.note = noises, note
    machine.bounds = bounds_at(program, arguments.env, test)
    machine.variants = known.variants
    machine.sampler = RowSampler(known.schemes, source, handler.call)
    machine.selector = Selector(known.selections, arguments.env, source, _without_marks, handler)
    function = program.function(declared.node, declared.module, machine)
    # Whatever could fail besides the program is made before the first draw.
    shown = {
        name: (repr(given), "caller" if name in arguments.given else "default")
        for name, given in arguments.public.items()
    }
    failed: BaseException | None = None
    value: Any = None
    outputs: tuple[Any, ...] = ()
    formulas: tuple[Any, ...] = ()
    # What is kept for releases was made before one, and by no code of the user.
    plans = None if test or boxes else program.plans
    with collecting() as drawn:
        try:
            with running(declared.name), keeping(plans):
                made = plain(function(**arguments.values))
                sources = _Sources(drawn, known.best)
                outputs = _per_output(made, guarantee.parts, sources.place)
                texts = _Texts(guarantee, drawn, sources, arguments.env)
                formulas = _per_output(made, guarantee.parts, texts.of)
                value = _without_marks(made)
        except BaseException as error:
            failed = _failure(error, declared.name, tuple(drawn), program)
    # Functions above hold these, and these hold them: private rows, and files that they lie in,
    # would stay until Python looks for such circles, and hang on an error.
    arguments = machine = function = handler = None  # type: ignore[assignment]
    if failed is not None:
        raise failed from None
    if boxes and not test:  # code of the user has run meanwhile
        pinned_handler(rows=rows)
    return Release(
        value=value,
        outputs=outputs,
        function=guarantee.name,
        fingerprint=guarantee.fingerprint,
        unit=known.unit,
        privacy=dict(known.privacy),
        draws=tuple(drawn),
        requires=known.requires,
        parameters=shown,
        rests_on=guarantee.rests_on,
        answers=known.answers,
        test_only=test,
        about=known.described,
        formulas=formulas if any(formulas) else (),
    )


#: What is known of each value of a dictionary that is full of draws.
_DRAW = Part(draw=True)


class _Sources:
    """Which draw a part of the result is, of those that were made."""

    def __init__(self, drawn: list[Drawn], best: Collection[str]) -> None:
        """
        Args:
            best: addresses of draws of which one is chosen among several; nothing is told by them.
        """
        self.drawn, self.best = drawn, best
        self._at: dict[int, int] = {}

    def place(self, item: Any, known: Part) -> Any:
        """The index of the draw that a part is, if it is proved to be one; of a dictionary that is
        proved to be full of draws, those of its values."""
        if known.each:
            full = type(item) is dict
            return matched(item, dict.fromkeys(item, _DRAW), self.place) if full else None
        index = self._index(item) if known.draw else None
        return None if index is None or self.drawn[index].site in self.best else index

    def _index(self, item: Any) -> int | None:
        if isinstance(item, _Whole):
            return item.index
        if item is None or isinstance(item, int | str):
            return None
        if not self._at:  # objects that all live as long as their draws
            pairs = enumerate(self.drawn)
            self._at = {id(draw.value): i for i, draw in reversed([*pairs])}
        return self._at.get(id(item))


class _Texts:
    """How a part that is no draw is computed from draws, each made once at its address."""

    def __init__(
        self, guarantee: FunctionGuarantee, drawn: list[Drawn], sources: _Sources,
        env: Mapping[str, Fraction],
    ) -> None:  # fmt: skip
        self.named, self.drawn, self.sources, self.env = guarantee.drawn, drawn, sources, env
        self._places: dict[str, int] | None = None

    def of(self, item: Any, known: Part) -> str | None:
        """The formula of a part."""
        # Most outputs are draws themselves, and small releases wait for nothing else.
        if known.formula is None or self.sources.place(item, known) is not None:
            return None
        if self._places is None:
            at = {draw.site: index for index, draw in enumerate(self.drawn)}
            once = Counter(draw.site for draw in self.drawn)
            self._places = {
                name: at[site]
                for name, site in self.named.items()
                if once[site] == 1 and self.drawn[at[site]].family.released
            }
        return derived.formula(known.formula, self.env, self._places)


def _per_output(value: Any, known: Parts, one: Callable[[Any, Part], Any]) -> tuple[Any, ...]:
    """What `one` says of each output: of the one value, or of each item of a tuple."""
    found = matched(value, known, one)
    return of_items(found, len(value)) if type(value) is tuple else (found,)


class _Whole(int):
    """A released integer that remembers its draw: small integers are shared objects otherwise."""

    index: int

    def __new__(cls, value: int, index: int) -> _Whole:
        new = super().__new__(cls, value)
        new.index = index
        return new


def _without_marks(value: Any) -> Any:
    if isinstance(value, _Whole):
        return int(value)
    if type(value) in (list, tuple):
        plain = _UNMARKED.issuperset(map(type, value))
        return type(value)(value if plain else map(_without_marks, value))
    if type(value) is dict:
        return {key: _without_marks(item) for key, item in value.items()}
    return value


#: What holds no mark.
_UNMARKED = frozenset({float, int, bool, str, NoneType})


def _failure(
    error: BaseException, name: str, drawn: tuple[Drawn, ...], program: CompiledProgram
) -> BaseException:
    """A fresh error that carries what was released, and no frame of the run."""
    fresh: BaseException
    if isinstance(error, MetricdpError) and not drawn:
        return bare(error)
    if isinstance(error, InternalError | EngineError):
        kind = InternalError if isinstance(error, InternalError) else EngineError
        carrying = kind(error.fact, place=error.place, remedy=error.remedy)
        carrying.releases = drawn
        return carrying
    if isinstance(error, Exception):
        fact = f"{type(error).__name__} after {counted(len(drawn))}"
        remedy = "guard the post-processing, e.g. max(count, 1) as divisor"
        if isinstance(error, ProgramError):
            fact, remedy = f"{error.fact} (after {counted(len(drawn))})", ""
        elif isinstance(error, MetricdpError):
            fact += f" ({error.fact})"
        where = program.place_of(error)
        fact += "" if where is None else str(where)
        fresh = PostProcessingError(
            f"the program failed with {fact}", place=name, remedy=remedy
        )  # fmt: skip
        fresh.releases = drawn
        return fresh
    return interrupted(error, drawn)
