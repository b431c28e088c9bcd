// From a quantity to a place on the picture.
#ifndef AIRLOT_REPORT_SCALE_H_
#define AIRLOT_REPORT_SCALE_H_

#include <string>
#include <vector>

namespace airlot::report {

struct Tick {
  double value = 0;
  std::string label;
};

struct Scale {
  double low = 0, high = 1;   // of the quantity
  double begin = 0, end = 1;  // of the picture
  bool is_log = false;

  double operator()(double value) const;
  // About `wanted` round values in the range.
  std::vector<Tick> Ticks(int wanted = 5) const;
};

// A scale from `low` to `high`, widened to round numbers. A logarithmic one needs low > 0.
Scale RoundScale(double low, double high, bool is_log);

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_SCALE_H_
