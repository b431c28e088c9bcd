#include "airlot/airtime.h"

#include <algorithm>
#include <cmath>

#include "airlot/link.h"
#include "base/shards.h"
#include "planning/airtime_demand.h"
#include "planning/airtime_price.h"
#include "planning/shape.h"

namespace airlot {
namespace {

using planning::AirtimeBuyers;
using planning::AirtimeEnds;
using planning::AirtimePrices;
using planning::AirtimeSearchOptions;
using planning::AirtimeTotals;
using planning::kAirtimePadding;
using planning::TotalPoint;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// A fleet larger than four times this is first asked by a sample of about this size.
constexpr std::size_t kSample = std::size_t{1} << 14;
// Far from the price, errors of a few millionths of the total do not matter.
constexpr double kRoughStep = 1e-2;
constexpr double kMostLogPrice = 690;  // e^690 is a double, and so is its inverse

void SetTotals(const AirtimeTotals& totals, AirtimePlan& plan) {
  plan.seconds = totals.seconds;
  plan.participants = totals.participants;
}

void SetLogPrice(double log_price, AirtimePlan& plan) {
  plan.log_price = log_price;
  plan.price = std::exp(log_price);
  plan.extra_energy_price_s_per_j = 0;
}

// Mixes `share` of `other` into `plan`. Probabilities and times a·t are mixed linearly: in them the
// constraints are convex, so what both plans keep the mixture keeps, (A12).
void Mix(const AirtimeBuyers& buyers, double share, const AirtimePlan& other, AirtimePlan& plan) {
  for (std::size_t i = 0; i < buyers.devices; ++i) {
    double& a = plan.plan.probability[i];
    double& t = plan.upload_s[i];
    double& power_w = plan.plan.power_w[i];
    const double more_a = other.plan.probability[i], more_t = other.upload_s[i];
    if (more_a == 0) continue;
    const double mixed = a + share * (more_a - a);
    if (a == 0 || t == more_t) {
      t = more_t;
      power_w = other.plan.power_w[i];
    } else {
      t = ((1 - share) * a * t + share * more_a * more_t) / mixed;
      const double most_w = std::max(power_w, other.plan.power_w[i]);
      power_w = std::min(PowerOfNats(buyers.noise_to_gain_w[i], buyers.nat_time_s[i] / t), most_w);
    }
    a = mixed;
    if (a == 0) t = power_w = 0;
  }
}

AirtimeTotals TotalsOf(const AirtimeProblem& problem, const AirtimePlan& plan, const Hands& hands) {
  AirtimeTotals sum;
  for (const AirtimeTotals& part :
       base::MapFleet(problem.devices.devices, hands, [&](const base::Shard& shard) {
         AirtimeTotals of_shard;
         for (std::size_t i = shard.begin; i < shard.end; ++i) {
           const double a = plan.plan.probability[i];
           if (a == 0) continue;
           of_shard.participants += a;
           of_shard.seconds += a * (plan.upload_s[i] + problem.added_time_s[i]);
         }
         return of_shard;
       })) {
    sum += part;
  }
  return sum;
}

}  // namespace

// State is what one solver keeps: the devices, the plan, and the other plan where two are mixed.
struct AirtimeSolver::State {
  AirtimeBuyers buyers;
  AirtimePlan plan, other;

  void Solve(const AirtimeProblem& problem, const Hands& hands);

 private:
  bool IsMet(const AirtimeProblem& problem, double goal, const Hands& hands);
  double Start(double goal, const AirtimeSearchOptions& options, const Hands& hands);
  void MeetGoal(const AirtimeProblem& problem, double goal, double start, const Hands& hands);
  void SaveEnergy(const AirtimeProblem& problem, const Hands& hands);
};

void AirtimeSolver::State::Solve(const AirtimeProblem& problem, const Hands& hands) {
  const double goal = problem.goal == AirtimeGoal::kTime ? problem.seconds : problem.participants;
  const AirtimeEnds ends = planning::Prepare(problem, buyers, hands);
  if (ends.most_soon.Of(problem.goal) <= goal && IsMet(problem, goal, hands)) return;
  if (ends.least.Of(problem.goal) >= goal) {
    SetLogPrice(kInfinity, plan);
    SetTotals(planning::PlanAt(buyers, kInfinity, plan, hands), plan);
  } else {
    MeetGoal(problem, goal, ends.log_free_price, hands);
  }
}

// Plans for seconds that cost nothing, and says whether there are enough of them.
bool AirtimeSolver::State::IsMet(const AirtimeProblem& problem, double goal, const Hands& hands) {
  const AirtimeTotals totals = planning::PlanAt(buyers, -kInfinity, plan, hands);
  if (totals.Of(problem.goal) > goal) return false;
  SetLogPrice(-kInfinity, plan);
  SetTotals(totals, plan);
  if (problem.goal == AirtimeGoal::kTime && totals.participants > 0) SaveEnergy(problem, hands);
  return true;
}

// Finds where to begin, in a sample of a large fleet.
double AirtimeSolver::State::Start(double goal, const AirtimeSearchOptions& options,
                                   const Hands& hands) {
  const std::size_t groups = buyers.all_groups;
  const std::size_t stride = groups / (kSample / kAirtimePadding);
  if (stride < 4) return options.start;
  const std::size_t asked = (groups + stride - 1) / stride;
  AirtimeSearchOptions rough = options;
  rough.last_step = 1e-3 * options.first_step;
  rough.is_rough = true;
  const double share = static_cast<double>(asked) / static_cast<double>(groups);
  const AirtimePrices prices =
      planning::FindAirtimePrice(goal * share, rough, [&](double x, double, bool) {
        const AirtimeTotals totals = planning::TotalsAt(buyers, x, stride, kRoughStep, hands);
        return TotalPoint{totals.Of(buyers.goal), totals.slope};
      });
  return prices.high;
}

// (A11)
void AirtimeSolver::State::MeetGoal(const AirtimeProblem& problem, double goal, double start,
                                    const Hands& hands) {
  const double fairness = problem.fairness;
  const bool has_log_prices = fairness != 0 && fairness != 1 && fairness != 2;
  AirtimeSearchOptions options{.start = start,
                               .first_step = std::max(fairness, 1.0),
                               .last_step = 1e-13 * std::clamp(fairness, 0.05, 1.0),
                               .most = has_log_prices ? 1e6 : kMostLogPrice};
  options.start = Start(goal, options, hands);
  AirtimeTotals last;
  bool is_planned = false;
  const AirtimePrices prices =
      planning::FindAirtimePrice(goal, options, [&](double x, double step, bool is_last) {
        is_planned = is_last;
        if (is_last) {
          last = planning::PlanAt(buyers, x, plan, hands);
        } else {
          const bool is_rough = step > 0.1;
          last =
              planning::TotalsAt(buyers, x, 1, is_rough ? kRoughStep : planning::kExactStep, hands);
          // Close to the goal a rough total might be on the wrong side of it.
          if (is_rough && std::abs(last.Of(problem.goal) / goal - 1) < 1e-3) {
            last = planning::TotalsAt(buyers, x, 1, planning::kExactStep, hands);
          }
        }
        return TotalPoint{last.Of(problem.goal), last.slope};
      });
  SetLogPrice(prices.high, plan);
  if (prices.is_met()) {
    // A price beyond all bounds is not looked for any further.
    if (!is_planned) last = planning::PlanAt(buyers, prices.high, plan, hands);
    SetTotals(last, plan);
    return;
  }
  const double high_total = planning::PlanAt(buyers, prices.high, plan, hands).Of(problem.goal);
  const double low_total = planning::PlanAt(buyers, prices.low, other, hands).Of(problem.goal);
  const double spread = low_total - high_total;
  Mix(buyers, spread > 0 ? std::clamp((goal - high_total) / spread, 0.0, 1.0) : 0, other, plan);
  SetTotals(TotalsOf(problem, plan, hands), plan);
}

// (A13). The time of all rises with the extra price of energy, so its inverse is looked for.
void AirtimeSolver::State::SaveEnergy(const AirtimeProblem& problem, const Hands& hands) {
  const AirtimeTotals slowest = planning::SlowDown(problem, buyers, kMostLogPrice, nullptr, hands);
  double log_extra_price = kMostLogPrice;
  if (slowest.seconds > problem.seconds) {
    const AirtimeSearchOptions options{.first_step = 1, .last_step = 1e-13, .most = kMostLogPrice};
    const auto total_at = [&](double x, double, bool is_last) {
      const AirtimeTotals totals =
          planning::SlowDown(problem, buyers, -x, is_last ? &plan : nullptr, hands);
      return TotalPoint{totals.seconds, -totals.slope};
    };
    log_extra_price = -planning::FindAirtimePrice(problem.seconds, options, total_at).high;
  }
  SetTotals(planning::SlowDown(problem, buyers, log_extra_price, &plan, hands), plan);
  plan.extra_energy_price_s_per_j = std::exp(log_extra_price);
}

AirtimeSolver::AirtimeSolver() : state_(std::make_unique<State>()) {}
AirtimeSolver::~AirtimeSolver() = default;
AirtimeSolver::AirtimeSolver(AirtimeSolver&&) noexcept = default;
AirtimeSolver& AirtimeSolver::operator=(AirtimeSolver&&) noexcept = default;

const AirtimePlan& AirtimeSolver::Solve(const AirtimeProblem& problem, const Hands& hands) {
  planning::CheckShape(problem);
  state_->Solve(problem, hands);
  return state_->plan;
}

AirtimePlan SolveAirtime(const AirtimeProblem& problem, const Hands& hands) {
  AirtimeSolver solver;
  return solver.Solve(problem, hands);
}

}  // namespace airlot
