#include "cluster/rank_crew.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <optional>
#include <set>
#include <stop_token>
#include <string_view>
#include <thread>
#include <utility>

#include "airlot/bytes.h"
#include "cluster/agreement.h"

namespace airlot::cluster {
namespace {

using Clock = std::chrono::steady_clock;

// Whoever has nothing to do looks for messages so often. Runs take seconds, and who waits for a
// message by looking all the time takes a core from those who compute.
constexpr std::chrono::milliseconds kLook{2};
// No run tells more often how far it is.
constexpr std::chrono::milliseconds kTells{200};

// --- Messages ------------------------------------------------------------------------------------

enum class Kind : std::uint32_t {
  // From the first rank:
  kTask,   // perform this task
  kStop,   // stop, and leave checkpoints
  kOver,   // all tasks have ended
  kClose,  // there is no more work
  // To the first rank:
  kTold,     // how far a run is
  kDone,     // a task has ended well
  kStopped,  // a task has stopped, as somebody wanted it to
  kFailed,   // a task has failed
  kAlive,    // a sign of life
};

struct Message {
  Kind kind = Kind::kAlive;
  std::uint64_t task = 0;
  std::string text = {};
};

std::string Encode(const Message& message) {
  ByteWriter writer;
  writer.Put(std::uint32_t(message.kind));
  writer.Put(message.task);
  writer.Put(std::string_view(message.text));
  return std::move(writer).bytes();
}

Message Decode(std::string_view bytes) {
  ByteReader reader(bytes);
  Message message;
  std::uint32_t kind = 0;
  reader.Take(kind);
  message.kind = Kind(kind);
  reader.Take(message.task);
  reader.Take(message.text);
  return message;
}

// Returns what is shown of a run: its last record, after that of its last evaluation.
std::string EncodeProgress(const RunState& state) {
  ByteWriter writer;
  writer.Put(state.round);
  writer.Put(state.time_s);
  writer.Put(state.energy_j);
  std::vector<const RoundRecord*> records;
  const auto evaluated = std::find_if(state.records.rbegin(), state.records.rend(),
                                      [](const RoundRecord& record) { return record.accuracy; });
  if (evaluated != state.records.rend()) records.push_back(&*evaluated);
  if (!state.records.empty() && evaluated != state.records.rbegin()) {
    records.push_back(&state.records.back());
  }
  writer.Put(std::uint64_t{records.size()});
  for (const RoundRecord* record : records) {
    writer.Put(record->round);
    writer.Put(record->time_s);
    writer.Put(record->energy_j);
    writer.Put(record->accuracy);
  }
  return std::move(writer).bytes();
}

RunState DecodeProgress(std::string_view bytes) {
  ByteReader reader(bytes);
  RunState state;
  reader.Take(state.round);
  reader.Take(state.time_s);
  reader.Take(state.energy_j);
  state.records.resize(reader.TakeCount(3 * sizeof(double)));
  for (RoundRecord& record : state.records) {
    reader.Take(record.round);
    reader.Take(record.time_s);
    reader.Take(record.energy_j);
    reader.Take(record.accuracy);
  }
  return state;
}

// --- The threads of one rank that perform --------------------------------------------------------

// An Ended is a task that this rank has performed.
struct Ended {
  std::size_t task = 0;
  Status status;
};

class Performers {
 public:
  explicit Performers(const CrewWork& work) : work_(work) {
    for (int i = 0; i < work.jobs; ++i) {
      threads_.emplace_back([this](const std::stop_token& stop) { Work(stop); });
    }
  }

  std::size_t jobs() const { return threads_.size(); }

  void Give(std::size_t task) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(task);
    changed_.notify_all();
  }

  // Returns what has ended since; where nothing has, it waits for a moment.
  std::vector<Ended> TakeEnded(bool may_wait) {
    std::unique_lock lock(mutex_);
    if (may_wait && ended_.empty()) {
      has_ended_.wait_for(lock, kLook, [this] { return !ended_.empty(); });
    }
    return std::exchange(ended_, {});
  }

 private:
  void Work(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [this] { return !waiting_.empty(); })) {
      const std::size_t task = waiting_.front();
      waiting_.pop_front();
      lock.unlock();
      Ended ended{task, work_.perform(task)};
      lock.lock();
      ended_.push_back(std::move(ended));
      has_ended_.notify_all();
    }
  }

  const CrewWork& work_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::condition_variable has_ended_;
  std::deque<std::size_t> waiting_;
  std::vector<Ended> ended_;
  std::vector<std::jthread> threads_;
};

}  // namespace

// --- The first rank ------------------------------------------------------------------------------

class RankCrew::Dealer {
 public:
  Dealer(RankCrew& crew, const CrewWork& work)
      : crew_(crew),
        ranks_(crew.ranks_),
        work_(work),
        performers_(work),
        in_flight_(ranks_.size()),
        silence_(ranks_.size(), std::chrono::milliseconds(0)),
        failed_in_(work.tasks) {
    for (std::size_t task = 0; task < work.tasks; ++task) waiting_.push_back(task);
  }

  void Go() {
    if (work_.tasks < LivingRanks()) {
      crew_.options_.note(fmt::format("there are {} ranks for {} run{}: the others idle",
                                      LivingRanks(), work_.tasks, work_.tasks == 1 ? "" : "s"));
    }
    auto last = Clock::now();
    for (;;) {
      if (work_.has_stopped()) StopAll();
      const bool has_dealt = !has_stopped_ && Deal();
      if (IsOver()) break;
      bool is_busy = has_dealt;
      while (const auto message = ranks_.Receive()) {
        Take(message->from, Decode(message->bytes));
        is_busy = true;
      }
      for (const Ended& ended : performers_.TakeEnded(!is_busy)) TakeOwn(ended);
      const auto now = Clock::now();
      LookForDead(now - last);
      last = now;
    }
    SendToOthers({.kind = Kind::kOver, .text = crew_.is_anybody_dead_ ? "some are dead" : ""});
  }

 private:
  std::size_t LivingRanks() const { return std::size_t(std::ranges::count(crew_.is_out_, false)); }

  // Gives tasks to ranks that have room; where there are several, the first rank comes last.
  // Returns whether any was given.
  bool Deal() {
    bool has_dealt = false;
    for (bool goes_on = true; goes_on && !work_.has_stopped();) {
      goes_on = false;
      for (std::size_t i = 1; i <= ranks_.size() && !work_.has_stopped(); ++i) {
        if (DealTo(i % ranks_.size())) goes_on = has_dealt = true;
      }
    }
    return has_dealt;
  }

  bool DealTo(std::size_t rank) {
    // All ranks perform as many at a time.
    if (crew_.is_out_[rank] || in_flight_[rank].size() >= performers_.jobs()) return false;
    for (auto place = waiting_.begin(); place != waiting_.end(); ++place) {
      const std::size_t task = *place;
      if (failed_in_[task] == rank) continue;
      waiting_.erase(place);
      if (!work_.open(task)) return true;  // There is nothing to perform.
      in_flight_[rank].insert(task);
      if (rank == 0) {
        performers_.Give(task);
      } else {
        ranks_.Send(rank, Encode({Kind::kTask, task}));
      }
      return true;
    }
    return false;
  }

  bool IsOver() const {
    const bool is_idle =
        std::ranges::all_of(in_flight_, [](const auto& tasks) { return tasks.empty(); });
    return is_idle && (waiting_.empty() || has_stopped_);
  }

  void StopAll() {
    if (std::exchange(has_stopped_, true)) return;
    work_.stop();
    SendToOthers({.kind = Kind::kStop});
  }

  void SendToOthers(const Message& message) {
    for (std::size_t i = 1; i < ranks_.size(); ++i) {
      if (!crew_.is_dead_[i]) ranks_.Send(i, Encode(message));
    }
  }

  void TakeOwn(const Ended& ended) {
    in_flight_[0].erase(ended.task);
    if (!ended.status) return Fail(0, ended.task, ended.status.error().message);
    if (!work_.has_stopped()) work_.ended(ended.task, {});
  }

  void Take(std::size_t rank, const Message& message) {
    silence_[rank] = std::chrono::milliseconds(0);
    const std::size_t task = message.task;
    // A rank that was taken for dead may live, but another performs its task now.
    if (crew_.is_dead_[rank]) return ranks_.Send(rank, Encode({.kind = Kind::kStop}));
    if (message.kind == Kind::kAlive || !in_flight_[rank].contains(task)) return;
    if (message.kind == Kind::kTold) return work_.told(task, DecodeProgress(message.text));
    in_flight_[rank].erase(task);
    if (message.kind == Kind::kFailed) return Fail(rank, task, message.text);
    if (message.kind == Kind::kStopped) return StopAll();
    const Status status = work_.take_in(task);
    status ? work_.ended(task, {}) : Fail(rank, task, status.error().message);
  }

  void Fail(std::size_t rank, std::size_t task, const std::string& why) {
    crew_.is_out_[rank] = true;
    const std::string name = NameOf(rank, ranks_.size(), crew_.options_.hosts[rank]);
    if (has_stopped_) return;
    if (failed_in_[task] || LivingRanks() == 0) {
      return work_.ended(task, Error{fmt::format("{}: {}", name, why)});
    }
    failed_in_[task] = rank;
    waiting_.push_front(task);
    crew_.options_.note(
        fmt::format("{}: {}: its run is dealt again, and this rank gets no more", name, why));
  }

  // Time in which this process itself did not run does not count.
  void LookForDead(Clock::duration passed) {
    const auto most = crew_.options_.signs_of_life / 2;
    for (std::size_t rank = 1; rank < ranks_.size(); ++rank) {
      silence_[rank] += std::min<Clock::duration>(passed, most);
      if (crew_.is_dead_[rank] || silence_[rank] < crew_.options_.longest_silence) continue;
      crew_.is_dead_[rank] = crew_.is_out_[rank] = crew_.is_anybody_dead_ = true;
      const auto lost = std::exchange(in_flight_[rank], {});
      for (const std::size_t task : lost) Fail(rank, task, "has not been heard of for too long");
    }
  }

  RankCrew& crew_;
  Ranks& ranks_;
  const CrewWork& work_;
  Performers performers_;
  std::deque<std::size_t> waiting_;
  std::vector<std::set<std::size_t>> in_flight_;       // tasks of each rank
  std::vector<Clock::duration> silence_;               // of each rank, how long
  std::vector<std::optional<std::size_t>> failed_in_;  // of each task, the rank that failed
  bool has_stopped_ = false;
};

// --- The others ----------------------------------------------------------------------------------

class RankCrew::Helper {
 public:
  Helper(RankCrew& crew, const CrewWork& work)
      : crew_(crew), ranks_(crew.ranks_), work_(work), performers_(work) {}

  void Go() {
    auto told = Clock::now(), alive = told;
    while (!is_over_) {
      bool is_busy = false;
      while (!is_over_) {
        const auto message = ranks_.Receive();
        if (!message) break;
        Take(Decode(message->bytes));
        is_busy = true;
      }
      for (const Ended& ended : performers_.TakeEnded(!is_busy)) Send(ended);
      const auto now = Clock::now();
      if (now - told >= kTells) {
        SendTold();
        told = now;
      }
      if (now - alive >= crew_.options_.signs_of_life) {
        ranks_.Send(0, Encode({.kind = Kind::kAlive}));
        alive = now;
      }
    }
    const std::lock_guard lock(crew_.mutex_);
    crew_.told_.clear();
  }

 private:
  void Take(const Message& message) {
    switch (message.kind) {
      case Kind::kTask:
        return performers_.Give(message.task);
      case Kind::kStop:
        return work_.stop();
      case Kind::kClose:
        crew_.is_closed_ = true;
        [[fallthrough]];
      default:
        is_over_ = true;
        if (!message.text.empty()) crew_.is_anybody_dead_ = true;
    }
  }

  // A run that was stopped has ended well, too.
  void Send(const Ended& ended) {
    const Kind kind = !ended.status         ? Kind::kFailed
                      : work_.has_stopped() ? Kind::kStopped
                                            : Kind::kDone;
    ranks_.Send(0, Encode({kind, ended.task, ended.status ? "" : ended.status.error().message}));
  }

  void SendTold() {
    const auto told = [&] {
      const std::lock_guard lock(crew_.mutex_);
      return std::exchange(crew_.told_, {});
    }();
    for (const auto& [task, text] : told) ranks_.Send(0, Encode({Kind::kTold, task, text}));
  }

  RankCrew& crew_;
  Ranks& ranks_;
  const CrewWork& work_;
  Performers performers_;
  bool is_over_ = false;
};

RankCrew::RankCrew(Ranks& ranks, Options options)
    : ranks_(ranks), options_(std::move(options)), is_out_(ranks.size()), is_dead_(ranks.size()) {}

void RankCrew::Perform(const CrewWork& work) {
  if (is_first()) {
    Dealer(*this, work).Go();
  } else if (!is_closed_) {
    Helper(*this, work).Go();
  }
}

void RankCrew::Tell(std::size_t task, const RunState& state) {
  std::string text = EncodeProgress(state);
  const std::lock_guard lock(mutex_);
  told_[task] = std::move(text);
}

void RankCrew::Close() {
  is_closed_ = true;
  for (std::size_t i = 1; i < ranks_.size(); ++i) {
    if (is_dead_[i]) continue;
    ranks_.Send(i, Encode({.kind = Kind::kClose, .text = is_anybody_dead_ ? "some are dead" : ""}));
  }
}

}  // namespace airlot::cluster
