#include "fleet/duplicate_ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/shards.h"
#include "base/text.h"

namespace airlot::fleet {

namespace {

struct HashedRow {
  std::size_t hash, row;
  bool operator<(const HashedRow& other) const {
    return hash != other.hash ? hash < other.hash : row < other.row;
  }
};

// Finds the first duplicate among rows that are all that have their hashes.
std::optional<TwoRows> FindAmong(const DeviceIds& ids, std::span<HashedRow> rows) {
  std::ranges::sort(rows, std::less<>());
  std::string buffer, other_buffer;
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

}  // namespace

bool AreRising(const DeviceIds& ids, int threads) {
  const auto rising = base::MapShards(ids.size(), threads, [&](const base::Shard& shard) -> char {
    std::string buffer, last_buffer;
    std::string_view last = shard.begin == 0 ? "" : ids.Get(shard.begin - 1, last_buffer);
    for (std::size_t i = shard.begin; i < shard.end; ++i) {
      const std::string_view id = ids.Get(i, buffer);
      const bool is_larger = id.size() != last.size() ? id.size() > last.size() : id > last;
      if (!is_larger) return 0;
      last = id;
    }
    return 1;
  });
  return std::ranges::all_of(rising, [](char one) { return one == 1; });
}

// Equal ids have equal hashes, so that after sorting by hash they are in one short run of rows. The
// rows are dealt to buckets by their hashes first: a bucket is sorted in the cache, and several
// threads sort different ones.
std::optional<TwoRows> FindDuplicate(const DeviceIds& ids, int threads) {
  if (AreRising(ids, threads)) return std::nullopt;
  constexpr std::size_t kBuckets = 1024;
  const auto bucket_of = [](std::size_t hash) { return hash % kBuckets; };
  std::vector<std::size_t> hashes(ids.size());
  const auto counts = base::MapShards(ids.size(), threads, [&](const base::Shard& shard) {
    std::vector<std::uint32_t> count(kBuckets);
    std::string buffer;
    for (std::size_t i = shard.begin; i < shard.end; ++i) {
      hashes[i] = std::hash<std::string_view>()(ids.Get(i, buffer));
      ++count[bucket_of(hashes[i])];
    }
    return count;
  });
  std::vector<std::size_t> begins(kBuckets + 1);
  std::vector<std::vector<std::size_t>> places(counts.size(), std::vector<std::size_t>(kBuckets));
  for (std::size_t bucket = 0, next = 0; bucket < kBuckets; ++bucket) {
    begins[bucket] = next;
    for (std::size_t shard = 0; shard < counts.size(); ++shard) {
      places[shard][bucket] = next;
      next += counts[shard][bucket];
    }
    begins[bucket + 1] = next;
  }
  std::vector<HashedRow> rows(ids.size());
  base::ForEachShard(ids.size(), threads, [&](const base::Shard& shard) {
    for (std::size_t i = shard.begin; i < shard.end; ++i) {
      rows[places[shard.index][bucket_of(hashes[i])]++] = {hashes[i], i};
    }
  });
  std::vector<std::optional<TwoRows>> found(kBuckets);
  base::ForEachTask(kBuckets, threads, [&](std::size_t i, std::size_t) {
    found[i] = FindAmong(ids, std::span(rows).subspan(begins[i], begins[i + 1] - begins[i]));
  });
  std::optional<TwoRows> first;
  for (const auto& two : found) {
    if (two && (!first || two->second < first->second)) first = two;
  }
  return first;
}

Status CheckIds(const std::string& path, const DeviceIds& ids, const RowLines& lines,
                const Hands& hands) {
  const auto same = FindSameIds(ids, lines, hands);
  if (!same) return {};
  return Error{
      fmt::format("{}:{}: id = {}: line {} has the same; every device needs an id of its own", path,
                  same->second_line, base::Quoted(same->id), same->first_line)};
}

}  // namespace airlot::fleet
