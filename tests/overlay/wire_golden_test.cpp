#include <cstdio>
#include <gtest/gtest.h>

#include "overlay/letters.hpp"
namespace mirab::overlay {
TEST(Golden, Print) {
  for (const Message& m : one_of_each()) {
    std::vector<std::uint8_t> b;
    encode({7, 9, kSent, m}, b);
    printf("%-18s", std::string(name_of_kind(m.index())).c_str());
    for (auto x : b) printf("%02x ", x);
    printf("\n");
  }
}
}  // namespace mirab::overlay
