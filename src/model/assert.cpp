#include <cstdio>
#include <cstdlib>

#include <mirab/model/assert.hpp>

namespace mirab {

void invariant_broken(const char* condition, const char* file, int line, const char* why) {
  std::fprintf(stderr, "mirab: broken invariant: %s (%s) at %s:%d\n", why, condition, file, line);
  std::abort();
}

}  // namespace mirab
