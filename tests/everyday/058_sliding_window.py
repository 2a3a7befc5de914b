"""How many log-ins were there in the last five minutes, at every minute of an hour?"""

import metricdp as dp

WINDOW = 5


@dp.measurement
def sliding_window(minutes: dp.Records[int], eps: float):
    per_minute = [dp.laplace(sum(1 for m in minutes if m == t), epsilon=eps) for t in range(60)]
    windows = []
    for t in range(60):
        windows.append(sum(per_minute[max(0, t - WINDOW + 1) : t + 1]))
    return windows
