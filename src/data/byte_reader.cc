#include "data/byte_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/check.h"

namespace airlot::data {
namespace {

constexpr std::size_t kBufferSize = std::size_t{1} << 16;

bool IsCompressed(const std::string& path) {
  return path.ends_with(".gz") || path.ends_with(".tgz");
}

// For the call that just failed.
Error Cannot(const char* what, const std::string& path) {
  return {fmt::format("{}: cannot {}: {}", path, what, std::generic_category().message(errno))};
}

Status CheckRegular(int descriptor, const std::string& path, struct stat& status) {
  if (::fstat(descriptor, &status) != 0) return Cannot("open", path);
  if (S_ISDIR(status.st_mode)) return Error{path + ": is a directory, not a file"};
  if (!S_ISREG(status.st_mode)) return Error{path + ": is not a regular file"};
  return {};
}

}  // namespace

struct ByteReader::State {
  State(std::string name, int file, std::uint64_t file_size)
      : path(std::move(name)), descriptor(file), size(file_size) {
    if (!IsCompressed(path)) return;
    constexpr int kGzip = 16;
    AIRLOT_CHECK(inflateInit2(&stream, MAX_WBITS + kGzip) == Z_OK, "no memory for zlib");
    is_compressed = true;
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (is_compressed) inflateEnd(&stream);
    ::close(descriptor);
  }

  Result<std::size_t> ReadFile(std::span<std::uint8_t> bytes) const;
  Result<std::size_t> Inflate(std::span<std::uint8_t> bytes);
  // Both false at the end of the data.
  Result<bool> FillInput();
  Result<bool> BeginMember();

  std::string path;
  int descriptor;
  std::uint64_t size;
  std::uint64_t bytes_read = 0;
  bool is_compressed = false;
  bool in_member = false;  // between the header and the trailer of a gzip member
  bool any_member = false;
  z_stream stream{};
  std::array<std::uint8_t, kBufferSize> input{};
};

Result<std::size_t> ByteReader::State::ReadFile(std::span<std::uint8_t> bytes) const {
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got = ::read(descriptor, bytes.data() + filled, bytes.size() - filled);
    if (got == 0) break;
    if (got < 0 && errno != EINTR) return Cannot("read", path);
    if (got > 0) filled += static_cast<std::size_t>(got);
  }
  return filled;
}

Result<bool> ByteReader::State::FillInput() {
  if (stream.avail_in > 0) return true;
  const auto got = ReadFile(input);
  if (!got) return got.error();
  stream.next_in = input.data();
  stream.avail_in = static_cast<uInt>(*got);
  return *got > 0;
}

// A file may hold several members, as `cat a.gz b.gz` makes them.
Result<bool> ByteReader::State::BeginMember() {
  const auto more = FillInput();
  if (!more) return more.error();
  if (!*more && !any_member) return Error{path + ": is empty: expected a gzip file"};
  if (!*more) return false;
  if (!any_member && stream.avail_in >= 2 && (input[0] != 0x1f || input[1] != 0x8b)) {
    return Error{fmt::format("{}: is not a gzip file: begins with {:02x} {:02x}, expected 1f 8b",
                             path, input[0], input[1])};
  }
  inflateReset(&stream);
  any_member = in_member = true;
  return true;
}

Result<std::size_t> ByteReader::State::Inflate(std::span<std::uint8_t> bytes) {
  stream.next_out = bytes.data();
  stream.avail_out = static_cast<uInt>(bytes.size());
  while (stream.avail_out > 0) {
    const auto more = in_member ? FillInput() : BeginMember();
    if (!more) return more.error();
    if (!*more && in_member) return Error{path + ": gzip data end early: the file is cut off"};
    if (!*more) break;
    const int code = inflate(&stream, Z_NO_FLUSH);
    if (code == Z_STREAM_END) {
      in_member = false;
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      return Error{fmt::format("{}: gzip data are corrupt{}{}", path, stream.msg ? ": " : "",
                               stream.msg ? stream.msg : "")};
    }
  }
  return bytes.size() - stream.avail_out;
}

Result<ByteReader> ByteReader::Open(const std::string& path) {
  // Without O_NONBLOCK, a pipe that nobody writes would be waited for.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return Cannot("open", path);
  struct stat status;
  if (auto regular = CheckRegular(descriptor, path, status); !regular) {
    ::close(descriptor);
    return regular.error();
  }
  return ByteReader(
      std::make_unique<State>(path, descriptor, static_cast<std::uint64_t>(status.st_size)));
}

ByteReader::ByteReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
ByteReader::ByteReader(ByteReader&&) noexcept = default;
ByteReader& ByteReader::operator=(ByteReader&&) noexcept = default;
ByteReader::~ByteReader() = default;

Result<std::size_t> ByteReader::Read(std::span<std::uint8_t> bytes) {
  AIRLOT_CHECK(bytes.size() <= kMostBytes, "{} bytes at once", bytes.size());
  auto got = state_->is_compressed ? state_->Inflate(bytes) : state_->ReadFile(bytes);
  if (!got) return got.error();
  state_->bytes_read += *got;
  if (state_->bytes_read > kMostBytes) {
    return Error{fmt::format("{}: has more than {} bytes", state_->path, kMostBytes)};
  }
  return got;
}

std::optional<std::uint64_t> ByteReader::size() const {
  return state_->is_compressed ? std::nullopt : std::optional(state_->size);
}

const std::string& ByteReader::path() const { return state_->path; }

}  // namespace airlot::data
