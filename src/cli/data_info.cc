// `airlot data info` tells what a data set holds, and shows some of it.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "airlot/dataset.h"
#include "cli/command.h"
#include "cli/data.h"
#include "cli/drawing.h"
#include "cli/terminal.h"
#include "data/cache.h"
#include "data/known_sets.h"
#include "data/verify.h"

namespace airlot::cli {
namespace {

struct InfoOptions {
  OutputOptions output;
  std::string dataset;
};

// Info is what is told of a data set.
struct Info {
  Dataset dataset;
  std::optional<std::string> folder;  // none: the data set is built in
  bool verified = false;              // Its checksums were known, and match.
};

Result<Info> Read(const std::string& name_or_folder) {
  const int threads = std::max(1, int(std::thread::hardware_concurrency()));
  auto dataset = ReadDataset(name_or_folder, threads);
  if (!dataset) return dataset.error();
  Info info{.dataset = std::move(*dataset)};
  if (name_or_folder == data::kDigitsName) return info;
  info.folder = name_or_folder;
  const data::KnownSet* set = data::FindKnownSet(name_or_folder);
  if (set == nullptr) return info;
  const auto folder = data::Locate(*set);
  if (!folder) return folder.error();
  info.folder = *folder;
  if (auto status = data::Verify(*set, *folder); !status) {
    return Error{
        fmt::format("{}: run \"airlot data fetch {}\"", status.error().message, set->name)};
  }
  info.verified = true;
  return info;
}

std::vector<std::size_t> SamplesPerClass(const Images& images) {
  std::vector<std::size_t> counts(std::size_t(images.classes));
  for (const std::uint8_t label : images.labels) ++counts[label];
  return counts;
}

void PrintJson(const Info& info) {
  const auto part = [](const Images& images) {
    return Json{{"samples", images.size()}, {"samples_per_class", SamplesPerClass(images)}};
  };
  const Images& train = info.dataset.train;
  const Json json{{"name", info.dataset.name}, {"folder", OrNull(info.folder)},
                  {"verified", info.verified}, {"height", train.height},
                  {"width", train.width},      {"classes", train.classes},
                  {"train", part(train)},      {"test", part(info.dataset.test)}};
  PrintExactly(TextOf(json));
}

std::string Where(const Info& info) {
  if (!info.folder) return "built in";
  return *info.folder + (info.verified ? ", checksums match" : "");
}

void PrintText(const Info& info) {
  const Images& train = info.dataset.train;
  const Images& test = info.dataset.test;
  Print("Data set {}\n", info.dataset.name);
  Print("  where    {}\n", Where(info));
  Print("  images   {} to train, {} to test\n", Count(train.size()), Count(test.size()));
  Print("  size     {} x {} pixels\n", train.height, train.width);
  Print("  classes  {}\n\n", train.classes);
  Print("Samples per class\n  class      train       test\n");
  const auto in_train = SamplesPerClass(train), in_test = SamplesPerClass(test);
  for (std::size_t i = 0; i < in_train.size(); ++i) {
    Print("  {:<5} {:>10} {:>10}\n", i, Count(in_train[i]), Count(in_test[i]));
  }
  constexpr std::size_t kShown = 5;
  Print("\nThe first images to train\n{}", DrawImages(train, kShown));
}

int RunInfo(const InfoOptions& options) {
  const auto info = [&] {
    const Progress progress("reading " + options.dataset, options.output.quiet);
    return Read(options.dataset);
  }();
  if (!info) return Report(info.error());
  options.output.json ? PrintJson(*info) : PrintText(*info);
  return kDone;
}

}  // namespace

void AddDataInfo(CLI::App& data, int& exit_code) {
  auto options = std::make_shared<InfoOptions>();
  CLI::App& command = *data.add_subcommand("info", "Describe a data set and draw a few images");
  command
      .add_option("DATASET", options->dataset,
                  "A name (airlot list datasets) or a folder of IDX\nfiles")
      ->required()
      ->check(kNotEmpty);
  AddOutputOptions(command, options->output);
  AddExample(command, "airlot data info digits");
  command.callback([options, &exit_code] { exit_code = RunInfo(*options); });
}

}  // namespace airlot::cli
