#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "report/numbers.h"
#include "report/parts.h"

namespace airlot::report {
namespace {

constexpr std::size_t kMostPoints = 2000;  // All strategies that are drawn have no more.

// These are the points of one run: shares of rounds against probabilities, and energies against
// budgets.
struct Clouds {
  Cloud shares, energies;
};

Clouds CloudsOf(const RunSpending& spending, const Looks& looks, const std::vector<Device>& devices,
                std::size_t stride) {
  const std::string& strategy = spending.strategy;
  const std::uint64_t rounds = spending.rounds;
  const Cloud none{
      .strategy = strategy, .style = looks.Of(strategy), .is_shown = looks.IsShown(strategy)};
  Clouds clouds{none, none};
  const auto add = [](Cloud& cloud, const Device& device, double x, double y, std::string hover) {
    cloud.ids.push_back(device.id);
    cloud.x.push_back(x);
    cloud.y.push_back(y);
    cloud.hover.push_back(std::move(hover));
  };
  for (std::size_t k = 0; k < devices.size(); k += stride) {
    const Device& device = devices[k];
    const Spending& spent = spending.drawn[k];
    const double probability = spent.mean_probability.value_or(device.probability);
    const double mean_j = spent.energy_spent_j / double(rounds);
    add(clouds.shares, device, probability, spent.participations / double(rounds),
        fmt::format("device {}, {}\nprobability {}\ntook part in {} of {}", device.id, strategy,
                    ShortUtf8(probability), spent.participations, CountOf(rounds, "round")));
    if (!device.budget_j) continue;
    add(clouds.energies, device, *device.budget_j, mean_j,
        fmt::format("device {}, {}\nbudget {} J a round\nspent {} J a round", device.id, strategy,
                    ShortUtf8(*device.budget_j), ShortUtf8(mean_j)));
  }
  return clouds;
}

// Every so many devices one is drawn, so that all strategies that are drawn at first have at most
// kMostPoints.
std::size_t StrideOf(const RunFleet& fleet, const Looks& looks) {
  const auto shown = std::ranges::count_if(fleet.runs, [&](const RunSpending& spending) {
    return spending.rounds > 0 && looks.IsShown(spending.strategy);
  });
  const std::size_t points =
      fleet.view.sample.drawn.size() * std::max<std::size_t>(std::size_t(shown), 1);
  return std::max<std::size_t>((points + kMostPoints - 1) / kMostPoints, 1);
}

}  // namespace

Part ParticipationPart(const std::string& prefix, const RunFleet& fleet, const Looks& looks) {
  Part part{.id = prefix + "participation",
            .title = "Who takes part",
            .text = fmt::format("The figures show each device of seed {} under each strategy{}.",
                                fleet.seed, looks.hidden() > 0 ? " that is drawn at first" : "")};
  const DeviceSample& devices = fleet.view.sample;
  const std::size_t stride = StrideOf(fleet, looks);
  std::vector<Cloud> shares, energies;
  bool is_mean = false;
  double rounds = 0;  // rounds of the probabilistic run, or else of the first
  for (const RunSpending& spending : fleet.runs) {
    if (spending.rounds == 0) continue;
    if (rounds == 0 || spending.strategy == "probabilistic") rounds = double(spending.rounds);
    Clouds clouds = CloudsOf(spending, looks, devices.drawn, stride);
    is_mean |= std::ranges::any_of(
        spending.drawn, [](const Spending& spent) { return spent.mean_probability.has_value(); });
    shares.push_back(std::move(clouds.shares));
    energies.push_back(std::move(clouds.energies));
  }
  if (shares.empty()) return part;
  const std::string thinned =
      devices.drawn.size() < devices.devices || stride > 1
          ? fmt::format(" {} of {} devices are drawn.", Short(double(shares[0].x.size())),
                        Short(double(devices.devices)))
          : "";
  part.figures.push_back(DrawScatter(
      {prefix + "participation-shares", "Participation against probability",
       fmt::format("On the line a device takes part as often as probabilistic selection is "
                   "expected to have it; under that selection, 95 % of devices would lie in the "
                   "grey band after {}.{}",
                   CountOf(std::size_t(rounds), "round"), thinned)},
      {.label = is_mean ? "planned probability, mean over the rounds" : "planned probability",
       .name = "probability"},
      {.label = "share of rounds it took part in", .name = "share"}, shares,
      {.name = "expected of probabilistic selection", .draws = rounds}));
  if (energies[0].x.empty()) return part;
  part.figures.push_back(DrawScatter({prefix + "participation-energy", "Energy against budget",
                                      "Each point is the energy of a device in a round, as the "
                                      "mean over the rounds. Above the line a device "
                                      "spends more than it may." +
                                          thinned},
                                     {.label = "budget (J a round)", .name = "energy_budget_j"},
                                     {.label = "spent (J a round)", .name = "energy_spent_j"},
                                     energies, {.name = "the whole budget"}));
  return part;
}

}  // namespace airlot::report
