// These functions convert IEEE 754 numbers of 16 bits (binary16), which have 1 sign, 5 exponent and
// 10 fraction bits and go from 2^-24 to 65504.
#ifndef AIRLOT_COMPRESSION_FLOAT16_H_
#define AIRLOT_COMPRESSION_FLOAT16_H_

#include <cstdint>

namespace airlot::compression {

// Rounds to the nearest number, of two to the even one. Finite numbers beyond the largest become
// the largest, not infinite; infinities stay, and NaN stays a NaN.
std::uint16_t HalfOf(float value);

// The conversion is exact.
float FloatOfHalf(std::uint16_t half);

}  // namespace airlot::compression

#endif  // AIRLOT_COMPRESSION_FLOAT16_H_
