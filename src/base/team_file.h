// The members of a team write one file together, which appears whole or not at all.
#ifndef AIRLOT_BASE_TEAM_FILE_H_
#define AIRLOT_BASE_TEAM_FILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "airlot/hands.h"
#include "airlot/result.h"
#include "base/atomic_file.h"

namespace airlot::base {

// The first member makes the file and puts it in place; the others open it under its temporary
// name, in a folder that all of them must see, and each writes what is its own. Without a team it
// is an AtomicFile. All members call Create and Commit, and have the same result; an error of a
// member begins with its number.
class TeamFile {
 public:
  static Result<TeamFile> Create(const std::string& path, const Hands& hands);
  TeamFile(TeamFile&&) noexcept;
  TeamFile& operator=(TeamFile&&) = delete;
  ~TeamFile();

  // Lets what is appended next begin at a place of the file. Without a team bytes follow each
  // other, and this changes nothing.
  void GoTo(std::uint64_t place);
  // Appends to a buffer; an error of writing is kept and returned by Commit.
  void Append(std::string_view text);
  // Puts the file in place once all members have written theirs. It may be called at most once.
  Status Commit();

 private:
  TeamFile(const std::string& path, const Hands& hands) : path_(path), hands_(hands) {}
  Status OpenTogether(std::string temporary);
  void Flush();
  void Close();

  std::string path_;
  Hands hands_;
  std::unique_ptr<AtomicFile> file_;  // where there is no team, and of the first member
  int descriptor_ = -1;               // of each member of a team
  std::uint64_t place_ = 0;           // of the first byte in the buffer
  std::string buffer_;
  Status status_;
};

// Lets the error of a member begin with its number: "rank 1 of 4: ".
Status WithMember(const Hands& hands, Status status);

}  // namespace airlot::base

#endif  // AIRLOT_BASE_TEAM_FILE_H_
