// CheckSelection checks in every round what a strategy must keep.
#ifndef AIRLOT_SELECTION_CHECK_SELECTION_H_
#define AIRLOT_SELECTION_CHECK_SELECTION_H_

#include "airlot/selection.h"

namespace airlot::selection {

// CheckSelection ends the program where a strategy has selected a device twice or one that cannot
// take part, has not sorted them, or has given away more power, CPU or band than there is.
void CheckSelection(const SelectionView& view, const Selection& selection);

}  // namespace airlot::selection

#endif  // AIRLOT_SELECTION_CHECK_SELECTION_H_
