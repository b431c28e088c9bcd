// How the ten digits are written: the strokes that `digits` distorts.
#ifndef AIRLOT_DATA_DIGIT_STROKES_H_
#define AIRLOT_DATA_DIGIT_STROKES_H_

#include <cstdint>
#include <span>

namespace airlot::data {

// A control point of a stroke. The digit stands in the box |x| <= 0.8, |y| <= 1.2; y points down.
struct Knot {
  enum class Kind : std::uint8_t { kStart, kSmooth, kCorner };
  float x, y;
  Kind kind = Kind::kSmooth;  // kStart: the pen is set down here
};

inline constexpr int kDigitClasses = 10;

// The ways to write a digit.
using Glyph = std::span<const Knot>;
std::span<const Glyph> GlyphsOf(int digit);

}  // namespace airlot::data

#endif  // AIRLOT_DATA_DIGIT_STROKES_H_
