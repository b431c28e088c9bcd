// These tests ask which columns a fleet file may have, alone and beside others.
#include <gtest/gtest.h>

#include <string>

#include "fleet/fleet_file_for_tests.h"

namespace airlot::fleet {
namespace {

using FleetColumns = FleetFileTest;

TEST_F(FleetColumns, NumbersOutsideTheirRange) {
  EXPECT_EQ(ErrorOf("path_loss_db\nnan\n"),
            "fleet.csv:2: path_loss_db = nan: must be a finite number");
  EXPECT_EQ(ErrorOf("path_loss_db\n400.5\n"), "fleet.csv:2: path_loss_db = 400.5: must be <= 400");
  EXPECT_EQ(ErrorOf("path_loss_db\n0\n-97.5\n"),
            "fleet.csv:3: path_loss_db = -97.5: must be >= 0: did you mean channel_gain_db?");
  EXPECT_EQ(ErrorOf("channel_gain_db\n0\n97.5\n"),
            "fleet.csv:3: channel_gain_db = 97.5: must be <= 0: did you mean path_loss_db?");
  EXPECT_EQ(ErrorOf("channel_gain_db\n-400.5\n"),
            "fleet.csv:2: channel_gain_db = -400.5: must be >= -400");
  EXPECT_EQ(ErrorOf("path_loss_db,noise_dbm,noise_band_hz\n100,400.5,1\n"),
            "fleet.csv:2: noise_dbm = 400.5: must be from -400 to 400");
  EXPECT_EQ(ErrorOf("x_m,y_m\n1,2\n1,inf\n"), "fleet.csv:3: y_m = inf: must be a finite number");
  EXPECT_EQ(ErrorOf("x_m,y_m\n-1e41,2\n"), "fleet.csv:2: x_m = -1e41: must be >= -1e+40");
  EXPECT_EQ(ErrorOf("x_m,y_m\n1e41,2\n"), "fleet.csv:2: x_m = 1e41: must be <= 1e+40");
  EXPECT_EQ(ErrorOf("battery_mah,battery_v,lifetime_days\n1000,3,0\n"),
            "fleet.csv:2: lifetime_days = 0: must be > 0");
  EXPECT_EQ(ErrorOf("battery_mah,battery_v\n1000,-3\n"),
            "fleet.csv:2: battery_v = -3: must be > 0");
  EXPECT_EQ(ErrorOf("channel_gain_db\nloud\n"),
            "fleet.csv:2: channel_gain_db = \"loud\": must be a number");
}

TEST_F(FleetColumns, ThoseThatContradictEachOther) {
  const auto contradiction = [&](const std::string& first, const std::string& second) {
    const std::string message = ErrorOf(first + "," + second + ",y_m,battery_v\n1,1,1,1\n");
    return message.substr(0, message.find(": ", std::string("fleet.csv:1: ").size()));
  };
  for (const auto& [first, second] :
       {std::pair("path_loss_db", "channel_gain_db"), std::pair("path_loss_db", "noise_to_gain_w"),
        std::pair("channel_gain_db", "noise_to_gain_w"), std::pair("path_loss_db", "distance_m"),
        std::pair("channel_gain_db", "distance_m"), std::pair("noise_dbm", "noise_to_gain_w"),
        std::pair("distance_m", "x_m"), std::pair("energy_budget_j", "lifetime_days"),
        std::pair("battery_j", "battery_mah")}) {
    const std::string both = std::string(first) + " and " + second;
    EXPECT_EQ(contradiction(first, second), "fleet.csv:1: columns " + both);
    EXPECT_EQ(contradiction(second, first), "fleet.csv:1: columns " + both);
  }
}

TEST_F(FleetColumns, ThoseThatNeedAnother) {
  EXPECT_EQ(ErrorOf("x_m\n1\n"), "fleet.csv:1: column x_m: needs a column y_m beside it");
  EXPECT_EQ(ErrorOf("y_m\n1\n"), "fleet.csv:1: column y_m: needs a column x_m beside it");
  EXPECT_EQ(ErrorOf("battery_mah\n1\n"),
            "fleet.csv:1: column battery_mah: needs a column battery_v beside it");
  EXPECT_EQ(ErrorOf("distance_m,noise_band_hz\n1,1\n"),
            "fleet.csv:1: column noise_band_hz: needs a column noise_dbm or noise_to_gain_w beside "
            "it");
  EXPECT_EQ(ErrorOf("distance_m,round_period_s\n1,1\n"),
            "fleet.csv:1: column round_period_s: needs a column lifetime_days beside it");
}

TEST_F(FleetColumns, UnknownOnesAreRefusedOrIgnored) {
  const std::string text = "id,colour,distance_m,path_los_db\na,red,10,\nb,\"a, b\",20,x\n";
  EXPECT_EQ(WithoutFolder(ReadRows(text, UnknownColumns::kRefuse).error().message).substr(0, 36),
            "fleet.csv:1: unknown column \"colour\"");
  const auto rows = ReadRows(text, UnknownColumns::kIgnore);
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_EQ(rows->ignored, (std::vector<std::string>{"colour", "path_los_db"}));
  EXPECT_EQ(rows->distance_m[1], 20);
  EXPECT_TRUE(rows->path_loss_db.empty());
  EXPECT_EQ(ErrorOf("id,path_los_db\na,1\n"),
            "fleet.csv:1: unknown column \"path_los_db\": did you mean path_loss_db?");
  EXPECT_EQ(ErrorOf("ID\na\n"), "fleet.csv:1: unknown column \"ID\": did you mean id?");
  EXPECT_TRUE(
      ErrorOf("id,colour\na,1\n")
          .starts_with("fleet.csv:1: unknown column \"colour\": plan --ignore-unknown, or "
                       "fleet.ignore_unknown, leaves such columns out; known are id, distance_m"));
  EXPECT_TRUE(ErrorOf(text).ends_with(". Not known, either: \"path_los_db\" (path_loss_db?)"))
      << ErrorOf(text);
  EXPECT_EQ(ErrorOf("path_los_db,x,id\n1,2,a\n"),
            "fleet.csv:1: unknown column \"path_los_db\": did you mean path_loss_db? Not known, "
            "either: \"x\" (x_m?)");
  EXPECT_EQ(ErrorOf("path_loss_dB,battery_mAh\n1,2\n"),
            "fleet.csv:1: unknown column \"path_loss_dB\": did you mean path_loss_db? Not known, "
            "either: \"battery_mAh\" (battery_mah?)");
}

TEST_F(FleetColumns, IgnoringCannotHideThatNothingIsKnown) {
  const auto message = [&](const std::string& text) {
    return WithoutFolder(ReadRows(text, UnknownColumns::kIgnore).error().message);
  };
  EXPECT_TRUE(message("colour,size\nred,3\n").starts_with("fleet.csv:1: no column is known"));
  EXPECT_EQ(message("id;distance_m\na;3\n"),
            "fleet.csv:1: unknown column \"id;distance_m\": columns are separated by commas");
  EXPECT_EQ(message("id,id\na,b\n"), "fleet.csv:1: column id appears twice");
}

TEST_F(FleetColumns, TwoDevicesHaveTwoIds) {
  EXPECT_EQ(ErrorOf("id,distance_m\na,1\n\nb,1\n\n\na,1\n"),
            "fleet.csv:7: id = \"a\": line 2 has the same; every device needs an id of its own");
  EXPECT_EQ(ErrorOf("id,distance_m\n\" a\",1\na,1\n"), "no error");
}

TEST_F(FleetColumns, PlacesGiveTheDistance) {
  const auto fleet = Read("id,x_m,y_m\na,30,-40\nb,0,0\n");
  ASSERT_TRUE(fleet) << fleet.error().message;
  EXPECT_EQ((*fleet->distance_m)[0], 50);
  EXPECT_EQ((*fleet->distance_m)[1], 1);  // closer than 1 m counts as that
  ASSERT_TRUE(fleet->places);
  EXPECT_EQ(fleet->places->y_m[0], -40);
  EXPECT_DOUBLE_EQ(fleet->noise_to_gain_w[0], 2.5e-9);  // 1e-12 W over 50^-2
  defaults_.radio.propagation.path_loss = PathLoss::kUmiLos;
  EXPECT_EQ(ErrorOf("id,x_m,y_m\nfar,6000,0\n").substr(0, 33), "fleet.csv:2: device 1 (far): dist");
}

TEST_F(FleetColumns, PlacesMayStandBesideAMeasuredChannel) {
  const auto fleet = Read("x_m,y_m,path_loss_db\n30,-40,80\n");
  ASSERT_TRUE(fleet) << fleet.error().message;
  EXPECT_EQ((*fleet->distance_m)[0], 50);
  EXPECT_DOUBLE_EQ(fleet->noise_to_gain_w[0], 1e-4);  // 1e-12 W over 1e-8
}

}  // namespace
}  // namespace airlot::fleet
