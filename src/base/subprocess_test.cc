#include "base/subprocess.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace airlot::base {
namespace {

class SubprocessTest : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(output_); }
  std::string Printed() const {
    std::ifstream file(output_);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  const std::string output_ =
      testing::TempDir() + "airlot_subprocess_" + std::to_string(::getpid());
};

TEST_F(SubprocessTest, ReturnsTheExitCodeAndKeepsBothStreams) {
  const auto code = RunProgram({"sh", "-c", "echo out; echo err >&2; exit 7"}, output_);
  ASSERT_TRUE(code);
  EXPECT_EQ(*code, 7);
  EXPECT_EQ(Printed(), "out\nerr\n");
}

TEST_F(SubprocessTest, PassesArgumentsWithoutAShell) {
  ASSERT_EQ(*RunProgram({"printf", "%s|", "a b", "$HOME", "*"}, output_), 0);
  EXPECT_EQ(Printed(), "a b|$HOME|*|");
}

TEST_F(SubprocessTest, StandardInputIsEmpty) {
  ASSERT_EQ(*RunProgram({"cat"}, output_), 0);
  EXPECT_EQ(Printed(), "");
}

TEST_F(SubprocessTest, SignalsAndMissingPrograms) {
  EXPECT_EQ(*RunProgram({"sh", "-c", "kill -9 $$"}, output_), 128 + 9);
  EXPECT_EQ(*RunProgram({"airlot-no-such-program"}, output_), kNoSuchProgram);
}

TEST_F(SubprocessTest, AnOutputThatCannotBeWritten) {
  const auto code = RunProgram({"true"}, "/no-such-folder/output");
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().message, "true: cannot start: No such file or directory");
}

}  // namespace
}  // namespace airlot::base
