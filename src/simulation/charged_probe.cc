#include "simulation/charged_probe.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/stopwatch.h"

namespace airlot::simulation {

using base::Stopwatch;

namespace {

// A PartOfQuestion is a question to some of the devices that it was meant for.
class PartOfQuestion {
 public:
  PartOfQuestion(const Question& question, std::span<const std::uint32_t> devices,
                 const std::vector<bool>& is_part)
      : question_(question) {
    Keep(devices, is_part, devices_);
    if (auto* norm = std::get_if<AskUpdateNorm>(&question_)) {
      Keep(norm->bits, is_part, bits_);
      norm->bits = bits_;
    } else if (auto* trial = std::get_if<AskTrial>(&question_)) {
      Keep(trial->terms, is_part, terms_);
      trial->terms = terms_;
    }
  }
  PartOfQuestion(const PartOfQuestion&) = delete;  // The question has views into the lists.
  PartOfQuestion& operator=(const PartOfQuestion&) = delete;

  const Question& question() const { return question_; }
  const std::vector<std::uint32_t>& devices() const { return devices_; }

 private:
  template <class T>
  static void Keep(std::span<const T> values, const std::vector<bool>& is_part,
                   std::vector<T>& kept) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (is_part[i]) kept.push_back(values[i]);
    }
  }

  Question question_;
  std::vector<std::uint32_t> devices_;
  std::vector<double> bits_;
  std::vector<Terms> terms_;
};

// NaN means that a device has not answered, so that an answer which is no number, because the model
// has diverged, becomes one that says as much.
void ReplaceNan(double value, std::span<double> answers) {
  for (double& answer : answers) {
    if (std::isnan(answer)) answer = value;
  }
}

}  // namespace

void ChargedProbe::Ask(const Question& question, std::span<const std::uint32_t> devices,
                       std::span<double> answers) {
  AIRLOT_CHECK(answers.size() == devices.size(), "{} devices, {} answers", devices.size(),
               answers.size());
  const Stopwatch stopwatch(seconds_);
  was_asked_ = true;
  const std::vector<bool> can = ledger_.WhoCanAnswer(question, devices);
  if (std::ranges::find(can, false) == can.end()) return Answer(question, devices, answers);
  const PartOfQuestion part(question, devices, can);
  std::vector<double> given(part.devices().size());
  Answer(part.question(), part.devices(), given);
  for (std::size_t i = 0, next = 0; i < answers.size(); ++i) {
    answers[i] = can[i] ? given[next++] : std::numeric_limits<double>::quiet_NaN();
  }
}

void ChargedProbe::Answer(const Question& question, std::span<const std::uint32_t> devices,
                          std::span<double> answers) {
  ledger_.ChargeAnswers(question, devices);
  if (const auto* loss = std::get_if<AskLoss>(&question)) {
    backend_.Losses(devices, loss->batch, round_, answers);
    ReplaceNan(std::numeric_limits<double>::infinity(), answers);
  } else if (const auto* norm = std::get_if<AskUpdateNorm>(&question)) {
    backend_.UpdateNorms(devices, norm->bits, round_, answers);
    ReplaceNan(0, answers);
  } else if (std::holds_alternative<AskAccuracy>(question)) {
    FindAccuracies(devices, answers);
  } else if (std::holds_alternative<AskTrial>(question)) {
    std::ranges::copy(ledger_.answer_durations_s(), answers.begin());
  } else {
    // What neither the books nor the limit counts is nobody's business.
    const Cell& cell = ledger_.cell();
    for (std::size_t i = 0; i < devices.size(); ++i) {
      answers[i] =
          std::max(cell.compute_time_s[devices[i]], cell.problem.compute_time_s[devices[i]]);
    }
  }
}

// A device answers as if it had kept test samples of its own: it makes as many forward passes as it
// has samples.
void ChargedProbe::FindAccuracies(std::span<const std::uint32_t> devices,
                                  std::span<double> answers) {
  const Evaluation evaluation = backend_.Evaluate(round_.parameters);
  const Images& images = setting_.dataset->train;
  // Without labels there is one R^2 for all, and a backend may know no classes.
  if (images.classes == 0 || evaluation.class_accuracy.empty()) {
    std::ranges::fill(answers, evaluation.accuracy);
    return;
  }
  for (std::size_t i = 0; i < devices.size(); ++i) {
    double sum = 0;
    std::size_t counted = 0;
    for (const std::uint32_t sample : setting_.partition.SamplesOf(devices[i])) {
      const double accuracy = evaluation.class_accuracy[images.labels[sample]];
      if (std::isnan(accuracy)) continue;  // The class has no test image.
      sum += accuracy;
      ++counted;
    }
    answers[i] = counted == 0 ? evaluation.accuracy : sum / double(counted);
  }
}

std::optional<double> ChargedProbe::TakeSeconds() {
  if (!std::exchange(was_asked_, false)) return std::nullopt;
  return std::exchange(seconds_, 0);
}

}  // namespace airlot::simulation
