// Random numbers here are addressed, not consumed: a stream is named by (seed, purpose, round,
// device), and its n-th number never depends on what other streams exist or how far they got. So a
// run can be interrupted and taken up again, run on any number of threads, and extended by another
// consumer of random numbers, and its draws stay what they are. The generator is Philox4x64-10; the
// distributions are our own, because the standard leaves its own to the implementation.
#ifndef AIRLOT_RANDOM_H_
#define AIRLOT_RANDOM_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace airlot {

// A RandomPurpose is what a stream is for. The library's own purposes are small numbers, below
// kFirstNamedPurpose.
enum class RandomPurpose : std::uint64_t {};
inline constexpr std::uint64_t kFirstNamedPurpose = std::uint64_t{1} << 63;

// Returns the purpose of an extension, made of a name such as "my-lab/churn". It is never one of
// the library's, and two names collide with a probability of 2^-63. The name is part of every
// result that is drawn with it: another name draws other numbers. (The hash is FNV-1a, with the
// highest bit set.)
constexpr RandomPurpose PurposeNamed(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char letter : name) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  }
  return RandomPurpose{hash | kFirstNamedPurpose};
}

class RandomStream {
 public:
  RandomStream(std::uint64_t seed, RandomPurpose purpose, std::uint64_t round, std::uint64_t device)
      : seed_(seed), counter_{0, device, round, static_cast<std::uint64_t>(purpose)} {}

  std::uint64_t NextBits();

  // Draws uniformly in [0, 1), with 53 bits.
  double Uniform();
  // Draws uniformly in [low, high), or returns low where both are equal.
  double Uniform(double low, double high);
  // Returns exp of a uniform number between the logarithms, in [low, high]; 0 < low <= high.
  double LogUniform(double low, double high);
  // Draws uniformly in {0, ..., bound - 1}, without bias; bound >= 1.
  std::uint64_t Below(std::uint64_t bound);
  // Draws from the standard normal distribution (Box-Muller, one of the pair).
  double Normal();
  // Draws from the exponential distribution with mean 1.
  double Exponential();
  // Returns the logarithm of a Gamma number of this shape > 0 and scale 1. The number itself
  // underflows for small shapes: of shape 0.001, half of all are below 1e-301.
  double LogGamma(double shape);

 private:
  std::uint64_t seed_;
  std::array<std::uint64_t, 4> counter_;  // draw block, device, round, purpose
  std::array<std::uint64_t, 4> block_{};
  int used_ = 4;
};

// Draws `count` of the numbers uniformly and without replacement, or all where they are fewer; they
// come in the order of `numbers`. (56)
std::vector<std::uint32_t> DrawUniformly(std::span<const std::uint32_t> numbers, std::size_t count,
                                         RandomStream stream);

// Draws the positions of `count` of the weights (of all, if there are fewer), in rising order. They
// are drawn one after another without replacement, each with probability in proportion to its
// weight among those that are left (S21). Weights are finite and >= 0; those of 0 come after all
// others, and among themselves evenly.
std::vector<std::uint32_t> DrawByWeight(std::span<const double> weight, std::size_t count,
                                        RandomStream& stream);

}  // namespace airlot

#endif  // AIRLOT_RANDOM_H_
