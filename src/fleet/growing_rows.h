// GrowingRows make room for rows that several threads read from a CSV file.
#ifndef AIRLOT_FLEET_GROWING_ROWS_H_
#define AIRLOT_FLEET_GROWING_ROWS_H_

#include <cstddef>
#include <functional>
#include <mutex>
#include <shared_mutex>

#include "base/csv_blocks.h"

namespace airlot::fleet {

// Columns have room for as many rows as the file seems to have; where that was too few, they grow
// while no thread uses them.
class GrowingRows {
 public:
  // Lets a thread write to the rows that it was given, as long as the value lives.
  std::shared_lock<std::shared_mutex> Use() { return std::shared_lock(mutex_); }
  // Makes room for `rows` rows, where there is none, by a call of `resize`. One thread may call it
  // at a time.
  void MakeFor(const base::CsvBlocks& csv, std::size_t rows,
               const std::function<void(std::size_t rows)>& resize);

 private:
  std::shared_mutex mutex_;
  std::size_t room_ = 0;
};

}  // namespace airlot::fleet

#endif  // AIRLOT_FLEET_GROWING_ROWS_H_
