#include "simulation/shared_evaluations.h"

#include <cstdint>
#include <utility>

#include "data/sha256.h"

namespace airlot::simulation {

Evaluation SharedEvaluations::Of(std::span<const float> parameters,
                                 const std::function<Evaluation()>& evaluate) {
  const std::shared_ptr<Model> model = Find(parameters);
  const std::lock_guard lock(model->mutex);
  if (!model->evaluation) model->evaluation = evaluate();
  return *model->evaluation;
}

// Find returns a new model that nobody else finds where there are too many.
std::shared_ptr<SharedEvaluations::Model> SharedEvaluations::Find(
    std::span<const float> parameters) {
  data::Sha256 hash;
  hash.Update({reinterpret_cast<const std::uint8_t*>(parameters.data()), parameters.size_bytes()});
  std::string digest = hash.Hex();
  const std::lock_guard lock(mutex_);
  if (const auto found = models_.find(digest); found != models_.end()) return found->second;
  auto model = std::make_shared<Model>();
  if (models_.size() < kMostModels) models_.emplace(std::move(digest), model);
  return model;
}

}  // namespace airlot::simulation
