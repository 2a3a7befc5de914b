"""Classes at the top of a file whose instances are values: fields, constants, functions of both.

A class is read if nothing in it can change what an attribute of an instance means: it inherits from
nothing, and every statement of its body declares a field, a constant, or a function that is a
method, a property, a static method or a class method.  An instance never changes once it is made,
so it needs no aliasing; lists and dictionaries that its fields hold are those of the function.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from metricdp.check.source.names import qualified
from metricdp.check.source.stores import rebinding
from metricdp.check.values.objects import (
    Closure,
    Computed,
    Constant,
    External,
    Factory,
    Library,
    Member,
    RecordClass,
    SourceFile,
)

_DATACLASSES = ("dataclasses.dataclass",)
_NAMED_TUPLES = ("typing.NamedTuple",)
_KINDS = {"property": "property", "staticmethod": "static", "classmethod": "class"}
#: Containers that a field may be made of anew for each instance.
_FRESH: dict[str, Callable[[], ast.expr]] = {
    "list": lambda: ast.List([], ast.Load()), "dict": lambda: ast.Dict([], []),
}  # fmt: skip
#: What a run asks of named tuples, as which it holds instances.
_OF_TUPLES = frozenset({"_fields", "_field_defaults", "_make", "_replace", "_asdict"})
#: Reads an expression at the top of a file as a constant, or gives None.
Reader = Callable[[ast.expr], Constant | Computed | None]


class _Unread(Exception):
    """Why a class is not read, and what to write."""

    def __init__(self, reason: str, remedy: str = "") -> None:
        super().__init__(reason)
        self.reason, self.remedy = reason, remedy


def record_class(
    module: SourceFile, node: ast.ClassDef, constant: Reader
) -> RecordClass | External:
    """What a class statement at the top of a file defines."""
    try:
        return _Body(module, node, constant).read()
    except _Unread as found:
        return External(node.name, found.reason, remedy=found.remedy)


class _Body:
    """The statements of one class."""

    def __init__(self, module: SourceFile, node: ast.ClassDef, constant: Reader) -> None:
        self.module, self.node, self.constant = module, node, constant
        self.fields: list[str] = []
        self.defaults: dict[str, Constant | Computed | Factory] = {}
        self.members: dict[str, Member] = {}
        self.attributes: dict[str, Constant | Computed] = {}
        self.made: Closure | None = None
        self.own = frozenset(_bound(node))
        self.declares = _declares(module, node)

    def read(self) -> RecordClass:
        """The class.

        Raises:
            _Unread: it does something that is not read.
        """
        for statement in self.node.body:
            self._statement(statement)
        if not _is_fixed(self.node):
            self.members = {name: self._storing(each) for name, each in self.members.items()}
        return RecordClass(
            self.node, self.module, tuple(self.fields), self.defaults, self.members,
            self.attributes, self.made,
        )  # fmt: skip

    def _statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Pass) or _documentation(node):
            return
        if isinstance(node, ast.FunctionDef):
            self._function(node)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            written = ast.unparse(node.annotation)
            quoted = isinstance(node.annotation, ast.Constant) and "ClassVar" in written
            if quoted or "InitVar" in written or "KW_ONLY" in written:
                raise self._more(f"`{node.target.id}` has an annotation that is not read")
            if self.declares and not self._shared(node.annotation):
                self._field(node.target.id, node.value)
            elif node.value is not None:
                self._attribute(node.target.id, node.value)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            if len(node.targets) > 1:
                raise self._more(f"line {node.lineno} assigns to several names")
            self._attribute(node.targets[0].id, node.value)
        else:
            raise self._more(f"line {node.lineno} declares no field, constant or method")

    def _shared(self, annotation: ast.expr) -> bool:
        """Whether an annotation is `ClassVar`, with or without its type."""
        inner = annotation.value if isinstance(annotation, ast.Subscript) else annotation
        return _meaning(self.module, inner) == "typing.ClassVar"

    def _field(self, name: str, value: ast.expr | None) -> None:
        self._fresh(name, field=True)
        self.fields.append(name)
        if value is None:
            if self.defaults:
                raise self._more(f"`{name}` follows a field with a default")
            return
        self.defaults[name] = self._default(name, value)

    def _default(self, name: str, value: ast.expr) -> Constant | Computed | Factory:
        if not isinstance(value, ast.Call) or _meaning(self.module, value.func) != (
            "dataclasses.field"
        ):
            return self._constant(name, value)
        options = {each.arg: each.value for each in value.keywords}
        if value.args or set(options) not in ({"default"}, {"default_factory"}):
            raise self._more(f"the field `{name}` has options besides its default")
        if "default" in options:
            return self._constant(name, options["default"])
        made = options["default_factory"]
        if isinstance(made, ast.Name) and made.id in _FRESH and not self._known(made.id):
            return Factory(ast.fix_missing_locations(ast.copy_location(_FRESH[made.id](), made)))
        if isinstance(made, ast.Lambda) and not _parameters(made.args):
            self._constant(name, made.body)
            return Factory(made.body)
        raise self._more(f"what makes the default of `{name}` is no list, dict or lambda")

    def _attribute(self, name: str, value: ast.expr) -> None:
        self._fresh(name)
        self.attributes[name] = self._constant(name, value)

    def _constant(self, name: str, value: ast.expr) -> Constant | Computed:
        names = {each.id for each in ast.walk(value) if isinstance(each, ast.Name)}
        found = None if names & self.own else self.constant(value)
        if found is None:
            raise self._more(f"the value of `{name}` is no constant")
        return found

    def _function(self, node: ast.FunctionDef) -> None:
        if node.name == "__init__" and not self.declares and not node.decorator_list:
            self._init(node)
            return
        kind = "method"
        if node.decorator_list:
            (first, *others) = node.decorator_list
            kind = _KINDS.get(first.id, "") if isinstance(first, ast.Name) else ""
            if others or not kind or self._known(ast.unparse(first)):
                raise self._more(f"the decorator of `{node.name}` can replace it")
        self._fresh(node.name)
        defaults = [*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)]
        inside = {n.id for d in defaults for n in ast.walk(d) if isinstance(n, ast.Name)}
        if inside & self.own:
            raise self._more(f"a default of `{node.name}` is read in the class")
        if kind != "static" and not (node.args.posonlyargs or node.args.args):
            raise self._more(f"`{node.name}` takes no `self`")
        if kind == "property" and len(_parameters(node.args)) != 1:
            raise self._more(f"the property `{node.name}` takes arguments")
        function = Closure(node, self.module, None, f"{self.node.name}.{node.name}")
        self.members[node.name] = Member(kind, function)

    def _storing(self, member: Member) -> Member:
        """A method that stores into `self`, as one that gives `self` another value."""
        node = member.function.node
        if member.kind != "method" or not isinstance(node, ast.FunctionDef):
            return member
        made = rebinding(node, self.fields, self.attributes)
        if made is None:
            return member
        function = Closure(made, self.module, None, member.function.name)
        return Member(member.kind, function, stores=True)

    def _init(self, node: ast.FunctionDef) -> None:
        """`__init__` that stores one value after the other under names of `self`."""
        spec = node.args
        own = [*spec.posonlyargs, *spec.args]
        values: list[ast.expr] = []
        if not own or self.made is not None or spec.kwarg is not None:
            raise self._init_does_more()
        self_ = own[0].arg
        for statement in node.body:
            if isinstance(statement, ast.Pass) or _documentation(statement):
                continue
            if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
                target, value = statement.targets[0], statement.value
            elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
                target, value = statement.target, statement.value
            else:
                raise self._init_does_more()
            if ast.unparse(target) != f"{self_}.{getattr(target, 'attr', '')}":
                raise self._init_does_more()
            if any(isinstance(n, ast.Name) and n.id == self_ for n in ast.walk(value)):
                raise self._init_does_more()
            assert isinstance(target, ast.Attribute)
            self._fresh(target.attr, field=True)
            if target.attr in self.own:
                raise self._more(f"`{target.attr}` is bound twice")
            self.fields.append(target.attr)
            values.append(value)
        inside = [*spec.defaults, *(d for d in spec.kw_defaults if d is not None)]
        if {n.id for d in inside for n in ast.walk(d) if isinstance(n, ast.Name)} & self.own:
            raise self._more("a default of `__init__` is read in the class")
        rest = ast.arguments(
            spec.posonlyargs[1:], spec.args if spec.posonlyargs else spec.args[1:], spec.vararg,
            spec.kwonlyargs, spec.kw_defaults, None, spec.defaults,
        )  # fmt: skip
        gives = ast.Return(ast.Tuple(values, ast.Load()))
        function = ast.FunctionDef("__init__", rest, [ast.copy_location(gives, node)], [])
        ast.fix_missing_locations(ast.copy_location(function, node))
        self.made = Closure(function, self.module, None, self.node.name)

    def _init_does_more(self) -> _Unread:
        return _Unread(
            f"`{self.node.name}.__init__` does more than to store one value after the other",
            "@dataclass above the class, with its fields, and a function that makes it",
        )

    def _known(self, name: str) -> bool:
        """Whether the file or the class gives a builtin's name another meaning."""
        return name in self.module.bindings or name in self.own

    def _fresh(self, name: str, field: bool = False) -> None:
        """Raises:
        _Unread: a name that means something else in the class, or to Python.
        """
        if name.startswith("__") or name in _OF_TUPLES:
            raise self._more(f"it has `{name}`")
        if name in self.fields or name in self.members or name in self.attributes:
            raise self._more(f"`{name}` is bound twice")
        if field and name.startswith("_"):
            raise self._more(f"the name of the field `{name}` begins with an underscore")

    def _more(self, what: str) -> _Unread:
        return _Unread(
            f"`{self.node.name}` is a class with more than plain fields, constants and methods: "
            f"{what}",
            "a dataclass of fields whose methods return new values, or functions",
        )


def _declares(module: SourceFile, node: ast.ClassDef) -> bool:
    """Whether annotations in the body declare fields.

    Raises:
        _Unread: a class that inherits, or that a decorator makes into something unknown.
    """
    if node.keywords:
        raise _Unread(f"`{node.name}` is made by a metaclass or with options", _PLAINLY)
    bases = [_meaning(module, base) for base in node.bases]
    if bases and (len(bases) > 1 or bases[0] not in _NAMED_TUPLES or node.decorator_list):
        shown = ", ".join(ast.unparse(base) for base in node.bases)
        raise _Unread(
            f"`{node.name}` inherits from {shown}, and inherited fields and methods are not read",
            f"write what {node.name} needs of {shown} into {node.name} itself",
        )
    if not node.decorator_list:
        return bool(bases)
    (first, *others) = node.decorator_list
    options: list[str] = []
    if isinstance(first, ast.Call):
        options = [k.arg or "**" for k in first.keywords if k.arg not in ("frozen", "slots")]
        options += ["..."] * len(first.args)
        first = first.func
    if others or options or _meaning(module, first) not in _DATACLASSES:
        raise _Unread(f"`{node.name}` has a decorator or options that are not read", _PLAINLY)
    return True


def _is_fixed(node: ast.ClassDef) -> bool:
    """Whether Python refuses stores into instances: named tuples, and what may be frozen."""
    options = [each for each in node.decorator_list if isinstance(each, ast.Call)]
    return bool(node.bases or options)


_PLAINLY = "@dataclass or @dataclass(frozen=True) above the class, and nothing else"


def _bound(node: ast.ClassDef) -> set[str]:
    """Names that the body of a class binds."""
    found = set()
    for each in node.body:
        if isinstance(each, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            found.add(each.name)
        else:
            found |= {
                name.id
                for name in ast.walk(each)
                if isinstance(name, ast.Name) and not isinstance(name.ctx, ast.Load)
            }
    return found


def _parameters(spec: ast.arguments) -> list[ast.arg]:
    rest = [each for each in (spec.vararg, spec.kwarg) if each is not None]
    return [*spec.posonlyargs, *spec.args, *spec.kwonlyargs, *rest]


def _meaning(module: SourceFile, node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        found = module.lookup(node.id)
        return found.dotted if isinstance(found, Library) else ""
    return (qualified(module, node) or "") if isinstance(node, ast.Attribute) else ""


def _documentation(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
