#include "fleet/fleet_npz.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/gather.h"
#include "base/npz_columns.h"
#include "base/shards.h"
#include "base/text.h"
#include "fleet/csv_ids.h"
#include "fleet/duplicate_ids.h"
#include "fleet/file_columns.h"
#include "fleet/fleet_memory.h"

namespace airlot::fleet {
namespace {

using base::ElementType;
using base::NpzArray;
using base::NpzReader;
using base::NpzRows;

// All texts of an array have the width of the longest, so that one very long id would make a large
// file.
constexpr std::size_t kLongestId = 256;

Error WrongType(const NpzArray& array, std::string_view wanted) {
  return {fmt::format("{}: has the type {}: must be {}", array.where,
                      base::TypeInWords(array.header.type), wanted)};
}

Error WrongId(const NpzArray& array, std::size_t row, std::string_view what) {
  return {fmt::format("{}{}", array.Where(row), what)};
}

// Says what CheckId finds wrong with the id of a row.
Status CheckIdOf(const NpzArray& array, std::size_t row, std::string_view id) {
  if (auto status = CheckId(id); !status) {
    return WrongId(array, row,
                   id.empty() ? " is empty: every device needs an id"
                              : status.error().message.substr(kIdColumn.size()));
  }
  return {};
}

// Reads the numbers of one column.
Status ReadColumn(const NpzReader& file, const NpzArray& array, const FileColumn& column,
                  const NpzRows& of_member, const Hands& hands, ColumnValues& values) {
  if (!array.type.IsNumber()) {
    return WrongType(array, "little-endian floats or integers, such as float64 (\"<f8\")");
  }
  values.resize(of_member.count);
  return file.Read(
      array, of_member, hands, [&](std::size_t first, std::string_view bytes) -> Status {
        double* const begin = values.data() + first;
        base::ToDoubles(array.type, bytes, begin);
        const std::size_t rows = bytes.size() / array.type.bytes;
        for (std::size_t i = 0; i < rows; ++i) {
          if (IsIn(column.range, begin[i])) continue;
          return Error{fmt::format("{} = {}: {}", array.Where(of_member.first + first + i),
                                   base::FormatNumber(begin[i]), BoundOf(column.range, begin[i]))};
        }
        return {};
      });
}

// Returns a whole number of either sign as a text.
template <class Number>
std::string_view Digits(Number number, std::array<char, 24>& digits) {
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  return {digits.data(), static_cast<std::size_t>(end - digits.data())};
}

std::int64_t SignedAt(const ElementType& type, const char* place) {
  switch (type.bytes) {
    case 1:
      return base::LoadLittle<std::int8_t>(place);
    case 2:
      return base::LoadLittle<std::int16_t>(place);
    case 4:
      return base::LoadLittle<std::int32_t>(place);
    default:
      return base::LoadLittle<std::int64_t>(place);
  }
}

std::uint64_t UnsignedAt(const ElementType& type, const char* place) {
  switch (type.bytes) {
    case 1:
      return base::LoadLittle<std::uint8_t>(place);
    case 2:
      return base::LoadLittle<std::uint16_t>(place);
    case 4:
      return base::LoadLittle<std::uint32_t>(place);
    default:
      return base::LoadLittle<std::uint64_t>(place);
  }
}

DeviceIds IdsOfNumbers(const NpzArray& array, const NpzRows& of_member, const Hands& hands,
                       const DeviceIds::Bytes& elements) {
  const bool is_signed = array.type.kind == ElementType::Kind::kSigned;
  bool are_rows = true;
  for (std::size_t i = 0; are_rows && i < of_member.count; ++i) {
    const char* const place = elements.data() + i * array.type.bytes;
    const std::size_t row = of_member.first + i + 1;
    are_rows = is_signed ? std::cmp_equal(SignedAt(array.type, place), row)
                         : std::cmp_equal(UnsignedAt(array.type, place), row);
  }
  are_rows = base::IsSoForAll(hands, are_rows);
  DeviceIds ids = DeviceIds::RowNumbersFrom(of_member.first);
  std::array<char, 24> digits;
  for (std::size_t i = 0; !are_rows && i < of_member.count; ++i) {
    const char* const place = elements.data() + i * array.type.bytes;
    ids.Append(is_signed ? Digits(SignedAt(array.type, place), digits)
                         : Digits(UnsignedAt(array.type, place), digits));
  }
  return ids;
}

// Appends a character as UTF-8; returns false where there is none of that number.
bool AppendUtf8(std::string& text, std::uint32_t c) {
  if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return false;
  if (c < 0x80) {
    text += char(c);
    return true;
  }
  const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  constexpr std::uint32_t kFirst[] = {0, 0xc0, 0xe0, 0xf0};
  text += char(kFirst[more] | c >> (6 * more));
  for (int i = more - 1; i >= 0; --i) text += char(0x80 | (c >> (6 * i) & 0x3f));
  return true;
}

Result<DeviceIds> IdsOfCharacters(const NpzArray& array, const NpzRows& of_member,
                                  const DeviceIds::Bytes& elements) {
  DeviceIds ids;
  std::string id;
  for (std::size_t i = 0; i < of_member.count; ++i) {
    const char* const place = elements.data() + i * array.type.bytes;
    std::size_t characters = array.type.bytes / 4;
    while (characters > 0 && base::LoadLittle<std::uint32_t>(place + 4 * (characters - 1)) == 0) {
      --characters;
    }
    id.clear();
    for (std::size_t c = 0; c < characters; ++c) {
      if (AppendUtf8(id, base::LoadLittle<std::uint32_t>(place + 4 * c))) continue;
      return WrongId(array, of_member.first + i, ": has a character that Unicode does not know");
    }
    if (auto status = CheckIdOf(array, of_member.first + i, id); !status) return status.error();
    ids.Append(id);
  }
  return ids;
}

Result<DeviceIds> IdsOfBytes(const NpzArray& array, const NpzRows& of_member,
                             DeviceIds::Bytes elements, int threads) {
  DeviceIds ids(std::move(elements), array.type.bytes);
  const auto errors = base::MapShards(of_member.count, threads, [&](const base::Shard& shard) {
    std::string buffer;
    for (std::size_t i = shard.begin; i < shard.end; ++i) {
      auto status = CheckIdOf(array, of_member.first + i, ids.Get(i, buffer));
      if (!status) return status;
    }
    return Status();
  });
  for (const Status& status : errors) {
    if (!status) return status.error();
  }
  return ids;
}

Status CheckUnique(const NpzArray& array, const DeviceIds& ids, const Hands& hands) {
  const auto same = FindSameIds(ids, {}, hands);
  if (!same) return {};
  return Error{fmt::format("{} = {}: id[{}] has the same; every device needs an id of its own",
                           array.Where(same->rows.second), base::Quoted(same->id),
                           same->rows.first)};
}

// Looks at the arrays of the columns that are read. All must have as many rows as the first.
Result<std::vector<NpzArray>> LookAtAll(const NpzReader& file, const FileLayout& layout) {
  std::vector<NpzArray> arrays(layout.columns.size());
  const NpzArray* first = nullptr;
  for (std::size_t f = 0; f < arrays.size(); ++f) {
    if (layout.columns[f] == FileLayout::kIgnored) continue;
    auto array = file.Look(f);
    if (!array) return array.error();
    arrays[f] = std::move(*array);
    if (first == nullptr) first = &arrays[f];
    if (arrays[f].rows == first->rows) continue;
    return Error{fmt::format("{}: has {} elements, but {} has {}: all need one for each device",
                             arrays[f].where, arrays[f].rows,
                             file.names()[static_cast<std::size_t>(first - arrays.data())],
                             first->rows)};
  }
  return arrays;
}

// An OpenedFleet is a file whose columns are known and not read.
struct OpenedFleet {
  NpzReader file;
  FileLayout layout;
  std::vector<NpzArray> arrays;
  std::size_t devices = 0, id_bytes = 0;  // the bytes are of one id
};

Result<OpenedFleet> OpenFleet(const std::string& path, UnknownColumns unknown) {
  auto file = NpzReader::Open(path);
  if (!file) return file.error();
  auto layout = ReadFileLayout(file->names(), path, unknown);
  if (!layout) return layout.error();
  auto arrays = LookAtAll(*file, *layout);
  if (!arrays) return arrays.error();
  OpenedFleet opened{std::move(*file), std::move(*layout), std::move(*arrays)};
  for (std::size_t f = 0; f < opened.arrays.size(); ++f) {
    if (opened.layout.columns[f] == FileLayout::kIgnored) continue;
    opened.devices = opened.arrays[f].rows;
    if (opened.layout.columns[f] == FileLayout::kId) opened.id_bytes = opened.arrays[f].type.bytes;
  }
  if (opened.devices == 0) return Error{fmt::format("{}: has columns but no devices", path)};
  return opened;
}

}  // namespace

Result<DeviceIds> ReadNpzIds(const NpzReader& file, const NpzArray& array, const NpzRows& of_member,
                             const Hands& hands) {
  using Kind = ElementType::Kind;
  const bool is_text = array.type.kind == Kind::kBytes || array.type.kind == Kind::kCharacters;
  if (array.type.bytes == 0 || !(is_text || array.type.IsWhole())) {
    return WrongType(array, "integers or texts, such as int64 (\"<i8\") or \"|S8\"");
  }
  DeviceIds::Bytes elements(of_member.count * array.type.bytes);
  const auto read =
      file.Read(array, of_member, hands, [&](std::size_t first, std::string_view bytes) -> Status {
        std::ranges::copy(bytes, elements.data() + first * array.type.bytes);
        return {};
      });
  if (!read) return read.error();
  Result<DeviceIds> ids = array.type.IsWhole() ? IdsOfNumbers(array, of_member, hands, elements)
                          : array.type.kind == Kind::kBytes
                              ? IdsOfBytes(array, of_member, std::move(elements), hands.threads)
                              : IdsOfCharacters(array, of_member, elements);
  if (auto status = base::AgreeOn(hands, ids ? Status() : ids.error()); !status) {
    return status.error();
  }
  if (auto status = CheckUnique(array, *ids, hands); !status) return status.error();
  return ids;
}

Result<std::size_t> CountNpzRows(const std::string& path) {
  auto opened = OpenFleet(path, UnknownColumns::kIgnore);
  if (!opened) return opened.error();
  return opened->devices;
}

Result<FleetRows> ReadNpzRows(const std::string& path, const std::function<void(double)>& progress,
                              UnknownColumns unknown, const Hands& hands, const FleetPart* part) {
  const auto opened = OpenFleet(path, unknown);
  NpzRows own;
  Status status;
  if (opened) {
    own = part == nullptr ? NpzRows{.count = opened->devices}
                          : NpzRows{part->first_device, part->devices};
    status = CheckMemoryOfRows(path, own.count, own.count * opened->id_bytes);
    if (part != nullptr && part->all_devices != opened->devices) {
      status = Error{fmt::format("{}: has changed while it was read", path)};
    }
  } else {
    status = opened.error();
  }
  if (status = base::AgreeOn(hands, status); !status) return status.error();
  const auto& [file, layout, arrays, devices, id_bytes] = *opened;
  FleetRows rows{.devices = own.count,
                 .first_device = own.first,
                 .ids = DeviceIds::RowNumbersFrom(own.first),
                 .origin = path,
                 .ignored = layout.ignored};
  for (std::size_t f = 0; f < arrays.size(); ++f) {
    const std::size_t column = layout.columns[f];
    if (column == FileLayout::kIgnored) continue;
    if (column == FileLayout::kId) {
      auto ids = ReadNpzIds(file, arrays[f], own, hands);
      if (!ids) return ids.error();
      rows.ids = std::move(*ids);
    } else {
      const FileColumn& known = FileColumns()[column];
      status = ReadColumn(file, arrays[f], known, own, hands, rows.*known.values);
      if (!status) return status.error();
    }
    if (progress) progress(static_cast<double>(f + 1) / static_cast<double>(arrays.size()));
  }
  return rows;
}

Result<base::NpzColumn> NpzIds(const std::string& path, const DeviceIds& ids, std::size_t devices,
                               const Hands& hands) {
  if (ids.empty()) {
    return base::WholeNumberColumn(kIdColumn, [first = ids.first_device()](std::size_t i) {
      return static_cast<std::int64_t>(first + i + 1);
    });
  }
  // Of each shard, this is the device with the longest id.
  const auto longest = base::MapShards(devices, hands.threads, [&](const base::Shard& shard) {
    std::string buffer;
    std::size_t longest_device = shard.begin, size = 0;
    for (std::size_t i = shard.begin; i < shard.end; ++i) {
      const std::size_t own_size = ids.Get(i, buffer).size();
      if (own_size > size) longest_device = i;
      size = std::max(size, own_size);
    }
    return longest_device;
  });
  std::size_t width = 1;
  Status status;
  std::string buffer;
  for (const std::size_t device : longest) {
    const std::string_view id = ids.Get(device, buffer);
    width = std::max(width, id.size());
    if (width <= kLongestId) continue;
    status = Error{fmt::format(
        "{}: id = {}: has {} bytes: must have at most {} in an .npz file; CSV takes longer ones",
        path, base::Quoted(id), id.size(), kLongestId)};
    break;
  }
  if (status = base::AgreeOn(hands, status); !status) return status.error();
  width = std::ranges::max(base::GatherOne(hands, width));
  return base::TextColumn(kIdColumn, width,
                          [&ids](std::size_t i, std::string& text) { return ids.Get(i, text); });
}

}  // namespace airlot::fleet
