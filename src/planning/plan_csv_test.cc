#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

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
  EXPECT_EQ(second, "2,0,0,0,0,0,energy");  // without a budget it never takes part
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

TEST_F(PlanCsv, ReadsBackWhatItWrote) {
  fleet_.ids.Append("hall, upper");
  fleet_.ids.Append("the \"old\" one");
  for (const BandSharing sharing :
       {BandSharing::kEqual, BandSharing::kShared, BandSharing::kBlocks}) {
    const bool is_band_split = sharing != BandSharing::kEqual;
    fleet_.band_sharing = sharing;
    fleet_.bandwidth_hz = 1e5 / 3;
    Written();
    const auto file = ReadPlan(folder_ + "/plan.csv");
    ASSERT_TRUE(file.ok()) << file.error().message;
    std::string buffer;
    EXPECT_EQ(file->ids.Get(1, buffer), "the \"old\" one");
    EXPECT_EQ(file->plan.probability, plan_.probability);
    EXPECT_EQ(file->plan.power_w, plan_.power_w);
    EXPECT_EQ(file->bandwidth_hz.has_value(), is_band_split);
    if (is_band_split) {
      EXPECT_EQ(file->bandwidth_hz->at(1), 1e5 / 3);
    }
    for (std::size_t i = 0; i < 2; ++i) {
      const Participation participation = Describe(problem_, plan_, i);
      EXPECT_EQ(file->upload_s[i], participation.upload_s);
      EXPECT_EQ(file->energy_j[i], participation.energy_j);
      EXPECT_EQ(file->limits[i], participation.limit);
    }
  }
}

TEST_F(PlanCsv, SaysWhatDevicesNeed) {
  const std::string path = folder_ + "/plan.csv";
  const FloorReport floor = CheckFloor(problem_, plan_, plan_.probability[0], 2);
  ASSERT_EQ(floor.below, 1u);  // the second device has no budget
  for (const BandSharing sharing : {BandSharing::kEqual, BandSharing::kShared}) {
    fleet_.band_sharing = sharing;
    fleet_.bandwidth_hz = 1e5;
    ASSERT_TRUE(WritePlan(path, fleet_, problem_, plan_, {}, &floor).ok());
    const auto file = ReadPlan(path);
    ASSERT_TRUE(file.ok()) << file.error().message;
    ASSERT_TRUE(file->needs);
    EXPECT_TRUE(std::isnan(file->needs->energy_budget_needed_j[0]));
    EXPECT_TRUE(std::isnan(file->needs->max_power_needed_w[0]));
    EXPECT_EQ(file->needs->energy_budget_needed_j[1], floor.shortfalls[0].energy_budget_needed_j);
    // Without a budget neither more time nor more power is enough.
    EXPECT_EQ(file->needs->time_limit_needed_s[1], INFINITY);
    EXPECT_EQ(file->needs->max_power_needed_w[1], INFINITY);
    std::stringstream first, second;
    first << std::ifstream(path).rdbuf();
    ASSERT_TRUE(WritePlan(path, *file).ok());
    second << std::ifstream(path).rdbuf();
    EXPECT_EQ(first.str(), second.str());
  }
}

TEST_F(PlanCsv, NamesWhatIsWrongWithNeeds) {
  const std::string path = folder_ + "/bad.csv";
  const auto message = [&](const std::string& needs) {
    std::ofstream(path) << "id,probability,power_w,rate_bps,upload_s,energy_j,limit,"
                           "energy_budget_needed_j,time_limit_needed_s,max_power_needed_w\n"
                           "1,0.5,0.1,1,1,1,full," +
                               needs + "\n";
    const auto file = ReadPlan(path);
    return file.ok() ? "it was read" : file.error().message.substr(path.size());
  };
  EXPECT_EQ(message("1,inf,2"), "it was read");
  EXPECT_EQ(message(",,"), "it was read");
  EXPECT_EQ(message("1,nan,2"), ":2: time_limit_needed_s = \"nan\": must be >= 0");
  EXPECT_EQ(
      message("1,2,"),
      ":2: max_power_needed_w = \"\": must be empty where the other needs are, and only then");
  EXPECT_EQ(message("-1,2,3"), ":2: energy_budget_needed_j = \"-1\": must be >= 0");
}

TEST_F(PlanCsv, NamesWhatItCannotRead) {
  const std::string path = folder_ + "/bad.csv";
  const std::string header = "id,probability,power_w,rate_bps,upload_s,energy_j,limit\n";
  const auto message = [&](const std::string& text) {
    std::ofstream(path) << text;
    const auto file = ReadPlan(path);
    return file.ok() ? "it was read" : file.error().message;
  };
  EXPECT_EQ(message(header + "1,0,0,0,0,0,energy\n"), "it was read");
  const std::string good = header + "1,0.5,0.1,1,1,1,full\n";
  for (const auto& [row, what] :
       {std::pair("2,1.5,0,0,0,0,full", ":3: probability = \"1.5\""),
        std::pair("2,-1,0,0,0,0,full", ":3: probability = \"-1\""),
        std::pair("2,nan,0,0,0,0,full", ":3: probability = \"nan\""),
        std::pair("2,0,1,0,0,0,full", ":3: power_w = 1: must be 0"),
        std::pair("2,1,inf,0,0,0,full", ":3: power_w = \"inf\""),
        std::pair("2,1,1,x,0,0,full", ":3: rate_bps = \"x\""),
        std::pair("2,1,1,0,-1,0,full", ":3: upload_s = \"-1\""),
        std::pair("2,1,1,0,0,,full", ":3: energy_j = \"\""),
        std::pair("2,1,1,0,0,0,luck", ":3: limit = \"luck\""),
        std::pair("1,0,0,0,0,0,energy", ":3: id = \"1\": line 2 has the same; every device"),
        std::pair(",1,1,0,0,0,full", ":3: id is missing"), std::pair("2,1,1,0,0,0", ":3: ")}) {
    const std::string got = message(good + row + "\n");
    EXPECT_EQ(got.find(path + what), 0u) << row << ": " << got;
  }
  EXPECT_EQ(message("id,probability\n1,1\n").find(path + ":1: columns id,probability"), 0u);
  EXPECT_EQ(message(header), path + ": has a header but no devices");
}

TEST_F(PlanCsv, LeavesNothingWhereItCannotWrite) {
  const auto status = WritePlan(folder_ + "/missing/plan.csv", fleet_, problem_, plan_);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message,
            folder_ + "/missing/plan.csv: cannot write: No such file or directory");
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

// The row of the rate table follows where there is one, and is read back.
TEST_F(PlanCsv, HasTheRowOfTheRateTable) {
  problem_.steps.rates = {{1, 0.5}, {1e5, 2}, {1e9, 20}};  // 2e7 is the SNR at P^max
  plan_ = Solve(problem_);
  EXPECT_NE(Written().find("limit,mcs_row\n1,"), std::string::npos) << Written();
  const auto file = ReadPlan(folder_ + "/plan.csv");
  ASSERT_TRUE(file.ok()) << file.error().message;
  ASSERT_TRUE(file->mcs_row.has_value());
  for (std::size_t i = 0; i < 2; ++i) {
    const auto row = RateRowOf(problem_, i, plan_.power_w[i]);
    EXPECT_EQ((*file->mcs_row)[i], row ? *row + 1 : 0);
  }
  const std::string before = Written();
  ASSERT_TRUE(WritePlan(folder_ + "/plan.csv", *file));
  std::stringstream text;
  text << std::ifstream(folder_ + "/plan.csv").rdbuf();
  EXPECT_EQ(text.str(), before);
}

}  // namespace
}  // namespace airlot
