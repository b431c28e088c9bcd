#include "base/csv.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "base/input_file.h"

namespace airlot::base {
namespace {

// A read is small enough to stay in the cache between reading and splitting.
constexpr std::size_t kReadSize = std::size_t{1} << 18;
// The buffer holds the longest line with its CR LF, and something to read.
constexpr std::size_t kBufferSize = CsvReader::kLongestLine + kReadSize;
}  // namespace

struct CsvReader::State {
  explicit State(InputFile opened) : file(std::move(opened)) {}

  Status ReadHeader();
  Result<bool> NextLine(Text& line);
  Result<bool> NextRow();
  Status Read();
  Error Wrong(const Error& what) const;

  InputFile file;
  std::uint64_t bytes_from_file = 0;
  std::uint64_t line_number = 0;
  bool at_end = false;  // the file has ended; the buffer may still hold lines
  std::unique_ptr<char[]> buffer = std::make_unique_for_overwrite<char[]>(kBufferSize);
  Text unread{buffer.get(), buffer.get()};
  std::vector<std::string> header;
  std::vector<std::string_view> fields;
};

Result<CsvReader> CsvReader::Open(const std::string& path) {
  auto file = InputFile::OpenFileOrStream(path);
  if (!file) return file.error();
  auto state = std::make_unique<State>(std::move(*file));
  if (auto status = state->ReadHeader(); !status) return status.error();
  return CsvReader(std::move(state));
}

CsvReader::CsvReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
CsvReader::CsvReader(CsvReader&&) noexcept = default;
CsvReader& CsvReader::operator=(CsvReader&&) noexcept = default;
CsvReader::~CsvReader() = default;

std::span<const std::string> CsvReader::header() const { return state_->header; }
std::span<const std::string_view> CsvReader::fields() const { return state_->fields; }
std::uint64_t CsvReader::bytes_read() const {
  return state_->bytes_from_file - state_->unread.size();
}
std::uint64_t CsvReader::file_size() const { return state_->file.size().value_or(0); }

std::string CsvReader::Where() const {
  return state_->file.path() + ":" + std::to_string(state_->line_number);
}

std::uint64_t CsvReader::line() const { return state_->line_number; }

Result<bool> CsvReader::Next() {
  Result<bool> row = state_->NextRow();
  if (!row || !*row) return row;
  if (auto status = CheckFieldCount(state_->fields.size(), state_->header.size()); !status) {
    return state_->Wrong(status.error());
  }
  return true;
}

Status CsvReader::State::ReadHeader() {
  const Result<bool> row = NextRow();
  if (!row) return row.error();
  if (!*row) return Error{file.path() + ": is empty: a header line is needed"};
  header.assign(fields.begin(), fields.end());
  return {};
}

// Reads and splits the next line that is not blank, and returns false at the end of the file.
Result<bool> CsvReader::State::NextRow() {
  fields.clear();
  Text line;
  std::uint64_t blank_bytes = 0;
  while (true) {
    Result<bool> more = NextLine(line);
    if (!more || !*more) return more;
    if (line.Trimmed().size() > 0) break;
    blank_bytes += line.size() + 1;
    if (blank_bytes > kLongestLine) return Wrong(TooManyBlankCsvLines());
  }
  if (auto status = SplitCsvLine(line, fields); !status) return Wrong(status.error());
  return true;
}

// Finds the next line without its end, and returns false at the end of the file.
Result<bool> CsvReader::State::NextLine(Text& line) {
  char* newline = unread.Find('\n');
  // One byte more may be the CR of an end whose LF is not read yet.
  while (newline == unread.end && !at_end && unread.size() <= kLongestLine + 1) {
    const std::size_t searched = unread.size();
    if (auto status = Read(); !status) return status.error();
    newline = Text{unread.begin + searched, unread.end}.Find('\n');
  }
  if (unread.size() == 0) return false;

  ++line_number;
  line = {unread.begin, newline};
  if (line.size() > 0 && line.end[-1] == '\r') --line.end;
  if (line.size() > kLongestLine) return Wrong(TooLongCsvLine());
  line = TakeCsvLine(unread, line_number == 1);
  return true;
}

// Reads more behind `unread`, which moves to the front of the buffer.
Status CsvReader::State::Read() {
  const std::size_t kept = unread.size();
  std::memmove(buffer.get(), unread.begin, kept);
  unread = {buffer.get(), buffer.get() + kept};
  const std::size_t room = std::min(kReadSize, kBufferSize - kept);
  const auto count = file.Read({unread.end, room});
  if (!count) return count.error();
  at_end = *count == 0;
  unread.end += *count;
  bytes_from_file += *count;
  return {};
}

Error CsvReader::State::Wrong(const Error& what) const {
  return {file.path() + ":" + std::to_string(line_number) + ": " + what.message};
}

void AppendCsvField(std::string& out, std::string_view field) {
  const bool has_edge_space = !field.empty() && (field.front() == ' ' || field.front() == '\t' ||
                                                 field.back() == ' ' || field.back() == '\t');
  if (!has_edge_space && field.find_first_of(",\"\r\n") == std::string_view::npos) {
    out += field;
    return;
  }
  out += '"';
  for (const char c : field) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

}  // namespace airlot::base
