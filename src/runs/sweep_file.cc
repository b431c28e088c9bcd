#include "runs/sweep_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "airlot/version.h"
#include "base/atomic_file.h"
#include "base/input_file.h"
#include "runs/file_names.h"
#include "runs/files.h"
#include "runs/json_reader.h"

namespace airlot::runs {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Json ToJson(const Grid& grid) {
  Json axes = Json::array();
  for (const GridAxis& axis : grid.axes) {
    Json keys = Json::array();
    for (const GridKey& key : axis.keys) {
      keys.push_back({{"name", key.name}, {"values", key.values}});
    }
    axes.push_back(std::move(keys));
  }
  return axes;
}

Json CellsOf(const Sweep& sweep) {
  Json cells = Json::array();
  for (std::size_t i = 0; i < CellCount(sweep.grid); ++i) {
    const auto& problem = sweep.problems[i];
    cells.push_back({{"cell", CellName(sweep.grid, i)},
                     {"folder", CellFolderOf(sweep.grid, i)},
                     {"problem", problem ? Json(*problem) : Json()}});
  }
  return cells;
}

GridKey ReadKey(const Json& json, JsonReader& reader) {
  GridKey key;
  if (!json.is_object()) {
    reader.Wrong("an axis must be a list of keys");
    return key;
  }
  reader.Text(json, "name", key.name);
  reader.List(json, "values", true, [&](const Json& value) {
    if (!value.is_string()) return reader.Wrong("values must be texts");
    key.values.push_back(value.get<std::string>());
  });
  return key;
}

template <class T>
bool AreDistinct(std::vector<T> values) {
  std::ranges::sort(values);
  return std::ranges::adjacent_find(values) == values.end();
}

// Checks what no sweep of ours lacks: what is read is drawn and names folders.
Status CheckSweep(const Sweep& sweep) {
  if (auto status = CheckGrid(sweep.grid); !status) return status;
  if (sweep.strategies.empty() || !AreDistinct(sweep.strategies) ||
      !std::ranges::all_of(sweep.strategies, IsPlainName)) {
    return Error{"strategies must be plain names, each once"};
  }
  if (sweep.seeds.empty() || !AreDistinct(sweep.seeds)) {
    return Error{"seeds must be numbers, each once"};
  }
  if (sweep.problems.size() == CellCount(sweep.grid)) return {};
  return Error{fmt::format("it has {} cells, and its axes make {}", sweep.problems.size(),
                           CellCount(sweep.grid))};
}

Result<SweepFile> Parse(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return Error{"it must be a JSON object"};
  SweepFile file;
  Sweep& sweep = file.sweep;
  JsonReader reader;
  reader.Text(json, "airlot", file.version);
  reader.Text(json, "name", sweep.name);
  reader.List(json, "axes", true, [&](const Json& axis) {
    sweep.grid.axes.emplace_back();
    if (!axis.is_array()) return reader.Wrong("an axis must be a list of keys");
    for (const Json& key : axis) sweep.grid.axes.back().keys.push_back(ReadKey(key, reader));
  });
  reader.List(json, "strategies", true, [&](const Json& name) {
    if (!name.is_string()) return reader.Wrong("strategies must be texts");
    sweep.strategies.push_back(name.get<std::string>());
  });
  reader.List(json, "seeds", true, [&](const Json& seed) {
    if (!seed.is_number_unsigned()) return reader.Wrong("seeds must be whole numbers");
    sweep.seeds.push_back(seed.get<std::uint64_t>());
  });
  reader.List(json, "cells", true, [&](const Json& cell) {
    sweep.problems.emplace_back();
    if (!cell.is_object()) return reader.Wrong("cells must be objects");
    if (cell.contains("problem") && cell["problem"].is_string()) {
      sweep.problems.back() = cell["problem"].get<std::string>();
    }
  });
  reader.TextOrNone(json, "scenario_file", sweep.scenario_file);
  reader.TextsOrNone(json, "overrides", sweep.overrides);
  reader.Text(json, "scenario", sweep.scenario);
  if (!reader.status()) return reader.status().error();
  if (auto status = CheckSweep(sweep); !status) return status.error();
  return file;
}

}  // namespace

Status WriteSweepFile(const std::string& directory, const Sweep& sweep) {
  Json json;
  json["airlot"] = kVersion;
  json["name"] = sweep.name;
  json["axes"] = ToJson(sweep.grid);
  json["strategies"] = sweep.strategies;
  json["seeds"] = sweep.seeds;
  json["cells"] = CellsOf(sweep);
  json["scenario_file"] = sweep.scenario_file.value_or("");
  if (sweep.scenario_file && sweep.overrides) json["overrides"] = *sweep.overrides;
  json["scenario"] = sweep.scenario;
  return base::WriteWhole((fs::path(directory) / kSweepFile).string(),
                          json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

Result<std::optional<SweepFile>> FindSweepFile(const std::string& directory) {
  const std::string path = (fs::path(directory) / kSweepFile).string();
  const auto text = base::ReadWholeIfThere(path);
  if (!text) return text.error();
  if (!*text) return std::optional<SweepFile>();
  auto file = Parse(**text);
  if (!file) {
    return Error{fmt::format("{}: is not the file of a sweep: {}", path, file.error().message)};
  }
  return std::optional(std::move(*file));
}

}  // namespace airlot::runs
