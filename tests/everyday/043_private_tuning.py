"""Which threshold and accuracy does a tuned alarm rule reach?"""

import metricdp as dp

THRESHOLDS = (0.1, 0.3, 0.5, 0.7, 0.9)


@dp.measurement
def private_tuning(rows: dp.Records[tuple[float, bool]], eps: float):
    def run(threshold):
        right = sum(1 for score, alarm in rows if (score > threshold) == alarm)
        return dp.laplace(right, epsilon=eps), threshold

    return dp.private_selection(run, THRESHOLDS, stop=0.1)
