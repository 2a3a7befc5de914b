"""How many people answered yes to each of 100 questions, with advanced composition?"""

import metricdp as dp

K = 100


@dp.measurement(slack="slack")
def hundred_counts(
    ballots: dp.Records[dp.Vector[dp.Data, dp.LInf]], eps0: float, slack: float
) -> list[float]:
    return [dp.laplace(sum(1 for b in ballots if b[j] > 0.5), epsilon=eps0) for j in range(K)]
