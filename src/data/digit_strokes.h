// GlyphsOf says how the ten digits are written, as the strokes that the data set `digits` distorts.
#ifndef AIRLOT_DATA_DIGIT_STROKES_H_
#define AIRLOT_DATA_DIGIT_STROKES_H_

#include <cstdint>
#include <span>

namespace airlot::data {

// A Knot is a control point of a stroke. The digit stands in the box |x| <= 0.8, |y| <= 1.2; y
// points down.
struct Knot {
  enum class Kind : std::uint8_t { kStart, kSmooth, kCorner };
  float x, y;
  Kind kind = Kind::kSmooth;  // the pen is set down at a kStart
};

inline constexpr int kDigitClasses = 10;

// A Glyph is one way to write a digit, and GlyphsOf returns all of them.
using Glyph = std::span<const Knot>;
std::span<const Glyph> GlyphsOf(int digit);

}  // namespace airlot::data

#endif  // AIRLOT_DATA_DIGIT_STROKES_H_
