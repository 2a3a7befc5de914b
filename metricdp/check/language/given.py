"""`prices.get(row.item, 0)`, `prices[row.item]`: what a dictionary that is a parameter has under a
private key.

Which keys and entries it has is public and not known while checking, so nothing is known of the
entry but its kind: a function of the key alone, which `dp.clamp` bounds.  Without a default the key
has to be there, which a test around shows, `if row.item in prices`.
"""

from __future__ import annotations

import ast

from metricdp.check.language import totality
from metricdp.check.language.applying import apply
from metricdp.check.language.interpreter import Interpreter
from metricdp.check.language.known_keys import are_compared
from metricdp.check.values import public, total
from metricdp.check.values.findings import Stop
from metricdp.check.values.objects import Obj, Value
from metricdp.check.values.regions import disjoint, rejected
from metricdp.check.values.terms import applied
from metricdp.spaces import Scalar

#: Type of the entries of a parameter -> what stands for one that is not there.
_NOTHING = {"float": 0, "int": 0, "str": ""}
#: Type of the keys of a parameter -> one of them.
_KEYS = {"str": "", "int": 0}


def got(interpreter: Interpreter, given: Obj, arguments: list[Obj], node: ast.Call) -> Obj | None:
    """`d.get(key, default)`; None where this is another kind of question.

    Raises:
        Stop: no default, or one of another kind than the entries.
    """
    if not arguments or not _is_asked(given, arguments[0]) or len(arguments) > 2:
        return None
    assert isinstance(given, Value) and given.keys is not None
    default = interpreter.seen(arguments[1]) if len(arguments) > 1 else None
    kind = _kind(given.keys.held, default)
    if default is None or not kind:
        raise _other_default(interpreter, given.keys.held, node)
    return _entry(interpreter, given, arguments[0], default, kind, node)


def entry_at(interpreter: Interpreter, given: Obj, index: Obj, node: ast.Subscript) -> Obj | None:
    """`d[key]` of a key that is certainly there; None where this is another question.

    Raises:
        Stop: nothing shows that the key is there.
    """
    if not _is_asked(given, index):
        return None
    assert isinstance(given, Value) and given.keys is not None
    domain, asked = interpreter.domain, {"x": index, "y": given}
    truth = Value("private", Scalar("Bool"))
    there = applied(interpreter.named("contains", node), asked, truth, domain.term, domain.operand)
    shown = there is not None and disjoint(domain.where, rejected(there))
    if not shown and not (domain.decided and domain.put_off()):
        base, key = interpreter.text(node.value), interpreter.text(node.slice)
        default = repr(_NOTHING[given.keys.held])
        raise interpreter.stop(
            node, "partial-operation",
            f"nothing shows that {key} is a key of `{base}`: another one would raise, and that "
            "would be seen", f"the test that it is one, if {key} in {base}, or a default",
            f"{base}.get({key}, {default})",
        )  # fmt: skip
    nothing = public.literal(_NOTHING[given.keys.held])
    return _entry(interpreter, given, index, nothing, given.keys.held, node)


def _is_asked(given: Obj, key: Obj) -> bool:
    keys = given.keys if isinstance(given, Value) and not given.private else None
    if keys is None or keys.how != ("dict",):
        return False
    return (
        keys.held in _NOTHING and keys.element in _KEYS and are_compared(key, [_KEYS[keys.element]])
    )


def _kind(held: str, default: Obj | None) -> str:
    """The type of what is found, an entry or the default; "" where they are of several."""
    if not isinstance(default, Value) or default.private:
        return ""
    if held == "str":
        return "str" if public.kind(default) == "text" else ""
    if not public.is_number(default) or public.kind(default) == "bool":
        return ""
    return held if public.kind(default) == "int" or type(default.literal) is int else "float"


def _entry(
    interpreter: Interpreter, given: Value, key: Obj, default: Obj, kind: str, node: ast.AST
) -> Obj:
    record, arguments = interpreter.named("entry_of", node), [given, key, default]
    found = apply(interpreter, record, [*arguments, public.literal(kind)], {}, node, [None] * 4, {})
    totality.shown(interpreter, node, total.TOTAL)
    interpreter.act(node, "entry_of", kind)
    return found


def _other_default(interpreter: Interpreter, held: str, node: ast.Call) -> Stop:
    assert isinstance(node.func, ast.Attribute)
    base, key = interpreter.text(node.func.value), interpreter.text(node.args[0])
    named = {"str": "texts", "int": "whole numbers"}.get(held, "numbers")
    return interpreter.stop(
        node, "unsupported-call",
        f"`{base}.get` gives {'its default' if len(node.args) > 1 else 'None'} where {key} is no "
        f"key, which is no value like those beside it",
        f"a public default: the entries are {named}", f"{base}.get({key}, {_NOTHING[held]!r})",
    )  # fmt: skip
