"""Which three-letter product codes are frequent, found letter by letter?"""

import metricdp as dp

LETTERS = "ABCD"
LENGTH = 3
THRESHOLD = 50


@dp.measurement
def frequent_prefixes(codes: dp.Records[str], eps: float):
    alive = [""]
    for _ in range(LENGTH):
        longer = []
        for prefix in alive:
            for letter in LETTERS:
                candidate = prefix + letter
                n = sum(1 for c in codes if c.startswith(candidate))
                if dp.laplace(n, epsilon=eps / LENGTH) > THRESHOLD:
                    longer.append(candidate)
        alive = longer
    return alive
