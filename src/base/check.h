// A broken contract of ours aborts with the place, the condition and the values. User input never
// gets here.
#ifndef AIRLOT_BASE_CHECK_H_
#define AIRLOT_BASE_CHECK_H_

#include <fmt/format.h>

#include <string>

namespace airlot::base {

[[noreturn]] void AbortBrokenContract(const char* file, int line, const char* condition,
                                      const std::string& reason);

}  // namespace airlot::base

// It is used as AIRLOT_CHECK(condition, format, values...).
#define AIRLOT_CHECK(condition, ...)                                      \
  do {                                                                    \
    if (!(condition)) {                                                   \
      ::airlot::base::AbortBrokenContract(__FILE__, __LINE__, #condition, \
                                          ::fmt::format(__VA_ARGS__));    \
    }                                                                     \
  } while (false)

#endif  // AIRLOT_BASE_CHECK_H_
