#include "runs/participant_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/csv.h"
#include "base/growing_file.h"
#include "base/input_file.h"
#include "base/text.h"
#include "data/gzip_file.h"
#include "runs/file_names.h"

namespace airlot::runs {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHeader =
    "round,id,power_w,bandwidth_hz,cpu_share,update_bits,upload_s,compute_s,energy_j,arrived\n";
constexpr std::size_t kLarge = std::size_t{1} << 22;
constexpr std::size_t kPieceSize = std::size_t{1} << 16;

// Calls use(piece) with the bytes of a file, one piece after another, until it returns false.
template <class Use>
Status ReadPieces(const std::string& path, const Use& use) {
  auto file = base::InputFile::Open(path);
  if (!file) return file.error();
  std::array<char, kPieceSize> buffer;
  while (true) {
    const auto got = file->Read(buffer);
    if (!got) return got.error();
    if (*got == 0 || !use(std::string_view(buffer.data(), *got))) return {};
  }
}

}  // namespace

ParticipantLog::ParticipantLog(const fs::path& folder)
    : partial_path_(folder / kPartialLogFile), path_(folder / kParticipantsFile), rows_(kHeader) {}

// No name of a device has a line feed in it, so a row is a line.
Result<bool> ParticipantLog::GoOn(std::uint64_t participations) {
  std::error_code ignored;
  if (participations == 0) return true;
  if (!fs::exists(partial_path_, ignored)) return false;
  const std::uint64_t wanted = participations + 1;  // The header is a line, too.
  std::uint64_t lines = 0, bytes = 0;
  const Status status = ReadPieces(partial_path_, [&](std::string_view piece) {
    for (std::size_t at = 0; lines < wanted;) {
      const std::size_t end = piece.find('\n', at);
      if (end == std::string_view::npos) {
        bytes += piece.size() - at;
        return true;
      }
      bytes += end + 1 - at;
      at = end + 1;
      ++lines;
    }
    return false;
  });
  if (!status) return status.error();
  if (lines < wanted) {
    return Error{fmt::format(
        "{}: has {} rows, and the checkpoint beside it counts {} participations: go on without "
        "this log, or start the run anew",
        partial_path_, lines == 0 ? 0 : lines - 1, participations)};
  }
  saved_ = bytes;
  rows_.clear();
  return true;
}

void ParticipantLog::Add(const Setting& setting, std::uint64_t round,
                         std::span<const ParticipationRecord> participations) {
  for (const ParticipationRecord& record : participations) {
    fmt::format_to(std::back_inserter(rows_), "{},", round);
    base::AppendCsvField(rows_, setting.fleet.ids.Get(record.device, id_));
    for (const double number :
         {record.power_w, record.bandwidth_hz, record.cpu_share, record.update_bits,
          record.upload_s, record.compute_s, record.energy_j}) {
      rows_ += ',';
      base::AppendNumber(rows_, number);
    }
    rows_ += record.has_arrived ? ",1\n" : ",0\n";
  }
}

bool ParticipantLog::IsLarge() const { return rows_.size() >= kLarge; }

Status ParticipantLog::Save() {
  if (auto status = base::AppendAfter(saved_, rows_, partial_path_); !status) return status;
  saved_ += rows_.size();
  rows_.clear();
  return {};
}

Status ParticipantLog::Complete() const {
  auto file = data::GzipFile::Create(path_);
  if (!file) return file.error();
  std::uint64_t left = saved_;
  if (left > 0) {
    Status status = ReadPieces(partial_path_, [&](std::string_view piece) {
      const auto taken = std::size_t(std::min<std::uint64_t>(left, piece.size()));
      file->Append(piece.substr(0, taken));
      left -= taken;
      return left > 0;
    });
    if (!status) return status;
  }
  if (left > 0) {
    return Error{
        fmt::format("{}: lacks {} bytes that were written: it was changed", partial_path_, left)};
  }
  file->Append(rows_);
  return file->Commit();
}

void RemoveParticipantLog(const fs::path& folder) {
  for (const std::string_view name : {kPartialLogFile, kParticipantsFile}) {
    std::error_code ignored;
    fs::remove(folder / name, ignored);
  }
}

}  // namespace airlot::runs
