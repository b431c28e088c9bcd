#include "base/processors.h"

#include <sched.h>

#include <algorithm>
#include <thread>

namespace airlot::base {

int UsableProcessors() {
  cpu_set_t usable;
  CPU_ZERO(&usable);
  // It fails where the machine has more processors than the set can name.
  const int count = ::sched_getaffinity(0, sizeof(usable), &usable) == 0
                        ? CPU_COUNT(&usable)
                        : int(std::thread::hardware_concurrency());
  return std::max(1, count);
}

}  // namespace airlot::base
