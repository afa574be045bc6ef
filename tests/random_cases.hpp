// How many random cases a test draws.
#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MIRAB_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MIRAB_SANITIZED
#endif

namespace mirab::testing {

#ifdef MIRAB_SANITIZED
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

/// All of them; under a sanitizer, where a case takes several times as long, the first eighth.
constexpr int cases(int all) { return kSanitized ? (all + 7) / 8 : all; }

}  // namespace mirab::testing
