#include "scheduling/engine_json.hpp"

namespace mirab::scheduling {
namespace {

Json json_of(const Choice& choice) {
  return {{"name", choice.name}, {"options", mirab::scheduling::json_of(choice.options)}};
}

/// Whether there is such a row, Engine::from says.
Choice choice_of(const JsonReader& json) {
  json.allow_only({"name", "options"});
  Choice choice{.name = json["name"].text(), .options = texts_of(json["options"]), .text = {}};
  choice.text = choice.name;
  for (const auto& [option, value] : choice.options)
    choice.text += (choice.text.size() == choice.name.size() ? ":" : ",") + option + "=" + value;
  return choice;
}

}  // namespace

Quantity quantity_of(const JsonReader& json) {
  const std::string text = json.text();
  if (json.failed()) return {};
  const Result<Quantity> quantity = Quantity::parse(text);
  if (quantity) return *quantity;
  json.refuse(quantity.error().message);
  return {};
}

Json json_of(const EngineOptions& options) {
  static constexpr const char* kTie[] = {"first", "last", "random"};
  static constexpr const char* kOversized[] = {"refuse", "wait"};
  Json json = {{"resources", options.resources},
               {"discipline", json_of(options.discipline)},
               {"placement", json_of(options.placement)},
               {"tie", kTie[static_cast<std::size_t>(options.tie)]},
               {"oversized", kOversized[static_cast<std::size_t>(options.oversized)]}};
  for (const Quantity& scale : options.share_scale) json["share_scale"].push_back(scale.text());
  if (options.half_life) json["half_life"] = options.half_life->count();
  return json;
}

EngineOptions options_of(const JsonReader& json) {
  json.allow_only({"resources", "discipline", "placement", "tie", "oversized", "share_scale", "half_life"});
  EngineOptions options{.resources = json["resources"].texts(),
                        .discipline = choice_of(json["discipline"]),
                        .placement = choice_of(json["placement"]),
                        .tie = static_cast<Tie>(json["tie"].word({"first", "last", "random"})),
                        .oversized = static_cast<Oversized>(json["oversized"].word({"refuse", "wait"}))};
  if (const auto scales = json.find("share_scale")) {
    for (const JsonReader& scale : scales->items()) options.share_scale.push_back(quantity_of(scale));
  }
  if (const auto half_life = json.find("half_life"))
    options.half_life = Duration(half_life->integer<std::int64_t>(1, INT64_MAX));
  return options;
}

Json json_of(const std::map<std::string, std::string>& texts) {
  Json json = Json::object();
  for (const auto& [name, value] : texts) json[name] = value;
  return json;
}

std::map<std::string, std::string> texts_of(const JsonReader& json) {
  std::map<std::string, std::string> texts;
  for (const auto& [name, value] : json.members()) texts.emplace(name, value.text());
  return texts;
}

Amounts amounts_of(const JsonReader& json) { return json.integers<std::int64_t>(0, INT64_MAX); }

void add_wish(Json& json, const JobSubmitted& job) {
  json["demand"] = job.demand;
  if (job.servers) json["servers"] = *job.servers;
  for (const auto& [label, values] : job.select) json["select"][label] = values;
  for (const auto& [server, demand] : job.demand_on) json["demand_on"][server] = demand;
}

void read_wish(const JsonReader& json, JobSubmitted& job) {
  job.demand = amounts_of(json["demand"]);
  if (const auto servers = json.find("servers")) job.servers = servers->texts();
  if (const auto select = json.find("select")) {
    for (const auto& [label, values] : select->members()) job.select.emplace(label, values.texts());
  }
  if (const auto demand_on = json.find("demand_on")) {
    for (const auto& [server, demand] : demand_on->members())
      job.demand_on.emplace(server, amounts_of(demand));
  }
}

}  // namespace mirab::scheduling
