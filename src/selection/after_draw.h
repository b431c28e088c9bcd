// Those who were drawn share the band of the cell by one rule, whatever their strategy is.
#ifndef AIRLOT_SELECTION_AFTER_DRAW_H_
#define AIRLOT_SELECTION_AFTER_DRAW_H_

#include "airlot/radio.h"
#include "airlot/selection.h"

namespace airlot::selection {

// Gives those who are selected their bands by this rule. Each keeps the power that its strategy, or
// else the plan, has for it, its CPU share and the size of its update; only
// AfterDraw::kLeastEnergy chooses the powers as well. Where they take turns, they come in the order
// in which they have computed. (K2) to (K6)
void ShareAfterDraw(AfterDraw rule, const SelectionView& view, Selection& selection);

// Brings the powers of all terms to those that the radio has, and leaves out those who reach no row
// of a table of rates in their band, whatever their power. Returns whether it leaves out anybody.
// Where devices take part as planned, nothing is to do. (docs/radios.md, (D9))
bool FitToRadio(const Cell& cell, Selection& selection);

}  // namespace airlot::selection

#endif  // AIRLOT_SELECTION_AFTER_DRAW_H_
