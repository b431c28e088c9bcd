#include "runs/checkpoint.h"

#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/mutations_for_tests.h"
#include "base/random.h"
#include "data/sha256.h"
#include "learning/scaffold.h"
#include "learning/server_moments.h"
#include "simulation/state_parts.h"

namespace airlot::runs {
namespace {

constexpr base::Purpose kTest{960};
const std::string kFingerprint(64, 'f');

constexpr std::size_t kDevices = 2;

// Makes the state of a run of two devices and three parameters, with every part that there is. Its
// numbers have any bits there are: also NaN with payloads, infinities, subnormal numbers.
RunState RandomState(std::uint64_t seed) {
  base::RandomStream stream(seed, kTest, 0, 0);
  const auto number = [&] { return std::bit_cast<double>(stream.NextBits()); };
  const auto small = [&] { return std::bit_cast<float>(std::uint32_t(stream.NextBits())); };
  const auto count = [&] { return std::uint32_t(stream.NextBits()); };
  const auto perhaps = [&]() -> std::optional<double> {
    return stream.Below(2) == 0 ? std::nullopt : std::optional(number());
  };
  const auto perhaps_round = [&]() -> std::optional<std::uint32_t> {
    return stream.Below(2) == 0 ? std::nullopt : std::optional(1 + count() / 2);
  };
  const auto fill = [&](auto& values, std::size_t size, auto make) {
    values.resize(size);
    for (auto& value : values) value = make();
  };
  RunState state{.round = stream.Below(5), .time_s = number(), .energy_j = number()};
  fill(state.parameters, 3, small);
  fill(state.participations, kDevices, count);
  fill(state.energy_spent_j, kDevices, number);
  fill(state.records, state.round + 1, [&] {
    return RoundRecord{0,         number(),  number(),  stream.NextBits(), perhaps(),
                       perhaps(), perhaps(), perhaps(), perhaps()};
  });
  for (std::size_t i = 0; i < state.records.size(); ++i) state.records[i].round = i;
  state.setting_digest = std::string(stream.Below(3), 'd');
  auto& batteries = state.parts.Get<simulation::Batteries>();
  fill(batteries.charge_j, kDevices, number);
  fill(batteries.first_empty_round, kDevices, perhaps_round);
  fill(state.parts.Get<simulation::PlannedProbabilities>().sum, kDevices, number);
  fill(state.parts.Get<simulation::StrategyMemory>().numbers, stream.Below(5), number);
  auto& moments = state.parts.Get<learning::ServerMoments>();
  fill(moments.velocity, 3, small);
  fill(moments.second, stream.Below(2) * 3, small);
  moments.steps = stream.NextBits();
  auto& controls = state.parts.Get<learning::ControlVariates>();
  fill(controls.server, 3, small);
  const auto list = [&] {
    std::vector<float> values;
    fill(values, stream.Below(2) * 3, small);
    return values;
  };
  fill(controls.own, kDevices, list);
  fill(state.parts.Get<simulation::ErrorFeedback>().unsent, kDevices, list);
  return state;
}

template <class T>
std::vector<std::uint64_t> Bits(const std::vector<T>& values) {
  std::vector<std::uint64_t> bits;
  for (const T value : values) bits.push_back(std::bit_cast<BitsOf<T>>(value));
  return bits;
}

std::vector<std::uint64_t> Bits(const RoundRecord& r) {
  std::vector<std::uint64_t> bits{r.round, r.participants};
  for (const std::optional<double> value :
       {std::optional(r.time_s), std::optional(r.energy_j), r.loss, r.accuracy, r.test_loss,
        r.mean_participation_s, r.empty_batteries}) {
    bits.push_back(value ? std::bit_cast<std::uint64_t>(*value) : 0);
    bits.push_back(std::uint64_t{value.has_value()});
  }
  return bits;
}

template <class Part>
void ExpectSamePart(const RunState& saved, const RunState& b) {
  StateParts loaded;
  loaded.Get<Part>();
  StateParts one;
  ByteWriter bytes;
  for (const auto& part : saved.parts.all()) {
    if (part->name() == loaded.Get<Part>().name()) part->Save(bytes);
  }
  ASSERT_TRUE(one.AddSaved(std::string(loaded.Get<Part>().name()), bytes.bytes()));
  const Status status = loaded.LoadFrom(one, {.devices = kDevices, .parameters = 3});
  ASSERT_TRUE(status) << status.error().message;
  ByteWriter found, expected;
  loaded.Get<Part>().Save(found);
  b.parts.Find<Part>()->Save(expected);
  EXPECT_EQ(found.bytes(), expected.bytes());
}

void ExpectSameBits(const RunState& a, const RunState& b) {
  EXPECT_EQ(a.round, b.round);
  EXPECT_EQ(Bits(std::vector{a.time_s, a.energy_j}), Bits(std::vector{b.time_s, b.energy_j}));
  EXPECT_EQ(Bits(a.parameters), Bits(b.parameters));
  EXPECT_EQ(a.participations, b.participations);
  EXPECT_EQ(Bits(a.energy_spent_j), Bits(b.energy_spent_j));
  ASSERT_EQ(a.records.size(), b.records.size());
  for (std::size_t i = 0; i < a.records.size(); ++i) {
    EXPECT_EQ(Bits(a.records[i]), Bits(b.records[i])) << i;
  }
  EXPECT_EQ(a.setting_digest, b.setting_digest);
  ExpectSamePart<simulation::Batteries>(a, b);
  ExpectSamePart<simulation::PlannedProbabilities>(a, b);
  ExpectSamePart<simulation::StrategyMemory>(a, b);
  ExpectSamePart<simulation::ErrorFeedback>(a, b);
  ExpectSamePart<learning::ServerMoments>(a, b);
  ExpectSamePart<learning::ControlVariates>(a, b);
}

RunState Small() {
  RunState state{.round = 1,
                 .time_s = 0.5,
                 .energy_j = 2,
                 .parameters = {1, -2},
                 .participations = {1, 0},
                 .energy_spent_j = {2, 0},
                 .records = {{.accuracy = 0.1, .test_loss = 2.3},
                             {.round = 1, .time_s = 0.5, .energy_j = 2, .participants = 1}},
                 .setting_digest = "ab"};
  state.parts.Get<simulation::Batteries>(std::vector<double>{8, 9});
  state.parts.Get<simulation::StrategyMemory>().numbers = {6};
  return state;
}

// Returns the bytes with the checksum that is right for them.
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
    const std::string bytes = EncodeCheckpoint(state, kFingerprint);
    const auto decoded = DecodeCheckpoint(bytes, kFingerprint);
    ASSERT_TRUE(decoded.ok()) << decoded.error().message;
    ExpectSameBits(*decoded, state);
    EXPECT_EQ(EncodeCheckpoint(*decoded, kFingerprint), bytes);
  }
  const std::string empty = EncodeCheckpoint({}, kFingerprint);
  EXPECT_EQ(EncodeCheckpoint(*DecodeCheckpoint(empty, kFingerprint), kFingerprint), empty);
}

TEST(CheckpointTest, IsLittleEndianInTheOrderOfTheFormat) {
  const std::string bytes = EncodeCheckpoint(Small(), kFingerprint);
  const std::string round("\1\0\0\0\0\0\0\0", 8);
  const std::string half("\0\0\0\0\0\0\xe0\x3f", 8);
  EXPECT_EQ(bytes.substr(0, 18 + 4), std::string("airlot checkpoint\n\6\0\0\0", 22));
  EXPECT_EQ(bytes.substr(22, 64), kFingerprint);
  EXPECT_EQ(bytes.substr(86, 16), round + half);
  const std::size_t record = 4 * 8 + 6 * (4 + 8);
  const std::size_t batteries = (8 + 9) + 8 + (8 + 16) + (8 + 8);
  const std::size_t strategy = (8 + 8) + 8 + (8 + 8);
  EXPECT_EQ(bytes.size(), 22 + 64 + 24 + (8 + 8) + (8 + 8) + (8 + 16) + (8 + 2 * record) + (8 + 2) +
                              8 + batteries + strategy + 64);
}

TEST(CheckpointTest, BatteriesHaveRoundZeroWhereTheyWereNeverEmpty) {
  simulation::Batteries batteries(std::vector<double>{8, 9});
  batteries.first_empty_round = {3, std::nullopt};
  ByteWriter saved, expected;
  batteries.Save(saved);
  expected.Put(batteries.charge_j);
  expected.Put(std::vector<std::uint32_t>{3, 0});
  EXPECT_EQ(saved.bytes(), expected.bytes());
  simulation::Batteries loaded;
  ByteReader bytes(saved.bytes());
  loaded.Load(bytes);
  EXPECT_EQ(loaded.first_empty_round, batteries.first_empty_round);
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

// The checksum is right, but what it protects is not: the reader believes no size.
TEST(CheckpointTest, DetectsSizesThatDoNotAddUp) {
  const std::string inner = Unsealed(EncodeCheckpoint(Small(), kFingerprint));
  ASSERT_EQ(ErrorOf(Sealed(inner)), "");
  for (std::size_t size = 18; size < inner.size(); ++size) {
    EXPECT_NE(ErrorOf(Sealed(inner.substr(0, size))), "") << size;
  }
  EXPECT_EQ(ErrorOf(Sealed(inner + '\0')), "its sizes do not add up");
  // These are the places of the counts of parameters, participations, energies, records, digest,
  // parts, and of the first part's name and bytes.
  const std::size_t counts[] = {110, 126, 142, 166, 382, 392, 400, 417};
  for (const std::size_t at : counts) {
    for (const std::size_t byte : {0, 3, 7}) {
      std::string bytes = inner;
      bytes[at + byte] = '\x7f';
      EXPECT_EQ(ErrorOf(Sealed(bytes)), "its sizes do not add up") << at << " " << byte;
    }
    // This count is so large that its bytes, counted in 64 bits, would be the right number again.
    std::string bytes = inner;
    bytes[at + 7] = '\x40';
    EXPECT_EQ(ErrorOf(Sealed(bytes)), "its sizes do not add up") << at;
  }
}

// Whatever is behind a right checksum is refused, or read to what can be kept and read again.
TEST(CheckpointTest, AnyChangeIsReadOrRefused) {
  const std::string inner = Unsealed(EncodeCheckpoint(Small(), kFingerprint));
  std::size_t read = 0, refused = 0;
  const std::size_t head = 18 + 4 + 64;
  base::ForEachMutation(inner.substr(head), 5000, [&](const std::string& rest) {
    const std::string bytes = Sealed(inner.substr(0, head) + rest);
    const auto state = DecodeCheckpoint(bytes, kFingerprint);
    ++(state ? read : refused);
    if (!state) return;
    const std::string again = EncodeCheckpoint(*state, kFingerprint);
    ASSERT_EQ(EncodeCheckpoint(*DecodeCheckpoint(again, kFingerprint), kFingerprint), again);
  });
  EXPECT_GT(read, 500U);
  EXPECT_GT(refused, 500U);
}

// Lists that do not agree would be read beyond their end.
TEST(CheckpointTest, RefusesListsThatDoNotAgree) {
  const auto error_with = [](const std::function<void(RunState&)>& change) {
    RunState state = Small();
    change(state);
    return ErrorOf(EncodeCheckpoint(state, kFingerprint));
  };
  EXPECT_EQ(error_with([](RunState& s) { s.energy_spent_j.clear(); }),
            "energy_spent_j: 0 values, 2 are needed");
  EXPECT_EQ(error_with([](RunState& s) { s.participations.push_back(0); }),
            "energy_spent_j: 2 values, 3 are needed");
  EXPECT_EQ(error_with([](RunState& s) { s.records.pop_back(); }),
            "records: 1 values, 2 are needed");
  EXPECT_EQ(error_with([](RunState& s) { s.records[1].round = 7; }),
            "records: round = 7: must be 1");
  EXPECT_EQ(error_with([](RunState& s) { s.round = 2; }), "records: 2 values, 3 are needed");
  EXPECT_EQ(error_with([](RunState& s) {
              s.parts.Find<simulation::Batteries>()->first_empty_round.pop_back();
            }),
            "state part batteries: first_empty_round: 1 values, 2 are needed");
  EXPECT_EQ(error_with(
                [](RunState& s) { s.parts.Get<simulation::PlannedProbabilities>().sum.resize(3); }),
            "state part planned_probabilities: sum: 3 values, 2 are needed");
}

TEST(CheckpointTest, RefusesOtherVersionsAndOtherRuns) {
  const std::string whole = EncodeCheckpoint(Small(), kFingerprint);
  const auto other = DecodeCheckpoint(whole, std::string(64, 'e'));
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().message, "it is of another scenario, strategy or seed");
  std::string inner = Unsealed(whole);
  inner[18] = 4;
  EXPECT_EQ(ErrorOf(Sealed(inner)), "it has format 4, and this version of airlot reads format 6");
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
