"""A composition tree with one source of movement under another name."""

from __future__ import annotations

from typing import Any

import msgspec

from metricdp.measures.events import Parallel, Sampled, Spent, Tree, with_parts
from metricdp.measures.sources import mentioned


def renamed(tree: Tree, old: Any, new: str) -> tuple[Tree, str]:
    """The tree whose movements of `old` are movements of `new`, and the name that `new` got.

    It is made a fresh name where the tree has it already: samples of samples nest.
    """
    name, taken = new, mentioned(tree)
    while name in taken:
        name += "'"
    return _renamed(tree, old, name), name


def _renamed(tree: Tree, old: Any, new: Any) -> Tree:
    change = msgspec.structs.replace
    if isinstance(tree, Spent):
        return change(tree, moved={new if k == old else k: v for k, v in tree.moved.items()})
    found = with_parts(tree, lambda part: _renamed(part, old, new))
    if isinstance(found, Parallel | Sampled) and found.parent == old:
        return change(found, parent=new)
    return found
