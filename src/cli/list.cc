// airlot list: what is built in.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "airlot/planning.h"
#include "airlot/radio.h"
#include "airlot/scenario.h"
#include "cli/command.h"
#include "cli/terminal.h"

namespace airlot::cli {
namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;  // name, sentence

Rows Scenarios() {
  Rows rows;
  for (const BuiltInScenario& entry : BuiltInScenarios()) {
    rows.emplace_back(entry.name, entry.summary);
  }
  return rows;
}

Rows PathLossRows() {
  Rows rows;
  for (const PathLossEntry& entry : PathLosses()) rows.emplace_back(entry.name, entry.summary);
  return rows;
}

Rows ModelRows() {
  Rows rows;
  for (const ModelEntry& entry : Models()) {
    rows.emplace_back(entry.name,
                      fmt::format("{} {} parameters.", entry.summary, Count(entry.parameters)));
  }
  return rows;
}

Rows Solvers() {
  return {{"exact", "The global optimum in closed form, vectorised (the default)."},
          {"bisection", "The same optimum by bisection on the probability; slow, a cross-check."},
          {"alternating", "The paper's Algorithm 2 with Algorithm 1 clamped to its bounds."},
          {"literal", "The paper's Algorithms 1 and 2 as printed."}};
}

Rows Keys() {
  Rows rows;
  for (const ScenarioKey& key : ScenarioKeys()) {
    const std::string value = key.default_value.empty() ? "" : " = " + key.default_value;
    rows.emplace_back(std::string(key.name) + value, key.summary);
  }
  return rows;
}

Rows SimdTargetRows() {
  Rows rows;
  for (const std::string_view target : SimdTargets()) {
    rows.emplace_back(target, rows.empty() ? "Used by default on this machine." : "Available.");
  }
  return rows;
}

const std::map<std::string, std::function<Rows()>>& Lists() {
  static const std::map<std::string, std::function<Rows()>> lists{
      {"scenarios", Scenarios}, {"models", ModelRows}, {"path-losses", PathLossRows},
      {"solvers", Solvers},     {"keys", Keys},        {"simd-targets", SimdTargetRows}};
  return lists;
}

void PrintRows(const Rows& rows, bool json) {
  if (json) {
    Json list = Json::array();
    for (const auto& [name, sentence] : rows) {
      list.push_back({{"name", name}, {"summary", sentence}});
    }
    fmt::print("{}\n", list.dump(2));
    return;
  }
  std::size_t width = 0;
  for (const auto& [name, sentence] : rows) width = std::max(width, name.size());
  for (const auto& [name, sentence] : rows) fmt::print("{:<{}}  {}\n", name, width, sentence);
}

}  // namespace

void AddList(CLI::App& app, int& exit_code) {
  auto what = std::make_shared<std::string>();
  auto output = std::make_shared<OutputOptions>();
  CLI::App& command =
      *app.add_subcommand("list", "List what is built in, one per line with a sentence each");
  std::vector<std::string> names;
  for (const auto& [name, rows] : Lists()) names.push_back(name);
  command.add_option("WHAT", *what, "What to list")->required()->check(CLI::IsMember(names));
  AddOutputOptions(command, *output);
  AddExample(command, "airlot list keys");
  command.callback([what, output, &exit_code] {
    PrintRows(Lists().at(*what)(), output->json);
    exit_code = kDone;
  });
}

}  // namespace airlot::cli
