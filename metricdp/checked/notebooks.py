"""Which cells of a notebook ran, and in which order: what the front end keeps of them.

IPython, and with it Jupyter, keeps the transformed text of every cell that ran; the code of a
function names the cell that it was compiled from.
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable
from typing import Any

from metricdp.check.source.cells import Notebook, Ran


def version(function: Callable[..., Any]) -> int | None:
    """A number that is another one after any cell ran; None for a function of a file."""
    shell = _shell(function)
    return None if shell is None else len(shell.history_manager.input_hist_parsed)


def notebook_of(function: Callable[..., Any]) -> Notebook | None:
    """The cells that ran until now in the notebook of a function; None for one of a file."""
    shell = _shell(function)
    if shell is None:
        return None
    texts = list(shell.history_manager.input_hist_parsed)
    files = _files({text.rstrip("\n") for text in texts})
    own = function.__code__.co_filename
    ran = [
        Ran(number, text, files.get(text.rstrip("\n"), ""))
        for number, text in enumerate(texts)
        if number
    ]
    if all(each.file != own for each in ran):  # run without being kept in the history
        ran.insert(0, Ran(0, "".join(linecache.getlines(own)), own))
    return Notebook(ran, function.__globals__)


def _shell(function: Callable[..., Any]) -> Any:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    names = getattr(function, "__globals__", None)
    return shell if shell is not None and names is shell.user_ns else None


def _files(texts: set[str]) -> dict[str, str]:
    """Text of a cell -> the file that its code objects name."""
    found = {}
    for file in list(linecache.cache):
        entry = linecache.cache.get(file)
        if entry is not None and len(entry) == 4 and entry[1] is None:  # kept for ever: no file
            text = "".join(entry[2]).rstrip("\n")
            if text in texts:
                found[text] = file
    return found
