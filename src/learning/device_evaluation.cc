#include "airlot/device_evaluation.h"

#include <algorithm>
#include <atomic>
#include <optional>

#include "airlot/training.h"
#include "base/check.h"
#include "base/shards.h"

namespace airlot {
namespace {

// Returns images of the same shape, but none of them.
Images NoneOf(const Images& images) {
  return {.height = images.height,
          .width = images.width,
          .classes = images.classes,
          .channels = images.channels};
}

template <class T>
void Choose(const std::vector<T>& all, std::span<const std::uint32_t> samples, std::size_t size,
            std::vector<T>& chosen) {
  if (all.empty()) return;
  chosen.reserve(samples.size() * size);
  for (const std::uint32_t sample : samples) {
    const auto first = all.begin() + std::ptrdiff_t(sample * size);
    chosen.insert(chosen.end(), first, first + std::ptrdiff_t(size));
  }
}

Images ChosenOf(const Images& images, std::span<const std::uint32_t> samples) {
  Images chosen = NoneOf(images);
  Choose(images.pixels, samples, images.PixelsPerImage(), chosen.pixels);
  Choose(images.values, samples, images.PixelsPerImage(), chosen.values);
  Choose(images.labels, samples, 1, chosen.labels);
  Choose(images.targets, samples, 1, chosen.targets);
  return chosen;
}

}  // namespace

// One thread evaluates a device, so that those of a large fleet do not wait for each other.
std::vector<DeviceEvaluation> EvaluateDevices(const Model& model, std::span<const float> parameters,
                                              const Images& images, const Partition& partition,
                                              int threads,
                                              const std::function<void(double)>& progress) {
  const Images none = NoneOf(images);
  std::vector<std::optional<Trainer>> trainers(static_cast<std::size_t>(threads));
  std::vector<DeviceEvaluation> devices(partition.devices());
  std::atomic<std::size_t> done = 0;
  base::ForEachTask(devices.size(), threads, [&](std::size_t device, std::size_t worker) {
    const auto samples = partition.SamplesOf(device);
    devices[device].samples = samples.size();
    if (!samples.empty()) {
      std::optional<Trainer>& trainer = trainers[worker];
      if (!trainer) trainer.emplace(model, none);
      const Evaluation evaluation = trainer->Evaluate(parameters, ChosenOf(images, samples));
      devices[device].loss = evaluation.loss;
      devices[device].accuracy = evaluation.accuracy;
    }
    if (progress) progress(double(++done) / double(devices.size()));
  });
  return devices;
}

DeviceSummary SummarizeDevices(std::span<const DeviceEvaluation> devices,
                               double DeviceEvaluation::*quantity) {
  std::vector<double> values;
  double sum = 0, samples = 0;
  for (const DeviceEvaluation& device : devices) {
    if (device.samples == 0) continue;
    values.push_back(device.*quantity);
    sum += double(device.samples) * (device.*quantity);
    samples += double(device.samples);
  }
  AIRLOT_CHECK(!values.empty(), "none of {} devices has samples", devices.size());
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return {
      .lowest = values.front(),
      .median = values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2,
      .highest = values.back(),
      .weighted_mean = sum / samples};
}

}  // namespace airlot
