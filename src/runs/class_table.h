// These functions write and read classes.csv of a run (docs/formats.md).
#ifndef AIRLOT_RUNS_CLASS_TABLE_H_
#define AIRLOT_RUNS_CLASS_TABLE_H_

#include <string>
#include <vector>

#include "airlot/result.h"

namespace airlot::runs {

// Writes the accuracy of each class; NaN, of a class without test images, is an empty cell. The
// file appears whole or not at all.
Status WriteClasses(const std::string& path, const std::vector<double>& accuracy);

// An error names the line, the column and the value that cannot have been written so: classes are
// numbered from 0.
Result<std::vector<double>> ReadClasses(const std::string& path);

}  // namespace airlot::runs

#endif  // AIRLOT_RUNS_CLASS_TABLE_H_
