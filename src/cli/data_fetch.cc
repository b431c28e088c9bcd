// `airlot data fetch` brings a data set into the cache.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "airlot/dataset.h"
#include "cli/command.h"
#include "cli/data.h"
#include "cli/terminal.h"
#include "data/fetch.h"
#include "data/known_sets.h"

namespace airlot::cli {
namespace {

struct FetchOptions {
  OutputOptions output;
  std::string name;
  std::string from;
};

int PrintBuiltIn(const FetchOptions& options) {
  if (!options.from.empty()) {
    return Report({fmt::format("{}: is built in: --from does not apply", options.name)});
  }
  if (options.output.json) {
    const Json json{{"name", options.name}, {"folder", nullptr}, {"fetched", false}};
    PrintExactly(TextOf(json));
  } else {
    Print("{} is built in: there is nothing to fetch.\n", options.name);
  }
  return kDone;
}

void PrintFetched(const FetchOptions& options, const data::Fetched& fetched) {
  if (options.output.json) {
    const Json json{
        {"name", options.name}, {"folder", fetched.folder}, {"fetched", !fetched.was_there}};
    PrintExactly(TextOf(json));
  } else {
    const bool is_ignored = fetched.was_there && !options.from.empty();
    Print("{} {} {}: its checksums match{}.\n", options.name,
          fetched.was_there ? "is already in" : "is now in", fetched.folder,
          is_ignored ? ", and --from was not looked at" : "");
  }
}

int RunFetch(const FetchOptions& options) {
  const data::KnownSet* set = data::FindKnownSet(options.name);
  if (set == nullptr) return PrintBuiltIn(options);
  const auto fetched = [&] {
    const Progress progress("fetching " + options.name, options.output.quiet);
    return data::Fetch(*set, options.from);
  }();
  if (!fetched) return Report(fetched.error());
  PrintFetched(options, *fetched);
  return kDone;
}

}  // namespace

void AddDataFetch(CLI::App& data, int& exit_code) {
  auto options = std::make_shared<FetchOptions>();
  CLI::App& command = *data.add_subcommand("fetch", "Get a data set and verify it");
  std::vector<std::string> names;
  for (const DatasetEntry& entry : Datasets()) names.emplace_back(entry.name);
  command.add_option("NAME", options->name, "One that airlot list datasets shows")
      ->required()
      ->check(OneOf(names));
  command
      .add_option("--from", options->from,
                  "Where its IDX files are: a folder, a .tgz file,\nor the address of either; of "
                  "cifar10 and "
                  "cifar100:\nthe archive of the binary version")
      ->check(kNotEmpty)
      ->type_name("SOURCE");
  AddOutputOptions(command, options->output);
  AddExample(command, "airlot data fetch mnist");
  command.callback([options, &exit_code] { exit_code = RunFetch(*options); });
}

}  // namespace airlot::cli
