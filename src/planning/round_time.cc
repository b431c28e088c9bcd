#include "planning/round_time.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>

#include "base/gather.h"
#include "base/shards.h"

namespace airlot::planning {

namespace {

// Draws that take as long come in a fixed order, too, so that a sum over them does not depend on
// who holds which of them.
bool IsSlower(const Draw& a, const Draw& b) {
  return a.time_s != b.time_s ? a.time_s > b.time_s : a.probability > b.probability;
}

// Sorted by falling time, a device sets the round's time where it takes part and nobody slower
// does. What is left after a device is at most the chance of having got there times its own time,
// so only the slowest few need sorting.
class SlowestFirst {
 public:
  // Adds the next draw, and says whether that one and those behind it could change the last digit.
  bool Add(const Draw& draw) {
    if (nobody_slower_ * draw.time_s < 1e-18 * expected_s_) return false;
    expected_s_ += draw.time_s * draw.probability * nobody_slower_;
    nobody_slower_ *= 1 - draw.probability;
    return true;
  }
  double expected_s() const { return expected_s_; }

 private:
  double expected_s_ = 0, nobody_slower_ = 1;
};

constexpr std::size_t kFirstPiece = 4096;

// Brings the slowest of the draws from `begin` on to their places, `count` of them, and returns
// their end.
std::size_t SortSlowest(std::vector<Draw>& draws, std::size_t begin, std::size_t count) {
  const std::size_t end = std::min(draws.size(), begin + count);
  const auto at = [&](std::size_t i) { return draws.begin() + static_cast<std::ptrdiff_t>(i); };
  if (end < draws.size()) std::nth_element(at(begin), at(end), draws.end(), IsSlower);
  std::sort(at(begin), at(end), IsSlower);
  return end;
}

// Returns E[max T] where no device that is quicker than these can change its last digit. Otherwise
// it returns nothing, and sets `all_s` to E[max T] of these alone. The slowest are split off in
// growing pieces.
std::optional<double> SlowestMaximum(std::vector<Draw>& draws, double& all_s) {
  SlowestFirst sum;
  std::size_t piece = kFirstPiece;
  for (std::size_t begin = 0; begin < draws.size(); piece *= 4) {
    const std::size_t end = SortSlowest(draws, begin, piece);
    for (; begin < end; ++begin) {
      if (!sum.Add(draws[begin])) return sum.expected_s();
    }
  }
  all_s = sum.expected_s();
  return std::nullopt;
}

// The members bring their slowest in growing pieces. What is slower than the last of every piece,
// but of those who have brought all, comes before all that is still to be brought.
double MaximumOfTeam(std::vector<Draw>& draws, Team& team) {
  std::erase_if(draws, [](const Draw& draw) { return draw.probability == 0; });
  constexpr Draw kNoMore{-1, 0};
  SlowestFirst sum;
  std::vector<Draw> brought;  // by rising place: the next one is the last
  std::size_t begin = 0;
  for (std::size_t piece = kFirstPiece;; piece *= 2) {
    const std::size_t end = SortSlowest(draws, begin, piece);
    const std::vector<Draw> pieces =
        base::GatherAll<Draw>(team, std::span(draws).subspan(begin, end - begin));
    Draw next = kNoMore;  // the slowest that may still come
    for (const Draw& last :
         base::GatherOne({1, &team}, end < draws.size() ? draws[end - 1] : kNoMore)) {
      if (IsSlower(last, next)) next = last;
    }
    begin = end;
    brought.insert(brought.end(), pieces.begin(), pieces.end());
    std::ranges::sort(brought, [](const Draw& a, const Draw& b) { return IsSlower(b, a); });
    for (; !brought.empty() && !IsSlower(next, brought.back()); brought.pop_back()) {
      if (!sum.Add(brought.back())) return sum.expected_s();
    }
    if (next.time_s < 0) return sum.expected_s();
  }
}

// Returns the draws that are no quicker than a time which about 2^15 of them take, in their order.
std::vector<Draw> SlowestOf(std::span<const Draw> draws, int threads) {
  constexpr std::size_t kStep = 1024, kRank = 32;
  std::vector<double> sample_s;
  for (std::size_t i = 0; i < draws.size(); i += kStep) sample_s.push_back(draws[i].time_s);
  std::nth_element(sample_s.begin(), sample_s.begin() + kRank, sample_s.end(), std::greater<>());
  const double least_s = sample_s[kRank];
  std::vector<Draw> slowest;
  for (const auto& part : base::MapShards(draws.size(), threads, [&](const base::Shard& shard) {
         std::vector<Draw> of_shard;
         for (const Draw& draw : draws.subspan(shard.begin, shard.end - shard.begin)) {
           if (draw.time_s >= least_s) of_shard.push_back(draw);
         }
         return of_shard;
       })) {
    slowest.insert(slowest.end(), part.begin(), part.end());
  }
  return slowest;
}

}  // namespace

double ExpectedMaximum(std::vector<Draw>& draws, const Hands& hands) {
  if (hands.team != nullptr) return MaximumOfTeam(draws, *hands.team);
  const int threads = hands.threads;
  double these_s = 0;
  // Where a few of many decide, splitting them off is quicker.
  constexpr std::size_t kMany = std::size_t{1} << 20;
  if (draws.size() >= kMany) {
    std::vector<Draw> slowest = SlowestOf(draws, threads);
    if (const auto expected_s = SlowestMaximum(slowest, these_s)) return *expected_s;
  }
  return SlowestMaximum(draws, these_s).value_or(these_s);
}

void AddedTime::Set(std::span<const Draw> others) {
  const std::size_t size = others.size();
  times_s_.resize(size);
  added_s_.resize(size);
  nobody_slower_.resize(size + 1);
  nobody_slower_[size] = 1;
  for (std::size_t k = size; k-- > 0;) {
    times_s_[k] = others[k].time_s;
    nobody_slower_[k] = nobody_slower_[k + 1] * (1 - others[k].probability);
  }
  double before_s = 0, added_s = 0;
  for (std::size_t k = 0; k < size; ++k) {
    added_s += (times_s_[k] - before_s) * nobody_slower_[k];
    added_s_[k] = added_s;
    before_s = times_s_[k];
  }
}

AddedTime::Value AddedTime::At(double time_s) const {
  const auto next = std::lower_bound(times_s_.begin(), times_s_.end(), time_s);
  const auto k = static_cast<std::size_t>(next - times_s_.begin());
  const double before_s = k == 0 ? 0 : times_s_[k - 1];
  const double added_s = k == 0 ? 0 : added_s_[k - 1];
  return {added_s + (time_s - before_s) * nobody_slower_[k], nobody_slower_[k]};
}

}  // namespace airlot::planning
