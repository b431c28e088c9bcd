// The vectorised closed form is tested on every SIMD target, at every place of a fleet, with any
// threads.
#include "planning/closed_form.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "base/shards.h"
#include "planning/closed_form_for_tests.h"

namespace airlot {
namespace {

using base::OnEveryTarget;
using planning::AllowedPowerError;
using planning::kAccuracy;
using planning::kVectorSections;
using planning::MakeVectorFleet;
using planning::OnEverySection;
using planning::RelativeError;
using planning::SameBytes;
using planning::VectorFleet;

// Returns a device's plan, alone in its fleet.
planning::DevicePlan SolveAlone(const VectorFleet& fleet, std::size_t i) {
  const Plan plan = Solve(fleet.Problem(i, i + 1));
  return {plan.probability[0], plan.power_w[0]};
}

// Among thousands of neighbours, some of which need more steps than others, each device has the
// bytes that it has alone.
TEST(ClosedForm, DoesNotDependOnNeighbours) {
  OnEveryTarget([] {
    for (const std::size_t number : {1, 3, 5, 14}) {
      SCOPED_TRACE(kVectorSections[number].name);
      const VectorFleet fleet = MakeVectorFleet(number);
      const Plan together = Solve(fleet.Problem());
      for (std::size_t i = 0; i < fleet.size(); ++i) {
        const planning::DevicePlan alone = SolveAlone(fleet, i);
        ASSERT_EQ(together.probability[i], alone.probability) << i;
        ASSERT_EQ(together.power_w[i], alone.power_w) << i;
      }
    }
  });
}

// Sizes 1 ... 130 pass a block of 64 twice and leave every remainder of every vector length. Each
// device has the bytes that it has alone, wherever it stands, and memory around the range stays as
// it was.
TEST(ClosedForm, DoesNotDependOnPlace) {
  constexpr std::size_t kMost = 130;
  constexpr double kUntouched = -7;
  OnEveryTarget([&] {
    OnEverySection(2 * kMost, [&](const VectorFleet& fleet) {
      std::vector<planning::DevicePlan> alone;
      for (std::size_t i = 0; i < fleet.size(); ++i) alone.push_back(SolveAlone(fleet, i));
      const PlanningProblem problem = fleet.Problem();
      for (std::size_t size = 1; size <= kMost; ++size) {
        const std::size_t begin = size * 7 % kMost, end = begin + size;
        ColumnValues probability(fleet.size(), kUntouched), power_w(fleet.size(), kUntouched);
        planning::SolveClosedForm(problem, begin, end, probability, power_w);
        for (std::size_t i = 0; i < fleet.size(); ++i) {
          const bool inside = i >= begin && i < end;
          ASSERT_EQ(probability[i], inside ? alone[i].probability : kUntouched) << i << " " << size;
          ASSERT_EQ(power_w[i], inside ? alone[i].power_w : kUntouched) << i << " " << size;
        }
      }
    });
  });
}

// The plain solver's plan is met for a fleet of any size, whose end a wide load must not pass
// (address sanitizer).
TEST(ClosedForm, AgreesWithThePlainSolverAtEverySize) {
  OnEveryTarget([&] {
    for (std::size_t number = 0; number < std::size(kVectorSections); ++number) {
      SCOPED_TRACE(kVectorSections[number].name);
      for (std::size_t size = 1; size <= 130; ++size) {
        const VectorFleet fleet = MakeVectorFleet(number, size);
        const PlanningProblem problem = fleet.Problem();
        const Plan plan = Solve(problem);
        ASSERT_EQ(plan.probability.size(), size);
        for (std::size_t i = 0; i < size; ++i) {
          const planning::DevicePlan plain = planning::SolveScalar(planning::DeviceAt(problem, i));
          ASSERT_LE(RelativeError(plan.probability[i], plain.probability), kAccuracy) << i;
          ASSERT_LE(RelativeError(plan.power_w[i], plain.power_w),
                    AllowedPowerError(problem, plan, i))
              << i << " of " << size;
        }
      }
    }
  });
}

// One value for all devices must give the bytes of a column that repeats it. The one exception is a
// computation time of 0: the constant takes the shorter way through the formulas.
TEST(ClosedForm, ConstantsAreColumnsOfOneValue) {
  ColumnView PlanningProblem::*const columns[] = {
      &PlanningProblem::noise_to_gain_w,  &PlanningProblem::nat_time_s,
      &PlanningProblem::max_power_w,      &PlanningProblem::energy_budget_j,
      &PlanningProblem::compute_energy_j, &PlanningProblem::time_limit_s,
      &PlanningProblem::compute_time_s};
  OnEveryTarget([&] {
    OnEverySection(200, [&](const VectorFleet& fleet) {
      for (const auto column : columns) {
        PlanningProblem constant = fleet.Problem(), full = fleet.Problem();
        const double value = (full.*column)[3];
        const ColumnValues repeated(fleet.size(), value);
        constant.*column = value;
        full.*column = repeated;
        const Plan a = Solve(constant), b = Solve(full);
        const bool exempt = column == &PlanningProblem::compute_time_s && value == 0;
        for (std::size_t i = 0; exempt && i < fleet.size(); ++i) {
          ASSERT_LE(RelativeError(a.probability[i], b.probability[i]), kAccuracy);
          ASSERT_LE(RelativeError(a.power_w[i], b.power_w[i]), kAccuracy);
        }
        if (exempt) continue;
        EXPECT_TRUE(SameBytes(a.probability, b.probability));
        EXPECT_TRUE(SameBytes(a.power_w, b.power_w));
      }
    });
  });
}

TEST(ClosedForm, SameBytesForAnyNumberOfThreads) {
  for (const std::size_t number : {0, 1, 2}) {  // 4, 2 and 2 shards, the last of each not whole
    const VectorFleet fleet = MakeVectorFleet(number);
    const PlanningProblem problem = fleet.Problem();
    ASSERT_GT(base::ShardCount(problem.devices), 1u);
    const Plan one = Solve(problem, {.threads = 1});
    for (const int threads : {2, 3, 8}) {
      const Plan many = Solve(problem, {.threads = threads});
      EXPECT_TRUE(SameBytes(one.probability, many.probability)) << threads;
      EXPECT_TRUE(SameBytes(one.power_w, many.power_w)) << threads;
    }
  }
}

TEST(SimdTarget, CanBeForcedAndPutBack) {
  const std::string_view best = SimdTarget();
  ASSERT_EQ(SimdTargets().front(), best);
  EXPECT_TRUE(ForceSimdTarget(SimdTargets().back()));
  EXPECT_EQ(SimdTarget(), SimdTargets().back());
  // All targets stay on offer while one is forced.
  EXPECT_FALSE(ForceSimdTarget("Z80"));
  EXPECT_EQ(SimdTarget(), best);
  EXPECT_TRUE(ForceSimdTarget(""));
  EXPECT_EQ(SimdTarget(), best);
}

}  // namespace
}  // namespace airlot
