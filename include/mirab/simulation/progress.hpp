#pragma once

#include <functional>

namespace mirab::simulation {

/// Called now and then with the part that is done, in (0, 1], never falling; from any thread, one call at a
/// time.
using Progress = std::function<void(double part)>;

}  // namespace mirab::simulation
