// How many random cases a test draws.
#pragma once

namespace mirab {

/// All of them; under a sanitizer, where a case takes several times as long, the first eighth.
constexpr int random_cases(int all) {
#ifdef MIRAB_SANITIZED
  return (all + 7) / 8;
#else
  return all;
#endif
}

}  // namespace mirab
