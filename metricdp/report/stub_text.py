"""Functions as they stand in stubs, which type checkers and editors read."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import Parameter, Signature
from textwrap import indent

HEAD = '''# ruff: noqa
# fmt: off
# Written by `python -m {writer}`; do not edit.
"""{doc}"""
'''


def function_text(
    name: str, signature: Signature, doc: str, result: str, types: Mapping[str, str]
) -> str:
    """One function with its signature and docstring.

    Args:
        types: name of a parameter -> its type; a parameter that is not there may be anything.
    """
    lines = []
    plain = True
    for parameter in signature.parameters.values():
        if parameter.kind is Parameter.KEYWORD_ONLY and plain:
            lines.append("    *,\n")
        plain = plain and parameter.kind not in (Parameter.KEYWORD_ONLY, Parameter.VAR_POSITIONAL)
        lines.append(f"    {_parameter(parameter, types)},\n")
    inside = f"\n{''.join(lines)}" if lines else ""
    doc = doc.replace("\\", "\\\\").replace('"""', "'''").strip()
    body = indent(f'"""{doc}\n"""' if "\n" in doc else f'"""{doc}"""', "    ", lambda _: True)
    body = "\n".join(line.rstrip() for line in body.split("\n"))
    return f"def {name}({inside}) -> {result}:\n{body}\n    ...\n"


def _parameter(p: Parameter, types: Mapping[str, str]) -> str:
    kind = types.get(p.name, "Any")
    if p.kind is Parameter.VAR_POSITIONAL:
        return f"*{p.name}: {kind}"
    if p.default is Parameter.empty:
        return f"{p.name}: {kind}"
    optional = kind if kind == "Any" or p.default is not None else f"{kind} | None"
    return f"{p.name}: {optional} = ..."
