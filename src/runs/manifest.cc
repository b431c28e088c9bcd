#include "runs/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "base/input_file.h"
#include "base/replacement.h"
#include "runs/file_names.h"
#include "runs/files.h"
#include "runs/json_reader.h"

namespace airlot::runs {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::array<std::pair<RunStatus, std::string_view>, 4> kStates{{
    {RunStatus::kRunning, "running"},
    {RunStatus::kComplete, "complete"},
    {RunStatus::kInterrupted, "interrupted"},
    {RunStatus::kFailed, "failed"},
}};

constexpr std::string_view kR2Name = "r2";  // of the score

constexpr std::array<std::pair<const char*, double Expectations::*>, 6> kExpected{{
    {"participants", &Expectations::participants},
    {"participants_sd", &Expectations::participants_sd},
    {"round_time_s", &Expectations::round_time_s},
    {"round_energy_j", &Expectations::round_energy_j},
    {"round_energy_sd_j", &Expectations::round_energy_sd_j},
    {"probability_empty_round", &Expectations::probability_empty_round},
}};

Json ToJson(const PreparedSeed& prepared) {
  Json expected, limits;
  for (const auto& [name, member] : kExpected) expected[name] = prepared.expected.*member;
  for (std::size_t i = 0; i < kLimitCount; ++i) {
    limits[std::string(LimitName(Limit(i)))] = prepared.expected.devices_by_limit[i];
  }
  expected["devices_by_limit"] = std::move(limits);
  return {{"seed", prepared.seed},
          {"digest", prepared.setting_digest},
          {"expected", std::move(expected)}};
}

PreparedSeed ReadSeed(const Json& json, JsonReader& reader) {
  PreparedSeed prepared;
  if (!json.is_object() || !json.contains("expected") || !json["expected"].is_object()) {
    reader.Wrong("settings must have what is expected of each seed");
    return prepared;
  }
  reader.Count(json, "seed", prepared.seed);
  reader.Text(json, "digest", prepared.setting_digest);
  const Json& expected = json["expected"];
  for (const auto& [name, member] : kExpected) {
    reader.Number(expected, name, prepared.expected.*member);
  }
  if (!expected.contains("devices_by_limit") || !expected["devices_by_limit"].is_object()) {
    reader.Wrong("devices_by_limit is missing");
    return prepared;
  }
  const Json& limits = expected["devices_by_limit"];
  for (std::size_t i = 0; i < kLimitCount; ++i) {
    const std::string name(LimitName(Limit(i)));
    std::uint64_t count = 0;
    if (limits.contains(name)) reader.Count(limits, name.c_str(), count);
    prepared.expected.devices_by_limit[i] = count;
  }
  return prepared;
}

}  // namespace

std::string AsManifestText(const std::string& text) {
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace))
      .get<std::string>();
}

std::string FormatManifest(const Manifest& manifest) {
  const auto state = std::ranges::find(kStates, manifest.status, [](auto& s) { return s.first; });
  Json settings = Json::array();
  for (const PreparedSeed& seed : manifest.provenance.seeds) settings.push_back(ToJson(seed));
  Json json;
  json["airlot"] = manifest.provenance.version;
  json["state"] = state->second;
  json["name"] = manifest.name;
  json["strategies"] = manifest.strategies;
  json["seeds"] = manifest.seeds;
  json["simd_target"] = manifest.provenance.simd_target;
  json["dataset_digest"] = manifest.provenance.dataset_digest.value_or("");
  if (manifest.provenance.score == Score::kR2) json["score"] = kR2Name;
  json["settings"] = std::move(settings);
  json["scenario_file"] = manifest.scenario_file.value_or("");
  // Where there is no file, the scenario is all that there is to know.
  if (manifest.scenario_file && manifest.overrides) json["overrides"] = *manifest.overrides;
  json["scenario"] = manifest.scenario;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Manifest> ParseManifest(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return Error{"it must be a JSON object"};
  Manifest manifest;
  JsonReader reader;
  std::string state_name;
  reader.Text(json, "airlot", manifest.provenance.version);
  reader.Text(json, "state", state_name);
  reader.Text(json, "name", manifest.name);
  reader.Text(json, "scenario", manifest.scenario);
  reader.List(json, "strategies", true, [&](const Json& name) {
    if (!name.is_string()) return reader.Wrong("strategies must be texts");
    manifest.strategies.push_back(name.get<std::string>());
  });
  reader.List(json, "seeds", true, [&](const Json& seed) {
    if (!seed.is_number_unsigned()) return reader.Wrong("seeds must be whole numbers");
    manifest.seeds.push_back(seed.get<std::uint64_t>());
  });
  reader.Text(json, "simd_target", manifest.provenance.simd_target, false);
  reader.TextOrNone(json, "dataset_digest", manifest.provenance.dataset_digest);
  std::string score;
  reader.Text(json, "score", score, false);
  if (score == kR2Name) manifest.provenance.score = Score::kR2;
  if (!score.empty() && score != kR2Name) reader.Wrong("score must be r2, or not be there");
  reader.TextOrNone(json, "scenario_file", manifest.scenario_file);
  reader.TextsOrNone(json, "overrides", manifest.overrides);
  reader.List(json, "settings", false, [&](const Json& seed) {
    manifest.provenance.seeds.push_back(ReadSeed(seed, reader));
  });
  const auto state = std::ranges::find(kStates, state_name, [](auto& s) { return s.second; });
  if (state == kStates.end()) {
    reader.Wrong("state must be running, complete, interrupted or failed");
  } else {
    manifest.status = state->first;
  }
  if (!reader.status()) return reader.status().error();
  return manifest;
}

Result<std::optional<Manifest>> FindManifest(const fs::path& directory) {
  std::error_code error;
  const fs::file_status status = fs::status(directory, error);
  if (status.type() == fs::file_type::not_found) return std::optional<Manifest>();
  if (error) return Error{fmt::format("{}: cannot open: {}", directory.string(), error.message())};
  if (!fs::is_directory(status)) {
    return Error{directory.string() + ": is a file, not a directory"};
  }
  const fs::path path = directory / kManifestFile;
  const auto text = base::ReadWholeIfThere(path);
  if (!text) return text.error();
  if (*text) {
    auto manifest = ParseManifest(**text);
    if (manifest) return std::optional(std::move(*manifest));
    return Error{fmt::format("{}: is not the manifest of a run directory: {}", path.string(),
                             manifest.error().message)};
  }
  const auto paths = PathsIn(directory);
  if (!paths) return paths.error();
  const bool is_empty = std::ranges::all_of(*paths, [](const fs::path& entry) {
    const std::string name = entry.filename();
    return name == kLockFile || name == kLiveFolder || base::IsTemporaryFor(kManifestFile, name);
  });
  if (is_empty) return std::optional<Manifest>();
  return Error{directory.string() + ": exists and is not a run directory: choose another"};
}

}  // namespace airlot::runs
