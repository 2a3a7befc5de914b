"""The guarantee of one function: what check concluded, as data and as a report."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.check.forms import Source
from metricdp.check.requirements import facts
from metricdp.diagnostics.result import ClaimReport, FunctionReport, InputReport, Step
from metricdp.expr import ONE, D, Expr
from metricdp.measures.events import Tree
from metricdp.measures.readings import spent
from metricdp.spaces import Space

NAMES = {"pure": ("epsilon",), "zcdp": ("rho",), "approx": ("epsilon", "delta")}


class Input(msgspec.Struct, frozen=True):
    """A parameter of the checked function; `space` is None when it is public."""

    name: str
    space: Space | None
    type: str = ""
    #: Transformation: movement of the result in its printed norm; a map in d_in.
    stability: Expr | None = None
    components: tuple[Expr, ...] | None = None


class SiteNoise(msgspec.Struct, frozen=True):
    """The noise at one call of a mechanism, as expressions in the public parameters."""

    mechanism: str
    norm: str
    noise: Mapping[str, Expr]
    bound: Expr


class Guarantee(msgspec.Struct, frozen=True):
    """What holds for every value of the public parameters that meets `requires`.

    Attributes:
        inputs: parameters in order.
        tree: composition tree of a measurement, or None.
        measure: the measure in which the cost is stated ("pure", "zcdp", "approx").
        requires: relations (left, op, right) on public names.
        sites: noise at every mechanism call, by address.
        targets: public names that stand for targets, read as the decimals that are typed.
        fingerprint: hash of source, rules and versions.
    """

    file: str
    name: str
    line: int
    kind: str
    inputs: tuple[Input, ...]
    output: str
    output_space: Space | None = None
    tree: Tree | None = None
    measure: str = ""
    requires: tuple[tuple[Expr, str, Expr], ...] = ()
    assumptions: tuple[str, ...] = ()
    rests_on: tuple[str, ...] = ()
    claims: tuple[ClaimReport, ...] = ()
    derivation: tuple[Step, ...] = ()
    sites: Mapping[str, SiteNoise] = {}
    targets: tuple[str, ...] = ()
    components: tuple[str, ...] | None = None
    fingerprint: str = ""

    def private(self) -> tuple[Input, ...]:
        """The private parameters."""
        return tuple(i for i in self.inputs if i.space is not None)

    def cost(self, name: str, distance: Expr = ONE, measure: str = "") -> dict[str, Expr]:
        """Cost of one private input at a distance: {"epsilon", "delta"} or {"rho"}."""
        if self.tree is None:
            return {}
        chosen = measure or self.measure
        parts = spent(self.tree, chosen, Source("param", name), distance)
        known = facts(self.requires)
        found = {k: e.subs(known) for k, e in zip(NAMES[chosen], parts, strict=True)}
        if chosen == "pure":
            found["delta"] = D - D
        return found

    def requirement_texts(self) -> tuple[str, ...]:
        """Requirements as printed."""
        return tuple(dict.fromkeys(f"{a} {op} {b}" for a, op, b in self.requires))

    def report(
        self,
        values: Mapping[str, Fraction] | None = None,
        distances: Mapping[str, Fraction] | None = None,
        verdict: Any = "proved",
        delta: Fraction | None = None,
    ) -> FunctionReport:
        """The report of this function; with all public names in `values`, numbers too.

        With `delta`, a cost in rho (or a pure one, where that is smaller) is converted to
        (epsilon, delta) there.
        """
        return FunctionReport(
            self.file, self.name, self.line, self.kind, verdict,
            tuple(self._input(i, values or {}, (distances or {}).get(i.name), delta)
                  for i in self.inputs),
            self.output, self.requirement_texts(), self.assumptions, self.rests_on, self.claims,
            self.derivation, self.components,
        )  # fmt: skip

    def _input(
        self, entry: Input, values: Mapping[str, Fraction], distance: Fraction | None,
        delta: Fraction | None,
    ) -> InputReport:  # fmt: skip
        if entry.space is None:
            return InputReport(entry.name, False)
        from metricdp.expr import num

        unit = entry.space.unit
        if self.tree is None:
            stability = entry.stability
            assert stability is not None
            value = number(
                stability, {**values, **({"d_in": distance} if distance else {"d_in": 1})}
            )
            parts = tuple(map(str, entry.components)) if entry.components is not None else None
            return InputReport(
                entry.name, True, str(entry.space), unit, str(stability), None,
                value if values else None, parts, str(distance) if distance else None,
            )  # fmt: skip
        cost = self.cost(entry.name, num(distance) if distance else ONE)
        numbers = {k: number(e, values) for k, e in cost.items()} if values else {}
        if delta is not None and self.measure in ("zcdp", "pure"):
            cost, numbers = self._converted(
                entry.name, num(distance) if distance else ONE, cost, values, delta
            )
        known = numbers if numbers and all(v is not None for v in numbers.values()) else None
        return InputReport(
            entry.name, True, str(entry.space), unit, None, {k: str(e) for k, e in cost.items()},
            known, None, str(distance) if distance and distance != 1 else None,  # type: ignore[arg-type]
        )  # fmt: skip

    def _converted(
        self, name: str, distance: Expr, cost: dict[str, Expr], values: Mapping[str, Fraction],
        delta: Fraction,
    ) -> tuple[dict[str, Expr], dict[str, Any]]:  # fmt: skip
        """The cost as (epsilon, delta): a formula, and the best number if all names are known."""
        from metricdp.expr import num
        from metricdp.measures.conversion import best_epsilon, symbolic_epsilon
        from metricdp.measures.readings import available

        assert self.tree is not None
        if "zcdp" not in available(self.tree):
            return cost, {k: number(e, values) for k, e in cost.items()} if values else {}
        rho = self.cost(name, distance, "zcdp")["rho"]
        found = cost
        if self.measure == "zcdp":
            found = {"epsilon": symbolic_epsilon(rho, delta), "delta": num(delta)}
        known = number(rho, values)
        if known is None or known == float("inf"):
            return found, {}
        epsilon = best_epsilon(Fraction(known), delta)
        pure = number(cost["epsilon"], values) if self.measure == "pure" else None
        if pure is not None and Fraction(pure) <= epsilon:
            return found, {"epsilon": pure, "delta": Fraction(0)}
        if not rho.symbols:
            printed = Fraction(math.ceil(epsilon * 10**6), 10**6)
            found = {"epsilon": num(printed), "delta": num(delta)}
        return found, {"epsilon": epsilon, "delta": delta}


def number(expr: Expr, values: Mapping[str, Any]) -> Fraction | float | None:
    """The value rounded up, or None when a public name is not set."""
    if not expr.symbols <= values.keys():
        return None
    return expr.upper(values)
