// A model is evaluated on what each device holds.
#ifndef AIRLOT_DEVICE_EVALUATION_H_
#define AIRLOT_DEVICE_EVALUATION_H_

#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "airlot/dataset.h"
#include "airlot/model.h"
#include "airlot/partition.h"

namespace airlot {

// A DeviceEvaluation is of a model on all samples of one device.
struct DeviceEvaluation {
  std::size_t samples = 0;
  double loss = std::numeric_limits<double>::quiet_NaN();      // mean; NaN without samples
  double accuracy = std::numeric_limits<double>::quiet_NaN();  // share that is right; as the loss
};

// Evaluates every device of a partition of these images. The model must be valid for them. Results
// do not depend on the number of threads. `progress` is told the share of the devices that are
// done, from any thread.
std::vector<DeviceEvaluation> EvaluateDevices(const Model& model, std::span<const float> parameters,
                                              const Images& images, const Partition& partition,
                                              int threads = 1,
                                              const std::function<void(double)>& progress = {});

// A DeviceSummary sums up a quantity of the devices that have samples.
struct DeviceSummary {
  double lowest = 0;
  double median = 0;  // the mean of the two in the middle where their number is even
  double highest = 0;
  double weighted_mean = 0;  // by samples: the mean over all samples of all devices
};
// There must be a device with samples.
DeviceSummary SummarizeDevices(std::span<const DeviceEvaluation> devices,
                               double DeviceEvaluation::*quantity);

}  // namespace airlot

#endif  // AIRLOT_DEVICE_EVALUATION_H_
