#include "cli/airtime_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

#include "cli/terminal.h"

namespace airlot::cli {
namespace {

template <class... T>
void Append(std::string& text, fmt::format_string<T...> format, T&&... values) {
  fmt::format_to(std::back_inserter(text), format, std::forward<T>(values)...);
}

// A FloorsEntry says in a word and in a sentence what became of the floors. (A14)
struct FloorsEntry {
  std::string_view name, why;
};

FloorsEntry EntryOf(AirtimeFloors floors) {
  switch (floors) {
    case AirtimeFloors::kKept:
      return {"kept", ""};
    case AirtimeFloors::kNotWanted:
      return {"not-wanted", "strategy.airtime.floor is 0"};
    case AirtimeFloors::kEnergyIsPriced:
      return {"energy-is-priced", "a joule has a price, so they might not fit"};
    case AirtimeFloors::kParticipantsGiven:
      return {"participants-given", "the number of participants is given"};
    case AirtimeFloors::kBandsKeepNone:
      return {"bands-keep-none", "bands that end together keep none"};
    case AirtimeFloors::kComputationCounts:
      return {"computation-counts", "the limit counts computation, so they might not fit"};
    case AirtimeFloors::kTheyDoNotFit:
      return {"they-do-not-fit", "they would take more than the time limit"};
  }
  return {};
}

std::string FloorsText(const AirtimeSummary& summary) {
  if (summary.floors != AirtimeFloors::kKept) {
    return fmt::format("none: {}", EntryOf(summary.floors).why);
  }
  if (summary.rules.floor == 1) return "nobody takes part less often than in its own band";
  return fmt::format("nobody takes part less often than {:.4g} times that in its own band",
                     summary.rules.floor);
}

std::string GoalText(const AirtimeSummary& summary) {
  const double participants = summary.rules.participants;
  if (summary.goal == AirtimeGoal::kParticipants) {
    return fmt::format("{:.4g} participant{} a round; the time limit does not count", participants,
                       participants == 1 ? "" : "s");
  }
  std::string text =
      Quantity(summary.goal_s, summary.limit_counts_computation
                                   ? "s, the time limit; a round is left out where it is not met"
                                   : "s for the mean round, the time limit");
  if (participants > 0) {
    Append(text, ",\nas the budgets pay for at most {:.4g} of the {:.4g} participant{} wanted",
           summary.payable_participants.value_or(0), participants, participants == 1 ? "" : "s");
  }
  return text;
}

std::string TimeText(const AirtimeSummary& summary) {
  const AirtimeExpectations& expect = summary.expect;
  if (expect.is_time_exact()) {
    return fmt::format("{} (sd {})", Quantity(expect.time_at_most_s, "s"),
                       Quantity(expect.time_sd_s, "s"));
  }
  return fmt::format("{:.4g} to {}", expect.time_at_least_s, Quantity(expect.time_at_most_s, "s"));
}

std::string_view SharingName(bool takes_turns) { return takes_turns ? "turns" : "bands"; }

// Appends facts below each other. A line of a text that is not its first is indented.
void AppendRows(std::string& text, const PlanFacts& facts) {
  for (const std::vector<std::string>& row : facts.rows) {
    Append(text, "  {:<13} ", row[0]);
    for (const char c : row[1]) text += c == '\n' ? "\n                " : std::string(1, c);
    text += "\n";
  }
}

// Says which of the two ways to share the band would give what.
std::vector<std::string> OtherRow(const AirtimeSummary& summary) {
  const AirtimeTimes& times = summary.other->times;
  return {summary.takes_turns ? "in bands" : "in turns",
          fmt::format("{:.4g} participants in {} would be planned", summary.other->participants,
                      times.slowest_s > 0 ? fmt::format("{:.4g} to {}", times.at_least_s(),
                                                        Quantity(times.at_most_s(), "s"))
                                          : Quantity(times.band_s, "s"))};
}

PlanFacts SharingFacts(const AirtimeSummary& summary) {
  PlanFacts facts{.id = "sharing", .title = "How those who are drawn take part"};
  facts.rows = {{"they send", HowTheySend(summary)},
                {"goal", GoalText(summary)},
                {"fairness", fmt::format("{:.4g}", summary.rules.fairness)}};
  if (summary.rules.data_exponent > 0) {
    facts.rows.push_back({"weights", fmt::format("the share of the data, to the power {:.4g}",
                                                 summary.rules.data_exponent)});
  }
  facts.rows.push_back(
      {"joules",
       summary.rules.energy_price_s_per_j > 0
           ? fmt::format("each is worth {}", Quantity(summary.rules.energy_price_s_per_j, "s"))
           : "are bounded by the budgets alone"});
  facts.rows.push_back({"floors", FloorsText(summary)});
  return facts;
}

std::string WorthOfASecond(const AirtimeSummary& summary) {
  if (std::isinf(summary.price)) {
    return fmt::format("is worth e^{:.4g} in the unit of the objective", summary.log_price);
  }
  return summary.price > 0
             ? fmt::format("is worth {:.4g} in the unit of the objective", summary.price)
             : "costs nothing: all take part as often as their budgets allow";
}

std::vector<std::string> LimitedRow(const AirtimeTimes& times) {
  return {
      "limited by",
      times.is_power_limited()
          ? fmt::format("power: {:.4g} s for the slowest at full power, {:.4g} s for the band",
                        times.slowest_s, times.band_s)
          : fmt::format("the band: {:.4g} s for the band, {:.4g} s for the slowest at full power",
                        times.band_s, times.slowest_s)};
}

PlanFacts OutlookFacts(const AirtimeSummary& summary) {
  PlanFacts facts{.id = "outlook", .title = "What the plan means"};
  facts.rows = {{"longest upload", Quantity(summary.expect.round.longest_upload_s, "s") +
                                       ", of a device that is drawn alone"},
                {"a second", WorthOfASecond(summary)}};
  if (summary.noise_is_density && !summary.takes_turns) {
    facts.rows.push_back(LimitedRow(summary.expect.uploads));
  }
  if (summary.other) facts.rows.push_back(OtherRow(summary));
  return facts;
}

PlanFacts ComparisonFacts(const AirtimeSummary& summary) {
  const Expectations &here = summary.expect.round, &own = summary.own_bands;
  PlanFacts facts{.id = "own-bands", .title = "Beside the plan of own bands"};
  facts.rows = {
      {"participants", fmt::format("{:.4g} against {:.4g}", here.participants, own.participants)},
      {"time", fmt::format("{}{} against {}", summary.expect.is_time_exact() ? "" : "at most ",
                           Quantity(here.round_time_s, "s"), Quantity(own.round_time_s, "s"))},
      {"energy", fmt::format("{} against {}", Quantity(here.round_energy_j, "J"),
                             Quantity(own.round_energy_j, "J"))}};
  if (summary.goal == AirtimeGoal::kTime && here.participants < own.participants) {
    facts.remark = fmt::format(
        "The limit bounds the mean round here, and each device's own time there. For as many\n"
        "participants as there add --set strategy.airtime.participants={:.4g}",
        own.participants);
  }
  return facts;
}

PlanFacts CheckFacts(const AirtimeCertificate& certificate) {
  return {.id = "check",
          .title = "Checked by an independent route",
          .rows = {{"largest violation of a constraint",
                    fmt::format("{:.2g} (relative)", certificate.largest_violation)},
                   {"gap to the optimum of all devices",
                    fmt::format("{:.2g} (relative)", certificate.gap)}}};
}

void AppendLevers(std::string& text, const AirtimeLevers& levers) {
  Append(text, "\nWhat 1 % more would add to the {}\n",
         levers.are_seconds ? "time of the round, in s" : "participants");
  Append(text, "  band          {:+.3g}\n", levers.adds.bandwidth);
  if (!levers.are_seconds) Append(text, "  time limit    {:+.3g}\n", levers.adds.time_limit);
  Append(text, "  power cap     {:+.3g}\n", levers.adds.max_power);
  Append(text, "  budgets       {:+.3g}\n", levers.adds.energy_budget);
}

Json TimesToJson(const AirtimeTimes& times) {
  return {{"band_s", times.band_s},
          {"slowest_s", times.slowest_s},
          {"at_least_s", times.at_least_s()},
          {"at_most_s", times.at_most_s()}};
}

}  // namespace

std::string HowTheySend(const AirtimeSummary& summary) {
  if (!summary.takes_turns) {
    return "at the same time, in bands that end together, as the noise is a density";
  }
  if (!summary.noise_is_density) {
    return "in turns, each in the whole band, as that has no more noise";
  }
  return summary.has_circuits ? "in turns, each in the whole band, as circuits draw power"
                              : "in turns, each in the whole band, which is better here";
}

std::vector<PlanFacts> FactsOf(const AirtimeSummary& summary) {
  std::vector<PlanFacts> all{SharingFacts(summary)};
  if (summary.expect.round.participants > 0) {
    all.push_back(OutlookFacts(summary));
    all.push_back(ComparisonFacts(summary));
  }
  if (summary.certificate) all.push_back(CheckFacts(*summary.certificate));
  for (PlanFacts& facts : all) {
    std::ranges::replace(facts.remark, '\n', ' ');
    for (std::vector<std::string>& row : facts.rows) std::ranges::replace(row[1], '\n', ' ');
  }
  return all;
}

void AppendSharing(std::string& text, const AirtimeSummary& summary) {
  const PlanFacts facts = SharingFacts(summary);
  Append(text, "{}\n", facts.title);
  AppendRows(text, facts);
  text += "\n";
}

void AppendTime(std::string& text, const AirtimeSummary& summary) {
  const bool is_exact = summary.expect.is_time_exact();
  Append(text, "  time          {}{}{}\n", TimeText(summary),
         is_exact ? ", all uploads together" : ", bounds of the mean",
         summary.expect.counts_computation ? ", with computation" : "");
}

void AppendOutlook(std::string& text, const AirtimeSummary& summary) {
  if (summary.expect.round.participants > 0) {
    AppendRows(text, OutlookFacts(summary));
    const PlanFacts comparison = ComparisonFacts(summary);
    Append(text, "\n{}\n", comparison.title);
    AppendRows(text, comparison);
    if (!comparison.remark.empty()) {
      text += "  ";
      for (const char c : comparison.remark) text += c == '\n' ? "\n  " : std::string(1, c);
      text += "\n";
    }
    AppendLevers(text, summary.levers);
  }
  if (!summary.notes.empty()) Append(text, "\nWhat a run does beside it\n");
  for (const std::string& note : summary.notes) Append(text, "  {}\n", note);
}

void AppendCheck(std::string& text, const AirtimeCertificate& certificate) {
  const PlanFacts facts = CheckFacts(certificate);
  Append(text, "\n{}\n", facts.title);
  for (const std::vector<std::string>& row : facts.rows) {
    Append(text, "  {}  {}\n", row[0], row[1]);
  }
}

std::optional<Error> FailureOf(const AirtimeCertificate& certificate, std::size_t devices) {
  // A NaN is wrong, too.
  if (!(certificate.largest_violation <= kLargestViolation)) {
    return Error{fmt::format(
        "the check failed: {} violates a constraint by {:.3g} (relative), more than {:.0e}",
        certificate.violation_device < devices
            ? fmt::format("row {} of the plan", certificate.violation_device + 1)
            : "the plan of all devices",
        certificate.largest_violation, kLargestViolation)};
  }
  if (!(certificate.gap <= kLargestViolation)) {
    return Error{fmt::format(
        "the check failed: the plan is {:.3g} (relative) from the optimum, most of it in row {}, "
        "more than {:.0e}",
        certificate.gap, certificate.gap_device + 1, kLargestViolation)};
  }
  return std::nullopt;
}

// The goal is no row.
Json ToJson(const AirtimeCertificate& certificate, std::size_t devices) {
  const std::size_t device = certificate.violation_device;
  return {{"largest_violation", Finite(certificate.largest_violation)},
          {"violation_row", device < devices ? Json(device + 1) : Json()},
          {"gap", Finite(certificate.gap)},
          {"largest_own_gap", Finite(certificate.largest_own_gap)},
          {"gap_row", certificate.gap_device + 1}};
}

Json ToJson(const AirtimeSummary& summary) {
  const AirtimeExpectations& expect = summary.expect;
  const AirtimeRules& rules = summary.rules;
  const bool is_time = summary.goal == AirtimeGoal::kTime;
  Json json{{"sharing", SharingName(summary.takes_turns)},
            {"goal", is_time ? "time" : "participants"},
            {"goal_participants", rules.participants > 0 ? Json(rules.participants) : Json()},
            {"goal_s", is_time ? Json(summary.goal_s) : Json()},
            {"fairness", rules.fairness},
            {"energy_price_s_per_j", rules.energy_price_s_per_j},
            {"data_exponent", rules.data_exponent},
            {"floor", rules.floor},
            {"floors", EntryOf(summary.floors).name},
            {"price", Finite(summary.price)},
            {"log_price", Finite(summary.log_price)},
            {"extra_energy_price_s_per_j", Finite(summary.extra_energy_price_s_per_j)},
            {"round_time_at_least_s", expect.time_at_least_s},
            {"round_time_at_most_s", expect.time_at_most_s},
            {"round_time_sd_s", expect.is_time_exact() ? Json(expect.time_sd_s) : Json()},
            {"counts_computation", expect.counts_computation},
            {"uploads", TimesToJson(expect.uploads)},
            {"payable_participants",
             summary.payable_participants ? Json(*summary.payable_participants) : Json()},
            {"notes", summary.notes},
            {"limited_by", nullptr},
            {"other_sharing", nullptr},
            {"own_bands",
             {{"expected_participants", summary.own_bands.participants},
              {"expected_round_time_s", summary.own_bands.round_time_s},
              {"expected_round_energy_j", summary.own_bands.round_energy_j}}}};
  if (!summary.takes_turns) {
    json["limited_by"] = expect.uploads.is_power_limited() ? "power" : "band";
  }
  if (summary.other) {
    json["other_sharing"] = {{"sharing", SharingName(!summary.takes_turns)},
                             {"expected_participants", summary.other->participants},
                             {"uploads", TimesToJson(summary.other->times)}};
  }
  return json;
}

}  // namespace airlot::cli
