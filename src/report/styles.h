// Strategies look the same in every figure of every report.
#ifndef AIRLOT_REPORT_STYLES_H_
#define AIRLOT_REPORT_STYLES_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "airlot/experiment.h"
#include "report/canvas.h"

namespace airlot::report {

// A Style is a colour (c0 to c5 in web/src/figure.css), a dash (d0 to d5) and a shape. Six colours
// are as many as everyone can tell apart, the colour-blind too; so two strategies may share a
// colour, but then neither the dash nor the shape.
struct Style {
  std::size_t colour = 0;
  std::size_t dash = 0;
  Shape shape = Shape::kCircle;

  bool operator==(const Style&) const = default;
};
inline constexpr std::size_t kStyleCount = 36;  // After so many, styles come again.
Style StyleAt(std::size_t index);

// Looks says what the parts of a section draw, and how.
class Looks {
 public:
  Looks() = default;
  // `strategies` are those of all sections of a page. Strategies that this airlot has are styled by
  // their place in Strategies(), so a new one goes to the end of that list; others are styled by
  // their place among those that it lacks.
  explicit Looks(std::span<const std::string> strategies);

  // Chooses the strategies that are drawn in full: all or, where there are more than kMostShown,
  // first those that the verdict on the runs may name, then the paper's, then those that do best.
  static constexpr std::size_t kMostShown = 6;
  void Choose(std::span<const StrategySummary> summaries);

  Style Of(std::string_view strategy) const;
  bool IsShown(std::string_view strategy) const;
  std::size_t hidden() const { return hidden_; }
  std::size_t shown() const { return shown_.size(); }  // It is 0 where all are shown.

 private:
  std::vector<std::string> foreign_;  // strategies that Strategies() does not have
  std::vector<std::string> shown_;    // It is empty where all are shown.
  std::size_t hidden_ = 0;
};

// Returns the strategies that a verdict names, the first of them first: the fastest and the
// thriftiest at the highest target that anybody reached, and the same of those that keep their
// budgets; where all are known to break them, who has the fewest devices over. Where no target is
// reached, the most accurate take their place. Equals are told apart as in the verdict.
std::vector<std::string> NamedByVerdict(std::span<const StrategySummary> summaries);

LegendEntry LineEntry(const std::string& strategy, const Style& style);
LegendEntry MarkEntry(const std::string& strategy, const Style& style);

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_STYLES_H_
