"""`metricdp audit FILE[::NAME]`: the file is imported and its transformations are attacked.

Two kinds are found: `Transformation` objects made by hand, and decorated functions, whose reference
function, spaces and proved map `metricdp.run.compile` hands over.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from time import monotonic
from types import ModuleType

from metricdp.audit.decorated import is_decorated, subject_of_function
from metricdp.audit.results import AuditReport, Refuted, Survived
from metricdp.audit.search import search
from metricdp.audit.subject import Subject, of_transformation
from metricdp.errors import SourceError
from metricdp.maps import Transformation


def audit_target(
    target: str, seed: int = 0, pairs: int = 5000, seconds: float = 10.0
) -> AuditReport:
    """Attack one transformation of a file, or all of them.

    Args:
        target: "FILE" or "FILE::NAME".  The file is imported: its code runs.
        seed, pairs, seconds: of the search; the time is shared by all subjects.

    Raises:
        SourceError: the file cannot be imported, or has no such transformation.
    """
    path, _, name = target.partition("::")
    module = _imported(path)
    subjects = list(_subjects(module, path, name))
    if not subjects:
        wanted = f"no transformation called {name}" if name else "no transformation"
        raise SourceError(
            f"{wanted} in the file",
            place=path,
            remedy="decorate a function with @dp.transformation, or build a Transformation",
        )
    results: list[Refuted | Survived] = []
    stop = monotonic() + seconds
    for i, subject in enumerate(subjects):
        share = max(0.05, (stop - monotonic()) / (len(subjects) - i))
        results.append(search(subject, seed, pairs, share))
    return AuditReport(tuple(results))


def _subjects(module: ModuleType, path: str, wanted: str) -> Iterator[Subject]:
    for name, value in vars(module).items():
        if wanted and name != wanted:
            continue
        replay = f"metricdp audit {path}::{name}"
        if isinstance(value, Transformation):
            yield of_transformation(value, replay)
        elif is_decorated(value) and getattr(value, "__module__", "") == module.__name__:
            yield from subject_of_function(path, name, replay)


def _imported(path: str) -> ModuleType:
    """The module of a file, under a name of its own."""
    file = Path(path)
    if not file.is_file():
        raise SourceError("no such file", place=path)
    name = f"_metricdp_audit_{file.stem}"
    spec = spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise SourceError("the file is no Python module", place=path)
    module = module_from_spec(spec)
    sys.modules[name] = module
    # Its own folder first, so that it finds the modules beside it as a script does.
    sys.path.insert(0, str(file.resolve().parent))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise SourceError(
            f"importing the file raises {type(error).__name__}: {error}", place=path
        ) from error
    finally:
        sys.path.pop(0)
        del sys.modules[name]
    return module
