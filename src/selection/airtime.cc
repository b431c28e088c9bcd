// Airtime divides the time of a round among those who take part, within every budget: devices are
// drawn independently with the probabilities of the airtime plan (docs/airtime.md), and send one
// after another in the whole band or, where the noise is a density, at the same time in bands that
// end together.
#include "airlot/airtime.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "airlot/link.h"
#include "airlot/strategy_parts.h"
#include "selection/purposes.h"
#include "selection/strategies.h"

namespace airlot::selection {
namespace {

class Airtime : public Strategy {
 public:
  explicit Airtime(const OptionValues& options)
      : fairness_(options["fairness"]),
        price_s_per_j_(options["energy_price"]),
        participants_(options["participants"]),
        data_weight_(options["data_weight"]),
        together_(options["together"] != 0) {}

  bool KeepsBudgets() const override { return true; }

  void Select(const SelectionView& view, Selection& selection) override {
    if (!is_planned_ || version_ != view.plan_version) PlanFor(view);
    Draw(view, selection);
    if (selection.devices.empty()) return;
    sends_together_ ? SendTogether(*view.cell, selection) : TakeTurns(*view.cell, selection);
  }

 private:
  void PlanFor(const SelectionView& view) {
    const Cell& cell = *view.cell;
    const std::size_t count = view.probability.size();
    const double band_hz = cell.total_bandwidth_hz;
    noise_w_.resize(count);
    nat_time_s_.resize(count);
    price_.resize(count);
    added_s_.resize(count);
    weight_.resize(count);
    most_.resize(count);
    sends_together_ = together_ && cell.noise_grows_with_band && cell.problem.circuit_power_w == 0;
    for (std::size_t i = 0; i < count; ++i) {
      const BandColumns columns = ColumnsIn(cell, i, band_hz);
      noise_w_[i] = columns.noise_to_gain_w;
      nat_time_s_[i] = columns.nat_time_s;
      most_[i] = view.probability[i] > 0 ? 1 : 0;
      weight_[i] = data_weight_ == 0 ? 1 : std::pow(view.data_share[i] * double(count), data_weight_);
      price_[i] = price_s_per_j_;
      added_s_[i] = cell.compute_time_s[i];
      if (sends_together_) {
        const double per_j = cell.problem.amplifier_efficiency / cell.problem.max_power_w[i];
        price_[i] += per_j;
        added_s_[i] -= per_j * FixedEnergyOf(cell.problem, i).drawn_j;
      }
    }
    AirtimeProblem problem{.devices = cell.problem,
                           .fairness = fairness_,
                           .weight = weight_,
                           .energy_price_s_per_j = price_,
                           .added_time_s = added_s_,
                           .most_probability = most_,
                           .is_power_limited = !sends_together_};
    problem.devices.noise_to_gain_w = noise_w_;
    problem.devices.nat_time_s = nat_time_s_;
    problem.goal = participants_ > 0 ? AirtimeGoal::kParticipants : AirtimeGoal::kTime;
    problem.participants = participants_;
    double limit_s = 0;
    for (std::size_t i = 0; i < count; ++i) limit_s += cell.problem.time_limit_s[i] / double(count);
    problem.seconds = limit_s;
    plan_ = SolveAirtime(problem);
    energy_j_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      const double u = plan_.upload_s[i] > 0 ? nat_time_s_[i] / plan_.upload_s[i] : 0;
      const double power_w = PowerOfNats(noise_w_[i] * cell.problem.snr_gap, u);
      radiated_j_.resize(count);
      radiated_j_[i] = power_w * plan_.upload_s[i];
      energy_j_[i] = radiated_j_[i] / cell.problem.amplifier_efficiency +
                     cell.problem.circuit_power_w * plan_.upload_s[i] + FixedEnergyOf(cell.problem, i).drawn_j;
    }
    is_planned_ = true;
    version_ = view.plan_version;
  }

  void Draw(const SelectionView& view, Selection& selection) const {
    constexpr std::size_t kGroup = 1024;
    const std::size_t size = view.probability.size();
    for (std::size_t first = 0; first < size; first += kGroup) {
      RandomStream stream(view.seed, kProbabilistic, RoundOfDraw(view), first / kGroup);
      for (std::size_t i = first; i < std::min(size, first + kGroup); ++i) {
        if (!(stream.Uniform() < plan_.plan.probability[i])) continue;
        if (!view.energy_left_j.empty() && energy_j_[i] > view.energy_left_j[i]) continue;
        selection.devices.push_back(std::uint32_t(i));
        selection.probability.push_back(plan_.plan.probability[i]);
      }
    }
  }

  void TakeTurns(const Cell& cell, Selection& selection) const {
    std::ranges::sort(selection.devices, {}, [&](std::uint32_t i) { return std::pair(cell.compute_time_s[i], i); });
    selection.probability.clear();
    for (const std::uint32_t i : selection.devices) {
      selection.probability.push_back(plan_.plan.probability[i]);
      selection.terms.push_back({.power_w = plan_.plan.power_w[i], .bandwidth_hz = cell.total_bandwidth_hz});
    }
    selection.takes_turns = true;
  }

  void SendTogether(const Cell& cell, Selection& selection) const {
    double end_s = 0, sum_s = 0, latest_s = 0;
    for (const std::uint32_t i : selection.devices) {
      end_s = std::max(end_s, cell.compute_time_s[i] + radiated_j_[i] / cell.problem.max_power_w[i]);
      sum_s += plan_.upload_s[i];
      latest_s = std::max(latest_s, cell.compute_time_s[i]);
    }
    const auto load = [&](double end) {
      double sum = 0;
      for (const std::uint32_t i : selection.devices) sum += plan_.upload_s[i] / (end - cell.compute_time_s[i]);
      return sum;
    };
    double low = end_s, high = std::max(end_s, latest_s + sum_s);
    if (load(low) > 1) {
      for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (load(middle) > 1 ? low : high) = middle;
      }
    } else {
      high = low;
    }
    for (const std::uint32_t i : selection.devices) {
      const double time_s = high - cell.compute_time_s[i];
      selection.terms.push_back({.power_w = std::min(radiated_j_[i] / time_s, cell.problem.max_power_w[i]),
                                 .bandwidth_hz = cell.total_bandwidth_hz * plan_.upload_s[i] / time_s});
    }
  }

  double fairness_, price_s_per_j_, participants_, data_weight_;
  bool together_;
  bool is_planned_ = false, sends_together_ = false;
  std::uint64_t version_ = 0;
  ColumnValues noise_w_, nat_time_s_, price_, added_s_, weight_, most_, energy_j_, radiated_j_;
  AirtimePlan plan_;
};

}  // namespace

StrategyEntry AirtimeEntry() {
  return {"airtime",
          "Devices are drawn as the airtime plan says, and share the band after the draw.",
          {{.name = "fairness", .value = 2, .low = 0, .high = 100, .summary = "Fairness."},
           {.name = "energy_price", .value = 0, .low = 0, .high = 1e9, .summary = "Seconds that a joule is worth."},
           {.name = "participants", .value = 0, .low = 0, .high = 1e9, .summary = "Expected participants."},
           {.name = "data_weight", .value = 0, .low = 0, .high = 4, .summary = "Power of the data share in the weight."},
           {.name = "together", .value = 1, .low = 0, .high = 1, .is_whole = true, .summary = "Together."}},
          ConstructStrategy<Airtime>,
          /*knows_probabilities=*/true};
}

}  // namespace airlot::selection
