// This header searches for the price of a second at which a fleet takes the wanted time.
#ifndef AIRLOT_PLANNING_AIRTIME_PRICE_H_
#define AIRLOT_PLANNING_AIRTIME_PRICE_H_

#include <functional>

namespace airlot::planning {

// A TotalPoint is a total at a price, and its derivative in the logarithm of the price.
struct TotalPoint {
  double total = 0, slope = 0;
};

// AirtimePrices have both ends the same where the goal is met there. Otherwise they are neighbours,
// and the total jumps from above the goal to below it between them.
struct AirtimePrices {
  double low = 0, high = 0;  // logarithms
  double low_total = 0, high_total = 0;
  bool is_met() const { return low == high; }
};

// AirtimeSearchOptions say where to begin and how far to go, in logarithms of the price.
struct AirtimeSearchOptions {
  double start = 0;
  double first_step = 1;  // longest step while one side is unknown; it doubles
  double last_step = 0;   // the price is met where Newton's step would be at most this
  bool is_rough = false;  // every point may be the last
  double most = 0;        // no price is farther from 1
};

// Finds the price at which a falling function of its logarithm is `goal` > 0, (A11), by Newton's
// method on the logarithms of both, safeguarded by halving: where everybody takes part by (A6), the
// function is a power of the price and one step is enough. Once the steps shrink so fast that the
// next point is likely to be the last, `total_at`(x, step, is_last) is told so; the search ends
// only there.
AirtimePrices FindAirtimePrice(
    double goal, const AirtimeSearchOptions& options,
    const std::function<TotalPoint(double log_price, double step, bool is_last)>& total_at);

}  // namespace airlot::planning

#endif  // AIRLOT_PLANNING_AIRTIME_PRICE_H_
