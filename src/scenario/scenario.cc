#include "airlot/scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.h"
#include "scenario/keys.h"

namespace airlot {
namespace {

using scenario::FindKey;
using scenario::FormatValue;
using scenario::Key;
using scenario::Keys;
using scenario::SectionOf;

// The images that a model would be trained on.
Result<ImageShape> ShapeOf(const DataChoice& data) {
  if (data.dataset.empty()) return ImageShape{};
  for (const DatasetEntry& entry : Datasets()) {
    if (entry.name == data.dataset) return ImageShape{entry.height, entry.width, entry.classes};
  }
  const auto labels = ReadTrainingLabels(data.dataset);
  if (!labels) return labels.error();
  return ImageShape{labels->height, labels->width, labels->classes};
}

Status CheckChosen(const DataChoice& data) {
  if (!data.dataset.empty()) return {};
  return Error{"data.dataset is not set: choose one, such as --set data.dataset=digits"};
}

// How many samples each device holds.
Result<Values> SampleCounts(const DataChoice& data, std::size_t devices, std::uint64_t seed) {
  const auto labels = TrainingLabelsOf(data);
  if (!labels) return labels.error();
  const auto partition = PartitionOf(data, *labels, devices, seed);
  if (!partition) return partition.error();
  Values counts(devices);
  for (std::size_t i = 0; i < devices; ++i) counts[i] = double(partition->SamplesOf(i).size());
  return counts;
}

// The encoder decides how many bits an update takes: a fleet file must not.
Status CheckUpdateBits(const Scenario& scenario, double update_bits, const Fleet& fleet) {
  if (scenario.learning.compression.method == Compression::kNone) return {};
  const std::size_t compared = fleet.update_bits.is_constant() ? 1 : fleet.devices;
  for (std::size_t i = 0; i < compared; ++i) {
    if (fleet.update_bits[i] == update_bits) continue;
    return Error{fmt::format(
        "{}: update_bits = {}: cannot stand beside learning.compression, whose encoder decides how "
        "many bits are sent ({}): leave the column out",
        scenario.fleet.file, fleet.update_bits[i], update_bits)};
  }
  return {};
}

bool IsSet(std::string_view name, const Scenario& scenario) {
  return !FormatValue(*FindKey(name), scenario).empty();
}

// Whether a key may stand in the scenario's file beside the others that are set.
bool Applies(const Key& key, const Scenario& scenario) {
  const auto& [excludes, needs] = key.beside;
  return (excludes.empty() || !IsSet(excludes, scenario)) &&
         (needs.empty() || IsSet(needs, scenario));
}

}  // namespace

Result<double> ModelBits(const ModelChoice& model, const ImageShape& shape) {
  if (model.parameters > 0) return model.parameters * model.bits_per_parameter;
  const Model* entry = FindModel(model.name);
  AIRLOT_CHECK(entry != nullptr, "model {} is not one of Models()", model.name);
  if (const auto status = Validate(*entry, shape); !status) {
    return Error{fmt::format("model.name = {} (for images of {} x {} in {} classes)",
                             status.error().message, shape.height, shape.width, shape.classes)};
  }
  return double(ParameterCount(*entry, shape)) * model.bits_per_parameter;
}

Result<RoundBits> RoundBitsOf(const Scenario& scenario) {
  const TrainingRuleEntry* rule = FindTrainingRule(scenario.learning.rule);
  if (rule == nullptr) {
    return Error{fmt::format("learning.rule = {}: no rule of that name is registered",
                             scenario.learning.rule)};
  }
  ImageShape shape;
  if (scenario.model.parameters == 0) {
    const auto found = ShapeOf(scenario.data);
    if (!found) return found.error();
    shape = *found;
  }
  const auto model_bits = ModelBits(scenario.model, shape);
  if (!model_bits) return model_bits.error();
  const CompressionOptions& compression = scenario.learning.compression;
  const double others = rule->vectors_uploaded - 1;  // not compressed
  if (compression.method != Compression::kNone && scenario.model.bits_per_parameter != 32) {
    return Error{fmt::format(
        "model.bits_per_parameter = {}: cannot stand beside learning.compression, whose encoder "
        "decides how many bits are sent: leave it at 32",
        scenario.model.bits_per_parameter)};
  }
  RoundBits bits{.update = *model_bits, .model = *model_bits * (1 + others)};
  if (compression.method != Compression::kNone) {
    const double parameters = *model_bits / scenario.model.bits_per_parameter;
    bits.update = EncodedBits(compression, std::size_t(std::llround(parameters)));
  }
  bits.update += others * *model_bits;
  return bits;
}

Result<Partition> PartitionOf(const DataChoice& data, const Labels& labels, std::size_t devices,
                              std::uint64_t seed) {
  PartitionOptions options = data.partition;
  options.devices = devices;
  options.seed = seed;
  return MakePartition(labels, options);
}

Result<Labels> TrainingLabelsOf(const DataChoice& data) {
  if (auto status = CheckChosen(data); !status) return status.error();
  return ReadTrainingLabels(data.dataset);
}

Result<Dataset> DatasetOf(const DataChoice& data, int threads) {
  if (auto status = CheckChosen(data); !status) return status.error();
  return ReadDataset(data.dataset, threads);
}

Result<FleetDefaults> DefaultsOf(const Scenario& scenario, std::uint64_t seed) {
  const auto bits = RoundBitsOf(scenario);
  if (!bits) return bits.error();
  FleetDefaults defaults{.model = scenario.fleet,
                         .radio = scenario.radio,
                         .update_bits = bits->update,
                         .model_bits = bits->model,
                         .time_limit_s = scenario.round.time_limit_s,
                         .seed = seed};
  defaults.computed_samples = [rules = scenario.learning](double samples) {
    return ComputedSamples(rules, samples);
  };
  if (!scenario.data.dataset.empty()) {
    defaults.samples_of = [data = scenario.data, seed](std::size_t devices) {
      return SampleCounts(data, devices, seed);
    };
  }
  return defaults;
}

Result<Fleet> MakeFleet(const Scenario& scenario, std::uint64_t seed, int threads,
                        const std::function<void(double)>& progress) {
  const auto defaults = DefaultsOf(scenario, seed);
  if (!defaults) return defaults.error();
  auto fleet = scenario.fleet.file.empty()
                   ? DrawFleet(*defaults, threads)
                   : ReadFleet(scenario.fleet.file, *defaults, threads, progress);
  if (!fleet) return fleet;
  if (!scenario.fleet.file.empty()) {
    if (auto status = CheckUpdateBits(scenario, defaults->update_bits, *fleet); !status)
      return status.error();
  }
  const auto split = SplitBand(scenario, *fleet, threads);
  if (!split) return split.error();
  return fleet;
}

Result<PlanningProblem> ProblemOf(const Fleet& fleet, const Radio& radio, const RoundRules& round) {
  PlanningProblem problem;
  problem.devices = fleet.devices;
  problem.noise_to_gain_w = fleet.noise_to_gain_w;
  problem.nat_time_s = fleet.nat_time_s;
  problem.max_power_w = fleet.max_power_w;
  problem.energy_budget_j = fleet.energy_budget_j;
  problem.compute_energy_j = fleet.FixedEnergy();
  problem.time_limit_s = fleet.time_limit_s;
  if (round.count_compute_time) {
    if (!fleet.has_compute_time) {
      return Error{
          "round.count_compute_time = true: the fleet gives compute_energy_j but no computation "
          "time; add a column compute_time_s"};
    }
    problem.compute_time_s = fleet.compute_time_s;
  }
  problem.snr_gap = FromDecibel(radio.snr_gap_db);
  problem.spectral_efficiency_cap = radio.spectral_efficiency_cap;
  problem.amplifier_efficiency = radio.amplifier_efficiency;
  problem.circuit_power_w = radio.circuit_power_w;
  problem.time_rule = round.time_rule;
  problem.compute_rule = round.compute;
  return problem;
}

Plan PlanOf(const Scenario& scenario, const PlanningProblem& problem,
            const PlanningOptions& options) {
  const double time_weight = scenario.round.time_weight;
  return time_weight > 0 ? SolveTimeAware(problem, 1.0, time_weight, options)
                         : Solve(problem, options);
}

void PlanOf(const Scenario& scenario, const PlanningProblem& problem,
            const PlanningOptions& options, std::span<double> probability,
            std::span<double> power_w) {
  if (scenario.round.time_weight == 0) {  // without memory of its own
    Solve(problem, options, probability, power_w);
    return;
  }
  const Plan plan = PlanOf(scenario, problem, options);
  std::ranges::copy(plan.probability, probability.begin());
  std::ranges::copy(plan.power_w, power_w.begin());
}

std::string FormatScenario(const Scenario& scenario) {
  std::string text;
  std::string_view section;
  for (const Key& key : Keys()) {
    const std::string value = FormatValue(key, scenario);
    if (value.empty() || !Applies(key, scenario)) continue;
    if (SectionOf(key) != section) {
      section = SectionOf(key);
      text.append("\n[").append(section).append("]\n");
    }
    const std::size_t prefix = section.empty() ? 0 : section.size() + 1;
    text.append(key.name.substr(prefix)).append(" = ").append(value).append("\n");
  }
  return text;
}

std::vector<ScenarioKey> ScenarioKeys() {
  std::vector<ScenarioKey> keys;
  for (const Key& key : Keys()) {
    keys.push_back({key.name, FormatDefault(key), key.summary});
  }
  return keys;
}

}  // namespace airlot
