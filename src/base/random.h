// Random numbers that are addressed, not consumed: a stream is named by (seed, purpose, round,
// device), and its n-th number never depends on what other streams exist or how far they got. The
// generator is Philox4x64-10; the distributions are our own, because the standard's are left to the
// implementation.
#ifndef AIRLOT_BASE_RANDOM_H_
#define AIRLOT_BASE_RANDOM_H_

#include <array>
#include <cstdint>
#include <span>

namespace airlot::base {

// What a stream is for: a number of its own. Each layer names its purposes, the fleet from 1,
// benchmarks and tests from 900. They are part of every result: add, never renumber.
enum class Purpose : std::uint64_t {};

class RandomStream {
 public:
  RandomStream(std::uint64_t seed, Purpose purpose, std::uint64_t round, std::uint64_t device)
      : seed_(seed), counter_{0, device, round, static_cast<std::uint64_t>(purpose)} {}

  std::uint64_t NextBits();

  // Uniform in [0, 1): 53 bits.
  double Uniform();
  // Uniform in [low, high); low where both are equal.
  double Uniform(double low, double high);
  // exp of a uniform number between the logarithms, in [low, high]; 0 < low <= high.
  double LogUniform(double low, double high);
  // Uniform in {0, ..., bound - 1}, without bias; bound >= 1.
  std::uint64_t Below(std::uint64_t bound);
  // Standard normal (Box-Muller, one of the pair).
  double Normal();
  // Exponential with mean 1.
  double Exponential();
  // The logarithm of a Gamma number of this shape > 0 and scale 1. The number itself underflows for
  // small shapes: of shape 0.001, half of all are below 1e-301.
  double LogGamma(double shape);

 private:
  std::uint64_t seed_;
  std::array<std::uint64_t, 4> counter_;  // draw block, device, round, purpose
  std::array<std::uint64_t, 4> block_{};
  int used_ = 4;
};

// Four words of a stream at once: what NextBits() gives after 4·block calls.
std::array<std::uint64_t, 4> StreamBlock(std::uint64_t seed, Purpose purpose, std::uint64_t round,
                                         std::uint64_t device, std::uint64_t block);

// One word for each of the devices first_device, first_device + 1, ..., in a tenth of the time that
// a stream of each would take: word device % 4 of the first block of stream device / 4. A purpose
// has either these or streams.
void DeviceBits(std::uint64_t seed, Purpose purpose, std::uint64_t round,
                std::uint64_t first_device, std::span<std::uint64_t> bits);

}  // namespace airlot::base

#endif  // AIRLOT_BASE_RANDOM_H_
