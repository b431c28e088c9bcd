#include <algorithm>
#include <array>
#include <numeric>

#include "airlot/training.h"
#include "base/check.h"

namespace airlot {
namespace {

constexpr std::array<AggregationEntry, 3> kAggregations{{
    {Aggregation::kAverage, "average",
     "Updates are averaged by data share, over the participants."},
    {Aggregation::kSum, "sum",
     "Updates are weighted by the share of all data, whoever takes part."},
    {Aggregation::kUnbiased, "unbiased",
     "Updates are summed, each divided by its device's probability to take part."},
}};

}  // namespace

std::span<const AggregationEntry> Aggregations() { return kAggregations; }

std::vector<double> AggregationWeights(Aggregation rule, std::span<const double> data_shares,
                                       std::span<const double> probabilities,
                                       double least_probability) {
  std::vector<double> weights(data_shares.begin(), data_shares.end());
  if (rule == Aggregation::kAverage) {  // (50)
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    AIRLOT_CHECK(sum > 0 || weights.empty(), "data shares that sum to {}", sum);
    for (double& weight : weights) weight /= sum;
  }
  if (rule == Aggregation::kUnbiased) {  // (50)
    AIRLOT_CHECK(probabilities.size() == weights.size(), "{} probabilities of {} devices",
                 probabilities.size(), weights.size());
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double probability = std::max(probabilities[i], least_probability);
      AIRLOT_CHECK(probability > 0, "participant {} has probability {}", i, probability);
      weights[i] /= probability;
    }
  }
  return weights;
}

}  // namespace airlot
