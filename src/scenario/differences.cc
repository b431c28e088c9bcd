#include "scenario/differences.h"

#include <algorithm>
#include <utility>

#include "scenario/text.h"

namespace airlot::scenario {
namespace {

// ValueIn returns nothing where the key is not set.
std::optional<std::string> ValueIn(const KeyValues& keys, std::string_view name) {
  const auto found = std::ranges::find(keys, name, &KeyValues::value_type::first);
  return found == keys.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

std::vector<KeyDifference> DifferencesBetween(std::string_view here, std::string_view there) {
  const KeyValues here_keys = KeyValuesOf(here), there_keys = KeyValuesOf(there);
  std::vector<KeyDifference> differences;
  for (const auto& [key, value] : here_keys) {
    std::optional<std::string> other = ValueIn(there_keys, key);
    if (other != value) differences.push_back({key, value, std::move(other)});
  }
  for (const auto& [key, value] : there_keys) {
    if (!ValueIn(here_keys, key)) differences.push_back({key, std::nullopt, value});
  }
  return differences;
}

}  // namespace airlot::scenario
