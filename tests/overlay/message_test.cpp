#include <gtest/gtest.h>
#include <set>
#include <string>

#include <mirab/overlay/message.hpp>

namespace mirab::overlay {
namespace {

TEST(Messages, HaveANameForEachKind) {
  std::set<std::string_view> names;
  for (std::size_t kind = 0; kind < kMessageKinds; ++kind) names.insert(name_of_kind(kind));
  EXPECT_EQ(names.size(), kMessageKinds);
  EXPECT_FALSE(names.contains(""));
  EXPECT_EQ(name_of_kind(Message(GradientRequest{}).index()), "gradient-request");
  EXPECT_EQ(name_of_kind(Message(Running{}).index()), "running");
}

}  // namespace
}  // namespace mirab::overlay
