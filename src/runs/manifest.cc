#include "runs/manifest.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "airlot/simd_target.h"
#include "airlot/version.h"

namespace airlot::runs {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::pair<RunStatus, std::string_view>, 4> kStates{{
    {RunStatus::kRunning, "running"},
    {RunStatus::kComplete, "complete"},
    {RunStatus::kInterrupted, "interrupted"},
    {RunStatus::kFailed, "failed"},
}};

// Whether the parts are of the kinds that we write.
bool IsManifest(const Json& json) {
  if (!json.is_object()) return false;
  for (const char* key : {"airlot", "state", "name", "scenario", "strategies", "seeds"}) {
    if (!json.contains(key)) return false;
  }
  return json["airlot"].is_string() && json["state"].is_string() && json["name"].is_string() &&
         json["scenario"].is_string() && json["strategies"].is_array() &&
         std::ranges::all_of(json["strategies"], [](const Json& j) { return j.is_string(); }) &&
         json["seeds"].is_array() &&
         std::ranges::all_of(json["seeds"], [](const Json& j) { return j.is_number_unsigned(); });
}

}  // namespace

Manifest ManifestOf(const Comparison& comparison, RunStatus status) {
  return {.status = status,
          .version = std::string(kVersion),
          .name = comparison.scenario.name,
          .scenario = FormatScenario(comparison.scenario),
          .strategies = comparison.strategies,
          .seeds = comparison.seeds};
}

std::string FormatManifest(const Manifest& manifest) {
  const auto state = std::ranges::find(kStates, manifest.status, [](auto& s) { return s.first; });
  Json json;
  json["airlot"] = manifest.version;
  json["state"] = state->second;
  json["name"] = manifest.name;
  json["strategies"] = manifest.strategies;
  json["seeds"] = manifest.seeds;
  json["simd_target"] = SimdTarget();
  json["scenario"] = manifest.scenario;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::optional<Manifest> ParseManifest(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!IsManifest(json)) return std::nullopt;
  const auto& name = json["state"].get_ref<const std::string&>();
  const auto state = std::ranges::find(kStates, name, [](auto& s) { return s.second; });
  if (state == kStates.end()) return std::nullopt;
  return Manifest{.status = state->first,
                  .version = json["airlot"],
                  .name = json["name"],
                  .scenario = json["scenario"],
                  .strategies = json["strategies"],
                  .seeds = json["seeds"]};
}

}  // namespace airlot::runs
