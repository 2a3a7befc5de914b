"""Names that the body of a black box reads, and that nothing gives a meaning.

A box that reads such a name fails there, and what fails gets the public default: a run
would spend, and release the default.  A name that is bound anywhere in the body counts as bound.
"""

from __future__ import annotations

import ast
import builtins

from metricdp.check.source.boxes import Function, bound_inside, own_nodes
from metricdp.check.values.findings import Stop, stop
from metricdp.check.values.objects import BlackBox, Closure, SourceFile

_OWN = frozenset(dir(builtins)) | {"__file__", "__class__"}


def unbound(box: BlackBox) -> Stop | None:
    """The first name without a meaning, in the box or in a function that it names, as a rejection
    to raise; None if there is none."""
    if box.source is None:
        return None
    waiting: list[tuple[Function, SourceFile]] = [(box.source, box.home)]
    seen: set[int] = set()
    while waiting:
        function, module = waiting.pop()
        if id(function) in seen or module.star_import() is not None:
            continue
        seen.add(id(function))
        inside = bound_inside(function)[0].keys()
        for node in own_nodes(function):
            if not isinstance(node, ast.Name) or node.id in inside or node.id in _OWN:
                continue
            found = module.lookup(node.id)
            if isinstance(found, Closure):
                waiting.append((found.node, found.module))
            elif found is None and node.id not in module.bindings:
                return stop(
                    module, node, "unknown-name",
                    f"the black box `{box.name}` reads `{node.id}`, which has no meaning here: "
                    "rows that reach it would count as the default",
                    "a parameter, an import, or a name of the file",
                    f"import or assign `{node.id}` at the top of the file",
                )  # fmt: skip
    return None
