// This program trains with the installed library: a few steps on some digits bring the loss down.
#include <airlot/dataset.h>
#include <airlot/training.h>

#include <cstdio>
#include <numeric>
#include <vector>

int main() {
  if (airlot::ReadDataset("/no/such/folder")) return 1;
  const airlot::Dataset digits = airlot::DrawDigits({.train_samples = 320, .test_samples = 64});
  const airlot::Model& mlp = *airlot::FindModel("mlp");
  std::vector<float> parameters = airlot::InitialParameters(mlp, {}, /*seed=*/1);
  std::vector<std::uint32_t> samples(digits.train.size());
  std::iota(samples.begin(), samples.end(), 0U);

  airlot::Trainer trainer(mlp, digits.train);
  const double before = trainer.Evaluate(parameters, digits.test).loss;
  trainer.TrainLocally(parameters, samples, {.rate = 0.1, .batch = 32, .epochs = 5}, 1, 0, 0);
  const double after = trainer.Evaluate(parameters, digits.test).loss;
  std::printf("loss %.3f, then %.3f\n", before, after);
  return after < before ? 0 : 1;
}
