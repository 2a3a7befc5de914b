"""Why a question about a guarantee has no answer; each error says what to ask instead."""

from __future__ import annotations

from typing import ClassVar

from metricdp.errors import ParameterError


class AnswerError(ParameterError):
    """Base; `kind` is the readable name that JSON output carries."""

    kind: ClassVar[str] = "no-answer"


class UnknownParameter(AnswerError):
    """A name that is no public parameter and no size of the function."""

    kind = "unknown-parameter"


class MissingValue(AnswerError):
    """A public parameter on which the cost depends has no value yet."""

    kind = "missing-value"


class WrongValue(AnswerError):
    """What is given for a parameter or a distance is no finite number, or a negative distance."""

    kind = "wrong-value"


class WrongBudget(AnswerError):
    """The budget is in a measure in which the function has no bound, or it is incomplete."""

    kind = "wrong-budget"


class CostIndependent(AnswerError):
    """The cost does not depend on the parameter."""

    kind = "cost-independent"


class BudgetUnreachable(AnswerError):
    """No positive value of the parameter meets the budget."""

    kind = "budget-unreachable"


class RequirementViolated(AnswerError):
    """The value that meets the budget is excluded by a requirement of the guarantee."""

    kind = "requirement-violated"
