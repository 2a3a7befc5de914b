"""checked: a decorated function as an object that is proved before it runs."""

from metricdp.checked.decorators import black_box, measurement, transformation
from metricdp.checked.function import CheckedFunction
from metricdp.checked.rules import rule, rule_names

__all__ = [
    "CheckedFunction",
    "black_box",
    "measurement",
    "rule",
    "rule_names",
    "transformation",
]
