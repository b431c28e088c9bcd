// A Worker answers what a server asks of a device: to train, to evaluate, and what it is.
#ifndef AIRLOT_DEVICE_WORKER_H_
#define AIRLOT_DEVICE_WORKER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "airlot/dataset.h"
#include "airlot/model.h"
#include "airlot/result.h"
#include "airlot/training.h"
#include "device/radio_control.h"
#include "device/records.h"

namespace airlot::device {

struct WorkerOptions {
  std::string name;  // of the device, in books
  Model model;
  std::shared_ptr<const Dataset> dataset;
  std::vector<std::uint32_t> samples;  // those of the data set that the device holds
  DeviceFigures figures;
};

// An Answer is a reply, and what its upload is like.
struct Answer {
  Records records;
  std::optional<RadioTerms> upload;  // not set: it is small
  std::string said;                  // what was done, for people
};

class Worker {
 public:
  // The model must fit the images, and there must be a sample; the radio must outlive the worker.
  Worker(WorkerOptions options, RadioControl& radio);

  // Returns how many numbers the model has.
  std::size_t parameters() const { return trainer_.ParameterCount(); }

  // Answers a message of this type: "train", "evaluate", "query", or the legacy API's
  // "get_properties". The error says what is wrong with it.
  Result<Answer> Do(const std::string& type, Records request);

 private:
  Result<Answer> Train(Records request);
  Result<Answer> Evaluate(Records request);
  Result<Answer> Enrol();
  Result<std::vector<float>> TakeModel(std::vector<data::NamedArray>& arrays) const;

  WorkerOptions options_;
  RadioControl& radio_;
  Trainer trainer_;
};

}  // namespace airlot::device

#endif  // AIRLOT_DEVICE_WORKER_H_
