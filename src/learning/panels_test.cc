#include "learning/panels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "learning/network.h"
#include "learning/targets_for_tests.h"

namespace airlot::learning {
namespace {

constexpr float kUntouched = 99;
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// The sizes have every remainder of a block of four, and lie around whole panels.
std::vector<std::size_t> Sizes() {
  const std::size_t width = PanelWidth();
  return {1, 2, 3, 4, 5, 6, 7, width - 1, width, width + 1, 2 * width, 2 * width + 3};
}

TEST(Panels, WidthDividesAMicroBatch) {
  OnEveryTarget([] { EXPECT_EQ(kMicroBatch % PanelWidth(), 0); });
}

TEST(Panels, RoundUp) {
  EXPECT_EQ(RoundUp(0, 8), 0);
  EXPECT_EQ(RoundUp(1, 8), 8);
  EXPECT_EQ(RoundUp(8, 8), 8);
  EXPECT_EQ(RoundUp(9, 8), 16);
}

// All numbers arrive, rows are filled up with zeros, and nothing else is written.
void ExpectTransposed(std::size_t rows, std::size_t columns, bool in_panels, bool out_panels) {
  base::RandomStream stream = TestStream(1);
  const std::size_t filled_columns = RoundUp(columns, PanelWidth());
  const std::size_t filled_rows = RoundUp(rows, PanelWidth());
  Floats from(rows * filled_columns, kNaN), to(columns * filled_rows + 64, kUntouched);
  const Matrix in = in_panels ? InPanels(from.data(), rows) : RowByRow(from.data(), columns);
  const Matrix out = out_panels ? InPanels(to.data(), columns) : RowByRow(to.data(), rows);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) At(in, r, c) = float(stream.Uniform(1, 2));
  }
  Transpose({in.data, in.row, in.panel}, rows, columns, out);
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t r = 0; r < filled_rows; ++r) {
      ASSERT_EQ(At(out, c, r), r < rows ? At(in, r, c) : 0)
          << rows << " x " << columns << ", at " << r << ", " << c;
    }
  }
  for (std::size_t i = columns * filled_rows; i < to.size(); ++i) ASSERT_EQ(to[i], kUntouched);
}

TEST(Panels, Transpose) {
  OnEveryTarget([] {
    for (const std::size_t rows : Sizes()) {
      for (const std::size_t columns : Sizes()) {
        for (const int layout : {0, 1, 2, 3}) {
          ExpectTransposed(rows, columns, (layout & 1) != 0, (layout & 2) != 0);
        }
      }
    }
  });
}

TEST(Panels, LoadPixels) {
  OnEveryTarget([] {
    for (const std::size_t pixels : Sizes()) {
      std::vector<std::vector<std::uint8_t>> images(3, std::vector<std::uint8_t>(pixels));
      std::vector<const std::uint8_t*> pointers;
      for (std::size_t i = 0; i < images.size(); ++i) {
        for (std::size_t p = 0; p < pixels; ++p) images[i][p] = std::uint8_t(i * 100 + p * 7);
        pointers.push_back(images[i].data());
      }
      const std::size_t filled = RoundUp(pixels, PanelWidth());
      Floats to(images.size() * filled + 64, kUntouched);
      const Matrix out = InPanels(to.data(), images.size());
      LoadPixels(pointers, pixels, out);
      for (std::size_t i = 0; i < images.size(); ++i) {
        for (std::size_t p = 0; p < filled; ++p) {
          const double expected = p < pixels ? images[i][p] / 255.0 : 0;
          ASSERT_NEAR(double(At(out, i, p)), expected, expected * 0x1p-23) << pixels << ", " << p;
        }
      }
      for (std::size_t i = images.size() * filled; i < to.size(); ++i) {
        ASSERT_EQ(to[i], kUntouched);
      }
    }
  });
}

// The pixels have the whole range of a byte, and are loaded in vectors and one at a time.
TEST(Panels, LoadEveryPixelValue) {
  OnEveryTarget([] {
    for (int value = 0; value < 256; ++value) {
      const std::size_t pixels = PanelWidth() + 1;
      const std::vector<std::uint8_t> image(pixels, std::uint8_t(value));
      const std::uint8_t* const pointer = image.data();
      Floats to(2 * PanelWidth());
      LoadPixels({&pointer, 1}, pixels, InPanels(to.data(), 1));
      EXPECT_NEAR(double(to[0]), value / 255.0, value / 255.0 * 0x1p-23);
      EXPECT_EQ(to[0], to[pixels - 1]);
      EXPECT_LE(to[0], 1);
    }
  });
}

TEST(Panels, AddRowSums) {
  OnEveryTarget([] {
    base::RandomStream stream = TestStream(2);
    for (const std::size_t columns : Sizes()) {
      const std::size_t rows = 3, filled = RoundUp(columns, PanelWidth());
      Floats in = Quarters(rows * filled, stream);
      Floats sums = Quarters(rows + 1, stream);
      std::vector<double> expected(sums.begin(), sums.end());
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < filled; ++c) {
          if (c >= columns) in[r * filled + c] = 0;
          expected[r] += double(in[r * filled + c]);
        }
      }
      AddRowSums(in.data(), rows, columns, sums.data());
      for (std::size_t r = 0; r <= rows; ++r) EXPECT_EQ(double(sums[r]), expected[r]) << columns;
    }
  });
}

TEST(Panels, Add) {
  OnEveryTarget([] {
    base::RandomStream stream = TestStream(3);
    for (std::size_t size = 0; size <= 2 * PanelWidth() + 1; ++size) {
      for (const std::size_t offset : {0, 1}) {  // spans need not be aligned
        const Floats x = Quarters(size + 2, stream), before = Quarters(size + 2, stream);
        Floats y = before;
        Add({x.data() + 1, size}, {y.data() + offset, size});
        for (std::size_t i = 0; i < y.size(); ++i) {
          const bool inside = i >= offset && i < offset + size;
          ASSERT_EQ(y[i], inside ? before[i] + x[i - offset + 1] : before[i]) << size << ", " << i;
        }
      }
    }
  });
}

}  // namespace
}  // namespace airlot::learning
