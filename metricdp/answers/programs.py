"""Checked functions of files, with everything that check concluded about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from metricdp.check.source.declared import declarations
from metricdp.check.source.program import Project
from metricdp.check.verdicts.api import read
from metricdp.check.verdicts.verify import Outcome, verify
from metricdp.diagnostics import Diagnostic


class Programs(msgspec.Struct, frozen=True):
    """What was found in some files.

    Attributes:
        outcomes: one per decorated function, in order of file and line; no black boxes.
        diagnostics: of files that are no Python.
        sources: file -> its text.
    """

    outcomes: tuple[Outcome, ...]
    diagnostics: tuple[Diagnostic, ...]
    sources: Mapping[str, str]


def programs(files: Sequence[str], measure: str | None = None) -> Programs:
    """Check every function of the files, without importing or running them."""
    project = Project()
    found: list[Outcome] = []
    wrong: list[Diagnostic] = []
    for file in files:
        for module in read(project, file):
            if isinstance(module, Diagnostic):
                wrong.append(module)
                continue
            for declared in declarations(module):
                if declared.kind != "black_box":
                    found.append(verify(declared, measure))
    return Programs(tuple(found), tuple(wrong), dict(project.sources))
