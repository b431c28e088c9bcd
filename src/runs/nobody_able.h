// NobodyAble makes the error that is given where no device of a setting can ever take part.
#ifndef AIRLOT_RUNS_NOBODY_ABLE_H_
#define AIRLOT_RUNS_NOBODY_ABLE_H_

#include "airlot/result.h"
#include "airlot/simulation.h"

namespace airlot::runs {

Error NobodyAble(const Setting& setting);

}  // namespace airlot::runs

#endif  // AIRLOT_RUNS_NOBODY_ABLE_H_
