#include "report/page/html.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "report/sample.hpp"

namespace mirab::report {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Html, NoNameInTheDataCanEndTheScriptThatHoldsIt) {
  const std::string html = embed("<script>__MIRAB_DATA__</script>", {{"name", "</script><b>"}});
  EXPECT_EQ(html, "<script>{\"name\":\"\\u003c/script>\\u003cb>\"}</script>");
}

TEST(Html, WhatIsEmbeddedReadsBackAsTheSameData) {
  const nlohmann::ordered_json data{{"name", "a<b & \"c\" ü"}, {"value", 1.0 / 3}};
  EXPECT_EQ(nlohmann::ordered_json::parse(embed("__MIRAB_DATA__", data)), data);
}

TEST(Html, ThePageGetsTitleAndCommand) {
  const std::string html =
      report_html("<p>__MIRAB_DATA__</p>", test::comparison({test::outcome("drf", 3, 2)}),
                  {.command = "mirab allocate x", .made = "mirab 1, 2026-11-23"});
  EXPECT_THAT(html, StartsWith("<p>{\"version\":1,"));
  EXPECT_THAT(html, EndsWith("\"title\":\"textbook.yaml\",\"command\":\"mirab allocate x\","
                             "\"made\":\"mirab 1, 2026-11-23\"}</p>"));
}

TEST(Html, OfALongFillingEveryUsersLastStepIsKept) {
  Outcome filling = test::filling("fifo", 3, 2);
  filling.filling->unplaced = {Unplaced::no_room, Unplaced::no_room};
  for (int step = 0; step < 100'000; ++step)
    filling.filling->steps.push_back({step == 777 ? 1U : 0U, 0, 0, 1e-5 * step});

  Comparison comparison{"long", test::slides(), 1, {}};
  comparison.outcomes.push_back(measured(comparison.problem, filling));
  const auto steps =
      nlohmann::json::parse(report_html("__MIRAB_DATA__", comparison, {}))["outcomes"][0]["steps"];

  EXPECT_LE(steps.size(), 4002U);
  EXPECT_EQ(steps.back()["step"], 100'000);
  EXPECT_EQ(std::count_if(steps.begin(), steps.end(), [](const auto& step) { return step["user"] == "B"; }),
            1);
}

}  // namespace
}  // namespace mirab::report
