// The tests of scenarios share this header: it reads a scenario, and compares two.
#ifndef AIRLOT_SCENARIO_SCENARIO_FOR_TESTS_H_
#define AIRLOT_SCENARIO_SCENARIO_FOR_TESTS_H_

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "airlot/scenario.h"

namespace airlot::scenario {

using Overrides = std::vector<std::string>;

// Returns what is wrong with a scenario, or "" if nothing is.
inline std::string Message(const Result<Scenario>& scenario) {
  return scenario.ok() ? "" : scenario.error().message;
}

inline Scenario Read(std::string_view text, const Overrides& overrides = {}) {
  const Result<Scenario> scenario = ParseScenario(text, "x.toml", overrides);
  EXPECT_EQ(Message(scenario), "");
  return scenario ? *scenario : Scenario();
}

// The texts show which keys differ. They alone could not tell that a key is never formatted.
inline void ExpectSame(const Scenario& a, const Scenario& b) {
  EXPECT_EQ(FormatScenario(a), FormatScenario(b));
  EXPECT_TRUE(a == b);
}

}  // namespace airlot::scenario

#endif  // AIRLOT_SCENARIO_SCENARIO_FOR_TESTS_H_
