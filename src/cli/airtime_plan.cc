#include "cli/airtime_plan.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "airlot/band_split.h"
#include "planning/shape.h"
#include "selection/airtime_rules.h"

namespace airlot::cli {
namespace {

// Returns each device's share of the data, equal ones where the fleet knows of no samples.
ColumnValues DataShares(const Fleet& fleet) {
  ColumnValues shares(fleet.devices, 1 / static_cast<double>(fleet.devices));
  long double sum = 0;
  for (std::size_t i = 0; fleet.samples && i < fleet.devices; ++i) sum += (*fleet.samples)[i];
  for (std::size_t i = 0; sum > 0 && i < fleet.devices; ++i) {
    shares[i] = static_cast<double>((*fleet.samples)[i] / sum);
  }
  return shares;
}

// The fields of an airtime problem come from these keys.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kKeys = {{
    {"fairness", "strategy.airtime.fairness"},
    {"energy_price_s_per_j", "strategy.airtime.energy_price"},
    {"participants", "strategy.airtime.participants"},
    {"weight", "strategy.airtime.data_exponent"},
    {"least_probability", "strategy.airtime.floor"},
    {"seconds", "round.time_limit_s"},
}};

// Names the key of the field that an error is about.
Error WithKey(const Error& error) {
  for (const auto& [field, key] : kKeys) {
    if (error.field == field) return {std::string(key) + error.message.substr(field.size()), {}};
    if (error.message.find(fmt::format(" {} = ", field)) == std::string::npos) continue;
    return {fmt::format("{}: makes a value that no plan takes: {}", key, error.message), {}};
  }
  return {"the airtime plan: " + error.message, {}};
}

OtherSharing PlanOther(const PlannedAirtime& planned, const Plan& own_bands, int threads) {
  AirtimeRules rules = planned.rules;
  rules.sharing = planned.round->takes_turns() ? AirtimeSharing::kBands : AirtimeSharing::kTurns;
  AirtimeRound other(rules);
  other.Plan(planned.cell, planned.data_share, own_bands.probability, threads);
  return {.participants = other.plan().participants, .times = ExpectTimes(other)};
}

// The plan of own bands is compared with computation in both plans or in none.
Expectations ExpectOwnBands(const PlannedAirtime& planned, const Plan& own_bands, bool books_count,
                            int threads) {
  PlanningProblem problem = planned.cell.problem;
  if (books_count) problem.compute_time_s = planned.cell.compute_time_s;
  return Expect(problem, own_bands, threads);
}

}  // namespace

Status CheckAirtime(const Scenario& scenario) {
  if (scenario.round.time_rule == TimeRule::kDeadline) {
    return Error{
        "round.time_rule = deadline: an airtime plan bounds the time of the mean round; set it to "
        "expected, or leave --airtime (round.airtime) out"};
  }
  if (StepsOf(scenario.radio).any()) {
    return Error{fmt::format(
        "{}: an airtime plan knows Shannon's formula and powers of any size only; leave it or "
        "--airtime (round.airtime) out",
        KeyOfSteps(scenario.radio))};
  }
  const BandSharing sharing = scenario.radio.band.sharing;
  if (sharing == BandSharing::kEqual) return {};
  return Error{fmt::format(
      "radio.sharing = {}: an airtime plan leaves the whole band to those who are drawn; set it to "
      "equal, or leave --airtime (round.airtime) out",
      BandSharingName(sharing))};
}

Result<PlannedAirtime> PlanAirtime(const Scenario& scenario, const Fleet& fleet,
                                   const PlanningProblem& problem, const Plan& own_bands,
                                   int threads) {
  auto cell = CellOf(fleet, scenario, problem);
  if (!cell) return cell.error();
  PlannedAirtime planned{.rules = selection::AirtimeRulesOf({scenario.strategy, "airtime"}),
                         .cell = *cell,
                         .data_share = DataShares(fleet)};
  planned.round = std::make_unique<AirtimeRound>(planned.rules);
  AirtimeRound& round = *planned.round;
  if (const auto status = round.Check(planned.cell, planned.data_share, own_bands.probability);
      !status) {
    return WithKey(status.error());
  }
  round.Plan(planned.cell, planned.data_share, own_bands.probability, threads);
  planned.rows = DescribeAirtime(fleet, planned.cell, round, own_bands);
  return planned;
}

AirtimeSummary Summarise(const PlannedAirtime& planned, const Plan& own_bands, int threads) {
  const Cell& cell = planned.cell;
  const AirtimeRound& round = *planned.round;
  AirtimeSummary summary{.rules = planned.rules,
                         .goal = round.problem().goal,
                         .goal_s = round.time_limit_s(),
                         .takes_turns = round.takes_turns(),
                         .noise_is_density = cell.noise_grows_with_band,
                         .has_circuits = cell.problem.circuit_power_w > 0,
                         .limit_counts_computation = !planning::IsZero(cell.problem.compute_time_s),
                         .floors = round.floors(),
                         .price = round.plan().price,
                         .log_price = round.plan().log_price,
                         .extra_energy_price_s_per_j = round.plan().extra_energy_price_s_per_j,
                         .expect = ExpectAirtime(cell, round, planned.rows),
                         .own_bands = ExpectOwnBands(
                             planned, own_bands, !planning::IsZero(cell.compute_time_s), threads),
                         .levers = FindAirtimeLevers(planned.rules, cell, planned.data_share,
                                                     own_bands.probability, threads)};
  if (CanSendTogether(cell)) summary.other = PlanOther(planned, own_bands, threads);
  return summary;
}

}  // namespace airlot::cli
