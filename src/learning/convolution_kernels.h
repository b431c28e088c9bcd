// These kernels compute convolution, ReLU and max-pooling as one, and their gradients.
//
// Only the largest of each pooling window passes a gradient back, so the backward pass touches one
// position in pool^2 instead of all.
#ifndef AIRLOT_LEARNING_CONVOLUTION_KERNELS_H_
#define AIRLOT_LEARNING_CONVOLUTION_KERNELS_H_

#include <cstddef>
#include <cstdint>

#include "learning/crop.h"

namespace airlot::learning {

// ConvolutionShape describes a "same" convolution with a square kernel of odd size, at most
// kLargestKernel, and pooling windows side by side; rows and columns that do not fill a window are
// left out.
struct ConvolutionShape {
  std::size_t inputs = 1;    // channels of the input
  std::size_t height = 0;    // rows of the input
  std::size_t width = 0;     // columns of the input
  std::size_t channels = 0;  // channels of the output
  std::size_t kernel = 0;
  std::size_t pool = 1;

  std::size_t PaddedWidth() const { return width + kernel - 1; }
  std::size_t PaddedHeight() const { return height + kernel - 1; }
  std::size_t PaddedSize() const { return inputs * PaddedHeight() * PaddedWidth(); }
  std::size_t OutputHeight() const { return height / pool; }
  std::size_t OutputWidth() const { return width / pool; }
  std::size_t Cells() const { return OutputHeight() * OutputWidth(); }
  std::size_t InputFeatures() const { return inputs * height * width; }
  std::size_t OutputFeatures() const { return channels * Cells(); }
  std::size_t WeightsPerChannel() const { return inputs * kernel * kernel; }
};

inline constexpr std::size_t kLargestKernel = 7;
inline constexpr std::size_t kLargestPool = 15;  // so that a place within a window is one byte
// The kernels may read so many numbers behind a padded image, because they read rows in whole
// vectors.
inline constexpr std::size_t kPaddedSlack = 8;

// ConvolveAndPool takes one panel of samples, by feature, and computes output(channel, cell) =
// max(0, bias + the largest sum of the window), and in `largest` where in the window that was (the
// first of equals), row by row. `input` is padded with zeros: [input channel][padded row][padded
// column][panel]. Outside of `crop` it is zero in all input channels; an empty crop says that it is
// zero nowhere.
void ConvolveAndPool(const ConvolutionShape& shape, const Crop& crop, const float* input,
                     const float* weights, const float* bias, float* output, std::uint8_t* largest);

// AddWeightGradient adds the gradients of one sample to weight_gradient and bias_gradient. `input`
// is padded: [input channel][padded row][padded column]. delta[f] is the loss gradient of output
// feature f, offset[f] the place of its largest window in a padded image.
void AddWeightGradient(const ConvolutionShape& shape, const float* input, const float* delta,
                       const std::uint32_t* offset, float* weight_gradient, float* bias_gradient);
// AddInputGradient adds the gradient of one sample's input to input_gradient, which is laid out as
// the padded input with kPaddedSlack numbers behind it.
void AddInputGradient(const ConvolutionShape& shape, const float* weights, const float* delta,
                      const std::uint32_t* offset, float* input_gradient);

}  // namespace airlot::learning

#endif  // AIRLOT_LEARNING_CONVOLUTION_KERNELS_H_
