"""`metricdp.algorithms` as source: its functions are called like those of the user's own files.

The package loads its functions by name when it is imported; here the same table says which file has
a name, and the file is read, never run.
"""

from __future__ import annotations

import os

from metricdp.check.source.program import Module, Project
from metricdp.check.values.objects import Constant, Obj

PACKAGE = "metricdp.algorithms"
_FOLDER = os.path.join(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "algorithms"
)


class Catalogue(Module):
    """The package itself: a name of it is a function of the file that holds it."""

    def _resolve(self, name: str) -> Obj | None:
        homes = super()._resolve("_HOMES")
        if not isinstance(homes, Constant) or not isinstance(homes.value, dict):
            return None
        for home, names in homes.value.items():
            if name in names.split():
                module = algorithm_file(self.project, home)
                return module.lookup(name) if module is not None else None
        return None


def algorithm_file(project: Project, home: str = "") -> Module | None:
    """A file of the package; the package itself for no name."""
    path = os.path.join(_FOLDER, f"{home or '__init__'}.py")
    found = project.load(path) if os.path.isfile(path) else None
    if not isinstance(found, Module) or home:
        return found if isinstance(found, Module) else None
    if not isinstance(found, Catalogue):
        found = Catalogue(path, found.source, found.tree, project)
        project.modules[os.path.abspath(path)] = found
    return found
