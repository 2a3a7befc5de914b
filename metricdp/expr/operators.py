"""What each method of an expression does, and the file that knows how."""

from __future__ import annotations

from metricdp.expr.core import OPERATORS
from metricdp.expr.enclosures import enclose
from metricdp.expr.functions import absolute
from metricdp.expr.normal_form import cancelled, inverse, product
from metricdp.expr.powers import power
from metricdp.expr.printing import text
from metricdp.expr.signs import is_integer, sign
from metricdp.expr.substitution import substitute


def fill() -> None:
    """Let expressions work: called once, when the package is loaded."""
    OPERATORS.absolute = absolute
    OPERATORS.cancelled = cancelled
    OPERATORS.enclose = enclose
    OPERATORS.inverse = inverse
    OPERATORS.is_integer = is_integer
    OPERATORS.power = power
    OPERATORS.product = product
    OPERATORS.sign = sign
    OPERATORS.substitute = substitute
    OPERATORS.text = text
