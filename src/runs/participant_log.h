// The participant log of a run says who took part in each round, on which terms, and what it cost
// (docs/formats.md).
#ifndef AIRLOT_RUNS_PARTICIPANT_LOG_H_
#define AIRLOT_RUNS_PARTICIPANT_LOG_H_

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "airlot/result.h"
#include "airlot/simulation.h"

namespace airlot::runs {

// A ParticipantLog collects rows of text. Now and then they go to the end of kPartialLogFile, which
// a run that goes on takes up again, and at last all of them, compressed, to kParticipantsFile.
// What the log has in memory is bounded, however long the run is.
class ParticipantLog {
 public:
  // The log begins empty; the folder need not be there yet.
  explicit ParticipantLog(const std::filesystem::path& folder);

  // Goes on with the log of a run that has come to so many participations: what the file has beyond
  // them was written after the checkpoint, and is cut off. Returns false where there is no such
  // file, because the run began without a log. An error says that rows are missing.
  Result<bool> GoOn(std::uint64_t participations);

  void Add(const Setting& setting, std::uint64_t round,
           std::span<const ParticipationRecord> participations);
  // Says that there is so much in memory that Save should be called.
  bool IsLarge() const;
  // Puts what is in memory on the disk. The folder must be there, as for Complete.
  Status Save();
  // Writes the whole log; the file appears whole or not at all, and has the same bytes whenever
  // the log was saved.
  Status Complete() const;

 private:
  std::string partial_path_, path_;
  std::uint64_t saved_ = 0;  // bytes of the partial file that count
  std::string rows_;         // what follows them
  std::string id_;           // a buffer
};

// Removes both files of a log, where they are there.
void RemoveParticipantLog(const std::filesystem::path& folder);

}  // namespace airlot::runs

#endif  // AIRLOT_RUNS_PARTICIPANT_LOG_H_
