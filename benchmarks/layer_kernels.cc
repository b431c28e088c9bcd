// This program times each layer of the models with OpenBLAS, oneDNN and our own kernels, on one
// thread, in turns: it shows which library is best for what (docs/learning.md). It prints
// microseconds per sample, the best of several rounds.
#include <cblas.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <limits>
#include <oneapi/dnnl/dnnl.hpp>
#include <string>
#include <vector>

#include "learning/convolution_kernels.h"
#include "learning/panels.h"
#include "learning/product.h"

namespace {

using airlot::learning::AddWeightGradient;
using airlot::learning::ConvolutionShape;
using airlot::learning::Floats;
using airlot::learning::InPanels;
using airlot::learning::Multiply;
using airlot::learning::PanelWidth;
using airlot::learning::RoundUp;
using Work = std::function<void()>;

constexpr int kRounds = 40;

Floats Numbers(std::size_t size) {
  Floats numbers(size);
  unsigned state = 1;
  for (float& number : numbers) {
    state = state * 1664525 + 1013904223;
    number = float(state >> 8) * 0x1p-24F - 0.5F;
  }
  return numbers;
}

// The contenders take turns, so that a noisy neighbour hits all alike.
void Compare(const std::string& name, std::size_t samples,
             const std::vector<std::pair<std::string, Work>>& contenders) {
  std::vector<double> best(contenders.size(), std::numeric_limits<double>::infinity());
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      const auto start = std::chrono::steady_clock::now();
      contenders[i].second();
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
      best[i] = std::min(best[i], seconds.count());
    }
  }
  std::printf("%-34s %4zu", name.c_str(), samples);
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    std::printf("   %s %6.2f", contenders[i].first.c_str(), best[i] / double(samples) * 1e6);
  }
  std::printf("\n");
}

void CompareDense(std::size_t inputs, std::size_t outputs, std::size_t samples) {
  const auto m = int(samples), n = int(outputs), k = int(inputs);
  const std::size_t panel = PanelWidth();
  Floats weights = Numbers(outputs * inputs), x = Numbers(RoundUp(inputs, panel) * samples);
  Floats y = Numbers(RoundUp(outputs, panel) * samples), gradient = Numbers(weights.size());
  Floats packed(outputs * panel);
  const std::string name = std::to_string(inputs) + " x " + std::to_string(outputs);
  Compare("dense " + name + ", forward", samples,
          {{"OpenBLAS",
            [&] {
              cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1, x.data(), k,
                          weights.data(), k, 0, y.data(), n);
            }},
           {"own", [&] {
              Multiply({.rows = outputs,
                        .terms = inputs,
                        .columns = samples,
                        .s = weights.data(),
                        .s_row = inputs,
                        .b = x.data(),
                        .c = InPanels(y.data(), outputs)});
            }}});
  Compare("dense " + name + ", weights", samples,
          {{"OpenBLAS",
            [&] {
              cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, n, k, m, 1, y.data(), n,
                          x.data(), k, 1, gradient.data(), k);
            }},
           {"own", [&] {
              Multiply({.rows = outputs,
                        .terms = samples,
                        .columns = inputs,
                        .s = y.data(),
                        .s_row = samples,
                        .b = x.data(),
                        .c = {gradient.data(), inputs, panel},
                        .finish = airlot::learning::Finish::kAdd,
                        .columns_first = true});
            }}});
  Compare("dense " + name + ", input", samples,
          {{"OpenBLAS",
            [&] {
              cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, k, n, 1, y.data(), n,
                          weights.data(), k, 0, x.data(), k);
            }},
           {"own", [&] {
              for (std::size_t p = 0; p * panel < inputs; ++p) {
                airlot::learning::PackPanel(weights.data(), outputs, inputs, p, packed.data());
                Multiply({.rows = samples,
                          .terms = outputs,
                          .columns = panel,
                          .s = y.data(),
                          .s_row = outputs,
                          .b = packed.data(),
                          .c = {x.data() + p * panel, RoundUp(inputs, panel), panel}});
              }
            }}});
}

// This is the convolution of the cnn by oneDNN: forward with ReLU, pooling, and their gradients.
class OneDnn {
 public:
  explicit OneDnn(std::int64_t samples) : engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {
    using dnnl::memory;
    constexpr auto kFloat = memory::data_type::f32;
    const auto any = [&](const memory::dims& dims) {
      return memory::desc(dims, kFloat, memory::format_tag::any);
    };
    const memory::dims input{samples, 1, 28, 28}, kernel{20, 1, 7, 7}, bias{20};
    const memory::dims output{samples, 20, 28, 28}, pooled{samples, 20, 7, 7};
    const memory::dims one{1, 1}, border{3, 3}, window{4, 4}, none{0, 0};
    const auto training = dnnl::prop_kind::forward_training;
    const auto direct = dnnl::algorithm::convolution_direct;
    const auto max = dnnl::algorithm::pooling_max;
    dnnl::post_ops relu;
    relu.append_eltwise(1, dnnl::algorithm::eltwise_relu, 0, 0);
    dnnl::primitive_attr attributes;
    attributes.set_post_ops(relu);
    const dnnl::convolution_forward::primitive_desc forward(
        {training, direct, any(input), any(kernel), any(bias), any(output), one, border, border},
        attributes, engine_);
    const dnnl::pooling_forward::primitive_desc pool(
        {training, max, forward.dst_desc(), any(pooled), window, window, none, none}, engine_);
    const dnnl::pooling_backward::primitive_desc pool_back(
        {max, forward.dst_desc(), pool.dst_desc(), window, window, none, none}, engine_, pool);
    const dnnl::convolution_backward_weights::primitive_desc weights(
        {direct, any(input), any(kernel), any(bias), forward.dst_desc(), one, border, border},
        engine_, forward);
    const auto make = [&](const memory::desc& desc) { return memory(desc, engine_); };
    const memory x = make(forward.src_desc()), w = make(forward.weights_desc());
    const memory b = make(forward.bias_desc()), y = make(forward.dst_desc());
    const memory p = make(pool.dst_desc()), workspace = make(pool.workspace_desc());
    const memory dy = make(pool_back.diff_src_desc());
    Add(forward_, dnnl::convolution_forward(forward),
        {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, w}, {DNNL_ARG_BIAS, b}, {DNNL_ARG_DST, y}});
    Add(forward_, dnnl::pooling_forward(pool),
        {{DNNL_ARG_SRC, y}, {DNNL_ARG_DST, p}, {DNNL_ARG_WORKSPACE, workspace}});
    Add(backward_, dnnl::pooling_backward(pool_back),
        {{DNNL_ARG_DIFF_DST, p}, {DNNL_ARG_DIFF_SRC, dy}, {DNNL_ARG_WORKSPACE, workspace}});
    Add(backward_, dnnl::convolution_backward_weights(weights),
        {{DNNL_ARG_SRC, make(weights.src_desc())},
         {DNNL_ARG_DIFF_DST, dy},
         {DNNL_ARG_DIFF_WEIGHTS, make(weights.diff_weights_desc())},
         {DNNL_ARG_DIFF_BIAS, make(weights.diff_bias_desc())}});
  }
  void Forward() { Run(forward_); }
  void Backward() { Run(backward_); }

 private:
  struct Step {
    dnnl::primitive primitive;
    std::unordered_map<int, dnnl::memory> arguments;
  };
  static void Add(std::vector<Step>& steps, const dnnl::primitive& primitive,
                  std::unordered_map<int, dnnl::memory> arguments) {
    for (auto& [index, memory] : arguments) {
      std::fill_n(static_cast<char*>(memory.get_data_handle()), memory.get_desc().get_size(), 0);
    }
    steps.push_back({primitive, std::move(arguments)});
  }
  void Run(const std::vector<Step>& steps) {
    for (const Step& step : steps) step.primitive.execute(stream_, step.arguments);
    stream_.wait();
  }

  dnnl::engine engine_;
  dnnl::stream stream_;
  std::vector<Step> forward_, backward_;
};

// This is the product of an im2col convolution, without making its columns and without pooling.
void Im2ColProduct(const Floats& columns, const Floats& weights, Floats& output) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 20, 784, 49, 1, weights.data(), 49,
              columns.data(), 784, 0, output.data(), 784);
}

void CompareConvolution(std::size_t samples) {
  const std::size_t panel = PanelWidth();
  const ConvolutionShape shape{
      .inputs = 1, .height = 28, .width = 28, .channels = 20, .kernel = 7, .pool = 4};
  const Floats input = Numbers(shape.PaddedSize() * panel), bias = Numbers(shape.channels);
  const Floats weights = Numbers(shape.channels * shape.WeightsPerChannel());
  const Floats image = Numbers(shape.PaddedSize() + airlot::learning::kPaddedSlack);
  const Floats delta = Numbers(shape.OutputFeatures()), columns = Numbers(49 * 784);
  Floats output(shape.OutputFeatures() * panel), gradient = Numbers(weights.size());
  Floats bias_gradient = bias, wide(20 * 784);
  std::vector<std::uint8_t> largest(output.size());
  std::vector<std::uint32_t> offset(shape.OutputFeatures());
  for (std::size_t f = 0; f < offset.size(); ++f) {
    const std::size_t cell = f % shape.Cells();
    offset[f] = std::uint32_t(cell / 7 * 4 * shape.PaddedWidth() + cell % 7 * 4 + f % 4);
  }
  OneDnn onednn{std::int64_t(samples)};
  Compare("convolution, ReLU, pooling, forward", samples,
          {{"oneDNN", [&] { onednn.Forward(); }},
           {"im2col product alone",
            [&] {
              for (std::size_t i = 0; i < samples; ++i) Im2ColProduct(columns, weights, wide);
            }},
           {"own", [&] {
              for (std::size_t i = 0; i < samples; i += panel) {
                ConvolveAndPool(shape, {}, input.data(), weights.data(), bias.data(), output.data(),
                                largest.data());
              }
            }}});
  Compare("convolution, ReLU, pooling, weights", samples,
          {{"oneDNN", [&] { onednn.Backward(); }},
           {"own", [&] {
              for (std::size_t i = 0; i < samples; ++i) {
                AddWeightGradient(shape, image.data(), delta.data(), offset.data(), gradient.data(),
                                  bias_gradient.data());
              }
            }}});
}

}  // namespace

int main() {
  openblas_set_num_threads(1);
  std::printf("%-34s %4s   µs per sample\n", "layer", "batch");
  for (const std::size_t samples : {std::size_t{32}, std::size_t{64}}) {
    for (const auto& [inputs, outputs] :
         {std::pair<std::size_t, std::size_t>{784, 200}, {980, 200}, {200, 200}}) {
      CompareDense(inputs, outputs, samples);
    }
    CompareConvolution(samples);
  }
}
