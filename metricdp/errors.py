"""Typed errors: what is wrong, where, and what to write instead.

Every class specialises the builtin that a caller would expect to catch, and carries the fact, the
place and the remedy as fields.  No message contains private data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from fractions import Fraction

T = TypeVar("T")
Failed = TypeVar("Failed", bound=BaseException)


class MetricdpError(Exception):
    """Base of every error of the package.

    Attributes:
        fact: what is wrong, one sentence.
        place: where (a parameter, a line, a stage of a chain), or "".
        remedy: what to write instead, or "".
    """

    def __init__(self, fact: str, *, place: str = "", remedy: str = "") -> None:
        self.fact, self.place, self.remedy = fact, place, remedy
        text = f"{place}: {fact}" if place else fact
        super().__init__(f"{text}\n  help: {remedy}" if remedy else text)

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows: the caller's own lines and the error, no frame of the package."""
        import os
        import traceback

        inside = os.path.dirname(os.path.abspath(__file__)) + os.sep
        lines = [
            f"{frame.name}, line {frame.lineno}: {frame.line}"
            for frame in traceback.extract_tb(self.__traceback__)
            if not os.path.abspath(frame.filename).startswith(inside)
            and f"{os.sep}IPython{os.sep}" not in frame.filename
        ]
        return [*lines, f"{type(self).__name__}: {self}"]


class SpaceError(MetricdpError, TypeError):
    """An annotation or argument that is no metric space, or spaces that do not fit."""


class SchemaError(MetricdpError, TypeError):
    """Data whose type, dtype, shape or lengths differ from the declared space."""


class DataValueError(MetricdpError, ValueError):
    """A value outside the declared space, refused because `strict=True` was asked for."""


class ParameterError(MetricdpError, ValueError):
    """A public parameter that a requirement of the guarantee excludes.

    Attributes:
        diagnostic: the same as a finding of check at the call that requires it; or None.
    """

    diagnostic: object | None = None


class NotProvedError(MetricdpError, TypeError):
    """A program that was not proved, so it does not run; `diagnostics` has the reasons."""

    diagnostics: tuple[object, ...] = ()


class SourceError(MetricdpError, OSError):
    """The source text of a checked function cannot be found or no longer matches the code."""


class EngineError(MetricdpError, RuntimeError):
    """A table that lies on an engine: an operation that has no form there, an engine that failed,
    or a file that changed.

    `releases` has what was already released, where noise had been spent.
    """

    releases: tuple[object, ...] = ()


class StorageError(MetricdpError, OSError):
    """Columns that come in chunks are kept in temporary files, and these cannot be written."""


class ExpressionError(MetricdpError, ValueError):
    """Text that is no public expression, or an expression with no value."""


class ReplayError(MetricdpError, RuntimeError):
    """A replayed run asked for another draw than the one that was recorded."""


class ProgramError(MetricdpError, RuntimeError):
    """What a `raise` or `assert` of the checked program itself raised, with its text."""


class PostProcessingError(MetricdpError, ArithmeticError):
    """Post-processing failed after noise was spent; `releases` has what was already released.

    Where the statement that failed reads public and released values alone, `fact` has the line, the
    statement and what Python said of it.  Elsewhere it names the kind of the error and no more.
    """

    releases: tuple[object, ...] = ()


class TrackedError(MetricdpError, TypeError):
    """An operation on a tracked private value that has no rule, or would show the value."""


class BudgetError(MetricdpError, RuntimeError):
    """A spend that the budget does not allow; nothing was spent and no data were read.

    Attributes:
        left: unit of the budget ("epsilon", "delta", "rho") -> what is left, exact.
        fits: public parameter -> the value nearest to the one asked for that fits, exact.
    """

    left: Mapping[str, Fraction] = {}
    fits: Mapping[str, Fraction] = {}


class ApprovalError(BudgetError):
    """A question that waits for an approval; nothing was spent and no data were read.

    Attributes:
        row: number of the row that waits: `ledger.approve(dataset, row, by=...)`.
    """

    row: int = 0


class LedgerError(MetricdpError, RuntimeError):
    """A ledger that cannot be trusted or used: changed rows, another budget, another process."""


class FrozenError(MetricdpError, AttributeError):
    """An object that was proved is changed; make another one instead."""


class NotYetError(MetricdpError, NotImplementedError):
    """A name of another library that is known and has no counterpart here; the remedy has one."""


class MissingExtraError(MetricdpError, ImportError):
    """An optional library that is not installed; the remedy has the command that installs it."""


class SqlError(MetricdpError, ValueError):
    """A clause of a query that is not understood, or has no meaning with privacy.

    Attributes:
        line, column: where the clause begins, counted from 1.
    """

    def __init__(
        self, fact: str, text: str = "", start: int = 0, end: int = 0, *, remedy: str = ""
    ) -> None:
        """
        Args:
            text: the whole query.
            start, end: the clause in it, `text[start:end]`.
        """
        before = text[:start]
        self.line = before.count("\n") + 1
        self.column = start - (before.rfind("\n") + 1) + 1
        super().__init__(fact, place=f"line {self.line}, column {self.column}", remedy=remedy)
        lines = text.split("\n")
        shown = lines[self.line - 1] if lines else ""
        room = len(shown) - self.column + 1
        carets = "^" * max(1, min(end - start, room))
        plain = "".join(c if c.isprintable() else " " for c in shown)
        picture = f"  {plain}\n  {' ' * (self.column - 1)}{carets}"
        help_line = f"\n  help: {remedy}" if remedy else ""
        self.args = (f"{self.place}: {fact}\n{picture}{help_line}",)


class UncertifiedError(MetricdpError, ArithmeticError):
    """A number that could not be enclosed between two certified bounds, so none is given."""


class BoxWarning(MetricdpError, UserWarning):
    """A black box that fails on every made-up record: its rows would all count as the default."""


class InternalError(MetricdpError, AssertionError):
    """A contradiction inside metricdp: a defect to report.

    `releases` has what was already released, where noise had been spent.
    """

    releases: tuple[object, ...] = ()


def bare(error: Failed) -> Failed:
    """The error without the frames and the errors before it, which may hold private values."""
    error.__traceback__ = error.__context__ = error.__cause__ = None
    return error


def sealed(actions: list[Callable[[], T]], stopped: Callable[[str], MetricdpError]) -> T:
    """The result of the one action; no frame of its errors is left, which hold private values.

    Args:
        actions: emptied here, so that no frame holds what the action was given.
        stopped: the error in place of one that is none of the package, from the name of its class;
            what that one says may be private.
    """
    failed: BaseException
    try:
        return actions.pop()()
    except MetricdpError as error:
        failed = error
    except Exception as error:
        failed = stopped(type(error).__name__)
    except BaseException as error:
        failed = error
    raise bare(failed) from None
