// Ranks agree on what they are about to do, before any of them writes.
#ifndef AIRLOT_CLUSTER_AGREEMENT_H_
#define AIRLOT_CLUSTER_AGREEMENT_H_

#include <span>
#include <string>
#include <vector>

#include "airlot/result.h"
#include "cluster/ranks.h"

namespace airlot::cluster {

// A Claim is something that must be the same in all ranks.
struct Claim {
  std::string what;         // such as "the scenario"
  std::string value;        // what it is here
  std::string advice = {};  // what to do where it is another one elsewhere
};

// Returns a rank as messages name it: "rank 2 of 4 (node7)".
std::string NameOf(std::size_t rank, std::size_t size, std::string_view host);

// Every rank calls Agree once or, where it cannot come so far, GiveUp. Agree waits for all. In the
// first rank it returns the first difference, or why another has given up, with that one's name; in
// the others it returns an error without a message where the first says that it is over. It says
// in `hosts`, in the first rank, where the ranks are.
Status Agree(Ranks& ranks, std::span<const Claim> claims, std::vector<std::string>& hosts);
void GiveUp(Ranks& ranks, const std::string& why);

}  // namespace airlot::cluster

#endif  // AIRLOT_CLUSTER_AGREEMENT_H_
