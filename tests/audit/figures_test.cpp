// The texts that follow from the list of src/audit/figures.hpp: the schema of outcomes, mirab.Metrics in
// mirab.pyi, the table in docs/reference/output.md, and the columns of the report page.
#include "audit/figures.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "support/generated.hpp"

namespace mirab {
namespace {

using Ordered = nlohmann::ordered_json;

template <class Each>
constexpr Per kPer = std::remove_cvref_t<Each>::kPer;
template <class Each>
using ValueOf = std::remove_cvref_t<decltype(std::declval<typename std::remove_cvref_t<Each>::Record>().*
                                             std::declval<Each>().member)>;
template <class Each>
constexpr bool kMayLackAValue = std::is_same_v<ValueOf<Each>, std::vector<std::optional<double>>>;
template <class Each>
constexpr bool kIsByResource =
    kPer<Each> == Per::resource || std::is_same_v<ValueOf<Each>, std::vector<std::vector<double>>>;

/// Visits the figures that stand under `metrics`.
template <class Visit>
void for_each_metric(Visit visit) {
  for_each_figure<Per::outcome, Per::resource>([&](const auto& figure) {
    if constexpr (!kIsIn<FillRecord, decltype(figure)>) visit(figure);
  });
}

template <class Visit>
void for_each_of_a_filling(Visit visit) {
  for_each_figure<Per::outcome>([&](const auto& figure) {
    if constexpr (kIsIn<FillRecord, decltype(figure)>) visit(figure);
  });
}

TEST(Figures, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  std::set<std::string_view> headings;
  for_each_figure<Per::outcome, Per::resource, Per::user, Per::server>([&](const auto& figure) {
    EXPECT_TRUE(names.insert(figure.name).second) << figure.name;
    EXPECT_TRUE(figure.heading.empty() || headings.insert(figure.heading).second) << figure.heading;
    EXPECT_TRUE(figure.meaning.ends_with('.')) << figure.name;
  });
  EXPECT_EQ(names.size(), std::tuple_size_v<decltype(kFigures)>);
}

// The schema.

template <class Each>
Ordered schema_of_figure(const Each& figure) {
  const Ordered may_be_null = Ordered::parse(R"(["number", "null"])");  // clang 14 leaks a list in braces
  Ordered schema;
  if (kMayLackAValue<Each>) {
    schema["type"] = "object";
    schema["additionalProperties"]["type"] = may_be_null;
  } else if (kIsByResource<Each>) {
    schema["$ref"] = "#/definitions/by_resource";
  } else if (figure.unit == Unit::resource) {
    schema["type"] = "string";
  } else {
    schema["type"] = "number";
    if (figure.unit == Unit::ratio) schema["type"] = may_be_null;
    if (figure.unit == Unit::count) schema["type"] = "integer";
    if (!figure.negative) schema["minimum"] = 0;
    if (figure.within_1) schema["maximum"] = 1;
  }
  schema["description"] = figure.meaning;
  return schema;
}

template <class Each>
std::string property_of(const Each& figure, std::size_t indent) {
  return fmt::format("{}\"{}\": {}", std::string(indent, ' '), figure.name,
                     on_a_line(schema_of_figure(figure)));
}

TEST(Figures, TheSchemaOfOutcomesFollows) {
  const std::string schema = "docs/schema/outcomes.schema.json";
  std::string required;
  std::string properties;
  for_each_metric([&](const auto& figure) {
    required += fmt::format("{}\"{}\"", required.empty() ? "" : ", ", figure.name);
    properties += (properties.empty() ? "" : ",\n") + property_of(figure, 12);
  });
  properties +=
      ",\n            \"lowest_share\": {\"description\": \"The same as min_dominant_share.\", \"type\": "
      "\"number\", \"minimum\": 0}";
  expect_between(schema, "\"metrics\": {\n", "\n        },\n        \"notices\"",
                 "          \"type\": \"object\",\n          \"required\": [" + required +
                     "],\n          \"properties\": {\n" + properties + "\n          }");
  std::string of_filling;
  for_each_of_a_filling([&](const auto& figure) { of_filling += property_of(figure, 8) + ",\n"; });
  expect_between(schema, "        \"seed\": {\"type\": \"integer\", \"minimum\": 0},\n",
                 "        \"unplaced\": {", of_filling);
  std::string of_user;
  for_each_figure<Per::user>([&](const auto& figure) { of_user += property_of(figure, 8) + ",\n"; });
  expect_between(schema, "        \"weight\": {\"type\": \"number\", \"minimum\": 0},\n",
                 "        \"resources\": {", of_user);
  std::string of_server;
  for_each_figure<Per::server>([&](const auto& figure) { of_server += ",\n" + property_of(figure, 8); });
  expect_between(schema, "\"λ per unit, where the mechanism has prices.\"}", "\n      }", of_server);
}

// Python.

TEST(Figures, TheStubsFollow) {
  std::string fields;
  for_each_metric([&]<class Each>(const Each& figure) {
    const std::string type = kMayLackAValue<Each>  ? "dict[str, float | None]"
                             : kIsByResource<Each> ? "dict[str, float]"
                                                   : "float";
    fields += fmt::format("    {}: {}\n", figure.name, type);
  });
  expect_between("src/python/mirab.pyi", "    kind: str\n    value: float\n\n",
                 "class Allocation:", "class Metrics(NamedTuple):\n" + fields + "\n");
}

// The document.

template <class Each>
std::string_view unit_word(const Each& figure) {
  switch (figure.unit) {
    case Unit::number:
      return "";
    case Unit::share:
      return "part of 1";
    case Unit::ratio:
      return "ratio";
    case Unit::amount:
      return "the resource's";
    case Unit::tasks:
    case Unit::count:
      return "tasks";
    case Unit::resource:
      return "name";
  }
  return {};
}

std::string_view better_word(Better better) {
  return better == Better::more ? "more" : better == Better::less ? "less" : "";
}

template <class Each>
std::string_view where_in_json() {
  if (kIsIn<FillRecord, Each>) return ", of a filling";
  return kPer<Each> == Per::user ? ", of a user" : kPer<Each> == Per::server ? ", of a server" : "";
}

TEST(Figures, TheTableOfTheDocumentFollows) {
  std::string rows;
  for_each_figure<Per::outcome, Per::resource, Per::user, Per::server>([&]<class Each>(const Each& figure) {
    const std::string heading =
        (kPer<Each> == Per::resource && !figure.heading.empty() ? "… " : "") + std::string(figure.heading);
    const auto cell = [](std::string_view text) {
      return text.empty() ? std::string() : fmt::format(" {}", text);
    };
    rows += fmt::format("|{} | `{}`{} |{} |{} | {} |\n", cell(heading), figure.name, where_in_json<Each>(),
                        cell(unit_word(figure)), cell(better_word(figure.better)), figure.meaning);
  });
  expect_between("docs/reference/output.md",
                 "| in the table | in JSON | unit | better | meaning |\n|---|---|---|---|---|\n",
                 "| status | `status` |", rows);
}

// The report page.

template <class Each>
std::string column_of(const Each& figure) {
  const std::string path = kIsIn<FillRecord, Each> ? "outcome." : "outcome.metrics.";
  const std::string of_short = figure.name == "min_dominant_share"
                                   ? "outcome => outcome.lowest_share_short ?? undefined"  // null is infinite
                                   : fmt::format("outcome => outcome.metrics_short?.{}", figure.name);
  const bool by_resource = kPer<Each> == Per::resource;
  return fmt::format(
      "  {{\n    heading: {}, {}unit: '{}', better: {},\n    meaning: {},\n    of: {},\n  }},\n",
      Ordered(figure.heading).dump(), by_resource ? "by_resource: true, " : "",
      figure.unit == Unit::share ? "share" : "number",
      figure.better == Better::neither ? "undefined" : fmt::format("'{}'", better_word(figure.better)),
      Ordered(figure.meaning).dump(),
      by_resource         ? fmt::format("(outcome, resource) => {}{}[resource]", path, figure.name)
      : figure.over_short ? of_short
                          : fmt::format("outcome => {}{}", path, figure.name));
}

TEST(Figures, ThePageFollows) {
  std::string columns;
  for_each_figure<Per::outcome, Per::resource>([&](const auto& figure) {
    if (!figure.heading.empty() && !figure.in_detail) columns += column_of(figure);
  });
  expect_text("src/report/page/src/figures.ts",
              R"(// The figures of an outcome, from src/audit/figures.hpp: `make generated` writes this file.

import type {Outcome} from './report_data';

/** A figure that the table shows: a column, or one for each resource. */
export interface Figure {
  heading: string;
  by_resource?: true;
  unit: 'number' | 'share';
  better: 'more' | 'less' | undefined;
  meaning: string;
  of: (outcome: Outcome, resource: string) => number | null | undefined;
}

export const figures: readonly Figure[] = [
)" + columns + "];\n");
}

}  // namespace
}  // namespace mirab
