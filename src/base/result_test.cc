#include "airlot/result.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>

namespace airlot {
namespace {

Status MustBePositive(int value) {
  if (value > 0) return {};
  return Error{"value = " + std::to_string(value) + ": must be > 0"};
}

TEST(Status, IsTrueOnSuccessAsAnyResult) {
  const Status status = MustBePositive(1);
  EXPECT_TRUE(status);
  EXPECT_TRUE(status.ok());
  EXPECT_TRUE(Status());
  EXPECT_TRUE(Result<int>(0));
  EXPECT_THROW(static_cast<void>(status.error()), std::bad_variant_access);
}

TEST(Status, KeepsTheError) {
  const Status status = MustBePositive(0);
  EXPECT_FALSE(status);
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "value = 0: must be > 0");
  const Result<int> result = status.error();
  EXPECT_FALSE(result);
}

TEST(Status, CanBeAssignedAnErrorAndMoved) {
  Status first;
  first = Error{"no"};
  const Status second = std::move(first);
  EXPECT_EQ(second.error().message, "no");
}

}  // namespace
}  // namespace airlot
