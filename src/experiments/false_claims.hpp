#pragma once

#include <array>

namespace mirab::experiments {

/// Bonald and Roberts 2014, section 3.4: profiles (1, α) and (α, 1); a job of class 1 claims β of resource 2
/// in place of α. Its best claim when n jobs of class 2 are there is β = 1 / (1 + n (1 - α)).
inline constexpr double kTrueNeed = 0.1;  // α

constexpr double best_claim(int others) { return 1 / (1 + others * (1 - kTrueNeed)); }

/// The claims of figures 4 and 5: best against so many others.
inline constexpr std::array<int, 3> kAgainst = {1, 2, 5};

}  // namespace mirab::experiments
