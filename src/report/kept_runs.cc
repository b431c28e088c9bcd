#include "report/kept_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "airlot/scenario_fleet.h"

namespace airlot::report {
namespace {

namespace fs = std::filesystem;

// The place of a scenario in the paper, or behind all of them.
std::size_t PaperRank(const std::string& directory) {
  const auto papers = PaperScenarios();
  const auto found =
      std::ranges::find(papers, fs::path(directory).filename().string(), &PaperScenario::name);
  return std::size_t(found - papers.begin());
}

// Those with the most samples first; in a large fleet every n-th of them.
LabelCounts CountLabelsOf(const Fleet& fleet, const Partition& partition, const Labels& labels) {
  constexpr std::size_t kMost = 300;
  std::vector<std::size_t> order(partition.devices());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return partition.SamplesOf(a).size() > partition.SamplesOf(b).size();
  });
  LabelCounts counts{.classes = labels.classes};
  const std::size_t stride = (order.size() + kMost - 1) / kMost;
  std::string buffer;
  for (std::size_t i = 0; i < order.size(); i += stride) {
    counts.ids.emplace_back(fleet.ids.Get(order[i], buffer));
    counts.counts.push_back(CountLabels(partition.SamplesOf(order[i]), labels));
  }
  return counts;
}

}  // namespace

Result<KeptRuns> ReadRuns(const std::string& path) {
  auto read = airlot::ReadRuns(path);
  if (!read) return read.error();
  KeptRuns found{.comparison = std::move(read->comparison),
                 .status = read->status,
                 .directory = path,
                 .version = read->provenance.version,
                 .simd_target = read->provenance.simd_target};
  for (const UnreadableRun& run : read->unreadable) {
    found.left_out.push_back(
        fmt::format("{}, seed {}, is left out: {}", run.strategy, run.seed, run.fault));
  }
  for (KeptRun& run : read->runs) {
    if (run.stage == RunStage::kNotBegun || !run.devices) {
      ++found.not_begun;
      continue;
    }
    const bool is_complete = run.stage == RunStage::kComplete;
    found.runs.push_back({.strategy = run.strategy,
                          .seed = run.seed,
                          .end = is_complete ? RunEnd::kRoundsDone : RunEnd::kStopped,
                          .records = std::move(run.records),
                          .participations = std::move(run.devices->participations)});
    found.energy_spent_j.push_back(std::move(run.devices->energy_spent_j));
    found.mean_probability.push_back(
        std::move(run.devices->mean_probability).value_or(std::vector<double>()));
  }
  return found;
}

Result<std::vector<std::string>> FindRunDirectories(const std::string& path) {
  if (HoldsRuns(path)) return std::vector{path};
  std::vector<std::string> found;
  std::error_code error;
  fs::directory_iterator entry(path, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (HoldsRuns(entry->path().string())) found.push_back(entry->path().string());
  }
  if (error) return Error{fmt::format("{}: cannot read this folder: {}", path, error.message())};
  if (found.empty()) {
    return Error{
        fmt::format("{}: holds no runs: name a folder that airlot train, compare or "
                    "reproduce wrote",
                    path)};
  }
  std::ranges::sort(found, {}, [](const std::string& directory) {
    return std::pair(PaperRank(directory), directory);
  });
  return found;
}

Result<PlannedFleet> PlanAgain(const Scenario& scenario, std::uint64_t seed) {
  auto made = MakeFleet(scenario, seed);
  if (!made) return made.error();
  PlannedFleet planned{.fleet = std::move(made->fleet)};
  const auto split = SplitBand(scenario.radio, scenario.round, planned.fleet);
  if (!split) return split.error();
  const auto problem = ProblemOf(planned.fleet, scenario.radio, scenario.round);
  if (!problem) return problem.error();
  if (auto status = Validate(*problem); !status) return status.error();
  planned.plan = PlanRound(scenario.round, *problem);
  if (scenario.data.dataset.empty()) return planned;
  const auto labels = TrainingLabelsOf(scenario.data);
  if (!labels) return labels.error();
  const auto partition = PartitionOf(scenario.data, *labels, planned.fleet.devices, seed);
  if (!partition) return partition.error();
  planned.labels = CountLabelsOf(planned.fleet, *partition, *labels);
  return planned;
}

}  // namespace airlot::report
