#include "cli/command.h"

int main(int argc, char** argv) {
#ifdef AIRLOT_HAS_DEVICE
  constexpr airlot::cli::AddCommand kOthers[] = {airlot::cli::AddDevice};
  return airlot::cli::RunProgramWith(argc, argv, kOthers);
#else
  return airlot::cli::RunProgramWith(argc, argv, {});
#endif
}
