// DifferencesBetween says in which keys two scenarios differ.
#ifndef AIRLOT_SCENARIO_DIFFERENCES_H_
#define AIRLOT_SCENARIO_DIFFERENCES_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace airlot::scenario {

struct KeyDifference {
  std::string key;
  std::optional<std::string> here, there;  // values as in TOML; none: the key is not set

  bool operator==(const KeyDifference&) const = default;
};

// Returns the differences of two texts that FormatScenario gave, in the order of the keys of
// `here`, and then those keys that only `there` has.
std::vector<KeyDifference> DifferencesBetween(std::string_view here, std::string_view there);

}  // namespace airlot::scenario

#endif  // AIRLOT_SCENARIO_DIFFERENCES_H_
