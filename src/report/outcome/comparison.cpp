// What a comparison holds, and its JSON and CSV.
#include "report/outcome/comparison.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include <mirab/audit/metrics.hpp>
#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/classes.hpp>

#include "audit/figures.hpp"
#include "model/eligibility.hpp"
#include "model/names.hpp"
#include "report/outcome/groups.hpp"
#include "report/outcome/team_table.hpp"
#include "report/text/format.hpp"
#include "report/text/json.hpp"

namespace mirab::report {

MeasuredOutcome measured(const Problem& problem, Outcome outcome) {
  Metrics metrics = measure(problem, outcome.allocation);
  Satisfaction satisfied = satisfaction(problem, outcome);
  std::optional<Metrics> of_short = of_short_users(problem, outcome.allocation, metrics, satisfied);
  std::vector<TeamStanding> teams = team_standings(problem, outcome);
  std::vector<TeamStanding> groups = group_standings(problem, outcome);
  return {.outcome = std::move(outcome),
          .metrics = std::move(metrics),
          .satisfaction = std::move(satisfied),
          .metrics_short = std::move(of_short),
          .teams = std::move(teams),
          .groups = std::move(groups)};
}

const MeasuredOutcome* present_of(std::span<const MeasuredOutcome> outcomes) {
  const auto found = std::find_if(outcomes.begin(), outcomes.end(),
                                  [](const MeasuredOutcome& each) { return is_present(each.outcome); });
  return found == outcomes.end() ? nullptr : &*found;
}

std::vector<std::string> satisfied_lines(const Comparison& comparison) {
  std::vector<std::size_t> counts;  // each once, as they come
  std::map<std::size_t, std::vector<std::string_view>> labels;
  std::size_t users = 0;
  for (const MeasuredOutcome& each : comparison.outcomes) {
    if (!each.satisfaction.any_asked()) return {};
    users = each.satisfaction.users;
    const std::size_t count = each.satisfaction.satisfied_users;
    if (!labels.contains(count)) counts.push_back(count);
    labels[count].push_back(each.outcome.mechanism);
  }
  std::vector<std::string> lines;
  for (const std::size_t count : counts) {
    lines.push_back(fmt::format("{} of {} get all they ask for under {}", count, users,
                                first_names(labels[count], labels[count].size())));
  }
  return lines;
}

std::string_view tie_name(Tie tie) {
  switch (tie) {
    case Tie::first:
      return "first";
    case Tie::last:
      return "last";
    case Tie::random:
      return "random";
  }
  return {};
}

std::string_view unplaced_name(Unplaced reason) {
  switch (reason) {
    case Unplaced::nothing:
      return "nothing";
    case Unplaced::no_room:
      return "no room";
    case Unplaced::blocked:
      return "blocked";
  }
  return {};
}

std::string_view notice_kind(std::string_view notice) {
  return notice.starts_with(kPooledServers) ? "warning" : "note";
}

bool is_of_choice(std::string_view notice) {
  return notice.starts_with(kTakenMechanism) || notice.starts_with(kTakenDiscipline);
}

std::string choice_lines(const Outcome& outcome, std::size_t width) {
  std::string text;
  for (const std::string& notice : outcome.notices) {
    if (is_of_choice(notice))
      text +=
          broken(fmt::format("{} is {}", outcome.mechanism, printable(notice)), std::min(width, kPageWidth));
  }
  return text;
}

std::size_t total_users(const Problem& problem) {
  const auto shapes = std::count_if(problem.users().begin(), problem.users().end(),
                                    [](const User& user) { return user.shape.has_value(); });
  const auto with_shapes = std::count_if(problem.groups().begin(), problem.groups().end(),
                                         [](const Group& group) { return group.is_user; });
  return problem.user_count() - static_cast<std::size_t>(shapes) + static_cast<std::size_t>(with_shapes);
}

bool has_shapes(const Problem& problem) {
  return std::any_of(problem.users().begin(), problem.users().end(),
                     [](const User& user) { return user.shape.has_value(); });
}

std::int64_t total_servers(const Problem& problem) {
  std::int64_t total = 0;
  for (const Server& server : problem.servers()) total += server.count;
  return total;
}

namespace {

/// The part of an outcome in which a figure of users is computed.
template <class Figure>
const auto& values_of(const MeasuredOutcome& measured, const Figure& figure) {
  if constexpr (kIsIn<Metrics, decltype(figure)>) {
    return measured.metrics.*figure.member;
  } else {
    return measured.outcome.allocation.*figure.member;
  }
}

/// A figure of user n for a cell.
std::string csv_value(const Problem& /*problem*/, double value) { return csv_number(value); }
std::string csv_value(const Problem& problem, std::size_t resource) { return problem.resources()[resource]; }

}  // namespace

std::string comparison_csv(const Comparison& comparison) {
  const Problem& problem = comparison.problem;
  const bool shapes = has_shapes(problem);
  std::vector<std::string> header{"outcome", "user"};
  if (shapes) header.emplace_back("shape");
  for_each_figure<Per::user>([&](const auto& figure) { header.emplace_back(figure.name); });
  header.insert(header.end(), {"asked", "satisfied"});
  header.insert(header.end(), problem.resources().begin(), problem.resources().end());
  std::string csv = csv_record(header);

  for (const MeasuredOutcome& measured : comparison.outcomes) {
    const auto granted = bundles(problem, measured.outcome.allocation);
    for (std::size_t n = 0; n < problem.user_count(); ++n) {
      const User& user = problem.users()[n];
      std::vector<std::string> record{measured.outcome.mechanism, user.shape ? *user.group : user.name};
      if (shapes) record.push_back(user.shape.value_or(""));
      for_each_figure<Per::user>(
          [&](const auto& figure) { record.push_back(csv_value(problem, values_of(measured, figure)[n])); });
      const std::optional<double>& asked = measured.satisfaction.asked[n];
      record.push_back(asked ? csv_number(*asked) : "");
      record.emplace_back(measured.satisfaction.satisfied[n] ? "true" : "false");
      for (const double held : granted[n]) record.push_back(csv_number(held));
      csv += csv_record(record);
    }
  }
  return csv;
}

// The JSON that scripts and the report page read. Keys may be added, never renamed or dropped.

namespace {

using Json = nlohmann::ordered_json;

/// Appends without looking for the key first, which in ordered JSON would take a pass over the object.
void append(Json& object, const std::string& key, Json value) {
  object.get_ref<Json::object_t&>().push_back({key, std::move(value)});
}

/// Tasks that were counted are integers, tasks that were divided are doubles.
Json task_count(const Outcome& outcome, double tasks) {
  return outcome.filling ? Json(static_cast<std::int64_t>(tasks)) : Json(tasks);
}

Json problem_json(const Problem& problem) {
  return {{"resources", problem.resources()},
          {"users", problem.user_count()},
          {"servers", total_servers(problem)},
          {"server_classes", merge(problem, MergeUsers::equal, MergeServers::equal).servers.size()}};
}

/// A figure of user n.
Json user_value(const Problem& problem, std::size_t resource) { return problem.resources()[resource]; }
Json user_value(const Problem& /*problem*/, double value) { return value; }

Json names_of(const Problem& problem, const std::vector<std::size_t>& resources) {
  Json names = Json::array();
  for (const std::size_t r : resources) names.push_back(problem.resources()[r]);
  return names;
}

Json users_json(const Problem& problem, const MeasuredOutcome& measured) {
  const Outcome& outcome = measured.outcome;
  const Allocation& allocation = outcome.allocation;
  const auto granted = bundles(problem, allocation);
  std::optional<Stops> stops;
  if (!problem.tree().is_flat()) stops.emplace(problem, outcome);
  const std::vector<bool> is_eligible = eligible_somewhere(problem);
  Json users = Json::array();
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    Json servers = Json::object();
    for (const Grant& grant : allocation.grants.of(n)) {
      append(servers, allocation.servers[grant.server].name,
             {{"tasks", task_count(outcome, grant.tasks)},
              {"resources", by_resource(problem.resources(), grant.resources)}});
    }
    const User& who = problem.users()[n];
    Json user{{"name", who.name}};
    if (who.shape) {
      user["user"] = *who.group;
      user["shape"] = *who.shape;
    } else if (who.group) {
      user["group"] = *who.group;
    }
    user["weight"] = who.weight.value();
    for_each_figure<Per::user>([&](const auto& figure) {
      const auto& value = values_of(measured, figure)[n];
      if constexpr (kIsIn<Allocation, decltype(figure)>) {
        append(user, std::string(figure.name), task_count(outcome, value));
      } else {
        append(user, std::string(figure.name), user_value(problem, value));
      }
    });
    const std::optional<double>& asked = measured.satisfaction.asked[n];
    append(user, "asked", asked ? task_count(outcome, *asked) : Json(nullptr));
    const std::optional<double>& share = measured.satisfaction.asked_shares[n];
    append(user, "asked_share", share ? Json(*share) : Json(nullptr));
    append(user, "satisfied", bool{measured.satisfaction.satisfied[n]});
    if (!is_eligible[n]) {
      const Lack lack = lack_of(problem, n);
      append(user, "waits_for", names_of(problem, lack.resources));
      if (lack.is_together) append(user, "waits_for_together", true);
    }
    append(user, "resources", by_resource(problem.resources(), granted[n]));
    append(user, "servers", std::move(servers));
    if (stops) append(user, "held_back", held_back_json(problem, outcome, stops->of(n)));
    users.push_back(std::move(user));
  }
  return users;
}

Json figure_json(const Problem& /*problem*/, double value) { return value; }
Json figure_json(const Problem& problem, const std::vector<double>& values) {
  return by_resource(problem.resources(), values);
}
Json figure_json(const Problem& problem, const std::vector<std::optional<double>>& values) {
  Json json = Json::object();
  for (std::size_t r = 0; r < values.size(); ++r)
    json[problem.resources()[r]] = values[r] ? Json(*values[r]) : Json(nullptr);
  return json;
}

Json servers_json(const Problem& problem, const Allocation& allocation, const GroupMetrics& groups) {
  Json servers = Json::array();
  for (std::size_t i = 0; i < allocation.servers.size(); ++i) {
    const ServerUse& server = allocation.servers[i];
    Json entry{{"name", server.name},
               {"count", server.count},
               {"capacity", by_resource(problem.resources(), server.capacity)},
               {"used", by_resource(problem.resources(), server.used)}};
    if (!server.prices.empty()) entry["prices"] = by_resource(problem.resources(), server.prices);
    for_each_figure<Per::server>([&](const auto& figure) {
      entry[std::string(figure.name)] = figure_json(problem, (groups.*figure.member)[i]);
    });
    servers.push_back(std::move(entry));
  }
  return servers;
}

Json metrics_json(const Problem& problem, const Metrics& metrics, const GroupMetrics& groups) {
  Json json = Json::object();
  const auto add = [&](const auto& figure) {
    const std::string name(figure.name);
    if constexpr (kIsIn<Metrics, decltype(figure)>) json[name] = figure_json(problem, metrics.*figure.member);
    if constexpr (kIsIn<GroupMetrics, decltype(figure)>)
      json[name] = figure_json(problem, groups.*figure.member);
  };
  for_each_figure<Per::outcome, Per::resource>(add);
  json["lowest_share"] = metrics.min_dominant_share;  // the name that people see
  return json;
}

/// Over the users who are short of tasks; null when fewer than two are compared.
Json metrics_short_json(const MeasuredOutcome& measured) {
  if (!measured.metrics_short) return nullptr;
  Json json = Json::object();
  for_each_figure<Per::outcome>([&](const auto& figure) {
    if constexpr (kIsIn<Metrics, decltype(figure)>) {
      if (figure.over_short) json[std::string(figure.name)] = (*measured.metrics_short).*figure.member;
    }
  });
  json["lowest_share"] = measured.metrics_short->min_dominant_share;
  return json;
}

/// The indices of all steps, or of every k-th and of each user's last.
std::vector<std::size_t> kept_steps(const std::vector<FillStep>& steps, std::size_t most) {
  const std::size_t stride = steps.size() <= most ? 1 : steps.size() / most + 1;
  std::map<std::size_t, std::size_t> last;
  for (std::size_t i = 0; i < steps.size(); ++i) last[steps[i].user] = i;
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i % stride == 0 || last[steps[i].user] == i) kept.push_back(i);
  }
  return kept;
}

Json steps_json(const Problem& problem, const FillRecord& filling, std::size_t most) {
  Json steps = Json::array();
  for (const std::size_t step : kept_steps(filling.steps, most)) {
    const FillStep& placed = filling.steps[step];
    steps.push_back({{"step", step + 1},
                     {"user", problem.users()[placed.user].name},
                     {"server", problem.servers()[placed.server].name},
                     {"instance", placed.instance},
                     {"share", placed.share}});
  }
  return steps;
}

/// What tells how the outcome came about: the mechanism, or the parts of a filling.
Json origin_json(const Problem& problem, const Outcome& outcome) {
  if (!outcome.filling) return {{"mechanism", outcome.mechanism}, {"label", outcome.mechanism}};
  const FillRecord& filling = *outcome.filling;
  Json unplaced = Json::object();
  for (std::size_t n = 0; n < filling.unplaced.size(); ++n) {
    if (filling.unplaced[n] == Unplaced::nothing) continue;
    append(unplaced, problem.users()[n].name, unplaced_name(filling.unplaced[n]));
  }
  Json json{{"discipline", filling.discipline},
            {"placement", filling.placement},
            {"label", outcome.mechanism},
            {"tie", tie_name(filling.tie)},
            {"seed", filling.seed}};
  for_each_figure<Per::outcome>([&](const auto& figure) {
    if constexpr (kIsIn<FillRecord, decltype(figure)>)
      json[std::string(figure.name)] = filling.*figure.member;
  });
  json["unplaced"] = std::move(unplaced);
  return json;
}

// All groups, and where those of users stand.
Json all_groups_json(const Problem& problem, const MeasuredOutcome& measured, const TeamColumn* now) {
  std::map<std::string, Json> standings;
  for (Json& row : group_rows_json(problem, {measured.outcome, measured.groups}, now))
    standings.emplace(row["name"], std::move(row));
  Json groups = groups_json(problem, measured.outcome);
  for (Json& group : groups) {
    if (const auto row = standings.find(group["name"]); row != standings.end()) group.update(row->second);
  }
  return groups;
}

// `present` is null where it is not known what runs now.
Json outcome_json(const Problem& problem, const MeasuredOutcome& measured, const MeasuredOutcome* present,
                  std::size_t most_steps) {
  const auto now = [&](const std::vector<TeamStanding> MeasuredOutcome::*who) {
    return present ? std::optional(TeamColumn{present->outcome, present->*who}) : std::nullopt;
  };
  const std::optional<TeamColumn> teams_now = now(&MeasuredOutcome::teams),
                                  groups_now = now(&MeasuredOutcome::groups);
  const Outcome& outcome = measured.outcome;
  Json json = origin_json(problem, outcome);
  json["status"] = status_name(outcome.status);
  json["certificate"] = certificate_json(outcome.certificate);
  json["seconds"] = outcome.seconds;
  json["users"] = users_json(problem, measured);
  json["teams"] = teams_json(problem, {outcome, measured.teams}, teams_now ? &*teams_now : nullptr);
  if (!problem.groups().empty())
    json["groups"] = all_groups_json(problem, measured, groups_now ? &*groups_now : nullptr);
  const GroupMetrics groups = measure_groups(problem, outcome.allocation);
  json["servers"] = servers_json(problem, outcome.allocation, groups);
  json["satisfied_users"] = measured.satisfaction.satisfied_users;
  json["satisfied_of"] = measured.satisfaction.users;
  json["metrics"] = metrics_json(problem, measured.metrics, groups);
  json["metrics_short"] = metrics_short_json(measured);
  const std::optional<double>& lowest = measured.satisfaction.lowest_short_share;
  json["lowest_share_short"] = lowest ? Json(*lowest) : Json(nullptr);
  json["notices"] = outcome.notices;
  add_merged(json, problem, outcome);
  if (outcome.filling && !outcome.filling->steps.empty())
    json["steps"] = steps_json(problem, *outcome.filling, most_steps);
  return json;
}

}  // namespace

Json comparison_json(const Comparison& comparison, std::size_t most_steps) {
  Json outcomes = Json::array();
  const MeasuredOutcome* present = present_of(comparison.outcomes);
  for (const MeasuredOutcome& each : comparison.outcomes)
    outcomes.push_back(outcome_json(comparison.problem, each, present, most_steps));
  Json problem = problem_json(comparison.problem);
  if (!comparison.stands_for.empty()) problem["stands_for"] = comparison.stands_for;
  return {{"version", 1},
          {"seed", comparison.seed},
          {"problem", std::move(problem)},
          {"outcomes", std::move(outcomes)}};
}

}  // namespace mirab::report
