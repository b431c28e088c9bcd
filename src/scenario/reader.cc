// This file makes a scenario of TOML text and overrides. No other file knows toml++.
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "airlot/dataset.h"
#include "airlot/scenario.h"
#include "base/input_file.h"
#include "base/text.h"
#include "scenario/keys.h"
#include "scenario/text.h"

namespace airlot {
namespace {

using scenario::Assign;
using scenario::FindKey;
using scenario::IsSection;
using scenario::Key;
using scenario::Keys;
using scenario::Shown;
using scenario::Value;

// Layers without a name are called so.
constexpr std::string_view kOwnModel = "own";

constexpr std::size_t kLargestFile = std::size_t{1} << 20;

// A GivenValue says what a key was set to and where: "x.toml:4: radio.noise_w = 1e-12", or
// "override radio.noise_w=1".
struct GivenValue {
  Value value;
  std::string place;
  std::string key_place;  // the place up to the name of the key
  bool from_file;
};
using GivenValues = std::map<const Key*, GivenValue>;

// An Entry is a key of the file, known or not.
struct Entry {
  std::size_t line;
  std::string name;
  const toml::node* node;
};

Error ErrorAt(const std::string& place, const std::string& reason) {
  return {place + ": " + reason};
}

std::string LineOf(const std::string& origin, std::size_t line) {
  return origin + ":" + std::to_string(line);
}

// --- Values --------------------------------------------------------------------------------------

// toml++'s own value<double>() refuses integers that a double cannot hold exactly.
std::optional<double> NumberOf(const toml::node& node) {
  if (const auto* integer = node.as_integer()) return static_cast<double>(integer->get());
  if (const auto* real = node.as_floating_point()) return real->get() + 0.0;  // -0.0 becomes 0.0
  return std::nullopt;
}

// SpreadOf reads { uniform = [low, high] } or { log_uniform = [low, high] }, and returns monostate
// for any other table.
Value SpreadOf(const toml::table& table) {
  if (table.size() != 1) return {};
  const auto only = table.begin();
  const toml::array* ends = only->second.as_array();
  if (ends == nullptr || ends->size() != 2) return {};
  const auto low = NumberOf((*ends)[0]);
  const auto high = NumberOf((*ends)[1]);
  if (!low || !high) return {};
  if (only->first == "uniform") return Spread::Uniform(*low, *high);
  if (only->first == "log_uniform") return Spread::LogUniform(*low, *high);
  return {};
}

// RowsOf reads an array of arrays of numbers, and returns monostate for any other array.
Value RowsOf(const toml::array& array) {
  scenario::Rows rows;
  for (const toml::node& node : array) {
    if (!node.is_array()) return {};
    scenario::Numbers& row = rows.emplace_back();
    for (const toml::node& cell : *node.as_array()) {
      const auto number = NumberOf(cell);
      if (!number) return {};
      row.push_back(*number);
    }
  }
  return rows;
}

// NumbersOf reads an array of numbers, and returns monostate for any other array.
Value NumbersOf(const toml::array& array) {
  if (!array.empty() && array.front().is_array()) return RowsOf(array);
  scenario::Numbers numbers;
  for (const toml::node& node : array) {
    const auto number = NumberOf(node);
    if (!number) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

// TablesOf reads an array of tables, as layers are, and nothing where it is none.
std::optional<scenario::Tables> TablesOf(const toml::array& array) {
  scenario::Tables tables;
  for (const toml::node& node : array) {
    const toml::table* table = node.as_table();
    if (table == nullptr) return std::nullopt;
    tables.emplace_back();
    for (const auto& [key, own] : *table) {
      scenario::TableValue value;
      if (const auto* flag = own.as_boolean()) value = flag->get();
      if (const auto* text = own.as_string()) value = text->get();
      if (const auto number = NumberOf(own)) value = *number;
      if (const auto* list = own.as_array()) {
        if (auto inside = TablesOf(*list)) value = std::move(*inside);
      }
      tables.back().entries.emplace_back(std::string(key.str()), std::move(value));
    }
  }
  return tables;
}

Value ValueOf(const toml::node& node) {
  if (const auto* flag = node.as_boolean()) return flag->get();
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* table = node.as_table()) return SpreadOf(*table);
  if (const auto* array = node.as_array()) {
    if (auto tables = array->empty() ? std::nullopt : TablesOf(*array)) return std::move(*tables);
    return NumbersOf(*array);
  }
  if (const auto number = NumberOf(node)) return *number;
  return {};
}

// SourceOf returns the value as the user wrote it.
std::string SourceOf(const toml::node& node, std::string_view text) {
  if (node.is_table() && !node.as_table()->is_inline()) return "a section";
  const auto& [begin, end, path] = node.source();
  return Shown(scenario::Excerpt(text, {begin.line, begin.column}, {end.line, end.column}));
}

// --- The file ------------------------------------------------------------------------------------

Result<toml::table> ParseToml(std::string_view text, const std::string& origin) {
  if (const auto fault = scenario::CheckText(text)) {
    return ErrorAt(LineOf(origin, fault->line), std::string(fault->reason));
  }
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    const auto& [line, column] = error.source().begin;
    std::string reason(error.description());  // toml++ may quote what it met
    std::ranges::replace_if(reason, base::IsControl, '?');
    return ErrorAt(LineOf(origin, line) + ":" + std::to_string(column), reason);
  }
}

// A key that holds a dot must not pass for a section and a key.
std::string NameOf(const toml::key& key) {
  const std::string name(key.str());
  return name.find('.') == std::string::npos ? name : '"' + name + '"';
}

void AddEntries(const toml::table& table, const std::string& prefix, std::vector<Entry>& entries) {
  for (const auto& [key, node] : table) {
    const std::string name = prefix + NameOf(key);
    if (IsSection(name) && node.is_table()) {
      AddEntries(*node.as_table(), name + ".", entries);
    } else {
      entries.push_back({key.source().begin.line, name, &node});
    }
  }
}

// EntriesOf returns the keys of the file in the order of their lines, so that the first mistake is
// reported first.
std::vector<Entry> EntriesOf(const toml::table& file) {
  std::vector<Entry> entries;
  AddEntries(file, "", entries);
  std::ranges::stable_sort(entries, {}, &Entry::line);
  return entries;
}

std::string UnknownEntry(const Entry& entry) {
  const bool is_section = entry.node->is_table() && entry.name.find('.') == std::string::npos;
  return is_section ? scenario::UnknownSection(entry.name) : scenario::UnknownKey(entry.name);
}

// Remove takes away a key and what belongs to it.
void Remove(std::string_view name, GivenValues& given) {
  std::erase_if(given, [&](const auto& one) {
    return one.first->name == name || one.first->beside.needs == name;
  });
}

bool IsEmptyText(const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr && text->empty();
}

// Empty text, where a key takes it, means that the key is not set.
Status Put(const Key& key, GivenValue one, GivenValues& given) {
  Scenario scratch;
  if (const auto reason = Assign(key, one.value, scratch)) {
    // What is wrong with a layer goes on where the key ends: model.layers[3] (dense): ...
    if (reason->starts_with("[")) return Error{one.key_place + *reason};
    return ErrorAt(one.place, *reason);
  }
  if (IsEmptyText(one.value)) {
    Remove(key.name, given);
  } else {
    given.insert_or_assign(&key, std::move(one));
  }
  return {};
}

Status ReadFile(std::string_view text, const std::string& origin, GivenValues& given) {
  const Result<toml::table> file = ParseToml(text, origin);
  if (!file) return file.error();
  for (const Entry& entry : EntriesOf(*file)) {
    const std::string line = LineOf(origin, entry.line);
    const std::string place = line + ": " + entry.name + " = " + SourceOf(*entry.node, text);
    const Key* key = FindKey(entry.name);
    if (key == nullptr && IsSection(entry.name)) {
      return ErrorAt(place, "must be a section, [" + entry.name + "]");
    }
    if (key == nullptr) return ErrorAt(line, UnknownEntry(entry));
    GivenValue one{ValueOf(*entry.node), place, line + ": " + entry.name, true};
    if (auto status = Put(*key, std::move(one), given); !status) return status;
  }
  return {};
}

// --- Overrides -----------------------------------------------------------------------------------

std::string Trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  return std::string(text.substr(begin, text.find_last_not_of(" \t") + 1 - begin));
}

// OverrideValue returns `text` as one TOML value. Where it is none, or where a key of text gets
// something else than a string, it returns the text itself: radio.path_loss=inverse-square needs no
// quotes.
Value OverrideValue(const Key& key, const std::string& text) {
  const Result<toml::table> table = ParseToml("value = " + text, "");
  if (!table || table->size() != 1 || !table->contains("value")) return text;
  Value value = ValueOf(*table->get("value"));
  if (TakesText(key) && !std::holds_alternative<std::string>(value)) return text;
  return value;
}

// RemoveRivals takes away what the file says of the same quantity in another way, and what belongs
// to that. Two overrides that are rivals contradict each other, and CheckTogether says so.
void RemoveRivals(const Key& key, GivenValues& given) {
  const auto remove = [&](std::string_view rival) {
    const auto found = given.find(FindKey(rival));
    if (found != given.end() && found->second.from_file) Remove(rival, given);
  };
  if (!key.beside.excludes.empty()) remove(key.beside.excludes);
  for (const Key& other : Keys()) {
    if (other.beside.excludes == key.name) remove(other.name);
  }
}

// An override of the model's layers or name takes the place of what the file says in the other way.
void RemoveOtherModel(std::string_view name, const Value& value, GivenValues& given) {
  const auto remove = [&](std::string_view other) {
    const auto found = given.find(FindKey(other));
    if (found != given.end() && found->second.from_file) given.erase(found);
  };
  if (name == "model.layers") remove("model.name");
  const auto* text = std::get_if<std::string>(&value);
  if (name == "model.name" && text != nullptr && FindModel(*text) != nullptr) {
    remove("model.layers");
  }
}

// An override by a table of rates takes the place of Shannon's formula, and so of the gap that the
// file has for it: the SNRs of a table are those of real codes. A gap of an override, or one that
// stands in the file beside the table, is meant, and counts.
void RemoveGap(std::string_view name, GivenValues& given) {
  if (name != "radio.mcs") return;
  const auto found = given.find(FindKey("radio.snr_gap_db"));
  if (found != given.end() && found->second.from_file) given.erase(found);
}

Status Override(const std::string& text, std::string_view origin, GivenValues& given) {
  const std::string place = std::string(origin) + " " + Shown(text);
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return ErrorAt(place, "must be section.key=value");
  const std::string name = Trimmed(text.substr(0, equals));
  const Key* key = FindKey(name);
  if (key == nullptr) return ErrorAt(place, scenario::UnknownKey(name));
  const Value value = OverrideValue(*key, Trimmed(text.substr(equals + 1)));
  if (!IsEmptyText(value)) {
    RemoveRivals(*key, given);
    RemoveOtherModel(name, value, given);
    RemoveGap(name, given);
  }
  return Put(*key, {value, place, std::string(origin) + " " + name, false}, given);
}

// --- The scenario --------------------------------------------------------------------------------

Status CheckTogether(const GivenValues& given) {
  const auto is_set = [&](std::string_view name) { return given.contains(FindKey(name)); };
  for (const Key& key : Keys()) {  // in their order, so that the same file has the same error
    const auto found = given.find(&key);
    if (found == given.end()) continue;
    const auto& [excludes, needs] = key.beside;
    const std::string& place = found->second.place;
    if (!excludes.empty() && is_set(excludes)) {
      return ErrorAt(place,
                     "cannot stand beside " + std::string(excludes) + ": remove one of the two");
    }
    if (!needs.empty() && !is_set(needs)) {
      return ErrorAt(place, "needs " + std::string(needs));
    }
  }
  return {};
}

// Without layers a model is one of the built-in ones; with layers it is none of them.
Status CheckModelName(const GivenValues& given) {
  const auto name = given.find(FindKey("model.name"));
  if (name == given.end()) return {};
  const bool has_layers = given.contains(FindKey("model.layers"));
  const bool is_built_in = FindModel(std::get<std::string>(name->second.value)) != nullptr;
  if (has_layers && is_built_in) {
    return ErrorAt(name->second.place,
                   "is a built-in model: give model.layers another name, or leave them out");
  }
  if (has_layers || is_built_in) return {};
  std::vector<std::string_view> names;
  for (const Model& model : Models()) names.push_back(model.name);
  return ErrorAt(name->second.place, "must be one of " + base::Joined(names) +
                                         ", or a name for the layers in model.layers");
}

// A scenario without a name is called like its file.
std::string DefaultName(const std::string& origin) {
  Scenario scratch;
  const std::string stem = std::filesystem::path(origin).stem().string();
  return Assign(*FindKey("name"), stem, scratch) ? "unnamed" : stem;
}

bool IsKnownDataset(std::string_view name) {
  return std::ranges::any_of(Datasets(), [&](const auto& entry) { return entry.name == name; });
}

// Paths in a file are relative to it, those of overrides to where we are.
Scenario Build(const GivenValues& given, const std::string& origin,
               const std::filesystem::path& directory) {
  Scenario scenario;
  scenario.name = DefaultName(origin);
  for (const Key& key : Keys()) {  // in their order: a part comes after what it belongs to
    const auto one = given.find(&key);
    if (one != given.end()) Assign(key, one->second.value, scenario);
  }
  if (scenario.model.layers && !given.contains(FindKey("model.name"))) {
    scenario.model.name = kOwnModel;
  }
  if (scenario.model.layers) {
    scenario.model.layers_place.text = given.at(FindKey("model.layers")).key_place;
  }
  const auto is_from_file = [&](std::string_view name) {
    const auto one = given.find(FindKey(name));
    return one != given.end() && one->second.from_file;
  };
  if (is_from_file("fleet.file")) {
    scenario.fleet.file = (directory / *scenario.fleet.file).string();
  }
  if (is_from_file("data.partition_file")) {
    scenario.data.partition.file = (directory / *scenario.data.partition.file).string();
  }
  if (is_from_file("data.dataset") && !IsKnownDataset(*scenario.data.dataset)) {
    scenario.data.dataset = (directory / *scenario.data.dataset).string();
  }
  return scenario;
}

// Puts the rows of a file in the place of its name, so that the scenario needs the file no more.
Status ReadMcsFile(const GivenValues& given, const std::filesystem::path& directory,
                   Scenario& scenario) {
  McsTable& table = scenario.radio.coding.mcs;
  if (table.name.empty() || !table.rows.empty()) return {};  // It is a list, or built in.
  const GivenValue& value = given.at(FindKey("radio.mcs"));
  std::string path = table.name;
  if (value.from_file) path = (directory / path).string();
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    std::vector<std::string_view> names;
    for (const McsTableEntry& entry : McsTables()) names.push_back(entry.name);
    const auto nearest = base::NearestName(table.name, names);
    return ErrorAt(value.place,
                   nearest ? "did you mean " + std::string(*nearest) + "?"
                           : "there is no such file (built in: " + base::Joined(names) + ")");
  }
  auto rows = ReadMcsRows(path);
  if (!rows) return rows.error();
  table = {.name = "", .rows = std::move(*rows)};
  scenario.mcs_file.path = std::move(path);
  return {};
}

Result<Scenario> Parse(std::string_view text, const std::string& origin,
                       const std::filesystem::path& directory,
                       std::span<const std::string> overrides, std::string_view overrides_origin) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (text.size() > kLargestFile) {
    return ErrorAt(origin, "is larger than " + std::to_string(kLargestFile) + " bytes");
  }
  GivenValues given;
  if (auto status = ReadFile(text, origin, given); !status) return status.error();
  for (const std::string& override_text : overrides) {
    if (auto status = Override(override_text, overrides_origin, given); !status)
      return status.error();
  }
  if (auto status = CheckTogether(given); !status) return status.error();
  if (auto status = CheckModelName(given); !status) return status.error();
  Scenario scenario = Build(given, origin, directory);
  if (auto status = ReadMcsFile(given, directory, scenario); !status) return status.error();
  if (auto status = Validate(scenario.radio); !status)
    return ErrorAt(origin, status.error().message);
  return scenario;
}

Error UnknownScenario(const std::string& name) {
  std::vector<std::string_view> names;
  for (const BuiltInScenario& scenario : BuiltInScenarios()) names.push_back(scenario.name);
  const auto nearest = base::NearestName(name, names);
  const std::string guess = nearest ? ": did you mean " + std::string(*nearest) + "?" : "";
  return {"unknown scenario " + base::Quoted(name) + guess + " (built in: " + base::Joined(names) +
          "; a file needs a '/' or ends in .toml)"};
}

}  // namespace

Result<ScenarioSource> ReadScenarioSource(const std::string& name_or_path) {
  for (const BuiltInScenario& scenario : BuiltInScenarios()) {
    if (scenario.name == name_or_path) {
      return ScenarioSource{.text = std::string(scenario.text), .origin = name_or_path};
    }
  }
  if (name_or_path.ends_with(".csv") || name_or_path.ends_with(".npz")) {
    return ErrorAt(name_or_path,
                   "is no scenario: a fleet is given by plan --fleet, or by "
                   "fleet.file of a scenario");
  }
  std::error_code ignored;
  if (std::filesystem::is_directory(name_or_path, ignored)) {
    return ErrorAt(name_or_path, "is a directory, not a file");
  }
  if (name_or_path.find('/') == std::string::npos && !name_or_path.ends_with(".toml")) {
    return UnknownScenario(name_or_path);
  }
  Result<std::string> text = base::ReadWhole(name_or_path, kLargestFile);
  if (!text) return text.error();
  return ScenarioSource{.text = std::move(*text),
                        .origin = name_or_path,
                        .directory = std::filesystem::path(name_or_path).parent_path().string()};
}

Result<Scenario> ParseScenario(const ScenarioSource& source, std::span<const std::string> overrides,
                               std::string_view overrides_origin) {
  return Parse(source.text, source.origin, source.directory, overrides, overrides_origin);
}

Result<Scenario> ReadScenario(const std::string& name_or_path,
                              std::span<const std::string> overrides,
                              std::string_view overrides_origin) {
  const auto source = ReadScenarioSource(name_or_path);
  if (!source) return source.error();
  return ParseScenario(*source, overrides, overrides_origin);
}

Result<Scenario> ParseScenario(std::string_view text, const std::string& origin,
                               std::span<const std::string> overrides,
                               std::string_view overrides_origin) {
  return Parse(text, origin, "", overrides, overrides_origin);
}

}  // namespace airlot
