// `airlot list` shows what is built in.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "airlot/dataset.h"
#include "airlot/partition.h"
#include "airlot/planning.h"
#include "airlot/radio.h"
#include "airlot/scenario.h"
#include "airlot/selection.h"
#include "airlot/simd_target.h"
#include "cli/command.h"
#include "cli/terminal.h"

namespace airlot::cli {
namespace {

struct Row {
  std::string name;
  std::string summary;
  std::string default_value = {};  // value of a scenario key, as TOML
};
using Rows = std::vector<Row>;

// Makes the rows of entries that have a name and a summary.
template <class Entries>
Rows RowsOf(const Entries& entries) {
  Rows rows;
  for (const auto& entry : entries) {
    rows.push_back({std::string(entry.name), std::string(entry.summary)});
  }
  return rows;
}

Rows ModelRows() {
  Rows rows = RowsOf(Models());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].summary += fmt::format(" {} parameters for grey images of 28 x 28.",
                                   Count(ParameterCount(Models()[i])));
  }
  return rows;
}

Rows KeyRows() {
  const auto keys = ScenarioKeys();
  Rows rows = RowsOf(keys);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].default_value = keys[i].default_value;
  return rows;
}

Rows SimdTargetRows() {
  Rows rows;
  for (const std::string_view target : SimdTargets()) {
    rows.push_back(
        {std::string(target), rows.empty() ? "Used by default on this machine." : "Available."});
  }
  return rows;
}

const std::map<std::string, std::function<Rows()>>& Lists() {
  static const std::map<std::string, std::function<Rows()>> lists{
      {"scenarios", [] { return RowsOf(BuiltInScenarios()); }},
      {"models", ModelRows},
      {"datasets", [] { return RowsOf(Datasets()); }},
      {"strategies", [] { return RowsOf(Strategies()); }},
      {"training-rules", [] { return RowsOf(TrainingRules()); }},
      {"compressions", [] { return RowsOf(Compressions()); }},
      {"after-draws", [] { return RowsOf(AfterDraws()); }},
      {"fadings", [] { return RowsOf(Fadings()); }},
      {"partitions", [] { return RowsOf(Partitions()); }},
      {"path-losses", [] { return RowsOf(PathLosses()); }},
      {"solvers", [] { return RowsOf(Solvers()); }},
      {"keys", KeyRows},
      {"simd-targets", SimdTargetRows}};
  return lists;
}

// Returns "path losses" for "path-losses".
std::string NounOf(const std::string& list) {
  if (list == "keys") return "keys of a scenario";
  if (list == "after-draws") return "ways to share the band after the draw";
  std::string noun = list;
  std::ranges::replace(noun, '-', ' ');
  return noun;
}

// Lists what there is to list, each with how much of it there is.
Rows ListRows() {
  Rows rows;
  for (const auto& [name, rows_of] : Lists()) {
    rows.push_back({name, fmt::format("{} {}.", rows_of().size(), NounOf(name))});
  }
  return rows;
}

void PrintJson(const Rows& rows) {
  Json list = Json::array();
  for (const Row& row : rows) {
    Json entry{{"name", row.name}, {"summary", row.summary}};
    if (!row.default_value.empty()) entry["default"] = row.default_value;
    list.push_back(std::move(entry));
  }
  PrintExactly(TextOf(list));
}

// On a terminal summaries stand below one another; where that leaves too little room for them, each
// stands below its name.
void PrintText(const Rows& rows) {
  const auto left = [](const Row& row) {
    return row.default_value.empty() ? row.name : row.name + " = " + row.default_value;
  };
  std::size_t width = 0;
  for (const Row& row : rows) width = std::max(width, left(row).size());
  const auto columns = OutputColumns();
  const bool is_narrow = columns && width + 2 > *columns / 2;
  for (const Row& row : rows) {
    if (is_narrow) {
      Print("{}\n    {}\n", left(row), row.summary);
    } else {
      Print("{:<{}}  {}\n", left(row), width, row.summary);
    }
  }
}

}  // namespace

void AddList(CLI::App& app, int& exit_code) {
  auto what = std::make_shared<std::string>();
  auto output = std::make_shared<OutputOptions>();
  CLI::App& command = *app.add_subcommand("list", "List what is built in");
  std::vector<std::string> names;
  for (const auto& [name, rows] : Lists()) names.push_back(name);
  command.add_option("WHAT", *what, "What to list; without it, what there is")->check(OneOf(names));
  AddOutputOptions(command, *output);
  AddExample(command, "airlot list keys");
  command.callback([what, output, &exit_code] {
    const Rows rows = what->empty() ? ListRows() : Lists().at(*what)();
    output->json ? PrintJson(rows) : PrintText(rows);
    exit_code = kDone;
  });
}

}  // namespace airlot::cli
