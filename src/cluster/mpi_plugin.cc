// The plug-in for an MPI: it is compiled once for each that is there, and only the program loads
// it.
#include <mpi.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "airlot/version.h"
#include "cluster/ranks.h"

namespace airlot::cluster {
namespace {

constexpr int kTag = 1;

// MPI counts in int.
std::vector<int> AsInts(std::span<const std::size_t> sizes) { return {sizes.begin(), sizes.end()}; }

std::vector<int> BeginsOf(std::span<const std::size_t> sizes) {
  std::vector<int> begins;
  std::size_t begin = 0;
  for (const std::size_t size : sizes) {
    begins.push_back(int(begin));
    begin += size;
  }
  return begins;
}

class MpiRanks : public Ranks {
 public:
  MpiRanks() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    // Where a rank is dead, the others go on as far as the MPI lets them.
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    char name[MPI_MAX_PROCESSOR_NAME];
    int length = 0;
    MPI_Get_processor_name(name, &length);
    host_.assign(name, std::size_t(length));
  }

  std::size_t rank() const override { return std::size_t(rank_); }
  std::size_t size() const override { return std::size_t(size_); }
  std::string host() const override { return host_; }

  void Gather(std::span<std::byte> all, std::span<const std::size_t> sizes) override {
    if (all.size() <= INT_MAX) {
      const std::vector<int> counts = AsInts(sizes), begins = BeginsOf(sizes);
      return Check(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_BYTE, all.data(), counts.data(),
                                  begins.data(), MPI_BYTE, team_));
    }
    for (int i = 0; i < size_; ++i) {
      BroadcastRaw(all.data(), sizes[std::size_t(i)], i);
      all = all.subspan(sizes[std::size_t(i)]);
    }
  }

  void Exchange(std::span<const float> mine, std::span<const std::size_t> sent,
                std::span<float> theirs, std::span<const std::size_t> received) override {
    if (std::max(mine.size(), theirs.size()) > INT_MAX) Abort("more numbers than MPI can count");
    const std::vector<int> sent_counts = AsInts(sent), sent_begins = BeginsOf(sent);
    const std::vector<int> counts = AsInts(received), begins = BeginsOf(received);
    Check(MPI_Alltoallv(mine.data(), sent_counts.data(), sent_begins.data(), MPI_FLOAT,
                        theirs.data(), counts.data(), begins.data(), MPI_FLOAT, team_));
  }

  void Broadcast(std::string& bytes) override {
    unsigned long long size = bytes.size();
    Check(MPI_Bcast(&size, 1, MPI_UNSIGNED_LONG_LONG, 0, team_));
    bytes.resize(std::size_t(size));
    BroadcastRaw(bytes.data(), bytes.size(), 0);
  }

  void Send(std::size_t to, std::string_view bytes) override {
    // To a rank that is dead nothing can be sent, and who waits for its answer finds that out.
    static_cast<void>(
        MPI_Send(bytes.data(), int(bytes.size()), MPI_BYTE, int(to), kTag, MPI_COMM_WORLD));
  }

  std::optional<RankMessage> Receive() override {
    int is_there = 0;
    MPI_Status status;
    const int probed = MPI_Iprobe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &is_there, &status);
    if (probed != MPI_SUCCESS || is_there == 0) return std::nullopt;
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    RankMessage message{std::size_t(status.MPI_SOURCE), std::string(std::size_t(size), '\0')};
    const int received = MPI_Recv(message.bytes.data(), size, MPI_BYTE, status.MPI_SOURCE, kTag,
                                  MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (received != MPI_SUCCESS) return std::nullopt;
    return message;
  }

  void Keep(std::size_t members) override {
    const bool is_kept = rank() < members;
    Check(MPI_Comm_split(MPI_COMM_WORLD, is_kept ? 0 : MPI_UNDEFINED, rank_, &team_));
    size_ = int(members);
  }

  void Leave(bool is_anybody_dead) override {
    if (!is_anybody_dead) MPI_Finalize();
  }

  [[noreturn]] void Abort(std::string_view why) override {
    std::fprintf(stderr, "error: rank %d of %d (%s): %.*s\n", rank_, size_, host_.c_str(),
                 int(why.size()), why.data());
    std::fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    std::abort();
  }

 private:
  void BroadcastRaw(void* bytes, std::size_t size, int from) {
    constexpr std::size_t kMost = std::size_t{1} << 30;
    for (std::size_t begin = 0; begin < size; begin += kMost) {
      Check(MPI_Bcast(static_cast<char*>(bytes) + begin, int(std::min(kMost, size - begin)),
                      MPI_BYTE, from, team_));
    }
  }

  void Check(int code) {
    if (code == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(code, text, &length);
    Abort({text, std::size_t(length)});
  }

  int rank_ = 0, size_ = 1;
  MPI_Comm team_ = MPI_COMM_WORLD;
  std::string host_;
};

}  // namespace
}  // namespace airlot::cluster

extern "C" const char* AirlotRanksVersion();
const char* AirlotRanksVersion() { return airlot::kVersion; }

extern "C" airlot::cluster::Ranks* AirlotJoinRanks();
// It lives as long as the program.
airlot::cluster::Ranks* AirlotJoinRanks() {
  static airlot::cluster::MpiRanks ranks;
  return &ranks;
}
