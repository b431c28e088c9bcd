// SCAFFOLD (Karimireddy et al. 2020, arXiv:1910.06378) keeps control variates from round to round.
#ifndef AIRLOT_LEARNING_SCAFFOLD_H_
#define AIRLOT_LEARNING_SCAFFOLD_H_

#include <vector>

#include "airlot/state_part.h"

namespace airlot::learning {

class ControlVariates : public StatePart {
 public:
  std::vector<float> server;            // empty until the first round
  std::vector<std::vector<float>> own;  // one for each device, empty until it takes part

  std::string_view name() const override { return "control_variates"; }
  void Save(ByteWriter& bytes) const override;
  void Load(ByteReader& bytes) override;
  Status Check(const RunSizes& sizes) const override;
};

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_SCAFFOLD_H_
