// These functions write numbers as people read them.
#ifndef AIRLOT_REPORT_NUMBERS_H_
#define AIRLOT_REPORT_NUMBERS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "airlot/comparison.h"

namespace airlot::report {

// Short has three digits, or all before the point: "1,307", "12.3", "4.2×10⁻⁹" (in ASCII
// "4.2e-09").
std::string Short(double value);
std::string ShortUtf8(double value);

// Returns a mean and half of the width of its interval as "871 ± 163"; where there is no interval,
// the mean alone.
std::string MeanText(double mean, const std::optional<double>& half);

// Returns the same of a share as "82.1 ± 1.3 %".
std::string ShareText(double mean, const std::optional<double>& half);

// Returns a share as "82.1 %".
std::string Percent(double share, int digits = 1);

// Returns an accuracy as "82.1 %", and an R² as "R² 0.821", which has no bound below (L16): where a
// model has diverged it is "no finite R²".
std::string ScoreText(Score score, double value, bool utf8 = true);
// Returns a target that was given: "59 %", "R² 0.59".
std::string TargetText(Score score, double target, bool utf8 = true);
// Returns the mean of a score and half of the width of its interval, without its name: "82.1 ± 1.3
// %", "0.821 ± 0.013".
std::string ScoreMeanText(Score score, double mean, const std::optional<double>& half);

// Returns a number for an axis: "0.002", "50", "20,000", "10⁶". With a step it has all digits that
// tell it from its neighbours: "1.00002".
std::string AxisNumber(double value, double step = 0);

// Returns 1, 2 or 5 times a power of ten, the next one from `least` on; least > 0.
double RoundStep(double least);

// Counts the characters of UTF-8 text, which are its columns on a terminal.
std::size_t CharactersOf(std::string_view text);

// Returns the fewest digits that keep 6 of them, for data beside a picture.
std::string Plain(double value);

// Returns "1 round" or "4,000 rounds".
std::string CountOf(std::size_t count, std::string_view thing);

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_NUMBERS_H_
