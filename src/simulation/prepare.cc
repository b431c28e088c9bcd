// From a scenario and a seed to all that a run needs.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "airlot/simulation.h"
#include "base/check.h"
#include "data/sha256.h"

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
    if (is_always) (*setting.always_j)[i] = compute_j;
  }
}

template <class Numbers>
void Add(const Numbers& numbers, data::Sha256& hash) {
  hash.Update(
      {reinterpret_cast<const std::uint8_t*>(numbers.data()), numbers.size() * sizeof(numbers[0])});
}

// What the runs of a setting depend on, beside the scenario.
std::string DigestOf(const PlanningProblem& problem, const Setting& setting) {
  data::Sha256 hash;
  const Fleet& fleet = setting.fleet;
  for (const ColumnView& column :
       {problem.noise_to_gain_w, problem.nat_time_s, problem.max_power_w, problem.energy_budget_j,
        problem.compute_energy_j, problem.time_limit_s, problem.compute_time_s,
        ColumnView(fleet.rician_k), ColumnView(fleet.battery_j), ColumnView(fleet.harvest_w)}) {
    const double constant = column.is_constant() ? column.constant() : 0;
    Add(std::span(&constant, 1), hash);
    Add(column.values(), hash);
  }
  Add(setting.plan.probability, hash);
  Add(setting.plan.power_w, hash);
  Add(setting.data_share, hash);
  Add(setting.partition.samples, hash);
  for (const Images* images : {&setting.dataset->train, &setting.dataset->test}) {
    Add(images->labels, hash);
    Add(images->pixels, hash);
  }
  return hash.Hex();
}

Status CheckModel(const Scenario& scenario, const Images& images) {
  const Model* model = FindModel(scenario.model.name);
  AIRLOT_CHECK(model != nullptr, "model {}", scenario.model.name);
  if (scenario.model.parameters > 0 && scenario.learning.compression.method != Compression::kNone) {
    return Error{fmt::format(
        "model.parameters = {}: cannot stand beside learning.compression in a run, whose encoder "
        "makes the bits of the model that is trained: leave it out",
        scenario.model.parameters)};
  }
  return Validate(*model, {images.height, images.width, images.classes});
}

}  // namespace

Result<Setting> Prepare(const Scenario& scenario, std::uint64_t seed,
                        std::shared_ptr<const Dataset> dataset, int threads) {
  if (auto status = CheckModel(scenario, dataset->train); !status) return status.error();
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
  if (auto status = Validate(*problem); !status) return status.error();
  setting.plan = PlanOf(scenario, *problem, {.threads = threads});
  const std::size_t devices = setting.fleet.devices;
  setting.data_share.resize(devices);
  setting.participation_s.resize(devices);
  setting.participation_j.resize(devices);
  if (problem->compute_rule == ComputeRule::kAlways) setting.always_j.emplace(devices);
  const auto samples = double(setting.partition.samples.size());
  for (std::size_t i = 0; i < devices; ++i) {
    setting.data_share[i] = double(setting.partition.SamplesOf(i).size()) / samples;
  }
  DescribeParticipations(*problem, setting);
  const auto bits = RoundBitsOf(scenario);
  if (!bits) return bits.error();
  setting.model_bits = bits->model;
  const Model& model = *FindModel(scenario.model.name);
  setting.least_update_bits =
      EncodedBits({.method = Compression::kTopK, .kept = 1},
                  ParameterCount(model, {images.height, images.width, images.classes}));
  setting.digest = DigestOf(*problem, setting);
  return setting;
}

Cell CellOf(const Setting& setting) {
  const Scenario& scenario = setting.scenario;
  const Fleet& fleet = setting.fleet;
  const auto problem = ProblemOf(fleet, scenario.radio, scenario.round);
  AIRLOT_CHECK(problem.ok(), "{}", problem.error().message);  // as when it was prepared
  Cell cell{.problem = *problem,
            .bandwidth_hz = fleet.bandwidth_hz,
            .update_bits = fleet.update_bits,
            .total_bandwidth_hz = TotalBandwidth(fleet),
            .noise_grows_with_band = scenario.radio.noise_dbm_per_hz.has_value(),
            .model_bits = setting.model_bits,
            .server_power_w = scenario.radio.server_power_w,
            .receive_energy_j = fleet.receive_energy_j,
            .least_update_bits = setting.least_update_bits};
  return cell;
}

bool MayTakePart(const Setting& setting) {
  return setting.scenario.radio.fading != Fading::kNone ||
         std::ranges::any_of(setting.plan.probability, [](double a) { return a > 0; });
}

}  // namespace airlot
