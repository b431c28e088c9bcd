#include "cli/radio_summary.h"

#include <fmt/format.h>

#include <iterator>

#include "cli/terminal.h"

namespace airlot::cli {
namespace {

// Returns how the program calls a level.
std::string LevelName(const PowerControl& power, std::size_t level) {
  if (!power.levels_w.empty()) return Quantity(power.levels_w[level], "W");
  return level == 0 ? "P^max" : fmt::format("{:.4g} dB less", double(level) * power.step_db);
}

template <class... T>
void AppendLine(std::string& text, fmt::format_string<T...> format, T&&... values) {
  fmt::format_to(std::back_inserter(text), format, std::forward<T>(values)...);
}

}  // namespace

RadioSummary SummariseRadio(const Radio& radio, const PlanningProblem& problem,
                            const PlanView& plan) {
  return {.power = radio.power, .mcs = radio.coding.mcs.rows, .counts = CountSteps(problem, plan)};
}

void AppendRadio(std::string& text, const RadioSummary& radio) {
  const auto& [by_level, at_least_power, by_row, out_of_reach] = radio.counts;
  AppendLine(text, "\nHow the devices send\n");
  for (std::size_t level = 0; level < by_level.size(); ++level) {
    if (by_level[level] == 0) continue;
    AppendLine(text, "  {:<14} {:>10}  power\n", LevelName(radio.power, level),
               Count(by_level[level]));
  }
  if (at_least_power > 0) {
    AppendLine(text, "  {:<14} {:>10}  the least power\n", Quantity(radio.power.min_power_w, "W"),
               Count(at_least_power));
  }
  for (std::size_t row = 0; row < by_row.size(); ++row) {
    if (by_row[row] == 0) continue;
    AppendLine(text, "  {:<14} {:>10}  {:.4g} bit/s/Hz, from {:.4g} dB on\n",
               fmt::format("MCS row {}", row + 1), Count(by_row[row]),
               radio.mcs[row].bit_per_s_per_hz, radio.mcs[row].snr_db);
  }
  if (out_of_reach > 0) {
    AppendLine(text, "  {:<14} {:>10}  below row 1 even at their largest power\n", "out of reach",
               Count(out_of_reach));
  }
  AppendLine(text, "  The plan jumps from step to step, so that 1 % more has no first order.\n");
}

Json ToJson(const RadioSummary& radio) {
  const StepCounts& counts = radio.counts;
  Json json;
  Json levels = Json::array(), rows = Json::array();
  for (std::size_t level = 0; level < counts.devices_by_level.size(); ++level) {
    Json one{{"devices", counts.devices_by_level[level]}};
    if (radio.power.levels_w.empty()) {
      one["below_max_db"] = double(level) * radio.power.step_db;
    } else {
      one["power_w"] = radio.power.levels_w[level];
    }
    levels.push_back(std::move(one));
  }
  for (std::size_t row = 0; row < counts.devices_by_row.size(); ++row) {
    rows.push_back({{"row", row + 1},
                    {"snr_db", radio.mcs[row].snr_db},
                    {"bit_per_s_per_hz", radio.mcs[row].bit_per_s_per_hz},
                    {"devices", counts.devices_by_row[row]}});
  }
  json["power_levels"] = std::move(levels);
  json["at_least_power"] = counts.at_least_power;
  json["mcs"] = std::move(rows);
  json["out_of_reach"] = counts.out_of_reach;
  return json;
}

}  // namespace airlot::cli
