// The registry of mechanisms, disciplines and placements as text, CSV, JSON and Markdown.
#include "report/audit/registry.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "lab/simulation/replay.hpp"
#include "report/outcome/comparison.hpp"
#include "report/text/format.hpp"
#include "report/text/json.hpp"
#include "report/text/table.hpp"
#include "report/text/width.hpp"

namespace mirab::report {

Registry whole_registry() {
  Registry registry;
  for (const Mechanism& row : mechanisms()) registry.mechanisms.push_back(&row);
  for (const DisciplineInfo& row : disciplines()) registry.disciplines.push_back(&row);
  for (const simulation::ReplayDiscipline& row : simulation::replay_disciplines())
    registry.of_replays.push_back(&row.info);
  for (const PlacementInfo& row : placements()) registry.placements.push_back(&row);
  return registry;
}

Result<Registry> named(std::string_view name) {
  Registry found;
  std::vector<std::string_view> candidates;
  for (const Mechanism& row : mechanisms()) {
    candidates.push_back(row.name);
    candidates.insert(candidates.end(), row.aliases.begin(), row.aliases.end());
    const bool alias = std::count(row.aliases.begin(), row.aliases.end(), name) > 0;
    if (row.name == name || alias) found.mechanisms.push_back(&row);
  }
  for (const DisciplineInfo& row : disciplines()) {
    candidates.push_back(row.name);
    if (row.name == name) found.disciplines.push_back(&row);
  }
  for (const auto& [row, of_engine, queue] : simulation::replay_disciplines()) {
    candidates.push_back(row.name);
    if (row.name == name) found.of_replays.push_back(&row);
  }
  for (const PlacementInfo& row : placements()) {
    candidates.push_back(row.name);
    if (row.name == name) found.placements.push_back(&row);
  }
  if (!found.mechanisms.empty() || !found.disciplines.empty() || !found.of_replays.empty() ||
      !found.placements.empty())
    return found;

  std::sort(candidates.begin(), candidates.end());  // a mechanism and a discipline may share a name
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  const std::string near = nearest_names(name, candidates);
  return Error{.message = fmt::format("there is no mechanism, discipline or placement '{}'{}", name,
                                      near.empty() ? "; 'mirab mechanisms' lists them" : near),
               .key = {},
               .file = {}};
}

std::string_view scope_words(Scope scope) {
  switch (scope) {
    case Scope::pool:
      return "one pool";
    case Scope::servers:
      return "all servers";
    case Scope::each_server:
      return "each server";
  }
  return {};
}

std::string_view scope_name(Scope scope) {
  switch (scope) {
    case Scope::pool:
      return "pool";
    case Scope::servers:
      return "servers";
    case Scope::each_server:
      return "each server";
  }
  return {};
}

std::string sentence(std::string_view text) {
  std::string result(text);
  if (!result.empty() && result.front() >= 'a' && result.front() <= 'z') {
    result.front() = static_cast<char>(result.front() - 'a' + 'A');
  }
  return result.ends_with('.') ? result : result + ".";
}

std::string objective(const Mechanism& mechanism) {
  if (!mechanism.objective.empty()) return std::string(mechanism.objective);
  constexpr std::string_view kShare = "s_n = X_n / (φ_n u_n)";
  if (mechanism.alpha == "∞")
    return fmt::format("the lowest share {}, then the next lowest, and so on (α = ∞)", kShare);
  if (mechanism.alpha == "1") return fmt::format("Σ φ_n ln s_n, {} (α = 1)", kShare);
  return fmt::format("Σ φ_n s_n^(1-α) / (1-α), {} ({})", kShare, mechanism.alpha);
}

std::string conditions_words(const Conditions& conditions) {
  std::vector<std::string_view> words;
  if (conditions.positive_demands) words.push_back("positive demands");
  if (conditions.no_caps) words.push_back("no caps");
  if (conditions.no_placement) words.push_back("no placement constraints");
  if (conditions.same_demand) words.push_back("the same demand everywhere");
  if (conditions.one_resource) words.push_back("one resource");
  if (conditions.no_groups) words.push_back("no groups");
  if (conditions.no_limits) words.push_back("no limits");
  if (conditions.no_reserves) words.push_back("no reserves");
  if (conditions.no_guarantees) words.push_back("no guarantees");
  if (conditions.top_guarantees) words.push_back("guarantees of the root's members only");
  if (words.empty()) return {};
  const std::string_view last = words.back();
  words.pop_back();
  if (words.empty()) return fmt::format(" with {}", last);
  return fmt::format(" with {} and {}", fmt::join(words, ", "), last);
}

namespace {

// With the options for which it is made.
std::string made_for(const Claim& claim) {
  const std::string conditions = conditions_words(claim.conditions);
  return claim.options.empty() ? conditions : fmt::format(" for {}{}", claim.options, conditions);
}

}  // namespace

nlohmann::ordered_json conditions_json(const Conditions& conditions) {
  return {{"positive_demands", conditions.positive_demands},
          {"no_caps", conditions.no_caps},
          {"no_placement", conditions.no_placement},
          {"same_demand", conditions.same_demand},
          {"one_resource", conditions.one_resource},
          {"no_groups", conditions.no_groups},
          {"no_limits", conditions.no_limits},
          {"no_reserves", conditions.no_reserves},
          {"no_guarantees", conditions.no_guarantees},
          {"top_guarantees", conditions.top_guarantees}};
}

std::vector<Acceptance> acceptances(const Accepts& accepts) {
  return {{"weights", accepts.weights},
          {"caps", accepts.caps},
          {"placement constraints", accepts.placement},
          {"zero demands", accepts.zero_demands},
          {"demand per server", accepts.demand_on},
          {"several servers", accepts.several_servers},
          {"groups", accepts.groups},
          {"guarantees", accepts.groups},
          {"limits", accepts.groups},
          {"reserves", accepts.groups},
          {"weight 0", accepts.groups}};
}

namespace {

constexpr std::size_t kTextIndent = 12;

/// Not so narrow that a column has no room.
std::size_t text_width(std::size_t width) { return std::clamp<std::size_t>(width, 60, kPageWidth); }

std::string names_of(const Mechanism& row) {
  return row.aliases.empty() ? std::string(row.name)
                             : fmt::format("{}, {}", row.name, fmt::join(row.aliases, ", "));
}

/// A heading, and below it two columns: the name and what it stands for.
template <class Row>
std::string listing(const std::string& heading, const std::vector<const Row*>& rows, std::size_t width) {
  if (rows.empty()) return {};
  Table table{.columns = {{.min_width = 12}, {}}, .rows = {}};
  for (const Row* row : rows) {
    bool first = true;
    for (const std::string& line : wrap(sentence(row->summary), width - 20)) {
      table.rows.push_back({{first ? "  " + std::string(row->name) : ""}, {line}});
      first = false;
    }
  }
  return heading + "\n" + render(table);
}

/// `what` in a column of its own, and the text in the next one, wrapped.
std::string paragraph(const std::string& what, std::string_view text, std::size_t width) {
  std::string result;
  std::string label = what;
  for (const std::string& line : wrap(text, width - kTextIndent - 2)) {
    result += fmt::format("  {:<{}}{}\n", label, kTextIndent, line);
    label.clear();
  }
  return result;
}

std::string options_text(std::span<const OptionInfo> options, std::size_t width) {
  std::string text;
  for (const OptionInfo& option : options) {
    const std::string preset =
        option.fallback.empty() ? "must be given" : fmt::format("default {}", option.fallback);
    text += paragraph(text.empty() ? "options" : "",
                      fmt::format("{}: {} ({})", option.name, option.meaning, preset), width);
  }
  return text;
}

std::string claims_text(std::span<const Claim> claims, std::size_t width) {
  std::string text;
  for (const Claim& claim : claims) {
    const std::string claimed =
        claim.refuted ? fmt::format("{}: claimed, but refuted", property_name(claim.property))
        : claim.holds ? fmt::format("{}{}", property_name(claim.property), made_for(claim))
                      : fmt::format("not {}", property_name(claim.property));
    const std::string source = claim.source.empty() ? "" : fmt::format(" [{}]", claim.source);
    text += paragraph(text.empty() ? "claims" : "", claimed + source, width);
  }
  return text;
}

std::string accepts_text(const Accepts& accepts, std::size_t width) {
  std::vector<std::string_view> honoured;
  for (const Acceptance& acceptance : acceptances(accepts)) {
    if (acceptance.honoured) honoured.push_back(acceptance.name);
  }
  return paragraph("accepts", fmt::format("{}", fmt::join(honoured, ", ")), width);
}

std::string details(const Mechanism& row, std::size_t width) {
  return fmt::format("mechanism {}: {}\n", names_of(row), row.title) +
         paragraph("", sentence(row.summary), width) + paragraph("scope", scope_words(row.scope), width) +
         (row.is_rule ? paragraph("maximises", objective(row), width) + paragraph("u_n", row.yardstick, width)
                      : "") +
         accepts_text(row.accepts, width) + options_text(row.options, width) +
         claims_text(row.claims, width) + paragraph("source", row.source, width);
}

template <class Row>
std::string details(const std::string& kind, const Row& row, std::size_t width) {
  return fmt::format("{} {}\n", kind, row.name) + paragraph("", sentence(row.summary), width) +
         options_text(row.options, width) + paragraph("source", row.source, width);
}

}  // namespace

std::string registry_table(const Registry& registry, std::size_t width) {
  width = text_width(width);
  std::string text;
  if (!registry.mechanisms.empty()) {
    Table table{.columns = {{.min_width = 12}, {}, {}}, .rows = {}};
    for (const Mechanism* row : registry.mechanisms) {
      bool first = true;
      for (const std::string& line : wrap(sentence(row->summary), width - 34)) {
        table.rows.push_back({{first ? "  " + names_of(*row) : ""},
                              {first ? std::string(scope_words(row->scope)) : ""},
                              {line}});
        first = false;
      }
    }
    text += "Mechanisms (allocate --mechanism)\n" + render(table) + "\n";
  }
  text += listing("Disciplines: which user is served next (fill --discipline)", registry.disciplines, width) +
          "\n";
  text += listing("Disciplines of replays (contenders of mirab simulate)", registry.of_replays, width) + "\n";
  text += listing("Placements: where its task goes (fill --placement)", registry.placements, width);
  return text + "\n'mirab mechanisms NAME' describes one.\n";
}

std::string registry_details(const Registry& registry, std::size_t width) {
  width = text_width(width);
  std::vector<std::string> parts;
  for (const Mechanism* row : registry.mechanisms) parts.push_back(details(*row, width));
  for (const DisciplineInfo* row : registry.disciplines) parts.push_back(details("discipline", *row, width));
  for (const DisciplineInfo* row : registry.of_replays)
    parts.push_back(details("discipline of replays (contenders of mirab simulate)", *row, width));
  for (const PlacementInfo* row : registry.placements) parts.push_back(details("placement", *row, width));
  return fmt::format("{}", fmt::join(parts, "\n"));
}

std::string registry_csv(const Registry& registry) {
  std::string csv = csv_record({"kind", "name", "aliases", "scope", "title", "summary", "source"});
  for (const Mechanism* row : registry.mechanisms) {
    csv += csv_record({"mechanism", std::string(row->name), fmt::format("{}", fmt::join(row->aliases, " ")),
                       std::string(scope_name(row->scope)), std::string(row->title),
                       std::string(row->summary), std::string(row->source)});
  }
  const auto add = [&](const std::string& kind, const auto& rows) {
    for (const auto* row : rows) {
      csv += csv_record(
          {kind, std::string(row->name), "", "", "", std::string(row->summary), std::string(row->source)});
    }
  };
  add("discipline", registry.disciplines);
  add("replay discipline", registry.of_replays);
  add("placement", registry.placements);
  return csv;
}

namespace {

using Json = nlohmann::ordered_json;

Json options_json(std::span<const OptionInfo> options) {
  Json result = Json::array();
  for (const OptionInfo& option : options) {
    result.push_back({{"name", option.name},
                      {"default", option.fallback.empty() ? Json(nullptr) : Json(option.fallback)},
                      {"meaning", option.meaning}});
  }
  return result;
}

Json claims_json(std::span<const Claim> claims) {
  Json result = Json::array();
  for (const Claim& claim : claims) {
    result.push_back({{"property", property_name(claim.property)},
                      {"holds", claim.holds},
                      {"conditions", conditions_json(claim.conditions)},
                      {"source", claim.source},
                      {"refuted", claim.refuted}});
    if (!claim.options.empty()) result.back()["options"] = claim.options;
  }
  return result;
}

Json mechanism_json(const Mechanism& row) {
  Json aliases = Json::array();
  for (const std::string_view alias : row.aliases) aliases.push_back(alias);
  return {{"name", row.name},
          {"aliases", std::move(aliases)},
          {"rule", row.is_rule},
          {"scope", scope_name(row.scope)},
          {"title", row.title},
          {"summary", row.summary},
          {"yardstick", row.yardstick},
          {"alpha", row.alpha},
          {"source", row.source},
          {"accepts",
           {{"weights", row.accepts.weights},
            {"caps", row.accepts.caps},
            {"placement", row.accepts.placement},
            {"zero_demands", row.accepts.zero_demands},
            {"demand_on", row.accepts.demand_on},
            {"several_servers", row.accepts.several_servers},
            {"groups", row.accepts.groups}}},
          {"options", options_json(row.options)},
          {"claims", claims_json(row.claims)}};
}

template <class Row>
Json rows_json(const std::vector<const Row*>& rows) {
  Json result = Json::array();
  for (const Row* row : rows) {
    result.push_back({{"name", row->name},
                      {"summary", row->summary},
                      {"source", row->source},
                      {"options", options_json(row->options)}});
  }
  return result;
}

}  // namespace

std::string registry_json(const Registry& registry) {
  Json mechanisms = Json::array();
  for (const Mechanism* row : registry.mechanisms) mechanisms.push_back(mechanism_json(*row));
  const Json json{{"version", 1},
                  {"mechanisms", std::move(mechanisms)},
                  {"disciplines", rows_json(registry.disciplines)},
                  {"replay_disciplines", rows_json(registry.of_replays)},
                  {"placements", rows_json(registry.placements)}};
  return json_text(json, 2) + "\n";
}

namespace {

constexpr std::string_view kOpening =
    "<!-- Made by `mirab mechanisms --format markdown`; a test compares the two. -->\n"
    "\n"
    "# Mechanisms, disciplines and placements\n"
    "\n"
    "`mirab allocate` divides a cluster by a *mechanism*; tasks are divisible there. `mirab fill` places "
    "whole tasks, one\n"
    "after the other: a *discipline* decides which user is served next, a *placement* on which server.\n"
    "\n"
    "Options follow the name after a colon: `alpha-fair:alpha=2`. Claims state what holds, or fails, for a "
    "mechanism "
    "under the "
    "conditions\n"
    "named, by the source in the last column. The conformance tests try what is claimed to hold on random "
    "problems, and what is\n"
    "claimed not to hold by stored counterexamples. Each mechanism has a page with its formula, and with "
    "what it guarantees and\n"
    "what fails by examples that can be checked by hand.\n"
    "\n"
    "Weights count in every mechanism and in every discipline but `fifo`, `mlf-drs` and `mrfs`.\n";

/// A text as one cell of a table.
std::string cell(std::string_view text) {
  std::string escaped;
  for (const char byte : text) {
    if (byte == '|') escaped += '\\';
    escaped += byte;
  }
  return escaped;
}

std::string options_list(std::span<const OptionInfo> options) {
  std::string text;
  for (const OptionInfo& option : options) {
    const std::string preset =
        option.fallback.empty() ? "must be given" : fmt::format("default `{}`", option.fallback);
    text += fmt::format("- option `{}` ({}): {}\n", option.name, preset, option.meaning);
  }
  return text;
}

std::string claims_list(std::span<const Claim> claims) {
  if (claims.empty()) return {};
  std::string text = "\n| property | claimed | by |\n|---|---|---|\n";
  for (const Claim& claim : claims) {
    text += fmt::format("| {} | {}{} | {} |\n", property_name(claim.property),
                        claim.refuted ? "claimed, but refuted: tried"
                        : claim.holds ? "holds"
                                      : "does not hold",
                        made_for(claim), cell(claim.source));
  }
  return text;
}

std::string section(const Mechanism& row) {
  std::vector<std::string> aliases;
  for (const std::string_view alias : row.aliases) aliases.push_back(fmt::format("`{}`", alias));
  std::vector<std::string_view> honoured;
  for (const Acceptance& acceptance : acceptances(row.accepts)) {
    if (acceptance.honoured) honoured.push_back(acceptance.name);
  }
  return fmt::format("\n### `{}`{}: {}\n\n{}\n\n", row.name,
                     aliases.empty() ? "" : fmt::format(" ({})", fmt::join(aliases, ", ")), row.title,
                     sentence(row.summary)) +
         fmt::format("- scope: {}\n", scope_words(row.scope)) +
         (row.is_rule ? fmt::format("- maximises {}\n- u_n = {}\n", objective(row), row.yardstick) : "") +
         fmt::format("- accepts {}\n", fmt::join(honoured, ", ")) + options_list(row.options) +
         fmt::format("- source: {}\n", row.source) + claims_list(row.claims);
}

template <class Row>
std::string section(const Row& row) {
  return fmt::format("\n### `{}`\n\n{}\n\n", row.name, sentence(row.summary)) + options_list(row.options) +
         fmt::format("- source: {}\n", row.source);
}

/// A mechanism has a page of its own, docs/reference/mechanisms/NAME.md; a discipline or placement has its
/// section.
std::string linked_name(const Mechanism& row) { return fmt::format("[`{0}`](mechanisms/{0}.md)", row.name); }
template <class Row>
std::string linked_name(const Row& row) {
  return fmt::format("`{}`", row.name);
}

/// The rows at a glance.
template <class Row>
std::string overview(const std::vector<const Row*>& rows) {
  std::string text = "\n| name | what it does |\n|---|---|\n";
  for (const Row* row : rows)
    text += fmt::format("| {} | {} |\n", linked_name(*row), cell(sentence(row->summary)));
  return text;
}

template <class Row>
std::string chapter(const std::string& heading, const std::vector<const Row*>& rows) {
  if (rows.empty()) return {};
  std::string text = fmt::format("\n## {}\n", heading) + overview(rows);
  for (const Row* row : rows) text += section(*row);
  return text;
}

}  // namespace

std::string registry_markdown(const Registry& registry) {
  return std::string(kOpening) + chapter("Mechanisms", registry.mechanisms) +
         chapter("Disciplines", registry.disciplines) +
         chapter("Disciplines of replays", registry.of_replays) + chapter("Placements", registry.placements);
}

}  // namespace mirab::report
