#include "cli/airtime_plan.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "planning/shape.h"
#include "simulation/check_airtime.h"

namespace airlot::cli {
namespace {

OtherSharing PlanOther(const PlannedAirtime& planned, const Plan& own_bands, const Hands& hands) {
  AirtimeRules rules = planned.rules;
  rules.sharing = planned.round->takes_turns() ? AirtimeSharing::kBands : AirtimeSharing::kTurns;
  AirtimeRound other(rules);
  other.Plan(planned.cell, planned.data_share, own_bands.probability, hands);
  return {.participants = other.plan().participants, .times = ExpectTimes(other, hands)};
}

// The plan of own bands is compared with computation in both plans or in none.
Expectations ExpectOwnBands(const PlannedAirtime& planned, const Plan& own_bands, bool books_count,
                            const Hands& hands) {
  PlanningProblem problem = planned.cell.problem;
  if (books_count) problem.compute_time_s = planned.cell.compute_time_s;
  return Expect(problem, own_bands, hands);
}

// Says what empty rounds are in a run, and what that changes on average. (A22)
std::string NoteOnEmptyRounds(const Scenario& scenario, const AirtimeSummary& summary) {
  const Expectations& round = summary.expect.round;
  const double empty = round.probability_empty_round;
  if (scenario.round.empty == EmptyRound::kSkip || empty == 0 || empty == 1) return "";
  if (scenario.round.empty == EmptyRound::kRedraw) {
    return fmt::format(
        "round.empty = redraw: empty rounds are drawn again, so that all means are {:.4g} times as "
        "large: {:.4g} participants, {}{:.4g} s, {:.4g} J.",
        1 / (1 - empty), round.participants / (1 - empty),
        summary.expect.is_time_exact() ? "" : "at most ", round.round_time_s / (1 - empty),
        round.round_energy_j / (1 - empty));
  }
  return fmt::format(
      "round.empty = wait: an empty round lasts as long as the time limit, which adds {:.4g} s to "
      "the mean round.",
      empty * scenario.round.time_limit_s);
}

std::vector<std::string> NotesOn(const Scenario& scenario, const AirtimeSummary& summary) {
  std::vector<std::string> notes;
  const AfterDraw after_draw = scenario.radio.band.after_draw;
  if (after_draw != AfterDraw::kStrategy) {
    notes.push_back(
        fmt::format("radio.after_draw = {}: a run shares the band anew among those who are drawn, "
                    "so that their times and energies are not those of the plan.",
                    AfterDrawName(after_draw)));
  }
  if (std::string note = NoteOnEmptyRounds(scenario, summary); !note.empty()) {
    notes.push_back(std::move(note));
  }
  constexpr double kFairEnough = 10;
  if (summary.goal == AirtimeGoal::kParticipants && summary.rules.fairness > kFairEnough) {
    notes.push_back(
        fmt::format("strategy.airtime.fairness = {:.4g}: above {} the most starved devices decide "
                    "about everything, and with a number of participants as the goal they may send "
                    "for very long.",
                    summary.rules.fairness, kFairEnough));
  }
  return notes;
}

}  // namespace

Status CheckAirtime(const Scenario& scenario) {
  return simulation::CheckAirtime(scenario, "leave --airtime (round.airtime) out");
}

Result<PlannedAirtime> PlanAirtimeRows(const Scenario& scenario, const Fleet& fleet,
                                       const PlanningProblem& problem, const Plan& own_bands,
                                       const Hands& hands) {
  auto plan = PlanAirtime(scenario, fleet, problem, own_bands, hands);
  if (!plan) return plan.error();
  PlannedAirtime planned{std::move(*plan)};
  planned.rows = DescribeAirtime(fleet, planned.cell, *planned.round, own_bands);
  return planned;
}

AirtimeSummary Summarise(const Scenario& scenario, const PlannedAirtime& planned,
                         const Plan& own_bands, const Hands& hands) {
  const Cell& cell = planned.cell;
  const AirtimeRound& round = *planned.round;
  AirtimeSummary summary{
      .rules = planned.rules,
      .goal = round.problem().goal,
      .goal_s = round.time_limit_s(),
      .takes_turns = round.takes_turns(),
      .noise_is_density = cell.noise_grows_with_band,
      .has_circuits = cell.problem.circuit_power_w > 0,
      .limit_counts_computation = !planning::IsZero(cell.problem.compute_time_s, hands),
      .floors = round.floors(),
      .price = round.plan().price,
      .log_price = round.plan().log_price,
      .extra_energy_price_s_per_j = round.plan().extra_energy_price_s_per_j,
      .expect = ExpectAirtime(cell, round, planned.rows, hands),
      .own_bands =
          ExpectOwnBands(planned, own_bands, !planning::IsZero(cell.compute_time_s, hands), hands),
      .levers =
          FindAirtimeLevers(planned.rules, cell, planned.data_share, own_bands.probability, hands),
      .payable_participants = round.payable_participants()};
  summary.notes = NotesOn(scenario, summary);
  if (CanSendTogether(cell)) summary.other = PlanOther(planned, own_bands, hands);
  return summary;
}

}  // namespace airlot::cli
