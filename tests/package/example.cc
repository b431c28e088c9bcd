#include <airlot/planning.h>
#include <airlot/radio.h>

#include <cstdio>
#include <string>
#include <vector>

int main() {
  // The three devices differ in channel and budget and share all else.
  const std::vector<double> noise_to_gain_w{1e-8, 1e-7, 1e-6};
  const std::vector<double> energy_budget_j{100, 0.05, 1};

  airlot::PlanningProblem problem{.devices = 3};
  problem.noise_to_gain_w = noise_to_gain_w;
  problem.energy_budget_j = energy_budget_j;
  problem.nat_time_s = airlot::NatTime(/*update_bits=*/6'374'720, /*bandwidth_hz=*/3e6);
  problem.max_power_w = 0.2;
  problem.compute_energy_j = 0.4;
  problem.time_limit_s = 0.08;
  if (const auto status = airlot::Validate(problem); !status) {
    std::fprintf(stderr, "%s\n", status.error().message.c_str());
    return 2;
  }
  const airlot::Plan plan = airlot::Solve(problem);
  for (std::size_t i = 0; i < problem.devices; ++i) {
    const std::string limit(airlot::LimitName(airlot::Describe(problem, plan, i).limit));
    std::printf("%zu: probability %.4f, power %.4g W, limit %s\n", i + 1, plan.probability[i],
                plan.power_w[i], limit.c_str());
  }
}
