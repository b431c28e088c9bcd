// ServerMoments is what the server's step remembers.
#ifndef AIRLOT_LEARNING_SERVER_MOMENTS_H_
#define AIRLOT_LEARNING_SERVER_MOMENTS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "airlot/state_part.h"

namespace airlot::learning {

class ServerMoments : public StatePart {
 public:
  std::vector<float> velocity;  // empty until the first step, and without momentum
  std::vector<float> second;    // mean of squares; empty until the first step, and in descent
  std::uint64_t steps = 0;      // steps that an adaptive rule has taken

  // CheckStep aborts where parameters, gradient and moments do not have the same size.
  void CheckStep(std::span<const float> gradient, std::span<const float> parameters) const;

  std::string_view name() const override { return "server_moments"; }
  void Save(ByteWriter& bytes) const override;
  void Load(ByteReader& bytes) override;
  Status Check(const RunSizes& sizes) const override;
};

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_SERVER_MOMENTS_H_
