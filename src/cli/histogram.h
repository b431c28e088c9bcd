// This header makes histograms in text.
#ifndef AIRLOT_CLI_HISTOGRAM_H_
#define AIRLOT_CLI_HISTOGRAM_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "airlot/hands.h"

namespace airlot::cli {

// A Histogram says how many values lie in [0, step), [step, 2 step), ...; the last bin has its
// upper edge too.
struct Histogram {
  double step = 1;
  std::vector<std::size_t> counts;
};

// Makes at most ten bins of a round width, for values >= 0: those of all members, where there is a
// team.
Histogram MakeHistogram(std::span<const double> values, const Hands& hands = 1);

// Each bin has one row: its range, a bar and its count.
std::string HistogramText(const Histogram& histogram);

}  // namespace airlot::cli

#endif  // AIRLOT_CLI_HISTOGRAM_H_
