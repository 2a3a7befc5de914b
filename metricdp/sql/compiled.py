"""A checked function from its source text."""

from __future__ import annotations

import hashlib
import linecache
from functools import lru_cache
from types import ModuleType
from typing import Any

from metricdp.checked.function import CheckedFunction
from metricdp.errors import InternalError, SqlError


@lru_cache(maxsize=128)
def compiled(source: str, name: str = "query") -> CheckedFunction[..., Any]:
    """The checked function of a file that was written here.

    The text is kept where Python looks for lines of files, so that check reads what was compiled.

    Raises:
        SqlError: Python cannot compile it, as it is nested too deeply.
        InternalError: there is no such function in it.
    """
    digest = hashlib.sha256(source.encode()).hexdigest()[:16]
    file = f"metricdp_query_{digest}.py"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    module = ModuleType(file.removesuffix(".py"))
    try:
        exec(compile(source, file, "exec", dont_inherit=True), module.__dict__)
    except (SyntaxError, RecursionError, MemoryError):
        raise SqlError("parts that are nested too deeply", remedy="shorter expressions") from None
    found = module.__dict__.get(name)
    if not isinstance(found, CheckedFunction):
        raise InternalError("a query became no checked function", place="sql")
    return found
