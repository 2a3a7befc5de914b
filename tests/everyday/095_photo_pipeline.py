"""What share of uploaded photos does a model flag, by kind, and how sure is it on average?"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

import metricdp as dp

KINDS = ("portrait", "landscape", "document")


@dataclass
class Photo:
    kind: str
    brightness: float
    contrast: float
    faces: int


@dp.black_box(
    returns=Annotated[dp.Vector[dp.Data, dp.LInf], dp.Size(2), dp.Bounds(0, 1)], default=0
)
def model(brightness, contrast, faces):
    hidden = np.tanh(np.array([brightness - contrast, faces / 3.0]))
    z = np.exp(hidden)
    return z / z.sum()


class Pipeline:
    def __init__(self, kinds, flag_at=0.5):
        self.kinds = kinds
        self.flag_at = flag_at
        self.results = {}

    def scores(self, photos, kind):
        out = []
        for photo in photos:
            if photo.kind == kind:
                out.append(model(photo.brightness, photo.contrast, photo.faces)[0])
        return out

    def run(self, photos, eps):
        for kind in self.kinds:
            scores = [dp.clamp(s, 0, 1) for s in self.scores(photos, kind)]
            n = dp.laplace(len(scores), epsilon=eps / 3)
            flagged = dp.laplace(sum(1 for s in scores if s > self.flag_at), epsilon=eps / 3)
            sure = dp.laplace(sum(scores), epsilon=eps / 3)
            n = max(n, 1)
            self.results[kind] = {"flagged": flagged / n, "mean score": sure / n}
        return self.results

    def report(self):
        return [
            f"{kind}: {100 * r['flagged']:.1f} % flagged, mean score {r['mean score']:.2f}"
            for kind, r in self.results.items()
        ]


@dp.measurement
def photo_pipeline(photos: dp.Records[Photo], eps: float):
    pipeline = Pipeline(KINDS)
    results = pipeline.run(photos, eps)
    return results, pipeline.report()
