#include "data/byte_reader.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"
#include "base/input_file.h"

namespace airlot::data {
namespace {

constexpr std::size_t kBufferSize = std::size_t{1} << 16;

bool IsCompressed(const std::string& path) {
  return path.ends_with(".gz") || path.ends_with(".tgz");
}

}  // namespace

struct ByteReader::State {
  explicit State(base::InputFile opened) : file(std::move(opened)) {
    if (!IsCompressed(file.path())) return;
    constexpr int kGzip = 16;
    AIRLOT_CHECK(inflateInit2(&stream, MAX_WBITS + kGzip) == Z_OK, "there is no memory for zlib");
    is_compressed = true;
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (is_compressed) inflateEnd(&stream);
  }

  Result<std::size_t> ReadFile(std::span<std::uint8_t> bytes);
  Result<std::size_t> Inflate(std::span<std::uint8_t> bytes);
  // FillInput and BeginMember return false at the end of the data.
  Result<bool> FillInput();
  Result<bool> BeginMember();

  base::InputFile file;
  std::uint64_t bytes_read = 0;
  bool is_compressed = false;
  bool in_member = false;  // the place is between the header and the trailer of a gzip member
  bool any_member = false;
  z_stream stream{};
  std::array<std::uint8_t, kBufferSize> input{};
};

Result<std::size_t> ByteReader::State::ReadFile(std::span<std::uint8_t> bytes) {
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const auto got =
        file.Read({reinterpret_cast<char*>(bytes.data()) + filled, bytes.size() - filled});
    if (!got) return got.error();
    if (*got == 0) break;
    filled += *got;
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
  if (!*more && !any_member) return Error{file.path() + ": is empty: expected a gzip file"};
  if (!*more) return false;
  if (!any_member && stream.avail_in >= 2 && (input[0] != 0x1f || input[1] != 0x8b)) {
    return Error{fmt::format("{}: is not a gzip file: begins with {:02x} {:02x}, expected 1f 8b",
                             file.path(), input[0], input[1])};
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
    if (!*more && in_member)
      return Error{file.path() + ": gzip data end early: the file is cut off"};
    if (!*more) break;
    const int code = inflate(&stream, Z_NO_FLUSH);
    if (code == Z_STREAM_END) {
      in_member = false;
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      return Error{fmt::format("{}: gzip data are corrupt{}{}", file.path(), stream.msg ? ": " : "",
                               stream.msg ? stream.msg : "")};
    }
  }
  return bytes.size() - stream.avail_out;
}

Result<ByteReader> ByteReader::Open(const std::string& path) {
  auto file = base::InputFile::Open(path);
  if (!file) return file.error();
  return ByteReader(std::make_unique<State>(std::move(*file)));
}

ByteReader::ByteReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
ByteReader::ByteReader(ByteReader&&) noexcept = default;
ByteReader& ByteReader::operator=(ByteReader&&) noexcept = default;
ByteReader::~ByteReader() = default;

Result<std::size_t> ByteReader::Read(std::span<std::uint8_t> bytes) {
  AIRLOT_CHECK(bytes.size() <= kMostBytes, "{} bytes were asked for at once", bytes.size());
  auto got = state_->is_compressed ? state_->Inflate(bytes) : state_->ReadFile(bytes);
  if (!got) return got.error();
  state_->bytes_read += *got;
  if (state_->bytes_read > kMostBytes) {
    return Error{fmt::format("{}: has more than {} bytes", state_->file.path(), kMostBytes)};
  }
  return got;
}

std::optional<std::uint64_t> ByteReader::size() const {
  return state_->is_compressed ? std::nullopt : state_->file.size();
}

const std::string& ByteReader::path() const { return state_->file.path(); }

}  // namespace airlot::data
