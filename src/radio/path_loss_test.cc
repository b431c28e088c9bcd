#include "radio/path_loss.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace airlot {
namespace {

// The radio is as in the table of test vectors: 5 GHz, and the heights of each model.
Propagation At5Ghz(PathLoss path_loss) {
  Propagation propagation;
  propagation.path_loss = path_loss;
  propagation.frequency_hz = 5e9;
  return propagation;
}

double LossOf(PathLoss path_loss, double distance_m) {
  const Propagation propagation = At5Ghz(path_loss);
  return PathLossDb(propagation, distance_m, LineOfSightProbability(propagation, distance_m) == 1);
}

// Losses are sums of a few products with logarithms, in double: fewer than 32 roundings of numbers
// below 200 dB.
constexpr double kRounding = 32 * 0x1p-53 * 200;

// --- Worked by hand ------------------------------------------------------------------------------

TEST(InverseSquare, IsTwentyDecibelADecade) {
  EXPECT_EQ(LossOf(PathLoss::kInverseSquare, 1), 0);
  EXPECT_EQ(LossOf(PathLoss::kInverseSquare, 100), 40);
  EXPECT_EQ(PathGain({}, 100, true), 1e-4);
  EXPECT_EQ(PathGain({}, 3, false), 1.0 / 9);  // exact, and one law for all
}

TEST(InverseSquare, CloserThanOneMetreCountsAsOneMetre) {
  for (const double distance_m : {0.0, 0.5, 1.0}) {
    EXPECT_EQ(PathGain({}, distance_m, true), 1);
    EXPECT_EQ(PathLossDb({}, distance_m, true), 0);
    EXPECT_TRUE(CheckDistance({}, distance_m).ok());
  }
}

TEST(LogDistance, GivesTheReceivedPowersOfItsVectors) {
  Propagation propagation;
  propagation.path_loss = PathLoss::kLogDistance;
  propagation.path_loss_exponent = 3;
  propagation.reference_loss_db = 40.045997;
  const double sent_w = 0.05035702;
  const std::pair<double, double> vectors[] = {
      {10, 4.98265e-9}, {20, 6.22831e-10}, {40, 7.78539e-11}, {80, 9.73173e-12}};
  for (const auto& [distance_m, received_w] : vectors) {  // of 6 digits
    EXPECT_NEAR(sent_w * PathGain(propagation, distance_m, true) / received_w, 1, 1e-5)
        << distance_m;
  }
}

TEST(Macro2Ghz, IsItsFormula) {
  EXPECT_NEAR(LossOf(PathLoss::kMacro2Ghz, 1000), 128.1, kRounding);
  EXPECT_NEAR(LossOf(PathLoss::kMacro2Ghz, 100), 90.5, kRounding);
}

// --- 3GPP TR 38.901 ------------------------------------------------------------------------------

// The vectors are those of ns-3's test suite, made with c = 3e8; beyond a break point that moves
// them by up to 0.006 dB.
TEST(Path3gpp, AgreesWithPublishedLosses) {
  const struct {
    PathLoss path_loss;
    double distance_m, loss_db;
  } vectors[] = {
      {PathLoss::kRmaLos, 10, 77.3784},    {PathLoss::kRmaNlos, 10, 77.3784},
      {PathLoss::kRmaLos, 1000, 108.5577}, {PathLoss::kRmaNlos, 1000, 133.5223},
      {PathLoss::kUmaLos, 10, 72.9380},    {PathLoss::kUmaNlos, 10, 82.5131},
      {PathLoss::kUmaLos, 1000, 109.7252}, {PathLoss::kUmaNlos, 1000, 144.7641},
      {PathLoss::kUmiLos, 10, 69.8591},    {PathLoss::kUmiNlos, 10, 76.7563},
      {PathLoss::kUmiLos, 1000, 119.3114}, {PathLoss::kUmiNlos, 1000, 143.1886},
      {PathLoss::kInhLos, 1, 50.8072},     {PathLoss::kInhNlos, 1, 50.8072},
      {PathLoss::kInhLos, 50, 75.7750},    {PathLoss::kInhNlos, 50, 99.7824},
  };
  for (const auto& [path_loss, distance_m, loss_db] : vectors) {
    EXPECT_NEAR(LossOf(path_loss, distance_m), loss_db, 0.0065)
        << PathLossName(path_loss) << " at " << distance_m;
  }
}

// Returns the slope on both sides of a point, in dB per decade of distance.
std::pair<double, double> SlopesAround(PathLoss path_loss, double distance_m) {
  const double at = LossOf(path_loss, distance_m), ratio = 1.001;
  return {(at - LossOf(path_loss, distance_m / ratio)) / std::log10(ratio),
          (LossOf(path_loss, distance_m * ratio) - at) / std::log10(ratio)};
}

TEST(BreakPoint, IsWhereTheSlopeChanges) {
  const struct {
    PathLoss path_loss;
    double distance_m, near_slope;
  } points[] = {{PathLoss::kUmaLos, 800.55, 22}, {PathLoss::kUmiLos, 300.21, 21}};
  for (const auto& [path_loss, distance_m, near_slope] : points) {
    const auto [near, far] = SlopesAround(path_loss, distance_m);
    EXPECT_NEAR(near, near_slope, 0.15) << PathLossName(path_loss);
    EXPECT_NEAR(far, 40, 0.15) << PathLossName(path_loss);
    // A metre to either side the slope does not change yet.
    EXPECT_NEAR(SlopesAround(path_loss, distance_m * 0.998).second, near_slope, 0.15);
    EXPECT_NEAR(SlopesAround(path_loss, distance_m * 1.002).first, 40, 0.15);
  }
  const auto [near, far] = SlopesAround(PathLoss::kRmaLos, 5501.6);
  EXPECT_NEAR(near, 20 + 0.03 * std::pow(5, 1.72) + 0.002 * std::log10(5) * 5501.6 * std::log(10),
              0.5);
  EXPECT_NEAR(far, 40, 0.5);
}

TEST(BreakPoint, LeavesNoStep) {
  for (const auto& [path_loss, distance_m, step_db] :
       {std::tuple{PathLoss::kUmaLos, 800.55, 1e-4},
        {PathLoss::kUmaNlos, 800.55, 1e-4},
        {PathLoss::kUmiLos, 300.21, 1e-4},
        // The last step is the standard's, which takes the break point, a distance on the ground,
        // for one in space.
        {PathLoss::kRmaLos, 5501.6, 1e-3}}) {
    const double around = 0.05;  // the break points are known to 0.05 m
    const double expected = 40 * std::log10((distance_m + around) / (distance_m - around));
    EXPECT_NEAR(LossOf(path_loss, distance_m + around) - LossOf(path_loss, distance_m - around),
                expected / 2, expected / 2 + step_db)
        << PathLossName(path_loss);
  }
}

TEST(Path3gpp, ObstaclesNeverHelp) {
  for (const auto& [drawn, obstructed] : {std::pair{PathLoss::kRmaLos, PathLoss::kRmaNlos},
                                          {PathLoss::kUmaLos, PathLoss::kUmaNlos},
                                          {PathLoss::kUmiLos, PathLoss::kUmiNlos},
                                          {PathLoss::kInhLos, PathLoss::kInhNlos}}) {
    double before_db = 0;
    for (double distance_m = 10; distance_m < 149; distance_m *= 1.01) {
      EXPECT_GE(LossOf(obstructed, distance_m), LossOf(drawn, distance_m));
      EXPECT_GT(LossOf(drawn, distance_m), before_db);  // distance always costs
      before_db = LossOf(drawn, distance_m);
    }
  }
}

TEST(Path3gpp, HeightsAndFrequencyCount) {
  Propagation propagation = At5Ghz(PathLoss::kUmaNlos);
  const double low_db = PathLossDb(propagation, 500, false);
  propagation.device_height_m = 11.5;
  // A metre of height takes off 0.6 dB, and the shorter distance between the antennas a little
  // more.
  EXPECT_NEAR(low_db - PathLossDb(propagation, 500, false), 6, 0.03);
  propagation = At5Ghz(PathLoss::kInhLos);
  const double at_5ghz_db = PathLossDb(propagation, 30, true);
  propagation.frequency_hz = 50e9;
  EXPECT_NEAR(PathLossDb(propagation, 30, true) - at_5ghz_db, 20, kRounding);
  // The base is as high as the device, so it is 30 m from antenna to antenna.
  propagation.base_height_m = 1.5;
  EXPECT_NEAR(PathLossDb(propagation, 30, true), 32.4 + 17.3 * std::log10(30) + 20 * std::log10(50),
              kRounding);
  propagation = At5Ghz(PathLoss::kRmaNlos);
  const double narrow_db = PathLossDb(propagation, 2000, false);
  propagation.street_width_m = 40;
  EXPECT_NEAR(narrow_db - PathLossDb(propagation, 2000, false), 7.1 * std::log10(2), kRounding);
}

// --- Line of sight -------------------------------------------------------------------------------

TEST(LineOfSight, AgreesWithPublishedProbabilities) {
  const struct {
    PathLoss path_loss;
    double device_height_m;
    bool open_office;
    double distance_m, probability;
  } vectors[] = {
      {PathLoss::kRma, 1.5, false, 10, 1},          {PathLoss::kRma, 1.5, false, 100, 0.913931},
      {PathLoss::kRma, 1.5, false, 1000, 0.371577}, {PathLoss::kUma, 1.5, false, 18, 1},
      {PathLoss::kUma, 1.5, false, 50, 0.649402},   {PathLoss::kUma, 15, false, 50, 0.655905},
      {PathLoss::kUmi, 1.5, false, 18, 1},          {PathLoss::kUmi, 1.5, false, 50, 0.519585},
      {PathLoss::kInh, 1.5, false, 1.2, 1},         {PathLoss::kInh, 1.5, false, 5, 0.445521},
      {PathLoss::kInh, 1.5, false, 10, 0.287424},   {PathLoss::kInh, 1.5, true, 5, 1},
      {PathLoss::kInh, 1.5, true, 30, 0.702502},    {PathLoss::kInh, 1.5, true, 100, 0.424394},
  };
  for (const auto& [path_loss, device_height_m, open_office, distance_m, probability] : vectors) {
    Propagation propagation = At5Ghz(path_loss);
    propagation.device_height_m = device_height_m;
    propagation.open_office = open_office;
    // The published numbers have 6 digits.
    EXPECT_NEAR(LineOfSightProbability(propagation, distance_m), probability, 1e-6)
        << PathLossName(path_loss) << " at " << distance_m;
  }
}

TEST(LineOfSight, IsCertainWhereTheNameSaysSo) {
  for (const PathLossEntry& entry : PathLosses()) {
    const double probability = LineOfSightProbability(At5Ghz(entry.path_loss), 100);
    if (DrawsLineOfSight(entry.path_loss)) {
      EXPECT_GT(probability, 0) << entry.name;
      EXPECT_LT(probability, 1) << entry.name;
      continue;
    }
    EXPECT_EQ(probability, entry.name.ends_with("-nlos") ? 0 : 1) << entry.name;
  }
}

TEST(LineOfSight, IsAProbabilityForEveryHeight) {
  Propagation propagation = At5Ghz(PathLoss::kUma);
  for (propagation.device_height_m = 1.5; propagation.device_height_m <= 22.5;
       propagation.device_height_m += 1.5) {
    for (double distance_m = 10; distance_m <= 5000; distance_m *= 1.1) {
      EXPECT_LE(LineOfSightProbability(propagation, distance_m), 1);
      EXPECT_GT(LineOfSightProbability(propagation, distance_m), 0);
    }
  }
}

// --- Shadowing and K-factor ----------------------------------------------------------------------

// The heights, distances and the frequency are those of ns-3's test of the shadowing. Later
// versions of it have 6 GHz, where 4000 m are before the break point of rma (5031 m) and 4 dB hold.
TEST(Shadowing, HasThePublishedStandardDeviations) {
  const struct {
    PathLoss path_loss;
    double base_height_m, device_height_m, frequency_hz, distance_m, sight_db, obstructed_db;
  } vectors[] = {
      {PathLoss::kRma, 25, 1.6, 3.5e9, 100, 4, 8},  {PathLoss::kRma, 25, 1.6, 3.5e9, 4000, 6, 8},
      {PathLoss::kRma, 25, 1.6, 6e9, 4000, 4, 8},   {PathLoss::kRma, 25, 1.6, 6e9, 5030, 4, 8},
      {PathLoss::kRma, 25, 1.6, 6e9, 5031, 6, 8},   {PathLoss::kUma, 25, 1.6, 6e9, 100, 4, 6},
      {PathLoss::kUmi, 10, 1.6, 6e9, 100, 4, 7.82}, {PathLoss::kInh, 3, 1, 6e9, 50, 3, 8.03}};
  for (const auto& vector : vectors) {
    Propagation propagation;
    propagation.path_loss = vector.path_loss;
    propagation.base_height_m = vector.base_height_m;
    propagation.device_height_m = vector.device_height_m;
    propagation.frequency_hz = vector.frequency_hz;
    // Shadowing was not asked for.
    EXPECT_EQ(ShadowingSd(propagation, vector.distance_m, false), 0);
    propagation.shadowing.emplace();
    EXPECT_EQ(ShadowingSd(propagation, vector.distance_m, true), vector.sight_db)
        << vector.distance_m;
    EXPECT_EQ(ShadowingSd(propagation, vector.distance_m, false), vector.obstructed_db);
    propagation.shadowing->sd_db = 5;
    EXPECT_EQ(ShadowingSd(propagation, vector.distance_m, true), 5);
  }
}

TEST(RicianK, IsThePathLossesOwnUnlessSet) {
  FadingModel fading;
  EXPECT_EQ(RicianKOf(fading, PathLoss::kUma, true).mean_db, 9);
  EXPECT_EQ(RicianKOf(fading, PathLoss::kUma, true).sd_db, 3.5);
  // There is no direct path.
  EXPECT_EQ(FromDecibel(RicianKOf(fading, PathLoss::kUma, false).mean_db), 0);
  fading.rician_k_db = 4;
  for (const bool line_of_sight : {true, false}) {
    EXPECT_EQ(RicianKOf(fading, PathLoss::kUma, line_of_sight).mean_db, 4);
    EXPECT_EQ(RicianKOf(fading, PathLoss::kUma, line_of_sight).sd_db, 0);
  }
}

// --- Environment height --------------------------------------------------------------------------

TEST(EnvironmentHeight, IsOneMetreForLowDevicesAndOtherModels) {
  base::RandomStream stream(1, base::Purpose{950}, 0, 0);
  Propagation propagation = At5Ghz(PathLoss::kUmi);
  propagation.device_height_m = 22.5;
  EXPECT_EQ(radio::DrawEnvironmentHeight(propagation, 400, stream), 1);
  propagation = At5Ghz(PathLoss::kUma);
  propagation.device_height_m = 12.9;
  EXPECT_EQ(radio::DrawEnvironmentHeight(propagation, 400, stream), 1);
}

TEST(EnvironmentHeight, HasTheStandardsDistribution) {
  // At 22.5 m and 450 m, C is 0.95^1.5·1.25·4.5³·e^-3 = 5.25, so that 1 m has 16 %, and the rest is
  // spread over 12, 15, 18 and 21 m.
  Propagation propagation = At5Ghz(PathLoss::kUma);
  propagation.device_height_m = 22.5;
  const double c = std::pow(0.95, 1.5) * 1.25 * std::pow(4.5, 3) * std::exp(-3);
  constexpr int kDraws = 40'000;
  std::map<double, int> counts;
  for (int i = 0; i < kDraws; ++i) {
    base::RandomStream stream(1, base::Purpose{950}, 0, static_cast<std::uint64_t>(i));
    ++counts[radio::DrawEnvironmentHeight(propagation, 450, stream)];
  }
  ASSERT_EQ(counts.size(), 5u);
  for (const auto& [height_m, count] : counts) {
    const double share = height_m == 1 ? 1 / (1 + c) : c / (1 + c) / 4;
    const double sd = std::sqrt(kDraws * share * (1 - share));
    EXPECT_NEAR(count, kDraws * share, 4.5 * sd) << height_m;
  }
  EXPECT_EQ(counts.rbegin()->first, 21);
}

TEST(EnvironmentHeight, MovesTheBreakPoint) {
  Propagation propagation = At5Ghz(PathLoss::kUmaLos);
  propagation.device_height_m = 22.5;
  // The break point is at 4·(25 - 21)·(22.5 - 21)·f/c = 400 m instead of 34 km.
  EXPECT_NEAR(PathLossDb(propagation, 300, true, 21), PathLossDb(propagation, 300, true, 1),
              kRounding);
  EXPECT_NEAR(PathLossDb(propagation, 4000, true, 21) - PathLossDb(propagation, 4000, true, 1),
              18 * std::log10(4000 / (24 * 5e9 / radio::kLightSpeed)), 1e-3);
}

TEST(PathLosses, HaveTheirNames) {
  std::string names;
  for (const PathLossEntry& entry : PathLosses())
    names += std::string(PathLossName(entry.path_loss)) + " ";
  EXPECT_EQ(names,
            "inverse-square log-distance macro-2ghz rma rma-los rma-nlos uma uma-los uma-nlos umi "
            "umi-los umi-nlos inh inh-los inh-nlos ");
}

}  // namespace
}  // namespace airlot
