// These tests are of the names of solvers and limits, and of what can be wrong with a problem.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "airlot/planning.h"
#include "planning/planning_vectors_for_tests.h"

namespace airlot {
namespace {

using planning::TwoBits;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Names, RoundTrip) {
  for (const Solver solver :
       {Solver::kExact, Solver::kBisection, Solver::kAlternating, Solver::kLiteral}) {
    EXPECT_EQ(SolverByName(SolverName(solver)), solver);
  }
  EXPECT_EQ(SolverName(Solver::kExact), "exact");
  EXPECT_EQ(SolverName(Solver::kBisection), "bisection");
  EXPECT_EQ(SolverName(Solver::kAlternating), "alternating");
  EXPECT_EQ(SolverName(Solver::kLiteral), "literal");
  EXPECT_EQ(SolverByName("Exact"), std::nullopt);
  EXPECT_EQ(SolverByName(""), std::nullopt);
  EXPECT_EQ(LimitName(Limit::kFull), "full");
  EXPECT_EQ(LimitName(Limit::kEnergy), "energy");
  EXPECT_EQ(LimitName(Limit::kPower), "power");
  EXPECT_EQ(LimitName(Limit::kRate), "rate");
}

std::string MessageOf(const Status& status) { return status.ok() ? "" : status.error().message; }

TEST(Validate, AcceptsTheWholeDomain) {
  PlanningProblem problem = TwoBits();
  EXPECT_EQ(MessageOf(Validate(problem)), "");
  problem.noise_to_gain_w = kSmallestInput;
  problem.max_power_w = kLargestInput;
  problem.energy_budget_j = 0.0;
  problem.compute_time_s = kLargestInput;
  problem.snr_gap = 1e10;
  problem.spectral_efficiency_cap = kSmallestInput;
  EXPECT_EQ(MessageOf(Validate(problem)), "");
}

TEST(Validate, NamesColumnDeviceValueAndBound) {
  const struct {
    std::string_view name;
    ColumnView PlanningProblem::*column;
    bool may_be_zero;
  } columns[] = {
      {"noise_to_gain_w", &PlanningProblem::noise_to_gain_w, false},
      {"nat_time_s", &PlanningProblem::nat_time_s, false},
      {"max_power_w", &PlanningProblem::max_power_w, false},
      {"energy_budget_j", &PlanningProblem::energy_budget_j, true},
      {"compute_energy_j", &PlanningProblem::compute_energy_j, true},
      {"time_limit_s", &PlanningProblem::time_limit_s, false},
      {"compute_time_s", &PlanningProblem::compute_time_s, true},
  };
  const std::pair<double, std::string_view> values[] = {
      {std::nan(""), "nan"}, {kInfinity, "inf"},  {-kInfinity, "-inf"}, {-3, "-3"}, {0, "0"},
      {9e-41, "9e-41"},      {1.5e40, "1.5e+40"}, {5e-324, "5e-324"},
  };
  for (const auto& [name, column, may_be_zero] : columns) {
    for (const auto& [value, text] : values) {
      const bool is_no_band = name == "nat_time_s" && value == kInfinity;
      const bool is_fine = (may_be_zero && value == 0) || is_no_band;
      const std::string rest = std::string(name) + " = " + std::string(text) + ": must be " +
                               (may_be_zero ? "0 or " : "") + "1e-40 to 1e+40";
      PlanningProblem problem = TwoBits();
      problem.devices = 3;
      const ColumnValues third = {1, 1, value};
      problem.*column = third;
      EXPECT_EQ(MessageOf(Validate(problem)), is_fine ? "" : "device 3: " + rest);
      problem.*column = value;
      EXPECT_EQ(MessageOf(Validate(problem)), is_fine ? "" : "device 1: " + rest);
    }
    PlanningProblem problem = TwoBits();
    problem.devices = 3;
    const ColumnValues four(4, 1.0);
    problem.*column = four;
    EXPECT_EQ(MessageOf(Validate(problem)), std::string(name) + ": has 4 values for 3 devices");
  }
}

TEST(Validate, NamesOptionsAndBounds) {
  PlanningProblem problem = TwoBits();
  problem.devices = 0;
  EXPECT_EQ(MessageOf(Validate(problem)), "a fleet needs at least one device");
  problem = TwoBits();
  problem.snr_gap = 0.5;
  EXPECT_EQ(MessageOf(Validate(problem)), "snr_gap = 0.5: must be 1 to 1e10");
  problem.snr_gap = std::nan("");
  EXPECT_EQ(MessageOf(Validate(problem)), "snr_gap = nan: must be 1 to 1e10");
  problem.snr_gap = kInfinity;
  EXPECT_EQ(MessageOf(Validate(problem)), "snr_gap = inf: must be 1 to 1e10");
  problem = TwoBits();
  problem.spectral_efficiency_cap = 0;
  EXPECT_EQ(MessageOf(Validate(problem)), "spectral_efficiency_cap = 0: must be at least 1e-40");
  problem.spectral_efficiency_cap = -2;
  EXPECT_EQ(MessageOf(Validate(problem)), "spectral_efficiency_cap = -2: must be at least 1e-40");
  problem.spectral_efficiency_cap = std::nan("");
  EXPECT_EQ(MessageOf(Validate(problem)), "spectral_efficiency_cap = nan: must be at least 1e-40");
}

TEST(Validate, NamesTheEnergyTermsAndTheirBounds) {
  PlanningProblem problem = TwoBits();
  for (const auto& [value, text] :
       {std::pair(0.0, "0"), std::pair(-0.5, "-0.5"), std::pair(1.5, "1.5"),
        std::pair(kInfinity, "inf"), std::pair(std::nan(""), "nan")}) {
    problem.amplifier_efficiency = value;
    EXPECT_EQ(MessageOf(Validate(problem)),
              "amplifier_efficiency = " + std::string(text) + ": must be 1e-10 to 1");
  }
  problem = TwoBits();
  for (const auto& [value, text] : {std::pair(-0.5, "-0.5"), std::pair(1e-41, "1e-41"),
                                    std::pair(kInfinity, "inf"), std::pair(std::nan(""), "nan")}) {
    problem.circuit_power_w = value;
    EXPECT_EQ(MessageOf(Validate(problem)),
              "circuit_power_w = " + std::string(text) + ": must be 0 or 1e-40 to 1e+40");
  }
  problem.circuit_power_w = 0;
  EXPECT_EQ(MessageOf(Validate(problem)), "");
  for (const auto& [solver, name] :
       {std::pair(Solver::kAlternating, "alternating"), std::pair(Solver::kLiteral, "literal")}) {
    const std::string message = "solver = " + std::string(name) +
                                ": the paper's algorithms know neither an amplifier's efficiency "
                                "nor circuit power; use exact or bisection";
    problem = TwoBits();
    problem.amplifier_efficiency = 0.5;
    EXPECT_EQ(MessageOf(Validate(problem, {.solver = solver})), message);
    problem = TwoBits();
    problem.circuit_power_w = 0.5;
    EXPECT_EQ(MessageOf(Validate(problem, {.solver = solver})), message);
    EXPECT_EQ(MessageOf(Validate(problem, {.solver = Solver::kBisection})), "");
  }
}

TEST(Validate, KnowsWhatASolverCannotSolve) {
  for (const auto& [solver, name] :
       {std::pair(Solver::kAlternating, "alternating"), std::pair(Solver::kLiteral, "literal")}) {
    const std::string message =
        "solver = " + std::string(name) +
        ": the paper's algorithms know neither a deadline nor computation time in the limit; use "
        "exact or bisection";
    PlanningProblem problem = TwoBits();
    EXPECT_EQ(MessageOf(Validate(problem, {.solver = solver})), "");
    problem.time_rule = TimeRule::kDeadline;
    EXPECT_EQ(MessageOf(Validate(problem, {.solver = solver})), message);
    problem.time_rule = TimeRule::kExpected;
    problem.compute_time_s = 1.0;
    EXPECT_EQ(MessageOf(Validate(problem, {.solver = solver})), message);
    problem.time_rule = TimeRule::kDeadline;
    for (const Solver other : {Solver::kExact, Solver::kBisection}) {
      EXPECT_EQ(MessageOf(Validate(problem, {.solver = other})), "");
    }
  }
  EXPECT_EQ(MessageOf(Validate(TwoBits(), {.threads = 0})), "threads = 0: must be >= 1");
  EXPECT_EQ(MessageOf(Validate(TwoBits(), {.start_probability = 0})),
            "start_probability = 0: must be > 0 and <= 1");
  EXPECT_EQ(MessageOf(Validate(TwoBits(), {.start_probability = std::nan("")})),
            "start_probability = nan: must be > 0 and <= 1");
  EXPECT_EQ(MessageOf(Validate(TwoBits(), {.outer_tolerance = 0})),
            "outer_tolerance = 0: must be > 0");
  EXPECT_EQ(MessageOf(Validate(TwoBits(), {.inner_tolerance_j = -1})),
            "inner_tolerance_j = -1: must be > 0");
}

}  // namespace
}  // namespace airlot
