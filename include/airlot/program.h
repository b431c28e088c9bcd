// RunProgram is the command-line program as a library, for a program with strategies and training
// rules of its own: it registers them, then calls RunProgram, and every command knows them. The
// CMake target is airlot::program.
#ifndef AIRLOT_PROGRAM_H_
#define AIRLOT_PROGRAM_H_

namespace airlot {

// Does what `airlot` does with this command line, and returns the exit code (docs/formats.md).
int RunProgram(int argc, char** argv);

}  // namespace airlot

#endif  // AIRLOT_PROGRAM_H_
