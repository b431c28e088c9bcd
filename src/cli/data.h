// These are the commands of `airlot data`: each adds itself to `data` and sets `exit_code` when it
// runs.
#ifndef AIRLOT_CLI_DATA_H_
#define AIRLOT_CLI_DATA_H_

#include <CLI/CLI.hpp>

namespace airlot::cli {

void AddDataFetch(CLI::App& data, int& exit_code);
void AddDataInfo(CLI::App& data, int& exit_code);
void AddDataPartition(CLI::App& data, int& exit_code);

}  // namespace airlot::cli

#endif  // AIRLOT_CLI_DATA_H_
