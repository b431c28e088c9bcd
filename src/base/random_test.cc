#include "base/random.h"

#include <Random123/philox.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace airlot::base {
namespace {

using Block = std::array<std::uint64_t, 4>;

Block Philox(const Block& counter, const std::array<std::uint64_t, 2>& key) {
  const auto out =
      r123::Philox4x64()({{counter[0], counter[1], counter[2], counter[3]}}, {{key[0], key[1]}});
  return {out[0], out[1], out[2], out[3]};
}

Block NextBlock(RandomStream& stream) {
  Block block;
  for (std::uint64_t& bits : block) bits = stream.NextBits();
  return block;
}

constexpr Purpose kTest{9};

RandomStream TestStream(std::uint64_t device = 0) { return {1, kTest, 0, device}; }

// These are the published known answers for philox4x64 with 10 rounds: kat_vectors in the tests of
// Random123 (D. E. Shaw Research). The counters are zeros, ones, and the digits of pi.
TEST(Philox, GivesThePublishedAnswers) {
  const std::uint64_t ones = ~std::uint64_t{0};
  EXPECT_EQ(Philox({0, 0, 0, 0}, {0, 0}), (Block{0x16554d9eca36314c, 0xdb20fe9d672d0fdc,
                                                 0xd7e772cee186176b, 0x7e68b68aec7ba23b}));
  EXPECT_EQ(
      Philox({ones, ones, ones, ones}, {ones, ones}),
      (Block{0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0}));
  EXPECT_EQ(
      Philox({0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89},
             {0x452821e638d01377, 0xbe5466cf34e90c6c}),
      (Block{0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6}));
}

TEST(RandomStream, StartsWithThePublishedAnswer) {
  RandomStream stream(0, Purpose{0}, 0, 0);
  EXPECT_EQ(NextBlock(stream), (Block{0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b,
                                      0x7e68b68aec7ba23b}));
}

TEST(StreamBlock, HasFourWordsOfTheStream) {
  RandomStream stream(11, Purpose{4}, 33, 44);
  for (const std::uint64_t block : {0U, 1U, 2U}) {
    EXPECT_EQ(NextBlock(stream), (StreamBlock(11, Purpose{4}, 33, 44, block)));
  }
}

// Which word belongs to a device is part of every result: this test must never change.
TEST(DeviceBits, AreWordsOfTheStreamsOfFour) {
  for (const std::uint64_t first : {40U, 41U, 42U, 43U}) {
    for (const std::size_t size : {0U, 1U, 2U, 4U, 9U}) {
      std::vector<std::uint64_t> bits(size);
      DeviceBits(11, Purpose{4}, 33, first, bits);
      for (std::size_t i = 0; i < size; ++i) {
        RandomStream stream(11, Purpose{4}, 33, (first + i) / 4);
        std::uint64_t word = 0;
        for (std::uint64_t n = 0; n <= (first + i) % 4; ++n) word = stream.NextBits();
        EXPECT_EQ(bits[i], word);
      }
    }
  }
}

// Which number a stream's address leads to is part of every result: this test must never change.
TEST(RandomStream, IsAddressedBySeedPurposeRoundAndDevice) {
  RandomStream stream(11, Purpose{4}, 33, 44);
  EXPECT_EQ(NextBlock(stream), Philox({0, 44, 33, 4}, {11, 0}));
  EXPECT_EQ(NextBlock(stream), Philox({1, 44, 33, 4}, {11, 0}));
  EXPECT_EQ(NextBlock(stream), Philox({2, 44, 33, 4}, {11, 0}));
}

TEST(RandomStream, DiffersInEveryPartOfItsAddress) {
  std::vector<std::uint64_t> first;
  for (RandomStream stream : {RandomStream(1, kTest, 1, 1), RandomStream(2, kTest, 1, 1),
                              RandomStream(1, Purpose{1}, 1, 1), RandomStream(1, kTest, 2, 1),
                              RandomStream(1, kTest, 1, 2)}) {
    first.push_back(stream.NextBits());
  }
  std::sort(first.begin(), first.end());
  EXPECT_EQ(std::unique(first.begin(), first.end()), first.end());
}

TEST(RandomStream, DoesNotDependOnTheProgressOfOthers) {
  RandomStream alone = TestStream(7);
  std::vector<std::uint64_t> expected(100);
  for (std::uint64_t& bits : expected) bits = alone.NextBits();

  RandomStream stream = TestStream(7), other = TestStream(8);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    for (std::size_t k = 0; k < i % 5; ++k) other.Normal();
    ASSERT_EQ(stream.NextBits(), expected[i]);
  }
}

// --- Distributions -------------------------------------------------------------------------------
// The seed is fixed, so a test either always passes or always fails. The bounds are 4.5 standard
// errors: a right generator with another seed fails about once in 100 000 comparisons.

constexpr int kDraws = 1000000;
constexpr double kErrors = 4.5;

std::vector<double> Draw(const std::function<double(RandomStream&)>& draw) {
  RandomStream stream = TestStream();
  std::vector<double> values(kDraws);
  for (double& value : values) value = draw(stream);
  return values;
}

double Mean(const std::vector<double>& values, const std::function<double(double)>& of) {
  double sum = 0;
  for (const double value : values) sum += of(value);
  return sum / static_cast<double>(values.size());
}

// The raw moments E[x^k] must be `moments[k - 1]`, k = 1 to 8. The error of the mean of x^k follows
// from the 2k-th moment, so the first four are tested.
void ExpectMoments(const std::vector<double>& values, const std::array<double, 8>& moments) {
  for (unsigned k = 1; k <= 4; ++k) {
    const double expected = moments[k - 1];
    const double error = std::sqrt((moments[2 * k - 1] - expected * expected) / kDraws);
    const double mean = Mean(values, [k](double x) { return std::pow(x, k); });
    EXPECT_NEAR(mean, expected, kErrors * error) << "moment " << k;
  }
}

// This is the test of Kolmogorov and Smirnov: the largest distance between the observed and the
// expected distribution function is below 1.95 / sqrt(n) with probability 0.999.
void ExpectDistribution(std::vector<double> values, const std::function<double(double)>& function) {
  std::sort(values.begin(), values.end());
  double distance = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double expected = function(values[i]);
    distance = std::max({distance, expected - static_cast<double>(i) / kDraws,
                         static_cast<double>(i + 1) / kDraws - expected});
  }
  EXPECT_LT(distance, 1.95 / std::sqrt(kDraws));
}

// Returns the sum of (observed - expected)^2 / expected over equally likely cells.
double ChiSquare(const std::vector<int>& counts) {
  const double expected = static_cast<double>(kDraws) / static_cast<double>(counts.size());
  double sum = 0;
  for (const int count : counts) sum += (count - expected) * (count - expected) / expected;
  return sum;
}

constexpr std::array<double, 8> kUniformMoments = {1.0 / 2, 1.0 / 3, 1.0 / 4, 1.0 / 5,
                                                   1.0 / 6, 1.0 / 7, 1.0 / 8, 1.0 / 9};

TEST(Uniform, IsUniform) {
  const std::vector<double> values = Draw([](RandomStream& s) { return s.Uniform(); });
  ExpectMoments(values, kUniformMoments);
  ExpectDistribution(values, [](double x) { return x; });
}

TEST(Uniform, StaysBelowOne) {
  for (const double value : Draw([](RandomStream& s) { return s.Uniform(); })) {
    ASSERT_GE(value, 0);
    ASSERT_LT(value, 1);
  }
}

TEST(Uniform, UsesAll53Bits) {
  const std::vector<double> values = Draw([](RandomStream& s) { return s.Uniform(); });
  EXPECT_TRUE(std::any_of(values.begin(), values.end(),
                          [](double x) { return std::fmod(x * 0x1p53, 2) == 1; }));
  EXPECT_TRUE(std::all_of(values.begin(), values.end(),
                          [](double x) { return std::fmod(x * 0x1p53, 1) == 0; }));
}

TEST(Uniform, FillsItsRange) {
  std::vector<double> values = Draw([](RandomStream& s) { return s.Uniform(-500, 1500); });
  for (double& value : values) value = (value + 500) / 2000;
  ExpectMoments(values, kUniformMoments);
}

TEST(Uniform, StaysInATightRange) {
  const double next = std::nextafter(1.0, 2.0);
  RandomStream stream = TestStream();
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(stream.Uniform(1, next), 1);  // the only number in [1, next)
    ASSERT_EQ(stream.Uniform(-2.5, -2.5), -2.5);
    ASSERT_EQ(stream.Uniform(0, 0), 0);
  }
}

TEST(LogUniform, HasAUniformLogarithm) {
  std::vector<double> values = Draw([](RandomStream& s) { return s.LogUniform(1e-3, 100); });
  for (double& value : values) value = (std::log10(value) + 3) / 5;
  ExpectMoments(values, kUniformMoments);
  ExpectDistribution(values, [](double x) { return x; });
}

TEST(LogUniform, StaysInItsRange) {
  RandomStream stream = TestStream();
  for (int i = 0; i < 1000; ++i) {
    const double high = std::nextafter(3.0, 4.0);
    const double value = stream.LogUniform(3, high);
    ASSERT_GE(value, 3);
    ASSERT_LE(value, high);
    ASSERT_EQ(stream.LogUniform(1e-28, 1e-28), 1e-28);
  }
}

TEST(Normal, IsNormal) {
  const std::vector<double> values = Draw([](RandomStream& s) { return s.Normal(); });
  ExpectMoments(values, {0, 1, 0, 3, 0, 15, 0, 105});
  ExpectDistribution(values, [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); });
}

TEST(Exponential, IsExponential) {
  const std::vector<double> values = Draw([](RandomStream& s) { return s.Exponential(); });
  ExpectMoments(values, {1, 2, 6, 24, 120, 720, 5040, 40320});
  ExpectDistribution(values, [](double x) { return -std::expm1(-x); });
  EXPECT_GE(*std::min_element(values.begin(), values.end()), 0);
  EXPECT_TRUE(std::isfinite(*std::max_element(values.begin(), values.end())));
}

std::vector<double> DrawGamma(double shape) {
  return Draw([shape](RandomStream& s) { return std::exp(s.LogGamma(shape)); });
}

// The moments are E[x^k] = shape (shape + 1) ... (shape + k - 1).
std::array<double, 8> GammaMoments(double shape) {
  std::array<double, 8> moments;
  double product = 1;
  for (unsigned k = 0; k < 8; ++k) moments[k] = product *= shape + k;
  return moments;
}

TEST(LogGamma, HasTheMomentsOfGamma) {
  for (const double shape : {0.1, 0.5, 1.0, 1.7, 3.0, 30.0}) {
    SCOPED_TRACE(shape);
    ExpectMoments(DrawGamma(shape), GammaMoments(shape));
  }
}

// For these shapes the distribution function is known in closed form.
TEST(LogGamma, HasTheDistributionOfGamma) {
  ExpectDistribution(DrawGamma(0.5), [](double x) { return std::erf(std::sqrt(x)); });
  ExpectDistribution(DrawGamma(1), [](double x) { return -std::expm1(-x); });
  ExpectDistribution(DrawGamma(3), [](double x) { return 1 - std::exp(-x) * (1 + x + x * x / 2); });
}

// As the shape goes to 0, -shape * log(x) becomes exponential with mean 1.
TEST(LogGamma, DoesNotUnderflow) {
  std::vector<double> values = Draw([](RandomStream& s) { return -1e-9 * s.LogGamma(1e-9); });
  EXPECT_TRUE(std::isfinite(*std::max_element(values.begin(), values.end())));
  ExpectDistribution(values, [](double x) { return x < 0 ? 0 : -std::expm1(-x); });
}

// As the shape grows, (x - shape) / sqrt(shape) becomes normal.
TEST(LogGamma, TakesALargeShape) {
  std::vector<double> values = DrawGamma(1e8);
  for (double& value : values) value = (value - 1e8) / 1e4;
  ExpectDistribution(values, [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); });
}

TEST(Below, IsUniformOnASmallBound) {
  RandomStream stream = TestStream();
  std::vector<int> counts(6);
  for (int i = 0; i < kDraws; ++i) ++counts.at(stream.Below(6));
  EXPECT_LT(ChiSquare(counts), 20.5);  // 0.999 of chi-square with 5 degrees of freedom
}

TEST(Below, IsUniformOnAHugeBound) {
  // The plain remainder of 64 bits would fall into the first third half of the time.
  const std::uint64_t third = std::uint64_t{1} << 62;
  RandomStream stream = TestStream();
  std::vector<int> counts(3);
  for (int i = 0; i < kDraws; ++i) ++counts.at(stream.Below(3 * third) / third);
  EXPECT_LT(ChiSquare(counts), 13.8);  // 0.999 of chi-square with 2 degrees of freedom
}

TEST(Below, StaysBelowItsBound) {
  RandomStream stream = TestStream();
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(stream.Below(1), 0U);
    ASSERT_LT(stream.Below(2), 2U);
    ASSERT_LT(stream.Below(UINT64_MAX), UINT64_MAX);
  }
}

// One number from each of many streams is as good as many numbers from one stream.
TEST(RandomStream, NeighboursAreIndependent) {
  std::vector<double> values(kDraws);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = TestStream(i).Uniform();
  ExpectMoments(values, kUniformMoments);
  double covariance = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    covariance += (values[i] - 0.5) * (values[i - 1] - 0.5) / kDraws;
  }
  EXPECT_NEAR(covariance, 0, kErrors / 12 / std::sqrt(kDraws));
}

TEST(RandomStreamDeathTest, ChecksItsBounds) {
  RandomStream stream = TestStream();
  EXPECT_DEATH(stream.Below(0), "broken contract");
  EXPECT_DEATH(stream.Uniform(2, 1), "broken contract");
  EXPECT_DEATH(stream.LogUniform(0, 1), "broken contract");
  EXPECT_DEATH(stream.LogUniform(2, 1), "broken contract");
  EXPECT_DEATH(stream.LogGamma(0), "broken contract");
}

// FNV-1a of "churn" is 0xf915e7687489005, that of "foobar" 0x85944171f73967e8 (its authors' test
// vectors). The numbers are part of results: they never change.
TEST(PurposeNamed, IsAHashAboveAllNumbersOfOurs) {
  EXPECT_EQ(std::uint64_t(PurposeNamed("foobar")), 0x85944171f73967e8);
  EXPECT_EQ(std::uint64_t(PurposeNamed("churn")), 0x0f915e7687489005 | kFirstNamedPurpose);
  static_assert(PurposeNamed("a") != PurposeNamed("b"));
  RandomStream named(1, PurposeNamed("churn"), 2, 3);
  RandomStream again(1, PurposeNamed("churn"), 2, 3);
  RandomStream other(1, PurposeNamed("noise"), 2, 3);
  const std::uint64_t bits = named.NextBits();
  EXPECT_EQ(again.NextBits(), bits);
  EXPECT_NE(other.NextBits(), bits);
}

}  // namespace
}  // namespace airlot::base
