#include <gtest/gtest.h>

#include <string>

#include "airlot/radio.h"

namespace airlot {
namespace {

Radio With(PathLoss path_loss) {
  Radio radio;
  radio.propagation.path_loss = path_loss;
  return radio;
}

std::string Message(const Status& status) { return status.ok() ? "" : status.error().message; }

TEST(Validate, TakesEveryPathLossAsItComes) {
  for (const PathLossEntry& entry : PathLosses()) {
    Radio radio = With(entry.path_loss);
    EXPECT_EQ(Message(Validate(radio)), "") << entry.name;
    if (!KnowsLineOfSight(entry.path_loss)) continue;
    radio.propagation.shadowing.emplace();
    radio.fading.kind = Fading::kRician;
    EXPECT_EQ(Message(Validate(radio)), "") << entry.name;
  }
}

TEST(Validate, NamesTheKeyTheValueAndTheRange) {
  Radio radio = With(PathLoss::kUma);
  radio.propagation.frequency_hz = 0.1e9;
  EXPECT_EQ(Message(Validate(radio)),
            "radio.frequency_hz = 1e+08: uma is defined from 5e+08 to 1e+11");
  radio = With(PathLoss::kRmaNlos);
  radio.propagation.frequency_hz = 31e9;
  EXPECT_EQ(Message(Validate(radio)),
            "radio.frequency_hz = 3.1e+10: rma-nlos is defined from 5e+08 to 3e+10");
  radio = With(PathLoss::kUmi);
  radio.propagation.base_height_m = 25;
  EXPECT_EQ(Message(Validate(radio)), "radio.base_height_m = 25: umi is defined for 10 only");
  radio = With(PathLoss::kUmaLos);
  radio.propagation.device_height_m = 1.4;
  EXPECT_EQ(Message(Validate(radio)),
            "radio.device_height_m = 1.4: uma-los is defined from 1.5 to 22.5");
  radio = With(PathLoss::kRma);
  radio.propagation.building_height_m = 51;
  EXPECT_EQ(Message(Validate(radio)), "radio.building_height_m = 51: rma is defined from 5 to 50");
  radio = With(PathLoss::kRma);
  radio.propagation.street_width_m = 4;
  EXPECT_EQ(Message(Validate(radio)), "radio.street_width_m = 4: rma is defined from 5 to 50");
}

TEST(Validate, AcceptsTheEndsOfARange) {
  Radio radio = With(PathLoss::kRma);
  for (const bool is_low : {true, false}) {
    radio.propagation.frequency_hz = is_low ? 0.5e9 : 30e9;
    radio.propagation.base_height_m = is_low ? 10 : 150;
    radio.propagation.device_height_m = is_low ? 1 : 10;
    radio.propagation.building_height_m = radio.propagation.street_width_m = is_low ? 5 : 50;
    EXPECT_EQ(Message(Validate(radio)), "");
  }
}

TEST(Validate, NoticesHeightsThatAreSwapped) {
  Radio radio = With(PathLoss::kUma);
  radio.propagation.base_height_m = 1.5;
  radio.propagation.device_height_m = 25;
  EXPECT_EQ(Message(Validate(radio)),
            "radio.base_height_m = 1.5: uma is defined for 25 only (are radio.base_height_m and "
            "radio.device_height_m swapped?)");
  radio.propagation.path_loss = PathLoss::kInh;
  radio.propagation.device_height_m = 3;
  EXPECT_EQ(Message(Validate(radio)),
            "radio.base_height_m = 1.5: inh is defined from radio.device_height_m = 3 on (are the "
            "two swapped?)");
  radio = With(PathLoss::kUmi);
  // The device is on a higher floor than the street's base station.
  radio.propagation.device_height_m = 20;
  EXPECT_EQ(Message(Validate(radio)), "");
}

TEST(Validate, LooksOnlyAtWhatThePathLossUses) {
  for (const PathLoss path_loss :
       {PathLoss::kInverseSquare, PathLoss::kLogDistance, PathLoss::kMacro2Ghz}) {
    Radio radio = With(path_loss);
    radio.propagation.frequency_hz = 1e6;
    radio.propagation.base_height_m = 1;
    radio.propagation.device_height_m = 2;
    EXPECT_EQ(Message(Validate(radio)), "");
  }
  Radio radio = With(PathLoss::kUmi);
  radio.propagation.street_width_m = 1;  // rma's
  EXPECT_EQ(Message(Validate(radio)), "");
}

TEST(Validate, AsksForWhatThePathLossDoesNotKnow) {
  Radio radio = With(PathLoss::kLogDistance);
  radio.propagation.shadowing.emplace();
  EXPECT_EQ(Message(Validate(radio)),
            "radio.shadowing = true: log-distance has no standard deviation of its own: set "
            "radio.shadowing_sd_db, from 0 to 100");
  radio.propagation.shadowing->sd_db = 8;
  EXPECT_EQ(Message(Validate(radio)), "");
  radio.fading.kind = Fading::kRician;
  EXPECT_EQ(Message(Validate(radio)),
            "radio.fading = rician: log-distance has no K-factor of its own: set "
            "radio.rician_k_db, from -40 to 40");
  radio.fading.rician_k_db = 6;
  EXPECT_EQ(Message(Validate(radio)), "");
}

TEST(CheckDistance, NamesTheRange) {
  EXPECT_EQ(Message(CheckDistance(With(PathLoss::kUma).propagation, 9)),
            "distance_m = 9: uma is defined from 10 to 5000");
  EXPECT_EQ(Message(CheckDistance(With(PathLoss::kUma).propagation, 10)), "");
  EXPECT_EQ(Message(CheckDistance(With(PathLoss::kUma).propagation, 5000)), "");
  EXPECT_EQ(Message(CheckDistance(With(PathLoss::kUmiNlos).propagation, 5001)),
            "distance_m = 5001: umi-nlos is defined from 10 to 5000");
  EXPECT_EQ(Message(CheckDistance(With(PathLoss::kLogDistance).propagation, 0.5)),
            "distance_m = 0.5: log-distance is defined from 1 on");
}

TEST(CheckDistance, KnowsThatObstaclesShortenRuralCells) {
  EXPECT_EQ(Message(CheckDistance(With(PathLoss::kRmaLos).propagation, 9000)), "");
  EXPECT_EQ(Message(CheckDistance(With(PathLoss::kRmaNlos).propagation, 9000)),
            "distance_m = 9000: rma-nlos is defined from 10 to 5000");
  EXPECT_EQ(Message(CheckDistance(With(PathLoss::kRma).propagation, 9000)),
            "distance_m = 9000: rma is defined from 10 to 5000");
}

TEST(CheckDistance, MeasuresIndoorsFromAntennaToAntenna) {
  Radio radio = With(PathLoss::kInh);  // the base is 1.5 m above the device
  EXPECT_EQ(DistanceRange(radio.propagation).low, 0);
  EXPECT_NEAR(DistanceRange(radio.propagation).high, 149.9925, 1e-4);
  radio.propagation.base_height_m = radio.propagation.device_height_m;
  EXPECT_EQ(DistanceRange(radio.propagation).low, 1);
  EXPECT_EQ(DistanceRange(radio.propagation).high, 150);
}

}  // namespace
}  // namespace airlot
