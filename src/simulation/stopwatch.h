#ifndef AIRLOT_SIMULATION_STOPWATCH_H_
#define AIRLOT_SIMULATION_STOPWATCH_H_

#include <chrono>

namespace airlot::simulation {

// Adds the time that it lives to `sum_s`.
class Stopwatch {
 public:
  explicit Stopwatch(double& sum_s) : sum_s_(sum_s) {}
  ~Stopwatch() {
    sum_s_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& sum_s_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace airlot::simulation

#endif  // AIRLOT_SIMULATION_STOPWATCH_H_
