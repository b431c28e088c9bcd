#include "base/team_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/gather.h"
#include "base/replacement.h"

namespace airlot::base {
namespace {

constexpr std::size_t kBufferSize = std::size_t{1} << 20;

}  // namespace

Status WithMember(const Hands& hands, Status status) {
  if (status || hands.team == nullptr) return status;
  return Error{"rank " + std::to_string(hands.team->rank()) + " of " +
               std::to_string(hands.team->size()) + ": " + status.error().message};
}

Result<TeamFile> TeamFile::Create(const std::string& path, const Hands& hands) {
  TeamFile file(path, hands);
  Status status;
  std::string temporary;
  if (hands.is_first()) {
    auto created = AtomicFile::Create(path);
    if (!created) {
      status = created.error();
    } else if (hands.team != nullptr && created->is_direct()) {
      status = Error{path + ": is no regular file, which several processes could write together"};
    } else {
      std::error_code ignored;
      temporary = std::filesystem::absolute(created->temporary(), ignored).string();
      file.file_ = std::make_unique<AtomicFile>(std::move(*created));
    }
  }
  status = AgreeOn(hands, status);
  if (status && hands.team != nullptr) status = file.OpenTogether(std::move(temporary));
  if (!status) return status.error();
  return file;
}

Status TeamFile::OpenTogether(std::string temporary) {
  hands_.team->Broadcast(temporary);
  buffer_.reserve(kBufferSize);
  // Members on other machines write the rest of the page at which this one's part ends. A client of
  // NFS widens a write to the whole page, with zeros, unless each write is to be on the disk at
  // once.
  do {
    descriptor_ = ::open(temporary.c_str(), O_WRONLY | O_DSYNC | O_CLOEXEC);
  } while (descriptor_ < 0 && errno == EINTR);
  Status status;
  if (descriptor_ < 0) {
    status = CannotWrite(path_);
    status = Error{status.error().message + ": all ranks must see the folder of rank 0"};
  }
  return AgreeOn(hands_, WithMember(hands_, status));
}

TeamFile::TeamFile(TeamFile&& other) noexcept
    : path_(std::move(other.path_)),
      hands_(other.hands_),
      file_(std::move(other.file_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      place_(other.place_),
      buffer_(std::move(other.buffer_)),
      status_(std::move(other.status_)) {}

TeamFile::~TeamFile() { Close(); }

void TeamFile::GoTo(std::uint64_t place) {
  if (hands_.team == nullptr || place == place_ + buffer_.size()) return;
  Flush();
  place_ = place;
}

void TeamFile::Append(std::string_view text) {
  if (hands_.team == nullptr) return file_->Append(text);
  buffer_ += text;
  if (buffer_.size() >= kBufferSize) Flush();
}

Status TeamFile::Commit() {
  if (hands_.team == nullptr) return file_->Commit();
  Flush();
  // Some file systems report a full disk only when the file is flushed or closed.
  if (status_ && !Sync(descriptor_)) status_ = CannotWrite(path_);
  if (::close(std::exchange(descriptor_, -1)) != 0 && status_) status_ = CannotWrite(path_);
  Status written = AgreeOn(hands_, WithMember(hands_, status_));
  if (!written) {
    file_.reset();
    return written;
  }
  return AgreeOn(hands_, file_ == nullptr ? Status() : file_->Commit());
}

void TeamFile::Flush() {
  std::string_view rest = buffer_;
  while (status_ && !rest.empty()) {
    const ssize_t written =
        ::pwrite(descriptor_, rest.data(), rest.size(), static_cast<off_t>(place_));
    if (written < 0) {
      if (errno != EINTR) status_ = CannotWrite(path_);
      continue;
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
    place_ += static_cast<std::uint64_t>(written);
  }
  buffer_.clear();
}

void TeamFile::Close() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

}  // namespace airlot::base
