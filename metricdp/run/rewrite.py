"""The tree that runs in place of a checked tree: private operations become calls of the machine."""

from __future__ import annotations

import ast
import copy
import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple, TypeGuard, cast

from metricdp.run.filling import filled
from metricdp.run.ids_asked import ids_asked
from metricdp.run.over_rows import name_of, operands, over_rows
from metricdp.run.plainer import body_of, otherwise, over_parts, plain_form
from metricdp.run.straight import read_from_outside

#: Node of the checked tree -> (kind, name, permutation of positional arguments or None).
Actions = Mapping[ast.AST, tuple[str, str, tuple[int, ...] | None]]


#: Condition of a branch -> what check knew it to be, each time that it was read.
Decided = Mapping[ast.AST, Collection[bool | None]]


class Rowwise(NamedTuple):
    """What a check found out about rows.

    Attributes:
        folds: loop over rows whose rounds only add to names -> these names.
        branches: branches whose condition was private, of which no side changes a list.
        rows: calls that go through rows, and targets of loops over them.
        rounds: targets of the outermost loops over something public.
        there: read of a value that may be missing, and is known to be there -> what would stand
            for it, or the kind of the date or time that would.
        public_calls: calls of functions of the program that are given nothing private.
        noted: names that are given a number on which noise may depend.
    """

    folds: Mapping[ast.AST, tuple[str, ...] | None]
    branches: frozenset[ast.AST]
    rows: frozenset[ast.AST] = frozenset()
    rounds: frozenset[ast.AST] = frozenset()
    there: Mapping[ast.AST, Any] = {}
    public_calls: frozenset[ast.AST] = frozenset()
    noted: frozenset[ast.AST] = frozenset()


#: Actions that call a black box; what the second one gives is public, and becomes an array.
PUBLIC_BOX = "public box"
BOXES = frozenset({"box", PUBLIC_BOX})
#: What stands in place of a number of columns where a pair of keys says which entry changes.
BY_KEYS = "keys"
#: The record that applies a function to rows.
MAP = "map"
NOTHING_ROWWISE = Rowwise({}, frozenset())


def settled(decided: Decided) -> dict[ast.AST, bool]:
    """The conditions that were known, and the same whenever they were read."""
    found = {}
    for node, values in decided.items():
        (value, *others) = values
        if value is not None and not others:
            found[node] = value
    return found


def rewritten(
    node: ast.AST,
    actions: Actions,
    decided: Mapping[ast.AST, bool],
    rowwise: Rowwise = NOTHING_ROWWISE,
) -> Any:
    """The tree that runs in place of a checked tree; the checked tree stays as it is.

    Args:
        decided: see `settled`; a run that finds another value stops.
    """
    return _Rewrite(actions, decided, rowwise).visit(node)


class _Rewrite(ast.NodeTransformer):
    def __init__(
        self,
        actions: Actions,
        decided: Mapping[ast.AST, bool],
        rowwise: Rowwise = NOTHING_ROWWISE,
    ) -> None:
        self.actions, self.decided, self.rowwise = actions, decided, rowwise
        #: Names that functions inside of the present one read: they see what was assigned last.
        self.captured: frozenset[str] | None = None
        #: How often the function reads a name.
        self.read: dict[str, int] = {}

    def visit(self, node: ast.AST) -> Any:
        made = self._visited(node)
        if node in self.rowwise.there:
            made = _callback("there", [made, ast.Constant(self.rowwise.there[node])], [])
        if node in self.decided:
            return _callback("as_checked", [made, ast.Constant(self.decided[node])], [])
        return made

    def _visited(self, node: ast.AST) -> Any:
        plainer = plain_form(node)
        if plainer is not None:
            return _flat(self.visit(each) for each in plainer)
        action = self.actions.get(node)
        if action is not None and action[0] == "parts":
            most, _, numbered = action[1].partition(":")
            branches = over_parts(cast(ast.For, node), int(most), numbered == "1")
            return _flat(self.visit(each) for each in branches)
        if action is not None and action[0] == "filled":
            return _flat(self.visit(each.made) for each in filled(cast(ast.For, node)) or ())
        if action is not None and action[0] == "otherwise":
            return self.visit(cast(ast.AST, otherwise(cast(ast.BoolOp, node))))
        if action is not None and action[0] in _AS_WRITTEN:
            action = None
        if action is not None and action[0] != "unrolled":  # said of a target, about its loop
            if isinstance(node, _ACTED) or action[0] == "over_rows":
                return ast.copy_location(self._called(node, *action), node)
            if isinstance(node, ast.Compare):
                return ast.copy_location(self._compared(node), node)
            if isinstance(node, ast.BoolOp):
                return ast.copy_location(self._logic(node), node)
        if node in self.rowwise.branches and isinstance(node, ast.IfExp):
            then, other = (_later(self.visit(side)) for side in (node.body, node.orelse))
            return _callback("choose", [self.visit(node.test), then, other], [])
        if node in self.rowwise.branches and isinstance(node, ast.If) and is_plain(node):
            names = self._written(node)
            if not self._captured(names):
                return self._sides(node, action, names)
        if isinstance(node, ast.For) and action is None:
            folded = self.rowwise.folds.get(node)
            captured = folded is not None and self._captured(self._written(node))
            if folded is not None and not captured and adds_alone(node, folded, self.actions):
                return self._fold(node, folded)
        if isinstance(node, ast.ListComp | ast.GeneratorExp) and action is None:
            together = self._together(node)
            if together is not None:
                return ast.copy_location(together, node)
        if isinstance(node, ast.For) and action is None:
            appended = self._appended(node)
            if appended is not None:
                return ast.copy_location(appended, node)
        method = getattr(self, f"visit_{type(node).__name__}", None)
        fresh = copy.copy(node)
        if isinstance(fresh, ast.FunctionDef):
            fresh.body = body_of(cast(ast.FunctionDef, node))
        if isinstance(fresh, ast.AugAssign):
            return self._augmented(fresh, action)  # the copy is no key of the actions
        made = method(fresh) if method is not None else self.generic_visit(_shallow(fresh))
        if action and action[0] == "counted":
            return _counting(cast(Any, made), action[1])
        if action and action[0] == "decided":
            branch = cast(ast.If, made)
            branch.test = _callback("took", [ast.Constant(action[1]), branch.test], [])
        if action and action[0] == "appended":
            return _container(cast(Any, made), action[1])
        if isinstance(node, ast.Assign | ast.AnnAssign) and self.rowwise.noted:
            return [made, *self._noted(node)]
        return made

    def _noted(self, node: ast.Assign | ast.AnnAssign) -> list[ast.stmt]:
        """Tells the machine the numbers that names were given."""
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        inside = (each for target in targets for each in ast.walk(target))
        return [
            ast.Expr(
                _callback("noted", [ast.Constant(_place(each)), ast.Name(each.id, ast.Load())], [])
            )
            for each in inside
            if isinstance(each, ast.Name) and each in self.rowwise.noted
        ]

    def _called(
        self, node: ast.AST, kind: str, name: str, order: tuple[int, ...] | None
    ) -> ast.expr:
        """What runs at a node; a callee that is more than a name is evaluated before it."""
        dropped = isinstance(node, ast.Call) and kind not in _WITH_CALLEE
        if not dropped or _is_name(cast(ast.Call, node).func):
            return self._acted(node, kind, name, order)
        callee = self.visit(cast(ast.Call, node).func)
        return _callback("then", [callee, self._acted(node, kind, name, order)], [])

    def _acted(
        self, node: ast.AST, kind: str, name: str, order: tuple[int, ...] | None
    ) -> ast.expr:
        arguments, keywords = _operands(node, kind)
        if kind == "summed":
            return self._summed(cast(Any, node).args[0])
        args = [self.visit(a) for a in arguments]
        kws = [ast.keyword(k.arg, self.visit(k.value)) for k in keywords]
        if kind in _OF_CLASSES:
            return self._of_class(node, kind, name, args, kws)
        if kind in ("partial", "field_of", "with_field"):
            return _callback(kind, args, kws)
        if kind in ("identity", "itself"):
            return args[0]  # type: ignore[no-any-return]
        if kind == "call":
            assert isinstance(node, ast.Call)
            place = ast.Constant(_place(node))
            called = "call_public" if node in self.rowwise.public_calls else "call"
            return _callback(called, [place, self.visit(node.func), *args], kws)
        if kind == "sample":
            head = [ast.Constant(_place(node)), ast.Constant(name)]
            return _callback("sample", [*head, *args], kws)
        if kind == "private_selection":
            return _callback(kind, [ast.Constant(_place(node)), *args], kws)
        if kind == "bins":
            return _callback(kind, [ast.Constant(_place(node)), *args], kws)
        if kind == "columns":
            given = cast(ast.Starred, args[0]).value
            return _callback(kind, [ast.Constant(int(name)), given], [])
        if kind in ("along", "along_method"):
            axis, _, names = name.partition(":")
            matrix = args[0] if kind == "along" else self.visit(cast(Any, node).func.value)
            whole = ast.Constant(int(axis) if axis else None)
            return _callback(
                "along", [matrix, whole, ast.Constant(cast(Any, tuple(names.split(","))))], []
            )
        if kind == "ids_asked":
            return self._ids(node)
        if kind == "tally":
            return _callback(kind, self._tallied(node), [])
        if kind == "count_equal":
            return _callback(kind, [ast.Constant(_place(node)), *args], [])
        if kind == "list_method":
            return _callback(kind, [ast.Constant(name), *args], [])
        if kind == "entry_of":
            return _callback(kind, [ast.Constant(name), *args], [])
        if kind == "by_key":
            return _callback("by_key", [ast.Constant(name), *args], kws)
        if kind == "over":
            return _callback("over", [ast.Constant(name), *args], kws)
        if kind in BOXES:
            made = _callback("box", [ast.Constant(name), *args], kws)
            return made if kind == "box" else _callback("public_array", [made], [])
        if kind == "copied":
            assert isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp)
            return _callback(kind, [self.visit(node.generators[0].iter)], [])
        if kind == "rows":
            assert isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp)
            return self._rows(node)
        if kind in ("shape", "isocalendar", *_LOOKED_UP):
            return _callback(kind, args, [])
        if kind == "over_rows":
            return self._over_rows(cast(ast.expr, node), tuple(map(int, name.split(","))), args)
        if kind == "per_row":
            assert isinstance(node, ast.ListComp | ast.GeneratorExp)
            (generator,) = node.generators
            function = _of_row(generator.target, self.visit(node.elt))
            place, shuffled = ast.Constant(_place(generator.target)), name == "shuffled"
            parts = [place, self.visit(generator.iter), function, ast.Constant(shuffled)]
            return _callback(kind, parts, [])
        if kind == "column":  # a column of a row that has attributes
            assert isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant)
            return ast.Attribute(args[0], str(node.slice.value), ast.Load())
        if kind == "axes":
            assert isinstance(node, ast.Subscript)
            return self._axes(node, name.split(","))
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
            return self._nested_index(node, name)
        permutation = ast.Constant(cast(Any, order))
        if kind == "mechanism":
            head = [ast.Constant(_place(node)), ast.Constant(name), permutation]
            return _callback("noise", [*head, *args], kws)
        if kind == "nested":
            record, _, stood = name.partition(":")
            head = [ast.Constant(_place(node)), ast.Constant(record), ast.Constant(stood)]
            return _callback("nested", [*head, permutation, *args], kws)
        if name == MAP or node in self.rowwise.rows:
            head = [ast.Constant(_place(node)), ast.Constant(name), permutation]
            return _callback("placed", [*head, *args], kws)
        return _callback("primitive", [ast.Constant(name), permutation, *args], kws)

    def _tallied(self, node: ast.AST) -> list[ast.expr]:
        """Counts, and the key that is asked for where there is one."""
        if isinstance(node, ast.Subscript):
            return [self.visit(node.value), self.visit(node.slice)]
        assert isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        counts, *given = (self.visit(each) for each in (node.func.value, *node.args))
        if len(given) < 2:
            return [counts, *given]
        return [counts, _callback("then", [given[1], given[0]], [])]

    def _of_class(
        self, node: ast.AST, kind: str, name: str, args: list[ast.expr], kws: list[ast.keyword]
    ) -> ast.expr:
        """A function of a class, found while checking; what stands before the dot is its first
        argument, or is evaluated and dropped."""
        through = node if isinstance(node, ast.Attribute) else cast(ast.Call, node).func
        assert isinstance(through, ast.Attribute)
        function: ast.expr = ast.Name(name, ast.Load())
        if kind == "property":
            given = args
        elif kind == "member":
            given = [self.visit(through.value), *args]
        else:
            function = _callback("then", [self.visit(through.value), function], [])
            owner = ast.Name(name.rpartition(".")[0], ast.Load())
            given = [owner, *args] if kind == "of_class" else args
        place = ast.Constant(f"{through.end_lineno}:{through.end_col_offset}")
        called = "call_public" if node in self.rowwise.public_calls else "call"
        return _callback(called, [place, function, *given], kws)

    def _ids(self, node: ast.AST) -> ast.expr:
        """How many persons have rows that pass."""
        assert isinstance(node, ast.Call)
        (inner,) = node.args
        asked = ids_asked(inner.args[0] if isinstance(inner, ast.Call) else inner)
        assert asked is not None
        given = [ast.Constant("count_ids"), ast.Constant(None), self.visit(asked[0])]
        return _callback("primitive", [*given, ast.Constant(asked[1])], [])

    def _rows(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp) -> ast.expr:
        """A comprehension over rows: its parts as functions of one row."""
        (generator, *more) = node.generators
        if more or self.actions.get(generator.target) is not None:
            items = ast.ListComp(self.visit(node.elt), [self.visit(g) for g in node.generators])
            return _callback("rows", [items], [])
        source = self.visit(generator.iter)
        if generator.target in self.rowwise.rows:
            source = self._by_row(generator, source)
        parts = [_of_row(generator.target, self.visit(e)) for e in (node.elt, *generator.ifs)]
        return _callback("each", [ast.Constant(_place(node)), source, *parts], [])

    def _over_rows(self, node: ast.expr, tables: tuple[int, ...], args: list[ast.expr]) -> ast.expr:
        """The comprehension that an operator on tables means, of operands that were evaluated."""
        made = over_rows(node, tables)
        (generator,) = made.generators
        sources = [ast.Name(name_of(at), ast.Load()) for at in tables]
        source = sources[0] if len(sources) == 1 else _callback("joined", sources, [])
        parts = [_of_row(generator.target, self.visit(e)) for e in (made.elt, *generator.ifs)]
        each = _callback("each", [ast.Constant(_place(made)), source, *parts], [])
        named = [ast.arg(name_of(at)) for at in range(len(args))]
        return ast.Call(
            ast.Lambda(ast.arguments([], named, None, [], [], None, []), each), args, []
        )

    def _summed(self, node: ast.ListComp | ast.GeneratorExp) -> ast.expr:
        """The sum of what a function makes of every row."""
        (generator,) = node.generators
        each = _of_row(generator.target, self.visit(node.elt))
        given = [ast.Constant(_place(node)), self.visit(generator.iter), each]
        return _callback("sum_rows", given, [])

    def _together(self, node: ast.ListComp | ast.GeneratorExp) -> ast.expr | None:
        """A mechanism that is called for every part of something, as a function of the part that
        gives its arguments: where nothing else happens in a round, they may be asked together."""
        (generator, *more) = node.generators
        if more or generator.ifs:
            return None
        asked = self._asked(node.elt, generator)
        return None if asked is None else _callback("for_every", asked, [])

    def _appended(self, node: ast.For) -> ast.stmt | None:
        """The same where each release is appended to a list, and the round does nothing else."""
        if node.orelse or len(node.body) != 1 or not isinstance(node.target, ast.Name):
            return None
        (round_,) = node.body
        call = round_.value if isinstance(round_, ast.Expr) else None
        if not isinstance(call, ast.Call) or (self.actions.get(call) or ("",))[0] != "call":
            return None
        into = call.func.value if isinstance(call.func, ast.Attribute) else None
        if not isinstance(into, ast.Name) or call.func.attr != "append":  # type: ignore[attr-defined]
            return None
        if len(call.args) != 1 or call.keywords or into.id == node.target.id:
            return None
        if self.read.get(node.target.id) != _reads(node, node.target.id):
            return None  # the last part is read behind the loop
        asked = self._asked(call.args[0], node)
        if asked is None:
            return None
        given = [ast.Name(into.id, ast.Load()), ast.Constant(_place(call)), *asked]
        return ast.Expr(_callback("append_every", given, []))

    def _asked(self, call: ast.expr, rounds: ast.For | ast.comprehension) -> list[ast.expr] | None:
        """Place, name and order of a mechanism, what is gone through, and the arguments as a
        function of an item; None where an argument does more than to read."""
        kind, name, order = self.actions.get(call) or ("", "", None)
        target = rounds.target
        if kind != "mechanism" or not isinstance(call, ast.Call) or not _is_name(call.func):
            return None
        if not isinstance(target, ast.Name) or self.actions.get(target) is not None:
            return None
        if target in self.rowwise.rows:
            return None
        if not all(self._only_reads(each) for each in (*call.args, *call.keywords)):
            return None
        args = [self.visit(each) for each in call.args]
        kws = [ast.keyword(k.arg, self.visit(k.value)) for k in call.keywords]
        given = _of_row(target, _callback("given", args, kws))
        head = [ast.Constant(_place(call)), ast.Constant(name), ast.Constant(cast(Any, order))]
        told = ast.Constant(target in self.rowwise.rounds)
        return [*head, self.visit(rounds.iter), given, told]

    def _only_reads(self, node: ast.AST) -> bool:
        """Whether an expression only reads names and calls records that are no mechanisms."""
        kind = (self.actions.get(node) or ("",))[0]
        if isinstance(node, ast.Call) and (kind != "primitive" or not _is_name(node.func)):
            return False
        if kind == "property":
            return False
        if not isinstance(node, _READING) or node in self.decided:
            return False
        return all(map(self._only_reads, ast.iter_child_nodes(node)))

    def _written(self, node: ast.If | ast.For) -> tuple[str, ...]:
        """Names that a statement assigns, and those of which it changes an entry."""
        return tuple(sorted({*written(node), *_scattered(node, self.actions)}))

    def _captured(self, names: tuple[str, ...]) -> bool:
        return self.captured is not None and not self.captured.isdisjoint(names)

    def _fold(self, node: ast.For, names: tuple[str, ...]) -> list[ast.stmt]:
        """A loop over rows, its round as a function of the row and of what it adds to."""
        items = self.visit(node.iter)
        if jumps(node.body):
            fresh = copy.copy(node)
            fresh.iter = self._by_row(node, items)
            return [cast(ast.stmt, self._inside(fresh))]
        taken = ast.Assign([_stored(node.target)], ast.Name(_ROW, ast.Load()), None)
        made = [taken, *_flat(self.visit(each) for each in node.body), _returned(names)]
        label = f".round_{node.lineno}_{node.col_offset}"
        round_ = _function(label, (_ROW, *names), made)
        given = [ast.Constant(_place(node)), ast.Name(label, ast.Load()), items]
        call = _callback("fold", [*given, ast.Constant(cast(Any, names)), _loaded(names)], [])
        outside = read_from_outside(round_)
        if outside is not None:
            call.args.append(ast.Constant(cast(Any, tuple(outside))))
        return [ast.copy_location(each, node) for each in (round_, _assigned(names, call))]

    def _sides(self, node: ast.If, action: Any, names: tuple[str, ...]) -> list[ast.stmt]:
        """A branch on a private condition, its sides as functions of the names that they write."""
        sides = []
        for word, body in (("then", node.body), ("else", node.orelse)):
            label = f".{word}_{node.lineno}_{node.col_offset}"
            made = [*_flat(self.visit(each) for each in body), _returned(names)]
            sides.append(_function(label, names, made))
        test = self.visit(node.test)
        if action and action[0] == "decided":
            test = _callback("took", [ast.Constant(action[1]), test], [])
        held: list[ast.expr] = [_later(ast.Name(name, ast.Load())) for name in names]
        given = [test, *(ast.Name(side.name, ast.Load()) for side in sides)]
        call = _callback("branch", [*given, ast.Tuple(held, ast.Load())], [])
        return [ast.copy_location(each, node) for each in (*sides, _assigned(names, call))]

    def _compared(self, node: ast.Compare) -> ast.expr:
        """a < b < c as (a < b) and (b < c), as it was checked, with every operand read once."""
        names: list[ast.expr] = [ast.Constant(_COMPARISONS[type(op)]) for op in node.ops]
        left, right, *more = [self.visit(x) for x in (node.left, *node.comparators)]
        if not more:
            return _callback("compare", [*names, left, right], [])
        given = [ast.Tuple(names, ast.Load()), left, right, *map(_later, more)]
        return _callback("chain", given, [])

    def _logic(self, node: ast.BoolOp) -> ast.expr:
        name = "every" if isinstance(node.op, ast.And) else "some"
        return _callback(name, [_later(self.visit(value)) for value in node.values], [])

    def _nested_index(self, node: ast.Subscript, name: str) -> ast.expr:
        """m[i, j] as m[i][j], as it was checked."""
        assert isinstance(node.slice, ast.Tuple)
        return self._axes(node, [name] * len(node.slice.elts))

    def _axes(self, node: ast.Subscript, names: list[str]) -> ast.expr:
        """One record after the other, one per axis; none for an axis that is kept whole."""
        value = cast(ast.expr, self.visit(node.value))
        axes = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        for name, axis in zip(names, axes, strict=True):
            if not name:
                continue
            given = [axis]
            if isinstance(axis, ast.Slice):
                ends = (axis.lower, axis.upper, axis.step)
                given = [ast.Constant(...) if end is None else end for end in ends]
            head = [ast.Constant(name), ast.Constant(None)]
            read = [cast(ast.expr, self.visit(each)) for each in given]
            value = _callback("primitive", [*head, value, *read], [])
        return value

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if self.captured is None:
            self.captured = read_inside(node)
            self.read = Counter(each.id for each in ast.walk(node) if _is_read(each))
        node.decorator_list, node.returns = [], None
        node.args = _bare(node.args)
        return self.generic_visit(_shallow(node))

    def visit_For(self, node: ast.For) -> ast.AST:
        node.iter = self._rounds(node)
        return self._inside(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        node.iter = self._rounds(node)
        return self._inside(node)

    def _inside(self, node: Any) -> ast.AST:
        """Everything but the iterable, which is rewritten already."""
        ready, node.iter = node.iter, ast.Constant(None)
        fresh = cast(Any, self.generic_visit(_shallow(node)))
        fresh.iter = ready
        return cast(ast.AST, fresh)

    def _rounds(self, node: ast.For | ast.comprehension) -> ast.expr:
        items = cast(ast.expr, self.visit(node.iter))
        if node.target in self.rowwise.rounds:
            items = _callback("in_rounds", [items], [])
        action = self.actions.get(node.target)
        if action is None or action[0] != "unrolled":
            return self._by_row(node, items) if node.target in self.rowwise.rows else items
        return _callback("rounds", [ast.Constant(action[1]), items], [])

    def _by_row(self, node: ast.For | ast.comprehension, items: ast.expr) -> ast.expr:
        """The rows of a loop whose round is no function of a row."""
        place = _place(node if isinstance(node, ast.For) else node.target)
        return _callback("one_by_one", [ast.Constant(place), items], [])

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is None:
            return ast.Pass()
        made = ast.Assign([self.visit(node.target)], self.visit(node.value), None)
        return ast.copy_location(made, node)

    def _augmented(
        self, node: ast.AugAssign, action: tuple[str, str, tuple[int, ...] | None] | None
    ) -> Any:
        """`x += y` binds x to x + y: values are immutable, so no alias can be changed."""
        if action is not None and action[0] == "scatter":
            target = cast(Any, node.target)
            operator, _, columns = action[1].partition(":")
            position = self.visit(target.slice)
            if isinstance(target.value, ast.Subscript):  # `rows[i][j]`
                inner = self.visit(target.value.slice)
                position = ast.Tuple([inner, position], ast.Load())
            if columns and columns != BY_KEYS:
                position = _callback("row_by_row", [position, ast.Constant(int(columns))], [])
            given = [position, self.visit(node.value)]
            if isinstance(target.value, ast.Subscript) and columns != BY_KEYS:
                given.append(ast.Constant(int(columns)))
            name = _base_of(target)
            base = ast.Name(name, ast.Load())
            head = [ast.Constant(_place(node)), ast.Constant(operator), base]
            into = ast.Name(name, ast.Store())
            return ast.Assign([into], _callback("scatter", [*head, *given], []), None)
        if action is not None and action[0] == "extended":
            name = cast(ast.Name, node.target).id
            given = [ast.Name(name, ast.Load()), self.visit(node.value)]
            return ast.Assign([ast.Name(name, ast.Store())], _callback("extended", given, []), None)
        if isinstance(node.target, ast.Subscript):
            base, index = self.visit(node.target.value), self.visit(node.target.slice)
            # The entry is read before the other operand, and stored at the same place.
            held = ast.Name("_held", ast.Load())
            one = ast.arguments([], [ast.arg("_held")], None, [], [], None, [])
            change = ast.Lambda(one, self._combined(node, action, held))
            return ast.Expr(_callback("change_item", [base, index, change], []))
        assert isinstance(node.target, ast.Name)
        left = ast.Name(node.target.id, ast.Load())
        into = ast.Name(node.target.id, ast.Store())
        return ast.Assign([into], self._combined(node, action, left), None)

    def _combined(
        self,
        node: ast.AugAssign,
        action: tuple[str, str, tuple[int, ...] | None] | None,
        left: ast.expr,
    ) -> ast.expr:
        right = self.visit(node.value)
        if action is not None:
            given = [ast.Constant(action[1]), ast.Constant(None), left, right]
            return _callback("primitive", given, [])
        if isinstance(node.op, ast.Div):
            return _callback("divide", [left, right], [])
        return _public(node.op, left, right)

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        """An assertion that no option of Python leaves out: what follows was checked with it."""
        told = [] if node.msg is None else [self.visit(node.msg)]
        error = ast.Call(ast.Name("AssertionError", ast.Load()), told, [])
        fails = ast.UnaryOp(ast.Not(), self.visit(node.test))
        fails_so = ast.Raise(_callback("raised", [error], []), None)
        return ast.copy_location(ast.If(fails, [fails_so], []), node)

    def visit_Raise(self, node: ast.Raise) -> ast.stmt:
        """`raise` of the program itself, as an error that says so."""
        assert node.exc is not None
        made = ast.Raise(_callback("raised", [self.visit(node.exc)], []), None)
        return ast.copy_location(made, node)

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        if isinstance(node.op, ast.Div):
            return _callback("divide", [self.visit(node.left), self.visit(node.right)], [])
        return _public(node.op, self.visit(node.left), self.visit(node.right))

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> Any:
        """A list: check has read a generator as one that is consumed at once, to its end."""
        items = ast.ListComp(node.elt, node.generators)
        return self.generic_visit(_shallow(items))

    def visit_Call(self, node: ast.Call) -> Any:
        args = [self.visit(a) for a in node.args]
        kws = [ast.keyword(k.arg, self.visit(k.value)) for k in node.keywords]
        return _callback("pure", [self.visit(node.func), *args], kws)

    def visit_Constant(self, node: ast.Constant) -> Any:
        if isinstance(node.value, float) and math.isfinite(node.value):
            ratio = node.value.as_integer_ratio()
            return ast.Call(ast.Name("_Exact", ast.Load()), [ast.Constant(n) for n in ratio], [])
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> Any:
        """Texts keep their literal parts; what they show are plain numbers."""
        parts: list[ast.expr] = []
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                shown = _callback("shown", [self.visit(part.value)], [])
                spec = cast(ast.JoinedStr | None, part.format_spec)
                spec = self.visit_JoinedStr(spec) if spec is not None else None
                parts.append(ast.FormattedValue(shown, part.conversion, spec))
            else:
                parts.append(part)
        return ast.JoinedStr(parts)


def adds_alone(node: ast.For, folded: tuple[str, ...], actions: Actions) -> bool:
    """Whether a round only adds to entries that private data choose, and asks for their keys."""
    names = Counter(_scattered(node, actions))
    uses: Counter[str] = Counter()
    for part in (each for statement in node.body for each in ast.walk(statement)):
        if isinstance(part, ast.Name):
            uses[part.id] += 1
        elif isinstance(part, ast.Compare) and isinstance(part.ops[-1], ast.In | ast.NotIn):
            uses.subtract(each.id for each in part.comparators[-1:] if isinstance(each, ast.Name))
    return all(name in folded and uses[name] == count for name, count in names.items())


def _scattered(node: ast.AST, actions: Actions) -> list[str]:
    """Names of what private data choose entries of, once for each statement that does."""
    acted = (each for each in ast.walk(node) if isinstance(each, ast.AugAssign))
    targets = (each.target for each in acted if (actions.get(each) or ("",))[0] == "scatter")
    return [_base_of(each) for each in targets]


def _base_of(target: ast.expr) -> str:
    """The name of what `name[i]` or `name[i][j]` is an entry of."""
    while isinstance(target, ast.Subscript):
        target = target.value
    return cast(ast.Name, target).id


#: Functions of classes.
_OF_CLASSES = frozenset({"member", "static", "of_class", "property"})
#: What runs as it is written, and is noted so that its place means nothing else.
_AS_WRITTEN = frozenset({"plain", "field"})
#: Names that no program can write.
_ROW = ".row"
#: Statements of a side of a branch that can become a function of the names that it writes.
_PLAIN = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.If, ast.Pass, ast.For)
_OTHER_SCOPES = (ast.Lambda, ast.FunctionDef, ast.NamedExpr, ast.ClassDef)


def is_plain(node: ast.If) -> bool:
    """Whether both sides of a branch only assign: no jumps, and no functions made there."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.stmt) and not isinstance(inner, _PLAIN):
            return False
        if isinstance(inner, _OTHER_SCOPES):
            return False
    return True


def jumps(body: list[ast.stmt]) -> bool:
    """Whether a round may end before its last statement, or the loop with it."""
    ends = ast.Continue | ast.Break | ast.Return
    return any(isinstance(n, ends) for statement in body for n in ast.walk(statement))


def written(node: ast.If | ast.For) -> tuple[str, ...]:
    """Names that a statement assigns; what a comprehension calls its items is known there alone."""
    found: set[str] = set()
    pending: list[ast.AST] = [node]
    while pending:
        inner = pending.pop()
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            found.add(inner.id)
        if not isinstance(inner, ast.comprehension):
            pending += ast.iter_child_nodes(inner)
        else:
            pending += [inner.iter, *inner.ifs]
    return tuple(sorted(found))


def read_inside(function: ast.FunctionDef) -> frozenset[str]:
    """Names that functions and lambdas inside of a function mention, but for their parameters."""
    return frozenset(_mentioned(function, inside=False))


def _mentioned(node: ast.AST, inside: bool) -> set[str]:
    if isinstance(node, ast.Name):
        return {node.id} if inside else set()
    found: set[str] = set()
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Lambda | ast.FunctionDef):
            # A parameter is the function's own wherever the function mentions it.
            args = child.args
            own = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
            found |= _mentioned(child, True) - {each.arg for each in own if each is not None}
            found |= _mentioned(args, True)
        else:
            found |= _mentioned(child, inside)
    return found


def _flat(made: Iterable[Any]) -> list[ast.stmt]:
    """Statements that each became one or several."""
    return [s for each in made for s in (each if isinstance(each, list) else [each])]


def _function(name: str, parameters: tuple[str, ...], body: list[ast.stmt]) -> ast.FunctionDef:
    arguments = ast.arguments([], [ast.arg(p) for p in parameters], None, [], [], None, [])
    return ast.FunctionDef(name, arguments, body, [])


def _loaded(names: tuple[str, ...]) -> ast.Tuple:
    return ast.Tuple([ast.Name(name, ast.Load()) for name in names], ast.Load())


def _returned(names: tuple[str, ...]) -> ast.Return:
    return ast.Return(_loaded(names))


def _assigned(names: tuple[str, ...], value: ast.expr) -> ast.stmt:
    if not names:
        return ast.Expr(value)
    return ast.Assign(
        [ast.Tuple([ast.Name(n, ast.Store()) for n in names], ast.Store())], value, None
    )


def _stored(target: ast.expr) -> ast.expr:
    return copy.deepcopy(target)


def _of_row(target: ast.expr, value: ast.expr) -> ast.Lambda:
    """A function of one row, whatever the target of its loop is."""
    if isinstance(target, ast.Name):
        one = ast.arguments([], [ast.arg(target.id)], None, [], [], None, [])
        return ast.Lambda(one, value)
    one = ast.arguments([], [ast.arg(_ROW)], None, [], [], None, [])
    row = ast.Tuple([ast.Name(_ROW, ast.Load())], ast.Load())
    made = ast.ListComp(value, [ast.comprehension(_stored(target), row, [], 0)])
    return ast.Lambda(one, ast.Subscript(made, ast.Constant(0), ast.Load()))


def _counting(loop: ast.For | ast.While, place: str) -> list[ast.stmt]:
    """The loop, with the number of its round kept by the machine: noise depends on it."""
    start = ast.Expr(_callback("start_rounds", [ast.Constant(place)], []))
    following = _callback("next_round", [ast.Constant(place)], [])
    if isinstance(loop, ast.While):
        loop.test = ast.BoolOp(ast.And(), [following, loop.test])
    else:
        loop.body = [ast.Expr(following), *loop.body]
    return [ast.copy_location(start, loop), loop]


def _container(loop: ast.For, name: str) -> list[ast.stmt]:
    """The loop, and its list as the container of private entries that a comprehension makes."""
    made = _callback("rows", [ast.Name(name, ast.Load())], [])
    kept = ast.Assign([ast.Name(name, ast.Store())], made, None)
    return [loop, ast.copy_location(kept, loop)]


def _shallow(node: ast.AST) -> ast.AST:
    """Lists of children copied, so that rewriting leaves the checked tree alone."""
    for field, value in ast.iter_fields(node):
        if isinstance(value, list):
            setattr(node, field, list(value))
    return node


def _bare(args: ast.arguments) -> ast.arguments:
    """Parameters without annotations."""

    def strip(group: list[ast.arg]) -> list[ast.arg]:
        return [ast.arg(a.arg) for a in group]

    rest = None if args.vararg is None else ast.arg(args.vararg.arg)
    return ast.arguments(
        # A run binds every parameter by its name.
        [], strip([*args.posonlyargs, *args.args]), rest, strip(args.kwonlyargs),
        list(args.kw_defaults), None, list(args.defaults),
    )  # fmt: skip


#: Nodes whose operands are arguments of a call.
_ACTED = (
    ast.Call,
    ast.BinOp,
    ast.UnaryOp,
    ast.Subscript,
    ast.Attribute,
    ast.ListComp,
    ast.GeneratorExp,
    ast.SetComp,
)


#: Calls whose first operand is what the method belongs to; the second may be its name.
_METHODS = (
    "method",
    "named_method",
    "itself",
    "isocalendar",
    "looked_up",
    "entry_of",
    "position_of",
    "count_equal",
    "list_method",
)
#: What reads a public container where private data say what is read.
_LOOKED_UP = ("looked_up", "entry_at", "position_of")
#: What calls or reads the expression before its parentheses.
_WITH_CALLEE = _OF_CLASSES | {"call", "tally", "along_method", *_METHODS}


def _operands(node: ast.AST, kind: str) -> tuple[list[ast.expr], list[ast.keyword]]:
    if kind == "over_rows":
        return operands(node), []
    if isinstance(node, ast.Call):
        arguments = list(node.args)
        if kind in _METHODS:
            assert isinstance(node.func, ast.Attribute)
            named: list[ast.expr] = [ast.Constant(node.func.attr)] * (kind == "named_method")
            arguments = [node.func.value, *named, *arguments]
        return arguments, list(node.keywords)
    if isinstance(node, ast.BinOp):
        return [node.left, node.right], []
    if isinstance(node, ast.UnaryOp):
        return [node.operand], []
    if isinstance(node, ast.Subscript):
        return [node.value, node.slice], []
    if isinstance(node, ast.Attribute):
        attribute: list[ast.expr] = [ast.Constant(node.attr)] * (kind == "named_field")
        return [node.value, *attribute], []
    return [], []


def _is_read(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)


def _reads(node: ast.AST, name: str) -> int:
    """How often a name is read in a piece of code."""
    return sum(_is_read(each) and each.id == name for each in ast.walk(node))


#: Nodes of expressions that change nothing.
_READING = (
    ast.Name, ast.Constant, ast.Attribute, ast.Call, ast.keyword, ast.Lambda, ast.arguments,
    ast.arg, ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.IfExp, ast.ListComp,
    ast.GeneratorExp, ast.comprehension, ast.operator, ast.unaryop, ast.cmpop, ast.boolop,
    ast.expr_context,
)  # fmt: skip

_COMPARISONS: dict[type, str] = {
    ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne",
    ast.Is: "is_", ast.IsNot: "is_not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip
_PUBLIC: dict[type, str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.MatMult: "matmul", ast.BitAnd: "and_", ast.BitOr: "or_", ast.BitXor: "xor",
    ast.LShift: "lshift", ast.RShift: "rshift",
}  # fmt: skip


def _public(op: ast.operator, left: ast.expr, right: ast.expr) -> ast.expr:
    return _callback("arithmetic", [ast.Constant(_PUBLIC[type(op)]), left, right], [])


def _is_name(node: ast.expr) -> bool:
    """Whether an expression is a name, with or without dots: reading it does nothing."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _later(node: ast.expr) -> ast.Lambda:
    """The expression, evaluated only if it is asked for."""
    return ast.Lambda(ast.arguments([], [], None, [], [], None, []), node)


def _place(node: ast.AST) -> str:
    return f"{getattr(node, 'lineno', 0)}:{getattr(node, 'col_offset', 0)}"


def _callback(name: str, args: list[Any], keywords: list[ast.keyword]) -> ast.Call:
    machine = ast.Attribute(ast.Name("_machine", ast.Load()), name, ast.Load())
    return ast.Call(machine, args, keywords)
