#include "airlot/program.h"

int main(int argc, char** argv) { return airlot::RunProgram(argc, argv); }
