// Which mechanism for a cluster, as a table and JSON: which apply, what each leaves out of account, and the
// one that is recommended.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "report/audit/registry.hpp"
#include "report/outcome/comparison.hpp"
#include "report/text/format.hpp"
#include "report/text/json.hpp"
#include "report/text/table.hpp"
#include "report/text/width.hpp"

namespace mirab::report {
namespace {

constexpr std::size_t kNameColumns = 34;  // the mechanism, its scope, and the blanks between

// `cannot honour several servers`: without the name, and the mechanisms that can, which stand in the same
// table.
std::string why_not(const Mechanism& mechanism, std::string message) {
  const std::string name = std::string(mechanism.name) + " ";
  if (message.starts_with(name)) message.erase(0, name.size());
  return message.substr(0, message.find(';'));
}

std::string verdict_words(const Applicability& each) {
  if (!each.mechanism->is_rule)
    return each.refused ? "the file does not say what runs now" : "what runs now, to compare with";
  if (each.refused) return why_not(*each.mechanism, each.refused->message);
  if (each.ignores.empty()) return "respects all that the file says";
  return fmt::format("ignores {}", fmt::join(each.ignores, "; "));
}

// The recommended one, then those that ignore nothing, then the others, then those that do not apply.
int rank(const Applicability& each, const Recommendation& recommendation) {
  if (each.mechanism->name == recommendation.choice.name) return 0;
  if (each.refused) return 3;
  return each.ignores.empty() ? 1 : 2;
}

std::vector<Applicability> ranked(const ClusterChoice& choice) {
  std::vector<Applicability> all = applicability(choice.problem);
  const Recommendation recommendation = recommended(choice.problem);
  std::stable_sort(all.begin(), all.end(), [&](const Applicability& a, const Applicability& b) {
    return rank(a, recommendation) < rank(b, recommendation);
  });
  return all;
}

}  // namespace

std::string chooser_table(const ClusterChoice& choice, std::size_t width) {
  const std::size_t page = std::clamp<std::size_t>(width, 60, kPageWidth);
  const Recommendation recommendation = recommended(choice.problem);
  Table table{.columns = {{.min_width = 14}, {}, {}}, .rows = {{{"mechanism"}, {"divides"}, {"here"}}}};
  table.add_rule();
  for (const Applicability& each : ranked(choice)) {
    bool first = true;
    for (const std::string& line : wrap(verdict_words(each), page - kNameColumns)) {
      table.rows.push_back({{first ? std::string(each.mechanism->name) : ""},
                            {first ? std::string(scope_words(each.mechanism->scope)) : ""},
                            {line}});
      first = false;
    }
  }
  return broken(fmt::format("{}: {} on {}", printable(choice.title),
                            counted(total_users(choice.problem), "user"),
                            counted(static_cast<std::size_t>(total_servers(choice.problem)), "server")),
                page) +
         broken(recommendation.choice.name.empty()
                    ? "recommended: none: " + recommendation.reason
                    : fmt::format("recommended: {} ({})", recommendation.choice.text, recommendation.reason),
                page) +
         "\n" + render(table) + "\n'mirab mechanisms NAME' describes one.\n";
}

std::string chooser_json(const ClusterChoice& choice) {
  using Json = nlohmann::ordered_json;
  const Recommendation recommendation = recommended(choice.problem);
  Json rows = Json::array();
  for (const Applicability& each : ranked(choice)) {
    rows.push_back({{"name", each.mechanism->name},
                    {"scope", scope_name(each.mechanism->scope)},
                    {"applies", !each.refused.has_value()},
                    {"refused", each.refused ? Json(each.refused->message) : Json(nullptr)},
                    {"ignores", each.ignores},
                    {"recommended", each.mechanism->name == recommendation.choice.name}});
  }
  const bool none = recommendation.choice.name.empty();
  const Json json{{"version", 1},
                  {"cluster", choice.title},
                  {"recommended",
                   {{"mechanism", none ? Json(nullptr) : Json(recommendation.choice.text)},
                    {"reason", recommendation.reason}}},
                  {"mechanisms", std::move(rows)}};
  return json_text(json, 2) + "\n";
}

}  // namespace mirab::report
