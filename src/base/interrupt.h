// An interrupt that lets the program finish what it is at.
#ifndef AIRLOT_BASE_INTERRUPT_H_
#define AIRLOT_BASE_INTERRUPT_H_

namespace airlot::base {

// From now on the first SIGINT, SIGTERM or SIGHUP is only noted; the next one ends the process as
// usual.
void NoteInterrupts();

// The signal that came, or 0.
int InterruptThatCame();

}  // namespace airlot::base

#endif  // AIRLOT_BASE_INTERRUPT_H_
