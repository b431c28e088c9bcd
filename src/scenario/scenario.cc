#include "airlot/scenario.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "airlot/dataset.h"
#include "base/check.h"
#include "base/text.h"
#include "scenario/keys.h"

namespace airlot {
namespace {

using scenario::FindKey;
using scenario::FormatValue;
using scenario::FormatWhole;
using scenario::Key;
using scenario::Keys;
using scenario::SectionOf;

bool IsSet(std::string_view name, const Scenario& scenario) {
  return !FormatValue(*FindKey(name), scenario).empty();
}

// Returns whether a key may stand in the scenario's file beside the others that are set.
bool Applies(const Key& key, const Scenario& scenario) {
  const auto& [excludes, needs] = key.beside;
  return (excludes.empty() || !IsSet(excludes, scenario)) &&
         (needs.empty() || IsSet(needs, scenario));
}

// Writes the head of a key's section where another one began before.
void BeginSection(const Key& key, std::string_view& section, std::string& text) {
  if (SectionOf(key) == section) return;
  section = SectionOf(key);
  text.append("\n[").append(section).append("]\n");
}

std::string_view NameInSection(const Key& key) {
  const std::size_t prefix = SectionOf(key).empty() ? 0 : SectionOf(key).size() + 1;
  return std::string_view(key.name).substr(prefix);
}

}  // namespace

LocalWork WorkOf(const LearningRules& rules) {
  return {.batch = rules.batch, .steps = rules.local_steps, .epochs = rules.local_epochs};
}

std::string BookedTimes(const Books& books) {
  std::vector<std::string_view> times;
  if (books.upload_time) times.push_back("uploads");
  if (books.compute_time) times.push_back("computation");
  if (books.download_time) times.push_back("downloads");
  if (times.empty()) return "nothing";
  const std::string last(times.back());
  times.pop_back();
  return times.empty() ? last : base::Joined(times) + " and " + last;
}

Scenario WithAbsolutePaths(Scenario scenario) {
  const auto make_absolute = [](std::optional<std::string>& path) {
    if (path) path = std::filesystem::absolute(*path).lexically_normal().string();
  };
  make_absolute(scenario.fleet.file);
  make_absolute(scenario.data.partition.file);
  std::optional<std::string>& dataset = scenario.data.dataset;
  const bool is_folder =
      dataset && std::ranges::find(Datasets(), *dataset, &DatasetEntry::name) == Datasets().end();
  if (is_folder) make_absolute(dataset);
  return scenario;
}

std::vector<ScenarioFile> FilesOf(const Scenario& scenario) {
  std::vector<ScenarioFile> files;
  for (const Key& key : Keys()) {
    if (!scenario::TakesPath(key)) continue;
    const auto path = scenario::PathOf(key, scenario);
    if (!path) continue;
    if (key.name == "data.dataset") {
      for (std::string& file : FilesOfDataset(*path)) {
        files.push_back({std::move(file), "a file of " + key.name});
      }
    } else {
      files.push_back(
          {*path, key.name == "fleet.file" ? "the fleet file" : "the file of " + key.name});
    }
  }
  return files;
}

std::string FormatScenario(const Scenario& scenario) {
  std::string text;
  std::string_view section;
  for (const Key& key : Keys()) {
    const std::string value = FormatValue(key, scenario);
    if (value.empty() || !Applies(key, scenario)) continue;
    BeginSection(key, section, text);
    text.append(NameInSection(key)).append(" = ").append(value).append("\n");
  }
  return text;
}

std::string FormatEveryKey(const Scenario& scenario) {
  std::string text;
  std::string_view section;
  for (const Key& key : Keys()) {
    const bool is_written = !FormatValue(key, scenario).empty() && Applies(key, scenario);
    const std::string value = FormatWhole(key, scenario);
    BeginSection(key, section, text);
    if (!is_written) text.append("# ");
    text.append(NameInSection(key));
    value.empty() ? text.append(" is not set") : text.append(" = ").append(value);
    text.append("\n");
  }
  return text;
}

std::vector<ScenarioKey> ScenarioKeys() {
  std::vector<ScenarioKey> keys;
  for (const Key& key : Keys()) {
    keys.push_back({key.name, FormatDefault(key), key.summary, scenario::WordsOf(key),
                    scenario::TakesPath(key), key.offers != nullptr});
  }
  return keys;
}

}  // namespace airlot
