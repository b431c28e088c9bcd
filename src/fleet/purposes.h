// These are what the fleet's random streams are for.
#ifndef AIRLOT_FLEET_PURPOSES_H_
#define AIRLOT_FLEET_PURPOSES_H_

#include "base/random.h"

namespace airlot::fleet {

inline constexpr base::Purpose kPlace{1};
inline constexpr base::Purpose kMaxPower{2};
inline constexpr base::Purpose kKappa{3};
inline constexpr base::Purpose kEnergyBudget{4};
inline constexpr base::Purpose kCyclesPerSample{5};
inline constexpr base::Purpose kCpu{6};
inline constexpr base::Purpose kSamples{7};
inline constexpr base::Purpose kBattery{8};
inline constexpr base::Purpose kHarvest{9};
inline constexpr base::Purpose kLineOfSight{10};
inline constexpr base::Purpose kEnvironmentHeight{11};
inline constexpr base::Purpose kShadowing{12};
inline constexpr base::Purpose kRicianK{13};

}  // namespace airlot::fleet

#endif  // AIRLOT_FLEET_PURPOSES_H_
