#include "data/table_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/csv.h"
#include "base/text.h"
#include "data/byte_reader.h"
#include "data/class_labels.h"

namespace airlot::data {
namespace {

constexpr std::string_view kLabel = "label", kTarget = "target";

// TableColumns say what the columns of a table are.
struct TableColumns {
  std::vector<std::string> names;
  std::size_t answer = 0;  // the column of labels or targets
  bool is_regression = false;

  std::size_t features() const { return names.size() - 1; }
};

Result<TableColumns> ColumnsOf(const base::CsvReader& table, const std::string& path) {
  TableColumns columns{.names = {table.header().begin(), table.header().end()}};
  const auto count = [&](std::string_view name) { return std::ranges::count(columns.names, name); };
  const auto answers = count(kLabel) + count(kTarget);
  if (answers == 0) {
    return Error{fmt::format(
        "{}: has no column \"label\" (of classes) or \"target\" (of numbers to predict); its last "
        "column is {}",
        path, base::Quoted(columns.names.back()))};
  }
  if (answers > 1) {
    return Error{
        fmt::format("{}: has {} columns \"label\" or \"target\": must have one", path, answers)};
  }
  std::vector<std::string> sorted = columns.names;
  std::ranges::sort(sorted);
  if (const auto twin = std::ranges::adjacent_find(sorted); twin != sorted.end()) {
    return Error{fmt::format("{}: has {} columns {}: name each another way", path, count(*twin),
                             base::Quoted(*twin))};
  }
  if (columns.features() == 0) return Error{fmt::format("{}: has no column of features", path)};
  columns.is_regression = count(kTarget) == 1;
  const auto place = std::ranges::find(columns.names, columns.is_regression ? kTarget : kLabel);
  columns.answer = std::size_t(place - columns.names.begin());
  return columns;
}

// Both tables have the same columns.
Status CheckSame(const TableColumns& train, const TableColumns& test, const std::string& path) {
  if (test.names.size() != train.names.size()) {
    return Error{fmt::format("{}: has {} columns, expected {}, as {} has", path, test.names.size(),
                             train.names.size(), kTrainTable)};
  }
  for (std::size_t i = 0; i < test.names.size(); ++i) {
    if (test.names[i] == train.names[i]) continue;
    return Error{fmt::format("{}: column {} is {}, expected {}, as {} has", path, i + 1,
                             base::Quoted(test.names[i]), base::Quoted(train.names[i]),
                             kTrainTable)};
  }
  return {};
}

class TableReader {
 public:
  TableReader(base::CsvReader table, TableColumns columns, bool with_features)
      : table_(std::move(table)), columns_(std::move(columns)), with_features_(with_features) {
    images_.height = 1;
    images_.width = int(columns_.features());
  }

  const TableColumns& columns() const { return columns_; }

  Result<Images> Read(const std::string& path) {
    while (true) {
      const auto more = table_.Next();
      if (!more) return more.error();
      if (!*more) break;
      if (auto status = TakeRow(); !status) return status.error();
    }
    if (images_.size() == 0) return Error{fmt::format("{}: has no rows", path)};
    return std::move(images_);
  }

 private:
  Status TakeRow() {
    const auto fields = table_.fields();
    if (auto status = TakeAnswer(fields[columns_.answer]); !status) return status;
    if (!with_features_) return {};
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (i == columns_.answer) continue;
      if (auto status = TakeNumber(i, images_.values); !status) return status;
    }
    if (images_.values.size() > kMostBytes / sizeof(float)) {
      return Error{
          fmt::format("{}: the features take more than {} bytes", table_.Where(), kMostBytes)};
    }
    return {};
  }

  Status TakeAnswer(std::string_view field) {
    if (columns_.is_regression) return TakeNumber(columns_.answer, images_.targets);
    const auto number = base::ParseNumber(field);
    const bool is_label =
        number && *number >= 0 && *number <= kLargestLabel && *number == std::floor(*number);
    if (!is_label) {
      return Error{fmt::format("{}: label = {}: must be a whole number from 0 to {}",
                               table_.Where(), base::Quoted(field), kLargestLabel)};
    }
    images_.labels.push_back(static_cast<std::uint8_t>(*number));
    return {};
  }

  Status TakeNumber(std::size_t column, std::vector<float>& numbers) {
    const std::string_view field = table_.fields()[column];
    const auto number = base::ParseNumber(field);
    // The comparison is false for what is not a number, too.
    if (number && std::abs(*number) <= double{std::numeric_limits<float>::max()}) {
      numbers.push_back(static_cast<float>(*number));
      return {};
    }
    return Error{fmt::format("{}: {} = {}: must be a finite number, at most 3.4e38", table_.Where(),
                             base::Quoted(columns_.names[column]), base::Quoted(field))};
  }

  base::CsvReader table_;
  TableColumns columns_;
  bool with_features_;
  Images images_;
};

Result<TableReader> OpenTable(const std::string& path, bool with_features) {
  auto table = base::CsvReader::Open(path);
  if (!table) return table.error();
  auto columns = ColumnsOf(*table, path);
  if (!columns) return columns.error();
  return TableReader(std::move(*table), std::move(*columns), with_features);
}

Result<Dataset> ReadTables(const std::string& folder, bool with_features) {
  const std::string train_path = std::filesystem::path(folder) / kTrainTable;
  const std::string test_path = std::filesystem::path(folder) / kTestTable;
  auto train_table = OpenTable(train_path, with_features);
  if (!train_table) return train_table.error();
  auto test_table = OpenTable(test_path, with_features);
  if (!test_table) return test_table.error();
  if (auto status = CheckSame(train_table->columns(), test_table->columns(), test_path); !status) {
    return status.error();
  }
  auto train = train_table->Read(train_path);
  if (!train) return train.error();
  auto test = test_table->Read(test_path);
  if (!test) return test.error();
  if (train->targets.empty())
    train->classes = test->classes = ClassesOf(train->labels, test->labels);
  return Dataset{folder, std::move(*train), std::move(*test)};
}

}  // namespace

Result<Dataset> ReadTableSet(const std::string& folder) { return ReadTables(folder, true); }

Result<Labels> ReadTableTrainingLabels(const std::string& folder) {
  const auto answers = ReadTables(folder, false);
  if (!answers) return answers.error();
  return LabelsOf(answers->train);
}

}  // namespace airlot::data
