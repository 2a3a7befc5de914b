"""Which of five measurements goes together most with the outcome?"""

import metricdp as dp

NAMES = ["pressure", "pulse", "sugar", "weight", "sleep"]


@dp.measurement
def best_feature(rows: dp.Records[tuple[float, float, float, float, float, float]], eps: float):
    def cut(v):
        return max(-1.0, min(1.0, v))

    scores = []
    for j in range(len(NAMES)):
        scores.append(abs(sum(cut(row[j]) * cut(row[-1]) for row in rows)))
    return NAMES[dp.report_noisy_max(scores, epsilon=eps)]
