from dataclasses import dataclass

import metricdp as dp

PAGES = ["/", "/shop", "/about", "/help", "/blog", "/jobs"]


@dataclass
class View:
    user: int
    page: str
    seconds: float


@dp.measurement
def popular_pages(views: dp.Records[View, dp.Ids("user")], eps: float):
    views = dp.limit_rows(views, "user", 20)
    time_on = {page: 0.0 for page in PAGES}
    for v in views:
        if v.page in time_on:
            time_on[v.page] += dp.clamp(v.seconds, 0, 120)
    noisy = {page: dp.laplace(t, epsilon=eps) for page, t in time_on.items()}
    ranking = sorted(noisy, key=noisy.get, reverse=True)
    return ranking[:3], {page: round(noisy[page] / 60) for page in ranking[:3]}
