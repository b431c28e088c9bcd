// No two of the files that a command reads and writes may be one.
#ifndef AIRLOT_CLI_OUTPUT_FILES_H_
#define AIRLOT_CLI_OUTPUT_FILES_H_

#include <optional>
#include <string>
#include <vector>

#include "airlot/result.h"
#include "airlot/scenario.h"

namespace airlot::cli {

struct NamedFile {
  std::optional<std::string> path;  // none: it is not read or written
  std::string what;                 // name for messages, such as "the plan"
};

// Refuses an output that would overwrite an input or another output, by whatever name: through
// links, "./", or another working folder. Call it before any work is done. Pipes, terminals and
// devices overwrite nothing.
Status CheckDistinct(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs);

// Returns what is read of a scenario: its own file, unless it is built in, and all files that its
// keys name.
std::vector<NamedFile> InputsOf(const std::string& name_or_path, const Scenario& scenario);

// Returns the file that ReadScenario reads for a name or path, or nothing where the scenario is
// built in.
std::optional<std::string> ScenarioFileOf(const std::string& name_or_path);

// Tells whether two paths lead to one regular file, which need not exist yet.
bool AreOneFile(const std::string& a, const std::string& b);

}  // namespace airlot::cli

#endif  // AIRLOT_CLI_OUTPUT_FILES_H_
