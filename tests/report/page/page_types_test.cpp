// The TypeScript types of the report page follow from the schemas in docs/schema, which hold for what is
// printed (schema_test.cpp).
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "support/files.hpp"
#include "support/generated.hpp"

namespace mirab {
namespace {

using OrderedSchema = nlohmann::ordered_json;

struct PageType {
  const char* name;
  const char* schema;
  const char* place;
};

constexpr PageType kPageTypes[] = {
    {"Outcomes", "outcomes", ""},
    {"Outcome", "outcomes", "/definitions/outcome"},
    {"UserShare", "outcomes", "/definitions/user"},
    {"Group", "outcomes", "/definitions/group"},
    {"Team", "outcomes", "/definitions/team"},
    {"ServerEntry", "outcomes", "/definitions/server"},
    {"Metrics", "outcomes", "/definitions/outcome/properties/metrics"},
    {"Step", "outcomes", "/definitions/outcome/properties/steps/items"},
    {"Series", "simulation", "/definitions/series/items"},
    {"Quantiles", "simulation", "/definitions/quantiles"},
    {"Traffic", "simulation", "/definitions/traffic"},
    {"TrafficPoint", "simulation", "/definitions/traffic/properties/points/items"},
    {"Trace", "simulation", "/definitions/trace"},
    {"TraceContender", "simulation", "/definitions/trace/properties/contenders/items"},
    {"TraceSummary", "simulation", "/definitions/trace/properties/contenders/items/properties/summary"},
    {"TraceUser", "simulation", "/definitions/trace/properties/contenders/items/properties/users/items"},
    {"TraceTeam", "simulation", "/definitions/trace/properties/contenders/items/properties/teams/items"},
    {"Reallocation", "simulation", "/definitions/reallocation"},
    {"ReallocationContender", "simulation", "/definitions/reallocation/properties/contenders/items"},
    {"Demands", "simulation", "/definitions/demands"},
    {"DemandsContender", "simulation", "/definitions/demands/properties/contenders/items"},
    {"DemandsUser", "simulation", "/definitions/demands/properties/contenders/items/properties/users/items"},
    {"Overlay", "simulation", "/definitions/overlay"},
    {"OverlayRun", "simulation", "/definitions/overlay_run"},
    {"OverlayFrames", "simulation", "/definitions/overlay_run/properties/frames"},
    {"Reproduction", "reproduction", ""},
    {"Result", "reproduction", "/definitions/result"},
    {"Verdict", "reproduction", "/definitions/result/properties/verdict"},
    {"Check", "reproduction", "/definitions/check"},
    {"Plot", "reproduction", "/definitions/figure"},
    {"Curve", "reproduction", "/definitions/figure/properties/curves/items"},
    {"Explained", "explanation", ""},
    {"Surveyed", "survey", ""},
    {"SurveyedUser", "survey", "/definitions/user"},
    {"FullResource", "survey", "/definitions/binding"},
    {"TriedChange", "survey", "/definitions/what_if"},
    {"Compared", "difference", ""},
    {"ComparedSide", "difference", "/definitions/side"},
    {"ComparedUser", "difference", "/properties/users/items"},
    {"ComparedGroup", "difference", "/properties/groups/items"},
    {"ComparedGroupShare", "difference", "/definitions/group_share"},
    {"Audited", "audit", ""},
    {"AuditedMechanism", "audit", "/properties/outcomes/items"},
    {"AuditVerdict", "audit", "/definitions/verdict"},
    {"Violation", "audit", "/definitions/event"},
    {"Limited", "limits", ""},
    {"LimitedPod", "limits", "/properties/pods/items"},
    {"LimitedContainer", "limits", "/definitions/container"},
    {"Planned", "plan", ""},
    {"PlannedKind", "plan", "/definitions/kind"},
};

/// Types of one schema; a place that has a name is called by it.
class Types {
 public:
  explicit Types(const std::string& name)
      : schema_(OrderedSchema::parse(read_text(MIRAB_SOURCE_DIR "/docs/schema/" + name + ".schema.json"))) {
    for (const PageType& type : kPageTypes)
      if (name == type.schema) names_[type.place] = type.name;
  }

  std::string declared(const PageType& type) const {
    const OrderedSchema& at = schema_.at(OrderedSchema::json_pointer(type.place));
    if (!at.contains("properties"))
      return fmt::format("export type {} = {};\n", type.name, type_at(type.place));
    return fmt::format("{}export interface {} {{\n{}}}\n", comment(at, ""), type.name,
                       members(type.place, "  ", "\n"));
  }

 private:
  static std::string comment(const OrderedSchema& at, const std::string& indent) {
    if (!at.contains("description")) return {};
    return fmt::format("{}/** {} */\n", indent, at["description"].get<std::string>());
  }

  std::string members(const std::string& place, const std::string& indent, const std::string& end) const {
    const OrderedSchema& object = schema_.at(OrderedSchema::json_pointer(place));
    const OrderedSchema required = object.value("required", OrderedSchema::array());
    std::string text;
    for (const auto& [name, property] : object["properties"].items()) {
      const bool always = std::find(required.begin(), required.end(), name) != required.end();
      if (end == "\n") text += comment(property, indent);
      text += fmt::format("{}{}{}: {};{}", indent, name, always ? "" : "?",
                          reference(place + "/properties/" + name), end);
    }
    return text;
  }

  /// By its name, where it has one.
  std::string reference(const std::string& place) const {
    const auto named = names_.find(place);
    return named != names_.end() ? named->second : type_at(place);
  }

  std::string type_at(const std::string& place) const {
    const OrderedSchema& at = schema_.at(OrderedSchema::json_pointer(place));
    if (at.contains("$ref")) return reference(at["$ref"].get<std::string>().substr(1));
    if (at.contains("const")) return literal(at["const"]);
    if (at.contains("allOf")) return reference(place + "/allOf/0");
    std::string alternatives;
    const auto add = [&](const std::string& each) {
      alternatives += (alternatives.empty() ? "" : " | ") + each;
    };
    if (at.contains("enum")) {
      for (const OrderedSchema& word : at["enum"]) add(literal(word));
    } else if (at.contains("oneOf") && !at.contains("properties")) {
      for (std::size_t k = 0; k < at["oneOf"].size(); ++k)
        add(reference(fmt::format("{}/oneOf/{}", place, k)));
    } else if (at.contains("type") && at["type"].is_array()) {
      for (const OrderedSchema& type : at["type"]) add(of_type(type, place));
    } else {
      add(of_type(at.value("type", "object"), place));
    }
    return alternatives;
  }

  std::string of_type(const std::string& type, const std::string& place) const {
    const OrderedSchema& at = schema_.at(OrderedSchema::json_pointer(place));
    if (type == "integer") return "number";
    if (type == "array") {
      const std::string item = reference(place + "/items");
      if (at.value("minItems", 0) == 2 && at.value("maxItems", 0) == 2)
        return fmt::format("[{0}, {0}]", item);
      return (item.find(" | ") == std::string::npos ? item : "(" + item + ")") + "[]";
    }
    if (type != "object") return type;
    if (at.contains("properties")) {
      std::string inside = members(place, "", " ");
      inside.erase(inside.size() - 2);  // the last semicolon
      return "{" + inside + "}";
    }
    if (!at.contains("additionalProperties") || !at["additionalProperties"].is_object()) return "unknown";
    return fmt::format("Record<string, {}>", reference(place + "/additionalProperties"));
  }

  static std::string literal(const OrderedSchema& value) {
    return value.is_string() ? "'" + value.get<std::string>() + "'" : value.dump();
  }

  OrderedSchema schema_;
  std::map<std::string, std::string> names_;
};

TEST(PageTypes, FollowFromTheSchemas) {
  std::string text =
      "// What Mirab writes as JSON, from the schemas in docs/schema: `make generated` writes this file. A "
      "number that is\n"
      "// not finite is null.\n";
  for (const PageType& type : kPageTypes) text += "\n" + Types(type.schema).declared(type);
  expect_text("src/report/page/src/schema_types.ts", text);
}

}  // namespace
}  // namespace mirab
