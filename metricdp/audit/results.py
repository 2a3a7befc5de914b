"""What an attack ends with: a pair that refutes the claim, or the number of pairs survived."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from metricdp.audit.boxes import BoxReport
from metricdp.audit.measurements.verdicts import Verdict
from metricdp.audit.values import shown
from metricdp.expr import Expr


class Refuted(msgspec.Struct, frozen=True):
    """A claim that is false, with the smallest pair found.

    Attributes:
        name: the function.
        x, x2: argument -> value; synthetic, never anyone's data.
        d_in: argument -> exact distance of the two values.
        moved: exact distance of the two results; None when there is none (see `why`).
        claimed: the bound at these distances.
        results: the two results as text.
        tried: pairs tried until one failed.
        seed: of the search.
        claim: the claimed map as text.
        unit: of the first argument that moved, in words.
        why: "moved too far", "raises ..." or "left its output space".
        replay: command that repeats the search, or "".
    """

    name: str
    x: Mapping[str, Any]
    x2: Mapping[str, Any]
    d_in: Mapping[str, Expr]
    moved: Expr | None
    claimed: Expr
    results: tuple[str, str]
    tried: int
    seed: int
    claim: str = ""
    unit: str = ""
    why: str = "moved too far"
    replay: str = ""

    @property
    def refuted(self) -> bool:
        """True."""
        return True

    def __str__(self) -> str:
        if self.moved is None:
            head = f"error[claim-refuted]: `{self.name}` {self.why}"
        else:
            head = f"error[claim-refuted]: `{self.name}` moves further than {self.claim}"
        indent = " " * 22
        lines = [head]
        for i, name in enumerate(self.x):
            start = "   = counterexample   " if i == 0 else indent
            distance = f"d({name}, {name}') = {_number(self.d_in[name])}"
            if i == 0 and self.unit:
                distance += f"   (unit: {self.unit})"
            lines.append(f"{start}{name}  = {shown(self.x[name])}")
            lines.append(f"{indent}{name}' = {shown(self.x2[name])}    {distance}")
        inner = ", ".join(self.x)
        primed = ", ".join(f"{name}'" for name in self.x)
        lines.append(
            f"{indent}{self.name}({inner}) = {self.results[0]},  "
            f"{self.name}({primed}) = {self.results[1]}"
        )
        if self.moved is not None:
            lines.append(
                f"{indent}moved {_number(self.moved)}, claimed at most {_number(self.claimed)}"
            )
        count = f"{self.tried:,}".replace(",", " ")
        found = f"found at pair {count}, then shrunk, seed {self.seed}"
        replay = f";  replay: {self.replay} --seed {self.seed}" if self.replay else ""
        lines.append(f"   = {found}{replay}")
        return "\n".join(lines)


class Survived(msgspec.Struct, frozen=True):
    """No pair beat the claim: evidence, not proof.

    Attributes:
        name: the function.
        pairs: pairs tried.
        seed: of the search.
        closest: largest moved / claimed seen, as a double; 1.0 says that the claim is attained.
        claim: the claimed map as text.
        replay: command that repeats the search, or "".
    """

    name: str
    pairs: int
    seed: int
    closest: float = 0.0
    claim: str = ""
    replay: str = ""

    @property
    def refuted(self) -> bool:
        """False."""
        return False

    def __str__(self) -> str:
        count = f"{self.pairs:,}".replace(",", " ")
        line = (
            f"survived: `{self.name}` within {self.claim} on {count} pairs, seed {self.seed}; "
            f"closest {self.closest:.3g} of the bound (survived is not proved)"
        )
        return line


class AuditReport(msgspec.Struct, frozen=True):
    """Results for every function of a target, in order."""

    results: tuple[Refuted | Survived | BoxReport | Verdict, ...]

    @property
    def refuted(self) -> bool:
        """Whether some claim is false."""
        return any(result.refuted for result in self.results)

    def __str__(self) -> str:
        return "\n".join(map(str, self.results))


def _number(value: Expr) -> str:
    """Exact when short, with a decimal beside roots and long fractions."""
    text = str(value)
    if value.is_infinite or (value.as_fraction() is not None and len(text) <= 24):
        return text
    decimal = f"about {float(value.lower({})):.6g}"
    return decimal if len(text) > 40 else f"{text} ({decimal})"
