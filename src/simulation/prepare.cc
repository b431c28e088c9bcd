// From a scenario and a seed to all that a run needs.
#include <fmt/format.h>

#include <utility>

#include "airlot/simulation.h"
#include "base/check.h"

namespace airlot {
namespace {

void DescribeParticipations(const PlanningProblem& problem, Setting& setting) {
  const bool is_always = problem.compute_rule == ComputeRule::kAlways;
  const std::size_t devices = setting.fleet.devices;
  for (std::size_t i = 0; i < devices; ++i) {
    const Participation once = Describe(problem, setting.plan, i);
    const double compute_j = problem.compute_energy_j[i];
    const bool is_able = setting.plan.probability[i] > 0;
    setting.participation_s[i] = is_able ? once.upload_s + problem.compute_time_s[i] : 0;
    setting.participation_j[i] = is_able && is_always ? once.energy_j - compute_j : once.energy_j;
    if (is_always) setting.always_j[i] = compute_j;
  }
}

std::optional<Error> CheckModel(const Scenario& scenario, const Images& images) {
  const Model* model = FindModel(scenario.model.name);
  AIRLOT_CHECK(model != nullptr, "model {}", scenario.model.name);
  return Validate(*model, {images.height, images.width, images.classes});
}

}  // namespace

Result<Setting> Prepare(const Scenario& scenario, std::uint64_t seed,
                        std::shared_ptr<const Dataset> dataset, int threads) {
  if (auto error = CheckModel(scenario, dataset->train)) return *error;
  auto fleet = MakeFleet(scenario, seed, threads);
  if (!fleet) return fleet.error();
  Setting setting{.scenario = scenario, .seed = seed, .dataset = std::move(dataset)};
  setting.fleet = std::move(*fleet);
  const Images& images = setting.dataset->train;
  auto partition =
      PartitionOf(scenario.data, {images.labels, images.classes}, setting.fleet.devices, seed);
  if (!partition) return partition.error();
  setting.partition = std::move(*partition);
  const auto problem = ProblemOf(setting.fleet, scenario.radio, scenario.round);
  if (!problem) return problem.error();
  if (auto error = Validate(*problem)) return *error;
  setting.plan = Solve(*problem, {.threads = threads});
  const std::size_t devices = setting.fleet.devices;
  setting.data_share.resize(devices);
  setting.participation_s.resize(devices);
  setting.participation_j.resize(devices);
  if (problem->compute_rule == ComputeRule::kAlways) setting.always_j.resize(devices);
  const auto samples = double(setting.partition.samples.size());
  for (std::size_t i = 0; i < devices; ++i) {
    setting.data_share[i] = double(setting.partition.SamplesOf(i).size()) / samples;
  }
  DescribeParticipations(*problem, setting);
  return setting;
}

RunState StartOf(const Setting& setting) {
  const Images& images = setting.dataset->train;
  RunState state;
  state.parameters = InitialParameters(*FindModel(setting.scenario.model.name),
                                       {images.height, images.width, images.classes}, setting.seed);
  state.participations.resize(setting.fleet.devices);
  state.energy_spent_j.resize(setting.fleet.devices);
  return state;
}

}  // namespace airlot
