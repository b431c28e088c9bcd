// A Crew is several processes that share the runs of an experiment or a sweep (docs/clusters.md).
#ifndef AIRLOT_CREW_H_
#define AIRLOT_CREW_H_

#include <cstddef>
#include <functional>

#include "airlot/result.h"
#include "airlot/simulation.h"

namespace airlot {

// CrewWork is what is to be done: tasks, each of which is a run.
struct CrewWork {
  std::size_t tasks = 0;
  int jobs = 1;  // tasks at a time in this process

  // Performs a task, in any process and any thread. Its files are there afterwards.
  std::function<Status(std::size_t task)> perform;
  // Says whether the runs of this process are to stop, or have stopped; any thread may ask.
  std::function<bool()> has_stopped;
  // Stops the runs of this process, which leave their checkpoints.
  std::function<void()> stop;

  // These are called in the first process alone, one at a time.
  // Makes a task ready for whoever performs it, and says whether there is anything to perform.
  std::function<bool(std::size_t task)> open;
  // Takes in what another process has performed.
  std::function<Status(std::size_t task)> take_in;
  // Is told that a task has ended: well, or for good with an error, which ends all.
  std::function<void(std::size_t task, const Status& status)> ended;
  // Is told how far a run of another process is: its last round, with the round of its last
  // evaluation before that.
  std::function<void(std::size_t task, const RunState& state)> told;
};

class Crew {
 public:
  virtual ~Crew() = default;
  // The first process deals the tasks, and keeps locks, manifest and summary.
  virtual bool is_first() const = 0;
  // Every process calls this with work of the same number of tasks. It returns when all have ended,
  // or have stopped.
  virtual void Perform(const CrewWork& work) = 0;
  // Tells the first process how far a task is; any thread of another one may do so.
  virtual void Tell(std::size_t task, const RunState& state) = 0;
};

}  // namespace airlot

#endif  // AIRLOT_CREW_H_
