#include "airlot/scenario_fleet.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/gather.h"
#include "base/text.h"
#include "data/sha256.h"
#include "fleet/fleet_memory.h"
#include "scenario/keys.h"

namespace airlot {
namespace {

Status CheckChosen(const DataChoice& data) {
  if (data.dataset) return {};
  return Error{"data.dataset is not set: choose one, such as digits"};
}

// The encoder decides how many bits an update takes, so a fleet file must not.
Status CheckUpdateBits(const Scenario& scenario, const RoundBits& bits, const FleetRows& rows) {
  if (scenario.learning.compression.method == Compression::kNone) return {};
  for (const double update_bits : rows.update_bits) {
    if (update_bits == bits.update) continue;
    return Error{fmt::format(
        "{}: update_bits = {}: cannot stand beside learning.compression, whose encoder decides how "
        "many bits are sent ({}): leave the column out",
        rows.origin, update_bits, bits.update)};
  }
  return {};
}

std::string DigestOf(const FleetRows& rows) {
  data::Sha256 hash;
  const auto add = [&](const auto& values) {
    const std::uint64_t size = values.size();
    hash.Update({reinterpret_cast<const std::uint8_t*>(&size), sizeof(size)});
    hash.Update(
        {reinterpret_cast<const std::uint8_t*>(values.data()), values.size() * sizeof(values[0])});
  };
  std::string id;
  for (std::size_t i = 0; i < rows.ids.size(); ++i) add(rows.ids.Get(i, id));
  // The digests of files without the later columns stay what they were.
  constexpr std::size_t kFirstColumns = 16;
  const auto columns = rows.Columns();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i >= kFirstColumns && columns[i]->empty()) continue;
    if (i >= kFirstColumns) add(std::to_string(i));
    add(*columns[i]);
  }
  return hash.Hex();
}

ColumnValues SampleCounts(const Partition& partition) {
  ColumnValues counts(partition.devices());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    counts[i] = double(partition.SamplesOf(i).size());
  }
  return counts;
}

// A device holds what the partition gives it. Where a file says otherwise, its number of samples
// stands for what the device computes, unless it holds none: then it cannot take part.
void SetSamples(const Partition& partition, FleetRows& rows) {
  const ColumnValues held = SampleCounts(partition);
  const bool all_hold_some = std::ranges::all_of(held, [](double count) { return count > 0; });
  if (rows.samples.empty()) {
    if (rows.LacksSamples() || !all_hold_some) rows.samples = held;
    return;
  }
  for (std::size_t i = 0; i < held.size(); ++i) {
    if (held[i] == 0) rows.samples[i] = 0;
  }
}

// Says what a user should know of how the file of a fleet was taken.
std::vector<std::string> NotesOn(const FleetRows& rows, const Scenario& scenario) {
  if (rows.origin.empty()) return {};
  std::vector<std::string> notes;
  if (!rows.ignored.empty()) {
    notes.push_back(fmt::format("{}: ignored {}, which {} not known: {}", rows.origin,
                                rows.ignored.size() == 1 ? "a column" : "columns",
                                rows.ignored.size() == 1 ? "is" : "are",
                                fmt::join(rows.ignored, ", ")));
  }
  if (!rows.HasMeasuredChannel() && !rows.HasPlaces()) {
    notes.push_back(fmt::format(
        "{}: says nothing of the channel (distance_m, x_m and y_m, path_loss_db, ...): places are "
        "drawn in a square of {:.6g} m",
        rows.origin, scenario.fleet.area_m));
  }
  if (rows.noise_band_hz != rows.bandwidth_hz && !rows.noise_band_hz.empty() &&
      !GrowsWithBand(scenario.radio.noise)) {
    notes.push_back(fmt::format(
        "{}: noise_band_hz changes nothing: by radio.noise_w the noise is the same in every band",
        rows.origin));
  }
  return notes;
}

// Assemble makes a fleet of rows. The partition is none where no labels were read. The digest of
// the rows, which takes longer than a plan, is made for trainings only.
Result<FleetWithData> Assemble(const Scenario& scenario, FleetRows rows, const ImageShape& shape,
                               std::optional<Partition> partition, std::uint64_t seed,
                               const Hands& hands, std::string rows_digest = {}) {
  const auto bits = RoundBitsOf(scenario, shape);
  if (!bits) return bits.error();
  if (auto status = base::AgreeOn(hands, CheckUpdateBits(scenario, *bits, rows)); !status) {
    return status.error();
  }
  FleetWithData made{
      .bits = *bits, .rows_digest = std::move(rows_digest), .notes = NotesOn(rows, scenario)};
  if (partition) {
    made.partition = std::move(*partition);
    SetSamples(made.partition, rows);
  }
  auto fleet = CompleteFleet(std::move(rows), DefaultsOf(scenario, *bits, seed), hands);
  if (!fleet) return fleet.error();
  made.fleet = std::move(*fleet);
  return made;
}

// Makes a fleet of rows whose devices hold samples with these labels.
Result<FleetWithData> AssembleFor(const Scenario& scenario, FleetRows rows, const Labels& labels,
                                  std::uint64_t seed, int threads, std::string rows_digest = {}) {
  auto partition = PartitionOf(scenario.data, labels, rows, seed);
  if (!partition) return partition.error();
  return Assemble(scenario, std::move(rows), ShapeOf(labels), std::move(*partition), seed, threads,
                  std::move(rows_digest));
}

// Returns "4 features in 3 classes" of the rows of a table.
std::string DescribeFeatures(const ImageShape& shape) {
  return fmt::format("{} feature{}{}", shape.width, shape.width == 1 ? "" : "s",
                     shape.classes == 0 ? " with a number to predict"
                                        : fmt::format(" in {} classes", shape.classes));
}

}  // namespace

Result<Dataset> DatasetOf(const DataChoice& data, int threads) {
  if (auto status = CheckChosen(data); !status) return status.error();
  auto dataset = ReadDataset(*data.dataset, threads);
  if (!dataset || !data.standardise) return dataset;
  Standardise(*dataset);
  dataset->digest = DigestOf(*dataset);
  return dataset;
}

Result<Labels> TrainingLabelsOf(const DataChoice& data) {
  if (auto status = CheckChosen(data); !status) return status.error();
  return ReadTrainingLabels(*data.dataset);
}

Result<ImageShape> ImageShapeOf(const DataChoice& data) {
  if (!data.dataset) return ImageShape{};
  for (const DatasetEntry& entry : Datasets()) {
    if (entry.name == data.dataset) {
      return ImageShape{entry.height, entry.width, entry.classes, entry.channels};
    }
  }
  const auto labels = ReadTrainingLabels(*data.dataset);
  if (!labels) return labels.error();
  return ShapeOf(*labels);
}

Model ModelOf(const ModelChoice& choice) {
  if (choice.layers) return {choice.name, *choice.layers, "The layers of the scenario."};
  const Model* model = FindModel(choice.name);
  AIRLOT_CHECK(model != nullptr, "model {} is not one of Models()", choice.name);
  return *model;
}

std::string DescribeModel(const ModelChoice& choice) {
  if (!choice.parameters) return choice.name;
  const double count = *choice.parameters;
  return fmt::format("{} (updates charged as {} parameters)", choice.name,
                     count < 1e15 ? fmt::format("{:.0f}", count) : base::FormatNumber(count));
}

Status CheckModel(const ModelChoice& choice, const ImageShape& shape) {
  const auto status = Validate(ModelOf(choice), shape);
  if (status) return {};
  std::string reason = status.error().message;
  std::string place = "model.name = " + choice.name;
  if (choice.layers) {
    place = choice.layers_place.text.empty() ? "model.layers" : choice.layers_place.text;
  }
  // What is wrong with a layer begins with "layers[3]" and goes on where the key ends.
  if (choice.layers && reason.starts_with("layers[")) {
    reason.erase(0, std::string_view("layers").size());
  } else {
    place += ": ";
  }
  // A table of features comes as images of one row, for which no built-in convolution fits.
  const bool is_table = shape.height == 1 && shape.channels == 1;
  return Error{fmt::format(
      "{}{} (for {}){}", place, reason,
      is_table ? fmt::format("rows of {}", DescribeFeatures(shape)) : DescribeShape(shape),
      is_table && !choice.layers ? ": for rows of features set model.name to mlp or logistic"
                                 : "")};
}

Result<double> ModelBits(const ModelChoice& model, const ImageShape& shape) {
  if (model.parameters) return *model.parameters * model.bits_per_parameter;
  if (auto status = CheckModel(model, shape); !status) return status.error();
  return double(ParameterCount(ModelOf(model), shape)) * model.bits_per_parameter;
}

Result<RoundBits> RoundBitsOf(const Scenario& scenario, const ImageShape& shape) {
  const auto model_bits = ModelBits(scenario.model, shape);
  if (!model_bits) return model_bits.error();
  const CompressionOptions& compression = scenario.learning.compression;
  const TrainingRuleEntry* rule = FindTrainingRule(scenario.learning.rule);
  if (rule == nullptr) {
    return Error{fmt::format("learning.rule = {}: no rule of that name is registered",
                             scenario.learning.rule)};
  }
  const double others = rule->vectors_uploaded - 1;  // vectors that are not compressed
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

Result<FleetRows> RowsOf(const FleetModel& fleet, const std::function<void(double)>& progress,
                         const Hands& hands, const FleetPart* part) {
  if (!fleet.file) {
    const std::size_t devices = part == nullptr ? fleet.devices : part->devices;
    const auto status = base::AgreeOn(hands, fleet::CheckMemoryToDraw(devices));
    if (!status) return status.error();
    const std::size_t first = part == nullptr ? 0 : part->first_device;
    return FleetRows{
        .devices = devices, .first_device = first, .ids = DeviceIds::RowNumbersFrom(first)};
  }
  return ReadFleetRows(*fleet.file, progress,
                       fleet.ignore_unknown ? UnknownColumns::kIgnore : UnknownColumns::kRefuse,
                       hands, part);
}

Result<Partition> PartitionOf(const DataChoice& data, const Labels& labels, const FleetRows& rows,
                              std::uint64_t seed) {
  PartitionOptions options = data.partition;
  options.devices = rows.devices;
  options.seed = seed;
  DeviceNames names;
  if (!rows.ids.empty()) {
    names = [&](std::size_t device, std::string& buffer) { return rows.ids.Get(device, buffer); };
  }
  return MakePartition(labels, options, names);
}

FleetDefaults DefaultsOf(const Scenario& scenario, const RoundBits& bits, std::uint64_t seed) {
  return {.model = scenario.fleet,
          .radio = scenario.radio,
          .update_bits = bits.update,
          .model_bits = bits.model,
          .time_limit_s = scenario.round.time_limit_s,
          .seed = seed,
          .work = WorkOf(scenario.learning),
          .round_period_s = scenario.round.period_s};
}

Result<FleetWithData> MakeFleet(const Scenario& scenario, std::uint64_t seed, const Hands& hands,
                                const std::function<void(double)>& progress,
                                const FleetPart* part) {
  auto rows = RowsOf(scenario.fleet, progress, hands, part);
  if (!rows) return rows.error();
  if (!rows->LacksSamples() || !scenario.data.dataset) {
    const auto shape = ImageShapeOf(scenario.data);
    if (auto status = base::AgreeOn(hands, shape ? Status() : shape.error()); !status) {
      return status.error();
    }
    return Assemble(scenario, std::move(*rows), *shape, std::nullopt, seed, hands);
  }
  if (part != nullptr) {
    return Error{fmt::format(
        "data.dataset = {}: is dealt to all devices at once, which several processes cannot do: "
        "give the fleet a column samples, or start one process",
        *scenario.data.dataset)};
  }
  const auto labels = ReadTrainingLabels(*scenario.data.dataset);
  if (!labels) return labels.error();
  return AssembleFor(scenario, std::move(*rows), *labels, seed, hands.threads);
}

Result<FleetWithData> MakeFleet(const Scenario& scenario, const Labels& labels, std::uint64_t seed,
                                int threads) {
  auto rows = RowsOf(scenario.fleet, {}, threads);
  if (!rows) return rows.error();
  std::string digest = DigestOf(*rows);
  return AssembleFor(scenario, std::move(*rows), labels, seed, threads, std::move(digest));
}

Result<FleetWithData> MakeFleet(const Scenario& scenario, const ImageShape& shape,
                                const Partition& partition, std::uint64_t seed, int threads) {
  auto rows = RowsOf(scenario.fleet, {}, threads);
  if (!rows) return rows.error();
  if (partition.devices() != rows->devices) {
    return Error{fmt::format("the partition is over {} devices, and the fleet has {}",
                             partition.devices(), rows->devices)};
  }
  std::string digest = DigestOf(*rows);
  return Assemble(scenario, std::move(*rows), shape, partition, seed, threads, std::move(digest));
}

Result<PlanningProblem> ProblemOf(const Fleet& fleet, const Scenario& scenario) {
  auto problem = ProblemOf(fleet, scenario.radio, scenario.round);
  if (!problem) return scenario::WithKey(problem.error(), {"round"});
  return problem;
}

Result<Cell> CellOf(const Fleet& fleet, const Scenario& scenario, const PlanningProblem& problem) {
  Cell cell = CellOf(fleet, scenario.radio, problem);
  if (!scenario.books.compute_time) return cell;
  if (!fleet.compute_time_s) {
    return Error{
        "books.compute_time = true: the fleet gives compute_energy_j but no computation time; add "
        "a column compute_time_s"};
  }
  cell.compute_time_s = *fleet.compute_time_s;
  return cell;
}

Result<std::optional<BandSplit>> SplitBand(const Scenario& scenario, Fleet& fleet,
                                           const Hands& hands) {
  if (scenario.radio.band.sharing == BandSharing::kEqual) return std::optional<BandSplit>();
  if (const auto problem = ProblemOf(fleet, scenario); !problem) return problem.error();
  if (StepsOf(scenario.radio).any()) {
    return Error{fmt::format(
        "radio.sharing = {}: a band is split by Shannon's formula for powers of any size, which {} "
        "rules out: set it to equal",
        BandSharingName(scenario.radio.band.sharing), KeyOfSteps(scenario.radio))};
  }
  auto split = SplitBand(scenario.radio, scenario.round, fleet, hands);
  if (split) return split;
  Error error = scenario::WithKey(split.error(), {"round", "radio"});
  // A rule that a shared band does not know may stand beside an equal one.
  if (error.field && error.field->starts_with("round.")) {
    error.message += "; or set radio.sharing to equal";
  }
  return error;
}

Status CheckPlanning(const Scenario& scenario, const PlanningProblem& problem) {
  const Solver solver = scenario.planning.solver;
  if (scenario.round.time_weight > 0 && IsOfThePaper(solver)) {
    return Error{fmt::format(
        "planning.solver = {}: the paper's algorithms do not weigh the time of a round; use exact "
        "or bisection, or set round.time_weight to 0",
        SolverName(solver))};
  }
  if (problem.steps.any() && scenario.round.time_weight > 0) {
    return Error{
        fmt::format("round.time_weight = {}: a plan that weighs the time of a round knows "
                    "Shannon's formula and "
                    "powers of any size only, which {} rules out: set it to 0",
                    scenario.round.time_weight, KeyOfSteps(scenario.radio))};
  }
  if (problem.steps.any() && solver != Solver::kExact) {
    return Error{fmt::format(
        "planning.solver = {}: knows Shannon's formula and powers of any size only, which {} rules "
        "out: use exact",
        SolverName(solver), KeyOfSteps(scenario.radio))};
  }
  if (const auto status = Validate(problem, scenario.planning); !status) {
    return scenario::WithKey(status.error(), {"planning", "round", "radio"});
  }
  return {};
}

Plan PlanRound(const Scenario& scenario, const PlanningProblem& problem, int threads) {
  PlanningOptions options = scenario.planning;
  options.threads = threads;
  return PlanRound(scenario.round, problem, options);
}

std::optional<Levers> LeversOf(const Scenario& scenario, const PlanningProblem& problem,
                               const PlanView& plan, const Hands& hands) {
  if (IsOfThePaper(scenario.planning.solver) || scenario.round.time_weight > 0 ||
      scenario.radio.band.sharing != BandSharing::kEqual || problem.steps.any()) {
    return std::nullopt;
  }
  return FindLevers(problem, plan, GrowsWithBand(scenario.radio.noise), hands);
}

}  // namespace airlot
