// The texts that follow from the lists of fields in mirab/scheduling/events.hpp, engine.hpp and
// scheduling/records/reasons.hpp: the schema of event logs, the events, decisions, options and reasons in
// mirab.pyi, the tables of events in docs/reference/engine.md, and the structs of mirab/engine.h.

#include <cctype>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "c_api/event_structs.hpp"
#include "scheduling/persistence/record_json.hpp"
#include "scheduling/records/reasons.hpp"
#include "support/generated.hpp"

namespace mirab::scheduling {
namespace {

using Ordered = nlohmann::ordered_json;

template <class Each>
using Applied = decltype(std::declval<Engine&>().apply(std::declval<const Each&>(), Time()));
template <class Each>
inline constexpr bool kGivesLost = std::is_same_v<Applied<Each>, Result<std::vector<Lost>>>;
template <class Each>
inline constexpr bool kGivesId = !kGivesLost<Each> && !std::is_same_v<Applied<Each>, Check>;

template <class T>
struct Inner {
  using Type = T;
};
template <class T>
struct Inner<std::optional<T>> {
  using Type = T;
};
template <class T>
struct Inner<std::vector<T>> {
  using Type = T;
};
template <class T>
struct Inner<std::map<std::string, T>> {
  using Type = T;
};

/// user-added as UserAdded or user_added.
std::string type_name(std::string_view event) {
  std::string name;
  for (std::size_t i = 0; i < event.size(); ++i) {
    if (event[i] == '-') continue;
    const bool begins = i == 0 || event[i - 1] == '-';
    name += begins ? static_cast<char>(std::toupper(static_cast<unsigned char>(event[i]))) : event[i];
  }
  return name;
}
std::string method_name(std::string_view event) {
  return std::regex_replace(std::string(event), std::regex("-"), "_");
}

// The schema.

template <class Each>
Ordered object_schema(Ordered properties, std::vector<std::string> required);

Ordered reference(const std::string& definition) { return {{"$ref", "#/definitions/" + definition}}; }

template <class Member>
Ordered schema_of() {
  using Part = typename Inner<Member>::Type;
  if constexpr (HasFields<Member>) {
    return object_schema<Member>(Ordered::object(), {});
  } else if constexpr (std::is_enum_v<Member> && !kWords<Member>.empty()) {
    return {{"enum", kWords<Member>}};
  } else if constexpr (std::is_enum_v<Member>) {
    return reference("id");
  } else if constexpr (std::is_same_v<Member, Quantity>) {
    return reference("decimal");
  } else if constexpr (std::is_same_v<Member, Duration>) {
    return reference("duration");
  } else if constexpr (std::is_same_v<Member, Time>) {
    return reference("now");
  } else if constexpr (std::is_same_v<Member, bool>) {
    return {{"type", "boolean"}};
  } else if constexpr (std::is_same_v<Member, Choice>) {
    return reference("choice");
  } else if constexpr (std::is_same_v<Member, Amounts>) {
    return reference("amounts");
  } else if constexpr (kIsOptional<Member>) {
    return schema_of<Part>();
  } else if constexpr (kIsMap<Member>) {
    return {{"type", "object"}, {"additionalProperties", schema_of<Part>()}};
  } else if constexpr (kIsList<Member>) {
    return {{"type", "array"}, {"items", schema_of<Part>()}};
  } else if constexpr (std::is_integral_v<Member>) {
    return {{"type", "integer"}, {"minimum", 1}};
  } else {
    return {{"type", "string"}};
  }
}

/// With these properties and those of the record.
template <class Each>
Ordered object_schema(Ordered properties, std::vector<std::string> required) {
  for_each_field<Each>([&]<class Member>(const Field<Each, Member>& field) {
    Ordered& property = properties[std::string(field.name)] = schema_of<Member>();
    if (field.any_sign) property.erase("minimum");
    if (!property.contains("$ref")) property["description"] = field.meaning;
    if (field.presence < Presence::replaceable) required.emplace_back(field.name);
  });
  return {{"type", "object"},
          {"required", std::move(required)},
          {"additionalProperties", false},
          {"properties", std::move(properties)}};
}

Ordered log_schema() {
  Ordered lines = Ordered::array();
  lines.push_back(object_schema<EngineOptions>(Ordered::object(), {}));
  const Ordered decision_version = {
      {"type", "integer"},
      {"minimum", 1},
      {"description", "kDecisionVersion of the program that wrote the log; left out in older logs"}};
  lines[0] = {{"type", "object"},
              {"required", {"mirab", "version", "options"}},
              {"additionalProperties", false},
              {"properties",
               {{"mirab", {{"const", "event log"}}},
                {"version", {{"const", 1}}},
                {"decision_version", decision_version},
                {"options", Ordered(lines[0])}}}};
  for_each_event([&]<class Each>(std::type_identity<Each>) {
    Ordered event = object_schema<Each>(
        {{"now", reference("now")}, {"event", {{"const", Declared<Each>::kName}}}}, {"now", "event"});
    event["description"] = Declared<Each>::kEffect;
    if (kGivesId<Each>) event["properties"]["gives"] = reference("id");
    if (kGivesLost<Each>) event["properties"]["lost"] = schema_of<std::vector<Lost>>();
    lines.push_back(std::move(event));
  });
  const Ordered nothing = {{"type", "null"}};
  const Ordered placed = {{"anyOf", Ordered::array({nothing, schema_of<Placed>()})}};
  const Ordered seed = {
      {"type", "integer"}, {"minimum", 0}, {"description", "of the source of random numbers"}};
  lines.push_back(
      {{"type", "object"},
       {"required", {"now", "event", "seed"}},
       {"additionalProperties", false},
       {"properties",
        {{"now", reference("now")}, {"event", {{"const", "step"}}}, {"seed", seed}, {"placed", placed}}}});
  Ordered schema = Ordered::parse(R"({
    "$schema": "http://json-schema.org/draft-07/schema#",
    "title": "One line of an event log of Mirab's engine",
    "description": "The first line has the options; every other one an event or a step.",
    "definitions": {
      "id": {"type": "integer", "minimum": 0},
      "now": {"type": "integer", "description": "nanoseconds since an origin that the caller chooses"},
      "amounts": {
        "type": "array",
        "items": {"type": "integer", "minimum": 0},
        "description": "whole units, in the order of the resources"
      },
      "duration": {"type": "integer", "minimum": 1, "description": "nanoseconds"},
      "decimal": {"type": "string", "description": "an exact decimal"},
      "choice": {
        "type": "object",
        "required": ["name", "options"],
        "additionalProperties": false,
        "properties": {
          "name": {"type": "string"},
          "options": {"type": "object", "additionalProperties": {"type": "string"}}
        }
      }
    }
  })");
  schema["oneOf"] = std::move(lines);
  return schema;
}

/// On as many lines of at most 110 columns as it takes, of which the first begins at a column.
std::string pretty(const Ordered& json, std::size_t indent, std::size_t column) {
  constexpr std::size_t kColumns = 110;
  const std::string line = on_a_line(json);
  if (column + line.size() <= kColumns || json.empty() || !json.is_structured()) return line;
  const std::string blanks(indent + 2, ' ');
  std::string text;
  for (const auto& [key, value] : json.items()) {
    const std::string name = json.is_object() ? Ordered(key).dump() + ": " : "";
    text += (text.empty() ? "\n" : ",\n") + blanks + name;
    text += pretty(value, indent + 2, indent + 3 + name.size());
  }
  text += "\n" + std::string(indent, ' ');
  return json.is_object() ? "{" + text + "}" : "[" + text + "]";
}

TEST(Records, TheSchemaOfEventLogsFollows) {
  expect_text("docs/schema/event-log.schema.json", pretty(log_schema(), 0, 0) + "\n");
}

// mirab.pyi.

template <class Member>
std::string python_type() {
  using Part = typename Inner<Member>::Type;
  if constexpr (std::is_same_v<Member, Spread>) {
    return "str | tuple[str, int]";
  } else if constexpr (std::is_same_v<Member, Role>) {
    return "tuple[int, Amounts]";
  } else if constexpr (std::is_same_v<Member, Rank>) {
    return "int | tuple[int, Time, int]";
  } else if constexpr (std::is_same_v<Member, Time>) {
    return "Time";
  } else if constexpr (std::is_same_v<Member, bool>) {
    return "bool";
  } else if constexpr (std::is_same_v<Member, Reserving>) {
    return "Reserving";
  } else if constexpr (std::is_same_v<Member, Preempting>) {
    return "Preempting";
  } else if constexpr (std::is_same_v<Member, Duration>) {
    return "Time";
  } else if constexpr (std::is_enum_v<Member> && !kWords<Member>.empty()) {
    std::string words;
    for (const std::string_view word : kWords<Member>)
      words += (words.empty() ? "\"" : ", \"") + std::string(word) + "\"";
    return "Literal[" + words + "]";
  } else if constexpr (std::is_same_v<Member, Quantity>) {
    return "Number";
  } else if constexpr (std::is_same_v<Member, Amounts>) {
    return "Amounts";
  } else if constexpr (kIsOptional<Member>) {
    return python_type<Part>() + " | None";
  } else if constexpr (kIsMap<Member>) {
    return "Mapping[str, " + python_type<Part>() + "]";
  } else if constexpr (kIsList<Member>) {
    return "Sequence[" + python_type<Part>() + "]";
  } else if constexpr (std::is_integral_v<Member> || std::is_enum_v<Member>) {
    return "int";
  } else {
    return "str";
  }
}

template <class Member>
std::string python_default(const Member& value) {
  if constexpr (kIsOptional<Member>) {
    return "None";
  } else if constexpr (std::is_same_v<Member, Quantity>) {
    return value.text();
  } else if constexpr (std::is_same_v<Member, std::vector<Quantity>> ||
                       std::is_same_v<Member, std::vector<ServerId>>) {
    return "()";
  } else if constexpr (std::is_same_v<Member, bool>) {
    return value ? "True" : "False";
  } else {
    return to_json(value).dump();
  }
}

/// As the formatter of Python code lays it out.
std::string method(const std::string& name, const std::vector<std::string>& arguments,
                   const std::string& result) {
  constexpr std::size_t kColumns = 110;
  std::string list;
  for (const std::string& each : arguments) list += (list.empty() ? "" : ", ") + each;
  const std::string begin = "    def " + name + "(";
  const std::string end = ") -> " + result + ": ...\n";
  if (begin.size() + list.size() + end.size() - 1 <= kColumns) return begin + list + end;
  if (8 + list.size() <= kColumns) return begin + "\n        " + list + "\n    " + end;
  std::string text = begin + "\n";
  for (const std::string& each : arguments) text += "        " + each + ",\n";
  return text + "    " + end;
}

constexpr Presence kNever{4};  // given by name alone

/// The fields as arguments after `self`; those from `by_name` on are given by name.
template <class Each>
std::vector<std::string> arguments_of(Presence by_name) {
  std::vector<std::string> arguments = {"self"};
  bool star = false;
  const Each record{};
  for_each_field<Each>([&]<class Member>(const Field<Each, Member>& field) {
    if (field.presence >= by_name && !std::exchange(star, true)) arguments.emplace_back("*");
    arguments.push_back(std::string(field.name) + ": " + python_type<Member>());
    if (!field.python_default.empty()) {
      arguments.back() += " = \"" + std::string(field.python_default) + "\"";
    } else if (field.presence != Presence::required) {
      arguments.back() += " = " + python_default(record.*field.member);
    }
  });
  if (!star) arguments.emplace_back("*");
  return arguments;
}

template <class Each>
std::string method_of() {
  std::vector<std::string> arguments = arguments_of<Each>(Presence::optional);
  arguments.emplace_back("now: Time | None = None");
  return method(method_name(Declared<Each>::kName), arguments,
                kGivesLost<Each> ? "list[Lost]"
                : kGivesId<Each> ? "int"
                                 : "None");
}

/// A class that is made of the fields, and has them. None is given by name alone.
template <class Rule>
std::string rule_of(const std::string& name) {
  std::vector<std::string> arguments = arguments_of<Rule>(kNever);
  arguments.pop_back();  // the star
  std::string text = "class " + name + ":\n" + method("__init__", arguments, "None");
  for_each_field<Rule>([&]<class Member>(const Field<Rule, Member>& field) {
    const std::string type = std::regex_replace(python_type<Member>(), std::regex("Time"), "int");
    text += "    @property\n    def " + std::string(field.name) + "(self) -> " + type + ": ...\n";
  });
  return text;
}

/// Decisions hold identifiers, and tuples of other decisions.
template <class T>
std::string named_tuple_of(const std::string& name) {
  std::string text = "class " + name + "(NamedTuple):\n";
  for_each_field<T>([&]<class Member>(const Field<T, Member>& field) {
    std::string type = "int";
    if constexpr (std::is_same_v<Member, std::vector<Companion>>) type = "tuple[Companion, ...]";
    if constexpr (std::is_same_v<Member, std::vector<Preempted>>) type = "tuple[Preempted, ...]";
    if constexpr (std::is_enum_v<Member> && !kWords<Member>.empty()) type = python_type<Member>();
    text +=
        "    " + std::string(field.python_name.empty() ? field.name : field.python_name) + ": " + type + "\n";
  });
  return text;
}

TEST(Records, TheEventsOfTheStubsFollow) {
  std::string methods;
  for_each_event([&]<class Each>(std::type_identity<Each>) { methods += method_of<Each>(); });
  expect_between("src/python/mirab.pyi", "    def seed(self, seed: int) -> None: ...\n", "    def step(self",
                 methods);
}

TEST(Records, TheDecisionsOfTheStubsFollow) {
  expect_between("src/python/mirab.pyi", "def placements() -> dict[str, str]: ...\n\n", "class Reserving:",
                 named_tuple_of<Companion>("Companion") + "\n" + named_tuple_of<Lost>("Lost") + "\n" +
                     named_tuple_of<Preempted>("Preempted") + "\n" + named_tuple_of<Placed>("Placed") + "\n");
}

TEST(Records, TheOptionsOfTheStubsFollow) {
  expect_between("src/python/mirab.pyi", "    preempted: tuple[Preempted, ...]\n    role: int\n\n",
                 "\nclass Reservation(",
                 rule_of<Reserving>("Reserving") + "\n" + rule_of<Preempting>("Preempting"));
  std::vector<std::string> arguments = arguments_of<EngineOptions>(Presence::defaulted);
  arguments.emplace_back("seed: int = 0");
  expect_between("src/python/mirab.pyi", "\nclass Engine:\n", "    @staticmethod\n    def restore(",
                 method("__init__", arguments, "None"));
}

// The reasons of mirab.pyi.

template <class Member>
std::string reason_type(std::string_view field) {
  using Part = typename Inner<Member>::Type;
  if constexpr (std::is_same_v<Member, Right>) {
    return python_type<Member>();
  } else if constexpr (std::is_same_v<Member, InTheWay>) {
    std::string words;
    for (const std::string_view word : kWords<InTheWay>)
      words += (words.empty() ? "\"" : ", \"") + std::string(word) + "\"";
    return "Literal[\n        " + words + "\n    ]";
  } else if constexpr (kIsOptional<Member>) {
    return reason_type<Part>(field) + " | None";
  } else if constexpr (std::is_same_v<Member, std::vector<Preempted>>) {
    return "list[Preempted]";
  } else if constexpr (std::is_same_v<Member, Amounts>) {
    return "tuple[int, ...]";
  } else if constexpr (kIsList<Member>) {
    return "list[" + reason_type<Part>(field) + "]";
  } else if constexpr (HasFields<Member>) {
    return std::string(Declared<Member>::kName.substr(Declared<Member>::kName.find('.') + 1));
  } else if constexpr (std::is_same_v<Member, bool>) {
    return "bool";
  } else if constexpr (std::is_floating_point_v<Member>) {
    return "float";
  } else if constexpr (std::is_same_v<Member, Time> || std::is_enum_v<Member> || std::is_integral_v<Member>) {
    return field == "resource" ? "str" : "int";
  } else {
    return "str";
  }
}

TEST(Records, TheReasonsOfTheStubsFollow) {
  std::string classes;
  for_each_reason([&]<class T>(std::type_identity<T>) {
    classes += "class " + reason_type<T>("") + "(NamedTuple):\n";
    constexpr bool kIsAsked =
        std::is_same_v<T, WhyWaiting> || std::is_same_v<T, WhyNotOn> || std::is_same_v<T, WhyPlaced>;
    if (kIsAsked) classes += "    text: str\n";
    for_each_field<T>([&]<class Member>(const Field<T, Member>& field) {
      if (field.in_tuples)
        classes += "    " + std::string(field.name) + ": " + reason_type<Member>(field.name) + "\n";
    });
    if (std::is_same_v<T, WhyWaiting>) classes += "    is_next: bool\n";
    classes += "\n";
  });
  expect_between("src/python/mirab.pyi", "    drained: bool\n\n", "class Engine:", classes);
}

// The tables in docs/reference/engine.md.

TEST(Records, TheTableOfEventsFollows) {
  std::string table = "\n| event | effect | refused |\n|---|---|---|\n";
  std::string members = "\n| event | member | meaning |\n|---|---|---|\n";
  for_each_event([&]<class Each>(std::type_identity<Each>) {
    const std::string name = type_name(Declared<Each>::kName);
    const std::string refused(Declared<Each>::kRefused);
    table += "| `" + name + "` | " + std::string(Declared<Each>::kEffect) + " |" +
             (refused.empty() ? "" : " " + refused) + " |\n";
    for_each_field<Each>([&](const auto& field) {
      const bool required = field.presence == Presence::required;
      members += "| `" + name + "` | `" + std::string(field.name) + "` | " + std::string(field.meaning) +
                 (required ? "" : " (may be left out)") + " |\n";
    });
  });
  expect_between("docs/reference/engine.md", "<!-- events: from include/mirab/scheduling/events.hpp -->\n",
                 "\n<!-- end -->", table + members);
}

// The C interface.

constexpr std::size_t kHeaderColumns = 118;

/// A struct with the fields after its size. A count is that of what stands before it.
template <class Record>
std::string struct_of(const std::string& name) {
  std::vector<std::pair<std::string, std::string>> members = {
      {"size_t size;", "sizeof(" + name + ")"}};  // declaration, meaning
  for_each_field<Record>([&]<class Member>(const Field<Record, Member>& field) {
    const auto plain = c_api::in_struct<Member>();
    const std::string optional = field.presence == Presence::optional ? "; optional" : "";
    members.emplace_back(std::string(plain.spelled) + std::string(field.name) + ";",
                         std::string(field.meaning) + optional);
    if (plain.counted) members.emplace_back("size_t " + std::string(field.name) + "_count;", "");
  });
  std::size_t widest = 0;
  for (const auto& [declaration, meaning] : members) widest = std::max(widest, declaration.size());
  std::string text = "typedef struct " + name + " {\n";
  for (const auto& [declaration, meaning] : members) {
    text += "  " + declaration;
    if (!meaning.empty()) text += std::string(widest + 1 - declaration.size(), ' ') + "/* " + meaning + " */";
    text += "\n";
  }
  return text + "} " + name + ";\n";
}

template <class Each>
std::string function_of(const std::string& event) {
  const std::string begin = "mirab_status mirab_apply_" + event + "(";
  std::vector<std::string> arguments = {"mirab_engine* engine", "int64_t now",
                                        "const mirab_" + event + "_event* event"};
  if (kGivesId<Each>) arguments.emplace_back("mirab_id* given");
  if (kGivesLost<Each>) {
    arguments.emplace_back("mirab_on_lost on_lost");
    arguments.emplace_back("void* context");
  }
  std::string text = begin;
  std::size_t column = begin.size();
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const std::string next = arguments[k] + (k + 1 < arguments.size() ? "," : ");");
    if (column + 1 + next.size() > kHeaderColumns) {
      text += "\n" + std::string(begin.size() - 1, ' ');
      column = begin.size() - 1;
    }
    text += (k == 0 ? "" : " ") + next;
    column += 1 + next.size();
  }
  return text + "\n";
}

TEST(Records, TheStructsOfTheCInterfaceFollow) {
  std::string text = struct_of<Spread>("mirab_spread") + "\n" + struct_of<Rank>("mirab_rank") + "\n";
  for_each_event([&]<class Each>(std::type_identity<Each>) {
    const std::string event = method_name(Declared<Each>::kName);
    std::string effect(Declared<Each>::kEffect);
    effect[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(effect[0])));
    text += "/* " + effect + ". */\n" + struct_of<Each>("mirab_" + event + "_event") +
            function_of<Each>(event) + "\n";
  });
  expect_between("include/mirab/engine.h", "/* events: from include/mirab/scheduling/events.hpp */\n",
                 "/* end */", text);
}

// A program in C that was compiled before a field was added does not know it.
TEST(Records, WhatCMayLeaveOutComesLast) {
  for_each_event([&]<class Each>(std::type_identity<Each>) {
    bool optional = false;
    for_each_field<Each>([&](const auto& field) {
      const bool this_one = field.presence == Presence::optional;
      EXPECT_TRUE(this_one || !optional) << Declared<Each>::kName << ": " << field.name;
      optional = this_one;
    });
  });
}

}  // namespace
}  // namespace mirab::scheduling
