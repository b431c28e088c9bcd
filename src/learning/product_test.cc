// These tests compare with the definition, in double precision; the numbers are such that every sum
// is exact.
#include "learning/product.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "learning/targets_for_tests.h"

namespace airlot::learning {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kUntouched = 99;

enum class Layout { kInPanels, kRowByRow, kTight };

// A Target is where C is: a tight one has its rows right behind each other, and starts anywhere.
struct Target {
  Floats numbers;
  Matrix c;
};

Target TargetOf(Layout layout, std::size_t rows, std::size_t columns) {
  const std::size_t width = PanelWidth(), filled = RoundUp(columns, width);
  Target target{Floats(rows * filled + 64, kUntouched), {}};
  float* data = target.numbers.data();
  if (layout == Layout::kInPanels) target.c = InPanels(data, rows);
  if (layout == Layout::kRowByRow) target.c = RowByRow(data, columns);
  if (layout == Layout::kTight) target.c = {data + 1, columns, width};
  return target;
}

// Asked says what a product is asked for.
struct Asked {
  std::size_t rows, terms, columns;
  Layout layout;
  Finish finish;
  bool relu, columns_first;
  std::vector<std::size_t> run_lengths = {};
};

// Scattered is S with its runs apart from each other; what must not be read is NaN.
struct Scattered {
  Floats numbers;
  std::size_t row = 0;
  std::vector<Run> runs;
  std::vector<std::size_t> place;  // the place of each term in a row
};

Scattered Scatter(const Asked& asked, base::RandomStream& stream) {
  Scattered s;
  for (const std::size_t length : asked.run_lengths) {
    s.row += 2;
    s.runs.push_back({s.row, length});
    for (std::size_t k = 0; k < length; ++k) s.place.push_back(s.row++);
  }
  while (asked.run_lengths.empty() && s.row < asked.terms) s.place.push_back(s.row++);
  s.row += 1;
  s.numbers.assign(asked.rows * s.row, kNaN);
  const Floats values = Quarters(asked.rows * asked.terms, stream);
  for (std::size_t r = 0; r < asked.rows; ++r) {
    for (std::size_t k = 0; k < asked.terms; ++k) {
      s.numbers[r * s.row + s.place[k]] = values[r * asked.terms + k];
    }
  }
  return s;
}

void ExpectProduct(const Asked& asked, base::RandomStream& stream) {
  const auto& [rows, terms, columns, layout, finish, relu, columns_first, run_lengths] = asked;
  const std::size_t width = PanelWidth(), filled = RoundUp(columns, width);
  const Scattered s = Scatter(asked, stream);
  const Floats b = Quarters(terms * filled, stream), biases = Quarters(rows, stream);
  const Floats gates = Quarters(rows * filled, stream), before = Quarters(rows * columns, stream);
  const ConstMatrix b_matrix = InPanels(b.data(), terms),
                    gate_matrix = InPanels(gates.data(), rows);
  Target target = TargetOf(layout, rows, columns);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      At(target.c, r, c) = finish == Finish::kAdd ? before[r * columns + c] : kNaN;
    }
  }
  Multiply({.rows = rows,
            .terms = terms,
            .columns = columns,
            .s = s.numbers.data(),
            .s_row = s.row,
            .b = b.data(),
            .c = target.c,
            .runs = s.runs,
            .finish = finish,
            .bias = biases.data(),
            .relu = relu,
            .gate = gate_matrix,
            .columns_first = columns_first});
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      double sum = finish == Finish::kAdd ? double(before[r * columns + c]) : 0;
      for (std::size_t k = 0; k < terms; ++k) {
        sum += double(s.numbers[r * s.row + s.place[k]]) * double(At(b_matrix, k, c));
      }
      if (finish == Finish::kBias) sum += double(biases[r]);
      if (finish == Finish::kBias && relu) sum = std::max(sum, 0.0);
      if (finish == Finish::kGate && !(At(gate_matrix, r, c) > 0)) sum = 0;
      ASSERT_EQ(double(At(target.c, r, c)), sum)
          << rows << " x " << terms << " x " << columns << " at " << r << ", " << c << ", layout "
          << int(layout) << ", finish " << int(finish) << relu << columns_first;
      At(target.c, r, c) = kUntouched;
    }
  }
  for (const float number : target.numbers) ASSERT_EQ(number, kUntouched) << "beyond C";
}

std::vector<std::size_t> Columns() {
  const std::size_t width = PanelWidth();
  return {1, width - 1, width, width + 1, 2 * width, 2 * width + width / 2 + 1};
}

TEST(Product, EverySizeAndOption) {
  OnEveryTarget([] {
    base::RandomStream stream = TestStream(10);
    const std::vector<std::size_t> terms{1, 2, 3, 4, 5, 17};
    std::size_t next = 0;
    for (std::size_t rows = 1; rows <= 13; ++rows) {
      for (const std::size_t columns : Columns()) {
        for (unsigned options = 0; options < 16; ++options) {
          ExpectProduct({rows, terms[next / 3 % terms.size()], columns, Layout(next % 3),
                         Finish(options & 3), (options & 4) != 0, (options & 8) != 0},
                        stream);
          ++next;
          if (::testing::Test::HasFatalFailure()) return;
        }
      }
    }
  });
}

TEST(Product, Runs) {
  OnEveryTarget([] {
    base::RandomStream stream = TestStream(11);
    for (const std::size_t rows : {1, 5, 6, 7, 12}) {
      for (const std::size_t columns : Columns()) {
        for (const std::vector<std::size_t>& lengths :
             std::vector<std::vector<std::size_t>>{{1}, {5}, {2, 2}, {0, 3, 1}, {4, 0, 0, 7}}) {
          const std::size_t terms = std::accumulate(lengths.begin(), lengths.end(), std::size_t{0});
          ExpectProduct({rows, terms, columns, Layout::kInPanels, Finish::kBias, false,
                         lengths.size() == 2, lengths},
                        stream);
          if (::testing::Test::HasFatalFailure()) return;
        }
      }
    }
  });
}

// A gate is open above 0 only.
TEST(Product, GateAtZero) {
  OnEveryTarget([] {
    const std::size_t width = PanelWidth();
    const float s = 3;
    const Floats b(width, 1.0F);
    Floats gate(width, 0.0F), c(width, kNaN);
    gate[0] = -0.0F;
    gate[1] = std::numeric_limits<float>::denorm_min();
    Multiply({.rows = 1,
              .terms = 1,
              .columns = width,
              .s = &s,
              .s_row = 1,
              .b = b.data(),
              .c = InPanels(c.data(), 1),
              .finish = Finish::kGate,
              .gate = InPanels<const float>(gate.data(), 1)});
    for (std::size_t i = 0; i < width; ++i) EXPECT_EQ(c[i], i == 1 ? 3 : 0);
  });
}

TEST(Product, PackPanel) {
  OnEveryTarget([] {
    base::RandomStream stream = TestStream(12);
    const std::size_t width = PanelWidth(), rows = 3;
    for (const std::size_t columns : Columns()) {
      const Floats in = Quarters(rows * columns, stream);
      for (std::size_t panel = 0; panel * width < columns; ++panel) {
        Floats out(rows * width + 1, kUntouched);
        PackPanel(in.data(), rows, columns, panel, out.data());
        for (std::size_t r = 0; r < rows; ++r) {
          for (std::size_t c = 0; c < width; ++c) {
            const std::size_t column = panel * width + c;
            ASSERT_EQ(out[r * width + c], column < columns ? in[r * columns + column] : 0);
          }
        }
        ASSERT_EQ(out.back(), kUntouched);
      }
    }
  });
}

}  // namespace
}  // namespace airlot::learning
