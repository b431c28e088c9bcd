// RoundedNetwork computes, for tests, losses and gradients of the network of airlot/model.h in
// double precision, and beside each number how far single precision may be off. The rules are
// derived in docs/learning.md, "Rounding", "Whole networks". The errors hold with and without fused
// multiply-adds and for vectors of any width, so on every target.
#ifndef AIRLOT_LEARNING_ROUNDED_NETWORK_FOR_TESTS_H_
#define AIRLOT_LEARNING_ROUNDED_NETWORK_FOR_TESTS_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "airlot/model.h"
#include "airlot/training.h"

namespace airlot::learning {

// A Bounded is a number, and by how much a computed one may differ from it.
struct Bounded {
  double value = 0, error = 0;

  double Largest() const { return std::abs(value) + error; }
  bool operator==(const Bounded&) const = default;
};

// A BoundedSum is a sum of numbers and of products of two numbers.
class BoundedSum {
 public:
  void Add(const Bounded& a) { AddTerm(a.value, a.error); }
  void AddProduct(const Bounded& a, const Bounded& b) {
    AddTerm(a.value * b.value, std::abs(a.value) * b.error + a.error * b.Largest());
  }
  // Returns the sum of so many terms, added in any order. The error is (L1), on top of what the
  // terms were off already.
  Bounded Rounded(double terms, double roundoff) const {
    return {value_, error_ + terms * roundoff / (1 - terms * roundoff) * size_};
  }
  // Returns the sum of so many terms, added to 0 one after the other. The error is that of "Whole
  // networks".
  Bounded RoundedInOrder(double terms, double roundoff) const {
    return {value_, error_ + roundoff / (1 - terms * roundoff) * (size_ + way_)};
  }

 private:
  void AddTerm(double value, double error) {
    value_ += value;
    error_ += error;
    size_ += std::abs(value) + error;
    way_ += std::abs(value_) + error_;
  }

  double value_ = 0, error_ = 0;
  double size_ = 0, way_ = 0;  // the absolute terms, and the absolute sums on the way
};

class RoundedNetwork {
 public:
  // `roundoff` is half a unit in the last place of 1: 2^-24 of float, 2^-53 of double.
  RoundedNetwork(const Model& model, const ImageShape& shape, double roundoff = 0x1p-24);

  std::vector<Bounded> Logits(std::span<const float> parameters,
                              std::span<const std::uint8_t> image) const;
  Bounded Loss(std::span<const float> parameters, std::span<const std::uint8_t> image,
               std::size_t label) const;

  struct LossAndGradient {
    Bounded loss;
    std::vector<Bounded> gradient;
  };

  // Returns what Trainer::Gradient computes.
  LossAndGradient Gradient(std::span<const float> parameters, const Images& images,
                           std::span<const WeightedSamples> parts) const;
  // Returns what Trainer::Gradient computes with these parameters rounded to floats. The values are
  // those of the parameters before, and the errors have what their rounding adds.
  LossAndGradient Gradient(std::span<const double> parameters, const Images& images,
                           std::span<const WeightedSamples> parts) const;

 private:
  using Index = std::ptrdiff_t;

  // A Stage is a layer, and where its parameters begin.
  struct Stage {
    bool is_dense;
    Index channels, height, width;  // of its input
    Index outputs, kernel, pool;
    std::size_t weights = 0, biases = 0;

    Index Terms() const {
      return is_dense ? channels * height * width : channels * kernel * kernel;
    }
    Index Columns() const { return is_dense ? 1 : width / pool; }
    Index Windows() const { return is_dense ? 1 : height / pool * Columns(); }
  };

  struct Gate;
  struct Way;
  struct Output;
  struct Activity;
  struct Softmax;

  template <class Use>
  static void ForEachTerm(const Stage& stage, Index output, Index place, const Use& use);

  // Pixels are multiplied by a float that is 1/255 but for its rounding, so they are rounded twice.
  std::vector<Activity> RunForward(std::span<const double> parameters,
                                   std::span<const std::uint8_t> image) const;
  Bounded SumAt(const Stage& stage, std::span<const double> parameters,
                const std::vector<Bounded>& inputs, Index output, Index place) const;
  Output OutputOf(const Stage& stage, std::span<const double> parameters,
                  const std::vector<Bounded>& inputs, Index output, Index window,
                  bool is_last) const;

  // Logits that are off by at most e_k, and the largest of them by e, multiply each softmax by at
  // most exp(e_k + e), and change the loss by at most e_label + e. (L2) and (L3) come on top.
  Softmax SoftmaxOf(const std::vector<Bounded>& logits, std::size_t label, double weight) const;

  // Returns what passes the gate. Where rounding decides whether a gradient passes, all of it may
  // be wrong.
  static Bounded Through(const Gate& gate, const Bounded& delta);

  void PassBack(std::span<const double> parameters, const std::vector<Activity>& activities,
                std::vector<Bounded> deltas, std::vector<BoundedSum>& gradient) const;

  double roundoff_;
  std::size_t classes_, parameter_count_ = 0;
  std::vector<Stage> stages_;
};

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_ROUNDED_NETWORK_FOR_TESTS_H_
