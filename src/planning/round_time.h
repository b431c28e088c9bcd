// This header computes the expected time of a round whose devices are drawn independently, and what
// one more device adds to it.
#ifndef AIRLOT_PLANNING_ROUND_TIME_H_
#define AIRLOT_PLANNING_ROUND_TIME_H_

#include <cstddef>
#include <span>
#include <vector>

#include "airlot/column.h"
#include "airlot/hands.h"

namespace airlot::planning {

// A Draw is a device that takes part with this probability and then takes this long.
struct Draw {
  double time_s = 0, probability = 0;
};

// Returns E[max T], (32), the same for any number of threads, and changes the order of the draws.
// Where there is a team, the draws are those of all members, of which the slowest travel that can
// change the last digit.
double ExpectedMaximum(std::vector<Draw>& draws, const Hands& hands = 1);
// Returns E[max T], (32), of devices that are drawn with these probabilities; `time_of`(i) is asked
// for those who may take part.
template <class TimeOf>
double ExpectedMaximum(std::span<const double> probability, const TimeOf& time_of,
                       const Hands& hands = 1) {
  std::vector<Draw> draws;
  for (std::size_t i = 0; i < probability.size(); ++i) {
    if (probability[i] > 0) draws.push_back({time_of(i), probability[i]});
  }
  return ExpectedMaximum(draws, hands);
}

// AddedTime is H(T) of (E12): what a device that surely takes part for the time T adds to E[max T]
// of others.
class AddedTime {
 public:
  struct Value {
    double added_s;        // H(T)
    double nobody_slower;  // the slope of H(T) just below T: the chance that nobody is slower
  };

  // Sets the others, by rising time.
  void Set(std::span<const Draw> others);
  Value At(double time_s) const;

 private:
  ColumnValues times_s_, added_s_;
  ColumnValues nobody_slower_;  // chance up to each of the times; and 1, beyond all of them
};

}  // namespace airlot::planning

#endif  // AIRLOT_PLANNING_ROUND_TIME_H_
