"""How often do forum posts use each word of a list?"""

import metricdp as dp

VOCABULARY = ("hello", "thanks", "sorry", "bug", "please")
LIMIT = 20


@dp.measurement
def word_counts(posts: dp.Records[str], eps: float):
    counts = {word: 0 for word in VOCABULARY}
    for post in posts:
        for word in post.lower().split()[:LIMIT]:
            if word in counts:
                counts[word] += 1
    return {word: dp.laplace(n, scale=LIMIT / eps) for word, n in counts.items()}
