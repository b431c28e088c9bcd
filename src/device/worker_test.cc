#include "device/worker.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>

#include "airlot/scenario_fleet.h"

namespace airlot::device {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A Bench is a worker with some of the digits and an emulated radio.
class Bench {
 public:
  Bench() : radio_(MakeEmulatedRadio({.noise_to_gain_w = 1e-3, .own_band_hz = 1e6}, kInfinity)) {
    static const auto digits = std::make_shared<const Dataset>(*ReadDataset("digits"));
    dataset_ = digits;
    WorkerOptions options{.name = "mine",
                          .model = ModelOf(ModelChoice{.name = "logistic"}),
                          .dataset = dataset_,
                          .samples = {3, 1, 4, 15, 9, 2, 6, 5, 35, 8},
                          .figures = {.max_power_w = 0.2, .bandwidth_hz = 1e6, .update_bits = 1e6}};
    samples_ = options.samples;
    model_ = options.model;
    worker_ = std::make_unique<Worker>(std::move(options), *radio_);
    start_.resize(worker_->parameters());
    for (std::size_t k = 0; k < start_.size(); ++k) start_[k] = std::sin(float(k)) / 10;
  }

  // A request has the model in two arrays.
  Records Request(const Values& config) const {
    const std::size_t half = start_.size() / 2;
    Records request;
    request.arrays["arrays"] = {
        {"b", {half}, {start_.begin(), start_.begin() + std::ptrdiff_t(half)}},
        {"a", {start_.size() - half}, {start_.begin() + std::ptrdiff_t(half), start_.end()}}};
    request.configs["config"] = config;
    return request;
  }

  // Returns the model of an answer.
  static std::vector<float> ModelIn(const Answer& answer) {
    std::vector<float> model;
    for (const auto& array : answer.records.arrays.at("arrays")) {
      model.insert(model.end(), array.values.begin(), array.values.end());
    }
    return model;
  }

  std::string ErrorOf(const std::string& type, Records request) {
    const auto answer = worker_->Do(type, std::move(request));
    return answer ? "" : answer.error().message;
  }

  std::unique_ptr<RadioControl> radio_;
  std::shared_ptr<const Dataset> dataset_;
  std::vector<std::uint32_t> samples_;
  Model model_;
  std::unique_ptr<Worker> worker_;
  std::vector<float> start_;
};

const Values kOrder = {{"server-round", std::int64_t(3)}, {"airlot.device", std::int64_t(7)},
                       {"airlot.seed", std::int64_t(11)}, {"airlot.token", std::string("abc")},
                       {"airlot.power_w", 0.1},           {"airlot.rate", 0.5},
                       {"airlot.batch", std::int64_t(4)}};

TEST(Worker, TrainsAsTheSimulatorDoes) {
  Bench bench;
  Values order = kOrder;
  order["airlot.local_steps"] = std::int64_t(5);
  const auto answer = bench.worker_->Do("train", bench.Request(order));
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  Trainer trainer(bench.model_, bench.dataset_->train);
  std::vector<float> expected = bench.start_;
  PartLoss loss;
  trainer.TrainLocally(expected, bench.samples_, {.rate = 0.5, .batch = 4, .steps = 5}, 11, 3, 7,
                       &loss);
  EXPECT_EQ(Bench::ModelIn(*answer), expected);
  EXPECT_EQ(answer->records.arrays.at("arrays")[0].name, "b");
  const Values& metrics = answer->records.metrics.at("metrics");
  EXPECT_EQ(metrics.at("num-examples"), Value(std::int64_t(10)));
  EXPECT_EQ(metrics.at("train-loss"), Value(loss.mean));
  const Values& words = answer->records.configs.at("airlot");
  EXPECT_EQ(words.at("token"), Value(std::string("abc")));
  EXPECT_EQ(words.at("round"), Value(std::int64_t(3)));
  EXPECT_EQ(words.at("device"), Value(std::string("mine")));
}

TEST(Worker, SendsAGradientWhereThereAreNoSteps) {
  Bench bench;
  const auto answer = bench.worker_->Do("train", bench.Request(kOrder));
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  Trainer trainer(bench.model_, bench.dataset_->train);
  const auto batch = DrawBatch(bench.samples_, 4, 11, 3, 7);
  const WeightedSamples part{batch, 1.0, MaskDraw{11, 3, 7, 0}};
  std::vector<float> expected = bench.start_, gradient(bench.start_.size());
  trainer.Gradient(bench.start_, {&part, 1}, gradient);
  for (std::size_t k = 0; k < gradient.size(); ++k) expected[k] -= gradient[k];
  EXPECT_EQ(Bench::ModelIn(*answer), expected);
}

// (2) to (5): 1e6 bits in 1 MHz at an SNR of 100 take 1/log2(101) s.
TEST(Worker, BooksWhatTheRadioTakes) {
  Bench bench;
  const auto answer = bench.worker_->Do("train", bench.Request(kOrder));
  ASSERT_TRUE(answer.ok());
  const Values& metrics = answer->records.metrics.at("metrics");
  const double upload_s = std::get<double>(metrics.at("airlot.upload_s"));
  EXPECT_NEAR(upload_s, 1 / std::log2(101), 1e-12);
  EXPECT_NEAR(std::get<double>(metrics.at("airlot.energy_j")), 0.1 * upload_s, 1e-12);
  ASSERT_TRUE(answer->upload.has_value());
  EXPECT_EQ(answer->upload->power_w, 0.1);
}

TEST(Worker, SaysWithEachUpdateWhatChannelAndBatteryAreNow) {
  Bench bench;
  const std::string path = ::testing::TempDir() + "airlot_worker_test_battery";
  const auto radio = MakeCommandRadio({.read_battery = "cat " + path, .battery_unit_j = 0.5});
  Worker worker({.model = bench.model_,
                 .dataset = bench.dataset_,
                 .samples = bench.samples_,
                 .figures = {.max_power_w = 0.2, .noise_to_gain_w = 2e-3, .update_bits = 1e6}},
                *radio);
  for (const double left : {8.0, 6.0}) {
    std::ofstream(path) << left;
    const auto answer = worker.Do("train", bench.Request(kOrder));
    ASSERT_TRUE(answer.ok()) << answer.error().message;
    const Values& metrics = answer->records.metrics.at("metrics");
    EXPECT_EQ(metrics.at("battery_j"), Value(left / 2));
    EXPECT_EQ(metrics.at("noise_to_gain_w"), Value(2e-3));
  }
  std::filesystem::remove(path);
  EXPECT_FALSE(worker.Do("train", bench.Request(kOrder)).ok());
}

TEST(Worker, SaysWhatItIs) {
  Bench bench;
  const auto answer = bench.worker_->Do("query", {});
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  const Values& metrics = answer->records.metrics.at("metrics");
  EXPECT_EQ(metrics.at("num-examples"), Value(std::int64_t(10)));
  EXPECT_EQ(metrics.at("noise_to_gain_w"), Value(1e-3));
  EXPECT_FALSE(metrics.contains("battery_j"));
  const auto& labels =
      std::get<std::vector<std::int64_t>>(answer->records.configs.at("airlot").at("labels"));
  EXPECT_EQ(std::accumulate(labels.begin(), labels.end(), std::int64_t(0)), 10);
}

TEST(Worker, Evaluates) {
  Bench bench;
  const auto answer = bench.worker_->Do("evaluate", bench.Request({}));
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  const Evaluation expected =
      Trainer(bench.model_, bench.dataset_->train).Evaluate(bench.start_, bench.dataset_->test);
  EXPECT_EQ(answer->records.metrics.at("metrics").at("accuracy"), Value(expected.accuracy));
}

// A request of Flower's legacy API, whose arrays and settings have other names.
Records Legacy(Records request, const std::string& name) {
  Records legacy;
  legacy.arrays[name + ".parameters"] = std::move(request.arrays.at("arrays"));
  legacy.configs[name + ".config"] = std::move(request.configs.at("config"));
  return legacy;
}

const Values kSuccess = {{"code", std::int64_t(0)}, {"message", std::string("Success")}};

TEST(Worker, TrainsByTheLegacyApi) {
  Bench bench;
  const auto answer = bench.worker_->Do("train", bench.Request(kOrder));
  const auto legacy = bench.worker_->Do("train", Legacy(bench.Request(kOrder), "fitins"));
  ASSERT_TRUE(answer.ok() && legacy.ok());
  ASSERT_EQ(legacy->records.arrays.size(), 1U);
  std::vector<float> model;
  for (const auto& array : legacy->records.arrays.at("fitres.parameters")) {
    model.insert(model.end(), array.values.begin(), array.values.end());
  }
  EXPECT_EQ(model, Bench::ModelIn(*answer));
  EXPECT_EQ(legacy->records.metrics.at("fitres.num_examples"),
            (Values{{"num_examples", std::int64_t(10)}}));
  EXPECT_EQ(legacy->records.configs.at("fitres.status"), kSuccess);
  const Values& metrics = legacy->records.configs.at("fitres.metrics");
  EXPECT_EQ(metrics.at("token"), Value(std::string("abc")));
  EXPECT_EQ(metrics.at("train-loss"), answer->records.metrics.at("metrics").at("train-loss"));
  EXPECT_EQ(metrics.at("airlot.upload_s"),
            answer->records.metrics.at("metrics").at("airlot.upload_s"));
  EXPECT_FALSE(metrics.contains("num-examples"));
  ASSERT_TRUE(legacy->upload.has_value());
}

TEST(Worker, EvaluatesByTheLegacyApi) {
  Bench bench;
  const auto answer = bench.worker_->Do("evaluate", bench.Request({}));
  const auto legacy = bench.worker_->Do("evaluate", Legacy(bench.Request({}), "evaluateins"));
  ASSERT_TRUE(answer.ok() && legacy.ok());
  const Values& metrics = answer->records.metrics.at("metrics");
  EXPECT_EQ(legacy->records.metrics.at("evaluateres.loss"), (Values{{"loss", metrics.at("loss")}}));
  EXPECT_EQ(legacy->records.metrics.at("evaluateres.num_examples"),
            (Values{{"num_examples", metrics.at("num-examples")}}));
  EXPECT_EQ(legacy->records.configs.at("evaluateres.metrics"),
            (Values{{"accuracy", metrics.at("accuracy")}}));
  EXPECT_EQ(legacy->records.configs.at("evaluateres.status"), kSuccess);
}

TEST(Worker, SaysWhatItIsByTheLegacyApi) {
  Bench bench;
  const auto answer = bench.worker_->Do("get_properties", {});
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_TRUE(answer->records.metrics.empty());
  const Values& found = answer->records.configs.at("getpropertiesres.properties");
  EXPECT_EQ(found.at("num-examples"), Value(std::int64_t(10)));
  EXPECT_EQ(found.at("noise_to_gain_w"), Value(1e-3));
  EXPECT_EQ(found.at("device"), Value(std::string("mine")));
  EXPECT_FALSE(found.contains("labels"));  // It is a list, which the legacy API cannot carry.
  EXPECT_EQ(answer->records.configs.at("getpropertiesres.status"), kSuccess);
}

TEST(Worker, SaysWhatIsWrong) {
  Bench bench;
  EXPECT_EQ(bench.ErrorOf("paint", {}),
            "a message of type \"paint\": must be train, evaluate or query");
  EXPECT_EQ(bench.ErrorOf("train", {}), "a message to train must have one record of arrays");
  EXPECT_EQ(bench.ErrorOf("evaluate", {}), "a message to evaluate must have one record of arrays");
  Records small = bench.Request(kOrder);
  small.arrays.at("arrays").pop_back();
  EXPECT_NE(bench.ErrorOf("train", small).find("this device has logistic"), std::string::npos);
  const auto with = [&](const std::string& key, const Value& value) {
    Values order = kOrder;
    order[key] = value;
    return bench.ErrorOf("train", bench.Request(order));
  };
  EXPECT_EQ(with("airlot.power_w", 0.3), "airlot.power_w: must be a number from 0 to 0.2");
  EXPECT_EQ(with("airlot.power_w", std::nan("")), "airlot.power_w: must be a number from 0 to 0.2");
  EXPECT_EQ(with("airlot.power_w", 0.0), "the radio has no rate on these terms");
  EXPECT_EQ(with("airlot.rate", std::string("x")),
            "airlot.rate: must be a number from 0 to 1000000");
  EXPECT_EQ(with("airlot.batch", 1.5), "airlot.batch: must be a whole number");
  EXPECT_EQ(with("airlot.token", 1.0), "airlot.token: must be a text");
  EXPECT_NE(with("server-round", std::int64_t(-1)), "");
}

TEST(CommandRadio, FillsInThePowerAndReads) {
  const std::string path = ::testing::TempDir() + "airlot_command_radio_test";
  const auto radio = MakeCommandRadio({.set_power = "echo {power_w} {dbm} {mbm} > " + path,
                                       .read_channel = "echo 2.5e-6",
                                       .read_battery = "echo ' 1000 '",
                                       .battery_unit_j = 0.0036});
  DeviceFigures figures;
  ASSERT_TRUE(radio->Refresh(figures).ok());
  EXPECT_EQ(figures.noise_to_gain_w, 2.5e-6);
  EXPECT_DOUBLE_EQ(*figures.battery_j, 3.6);
  const RadioTerms terms{.power_w = 0.1, .bandwidth_hz = 1e6, .bits = 100};
  const auto first = radio->Prepare(terms);
  ASSERT_TRUE(first.ok()) << first.error().message;
  EXPECT_FALSE(first->time_s.has_value());
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "0.1 20.00 2000");
  radio->Sent(terms, 2);
  const auto next = radio->Prepare(terms);
  EXPECT_DOUBLE_EQ(*next->time_s, 2);
  EXPECT_DOUBLE_EQ(*next->energy_j, 0.2);
  std::filesystem::remove(path);
}

TEST(CommandRadio, SaysWhatACommandDidWrong) {
  DeviceFigures figures;
  EXPECT_EQ(MakeCommandRadio({.read_channel = "echo weak"})->Refresh(figures).error().message,
            "\"echo weak\" printed \"weak\": must be a number above 0");
  EXPECT_EQ(MakeCommandRadio({.read_battery = "exit 3"})->Refresh(figures).error().message,
            "\"exit 3\" ended with 3");
  EXPECT_EQ(MakeCommandRadio({.set_power = "echo no >&2; exit 1"})
                ->Prepare({.power_w = 0.1})
                .error()
                .message,
            "\"echo no >&2; exit 1\" ended with 1: \"no\"");
}

}  // namespace
}  // namespace airlot::device
