#include "fleet/csv_ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/shards.h"
#include "base/text.h"

namespace airlot::fleet {

Status CheckId(std::string_view id) {
  if (id.empty()) return Error{"id is missing"};
  if (std::any_of(id.begin(), id.end(), base::IsControl)) {
    return Error{fmt::format("id = {}: must not have control characters", base::Quoted(id))};
  }
  return {};
}

void CsvIds::Keep(const base::CsvBlock& block, std::string text) {
  text.shrink_to_fit();
  bytes_ += text.size();
  const std::lock_guard lock(mutex_);
  if (parts_.size() <= block.index()) parts_.resize(block.index() + 1);
  parts_[block.index()] = {block.first_row(), block.rows(), std::move(text)};
}

DeviceIds CsvIds::Finish(std::size_t rows, int threads) {
  std::vector<std::size_t> begins;
  std::size_t size = 0;
  for (const Part& part : parts_) {
    begins.push_back(size);
    size += part.text.size();
  }
  DeviceIds::Bytes text(size);
  base::ForEachTask(parts_.size(), threads, [&](std::size_t i, std::size_t) {
    Part& part = parts_[i];
    std::ranges::copy(part.text, text.begin() + static_cast<std::ptrdiff_t>(begins[i]));
    for (std::size_t row = part.first_row; row < part.first_row + part.rows; ++row) {
      ends_[row] += begins[i];
    }
    part.text = {};
  });
  parts_.clear();
  ends_.resize(rows);
  return {std::move(text), std::move(ends_)};
}

}  // namespace airlot::fleet
