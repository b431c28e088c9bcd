// Broken contracts of ours: abort with the place and the reason. User input never gets here.
#ifndef AIRLOT_BASE_CHECK_H_
#define AIRLOT_BASE_CHECK_H_

#include <cstdio>
#include <cstdlib>

#define AIRLOT_CHECK(condition, reason)                                                        \
  do {                                                                                         \
    if (!(condition)) {                                                                        \
      std::fprintf(stderr, "%s:%d: broken contract: %s: %s\n", __FILE__, __LINE__, #condition, \
                   reason);                                                                    \
      std::abort();                                                                            \
    }                                                                                          \
  } while (false)

#endif  // AIRLOT_BASE_CHECK_H_
