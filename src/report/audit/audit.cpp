// Audits and claims as tables, JSON and CSV; first the words that these forms share.
#include "report/audit/audit.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "model/names.hpp"
#include "report/audit/registry.hpp"
#include "report/outcome/comparison.hpp"
#include "report/text/format.hpp"
#include "report/text/json.hpp"
#include "report/text/table.hpp"
#include "report/text/width.hpp"

namespace mirab::report {

// The words that the forms of an audit share.

namespace {

constexpr std::size_t kMaxInWords = 20;  // servers and users, a dozen lines

std::string amounts(const Cluster& cluster, const ResourceVector& vector) {
  std::string text;
  for (std::size_t r = 0; r < vector.size(); ++r)
    text += fmt::format("{}{} {}", r == 0 ? "" : ", ", cluster.resources[r], amount(vector[r].value()));
  return text;
}

// `, in G, weight 2, guaranteed cpu 3, memory 0, at most cpu 5`.
std::string node_words(const Cluster& cluster, const std::optional<std::string>& parent,
                       const Quantity& weight, const Quota& quota) {
  std::string text = parent ? fmt::format(", in {}", *parent) : "";
  if (weight != Quantity(1)) text += fmt::format(", weight {}", weight.text());
  if (quota.guarantee) text += fmt::format(", guaranteed {}", amounts(cluster, *quota.guarantee));
  if (!quota.reserved.empty()) text += fmt::format(", reserved {}", amounts(cluster, quota.reserved));
  for (std::size_t r = 0; r < quota.limit.size(); ++r) {
    if (quota.limit[r])
      text += fmt::format(", at most {} {}", cluster.resources[r], amount(quota.limit[r]->value()));
  }
  return text;
}

std::string group_words(const Cluster& cluster, const Group& group) {
  return fmt::format("{} {}{}", group.is_user ? "user" : "group", group.name,
                     node_words(cluster, group.parent, group.weight, group.quota));
}

std::string user_words(const Cluster& cluster, const User& user) {
  std::string text = fmt::format("{}: {}", user.name, amounts(cluster, user.demand));
  text += node_words(cluster, user.group, user.weight, user.quota);
  if (user.tasks) text += fmt::format(", {} tasks", user.tasks->text());
  if (user.servers) {
    text += ", on";
    for (const std::string& server : *user.servers) text += " " + server;
    text += " only";
  }
  for (const auto& [server, demand] : user.demand_on)
    text += fmt::format(", on {} {}", server, amounts(cluster, demand));
  return text;
}

}  // namespace

std::string cluster_words(const Cluster& cluster) {
  if (cluster.servers.size() + cluster.users.size() > kMaxInWords)
    return fmt::format("{} and {}; --witness-dir writes them to a file",
                       counted(cluster.servers.size(), "server"), counted(cluster.users.size(), "user"));
  std::string text;
  for (const Server& server : cluster.servers) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", server.name, amounts(cluster, server.capacity));
    if (server.count != 1) text += fmt::format(" ({} times)", server.count);
  }
  for (const Group& group : cluster.groups) text += "; " + group_words(cluster, group);
  for (const User& user : cluster.users) text += "; " + user_words(cluster, user);
  std::string_view separator = "; running: ";
  for (const Running& entry : cluster.running.value_or(std::vector<Running>{})) {
    text += fmt::format("{}{} {}{}{} on {}", separator, entry.tasks.text(), entry.user,
                        entry.shape ? "/" : "", entry.shape.value_or(""), entry.server);
    separator = ", ";
  }
  return text;
}

std::string indented(std::string_view text, std::size_t indent, std::size_t width) {
  constexpr std::size_t kHanging = 2;
  std::string lines;
  for (const std::string& line : wrap(text, width - indent - kHanging))
    lines += std::string(lines.empty() ? indent : indent + kHanging, ' ') + line + "\n";
  return lines;
}

std::string_view printed_word(const Claim& claim) {
  if (claim.refuted) return "refuted";
  return claim.holds ? "holds" : "fails";
}

std::string_view found_word(const Verdict& verdict) {
  if (!verdict.holds) return "fails";
  if (!verdict.applicable) return "not applicable";
  if (!verdict.decided) return "undecided";
  if (verdict.vacuous) return "vacuous";
  return verdict.scope == VerdictScope::instance ? "holds" : "searched";
}

const Witness& shown_witness(const Verdict& verdict) {
  return verdict.smallest ? *verdict.smallest : *verdict.witness;
}

std::string witness_name(const std::string& mechanism, Property property) {
  std::string name = fmt::format("{}-{}", mechanism, property_name(property));
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ':' || c == '=' || c == ',' || c == '/'; }, '-');
  return name;
}

// Properties by mechanisms, in as many tables side by side below each other as the width asks for; then the
// witnesses in words.

namespace {

constexpr std::size_t kGap = 2;

// Of a verdict that says neither yes nor no; none for the others.
const char* sign_without_answer(const Verdict& verdict) {
  if (!verdict.applicable) return "n/a";
  if (!verdict.decided) return "?";
  return verdict.vacuous ? "–" : nullptr;
}

std::string cell(const Verdict& verdict) {
  if (!verdict.holds) return "✗";
  if (const char* sign = sign_without_answer(verdict)) return sign;
  return verdict.scope == VerdictScope::instance ? "✓" : fmt::format("✓ {}", verdict.tried);
}

std::string cell(const MechanismAudit& audit, std::size_t property) {
  return audit.refused ? "n/a" : cell(audit.verdicts[property]);
}

std::size_t column_width(const MechanismAudit& audit) {
  std::size_t width = display_width(audit.mechanism);
  for (const Verdict& verdict : audit.verdicts) width = std::max(width, display_width(cell(verdict)));
  return width;
}

std::size_t property_width(const AuditRun& audited) {
  std::size_t width = 24;  // of the longest name of a property that is not one of groups
  for (const Property property : audited.properties) width = std::max(width, property_name(property).size());
  return width;
}

std::string block(const AuditRun& audited, std::size_t first, std::size_t last) {
  Table table{.columns = {{.min_width = property_width(audited)}}, .rows = {{{"property"}}}};
  for (std::size_t m = first; m < last; ++m) {
    table.columns.push_back({.align = Align::left, .gap = kGap});
    table.rows[0].push_back({audited.mechanisms[m].mechanism});
  }
  table.add_rule();
  for (std::size_t p = 0; p < audited.properties.size(); ++p) {
    std::vector<Cell> row{{std::string(property_name(audited.properties[p]))}};
    for (std::size_t m = first; m < last; ++m) row.push_back({cell(audited.mechanisms[m], p)});
    table.rows.push_back(std::move(row));
  }
  return render(table) + "\n";
}

std::string matrix(const AuditRun& audited, std::size_t width) {
  std::string text;
  std::size_t first = 0;
  while (first < audited.mechanisms.size()) {
    std::size_t last = first + 1;
    std::size_t used = property_width(audited) + kGap + column_width(audited.mechanisms[first]);
    while (last < audited.mechanisms.size()) {
      used += kGap + column_width(audited.mechanisms[last]);
      if (used > width) break;
      ++last;
    }
    text += block(audited, first, last);
    first = last;
  }
  return text;
}

bool any_verdict(const AuditRun& audited, auto wanted) {
  return std::any_of(audited.mechanisms.begin(), audited.mechanisms.end(), [&](const MechanismAudit& audit) {
    return std::any_of(audit.verdicts.begin(), audit.verdicts.end(), wanted);
  });
}

// What matters before all else: an allocation that cannot be, or that breaks a limit.
std::string infeasible_lines(const AuditRun& audited, std::size_t width) {
  std::string text;
  for (const MechanismAudit& audit : audited.mechanisms) {
    for (const Verdict& verdict : audit.verdicts) {
      if (verdict.property != Property::feasible || verdict.holds) continue;
      text += broken("not feasible: " + printable(verdict.witness->words), width);
    }
  }
  return text.empty() ? text : text + "\n";
}

std::string legend(const AuditRun& audited, std::size_t width) {
  std::string text = "✓ holds here; ✗ fails, see below";
  if (any_verdict(audited, [](const Verdict& v) { return v.holds && v.scope == VerdictScope::searched; }))
    text += "; ✓ N: no counterexample in N tries (not a proof)";
  if (any_verdict(audited, [](const Verdict& v) { return v.vacuous; }))
    text += "; – does not apply to this cluster";
  if (any_verdict(audited, [](const Verdict& v) { return !v.decided && v.applicable; }))
    text += "; ? not decided";
  return broken(text, width);
}

// `27 of 98 searches ended early, …`; empty where none did.
std::string ended_early_line(std::size_t early, std::size_t searches, std::optional<std::uint64_t> seconds,
                             std::size_t width) {
  if (early == 0) return {};
  const std::string why =
      seconds ? fmt::format("the audit has {}, of which a quarter is kept for smaller counterexamples",
                            counted(*seconds, "second"))
              : "their time was over";
  return broken(
      fmt::format(
          "{} of {} searches ended before all their attempts, since {}; how far they came depends on the "
          "machine and what else runs there. --seconds N gives them longer, and --budget N without "
          "--seconds as long as it takes",
          early, searches, why),
      width);
}

std::string reasons(const AuditRun& audited, std::size_t width) {
  std::string text;
  std::size_t early = 0, searches = 0;
  for (const MechanismAudit& audit : audited.mechanisms) {
    for (const Verdict& verdict : audit.verdicts) {
      searches += is_searched(verdict.property) && verdict.applicable ? 1 : 0;
      early += verdict.ended_early ? 1 : 0;
    }
  }
  text += ended_early_line(early, searches, audited.seconds, width);
  for (const MechanismAudit& audit : audited.mechanisms) {
    if (audit.refused) text += broken(fmt::format("n/a: {}", printable(audit.refused->message)), width);
    if (audit.status == Status::not_converged)
      text += broken(fmt::format("{}: NOT CONVERGED: what stands here is of an allocation without its "
                                 "certificate",
                                 audit.mechanism),
                     width);
  }
  std::map<std::string, std::string> inapplicable;  // by the reason, the properties
  for (std::size_t p = 0; p < audited.properties.size(); ++p) {
    std::set<std::string> printed;  // a notice of several mechanisms is printed once
    for (const MechanismAudit& audit : audited.mechanisms) {
      if (audit.refused) continue;
      const Verdict& verdict = audit.verdicts[p];
      const char* sign = sign_without_answer(verdict);
      if (!verdict.applicable) {
        std::string& names = inapplicable[verdict.note];
        names += (names.empty() ? "" : ", ") + std::string(property_name(verdict.property));
        continue;
      }
      if (sign == nullptr || !printed.insert(verdict.note).second) continue;
      text += broken(fmt::format("{} {}: {}", sign, property_name(verdict.property), verdict.note), width);
    }
  }
  for (const auto& [note, names] : inapplicable)
    text += broken(fmt::format("n/a {}: {}", names, note), width);
  return text;
}

bool same_cluster(const Cluster& a, const Cluster& b) {
  return a.resources == b.resources && a.servers == b.servers && a.users == b.users && a.groups == b.groups &&
         a.running == b.running;
}

std::string witness_lines(const AuditRun& audited, std::size_t width) {
  std::string text;
  for (std::size_t p = 0; p < audited.properties.size(); ++p) {
    std::string lines;
    for (const MechanismAudit& audit : audited.mechanisms) {
      if (audit.refused || audit.verdicts[p].holds) continue;
      const Witness& here = *audit.verdicts[p].witness;
      const Witness& small = shown_witness(audit.verdicts[p]);
      const bool smaller = !same_cluster(small.problem, here.problem);
      lines += indented(printable(here.words), 2, width);
      if (!smaller) continue;
      lines += indented("smallest: " + printable(cluster_words(small.problem)), 4, width);
      lines += indented(printable(small.words), 6, width);
    }
    if (!lines.empty()) text += fmt::format("\n{}\n{}", property_name(audited.properties[p]), lines);
  }
  return text;
}

}  // namespace

std::string audit_table(const AuditRun& audited, std::size_t width) {
  const std::size_t page = std::min(width, kPageWidth);
  return printable(audited.title) + "\n\n" + infeasible_lines(audited, page) + matrix(audited, page) +
         legend(audited, page) + reasons(audited, page) + witness_lines(audited, page);
}

// What the papers claim of the mechanisms, and what was found.

namespace {

// Does what was found contradict what is printed?
bool differs(const ClaimAudit& audit) {
  return audit.claim.holds && !audit.claim.refuted && !audit.verdict.holds;
}

std::string found_words(const ClaimAudit& audit) {
  if (!audit.verdict.holds) return differs(audit) ? "FAILS" : "fails";
  if (!audit.verdict.decided) return "not decided";
  return fmt::format("no counterexample in {}", audit.verdict.tried);
}

std::string printed_words(const Claim& claim) {
  if (claim.refuted) return "holds, but refuted";
  return claim.holds ? "holds" + conditions_words(claim.conditions) : "fails";
}

// `of 96 that are said to hold none fails; …`: what was tried, of each kind of claim, and what came of it.
std::string found_of_claims(const std::vector<ClaimAudit>& claims) {
  const auto count = [&](const auto& passes) { return std::count_if(claims.begin(), claims.end(), passes); };
  const auto is_refuted = [](const ClaimAudit& each) { return each.claim.refuted; };
  const auto is_denied = [](const ClaimAudit& each) { return !each.claim.holds; };
  const auto unseen = [](const ClaimAudit& each) { return each.verdict.holds; };
  const auto refuted = count(is_refuted), denied = count(is_denied), against = count(differs);
  const auto made = static_cast<std::ptrdiff_t>(claims.size()) - refuted - denied;
  std::vector<std::string> words;
  const auto shows_none = [](std::ptrdiff_t of, std::ptrdiff_t none, const char* kind) {
    return none == 0 ? fmt::format("{} of {} {}", of, of, kind)
                     : fmt::format("{} of {} {}, and no counterexample to {} was found", of - none, of, kind,
                                   none == 1 ? "one of them" : fmt::format("{} of them", none));
  };
  if (made > 0)
    words.push_back(against == 0 ? fmt::format("of {} that are said to hold none fails", made)
                                 : fmt::format("of {} that are said to hold {} FAIL", made, against));
  if (denied > 0)
    words.push_back(shows_none(denied,
                               count([&](const ClaimAudit& each) { return is_denied(each) && unseen(each); }),
                               "that are said to fail do"));
  if (refuted > 0)
    words.push_back(
        shows_none(refuted, count([&](const ClaimAudit& each) { return is_refuted(each) && unseen(each); }),
                   "marked as refuted fail"));
  return fmt::format("{}", fmt::join(words, "; "));
}

}  // namespace

std::string claims_table(const ClaimAuditRun& audited, std::size_t width) {
  const std::size_t page = std::min(width, kPageWidth);
  const auto early = static_cast<std::size_t>(
      std::count_if(audited.claims.begin(), audited.claims.end(),
                    [](const ClaimAudit& each) { return each.verdict.ended_early; }));
  Table table{.columns = {{}, {}, {}, {}}, .rows = {{{"mechanism"}, {"property"}, {"printed"}, {"found"}}}};
  table.add_rule();
  for (const ClaimAudit& each : audited.claims) {
    table.rows.push_back({{each.mechanism},
                          {std::string(property_name(each.claim.property))},
                          {printed_words(each.claim)},
                          {found_words(each)}});
  }
  std::string witnesses;
  for (const ClaimAudit& each : audited.claims) {
    if (each.verdict.holds) continue;
    const Witness& witness = shown_witness(each.verdict);
    witnesses += fmt::format("\n{}: {}\n", each.mechanism, property_name(each.claim.property));
    witnesses += indented(printable(witness.words), 2, page);
    witnesses += indented("on " + printable(cluster_words(witness.problem)), 2, page);
  }
  return broken(fmt::format("{}, each tried on {}: {}", counted(audited.claims.size(), "claim"),
                            counted(audited.clusters, "random cluster"), found_of_claims(audited.claims)),
                page, "") +
         "\n" + render(table) + "\n" +
         broken("no counterexample in N: none in N tries, which is no proof; more of --budget looks further",
                page) +
         ended_early_line(early, audited.claims.size(), audited.seconds, page) + witnesses;
}

namespace {

using Json = nlohmann::ordered_json;

Json server_json(const Cluster& cluster, const Server& server) {
  Json json{{"name", server.name}, {"capacity", by_resource(cluster.resources, server.capacity)}};
  if (server.count != 1) json["count"] = server.count;
  if (!server.labels.empty()) json["labels"] = server.labels;
  for (const Taint& taint : server.taints) json["taints"].push_back(taint_text(taint));
  if (server.is_overfull) json["overfull"] = true;
  return json;
}

void add_quota(Json& json, const Cluster& cluster, const Quantity& weight, const Quota& quota) {
  if (weight != Quantity(1)) json["weight"] = weight.value();
  if (quota.guarantee) json["guarantee"] = by_resource(cluster.resources, *quota.guarantee);
  if (!quota.limit.empty()) {
    Json limits = Json::object();
    for (std::size_t r = 0; r < quota.limit.size(); ++r) {
      if (quota.limit[r]) limits[cluster.resources[r]] = quota.limit[r]->value();
    }
    json["limit"] = std::move(limits);
  }
  if (!quota.reserved.empty()) json["reserved"] = by_resource(cluster.resources, quota.reserved);
}

Json condition_json(const LabelCondition& condition) {
  if (condition.is_only_any_of()) return *condition.any_of;
  Json json = Json::object();
  if (condition.any_of) json["in"] = *condition.any_of;
  if (!condition.none_of.empty()) json["not"] = condition.none_of;
  if (condition.exists) json["exists"] = *condition.exists;
  if (condition.above) json["above"] = *condition.above;
  if (condition.below) json["below"] = *condition.below;
  return json;
}

// A user, or a task shape by its own name.
Json user_json(const Cluster& cluster, const User& user) {
  Json json{{"name", user.shape.value_or(user.name)},
            {"demand", by_resource(cluster.resources, user.demand)}};
  if (user.group && !user.shape) json["group"] = *user.group;
  add_quota(json, cluster, user.weight, user.quota);
  if (user.tasks) json["tasks"] = user.tasks->value();
  if (user.servers) json["servers"] = *user.servers;
  if (!user.servers && !user.not_servers.empty()) json["servers"]["not"] = user.not_servers;
  for (const auto& [label, condition] : user.select) json["select"][label] = condition_json(condition);
  for (const Toleration& each : user.tolerates) json["tolerates"].push_back(toleration_text(each));
  for (const auto& [server, demand] : user.demand_on)
    json["demand_on"][server] = by_resource(cluster.resources, demand);
  return json;
}

// The groups of a parent, with the groups within them.
Json groups_json(const Cluster& cluster, const std::optional<std::string>& parent) {
  Json groups = Json::array();
  for (const Group& group : cluster.groups) {
    if (group.is_user || group.parent != parent) continue;
    Json json{{"name", group.name}};
    add_quota(json, cluster, group.weight, group.quota);
    Json inner = groups_json(cluster, group.name);
    if (!inner.empty()) json["groups"] = std::move(inner);
    groups.push_back(std::move(json));
  }
  return groups;
}

// Users; those with several task shapes where the first of these stands.
Json users_json(const Cluster& cluster) {
  Json users = Json::array();
  std::set<std::string> with_shapes;
  for (const User& user : cluster.users) {
    if (!user.shape) {
      users.push_back(user_json(cluster, user));
      continue;
    }
    if (!with_shapes.insert(*user.group).second) continue;
    const auto group = std::find_if(cluster.groups.begin(), cluster.groups.end(),
                                    [&](const Group& each) { return each.name == *user.group; });
    Json json{{"name", group->name}};
    if (group->parent) json["group"] = *group->parent;
    add_quota(json, cluster, group->weight, group->quota);
    for (const User& shape : cluster.users) {
      if (shape.shape && shape.group == group->name) json["shapes"].push_back(user_json(cluster, shape));
    }
    users.push_back(std::move(json));
  }
  return users;
}

// A cluster file.
Json cluster_json(const Cluster& cluster) {
  Json servers = Json::array();
  for (const Server& server : cluster.servers) servers.push_back(server_json(cluster, server));
  Json json{{"version", 1}, {"resources", cluster.resources}, {"servers", std::move(servers)}};
  if (Json groups = groups_json(cluster, {}); !groups.empty()) json["groups"] = std::move(groups);
  json["users"] = users_json(cluster);
  if (!cluster.running) return json;
  json["running"] = Json::array();
  for (const Running& entry : *cluster.running) {
    Json running{{"user", entry.user}};
    if (entry.shape) running["shape"] = *entry.shape;
    running["server"] = entry.server;
    running["tasks"] = entry.tasks.value();
    json["running"].push_back(std::move(running));
  }
  return json;
}

// What happened, without the cluster.
Json event_json(const Witness& witness) {
  Json json{{"words", witness.words}};
  if (!witness.user.empty()) json["user"] = witness.user;
  if (!witness.other.empty()) json["other"] = witness.other;
  for (const auto& [name, number] : witness.numbers) json[name] = number;
  json["size"] = witness.size;
  return json;
}

Json verdict_json(const Verdict& verdict) {
  Json json{{"property", property_name(verdict.property)},
            {"decided", verdict.decided},
            {"holds", verdict.decided ? Json(verdict.holds) : Json(nullptr)},
            {"vacuous", verdict.vacuous},
            {"scope", verdict.scope == VerdictScope::instance ? "instance" : "searched"},
            {"tried", verdict.tried}};
  if (verdict.ended_early) json["ended_early"] = true;
  if (!verdict.note.empty()) json["note"] = verdict.note;
  if (verdict.witness) json["witness"] = event_json(*verdict.witness);
  if (verdict.smallest) json["smallest"] = witness_json(*verdict.smallest);
  return json;
}

}  // namespace

Json witness_json(const Witness& witness) {
  Json json = event_json(witness);
  json["cluster"] = cluster_json(witness.problem);
  if (witness.changed) json["changed"] = cluster_json(*witness.changed);
  return json;
}

Json audit_json(const AuditRun& audited) {
  Json outcomes = Json::array();
  for (const MechanismAudit& audit : audited.mechanisms) {
    Json verdicts = Json::array();
    for (const Verdict& verdict : audit.verdicts) verdicts.push_back(verdict_json(verdict));
    Json outcome{{"mechanism", audit.mechanism}};
    if (audit.refused)
      outcome["refused"] = audit.refused->message;
    else
      outcome["status"] = status_name(audit.status);
    outcome["properties"] = std::move(verdicts);
    outcomes.push_back(std::move(outcome));
  }
  Json json{{"version", 1}, {"audited", audited.title}, {"budget", audited.budget}, {"seed", audited.seed}};
  if (audited.seconds) json["seconds"] = *audited.seconds;
  json["outcomes"] = std::move(outcomes);
  return json;
}

Json claims_json(const ClaimAuditRun& audited) {
  Json claims = Json::array();
  for (const ClaimAudit& each : audited.claims) {
    claims.push_back({{"mechanism", each.mechanism},
                      {"property", property_name(each.claim.property)},
                      {"printed", printed_word(each.claim)},
                      {"conditions", conditions_json(each.claim.conditions)},
                      {"source", each.claim.source},
                      {"found", verdict_json(each.verdict)}});
  }
  Json json{
      {"version", 1}, {"clusters", audited.clusters}, {"budget", audited.budget}, {"seed", audited.seed}};
  if (audited.seconds) json["seconds"] = *audited.seconds;
  json["claims"] = std::move(claims);
  return json;
}

namespace {

void add_witness(std::vector<std::string>& record, const std::optional<Witness>& witness) {
  record.push_back(witness ? witness->user : "");
  record.push_back(witness ? witness->other : "");
  record.push_back(witness ? csv_number(witness->size) : "");
  record.push_back(witness ? witness->words : "");
}

}  // namespace

std::string audit_csv(const AuditRun& audited) {
  std::string csv = csv_record({"mechanism", "property", "found", "tried", "user", "other", "size", "words"});
  for (const MechanismAudit& audit : audited.mechanisms) {
    for (std::size_t p = 0; p < audited.properties.size(); ++p) {
      std::vector<std::string> record{audit.mechanism, std::string(property_name(audited.properties[p]))};
      if (audit.refused) {
        record.insert(record.end(), {"n/a", "", "", "", "", audit.refused->message});
      } else {
        const Verdict& verdict = audit.verdicts[p];
        record.emplace_back(found_word(verdict));
        record.push_back(std::to_string(verdict.tried));
        add_witness(record, verdict.witness);
      }
      csv += csv_record(record);
    }
  }
  return csv;
}

std::string claims_csv(const ClaimAuditRun& audited) {
  std::string csv = csv_record(
      {"mechanism", "property", "printed", "found", "tried", "user", "other", "size", "words", "source"});
  for (const ClaimAudit& each : audited.claims) {
    std::vector<std::string> record{each.mechanism, std::string(property_name(each.claim.property)),
                                    std::string(printed_word(each.claim)),
                                    std::string(found_word(each.verdict)),
                                    std::to_string(each.verdict.tried)};
    add_witness(record, each.verdict.smallest);
    record.emplace_back(each.claim.source);
    csv += csv_record(record);
  }
  return csv;
}

}  // namespace mirab::report
