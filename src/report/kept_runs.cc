#include "report/kept_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

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

bool HoldsRuns(const fs::path& directory) {
  std::error_code ignored;
  return fs::is_regular_file(directory / "manifest.json", ignored);
}

// What the manifest says of the processor; empty where it says nothing.
std::string SimdTargetOf(const fs::path& directory) {
  std::ifstream file(directory / "manifest.json");
  const auto manifest = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  return manifest.is_object() ? manifest.value("simd_target", "") : "";
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

// Why the records of a run cannot be right; empty: they may be.
std::string FaultOf(const std::vector<RoundRecord>& records) {
  for (const RoundRecord& record : records) {
    if (record.accuracy && !(*record.accuracy >= 0 && *record.accuracy <= 1)) {
      return fmt::format("the accuracy of round {} is {}, not between 0 and 1", record.round,
                         *record.accuracy);
    }
  }
  return "";
}

// Which file of a run that was complete is gone; empty: the run has not begun.
std::string MissingFile(const fs::path& run, bool all_are_complete) {
  std::error_code ignored;
  const bool has_rounds = fs::exists(run / "rounds.csv", ignored);
  const bool has_devices = fs::exists(run / "devices.csv", ignored);
  if (!all_are_complete && !has_rounds && !has_devices) return "";
  return (run / (has_rounds ? "devices.csv" : "rounds.csv")).string();
}

}  // namespace

Result<KeptRuns> ReadRuns(const std::string& path) {
  const auto directory = RunDirectory::Look(path);
  if (!directory) return directory.error();
  KeptRuns found{.comparison = directory->comparison(),
                 .status = directory->status(),
                 .directory = path,
                 .version = directory->version(),
                 .simd_target = SimdTargetOf(path)};
  for (const std::string& strategy : found.comparison.strategies) {
    for (const std::uint64_t seed : found.comparison.seeds) {
      auto run = directory->Find(strategy, seed);
      const auto leave_out = [&](const std::string& why) {
        found.left_out.push_back(fmt::format("{}, seed {}, is left out: {}", strategy, seed, why));
      };
      if (!run) {
        leave_out(run.error().message);
        continue;
      }
      const fs::path place = fs::path(path) / strategy / fmt::format("seed-{}", seed);
      if (!run->state) {
        const std::string missing = MissingFile(place, found.status == RunStatus::kComplete);
        if (!run->note.empty()) {
          leave_out(run->note.substr(0, run->note.rfind(": starting from")));
        } else if (missing.empty()) {
          ++found.not_begun;
        } else {
          leave_out(missing + ": is missing");
        }
        continue;
      }
      if (const std::string fault = FaultOf(run->state->records); !fault.empty()) {
        leave_out((place / "rounds.csv").string() + ": " + fault);
        continue;
      }
      found.runs.push_back({.strategy = strategy,
                            .seed = seed,
                            .end = run->is_complete ? RunEnd::kRoundsDone : RunEnd::kStopped,
                            .records = std::move(run->state->records),
                            .participations = std::move(run->state->participations)});
      found.energy_spent_j.push_back(std::move(run->state->energy_spent_j));
      found.mean_probability.emplace_back();
      const auto mean = run->state->parts.FindColumn("mean_probability", run->state->round);
      if (mean) {
        for (const auto& value : mean->values) {
          found.mean_probability.back().push_back(value.value_or(0));
        }
      }
    }
  }
  return found;
}

Result<std::vector<std::string>> FindRunDirectories(const std::string& path) {
  if (HoldsRuns(path)) return std::vector{path};
  std::vector<std::string> found;
  std::error_code error;
  fs::directory_iterator entry(path, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (HoldsRuns(entry->path())) found.push_back(entry->path().string());
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
  auto fleet = MakeFleet(scenario, seed);
  if (!fleet) return fleet.error();
  PlannedFleet planned{.fleet = std::move(*fleet)};
  const auto problem = ProblemOf(planned.fleet, scenario.radio, scenario.round);
  if (!problem) return problem.error();
  if (auto status = Validate(*problem); !status) return status.error();
  planned.plan = PlanOf(scenario, *problem);
  if (scenario.data.dataset.empty()) return planned;
  const auto labels = TrainingLabelsOf(scenario.data);
  if (!labels) return labels.error();
  const auto partition = PartitionOf(scenario.data, *labels, planned.fleet.devices, seed);
  if (!partition) return partition.error();
  planned.labels = CountLabelsOf(planned.fleet, *partition, *labels);
  return planned;
}

}  // namespace airlot::report
