// This step sends updates through the scenario's compression (docs/compression.md).
#include <algorithm>

#include "airlot/compression.h"
#include "base/check.h"
#include "simulation/state_parts.h"
#include "simulation/update_steps.h"

namespace airlot::simulation {
namespace {

const CompressionEntry& EntryOf(Compression method) {
  return *std::ranges::find(Compressions(), method, &CompressionEntry::method);
}

class CompressedUpdate : public UpdateStep {
 public:
  CompressedUpdate(const Setting& setting, StateParts& parts)
      : setting_(setting),
        options_(setting.scenario.learning.compression),
        whole_vectors_(FindTrainingRule(setting.scenario.learning.rule)->vectors_uploaded - 1) {
    if (EntryOf(options_.method).has_memory) {
      feedback_ = &parts.Get<ErrorFeedback>(setting.fleet.devices);
    }
  }

  // The encoder makes as many bits as the plan and the books have counted with. Further vectors of
  // the training rule are sent whole.
  void AfterTraining(const LocalResult& result, std::span<float> update) override {
    const std::uint32_t device = result.participant.device;
    std::vector<float>& unsent = feedback_ == nullptr ? none_ : feedback_->unsent[device];
    const double bits = Compress(options_, update, unsent, result.seed, result.round, device) +
                        32 * double(update.size()) * whole_vectors_;
    AIRLOT_CHECK(bits == setting_.fleet.update_bits[device],
                 "device {} sends {} bits, {} are charged", device, bits,
                 setting_.fleet.update_bits[device]);
  }

 private:
  const Setting& setting_;
  const CompressionOptions& options_;
  double whole_vectors_;
  ErrorFeedback* feedback_ = nullptr;  // It is null where the method has no memory.
  std::vector<float> none_;
};

}  // namespace

std::unique_ptr<UpdateStep> MakeCompressedUpdate(const Setting& setting, StateParts& parts) {
  if (setting.scenario.learning.compression.method == Compression::kNone) return nullptr;
  return std::make_unique<CompressedUpdate>(setting, parts);
}

}  // namespace airlot::simulation
