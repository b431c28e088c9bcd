#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/csv.h"
#include "report/numbers.h"
#include "report/parts.h"
#include "report/statistics.h"

namespace airlot::report {
namespace {

// ClassMeans are the accuracies of the classes, each the mean over the runs that kept it.
struct ClassMeans {
  std::vector<double> mean;                 // NaN where the class has no test image
  std::vector<std::optional<double>> half;  // half of the width of the 95 % interval of each
  std::size_t runs = 0;
};

ClassMeans MeansOf(const std::vector<const KeptRun*>& runs) {
  std::vector<std::vector<double>> values;
  ClassMeans means;
  for (const KeptRun* run : runs) {
    means.runs += run->class_accuracy.empty() ? 0 : 1;
    values.resize(std::max(values.size(), run->class_accuracy.size()));
    for (std::size_t k = 0; k < run->class_accuracy.size(); ++k) {
      if (!std::isnan(run->class_accuracy[k])) values[k].push_back(run->class_accuracy[k]);
    }
  }
  for (const std::vector<double>& of_class : values) {
    const Moments moments = MomentsOf(of_class);
    means.mean.push_back(of_class.empty() ? std::numeric_limits<double>::quiet_NaN()
                                          : moments.mean);
    means.half.push_back(HalfWidth(moments));
  }
  return means;
}

// Names the class that a strategy is worst in: "7 (12.5 ± 3.1 %)".
std::string Worst(const ClassMeans& means) {
  const std::vector<double>& mean = means.mean;
  std::size_t worst = mean.size();
  for (std::size_t k = 0; k < mean.size(); ++k) {
    if (!std::isnan(mean[k]) && (worst == mean.size() || mean[k] < mean[worst])) worst = k;
  }
  if (worst == mean.size()) return "NA";
  return fmt::format("{} ({})", worst, ShareText(mean[worst], means.half[worst]));
}

// Returns the ends of the 95 % interval of a class, cut to [0, 1]; both are empty where there is
// none.
std::string Ends(const ClassMeans& means, std::size_t k) {
  if (!means.half[k]) return ",";
  const double mean = means.mean[k], half = *means.half[k];
  const Band band = CutToShares({mean, mean - half, mean + half});
  return fmt::format("{},{}", Plain(band.low), Plain(band.high));
}

}  // namespace

Part ClassPart(const std::string& prefix, const KeptRuns& runs, const Looks& looks) {
  Part part{.id = prefix + "classes",
            .title = "Accuracy per class",
            .text =
                "Which classes the model of the last round gets right: a mean over all test "
                "images may hide that some are never learned."};
  Table table{.caption =
                  "The class with the lowest accuracy after the last round, by the mean over the "
                  "runs, ± half of the 95 % interval over the seeds (Student's t)"};
  table.id = "classes";
  table.rows.push_back({"strategy", "runs", "worst class"});
  std::vector<Dots> dots;
  std::string csv = "strategy,class,accuracy,accuracy_low,accuracy_high,runs\n";
  for (const std::string& strategy : runs.comparison.strategies) {
    const ClassMeans means = MeansOf(RunsOf(runs, strategy));
    if (means.mean.empty()) continue;
    for (std::size_t k = 0; k < means.mean.size(); ++k) {
      base::AppendCsvField(csv, strategy);
      csv += fmt::format(",{},{},{},{}\n", k, Plain(means.mean[k]), Ends(means, k), means.runs);
    }
    table.rows.push_back({strategy, fmt::format("{}", means.runs), Worst(means)});
    table.styles.push_back(looks.Of(strategy));
    if (looks.IsShown(strategy)) dots.push_back({strategy, looks.Of(strategy), means.mean});
  }
  if (dots.empty()) return part;
  part.figures.push_back(DrawDots(
      {prefix + "class-accuracy", "Accuracy per class at the end",
       fmt::format(
           "Each dot is the share of the test images of a class that the model of the last "
           "round gets right, mean over the runs.{}",
           looks.hidden() > 0 ? " Only strategies that are drawn at first have dots." : "")},
      {.label = "test accuracy", .name = "accuracy", .is_percent = true}, "class", dots,
      std::move(csv)));
  part.tables.push_back(std::move(table));
  return part;
}

}  // namespace airlot::report
