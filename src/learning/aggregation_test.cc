#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "airlot/training.h"

namespace airlot {
namespace {

using Numbers = std::vector<double>;

TEST(Aggregation, EveryRuleHasANameOfItsOwn) {
  ASSERT_EQ(Aggregations().size(), 3);
  EXPECT_EQ(Aggregations()[0].rule, Aggregation::kAverage);
  EXPECT_EQ(Aggregations()[0].name, "average");
  EXPECT_EQ(Aggregations()[1].rule, Aggregation::kSum);
  EXPECT_EQ(Aggregations()[1].name, "sum");
  EXPECT_EQ(Aggregations()[2].rule, Aggregation::kUnbiased);
  EXPECT_EQ(Aggregations()[2].name, "unbiased");
}

// All numbers of this test are exact in binary.
TEST(Aggregation, WeightsByHand) {
  const Numbers shares{0.125, 0.25, 0.125}, probabilities{0.5, 1, 0.125};
  EXPECT_EQ(AggregationWeights(Aggregation::kAverage, shares, probabilities),
            (Numbers{0.25, 0.5, 0.25}));
  EXPECT_EQ(AggregationWeights(Aggregation::kSum, shares, probabilities), shares);
  EXPECT_EQ(AggregationWeights(Aggregation::kUnbiased, shares, probabilities),
            (Numbers{0.25, 0.25, 1}));
}

TEST(Aggregation, NoProbabilityBelowTheLeastIsDividedBy) {
  const Numbers shares{0.125, 0.25, 0.125}, probabilities{0.5, 1, 0.125};
  EXPECT_EQ(AggregationWeights(Aggregation::kUnbiased, shares, probabilities, 0.25),
            (Numbers{0.25, 0.25, 0.5}));
  EXPECT_EQ(AggregationWeights(Aggregation::kUnbiased, {}, {}, 0.25), Numbers{});
}

TEST(Aggregation, OnlyTheUnbiasedRuleNeedsProbabilities) {
  EXPECT_EQ(AggregationWeights(Aggregation::kAverage, Numbers{0.5, 0.5}, {}), (Numbers{0.5, 0.5}));
  EXPECT_EQ(AggregationWeights(Aggregation::kSum, Numbers{0.5, 0.25}, {}), (Numbers{0.5, 0.25}));
}

// A Fleet is four devices that take part independently of each other; their updates are numbers.
struct Fleet {
  Numbers shares{0.1, 0.2, 0.3, 0.4}, probabilities{0.9, 0.35, 0.1, 0.6}, updates{3, -1, 7, 2};
};

struct Moments {
  double mean = 0, second = 0;
  double Variance() const { return second - mean * mean; }
};

// Returns the moments of the aggregate over all sixteen sets of participants.
Moments MomentsOf(Aggregation rule, const Fleet& fleet, double least_probability = 0) {
  Moments moments;
  for (unsigned set = 0; set < 16; ++set) {
    Numbers shares, probabilities, updates;
    double chance = 1;
    for (std::size_t i = 0; i < 4; ++i) {
      const bool takes_part = (set >> i & 1) != 0;
      chance *= takes_part ? fleet.probabilities[i] : 1 - fleet.probabilities[i];
      if (!takes_part) continue;
      shares.push_back(fleet.shares[i]);
      probabilities.push_back(fleet.probabilities[i]);
      updates.push_back(fleet.updates[i]);
    }
    const Numbers weights = AggregationWeights(rule, shares, probabilities, least_probability);
    double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * updates[i];
    moments.mean += chance * sum;
    moments.second += chance * sum * sum;
  }
  return moments;
}

// A sum over all 16 sets is rounded fewer than 64 times: a chance has 4 factors, a set 4 parts.
constexpr double kRounding = 64 * 0x1p-53;

// The mean is that of all devices; each device adds (share update)^2 (1 - a) / a to the variance.
TEST(Aggregation, UnbiasedOverAllSets) {
  const Fleet fleet;
  const Moments moments = MomentsOf(Aggregation::kUnbiased, fleet);
  double mean = 0, variance = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const double part = fleet.shares[i] * fleet.updates[i], a = fleet.probabilities[i];
    mean += part;
    variance += part * part * (1 - a) / a;
  }
  EXPECT_NEAR(moments.mean, mean, kRounding * 3.4);  // the parts without their signs
  EXPECT_NEAR(moments.Variance(), variance, kRounding * moments.second);
}

// The rules `average` and `sum` are biased towards those who come often, as is `unbiased` with a
// least probability, whose variance is smaller in return.
TEST(Aggregation, BiasOfTheOthers) {
  const Fleet fleet;
  const double all = 0.1 * 3 - 0.2 + 0.3 * 7 + 0.4 * 2;
  double sum = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    sum += fleet.probabilities[i] * fleet.shares[i] * fleet.updates[i];
  }
  EXPECT_NEAR(MomentsOf(Aggregation::kSum, fleet).mean, sum, kRounding * 3.4);
  EXPECT_GT(std::abs(MomentsOf(Aggregation::kAverage, fleet).mean - all), 0.1);
  const Moments bounded = MomentsOf(Aggregation::kUnbiased, fleet, 0.2);
  EXPECT_NEAR(bounded.mean, all - 0.3 * 7 / 2, kRounding * 3.4);
  EXPECT_LT(bounded.Variance(), MomentsOf(Aggregation::kUnbiased, fleet).Variance());
}

}  // namespace
}  // namespace airlot
