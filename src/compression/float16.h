// IEEE 754 numbers of 16 bits (binary16): 1 sign, 5 exponent, 10 fraction; 2^-24 to 65504.
#ifndef AIRLOT_COMPRESSION_FLOAT16_H_
#define AIRLOT_COMPRESSION_FLOAT16_H_

#include <cstdint>

namespace airlot::compression {

// To the nearest, of two the even one. Finite numbers beyond the largest become the largest, not
// infinite; infinities stay, and NaN stays a NaN.
std::uint16_t HalfOf(float value);

// Exact.
float FloatOfHalf(std::uint16_t half);

}  // namespace airlot::compression

#endif  // AIRLOT_COMPRESSION_FLOAT16_H_
