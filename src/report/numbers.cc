#include "report/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "base/text.h"

namespace airlot::report {
namespace {

std::string Superscript(int number) {
  constexpr std::array<std::string_view, 10> kDigits = {"⁰", "¹", "²", "³", "⁴",
                                                        "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = number < 0 ? "⁻" : "";
  for (const char digit : fmt::format("{}", std::abs(number))) {
    text += kDigits[std::size_t(digit - '0')];
  }
  return text;
}

// Returns "4.2×10⁻⁹" for "4.2e-09".
std::string WithPowerOfTen(const std::string& text) {
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  const int exponent = std::atoi(text.c_str() + e + 1);
  const std::string mantissa = text.substr(0, e);
  return (mantissa == "1" ? "" : mantissa + "×") + "10" + Superscript(exponent);
}

// Returns how many significant digits a multiple of `step` has at most.
int DigitsOf(double size, double step) {
  if (!(size > 0) || !(step > 0)) return 1;
  const auto place = [](double number) { return int(std::floor(std::log10(number) + 1e-9)); };
  return std::clamp(place(size) - place(step) + 1, 1, 17);
}

}  // namespace

std::string Short(double value) {
  const double size = std::abs(value);
  if (size >= 99.95 && size < 1e15) return base::Grouped(fmt::format("{:.0f}", value));
  return fmt::format("{:.3g}", value);
}

std::string ShortUtf8(double value) { return WithPowerOfTen(Short(value)); }

std::string MeanText(double mean, const std::optional<double>& half) {
  return half ? fmt::format("{} ± {}", ShortUtf8(mean), ShortUtf8(*half)) : ShortUtf8(mean);
}

std::string ShareText(double mean, const std::optional<double>& half) {
  if (!half) return Percent(mean);
  return fmt::format("{:.1f} ± {:.1f} %", 100 * mean, 100 * *half);
}

std::string Percent(double share, int digits) {
  return fmt::format("{:.{}f} %", 100 * share, digits);
}

std::string ScoreText(Score score, double value, bool utf8) {
  const std::string_view name = ScoreName(score, utf8);
  if (!std::isfinite(value)) return fmt::format("no finite {}", name);
  return score == Score::kAccuracy ? Percent(value) : fmt::format("{} {}", name, Short(value));
}

std::string TargetText(Score score, double target, bool utf8) {
  if (score == Score::kAccuracy) return fmt::format("{:.4g} %", 100 * target);
  return fmt::format("{} {:.4g}", ScoreName(score, utf8), target);
}

std::string ScoreMeanText(Score score, double mean, const std::optional<double>& half) {
  return score == Score::kAccuracy ? ShareText(mean, half) : MeanText(mean, half);
}

std::string AxisNumber(double value, double step) {
  const double size = std::abs(value);
  const int digits = DigitsOf(size, step);
  if (size >= 1e5 || (size > 0 && size < 1e-3)) {
    std::string text = fmt::format("{:.{}e}", value, digits > 2 ? digits - 1 : 0);
    // One digit is enough for most ticks.
    if (digits <= 2 && std::abs(std::strtod(text.c_str(), nullptr) / value - 1) > 1e-9) {
      text = fmt::format("{:.1e}", value);
    }
    return WithPowerOfTen(text);
  }
  if (size >= 1000 && !(step > 0 && step < 1)) return base::Grouped(fmt::format("{:.0f}", value));
  return fmt::format("{:.{}g}", value, std::max(4, digits));
}

double RoundStep(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

std::size_t CharactersOf(std::string_view text) {
  return std::size_t(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string Plain(double value) { return std::isnan(value) ? "" : fmt::format("{:.6g}", value); }

std::string CountOf(std::size_t count, std::string_view thing) {
  return fmt::format("{} {}{}", Short(double(count)), thing, count == 1 ? "" : "s");
}

}  // namespace airlot::report
