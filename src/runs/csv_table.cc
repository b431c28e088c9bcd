#include "runs/csv_table.h"

#include <filesystem>
#include <fstream>
#include <system_error>

namespace airlot::runs {

Result<base::CsvReader> OpenTable(const std::string& path, const std::string& header,
                                  std::size_t least_columns, bool may_have_more) {
  std::error_code ignored;
  const auto type = std::filesystem::status(path, ignored).type();
  if (type != std::filesystem::file_type::regular &&
      type != std::filesystem::file_type::not_found) {
    return Error{path + ": is not a regular file"};  // A pipe would wait for its other end.
  }
  auto csv = base::CsvReader::Open(path);
  if (!csv) return csv.error();
  const std::string found = fmt::format("{}", fmt::join(csv->header(), ","));
  const bool is_known = found == header || header.starts_with(found + ",") ||
                        (may_have_more && found.starts_with(header + ","));
  if (!is_known || csv->header().size() < least_columns) {
    return Error{fmt::format("{}:1: the header must be {}", path, header)};
  }
  std::ifstream file(path, std::ios::binary);
  file.seekg(-1, std::ios::end);
  if (file.get() != '\n') return Error{path + ": the last line is cut off"};
  return csv;
}

}  // namespace airlot::runs
