// ReadPartition takes a partition from a file, in which somebody has written down who has which
// samples.
#ifndef AIRLOT_DATA_FILE_PARTITION_H_
#define AIRLOT_DATA_FILE_PARTITION_H_

#include <cstddef>
#include <string>

#include "airlot/partition.h"
#include "airlot/result.h"

namespace airlot::data {

// Reads a CSV file with the columns sample (from 0) and device (as `names` calls it, or from 1).
// Each sample is there at most once. A device holds its samples in the order of the file.
Result<Partition> ReadPartition(const std::string& path, std::size_t samples, std::size_t devices,
                                const DeviceNames& names);

}  // namespace airlot::data

#endif  // AIRLOT_DATA_FILE_PARTITION_H_
