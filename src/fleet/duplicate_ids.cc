#include "fleet/duplicate_ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>

#include "base/text.h"

namespace airlot::fleet {

// Equal ids have equal hashes, so that after sorting by hash they are in one short run of rows.
std::optional<TwoRows> FindDuplicate(const DeviceIds& ids) {
  struct HashedRow {
    std::size_t hash, row;
    bool operator<(const HashedRow& other) const {
      return hash != other.hash ? hash < other.hash : row < other.row;
    }
  };
  std::string buffer, other_buffer;
  std::vector<HashedRow> rows(ids.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = {std::hash<std::string_view>()(ids.Get(i, buffer)), i};
  }
  std::ranges::sort(rows, std::less<>());
  std::optional<TwoRows> found;
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    for (end = begin + 1; end < rows.size() && rows[end].hash == rows[begin].hash; ++end) {
      const std::string_view id = ids.Get(rows[end].row, buffer);
      for (std::size_t i = begin; i < end; ++i) {
        if (ids.Get(rows[i].row, other_buffer) != id) continue;
        if (!found || rows[end].row < found->second) found = {rows[i].row, rows[end].row};
        break;
      }
    }
  }
  return found;
}

Status CheckIds(const std::string& path, const DeviceIds& ids, const RowLines& lines) {
  const auto two = FindDuplicate(ids);
  if (!two) return {};
  std::string buffer;
  return Error{
      fmt::format("{}:{}: id = {}: line {} has the same; every device needs an id of its own", path,
                  lines.LineOf(two->second), base::Quoted(ids.Get(two->second, buffer)),
                  lines.LineOf(two->first))};
}

}  // namespace airlot::fleet
