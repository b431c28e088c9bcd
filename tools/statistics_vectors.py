#!/usr/bin/python3
"""Intervals and tests by SciPy on stored data, which src/report/significance_test.cc compares with ours.

The script draws a few data sets, of the sizes and spreads that runs have, and writes them with SciPy's results to
src/report/statistics_vectors_for_tests.h: quantiles of Student's distribution and its tails, intervals of means (t.interval), paired
tests (ttest_rel), tests of one sample (ttest_1samp), and intervals of shares (binomtest, by Clopper and Pearson). Holm's
correction, which SciPy does not have, is computed here from its definition by steps, (V12) of docs/verdicts.md: the smallest p value is
compared with alpha/m, the next with alpha/(m - 1), and so on. SciPy's results are numbers, too, and err: each is computed again
with mpmath to 40 digits, and the header says what the largest relative error was.

The script needs python3-scipy and python3-mpmath. The tests need neither.

    tools/statistics_vectors.py           writes the header
    tools/statistics_vectors.py --check   exit 1 where the header is another one
"""
import pathlib
import sys
import textwrap

import mpmath
import numpy
import scipy
from scipy import stats

mpmath.mp.dps = 40
FILE = pathlib.Path(__file__).resolve().parent.parent / "src" / "report" / "statistics_vectors_for_tests.h"
ERRORS = {"quantile": 0.0, "tail": 0.0, "interval": 0.0, "test": 0.0, "share": 0.0}


def checked(kind, value, exact):
    """Returns SciPy's value and notes how far it is from the exact one."""
    if exact != 0:
        ERRORS[kind] = max(ERRORS[kind], float(abs((mpmath.mpf(float(value)) - exact) / exact)))
    return float(value)


def exact_tail(t, degrees):
    """The probability of t or more, t > 0."""
    t = mpmath.mpf(t)
    return mpmath.betainc(mpmath.mpf(degrees) / 2, mpmath.mpf(1) / 2, 0, degrees / (degrees + t * t), regularized=True) / 2


def exact_quantile(degrees):
    return mpmath.findroot(lambda t: exact_tail(t, degrees) - mpmath.mpf("0.025"), stats.t.ppf(0.975, degrees))


def exact_moments(values):
    values = [mpmath.mpf(float(value)) for value in values]
    mean = mpmath.fsum(values) / len(values)
    return mean, mpmath.sqrt(mpmath.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


def exact_p(values):
    mean, deviation = exact_moments(values)
    return 2 * exact_tail(abs(mean) * mpmath.sqrt(len(values)) / deviation, len(values) - 1)


def exact_share(hits, trials, wanted):
    """The probability p with P(Bin(trials, p) >= hits) = wanted."""
    low, high = mpmath.mpf(0), mpmath.mpf(1)
    for _ in range(130):  # 39 digits
        middle = (low + high) / 2
        reached = mpmath.betainc(hits, trials - hits + 1, 0, middle, regularized=True)
        low, high = (middle, high) if reached < mpmath.mpf(wanted) else (low, middle)
    return low


def holm(p_values):
    """The smallest alpha at which the procedure by steps rejects each, found from its definition."""
    order = numpy.argsort(p_values, kind="stable")
    adjusted = numpy.empty(len(p_values))
    for place, i in enumerate(order):
        # It is rejected at alpha if it and all smaller ones are at or below their alpha/(m - k).
        adjusted[i] = max(min(1.0, (len(p_values) - k) * p_values[order[k]]) for k in range(place + 1))
    return adjusted


def data_sets():
    """Pairs of columns: what two strategies took, seed by seed."""
    draw = numpy.random.default_rng(18)
    for count in (2, 3, 4, 5, 7, 10, 20, 50):
        for shift in (0.0, 0.05, 0.5, 3.0):
            common = draw.normal(0, 0.4, count)  # what the seed does to both
            first = numpy.exp(3 + common + draw.normal(0, 0.1, count))
            second = numpy.exp(3 + shift + common + draw.normal(0, 0.1, count))
            yield first, second


def number(value):
    return repr(float(value))


def listed(values):
    """Returns a list in lines that are no longer than others of the sources."""
    return textwrap.fill("{" + ", ".join(number(value) for value in values) + "}", 94, subsequent_indent=6 * " ")


def main():
    degrees = [*range(1, 31), 49, 99, 199, 999]
    quantiles = [(n, checked("quantile", stats.t.ppf(0.975, n), exact_quantile(n))) for n in degrees]
    tails = [(n, t, checked("tail", stats.t.sf(t, n), exact_tail(t, n)))
             for n in (1, 2, 3, 4, 5, 9, 10, 19, 50, 99) for t in (0.01, 0.5, 1.0, 2.0, 3.5, 8.0, 40.0, 1e3)]
    pairs, all_p = [], []
    for first, second in data_sets():
        differences = numpy.log(second) - numpy.log(first)
        mean, deviation = exact_moments(differences)
        half = exact_quantile(len(differences) - 1) * deviation / mpmath.sqrt(len(differences))
        low, high = stats.t.interval(0.95, len(differences) - 1, loc=differences.mean(), scale=stats.sem(differences))
        # The error is relative to the larger of the mean and the width, for ends may be near 0.
        scale = max(abs(mean), half)
        for value, exact in ((low, mean - half), (high, mean + half)):
            ERRORS["interval"] = max(ERRORS["interval"], float(abs(mpmath.mpf(float(value)) - exact) / scale))
        p_rel = checked("test", stats.ttest_rel(numpy.log(second), numpy.log(first)).pvalue, exact_p(differences))
        p_one = checked("test", stats.ttest_1samp(differences, 0).pvalue, exact_p(differences))
        pairs.append((first, second, float(differences.mean()), float(low), float(high), p_rel, p_one))
        all_p.append(p_rel)
    families = [all_p[:3], all_p[:15], all_p, [0.01, 0.04, 0.03, 0.005], [0.2, 0.2, 0.9], [0.05]]
    shares = []
    for trials in (1, 2, 3, 5, 10, 20, 50):
        for hits in sorted({0, 1, trials // 2, trials - 1, trials}):
            interval = stats.binomtest(hits, trials).proportion_ci(0.95, "exact")
            low = checked("share", interval.low, exact_share(hits, trials, "0.025")) if hits else 0.0
            high = checked("share", interval.high, exact_share(hits + 1, trials, "0.975")) if hits < trials else 1.0
            shares.append((hits, trials, low, high))

    out = [f"""// This header is for tests only: it has data sets, and intervals and tests of them by SciPy
// {scipy.__version__}. tools/statistics_vectors.py writes it.
// clang-format off
#ifndef AIRLOT_REPORT_STATISTICS_VECTORS_FOR_TESTS_H_
#define AIRLOT_REPORT_STATISTICS_VECTORS_FOR_TESTS_H_

#include <cstddef>
#include <vector>

namespace airlot::report {{

// These are the largest relative errors of SciPy's results, found with mpmath to 40 digits, rounded
// up to a power of ten; those of intervals are relative to the larger of mean and half width.
inline constexpr double kQuantileError = {power(ERRORS["quantile"])};
inline constexpr double kTailError = {power(ERRORS["tail"])};
inline constexpr double kIntervalError = {power(ERRORS["interval"])};
inline constexpr double kTestError = {power(ERRORS["test"])};
inline constexpr double kShareError = {power(ERRORS["share"])};

// t.ppf(0.975, degrees).
struct QuantileVector {{
  std::size_t degrees;
  double t;
}};
inline constexpr QuantileVector kQuantiles[] = {{"""]
    out += [f"    {{{n}, {number(t)}}}," for n, t in quantiles]
    out += ["};", "", "// t.sf(t, degrees).", "struct TailVector {", "  std::size_t degrees;", "  double t, probability;", "};",
            "inline constexpr TailVector kTails[] = {"]
    out += [f"    {{{n}, {number(t)}, {number(p)}}}," for n, t, p in tails]
    out += ["};", "", "// The mean of the logarithms of second over first, its interval by t.interval, and the p values by",
            "// ttest_rel of the logarithms and by ttest_1samp of their differences.", "struct PairedVector {",
            "  std::vector<double> first, second;", "  double mean, low, high, p_paired, p_one_sample;", "};",
            "inline const std::vector<PairedVector> kPaired = {"]
    for first, second, *results in pairs:
        out += [f"    {{{listed(first)},", f"     {listed(second)},", textwrap.indent(textwrap.fill(', '.join(map(number, results)) + '},', 94), 5 * ' ')]
    out += ["};", "", "// p values, and what Holm's procedure by steps makes of them.", "struct HolmVector {",
            "  std::vector<double> p, adjusted;", "};", "inline const std::vector<HolmVector> kHolm = {"]
    out += [f"    {{{listed(family)},\n     {listed(holm(family))}}}," for family in families]
    out += ["};", "", "// binomtest(hits, trials).proportion_ci(0.95, \"exact\").", "struct ShareVector {",
            "  std::size_t hits, trials;", "  double low, high;", "};", "inline constexpr ShareVector kShares[] = {"]
    out += [f"    {{{hits}, {trials}, {number(low)}, {number(high)}}}," for hits, trials, low, high in shares]
    out += ["};", "", "}  // namespace airlot::report", "", "#endif  // AIRLOT_REPORT_STATISTICS_VECTORS_FOR_TESTS_H_", ""]
    text = "\n".join(out)
    if "--check" in sys.argv[1:]:
        sys.exit(0 if FILE.read_text() == text else f"{FILE}: run tools/statistics_vectors.py")
    FILE.write_text(text)
    print(ERRORS)


def power(error):
    """The next power of ten, at least that of one rounding."""
    return f"1e{max(-15, int(numpy.ceil(numpy.log10(error))) if error > 0 else -15)}"


if __name__ == "__main__":
    main()
