#include <algorithm>
#include <numeric>
#include <optional>

#include "airlot/training.h"
#include "base/check.h"
#include "base/division.h"
#include "base/workers.h"
#include "learning/evaluation.h"
#include "learning/network.h"
#include "learning/panels.h"
#include "learning/sample_batch.h"

namespace airlot {
namespace {

using learning::kMicroBatch;
using learning::SampleBatch;

// The gradients of at most so many micro-batches are summed in one array, by one thread. Their
// number depends on the samples alone, so that the sums do not depend on the number of threads.
constexpr std::size_t kShardBatches = 5;
constexpr std::size_t kShardSamples = kShardBatches * kMicroBatch;
// A pass over several devices has about so many shards or more, as far as there are micro-batches,
// so that a few samples of each device are work for several threads, too.
constexpr std::size_t kManyShards = 10;
// A member of a team keeps the gradients of about so many shards for each of its threads, before
// they are added up.
constexpr std::size_t kShardsOfThread = 8;
// Half a micro-batch is still whole panels on every machine.
constexpr std::size_t kHalfBatch = kMicroBatch / 2;

// A ShardRange is the samples of a shard.
struct ShardRange {
  std::size_t begin, size;
};

// RangeOf returns one of `parts` ranges of nearly the same size, at whole vectors.
ShardRange RangeOf(std::size_t size, std::size_t part, std::size_t parts) {
  constexpr std::size_t kVector = 64 / sizeof(float);
  const auto begin_of = [&](std::size_t i) {
    return i == parts ? size : size * i / parts / kVector * kVector;
  };
  return {begin_of(part), begin_of(part + 1) - begin_of(part)};
}

template <class T>
std::span<T> ShardOf(std::span<T> all, const ShardRange& shard) {
  return all.subspan(shard.begin, shard.size);
}

// A WeightedSample is one sample of a pass, the weight of its loss, and what decides its dropout.
struct WeightedSample {
  std::uint32_t sample;
  float weight;
  const MaskDraw* masks;  // null: no dropout
};

// Union returns all samples of all parts; the samples of a part share its weight. (49)
std::vector<WeightedSample> Union(std::span<const WeightedSamples> parts, std::size_t images) {
  std::vector<WeightedSample> all;
  for (const WeightedSamples& part : parts) {
    const auto weight = float(part.weight / double(part.samples.size()));
    AIRLOT_CHECK(part.masks.has_value() == parts[0].masks.has_value(), "masks of {} in {} parts",
                 part.masks.has_value() ? "some" : "not all", parts.size());
    for (const std::uint32_t sample : part.samples) {
      AIRLOT_CHECK(sample < images, "sample {} of {}", sample, images);
      all.push_back({sample, weight, part.masks ? &*part.masks : nullptr});
    }
  }
  return all;
}

// Cut appends the shards of the samples [first, first + count), each of `size` but the last.
void Cut(std::size_t first, std::size_t count, std::size_t size, std::vector<ShardRange>& shards) {
  for (std::size_t begin = 0; begin < count; begin += size) {
    shards.push_back({first + begin, std::min(size, count - begin)});
  }
}

// CutMixed cuts the samples of several devices. Where shards are small, the last one is two halves:
// five micro-batches are then as much work for either of two threads. Shards of one micro-batch
// each, or of half of one, would do so too, but each costs an addition of all parameters.
std::vector<ShardRange> CutMixed(std::size_t samples) {
  const std::size_t most = kManyShards * kMicroBatch;
  const std::size_t size =
      kMicroBatch * std::clamp<std::size_t>((samples + most - 1) / most, 1, kShardBatches);
  std::vector<ShardRange> shards;
  if (size == kShardSamples || samples == 0) {
    Cut(0, samples, size, shards);
    return shards;
  }
  const std::size_t last = (samples - 1) / size * size;
  Cut(0, last, size, shards);
  const std::size_t half = (samples - last + 2 * kHalfBatch - 1) / (2 * kHalfBatch) * kHalfBatch;
  Cut(last, samples - last, half, shards);
  return shards;
}

// CutIntoShards returns the shards of all samples of all parts. Where parts must not be mixed, each
// has shards of its own.
std::vector<ShardRange> CutIntoShards(std::span<const WeightedSamples> parts, bool keep_apart) {
  std::size_t samples = 0;
  std::vector<ShardRange> shards;
  for (const WeightedSamples& part : parts) {
    if (keep_apart || parts.size() == 1) Cut(samples, part.samples.size(), kShardSamples, shards);
    samples += part.samples.size();
  }
  return keep_apart || parts.size() == 1 ? shards : CutMixed(samples);
}

void CheckImages(const Images& images) {
  const std::size_t numbers = images.values.empty() ? images.pixels.size() : images.values.size();
  AIRLOT_CHECK(numbers == images.size() * images.PixelsPerImage(), "{} pixels of {} images",
               numbers, images.size());
  AIRLOT_CHECK(images.classes > 0 ? images.targets.empty() : images.labels.empty(),
               "{} classes, {} labels and {} targets", images.classes, images.labels.size(),
               images.targets.size());
  for (const std::uint8_t label : images.labels) {
    AIRLOT_CHECK(label < images.classes, "label {} of {} classes", label, images.classes);
  }
}

// RunForward puts samples into the network's input and runs it forward.
SampleBatch RunForward(learning::Network& network, const Images& images,
                       std::span<const float> parameters, std::span<const WeightedSample> samples) {
  SampleBatch batch(images);
  for (const auto& [sample, weight, masks] : samples) batch.Add(sample, weight, masks);
  batch.LoadInto(network);
  network.Forward(parameters);
  return batch;
}

// AddGradient adds the gradient of the samples' weighted loss and returns that loss; `losses` gets
// the loss of each sample.
double AddGradient(learning::Network& network, const Images& images,
                   std::span<const float> parameters, std::span<const WeightedSample> samples,
                   std::span<float> losses, std::span<float> gradient) {
  double loss = 0;
  for (std::size_t first = 0; first < samples.size(); first += kMicroBatch) {
    const std::size_t size = std::min(kMicroBatch, samples.size() - first);
    const SampleBatch batch = RunForward(network, images, parameters, samples.subspan(first, size));
    const std::span<float> own = losses.subspan(first, size);
    network.AddGradient(parameters, batch.Goal(), batch.Weights(), own, gradient);
    for (std::size_t i = 0; i < size; ++i) loss += double(batch.weights[i]) * double(own[i]);
  }
  return loss;
}

// TakeLosses computes the samples' losses without their gradient.
void TakeLosses(learning::Network& network, const Images& images, std::span<const float> parameters,
                std::span<const WeightedSample> samples, std::span<float> losses) {
  for (std::size_t first = 0; first < samples.size(); first += kMicroBatch) {
    const std::size_t size = std::min(kMicroBatch, samples.size() - first);
    const SampleBatch batch = RunForward(network, images, parameters, samples.subspan(first, size));
    network.Losses(batch.Goal(), losses.subspan(first, size));
  }
}

PartLoss MeansOf(std::span<const float> losses) {
  PartLoss sum;
  for (const float loss : losses) {
    sum.mean += double(loss);
    sum.mean_square += double(loss) * double(loss);
  }
  const double count = double(std::max<std::size_t>(losses.size(), 1));
  return {sum.mean / count, sum.mean_square / count};
}

// ShareTallies lets every member of a team have all tallies.
void ShareTallies(Team& team, const base::Division& division, std::size_t classes,
                  std::span<learning::Tally> tallies) {
  std::vector<double> losses(tallies.size());
  std::vector<std::size_t> counts(tallies.size() * 2 * classes);
  const auto counts_of = [&](std::size_t i) {
    return counts.begin() + std::ptrdiff_t(i * 2 * classes);
  };
  for (const std::size_t i : division.ItemsOf(team.rank())) {
    losses[i] = tallies[i].loss;
    std::ranges::copy(tallies[i].right, std::ranges::copy(tallies[i].images, counts_of(i)).out);
  }
  base::Share(team, division, tallies.size(), 1, std::span(losses));
  base::Share(team, division, tallies.size(), 2 * classes, std::span(counts));
  for (std::size_t i = 0; i < tallies.size(); ++i) {
    const auto middle = counts_of(i) + std::ptrdiff_t(classes);
    tallies[i] = {losses[i], {counts_of(i), middle}, {middle, counts_of(i + 1)}};
  }
}

// SplitLosses finds the loss of each part from the losses of all samples of all parts.
void SplitLosses(std::span<const WeightedSamples> parts, std::span<const float> sample_losses,
                 std::span<PartLoss> losses) {
  std::size_t first = 0;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    losses[part] = MeansOf(sample_losses.subspan(first, parts[part].samples.size()));
    first += parts[part].samples.size();
  }
}

}  // namespace

class Trainer::State {
 public:
  State(const Model& model, const Images& images, int threads, Team* team)
      : images_(images),
        crew_(threads),
        keeps_apart_(HasBatchNorm(model)),
        team_(team == nullptr || team->size() == 1 ? nullptr : team) {
    CheckImages(images);
    for (int i = 0; i < threads; ++i) workers_.emplace_back(model, ShapeOf(images));
    buffers_.resize(2 * workers_.size());
    count_ = airlot::ParameterCount(model, ShapeOf(images));
  }

  std::size_t Count() const { return count_; }
  std::size_t Threads() const { return workers_.size(); }
  base::Workers& Crew() { return crew_; }
  Team* OwnTeam() const { return team_; }  // null: this process is alone
  const Images& AllImages() const { return images_; }
  std::vector<ShardRange> ShardsOf(std::span<const WeightedSamples> parts) const {
    return CutIntoShards(parts, keeps_apart_);
  }
  learning::Network& NetworkOf(std::size_t worker) { return workers_[worker].network; }

  // There are two buffers for each worker, as large as the parameters, and more with a team.
  std::span<float> BufferOf(std::size_t i) {
    buffers_[i].resize(count_);
    return buffers_[i];
  }

  // TakeShard writes the gradient of one shard to `gradient`, the losses of its samples to their
  // places in `losses`, and returns its loss.
  double TakeShard(std::size_t worker, std::span<const float> parameters,
                   std::span<const WeightedSample> samples, const ShardRange& shard,
                   std::span<float> losses, std::span<float> gradient) {
    std::fill(gradient.begin(), gradient.end(), 0.0F);
    return AddGradient(NetworkOf(worker), images_, parameters, ShardOf(samples, shard),
                       ShardOf(losses, shard), gradient);
  }

  // SumByTeam computes the gradients of all shards, each by one member, and adds them up in the
  // order of the shards: every member adds one range of the parameters, of which the others send it
  // theirs. So each number is the sum that one process makes, and no member gets more than its part
  // of what is sent.
  void SumByTeam(std::span<const float> parameters, std::span<const WeightedSample> samples,
                 std::span<const ShardRange> shards, std::span<double> shard_losses,
                 std::span<float> sample_losses, std::span<float> gradient) {
    const base::Division division = DivisionOf(shards);
    const std::size_t most = team_->size() * kShardsOfThread * Threads();
    for (std::size_t first = 0; first < shards.size(); first += most) {
      const ShardRange wave{first, std::min(most, shards.size() - first)};
      const auto own = ItemsIn(division, team_->rank(), wave);
      while (buffers_.size() < own.size()) buffers_.emplace_back();
      crew_.ForEachTask(own.size(), [&](std::size_t i, std::size_t worker) {
        shard_losses[own[i]] =
            TakeShard(worker, parameters, samples, shards[own[i]], sample_losses, BufferOf(i));
      });
      AddWave(division, wave, own.size(), gradient);
    }
    std::vector<base::Place> ranges;
    for (std::size_t i = 0; i < team_->size(); ++i) {
      const ShardRange range = RangeOf(count_, i, team_->size());
      ranges.push_back({range.begin, range.size});
    }
    base::Share(*team_, base::Division(std::vector<std::size_t>(team_->size()), team_->size()),
                std::move(ranges), gradient);
    base::Share(*team_, division, shards.size(), 1, shard_losses);
  }

  base::Division DivisionOf(std::span<const ShardRange> shards) const {
    std::vector<std::size_t> costs;
    for (const ShardRange& shard : shards) costs.push_back(shard.size);
    return {costs, team_->size()};
  }

  // OwnOf returns which of the shards this process computes.
  std::vector<std::size_t> OwnOf(std::span<const ShardRange> shards) const {
    if (team_ != nullptr) return DivisionOf(shards).ItemsOf(team_->rank());
    std::vector<std::size_t> all(shards.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }

  // ShareSampleLosses lets every member have the losses of all samples.
  void ShareSampleLosses(std::span<const ShardRange> shards, std::span<float> losses) const {
    std::vector<base::Place> places;
    for (const ShardRange& shard : shards) places.push_back({shard.begin, shard.size});
    base::Share(*team_, DivisionOf(shards), std::move(places), losses);
  }

  void TakeLossesOfShard(std::size_t worker, std::span<const float> parameters,
                         std::span<const WeightedSample> samples, const ShardRange& shard,
                         std::span<float> losses) {
    TakeLosses(NetworkOf(worker), images_, parameters, ShardOf(samples, shard),
               ShardOf(losses, shard));
  }

 private:
  struct Worker {
    Worker(const Model& model, const ImageShape& shape) : network(model, shape) {}
    learning::Network network;
  };

  // ItemsIn returns which of some shards in a row a member computes.
  static std::vector<std::size_t> ItemsIn(const base::Division& division, std::size_t member,
                                          const ShardRange& wave) {
    std::vector<std::size_t> items;
    for (const std::size_t item : division.ItemsOf(member)) {
      if (item >= wave.begin && item < wave.begin + wave.size) items.push_back(item);
    }
    return items;
  }

  // AddWave adds the gradients of some shards in a row to this member's range of `gradient`; its
  // own `own` are in the buffers.
  void AddWave(const base::Division& division, const ShardRange& wave, std::size_t own,
               std::span<float> gradient) {
    const std::size_t members = team_->size();
    const ShardRange mine = RangeOf(count_, team_->rank(), members);
    std::vector<std::size_t> sent, received, begins;
    std::size_t all = 0;
    sent_.clear();
    for (std::size_t i = 0; i < members; ++i) {
      const ShardRange range = RangeOf(count_, i, members);
      sent.push_back(own * range.size);
      for (std::size_t k = 0; k < own; ++k) {
        const auto part = ShardOf(BufferOf(k), range);
        sent_.insert(sent_.end(), part.begin(), part.end());
      }
      received.push_back(ItemsIn(division, i, wave).size() * mine.size);
      begins.push_back(all);
      all += received.back();
    }
    received_.resize(all);
    team_->Exchange(sent_, sent, received_, received);
    const std::span<float> sum = ShardOf(gradient, mine);
    for (std::size_t shard = wave.begin; shard < wave.begin + wave.size; ++shard) {
      std::size_t& begin = begins[division.OwnerOf(shard)];
      const std::span<const float> part = std::span(received_).subspan(begin, mine.size);
      begin += mine.size;
      shard == 0 ? static_cast<void>(std::ranges::copy(part, sum.begin()))
                 : learning::Add(part, sum);
    }
  }

  const Images& images_;
  base::Workers crew_;
  bool keeps_apart_;  // samples of different parts are not mixed
  Team* team_;
  std::size_t count_ = 0;
  std::vector<Worker> workers_;  // one per thread
  std::vector<learning::Floats> buffers_;
  learning::Floats sent_, received_;  // between the members of a team
};

Trainer::Trainer(const Model& model, const Images& images, int threads, Team* team)
    : state_(std::make_unique<State>(model, images, threads, team)) {}
Trainer::Trainer(Trainer&&) noexcept = default;
Trainer& Trainer::operator=(Trainer&&) noexcept = default;
Trainer::~Trainer() = default;

std::size_t Trainer::ParameterCount() const { return state_->Count(); }

// A wave is as many shards as there are threads. While one is computed, the gradients of the wave
// before it are added up in the order of the shards, each thread taking a range of the parameters.
// The first shard goes straight into `gradient`.
double Trainer::Gradient(std::span<const float> parameters, std::span<const WeightedSamples> parts,
                         std::span<float> gradient, std::span<PartLoss> losses) {
  AIRLOT_CHECK(parameters.size() == state_->Count() && gradient.size() == state_->Count(),
               "{} parameters, {} of the gradient, not {}", parameters.size(), gradient.size(),
               state_->Count());
  AIRLOT_CHECK(losses.empty() || losses.size() == parts.size(), "losses of {} parts, not {}",
               losses.size(), parts.size());
  const std::vector<WeightedSample> samples = Union(parts, state_->AllImages().size());
  const std::vector<ShardRange> shards = state_->ShardsOf(parts);
  const std::size_t threads = state_->Threads();
  std::vector<double> shard_losses(shards.size());
  std::vector<float> sample_losses(samples.size());
  if (shards.empty()) std::fill(gradient.begin(), gradient.end(), 0.0F);
  // A single shard is no work to divide: every member computes it.
  if (state_->OwnTeam() != nullptr && shards.size() > 1) {
    state_->SumByTeam(parameters, samples, shards, shard_losses, sample_losses, gradient);
    if (!losses.empty()) {
      state_->ShareSampleLosses(shards, sample_losses);
      SplitLosses(parts, sample_losses, losses);
    }
    return std::accumulate(shard_losses.begin(), shard_losses.end(), 0.0);
  }
  const auto take = [&](std::size_t shard, std::size_t worker) {
    shard_losses[shard] =
        state_->TakeShard(worker, parameters, samples, shards[shard], sample_losses,
                          shard == 0 ? gradient : state_->BufferOf(shard % (2 * threads)));
  };
  const auto add = [&](const ShardRange& wave, std::size_t part) {
    const ShardRange range = RangeOf(gradient.size(), part, threads);
    for (std::size_t shard = std::max<std::size_t>(wave.begin, 1); shard < wave.begin + wave.size;
         ++shard) {
      const std::span<const float> from = state_->BufferOf(shard % (2 * threads));
      learning::Add(from.subspan(range.begin, range.size), ShardOf(gradient, range));
    }
  };
  ShardRange before{0, 0};
  for (std::size_t first = 0; first < shards.size() || before.size > 0;) {
    const ShardRange wave{first, std::min(threads, shards.size() - first)};
    const std::size_t additions = before.begin + before.size > 1 ? threads : 0;
    state_->Crew().ForEachTask(additions + wave.size, [&](std::size_t task, std::size_t worker) {
      task < additions ? add(before, task) : take(first + task - additions, worker);
    });
    before = wave;
    first += wave.size;
  }
  if (!losses.empty()) SplitLosses(parts, sample_losses, losses);
  return std::accumulate(shard_losses.begin(), shard_losses.end(), 0.0);
}

// As many parts run at a time as there are threads in all members; one thread sums each, shard by
// shard as Gradient does.
void Trainer::GradientOfEach(std::span<const float> parameters,
                             std::span<const WeightedSamples> parts, const UseGradient& use) {
  AIRLOT_CHECK(parameters.size() == state_->Count(), "{} parameters, not {}", parameters.size(),
               state_->Count());
  Team* const team = state_->OwnTeam();
  const std::size_t members = team == nullptr ? 1 : team->size();
  const std::size_t most = state_->Threads() * members, count = state_->Count();
  std::vector<PartLoss> losses(parts.size());
  learning::Floats all(members == 1 ? 0 : std::min(most, parts.size()) * count);
  for (std::size_t first = 0; first < parts.size(); first += most) {
    const std::size_t wave = std::min(most, parts.size() - first);
    const base::Division division(std::vector<std::size_t>(wave, 1), members);
    const auto& own = division.ItemsOf(team == nullptr ? 0 : team->rank());
    state_->Crew().ForEachTask(own.size(), [&](std::size_t task, std::size_t worker) {
      const WeightedSamples& given = parts[first + own[task]];
      const WeightedSamples part{given.samples, 1, given.masks};
      const auto samples = Union({&part, 1}, state_->AllImages().size());
      std::vector<float> sample_losses(samples.size());
      const std::span<float> sum = state_->BufferOf(2 * task);
      std::fill(sum.begin(), sum.end(), 0.0F);
      for (const ShardRange& shard : state_->ShardsOf({&part, 1})) {
        const std::span<float> gradient = shard.begin == 0 ? sum : state_->BufferOf(2 * task + 1);
        state_->TakeShard(worker, parameters, samples, shard, sample_losses, gradient);
        if (shard.begin > 0) learning::Add(gradient, sum);
      }
      losses[first + own[task]] = MeansOf(sample_losses);
      if (team != nullptr) std::ranges::copy(sum, all.begin() + std::ptrdiff_t(own[task] * count));
    });
    if (team != nullptr) {
      base::Share(*team, division, wave, count, std::span(all));
      base::Share(*team, division, wave, 1, std::span(losses).subspan(first, wave));
    }
    for (std::size_t task = 0; task < wave; ++task) {
      use(first + task, losses[first + task],
          team == nullptr ? state_->BufferOf(2 * task)
                          : std::span<const float>(all).subspan(task * count, count));
    }
  }
}

void Trainer::Losses(std::span<const float> parameters, std::span<const WeightedSamples> parts,
                     std::span<PartLoss> losses) {
  AIRLOT_CHECK(parameters.size() == state_->Count() && losses.size() == parts.size(),
               "{} parameters, not {}; losses of {} parts, not {}", parameters.size(),
               state_->Count(), losses.size(), parts.size());
  const std::vector<WeightedSample> samples = Union(parts, state_->AllImages().size());
  const std::vector<ShardRange> shards = state_->ShardsOf(parts);
  std::vector<float> sample_losses(samples.size());
  const std::vector<std::size_t> own = state_->OwnOf(shards);
  state_->Crew().ForEachTask(own.size(), [&](std::size_t task, std::size_t worker) {
    state_->TakeLossesOfShard(worker, parameters, samples, shards[own[task]], sample_losses);
  });
  if (state_->OwnTeam() != nullptr) state_->ShareSampleLosses(shards, sample_losses);
  SplitLosses(parts, sample_losses, losses);
}

Evaluation Trainer::Evaluate(std::span<const float> parameters, const Images& images) {
  AIRLOT_CHECK(parameters.size() == state_->Count(), "{} parameters, not {}", parameters.size(),
               state_->Count());
  const Images& own = state_->AllImages();
  const ImageShape shape = ShapeOf(images);
  AIRLOT_CHECK(images.size() > 0 && shape == ShapeOf(own),
               "{} images of {} x {} x {} in {} classes, not {} x {} x {} in {}", images.size(),
               images.channels, images.height, images.width, images.classes, own.channels,
               own.height, own.width, own.classes);
  CheckImages(images);
  std::vector<ShardRange> shards;
  Cut(0, images.size(), kShardSamples, shards);
  std::vector<learning::Tally> tallies(shards.size());
  const std::vector<std::size_t> mine = state_->OwnOf(shards);
  state_->Crew().ForEachTask(mine.size(), [&](std::size_t task, std::size_t worker) {
    const ShardRange& shard = shards[mine[task]];
    tallies[mine[task]] = learning::TallyImages(state_->NetworkOf(worker), images, parameters,
                                                shard.begin, shard.begin + shard.size);
  });
  if (Team* const team = state_->OwnTeam()) {
    ShareTallies(*team, state_->DivisionOf(shards), std::size_t(images.classes), tallies);
  }
  return learning::EvaluationOf(tallies, images);
}

}  // namespace airlot
