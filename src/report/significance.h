// These functions are tests of hypotheses: how probable are such differences by chance alone?
#ifndef AIRLOT_REPORT_SIGNIFICANCE_H_
#define AIRLOT_REPORT_SIGNIFICANCE_H_

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace airlot::report {

// A difference is called significant where its corrected p value is below this.
inline constexpr double kSignificance = 0.05;
// Fewer pairs than these make nothing bold, whatever their p value is.
inline constexpr std::size_t kLeastForBold = 3;

// Returns the probability with which a variable of Student's distribution is t or larger, for 1 or
// more degrees of freedom. Small ones are as exact as large ones. (V11)
double StudentAtLeast(double t, std::size_t degrees);

// Returns the p value of the t test of whether differences of pairs are 0 in the mean, each of
// which lies between two bounds; where all bounds are equal, it is the paired t test. There is none
// for fewer than two pairs, nor where the differences are all the same but not 0: nobody can
// tell then how much they vary. (V10)
std::optional<double> PairedTest(std::span<const double> lower, std::span<const double> upper);

// Returns the p values corrected by Holm's method for their number, in the same order. (V12)
std::vector<double> HolmAdjusted(std::span<const double> p_values);

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_SIGNIFICANCE_H_
