// A fleet whose parts several processes hold has the plan, the sums and the file that one process
// gives it, to the bit.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "airlot/airtime_expectations.h"
#include "airlot/airtime_round.h"
#include "airlot/plan_file.h"
#include "airlot/round.h"
#include "base/gather.h"
#include "base/shards.h"
#include "base/team_for_tests.h"
#include "planning/round_time.h"

namespace airlot {
namespace {

namespace fs = std::filesystem;
using base::kShardSize;

// What one member, or one process alone, holds.
using Work = std::function<std::string(const Fleet&, const Hands&)>;

FleetDefaults SomeDefaults(std::size_t devices) {
  FleetDefaults defaults;
  defaults.model.devices = devices;
  defaults.model.samples = Spread::Uniform(0.5, 900);
  defaults.radio.noise = NoiseDensity{};
  defaults.radio.band.bandwidth_hz = 2e8;
  defaults.update_bits = 3e5;
  defaults.model_bits = 3e5;
  defaults.time_limit_s = 0.4;
  return defaults;
}

// Compares what `work` says in teams of several sizes with what it says alone.
void ExpectTheSame(const FleetDefaults& defaults, const Work& work) {
  const auto whole = DrawFleet(defaults, 2);
  ASSERT_TRUE(whole) << whole.error().message;
  const std::string alone = work(*whole, 2);
  for (const std::size_t members : {1, 2, 3, 4}) {
    base::ForEachMember(members, [&](Team& team) {
      const Hands hands(1, &team);
      const FleetPart part = DivideFleet(defaults.model.devices, team);
      const auto fleet = CompleteFleet({.devices = part.devices,
                                        .first_device = part.first_device,
                                        .ids = DeviceIds::RowNumbersFrom(part.first_device)},
                                       defaults, hands);
      ASSERT_TRUE(fleet) << fleet.error().message;
      EXPECT_EQ(work(*fleet, hands), alone) << members << " members, member " << team.rank();
    });
  }
}

// Returns numbers with all their digits.
std::string Digits(std::initializer_list<double> numbers) {
  std::ostringstream text;
  text << std::hexfloat;
  for (const double number : numbers) text << number << '\n';
  return text.str();
}

std::string Digits(const Expectations& expect) {
  return Digits({expect.participants, expect.participants_sd, expect.round_time_s,
                 expect.round_energy_j, expect.round_energy_sd_j, expect.probability_empty_round,
                 expect.longest_upload_s, double(expect.limited_by(Limit::kEnergy)),
                 double(expect.limited_by(Limit::kFull))});
}

// Returns a digest of values of the devices of all members, in the order of the devices.
std::string OfAll(std::span<const double> mine, const Hands& hands) {
  std::vector<double> all(mine.begin(), mine.end());
  if (hands.team != nullptr) all = base::GatherAll<double>(*hands.team, mine);
  double digest = 0;
  for (const double value : all) digest = digest * 1.0000001 + value;
  return std::to_string(all.size()) + "\n" + Digits({digest});
}

class FleetParts : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "fleet_parts_" + std::to_string(::getpid());
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  static std::string BytesOf(const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  std::string folder_;
};

TEST_F(FleetParts, ThePlanOfOwnBandsAndItsFile) {
  for (const std::string ending : {"csv", "npz"}) {
    const std::string path = folder_ + "/plan." + ending;
    ExpectTheSame(SomeDefaults(4 * kShardSize + 77), [&](const Fleet& fleet, const Hands& hands) {
      const auto problem = ProblemOf(fleet, SomeDefaults(1).radio, {});
      EXPECT_TRUE(problem);
      const Plan plan = Solve(*problem);
      EXPECT_TRUE(WritePlan(path, fleet, *problem, plan, {}, nullptr, hands));
      const Levers levers = FindLevers(*problem, plan, true, hands);
      const Certificate worst = CertifyPlan(*problem, plan, hands);
      return BytesOf(path) + Digits(Expect(*problem, plan, hands)) +
             Digits({levers.bandwidth, levers.max_power, levers.time_limit, levers.energy_budget,
                     worst.largest_violation, double(worst.violation_device), worst.largest_gap,
                     double(worst.gap_device)}) +
             OfAll(plan.power_w, hands);
    });
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
    fs::remove(path);
  }
}

TEST_F(FleetParts, ABandThatIsSharedContinuouslyAndInBlocks) {
  for (const BandSharing sharing : {BandSharing::kShared, BandSharing::kBlocks}) {
    // There are more blocks than devices, and fewer.
    for (const double block_hz : {1e3, 3e4}) {
      FleetDefaults defaults = SomeDefaults(5 * kShardSize - 3);
      defaults.radio.band.sharing = sharing;
      defaults.radio.band.block_hz = block_hz;
      if (sharing == BandSharing::kShared && block_hz > 1e3) defaults.radio.noise = FixedNoise{};
      ExpectTheSame(defaults, [&](const Fleet& of_fleet, const Hands& hands) {
        Fleet fleet = of_fleet;
        const auto split = SplitBand(defaults.radio, {}, fleet, hands);
        EXPECT_TRUE(split) << split.error().message;
        if (!split) return std::string("no split");
        const BandSplit& band = **split;
        EXPECT_GT(band.value, band.equal_value);
        return Digits({band.value, band.equal_value, band.bound, band.price}) +
               OfAll(band.bandwidth_hz, hands);
      });
    }
  }
}

TEST_F(FleetParts, AirtimeInTurnsAndInBands) {
  for (const AirtimeRules& rules :
       {AirtimeRules{}, AirtimeRules{.fairness = 0, .floor = 0, .sharing = AirtimeSharing::kTurns},
        AirtimeRules{.fairness = 2, .energy_price_s_per_j = 1e-3, .participants = 20},
        AirtimeRules{.fairness = 0.5, .data_exponent = 0.5, .floor = 0}}) {
    const FleetDefaults defaults = SomeDefaults(6 * kShardSize + 40);
    ExpectTheSame(defaults, [&](const Fleet& fleet, const Hands& hands) {
      const auto problem = ProblemOf(fleet, defaults.radio, {});
      EXPECT_TRUE(problem);
      const Plan own_bands = Solve(*problem);
      const Cell cell = CellOf(fleet, defaults.radio, *problem);
      const auto devices = double(base::SumOfMembers(hands, fleet.devices));
      const ColumnValues data_share(fleet.devices, 1 / devices);
      AirtimeRound round(rules);
      EXPECT_TRUE(round.Check(cell, data_share, own_bands.probability, hands));
      round.Plan(cell, data_share, own_bands.probability, hands);
      const PlanFile rows = DescribeAirtime(fleet, cell, round, own_bands);
      const AirtimeExpectations expect = ExpectAirtime(cell, round, rows, hands);
      const AirtimeCertificate worst = CertifyAirtime(round.problem(), round.plan(), hands);
      return Digits(expect.round) +
             Digits({expect.time_at_least_s, expect.time_at_most_s, expect.time_sd_s,
                     round.plan().log_price, round.plan().seconds, round.plan().participants,
                     worst.gap, worst.largest_violation, double(worst.violation_device),
                     double(worst.gap_device)}) +
             OfAll(rows.plan.probability, hands) + OfAll(rows.plan.power_w, hands);
    });
  }
}

// Where nobody is likely to take part, very many devices decide about the time of a round.
TEST_F(FleetParts, TheSlowestOfManyThatAreUnlikely) {
  constexpr std::size_t kDevices = 3 * kShardSize;
  const auto draw_of = [](std::size_t i) {
    // Many take equally long, with several probabilities.
    return planning::Draw{double(i * 7919 % 5003), 1e-4 * double(1 + i % 13)};
  };
  const auto draws_of = [&](std::size_t begin, std::size_t end) {
    std::vector<planning::Draw> draws;
    for (std::size_t i = begin; i < end; ++i) draws.push_back(draw_of(i));
    return draws;
  };
  std::vector<planning::Draw> all = draws_of(0, kDevices);
  const double alone_s = planning::ExpectedMaximum(all);
  std::vector<planning::Draw> reversed(all.rbegin(), all.rend());
  EXPECT_EQ(planning::ExpectedMaximum(reversed), alone_s);
  for (const std::size_t members : {1, 2, 3}) {
    base::ForEachMember(members, [&](Team& team) {
      std::vector<planning::Draw> mine =
          draws_of(kDevices * team.rank() / members, kDevices * (team.rank() + 1) / members);
      EXPECT_EQ(planning::ExpectedMaximum(mine, Hands(1, &team)), alone_s);
    });
  }
}

// Returns the fleet that each member reads of a file, or the error, which is that of all.
std::string ReadByAll(const std::string& path, std::size_t members,
                      UnknownColumns unknown = UnknownColumns::kRefuse) {
  std::vector<std::string> said(members);
  base::ForEachMember(members, [&](Team& team) {
    const Hands hands(2, &team);
    const auto part = DivideFleetFile(path, team);
    if (!part) {
      said[team.rank()] = part.error().message;
      return;
    }
    const auto rows = ReadFleetRows(path, {}, unknown, hands, &*part);
    if (!rows) {
      said[team.rank()] = rows.error().message;
      return;
    }
    EXPECT_EQ(rows->first_device, part->first_device);
    std::string first, last;
    said[team.rank()] = std::string(base::GatherBytes(
                            team, std::string(rows->ids.Get(0, first)) + ".." +
                                      std::string(rows->ids.Get(rows->devices - 1, last)) + " ")) +
                        OfAll(rows->distance_m, hands);
  });
  for (const std::string& one : said) EXPECT_EQ(one, said.front());
  return said.front();
}

TEST_F(FleetParts, FilesAndWhatIsWrongWithThem) {
  const std::string path = folder_ + "/fleet.csv";
  constexpr std::size_t kDevices = 3 * kShardSize + 100;
  std::vector<std::string> ids, values;
  for (std::size_t i = 0; i < kDevices; ++i) {
    ids.push_back("d" + std::to_string(i * 7919 % 1'000'003));
    values.push_back(std::to_string(10 + i % 300));
  }
  const auto write = [&](bool has_ids) {
    std::ofstream file(path);
    file << (has_ids ? "id,distance_m\n" : "distance_m\n");
    for (std::size_t i = 0; i < kDevices; ++i) {
      file << (has_ids ? ids[i] + "," : "") << values[i] << '\n';
    }
  };
  const auto alone = [&] {
    const auto rows = ReadFleetRows(path);
    return rows ? "" : rows.error().message;
  };
  write(true);
  const auto rows = ReadFleetRows(path);
  ASSERT_TRUE(rows);
  const std::string digest = OfAll(rows->distance_m, 1);
  for (const std::size_t members : {2, 3, 4}) {
    EXPECT_TRUE(ReadByAll(path, members).ends_with(digest)) << members;
  }
  EXPECT_TRUE(ReadByAll(path, 2).starts_with("d0.."));
  write(false);
  EXPECT_EQ(ReadByAll(path, 2), "1..32768 32769..49252 " + digest);

  // The same id in two parts, of which the first one that repeats another counts.
  ids[kDevices - 1] = ids[5];
  ids[2 * kShardSize + 3] = ids[kShardSize + 7];
  write(true);
  EXPECT_EQ(alone(), path + ":" + std::to_string(2 * kShardSize + 5) + ": id = \"" +
                         ids[kShardSize + 7] + "\": line " + std::to_string(kShardSize + 9) +
                         " has the same; every device needs an id of its own");
  for (const std::size_t members : {2, 3, 4}) EXPECT_EQ(ReadByAll(path, members), alone());
  // A wrong value in the last part.
  values[kDevices - 2] = "-3";
  write(true);
  for (const std::size_t members : {2, 4}) EXPECT_EQ(ReadByAll(path, members), alone());
  EXPECT_EQ(alone(), path + ":" + std::to_string(kDevices) + ": distance_m = -3: must be >= 0");
  std::ofstream(path) << "distance_m,nonsense\n1,2\n";
  EXPECT_EQ(ReadByAll(path, 1), alone());
  fs::remove(path);
  EXPECT_EQ(ReadByAll(path, 3), path + ": cannot open: No such file or directory");
}

}  // namespace
}  // namespace airlot
