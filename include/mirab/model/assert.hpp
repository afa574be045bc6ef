#pragma once

namespace mirab {

/// Prints the broken invariant with its place on standard error and aborts. Never returns.
[[noreturn]] void invariant_broken(const char* condition, const char* file, int line, const char* why);

}  // namespace mirab

/// An invariant of Mirab's own code, checked in release builds too. Bad input is never an assertion: it is an
/// Error.
#define MIRAB_ASSERT(condition, why) \
  ((condition) ? static_cast<void>(0) : ::mirab::invariant_broken(#condition, __FILE__, __LINE__, why))
