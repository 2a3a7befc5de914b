"""Loops of the program: what they run over, how often, and where they may stop early.

A loop that may stop (`break`, or a further condition of `while`) is read as one whose every round
either happens or leaves all names as they are; the whole count is charged.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeGuard

from metricdp.check.domain import joins
from metricdp.check.domain.by_row import MORE, containers
from metricdp.check.language.appending import appended
from metricdp.check.language.assignments import bind
from metricdp.check.language.attempts import first_of, perhaps, undone
from metricdp.check.language.caps import Cap, cap_of
from metricdp.check.language.conditions import truth
from metricdp.check.language.filling import fills, fills_several
from metricdp.check.language.interpreter import Interpreter
from metricdp.check.language.iteration import Iteration
from metricdp.check.language.parts import gone_through
from metricdp.check.language.scattering import lifted_arrays
from metricdp.check.language.written_out import WRITTEN_OUT, known_rounds, one_by_one
from metricdp.check.loops.loops import run_loop
from metricdp.check.loops.plans import Ending, LoopPlan
from metricdp.check.loops.positions import ReadPositions
from metricdp.check.source.statements import (
    Jump,
    changed_names,
    list_numbers,
    lists_of,
    names_of,
    own_statements,
    parameter_names,
    written_names,
)
from metricdp.check.values.dictionaries import is_mapping
from metricdp.check.values.findings import Stop
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import ListRef, Obj, TupleValue, Value, same
from metricdp.check.values.public import literal, public_number
from metricdp.check.values.regions import both
from metricdp.check.values.terms import forgotten
from metricdp.errors import InternalError
from metricdp.measures.taken import left_open
from metricdp.run.plainer import in_branches, plain_form, result_name
from metricdp.spaces import Records

#: Most items of a comprehension over a range that are written out one by one.
UNROLLED = 64
#: The same where every item is a constant: `{key: 0 for key in range(500)}`.
OF_CONSTANTS = 1024


def loop(
    interpreter: Interpreter, node: ast.For | ast.While, rest: list[ast.stmt], frame: Frame
) -> tuple[bool, Obj | Jump | None]:
    """A loop; one that returns keeps its result and stops, and returns after it."""
    node = in_branches(node)
    after = result_kept(interpreter, node, frame)
    if after is not None:
        return True, interpreter.block([after, *rest], frame)
    read = for_ if isinstance(node, ast.For) else while_
    read(interpreter, node, frame)  # type: ignore[arg-type]
    return False, None


def result_kept(
    interpreter: Interpreter, node: ast.For | ast.While, frame: Frame
) -> ast.stmt | None:
    """Read a loop that returns, which keeps its result; what returns it behind the loop, or None
    where it returns nothing."""
    plainer = plain_form(node)
    if plainer is None:
        return None
    *before, after = plainer
    try:
        interpreter.block(before, frame)
    except Stop as found:
        if found.diagnostic.code == "size-mismatch" and _private_results(interpreter, frame):
            raise interpreter.stop(
                next(s for s in own_statements(node) if isinstance(s, ast.Return)),
                "unsupported-syntax", "`return` inside a loop gives a private value",
                "one return after the loop",
                "keep the value under a name, `break`, and return it after the loop",
            ) from None  # fmt: skip
        raise
    return after


def _private_results(interpreter: Interpreter, frame: Frame) -> bool:
    """Whether something private is in reach that a loop could return."""
    return any(map(interpreter.has_private, frame.names.values()))


def match(
    interpreter: Interpreter, node: ast.Match, rest: list[ast.stmt], frame: Frame
) -> tuple[bool, Obj | Jump | None]:
    """`match`, as the branches that it stands for."""
    branches = plain_form(node)
    if branches is None:
        raise interpreter.stop(
            node, "unsupported-syntax", "a pattern of this `match` takes values apart",
            "literals, alternatives of literals, one name, and guards", "if and elif",
        )  # fmt: skip
    return True, interpreter.block([*branches, *rest], frame)


def _most_unrolled(interpreter: Interpreter, node: ast.For) -> int:
    """How many rounds of a comprehension are read one by one: more where each holds a constant, or
    all of it is a constant of a file."""
    if interpreter.building:
        return OF_CONSTANTS
    (body, *_) = node.body
    value = body.value if isinstance(body, ast.Assign | ast.Expr) else None
    if isinstance(value, ast.Call) and isinstance(body, ast.Expr) and len(value.args) == 1:
        (value,) = value.args  # what `append` is given
    return OF_CONSTANTS if isinstance(value, ast.Constant) else UNROLLED


def for_(interpreter: Interpreter, node: ast.For, frame: Frame) -> None:
    """A `for` loop."""
    _plain(interpreter, node)
    interpreter.consumed.add(node.iter)
    ways = (fills, appended) if fills_several(node) else (appended, fills)
    if any(way(interpreter, node, frame) for way in ways):
        return
    mark, lists = interpreter.domain.state.checkpoint(), dict(interpreter.heap.lists)
    iterable = interpreter.evaluate(node.iter, frame)
    branches = gone_through(interpreter, node, interpreter.heap.opened(iterable))
    if branches is not None:  # they evaluate it once more
        interpreter.domain.state.rollback(mark)
        interpreter.heap.lists = lists
        interpreter.block(branches, frame)
        return
    iteration = Iteration(interpreter, iterable, node.iter)
    unrolled = iteration.items(_most_unrolled(interpreter, node) if "@out" in frame.names else 0)
    if unrolled is not None:
        one_by_one(interpreter, node, iterable, unrolled, frame)
        return
    known = iteration.items(WRITTEN_OUT // interpreter.written_out)
    if known is None:
        _as_one_round(interpreter, node, iterable, iteration, frame)
        return
    returns = result_name(node) in frame.names

    def written_out() -> None:
        around = interpreter.written_out
        interpreter.written_out = around * max(1, len(known))
        try:
            one_by_one(interpreter, node, iterable, known, frame)
        finally:
            interpreter.written_out = around

    def as_one() -> None:
        again = Iteration(interpreter, iterable, node.iter)
        rounds.append(again)
        _as_one_round(interpreter, node, iterable, again, frame)

    def read() -> None:
        if len(node.body) == 1 or returns:
            first_of(interpreter, frame, as_one, written_out, returns)
            return
        # What fills a list is better known round by round.
        once = next(first, None) or Iteration(interpreter, iterable, node.iter)
        rounds.append(once)
        first_of(
            interpreter, frame,
            lambda: _as_one_round(interpreter, node, iterable, once, frame, fills=False),
            lambda: first_of(interpreter, frame, written_out, as_one, any_code=True),
            last=True,
        )  # fmt: skip

    def one_by_one_at_last() -> bool:
        written_out()
        return True

    def picks() -> bool:
        """Whether the number of the round says which of several written items is read."""
        return any(each.index in interpreter.picked for each in rounds)

    rounds: list[Iteration] = []
    first, around = iter([iteration]), interpreter.picked
    undo, spent = undone(interpreter, frame), len(interpreter.domain.state.trace)
    interpreter.picked = set()
    rejected: Stop | None = None
    try:
        read()
    except Stop as found:
        if not picks():
            raise
        rejected = found
    finally:
        by_item = picks()
        interpreter.picked |= around
    # Which branch a round takes, and which item it reads, is known at the latest when it is read by
    # itself.
    made = interpreter.domain.state.trace[spent:]
    open_ = by_item and (bool(made) or _moves_without_end(interpreter, node, frame))
    if rejected is not None or open_ or any(map(left_open, made)):
        undo()
        if not perhaps(interpreter, frame, one_by_one_at_last):
            if rejected is not None:
                raise rejected
            read()


def _moves_without_end(interpreter: Interpreter, node: ast.For, frame: Frame) -> bool:
    """Whether a number that a loop made moves by any amount: `total += WEIGHTS[i] * counts[i]`,
    where the weights are read one by one, and not what one of them is."""
    held = [frame.names[name] for name in written_names(node) & frame.names.keys()]
    private = [each for each in held if isinstance(each, Value) and each.private]
    moved = (interpreter.domain.movement(each).values() for each in private)
    return any(bound.is_infinite for each in moved for m in each for bound in m.values())


def _as_one_round(
    interpreter: Interpreter, node: ast.For, iterable: Obj, iteration: Iteration, frame: Frame,
    fills: bool = True,
) -> None:  # fmt: skip
    """A loop of which one round is read, and stands for all."""
    plan = iteration.plan()
    plan.fills = fills
    plan.index = round_name(interpreter, plan)
    # A comprehension is compiled as it stands, so nothing counts its rounds.
    plan.address = "" if "@in" in frame.names else interpreter.site(node.target)
    iteration.index = plan.index

    def enter() -> None:
        bind(interpreter, node.target, iteration.element(), frame)

    # A list that a loop runs over does not grow under it: the rounds would not end.
    held = set(list_numbers(iterable)) - interpreter.heap.fixed
    interpreter.heap.fixed |= held
    if not plan.rows:
        interpreter.over_rounds(node)
    before, lists = set(frame.names), dict(interpreter.heap.lists)
    spent = len(interpreter.domain.state.trace)
    try:
        _solved(interpreter, node, plan, enter, frame)
    except Stop:
        if iteration.uncounted is not None:
            iteration.refuse_uncounted()
        raise
    interpreter.heap.fixed -= held
    if iteration.of_a_set and (iteration.first is not None or _fills(interpreter, lists)):
        iteration.refuse_order()
    if iteration.uncounted is not None:
        made = [frame.names[name] for name in written_names(node) & frame.names.keys()]
        held_after = interpreter.heap.lists.items()
        changed = [h for n, h in held_after if n not in lists or not same(lists[n], h)]
        private = any(interpreter.has_private(value) for value in (*made, *changed))
        if private or len(interpreter.domain.state.trace) > spent:
            iteration.refuse_uncounted()
    quiet = len(interpreter.domain.state.trace) == spent and _adds_alone(
        interpreter, node, lists, frame
    )
    if plan.rows and quiet:
        names = tuple(sorted(written_names(node) & before))
        known = interpreter.folds.setdefault(node, names)
        if known != names:
            interpreter.folds[node] = None


def _fills(interpreter: Interpreter, lists: dict[int, Obj]) -> bool:
    """Whether a list, which is no dictionary, holds something else than before a loop."""
    held = interpreter.heap.lists
    return any(
        not same(held[number], before) and not is_mapping(held[number])
        for number, before in lists.items()
    )


def _adds_alone(
    interpreter: Interpreter, node: ast.For, lists: dict[int, Obj], frame: Frame
) -> bool:
    """Whether no list changes but by sums that private data place, in statements of the loop, and
    whether these do not depend on the order of the rows."""
    heap, sums = interpreter.heap, interpreter.domain.by_row.sums.get(interpreter.site(node), {})
    named = [frame.names[name] for name in written_names(node) & frame.names.keys()]
    own = {number for held in named for number in heap.numbers(held)}
    others = {number: held for number, held in lists.items() if number not in own}
    made_in_a_round = any(number not in lists for number in heap.scattered)
    if made_in_a_round or heap.stored_since(lists) or heap.changed_since(others):
        return False
    return not any(what == MORE for name, what in sums.items() if name.startswith("@"))


def while_(interpreter: Interpreter, node: ast.While, frame: Frame) -> None:
    """A `while` loop with a public cap: a counter that every round moves towards a bound, or
    conditions that are all known while checking."""
    _plain(interpreter, node)
    first_of(
        interpreter, frame,
        lambda: _capped(interpreter, node, frame), lambda: known_rounds(interpreter, node, frame),
    )  # fmt: skip


def _capped(interpreter: Interpreter, node: ast.While, frame: Frame) -> None:
    """A `while` loop, one round of which stands for all."""
    cap = cap_of(interpreter, node, frame)
    plan = LoopPlan(interpreter.domain.state.loop_number(), cap.count)
    plan.index, plan.address = round_name(interpreter, plan), interpreter.site(node)

    def enter() -> None:
        frame.names[cap.name] = cap.value(plan.index)
        _conditions(interpreter, cap, frame)

    ending = _solved(interpreter, node, plan, enter, frame, cap.name)
    last = public_number(cap.last()) if not ending.early else Value(
        ending.origin, expr=interpreter.domain.state.unknown(integer=True), source="computed"
    )  # fmt: skip
    frame.names[cap.name] = last


def jump(
    interpreter: Interpreter, node: ast.Break | ast.Continue, rest: list[ast.stmt], frame: Frame
) -> tuple[bool, Jump]:
    """`break` or `continue`: the present round ends here."""
    if not interpreter.endings:
        word = type(node).__name__.lower()
        raise interpreter.stop(
            node, "unsupported-syntax", f"`{word}` stands outside of a loop",
            "a loop around it", f"remove `{word}`",
        )  # fmt: skip
    if isinstance(node, ast.Continue):
        return True, Jump.CONTINUE
    ending = interpreter.endings[-1]
    if interpreter.domain.private_tests > ending.private_tests:
        if ending.flag:
            frame.names[ending.flag], ending.hidden = literal(True), True
            return True, Jump.BREAK
        raise interpreter.stop(
            node, "private-loop-bound",
            "a private condition decides after which round this loop stops",
            "a condition on public or released values",
            "keep the rounds, and leave the values as they are: x = x if done else f(x)",
        )  # fmt: skip
    ending.early = True
    return True, Jump.BREAK


def round_name(interpreter: Interpreter, plan: LoopPlan) -> str:
    """A symbol for the number of the round that no parameter is named like."""
    name = f"i{plan.number}"
    outermost = interpreter.active[0] if interpreter.active else None
    taken = parameter_names(outermost) if outermost else frozenset()
    while name in taken:
        name += "_"
    interpreter.domain.state.rounds.add(name)
    return name


def _conditions(interpreter: Interpreter, cap: Cap, frame: Frame) -> None:
    """The further conditions of a `while`: they may end it after any round."""
    ending, before = interpreter.endings[-1], len(interpreter.domain.state.trace)
    lists = dict(interpreter.heap.lists)
    for condition in cap.rest:
        test = truth(interpreter, condition, frame)
        if test.private:
            raise interpreter.stop(
                condition, "private-loop-bound",
                "a private condition decides after which round this loop stops",
                "a condition on public or released values",
                "release a value, and compare that",
            )  # fmt: skip
        if test.literal is not True:
            ending.early = True
            ending.origin = "released" if test.origin == "released" else ending.origin
    # They are read in a last round as well, of which the body does not run.
    interpreter.unchanged(lists, cap.test, "the condition of a `while`")
    if not cap.first and len(interpreter.domain.state.trace) > before:
        raise interpreter.stop(
            cap.test, "private-loop-bound",
            "this condition adds noise once more than the loop has rounds",
            "the counter as the first condition", f"while {cap.name} < ... and ...",
        )  # fmt: skip


def _plain(interpreter: Interpreter, node: ast.For | ast.While) -> None:
    if node.orelse:
        raise interpreter.stop(
            node, "unsupported-syntax",
            "`else` after a loop is not part of the checked language", "a loop without else",
            "move the else block below the loop",
        )  # fmt: skip


class _OtherLists(Exception):
    """Names of lists, each of which a round gives to a list of its own."""

    def __init__(self, names: list[str]) -> None:
        super().__init__(*names)
        self.names = names


def _solved(
    interpreter: Interpreter, node: ast.For | ast.While, plan: LoopPlan, enter: Callable[[], None],
    frame: Frame, counter: str = "",
) -> Ending:  # fmt: skip
    """The states after a loop.  A name that a round gives to another list holds what is in its
    list: no list of them may change any more."""
    while True:
        undo = undone(interpreter, frame)
        try:
            return _rounds(interpreter, node, plan, enter, frame, counter)
        except _OtherLists as found:
            undo()
            for name in found.names:
                held = frame.names[name]
                interpreter.handed_on([held], node)
                frame.names[name] = interpreter.seen(held)


def _rounds(
    interpreter: Interpreter, node: ast.For | ast.While, plan: LoopPlan, enter: Callable[[], None],
    frame: Frame, counter: str = "",
) -> Ending:  # fmt: skip
    if plan.rows:
        lifted_arrays(interpreter, node, frame)
    interpreter.before_rounds(node, enter, frame)
    fixed_before(interpreter, frame)
    written = written_names(node) - {counter}
    before, lists = dict(frame.names), dict(interpreter.heap.lists)
    # What a name is after some rounds is not the function of a row that it was before them.
    before |= {name: forgotten(before[name]) for name in written & before.keys()}
    lists = {number: forgotten(held) for number, held in lists.items()}
    initial = {name: before[name] for name in sorted(written & before.keys())}
    initial |= {f"@{number}": held for number, held in lists.items()}
    ending = Ending(interpreter.domain.private_tests)

    rows = containers({str(i): each.value for i, each in enumerate(plan.rows)})

    def body(states: dict[str, Obj]) -> dict[str, Obj]:
        reading.begin()
        started = {**before, **names_of(states)}
        held = {**lists, **lists_of(states)}
        frame.names, interpreter.heap.lists = dict(started), dict(held)
        tables = (each for each in rows if isinstance(each.space, Records))
        round_ = interpreter.domain.by_row.begin(tables, (each.source for each in plan.rows))
        domain, where = interpreter.domain, interpreter.domain.where
        domain.of_rows += plan.unordered
        for each in plan.rows:
            domain.where = both(domain.where, domain.let_in([each.value], each.source.loop))
        try:
            enter()
            interpreter.block(node.body, frame)
        finally:
            domain.where = where
        domain.of_rows -= plan.unordered
        _only_written(node, started, written | {counter}, frame)
        _as_contents(interpreter, initial, held, frame)
        what = interpreter.domain.by_row.end(round_)
        if rows and isinstance(node, ast.For):
            interpreter.over_rows(node, what, "@in" not in frame.names)
        if ending.early:
            _may_stop(interpreter, ending, plan, node, started, held, frame)
        for name in initial.keys() - frame.names.keys():
            if not name.startswith("@"):
                raise interpreter.stop(
                    node, "loop-growth", f"`{name}` changes its kind in the loop",
                    "one kind of value", f"give `{name}` one kind of value",
                )  # fmt: skip
        after = {name: frame.names[name] for name in names_of(initial)}
        return after | {f"@{number}": interpreter.heap.lists[number] for number in lists}

    reading = ReadPositions(interpreter.domain, plan)
    interpreter.endings.append(ending)
    interpreter.readings.append(reading)
    interpreter.domain.rounds.append(plan.index)
    interpreter.heap.rounds += 1
    try:
        constant = _constant(interpreter, node, lists, frame)
        final = run_loop(
            interpreter.domain, plan, initial, body, interpreter.module, node, constant
        )
    finally:
        interpreter.readings.pop()
        interpreter.domain.rounds.pop()
    interpreter.heap.rounds -= 1
    interpreter.endings.pop()
    if plan.index in interpreter.domain.state.counted:
        interpreter.actions[node] = ("counted", plan.address.rsplit("/", 1)[-1], None)
    frame.names, interpreter.heap.lists = (
        {**before, **names_of(final)},
        {**lists, **lists_of(final)},
    )
    for name in written - initial.keys():
        frame.names.pop(name, None)
    return ending


def _constant(
    interpreter: Interpreter, node: ast.For | ast.While, lists: dict[int, Obj], frame: Frame
) -> frozenset[str]:
    """Lists and dictionaries of public things that no statement of a loop changes by their names:
    what is in them is known in every round, unless a round turns out to change it."""
    named = (frame.lookup(name) for name in changed_names(node))
    changed = {number for held in named if held for number in interpreter.heap.numbers(held)}
    return frozenset(
        f"@{number}" for number, held in lists.items()
        if number not in changed and isinstance(held, TupleValue) and _is_public(held)
    )  # fmt: skip


def _is_public(value: Obj) -> bool:
    if isinstance(value, TupleValue):
        return all(map(_is_public, value.items))
    return isinstance(value, ListRef) or (isinstance(value, Value) and not value.private)


def _only_written(
    node: ast.For | ast.While, started: dict[str, Obj], written: frozenset[str], frame: Frame
) -> None:
    """Raises:
    InternalError: a round gave another value to a name that is not known to change in the loop,
        which would be charged for nothing.
    """
    for name in started.keys() - written:
        if name in frame.names and not same(frame.names[name], started[name]):
            raise InternalError(f"the loop at line {node.lineno} changes `{name}` unseen")


def fixed_before(interpreter: Interpreter, frame: Frame) -> None:
    """Name what is known before the rounds of a loop: it is one value in all of them."""
    around: Frame | None = frame
    held = [*interpreter.heap.lists.values()]
    while around is not None:
        held += around.names.values()
        around = around.parent
    while held:
        value = held.pop()
        if isinstance(value, TupleValue):
            held += value.items
        else:
            interpreter.domain.operand(value)


def _is_list(made: Obj | None) -> TypeGuard[ListRef | TupleValue | Value]:
    if isinstance(made, TupleValue):
        return made.is_list and not made.names
    return isinstance(made, ListRef) or (isinstance(made, Value) and made.source == "list")


def _as_contents(
    interpreter: Interpreter, initial: dict[str, Obj], held: dict[int, Obj], frame: Frame
) -> None:
    """A list of public things that a round made, under a name that had a value of another kind: it
    may not change any more, and only what is in it is known from now on."""
    others: list[str] = []
    for name, begin in initial.items():
        made = frame.names.get(name)
        if not _is_list(made) or interpreter.has_private(made):
            continue
        if isinstance(made, ListRef) and made.number in held:
            continue
        if isinstance(begin, ListRef):
            others += [] if interpreter.has_private(begin) else [name]
            continue
        if not isinstance(made, ListRef):
            continue
        interpreter.heap.fixed.update(interpreter.heap.numbers(made))
        frame.names[name] = interpreter.seen(made)
    if others:
        raise _OtherLists(others)


def _may_stop(
    interpreter: Interpreter, ending: Ending, plan: LoopPlan, node: ast.AST, names: dict[str, Obj],
    lists: dict[int, Obj], frame: Frame,
) -> None:  # fmt: skip
    """Join what the round made with what was there: after the stop, nothing changes."""
    if plan.unordered:
        raise interpreter.stop(
            node, "unordered-loop",
            "where this loop stops would show the order of the rows",
            "a loop over all rows", "filter the rows: [row for row in rows if ...]",
        )  # fmt: skip
    test = ending.test()
    frame.names = joins.join_frames(
        interpreter.domain, test, names, frame.names, interpreter.module, node
    )  # fmt: skip
    interpreter.heap.lists = joins.join_lists(
        interpreter.domain, test, lists, interpreter.heap.lists, interpreter.module, node
    )
