#include "planning/airtime_price.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace airlot::planning {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kMostSteps = 500;  // 70 halve any bracket to neighbours
constexpr double kNear = 1e-9;   // after so short a step the next point is likely to be the last
// Prices whose logarithms differ by so many units in the last place are neighbours.
constexpr double kNeighbours = 4 * std::numeric_limits<double>::epsilon();

// Returns Newton's step on the logarithms, or an infinite one where there are none.
double NewtonStep(const TotalPoint& point, double goal) {
  if (point.total == goal) return 0;
  if (!(point.total > 0 && point.slope < 0)) return point.total > goal ? kInfinity : -kInfinity;
  return std::log(point.total / goal) * (point.total / -point.slope);
}

}  // namespace

AirtimePrices FindAirtimePrice(
    double goal, const AirtimeSearchOptions& options,
    const std::function<TotalPoint(double log_price, double step, bool is_last)>& total_at) {
  AirtimePrices prices{.low = -kInfinity, .high = kInfinity};
  double x = std::clamp(options.start, -options.most, options.most);
  double longest = options.first_step, last = kInfinity, last_but_one = kInfinity;
  bool is_last = options.is_rough;
  for (int step = 0; step < kMostSteps; ++step) {
    const TotalPoint point = total_at(x, last, is_last);
    const double newton = NewtonStep(point, goal);
    if (is_last && std::abs(newton) <= options.last_step) {
      return {x, x, point.total, point.total};
    }
    if (point.total > goal) {
      prices.low = x;
      prices.low_total = point.total;
    } else {
      prices.high = x;
      prices.high_total = point.total;
    }
    const double width = prices.high - prices.low;
    if (width <= kNeighbours * std::max(std::abs(x), 1.0)) return prices;
    double next = x + newton;
    if (width < kInfinity) {
      const bool is_inside = next > prices.low && next < prices.high;
      if (!is_inside || 2 * std::abs(newton) > last_but_one) next = prices.low + width / 2;
    } else {
      next = x + std::clamp(newton, -longest, longest);
      longest *= std::abs(newton) >= longest ? 2 : 1;
      next = std::clamp(next, -options.most, options.most);
      // Where the start meets the goal already, the point is asked for once more as the last.
      if (next == x && is_last) return {x, x, point.total, point.total};
    }
    last_but_one = last;
    last = std::abs(next - x);
    // With e_(k+1) = C·e_k² the next error is this step cubed over the square of the last.
    const double expected =
        last_but_one < 1 ? last * (last / last_but_one) * (last / last_but_one) : 1;
    is_last = options.is_rough || last <= kNear || expected <= options.last_step;
    x = next;
  }
  return prices;
}

}  // namespace airlot::planning
