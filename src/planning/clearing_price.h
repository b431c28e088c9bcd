// The clearing price is the price per hertz at which the devices buy just the band that there is.
#ifndef AIRLOT_PLANNING_CLEARING_PRICE_H_
#define AIRLOT_PLANNING_CLEARING_PRICE_H_

#include "airlot/column.h"
#include "planning/band_demand.h"

namespace airlot::planning {

// In a PriceRange the devices buy at least the total at `low`, and at most the total at `high`;
// both may be one price, at which some do not care whether they buy.
struct PriceRange {
  double low = 0, high = 0;
  double low_hz = 0, high_hz = 0;  // what they buy at these prices
  double bound = 0;                // the dual's bound: no split of the total reaches more
};

// Returns a range that closes the gap between the bound and the split of `MixBands` to 1e-12,
// relative. Both prices are zero where everybody can have all that is of use. Where there is a
// team, the devices are those of all members.
PriceRange FindPrice(const BandBuyers& fleet, double total_hz, const Hands& hands);

// Returns, by device, what is bought at `low` and at `high`, mixed so that it adds up to the total.
// At zero prices it is what is of use.
ColumnValues MixBands(const BandBuyers& fleet, const PriceRange& range, double total_hz,
                      int threads);

}  // namespace airlot::planning

#endif  // AIRLOT_PLANNING_CLEARING_PRICE_H_
