// A data set in memory, made of arrays.
#ifndef AIRLOT_PYTHON_DATASET_H_
#define AIRLOT_PYTHON_DATASET_H_

#include <airlot/dataset.h>
#include <airlot/partition.h>
#include <pybind11/pybind11.h>

#include <memory>

namespace airlot::python {

struct HeldDataset {
  std::shared_ptr<const Dataset> dataset;
  bool has_samples = true;  // else a backend has them
};

// Returns the partition of a list that has the samples of each device.
Partition PartitionOf(const pybind11::object& samples_of_devices, std::size_t samples);

}  // namespace airlot::python

#endif  // AIRLOT_PYTHON_DATASET_H_
