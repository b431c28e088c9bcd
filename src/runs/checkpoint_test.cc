#include "runs/checkpoint.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <string>
#include <vector>

#include "base/random.h"
#include "data/sha256.h"

namespace airlot::runs {
namespace {

constexpr base::Purpose kTest{960};
const std::string kFingerprint(64, 'f');

// Any bits there are: also NaN with payloads, infinities, subnormal numbers.
RunState RandomState(std::uint64_t seed) {
  base::RandomStream stream(seed, kTest, 0, 0);
  const auto number = [&] { return std::bit_cast<double>(stream.NextBits()); };
  const auto fill = [&](auto& values, auto make) {
    values.resize(stream.Below(5));
    for (auto& value : values) value = make();
  };
  RunState state{.round = stream.NextBits(), .time_s = number(), .energy_j = number()};
  const auto small = [&] { return std::bit_cast<float>(std::uint32_t(stream.NextBits())); };
  fill(state.parameters, small);
  fill(state.velocity, small);
  fill(state.participations, [&] { return std::uint32_t(stream.NextBits()); });
  fill(state.energy_spent_j, number);
  fill(state.records, [&] {
    return RoundRecord{stream.NextBits(), number(), number(), stream.NextBits(), number(),
                       number(),          number(), number(), number()};
  });
  fill(state.second_moment, small);
  state.server_steps = stream.NextBits();
  fill(state.control, small);
  fill(state.strategy_memory, number);
  fill(state.device_memory, [&] {
    DeviceMemory memory;
    fill(memory.unsent, small);
    fill(memory.control, small);
    return memory;
  });
  state.setting_digest = std::string(stream.Below(3), 'd');
  fill(state.battery_j, number);
  fill(state.first_empty_round, [&] { return std::uint32_t(stream.NextBits()); });
  fill(state.probability_sum, number);
  return state;
}

template <class T>
std::vector<std::uint64_t> Bits(const std::vector<T>& values) {
  std::vector<std::uint64_t> bits;
  for (const T value : values) {
    if constexpr (sizeof(T) == 4) {
      bits.push_back(std::bit_cast<std::uint32_t>(value));
    } else {
      bits.push_back(std::bit_cast<std::uint64_t>(value));
    }
  }
  return bits;
}

std::vector<std::uint64_t> Bits(const RoundRecord& r) {
  auto bits = Bits(std::vector{r.time_s, r.energy_j, r.loss, r.accuracy, r.test_loss,
                               r.mean_participation_s, r.empty_batteries});
  bits.push_back(r.round);
  bits.push_back(r.participants);
  return bits;
}

void ExpectSameBits(const RunState& a, const RunState& b) {
  EXPECT_EQ(a.round, b.round);
  EXPECT_EQ(Bits(std::vector{a.time_s, a.energy_j}), Bits(std::vector{b.time_s, b.energy_j}));
  EXPECT_EQ(Bits(a.parameters), Bits(b.parameters));
  EXPECT_EQ(Bits(a.velocity), Bits(b.velocity));
  EXPECT_EQ(a.participations, b.participations);
  EXPECT_EQ(Bits(a.energy_spent_j), Bits(b.energy_spent_j));
  ASSERT_EQ(a.records.size(), b.records.size());
  for (std::size_t i = 0; i < a.records.size(); ++i) {
    EXPECT_EQ(Bits(a.records[i]), Bits(b.records[i])) << i;
  }
  EXPECT_EQ(Bits(a.second_moment), Bits(b.second_moment));
  EXPECT_EQ(a.server_steps, b.server_steps);
  EXPECT_EQ(Bits(a.control), Bits(b.control));
  EXPECT_EQ(Bits(a.strategy_memory), Bits(b.strategy_memory));
  ASSERT_EQ(a.device_memory.size(), b.device_memory.size());
  for (std::size_t i = 0; i < a.device_memory.size(); ++i) {
    EXPECT_EQ(Bits(a.device_memory[i].unsent), Bits(b.device_memory[i].unsent)) << i;
    EXPECT_EQ(Bits(a.device_memory[i].control), Bits(b.device_memory[i].control)) << i;
  }
  EXPECT_EQ(a.setting_digest, b.setting_digest);
  EXPECT_EQ(Bits(a.battery_j), Bits(b.battery_j));
  EXPECT_EQ(a.first_empty_round, b.first_empty_round);
  EXPECT_EQ(Bits(a.probability_sum), Bits(b.probability_sum));
}

RunState Small() {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  return {.round = 1,
          .time_s = 0.5,
          .energy_j = 2,
          .parameters = {1, -2},
          .velocity = {3},
          .participations = {1, 0},
          .energy_spent_j = {2, 0},
          .records = {{0, 0, 0, 0, kNone, 0.1, 2.3}, {1, 0.5, 2, 1, 2.2, kNone, kNone}},
          .second_moment = {4},
          .server_steps = 1,
          .control = {5},
          .strategy_memory = {6},
          .device_memory = {{.unsent = {7}}},
          .setting_digest = "ab",
          .battery_j = {8},
          .first_empty_round = {9},
          .probability_sum = {0.5}};
}

// What follows the bytes of a checkpoint whose checksum is right.
std::string Sealed(const std::string& bytes) {
  data::Sha256 hash;
  hash.Update({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  return bytes + hash.Hex();
}
std::string Unsealed(const std::string& bytes) { return bytes.substr(0, bytes.size() - 64); }

std::string ErrorOf(const std::string& bytes) {
  const auto state = DecodeCheckpoint(bytes, kFingerprint);
  return state ? "" : state.error().message;
}

TEST(CheckpointTest, DecodesToTheSameBits) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const RunState state = RandomState(seed);
    const auto decoded = DecodeCheckpoint(EncodeCheckpoint(state, kFingerprint), kFingerprint);
    ASSERT_TRUE(decoded.ok()) << decoded.error().message;
    ExpectSameBits(*decoded, state);
  }
  ExpectSameBits(*DecodeCheckpoint(EncodeCheckpoint({}, kFingerprint), kFingerprint), {});
}

TEST(CheckpointTest, IsLittleEndianInTheOrderOfTheFormat) {
  const std::string bytes = EncodeCheckpoint(Small(), kFingerprint);
  const std::string round("\1\0\0\0\0\0\0\0", 8);
  const std::string half("\0\0\0\0\0\0\xe0\x3f", 8);
  EXPECT_EQ(bytes.substr(0, 18 + 4), std::string("airlot checkpoint\n\4\0\0\0", 22));
  EXPECT_EQ(bytes.substr(22, 64), kFingerprint);
  EXPECT_EQ(bytes.substr(86, 16), round + half);
  EXPECT_EQ(bytes.size(), 22u + 64 + 24 + (8 + 8) + (8 + 4) + (8 + 8) + (8 + 16) + (8 + 144) +
                              (8 + 4) + 8 + (8 + 4) + (8 + 8) + (8 + 8 + 4 + 8) + (8 + 2) +
                              (8 + 8) + (8 + 4) + (8 + 8) + 64);
}

TEST(CheckpointTest, DetectsEveryChangedByte) {
  const std::string whole = EncodeCheckpoint(Small(), kFingerprint);
  ASSERT_EQ(ErrorOf(whole), "");
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const int flip : {1, 0x20, 0xff}) {
      std::string bytes = whole;
      bytes[i] = char(bytes[i] ^ flip);
      EXPECT_EQ(ErrorOf(bytes), i < 18 ? "it is not a checkpoint" : "its checksum does not match")
          << i;
      EXPECT_TRUE(DamageOf(bytes)) << i;
    }
  }
}

TEST(CheckpointTest, DetectsEveryOtherLength) {
  const std::string whole = EncodeCheckpoint(Small(), kFingerprint);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_TRUE(DamageOf(whole.substr(0, size))) << size;
    EXPECT_NE(ErrorOf(whole.substr(0, size)), "") << size;
  }
  EXPECT_EQ(ErrorOf(""), "it is empty");
  EXPECT_EQ(ErrorOf(whole.substr(0, 70)), "it is cut off");
  EXPECT_EQ(ErrorOf(whole + '\0'), "its checksum does not match");
  EXPECT_EQ(ErrorOf(whole + whole), "its checksum does not match");
}

// The checksum is right, what it protects is not: no size is believed.
TEST(CheckpointTest, DetectsSizesThatDoNotAddUp) {
  const std::string inner = Unsealed(EncodeCheckpoint(Small(), kFingerprint));
  ASSERT_EQ(ErrorOf(Sealed(inner)), "");
  for (std::size_t size = 18; size < inner.size(); ++size) {
    EXPECT_NE(ErrorOf(Sealed(inner.substr(0, size))), "") << size;
  }
  EXPECT_EQ(ErrorOf(Sealed(inner + '\0')), "its sizes do not add up");
  const std::size_t counts[] = {110, 126, 138, 154, 178, 330, 350, 362,
                                378, 386, 398, 406, 416, 432, 444};
  for (const std::size_t at : counts) {
    for (const std::size_t byte : {0, 3, 7}) {
      std::string bytes = inner;
      bytes[at + byte] = '\x7f';
      EXPECT_EQ(ErrorOf(Sealed(bytes)), "its sizes do not add up") << at << " " << byte;
    }
    // So large that its bytes, counted in 64 bits, would be the right number again.
    std::string bytes = inner;
    bytes[at + 7] = '\x40';
    EXPECT_EQ(ErrorOf(Sealed(bytes)), "its sizes do not add up") << at;
  }
}

TEST(CheckpointTest, RefusesOtherVersionsAndOtherRuns) {
  const std::string whole = EncodeCheckpoint(Small(), kFingerprint);
  const auto other = DecodeCheckpoint(whole, std::string(64, 'e'));
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().message, "it is of another scenario, strategy or seed");
  std::string inner = Unsealed(whole);
  inner[18] = 5;
  EXPECT_EQ(ErrorOf(Sealed(inner)), "it has format 5, and this version of airlot reads format 4");
  EXPECT_FALSE(DamageOf(Sealed(inner)));
}

TEST(CheckpointTest, FingerprintTellsRunsApart) {
  const Scenario scenario;
  Scenario other;
  other.learning.rate = 0.2;
  const std::string one = Fingerprint(scenario, "uniform", 1);
  EXPECT_EQ(one.size(), 64u);
  EXPECT_EQ(one, Fingerprint(Scenario(), "uniform", 1));
  EXPECT_NE(one, Fingerprint(scenario, "uniform", 2));
  EXPECT_NE(one, Fingerprint(scenario, "probabilistic", 1));
  EXPECT_NE(one, Fingerprint(other, "uniform", 1));
}

}  // namespace
}  // namespace airlot::runs
