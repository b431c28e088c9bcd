#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/numbers.h"
#include "report/parts.h"

namespace airlot::report {
namespace {

constexpr std::size_t kMostPoints = 2000;  // of all strategies that are drawn

// The points of one run: shares of rounds against probabilities, energies against budgets.
struct Clouds {
  Cloud shares, energies;
};

Clouds CloudsOf(const RunResult& run, const std::vector<double>& energy_spent_j,
                const std::vector<double>& mean_probability, const Looks& looks,
                const std::vector<Device>& devices, std::size_t stride) {
  const auto rounds = double(run.records.back().round);
  const Cloud none{.strategy = run.strategy,
                   .style = looks.Of(run.strategy),
                   .is_shown = looks.IsShown(run.strategy)};
  Clouds clouds{none, none};
  const auto add = [](Cloud& cloud, const Device& device, double x, double y, std::string hover) {
    cloud.ids.push_back(device.id);
    cloud.x.push_back(x);
    cloud.y.push_back(y);
    cloud.hover.push_back(std::move(hover));
  };
  for (std::size_t k = 0; k < devices.size(); k += stride) {
    const Device& device = devices[k];
    const std::uint32_t times = run.participations[device.index];
    const double mean_j = energy_spent_j[device.index] / rounds;
    const double probability =
        mean_probability.empty() ? device.probability : mean_probability[device.index];
    add(clouds.shares, device, probability, times / rounds,
        fmt::format("device {}, {}\nprobability {}\ntook part in {} of {}", device.id, run.strategy,
                    ShortUtf8(probability), times, CountOf(run.records.back().round, "round")));
    if (std::isnan(device.budget_j)) continue;
    add(clouds.energies, device, device.budget_j, mean_j,
        fmt::format("device {}, {}\nbudget {} J a round\nspent {} J a round", device.id,
                    run.strategy, ShortUtf8(device.budget_j), ShortUtf8(mean_j)));
  }
  return clouds;
}

}  // namespace

Part ParticipationPart(const std::string& prefix, const KeptRuns& runs, const Looks& looks,
                       const DeviceSample& devices, std::uint64_t seed) {
  std::vector<std::size_t> drawn;  // runs
  std::size_t shown = 0;
  for (std::size_t r = 0; r < runs.runs.size(); ++r) {
    const RunResult& run = runs.runs[r];
    if (run.seed != seed || run.records.size() < 2 || run.participations.size() != devices.devices)
      continue;
    drawn.push_back(r);
    shown += looks.IsShown(run.strategy) ? 1 : 0;
  }
  Part part{.id = prefix + "participation",
            .title = "Who takes part",
            .text = fmt::format("Each device under each strategy{}, seed {}.",
                                looks.hidden() > 0 ? " that is drawn at first" : "", seed)};
  if (drawn.empty()) return part;
  const std::size_t points = devices.drawn.size() * std::max<std::size_t>(shown, 1);
  const std::size_t stride = (points + kMostPoints - 1) / kMostPoints;
  std::vector<Cloud> shares, energies;
  bool is_mean = false;
  double rounds = 0;  // of the probabilistic run, or else of the first
  for (const std::size_t r : drawn) {
    const RunResult& run = runs.runs[r];
    if (rounds == 0 || run.strategy == "probabilistic") rounds = double(run.records.back().round);
    Clouds clouds = CloudsOf(run, runs.energy_spent_j[r], runs.mean_probability[r], looks,
                             devices.drawn, stride);
    is_mean |= !runs.mean_probability[r].empty();
    shares.push_back(std::move(clouds.shares));
    energies.push_back(std::move(clouds.energies));
  }
  const std::string thinned =
      devices.drawn.size() < devices.devices || stride > 1
          ? fmt::format(" {} of {} devices are drawn.", Short(double(shares[0].x.size())),
                        Short(double(devices.devices)))
          : "";
  part.figures.push_back(DrawScatter(
      {prefix + "participation-shares", "Participation against probability",
       fmt::format(
           "On the line a device takes part as often as probabilistic selection is "
           "expected to have it; under it, 95 % of devices would lie in the grey band after "
           "{}.{}",
           CountOf(std::size_t(rounds), "round"), thinned)},
      {.label = is_mean ? "planned probability, mean over the rounds" : "planned probability",
       .name = "probability"},
      {.label = "share of rounds it took part in", .name = "share"}, shares,
      {.name = "expected of probabilistic selection", .draws = rounds}));
  if (energies[0].x.empty()) return part;
  part.figures.push_back(DrawScatter(
      {prefix + "participation-energy", "Energy against budget",
       "Energy of a device in a round, mean over the rounds. Above the line it spends more than it "
       "may." +
           thinned},
      {.label = "budget (J a round)", .name = "energy_budget_j"},
      {.label = "spent (J a round)", .name = "energy_spent_j"}, energies,
      {.name = "the whole budget"}));
  return part;
}

}  // namespace airlot::report
