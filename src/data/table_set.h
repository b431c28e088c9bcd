// A data set may be two tables: train.csv and test.csv, with one row for each sample.
#ifndef AIRLOT_DATA_TABLE_SET_H_
#define AIRLOT_DATA_TABLE_SET_H_

#include <string>
#include <string_view>

#include "airlot/dataset.h"
#include "airlot/result.h"

namespace airlot::data {

inline constexpr std::string_view kTrainTable = "train.csv";
inline constexpr std::string_view kTestTable = "test.csv";

// Reads both tables of a folder. A column is called `label` (whole numbers from 0 to 255, a
// class each) or `target` (numbers to predict); all others are features, which are numbers. Both
// tables have the same columns in the same order. A sample is an image of one row.
Result<Dataset> ReadTableSet(const std::string& folder);
// Reads no features, only how many there are.
Result<Labels> ReadTableTrainingLabels(const std::string& folder);

}  // namespace airlot::data

#endif  // AIRLOT_DATA_TABLE_SET_H_
