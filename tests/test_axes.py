"""`numpy.sum` and `numpy.mean` of private matrices compute what NumPy does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from checked_modules import load

from metricdp.errors import ParameterError

CALLS = {
    "np.sum(m, axis=0)": "L1", "np.sum(m, axis=1)": "L1", "np.sum(m, axis=-1)": "L2",
    "np.sum(m, 0)": "LInf", "m.sum(axis=0)": "L1", "m.sum(1)": "L1", "np.mean(m, axis=0)": "L2",
    "np.mean(m, axis=1)": "L1", "m.mean(axis=-2)": "L1", "np.sum(m)": "L1", "m.mean()": "L1",
    "np.mean(m, axis=None)": "L1", "(m * 2).sum(axis=0)": "L1",
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_a_run_is_what_numpy_computes(tmp_path: Path, call: str) -> None:
    text = f"""
    import numpy as np

    @dp.transformation
    def f(m: dp.Matrix[Real, {CALLS[call]}]):
        return {call}
    """
    module = load(tmp_path, text)
    for rows in ([[1.0, 2.5, -3.0], [0.25, 8.0, 1.0]], [[4.0, 0.5]], [[1.0], [2.0], [4.0], [8.0]]):
        m = np.array(rows)
        assert np.array_equal(np.asarray(module.f(m), float), eval(call, {"np": np, "m": m}))


def test_bounded_data_are_read_as_numbers(tmp_path: Path) -> None:
    text = """
    import numpy as np

    @dp.transformation
    def f(m: dp.Matrix[Data, LInf]):
        return np.sum(np.clip(m, 0, 1), axis=0), np.clip(m, -1, 1).mean(axis=0)

    @dp.transformation
    def g(rows: dp.Records[dp.Vector[Data, LInf]]):
        return np.sum([dp.clamp(dp.undisc(dp.clip(r, LInf)), 0, 1) for r in rows], axis=0)
    """
    module = load(tmp_path, text)
    m = np.array([[3.0, -0.5, 0.25], [0.5, 0.5, -9.0]])
    total, mean = module.f(m)
    assert np.array_equal(np.asarray(total, float), np.clip(m, 0, 1).sum(axis=0))
    assert np.array_equal(np.asarray(mean, float), np.clip(m, -1, 1).mean(axis=0))
    with pytest.raises(ParameterError, match="rows_m"):
        module.f(np.zeros((0, 3)))
    m = np.clip(m, -1, 1)
    assert np.array_equal(np.asarray(module.g(m), float), np.clip(m, 0, 1).sum(axis=0))
