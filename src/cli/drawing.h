// DrawImages shows images as text.
#ifndef AIRLOT_CLI_DRAWING_H_
#define AIRLOT_CLI_DRAWING_H_

#include <cstddef>
#include <string>

#include "airlot/dataset.h"

namespace airlot::cli {

// Draws the first `count` images side by side within 80 columns, or as many as the terminal has,
// each with its label or target above, in shades of grey; it draws fewer where they would be too
// small, and uses ASCII where the locale is not UTF-8.
std::string DrawImages(const Images& images, std::size_t count);

}  // namespace airlot::cli

#endif  // AIRLOT_CLI_DRAWING_H_
