"""What one check of one function accumulates: atoms, steps, requirements, events, trust."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from metricdp.check.domain.movements import total_over_regions
from metricdp.check.domain.sums_of_rows import moves_by
from metricdp.check.values.facts import Fact
from metricdp.check.values.forms import (
    Bounds,
    Form,
    Movement,
    Quantity,
    Source,
    magnitude,
    single,
    total,
)
from metricdp.check.values.hashing import content_hash
from metricdp.check.values.kinds import Kinds
from metricdp.check.values.regions import Region, union
from metricdp.check.values.row_sums import RowSum, RowVector
from metricdp.diagnostics import Diagnostic, Span
from metricdp.expr import ONE, D, Expr, Relation, compare, linear_coefficient, sym
from metricdp.measures.events import Sequence, Spent, Tree, with_parts
from metricdp.record import Requirement, Told
from metricdp.spaces import Space

#: The checkpoint of a state in which nothing has happened.
NOTHING_YET = (0,) * 7


class PendingRequirement(msgspec.Struct, frozen=True):
    """A requirement with the place that asked for it, compared when the movement is known."""

    requirement: Requirement
    span: Span
    module: Any
    node: Any
    #: Movement of the mechanism's argument, where the requirement mentions it.
    moved: Any = None
    text: str = ""


class Draft(msgspec.Struct):
    """A derivation step being built; naming a variable fills `name`."""

    id: str
    rule: str
    inputs: tuple[str, ...]
    conclusion: str
    span: Span
    bound: str = ""
    space: str = ""
    name: str = ""
    #: Address of the mechanism call, whose noise is known once the whole function was read.
    site: str = ""
    #: The value that it made, whose movement per source can be asked for; None if released.
    value: Any = None


class CheckState:
    """Mutable record of one check; `checkpoint` and `rollback` undo a trial round of a loop."""

    def __init__(self) -> None:
        self.atoms: list[Quantity] = []
        self.steps: list[Draft] = []
        self.pending: list[PendingRequirement] = []
        self.trace: list[Tree] = []
        self.rests_on: dict[str, None] = {}
        self.answers: dict[Told, None] = {}
        self.warnings: list[Diagnostic] = []
        self.targets: set[str] = set()
        #: Symbol of a round on which some noise depends -> address of its loop.
        self.counted: dict[str, str] = {}
        #: Symbols of rounds: no caller can give them a number.
        self.rounds: set[str] = set()
        self.memo: dict[Any, Any] = {}
        self.loops = 0
        #: Samples of rows that the present round or function has drawn.
        self.samples: list[Any] = []
        #: Addresses of maps and of sums over rows, each time that they were read, with the space
        #: of what one row gives, if a run may move it there.
        self.enforced: list[tuple[str, Space | None]] = []
        self.unknowns = 0
        #: What was found out about loops inside the loop that is being read.
        self.kinds = Kinds()
        #: Atoms made inside branches: their movement is known only where the condition holds.
        self.conditional: set[int] = set()
        #: Atom made by a branch without a jump -> its condition, and the form on either side.
        self.pieces: dict[int, tuple[Fact, Form, Form]] = {}
        #: Where the reading stopped that came to a limit, or to a defect: module and statement,
        #: innermost first.
        self.stopped: list[tuple[Any, Any]] = []
        #: Form of x x^T -> x: a run may enforce the space of x, and multiply exactly.
        self.products: dict[Form, Any] = {}
        #: Form -> the record that made it, and its arguments (`domain.scaling`).
        self.made: dict[Form, tuple[str, tuple[Any, ...]]] = {}
        #: Step that released the position of one of some scores -> how many scores.
        self.positions: dict[str, Expr] = {}
        #: Atom that a public condition chose -> per side, what holds there, and the form given.
        self.sides: dict[int, tuple[tuple[tuple[Relation, ...], Form], ...]] = {}
        #: Atom of a sum over a table whose rows are replaced -> source -> what one of them adds
        #: (`domain.replaced_rows`).
        self.row_sums: dict[int, dict[Source, RowSum]] = {}
        #: Public parameters whose items are counted, or held against each other.
        self.told_apart: frozenset[str] = frozenset()
        #: Parameters of which a unit replaces a row, and those of which it adds or removes one;
        #: tables that have all rows of such a one.
        self.replaced: set[Source] = set()
        self.come: set[Source] = set()
        self.all_rows: set[Form] = set()
        #: Table of which a unit brings or takes several rows -> how many, and what a row of such a
        #: table is a row of (`domain.several_rows`).
        self.several: dict[Form, tuple[Expr, Region]] = {}
        #: What a round adds to an entry of a list -> its parts, for which rows and in which range
        #: (`domain.row_shares`).
        self.shares: dict[Form, tuple[RowSum, ...]] = {}
        #: What a branch over a row gives -> the same, where nothing says how a run computes it.
        self.by_rows: dict[Form, tuple[RowSum, ...]] = {}
        #: Atom of a vector of such sums -> source -> what one row does to it.
        self.row_vectors: dict[int, dict[Source, RowVector]] = {}
        #: Atom -> source -> its movement where nothing else shares the unit, if that is less.
        self.alone: dict[int, dict[Source, Movement]] = {}
        self._read: dict[Form, dict[Source, dict[str, Expr]]] = {}

    def atom(
        self, space: Space, bounds: Bounds, regions: Mapping[Source, Region] | None = None
    ) -> Form:
        """The form of a new atom."""
        self.atoms.append(Quantity(space, bounds, regions or {}))
        return single(len(self.atoms) - 1)

    def movement(self, form: Form) -> dict[Source, dict[str, Expr]]:
        """Movement of a form, per source and norm."""
        found = self._read.get(form)
        if found is None:
            if len(form.terms) == 1 and form.terms[0][1] == ONE:
                atom = self.atoms[form.terms[0][0]]
                found = {s: dict(m) for s, m in atom.bounds.items()}
            else:
                parts = [(self.atoms[a], magnitude(c)) for a, c in form.terms]
                if any(atom.regions for atom, _ in parts):
                    found = total_over_regions(
                        [(atom.regions, total([(atom.bounds, factor)])) for atom, factor in parts]
                    )
                else:
                    found = total((atom.bounds, factor) for atom, factor in parts)
                found = {s: self._of_rows(form, s, moves) for s, moves in found.items()}
            self._read[form] = found
        return found

    def _of_rows(self, form: Form, source: Source, moves: dict[str, Expr]) -> dict[str, Expr]:
        """The movement of a number; of a sum over rows that come and go, what one of them does."""
        if len(form.terms) < 2 or source not in self.come or "" not in moves:
            return moves
        less = moves_by(self.atoms, self.row_sums, form, source)
        whole = linear_coefficient(moves[""])
        if less is None or whole is None or compare(less, "<", whole) is not True:
            return moves
        if any(name.startswith("_") for name in less.symbols - whole.symbols):
            return moves  # an end that only a run knows
        return {**moves, "": less * D}

    def regions(self, form: Form) -> dict[Source, Region]:
        """Which rows of a source can move a form at all, where that is known."""
        if len(form.terms) == 1:
            return dict(self.atoms[form.terms[0][0]].regions)
        return self.regions_of((form,))

    def regions_of(self, forms: Iterable[Form]) -> dict[Source, Region]:
        """Which rows of a source can move any of some forms, where that is known."""
        found: dict[Source, list[Region]] = {}
        for atom, _ in (term for form in forms for term in form.terms):
            held = self.atoms[atom]
            for source in held.bounds:
                found.setdefault(source, []).append(held.regions.get(source))
        joined = ((source, union(regions)) for source, regions in found.items())
        return {source: region for source, region in joined if region is not None}

    def unknown(self, kind: str = "public", integer: bool = False) -> Expr:
        """A fresh symbol for a public number whose value is not known as an expression."""
        self.unknowns += 1
        return sym(f"_{kind}{self.unknowns}", integer=integer)

    def loop_number(self) -> int:
        self.loops += 1
        return self.loops

    def step(
        self,
        rule: str,
        inputs: tuple[str, ...],
        conclusion: str,
        span: Span,
        *,
        bound: str = "",
        space: str = "",
        version: int = 1,
        site: str = "",
    ) -> str:
        """Emit a step; its id is a hash of its content."""
        content = f"{rule}|{version}|{inputs}|{conclusion}|{span.line}:{span.column}"
        step = content_hash(content, 4)
        self.steps.append(Draft(step, rule, inputs, conclusion, span, bound, space, site=site))
        return step

    def spend(self, tree: Tree) -> None:
        self.trace.append(tree)

    def checkpoint(self) -> tuple[int, ...]:
        return (
            len(self.steps), len(self.pending), len(self.trace), len(self.warnings),
            self.unknowns, self.loops, len(self.samples), len(self.memo), len(self.enforced),
        )  # fmt: skip

    def rollback(self, mark: tuple[int, ...]) -> None:
        """Forget what was emitted since `mark`; atoms stay, numbered but unused."""
        del self.steps[mark[0] :]
        del self.pending[mark[1] :]
        del self.trace[mark[2] :]
        del self.warnings[mark[3] :]
        self.unknowns, self.loops = mark[4], mark[5]
        del self.samples[mark[6] :]
        del self.enforced[mark[8] :]
        # A conclusion whose step and requirements are forgotten has to be drawn again.
        while len(self.memo) > mark[7]:
            self.memo.popitem()

    def proved_of_rows(self) -> dict[str, Space | None]:
        """Address -> the space of what one row gives there; None where its readings differ.

        A run moves what a row gives into this space, whatever the row's arithmetic was.
        """
        found: dict[str, Space | None] = {}
        for address, space in self.enforced:
            known = found.setdefault(address, space)
            found[address] = space if known == space else None
        return found

    def cut(self, mark: tuple[int, ...]) -> Tree | None:
        """Remove and return what was spent since `mark`; None if nothing was."""
        spent = tuple(self.trace[mark[2] :])
        del self.trace[mark[2] :]
        if not spent:
            return None
        return spent[0] if len(spent) == 1 else Sequence(spent)


def rewrite(tree: Tree, change: Any) -> Tree:
    """The tree with every `Spent` leaf replaced by `change(leaf)`."""
    if isinstance(tree, Spent):
        return change(tree)  # type: ignore[no-any-return]
    return with_parts(tree, lambda part: rewrite(part, change))
