#include "runs/class_table.h"

#include <cstdint>
#include <limits>

#include "runs/csv_cells.h"
#include "runs/csv_table.h"

namespace airlot::runs {
namespace {

using Accuracies = std::vector<double>;
using Column = CsvColumn<Accuracies>;

std::span<const Column> Columns() {
  static const OptionalCell<NumberCell> kAccuracy{{.least = 0, .most = 1}};
  static const Column columns[] = {
      {"class",
       [](const Accuracies&, std::size_t row, std::string& line) { CountCell::Append(line, row); },
       [](Accuracies& accuracies, std::size_t row, std::string_view cell) {
         accuracies.push_back(std::numeric_limits<double>::quiet_NaN());
         return CountCell{.least = row, .most = row}.Parse(cell).has_value();
       },
       "must be the number of the row, from 0 on"},
      {"accuracy",
       [](const Accuracies& accuracies, std::size_t row, std::string& line) {
         kAccuracy.present.Append(line, accuracies[row]);
       },
       [](Accuracies& accuracies, std::size_t row, std::string_view cell) {
         const auto value = kAccuracy.Parse(cell);
         if (value && *value) accuracies[row] = **value;
         return value.has_value();
       },
       kAccuracy.Bound()}};
  return columns;
}

}  // namespace

Status WriteClasses(const std::string& path, const Accuracies& accuracy) {
  return WriteTable(path, Columns(), accuracy, accuracy.size());
}

Result<Accuracies> ReadClasses(const std::string& path) {
  return ReadTable(path, Columns(), Columns().size());
}

}  // namespace airlot::runs
