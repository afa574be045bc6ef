// Amounts as people read them: the cases that hold for the pages too (tests/report/page/amounts.mjs).
#include "model/amount_text.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

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

TEST(AmountText, OfBytesIsRoundedUpWhereTheyAreNeededAndDownWhereTheyAreFree) {
  constexpr double kMebi = 1 << 20;
  const auto both = [](double value) {
    return bytes_text(value, Rounding::up) + " " + bytes_text(value, Rounding::down);
  };
  EXPECT_EQ(both(512 * kMebi), "512Mi 512Mi");
  EXPECT_EQ(both(1536 * kMebi), "1.5Gi 1.5Gi");
  EXPECT_EQ(both(1536 * kMebi + 1), "1.51Gi 1.5Gi");
  EXPECT_EQ(both(1.1 * 1024 * kMebi), "1.1Gi 1.1Gi");
  EXPECT_EQ(both(1001.5 * kMebi), "1002Mi 1001Mi");
  EXPECT_EQ(service_amount_text(1623497637, Rounding::up), "1.52Gi");
  EXPECT_EQ(service_amount_text(1623497637, Rounding::down), "1.51Gi");
  EXPECT_EQ(service_amount_text(12583, Rounding::up), "12583");
}

}  // namespace
}  // namespace mirab
