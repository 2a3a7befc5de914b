"""A diagnostic code: stable id, readable name, explanation, and a rejected and a mended example."""

from __future__ import annotations

import msgspec

#: Written before every example, so that each is a whole program.
PRELUDE = (
    "from typing import Annotated\n"
    "import metricdp as dp\n"
    "from metricdp import Bounds, Data, L1, L2, LInf, Matrix, Real, Records, Vector\n"
)


class Code(msgspec.Struct, frozen=True):
    """One entry of the catalogue.

    Attributes:
        name: readable name, says what is wrong ("unbounded-sum").
        id: stable id ("DP101"): 1xx stability, 2xx public and private flow, 3xx claims,
            4xx numerics, 5xx the Python subset, 9xx files, usage and internal.
        title: one line without jargon.
        means, why: paragraphs of plain text.
        rejected, mended: example text; programs unless `language` says otherwise.
        language: "python", or "shell" for a command line.
        exit_code: of a check whose worst finding this is.
    """

    name: str
    id: str
    title: str
    means: str
    why: str
    rejected: str
    mended: str
    language: str = "python"
    exit_code: int = 1

    @property
    def explanation(self) -> str:
        """What `metricdp explain` prints."""
        return "\n".join(
            [
                f"{self.id} {self.name}: {self.title}",
                "",
                "What it means",
                _indent(self.means),
                "",
                "Why",
                _indent(self.why),
                "",
                "Example rejected",
                _indent(self.rejected),
                "",
                "Example mended",
                _indent(self.mended),
            ]
        )


def _indent(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.strip("\n").split("\n"))
