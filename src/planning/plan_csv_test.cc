#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "airlot/plan_file.h"
#include "base/text.h"

namespace airlot {
namespace {

class PlanCsv : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "plan_csv_" + std::to_string(::getpid());
    std::filesystem::create_directory(folder_);
    fleet_.devices = 2;
    fleet_.update_bits = 1e6;
    problem_ = {.devices = 2};
    problem_.noise_to_gain_w = 1e-8;
    problem_.nat_time_s = 7;
    problem_.max_power_w = 0.2;
    problem_.energy_budget_j = budget_j_;
    problem_.time_limit_s = 0.1;
    plan_ = Solve(problem_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Written() {
    const auto status = WritePlan(folder_ + "/plan.csv", fleet_, problem_, plan_);
    EXPECT_TRUE(status.ok()) << status.error().message;
    std::stringstream text;
    text << std::ifstream(folder_ + "/plan.csv").rdbuf();
    return text.str();
  }

  std::string folder_;
  Fleet fleet_;
  PlanningProblem problem_;
  std::vector<double> budget_j_{1, 0};
  Plan plan_;
};

TEST_F(PlanCsv, OneRowPerDeviceThatReadsBack) {
  std::istringstream lines(Written());
  std::string header, first, second;
  std::getline(lines, header);
  std::getline(lines, first);
  std::getline(lines, second);
  EXPECT_EQ(header, "id,probability,power_w,rate_bps,upload_s,energy_j,limit");
  EXPECT_EQ(second, "2,0,0,0,0,0,energy");  // no budget: never takes part
  std::istringstream fields(first);
  std::string field;
  std::vector<std::string> row;
  while (std::getline(fields, field, ',')) row.push_back(field);
  ASSERT_EQ(row.size(), 7u);
  const Participation participation = Describe(problem_, plan_, 0);
  EXPECT_EQ(row[0], "1");
  EXPECT_EQ(base::ParseNumber(row[1]), plan_.probability[0]);
  EXPECT_EQ(base::ParseNumber(row[2]), plan_.power_w[0]);
  EXPECT_EQ(base::ParseNumber(row[3]), 1e6 / participation.upload_s);
  EXPECT_EQ(base::ParseNumber(row[4]), participation.upload_s);
  EXPECT_EQ(base::ParseNumber(row[5]), participation.energy_j);
  EXPECT_EQ(row[6], "power");
}

TEST_F(PlanCsv, QuotesIdsThatNeedIt) {
  fleet_.ids.Append("hall, upper");
  fleet_.ids.Append("the \"old\" one");
  const std::string text = Written();
  EXPECT_NE(text.find("\n\"hall, upper\","), std::string::npos) << text;
  EXPECT_NE(text.find("\n\"the \"\"old\"\" one\","), std::string::npos) << text;
}

TEST_F(PlanCsv, LeavesNothingWhereItCannotWrite) {
  const auto status = WritePlan(folder_ + "/missing/plan.csv", fleet_, problem_, plan_);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message,
            folder_ + "/missing/plan.csv: cannot write: No such file or directory");
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

}  // namespace
}  // namespace airlot
