#include "base/npz_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "base/gather.h"
#include "base/in_order.h"
#include "base/input_file.h"
#include "base/shards.h"
#include "base/team_file.h"
#include "base/text.h"

namespace airlot::base {
namespace {

constexpr std::string_view kSuffix = ".npy";
// A piece stays in the cache of a core between reading and looking at it.
constexpr std::size_t kPieceBytes = std::size_t{1} << 18;

std::size_t RowsOfPiece(std::size_t element_bytes) {
  return std::max<std::size_t>(1, kPieceBytes / std::max<std::size_t>(1, element_bytes));
}

// A PieceSum is the checksum of a piece of an array, or of several that follow each other.
struct PieceSum {
  std::uint32_t checksum = 0;
  std::size_t bytes = 0;
};

PieceSum SumOfPieces(std::span<const PieceSum> pieces) {
  PieceSum sum{.checksum = ZipChecksum("")};
  for (const PieceSum& piece : pieces) {
    sum.checksum = CombineZipChecksums(sum.checksum, piece.checksum, piece.bytes);
    sum.bytes += piece.bytes;
  }
  return sum;
}

}  // namespace

std::string NpzArray::Where(std::size_t row) const { return fmt::format("{}[{}]", where, row); }

Result<NpzReader> NpzReader::Open(const std::string& path) {
  auto opened = InputFile::Open(path);
  if (!opened) return opened.error();
  const auto file = std::make_shared<const InputFile>(std::move(*opened));
  NpzReader reader;
  reader.path_ = path;
  reader.archive_ = {*file->size(), [file](std::uint64_t offset, std::span<char> bytes) {
                       return file->ReadAt(offset, bytes);
                     }};
  auto entries = ListZip(reader.archive_, std::numeric_limits<std::uint64_t>::max());
  if (!entries) return Error{fmt::format("{}: {}", path, entries.error().message)};
  reader.entries_ = std::move(*entries);
  for (const ZipEntry& entry : reader.entries_) {
    if (!entry.name.ends_with(kSuffix)) {
      return Error{fmt::format("{}: {}: is not an array: its name must end with {}", path,
                               Quoted(entry.name), kSuffix)};
    }
    reader.names_.push_back(entry.name.substr(0, entry.name.size() - kSuffix.size()));
  }
  return reader;
}

Result<NpzArray> NpzReader::Look(std::size_t array) const {
  NpzArray found{.where = fmt::format("{}: {}", path_, names_[array]), .entry = entries_[array]};
  const auto start = StartOf(archive_, found.entry, kMostNpyHeader);
  if (!start) return Error{fmt::format("{}: {}", path_, start.error().message)};
  auto header = ParseNpyHeader(*start);
  if (!header) return Error{fmt::format("{}: {}", found.where, header.error().message)};
  found.header = std::move(*header);
  if (found.header.shape.size() != 1) {
    return Error{fmt::format("{}: has the shape {}: must have one dimension, such as (10,)",
                             found.where, ShapeText(found.header.shape))};
  }
  found.rows = found.header.shape[0];
  found.type = ElementTypeOf(found.header.type);
  const std::size_t bytes = found.entry.size - found.header.bytes;
  const bool fits = found.type.bytes == 0
                        ? bytes == 0 || found.rows > 0
                        : bytes % found.type.bytes == 0 && bytes / found.type.bytes == found.rows;
  if (!fits) {
    return Error{fmt::format("{}: has {} bytes of elements, which the shape {} of {} does not need",
                             found.where, bytes, ShapeText(found.header.shape),
                             Quoted(found.header.type))};
  }
  return found;
}

Status NpzReader::Read(const NpzArray& array, int threads, const TakeElements& take) const {
  return Read(array, {.count = array.rows}, threads, take);
}

Status NpzReader::Read(const NpzArray& array, const NpzRows& of_member, const Hands& hands,
                       const TakeElements& take) const {
  const auto in_file = [&](const Error& error) {
    return Error{fmt::format("{}: {}", path_, error.message)};
  };
  const std::size_t width = array.type.bytes;
  const std::size_t rows = RowsOfPiece(width);
  const std::size_t header = array.header.bytes;
  const std::size_t count = (of_member.count + rows - 1) / rows;
  std::vector<PieceSum> sums(count);
  std::vector<Status> found(count);
  const auto take_piece = [&](std::size_t i, std::string_view bytes) {
    found[i] = take(i * rows, bytes);
  };
  const auto place_of = [&](std::size_t i) { return (of_member.first + i * rows) * width; };
  const auto bytes_of = [&](std::size_t i) {
    return std::min(rows, of_member.count - i * rows) * width;
  };
  Status status;  // of the file, which counts before that of any piece
  if (array.entry.is_deflated) {
    const auto bytes = BytesOf(archive_, array.entry);
    if (bytes) {
      const std::string_view elements = std::string_view(*bytes).substr(header);
      ForEachTask(count, hands.threads, [&](std::size_t i, std::size_t) {
        take_piece(i, elements.substr(place_of(i), bytes_of(i)));
      });
    } else {
      status = in_file(bytes.error());
    }
  } else {
    std::vector<std::string> buffers(static_cast<std::size_t>(hands.threads));
    ForEachTask(count, hands.threads, [&](std::size_t i, std::size_t worker) {
      std::string& buffer = buffers[worker];
      buffer.resize(bytes_of(i));
      if (!archive_.read(array.entry.packed_at + header + place_of(i), buffer)) {
        found[i] = Error{
            fmt::format("{}: cannot be read any more: it has changed, or its disk fails", path_)};
        return;
      }
      sums[i] = {.checksum = ZipChecksum(buffer), .bytes = buffer.size()};
      take_piece(i, buffer);
    });
    // The checksum of an array is that of its header and of what all members have read.
    std::vector<PieceSum> parts = GatherOne(hands, SumOfPieces(sums));
    const auto start = StartOf(archive_, array.entry, header);
    if (start) {
      parts.insert(parts.begin(), {.checksum = ZipChecksum(*start), .bytes = start->size()});
      status = CheckZipBytes(array.entry, SumOfPieces(parts).checksum);
    } else {
      status = start.error();
    }
    if (!status) status = in_file(status.error());
  }
  for (std::size_t i = 0; status && i < count; ++i) status = found[i];
  return AgreeOn(hands, status);
}

NpzColumn NumberColumn(std::string_view name, ColumnView values) {
  return {.name = std::string(name),
          .type = "<f8",
          .element_bytes = sizeof(double),
          .put = [values](std::size_t begin, std::size_t end, char* out) {
            for (std::size_t i = begin; i < end; ++i, out += sizeof(double)) {
              StoreLittle(values[i], out);
            }
          }};
}

NpzColumn WholeNumberColumn(std::string_view name,
                            std::function<std::int64_t(std::size_t)> value_of) {
  return {.name = std::string(name),
          .type = "<i8",
          .element_bytes = sizeof(std::int64_t),
          .put = [value_of = std::move(value_of)](std::size_t begin, std::size_t end, char* out) {
            for (std::size_t i = begin; i < end; ++i, out += sizeof(std::int64_t)) {
              StoreLittle(value_of(i), out);
            }
          }};
}

NpzColumn TextColumn(std::string_view name, std::size_t width,
                     std::function<std::string_view(std::size_t, std::string&)> text_of) {
  return {
      .name = std::string(name),
      .type = fmt::format("|S{}", width),
      .element_bytes = width,
      .put = [text_of = std::move(text_of), width](std::size_t begin, std::size_t end, char* out) {
        std::string buffer;
        for (std::size_t i = begin; i < end; ++i, out += width) {
          const std::string_view text = text_of(i, buffer);
          std::fill(std::ranges::copy(text, out).out, out + width, '\0');
        }
      }};
}

// The header of a member has its checksum, so that all columns are gone through twice: once for the
// checksums, and once to write them.
Status WriteNpz(const std::string& path, std::size_t rows, std::span<const NpzColumn> columns,
                const Hands& hands, const std::function<void(double)>& progress) {
  struct ColumnRows {
    std::size_t column, begin, end;
  };
  const int threads = hands.threads;
  const std::size_t all_rows = SumOfMembers(hands, rows);
  const std::size_t first_row = SumOfEarlierMembers(hands, rows);
  std::vector<ColumnRows> places;
  std::vector<std::size_t> first_place;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    first_place.push_back(places.size());
    const std::size_t step = RowsOfPiece(columns[c].element_bytes);
    for (std::size_t i = 0; i < rows; i += step) {
      places.push_back({c, i, std::min(rows, i + step)});
    }
  }
  first_place.push_back(places.size());
  const auto put = [&](const ColumnRows& place, std::string& bytes) {
    const NpzColumn& column = columns[place.column];
    bytes.resize((place.end - place.begin) * column.element_bytes);
    column.put(place.begin, place.end, bytes.data());
  };

  auto file = TeamFile::Create(path, hands);
  if (!file) return file.error();
  std::vector<PieceSum> pieces(places.size());
  std::vector<std::string> buffers(static_cast<std::size_t>(threads));
  ForEachTask(places.size(), threads, [&](std::size_t i, std::size_t worker) {
    put(places[i], buffers[worker]);
    pieces[i] = {.checksum = ZipChecksum(buffers[worker]), .bytes = buffers[worker].size()};
  });
  std::vector<PieceSum> of_columns;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    of_columns.push_back(SumOfPieces(
        std::span(pieces).subspan(first_place[c], first_place[c + 1] - first_place[c])));
  }
  // These are the columns of the first member, then those of the second, and so on.
  const std::vector<PieceSum> of_members =
      hands.team == nullptr ? of_columns : GatherAll<PieceSum>(*hands.team, of_columns);

  ZipWriter zip;
  std::size_t begun = 0;    // columns whose header is written
  std::uint64_t place = 0;  // of the next column
  const auto begin_columns = [&](std::size_t next) {
    for (; begun < columns.size() && first_place[begun] <= next; ++begun) {
      const NpzColumn& column = columns[begun];
      const std::size_t shape[] = {all_rows};
      const std::string header = EncodeNpyHeader(column.type, shape);
      std::vector<PieceSum> parts{{.checksum = ZipChecksum(header), .bytes = header.size()}};
      for (std::size_t i = begun; i < of_members.size(); i += columns.size()) {
        parts.push_back(of_members[i]);
      }
      const std::size_t column_bytes = all_rows * column.element_bytes;
      const std::string before =
          zip.Begin(column.name + std::string(kSuffix), header.size() + column_bytes,
                    SumOfPieces(parts).checksum) +
          header;
      file->GoTo(place);
      if (hands.is_first()) file->Append(before);
      file->GoTo(place + before.size() + first_row * column.element_bytes);
      place += before.size() + column_bytes;
    }
  };
  ForEachInOrder(
      places.size(), threads, [&](std::size_t i, std::string& bytes) { put(places[i], bytes); },
      [&](std::size_t i, std::string_view bytes) {
        begin_columns(i);
        file->Append(bytes);
        if (progress) progress(static_cast<double>(i + 1) / static_cast<double>(places.size()));
      });
  begin_columns(places.size());
  file->GoTo(place);
  if (hands.is_first()) file->Append(zip.End());
  return file->Commit();
}

}  // namespace airlot::base
