#include "base/npz_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "base/atomic_file.h"
#include "base/in_order.h"
#include "base/input_file.h"
#include "base/shards.h"
#include "base/text.h"

namespace airlot::base {
namespace {

constexpr std::string_view kSuffix = ".npy";
// A piece stays in the cache of a core between reading and looking at it.
constexpr std::size_t kPieceBytes = std::size_t{1} << 18;

std::size_t RowsOfPiece(std::size_t element_bytes) {
  return std::max<std::size_t>(1, kPieceBytes / std::max<std::size_t>(1, element_bytes));
}

struct Piece {
  std::uint32_t checksum = 0;
  std::size_t bytes = 0;
  Status status;
};

// The checksum of a member is that of its header and of all pieces.
std::uint32_t ChecksumOf(std::string_view header, std::span<const Piece> pieces) {
  std::uint32_t checksum = ZipChecksum(header);
  for (const Piece& piece : pieces) {
    checksum = CombineZipChecksums(checksum, piece.checksum, piece.bytes);
  }
  return checksum;
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
  const auto in_file = [&](const Error& error) {
    return Error{fmt::format("{}: {}", path_, error.message)};
  };
  const std::size_t width = array.type.bytes;
  const std::size_t rows = RowsOfPiece(width);
  const std::size_t header = array.header.bytes;
  std::vector<Piece> pieces((array.rows + rows - 1) / rows);
  const auto take_piece = [&](std::size_t i, std::string_view bytes) {
    pieces[i].status = take(i * rows, bytes);
  };
  const auto bytes_of = [&](std::size_t i) {
    return std::min(rows, array.rows - i * rows) * width;
  };
  if (array.entry.is_deflated) {
    const auto bytes = BytesOf(archive_, array.entry);
    if (!bytes) return in_file(bytes.error());
    const std::string_view elements = std::string_view(*bytes).substr(header);
    ForEachTask(pieces.size(), threads, [&](std::size_t i, std::size_t) {
      take_piece(i, elements.substr(i * rows * width, bytes_of(i)));
    });
  } else {
    std::vector<std::string> buffers(static_cast<std::size_t>(threads));
    ForEachTask(pieces.size(), threads, [&](std::size_t i, std::size_t worker) {
      std::string& buffer = buffers[worker];
      buffer.resize(bytes_of(i));
      if (!archive_.read(array.entry.packed_at + header + i * rows * width, buffer)) {
        pieces[i].status = Error{
            fmt::format("{}: cannot be read any more: it has changed, or its disk fails", path_)};
        return;
      }
      pieces[i].checksum = ZipChecksum(buffer);
      pieces[i].bytes = buffer.size();
      take_piece(i, buffer);
    });
    const auto start = StartOf(archive_, array.entry, header);
    if (!start) return in_file(start.error());
    if (auto status = CheckZipBytes(array.entry, ChecksumOf(*start, pieces)); !status) {
      return in_file(status.error());
    }
  }
  for (const Piece& piece : pieces) {
    if (!piece.status) return piece.status;
  }
  return {};
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
                int threads, const std::function<void(double)>& progress) {
  struct ColumnRows {
    std::size_t column, begin, end;
  };
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

  auto file = AtomicFile::Create(path);
  if (!file) return file.error();
  std::vector<Piece> pieces(places.size());
  std::vector<std::string> buffers(static_cast<std::size_t>(threads));
  ForEachTask(places.size(), threads, [&](std::size_t i, std::size_t worker) {
    put(places[i], buffers[worker]);
    pieces[i] = {.checksum = ZipChecksum(buffers[worker]), .bytes = buffers[worker].size()};
  });

  ZipWriter zip;
  std::size_t begun = 0;  // columns whose header is written
  const auto begin_columns = [&](std::size_t place) {
    for (; begun < columns.size() && first_place[begun] <= place; ++begun) {
      const NpzColumn& column = columns[begun];
      const std::size_t shape[] = {rows};
      const std::string header = EncodeNpyHeader(column.type, shape);
      const std::size_t first = first_place[begun];
      const auto own = std::span(pieces).subspan(first, first_place[begun + 1] - first);
      file->Append(zip.Begin(column.name + std::string(kSuffix),
                             header.size() + rows * column.element_bytes, ChecksumOf(header, own)));
      file->Append(header);
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
  file->Append(zip.End());
  return file->Commit();
}

}  // namespace airlot::base
