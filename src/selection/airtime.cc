// Airtime divides the time of a round among those who take part, within every budget
// (docs/airtime.md). Devices are drawn independently with the probabilities of the airtime plan.
// They send one after another in the whole band or, where the noise is a density and that is
// better, at the same time in bands that end together.
#include <algorithm>
#include <cmath>

#include "airlot/airtime_round.h"
#include "airlot/strategy_parts.h"
#include "planning/shape.h"
#include "selection/airtime_rules.h"
#include "selection/independent_draws.h"
#include "selection/strategies.h"

namespace airlot::selection {
namespace {

class Airtime : public Strategy {
 public:
  explicit Airtime(const OptionValues& options) : round_(AirtimeRulesOf(options)) {}

  bool KeepsBudgets() const override { return true; }

  void Select(const SelectionView& view, Selection& selection) override {
    if (!is_planned_ || plan_version_ != view.plan_version) {
      round_.Plan(*view.cell, view.data_share, view.probability);
      is_planned_ = true;
      plan_version_ = view.plan_version;
    }
    selection.nobody_able = !HasTimeLeft(view);
    if (selection.nobody_able) return;
    Draw(view, selection);
    if (selection.devices.empty()) return;
    round_.takes_turns() ? TakeTurns(*view.cell, selection) : SendTogether(*view.cell, selection);
    if (LimitCountsComputation(*view.cell)) view.memory->front() += TimeOf(*view.cell, selection);
  }

 private:
  bool LimitCountsComputation(const Cell& cell) const {
    return !planning::IsZero(cell.problem.compute_time_s) &&
           round_.problem().goal == AirtimeGoal::kTime;
  }

  // Returns when a device begins to send, by the books or by the limit: where both count
  // computation, they agree.
  static double ReadyTime(const Cell& cell, std::uint32_t device) {
    return std::max(cell.compute_time_s[device], cell.problem.compute_time_s[device]);
  }

  // Where the limit counts computation and is the goal, the memory is the time of the rounds so
  // far, and a round is left empty while that is more than the limit allows. (A20)
  bool HasTimeLeft(const SelectionView& view) const {
    if (!LimitCountsComputation(*view.cell)) return true;
    if (view.memory->empty()) view.memory->push_back(0);
    return view.memory->front() <= double(view.round - 1) * round_.time_limit_s();
  }

  // Those who cannot pay stay out. (A19)
  bool CanPay(const SelectionView& view, std::size_t device) const {
    return view.energy_left_j.empty() || round_.energy_j()[device] <= view.energy_left_j[device];
  }

  void Draw(const SelectionView& view, Selection& selection) const {
    const std::span<const double> probability = round_.plan().plan.probability;
    double log_none = 0;
    bool is_anybody_able = false;
    VisitDraws(probability, view.seed, RoundOfDraw(view), [&](std::size_t i, bool is_drawn) {
      if (!CanPay(view, i)) return;
      is_anybody_able |= probability[i] > 0;
      if (view.redraws_empty) log_none += std::log1p(-probability[i]);  // (31)
      if (is_drawn) selection.devices.push_back(std::uint32_t(i));
    });
    selection.nobody_able = !is_anybody_able;
    not_empty_ = view.redraws_empty ? -std::expm1(log_none) : 1;
  }

  // Those who are ready first send first. (K6)
  void TakeTurns(const Cell& cell, Selection& selection) const {
    std::ranges::sort(selection.devices, {}, [&](std::uint32_t device) {
      return std::pair(ReadyTime(cell, device), device);
    });
    selection.takes_turns = true;
    for (const std::uint32_t device : selection.devices) {
      selection.terms.push_back(
          {.power_w = round_.plan().plan.power_w[device], .bandwidth_hz = cell.total_bandwidth_hz});
    }
    SetProbabilities(selection);
  }

  void SendTogether(const Cell& cell, Selection& selection) const {
    ready_s_.resize(cell.problem.devices);
    for (const std::uint32_t device : selection.devices) ready_s_[device] = ReadyTime(cell, device);
    for (const BandShare& share : round_.ShareBand(cell, selection.devices, ready_s_)) {
      selection.terms.push_back({.power_w = share.power_w, .bandwidth_hz = share.bandwidth_hz});
    }
    SetProbabilities(selection);
  }

  void SetProbabilities(Selection& selection) const {
    for (const std::uint32_t device : selection.devices) {
      selection.probability.push_back(round_.plan().plan.probability[device] / not_empty_);  // (51)
    }
  }

  // Returns the time that the limit bounds: computation and uploads.
  static double TimeOf(const Cell& cell, const Selection& selection) {
    double time_s = 0;
    for (std::size_t seat = 0; seat < selection.devices.size(); ++seat) {
      const std::uint32_t device = selection.devices[seat];
      const double ready_s = cell.problem.compute_time_s[device];
      const double upload_s = CostOf(cell, device, selection.terms[seat]).upload_s;
      time_s = selection.takes_turns ? std::max(time_s, ready_s) + upload_s  // (67)
                                     : std::max(time_s, ready_s + upload_s);
    }
    return time_s;
  }

  AirtimeRound round_;
  bool is_planned_ = false;
  std::uint64_t plan_version_ = 0;
  mutable ColumnValues ready_s_;
  mutable double not_empty_ = 1;  // the probability that somebody is drawn, where that is made sure
};

}  // namespace

AirtimeRules AirtimeRulesOf(const OptionValues& options) {
  return {.fairness = options["fairness"],
          .energy_price_s_per_j = options["energy_price"],
          .participants = options["participants"],
          .data_exponent = options["data_exponent"],
          .floor = options["floor"]};
}

StrategyEntry AirtimeEntry() {
  const AirtimeRules rules;
  return {std::string(kAirtimeStrategy),
          "Devices are drawn so that the round's time is divided fairly and every budget is kept, "
          "and share the band after the draw.",
          {{.name = "fairness",
            .value = rules.fairness,
            .low = 0,
            .high = kLargestFairness,
            .summary = "The fairness: 0 means most participants, 1 equal shares of the time, 100 "
                       "nearly equal probabilities; above 10 the most starved devices decide about "
                       "everything, and with participants given rounds may take hours."},
           {.name = "energy_price",
            .value = rules.energy_price_s_per_j,
            .low = 0,
            .high = 1e9,
            .summary = "A joule is worth so many seconds."},
           {.name = "participants",
            .value = rules.participants,
            .low = 0,
            .high = 1e9,
            .summary = "So many devices are expected in a round; 0, or more than the budgets pay "
                       "for, means as many as the time limit allows."},
           {.name = "data_exponent",
            .value = rules.data_exponent,
            .low = 0,
            .high = 4,
            .summary = "A device weighs as much as this power of its share of the data."},
           {.name = "floor",
            .value = rules.floor,
            .low = 0,
            .high = 1,
            .summary = "Nobody takes part less often than this share of its probability in the "
                       "plan of its own band, where that is sure to fit."}},
          ConstructStrategy<Airtime>,
          /*knows_probabilities=*/true,
          /*cuts_updates=*/false,
          /*needs_shannon=*/true};
}

}  // namespace airlot::selection
