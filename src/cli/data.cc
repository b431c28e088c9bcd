// `airlot data` handles data sets to train on.
#include "cli/data.h"

#include "cli/command.h"

namespace airlot::cli {

void AddData(CLI::App& app, int& exit_code) {
  CLI::App& data = *app.add_subcommand("data", "Get and describe the data sets to train on");
  data.require_subcommand(1);
  AddExample(data, "airlot data info digits");
  AddDataFetch(data, exit_code);
  AddDataInfo(data, exit_code);
  AddDataPartition(data, exit_code);
}

}  // namespace airlot::cli
