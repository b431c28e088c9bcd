// The nat times of devices, of the sizes of their updates and their bands.
#ifndef AIRLOT_PYTHON_NAT_TIMES_H_
#define AIRLOT_PYTHON_NAT_TIMES_H_

#include <airlot/cell.h>
#include <airlot/column.h>

namespace airlot::python {

// Finds the nat times (4) of a cell's devices, infinite where they have no samples. They are one
// number where bands, updates and samples are; else they are in `nat_time_s`. The cell's problem
// then has them. Returns whether all bands and updates are finite and > 0.
bool SetNatTimes(Cell& cell, ColumnValues& nat_time_s);

// Finds the nat times alone, as one would who calls the library from C++.
void SetPlainNatTimes(Cell& cell, ColumnValues& nat_time_s);

}  // namespace airlot::python

#endif  // AIRLOT_PYTHON_NAT_TIMES_H_
