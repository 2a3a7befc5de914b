"""Writes analysts.ipynb from analysts.py, so that the tutorial is one readable file.

`python examples/notebook.py` writes the notebook; `tests/test_notebooks.py` compares the two and
runs every cell in a kernel.  The form of the source is that of editors: `# %% [markdown]` begins a
cell of text, `# %%` a cell of code, and `# %% fails: words` one that ends in an error with these
words.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE, NOTEBOOK = HERE / "analysts.py", HERE / "analysts.ipynb"
MARK, TEXT, FAILS = "# %%", "[markdown]", "fails:"


@dataclass(frozen=True)
class Cell:
    """One cell: whether it is text, what it says, and words of the error that it has to end in."""

    is_text: bool
    source: str
    fails: str = ""

    def as_json(self, number: int) -> dict[str, object]:
        """The cell in the notebook's format, with its number as its name; outputs are left out."""
        shared = {"id": f"cell-{number}", "source": self.source.splitlines(keepends=True)}
        if self.is_text:
            return {"cell_type": "markdown", "metadata": {}, **shared}
        tags = {"tags": ["raises-exception"]} if self.fails else {}
        nothing = {"execution_count": None, "outputs": []}
        return {"cell_type": "code", "metadata": tags, **shared, **nothing}


def cells(text: str) -> list[Cell]:
    """The cells of a source; raises ValueError where a mark says something else."""
    found = []
    for part in f"\n{text}".split(f"\n{MARK}")[1:]:
        mark, _, body = part.partition("\n")
        mark, body = mark.strip(), body.strip("\n")
        if mark == TEXT:
            body = "\n".join(line.removeprefix("#").removeprefix(" ") for line in body.split("\n"))
        elif mark and not mark.startswith(FAILS):
            raise ValueError(f"a cell begins with {MARK} {mark!r}")
        found.append(Cell(mark == TEXT, body, mark.removeprefix(FAILS).strip() * (mark != TEXT)))
    return found


def notebook(parts: list[Cell]) -> str:
    """The text of the notebook with these cells."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {
        "cells": [cell.as_json(number) for number, cell in enumerate(parts, 1)],
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    NOTEBOOK.write_text(notebook(cells(SOURCE.read_text("utf-8"))), "utf-8")
    print(NOTEBOOK)
