"""Errors of accounting: a relation that an event has no theorem under, and engines that differ."""

from __future__ import annotations

from metricdp.errors import InternalError, ParameterError


class RelationError(ParameterError):
    """An event under a neighbouring relation for which no theorem is known, or none is used here.

    There is no fallback: a number for another relation would be a number about other data sets.
    """


class EnginesDisagree(InternalError):
    """Two certified intervals for one number that do not meet: one engine is wrong; report it."""


class NoAnswerError(ParameterError):
    """A query that no finite number answers: a delta below what the events leak, for example."""
