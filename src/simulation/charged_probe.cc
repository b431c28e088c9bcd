#include "simulation/charged_probe.h"

#include <cmath>
#include <utility>

#include "base/stopwatch.h"

namespace airlot::simulation {

using base::Stopwatch;

void ChargedProbe::Losses(std::span<const std::uint32_t> devices, std::size_t batch,
                          std::span<double> losses) {
  const Stopwatch stopwatch(seconds_);
  was_asked_ = true;
  ledger_.ChargeLosses(devices, batch);
  backend_.Losses(devices, batch, state_, losses);
}

void ChargedProbe::UpdateNorms(std::span<const std::uint32_t> devices, std::span<const double> bits,
                               std::span<double> norms) {
  const Stopwatch stopwatch(seconds_);
  was_asked_ = true;
  ledger_.ChargeUpdates(devices);
  backend_.UpdateNorms(devices, bits, state_, norms);
}

// As if each device had kept test samples of its own: as many forward passes as it has samples.
void ChargedProbe::Accuracies(std::span<const std::uint32_t> devices,
                              std::span<double> accuracies) {
  const Stopwatch stopwatch(seconds_);
  was_asked_ = true;
  ledger_.ChargeLosses(devices, 0);
  const Evaluation evaluation = backend_.Evaluate(state_.parameters);
  const Images& images = setting_.dataset->train;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    double sum = 0;
    std::size_t counted = 0;
    for (const std::uint32_t sample : setting_.partition.SamplesOf(devices[i])) {
      const double accuracy = evaluation.class_accuracy[images.labels[sample]];
      if (std::isnan(accuracy)) continue;  // no test image of its class
      sum += accuracy;
      ++counted;
    }
    accuracies[i] = counted == 0 ? evaluation.accuracy : sum / double(counted);
  }
}

void ChargedProbe::Figures(std::span<const std::uint32_t> devices) {
  was_asked_ = true;
  ledger_.ChargeFigures(devices);
}

void ChargedProbe::Rehearse(const Selection& selection) {
  was_asked_ = true;
  ledger_.ChargeRehearsal(selection);
}

std::optional<double> ChargedProbe::TakeSeconds() {
  if (!std::exchange(was_asked_, false)) return std::nullopt;
  return std::exchange(seconds_, 0);
}

}  // namespace airlot::simulation
