#include "airlot/airtime.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "planning/airtime_buyer.h"

namespace airlot {
namespace {

using planning::AirtimeBought;
using planning::AirtimeBuyer;

}  // namespace

AirtimePlan SolveAirtime(const AirtimeProblem& problem, int /*threads*/) {
  const std::size_t count = problem.devices.devices;
  std::vector<AirtimeBuyer> buyers;
  buyers.reserve(count);
  for (std::size_t i = 0; i < count; ++i) buyers.emplace_back(problem, i);
  const bool by_time = problem.goal == AirtimeGoal::kTime;
  const double wanted = by_time ? problem.seconds : problem.participants;
  const auto total = [&](double price) {
    double sum = 0;
    for (const AirtimeBuyer& buyer : buyers) {
      const AirtimeBought bought = buyer.At(price);
      if (bought.probability == 0) continue;
      sum += bought.probability * (by_time ? buyer.UploadTime(bought.nats) + buyer.added_s() : 1);
    }
    return sum;
  };
  double low = 1e-30, high = 1e30;
  const bool has_spare = total(low) <= wanted;
  if (!has_spare) {
    for (int i = 0; i < 300 && high > low * (1 + 4e-16); ++i) {
      const double middle = std::sqrt(low * high);
      if (middle <= low || middle >= high) break;
      (total(middle) > wanted ? low : high) = middle;
    }
  } else {
    high = low;
  }
  const double at_low = total(low), at_high = total(high);
  const double share = at_low > at_high ? std::clamp((wanted - at_high) / (at_low - at_high), 0.0, 1.0) : 0;
  AirtimePlan result;
  result.price = has_spare ? 0 : high;
  result.plan = {ColumnValues(count), ColumnValues(count)};
  result.upload_s.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const AirtimeBuyer& buyer = buyers[i];
    if (!buyer.can_take_part()) continue;
    const AirtimeBought first = buyer.At(low), second = buyer.At(high);
    const double a = share * first.probability + (1 - share) * second.probability;
    if (a == 0) continue;
    const double z = share * first.probability / first.nats + (1 - share) * second.probability / second.nats;
    const double u = first.nats == second.nats ? first.nats : a / z;
    result.plan.probability[i] = a;
    result.upload_s[i] = buyer.UploadTime(u);
    result.plan.power_w[i] = planning::PowerOf(buyer.device(), u);
    if (problem.is_power_limited) result.plan.power_w[i] = std::min(result.plan.power_w[i], problem.devices.max_power_w[i]);
    result.seconds += a * (result.upload_s[i] + buyer.added_s());
    result.participants += a;
  }
  return result;
}

}  // namespace airlot
