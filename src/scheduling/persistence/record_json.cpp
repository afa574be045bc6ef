#include "scheduling/persistence/record_json.hpp"

#include <climits>
#include <fmt/format.h>

namespace mirab::scheduling {

Json choice_json(const Choice& choice) {
  return {{"name", choice.name}, {"options", to_json(choice.options)}};
}

/// Engine::from checks whether there is such a row.
Choice read_choice(const JsonReader& json) {
  json.allow_only({"name", "options"});
  Choice choice{.name = json["name"].text(), .options = texts_of(json["options"]), .text = {}};
  choice.text = choice.name;
  for (const auto& [option, value] : choice.options)
    choice.text += (choice.text.size() == choice.name.size() ? ":" : ",") + option + "=" + value;
  return choice;
}

Quantity quantity_of(const JsonReader& json) {
  const std::string text = json.text();
  if (json.failed()) return {};
  const Result<Quantity> quantity = Quantity::parse(text);
  if (quantity) return *quantity;
  json.refuse(quantity.error().message);
  return {};
}

void require_version(const JsonReader& json, int version) {
  const int read = json.integer<int>(0, INT_MAX);
  if (!json.failed() && read != version)
    json.refuse(fmt::format("this is version {} of the form; this program reads {}", read, version));
}

int read_decision_version(const JsonReader& json) { return json.integer<int>(1, INT_MAX); }

std::string other_decision_version(int version) {
  return fmt::format("written under decision version {}, and this program decides by version {}", version,
                     kDecisionVersion);
}

Json json_of(const EngineOptions& options) { return to_json(options); }

EngineOptions options_of(const JsonReader& json) {
  EngineOptions options;
  read_json(json, options);
  return options;
}

Json json_of(const std::map<std::string, std::string>& texts) { return to_json(texts); }

std::map<std::string, std::string> texts_of(const JsonReader& json) {
  std::map<std::string, std::string> texts;
  read_json(json, texts);
  return texts;
}

Amounts amounts_of(const JsonReader& json) {
  Amounts amounts;
  read_json(json, amounts);
  return amounts;
}

void add_wish(Json& json, const JobSubmitted& job) {
  for_each_field<JobSubmitted>([&](const auto& field) {
    if (field.in_class) add_member(json, job, field);
  });
}

void read_wish(const JsonReader& json, JobSubmitted& job) {
  for_each_field<JobSubmitted>([&](const auto& field) {
    if (field.in_class) read_member(json, job, field);
  });
}

}  // namespace mirab::scheduling
