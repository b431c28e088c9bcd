// What the random streams of selection are for.
#ifndef AIRLOT_SELECTION_PURPOSES_H_
#define AIRLOT_SELECTION_PURPOSES_H_

#include "airlot/selection.h"
#include "base/random.h"

namespace airlot::selection {

inline constexpr base::Purpose kProbabilistic{60};
inline constexpr base::Purpose kUniform{61};
inline constexpr base::Purpose kAnyStrategy{62};

// The round of a stream: another one for each draw of a round.
inline std::uint64_t DrawOf(const SelectionView& view) { return view.round + (view.attempt << 40); }

// Random numbers of a strategy for this draw. Strategies share them: no two select in one run.
inline base::RandomStream StreamOf(const SelectionView& view, std::uint64_t index = 0) {
  return {view.seed, kAnyStrategy, DrawOf(view), index};
}

}  // namespace airlot::selection

#endif  // AIRLOT_SELECTION_PURPOSES_H_
