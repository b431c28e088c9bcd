#include <fmt/format.h>

#include "report/numbers.h"
#include "report/parts.h"

namespace airlot::report {
namespace {

constexpr std::size_t kMostDrawn = 500;  // points of a strategy

}  // namespace

Part ParticipationPart(const std::string& prefix, const ScenarioRuns& runs,
                       const PlannedFleet& planned, std::uint64_t seed) {
  std::vector<Cloud> counts, energies;
  const std::size_t devices = planned.fleet.devices;
  const std::size_t stride = (devices + kMostDrawn - 1) / kMostDrawn;
  for (std::size_t r = 0; r < runs.runs.size(); ++r) {
    const RunResult& run = runs.runs[r];
    if (run.seed != seed || run.records.size() < 2 || run.participations.size() != devices)
      continue;
    const auto rounds = double(run.records.back().round);
    Cloud often{.strategy = run.strategy}, spent{.strategy = run.strategy};
    std::string buffer;
    for (std::size_t i = 0; i < devices; i += stride) {
      const std::string id(planned.fleet.ids.Get(i, buffer));
      const double probability = planned.plan.probability[i];
      const double share = double(run.participations[i]) / rounds;
      const double budget_j = planned.fleet.energy_budget_j[i];
      const double mean_j = runs.energy_spent_j[r][i] / rounds;
      often.x.push_back(probability);
      often.y.push_back(share);
      often.hover.push_back(
          fmt::format("device {}, {}\nprobability {}\ntook part in {} of {} rounds", id,
                      run.strategy, ShortUtf8(probability), run.participations[i], Short(rounds)));
      spent.x.push_back(budget_j);
      spent.y.push_back(mean_j);
      spent.hover.push_back(fmt::format("device {}, {}\nbudget {} J a round\nspent {} J a round",
                                        id, run.strategy, ShortUtf8(budget_j), ShortUtf8(mean_j)));
    }
    counts.push_back(std::move(often));
    energies.push_back(std::move(spent));
  }
  Part part{.id = prefix + "participation",
            .title = "Who takes part",
            .text = fmt::format("Each device under each strategy, seed {}.", seed)};
  if (counts.empty()) return part;
  part.figures.push_back(DrawScatter(
      {prefix + "participation-shares", "Participation against probability",
       "On the line a device takes part as often as planned."},
      {.label = "planned probability", .name = "probability"},
      {.label = "share of rounds it took part in", .name = "share"}, counts, "as planned"));
  part.figures.push_back(DrawScatter(
      {prefix + "participation-energy", "Energy against budget",
       "Energy of a device in a round, mean over the rounds. Above the line it spends "
       "more than it may."},
      {.label = "budget (J a round)", .name = "energy_budget_j"},
      {.label = "spent (J a round)", .name = "energy_spent_j"}, energies, "the whole budget"));
  return part;
}

}  // namespace airlot::report
