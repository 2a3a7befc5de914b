"""`python -m metricdp.checked.reference`: write what the examples print, and the pages."""

from __future__ import annotations

from pathlib import Path

import metricdp.checked.manual as manual
from metricdp.checked.reference.examples import shown
from metricdp.primitives import load
from metricdp.record import REGISTRY

_PACKAGE = Path(__file__).parents[2]
_HEAD = '''"""What the examples of the primitives print, and what is proved of them.

Written by `python -m metricdp.checked.reference`; do not edit.
"""

from __future__ import annotations

# fmt: off
# ruff: noqa: E501
EXAMPLES: dict[str, tuple[str, str]] = {
'''


def examples() -> str:
    """The text of `metricdp/primitives/_examples.py`."""
    load()
    lines = [
        f"    {name!r}: {text!r},\n" for name, text in sorted(shown(REGISTRY.values()).items())
    ]
    return "".join([_HEAD, *lines, "}\n"])


def main() -> None:
    """Write the examples, and then the pages, which read them."""
    from importlib import reload

    from metricdp.primitives import _examples

    file = _PACKAGE / "primitives" / "_examples.py"
    file.write_text(examples(), encoding="utf-8")
    reload(_examples)
    manual._examples.cache_clear()
    from metricdp.checked.reference.pages import pages

    docs = _PACKAGE.parent / "docs"
    (docs / "reference").mkdir(exist_ok=True)
    for name, text in pages().items():
        (docs / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
