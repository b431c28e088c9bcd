// These kernels compute convolutions of any stride, padding and groups, and their gradients.
//
// All work on one panel of samples by feature: [channel][row][column][panel]. A vector holds one
// feature of several samples, so that no size of an image or a kernel leaves lanes unused.
#ifndef AIRLOT_LEARNING_GENERAL_CONVOLUTION_KERNELS_H_
#define AIRLOT_LEARNING_GENERAL_CONVOLUTION_KERNELS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "learning/panels.h"

namespace airlot::learning {

// A Tap is one term of a sum, for each channel that is seen: a weight and a pixel.
struct Tap {
  std::uint32_t weight;  // its place in the kernel
  std::uint32_t pixel;   // its place in the image that is read
};

// Taps list the terms of the sum at each pixel that is written.
struct Taps {
  std::vector<std::uint32_t> begin;  // one per pixel that is written, and the end
  std::vector<Tap> taps;
};

struct GeneralShape {
  std::size_t inputs = 0, height = 0, width = 0;           // of the image that comes in
  std::size_t outputs = 0, out_height = 0, out_width = 0;  // of the one that goes out
  std::size_t kernel = 1, stride = 1, padding = 0, groups = 1;

  std::size_t InputsOfGroup() const { return inputs / groups; }
  std::size_t OutputsOfGroup() const { return outputs / groups; }
  std::size_t Kernel2() const { return kernel * kernel; }
};

// ForwardTaps has the terms of each output pixel, which reads input pixels; BackwardTaps has the
// terms of the gradient of each input pixel, which reads those of output pixels.
Taps ForwardTaps(const GeneralShape& shape);
Taps BackwardTaps(const GeneralShape& shape);
// Returns how many taps each of the two has.
std::size_t CountTaps(const GeneralShape& shape);

// A TapSum is the sums of one group: out[row][pixel] = sum over channels and taps of weights[row]
// [channel][tap.weight] * in[channel][tap.pixel], + bias[row], max(0, .) where `relu`.
struct TapSum {
  const Taps& taps;
  std::size_t rows = 0;      // channels that are written
  std::size_t channels = 0;  // channels that are read
  std::size_t kernel2 = 1;   // weights of a row and channel
  const float* weights = nullptr;
  const float* bias = nullptr;  // null: none
  bool relu = false;
  const float* in = nullptr;
  std::size_t in_pixels = 0;
  float* out = nullptr;
  std::size_t out_pixels = 0;
};
void SumTaps(const TapSum& sum);

// AddTapGradient adds the gradient of the weights of one group over `panels` panels, and where
// `bias_gradient` is not null that of the biases. `in` and `delta` begin at the group's first
// channel; in_panel and delta_panel are the numbers from one panel to the next.
struct TapGradient {
  const GeneralShape& shape;
  std::size_t panels = 0;
  const float* in = nullptr;
  std::size_t in_panel = 0;
  const float* delta = nullptr;
  std::size_t delta_panel = 0;
  float* gradient = nullptr;       // [output of the group][input of the group][kernel place]
  float* bias_gradient = nullptr;  // [output of the group]
};
void AddTapGradient(const TapGradient& x);

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_GENERAL_CONVOLUTION_KERNELS_H_
