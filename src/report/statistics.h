// These functions are what a report computes from runs.
#ifndef AIRLOT_REPORT_STATISTICS_H_
#define AIRLOT_REPORT_STATISTICS_H_

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "airlot/experiment.h"

namespace airlot::report {

// Returns the t with probability 0.95 between -t and t, for 1 or more degrees of freedom. (62)
double StudentQuantile(std::size_t degrees);

// Returns the ends of the 95 % confidence interval of a probability, after `hits` of `trials`
// trials, by Clopper and Pearson. (V4)
struct ShareInterval {
  double low = 0;
  double high = 1;
};
ShareInterval IntervalOfShare(std::size_t hits, std::size_t trials);

// A Band is a mean and its 95 % band. (61)
struct Band {
  double mean = 0;
  double low = 0;
  double high = 0;
};
Band MeanBand(std::span<const double> values);
// Returns the band of a share, whose ends are cut to [0, 1]: no share is beyond them, so that the
// interval holds as often as the whole one. (61)
Band CutToShares(Band band);
// Returns the half of the width of that interval, which stands behind "±"; a single run has none.
// (61)
std::optional<double> HalfWidth(const Moments& moments);

struct CurvePoint {
  double x = 0;
  Band y;
  std::size_t runs = 0;  // number of runs that y is the mean of, in a tail
};

// A Track is one run: y against x, which does not fall.
struct Track {
  std::vector<double> x, y;
};
// Returns y at x: it is linear between the points, and that of the last of several with the same x.
double At(const Track& track, double x);

// Returns the mean over runs at common places, as far as all came; bands are cut to [0, 1]. (60),
// (61) Where there are more than about `most` places, every n-th and the last are taken.
std::vector<CurvePoint> MeanCurve(std::span<const Track> tracks, std::size_t most,
                                  bool are_shares = true);

// Returns how such a curve goes on where only some runs do: the mean over those that still go on,
// without a band. At a place where a run ends there are two points, with that run and without it;
// where the curve ends, there is one without. The tail is empty where all runs end together.
std::vector<CurvePoint> MeanTail(std::span<const Track> tracks, std::size_t most);

// Returns the median, which is the mean of the two in the middle of an even number of values; there
// must be a value.
double MedianOf(std::vector<double> values);

// Returns about `most` of the values in rising order, evenly spread, the smallest and the largest
// included; all, where there are no more.
std::vector<double> Thinned(std::vector<double> values, std::size_t most);

// Returns the share of values at or below x, for at most `most` values x, the smallest and largest
// included; before them comes the smallest with the share 0.
std::vector<CurvePoint> Distribution(std::vector<double> values, std::size_t most);

// Bins count finite values in bins of equal width, or of equal ratio where the largest is more than
// 30 times the smallest.
struct Bins {
  bool is_log = false;
  std::vector<double> edges;  // one more than counts
  std::vector<std::size_t> counts;
};
Bins BinsOf(std::span<const double> values, std::size_t bins);

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_STATISTICS_H_
