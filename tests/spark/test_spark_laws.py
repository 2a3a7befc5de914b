"""The laws of engines on Spark: what the reference gives, bit for bit, or a refusal by name."""

from __future__ import annotations

from test_engine_laws import (  # noqa: F401
    test_a_form_that_is_wrong_is_seen,
    test_doubles_of_whole_numbers_of_every_size,
    test_elementary_functions,
    test_every_operator_of_every_pair,
    test_no_rows,
    test_numbers_of_two_kinds,
    test_public_numbers,
    test_random_graphs,
    test_ranks,
    test_sums_at_every_width,
    test_sums_of_vectors,
    test_the_calendar,
    test_vectors,
    test_whole_numbers_that_saturate_reach_no_result,
)
from test_engine_records import test_instances_of_every_record  # noqa: F401
