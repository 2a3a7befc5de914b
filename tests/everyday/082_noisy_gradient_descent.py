"""What is the mean of a skewed variable, by ten steps of noisy gradient descent?"""

import metricdp as dp


@dp.measurement
def noisy_descent(x: dp.Records[float], sigma: float, steps: int = 10):
    theta = 0.0
    for _t in range(steps):
        grad = sum(dp.clamp(theta - xi, -1, 1) for xi in x)
        theta -= 0.01 * dp.gaussian(grad, scale=sigma)
    return theta
