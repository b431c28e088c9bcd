// `airlot data partition` tells who holds which samples, and how uneven that is.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "airlot/partition.h"
#include "airlot/scenario_fleet.h"
#include "base/atomic_file.h"
#include "base/csv.h"
#include "cli/command.h"
#include "cli/data.h"
#include "cli/histogram.h"
#include "cli/output_files.h"
#include "cli/terminal.h"

namespace airlot::cli {
namespace {

struct DataPartitionOptions {
  ScenarioOptions scenario;
  OutputOptions output;
  std::optional<std::string> file;
};

// Made is a partition and what it was made from.
struct Made {
  Scenario scenario;
  DeviceIds ids;
  Labels labels;
  Partition partition;
};

Result<Made> Make(const DataPartitionOptions& options) {
  Made made;
  auto scenario = LoadScenario(options.scenario);
  if (!scenario) return scenario.error();
  made.scenario = *std::move(scenario);
  auto rows = RowsOf(made.scenario.fleet);
  if (!rows) return rows.error();
  auto labels = TrainingLabelsOf(made.scenario.data);
  if (!labels) return labels.error();
  made.labels = *std::move(labels);
  auto partition = PartitionOf(made.scenario.data, made.labels, *rows, options.scenario.seed);
  if (!partition) return partition.error();
  made.ids = std::move(rows->ids);
  made.partition = *std::move(partition);
  return made;
}

// --- The file ------------------------------------------------------------------------------------

std::string HeaderOf(const Labels& labels) {
  if (labels.classes == 0) return "id,samples\n";
  std::string header = "id,samples,missing_labels";
  for (int k = 0; k < labels.classes; ++k) header += fmt::format(",label_{}", k);
  return header + "\n";
}

void AppendRow(std::string& out, std::string_view id, const std::vector<std::size_t>& counts,
               std::size_t samples) {
  base::AppendCsvField(out, id);
  fmt::format_to(std::back_inserter(out), ",{}", samples);
  if (!counts.empty()) {
    fmt::format_to(std::back_inserter(out), ",{},{}", std::ranges::count(counts, std::size_t{0}),
                   fmt::join(counts, ","));
  }
  out += '\n';
}

Status Write(const Made& made, const std::string& path) {
  auto file = base::AtomicFile::Create(path);
  if (!file) return file.error();
  file->Append(HeaderOf(made.labels));
  std::string row, buffer;
  for (std::size_t i = 0; i < made.partition.devices(); ++i) {
    row.clear();
    const auto samples = made.partition.SamplesOf(i);
    AppendRow(row, made.ids.Get(i, buffer), CountLabels(samples, made.labels), samples.size());
    file->Append(row);
  }
  return file->Commit();
}

// --- The summary ---------------------------------------------------------------------------------

std::vector<double> SizesOf(const Partition& partition) {
  std::vector<double> sizes(partition.devices());
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = double(partition.SamplesOf(i).size());
  return sizes;
}

// Counts the devices that miss 0, 1, 2, ... labels.
std::vector<std::size_t> DevicesByMissing(const Made& made) {
  std::vector<std::size_t> devices(std::size_t(made.labels.classes) + 1);
  for (std::size_t i = 0; i < made.partition.devices(); ++i) {
    const auto counts = CountLabels(made.partition.SamplesOf(i), made.labels);
    ++devices[std::size_t(std::ranges::count(counts, std::size_t{0}))];
  }
  return devices;
}

// The text has one row for every number of missing labels that occurs, and for those between.
std::string MissingText(const Made& made) {
  const auto devices = DevicesByMissing(made);
  const auto most = double(std::ranges::max(devices));
  const auto occurs = [](std::size_t count) { return count > 0; };
  const auto first = std::size_t(std::ranges::find_if(devices, occurs) - devices.begin());
  std::size_t end = devices.size();
  while (devices[end - 1] == 0) --end;
  const std::size_t width = BarColumns(30, 24 + Count(std::size_t(most)).size());
  std::string text;
  for (std::size_t missing = first; missing < end; ++missing) {
    text += fmt::format("  {:>8}             {} {}\n", missing,
                        Bar(double(devices[missing]) / most, width), Count(devices[missing]));
  }
  return text;
}

std::string Text(const Made& made, const std::optional<std::string>& file) {
  const PartitionSummary summary = SummarizePartition(made.partition, made.labels);
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "Partition of {} over {}: {}, {}\n\n", *made.scenario.data.dataset,
                 CountOf(made.partition.devices(), "device"), made.scenario.name,
                 made.scenario.data.partition.method);
  fmt::format_to(out, "Samples of a device (smallest {}, mean {:.4g}, largest {})\n",
                 Count(summary.smallest), summary.mean, Count(summary.largest));
  text += HistogramText(MakeHistogram(SizesOf(made.partition)));
  if (summary.unused > 0) {
    fmt::format_to(out, "Nobody holds {} of the {} samples.\n", Count(summary.unused),
                   Count(made.labels.values.size()));
  }
  if (made.labels.classes > 0) {
    fmt::format_to(out, "\nLabels that a device misses (mean {:.3g} of {})\n",
                   summary.mean_missing_labels, made.labels.classes);
    text += MissingText(made);
  }
  text += file ? fmt::format("\nThe counts of every device are {}.\n", PlaceOfFile(*file))
               : "\nAdd -o partition.csv to keep the counts of every device.\n";
  return text;
}

std::string JsonText(const Made& made, const std::optional<std::string>& file) {
  const PartitionSummary summary = SummarizePartition(made.partition, made.labels);
  const Json json{{"scenario", made.scenario.name},
                  {"dataset", *made.scenario.data.dataset},
                  {"partition", made.scenario.data.partition.method},
                  {"devices", made.partition.devices()},
                  {"samples", made.partition.samples.size()},
                  {"unused_samples", summary.unused},
                  {"smallest", summary.smallest},
                  {"mean", summary.mean},
                  {"largest", summary.largest},
                  {"labels", made.labels.classes},
                  {"mean_missing_labels", summary.mean_missing_labels},
                  {"devices_by_missing_labels", DevicesByMissing(made)},
                  {"file", OrNull(file)}};
  return TextOf(json);
}

// The partition goes to a file of its own.
Status CheckOutput(const DataPartitionOptions& options, const std::optional<std::string>& path) {
  const auto scenario = LoadScenario(options.scenario);
  if (!scenario) return scenario.error();
  return CheckDistinct(InputsOf(options.scenario.scenario, *scenario), {{path, "the counts"}});
}

int Run(const DataPartitionOptions& options) {
  const std::optional<std::string> path = options.file == "-" ? "/dev/stdout" : options.file;
  if (const auto status = CheckOutput(options, path); !status) return Report(status.error());
  std::optional<Progress> progress;
  progress.emplace("splitting the data", options.output.quiet);
  const auto made = Make(options);
  progress.reset();
  if (!made) return Report(made.error());
  if (path) {
    if (const auto status = Write(*made, *path); !status) return Report(status.error());
  }
  std::FILE* stream = path == "/dev/stdout" ? stderr : stdout;
  options.output.json ? WriteSafely(stream, JsonText(*made, path))
                      : WriteForPeople(stream, Text(*made, path));
  return kDone;
}

}  // namespace

void AddDataPartition(CLI::App& data, int& exit_code) {
  auto options = std::make_shared<DataPartitionOptions>();
  CLI::App& command =
      *data.add_subcommand("partition", "Show how samples are split over the devices");
  AddScenarioOptions(command, options->scenario);
  command.add_option("-o,--output", options->file, "Write the counts (CSV); - for standard output")
      ->check(kNotEmpty)
      ->type_name("FILE");
  AddOutputOptions(command, options->output);
  AddExample(command, "airlot data partition --set data.dataset=digits --set data.beta=0.5");
  command.callback([options, &exit_code] { exit_code = Run(*options); });
}

}  // namespace airlot::cli
