#include "learning/server_moments.h"

#include "base/check.h"

namespace airlot::learning {

void ServerMoments::CheckStep(std::span<const float> gradient,
                              std::span<const float> parameters) const {
  const auto fits = [&](const std::vector<float>& moment) {
    return moment.empty() || moment.size() == parameters.size();
  };
  AIRLOT_CHECK(gradient.size() == parameters.size() && fits(velocity) && fits(second),
               "{} parameters, a gradient of {}, a velocity of {}, a second moment of {}",
               parameters.size(), gradient.size(), velocity.size(), second.size());
}

void ServerMoments::Save(ByteWriter& bytes) const {
  bytes.Put(velocity);
  bytes.Put(second);
  bytes.Put(steps);
}

void ServerMoments::Load(ByteReader& bytes) {
  bytes.Take(velocity);
  bytes.Take(second);
  bytes.Take(steps);
}

Status ServerMoments::Check(const RunSizes& sizes) const {
  if (auto status = CheckNoneOr(sizes.parameters, velocity.size(), "velocity"); !status) {
    return status;
  }
  return CheckNoneOr(sizes.parameters, second.size(), "second");
}

}  // namespace airlot::learning
