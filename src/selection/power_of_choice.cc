// Power-of-choice (Cho, Wang and Joshi, 2020) takes, of some candidates drawn by their data shares
// (S21), those of largest loss (S22). The three entries differ in where the losses come from.
#include <cmath>
#include <limits>

#include "airlot/strategy_parts.h"
#include "base/ranking.h"
#include "selection/strategies.h"

namespace airlot::selection {
namespace {

class PowerOfChoice : public Strategy {
 public:
  explicit PowerOfChoice(const OptionValues& options)
      : devices_(std::size_t(options["devices"])),
        candidates_(std::max(devices_, std::size_t(options["candidates"]))) {}

  void Select(const SelectionView& view, Selection& selection) final {
    std::vector<std::uint32_t> candidates = DrawCandidates(view);
    if (candidates.empty()) return;
    std::vector<double> loss(candidates.size());
    FindLosses(view, candidates, loss);
    KeepAnswers(candidates, loss);
    for (const std::uint32_t position : base::PositionsOfLargest(loss, devices_)) {  // (S22)
      selection.devices.push_back(candidates[position]);
    }
    ShareBandEqually(view, selection);
  }

 protected:
  virtual void FindLosses(const SelectionView& view, std::span<const std::uint32_t> candidates,
                          std::span<double> loss) const = 0;

 private:
  // Who has not told a loss is no candidate.
  static void KeepAnswers(std::vector<std::uint32_t>& candidates, std::vector<double>& loss) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < loss.size(); ++i) {
      if (std::isnan(loss[i])) continue;
      candidates[kept] = candidates[i];
      loss[kept++] = loss[i];
    }
    candidates.resize(kept);
    loss.resize(kept);
  }

  std::vector<std::uint32_t> DrawCandidates(const SelectionView& view) {
    if (able_.Update(view)) {
      share_.clear();
      for (const std::uint32_t device : able_.devices()) share_.push_back(view.data_share[device]);
    }
    RandomStream stream = StreamOf(view);
    std::vector<std::uint32_t> candidates = DrawByWeight(share_, candidates_, stream);
    for (std::uint32_t& candidate : candidates) candidate = able_.devices()[candidate];
    return candidates;
  }

  std::size_t devices_, candidates_;
  AbleDevices able_;
  std::vector<double> share_;  // data shares of able_
};

// In pow-d, the candidates receive the model and tell the loss of all of their samples.
class OfAllSamples : public PowerOfChoice {
 public:
  using PowerOfChoice::PowerOfChoice;

 protected:
  void FindLosses(const SelectionView& view, std::span<const std::uint32_t> candidates,
                  std::span<double> loss) const override {
    view.probe->Ask(AskLoss{}, candidates, loss);
  }
};

// In cpow-d, the candidates tell the loss of a few samples, which is sooner computed.
class OfBatch : public PowerOfChoice {
 public:
  explicit OfBatch(const OptionValues& options)
      : PowerOfChoice(options), batch_(std::size_t(options["batch"])) {}

 protected:
  void FindLosses(const SelectionView& view, std::span<const std::uint32_t> candidates,
                  std::span<double> loss) const override {
    view.probe->Ask(AskLoss{batch_}, candidates, loss);
  }

 private:
  std::size_t batch_;
};

// In rpow-d, the loss is that of a device's last training, infinite where there was none; nobody is
// asked. The memory holds one loss for each device.
class OfLastTraining : public PowerOfChoice {
 public:
  using PowerOfChoice::PowerOfChoice;

  bool Learns() const override { return true; }
  void Learn(const RoundOutcome& outcome, std::vector<double>& memory) override {
    for (std::size_t i = 0; i < outcome.devices.size(); ++i) {
      const double loss = outcome.mean_loss[i];
      // A loss that is no number is that of a model that has diverged.
      memory[outcome.devices[i]] =
          std::isnan(loss) ? std::numeric_limits<double>::infinity() : loss;
    }
  }

 protected:
  void FindLosses(const SelectionView& view, std::span<const std::uint32_t> candidates,
                  std::span<double> loss) const override {
    view.memory->resize(view.probability.size(), kNeverTrained);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const double last = (*view.memory)[candidates[i]];
      loss[i] = last == kNeverTrained ? std::numeric_limits<double>::infinity() : last;
    }
  }

 private:
  static constexpr double kNeverTrained = -1;  // a loss is never negative
};

StrategyOption CandidatesOption() {
  return CountOption("candidates", 9,
                     "It chooses from this many devices that are drawn, no fewer than it takes.");
}
StrategyOption BatchOption() {
  return CountOption("batch", 32, "A candidate tells the loss of this many samples.");
}

}  // namespace

StrategyEntry PowerOfChoiceEntry() {
  return {"power-of-choice",
          "The devices of largest loss take part, of some drawn by data share (pow-d).",
          {DevicesOption(3), CandidatesOption()},
          ConstructStrategy<OfAllSamples>};
}
StrategyEntry PowerOfChoiceCpowEntry() {
  return {"power-of-choice-cpow",
          "It is power-of-choice by the losses of a few samples (cpow-d).",
          {DevicesOption(3), CandidatesOption(), BatchOption()},
          ConstructStrategy<OfBatch>};
}
StrategyEntry PowerOfChoiceRpowEntry() {
  return {"power-of-choice-rpow",
          "It is power-of-choice by the losses of each device's last training (rpow-d).",
          {DevicesOption(3), CandidatesOption()},
          ConstructStrategy<OfLastTraining>};
}

}  // namespace airlot::selection
