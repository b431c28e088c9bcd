#include "fleet/growing_rows.h"

#include <algorithm>

namespace airlot::fleet {

void GrowingRows::MakeFor(const base::CsvBlocks& csv, std::size_t rows,
                          const std::function<void(std::size_t)>& resize) {
  if (rows <= room_) return;
  // The rest of the file probably has rows as long as those so far. A stream may have any number.
  const auto seen = static_cast<double>(csv.bytes_read());
  const double share = std::min(1.0, seen / std::max(seen, static_cast<double>(csv.file_size())));
  const double expected = 1.02 * static_cast<double>(rows) / share;
  const bool is_at_end = csv.file_size() > 0 && share == 1;
  const double grown = is_at_end ? 0 : 1.5 * static_cast<double>(room_);
  const auto room = std::max(rows, static_cast<std::size_t>(std::max(expected, grown)));
  const std::lock_guard lock(mutex_);
  resize(room);
  room_ = room;
}

}  // namespace airlot::fleet
