// Shards let many devices be worked on in parallel, with results that do not depend on the number
// of threads.
//
// The range is cut into shards of a fixed size. Threads take shards as they come; whatever is
// summed is summed inside a shard first, and the partial sums are added in the order of the shards.
#ifndef AIRLOT_BASE_SHARDS_H_
#define AIRLOT_BASE_SHARDS_H_

#include <cstddef>
#include <functional>
#include <type_traits>
#include <vector>

#include "airlot/hands.h"
#include "base/gather.h"

namespace airlot::base {

inline constexpr std::size_t kShardSize = std::size_t{1} << 14;

struct Shard {
  std::size_t index, begin, end;
};

inline std::size_t ShardCount(std::size_t size) { return (size + kShardSize - 1) / kShardSize; }

// Calls work(task, worker) once for every task of [0, count), on at most `threads` threads;
// `worker` is below `threads` and belongs to one thread. Where there are no more threads to be had,
// fewer do the work. The first exception of `work` is thrown here, when all threads have ended; no
// further task begins then.
void ForEachTask(std::size_t count, int threads,
                 const std::function<void(std::size_t task, std::size_t worker)>& work);

// Calls `work` once for every shard of [0, size), on at most `threads` threads.
// Exceptions are as for ForEachTask.
void ForEachShard(std::size_t size, int threads, const std::function<void(const Shard&)>& work);

// Returns the partial results `work(shard)` in the order of the shards.
template <class Work>
auto MapShards(std::size_t size, int threads, const Work& work) {
  using Partial = decltype(work(Shard{}));
  static_assert(!std::is_same_v<Partial, bool>, "threads would race for the bits of vector<bool>");
  std::vector<Partial> partials(ShardCount(size));
  ForEachShard(size, threads, [&](const Shard& shard) { partials[shard.index] = work(shard); });
  return partials;
}

// Returns those of the shards of the whole fleet, of which this process holds `size` devices: where
// there is a team, every member has the partial results of all, in the order of the shards.
template <class Work>
auto MapFleet(std::size_t size, const Hands& hands, const Work& work) {
  auto partials = MapShards(size, hands.threads, work);
  if (hands.team == nullptr) return partials;
  return GatherAll<typename decltype(partials)::value_type>(*hands.team, partials);
}

// Returns the sum of `value_of(i)` over the devices of the whole fleet.
template <class ValueOf>
auto SumOfFleet(std::size_t size, const Hands& hands, const ValueOf& value_of) {
  using Sum = decltype(value_of(std::size_t{0}));
  Sum sum = 0;
  for (const Sum& part : MapFleet(size, hands, [&](const Shard& shard) {
         Sum of_shard = 0;
         for (std::size_t i = shard.begin; i < shard.end; ++i) of_shard += value_of(i);
         return of_shard;
       })) {
    sum += part;
  }
  return sum;
}

}  // namespace airlot::base

#endif  // AIRLOT_BASE_SHARDS_H_
