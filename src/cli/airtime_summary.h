// An AirtimeSummary is what `airlot plan --airtime` prints beside what every plan has.
#ifndef AIRLOT_CLI_AIRTIME_SUMMARY_H_
#define AIRLOT_CLI_AIRTIME_SUMMARY_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "airlot/airtime_expectations.h"
#include "airlot/airtime_round.h"
#include "airlot/planning.h"
#include "airlot/report.h"
#include "cli/command.h"

namespace airlot::cli {

// An OtherSharing is the plan for the other way to share the band, where both are possible.
struct OtherSharing {
  double participants = 0;
  AirtimeTimes times;
};

struct AirtimeSummary {
  AirtimeRules rules;
  AirtimeGoal goal = AirtimeGoal::kTime;
  double goal_s = 0;  // the time limit where it is the goal; the mean over devices counts
  bool takes_turns = true;
  bool noise_is_density = false, has_circuits = false;
  bool limit_counts_computation = false;
  AirtimeFloors floors = AirtimeFloors::kNotWanted;
  double price = 0, log_price = 0, extra_energy_price_s_per_j = 0;  // as in AirtimePlan
  AirtimeExpectations expect;
  std::optional<OtherSharing> other;
  Expectations own_bands;  // what the plan of own bands expects
  AirtimeLevers levers;
  std::optional<AirtimeCertificate> certificate;
  std::optional<double> payable_participants;  // as in AirtimeRound
  std::vector<std::string> notes;              // what a run does that the plan does not know
};

// Says how those who are drawn send, and why: "in turns, ...".
std::string HowTheySend(const AirtimeSummary& summary);

// Returns all that the text says of the plan, but for the time of a round and the levers, for its
// report.
std::vector<PlanFacts> FactsOf(const AirtimeSummary& summary);

// These functions append parts of the text, in their order.
void AppendSharing(std::string& text, const AirtimeSummary& summary);
void AppendTime(std::string& text, const AirtimeSummary& summary);
void AppendOutlook(std::string& text, const AirtimeSummary& summary);

void AppendCheck(std::string& text, const AirtimeCertificate& certificate);

// Returns what the certificate has found wrong with the plan of so many devices, if anything.
std::optional<Error> FailureOf(const AirtimeCertificate& certificate, std::size_t devices);

Json ToJson(const AirtimeSummary& summary);
Json ToJson(const AirtimeCertificate& certificate, std::size_t devices);

}  // namespace airlot::cli

#endif  // AIRLOT_CLI_AIRTIME_SUMMARY_H_
