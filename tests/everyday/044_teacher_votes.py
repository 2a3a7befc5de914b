"""Which label do the teachers' votes give to one unlabelled picture?"""

import metricdp as dp

LABELS = ["cat", "dog", "bird", "fish"]


@dp.measurement
def teacher_votes(votes: dp.Records[str], eps: float) -> str:
    counts = [sum(1 for v in votes if v == label) for label in LABELS]
    winner = dp.report_noisy_max(counts, epsilon=eps)
    return LABELS[winner]
