"""Which few patterns explain how often each clinic is visited at each hour?"""

import numpy as np

import metricdp as dp

CLINICS = 5
HOURS = 24


@dp.measurement
def low_rank_visits(visits: dp.Records[tuple[int, int]], eps: float):
    table = np.array(
        [
            [
                dp.laplace(sum(1 for c, h in visits if c == i and h == j), epsilon=eps)
                for j in range(HOURS)
            ]
            for i in range(CLINICS)
        ]
    )
    u, s, vt = np.linalg.svd(table, full_matrices=False)
    return u[:, :2] * s[:2] @ vt[:2]
