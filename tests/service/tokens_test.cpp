#include "service/tokens.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "live/content.hpp"
#include "service/body_room.hpp"
#include "service/refusals.hpp"

namespace mirab::service {
namespace {

using namespace std::chrono_literals;

const live::Wall kNow = *live::wall_of("2027-03-01T08:00:00.000Z");

TEST(Tokens, AreCheckedBeforeTheyAreLookedUp) {
  const std::string secret = make_secret("admin");
  EXPECT_TRUE(secret.starts_with("mirab_admin_"));
  EXPECT_EQ(secret.size(), std::string("mirab_admin_").size() + 36);
  EXPECT_TRUE(has_form_of_secret(secret));
  for (std::size_t at = 0; at < secret.size(); ++at) {
    std::string other = secret;
    other[at] = other[at] == 'x' ? 'y' : 'x';
    EXPECT_FALSE(has_form_of_secret(other)) << at;
  }
  EXPECT_FALSE(has_form_of_secret(""));
  EXPECT_FALSE(has_form_of_secret("mirab_"));
  EXPECT_NE(make_secret("admin"), secret);
}

TEST(Tokens, AreFoundBySecretUntilTheyAreRevokedOrExpire) {
  TokenTable table;
  const std::string secret = make_secret("tenant");
  table.set("t1", {{"scopes", {"submit", "read"}},
                   {"tenant", "ml"},
                   {"secret_sha256", live::sha256(secret)},
                   {"expires", "2027-03-01T09:00:00.000Z"}});
  const auto caller = table.find(secret, kNow);
  ASSERT_TRUE(caller);
  EXPECT_EQ(caller->by, "token:t1");
  EXPECT_EQ(caller->tenant, "ml");
  EXPECT_TRUE(caller->scopes.submit && caller->scopes.read && !caller->scopes.admin);
  EXPECT_FALSE(table.find(make_secret("tenant"), kNow));
  EXPECT_FALSE(table.find(secret, kNow + 2h));
  table.set("t1", nullptr);
  EXPECT_FALSE(table.find(secret, kNow));
}

TEST(Rates, LetABurstThroughAndThenSoMuchASecond) {
  const Rate rate{.per_s = 10, .burst = 20};
  Bucket bucket(rate);
  const Bucket::Clock::time_point start{};
  for (int n = 0; n < 20; ++n) EXPECT_FALSE(bucket.take(rate, 1, start)) << n;
  const auto wait = bucket.take(rate, 1, start);
  ASSERT_TRUE(wait);
  EXPECT_NEAR(*wait, 0.1, 1e-9);
  EXPECT_FALSE(bucket.take(rate, 1, start + 100ms));
  EXPECT_TRUE(bucket.take(rate, 1, start + 100ms));
}

TEST(Rates, ArePaidForAfterwardsWhereTheCostIsKnownThen) {
  RateTable table;
  const Bucket::Clock::time_point start{};
  EXPECT_FALSE(table.take("dear", RateOf::looks, 1, start));
  table.charge("dear", RateOf::looks, 550'000);
  const auto wait = table.take("dear", RateOf::looks, 1, start);
  ASSERT_TRUE(wait);
  EXPECT_NEAR(*wait, 50'002 / 50'000.0, 1e-6);
  EXPECT_FALSE(table.take("other", RateOf::looks, 1, start));
  table.charge("", RateOf::looks, 1e9);
  EXPECT_FALSE(table.take("", RateOf::looks, 1, start));
}

// One machine may have a /64 to itself.
TEST(BodyRoom, IsGivenBackAndATenantHasAPartOfIt) {
  BodyRoom room(100, 40, 90);
  {
    const auto held = room.take("a", 40);
    ASSERT_TRUE(std::holds_alternative<BodyRoom::Held>(held));
    EXPECT_EQ(std::get<Full>(room.take("a", 1)), Full::tenant);
    const auto other = room.take("b", 40);
    EXPECT_EQ(std::get<Full>(room.take("c", 20)), Full::all);
    EXPECT_TRUE(std::holds_alternative<BodyRoom::Held>(room.take("", 20))) << "others have a reserve";
    EXPECT_EQ(room.bytes(), 80U);
  }
  EXPECT_EQ(room.bytes(), 0U);
  EXPECT_TRUE(std::holds_alternative<BodyRoom::Held>(room.take("", 100)));
}

TEST(Refusals, AreSaidTenTimesASecondAndThenSummedUp) {
  Refusals refusals;
  testing::internal::CaptureStderr();
  for (int n = 0; n < 4221; ++n)
    refusals.note(n % 2 == 0 ? 401 : 429, [] { return live::Json{{"from", "a"}}; });
  refusals.turn();
  refusals.turn();
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 11);
  EXPECT_NE(text.find("and 4211 more in the last second"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("statuses":{"401":2106,"429":2105})"), std::string::npos) << text;
}

TEST(Rates, AreATenantsOwnAndDoNotHoldForTheAdministrator) {
  RateTable table;
  table.set_tenant("ml", {{"limits", {{"requests_per_s", 1}}}});
  const Bucket::Clock::time_point start{};
  EXPECT_FALSE(table.take("ml", RateOf::requests, 2, start));
  EXPECT_TRUE(table.take("ml", RateOf::requests, 1, start));
  EXPECT_FALSE(table.take("other", RateOf::requests, 1, start));
  for (int n = 0; n < 10'000; ++n) ASSERT_FALSE(table.take("", RateOf::requests, 1, start));
}

TEST(Rates, OfAHigherLimitHoldAtOnce) {
  RateTable table;
  const Bucket::Clock::time_point start{};
  const auto limits = [](int burst) {
    return live::Json{{"limits", {{"burst", burst}, {"submits_per_s", 1}}}};
  };
  table.set_tenant("ml", limits(10));
  EXPECT_FALSE(table.take("ml", RateOf::submits, 10, start));
  table.set_tenant("ml", limits(10));  // the same once more
  EXPECT_TRUE(table.take("ml", RateOf::submits, 1, start));
  table.set_tenant("ml", limits(100));
  EXPECT_FALSE(table.take("ml", RateOf::submits, 100, start));
  EXPECT_TRUE(table.take("ml", RateOf::submits, 1, start));
}

}  // namespace
}  // namespace mirab::service
