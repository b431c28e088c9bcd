// Columns of numbers and texts are written to .npz files, as numpy.savez writes and numpy.load
// reads them, and read back: each is an array of one dimension.
#ifndef AIRLOT_BASE_NPZ_COLUMNS_H_
#define AIRLOT_BASE_NPZ_COLUMNS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/column.h"
#include "airlot/hands.h"
#include "airlot/result.h"
#include "base/npy.h"
#include "base/zip.h"

namespace airlot::base {

// Says whether the name of a file is that of such a file.
inline bool IsNpz(std::string_view path) { return path.ends_with(".npz"); }

// An NpzArray is one of a file, whose elements are not read yet.
struct NpzArray {
  std::string where;  // for messages: "fleet.npz: samples"
  ZipEntry entry;
  NpyHeader header;
  ElementType type;
  std::size_t rows = 0;

  // Returns the place of an element as NumPy writes it: "fleet.npz: samples[17]".
  std::string Where(std::size_t row) const;
};

// NpzRows are some rows of an array that follow each other.
struct NpzRows {
  std::size_t first = 0, count = 0;
};

// NpzReader reads arrays of one file. Errors name it.
class NpzReader {
 public:
  static Result<NpzReader> Open(const std::string& path);

  // Returns the names of the arrays in their order.
  std::span<const std::string> names() const { return names_; }
  // Reads what an array is. Fails where it has not one dimension, or more or fewer bytes than its
  // shape says.
  Result<NpzArray> Look(std::size_t array) const;
  // Calls take(first_row, bytes) for all elements in pieces, on several threads. Returns the error
  // of the first piece that has one; but where the bytes are not what the checksum of the array
  // says, it returns that.
  using TakeElements = std::function<Status(std::size_t first_row, std::string_view bytes)>;
  Status Read(const NpzArray& array, int threads, const TakeElements& take) const;
  // Reads some rows alone, of which the first is row 0 for `take`. Where there is a team, every
  // member reads its own, which follow those of the member before it, and the checksum is of those
  // of all; the result is the same for all. What is compressed each member unpacks whole.
  Status Read(const NpzArray& array, const NpzRows& rows, const Hands& hands,
              const TakeElements& take) const;

 private:
  std::string path_;
  ZipSource archive_;
  std::vector<ZipEntry> entries_;
  std::vector<std::string> names_;
};

// An NpzColumn is one that is written.
struct NpzColumn {
  std::string name;
  std::string type;  // as NumPy writes it: "<f8"
  std::size_t element_bytes = 0;
  // Puts the elements of rows [begin, end) at `out`; it is called twice for each, on any thread.
  std::function<void(std::size_t begin, std::size_t end, char* out)> put;
};

// Makes columns: of doubles, of which there is one for each row, or one for all; of whole numbers;
// and of texts of at most `width` bytes.
NpzColumn NumberColumn(std::string_view name, ColumnView values);
NpzColumn WholeNumberColumn(std::string_view name,
                            std::function<std::int64_t(std::size_t row)> value_of);
NpzColumn TextColumn(std::string_view name, std::size_t width,
                     std::function<std::string_view(std::size_t row, std::string& buffer)> text_of);

// Writes a file, which appears whole or not at all; its bytes are the same for any number of
// threads. Where there is a team, every member writes `rows` rows, which follow those of the member
// before it. `progress` is told the share written so far, from 0 to 1.
Status WriteNpz(const std::string& path, std::size_t rows, std::span<const NpzColumn> columns,
                const Hands& hands, const std::function<void(double)>& progress = {});

}  // namespace airlot::base

#endif  // AIRLOT_BASE_NPZ_COLUMNS_H_
