// The data set `digits` has the strokes of the ten digits as different hands would write them.
//
// It is drawn with only + - * / and sqrt on floats, in a fixed order, so that the bytes are the
// same on every machine. Each image has a random stream of its own.
#include "data/digits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "base/shards.h"
#include "data/digit_strokes.h"
#include "data/purposes.h"

namespace airlot {
namespace {

using base::RandomStream;
using data::Glyph;
using data::Knot;

constexpr int kSide = 28;
constexpr std::size_t kPixels = std::size_t{kSide} * kSide;
enum class Part : std::uint8_t { kTrain, kTest };  // is the round of the images' streams

// These constants say how far hands differ. They are chosen so that the models of the paper learn
// the digits well, but not perfectly (docs/mathematics.md, section 10).
constexpr float kWobble = 0.25F;  // how far a control point moves, in units of half a digit
constexpr float kTurn = 0.2F;     // largest tangent of half the angle of a turn
constexpr float kSlant = 0.4F;    // largest shear
constexpr float kSmallest = 6, kLargest = 10;  // half the height, pixels
constexpr float kNarrowest = 0.7F, kWidest = 1.2F;
constexpr float kShift = 4;                          // how far the centre moves, pixels
constexpr float kThinnest = 0.5F, kThickest = 1.6F;  // radius of the pen, pixels
constexpr float kPalest = 0.5F;                      // ink where the pen is lightest
constexpr float kGrain = 0.4F;                       // share of the ink that a pixel may lose
constexpr int kMostSpecks = 12;

struct Point {
  float x, y;
};

float Between(RandomStream& stream, float low, float high) {
  return low + (high - low) * static_cast<float>(stream.Uniform());
}

// Around draws a number in [-width, width], most often near 0.
float Around(RandomStream& stream, float width) {
  const auto first = static_cast<float>(stream.Uniform());  // two lines fix the order of the draws
  const auto second = static_cast<float>(stream.Uniform());
  return width * (first - second);
}

RandomStream StreamOf(std::uint64_t seed, Part part, std::size_t image) {
  return {seed, data::kDigits, static_cast<std::uint64_t>(part), image};
}

// The label is the first draw of an image's stream.
std::uint8_t DrawLabel(RandomStream& stream) {
  return static_cast<std::uint8_t>(stream.Below(data::kDigitClasses));
}

// An Affine is a map x -> matrix x + centre, from the digit's box to pixels.
struct Affine {
  float xx, xy, yx, yy;
  Point centre;

  Point operator()(Point p) const {
    return {xx * p.x + xy * p.y + centre.x, yx * p.x + yy * p.y + centre.y};
  }
};

// DrawAffine draws rotation * shear * scale. The sine and cosine are rational in the tangent of
// half the angle, (37), so that no function is needed whose last bit depends on the machine.
Affine DrawAffine(RandomStream& stream) {
  const float t = Around(stream, kTurn);
  const float cosine = (1 - t * t) / (1 + t * t);
  const float sine = 2 * t / (1 + t * t);
  const float slant = Around(stream, kSlant);
  const float height = Between(stream, kSmallest, kLargest);
  const float width = height * Between(stream, kNarrowest, kWidest);
  const float middle = float{kSide} / 2;
  const Point centre = {middle + Around(stream, kShift), middle + Around(stream, kShift)};
  return {cosine * width, -(cosine * slant + sine) * height, sine * width,
          (cosine - sine * slant) * height, centre};
}

// A Canvas is one image in the making: it holds the squared distance of every pixel to the nearest
// stroke.
class Canvas {
 public:
  explicit Canvas(float reach) : reach_(reach) { nearest_.fill(reach * reach); }

  void DrawSegment(Point a, Point b);
  // DrawCurve draws a quadratic Bezier curve.
  void DrawCurve(Point from, Point control, Point to);
  const std::array<float, kPixels>& nearest() const { return nearest_; }

 private:
  // The pixels of a row or column from First(low) to before Last(high) may be within reach of [low,
  // high].
  int First(float low) const {
    return static_cast<int>(std::clamp(low - reach_, 0.F, float{kSide}));
  }
  int Last(float high) const {
    return static_cast<int>(std::clamp(high + reach_ + 1, 0.F, float{kSide}));
  }

  float reach_;
  std::array<float, kPixels> nearest_;
};

void Canvas::DrawSegment(Point a, Point b) {
  const Point d = {b.x - a.x, b.y - a.y};
  const float inverse = 1 / std::max(d.x * d.x + d.y * d.y, 1e-6F);
  const int left = First(std::min(a.x, b.x)), right = Last(std::max(a.x, b.x));
  const int top = First(std::min(a.y, b.y)), bottom = Last(std::max(a.y, b.y));
  for (int row = top; row < bottom; ++row) {
    const float y = static_cast<float>(row) + 0.5F - a.y;
    float* nearest = nearest_.data() + std::ptrdiff_t{row} * kSide;
    for (int column = left; column < right; ++column) {
      const float x = static_cast<float>(column) + 0.5F - a.x;
      const float along = std::min(std::max((x * d.x + y * d.y) * inverse, 0.F), 1.F);
      const float dx = x - along * d.x, dy = y - along * d.y;
      nearest[column] = std::min(nearest[column], dx * dx + dy * dy);
    }
  }
}

void Canvas::DrawCurve(Point from, Point control, Point to) {
  constexpr int kSteps = 4;
  Point last = from;
  for (int step = 1; step <= kSteps; ++step) {
    const float t = static_cast<float>(step) / kSteps, s = 1 - t;
    const float u = s * s, v = 2 * s * t, w = t * t;
    const Point next = {u * from.x + v * control.x + w * to.x,
                        u * from.y + v * control.y + w * to.y};
    DrawSegment(last, next);
    last = next;
  }
}

Point Middle(Point a, Point b) { return {0.5F * (a.x + b.x), 0.5F * (a.y + b.y)}; }

// PlaceKnots says where the control points of a glyph come to lie: each wobbles, and all are moved
// together.
void PlaceKnots(Glyph glyph, RandomStream& stream, std::vector<Point>& points) {
  const Affine affine = DrawAffine(stream);
  points.clear();
  for (const Knot& knot : glyph) {
    const float x = knot.x + Around(stream, kWobble);
    const float y = knot.y + Around(stream, kWobble);
    points.push_back(affine({x, y}));
  }
}

// A stroke runs from midpoint to midpoint, bent by the control point between them; through corners
// and to its ends it runs straight.
void DrawStrokes(Glyph glyph, const std::vector<Point>& points, Canvas& canvas) {
  const auto ends_at = [&](std::size_t i) {
    return i + 1 == glyph.size() || glyph[i + 1].kind == Knot::Kind::kStart;
  };
  Point pen = {};
  for (std::size_t i = 0; i < glyph.size(); ++i) {
    if (glyph[i].kind == Knot::Kind::kStart) {
      pen = points[i];
    } else if (ends_at(i) || glyph[i].kind == Knot::Kind::kCorner) {
      canvas.DrawSegment(pen, points[i]);
      pen = points[i];
    } else {
      const Point to = Middle(points[i], points[i + 1]);
      canvas.DrawCurve(pen, points[i], to);
      pen = to;
    }
  }
}

// ToByte rounds a value in [0, 255]. Unlike lround, it is the same everywhere, and fast.
std::uint8_t ToByte(float value) {
  const float half_more = value + 0.5F;
  return static_cast<std::uint8_t>(half_more);
}

// Ink inks each pixel by its distance to the pen's path, softly over one pixel at the edge, and
// paler by a grain of the pixel's own, (38). What no stroke reaches stays exactly 0.
void Ink(const Canvas& canvas, float radius, RandomStream& stream, std::uint8_t* pixels) {
  const float darkness = Between(stream, 255 * kPalest, 255);
  for (std::size_t i = 0; i < kPixels; ++i) {
    const float edge = radius + 0.5F - std::sqrt(canvas.nearest()[i]);
    pixels[i] = ToByte(darkness * std::clamp(edge, 0.F, 1.F));
  }
  for (std::size_t i = 0; i < kPixels; ++i) {
    if (pixels[i] == 0) continue;
    const float kept = 1 - Between(stream, 0, kGrain);
    pixels[i] = ToByte(static_cast<float>(pixels[i]) * kept);
  }
}

// AddSpecks adds dust, a few pixels of any shade.
void AddSpecks(RandomStream& stream, std::uint8_t* pixels) {
  for (std::uint64_t left = stream.Below(kMostSpecks + 1); left > 0; --left) {
    std::uint8_t& pixel = pixels[stream.Below(kPixels)];
    pixel = std::max(pixel, static_cast<std::uint8_t>(stream.Below(256)));
  }
}

// Draws one image and returns its label.
std::uint8_t DrawDigit(RandomStream stream, std::vector<Point>& points, std::uint8_t* pixels) {
  const std::uint8_t label = DrawLabel(stream);
  const auto glyphs = data::GlyphsOf(label);
  const Glyph glyph = glyphs[stream.Below(glyphs.size())];
  const float radius = Between(stream, kThinnest, kThickest);
  PlaceKnots(glyph, stream, points);
  Canvas canvas(radius + 0.5F);
  DrawStrokes(glyph, points, canvas);
  Ink(canvas, radius, stream, pixels);
  AddSpecks(stream, pixels);
  return label;
}

Images DrawImages(std::uint64_t seed, Part part, std::size_t samples, int threads) {
  Images images{kSide, kSide, data::kDigitClasses, {}, {}};
  images.pixels.resize(samples * kPixels);
  images.labels.resize(samples);
  base::ForEachShard(samples, threads, [&](const base::Shard& shard) {
    std::vector<Point> points;
    for (std::size_t i = shard.begin; i < shard.end; ++i) {
      images.labels[i] =
          DrawDigit(StreamOf(seed, part, i), points, images.pixels.data() + i * kPixels);
    }
  });
  return images;
}

}  // namespace

Dataset DrawDigits(const DigitsOptions& options, int threads) {
  return {"digits", DrawImages(options.seed, Part::kTrain, options.train_samples, threads),
          DrawImages(options.seed, Part::kTest, options.test_samples, threads)};
}

Labels data::DrawDigitLabels(const DigitsOptions& options) {
  Labels labels{std::vector<std::uint8_t>(options.train_samples), kDigitClasses, kSide, kSide};
  for (std::size_t i = 0; i < labels.values.size(); ++i) {
    RandomStream stream = StreamOf(options.seed, Part::kTrain, i);
    labels.values[i] = DrawLabel(stream);
  }
  return labels;
}

}  // namespace airlot
