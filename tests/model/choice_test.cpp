#include <array>
#include <gmock/gmock.h>

#include <mirab/model/choice.hpp>

namespace mirab {
namespace {

using ::testing::HasSubstr;
using ::testing::StrEq;

constexpr std::array<std::string_view, 1> kAliases = {"ceei"};
constexpr std::array kOptions = {
    OptionInfo{.name = "alpha", .fallback = "", .meaning = "any number > 0"},
    OptionInfo{.name = "yardstick", .fallback = "tasks", .meaning = "tasks or dominant"}};
constexpr std::array kRows = {ChoosableRow{.name = "drf", .aliases = {}, .options = {}},
                              ChoosableRow{.name = "pf", .aliases = kAliases, .options = {}},
                              ChoosableRow{.name = "alpha-fair", .aliases = {}, .options = kOptions}};

std::string choice_refusal(std::string_view text) {
  const Result<Choice> choice = choose(text, "mechanism", kRows);
  return choice ? "accepted" : choice.error().message;
}

TEST(Choice, OptionsFollowTheNameAfterAColon) {
  const Result<Choice> choice = choose("alpha-fair:alpha=2,yardstick=dominant", "mechanism", kRows);
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->name, "alpha-fair");
  EXPECT_EQ(choice->text, "alpha-fair:alpha=2,yardstick=dominant");
  EXPECT_EQ(*number_option(*choice, "alpha", 1), 2.0);
  const std::array<std::string_view, 2> words = {"tasks", "dominant"};
  EXPECT_EQ(*word_option(*choice, "yardstick", words), 1u);
}

TEST(Choice, AnAliasBecomesTheNameItStandsFor) { EXPECT_EQ(choose("ceei", "mechanism", kRows)->name, "pf"); }

TEST(Choice, AnUnknownNameIsAnsweredWithTheNearest) {
  EXPECT_THAT(choice_refusal("drff"), StrEq("there is no mechanism 'drff'; did you mean drf?"));
  EXPECT_THAT(choice_refusal("alpha"), HasSubstr("did you mean alpha-fair?"));
  EXPECT_THAT(choice_refusal("xyzzy"), HasSubstr("there are drf, pf, ceei and alpha-fair"));
  EXPECT_THAT(choice_refusal(""), HasSubstr("there is no mechanism ''"));
}

TEST(Choice, CapitalsDoNotHideTheNearestName) {
  EXPECT_THAT(choice_refusal("DRF"), StrEq("there is no mechanism 'DRF'; did you mean drf?"));
  EXPECT_THAT(choice_refusal("ALPHA"), HasSubstr("did you mean alpha-fair?"));
  const std::array<std::string_view, 1> names = {"GPU-Model"};
  EXPECT_THAT(nearest_names("gpu-model", names), StrEq("; did you mean GPU-Model?"));
}

TEST(Choice, AWrongOptionIsNamedWithTheRightOnes) {
  EXPECT_THAT(choice_refusal("drf:alpha=2"), HasSubstr("'drf' has no option 'alpha'; it has none"));
  EXPECT_THAT(choice_refusal("alpha-fair:beta=2"), HasSubstr("its options are alpha and yardstick"));
  EXPECT_THAT(choice_refusal("alpha-fair"), HasSubstr("needs option 'alpha'"));
  EXPECT_THAT(choice_refusal("alpha-fair:alpha"), HasSubstr("needs a value"));
  EXPECT_THAT(choice_refusal("alpha-fair:alpha="), HasSubstr("needs a value"));
  EXPECT_THAT(choice_refusal("alpha-fair:alpha=1,alpha=2"), HasSubstr("given twice"));
  EXPECT_THAT(choice_refusal("drf:"), HasSubstr("an option must follow the colon"));
}

TEST(Choice, OptionValuesAreChecked) {
  const Choice choice{.name = "alpha-fair", .options = {{"alpha", "two"}, {"yardstick", "cpu"}}, .text = ""};
  EXPECT_THAT(number_option(choice, "alpha", 1).error().message,
              HasSubstr("must be a finite number, not 'two'"));
  const std::array<std::string_view, 2> words = {"tasks", "dominant"};
  EXPECT_THAT(word_option(choice, "yardstick", words).error().message,
              HasSubstr("must be tasks or dominant, not 'cpu'"));
  const Choice infinite{.name = "alpha-fair", .options = {{"alpha", "inf"}}, .text = ""};
  EXPECT_FALSE(number_option(infinite, "alpha", 1));
}

}  // namespace
}  // namespace mirab
