// These classes measure the time that something takes.
#ifndef AIRLOT_BASE_STOPWATCH_H_
#define AIRLOT_BASE_STOPWATCH_H_

#include <chrono>
#include <utility>

namespace airlot::base {

class LapTimer {
 public:
  // Returns the seconds since the last lap, or since the beginning.
  double Lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// A Stopwatch adds the time that it lives to `sum_s`.
class Stopwatch {
 public:
  explicit Stopwatch(double& sum_s) : sum_s_(sum_s) {}
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch() { sum_s_ += timer_.Lap(); }

 private:
  double& sum_s_;
  LapTimer timer_;
};

}  // namespace airlot::base

#endif  // AIRLOT_BASE_STOPWATCH_H_
