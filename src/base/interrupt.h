// An interrupt that lets the program finish what it is at.
#ifndef AIRLOT_BASE_INTERRUPT_H_
#define AIRLOT_BASE_INTERRUPT_H_

namespace airlot::base {

// While it lives, the first SIGINT, SIGTERM or SIGHUP is only noted; the next one ends the process
// as usual. A signal that the parent ignores stays ignored: nohup, a job in the background. One at
// a time.
class InterruptsNoted {
 public:
  InterruptsNoted();
  InterruptsNoted(const InterruptsNoted&) = delete;
  InterruptsNoted& operator=(const InterruptsNoted&) = delete;
  ~InterruptsNoted();
};

// The signal that was noted last in this process, or 0.
int InterruptThatCame();

}  // namespace airlot::base

#endif  // AIRLOT_BASE_INTERRUPT_H_
