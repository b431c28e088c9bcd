// Prepare goes from a scenario and a seed to all that a run needs.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "airlot/scenario_fleet.h"
#include "airlot/simulation.h"
#include "base/check.h"
#include "data/sha256.h"

namespace airlot {
namespace {

void DescribeParticipations(const PlanningProblem& problem, Setting& setting) {
  const std::size_t devices = setting.fleet.devices;
  setting.upload_s.resize(devices);
  setting.participation_j.resize(devices);
  for (std::size_t i = 0; i < devices; ++i) {
    const Participation once = Describe(problem, setting.plan, i);
    const double always_j = FixedEnergyOf(problem, i).always_j;
    const bool is_able = setting.plan.probability[i] > 0;
    setting.upload_s[i] = is_able ? once.upload_s : 0;
    setting.participation_j[i] = is_able ? once.energy_j - always_j : 0;
    if (always_j > 0 && !setting.always_j) setting.always_j.emplace(devices, 0.0);
    if (setting.always_j) (*setting.always_j)[i] = always_j;
  }
}

template <class Numbers>
void Add(const Numbers& numbers, data::Sha256& hash) {
  hash.Update(
      {reinterpret_cast<const std::uint8_t*>(numbers.data()), numbers.size() * sizeof(numbers[0])});
}

// The digest is of what the runs of a setting depend on beside the scenario and the seed. It takes
// what was read, not what was computed from it, whose last bits may differ on another processor.
std::string DigestOf(const std::string& rows_digest, const Setting& setting) {
  data::Sha256 hash;
  Add(rows_digest, hash);
  Add(setting.dataset->digest ? *setting.dataset->digest : DigestOf(*setting.dataset), hash);
  Add(setting.partition.begin, hash);
  Add(setting.partition.samples, hash);
  return hash.Hex();
}

Status CheckTrained(const Scenario& scenario, const Images& images) {
  if (scenario.model.parameters && scenario.learning.compression.method != Compression::kNone) {
    return Error{fmt::format(
        "model.parameters = {}: cannot stand beside learning.compression in a run, whose encoder "
        "makes the bits of the model that is trained: leave it out",
        *scenario.model.parameters)};
  }
  return CheckModel(scenario.model, ShapeOf(images));
}

ColumnValues DataShares(const Partition& partition) {
  ColumnValues shares(partition.devices());
  const auto samples = double(partition.samples.size());
  for (std::size_t i = 0; i < shares.size(); ++i) {
    shares[i] = double(partition.SamplesOf(i).size()) / samples;
  }
  return shares;
}

Status CheckBooked(const Books& books) {
  if (books != Books{.upload_time = false}) return {};
  return Error{
      "books.upload_time = false: nothing is booked, so that no round would take any time: set "
      "it, books.compute_time or books.download_time to true"};
}

}  // namespace

Result<Setting> Prepare(const Scenario& scenario, std::uint64_t seed,
                        std::shared_ptr<const Dataset> dataset, int threads,
                        const std::optional<Partition>& partition) {
  const Images& images = dataset->train;
  if (auto status = CheckTrained(scenario, images); !status) return status.error();
  auto made = partition ? MakeFleet(scenario, ShapeOf(images), *partition, seed, threads)
                        : MakeFleet(scenario, LabelsOf(images), seed, threads);
  if (!made) return made.error();
  Setting setting{.scenario = scenario, .seed = seed, .dataset = std::move(dataset)};
  setting.fleet = std::move(made->fleet);
  setting.partition = std::move(made->partition);
  if (auto status = CheckBooked(scenario.books); !status) return status.error();
  const auto split = SplitBand(scenario, setting.fleet, threads);
  if (!split) return split.error();
  const auto problem = ProblemOf(setting.fleet, scenario);
  if (!problem) return problem.error();
  if (const auto cell = CellOf(setting.fleet, scenario, *problem); !cell) return cell.error();
  if (auto status = CheckPlanning(scenario, *problem); !status) return status.error();
  setting.plan = PlanRound(scenario, *problem, threads);
  setting.data_share = DataShares(setting.partition);
  DescribeParticipations(*problem, setting);
  setting.model_bits = made->bits.model;
  setting.least_update_bits = EncodedBits({.method = Compression::kTopK, .kept = 1},
                                          ParameterCount(ModelOf(scenario.model), ShapeOf(images)));
  setting.digest = DigestOf(made->rows_digest, setting);
  return setting;
}

Cell CellOf(const Setting& setting) {
  const auto problem = ProblemOf(setting.fleet, setting.scenario);
  AIRLOT_CHECK(problem.ok(), "{}", problem.error().message);  // Prepare has checked it.
  auto cell = CellOf(setting.fleet, setting.scenario, *problem);
  AIRLOT_CHECK(cell.ok(), "{}", cell.error().message);  // Prepare has checked this, too.
  cell->model_bits = setting.model_bits;
  cell->least_update_bits = setting.least_update_bits;
  return *cell;
}

bool MayTakePart(const Setting& setting) {
  return setting.scenario.radio.fading.kind != Fading::kNone ||
         std::ranges::any_of(setting.plan.probability, [](double a) { return a > 0; });
}

}  // namespace airlot
