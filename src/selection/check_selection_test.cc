#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "airlot/selection.h"
#include "selection/small_cell_for_tests.h"

namespace airlot::selection {
namespace {

// Devices 0, 1 and 3 can take part, with 1 W each in a band of 4 Hz.
class CheckSelectionTest : public testing::Test {
 protected:
  CheckSelectionTest() : cell_({1, 1, 1, 1}) { cell_.probability[2] = 0; }

  static Selection Good() {
    return {.devices = {0, 3},
            .terms = {{.power_w = 1, .bandwidth_hz = 3}, {.power_w = 0.1, .bandwidth_hz = 1}},
            .probability = {0.5, 1}};
  }
  void Check(const Selection& selection) {
    const Status status = CheckSelection(cell_.View(), selection);
    EXPECT_TRUE(status.ok()) << status.error().message;
  }
  void ExpectError(const std::function<void(Selection&)>& spoil, const std::string& part) {
    Selection selection = Good();
    spoil(selection);
    const Status status = CheckSelection(cell_.View(), selection);
    ASSERT_FALSE(status.ok()) << part;
    EXPECT_NE(status.error().message.find(part), std::string::npos) << status.error().message;
  }

  SmallCell cell_;
};

TEST_F(CheckSelectionTest, LetsGoodOnesPass) {
  Check({});
  Check(Good());
  Check({.devices = {0, 1, 3}});
  Selection selection = Good();
  selection.takes_turns = true;
  selection.devices = {3, 0};
  selection.terms[0].bandwidth_hz = selection.terms[1].bandwidth_hz = 4;  // one after the other
  Check(selection);
}

TEST_F(CheckSelectionTest, RoundingIsNoMistake) {
  Selection selection = Good();
  selection.terms[0].power_w = 1 + 1e-12;
  selection.terms[0].bandwidth_hz = 3 + 1e-12;
  Check(selection);
}

TEST_F(CheckSelectionTest, RefusesOthers) {
  ExpectError([](Selection& s) { s.devices[1] = 2; }, "device 2 of 4 is selected, but cannot");
  ExpectError([](Selection& s) { s.devices[1] = 4; }, "device 4 of 4 is selected, but cannot");
  ExpectError([](Selection& s) { s.devices = {3, 0}; }, "not in rising order");
  ExpectError([](Selection& s) { s.devices = {3, 3}; }, "one of them twice");
  ExpectError(
      [](Selection& s) {
        s.devices = {3, 3};
        s.takes_turns = true;
      },
      "one of them twice");
  ExpectError([](Selection& s) { s.terms.pop_back(); }, "1 terms of 2 devices");
  ExpectError([](Selection& s) { s.probability.pop_back(); }, "1 probabilities of 2 devices");
  ExpectError([](Selection& s) { s.terms[1].power_w = 1.01; }, "device 3 sends at 1.01 W of 1 W");
  ExpectError([](Selection& s) { s.terms[1].power_w = 0; }, "device 3 sends at 0 W");
  ExpectError([](Selection& s) { s.terms[1].cpu_share = 1.5; }, "CPU share of 1.5");
  ExpectError([](Selection& s) { s.terms[1].cpu_share = 0; }, "CPU share of 0");
  ExpectError([](Selection& s) { s.terms[1].bandwidth_hz = 0; }, "device 3 sends in 0 Hz");
  ExpectError([](Selection& s) { s.terms[1].bandwidth_hz = 1.01; }, "4.01 Hz are given of 4 Hz");
  ExpectError([](Selection& s) { s.terms[1].update_bits = -1; }, "device 3 sends -1 bits");
  ExpectError([](Selection& s) { s.before_s = -1; }, "-1 s before the round");
}

}  // namespace
}  // namespace airlot::selection
