// A data set may be four NumPy arrays: x_train, y_train, x_test and y_test.
#ifndef AIRLOT_DATA_NUMPY_SET_H_
#define AIRLOT_DATA_NUMPY_SET_H_

#include <array>
#include <string>
#include <string_view>

#include "airlot/dataset.h"
#include "airlot/result.h"

namespace airlot::data {

inline constexpr std::array<std::string_view, 4> kNumpyNames = {"x_train", "y_train", "x_test",
                                                                "y_test"};

// Reads the arrays of an .npz file, or the .npy files of a folder. Samples are uint8 (pixels),
// float32 or float64 (values), in a shape that LayoutOf knows; whole numbers of any width are
// labels, from 0 to 255, and float32 or float64 are targets. Other arrays are not looked at.
Result<Dataset> ReadNumpySet(const std::string& path);
// Reads no samples, only their shape.
Result<Labels> ReadNumpyTrainingLabels(const std::string& path);

}  // namespace airlot::data

#endif  // AIRLOT_DATA_NUMPY_SET_H_
