// What every user has and why, as a table, JSON and CSV.
#include "report/outcome/survey.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include <mirab/audit/metrics.hpp>

#include "audit/cluster_view.hpp"
#include "audit/team_standing.hpp"
#include "audit/what_if.hpp"
#include "model/names.hpp"
#include "report/outcome/comparison.hpp"
#include "report/outcome/explanation.hpp"
#include "report/outcome/groups.hpp"
#include "report/outcome/team_table.hpp"
#include "report/text/format.hpp"
#include "report/text/json.hpp"
#include "report/text/table.hpp"
#include "report/text/width.hpp"

namespace mirab::report {

namespace {

constexpr std::size_t kMostPlaces = 2;  // of a full resource are named
constexpr std::size_t kMostPayers = 1;  // of a remedy
constexpr std::size_t kMostHelped = 3;  // by a change that takes from nobody

// The groups around a user, the outermost first; the user of a task shape is in its name already.
std::vector<std::string> groups_around(const Problem& problem, std::size_t user) {
  const Tree& tree = problem.tree();
  std::vector<std::string> groups;
  for (const std::size_t node : tree.path(tree.node_of_user(user))) {
    if (tree.is_group(node) && !problem.groups()[tree.group_at(node)].is_user)
      groups.push_back(node_name(problem, node));
  }
  return groups;
}

bool any_groups(const Problem& problem) {
  return std::any_of(problem.groups().begin(), problem.groups().end(),
                     [](const Group& group) { return !group.is_user; });
}

// `gpu on gpu-large`, `cpu on 12 kinds` of servers; of a pool the resource alone, and also where it is the
// only one that is full.
std::string full_words(const SurveyReport& report, const Standing& standing) {
  const Problem& problem = report.problem;
  const std::vector<std::size_t>& resources = standing.stop.resources;
  std::vector<std::string> words;
  for (const std::size_t r : resources) {
    std::vector<std::string> places;
    for (const Binding& binding : standing.bindings) {
      if (binding.resource != r) continue;
      for (const std::size_t i : binding.servers)
        places.push_back(shorten(report.survey.outcome.allocation.servers[i].name, kNameWidth));
    }
    const std::string& resource = problem.resources()[r];
    const bool alone = resources.size() == 1 && !problem.is_constrained(standing.user);
    if (report.survey.scope == Scope::pool || problem.server_count() == 1 || places.empty() || alone) {
      words.push_back(resource);
    } else if (places.size() > kMostPlaces) {
      words.push_back(fmt::format("{} on {} kinds", resource, places.size()));
    } else {
      words.push_back(fmt::format("{} on {}", resource, fmt::join(places, " and ")));
    }
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

// Is it that the user may not run where there is room?
bool is_confined(const SurveyReport& report, const Standing& standing) {
  return standing.stop.kind == StopKind::capacity && report.survey.scope != Scope::pool &&
         report.problem.is_constrained(standing.user);
}

std::string held_back_words(const SurveyReport& report, const Standing& standing) {
  const std::string stop = stop_words(report.problem, report.survey.outcome, standing.stop);
  const bool is_full = standing.stop.kind == StopKind::capacity && !standing.stop.is_missing;
  if (!is_full || standing.stop.resources.empty()) return stop;
  return full_words(report, standing) + (is_confined(report, standing) ? "; it may not run elsewhere" : "");
}

const WhatIf* remedy_of(const Standing& standing) {
  return standing.remedy ? &standing.what_ifs[*standing.remedy] : nullptr;
}

std::string asked_text(const Standing& standing) {
  return standing.asked ? csv_number(*standing.asked) : "∞";
}

std::string heading(const SurveyReport& report) {
  const Outcome& outcome = report.survey.outcome;
  const Satisfaction satisfied = satisfaction(report.problem, outcome);
  if (!report.team.empty())
    return fmt::format("{}: {} under {}", report.title, report.team, outcome.mechanism);
  return satisfied.any_asked()
             ? fmt::format("{}: {} of {} get all they ask for under {}", report.title,
                           satisfied.satisfied_users, counted(satisfied.users, "user"), outcome.mechanism)
             : fmt::format("{}: {} under {}, all of whom ask without end", report.title,
                           counted(satisfied.users, "user"), outcome.mechanism);
}

// What the columns of the table of users mean, where it is shown, and what else to know.
std::string remarks(const SurveyReport& report, const Terminal& terminal, bool shows_users) {
  const std::size_t width = terminal.width;
  const Outcome& outcome = report.survey.outcome;
  std::string text;
  if (shows_users)
    text += broken(
        "✓ all it asks for; share: the largest part of any one resource that the user holds; best remedy: "
        "the cheapest change that brings all it asks for, else the cheapest of those that bring most; what "
        "takes from others is the dearest; each was solved",
        width);
  if (terminal.bold) text += broken("bold: fewer tasks than the user asks for", width);
  const auto untried = std::any_of(report.survey.users.begin(), report.survey.users.end(),
                                   [](const Standing& standing) { return standing.untried > 0; });
  if (untried) text += "not all changes were tried: --what-ifs tries more for each user\n";
  if (outcome.status == Status::not_converged)
    text +=
        fmt::format("NOT CONVERGED: {} {}\n", outcome.certificate.kind, magnitude(outcome.certificate.value));
  for (const std::string& notice : outcome.notices) {
    if (!is_of_choice(notice))
      text += broken(fmt::format("{}: {}", notice_kind(notice), printable(notice)), width, "      ");
  }
  return text;
}

}  // namespace

namespace {

std::string tie_words(const Standing& standing) {
  return standing.ties == 0 ? "" : fmt::format(" (a tie with {})", counted(standing.ties, "other"));
}

// What helps those whose best remedy others pay for, and takes from nobody: a line for each such change.
std::string free_remedy_lines(const SurveyReport& report, const std::vector<const Standing*>& shown,
                              std::size_t width) {
  std::vector<std::pair<std::string, std::vector<std::string>>> helped;  // users, by the change
  for (const Standing* standing : shown) {
    if (!standing->free_remedy) continue;
    const WhatIf& what_if = standing->what_ifs[*standing->free_remedy];
    std::string words = change_words(report.problem, standing->user, what_if.change);
    auto known =
        std::find_if(helped.begin(), helped.end(), [&](const auto& each) { return each.first == words; });
    if (is_own(what_if.change)) known = helped.end();  // of each its own, in the same words
    if (known == helped.end()) known = helped.insert(helped.end(), {std::move(words), {}});
    const std::vector<double> tasks{what_if.tasks};
    known->second.push_back(fmt::format("{} {}", report.problem.users()[standing->user].name,
                                        tasks_fixed(what_if.tasks, decimals_for(tasks))));
  }
  std::string text;
  for (const auto& [change, users] : helped) {
    const std::vector<std::string_view> names(users.begin(), users.end());
    text += broken(printable(fmt::format("nobody has less with {}; tasks then: {}", change,
                                         first_names(names, kMostHelped))),
                   std::min(width, kPageWidth));
  }
  return text.empty() ? text : "\n" + text;
}

// A line for each of some users.
std::string standings_table(const SurveyReport& report, const std::vector<const Standing*>& shown,
                            const Terminal& terminal) {
  const std::size_t width = terminal.width;
  const Problem& problem = report.problem;
  const bool groups = any_groups(problem);
  std::vector<double> tasks;
  for (const Standing* standing : shown) {
    tasks.push_back(standing->tasks);
    if (const WhatIf* remedy = remedy_of(*standing)) tasks.push_back(remedy->tasks);
  }
  const int decimals = decimals_for(tasks);
  const auto count = [&](double value) { return value == 0 ? "0" : tasks_fixed(value, decimals); };

  std::vector<std::string> head{"user"};
  if (groups) head.emplace_back("in");
  head.insert(head.end(), {"asked", "got", "share", "held back by", "best remedy", "then"});
  const bool others_pay = std::any_of(shown.begin(), shown.end(), [](const Standing* standing) {
    const WhatIf* remedy = remedy_of(*standing);
    return remedy && remedy->losers.count > 0;
  });
  if (others_pay) head.emplace_back("who has less then");
  std::vector<std::string> names;
  for (const Standing* standing : shown) names.push_back(printable(problem.users()[standing->user].name));
  names = shorten_apart(names, name_width(kNameWidth, width));
  std::vector<std::vector<std::string>> rows;
  std::vector<std::vector<bool>> bold;
  for (const Standing* each : shown) {
    const Standing& standing = *each;
    auto& row = rows.emplace_back();
    row.push_back(names[rows.size() - 1]);
    if (groups) {
      const std::vector<std::string> around = groups_around(problem, standing.user);
      row.push_back(around.empty() ? kNone : printable(fmt::format("{}", fmt::join(around, " / "))));
    }
    row.push_back(asked_text(standing));
    bold.emplace_back(head.size())[row.size()] = terminal.bold && standing.asked && !standing.satisfied;
    row.push_back(standing.satisfied ? count(*standing.asked) + " ✓" : count(standing.tasks));
    row.push_back(percent(standing.dominant_share, 2));
    if (standing.satisfied) continue;
    row.push_back(printable(held_back_words(report, standing)));
    const WhatIf* remedy = remedy_of(standing);
    row.push_back(remedy
                      ? printable(change_words(problem, standing.user, remedy->change) + tie_words(standing))
                      : kNone);
    row.push_back(!remedy
                      ? kNone
                      : count(remedy->tasks) +
                            (standing.asked && remedy->tasks >= *standing.asked * (1 - 1e-6) ? " ✓" : ""));
    if (!others_pay || !remedy) continue;
    const std::string losers = losers_words(remedy->losers, kMostPayers);
    row.push_back(losers.empty() ? "nobody" : printable(losers));
  }
  return grid(head, rows, width, bold) + free_remedy_lines(report, shown, width);
}

// Those of the teams of an outcome that the survey is about.
std::vector<TeamStanding> surveyed_teams(const SurveyReport& report, const Outcome& outcome) {
  std::vector<bool> is_surveyed(report.problem.user_count());
  for (const Standing& standing : report.survey.users) is_surveyed[standing.user] = true;
  std::vector<TeamStanding> teams = team_standings(report.problem, outcome);
  std::erase_if(teams, [&](const TeamStanding& team) { return !is_surveyed[team.who.users.front()]; });
  return teams;
}

// Is the survey about a group of users? A user with task shapes is none.
bool is_of_group(const SurveyReport& report) {
  const std::vector<Group>& groups = report.problem.groups();
  return std::any_of(groups.begin(), groups.end(),
                     [&](const Group& group) { return !group.is_user && group.name == report.team; });
}

// The groups of an outcome that the survey is about: all, or the one that was asked about and those in it.
std::vector<TeamStanding> surveyed_groups(const SurveyReport& report, const Outcome& outcome) {
  std::vector<TeamStanding> groups = group_standings(report.problem, outcome);
  if (report.team.empty()) return groups;
  if (!is_of_group(report)) return {};
  const std::size_t whole = group_node(report.problem, report.team);
  std::erase_if(groups, [&](const TeamStanding& group) {
    const std::vector<std::size_t> path =
        report.problem.tree().path(group_node(report.problem, group.who.name));
    return std::find(path.begin(), path.end(), whole) == path.end();
  });
  return groups;
}

// In a table of their own above that of the teams.
std::string surveyed_group_table(const SurveyReport& report, const Terminal& terminal) {
  const std::vector<TeamStanding> fair = surveyed_groups(report, report.survey.outcome);
  const std::vector<TeamColumn> columns{{report.survey.outcome, fair}};
  if (!report.now) return group_table(report.problem, columns, nullptr, terminal);
  const std::vector<TeamStanding> held = surveyed_groups(report, *report.now);
  const TeamColumn now{*report.now, held};
  return group_table(report.problem, columns, &now, terminal);
}

std::string surveyed_team_table(const SurveyReport& report, const Terminal& terminal) {
  const std::vector<TeamStanding> fair = surveyed_teams(report, report.survey.outcome);
  const std::vector<TeamColumn> columns{{report.survey.outcome, fair}};
  if (!report.now) return team_table(report.problem, columns, nullptr, terminal);
  const std::vector<TeamStanding> held = surveyed_teams(report, *report.now);
  const TeamColumn now{*report.now, held};
  return team_table(report.problem, columns, &now, terminal);
}

// Of each team the shape that lacks most, or of one team all that wait.
std::vector<const Standing*> short_of_teams(const SurveyReport& report) {
  std::vector<const Standing*> shown;
  std::set<std::string_view> teams;
  for (const Standing& standing : report.survey.users) {
    const User& user = report.problem.users()[standing.user];
    const bool fresh = teams.insert(user.shape ? *user.group : user.name).second;
    if (!standing.satisfied && (fresh || !report.team.empty())) shown.push_back(&standing);
  }
  return shown;
}

// What every change brings the team.
std::string together_table(const SurveyReport& report, const Terminal& terminal) {
  const std::vector<WhatIf>& together = report.survey.together;
  if (report.team.empty() || together.empty()) return {};
  const std::string head = fmt::format("what if (solved each time): {}", shorten(report.team, kNameWidth));
  return "\n" + what_if_table(report.problem, report.survey.users.front().user, together, head, terminal);
}

}  // namespace

std::string survey_table(const SurveyReport& report, const Terminal& terminal, bool shapes) {
  const std::size_t page = std::min(terminal.width, kPageWidth);
  const std::string top =
      broken(printable(heading(report)), page) + choice_lines(report.survey.outcome, page);
  const bool teams = !report.team.empty() || (has_shapes(report.problem) && !shapes);
  std::vector<const Standing*> shown;
  if (!teams) {
    for (const Standing& standing : report.survey.users) shown.push_back(&standing);
    return top + surveyed_group_table(report, terminal) + "\n" + standings_table(report, shown, terminal) +
           "\n" + remarks(report, {.width = page, .bold = terminal.bold}, true);
  }
  shown = short_of_teams(report);
  const std::string legend = remarks(report, {.width = page, .bold = terminal.bold}, !shown.empty());
  const std::string below =
      shown.empty() ? ""
                    : std::string("\n") +
                          (report.team.empty() ? "of each team that is short, what lacks most:\n\n" : "") +
                          standings_table(report, shown, terminal);
  std::string level;  // with whom, of all teams
  if (!report.team.empty()) {
    const std::vector<TeamStanding> everyone = team_standings(report.problem, report.survey.outcome);
    level = level_lines(report.problem, {report.survey.outcome, everyone}, page, report.team);
  }
  return top + surveyed_group_table(report, terminal) + surveyed_team_table(report, terminal) + level +
         below + together_table(report, terminal) + (legend.empty() ? "" : "\n" + legend);
}

namespace {

using Json = nlohmann::ordered_json;

Json standing_json(const SurveyReport& report, const Standing& standing) {
  const Problem& problem = report.problem;
  const Outcome& outcome = report.survey.outcome;
  const User& user = problem.users()[standing.user];
  Json held = held_back_json(problem, outcome, standing.stop);
  held["words"] = held_back_words(report, standing);
  if (is_confined(report, standing)) held["placement"] = true;
  Json bindings = Json::array();
  for (const Binding& binding : standing.bindings)
    bindings.push_back(binding_json(problem, outcome, binding));
  Json what_ifs = Json::array();
  for (const WhatIf& what_if : standing.what_ifs)
    what_ifs.push_back(what_if_json(problem, standing.user, what_if));
  Json json{{"name", user.name}};
  if (user.shape) {
    json["user"] = *user.group;
    json["shape"] = *user.shape;
  }
  json["groups"] = groups_around(problem, standing.user);
  json["weight"] = user.weight.value();
  json["asked"] = standing.asked ? Json(*standing.asked) : Json(nullptr);
  json["tasks"] = standing.tasks;
  json["satisfied"] = standing.satisfied;
  json["dominant_share"] = standing.dominant_share;
  json["held_back"] = std::move(held);
  json["bindings"] = std::move(bindings);
  const WhatIf* remedy = remedy_of(standing);
  json["remedy"] = remedy ? what_if_json(problem, standing.user, *remedy) : Json(nullptr);
  if (remedy) json["ties"] = standing.ties;
  json["free_remedy"] = standing.free_remedy
                            ? what_if_json(problem, standing.user, standing.what_ifs[*standing.free_remedy])
                            : Json(nullptr);
  json["what_ifs"] = std::move(what_ifs);
  json["untried"] = standing.untried;
  return json;
}

}  // namespace

Json survey_json(const SurveyReport& report) {
  const Outcome& outcome = report.survey.outcome;
  const Satisfaction satisfied = satisfaction(report.problem, outcome);
  Json users = Json::array();
  for (const Standing& standing : report.survey.users) users.push_back(standing_json(report, standing));
  const std::vector<TeamStanding> fair = surveyed_teams(report, outcome);
  const std::vector<TeamStanding> held =
      report.now ? surveyed_teams(report, *report.now) : std::vector<TeamStanding>{};
  const std::optional<TeamColumn> now =
      report.now ? std::optional(TeamColumn{*report.now, held}) : std::nullopt;
  Json together = Json::array();
  for (const WhatIf& what_if : report.survey.together)
    together.push_back(what_if_json(report.problem, report.survey.users.front().user, what_if));
  Json json{{"version", 1},
            {"cluster", report.title},
            {"team", report.team.empty() ? Json(nullptr) : Json(report.team)},
            {"mechanism", outcome.mechanism},
            {"status", status_name(outcome.status)},
            {"certificate", certificate_json(outcome.certificate)},
            {"seconds", outcome.seconds},
            {"satisfied_users", satisfied.satisfied_users},
            {"satisfied_of", satisfied.users},
            {"teams", teams_json(report.problem, {outcome, fair}, now ? &*now : nullptr)},
            {"users", std::move(users)},
            {"together", std::move(together)},
            {"solved", report.survey.solved},
            {"notices", outcome.notices}};
  const std::vector<TeamStanding> groups = surveyed_groups(report, outcome);
  const std::vector<TeamStanding> groups_now =
      report.now ? surveyed_groups(report, *report.now) : std::vector<TeamStanding>{};
  const std::optional<TeamColumn> beside =
      report.now ? std::optional(TeamColumn{*report.now, groups_now}) : std::nullopt;
  if (!groups.empty())
    json["groups"] = group_rows_json(report.problem, {outcome, groups}, beside ? &*beside : nullptr);
  if (is_of_group(report))  // it stands first
    json["group"] =
        teams_json(report.problem, {outcome, std::span(groups).first(1)}, beside ? &*beside : nullptr)[0];
  add_merged(json, report.problem, outcome);
  return json;
}

std::string survey_csv(const SurveyReport& report) {
  std::string csv = csv_record({"user", "group", "asked", "tasks", "satisfied", "dominant_share",
                                "held_back_by", "held_back", "remedy", "remedy_tasks", "remedy_gain"});
  for (const Standing& standing : report.survey.users) {
    const WhatIf* remedy = remedy_of(standing);
    csv += csv_record({report.problem.users()[standing.user].name,
                       fmt::format("{}", fmt::join(groups_around(report.problem, standing.user), "/")),
                       standing.asked ? csv_number(*standing.asked) : "", csv_number(standing.tasks),
                       standing.satisfied ? "true" : "false", csv_number(standing.dominant_share),
                       std::string(stop_name(standing.stop.kind)), held_back_words(report, standing),
                       remedy ? change_words(report.problem, standing.user, remedy->change) : "",
                       remedy ? csv_number(remedy->tasks) : "", remedy ? csv_number(remedy->gain) : ""});
  }
  return csv;
}

}  // namespace mirab::report
