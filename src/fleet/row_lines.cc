#include <algorithm>

#include "airlot/fleet.h"

namespace airlot {

void RowLines::Append(std::uint64_t line, std::size_t rows) {
  if (rows_ == 0 || line != last_line_ + 1) jumps_.push_back({rows_, line});
  last_line_ = line + rows - 1;
  rows_ += rows;
}

std::uint64_t RowLines::LineOf(std::size_t row) const {
  const auto after = std::ranges::upper_bound(jumps_, row, {}, &Jump::row);
  const Jump& jump = *(after - 1);
  return jump.line + (row - jump.row);
}

}  // namespace airlot
