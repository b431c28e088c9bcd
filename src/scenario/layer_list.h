// A model of a scenario may be a list of layers: tables with a kind and keys.
#ifndef AIRLOT_SCENARIO_LAYER_LIST_H_
#define AIRLOT_SCENARIO_LAYER_LIST_H_

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "airlot/model.h"
#include "airlot/result.h"

namespace airlot::scenario {

// A Tables value is a list of tables as it was written; monostate stands for what no layer takes.
struct Table;
using Tables = std::vector<Table>;
using TableValue = std::variant<std::monostate, bool, double, std::string, Tables>;
struct Table {
  std::vector<std::pair<std::string, TableValue>> entries;
};

// Returns the layers, or what is wrong: "[3] (convolution): kernl: unknown key: did you mean
// kernel?". Layers are counted from 1.
Result<std::vector<Layer>> LayersOf(const Tables& tables);

// Returns the layers as one line of TOML. Keys that have their defaults are left out.
std::string FormatLayers(const std::vector<Layer>& layers);

}  // namespace airlot::scenario

#endif  // AIRLOT_SCENARIO_LAYER_LIST_H_
