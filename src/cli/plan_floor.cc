#include "cli/plan_floor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "airlot/report.h"
#include "base/check.h"
#include "cli/terminal.h"

namespace airlot::cli {
namespace {

// No other text of a plan has a control character, because JSON escapes it.
constexpr std::string_view kMark = "\x01shortfalls";
constexpr std::string_view kMarkInText = "\"\\u0001shortfalls\"";

Json ShortfallJson(const Shortfall& shortfall, std::string_view id) {
  return {{"id", id},
          {"probability", shortfall.probability},
          {"energy_budget_needed_j", Finite(shortfall.energy_budget_needed_j)},
          {"time_limit_needed_s", Finite(shortfall.time_limit_needed_s)},
          {"max_power_needed_w", Finite(shortfall.max_power_needed_w)}};
}

using NeedsRow = std::vector<std::string>;

NeedsRow RowOf(const FloorSummary& floor, const Shortfall& shortfall) {
  const auto needed = [](double value, std::string_view unit) {
    return std::isfinite(value) ? Quantity(value, unit) : std::string("not enough");
  };
  std::string buffer;
  return {fmt::format("{:.12}", floor.ids.Get(shortfall.device, buffer)),
          fmt::format("{:.4g}", shortfall.probability),
          needed(shortfall.energy_budget_needed_j, "J"), needed(shortfall.time_limit_needed_s, "s"),
          needed(shortfall.max_power_needed_w, "W")};
}

// Returns the first rows of what devices need. Where the terminal is too narrow for them, the table
// is drawn in parts.
std::string NeedsTable(const FloorSummary& floor, std::size_t shown) {
  std::vector<NeedsRow> rows = {{"id", "probability", "budget", "time limit", "max power"}};
  for (std::size_t i = 0; i < shown; ++i) rows.push_back(RowOf(floor, floor.report.shortfalls[i]));
  constexpr std::size_t kColumns = 68;  // of the lines below
  // The summary makes way for a plan on standard output.
  const std::size_t columns = floor.plan_file == "/dev/stdout" ? ErrorTerminal().columns
                                                               : OutputColumns().value_or(kColumns);
  if (columns < kColumns) return DrawTable(rows, {.utf8 = IsUtf8(), .columns = columns});
  std::string text;
  for (const NeedsRow& row : rows) {
    text += fmt::format("  {:<12} {:>11} {:>13} {:>13} {:>13}\n", row[0], row[1], row[2], row[3],
                        row[4]);
  }
  return text;
}

// Tells whether a device could upload in time with more band, whose noise may grow with it. A band
// without end has a time of L·Γ·g/P by Shannon's formula, and with a table of rates every row can
// be had in a band that is just so wide that the row is reached.
bool WouldMoreBandHelp(const PlanningProblem& problem, std::size_t device) {
  const double left_s = problem.time_limit_s[device] - problem.compute_time_s[device];
  const double wide_s = problem.nat_time_s[device] * problem.snr_gap *
                        problem.noise_to_gain_w[device] / problem.max_power_w[device];
  constexpr double kClearly = 0.9;
  if (!problem.steps.has_rates()) return wide_s < kClearly * left_s;
  return std::ranges::any_of(problem.steps.rates, [&](const RateRow& row) {
    return wide_s * row.snr / (row.bit_per_s_per_hz * std::numbers::ln2) < kClearly * left_s;
  });
}

// Returns what would let a device take part, each alone.
std::vector<std::string> RemediesOf(const PlanningProblem& problem, const Shortfall& shortfall) {
  const std::size_t i = shortfall.device;
  std::vector<std::string> remedies;
  const auto add = [&](std::string_view what, double needed, double is, std::string_view unit,
                       std::string_view key) {
    if (!std::isfinite(needed) || needed <= is) return;
    remedies.push_back(fmt::format("{} of {} instead of {} ({})", what, Quantity(needed, unit),
                                   Quantity(is, unit), key));
  };
  add("a time limit", shortfall.time_limit_needed_s, problem.time_limit_s[i], "s",
      "round.time_limit_s");
  add("a power", shortfall.max_power_needed_w, problem.max_power_w[i], "W", "fleet.max_power_w");
  if (problem.energy_budget_j[i] > 0) {  // Of one without a budget, no number says more than that.
    add("a budget", shortfall.energy_budget_needed_j, problem.energy_budget_j[i], "J",
        "fleet.energy_budget_j");
  }
  const bool lacks_time = std::isfinite(shortfall.time_limit_needed_s);
  if (lacks_time && WouldMoreBandHelp(problem, i)) {
    remedies.emplace_back("more band (radio.bandwidth_hz, or fewer devices)");
  }
  return remedies;
}

// Says why a device cannot take part that neither time nor power nor budget would help alone.
std::string_view WhyNothingHelps(Limit limit) {
  switch (limit) {
    case Limit::kData:
      return "holds no samples, so that there is nothing to learn from it (its column samples, or "
             "fleet.samples)";
    case Limit::kEnergy:
      return "has no budget for it (fleet.energy_budget_j)";
    case Limit::kBand:
      return "has no band (radio.bandwidth_hz)";
    case Limit::kPower:
      return "is not heard: no power and no time limit alone would do, so look at its channel "
             "(path_loss_db, distance_m, noise_dbm, ...)";
    case Limit::kRate:
      return "would be too slow at any power (radio.spectral_efficiency_cap, or the last row of "
             "radio.mcs)";
    default:
      return "has no time for it (round.time_limit_s)";
  }
}

}  // namespace

std::string FloorText(const FloorSummary& floor) {
  const FloorReport& report = floor.report;
  if (report.below == 0) {
    return fmt::format("\nEvery device reaches a probability of {:.4g}.\n", floor.min_probability);
  }
  std::string text = fmt::format("\n{} of {} {} below a probability of {:.4g}.\n",
                                 Count(report.below), CountOf(floor.devices, "device"),
                                 report.below == 1 ? "stays" : "stay", floor.min_probability);
  if (report.shortfalls.empty()) return text;
  const std::size_t shown = std::min(report.shortfalls.size(), kShortfallsInText);
  text += "What each would need, alone:\n" + NeedsTable(floor, shown);
  if (report.below > shown) {
    text += fmt::format("  ... and {} more: {}\n", Count(report.below - shown),
                        floor.plan_file ? "all are " + PlaceOfFile(*floor.plan_file)
                                        : "add -o plan.csv or --json for all of them");
  }
  return text;
}

std::string NobodyNote(const PlanningProblem& problem, const Plan& plan, const DeviceIds& ids) {
  constexpr std::size_t kLookedAt = 1000;      // devices
  constexpr double kLeastProbability = 1e-12;  // to take part at all
  const FloorReport report = CheckFloor(problem, plan, kLeastProbability, kLookedAt);
  // One that a longer round would help is named before others, and then one that anything would.
  const auto first = std::ranges::min_element(report.shortfalls, {}, [](const Shortfall& one) {
    return std::tuple(one.time_limit_needed_s, one.max_power_needed_w, one.energy_budget_needed_j);
  });
  std::string buffer, note = "nobody can take part";
  if (first == report.shortfalls.end()) return note;
  note += fmt::format("; device {}, for one, ", ids.Get(first->device, buffer));
  const std::vector<std::string> remedies = RemediesOf(problem, *first);
  if (remedies.empty())
    return note.append(WhyNothingHelps(Describe(problem, plan, first->device).limit));
  return note + fmt::format("would need {}", fmt::join(remedies, ", or "));
}

Json FloorJson(const FloorSummary& floor) {
  Json json{{"min_probability", floor.min_probability}, {"below", floor.report.below}};
  json["shortfalls"] = kMark;
  return json;
}

void WriteWithShortfalls(std::FILE* stream, const std::string& json_text,
                         const FloorSummary& floor) {
  constexpr std::size_t kRowsPerWrite = 4096;
  const std::size_t mark = json_text.rfind(kMarkInText);
  AIRLOT_CHECK(mark != std::string::npos, "the JSON of {} bytes has no mark", json_text.size());
  WriteSafely(stream, json_text.substr(0, mark));
  std::string text = "[", buffer;
  const auto& shortfalls = floor.report.shortfalls;
  for (std::size_t i = 0; i < shortfalls.size(); ++i) {
    const std::string row =
        TextOf(ShortfallJson(shortfalls[i], floor.ids.Get(shortfalls[i].device, buffer)), -1);
    text += i == 0 ? "\n      " : ",\n      ";
    text += std::string_view(row).substr(0, row.size() - 1);  // without the end of its line
    if ((i + 1) % kRowsPerWrite != 0) continue;
    WriteSafely(stream, text);
    text.clear();
  }
  text += shortfalls.empty() ? "]" : "\n    ]";
  WriteSafely(stream, text + json_text.substr(mark + kMarkInText.size()));
}

}  // namespace airlot::cli
