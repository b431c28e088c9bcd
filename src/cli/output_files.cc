#include "cli/output_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/replacement.h"

namespace airlot::cli {
namespace {

namespace fs = std::filesystem;

// Returns where a file that may not exist yet would be: links are followed, "." and ".." are gone.
fs::path PlaceOf(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(base::FollowLinks(path), error);
  const fs::path place = fs::weakly_canonical(absolute, error);
  return error ? absolute.lexically_normal() : place;
}

Status CheckPair(const NamedFile& output, const NamedFile& other, bool other_is_read) {
  if (!output.path || !other.path || !AreOneFile(*output.path, *other.path)) return {};
  return Error{other_is_read
                   ? fmt::format("{}: is {} and would be overwritten: write {} to another "
                                 "file",
                                 *output.path, other.what, output.what)
                   : fmt::format("{}: cannot hold both {} and {}: name two files", *output.path,
                                 other.what, output.what)};
}

}  // namespace

std::vector<NamedFile> InputsOf(const std::string& name_or_path, const Scenario& scenario) {
  std::vector<NamedFile> inputs{{ScenarioFileOf(name_or_path), "the scenario"}};
  for (ScenarioFile& file : FilesOf(scenario)) {
    inputs.push_back({std::move(file.path), std::move(file.what)});
  }
  return inputs;
}

std::optional<std::string> ScenarioFileOf(const std::string& name_or_path) {
  const auto built_in = BuiltInScenarios();
  const bool is_built_in =
      std::ranges::find(built_in, name_or_path, &BuiltInScenario::name) != built_in.end();
  return is_built_in ? std::nullopt : std::optional(name_or_path);
}

bool AreOneFile(const std::string& a, const std::string& b) {
  std::error_code error;
  const fs::file_status status_a = fs::status(a, error), status_b = fs::status(b, error);
  if (fs::exists(status_a) != fs::exists(status_b)) return false;
  if (!fs::exists(status_a)) return PlaceOf(a) == PlaceOf(b);
  return fs::is_regular_file(status_a) && fs::equivalent(a, b, error);
}

Status CheckDistinct(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (const NamedFile& input : inputs) {
      if (auto status = CheckPair(outputs[i], input, true); !status) return status;
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (auto status = CheckPair(outputs[i], outputs[j], false); !status) return status;
    }
  }
  return {};
}

}  // namespace airlot::cli
