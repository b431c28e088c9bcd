// DataSets holds data sets by name, each read once.
#ifndef AIRLOT_CLI_DATA_SETS_H_
#define AIRLOT_CLI_DATA_SETS_H_

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "airlot/dataset.h"
#include "airlot/result.h"
#include "airlot/scenario.h"
#include "airlot/scenario_fleet.h"

namespace airlot::cli {

class DataSets {
 public:
  Result<std::shared_ptr<const Dataset>> Get(const DataChoice& data, int threads) {
    auto& dataset = read_[{data.dataset.value_or(""), data.standardise}];
    if (dataset) return dataset;
    auto result = DatasetOf(data, threads);
    if (!result) return result.error();
    dataset = std::make_shared<const Dataset>(std::move(*result));
    return dataset;
  }

 private:
  // The key is the name and whether the samples are standardised.
  std::map<std::pair<std::string, bool>, std::shared_ptr<const Dataset>> read_;
};

}  // namespace airlot::cli

#endif  // AIRLOT_CLI_DATA_SETS_H_
