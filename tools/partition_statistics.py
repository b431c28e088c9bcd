#!/usr/bin/python3
"""Tells how uneven the partition `dirichlet` comes out, by a plain reading of NIID-Bench's procedure.

    tools/partition_statistics.py [--runs N]

There are 10 classes of 6000 samples over 100 devices. The script prints, for each beta, the means over the runs (and the
standard deviation of one run) of the attempts, of the largest device and of the labels that a device misses: the numbers
in src/data/dirichlet_test.cc. It shares no code with the program, and needs NumPy.
"""
import argparse

import numpy

CLASSES, CLASS_SIZE, DEVICES, MINIMUM = 10, 6000, 100, 10


def attempt(beta, random):
    """Draws the samples of each class (row) and device (column)."""
    counts = numpy.zeros((CLASSES, DEVICES), int)
    for row in counts:
        shares = random.dirichlet([beta] * DEVICES)
        shares[counts.sum(axis=0) >= CLASSES * CLASS_SIZE / DEVICES] = 0
        cuts = (numpy.cumsum(shares / shares.sum()) * CLASS_SIZE).astype(int)
        cuts[-1] = CLASS_SIZE
        row += numpy.diff(cuts, prepend=0)
    return counts


def run(beta, random):
    attempts = 1
    while (counts := attempt(beta, random)).sum(axis=0).min() < MINIMUM:
        attempts += 1
    return attempts, counts.sum(axis=0).max(), (counts == 0).sum(axis=0).mean()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=2000)
    runs = parser.parse_args().runs
    random = numpy.random.default_rng(1)
    for beta in (0.1, 0.3, 0.5):
        results = numpy.array([run(beta, random) for _ in range(runs)])
        for name, mean, sd in zip(("attempts", "largest", "missing"), results.mean(axis=0),
                                  results.std(axis=0)):
            print(f"beta {beta}: {name} {mean:.4g} (sd {sd:.3g})")


if __name__ == "__main__":
    main()
