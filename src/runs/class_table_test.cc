#include "runs/class_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "runs/run_directory_for_tests.h"

namespace airlot::runs {
namespace {

class ClassTableTest : public RunDirectoryTest {
 protected:
  std::string path() const { return folder_ + "/classes.csv"; }
  std::string ErrorIn(const std::string& text) const {
    Put(path(), text);
    const auto classes = ReadClasses(path());
    return classes ? "" : classes.error().message;
  }
};

TEST_F(ClassTableTest, WhatIsWrittenIsRead) {
  const std::vector<double> accuracy{0.5, std::numeric_limits<double>::quiet_NaN(), 1, 0.1};
  ASSERT_TRUE(WriteClasses(path(), accuracy).ok());
  EXPECT_EQ(Text(path()), "class,accuracy\n0,0.5\n1,\n2,1\n3,0.1\n");
  const auto read = ReadClasses(path());
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read->size(), accuracy.size());
  EXPECT_TRUE(std::isnan((*read)[1]));
  for (const std::size_t k : {0, 2, 3}) EXPECT_EQ((*read)[k], accuracy[k]);
}

TEST_F(ClassTableTest, ErrorsNameTheCell) {
  EXPECT_EQ(ErrorIn("class,accuracy\n0,0.5\n2,0.5\n"),
            path() + ":3: class = \"2\": must be the number of the row, from 0 on");
  EXPECT_EQ(ErrorIn("class,accuracy\n0,1.5\n"),
            path() + ":2: accuracy = \"1.5\": must be a number from 0 to 1, or empty");
  EXPECT_NE(ErrorIn("class,accuracy\n0,0.5"), "");
  EXPECT_NE(ErrorIn("class\n0\n"), "");
}

}  // namespace
}  // namespace airlot::runs
