#include "cli/drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "cli/terminal.h"

namespace airlot::cli {
namespace {

constexpr std::size_t kMostWidth = 80;
constexpr std::size_t kLeastColumns = 14;  // of an image; there are fewer where that is too many
constexpr std::size_t kMostRows = 40;      // most rows of cells
constexpr std::string_view kMargin = "  ";

// Cells are an image made smaller: each is square, and the mean of the pixels that it covers.
struct Cells {
  std::size_t rows;
  std::size_t columns;
  std::vector<double> shade;  // 0 to 255

  double At(std::size_t row, std::size_t column) const {
    return row < rows ? shade[row * columns + column] : 0;
  }
};

// Returns the shades of an image from 0 to 255, row by row. Grey pixels are their own shades; what
// is coloured or real is the mean over the channels, from the lowest of the image to the highest.
std::vector<double> ShadesOf(const Images& images, std::size_t image) {
  const std::size_t pixels = std::size_t(images.height) * std::size_t(images.width);
  const std::size_t begin = image * images.PixelsPerImage();
  std::vector<double> shades(pixels);
  for (std::size_t i = 0; i < images.PixelsPerImage(); ++i) {
    shades[i % pixels] +=
        images.values.empty() ? double(images.pixels[begin + i]) : double(images.values[begin + i]);
  }
  if (images.channels == 1 && images.values.empty()) return shades;
  const auto [low, high] = std::ranges::minmax(shades);
  const double range = high > low ? high - low : 1;
  for (double& shade : shades) shade = 255 * ((shade - low) / range);
  return shades;
}

double MeanShade(const Images& images, const std::vector<double>& shades, const Cells& cells,
                 std::size_t row, std::size_t column) {
  const std::size_t height = std::size_t(images.height), width = std::size_t(images.width);
  const std::size_t top = row * height / cells.rows, left = column * width / cells.columns;
  const std::size_t bottom = (row + 1) * height / cells.rows;
  const std::size_t right = (column + 1) * width / cells.columns;
  double sum = 0;
  for (std::size_t y = top; y < bottom; ++y) {
    for (std::size_t x = left; x < right; ++x) sum += shades[y * width + x];
  }
  return sum / double((bottom - top) * (right - left));
}

Cells Shrink(const Images& images, std::size_t image, std::size_t most_columns) {
  const double shrink = std::max({double(images.width) / double(most_columns),
                                  double(images.height) / double(kMostRows), 1.0});
  Cells cells{.rows = std::max<std::size_t>(1, std::size_t(images.height / shrink)),
              .columns = std::max<std::size_t>(1, std::size_t(images.width / shrink))};
  const std::vector<double> shades = ShadesOf(images, image);
  for (std::size_t row = 0; row < cells.rows; ++row) {
    for (std::size_t column = 0; column < cells.columns; ++column) {
      cells.shade.push_back(MeanShade(images, shades, cells, row, column));
    }
  }
  return cells;
}

// Returns the label of a sample, or its target.
std::string AnswerOf(const Images& images, std::size_t sample) {
  return images.targets.empty() ? fmt::to_string(images.labels[sample])
                                : fmt::format("{:.4g}", images.targets[sample]);
}

// Returns two cells, one above the other, as one character.
std::string_view Character(double upper, double lower) {
  static const bool utf8 = IsUtf8();
  if (utf8) {
    constexpr double kThreshold = 80;
    constexpr std::string_view kBlocks[] = {" ", "▄", "▀", "█"};
    return kBlocks[(upper > kThreshold ? 2 : 0) + (lower > kThreshold ? 1 : 0)];
  }
  constexpr std::string_view kShades = " .:-=+*#%@";
  const auto level = std::size_t((upper + lower) / 2 / 256 * double(kShades.size()));
  return kShades.substr(level, 1);
}

}  // namespace

std::string DrawImages(const Images& images, std::size_t count) {
  const std::size_t least = kMargin.size() + kLeastColumns;
  const std::size_t width = std::clamp(OutputColumns().value_or(kMostWidth), least, kMostWidth);
  count = std::min({count, images.size(), width / least});
  std::vector<Cells> drawn;
  for (std::size_t i = 0; i < count; ++i) {
    drawn.push_back(Shrink(images, i, width / count - kMargin.size()));
  }
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += fmt::format("{}{:<{}}", kMargin, AnswerOf(images, i), drawn[i].columns);
  }
  text.erase(text.find_last_not_of(' ') + 1);
  text += '\n';
  for (std::size_t row = 0; row < drawn.front().rows; row += 2) {
    for (const Cells& cells : drawn) {
      text += kMargin;
      for (std::size_t column = 0; column < cells.columns; ++column) {
        text += Character(cells.At(row, column), cells.At(row + 1, column));
      }
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

}  // namespace airlot::cli
