#!/usr/bin/python3
"""Fits the degree-4 polynomial of ApproximateLog in src/planning/closed_form-inl.h.

The fit is of ln(1+t)/t on t in [sqrt(1/2)-1, sqrt(2)-1], by least squares at Chebyshev nodes with relative
weights. The script prints the coefficients, lowest power first, and the largest relative error. It needs
python3-numpy.
"""
import numpy as np
from numpy.polynomial import polynomial

DEGREE = 4
LOW, HIGH = np.sqrt(0.5) - 1, np.sqrt(2) - 1


def main():
    nodes = np.cos((np.arange(400) + 0.5) * np.pi / 400)
    t = (LOW + HIGH) / 2 + (HIGH - LOW) / 2 * nodes
    y = np.log1p(t) / t
    coefficients = polynomial.polyfit(t, y, DEGREE, w=1 / y)
    dense = np.linspace(LOW, HIGH, 20000)
    error = polynomial.polyval(dense, coefficients) / (np.log1p(dense) / dense) - 1
    print("coefficients:", ", ".join(f"{c:.8g}" for c in coefficients))
    print(f"largest relative error: {np.abs(error).max():.1e}")


if __name__ == "__main__":
    main()
