// An airtime round is the airtime plan of a cell (docs/airtime.md): what the strategy `airtime`
// draws by, and what `airlot plan --airtime` shows.
#ifndef AIRLOT_AIRTIME_ROUND_H_
#define AIRLOT_AIRTIME_ROUND_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "airlot/airtime.h"
#include "airlot/cell.h"
#include "airlot/column.h"
#include "airlot/result.h"

namespace airlot {

// AirtimeSharing says how those who are drawn share the band.
enum class AirtimeSharing : std::uint8_t {
  kBetter,  // the better of the two, where both are possible
  kTurns,   // one after another, each in the whole band
  kBands,   // at the same time in bands that end together, where that is possible
};

// A smaller fairness than this is planned as 0: probabilities would be the 1/φ-th power of prices
// that doubles cannot tell apart.
inline constexpr double kLeastFairness = 1e-3;

// AirtimeRules are what a user may choose.
struct AirtimeRules {
  double fairness = 1;              // φ >= 0; below kLeastFairness it counts as 0
  double energy_price_s_per_j = 0;  // ν >= 0, the seconds that a joule is worth
  // This is how many devices are expected in a round; 0 leaves that to the time limit, of which the
  // mean over all devices counts (A2), and so does a number that the budgets cannot pay for.
  double participants = 0;
  // A device weighs as much as this power of its share of the data: w = (N·α)^exponent.
  double data_exponent = 0;
  // Nobody takes part less often than this share of its probability in its own band. That holds
  // where the price of energy is 0 and the goal is the time limit, which then bounds no
  // computation, and the noise is a power; with a density, in turns where they fit into the time.
  // (A14)
  double floor = 1;
  AirtimeSharing sharing = AirtimeSharing::kBetter;
};

// AirtimeFloors says whether the plan keeps the floors, or why not. (A14)
enum class AirtimeFloors : std::uint8_t {
  kKept,
  kNotWanted,          // AirtimeRules::floor is 0
  kEnergyIsPriced,     // a joule has a price, so the floors may take too long
  kParticipantsGiven,  // the goal is a number of participants, which the floors may exceed
  kBandsKeepNone,      // devices send at the same time, in bands
  kComputationCounts,  // the limit counts computation, which the whole band does not shorten
  kTheyDoNotFit,       // they take more than the time limit
};

// Says whether devices can send at the same time in bands that end together: the noise is a
// density, and circuits draw no power while they wait. (A17)
[[nodiscard]] bool CanSendTogether(const Cell& cell);

// A BandShare is how one of those who were drawn sends.
struct BandShare {
  double power_w = 0;
  double bandwidth_hz = 0;
};

// An AirtimeRound plans a cell, again and again where its channels change, in memory of its own.
// Where there is a team, each member plans its devices, and the goal is one of all.
class AirtimeRound {
 public:
  explicit AirtimeRound(const AirtimeRules& rules) : rules_(rules) {}
  AirtimeRound(const AirtimeRound&) = delete;  // The problem has views into the columns.
  AirtimeRound& operator=(const AirtimeRound&) = delete;

  // Says whether `Plan` can plan this, and names the first field that is not allowed.
  Status Check(const Cell& cell, std::span<const double> data_share,
               std::span<const double> own_band_probability, const Hands& hands = 1);

  // Plans a round. `own_band_probability` is each device's in the plan of its own band, 0 where it
  // cannot take part. Where the noise is a density and circuits draw no power, the better of turns
  // and bands that end together is planned for; elsewhere turns. (A17)
  void Plan(const Cell& cell, std::span<const double> data_share,
            std::span<const double> own_band_probability, const Hands& hands = 1);

  const AirtimeProblem& problem() const { return problem_; }
  const AirtimePlan& plan() const { return plan_; }
  bool takes_turns() const { return takes_turns_; }
  AirtimeFloors floors() const { return floors_; }
  // Returns the time limit where it is the goal: the mean over all devices, which the goal of
  // `problem` may exceed where devices send at the same time.
  double time_limit_s() const { return time_limit_s_; }
  // Where the budgets do not pay for the participants that were asked for, returns how many they
  // pay for, however slowly devices send: no plan comes closer than that.
  std::optional<double> payable_participants() const { return payable_participants_; }
  // Returns the energy of taking part once, without what is spent in any case.
  std::span<const double> energy_j() const { return energy_j_; }
  // Returns how long each upload takes at least, in any band: m of (A15) where devices send at the
  // same time, and 0 where they take turns.
  std::span<const double> least_upload_s() const { return least_upload_s_; }

  // Returns the energy that an upload radiates where devices send at the same time. (A15)
  std::span<const double> radiated_j() const { return radiated_j_; }

  // Shares the band among devices that send at the same time and end together, each with the energy
  // that was planned. `ready_s` says when each of them is ready to send. (A15)
  std::vector<BandShare> ShareBand(const Cell& cell, std::span<const std::uint32_t> devices,
                                   const ColumnView& ready_s) const;

 private:
  void SetColumns(const Cell& cell, std::span<const double> data_share,
                  std::span<const double> own_band_probability, const Hands& hands);
  void SetGoal(const Cell& cell, const Hands& hands);
  void SetTimeGoal(const Cell& cell, const Hands& hands);
  AirtimeFloors FindFloors(const Cell& cell, const Hands& hands) const;
  void SetFloors(const Cell& cell, std::span<const double> own_band_probability,
                 const Hands& hands);
  void SolveForTurns(const Cell& cell, const Hands& hands);
  void SolveForBands(const Cell& cell, const Hands& hands);
  void StretchTime(const Cell& cell, const Hands& hands);
  void SolveProblem(const Cell& cell, const Hands& hands);
  bool IsShortOfParticipants() const;
  void DescribeCosts(const Cell& cell);
  double Worth(const Hands& hands) const;

  AirtimeRules rules_;
  AirtimeProblem problem_;
  AirtimeSolver solver_;
  AirtimePlan plan_;
  bool takes_turns_ = true;
  AirtimeFloors floors_ = AirtimeFloors::kNotWanted;
  double time_limit_s_ = 0;
  std::optional<double> payable_participants_;
  ColumnValues noise_to_gain_w_, nat_time_s_, weight_, least_, most_;
  ColumnValues price_s_per_j_, added_time_s_, priced_time_s_;  // where devices send at once
  ColumnValues energy_j_, radiated_j_, least_upload_s_;
};

// AirtimeTimes are what is known of the mean time of a round without computation. In turns both
// bounds are the mean itself. (A16), (A22)
struct AirtimeTimes {
  double band_s = 0;     // Σ a·t: the time for which the band is used
  double slowest_s = 0;  // E[max m], 0 in turns
  double at_least_s() const { return band_s > slowest_s ? band_s : slowest_s; }
  double at_most_s() const { return band_s + slowest_s; }
  bool is_power_limited() const { return slowest_s > band_s; }
};
AirtimeTimes ExpectTimes(const AirtimeRound& round, const Hands& hands = 1);

}  // namespace airlot

#endif  // AIRLOT_AIRTIME_ROUND_H_
