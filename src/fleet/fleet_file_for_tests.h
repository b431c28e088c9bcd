// A FleetFileTest reads fleets from text.
#ifndef AIRLOT_FLEET_FLEET_FILE_FOR_TESTS_H_
#define AIRLOT_FLEET_FLEET_FILE_FOR_TESTS_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "airlot/fleet.h"

namespace airlot::fleet {

class FleetFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = ::testing::TempDir() + test->test_suite_name() + "_" + std::to_string(::getpid());
    std::filesystem::create_directory(folder_);
    path_ = folder_ + "/fleet.csv";
    defaults_.update_bits = 1e6;
    defaults_.time_limit_s = 0.1;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Result<Fleet> Read(const std::string& text) {
    std::ofstream(path_, std::ios::binary) << text;
    return ReadFleet(path_, defaults_);
  }
  Result<FleetRows> ReadRows(const std::string& text, UnknownColumns unknown) {
    std::ofstream(path_, std::ios::binary) << text;
    return ReadFleetRows(path_, {}, unknown);
  }
  // Returns the message without the folder of the file.
  std::string WithoutFolder(const std::string& message) {
    return message.starts_with(folder_) ? message.substr(folder_.size() + 1) : message;
  }
  std::string ErrorOf(const std::string& text) {
    const auto fleet = Read(text);
    return fleet ? "no error" : WithoutFolder(fleet.error().message);
  }

  std::string folder_, path_;
  FleetDefaults defaults_;
};

}  // namespace airlot::fleet

#endif  // AIRLOT_FLEET_FLEET_FILE_FOR_TESTS_H_
