"""A composition tree with one source of movement under another name."""

from __future__ import annotations

from typing import Any

import msgspec

from metricdp.measures.events import Choice, Parallel, Sampled, Sequence, Spent, Tree


def renamed(tree: Tree, old: Any, new: str) -> tuple[Tree, str]:
    """The tree whose movements of `old` are movements of `new`, and the name that `new` got.

    It is made a fresh name where the tree has it already: samples of samples nest.
    """
    name, taken = new, _sources(tree)
    while name in taken:
        name += "'"
    return _renamed(tree, old, name), name


def _sources(tree: Tree) -> set[Any]:
    if isinstance(tree, Spent):
        return set(tree.moved)
    if isinstance(tree, Sequence | Choice):
        return {name for item in tree.items for name in _sources(item)}
    own = {tree.row, tree.parent} if isinstance(tree, Parallel | Sampled) else set()
    return own | _sources(tree.body)


def _renamed(tree: Tree, old: Any, new: Any) -> Tree:
    change = msgspec.structs.replace
    if isinstance(tree, Spent):
        return change(tree, moved={new if k == old else k: v for k, v in tree.moved.items()})
    if isinstance(tree, Sequence | Choice):
        return change(tree, items=tuple(_renamed(item, old, new) for item in tree.items))
    body = _renamed(tree.body, old, new)
    if isinstance(tree, Parallel | Sampled) and tree.parent == old:
        return change(tree, body=body, parent=new)
    return change(tree, body=body)
