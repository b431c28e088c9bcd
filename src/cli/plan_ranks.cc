#include "cli/plan_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "airlot/planning.h"
#include "airlot/scenario_fleet.h"
#include "base/input_file.h"
#include "base/shards.h"
#include "cli/ranks.h"
#include "cli/terminal.h"

namespace airlot::cli {
namespace {

// Returns the size of a file, its beginning and its end: enough to tell another fleet, or another
// state of the same, and little enough for a file of any size.
Result<std::vector<std::string>> LookOf(const std::string& path) {
  const auto file = base::InputFile::Open(path);
  if (!file) return file.error();
  std::vector<std::string> look{fmt::format("{}", *file->size())};
  std::array<char, std::size_t{1} << 16> bytes;
  const std::uint64_t size = std::min<std::uint64_t>(*file->size(), bytes.size());
  for (const std::uint64_t begin : {std::uint64_t{0}, *file->size() - size}) {
    if (file->ReadAt(begin, std::span(bytes).first(size))) look.emplace_back(bytes.data(), size);
  }
  return look;
}

Result<std::vector<cluster::Claim>> ClaimsOf(const Scenario& scenario, const PlanOptions& options) {
  const std::vector<std::string> what{"plan", fmt::format("{}", options.scenario.seed),
                                      fmt::format("{} {}", options.check, options.output.json),
                                      options.plan_file.value_or("")};
  std::vector<cluster::Claim> claims{
      ClaimOf("what it plans", what, "give all ranks the same command"),
      ClaimOf("the scenario", std::vector{FormatScenario(scenario)},
              "give all ranks the same file and the same options")};
  if (scenario.fleet.file) {
    const auto look = LookOf(*scenario.fleet.file);
    if (!look) return look.error();
    claims.push_back(ClaimOf("the fleet", *look, "let all ranks read the same file"));
  }
  return claims;
}

}  // namespace

Status CheckForRanks(const Scenario& scenario, const PlanOptions& options) {
  const bool has_steps = StepsOf(scenario.radio).any();
  const struct {
    bool is_asked;
    std::string what;
  } kOnlyAlone[] = {
      {options.report_file.has_value(), "--report"},
      {options.saved_fleet_file.has_value(), "--save-fleet"},
      {options.round.has_value(), "--round"},
      {options.fleet_file == "/dev/stdin", "--fleet -"},
      {options.plan_file == "/dev/stdout", "-o -"},
      {scenario.round.min_probability > 0, "round.min_probability"},
      {scenario.round.time_weight > 0, "round.time_weight"},
      {has_steps, "a radio whose powers or rates come in steps"},
  };
  for (const auto& [is_asked, what] : kOnlyAlone) {
    if (!is_asked) continue;
    return Error{fmt::format(
        "{} is for one process, which has the whole fleet, and {} were started together: leave it "
        "out, or start one",
        what, JoinedRanks()->size())};
  }
  return {};
}

Result<FleetPart> DivideAmongRanks(const Scenario& scenario, const PlanOptions& options) {
  const auto claims = ClaimsOf(scenario, options);
  if (!claims) return claims.error();
  if (auto status = MeetRanks(*claims); !status) return status.error();
  cluster::Ranks& ranks = *JoinedRanks();
  auto part = scenario.fleet.file ? DivideFleetFile(*scenario.fleet.file, ranks)
                                  : DivideFleet(scenario.fleet.devices, ranks);
  if (!part) return part.error();
  if (part->all_devices == 0) {
    return Error{fmt::format("{}: has a header but no devices", *scenario.fleet.file)};
  }
  const std::size_t shards = base::ShardCount(part->all_devices), started = ranks.size();
  if (shards >= started) return part;
  if (IsFirstRank()) {
    Warn("note: {} are dealt in parts of {}: {} of {} ranks idle\n",
         CountOf(part->all_devices, "device"), base::kShardSize, started - shards, started);
  }
  ranks.Keep(shards);
  return part;
}

}  // namespace airlot::cli
