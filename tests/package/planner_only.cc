// A program that only plans includes nothing of scenarios, strategies, data sets and training.
#include <airlot/band_split.h>
#include <airlot/cell.h>
#include <airlot/fleet.h>
#include <airlot/plan_file.h>
#include <airlot/planning.h>
#include <airlot/radio.h>

#if defined(AIRLOT_SCENARIO_H_) || defined(AIRLOT_SELECTION_H_) || defined(AIRLOT_DATASET_H_) || \
    defined(AIRLOT_TRAINING_H_) || defined(AIRLOT_SIMULATION_H_)
#error "a header of the planner includes what a planner does not need"
#endif

int main() { return airlot::Solve(airlot::PlanningProblem{}).probability.empty() ? 0 : 1; }
