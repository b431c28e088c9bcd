#include "device/legacy_records.h"

#include <utility>

namespace airlot::device {
namespace {

bool IsSingle(const Value& value) {
  return !std::holds_alternative<std::vector<double>>(value) &&
         !std::holds_alternative<std::vector<std::int64_t>>(value);
}

// Moves a number into a record of its own, which the legacy API wants.
void Part(const std::string& key, const std::string& name, const std::string& new_key,
          Values& values, Records& legacy) {
  if (auto found = values.extract(key)) {
    legacy.metrics[name + "." + new_key][new_key] = std::move(found.mapped());
  }
}

}  // namespace

bool IsLegacy(const Records& request) {
  return request.arrays.contains("fitins.parameters") ||
         request.arrays.contains("evaluateins.parameters");
}

Records ToLegacy(const std::string& name, Records answer) {
  Records legacy;
  for (auto& [unused, arrays] : answer.arrays) {
    legacy.arrays[name + ".parameters"] = std::move(arrays);
  }
  const bool is_of_device = name == "getpropertiesres";
  Values values = std::move(answer.metrics["metrics"]);
  values.merge(answer.configs["airlot"]);
  if (!is_of_device) {
    Part("num-examples", name, "num_examples", values, legacy);
    Part("loss", name, "loss", values, legacy);
  }
  std::erase_if(values, [](const auto& item) { return !IsSingle(item.second); });
  legacy.configs[name + (is_of_device ? ".properties" : ".metrics")] = std::move(values);
  legacy.configs[name + ".status"] = {{"code", std::int64_t(0)},
                                      {"message", std::string("Success")}};
  return legacy;
}

}  // namespace airlot::device
