// This file finds the same id in the parts of a fleet that several processes hold.
#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "airlot/bytes.h"
#include "base/gather.h"
#include "fleet/duplicate_ids.h"

namespace airlot::fleet {
namespace {

// So many parts of all hashes travel one after another, so that no member has many at a time.
constexpr std::size_t kBuckets = 256;
// Rows with equal hashes have equal ids, but for one in very many; so few are asked for theirs.
constexpr std::size_t kMostCandidates = 100;

// A HashedRow is a device of the whole fleet.
struct HashedRow {
  std::size_t hash, row;
  bool operator<(const HashedRow& other) const {
    return hash != other.hash ? hash < other.hash : row < other.row;
  }
};

bool IsLarger(std::string_view id, std::string_view than) {
  return id.size() != than.size() ? id.size() > than.size() : id > than;
}

// Says whether the last id of every member is before the first of the next one.
bool DoMembersRise(const DeviceIds& ids, Team& team) {
  std::string buffer;
  ByteWriter writer;
  writer.Put(ids.Get(0, buffer));
  writer.Put(ids.Get(ids.size() - 1, buffer));
  const std::string all = base::GatherBytes(team, std::move(writer).bytes());
  ByteReader reader(all);
  std::string first, last, before;
  for (std::size_t member = 0; member < team.size(); ++member) {
    reader.Take(first);
    reader.Take(last);
    if (member > 0 && !IsLarger(first, before)) return false;
    before = last;
  }
  return true;
}

// Returns pairs of rows with the same hash, those with the first second rows. Of more than two rows
// with one hash each stands with the first one and with the one before it. Of the buckets each
// member looks at its own ones.
std::vector<TwoRows> FindCandidates(const DeviceIds& ids, std::size_t first_device, Team& team) {
  std::vector<std::vector<HashedRow>> buckets(kBuckets);
  std::string buffer;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::size_t hash = std::hash<std::string_view>()(ids.Get(i, buffer));
    buckets[hash % kBuckets].push_back({hash, first_device + i});
  }
  std::vector<TwoRows> found;
  for (std::size_t b = 0; b < kBuckets; ++b) {
    std::vector<HashedRow> rows = base::GatherAll<HashedRow>(team, buckets[b]);
    buckets[b] = {};
    if (b % team.size() != team.rank()) continue;
    std::ranges::sort(rows, std::less<>());
    for (std::size_t begin = 0, i = 1; i < rows.size(); ++i) {
      if (rows[i].hash != rows[begin].hash) begin = i;
      if (begin < i) found.push_back({rows[begin].row, rows[i].row});
      if (begin + 1 < i) found.push_back({rows[i - 1].row, rows[i].row});
    }
  }
  const auto keep_first = [](std::vector<TwoRows>& pairs) {
    std::ranges::sort(pairs, {}, &TwoRows::second);
    pairs.resize(std::min(pairs.size(), kMostCandidates));
  };
  keep_first(found);
  found = base::GatherAll<TwoRows>(team, found);
  keep_first(found);
  return found;
}

// A KnownRow is what the member says that has it.
struct KnownRow {
  std::string id;
  std::uint64_t line = 0;
};

// Returns the ids and lines of rows of the fleet, of which each member knows its own.
std::vector<KnownRow> LookUp(const DeviceIds& ids, const RowLines& lines, std::size_t first_device,
                             const std::vector<std::size_t>& rising_rows, Team& team) {
  ByteWriter writer;
  std::string buffer;
  for (const std::size_t row : rising_rows) {
    if (row < first_device || row >= first_device + ids.size()) continue;
    writer.Put(ids.Get(row - first_device, buffer));
    writer.Put(lines.empty() ? std::uint64_t{0} : lines.LineOf(row - first_device));
  }
  const std::string all = base::GatherBytes(team, std::move(writer).bytes());
  ByteReader reader(all);
  std::vector<KnownRow> known(rising_rows.size());
  for (KnownRow& row : known) {
    reader.Take(row.id);
    reader.Take(row.line);
  }
  return known;
}

std::optional<SameIds> FindInTeam(const DeviceIds& ids, const RowLines& lines, Team& team) {
  const Hands hands(1, &team);
  // All members have ids, or none has.
  if (ids.empty()) return std::nullopt;
  const bool is_rising_here = AreRising(ids, 1);
  const bool do_members_rise = DoMembersRise(ids, team);
  if (base::IsSoForAll(hands, is_rising_here) && do_members_rise) return std::nullopt;
  const std::size_t first_device = base::SumOfEarlierMembers(hands, ids.size());
  const std::vector<TwoRows> candidates = FindCandidates(ids, first_device, team);
  std::vector<std::size_t> rows;
  for (const TwoRows& two : candidates) rows.insert(rows.end(), {two.first, two.second});
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  const std::vector<KnownRow> known = LookUp(ids, lines, first_device, rows, team);
  const auto known_of = [&](std::size_t row) -> const KnownRow& {
    return known[static_cast<std::size_t>(std::ranges::lower_bound(rows, row) - rows.begin())];
  };
  for (const TwoRows& two : candidates) {
    const KnownRow &first = known_of(two.first), &second = known_of(two.second);
    if (first.id == second.id) return SameIds{two, second.id, first.line, second.line};
  }
  return std::nullopt;
}

}  // namespace

std::optional<SameIds> FindSameIds(const DeviceIds& ids, const RowLines& lines,
                                   const Hands& hands) {
  if (hands.team != nullptr) return FindInTeam(ids, lines, *hands.team);
  const auto two = FindDuplicate(ids, hands.threads);
  if (!two) return std::nullopt;
  std::string buffer;
  const auto line_of = [&](std::size_t row) { return lines.empty() ? 0 : lines.LineOf(row); };
  return SameIds{*two, std::string(ids.Get(two->second, buffer)), line_of(two->first),
                 line_of(two->second)};
}

}  // namespace airlot::fleet
