// NormalizationPass is a group or batch normalisation with a weight and a bias for each channel,
// and ReLU where one follows. docs/learning.md has the formulas.
#ifndef AIRLOT_LEARNING_NORMALIZATION_PASS_H_
#define AIRLOT_LEARNING_NORMALIZATION_PASS_H_

#include <vector>

#include "learning/feature_kernels.h"
#include "learning/network.h"

namespace airlot::learning {

class NormalizationPass : public LayerPass {
 public:
  NormalizationPass(const Step& step, Activations& input, Activations& output);
  void Forward(const float* parameters, const Batch& batch) override;
  void AddGradient(const float* parameters, const Batch& batch, float* gradient) override;
  void PassBack(const float* parameters, const Batch& batch) override;

 private:
  // A Statistic is of one group in one panel, one number per sample.
  struct Statistic {
    Lanes mean, inverse_sd;
    Lanes delta_sum, delta_product;  // over the group, see AddGradient
  };

  Statistic& StatisticOf(std::size_t panel, std::size_t group) {
    return statistics_[panel * groups_ + group];
  }
  // Numbers of a group's or a channel's first feature in a panel.
  std::size_t PlaceOf(std::size_t panel, std::size_t channel) const;
  ScaledDelta DeltaOf(std::size_t panel, std::size_t channel) const;
  void FindMeans(const Batch& batch, std::size_t group);
  void FindDeviations(const Batch& batch, std::size_t group);
  // Makes the sum over all real samples of what belongs to each, where the statistic is of them.
  void Unite(const Batch& batch, std::size_t group, Lanes Statistic::*sums);
  double CountOf(const Batch& batch) const;

  std::size_t channels_, pixels_, groups_;
  bool across_samples_, relu_;
  Activations& input_;
  Activations& output_;
  std::vector<Statistic> statistics_;  // by panel and group
  std::vector<Lanes> scale_, shift_;   // by panel and channel
};

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_NORMALIZATION_PASS_H_
