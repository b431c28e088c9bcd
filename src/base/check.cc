#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace airlot::base {

void AbortBrokenContract(const char* file, int line, const char* condition,
                         const std::string& reason) {
  std::fprintf(stderr, "%s:%d: broken contract: %s: %s\n", file, line, condition, reason.c_str());
  std::abort();
}

}  // namespace airlot::base
