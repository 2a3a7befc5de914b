"""Paths of a command line -> files and notebooks to check, and a finding for each that is none."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from metricdp.diagnostics import Diagnostic, Severity, at_file, file_and_cell
from metricdp.diagnostics.result import CheckReport

_SKIPPED = frozenset({"__pycache__", "node_modules", "site-packages"})


def python_files(paths: Iterable[str]) -> tuple[list[str], list[Diagnostic]]:
    """Files named by `paths`, each once, directories walked for `*.py` and `*.ipynb` in sorted
    order.

    A file that is named is taken whatever its suffix, and `-` is standard input.  Hidden
    directories, virtual environments and caches are skipped inside a directory, unless they are
    named themselves.
    """
    files: dict[str, None] = {}
    findings: list[Diagnostic] = []
    for path in paths:
        if os.path.isdir(path):
            files.update(dict.fromkeys(_walk(path, findings)))
        elif os.path.exists(path) or path == "-":
            files[path] = None
        else:
            findings.append(
                Diagnostic("missing-path", at_file(path), f"no such file or directory: {path}")
            )
    return list(files), findings


def unchecked(paths: Iterable[str], report: CheckReport, severity: Severity) -> list[Diagnostic]:
    """A finding for every path that has no checked function, and no error that says why."""
    spoken = {file_and_cell(function.file)[0] for function in report.functions}
    errors = [found for found in report.diagnostics if found.severity == "error"]
    spoken |= {file_and_cell(found.span.file)[0] for found in errors}
    findings = []
    for path in dict.fromkeys(paths):
        folder = os.path.isdir(path)
        files = list(_walk(path, [])) if folder else ["<stdin>" if path == "-" else path]
        if not (os.path.exists(path) or path == "-") or not spoken.isdisjoint(files):
            continue
        if not folder:
            fact = "this file has no checked function"
        elif files:
            fact = f"no file in this directory has a checked function ({len(files)} read)"
        else:
            fact = "this directory has no Python file and no notebook"
        findings.append(
            Diagnostic(
                "nothing-checked", at_file(path), fact,
                help="@dp.measurement or @dp.transformation above a function, "
                "with `import metricdp as dp`",
                severity=severity,
            )
        )  # fmt: skip
    return findings


def _walk(root: str, findings: list[Diagnostic]) -> Iterator[str]:
    def refused(error: OSError) -> None:
        place = at_file(os.fspath(error.filename or root))
        message = f"the directory cannot be read: {error.strerror}"
        findings.append(Diagnostic("unreadable-file", place, message))

    for folder, inside, names in os.walk(root, onerror=refused):
        inside[:] = sorted(name for name in inside if not _skipped(folder, name))
        for name in sorted(names):
            if name.endswith((".py", ".ipynb")):
                path = os.path.join(folder, name)
                yield os.path.normpath(path) if root == "." else path


def _skipped(folder: str, name: str) -> bool:
    if name.startswith(".") or name in _SKIPPED:
        return True
    return os.path.exists(os.path.join(folder, name, "pyvenv.cfg"))
