#ifndef AIRLOT_VERSION_H_
#define AIRLOT_VERSION_H_

namespace airlot {

// kVersion is that of the library and the program; CMakeLists.txt takes the package's from here.
inline constexpr char kVersion[] = "0.1.0";

}  // namespace airlot

#endif  // AIRLOT_VERSION_H_
