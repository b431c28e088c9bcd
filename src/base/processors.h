#ifndef AIRLOT_BASE_PROCESSORS_H_
#define AIRLOT_BASE_PROCESSORS_H_

namespace airlot::base {

// Returns how many processors this process may use, at least one: a scheduler or taskset may have
// given it fewer than the machine has.
int UsableProcessors();

}  // namespace airlot::base

#endif  // AIRLOT_BASE_PROCESSORS_H_
