// These tests are about the data of a scenario: who holds which samples, and what follows for the
// fleet.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "airlot/partition.h"
#include "airlot/scenario_fleet.h"

namespace airlot {
namespace {

using Overrides = std::vector<std::string>;

Scenario Read(const Overrides& overrides, std::string_view text = "") {
  const auto scenario = ParseScenario(text, "x.toml", overrides);
  EXPECT_TRUE(scenario.ok()) << scenario.error().message;
  return scenario ? *scenario : Scenario();
}

// All devices compute 1 ms per sample, so that the time tells the samples.
Scenario WithDigits(Overrides more = {}) {
  more.insert(more.begin(), {"data.dataset=digits", "fleet.devices=50",
                             "fleet.cycles_per_sample=1e6", "fleet.cpu_hz=1e9"});
  return Read(more);
}

double UpdateBits(const Scenario& scenario) {
  return RoundBitsOf(scenario, *ImageShapeOf(scenario.data))->update;
}

void ExpectSamples(const Fleet& fleet, const Partition& partition) {
  ASSERT_EQ(fleet.devices, partition.devices());
  for (std::size_t i = 0; i < fleet.devices; ++i) {
    EXPECT_DOUBLE_EQ((*fleet.compute_time_s)[i], 1e-3 * double(partition.SamplesOf(i).size())) << i;
  }
}

TEST(ScenarioDataTest, DevicesComputeOnTheSamplesThatTheyHold) {
  for (const std::string method : {"dirichlet", "client-dirichlet", "shards", "iid"}) {
    const Scenario scenario = WithDigits({"data.partition=" + method});
    for (const std::uint64_t seed : {1, 2}) {
      const auto labels = TrainingLabelsOf(scenario.data);
      ASSERT_TRUE(labels.ok());
      const FleetWithData made = *MakeFleet(scenario, seed);
      const Partition expected =
          *PartitionOf(scenario.data, *labels, FleetRows{.devices = 50}, seed);
      ExpectSamples(made.fleet, expected);
      EXPECT_EQ(made.partition.samples, expected.samples);
      EXPECT_EQ(MakeFleet(scenario, *labels, seed)->partition.samples, expected.samples);
    }
  }
}

TEST(ScenarioDataTest, PartitionOfPassesEveryOptionOn) {
  const Scenario scenario =
      WithDigits({"data.partition=client-dirichlet", "data.beta=2.5", "data.samples_per_device=30",
                  "data.overlap=true", "fleet.devices=3000"});
  const auto labels = *TrainingLabelsOf(scenario.data);
  const auto partition = *PartitionOf(scenario.data, labels, FleetRows{.devices = 3000}, 9);
  const auto expected = *MakePartition(labels, {.method = "client-dirichlet",
                                                .devices = 3000,
                                                .beta = 2.5,
                                                .samples_per_device = 30,
                                                .overlap = true,
                                                .seed = 9});
  EXPECT_EQ(partition.samples, expected.samples);
  EXPECT_EQ(partition.begin, expected.begin);
}

TEST(ScenarioDataTest, AFleetFileWithoutSamplesHoldsThePartitionToo) {
  std::string pattern = (std::filesystem::temp_directory_path() / "data_test_XXXXXX").string();
  const std::filesystem::path folder = mkdtemp(pattern.data());
  Scenario scenario = WithDigits();
  scenario.fleet.file = folder / "fleet.csv";
  std::ofstream(*scenario.fleet.file) << "distance_m\n10\n20\n30\n";
  ExpectSamples(
      MakeFleet(scenario, 5)->fleet,
      *PartitionOf(scenario.data, *TrainingLabelsOf(scenario.data), FleetRows{.devices = 3}, 5));
  std::ofstream(*scenario.fleet.file) << "samples\n7\n8\n";
  EXPECT_DOUBLE_EQ((*MakeFleet(scenario, 5)->fleet.compute_time_s)[1], 8e-3);
  std::filesystem::remove_all(folder);
}

// A FolderForTest is a folder that is gone after the test.
struct FolderForTest {
  FolderForTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "data_test_XXXXXX").string();
    path = mkdtemp(pattern.data());
  }
  ~FolderForTest() { std::filesystem::remove_all(path); }
  std::string Write(const std::string& name, const std::string& text) const {
    std::ofstream(path / name) << text;
    return path / name;
  }
  std::filesystem::path path;
};

TEST(ScenarioDataTest, SamplesAreStandardisedWhereTheScenarioSaysSo) {
  const FolderForTest folder;
  folder.Write("train.csv", "a,target\n1,5\n3,6\n");
  folder.Write("test.csv", "a,target\n4,7\n");
  const std::string dataset = "data.dataset=" + folder.path.string();
  const auto plain = DatasetOf(Read({dataset}).data);
  const auto standard = DatasetOf(Read({dataset, "data.standardise=true"}).data);
  ASSERT_TRUE(plain.ok() && standard.ok());
  EXPECT_EQ(plain->train.values, (std::vector<float>{1, 3}));
  EXPECT_EQ(standard->train.values, (std::vector<float>{-1, 1}));
  EXPECT_EQ(standard->test.values, (std::vector<float>{2}));
  EXPECT_EQ(standard->train.targets, plain->train.targets);
  EXPECT_EQ(standard->digest, DigestOf(*standard));
  EXPECT_NE(standard->digest, plain->digest);
}

TEST(ScenarioDataTest, APartitionFileNamesDevicesAsTheFleetDoes) {
  const FolderForTest folder;
  folder.Write("who.csv", "sample,device\n7,gate\n3,roof\n5,gate\n");
  folder.Write("fleet.csv", "id,distance_m\nroof,10\ngate,20\n");
  folder.Write("mine.toml",
               "[data]\ndataset = 'digits'\npartition = 'file'\npartition_file = "
               "'who.csv'\n[fleet]\nfile = 'fleet.csv'\n");
  const auto scenario = ReadScenario(folder.path / "mine.toml");
  ASSERT_TRUE(scenario) << scenario.error().message;
  const auto made = MakeFleet(*scenario, 1);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->partition.samples, (std::vector<std::uint32_t>{3, 7, 5}));
  EXPECT_EQ(made->partition.begin, (std::vector<std::size_t>{0, 1, 3}));
}

TEST(ScenarioDataTest, TheShapeOfASetHasItsChannels) {
  for (const std::string name : {"digits-colour", "cifar10", "cifar100"}) {
    EXPECT_EQ(ImageShapeOf(Read({"data.dataset=" + name}).data)->channels, 3) << name;
  }
  EXPECT_EQ(ImageShapeOf(Read({"data.dataset=cifar100"}).data)->classes, 100);
  EXPECT_EQ(ImageShapeOf(Read({"data.dataset=digits"}).data)->channels, 1);
}

// What the file says is enough, so that the data set is not asked and need not be there.
TEST(ScenarioDataTest, AFleetFileWithSamplesNeedsNoDataSet) {
  std::string pattern = (std::filesystem::temp_directory_path() / "data_test_XXXXXX").string();
  const std::filesystem::path folder = mkdtemp(pattern.data());
  setenv("AIRLOT_DATA", folder.c_str(), 1);
  Scenario scenario = WithDigits({"data.dataset=mnist"});
  scenario.fleet.file = folder / "fleet.csv";
  std::ofstream(*scenario.fleet.file) << "samples\n7\n8\n";
  const auto made = MakeFleet(scenario, 5);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->partition.devices(), 0u);
  unsetenv("AIRLOT_DATA");
  std::filesystem::remove_all(folder);
}

// Another file has another digest, and the same file has the same.
TEST(ScenarioDataTest, TheDigestOfTheRowsTellsFilesApart) {
  std::string pattern = (std::filesystem::temp_directory_path() / "data_test_XXXXXX").string();
  const std::filesystem::path folder = mkdtemp(pattern.data());
  Scenario scenario = WithDigits();
  const Labels labels = *TrainingLabelsOf(scenario.data);
  const std::string drawn = MakeFleet(scenario, labels, 1)->rows_digest;
  EXPECT_EQ(MakeFleet(scenario, labels, 2)->rows_digest, drawn);
  scenario.fleet.file = folder / "fleet.csv";
  const auto digest = [&](const std::string& text) {
    std::ofstream(*scenario.fleet.file) << text;
    return MakeFleet(scenario, labels, 1)->rows_digest;
  };
  const std::string one = digest("id,samples\na,7\nb,8\n");
  EXPECT_EQ(digest("id,samples\na,7\nb,8\n"), one);
  EXPECT_NE(digest("id,samples\na,7\nb,9\n"), one);
  EXPECT_NE(digest("id,samples\na,7\nc,8\n"), one);
  EXPECT_NE(digest("id,distance_m,samples\na,1,7\nb,1,8\n"), one);
  EXPECT_NE(one, drawn);
  std::filesystem::remove_all(folder);
}

// These tests have a folder of four images, of labels 0, 1 and the last, and the scenario that
// learns from them.
class ShapeTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "shape_test_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Scenario WithImages(int height, int width, int classes, Overrides more = {}) const {
    const std::string labels{0, 1, 0, char(classes - 1)};
    for (const std::string part : {"train", "t10k"}) {
      Write(part + "-images-idx3-ubyte",
            {0, 0, 8, 3, 0, 0, 0, 4, 0, 0, 0, char(height), 0, 0, 0, char(width)},
            std::string(std::size_t(4 * height * width), 'x'));
      Write(part + "-labels-idx1-ubyte", {0, 0, 8, 1, 0, 0, 0, 4}, labels);
    }
    more.insert(more.begin(), {"data.dataset=" + folder_.string(), "data.partition=iid",
                               "fleet.devices=2", "model.bits_per_parameter=8"});
    return Read(more);
  }
  void Write(const std::string& name, const std::string& header, const std::string& values) const {
    std::ofstream(folder_ / name, std::ios::binary) << header << values;
  }

  std::filesystem::path folder_;
};

TEST_F(ShapeTest, TheUpdateIsThatOfAModelForTheseImages) {
  // The cnn has 20 * (7 * 7 + 1) + 200 * (20 * 8 * 8 + 1) + 47 * (200 + 1) parameters.
  const Scenario cnn = WithImages(32, 32, 47);
  EXPECT_EQ(UpdateBits(cnn), 8 * 266647);
  EXPECT_EQ(MakeFleet(cnn, 1)->fleet.update_bits[1], 8 * 266647);
  // The mlp has 200 * (5 * 3 + 1) + 200 * (200 + 1) + 2 * (200 + 1) parameters.
  EXPECT_EQ(UpdateBits(WithImages(5, 3, 2, {"model.name=mlp"})), 8 * 43802);
}

TEST_F(ShapeTest, AModelThatDoesNotFitIsAnError) {
  const std::string expected =
      "model.name = cnn: layers[3] (max-pool): size = 4: larger than the 5 x 3 image that comes in "
      "(for images of 5 x 3 in 2 "
      "classes)";
  const Scenario scenario = WithImages(5, 3, 2);
  EXPECT_EQ(MakeFleet(scenario, 1).error().message, expected);
  const std::string table = MakeFleet(WithImages(1, 4, 3), 1).error().message;
  EXPECT_TRUE(
      table.ends_with("(for rows of 4 features in 3 classes): for rows of features set model.name "
                      "to mlp or logistic"))
      << table;
}

TEST_F(ShapeTest, AGivenNumberOfParametersWins) {
  EXPECT_EQ(MakeFleet(WithImages(5, 3, 2, {"model.parameters=10"}), 1)->fleet.update_bits[0], 80);
}

TEST_F(ShapeTest, NamedSetsNeedNotBeThere) {
  for (const std::string name : {"mnist", "fashion-mnist", "digits", ""}) {
    EXPECT_EQ(UpdateBits(Read({"data.dataset=" + name})), 6374720) << name;
  }
  EXPECT_FALSE(ImageShapeOf({.dataset = folder_.string()}).ok());  // the folder is empty
}

TEST(ScenarioDataTest, WhatCannotBeSplitIsAnErrorNotAnotherFleet) {
  const auto fleet = MakeFleet(WithDigits({"data.minimum_samples=1300"}), 1);
  ASSERT_FALSE(fleet.ok());
  EXPECT_EQ(fleet.error().message,
            "data.minimum_samples = 1300: must be <= 1200 (60000 samples / 50 devices)");
  EXPECT_FALSE(MakeFleet(WithDigits({"data.dataset=/no/such/folder"}), 1).ok());
  const auto labels = TrainingLabelsOf(Scenario().data);
  ASSERT_FALSE(labels.ok());
  EXPECT_EQ(labels.error().message, "data.dataset is not set: choose one, such as digits");
}

TEST(ScenarioDataTest, OverridesOfDataAndSamplesReplaceEachOther) {
  const std::string_view file = "[data]\ndataset = \"mnist\"\nbeta = 0.3\n";
  const Scenario samples = Read({"fleet.samples=7"}, file);
  EXPECT_EQ(samples.data.dataset, std::nullopt);
  EXPECT_EQ(samples.data.partition.beta, PartitionOptions().beta);
  EXPECT_TRUE(samples.fleet.samples == Spread::Constant(7));

  const Scenario data = Read({"data.dataset=digits"}, "[fleet]\nsamples = 7\n");
  EXPECT_EQ(data.data.dataset, "digits");
  EXPECT_TRUE(data.fleet.samples == FleetModel().samples);

  for (const std::string none : {"data.dataset=", "data.dataset=\"\""}) {
    EXPECT_EQ(Read({none}, file).data.dataset, std::nullopt);
    EXPECT_TRUE(Read({"fleet.samples=7", none}, file).fleet.samples == Spread::Constant(7));
  }
}

TEST(ScenarioDataTest, FormatsDataInsteadOfSamples) {
  const std::string text = FormatScenario(WithDigits());
  EXPECT_NE(text.find(R"(
[data]
dataset = "digits"
partition = "dirichlet"
beta = 0.1
minimum_samples = 10
shards_per_device = 2
samples_per_device = 0
overlap = false
)"),
            std::string::npos);
  EXPECT_EQ(text.find("\nsamples = "), std::string::npos);
}

TEST(ScenarioDataTest, AFolderIsRelativeToTheScenarioAndANameIsNot) {
  const auto dataset = [](const std::string& value, const Overrides& overrides = {}) {
    const std::string path = std::filesystem::temp_directory_path() / "airlot_data_test.toml";
    std::ofstream(path) << "data.dataset = \"" << value << "\"";
    const std::string found = *ReadScenario(path, overrides)->data.dataset;
    std::filesystem::remove(path);
    return found;
  };
  EXPECT_EQ(dataset("mnist"), "mnist");
  EXPECT_EQ(dataset("mine/idx"), std::filesystem::temp_directory_path() / "mine/idx");
  EXPECT_EQ(dataset("/mine"), "/mine");
  EXPECT_EQ(dataset("mnist", {"data.dataset=mine/idx"}), "mine/idx");
}

}  // namespace
}  // namespace airlot
