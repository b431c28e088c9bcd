// The parameters of a model are kept in an .npz file, for NumPy and those who build on it
// (docs/formats.md).
#ifndef AIRLOT_MODEL_FILE_H_
#define AIRLOT_MODEL_FILE_H_

#include <span>
#include <string>
#include <vector>

#include "airlot/model.h"
#include "airlot/result.h"

namespace airlot {

// Writes an array for the weights and one for the biases of each layer, in the layout and under
// the names that PyTorch would have for layers called conv1, conv2, ..., fc1, fc2, ... and norm1,
// norm2, ...: "conv1.weight" is [channel][input channel of the group][row][column], "fc1.weight"
// [output][input], "norm1.weight" [channel]. An external model is one array, "parameters". The file
// appears whole or not at all, and has the same bytes for the same parameters.
Status WriteModel(const std::string& path, const Model& model, const ImageShape& shape,
                  std::span<const float> parameters);

// Reads the parameters of a model for such images, whoever wrote them and in whatever order. An
// error names the file and the array: one that is missing, not the model's or of another shape, and
// numbers that are not finite. The model must be valid for the shape.
Result<std::vector<float>> ReadModel(const std::string& path, const Model& model,
                                     const ImageShape& shape);

}  // namespace airlot

#endif  // AIRLOT_MODEL_FILE_H_
