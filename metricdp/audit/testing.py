"""For the test-suites of users: `assert_private(mechanism, epsilon=1, space=dp.Records[float])`."""

from __future__ import annotations

from metricdp.audit.measurements.audited import assert_private

__all__ = ["assert_private"]
