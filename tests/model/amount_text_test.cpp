// Amounts as people read them: the cases that hold for the pages too (tests/report/page/amounts.mjs).
#include "model/amount_text.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace mirab {
namespace {

TEST(AmountText, IsWhatThePagesWrite) {
  std::ifstream file(MIRAB_SOURCE_DIR "/tests/amounts.json");
  const auto all = nlohmann::json::parse(file);
  EXPECT_GT(all.at("cases").size(), 20U);
  for (const auto& each : all.at("cases"))
    EXPECT_EQ(amount_text(each[0].get<double>(), each[1].get<double>()), each[2].get<std::string>()) << each;
  EXPECT_GT(all.at("of_service").size(), 5U);
  for (const auto& each : all.at("of_service"))
    EXPECT_EQ(service_amount_text(each[0].get<double>()), each[1].get<std::string>()) << each;
}

TEST(AmountText, OfBytesThatAreNeededIsNeverLessThanTheyAre) {
  constexpr double kMebi = 1 << 20;
  EXPECT_EQ(bytes_at_least(512 * kMebi), "512Mi");
  EXPECT_EQ(bytes_at_least(1536 * kMebi), "1.5Gi");
  EXPECT_EQ(bytes_at_least(1536 * kMebi + 1), "1.51Gi");
  EXPECT_EQ(bytes_at_least(1.1 * 1024 * kMebi), "1.1Gi");
  EXPECT_EQ(bytes_at_least(1001.5 * kMebi), "1002Mi");
}

}  // namespace
}  // namespace mirab
