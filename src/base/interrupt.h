// An interrupt that is noted lets the program finish what it is at.
#ifndef AIRLOT_BASE_INTERRUPT_H_
#define AIRLOT_BASE_INTERRUPT_H_

namespace airlot::base {

// While an InterruptsNoted lives, the first SIGINT, SIGTERM or SIGHUP is only noted; the next one
// ends the process as usual. A signal that the parent ignores, as nohup or a job in the background
// has it, stays ignored. Only one may live at a time.
class InterruptsNoted {
 public:
  InterruptsNoted();
  InterruptsNoted(const InterruptsNoted&) = delete;
  InterruptsNoted& operator=(const InterruptsNoted&) = delete;
  ~InterruptsNoted();
};

// Returns the signal that was noted last in this process, or 0.
int InterruptThatCame();

}  // namespace airlot::base

#endif  // AIRLOT_BASE_INTERRUPT_H_
