#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "report/numbers.h"
#include "report/parts.h"

namespace airlot::report {
namespace {

// A page has room for so many rows.
constexpr std::size_t kMostShortfalls = 2000;

Table ShortfallTable(const Fleet& fleet, const FloorReport& floor) {
  Table table{.caption =
                  "What each device would need to reach the probability, one resource "
                  "alone; – where that alone is not enough",
              .id = "floor"};
  table.rows.push_back(
      {"device", "probability", "energy budget (J)", "time limit (s)", "maximum power (W)"});
  const auto needed = [](double value) {
    return std::isfinite(value) ? ShortUtf8(value) : std::string("–");
  };
  std::string buffer;
  for (const Shortfall& shortfall : floor.shortfalls) {
    if (table.rows.size() > kMostShortfalls) break;
    table.rows.push_back(
        {std::string(fleet.ids.Get(shortfall.device, buffer)), ShortUtf8(shortfall.probability),
         needed(shortfall.energy_budget_needed_j), needed(shortfall.time_limit_needed_s),
         needed(shortfall.max_power_needed_w)});
  }
  return table;
}

}  // namespace

Part FloorPart(double min_probability, const Fleet& fleet, const FloorReport& floor) {
  const std::string wanted = ShortUtf8(min_probability);
  Part part{.id = "plan-floor", .title = "What devices need"};
  part.text = floor.below == 0
                  ? fmt::format("Every device reaches a probability of {}.", wanted)
                  : fmt::format("{} of {} device{} stay{} below a probability of {}.",
                                Short(double(floor.below)), Short(double(fleet.devices)),
                                fleet.devices == 1 ? "" : "s", floor.below == 1 ? "s" : "", wanted);
  if (!floor.shortfalls.empty()) part.tables.push_back(ShortfallTable(fleet, floor));
  if (floor.shortfalls.size() > kMostShortfalls) {
    part.notes.push_back(fmt::format(
        "The table has the first {} of {} devices. The plan file (-o) and --json have all of them.",
        Short(double(kMostShortfalls)), Short(double(floor.below))));
  }
  return part;
}

}  // namespace airlot::report
