"""The stub of `metricdp`, written from the records: `python -m metricdp.checked.stubs`.

Names that load on first use have nothing that a type checker or an editor could read; the stub has
the signature and the docstring of every primitive, and says where every other name comes from.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from metricdp.checked.manual import manual_of, signature_of
from metricdp.checked.rules import rule_names
from metricdp.record import REGISTRY
from metricdp.report.stub_text import HEAD, function_text

_NUMBER = "float | Fraction"
#: Types of public parameters by name; whatever may be private, a function or a container is Any.
_TYPES = {
    **dict.fromkeys(
        "scale query_scale epsilon delta rho omega eps s sensitivity prob radius".split(), _NUMBER
    ),
    **dict.fromkeys("size reports branching leaves ddof multiplicity".split(), "int"),
    "monotone": "bool",
    "separator": "str",
}
#: Names that are types of the arrays they hold under type checkers.
_SPACES = "Aligned Bool Data Gradient Int Matrix Real Records Vector".split()
_PACKAGES = "algorithms audit errors laws maps measures opendp pictures sessions".split()


def stub() -> str:
    """The text of the stub."""
    parts = [
        HEAD.format(writer="metricdp.checked.stubs", doc=import_module("metricdp").__doc__),
        "from fractions import Fraction\nfrom typing import Any, overload\n",
        *_imports(),
        "\n__version__: str\n",
    ]
    for name in rule_names():
        parts.append(_function(name))
    return "\n".join(parts)


def _function(name: str) -> str:
    """A name, with every record that it may stand for by the number of its arguments."""
    found = [record for record in REGISTRY.values() if name in (record.name, *record.spelling.seed)]
    found = [record for record in found if record.kind != "control"]
    texts = [
        function_text(name, signature_of(each), manual_of(each), "Any", _TYPES) for each in found
    ]
    return texts[0] if len(texts) == 1 else "\n".join(f"@overload\n{text}" for text in texts)


def _imports() -> Iterator[str]:
    front = import_module("metricdp")
    yield from (f"from metricdp import {name} as {name}" for name in _PACKAGES)
    for name, home in sorted(front._NAMES.items()):
        if name in _SPACES:
            yield f"from metricdp._typing import {name} as {name}"
        else:
            value = getattr(front, name)
            yield f"from {getattr(value, '__module__', home)} import {name} as {name}"


def main() -> None:
    """Write the stub beside the package's front."""
    (Path(__file__).parent.parent / "__init__.pyi").write_text(stub(), encoding="utf-8")


if __name__ == "__main__":
    main()
