"""Which hidden tastes explain ratings of films: factors of the films, learned from ratings?"""

from dataclasses import dataclass

import numpy as np

import metricdp as dp

FILMS = 6
GENRES = 2
ROUNDS = 8
RATE = 0.2
CLIP = 1.0


@dataclass
class Rating:
    film: int
    age: int
    stars: float


def taste(age):
    """Public vectors of the age groups: the users' side of the factorisation."""
    if age < 30:
        return np.array([1.0, 0.2])
    if age < 60:
        return np.array([0.6, 0.6])
    return np.array([0.2, 1.0])


def clipped(g, limit):
    return g * min(1.0, limit / max(np.linalg.norm(g), 1e-12))


def gradient(rating, factors, film):
    u = taste(rating.age)
    stars = min(max(rating.stars, 1.0), 5.0)
    error = stars - 3.0 - u @ factors[film]
    return clipped(error * u, CLIP)


@dp.measurement
def matrix_factorisation(ratings: dp.Records[Rating], rho: float):
    factors = np.zeros((FILMS, GENRES))
    history = []
    for step in range(ROUNDS):
        moved = []
        for film in range(FILMS):
            g = np.zeros(GENRES)
            for rating in ratings:
                if rating.film == film:
                    g = g + gradient(rating, factors, film)
            noisy = dp.gaussian(g, rho=rho / ROUNDS)
            moved.append(factors[film] + RATE * noisy / 50)
        new = np.stack(moved)
        history.append(float(np.abs(new - factors).max()))
        factors = new
    best = [int(np.argmax(factors[:, genre])) for genre in range(GENRES)]
    return {"factors": factors, "best film per genre": best, "changes": history}
