#include "cli/plan_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "airlot/simd_target.h"
#include "base/gather.h"
#include "base/shards.h"
#include "cli/command.h"
#include "cli/terminal.h"

namespace airlot::cli {
namespace {

template <class... T>
void Append(std::string& text, fmt::format_string<T...> format, T&&... values) {
  fmt::format_to(std::back_inserter(text), format, std::forward<T>(values)...);
}

// The limit on time may be met on average only; then single uploads take longer.
void AppendLongestUpload(std::string& text, const PlanSummary& summary) {
  Append(text, "  longest upload {}\n",
         Quantity(summary.expectations.longest_upload_s,
                  summary.time_rule == TimeRule::kDeadline
                      ? "s; the time limit holds for every one of them"
                      : "s; the time limit holds on average over rounds"));
}

void AppendLevers(std::string& text, const Levers& levers) {
  Append(text, "\nWhat 1 % more would add to the participants, to first order\n");
  Append(text, "  band          {:+.3g}\n", levers.bandwidth);
  Append(text, "  time limit    {:+.3g}\n", levers.time_limit);
  Append(text, "  power cap     {:+.3g}\n", levers.max_power);
  Append(text, "  budgets       {:+.3g}\n", levers.energy_budget);
}

Json ToJson(const Levers& levers) {
  return {{"bandwidth", levers.bandwidth},
          {"time_limit", levers.time_limit},
          {"max_power", levers.max_power},
          {"energy_budget", levers.energy_budget}};
}

void AppendBand(std::string& text, const PlanSummary& summary) {
  const BandSummary& band = *summary.band;
  Append(text, "\nThe band is split {}\n",
         summary.sharing == "blocks" ? "into whole blocks" : "as is best for the plan");
  if (band.is_of_round) Append(text, "  for the mean channel, which all numbers below are of\n");
  Append(text, "  devices with a band    {} of {}\n", Count(band.devices_with_band),
         Count(summary.devices));
  if (!band.has_weights) {
    Append(text, "  weighted participation none, as no device has samples\n");
    return;
  }
  if (band.equal_value > 0) {
    Append(text, "  weighted participation {:+.3g} % against the equal split\n", 100 * band.gain());
  } else {
    Append(text, "  weighted participation {:.4g}; nobody takes part in an equal split\n",
           band.compared_value());
  }
  if (band.bound > 0) {
    Append(text, "  at most possible       {:+.2g} % more, with bands of any size\n",
           100 * std::max(band.bound / band.compared_value() - 1, 0.0));
  }
}

Json ToJson(const PlanSummary& summary, const BandSummary& band) {
  return {{"sharing", summary.sharing},
          {"value", band.value},
          {"planned_value", band.planned_value},
          {"equal_value", band.equal_value},
          {"gain", Finite(band.gain())},
          {"bound", band.bound},
          {"price", band.price},
          {"devices_with_band", band.devices_with_band},
          {"used_hz", band.used_hz},
          {"total_hz", band.total_hz}};
}

// The objective is the participants less the weighted time. (E11)
double Objective(const PlanSummary& summary) {
  return summary.expectations.participants -
         summary.time_weight * summary.expectations.round_time_s;
}

Json ToJson(const Certificate& certificate) {
  return {{"largest_violation", Finite(certificate.largest_violation)},
          {"violation_row", certificate.violation_device + 1},
          {"largest_gap", Finite(certificate.largest_gap)},
          {"gap_row", certificate.gap_device + 1},
          {"largest_excess_power", Finite(certificate.largest_excess_power)},
          {"excess_power_row", certificate.excess_power_device + 1}};
}

// The mean time of an airtime plan may be known by its bounds alone.
Json TimeToJson(const PlanSummary& summary) {
  if (summary.airtime && !summary.airtime->expect.is_time_exact()) return nullptr;
  return summary.expectations.round_time_s;
}

// Says of what the plan is.
void AppendHead(std::string& text, const PlanSummary& summary) {
  const bool has_solver = !summary.airtime || summary.solver != Solver::kExact;
  Append(text, "{} of {}: {}{}{}\n", summary.airtime ? "Airtime plan" : "Plan",
         CountOf(summary.devices, "device"), summary.scenario,
         summary.fleet_file ? ", fleet " + FileName(*summary.fleet_file) : "",
         has_solver ? fmt::format(", {}solver {}", summary.airtime ? "own bands by the " : "",
                                  SolverName(summary.solver))
                    : "");
  if (summary.channel && summary.channel->round) {
    Append(text, "The plan is for the channel of round {}.\n", *summary.channel->round);
  } else if (summary.channel) {
    Append(text, "The plan is for the mean channel; add --round 1 for the plan of a round.\n");
  }
  text += "\n";
}

// Says why devices with the limit `time` do not take part more often.
std::string_view MeaningOfTime(const PlanSummary& summary) {
  if (summary.airtime) return "more of their time costs more than it is worth";
  return summary.time_weight > 0 ? "left out: not worth their time"
                                 : "compute longer than the deadline";
}

void AppendLimits(std::string& text, const PlanSummary& summary) {
  const Expectations& expect = summary.expectations;
  Append(text, "What limits the devices\n");
  const auto limit = [&](Limit which, std::string_view meaning) {
    Append(text, "  {:<7} {:>10}  {}\n", LimitName(which), Count(expect.limited_by(which)),
           meaning);
  };
  limit(Limit::kFull, "take part in every round");
  limit(Limit::kEnergy,
        summary.binds_time ? "time and budget hold them back" : "the budget holds them back");
  limit(Limit::kPower, summary.binds_time || summary.airtime ? "time and power hold them back"
                                                             : "the power cap holds them back");
  if (expect.limited_by(Limit::kRate) > 0) {
    limit(Limit::kRate, summary.radio && !summary.radio->mcs.empty()
                            ? "at the last row of the MCS table"
                            : "at the spectral-efficiency cap");
  }
  if (expect.limited_by(Limit::kTime) > 0) limit(Limit::kTime, MeaningOfTime(summary));
  if (expect.limited_by(Limit::kBand) > 0) limit(Limit::kBand, "left without a band");
  if (expect.limited_by(Limit::kData) > 0) limit(Limit::kData, "hold no samples to learn from");
}

void AppendExpected(std::string& text, const PlanSummary& summary) {
  const Expectations& expect = summary.expectations;
  Append(text, "\nExpected in a round\n");
  Append(text, "  participants  {:.4g} (sd {:.3g})\n", expect.participants, expect.participants_sd);
  if (summary.airtime) {
    AppendTime(text, *summary.airtime);
  } else {
    Append(text, "  time          {}\n",
           Quantity(expect.round_time_s, "s, the slowest participant's"));
  }
  Append(text, "  energy        {} (sd {})\n", Quantity(expect.round_energy_j, "J"),
         Quantity(expect.round_energy_sd_j, "J"));
  Append(text, "  empty round   {:.4g} %\n", 100 * expect.probability_empty_round);
  if (summary.airtime) {
    AppendOutlook(text, *summary.airtime);
    return;
  }
  if (expect.participants > 0) AppendLongestUpload(text, summary);
  if (summary.time_weight > 0) {
    Append(text, "  objective     {:.4g}, participants less {:.4g} for each second\n",
           Objective(summary), summary.time_weight);
  }
}

void AppendCheck(std::string& text, const PlanSummary& summary) {
  const Certificate& certificate = *summary.certificate;
  Append(text, "\nChecked by an independent route\n");
  Append(text, "  largest violation of a constraint  {:.2g} (relative)\n",
         certificate.largest_violation);
  // A plan that weighs the time is no optimum of single devices.
  if (summary.time_weight == 0) {
    Append(text, "  largest gap to the optimum         {:.2g} (relative)\n",
           certificate.largest_gap);
    Append(text, "  largest excess power               {:.2g} (relative)\n",
           certificate.largest_excess_power);
  }
  if (summary.band) {
    Append(text, "  bands beyond the cell's            {:.2g} (relative)\n",
           summary.band->excess());
    if (summary.time_weight == 0 && !summary.band->is_of_round) {
      Append(text, "  gap to the best split              {:.2g} (relative)\n", summary.band->gap());
    }
  }
}

// Returns the value of [0, 1] before which `rank` others of all members come in rising order. Where
// there is a team, only counts travel: of the bits of a value, which rise as it does, those that
// come first are found first.
double ValueOfRank(std::vector<double>& values, std::size_t rank, const Hands& hands) {
  if (hands.team == nullptr) {
    const auto place = values.begin() + static_cast<std::ptrdiff_t>(rank);
    std::nth_element(values.begin(), place, values.end());
    return *place;
  }
  constexpr int kBits = 8;
  constexpr std::uint64_t kMask = (std::uint64_t{1} << kBits) - 1;
  std::uint64_t found = 0;  // the bits that are known, the others 0
  for (int shift = 64 - kBits; shift >= 0; shift -= kBits) {
    std::vector<std::size_t> mine(kMask + 1);
    for (const double value : values) {
      const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // -0 is 0
      const bool is_among = shift + kBits == 64 || bits >> (shift + kBits) == found;
      if (is_among) ++mine[bits >> shift & kMask];
    }
    const std::vector<std::size_t> counts = base::SumsOfMembers(hands, mine);
    std::uint64_t next = 0;
    while (rank >= counts[next]) rank -= counts[next++];
    found = found << kBits | next;
  }
  return std::bit_cast<double>(found);
}

}  // namespace

// Few of many values are sorted: those of the parts of [0, 1] in which the median lies.
void SummariseProbabilities(std::span<const double> values, const Hands& hands,
                            PlanSummary& summary) {
  constexpr std::size_t kParts = 1024;
  const auto part_of = [](double value) {
    return std::min(kParts - 1, static_cast<std::size_t>(std::max(0.0, value * double(kParts))));
  };
  struct Counts {
    double lowest = 1, highest = 0;
    std::vector<std::uint32_t> values = std::vector<std::uint32_t>(kParts);
  };
  std::vector<std::size_t> mine(kParts);
  double lowest = values[0], highest = values[0];
  for (const Counts& of_shard :
       base::MapShards(values.size(), hands.threads, [&](const base::Shard& shard) {
         Counts counted{.lowest = values[shard.begin], .highest = values[shard.begin]};
         for (const double value : values.subspan(shard.begin, shard.end - shard.begin)) {
           counted.lowest = std::min(counted.lowest, value);
           counted.highest = std::max(counted.highest, value);
           ++counted.values[part_of(value)];
         }
         return counted;
       })) {
    lowest = std::min(lowest, of_shard.lowest);
    highest = std::max(highest, of_shard.highest);
    for (std::size_t part = 0; part < kParts; ++part) mine[part] += of_shard.values[part];
  }
  summary.lowest = std::ranges::min(base::GatherOne(hands, lowest));
  summary.highest = std::ranges::max(base::GatherOne(hands, highest));
  summary.histogram = MakeHistogram(values, hands);
  const std::vector<std::size_t> counts = base::SumsOfMembers(hands, mine);

  // The two in the middle, or the one twice.
  const std::size_t devices = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  const std::size_t upper = devices / 2, lower = (devices - 1) / 2;
  std::size_t before = 0, first = 0;  // values before the part of the lower one, and that part
  while (before + counts[first] <= lower) before += counts[first++];
  std::size_t last = first;
  for (std::size_t end = before + counts[first]; end <= upper;) end += counts[++last];
  std::vector<double> middle;
  for (const double value : values) {
    const std::size_t part = part_of(value);
    if (part >= first && part <= last) middle.push_back(value);
  }
  const auto at = [&](std::size_t rank) { return ValueOfRank(middle, rank - before, hands); };
  summary.median = lower == upper ? at(upper) : (at(lower) + at(upper)) / 2;
}

std::optional<Error> FailureOf(const PlanSummary& summary) {
  if (summary.airtime && summary.airtime->certificate) {
    return FailureOf(*summary.airtime->certificate, summary.devices);
  }
  if (!summary.certificate) return std::nullopt;
  const Certificate& certificate = *summary.certificate;
  // A NaN is wrong, too.
  const auto is_wrong = [](double error) { return !(error <= kLargestViolation); };
  if (is_wrong(certificate.largest_violation)) {
    return Error{fmt::format(
        "the check failed: row {} of the plan violates a constraint by {:.3g} (relative), more "
        "than {:.0e}",
        certificate.violation_device + 1, certificate.largest_violation, kLargestViolation)};
  }
  // A plan that weighs the time of the round is no optimum of single devices.
  if (summary.time_weight == 0 && is_wrong(certificate.largest_gap)) {
    return Error{fmt::format(
        "the check failed: row {} of the plan is {:.3g} (relative) from the optimum, more than "
        "{:.0e}",
        certificate.gap_device + 1, certificate.largest_gap, kLargestViolation)};
  }
  if (summary.band && is_wrong(summary.band->excess())) {
    return Error{fmt::format(
        "the check failed: the bands exceed the cell's by {:.3g} (relative), more than {:.0e}",
        summary.band->excess(), kLargestViolation)};
  }
  return std::nullopt;
}

BandSummary SummariseBand(const BandSplit& split, const Fleet& fleet, const Plan& plan,
                          const Hands& hands) {
  BandSummary summary{.value = split.value,
                      .equal_value = split.equal_value,
                      .bound = split.bound,
                      .price = split.price,
                      .total_hz = fleet.total_bandwidth_hz};
  struct Sums {
    std::size_t devices_with_band = 0;
    long double used_hz = 0, value = 0, weights = 0;
  };
  Sums sum;
  for (const Sums& part : base::MapFleet(fleet.devices, hands, [&](const base::Shard& shard) {
         Sums of_shard;
         for (std::size_t i = shard.begin; i < shard.end; ++i) {
           of_shard.devices_with_band += fleet.bandwidth_hz[i] > 0 ? 1 : 0;
           of_shard.used_hz += fleet.bandwidth_hz[i];
           const double weight = fleet.samples ? (*fleet.samples)[i] : 1;
           of_shard.weights += weight;
           of_shard.value += weight * plan.probability[i];
         }
         return of_shard;
       })) {
    sum.devices_with_band += part.devices_with_band;
    sum.used_hz += part.used_hz;
    sum.value += part.value;
    sum.weights += part.weights;
  }
  summary.devices_with_band = sum.devices_with_band;
  summary.has_weights = sum.weights > 0;
  summary.used_hz = static_cast<double>(sum.used_hz);
  summary.planned_value = static_cast<double>(sum.value);
  return summary;
}

std::string PlanText(const PlanSummary& summary) {
  std::string text;
  AppendHead(text, summary);
  if (summary.airtime) AppendSharing(text, *summary.airtime);
  AppendLimits(text, summary);
  Append(text, "\nProbability of taking part (lowest {:.3g}, median {:.3g}, highest {:.3g})\n",
         summary.lowest, summary.median, summary.highest);
  text += HistogramText(summary.histogram);
  if (summary.radio) AppendRadio(text, *summary.radio);
  AppendExpected(text, summary);
  if (summary.levers && summary.expectations.participants > 0) AppendLevers(text, *summary.levers);
  if (summary.band) AppendBand(text, summary);
  if (summary.unfinished > 0) {
    Append(text, "\n{} met the limit of steps; the plan has the last iterate.\n",
           CountOf(summary.unfinished, "device"));
  }
  if (summary.floor) text += FloorText(*summary.floor);
  if (summary.certificate) AppendCheck(text, summary);
  if (summary.airtime && summary.airtime->certificate) {
    AppendCheck(text, *summary.airtime->certificate);
  }
  Append(text, "\nSolved in {:.3g} s. ", summary.solve_s);
  if (summary.plan_file) {
    Append(text, "The plan is {}.\n", PlaceOfFile(*summary.plan_file));
  } else {
    Append(text, "Add -o plan.csv to keep the plan.\n");
  }
  if (summary.report_file) Append(text, "The report is in {}.\n", *summary.report_file);
  return text;
}

void WritePlanJson(std::FILE* stream, const PlanSummary& summary) {
  const Expectations& expect = summary.expectations;
  Json round = nullptr;
  if (summary.channel && summary.channel->round) round = *summary.channel->round;
  Json json{
      {"scenario", summary.scenario},
      {"fleet", OrNull(summary.fleet_file)},
      {"devices", summary.devices},
      {"solver", SolverName(summary.solver)},
      {"unfinished", summary.unfinished},
      {"expected_participants", expect.participants},
      {"expected_participants_sd", expect.participants_sd},
      {"expected_round_time_s", TimeToJson(summary)},
      {"expected_round_energy_j", expect.round_energy_j},
      {"expected_round_energy_sd_j", expect.round_energy_sd_j},
      {"probability_empty_round", expect.probability_empty_round},
      {"longest_upload_s", summary.expectations.longest_upload_s},
      {"one_percent_more_adds", summary.levers ? ToJson(*summary.levers) : Json()},
      {"limits", LimitsToJson(expect)},
      {"round", round},
      {"bandwidth",
       summary.band ? ToJson(summary, *summary.band) : Json{{"sharing", summary.sharing}}},
      {"probability",
       {{"lowest", summary.lowest}, {"median", summary.median}, {"highest", summary.highest}}},
      {"seconds", summary.solve_s},
      {"read_seconds", summary.read_s},
      {"write_seconds", summary.write_s},
      {"simd_target",
       summary.solver == Solver::kExact || summary.airtime ? Json(SimdTarget()) : Json(nullptr)},
      {"plan", OrNull(summary.plan_file)},
      {"report", OrNull(summary.report_file)},
      {"notes", summary.notes}};
  if (summary.radio) json["radio"] = ToJson(*summary.radio);
  if (summary.airtime) {
    json["airtime"] = ToJson(*summary.airtime);
    const AirtimeLevers& levers = summary.airtime->levers;
    json[levers.are_seconds ? "one_percent_more_adds_s" : "one_percent_more_adds"] =
        ToJson(levers.adds);
    if (summary.airtime->certificate) {
      json["check"] = ToJson(*summary.airtime->certificate, summary.devices);
    }
  } else if (summary.time_weight > 0) {
    json["time_weight"] = summary.time_weight;
    json["objective"] = Objective(summary);
  }
  if (summary.certificate) {
    json["check"] = ToJson(*summary.certificate);
    if (summary.time_weight > 0) {
      for (const char* key :
           {"largest_gap", "gap_row", "largest_excess_power", "excess_power_row"}) {
        json["check"].erase(key);
      }
    }
    if (summary.band) {
      json["check"]["bandwidth_excess"] = summary.band->excess();
      if (summary.time_weight == 0 && !summary.band->is_of_round) {
        json["check"]["bandwidth_gap"] = summary.band->gap();
      }
    }
  }
  if (!summary.floor) {
    WriteSafely(stream, TextOf(json));
    return;
  }
  json["floor"] = FloorJson(*summary.floor);
  WriteWithShortfalls(stream, TextOf(json), *summary.floor);
}

}  // namespace airlot::cli
