// A Scale leads from a quantity to a place on the picture.
#ifndef AIRLOT_REPORT_SCALE_H_
#define AIRLOT_REPORT_SCALE_H_

#include <string>
#include <vector>

namespace airlot::report {

struct Tick {
  double value = 0;
  std::string label;
};

// ExactScale and RoundScale make the ranges of scales. They take any finite numbers and give ranges
// that can be divided: within ±kMostShown, and wider than kNarrowest of the larger end.
struct Scale {
  double low = 0, high = 1;   // range of the quantity
  double begin = 0, end = 1;  // range on the picture
  bool is_log = false;

  // Returns a place between `begin` and `end`, also for values outside of the range, infinite ones
  // and NaN.
  double operator()(double value) const;
  // Returns about `wanted` round values in the range.
  std::vector<Tick> Ticks(int wanted = 5) const;
};

// Values beyond ±kMostShown stand at the end of a scale; so do values below kLeastShown on a
// logarithmic one.
inline constexpr double kMostShown = 1e300, kLeastShown = 1e-300;
// A range that is narrower than this, relative to its larger end, shows nothing but rounding: it is
// widened as if both ends were equal.
inline constexpr double kNarrowest = 1e-6;

// Makes a scale from `low` to `high`, which may be equal. A logarithmic one needs low > 0.
Scale ExactScale(double low, double high, bool is_log);

// Makes a scale from `low` to `high` or a little wider, with round numbers at its ends.
Scale RoundScale(double low, double high, bool is_log);

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_SCALE_H_
