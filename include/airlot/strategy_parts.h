// Strategies are made of these parts: who can take part, random numbers of a draw, the devices of
// largest score, and terms that share the band. The built-in strategies use them, and so may those
// of an extension (docs/extending.md).
#ifndef AIRLOT_STRATEGY_PARTS_H_
#define AIRLOT_STRATEGY_PARTS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "airlot/cell.h"
#include "airlot/random.h"
#include "airlot/selection.h"

namespace airlot {

// CountOption returns an option that is a whole number from 1 to 1e9, and ShareOption returns
// one that is a part of a whole, from 0 to 1.
StrategyOption CountOption(std::string name, double count, std::string summary);
StrategyOption ShareOption(std::string name, double share, std::string summary);
// Returns the option "devices" of a strategy that takes a fixed number of them.
StrategyOption DevicesOption(double devices, std::string summary = "Devices that it takes.");

// AbleDevices are the devices that can take part, found again for each plan only.
class AbleDevices {
 public:
  // Returns true where the plan is another one than at the last call: what follows from the plan is
  // then to be computed anew.
  bool Update(const SelectionView& view);
  const std::vector<std::uint32_t>& devices() const { return devices_; }  // in rising order

 private:
  bool is_found_ = false;
  std::uint64_t plan_version_ = 0;
  std::vector<std::uint32_t> devices_;
};

// Returns the round of a random stream, which is another one for each draw of a round that is drawn
// again.
std::uint64_t RoundOfDraw(const SelectionView& view);

// Returns random numbers of a strategy for this draw; `index` tells its streams apart. All
// strategies share them, because only one selects in a run. A stream is made anew in each call of
// `Select`, never kept. A stream for something else than selecting has a purpose of its own:
//   RandomStream stream(view.seed, PurposeNamed("my-lab/churn"), RoundOfDraw(view), device);
RandomStream StreamOf(const SelectionView& view, std::uint64_t index = 0);

// Selects `count` of the devices uniformly, or all where they are fewer, and says which probability
// each of them had. (56)
void SelectUniformly(std::span<const std::uint32_t> devices, std::size_t count, RandomStream stream,
                     Selection& selection);

// Returns how many devices the plan expects: the sum of its probabilities, rounded (half up).
std::size_t ExpectedDevices(const SelectionView& view);

// Returns the `count` devices of largest score that can take part, in rising order; of equal scores
// the first count. `score` has one number for each device of the fleet.
std::vector<std::uint32_t> DevicesOfLargestScore(const SelectionView& view,
                                                 std::span<const double> score, std::size_t count);

// Returns the terms of a device that sends at full power in one of `count` >= 1 equal parts of the
// cell's band.
Terms InSubchannel(const Cell& cell, std::size_t device, std::size_t count);

// Gives each selected device an equal part of the cell's band, as InSubchannel does: the whole band
// is shared by those who are selected. (S1)
void ShareBandEqually(const SelectionView& view, Selection& selection);

// Returns the shortest time limit of these devices, which all of them keep, and infinity for no
// devices.
double ShortestTimeLimit(const Cell& cell, std::span<const std::uint32_t> devices);

}  // namespace airlot

#endif  // AIRLOT_STRATEGY_PARTS_H_
