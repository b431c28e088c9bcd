// `airlot bench learning` measures gradients of the models against the machine's matrix product.
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "airlot/dataset.h"
#include "airlot/model.h"
#include "airlot/simd_target.h"
#include "airlot/training.h"
#include "base/atomic_file.h"
#include "base/random.h"
#include "cli/bench.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "learning/layers.h"

namespace airlot::cli {
namespace {

struct LearningBenchOptions : BenchOptions {
  std::vector<std::string> models;
  std::vector<std::size_t> batches = {32, 600};
  std::string data;
  int side = 28;
  int channels = 1;
  std::string save;
};

// OpenBLAS, the reference, is loaded only here: nothing else needs it.
class Sgemm {
 public:
  static Result<Sgemm> Load() {
    Sgemm sgemm;
    ChooseKernels();
    void* library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return Error{"OpenBLAS is missing: install the package libopenblas0"};
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
    sgemm.multiply_ = reinterpret_cast<Multiply*>(dlsym(library, "cblas_sgemm"));
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
    auto* set_threads = reinterpret_cast<void (*)(int)>(dlsym(library, "openblas_set_num_threads"));
    if (sgemm.multiply_ == nullptr || set_threads == nullptr) {
      return Error{"libopenblas.so.0 is not OpenBLAS: install the package libopenblas0"};
    }
    set_threads(1);
    return sgemm;
  }

  void Run() {
    constexpr int kRowMajor = 101, kNoTranspose = 111;
    multiply_(kRowMajor, kNoTranspose, kNoTranspose, kSide, kSide, kSide, 1, a_.data(), kSide,
              b_.data(), kSide, 0, c_.data(), kSide);
  }
  static double Flops() { return 2.0 * kSide * kSide * kSide; }

 private:
  // OpenBLAS 0.3.21 takes some Intel processors whose features are partly masked for a Prescott,
  // and is then four times too slow. It reads this variable when it is loaded.
  static void ChooseKernels() {
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_cpu_init();
    if (!__builtin_cpu_is("intel") || !__builtin_cpu_supports("avx2")) return;
    const bool has_avx512 = __builtin_cpu_supports("avx512f") &&
                            __builtin_cpu_supports("avx512vl") &&
                            __builtin_cpu_supports("avx512dq");
    constexpr int kKeep = 0;  // What the user says stands.
    setenv("OPENBLAS_CORETYPE", has_avx512 ? "SkylakeX" : "Haswell", kKeep);
#endif
  }

  using Multiply = void(int, int, int, int, int, int, float, const float*, int, const float*, int,
                        float, float*, int);
  static constexpr int kSide = 768;
  Sgemm() : a_(std::size_t{kSide} * kSide, 1.5F), b_(a_), c_(a_) {}

  Multiply* multiply_ = nullptr;
  std::vector<float> a_, b_, c_;
};

// Counts the multiplications and additions of one sample's gradient over whole images: forward, for
// the weights, and for the inputs (not of the first step). A fused convolution passes gradients
// back at one position of each pooling window only.
double FlopsPerSample(const Model& model, const ImageShape& shape) {
  double flops = 0;
  for (const learning::Step& step : learning::StepsOf(model, shape)) {
    if (step.fan_in == 0) continue;
    const double forward = double(step.pool * step.pool), backward = step.from == 0 ? 1 : 2;
    flops += 2 * double(step.out.Size()) * double(step.fan_in) * (forward + backward);
  }
  return flops;
}

// These images have no margin, so that nothing can be cropped.
Images DenseImages(int side, int channels) {
  Images images{.height = side, .width = side, .classes = 10};
  images.channels = channels;
  images.labels.resize(1000);
  images.pixels.resize(images.size() * images.PixelsPerImage());
  base::RandomStream stream(1, base::Purpose{901}, 0, 0);
  for (auto& pixel : images.pixels) pixel = std::uint8_t(1 + stream.Below(255));
  for (auto& label : images.labels) label = std::uint8_t(stream.Below(10));
  return images;
}

Result<Images> BenchImages(const LearningBenchOptions& options) {
  if (options.data.empty()) return DenseImages(options.side, options.channels);
  Result<Dataset> dataset = ReadDataset(options.data);
  if (!dataset) return dataset.error();
  return std::move(dataset->test);
}

template <class T>
Status Save(const std::string& folder, const std::string& name, const std::vector<T>& values) {
  if (folder.empty()) return {};
  const auto bytes = std::as_bytes(std::span(values));
  return base::WriteWhole(folder + "/" + name,
                          // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
                          {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

// A Row is one model on batches of one size.
struct Row {
  std::string model;
  std::size_t batch = 0;
  double flops = 0;  // operations for a sample
  Best gradient;
  Json evaluation_us_per_sample;
};

Json ToJson(const Row& row, const LearningBenchOptions& options, double sgemm_gflop_per_s) {
  const double samples_per_s = double(row.batch) / row.gradient.seconds();
  return {{"model", row.model},
          {"batch", row.batch},
          {"threads", options.threads},
          {"samples_per_s", samples_per_s},
          {"us_per_sample", 1e6 / samples_per_s},
          {"gflop_per_s", row.flops * samples_per_s / 1e9},
          {"sgemm_gflop_per_s", sgemm_gflop_per_s},
          {"evaluation_us_per_sample", row.evaluation_us_per_sample},
          {"simd_target", SimdTarget()}};
}

// Measures one row; the matrix product takes turns with it, so that a noisy neighbour hits both
// alike.
Result<Row> MeasureRow(const Model& model, std::size_t batch, const Images& images,
                       const LearningBenchOptions& options, Sgemm& sgemm, Best& best_sgemm) {
  const ImageShape shape = ShapeOf(images);
  if (auto status = Validate(model, shape); !status) return status.error();
  Row row{.model = std::string(model.name), .batch = batch, .flops = FlopsPerSample(model, shape)};
  if (batch > images.size()) {
    return Error{
        fmt::format("--batch {}: must be <= {}, the number of test images", batch, images.size())};
  }
  const std::vector<float> parameters = InitialParameters(model, shape, 1);
  std::vector<float> gradient(parameters.size());
  std::vector<std::uint32_t> samples(batch);
  std::iota(samples.begin(), samples.end(), 0U);
  const WeightedSamples part{samples};
  Trainer trainer(model, images, options.threads);
  // Each measurement makes enough calls to take some milliseconds.
  const std::size_t calls = 1 + 1000 / batch;
  for (int i = 0; i < options.repeats; ++i) {
    for (std::size_t call = 0; call < calls; ++call) {
      row.gradient.Measure([&] { trainer.Gradient(parameters, {&part, 1}, gradient); });
    }
    best_sgemm.Measure([&] { sgemm.Run(); });
  }
  Best evaluation;
  for (int i = 0; i < 2; ++i) evaluation.Measure([&] { trainer.Evaluate(parameters, images); });
  row.evaluation_us_per_sample = evaluation.seconds() / double(images.size()) * 1e6;
  if (auto status = Save(options.save, row.model + "-parameters.f32", parameters); !status)
    return status.error();
  const std::string name = fmt::format("{}-{}-gradient.f32", row.model, batch);
  if (auto status = Save(options.save, name, gradient); !status) return status.error();
  if (auto status = Save(options.save, "images.u8", images.pixels); !status) return status.error();
  if (auto status = Save(options.save, "labels.u8", images.labels); !status) return status.error();
  return row;
}

void PrintText(const Json& rows, bool is_cropped) {
  Print("Gradients, the best of several rounds ({}, {} thread{})\n",
        rows[0]["simd_target"].get<std::string>(), rows[0]["threads"].get<int>(),
        rows[0]["threads"] == 1 ? "" : "s");
  Print("  model       batch   µs/sample   samples/s  GFLOP/s  of sgemm  evaluation µs/sample\n");
  for (const Json& row : rows) {
    Print("  {:<11} {:>5} {:>11.2f} {:>11} {:>8.1f} {:>7.0f} % {:>21.2f}\n",
          row["model"].get<std::string>(), row["batch"].get<std::size_t>(),
          row["us_per_sample"].get<double>(),
          Count(std::size_t(row["samples_per_s"].get<double>())), row["gflop_per_s"].get<double>(),
          100 * row["gflop_per_s"].get<double>() / row["sgemm_gflop_per_s"].get<double>(),
          row["evaluation_us_per_sample"].get<double>());
  }
  Print("  sgemm of OpenBLAS, one thread: {:.1f} GFLOP/s\n",
        rows[0]["sgemm_gflop_per_s"].get<double>());
  if (is_cropped) Print("  (whole images count, also where empty margins are left out)\n");
}

int RunLearning(const LearningBenchOptions& options) {
  if (!UseSimdTarget(options)) return kBadInput;
  auto sgemm = Sgemm::Load();
  if (!sgemm) return Report(sgemm.error());
  const auto images = BenchImages(options);
  if (!images) return Report(images.error());
  Progress progress("measuring", options.output.quiet);
  std::vector<Row> rows;
  Best best_sgemm;
  for (const std::string& name : options.models) {
    for (const std::size_t batch : options.batches) {
      auto row = MeasureRow(*FindModel(name), batch, *images, options, *sgemm, best_sgemm);
      if (!row) return Report(row.error());
      rows.push_back(std::move(*row));
    }
  }
  Json json = Json::array();
  for (const Row& row : rows) {
    json.push_back(ToJson(row, options, Sgemm::Flops() / best_sgemm.seconds() / 1e9));
  }
  options.output.json ? PrintExactly(TextOf(json)) : PrintText(json, !options.data.empty());
  return kDone;
}

}  // namespace

void AddBenchLearning(CLI::App& bench, int& exit_code) {
  auto options = std::make_shared<LearningBenchOptions>();
  std::vector<std::string> names;
  for (const Model& model : Models()) names.emplace_back(model.name);
  options->models = names;
  CLI::App& command =
      *bench.add_subcommand("learning", "Gradients of the models against a matrix product");
  command.add_option("--model", options->models, "Models (all)")
      ->delimiter(',')
      ->check(OneOf(names))
      ->type_name("NAME");
  command.add_option("--batch", options->batches, "Samples of a gradient")
      ->delimiter(',')
      ->check(WholeNumberIn(1, 1e6))
      ->capture_default_str();
  command.add_option("--data", options->data, "Data set; without it, images that fill their frame")
      ->check(kNotEmpty)
      ->type_name("NAME");
  command.add_option("--side", options->side, "Rows and columns of images without --data")
      ->check(WholeNumberIn(1, 1024))
      ->capture_default_str();
  command.add_option("--channels", options->channels, "Channels of images without --data")
      ->check(WholeNumberIn(1, 64))
      ->capture_default_str();
  command
      .add_option("--save", options->save, "Folder for raw parameters, gradients, images, labels")
      ->check(CLI::ExistingDirectory)
      ->type_name("FOLDER");
  AddBenchOptions(command, *options);
  AddExample(command, "airlot bench learning --model mlp --batch 600 --json");
  command.callback([options, &exit_code] { exit_code = RunLearning(*options); });
}

}  // namespace airlot::cli
