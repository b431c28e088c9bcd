#include "cli/plan_floor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

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

}  // namespace

std::string FloorText(const FloorSummary& floor) {
  const FloorReport& report = floor.report;
  if (report.below == 0) {
    return fmt::format("\nEvery device reaches a probability of {:.4g}.\n", floor.min_probability);
  }
  std::string text = fmt::format("\n{} of {} devices stay below a probability of {:.4g}.\n",
                                 Count(report.below), Count(floor.devices), floor.min_probability);
  if (report.shortfalls.empty()) return text;
  text += "What each would need, alone:\n";
  text += fmt::format("  {:<12} {:>11} {:>13} {:>13} {:>13}\n", "id", "probability", "budget",
                      "time limit", "max power");
  const auto needed = [](double value, std::string_view unit) {
    return std::isfinite(value) ? Quantity(value, unit) : std::string("not enough");
  };
  std::string buffer;
  const std::size_t shown = std::min(report.shortfalls.size(), kShortfallsInText);
  for (std::size_t i = 0; i < shown; ++i) {
    const Shortfall& shortfall = report.shortfalls[i];
    text += fmt::format(
        "  {:<12.12} {:>11.4g} {:>13} {:>13} {:>13}\n", floor.ids.Get(shortfall.device, buffer),
        shortfall.probability, needed(shortfall.energy_budget_needed_j, "J"),
        needed(shortfall.time_limit_needed_s, "s"), needed(shortfall.max_power_needed_w, "W"));
  }
  if (report.below > shown) {
    text += fmt::format("  ... and {} more: {}\n", Count(report.below - shown),
                        floor.plan_file ? "all are in " + *floor.plan_file
                                        : "add -o plan.csv or --json for all of them");
  }
  return text;
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
