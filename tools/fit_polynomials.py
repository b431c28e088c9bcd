#!/usr/bin/python3
"""Fits the polynomials of ApproximateLog and Expm1 in src/planning/closed_form-inl.h.

The first is of ln(1+t)/t on t in [sqrt(1/2)-1, sqrt(2)-1], of degree 4, by least squares at Chebyshev nodes with
relative weights. The second is Q(r) = (e^r - 1 - r)/r² for |r| <= ln(2)/2, of degree 9, whose lowest two coefficients
stay 1/2 and 1/6, with the weights that make the errors relative to e^r - 1. The script prints the coefficients, lowest
power first, and the largest relative errors. It needs python3-numpy and python3-mpmath.
"""
import mpmath
import numpy as np
from numpy.polynomial import polynomial

LOG_DEGREE = 4
LOW, HIGH = np.sqrt(0.5) - 1, np.sqrt(2) - 1
EXPM1_DEGREE, EXACT = 9, 2


def fit_log():
    nodes = np.cos((np.arange(400) + 0.5) * np.pi / 400)
    t = (LOW + HIGH) / 2 + (HIGH - LOW) / 2 * nodes
    y = np.log1p(t) / t
    coefficients = polynomial.polyfit(t, y, LOG_DEGREE, w=1 / y)
    dense = np.linspace(LOW, HIGH, 20000)
    error = polynomial.polyval(dense, coefficients) / (np.log1p(dense) / dense) - 1
    print("ApproximateLog:", ", ".join(f"{c:.8g}" for c in coefficients))
    print(f"largest relative error: {np.abs(error).max():.1e}")


def rest_of_expm1(r):
    return sum(r**(k - 2) / mpmath.factorial(k) for k in range(2, 31))


def fit_expm1():
    mpmath.mp.dps = 40
    most = mpmath.log(2) / 2 * (1 + mpmath.mpf(10)**-9)
    count = 120
    matrix, right = mpmath.matrix(count, EXPM1_DEGREE + 1 - EXACT), mpmath.matrix(count, 1)
    exact = [1 / mpmath.factorial(j + 2) for j in range(EXACT)]
    for i in range(count):
        r = most * mpmath.cos((i + mpmath.mpf(1) / 2) * mpmath.pi / count)
        weight = r * r / mpmath.expm1(r)
        for j in range(EXACT, EXPM1_DEGREE + 1):
            matrix[i, j - EXACT] = weight * (r / most)**j
        right[i] = weight * (rest_of_expm1(r) - sum(c * r**j for j, c in enumerate(exact)))
    fitted = mpmath.lu_solve(matrix, right)
    coefficients = [float(c) for c in exact]
    coefficients += [float(fitted[j - EXACT] / most**j) for j in range(EXACT, EXPM1_DEGREE + 1)]
    error = 0
    for i in range(1, 2001):
        for r in (most * i / 2000, -most * i / 2000):
            left = mpmath.polyval([mpmath.mpf(c) for c in reversed(coefficients)], r) - rest_of_expm1(r)
            error = max(error, abs(left * r * r / mpmath.expm1(r)))
    print("Expm1:", ", ".join(repr(c) for c in coefficients))
    print(f"largest relative error: {float(error):.2e}, {float(error * 2**53):.2f} roundings")


def main():
    fit_log()
    fit_expm1()


if __name__ == "__main__":
    main()
