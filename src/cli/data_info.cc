// `airlot data info` tells what a data set holds, and shows some of it.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "airlot/dataset.h"
#include "base/processors.h"
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
  const int threads = base::UsableProcessors();
  auto dataset = ReadDataset(name_or_folder, threads);
  if (!dataset) return dataset.error();
  Info info{.dataset = std::move(*dataset)};
  if (data::IsBuiltIn(name_or_folder)) return info;
  info.folder = name_or_folder;
  const data::KnownSet* set = data::FindKnownSet(name_or_folder);
  if (set == nullptr) return info;
  const auto folder = data::Locate(*set);
  if (!folder) return folder.error();
  info.folder = *folder;
  if (auto status = data::Verify(*set, *folder); !status) {
    return Error{fmt::format("{}: run \"airlot data fetch {}{}\"", status.error().message,
                             set->name, data::SourceOption(*set))};
  }
  info.verified = true;
  return info;
}

std::vector<std::size_t> SamplesPerClass(const Images& images) {
  std::vector<std::size_t> counts(std::size_t(images.classes));
  for (const std::uint8_t label : images.labels) ++counts[label];
  return counts;
}

// A Range is the smallest and the largest of some numbers.
struct Range {
  double least, most;
};

template <class Numbers>
Range RangeOf(const Numbers& numbers) {
  const auto [least, most] = std::ranges::minmax(numbers);
  return {double(least), double(most)};
}

Range SampleRange(const Images& images) {
  return images.values.empty() ? RangeOf(images.pixels) : RangeOf(images.values);
}

bool IsRegression(const Images& images) { return !images.targets.empty(); }

// A sample of one row and one channel is told as one of a table.
bool IsTable(const Images& images) { return images.height == 1 && images.channels == 1; }

Json RangeJson(const Range& range) { return Json::array({range.least, range.most}); }

Json PartJson(const Images& images) {
  Json json{{"samples", images.size()}, {"samples_per_class", SamplesPerClass(images)}};
  json["range"] = RangeJson(SampleRange(images));
  if (IsRegression(images)) json["target_range"] = RangeJson(RangeOf(images.targets));
  return json;
}

void PrintJson(const Info& info) {
  const Images& train = info.dataset.train;
  const Json json{
      {"name", info.dataset.name}, {"folder", OrNull(info.folder)},
      {"verified", info.verified}, {"channels", train.channels},
      {"height", train.height},    {"width", train.width},
      {"classes", train.classes},  {"numbers", train.values.empty() ? "pixels" : "values"},
      {"train", PartJson(train)},  {"test", PartJson(info.dataset.test)}};
  PrintExactly(TextOf(json));
}

std::string Where(const Info& info) {
  if (!info.folder) return "built in";
  return *info.folder + (info.verified ? ", checksums match" : "");
}

std::string SizeText(const Images& images) {
  if (IsTable(images) && !images.values.empty()) {
    return CountOf(std::size_t(images.width), "feature");
  }
  const std::string size = fmt::format("{} x {} pixels", images.height, images.width);
  return images.channels == 1 ? size : fmt::format("{}, {} channels", size, images.channels);
}

std::string RangeText(const Range& range) {
  return fmt::format("{:.4g} to {:.4g}, to train", range.least, range.most);
}

std::string ClassesText(const Images& train, const Images& test) {
  std::string text = "Samples per class\n  class      train       test\n";
  const auto in_train = SamplesPerClass(train), in_test = SamplesPerClass(test);
  for (std::size_t i = 0; i < in_train.size(); ++i) {
    text += fmt::format("  {:<5} {:>10} {:>10}\n", i, Count(in_train[i]), Count(in_test[i]));
  }
  return text;
}

void PrintText(const Info& info) {
  const Images& train = info.dataset.train;
  const Images& test = info.dataset.test;
  Print("Data set {}\n", info.dataset.name);
  Print("  where    {}\n", Where(info));
  Print("  {:<7}  {} to train, {} to test\n", IsTable(train) ? "rows" : "images",
        Count(train.size()), Count(test.size()));
  Print("  size     {}\n", SizeText(train));
  if (!train.values.empty()) Print("  range    {}\n", RangeText(SampleRange(train)));
  if (IsRegression(train)) {
    Print("  targets  {}\n", RangeText(RangeOf(train.targets)));
  } else {
    Print("  classes  {}\n\n{}", train.classes, ClassesText(train, test));
  }
  if (IsTable(train) && !train.values.empty()) return;
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
  std::vector<std::string> names;
  for (const DatasetEntry& entry : Datasets()) names.emplace_back(entry.name);
  CLI::App& command = *data.add_subcommand("info", "Describe a data set and draw a few images");
  command
      .add_option(
          "DATASET", options->dataset,
          "A name (airlot list datasets), a folder of IDX,\nNumPy or CSV files, or an .npz file")
      ->required()
      ->check(kNotEmpty)
      ->check(Offers(names));
  AddOutputOptions(command, options->output);
  AddExample(command, "airlot data info digits");
  command.callback([options, &exit_code] { exit_code = RunInfo(*options); });
}

}  // namespace airlot::cli
