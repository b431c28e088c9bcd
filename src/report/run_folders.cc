#include "report/run_folders.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "airlot/kept_runs.h"
#include "airlot/report.h"

namespace airlot::report {
namespace {

namespace fs = std::filesystem;

// Returns the place of a scenario in the paper; those of others come behind all of them.
std::size_t PaperRank(const std::string& directory) {
  const auto papers = PaperScenarios();
  const auto found =
      std::ranges::find(papers, fs::path(directory).filename().string(), &PaperScenario::name);
  return std::size_t(found - papers.begin());
}

}  // namespace

Result<std::vector<std::string>> FindRunDirectories(const std::string& path) {
  if (HoldsRuns(path)) return std::vector{path};
  std::vector<std::string> found;
  std::error_code error;
  fs::directory_iterator entry(path, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (HoldsRuns(entry->path().string())) found.push_back(entry->path().string());
  }
  if (error) return Error{fmt::format("{}: cannot read this folder: {}", path, error.message())};
  if (found.empty()) {
    return Error{
        fmt::format("{}: holds no runs: name a folder that airlot train, compare, sweep or "
                    "reproduce wrote",
                    path)};
  }
  std::ranges::sort(found, {}, [](const std::string& directory) {
    return std::pair(PaperRank(directory), directory);
  });
  return found;
}

}  // namespace airlot::report
