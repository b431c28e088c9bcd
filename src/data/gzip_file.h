// A GzipFile is written compressed, and appears whole or not at all.
#ifndef AIRLOT_DATA_GZIP_FILE_H_
#define AIRLOT_DATA_GZIP_FILE_H_

#include <memory>
#include <string>
#include <string_view>

#include "airlot/result.h"

namespace airlot::data {

// The same text gives the same bytes, in whatever pieces it is appended: one member, without a
// name or a time.
class GzipFile {
 public:
  // Errors name the path, as those of base::AtomicFile do.
  static Result<GzipFile> Create(const std::string& path);
  GzipFile(GzipFile&&) noexcept;
  GzipFile& operator=(GzipFile&&) = delete;
  ~GzipFile();

  // An error of writing is kept and returned by Commit.
  void Append(std::string_view text);
  // Puts the file in place. It may be called at most once.
  Status Commit();

 private:
  struct State;
  explicit GzipFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace airlot::data

#endif  // AIRLOT_DATA_GZIP_FILE_H_
