#include <gmock/gmock.h>

#include <mirab/kubernetes/amounts.hpp>

namespace mirab::kubernetes {
namespace {

using ::testing::HasSubstr;

Units read(std::string_view resource, std::string_view text, Rounding rounding = Rounding::up) {
  const Result<Units> units = read_units(resource, text, rounding);
  EXPECT_TRUE(units) << (units ? "" : units.error().message);
  return units ? *units : -1;
}

TEST(Amounts, CountCpusInThousandthsAndMemoryInBytes) {
  EXPECT_EQ(read("cpu", "2"), 2000);
  EXPECT_EQ(read("cpu", "0.25"), 250);
  EXPECT_EQ(read("cpu", "330m"), 330);
  EXPECT_EQ(read("memory", "50Mi"), 50 << 20);
  EXPECT_EQ(read("memory", "1e3"), 1000);
  EXPECT_EQ(read("memory", "128974848000m"), 128974848);
}

TEST(Amounts, RoundRequestsUpAndWhatANodeHasDown) {
  EXPECT_EQ(read("cpu", "100u", Rounding::up), 1);
  EXPECT_EQ(read("cpu", "1999900u", Rounding::down), 1999);
  EXPECT_EQ(read("memory", "0.5", Rounding::up), 1);
  EXPECT_EQ(read("memory", "1500m", Rounding::down), 1);
}

TEST(Amounts, AreWrittenAsKubernetesWritesThem) {
  EXPECT_EQ(units_text("cpu", 720), "720m");
  EXPECT_EQ(units_text("cpu", 2000), "2");
  EXPECT_EQ(units_text("memory", 81 << 20), "81Mi");
  EXPECT_EQ(units_text("memory", Units{2} << 30), "2Gi");
  EXPECT_EQ(units_text("memory", 1'500'000'000), "1500M");
  EXPECT_EQ(units_text("memory", 1536), "1536");
  EXPECT_EQ(units_text("memory", 0), "0");
}

TEST(Amounts, ReadBackAsWhatWasWritten) {
  for (Units units = 1; units < kMaxUnits / 3; units = units * 3 + 7) {
    for (const char* resource : {"cpu", "memory"})
      EXPECT_EQ(read(resource, units_text(resource, units)), units) << resource;
  }
}

TEST(Amounts, OfAClusterThatRunsAreCappedAsKubernetesCapsThem) {
  const auto capped = [](std::string_view text, Rounding rounding = Rounding::up) {
    const Result<Units> units = read_capped_units("memory", text, rounding);
    return units ? std::to_string(*units) : units.error().message;
  };
  for (const char* text :
       {"50E", "8Ei", "+10E", "1e19", "9.5E", "5e40", "9e999999", "99999999999999999999999"}) {
    EXPECT_EQ(capped(text), "9223372036854775807") << text;
    EXPECT_EQ(capped(text, Rounding::down), "4611686018427387903") << text;
  }
  EXPECT_EQ(capped("1Ei"), "1152921504606846976");
  EXPECT_EQ(capped("64Gi"), "68719476736");
  EXPECT_EQ(*read_capped_units("cpu", "50E", Rounding::up), kCapUnits);
  for (const char* text : {"50Q", "", "E", "-50E", "1.2.3E", "010", "5e"})
    EXPECT_FALSE(read_capped_units("memory", text, Rounding::up)) << text;
  EXPECT_EQ(capped("9223372036854775808m"), "9223372036854776");
  EXPECT_EQ(capped("9223372036854775808m", Rounding::down), "9223372036854775");
  EXPECT_EQ(capped("0.00000000000000000000000000000000000000000000000000000000000000001"), "1");
  EXPECT_EQ(capped("1234567890123456789012345678901e-20"), "12345678902");
  for (const char* text : {"1e-400", "5e-99999999999999999999", "1e-400"}) {
    EXPECT_EQ(capped(text), "1") << "Kubernetes rounds up what is less than its smallest unit: " << text;
    EXPECT_EQ(capped(text, Rounding::down), "0") << text;
  }
  EXPECT_EQ(*read_capped_units("cpu", "9223372036854775808m", Rounding::up), kCapUnits);
  EXPECT_EQ(*read_units("cpu", "1e-400", Rounding::up), 1);
  EXPECT_EQ(capped_sum(kCapUnits, 1), kCapUnits);
  EXPECT_EQ(capped_sum(1, 2), 3);
}

TEST(Amounts, LimitsAreWrittenInTheUnitOfTheRequest) {
  EXPECT_EQ(written_in("50Mi"), 1 << 20);
  EXPECT_EQ(written_in("1.5Gi"), 1 << 20);
  EXPECT_EQ(written_in("640Ki"), 1 << 10);
  EXPECT_EQ(written_in("2G"), 1'000'000);
  EXPECT_EQ(written_in("900k"), 1'000);
  EXPECT_EQ(written_in("134217728"), 1);
  EXPECT_EQ(written_in("1e9"), 1);
}

TEST(Amounts, OfACapacityAreReadByName) {
  const Result<std::vector<Amount>> amounts = read_amounts("cpu=2,memory=1800Mi", Rounding::down);
  ASSERT_TRUE(amounts);
  ASSERT_EQ(amounts->size(), 2u);
  EXPECT_EQ((*amounts)[0].resource, "cpu");
  EXPECT_EQ((*amounts)[0].units, 2000);
  EXPECT_EQ((*amounts)[1].units, Units{1800} << 20);
}

TEST(Amounts, ThatMakeNoSenseAreRefused) {
  const auto refusal = [](std::string_view text) {
    const Result<std::vector<Amount>> amounts = read_amounts(text, Rounding::down);
    return amounts ? "read" : amounts.error().message;
  };
  EXPECT_THAT(refusal(""), HasSubstr("not an amount by name"));
  EXPECT_THAT(refusal("cpu"), HasSubstr("not an amount by name"));
  EXPECT_THAT(refusal("cpu=2,"), HasSubstr("not an amount by name"));
  EXPECT_THAT(refusal("cpu=2,cpu=3"), HasSubstr("twice"));
  EXPECT_THAT(refusal("cpu=0"), HasSubstr("more than 0"));
  EXPECT_THAT(refusal("cpu=-1"), HasSubstr("negative"));
  EXPECT_THAT(refusal("cpu=2x"), HasSubstr("not an amount"));
  EXPECT_THAT(refusal("memory=9Ei"), HasSubstr("overflows"));
  EXPECT_THAT(refusal("memory=1Pi"), HasSubstr("more than 128Ti"));
  EXPECT_THAT(refusal("cpu=1E"), HasSubstr("more than 140737488355, the most"));
  EXPECT_THAT(refusal("nvidia.com/gpu=4"), HasSubstr("cannot be shared"));
}

}  // namespace
}  // namespace mirab::kubernetes
