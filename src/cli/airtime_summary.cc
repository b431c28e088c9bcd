#include "cli/airtime_summary.h"

#include <fmt/format.h>

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
    Append(text, ",\n                as the budgets do not pay for {:.4g} participant{}",
           participants, participants == 1 ? "" : "s");
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

// Says which of the two ways to share the band would give what.
void AppendOther(std::string& text, const AirtimeSummary& summary) {
  const AirtimeTimes& times = summary.other->times;
  Append(text, "  {} {:.4g} participants in {} would be planned\n",
         summary.takes_turns ? "in bands     " : "in turns     ", summary.other->participants,
         times.slowest_s > 0
             ? fmt::format("{:.4g} to {}", times.at_least_s(), Quantity(times.at_most_s(), "s"))
             : Quantity(times.band_s, "s"));
}

void AppendComparison(std::string& text, const AirtimeSummary& summary) {
  const Expectations &here = summary.expect.round, &own = summary.own_bands;
  Append(text, "\nBeside the plan of own bands\n");
  Append(text, "  participants  {:.4g} against {:.4g}\n", here.participants, own.participants);
  Append(text, "  time          {}{} against {}\n",
         summary.expect.is_time_exact() ? "" : "at most ", Quantity(here.round_time_s, "s"),
         Quantity(own.round_time_s, "s"));
  Append(text, "  energy        {} against {}\n", Quantity(here.round_energy_j, "J"),
         Quantity(own.round_energy_j, "J"));
  if (summary.goal == AirtimeGoal::kParticipants || here.participants >= own.participants) return;
  Append(text,
         "  The limit bounds the mean round here, and each device's own time there. For as many\n"
         "  participants as there add --set strategy.airtime.participants={:.4g}\n",
         own.participants);
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

void AppendSharing(std::string& text, const AirtimeSummary& summary) {
  Append(text, "How those who are drawn take part\n");
  Append(text, "  they send     {}\n", HowTheySend(summary));
  Append(text, "  goal          {}\n", GoalText(summary));
  Append(text, "  fairness      {:.4g}\n", summary.rules.fairness);
  if (summary.rules.data_exponent > 0) {
    Append(text, "  weights       the share of the data, to the power {:.4g}\n",
           summary.rules.data_exponent);
  }
  Append(text, "  joules        {}\n",
         summary.rules.energy_price_s_per_j > 0
             ? fmt::format("each is worth {}", Quantity(summary.rules.energy_price_s_per_j, "s"))
             : "are bounded by the budgets alone");
  Append(text, "  floors        {}\n\n", FloorsText(summary));
}

void AppendTime(std::string& text, const AirtimeSummary& summary) {
  const bool is_exact = summary.expect.is_time_exact();
  Append(text, "  time          {}{}{}\n", TimeText(summary),
         is_exact ? ", all uploads together" : ", bounds of the mean",
         summary.expect.counts_computation ? ", with computation" : "");
}

void AppendOutlook(std::string& text, const AirtimeSummary& summary) {
  if (summary.expect.round.participants == 0) return;
  Append(text, "  longest upload {}, of a device that is drawn alone\n",
         Quantity(summary.expect.round.longest_upload_s, "s"));
  if (std::isinf(summary.price)) {
    Append(text, "  a second      is worth e^{:.4g} in the unit of the objective\n",
           summary.log_price);
  } else if (summary.price > 0) {
    Append(text, "  a second      is worth {:.4g} in the unit of the objective\n", summary.price);
  } else {
    Append(text, "  a second      costs nothing: all take part as often as their budgets allow\n");
  }
  if (summary.noise_is_density && !summary.takes_turns) {
    const AirtimeTimes& times = summary.expect.uploads;
    Append(text, "  limited by    {}: {:.4g} s for the {}, {:.4g} s for the {}\n",
           times.is_power_limited() ? "power" : "the band",
           times.is_power_limited() ? times.slowest_s : times.band_s,
           times.is_power_limited() ? "slowest at full power" : "band",
           times.is_power_limited() ? times.band_s : times.slowest_s,
           times.is_power_limited() ? "band" : "slowest at full power");
  }
  if (summary.other) AppendOther(text, summary);
  AppendComparison(text, summary);
  AppendLevers(text, summary.levers);
}

void AppendCheck(std::string& text, const AirtimeCertificate& certificate) {
  Append(text, "\nChecked by an independent route\n");
  Append(text, "  largest violation of a constraint  {:.2g} (relative)\n",
         certificate.largest_violation);
  Append(text, "  gap to the optimum of all devices  {:.2g} (relative)\n", certificate.gap);
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
