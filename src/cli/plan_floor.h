// These functions say what devices need that stay below a wanted probability.
#ifndef AIRLOT_CLI_PLAN_FLOOR_H_
#define AIRLOT_CLI_PLAN_FLOOR_H_

#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>

#include "airlot/fleet.h"
#include "airlot/planning.h"
#include "cli/command.h"

namespace airlot::cli {

// A FloorSummary is what is printed of the devices below a wanted probability.
struct FloorSummary {
  double min_probability = 0;
  std::size_t devices = 0;  // number of all devices
  FloorReport report;
  DeviceIds ids;                         // of the whole fleet
  std::optional<std::string> plan_file;  // the file that has the needs of all of them
};

// The text has ten devices, and says where the others are.
inline constexpr std::size_t kShortfallsInText = 10;
std::string FloorText(const FloorSummary& floor);

// Says of a plan in which nobody takes part what one of the devices would need for it, alone.
std::string NobodyNote(const PlanningProblem& problem, const Plan& plan, const DeviceIds& ids);

// Returns the floor as JSON, but for its list of shortfalls, in whose place is a mark.
Json FloorJson(const FloorSummary& floor);
// Writes JSON text that has such a mark as it is printed, with all shortfalls: they may be as many
// as devices, so that they are never in memory all at once.
void WriteWithShortfalls(std::FILE* stream, const std::string& json_text,
                         const FloorSummary& floor);

}  // namespace airlot::cli

#endif  // AIRLOT_CLI_PLAN_FLOOR_H_
