#include "report/outcome/team_table.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include <mirab/audit/difference.hpp>
#include <mirab/audit/teams.hpp>
#include <mirab/mechanisms/mechanism.hpp>

#include "model/names.hpp"
#include "report/outcome/groups.hpp"
#include "report/text/format.hpp"
#include "report/text/json.hpp"
#include "report/text/table.hpp"

namespace mirab::report {

bool is_present(const Outcome& outcome) {
  if (outcome.filling) return false;
  const Result<Choice> choice = choose_mechanism(outcome.mechanism);
  return choice && !mechanism_of(*choice).is_rule;
}

// What stops each user of a team, once, that of most tasks first; of room that is not used, where it is.
std::string held_by_words(const Problem& problem, const Outcome& outcome, const Stops& stops,
                          const TeamStanding& team) {
  std::vector<std::string> words, rooms;
  const auto add = [](std::vector<std::string>& to, std::string one) {
    if (std::find(to.begin(), to.end(), one) == to.end()) to.push_back(std::move(one));
  };
  for (const std::size_t n : team.short_users) {
    const Stop stop = stops.of(n);
    if (stop.room && stop.room->kind == Room::Kind::server) {
      add(rooms, shorten(outcome.allocation.servers[stop.room->server].name, kNameWidth));
    } else {
      add(words, stop_words(problem, outcome, stop));
    }
  }
  if (!rooms.empty()) words.push_back(fmt::format("room on {}", fmt::join(rooms, ", ")));
  return fmt::format("{}", fmt::join(words, "; "));
}

std::string waiting_words(const TeamStanding& team, int decimals) {
  const std::optional<double> waiting = team.waiting();
  return !waiting ? "∞" : *waiting == 0 ? "0" : tasks_fixed(*waiting, decimals);
}

int waiting_decimals(std::span<const TeamStanding> teams) {
  std::vector<double> waiting{0};
  for (const TeamStanding& team : teams) waiting.push_back(team.waiting().value_or(0));
  return std::min(decimals_for(waiting), 2);
}

// The table.

namespace {

constexpr std::size_t kTeamLabelWidth = 13;
constexpr std::size_t kHeldWidth = 16;  // of what holds a team, at least
constexpr std::size_t kTeamsNamed = 4;  // of those who are level

// Is it the only filling beside divisions?
bool is_whole(const TeamColumn& column, std::span<const TeamColumn> columns) {
  const auto fillings = std::count_if(columns.begin(), columns.end(), [](const TeamColumn& each) {
    return each.outcome.filling.has_value();
  });
  return column.outcome.filling && fillings == 1 && columns.size() > 1;
}

// `limit of research: cpu +2 more`: of words that are too wide, what stands first, and how many things
// follow.
std::string within_width(const std::string& held, std::size_t width) {
  const std::size_t end = held.find_first_of(",;");
  if (end == std::string::npos || display_width(held) <= width) return held;
  const auto more = std::count_if(held.begin(), held.end(), [](char c) { return c == ',' || c == ';'; });
  const std::string tail = fmt::format(" +{} more", more);
  return shorten(held.substr(0, end), std::max(width, tail.size() + 1) - tail.size()) + tail;
}

// The widest of such words.
std::size_t widest_within(const std::vector<std::string>& held, std::size_t width) {
  std::size_t widest = kHeldWidth;
  for (const std::string& words : held) widest = std::max(widest, display_width(within_width(words, width)));
  return widest;
}

// What is the same in each block of the table.
struct TeamRows {
  std::string head;                // of the names
  std::vector<std::string> names;  // [team]
  std::vector<std::size_t> order;
  std::vector<std::string> held;  // [team]: by what, under the first outcome and now; empty: nothing waits
};

TeamRows team_rows(const Problem& problem, const TeamColumn& first, const TeamColumn* now) {
  TeamRows rows{.head = "team",
                .names = {},
                .order = short_first(first.teams, now ? now->teams : std::span<const TeamStanding>{}),
                .held = std::vector<std::string>(first.teams.size())};
  for (const TeamStanding& team : first.teams) rows.names.push_back(team.who.name);
  const Stops stops(problem, first.outcome);
  std::optional<Stops> stops_now;
  if (now) stops_now.emplace(problem, now->outcome);
  for (std::size_t t = 0; t < first.teams.size(); ++t) {
    std::string& held = rows.held[t];
    if (!first.teams[t].satisfied()) held = held_by_words(problem, first.outcome, stops, first.teams[t]);
    if (!now || now->teams[t].satisfied()) continue;
    const std::string held_now = held_by_words(problem, now->outcome, *stops_now, now->teams[t]);
    if (held_now != held) held += (held.empty() ? "now: " : "; now: ") + held_now;
  }
  return rows;
}

// Each group below the one around it, and in its order.
TeamRows group_rows(const Problem& problem, const TeamColumn& first, const TeamColumn* now) {
  TeamRows rows = team_rows(problem, first, now);
  rows.head = "group";
  std::sort(rows.order.begin(), rows.order.end());
  std::vector<std::size_t> depths;
  for (const std::string& name : rows.names)
    depths.push_back(problem.tree().path(group_node(problem, name)).size());
  const std::size_t outermost = *std::min_element(depths.begin(), depths.end());
  for (std::size_t t = 0; t < depths.size(); ++t) rows.names[t].insert(0, 2 * (depths[t] - outermost), ' ');
  return rows;
}

// What a block shows, as far as the terminal has room for it.
struct TeamLayout {
  std::span<const TeamColumn> all;  // of all blocks
  std::span<const TeamColumn> columns;
  const TeamColumn* now;
  bool dominant = false;
  bool points = false;
  std::size_t held_width = SIZE_MAX;  // of what holds a team

  /// One filling beside a division is `whole`, since it says how much of that can run.
  std::string label(const TeamColumn& column) const {
    if (is_present(column.outcome)) return "now";
    return is_whole(column, all) ? "whole" : column.outcome.mechanism;
  }

  /// Between now and the one division that stands beside it; a filling of whole tasks is none.
  bool has_points() const {
    return points && now && std::count_if(all.begin(), all.end(), [](const TeamColumn& column) {
                              return !column.outcome.filling;
                            }) <= 1;
  }
};

std::string team_share_words(const std::optional<double>& share) { return share ? percent(*share, 2) : "∞"; }

// The columns, and two lines of heading above them, or more where labels are long.
Table team_heading(const TeamLayout& layout, const std::string& head) {
  Table table;
  std::vector<std::vector<std::string>> labels;
  const auto add = [&](Column column, std::vector<std::string> label) {
    table.columns.push_back(column);
    labels.push_back(std::move(label));
  };
  add({.min_width = 4, .shortest = kShortNameWidth}, {head});
  if (layout.dominant) add({.shortest = kShortNameWidth}, {"dominant"});
  const std::size_t before = labels.size();
  const auto add_sides = [&] {
    if (layout.now) add({.align = Align::decimal}, {"now"});
    for (const TeamColumn& column : layout.columns)
      add({.align = Align::decimal}, label_lines(layout.label(column), kTeamLabelWidth));
  };
  add({.align = Align::decimal}, {"asked"});
  add_sides();
  if (layout.has_points()) add({.align = Align::decimal}, {"points"});
  const std::size_t shares = labels.size() - before;
  add_sides();
  const std::size_t waits = labels.size() - before - shares;
  table.columns[before].gap = 3;
  table.columns[before + shares].gap = 3;
  add({.gap = 3, .shortest = kHeldWidth}, {"held by"});

  table.rows.push_back(
      {{"", before}, {"share", shares, Align::center}, {"tasks that wait", waits, Align::center}});
  std::size_t height = 1;
  for (const auto& label : labels) height = std::max(height, label.size());
  for (std::size_t line = 0; line < height; ++line) {
    auto& row = table.rows.emplace_back();
    for (std::size_t c = 0; c < labels.size(); ++c) {
      const std::size_t above = height - labels[c].size();
      const bool is_number = table.columns[c].align == Align::decimal;
      row.push_back({line < above ? "" : labels[c][line - above], 1, is_number ? Align::right : Align::left});
    }
  }
  table.add_rule();
  return table;
}

std::string team_block(const Problem& problem, const TeamLayout& layout, const TeamRows& rows,
                       const Terminal& terminal) {
  Table table = team_heading(layout, rows.head);
  const std::span<const TeamStanding> fair = layout.all.front().teams;
  const std::span<const TeamStanding> now = layout.now ? layout.now->teams : std::span<const TeamStanding>{};
  std::vector<int> decimals;
  for (const TeamColumn& column : layout.columns) decimals.push_back(waiting_decimals(column.teams));
  const int decimals_now = waiting_decimals(now);
  for (const std::size_t t : rows.order) {
    const TeamStanding& team = fair[t];
    const bool lacks = layout.now && now[t].who.share < team.who.share * (1 - kSameWithin);
    auto& row = table.rows.emplace_back(std::vector<Cell>{{rows.names[t]}});
    if (layout.dominant) row.push_back({problem.resources()[team.dominant]});
    row.push_back({team_share_words(team.asked_share)});
    if (layout.now) row.push_back({.text = percent(now[t].who.share, 2), .bold = terminal.bold && lacks});
    for (const TeamColumn& column : layout.columns)
      row.push_back({.text = percent(column.teams[t].who.share, 2),
                     .bold = terminal.bold && !layout.now && !column.teams[t].satisfied()});
    if (layout.has_points()) row.push_back({signed_points(now[t].who.share, team.who.share)});
    if (layout.now) row.push_back({waiting_words(now[t], decimals_now)});
    for (std::size_t c = 0; c < layout.columns.size(); ++c)
      row.push_back({waiting_words(layout.columns[c].teams[t], decimals[c])});
    if (!rows.held[t].empty()) row.push_back({within_width(rows.held[t], layout.held_width)});
  }
  return render(table, terminal.width);
}

}  // namespace

std::string level_lines(const Problem& problem, const TeamColumn& column, std::size_t width,
                        std::string_view of) {
  std::string text;
  for (const LevelTeams& level : level_teams(problem, column.outcome, column.teams)) {
    std::vector<std::string_view> names, resources;
    bool are_weighted = false;
    for (const std::size_t t : level.teams) {
      names.push_back(column.teams[t].who.name);
      are_weighted = are_weighted || column.teams[t].who.weight != 1;
    }
    if (!of.empty() && std::find(names.begin(), names.end(), of) == names.end()) continue;
    for (const std::size_t r : level.resources) resources.push_back(problem.resources()[r]);
    text += broken(printable(fmt::format("level under {}: {}, all short of {}, with the same share{}, {}",
                                         column.outcome.mechanism, first_names(names, kTeamsNamed),
                                         fmt::join(resources, ", "), are_weighted ? " per weight" : "",
                                         percent(column.teams[level.teams.front()].level(), 2))),
                   width);
  }
  return text;
}

namespace {

std::string rows_table(const Problem& problem, const TeamRows& rows, std::span<const TeamColumn> columns,
                       const TeamColumn* now, const Terminal& terminal) {
  const std::size_t page = std::min(terminal.width, kPageWidth);
  std::string text;
  for (auto rest = columns; !rest.empty();) {
    std::size_t count = rest.size();
    const auto draw = [&](bool dominant, bool points, std::size_t width) {
      TeamLayout layout{
          .all = columns, .columns = rest.first(count), .now = now, .dominant = dominant, .points = points};
      std::string whole = team_block(problem, layout, rows, {.width = SIZE_MAX, .bold = terminal.bold});
      if (widest_line(whole) <= width) return whole;
      layout.held_width = 0;
      const std::string narrowest =
          team_block(problem, layout, rows, {.width = SIZE_MAX, .bold = terminal.bold});
      const std::size_t least = widest_line(narrowest), more = width > least ? width - least : 0;
      layout.held_width = widest_within(rows.held, 0) + more;
      return team_block(problem, layout, rows, {.width = width, .bold = terminal.bold});
    };
    // The dominant resource only in one block, and not where names would have to be cut for it.
    std::string drawn = rest.size() == columns.size() ? draw(true, true, SIZE_MAX) : draw(false, true, page);
    if (widest_line(drawn) > page) drawn = draw(false, true, page);
    while (count > 1 && widest_line(drawn) > page) --count, drawn = draw(false, true, page);
    if (widest_line(drawn) > page) drawn = draw(false, false, page);
    text += "\n" + drawn;
    rest = rest.subspan(count);
  }
  return text;
}

}  // namespace

std::string group_table(const Problem& problem, std::span<const TeamColumn> columns, const TeamColumn* now,
                        const Terminal& terminal) {
  if (columns.front().teams.empty()) return {};
  return rows_table(problem, group_rows(problem, columns.front(), now), columns, now, terminal);
}

std::string team_table(const Problem& problem, std::span<const TeamColumn> columns, const TeamColumn* now,
                       const Terminal& terminal) {
  const std::size_t page = std::min(terminal.width, kPageWidth);
  std::string text = rows_table(problem, team_rows(problem, columns.front(), now), columns, now, terminal);
  text +=
      "\n" + broken("share: the largest part of any one resource that the team holds" +
                        std::string(now ? "; points: between now and fair; room: is free, and not used" : ""),
                    page);
  for (const TeamColumn& column : columns) {
    if (is_whole(column, columns))
      text +=
          broken(fmt::format("whole: whole tasks, placed one by one ({})", column.outcome.mechanism), page);
    if (!is_present(column.outcome) && !column.outcome.filling) text += level_lines(problem, column, page);
  }
  if (terminal.bold)
    text +=
        broken(now ? "bold: less than the fair share; of a figure, the best of several outcomes"
                   : "bold: fewer tasks than the team asks for; of a figure, the best of several outcomes",
               page);
  return text;
}

using Json = nlohmann::ordered_json;

namespace {

// What stands in a row of the table, but for the name.
Json standing_json(const Problem& problem, const TeamColumn& column, const TeamColumn* now,
                   const Stops& stops, std::size_t t) {
  const Outcome& outcome = column.outcome;
  const bool present = is_present(outcome);
  const auto number = [](const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); };
  const TeamStanding& team = column.teams[t];
  const double share = team.who.share;
  return {{"dominant_resource", problem.resources()[team.dominant]},
          {"now", present ? Json(share)
                  : now   ? Json(now->teams[t].who.share)
                          : Json(nullptr)},
          {"fair", present ? Json(nullptr) : Json(share)},
          {"asked", number(team.asked_share)},
          {"tasks", team.tasks},
          {"asked_tasks", number(team.asked)},
          {"waiting", number(team.waiting())},
          {"waiting_now", present ? number(team.waiting())
                          : now   ? number(now->teams[t].waiting())
                                  : Json(nullptr)},
          {"satisfied", team.satisfied()},
          {"held_by", team.satisfied() ? Json(nullptr) : Json(held_by_words(problem, outcome, stops, team))}};
}

}  // namespace

Json teams_json(const Problem& problem, const TeamColumn& column, const TeamColumn* now) {
  const Stops stops(problem, column.outcome);
  Json teams = Json::array();
  const std::span<const TeamStanding> beside =
      now && !is_present(column.outcome) ? now->teams : std::span<const TeamStanding>{};
  for (const std::size_t t : short_first(column.teams, beside)) {
    const TeamStanding& team = column.teams[t];
    Json shapes = Json::array();
    for (const std::size_t n : team.who.users) {
      if (problem.users()[n].shape) shapes.push_back(problem.users()[n].name);
    }
    Json& row = teams.emplace_back(
        Json{{"name", team.who.name}, {"weight", team.who.weight}, {"shapes", std::move(shapes)}});
    row.update(standing_json(problem, column, now, stops, t));
  }
  return teams;
}

Json group_rows_json(const Problem& problem, const TeamColumn& column, const TeamColumn* now) {
  const Stops stops(problem, column.outcome);
  std::map<std::string_view, const std::optional<std::string>*> parents;
  for (const Group& group : problem.groups()) parents.emplace(group.name, &group.parent);
  Json groups = Json::array();
  for (std::size_t t = 0; t < column.teams.size(); ++t) {
    const std::string& name = column.teams[t].who.name;
    const std::optional<std::string>& parent = *parents.at(name);
    Json& row = groups.emplace_back(Json{{"name", name},
                                         {"parent", parent ? Json(*parent) : Json(nullptr)},
                                         {"weight", column.teams[t].who.weight}});
    row.update(standing_json(problem, column, now, stops, t));
  }
  return groups;
}

}  // namespace mirab::report
