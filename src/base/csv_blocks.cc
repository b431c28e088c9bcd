#include "base/csv_blocks.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include "base/input_file.h"
#include "base/shards.h"

namespace airlot::base {
namespace {

// A block stays in the cache of a core between reading and splitting.
constexpr std::size_t kBlockSize = std::size_t{1} << 19;
// One line that is too long, with its CR LF, and a block fit into a buffer.
constexpr std::size_t kBufferSize = kLongestCsvLine + 2 + kBlockSize;

Error AtLine(const std::string& path, std::uint64_t line, const Error& error) {
  return {path + ":" + std::to_string(line) + ": " + error.message};
}

}  // namespace

std::string CsvBlock::Where() const { return path_ + ":" + std::to_string(line_); }

Result<bool> CsvBlock::Next() {
  Text line;
  do {
    if (text_.size() == 0) {
      if (!after_) return after_.error();
      return false;
    }
    line = TakeCsvLine(text_, line_ == 0);
    ++line_;
  } while (line.Trimmed().size() == 0);
  ++row_;
  fields_.clear();
  auto status = is_plain_ ? SplitPlainCsvLine(line, fields_) : SplitCsvLine(line, fields_);
  if (status) status = CheckFieldCount(fields_.size(), header_size_);
  if (!status) return AtLine(path_, line_, status.error());
  return true;
}

struct CsvBlocks::State {
  explicit State(InputFile opened) : file(std::move(opened)) {}

  Status ReadHeader();
  void GoTo(const CsvPart& of_file);
  Result<std::size_t> Read(std::span<char> bytes);
  Status ReadText(CsvBlock& block);
  Result<bool> Next(CsvBlock& block);
  void FindRows(CsvBlock& block);

  InputFile file;
  std::vector<std::string> header;
  std::uint64_t header_line = 0;
  std::optional<CsvBlock> first;  // what follows the header in the text that was read with it
  std::string unread;             // the beginning of a line whose end was not read yet
  std::optional<CsvPart> part;    // what is read behind the header, where that is not all
  std::uint64_t next_byte = 0;    // of the part
  bool at_end = false;
  std::size_t blocks = 0, rows = 0;
  std::uint64_t lines = 0, blank_bytes = 0, bytes = 0;
};

// Leaves all that was read but the header.
void CsvBlocks::State::GoTo(const CsvPart& of_file) {
  part = of_file;
  next_byte = of_file.begin;
  first.reset();
  unread.clear();
  at_end = false;
  lines = of_file.lines_before;
  bytes = 0;
}

Result<std::size_t> CsvBlocks::State::Read(std::span<char> into) {
  if (!part) return file.Read(into);
  const std::size_t size =
      static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), part->end - next_byte));
  if (!file.ReadAt(next_byte, into.first(size))) {
    return Error{file.path() + ": cannot be read any more: it has changed, or its disk fails"};
  }
  next_byte += size;
  return size;
}

// Fills a block with whole lines; it stays empty at the end of the file. A line without an end is
// there alone where it is the last one, or too long.
Status CsvBlocks::State::ReadText(CsvBlock& block) {
  if (block.buffer_ == nullptr) block.buffer_ = std::make_unique_for_overwrite<char[]>(kBufferSize);
  char* const begin = block.buffer_.get();
  std::ranges::copy(unread, begin);
  Text text{begin, begin + unread.size()};
  std::size_t wanted = kBlockSize;
  while (!at_end) {
    while (!at_end && text.size() < wanted) {
      const auto got = Read({text.end, wanted - text.size()});
      if (!got) return got.error();
      at_end = *got == 0;
      text.end += *got;
    }
    const bool has_end = ::memrchr(begin, '\n', text.size()) != nullptr;
    if (has_end || text.size() > kLongestCsvLine + 1) break;
    wanted = text.size() + kBlockSize;
  }
  block.text_ = text;
  if (!at_end) {
    if (void* const last = ::memrchr(begin, '\n', text.size())) {
      block.text_.end = static_cast<char*>(last) + 1;
    }
  }
  unread.assign(block.text_.end, text.end);
  bytes += block.text_.size();
  return {};
}

Status CsvBlocks::State::ReadHeader() {
  CsvBlock block;
  while (true) {
    if (auto status = ReadText(block); !status) return status;
    if (block.text_.size() == 0) break;
    while (block.text_.size() > 0) {
      const Text line = TakeCsvLine(block.text_, lines == 0);
      ++lines;
      if (line.size() > kLongestCsvLine) return AtLine(file.path(), lines, TooLongCsvLine());
      if (line.Trimmed().size() == 0) {
        blank_bytes += line.size() + 1;
        if (blank_bytes <= kLongestCsvLine) continue;
        return AtLine(file.path(), lines, TooManyBlankCsvLines());
      }
      std::vector<std::string_view> fields;
      if (auto status = SplitCsvLine(line, fields); !status) {
        return AtLine(file.path(), lines, status.error());
      }
      header.assign(fields.begin(), fields.end());
      header_line = lines;
      blank_bytes = 0;
      first = std::move(block);
      return {};
    }
  }
  return Error{file.path() + ": is empty: a header line is needed"};
}

// Reads the next block, and returns false at the end of the file.
Result<bool> CsvBlocks::State::Next(CsvBlock& block) {
  if (first) {
    block = std::move(*first);
    first.reset();
    if (block.text_.size() == 0 && !at_end) {
      if (auto status = ReadText(block); !status) return status.error();
    }
  } else if (auto status = ReadText(block); !status) {
    return status.error();
  }
  if (block.text_.size() == 0) return false;
  block.path_ = file.path();
  block.header_size_ = header.size();
  block.index_ = blocks++;
  block.line_ = lines;
  block.first_row_ = block.row_ = rows;
  FindRows(block);
  return true;
}

// Counts the rows of a block. Where a line is wrong whatever is in it, the block ends before it.
void CsvBlocks::State::FindRows(CsvBlock& block) {
  block.rows_ = 0;
  block.runs_.clear();
  block.after_ = {};
  Text rest = block.text_;
  bool goes_on = false;  // the line before is a row
  while (rest.size() > 0) {
    char* const begin = rest.begin;
    const Text line = TakeCsvLine(rest, lines == 0);
    ++lines;
    std::optional<Error> error;
    if (line.size() > kLongestCsvLine) error = TooLongCsvLine();
    if (line.Trimmed().size() > 0) {
      blank_bytes = 0;
      if (!goes_on) block.runs_.push_back({.first_line = lines});
      goes_on = true;
      ++block.runs_.back().rows;
      ++block.rows_;
    } else {
      goes_on = false;
      blank_bytes += line.size() + 1;
      if (!error && blank_bytes > kLongestCsvLine) error = TooManyBlankCsvLines();
    }
    if (!error) continue;
    if (goes_on) {
      --block.runs_.back().rows;
      --block.rows_;
    }
    block.after_ = AtLine(file.path(), lines, *error);
    block.text_.end = begin;
    break;
  }
  rows += block.rows_;
}

Result<CsvBlocks> CsvBlocks::Open(const std::string& path) {
  auto file = InputFile::OpenFileOrStream(path);
  if (!file) return file.error();
  auto state = std::make_unique<State>(std::move(*file));
  if (auto status = state->ReadHeader(); !status) return status.error();
  return CsvBlocks(std::move(state));
}

Result<CsvBlocks> CsvBlocks::OpenPart(const std::string& path, const CsvPart& part) {
  auto csv = Open(path);
  if (csv) csv->state_->GoTo(part);
  return csv;
}

std::uint64_t CsvBlocks::header_end() const {
  return state_->bytes - (state_->first ? state_->first->text_.size() : 0);
}
std::uint64_t CsvBlocks::header_lines() const { return state_->lines; }

CsvBlocks::CsvBlocks(std::unique_ptr<State> state) : state_(std::move(state)) {}
CsvBlocks::CsvBlocks(CsvBlocks&&) noexcept = default;
CsvBlocks::~CsvBlocks() = default;

std::span<const std::string> CsvBlocks::header() const { return state_->header; }
std::string CsvBlocks::HeaderPlace() const {
  return state_->file.path() + ":" + std::to_string(state_->header_line);
}
std::uint64_t CsvBlocks::bytes_read() const { return state_->bytes; }
std::uint64_t CsvBlocks::file_size() const {
  if (state_->part) return state_->part->end - state_->part->begin;
  return state_->file.size().value_or(0);
}

// A thread takes a block under the lock, so that blocks begin in their order, and splits it outside
// of it. Once an error is known no further block begins; those that were begun end, and of their
// errors the one that stands first in the file counts.
Status CsvBlocks::ForEach(int threads, const std::function<Status(const CsvBlock&)>& begin,
                          const std::function<Status(CsvBlock&)>& take) {
  std::mutex mutex;
  bool is_over = false;
  std::size_t failed_block = std::numeric_limits<std::size_t>::max();
  Status failure;
  const auto fail = [&](std::size_t block, const Error& error) {
    is_over = true;
    if (block >= failed_block) return;
    failed_block = block;
    failure = error;
  };
  ForEachTask(static_cast<std::size_t>(threads), threads, [&](std::size_t, std::size_t) {
    CsvBlock block;
    std::unique_lock lock(mutex);
    while (!is_over) {
      const auto more = state_->Next(block);
      if (!more) return fail(state_->blocks, more.error());
      if (!*more) {
        is_over = true;
        return;
      }
      is_over = !block.after_.ok();
      if (auto status = begin(block); !status) return fail(block.index(), status.error());
      lock.unlock();
      block.is_plain_ =
          block.text_.Find('"') == block.text_.end && block.text_.Find('\0') == block.text_.end;
      auto status = take(block);
      lock.lock();
      if (!status) return fail(block.index(), status.error());
    }
  });
  return failure;
}

}  // namespace airlot::base
