// The teams file in YAML, a line for each key of a group.
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/exact.hpp"
#include "model/yaml_text.hpp"
#include "teams/imported_teams.hpp"

namespace mirab::teams {
namespace {

/// A millionth of a percent, rounded down: parts of a whole are then no more than the whole.
std::string percent_text(const mpq_class& percent) {
  const mpz_class millionth = 1'000'000;
  const mpq_class scaled = percent * millionth;
  mpq_class rounded(mpz_class(scaled.get_num() / scaled.get_den()), millionth);
  rounded.canonicalize();
  return rounded_down(rounded).text() + "%";
}

enum class Zeros { written, left_out };

/// Empty where there is nothing to say.
std::string share_text(const Share& share, Zeros zeros) {
  if (share.percent) return percent_text(*share.percent);
  std::string map;
  for (const auto& [resource, amount] : share.amounts) {
    if (amount == 0 && zeros == Zeros::left_out) continue;
    map += (map.empty() ? "" : ", ") + yaml_key(resource) + yaml_amount(rounded_down(amount));
  }
  return map.empty() ? map : "{" + map + "}";
}

/// By the id of the group around them; without a value: the cluster.
using Members = std::map<std::optional<std::string>, std::vector<const Group*>>;

/// The groups of a parent, and those below.
std::string group_lines(const Members& members, const std::optional<std::string>& parent,
                        const std::string& members_key, const std::string& indent) {
  const auto own = members.find(parent);
  if (own == members.end()) return {};
  std::string lines;
  for (const Group* const each : own->second) {
    const Group& group = *each;
    const auto line = [&](std::string_view key, const std::string& text) {
      if (!text.empty()) lines += fmt::format("{}  {}: {}\n", indent, key, text);
    };
    lines += fmt::format("{}- name: {}\n", indent, yaml_scalar(group.name));
    if (group.weight != 1) line("weight", rounded_down(group.weight).text());
    line("guarantee", share_text(group.guarantee, Zeros::left_out));
    line("limit", share_text(group.limit, Zeros::written));
    line("reserved", share_text(group.reserved, Zeros::left_out));
    const std::string below = group_lines(members, group.id, members_key, indent + "    ");
    if (!group.members.empty() || below.empty()) line(members_key, yaml_list(group.members));
    if (!below.empty()) lines += fmt::format("{}  groups:\n{}", indent, below);
  }
  return lines;
}

}  // namespace

std::string write_teams_yaml(const ImportedTeams& teams, const std::vector<std::string>& comment) {
  Members members;
  for (const Group& group : teams.groups) members[group.parent].push_back(&group);
  return yaml_comment(comment) + "groups:\n" + group_lines(members, {}, teams.members_key, "  ");
}

}  // namespace mirab::teams
