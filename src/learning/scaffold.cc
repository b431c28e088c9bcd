#include "learning/scaffold.h"

#include "learning/control_variates.h"
#include "learning/descent.h"
#include "learning/training_rules.h"

namespace airlot::learning {
namespace {

class ScaffoldStep : public UpdateStep {
 public:
  explicit ScaffoldStep(StateParts& parts) : controls_(parts.Get<ControlVariates>()) {}

  void StartRound(std::span<const Assignment> participants, const RunSizes& sizes) override {
    devices_ = sizes.devices;
    controls_.server.resize(sizes.parameters);
    controls_.own.resize(sizes.devices);
    for (const Assignment& participant : participants) {
      controls_.own[participant.device].resize(sizes.parameters);
    }
    changes_.assign(sizes.parameters, 0.0F);
    change_.resize(sizes.parameters);
  }

  // The correction is (L5), and there is none where all control variates are still 0.
  void BeforeTraining(std::uint32_t device, LocalTraining& training) override {
    if (controls_.server.empty()) return;
    correction_.assign(controls_.server.size(), 0.0F);
    const std::vector<float>& own = controls_.own[device];
    ControlCorrection(controls_.server, own.empty() ? correction_ : own, correction_);
    training.correction = correction_;
  }

  void AfterTraining(const LocalResult& result, std::span<float> /*update*/) override {
    UpdateControl(controls_.server, result.start, result.end, result.steps, result.rate,
                  controls_.own[result.participant.device], change_);  // (L6)
    for (std::size_t i = 0; i < changes_.size(); ++i) changes_[i] += change_[i];
  }

  void EndRound() override { UpdateServerControl(changes_, devices_, controls_.server); }  // (L7)

 private:
  ControlVariates& controls_;
  std::size_t devices_ = 0;
  std::vector<float> correction_, change_, changes_;
};

class Scaffold : public Descent {
 public:
  Scaffold(const LearningRules& rules, StateParts& parts) : Descent(rules, parts), step_(parts) {}
  UpdateStep* update_step() override { return &step_; }

 private:
  ScaffoldStep step_;
};

}  // namespace

void ControlVariates::Save(ByteWriter& bytes) const {
  bytes.Put(server);
  bytes.Put(own);
}

void ControlVariates::Load(ByteReader& bytes) {
  bytes.Take(server);
  bytes.Take(own);
}

Status ControlVariates::Check(const RunSizes& sizes) const {
  if (auto status = CheckNoneOr(sizes.parameters, server.size(), "server"); !status) return status;
  if (auto status = CheckSize(server.empty() ? 0 : sizes.devices, own.size(), "own"); !status) {
    return status;
  }
  for (const std::vector<float>& control : own) {
    if (auto status = CheckNoneOr(sizes.parameters, control.size(), "own"); !status) return status;
  }
  return {};
}

TrainingRuleEntry ScaffoldEntry() {
  return {.name = "scaffold",
          .summary = "Control variates correct the devices' drift; devices upload twice as much.",
          .vectors_uploaded = 2,
          .always_sends_models = true,
          .make = Make<Scaffold>};
}

}  // namespace airlot::learning
