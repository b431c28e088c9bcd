#include <string>

#include "airlot/plan_file.h"
#include "base/atomic_file.h"
#include "base/csv.h"
#include "base/text.h"
#include "planning/shape.h"

namespace airlot {
namespace {

void AppendRow(std::string& out, const Fleet& fleet, const PlanningProblem& problem,
               const PlanView& plan, std::size_t i, std::string& id_buffer) {
  const Participation participation = Describe(problem, plan, i);
  const double rate_bps =
      participation.upload_s > 0 ? fleet.update_bits[i] / participation.upload_s : 0;
  base::AppendCsvField(out, fleet.ids.Get(i, id_buffer));
  for (const double value : {plan.probability[i], plan.power_w[i], rate_bps, participation.upload_s,
                             participation.energy_j}) {
    out += ',';
    base::AppendNumber(out, value);
  }
  out += ',';
  out += Name(participation.limit);
  if (fleet.is_band_split) {
    out += ',';
    base::AppendNumber(out, fleet.bandwidth_hz[i]);
  }
  out += '\n';
}

}  // namespace

Status WritePlan(const std::string& path, const Fleet& fleet, const PlanningProblem& problem,
                 const PlanView& plan, const std::function<void(double)>& progress) {
  planning::CheckShape(problem, plan);
  auto file = base::AtomicFile::Create(path);
  if (!file) return file.error();
  file->Append("id,probability,power_w,rate_bps,upload_s,energy_j,limit");
  file->Append(fleet.is_band_split ? ",bandwidth_hz\n" : "\n");
  constexpr std::size_t kRowsPerReport = 1 << 14;
  std::string rows, id_buffer;
  for (std::size_t i = 0; i < problem.devices; ++i) {
    AppendRow(rows, fleet, problem, plan, i, id_buffer);
    if ((i + 1) % kRowsPerReport == 0 || i + 1 == problem.devices) {
      file->Append(rows);
      rows.clear();
      if (progress) progress(static_cast<double>(i + 1) / static_cast<double>(problem.devices));
    }
  }
  return file->Commit();
}

}  // namespace airlot
