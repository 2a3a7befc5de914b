"""`dp.reveal(x)`: a finding that says where a value lies and how far one person moves it."""

from __future__ import annotations

from typing import Any

from metricdp.check.domain.privacy import PrivacyDomain
from metricdp.check.language.interpreter import Interpreter
from metricdp.check.values.findings import report
from metricdp.check.values.forms import Source
from metricdp.check.values.objects import Obj, TupleValue, Value


def reveal(
    interpreter: Interpreter, arguments: list[Obj], keywords: dict[str, Obj], node: Any
) -> Obj:
    """The argument, unchanged; the compiled program does not call anything here."""
    if len(arguments) != 1 or keywords:
        raise interpreter.stop(
            node, "wrong-arguments", "`reveal` takes one value", "one value",
            "dp.reveal(x)",
        )  # fmt: skip
    interpreter.act(node, "identity", "reveal")
    value, shown = interpreter.seen(arguments[0]), node.args[0]
    finding = report(
        interpreter.module, node, "revealed",
        f"`{interpreter.text(shown)}` {described(interpreter.domain, value)}", severity="info",
    )  # fmt: skip
    interpreter.domain.state.warnings.append(finding)
    return arguments[0]


def described(domain: PrivacyDomain, value: Obj) -> str:
    """Space and bound of a value in words."""
    if isinstance(value, TupleValue):
        parts = [described(domain, item) for item in value.items]
        return "holds " + "; ".join(f"[{i}] {part}" for i, part in enumerate(parts))
    if not isinstance(value, Value):
        return "is no data"
    if value.origin == "released":
        return "is released: whatever is computed from it is free"
    if not value.private or value.space is None:
        return "is public" if value.expr is None else f"is public: {value.expr}"
    moves = []
    for source, movement in sorted(domain.movement(value).items(), key=lambda item: item[0]):
        bounds = list(dict.fromkeys(movement.values()))
        if len(bounds) == 1:
            text = str(bounds[0])
        else:
            text = ", ".join(f"{norm}: {bound}" for norm, bound in movement.items())
        moves.append(f"{_source(source)} moves it by {_endless(text)}")
    return f"lies in {value.space.describe()}; " + ("; ".join(moves) or "nothing moves it")


def _source(source: Source) -> str:
    if source.kind == "param":
        return f"`{source.name}`"
    if source.kind == "row":
        return "the row of this round"
    name = "a list" if source.name.startswith("@") else f"`{source.name}`"
    return f"{name} at the start of the round"


def _endless(text: str) -> str:
    return "any amount" if text == "oo" else text
