#include "cli/plan_floor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
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
  const auto first =
      std::ranges::min_element(report.shortfalls, {}, &Shortfall::time_limit_needed_s);
  std::string buffer, note = "nobody can take part";
  if (first == report.shortfalls.end()) return note;
  note += fmt::format("; device {}, for one, ", ids.Get(first->device, buffer));
  if (std::isfinite(first->time_limit_needed_s)) {
    return note + fmt::format(
                      "would need a time limit of {} instead of {} (round.time_limit_s), or more "
                      "band (radio.bandwidth_hz, or fewer devices)",
                      Quantity(first->time_limit_needed_s, "s"),
                      Quantity(problem.time_limit_s[first->device], "s"));
  }
  if (std::isfinite(first->max_power_needed_w)) {
    return note + fmt::format("would need a power of {} (fleet.max_power_w)",
                              Quantity(first->max_power_needed_w, "W"));
  }
  return note + "has no budget for it (fleet.energy_budget_j)";
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
