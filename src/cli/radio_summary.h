// A RadioSummary says at which powers and rates the devices of a plan send, where the radio has
// steps of them.
#ifndef AIRLOT_CLI_RADIO_SUMMARY_H_
#define AIRLOT_CLI_RADIO_SUMMARY_H_

#include <string>
#include <vector>

#include "airlot/planning.h"
#include "airlot/radio.h"
#include "cli/command.h"

namespace airlot::cli {

struct RadioSummary {
  PowerControl power;
  std::vector<McsRow> mcs;
  StepCounts counts;
};
RadioSummary SummariseRadio(const Radio& radio, const PlanningProblem& problem,
                            const PlanView& plan);

void AppendRadio(std::string& text, const RadioSummary& radio);
Json ToJson(const RadioSummary& radio);

}  // namespace airlot::cli

#endif  // AIRLOT_CLI_RADIO_SUMMARY_H_
