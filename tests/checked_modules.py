"""Modules made from a text, as if a person had written and imported a file."""

from __future__ import annotations

import importlib.util
import itertools
import sys
import textwrap
from pathlib import Path
from types import ModuleType

_COUNT = itertools.count()
HEAD = "import metricdp as dp\nfrom metricdp import L1, L2, Data, LInf, Real\n"


def load(folder: Path, text: str, head: str = HEAD) -> ModuleType:
    """The module of `text`, written to a fresh file of `folder` and imported from there."""
    name = f"checked_program_{next(_COUNT)}"
    path = folder / f"{name}.py"
    path.write_text(head + textwrap.dedent(text), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
