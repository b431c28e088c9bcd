#include "cli/ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "airlot/simd_target.h"
#include "airlot/version.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/completion.h"
#include "cli/terminal.h"
#include "cluster/mpi.h"
#include "data/sha256.h"

namespace airlot::cli {
namespace {

namespace fs = std::filesystem;

// A Joined is what this process knows of the others.
struct Joined {
  cluster::Ranks* ranks = nullptr;
  std::vector<std::string> hosts;
  bool has_met = false;
  bool is_anybody_dead = false;
};
Joined joined;

bool KnowsRanks(std::string_view command) {
  constexpr std::string_view kCommands[] = {"train", "compare", "sweep", "reproduce", "plan"};
  return std::ranges::find(kCommands, command) != std::end(kCommands);
}

bool AsksForHelp(const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front() == "help") return true;
  return std::ranges::any_of(arguments, [](const std::string& word) {
    return word == "--help" || word == "-h" || word == "--version";
  });
}

fs::path ThisProgram() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored);
}

// The build says where libraries lie, as seen from the program.
#ifndef AIRLOT_PLUGIN_FOLDER
#define AIRLOT_PLUGIN_FOLDER "../lib/airlot"
#endif

// Plug-ins lie beside the program that was built, or in the folder for libraries where it is
// installed.
std::vector<std::string> PluginFolders() {
  const fs::path folder = ThisProgram().parent_path();
  return {folder.string(), (folder / AIRLOT_PLUGIN_FOLDER).lexically_normal().string()};
}

// Two builds may have the same version and give other bytes.
std::string DigestOfProgram() {
  std::ifstream file(ThisProgram(), std::ios::binary);
  data::Sha256 hash;
  std::vector<char> bytes(std::size_t{1} << 20);
  while (file.read(bytes.data(), std::streamsize(bytes.size())) || file.gcount() > 0) {
    hash.Update({reinterpret_cast<const std::uint8_t*>(bytes.data()), std::size_t(file.gcount())});
  }
  return hash.Hex();
}

}  // namespace

std::optional<int> EnterRanks(const std::vector<std::string>& arguments) {
  const auto launch =
      cluster::FindLaunch([](const char* name) -> const char* { return std::getenv(name); });
  if (!launch) return std::nullopt;
  if (AsksForHelp(arguments)) return launch->rank == 0 ? std::nullopt : std::optional(kDone);
  if (!KnowsRanks(arguments.front())) {
    if (launch->rank != 0) return kDone;  // One that fails would end the first before it says why.
    return Report(
        {fmt::format("airlot {} runs in one process, and {} were started together: start "
                     "it without mpirun",
                     arguments.front(), launch->size)});
  }
  const auto ranks = cluster::JoinRanks(*launch, PluginFolders());
  if (!ranks) return Report(ranks.error());
  joined.ranks = *ranks;
  if (!IsFirstRank()) KeepMessages(true);
  return std::nullopt;
}

cluster::Ranks* JoinedRanks() { return joined.ranks; }

bool IsFirstRank() { return joined.ranks == nullptr || joined.ranks->rank() == 0; }

bool LeavesErrorsToFirst() { return joined.has_met && !IsFirstRank(); }

cluster::Claim ClaimOf(std::string what, std::span<const std::string> texts, std::string advice) {
  data::Sha256 hash;
  for (const std::string& text : texts) {
    const std::string whole = fmt::format("{}\n{}", text.size(), text);
    hash.Update({reinterpret_cast<const std::uint8_t*>(whole.data()), whole.size()});
  }
  return {std::move(what), hash.Hex(), std::move(advice)};
}

Status MeetRanks(const std::vector<cluster::Claim>& claims) {
  std::vector<cluster::Claim> all{
      {"the version of airlot", kVersion, "install the same one everywhere"},
      {"the program", DigestOfProgram(), "install the same build of airlot everywhere"},
      {"the instruction set", std::string(SimdTarget()),
       "take machines of one kind, because results differ in their last digits"}};
  all.insert(all.end(), claims.begin(), claims.end());
  joined.has_met = true;
  auto status = cluster::Agree(*joined.ranks, all, joined.hosts);
  KeepMessages(false);
  return status;
}

std::vector<std::string> ShareFolders(const std::vector<std::string>& folders) {
  std::string text;
  for (const std::string& folder : folders) text += fs::absolute(folder).string() + '\0';
  joined.ranks->Broadcast(text);
  std::vector<std::string> shared;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\0', begin);
    shared.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return shared;
}

cluster::RankCrew::Options CrewOptions(std::function<void(const std::string&)> note) {
  cluster::RankCrew::Options options{.hosts = joined.hosts, .note = std::move(note)};
  const char* const silence_s = std::getenv("AIRLOT_RANK_SILENCE_S");
  const auto chosen = silence_s == nullptr ? std::nullopt : base::ParseNumber(silence_s);
  if (chosen && *chosen >= 2 && *chosen <= 1e6) {
    options.longest_silence = std::chrono::milliseconds(std::int64_t(1000 * *chosen));
  }
  return options;
}

void EndCrew(cluster::RankCrew& crew) {
  if (crew.is_first()) crew.Close();
  joined.is_anybody_dead |= crew.is_anybody_dead();
}

int LeaveRanks(int exit_code) {
  if (joined.ranks == nullptr) return exit_code;
  if (!joined.has_met) cluster::GiveUp(*joined.ranks, KeptError());
  std::fflush(nullptr);
  joined.ranks->Leave(joined.is_anybody_dead);
  // Without the others an MPI may wait for ever at the end of the process.
  if (joined.is_anybody_dead) std::_Exit(exit_code);
  return exit_code;
}

}  // namespace airlot::cli
