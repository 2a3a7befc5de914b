"""`python -m metricdp.primitives`: write the index of the primitives from their modules."""

from __future__ import annotations

from pathlib import Path

from metricdp.primitives import found, record_of
from metricdp.record import Row, row_of

_HEAD = '''"""Where each primitive is, its version, and its other names (`record.Row`).

Written by `python -m metricdp.primitives`; do not edit.
"""

from __future__ import annotations

from metricdp.record import Row

# fmt: off
INDEX: dict[str, Row] = {
'''


def index() -> str:
    """The text of the index."""
    rows: dict[str, Row] = {}
    for name, theme in found():
        if name in rows:
            raise ValueError(f"two primitives are called {name}")
        rows[name] = row_of(record_of(name, theme), theme)
    lines = [f"    {name!r}: {row!r},\n".replace("'", '"') for name, row in rows.items()]
    return "".join([_HEAD, *lines, "}\n"])


def main() -> None:
    """Write the index beside this file."""
    (Path(__file__).parent / "_index.py").write_text(index(), encoding="utf-8")


if __name__ == "__main__":
    main()
