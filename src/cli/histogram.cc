#include "cli/histogram.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/gather.h"
#include "base/shards.h"
#include "cli/terminal.h"

namespace airlot::cli {
namespace {

// Returns a round number at or above `value`: 1, 2 or 5 times a power of ten.
double NiceCeiling(double value) {
  if (!(value > 0)) return 1;
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (value <= step * power) return step * power;
  }
  return 10 * power;
}

}  // namespace

Histogram MakeHistogram(std::span<const double> values, const Hands& hands) {
  constexpr double kMostBins = 10;
  const double highest = std::ranges::max(base::GatherOne(hands, std::ranges::max(values)));
  Histogram histogram{.step = NiceCeiling(highest / kMostBins)};
  const double bins = std::ceil(highest / histogram.step - 1e-9);
  histogram.counts.resize(std::max<std::size_t>(1, static_cast<std::size_t>(bins)));
  const std::size_t last = histogram.counts.size() - 1;
  std::vector<std::size_t> mine(last + 1);
  for (const auto& counts :
       base::MapShards(values.size(), hands.threads, [&](const base::Shard& shard) {
         std::vector<std::size_t> counted(last + 1);
         for (const double value : values.subspan(shard.begin, shard.end - shard.begin)) {
           const auto bin = static_cast<std::size_t>(std::max(0.0, value / histogram.step));
           ++counted[std::min(bin, last)];
         }
         return counted;
       })) {
    for (std::size_t bin = 0; bin <= last; ++bin) mine[bin] += counts[bin];
  }
  histogram.counts = base::SumsOfMembers(hands, mine);
  return histogram;
}

std::string HistogramText(const Histogram& histogram) {
  std::string text;
  const auto most =
      static_cast<double>(std::max<std::size_t>(1, std::ranges::max(histogram.counts)));
  const std::size_t width = BarColumns(30, 24 + Count(std::size_t(most)).size());
  for (std::size_t bin = 0; bin < histogram.counts.size(); ++bin) {
    const std::size_t count = histogram.counts[bin];
    fmt::format_to(std::back_inserter(text), "  {:>8.4g} to {:<8.4g} {} {}\n",
                   histogram.step * static_cast<double>(bin),
                   histogram.step * static_cast<double>(bin + 1),
                   Bar(static_cast<double>(count) / most, width), Count(count));
  }
  return text;
}

}  // namespace airlot::cli
