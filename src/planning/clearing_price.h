// The price per hertz at which the devices buy just the band that there is.
#ifndef AIRLOT_PLANNING_CLEARING_PRICE_H_
#define AIRLOT_PLANNING_CLEARING_PRICE_H_

#include "airlot/column.h"
#include "planning/band_demand.h"

namespace airlot::planning {

// At `low` they buy at least the total, at `high` at most; both may be one price, at which some do
// not care whether they buy.
struct PriceRange {
  double low = 0, high = 0;
  double low_hz = 0, high_hz = 0;  // what they buy there
  double bound = 0;                // the dual's: no split of the total reaches more
};

// A range that closes the gap between the bound and the split of `MixBands` to 1e-12, relative.
// Zero prices where everybody can have all that is of use.
PriceRange FindPrice(const PricedFleet& fleet, double total_hz, int threads);

// What is bought at `low` and at `high`, mixed so that it adds up to the total; by device. At
// zero prices what is of use.
ColumnValues MixBands(const PricedFleet& fleet, const PriceRange& range, double total_hz,
                      int threads);

}  // namespace airlot::planning

#endif  // AIRLOT_PLANNING_CLEARING_PRICE_H_
