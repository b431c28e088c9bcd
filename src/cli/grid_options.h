// These options vary keys of a scenario: --vary, and --with for keys in step.
#ifndef AIRLOT_CLI_GRID_OPTIONS_H_
#define AIRLOT_CLI_GRID_OPTIONS_H_

#include <span>
#include <string>
#include <vector>

#include "airlot/grid.h"
#include "airlot/result.h"
#include "airlot/scenario.h"
#include "cli/command.h"

namespace airlot::cli {

struct GridOptions {
  // The texts of both options, in the order of the command line, each with whether it is of --with.
  struct Text {
    std::string text;
    bool is_in_step = false;
  };
  std::vector<std::string> vary, with;
  std::vector<Text> texts;  // SortTexts fills it in.
};
void AddGridOptions(CLI::App& command, GridOptions& options);
// Brings the texts into the order of the command line, which has been parsed.
void SortTexts(const CLI::App& command, GridOptions& options);

// Reads and checks the grid: a --with belongs to the --vary before it.
Result<Grid> GridOf(const GridOptions& options);

// Makes the scenario of every cell, so that all that is wrong with a key or a value is found before
// any work is done. Without what is varied, nothing must be wrong.
Result<std::vector<Scenario>> ScenariosOf(const ScenarioSource& source,
                                          std::span<const std::string> overrides, const Grid& grid);

}  // namespace airlot::cli

#endif  // AIRLOT_CLI_GRID_OPTIONS_H_
