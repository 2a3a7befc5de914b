"""Runs that end with an exception: seen by a caller, but no sign of privacy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from metricdp.audit.measurements.drawing import Beside
from metricdp.audit.measurements.neighbours import malformed
from metricdp.audit.measurements.outputs import Raised
from metricdp.audit.measurements.verdicts import grouped
from metricdp.errors import ParameterError


class Failures:
    """Counts the runs of an audit that failed."""

    def __init__(self) -> None:
        self.count, self.ended, self.last = 0, 0, Raised("", "")

    def note(self, outputs: Iterable[Sequence[Any]], data: bool = False) -> None:
        """Count the exceptions among outputs.

        Args:
            data: the mechanism checks the form of its input, which is then no evidence.

        Raises:
            ParameterError: an input has another form than the mechanism takes.
        """
        for side in outputs:
            held = [o.output if isinstance(o, Beside) else o for o in side]
            failed = [o for o in held if isinstance(o, Raised)]
            wrong = next((o for o in failed if data and o.kind == "SchemaError"), None)
            if wrong is not None:
                raise malformed(wrong.text, "pairs")
            self.count += len(failed)
            self.ended += len(side) - len(failed)
            if failed:
                self.last = failed[-1]

    def refuse(self, name: str, made_up: bool) -> None:
        """Refuse a survival where no run ended without an exception: nothing was tried.

        Args:
            made_up: the inputs are nobody's data, so the text of an exception may be shown.

        Raises:
            ParameterError: every run failed.
        """
        if self.ended or not self.count:
            return
        text = f": {self.last.text}" if made_up and self.last.text else ""
        raise ParameterError(
            f"every run fails, with {self.last.kind}{text}", place=name,
            remedy="give inputs and public arguments with which the program runs",
        )  # fmt: skip

    def told(self, runs: int) -> tuple[str, ...]:
        """A note of how many runs failed, where some did."""
        if not self.count:
            return ()
        return (
            f"{grouped(self.count)} of {grouped(runs)} runs failed, the last with {self.last.kind}",
        )
