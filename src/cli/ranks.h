// What commands need where mpirun has started several of them
// (docs/clusters.md).
#ifndef AIRLOT_CLI_RANKS_H_
#define AIRLOT_CLI_RANKS_H_

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "airlot/result.h"
#include "cluster/agreement.h"
#include "cluster/rank_crew.h"
#include "cluster/ranks.h"

namespace airlot::cli {

// Joins the other processes, where there are any and the command knows what to do with them. It
// returns the exit code where this process ends here: its command is for one process, or it is not
// the one that helps the user. What it prints until MeetRanks, another rank than the first keeps
// to itself.
std::optional<int> EnterRanks(const std::vector<std::string>& arguments);
// Returns the processes that work together, or null where this one is alone.
cluster::Ranks* JoinedRanks();
bool IsFirstRank();
// Says whether this is another one than the first, and MeetRanks is behind it: what goes wrong then
// the first one says.
bool LeavesErrorsToFirst();

// Checks that all ranks are about to do the same: `texts` say what. It says which rank is to blame,
// and why; in other ranks than the first the message is empty.
Status MeetRanks(const std::vector<cluster::Claim>& claims);
// Returns a claim whose value is a digest of texts.
cluster::Claim ClaimOf(std::string what, std::span<const std::string> texts, std::string advice);

// Lets the other ranks have the folders of the first, whose paths become absolute. There are none
// where the first cannot go on.
std::vector<std::string> ShareFolders(const std::vector<std::string>& folders);

// Returns the options for the crew of all ranks; `note` is told of ranks that idle, or fail.
cluster::RankCrew::Options CrewOptions(std::function<void(const std::string&)> note);
// Notes what the crew knows at the end.
void EndCrew(cluster::RankCrew& crew);

// Leaves the other processes, at the end of the program, and returns the exit code.
int LeaveRanks(int exit_code);

}  // namespace airlot::cli

#endif  // AIRLOT_CLI_RANKS_H_
