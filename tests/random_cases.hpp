// What tests leave out under a sanitizer, where they take several times as long.
#pragma once

namespace mirab {

#ifdef MIRAB_SANITIZED
constexpr bool kIsSanitized = true;
#else
constexpr bool kIsSanitized = false;
#endif

/// How many random cases a test draws: all of them, or the first eighth.
constexpr int random_cases(int all) { return kIsSanitized ? (all + 7) / 8 : all; }

/// Ends a test of a large problem, whose code small ones run as well.
#define MIRAB_SKIP_LARGE_IF_SANITIZED() \
  if (kIsSanitized) GTEST_SKIP() << "too large for a sanitizer"

}  // namespace mirab
