"""What was typed into notebooks and consoles, where they keep it: texts in the order they ran.

A front end is asked for the texts behind a function; it answers None when the function is not its
own.  What it says is compared with the compiled function before it is believed.
"""

from __future__ import annotations

import linecache
import re
import sys
from codeop import compile_command
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any, NamedTuple

Function = Callable[..., Any]


class Typed(NamedTuple):
    """What ran so far.

    Attributes:
        word: what a person calls one text (cell, input, example).
        texts: in the order in which they ran, counted as the front end counts them.
    """

    word: str
    texts: tuple[str, ...]


_DOCTEST = re.compile(r"<doctest (.*)\[(\d+)\]>$")
#: The files of the prompt of Python 3.13 and later.
_INPUT = re.compile(r"<python-input-(\d+)>$")
#: A clause at the margin belongs to the block before it.
_CLAUSE = re.compile(r"(elif|else|except|finally|case)\b")


def typed(function: Function) -> Typed | None:
    """What ran so far in the notebook or console of a function; None for a function of a file."""
    if not isinstance(function, FunctionType):
        return None
    for front in (_ipython, _marimo, _doctest, _prompt, _command):
        found = front(function)
        if found is not None:
            return found
    return None


def _ipython(function: Function) -> Typed | None:
    """IPython and Jupyter keep the transformed text of every cell."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None or function.__globals__ is not shell.user_ns:
        return None
    # A cell that ran without being kept in the history comes first: what was kept is newer.
    own = "".join(linecache.getlines(function.__code__.co_filename))
    return Typed("cell", (own, *shell.history_manager.input_hist_parsed[1:]))


def _marimo(function: Function) -> Typed | None:
    """marimo keeps its cells in a graph, in which every name is bound by one of them."""
    context = sys.modules.get("marimo._runtime.context")
    if context is None or function.__globals__.get("__name__") != "__main__":
        return None
    present = context.safe_get_context()
    if present is None:
        return None
    return Typed("cell", ("", *(each.code for each in present.graph.cells.values())))


def _doctest(function: Function) -> Typed | None:
    """doctest has the examples of the docstring that it runs."""
    ours = _DOCTEST.match(function.__code__.co_filename)
    if ours is None:
        return None
    runner = getattr(linecache.getlines, "__self__", None)  # doctest puts its own in this place
    test = getattr(runner, "test", None)
    if test is None or test.name != ours[1]:
        return None
    return Typed(f"{test.name}, example", ("", *(each.source for each in test.examples)))


def _prompt(function: Function) -> Typed | None:
    """The prompt of Python 3.13 keeps each input; of those before, readline has the lines."""
    if function.__globals__ is not vars(sys.modules["__main__"]):
        return None
    file = function.__code__.co_filename
    if _INPUT.match(file):
        kept = sorted((int(m[1]), name) for name in linecache.cache if (m := _INPUT.match(name)))
        return Typed("input", tuple("".join(linecache.getlines(name)) for _, name in kept))
    if file != "<stdin>" or not hasattr(sys, "ps1"):
        return None
    readline = sys.modules.get("readline")
    if readline is None:
        return None
    count = readline.get_current_history_length()
    lines = [readline.get_history_item(n) or "" for n in range(1, count + 1)]
    return Typed("input", ("", *_statements(lines)))


def _command(function: Function) -> Typed | None:
    """`python -c TEXT` keeps the text among its arguments."""
    if function.__code__.co_filename != "<string>" or "-c" not in sys.orig_argv:
        return None
    if function.__globals__ is not vars(sys.modules["__main__"]):
        return None
    return Typed("-c, text", ("", sys.orig_argv[sys.orig_argv.index("-c") + 1]))


def _statements(lines: Iterable[str]) -> list[str]:
    """Lines of a history as statements.

    The history leaves out the empty lines that end blocks; so a block ends before the next line
    that starts at the margin and does not go on with it.
    """
    found: list[list[str]] = []
    for line in lines:
        if not found or (_whole(found[-1]) and not _goes_on(line)):
            found.append([])
        found[-1].append(line)
    return ["\n".join(block) + "\n" for block in found]


def _whole(block: list[str]) -> bool:
    """Whether lines are a statement, or can never become one."""
    if block[-1].lstrip().startswith("@"):
        return False
    try:
        return compile_command("\n".join(block) + "\n", symbol="exec") is not None
    except (SyntaxError, ValueError, OverflowError):
        return True


def _goes_on(line: str) -> bool:
    return line[:1].isspace() or _CLAUSE.match(line) is not None
