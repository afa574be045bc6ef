// The table on the terminal. Outcomes stand side by side as far as its width holds them, two columns each:
// tasks and dominant share. Below, the same columns carry the summary, one value an outcome. Where users have
// task shapes, the table by team stands in the place of their rows, and the summary below it.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "audit/figures.hpp"
#include "model/names.hpp"
#include "report/outcome/comparison.hpp"
#include "report/outcome/groups.hpp"
#include "report/outcome/team_table.hpp"
#include "report/text/format.hpp"
#include "report/text/table.hpp"
#include "report/text/width.hpp"

namespace mirab::report {
namespace {

constexpr std::size_t kOutcomeWidth = 13;

/// Blanks between outcomes, and the fewest that still keep them apart.
constexpr std::size_t kWideGap = 3;
constexpr std::size_t kNarrowGap = 2;

using Outcomes = std::span<const MeasuredOutcome>;

std::string title(const Comparison& comparison) {
  const Problem& problem = comparison.problem;
  std::vector<std::string> pool;
  for (std::size_t r = 0; r < problem.resource_count(); ++r) {
    pool.push_back(problem.resources()[r] + " " + amount(problem.pool()[r]));
  }
  const auto servers = static_cast<std::size_t>(total_servers(problem));
  return printable(fmt::format("{}: {} on {} with {}", comparison.title,
                               counted(total_users(problem), "user"), counted(servers, "server"),
                               fmt::join(pool, ", ")));
}

bool any_asked(Outcomes outcomes) { return outcomes.front().satisfaction.any_asked(); }

/// Of the user, the dominant resource, and what is asked for where a number of tasks is.
std::size_t names_columns(Outcomes outcomes) { return any_asked(outcomes) ? 3 : 2; }

bool any_short(Outcomes outcomes) {
  return std::any_of(outcomes.begin(), outcomes.end(), [](const MeasuredOutcome& each) {
    return each.satisfaction.satisfied_users < each.satisfaction.users;
  });
}

/// Over how many columns of a table the names of the figures reach, and those of each outcome.
struct Spans {
  std::size_t names;
  std::size_t each;
};

void add_labels(Table& table, Outcomes outcomes, Spans spans) {
  std::vector<std::vector<std::string>> labels;
  std::size_t height = 1;
  for (const MeasuredOutcome& each : outcomes) {
    labels.push_back(label_lines(each.outcome.mechanism, kOutcomeWidth));
    height = std::max(height, labels.back().size());
  }
  for (std::size_t line = 0; line < height; ++line) {
    auto& row = table.rows.emplace_back(std::vector<Cell>{{"", spans.names}});
    for (const auto& label : labels) {
      const std::size_t above = height - label.size();  // labels stand on the last line
      row.push_back({line < above ? "" : label[line - above], spans.each, Align::right});
    }
  }
}

/// One decimal count for all shares that stand side by side, at least the two of the percentages below them.
int share_decimals(Outcomes outcomes) {
  std::vector<double> percents;
  for (const MeasuredOutcome& each : outcomes) {
    for (const double share : each.metrics.dominant_shares) percents.push_back(100 * share);
  }
  return std::clamp(decimals_for(percents), 2, 4);
}

/// What dominates the user's tasks, which may be another resource where they run elsewhere: `cpu/memory`.
std::string dominant_words(const Problem& problem, Outcomes outcomes, std::size_t user) {
  std::set<std::size_t> resources;
  for (const MeasuredOutcome& each : outcomes) resources.insert(each.metrics.dominant_resources[user]);
  std::string words;
  for (const std::size_t r : resources) words += (words.empty() ? "" : "/") + problem.resources()[r];
  return words;
}

/// Does the user ask for a number of tasks, and get fewer?
bool lacks_tasks(const MeasuredOutcome& measured, std::size_t user) {
  return measured.satisfaction.asked[user] && !measured.satisfaction.satisfied[user];
}

std::string asked_words(const User& user) { return user.tasks ? csv_number(user.tasks->value()) : "∞"; }

/// The tasks, with a mark when they are all that the user asks for.
std::string got_words(const MeasuredOutcome& measured, std::size_t user, int decimals) {
  if (!measured.satisfaction.satisfied[user])
    return tasks_fixed(measured.outcome.allocation.tasks[user], decimals);
  return tasks_fixed(*measured.satisfaction.asked[user], decimals) + " ✓";
}

void add_users(Table& table, const Problem& problem, Outcomes outcomes, bool bold) {
  auto& header = table.rows.emplace_back(std::vector<Cell>{{"user"}, {"dominant"}});
  if (any_asked(outcomes)) header.push_back({"asked", 1, Align::right});
  for (std::size_t column = 0; column < outcomes.size(); ++column) {
    header.push_back({"tasks", 1, Align::right});
    header.push_back({"share", 1, Align::right});
  }
  table.add_rule();

  const int decimals = share_decimals(outcomes);
  std::vector<int> task_decimals;
  for (const MeasuredOutcome& each : outcomes) {
    task_decimals.push_back(decimals_for(each.outcome.allocation.tasks));
  }
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    auto& row = table.rows.emplace_back();
    row.push_back({problem.users()[n].name});
    row.push_back({dominant_words(problem, outcomes, n)});
    if (any_asked(outcomes)) row.push_back({asked_words(problem.users()[n])});
    for (std::size_t column = 0; column < outcomes.size(); ++column) {
      const double share = outcomes[column].metrics.dominant_shares[n];
      row.push_back({.text = got_words(outcomes[column], n, task_decimals[column]),
                     .bold = bold && lacks_tasks(outcomes[column], n)});
      row.push_back({percent(share, decimals)});
    }
  }
  table.add_rule();
}

/// A line of the summary: what each outcome has, as text and, where one can be better, as a number.
struct SummaryLine {
  std::string what;
  std::function<std::string(const MeasuredOutcome&)> text;
  Better better = Better::neither;
  std::function<std::optional<double>(const MeasuredOutcome&)> number = {};
};

/// How the best of all outcomes reads; nothing where none is better than another.
std::optional<std::string> best_text(Outcomes all, const SummaryLine& line) {
  if (line.better == Better::neither) return {};
  const double sign = line.better == Better::more ? 1 : -1;
  std::optional<double> best, worst;
  std::string text, worst_text;
  for (const MeasuredOutcome& each : all) {
    const std::optional<double> number = line.number(each);
    if (!number) continue;
    if (!best || sign * *number > sign * *best) best = number, text = line.text(each);
    if (!worst || sign * *number < sign * *worst) worst = number, worst_text = line.text(each);
  }
  return text == worst_text ? std::nullopt : std::optional(text);
}

void add_summary_line(Table& table, Outcomes outcomes, Spans spans, const SummaryLine& line,
                      const std::optional<std::string>& bold) {
  auto& row = table.rows.emplace_back(std::vector<Cell>{{line.what, spans.names}});
  for (const MeasuredOutcome& each : outcomes) {
    const std::string text = line.text(each);
    row.push_back({.text = text, .span = spans.each, .align = Align::right, .bold = text == bold});
  }
}

/// What the certificates of the outcomes that are not exact measure, each once.
std::vector<std::string> certificate_kinds(Outcomes outcomes) {
  std::vector<std::string> kinds;
  for (const MeasuredOutcome& each : outcomes) {
    const std::string& kind = each.outcome.certificate.kind;
    const bool known = std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
    if (each.outcome.status != Status::exact && !known) kinds.push_back(kind);
  }
  return kinds;
}

std::string ratio(double value) {
  constexpr double kReadable = 1e4;  // beyond, only the magnitude matters
  return value < kReadable ? fixed(value, 2) : std::isinf(value) ? "∞" : magnitude(value);
}

/// `decimals` of a percentage.
std::string figure_text(Unit unit, double value, int decimals) {
  if (unit == Unit::share) return percent(value, decimals);
  return unit == Unit::ratio ? ratio(value) : fixed(value, 4);
}

std::string status_words(Status status) {
  return status == Status::not_converged ? "NOT CONVERGED" : std::string(status_name(status));
}

/// Over the users who are short of tasks. One of them alone has a lowest share, and nothing to be compared.
std::optional<double> figure_of_short(const MeasuredOutcome& measured, double Metrics::*figure) {
  if (figure == &Metrics::min_dominant_share) return measured.satisfaction.lowest_short_share;
  if (!measured.metrics_short) return {};
  return (*measured.metrics_short).*figure;
}

void add_summary(Table& table, const Comparison& comparison, Outcomes outcomes, Spans spans, int decimals,
                 const Terminal& terminal, const TableOptions& options) {
  const Problem& problem = comparison.problem;
  const auto add = [&](const SummaryLine& line) {
    add_summary_line(table, outcomes, spans, line,
                     terminal.bold ? best_text(comparison.outcomes, line) : std::nullopt);
  };
  const bool filled = std::any_of(outcomes.begin(), outcomes.end(),
                                  [](const MeasuredOutcome& c) { return c.outcome.filling.has_value(); });
  if (any_asked(outcomes)) {
    add({.what = "get all they ask for",
         .text =
             [](const MeasuredOutcome& c) {
               return fmt::format("{} of {}", c.satisfaction.satisfied_users, c.satisfaction.users);
             },
         .better = Better::more,
         .number = [](const MeasuredOutcome& c) { return c.satisfaction.satisfied_users; }});
  }
  for_each_figure<Per::outcome, Per::resource>([&]<class Figure>(const Figure& figure) {
    const std::string heading(figure.heading);
    if (heading.empty() || (figure.in_detail && !options.all_metrics)) return;
    if (figure.over_short && !any_short(outcomes)) return;
    if constexpr (kIsIn<FillRecord, Figure>) {
      if (!filled) return;
      const auto number = [&](const MeasuredOutcome& c) -> std::optional<double> {
        if (!c.outcome.filling) return {};
        return static_cast<double>((*c.outcome.filling).*figure.member);
      };
      const auto text = [&](const MeasuredOutcome& c) {
        return c.outcome.filling ? std::to_string((*c.outcome.filling).*figure.member) : kNone;
      };
      add({heading, text, figure.better, number});
    } else if constexpr (kIsIn<Metrics, Figure> && Figure::kPer == Per::resource) {
      for (std::size_t r = 0; r < problem.resource_count(); ++r) {
        const auto number = [&](const MeasuredOutcome& c) { return (c.metrics.*figure.member)[r]; };
        const auto text = [&](const MeasuredOutcome& c) { return figure_text(figure.unit, number(c), 2); };
        add({shorten(problem.resources()[r], kResourceWidth) + " " + heading, text, figure.better, number});
      }
    } else if constexpr (kIsIn<Metrics, Figure>) {
      const auto number = [&](const MeasuredOutcome& c) {
        return figure.over_short ? figure_of_short(c, figure.member) : c.metrics.*figure.member;
      };
      const auto text = [&](const MeasuredOutcome& c) {
        const std::optional<double> value = number(c);
        return value ? figure_text(figure.unit, *value, decimals) : kNone;
      };
      add({heading, text, figure.better, number});
    } else {
      static_assert(kIsIn<GroupMetrics, Figure>);  // without a heading
    }
  });
  add({"status", [](const MeasuredOutcome& c) { return status_words(c.outcome.status); }});
  for (const std::string& kind : certificate_kinds(outcomes)) {
    add({kind, [&](const MeasuredOutcome& c) {
           return c.outcome.certificate.kind == kind ? magnitude(c.outcome.certificate.value) : kNone;
         }});
  }
  if (options.times) add({"time", [](const MeasuredOutcome& c) { return duration(c.outcome.seconds); }});
}

std::string side_by_side(const Comparison& comparison, Outcomes outcomes, std::size_t gap,
                         const Terminal& terminal, const TableOptions& options) {
  Table table;
  table.columns = {{.align = Align::left, .min_width = 4, .shortest = kShortNameWidth},
                   {.align = Align::left, .shortest = kResourceWidth}};
  if (any_asked(outcomes)) table.columns.push_back({.align = Align::decimal});
  for (std::size_t column = 0; column < outcomes.size(); ++column) {
    table.columns.push_back({.align = Align::decimal, .gap = gap, .min_width = 5});
    table.columns.push_back({.align = Align::decimal, .gap = 1, .min_width = 6});
  }
  const Spans spans{.names = names_columns(outcomes), .each = 2};
  add_labels(table, outcomes, spans);
  add_users(table, comparison.problem, outcomes, terminal.bold);
  add_summary(table, comparison, outcomes, spans, share_decimals(outcomes), terminal, options);
  return render(table, terminal.width);
}

/// The summary alone: a column an outcome.
std::string summary(const Comparison& comparison, Outcomes outcomes, const Terminal& terminal,
                    const TableOptions& options) {
  Table table;
  table.columns = {{}};
  for (std::size_t column = 0; column < outcomes.size(); ++column)
    table.columns.push_back({.align = Align::right, .gap = kWideGap});
  const Spans spans{.names = 1, .each = 1};
  add_labels(table, outcomes, spans);
  table.add_rule();
  constexpr int kShareDecimals = 2;  // as in the table by team
  add_summary(table, comparison, outcomes, spans, kShareDecimals, terminal, options);
  return render(table, terminal.width);
}

/// The columns of the table by team, or by group, and what each has now.
template <class Teams, class Draw>
std::string beside_now(const Comparison& comparison, const Teams& teams, const Draw& draw) {
  const MeasuredOutcome* present = present_of(comparison.outcomes);
  if (comparison.outcomes.size() == 1) present = nullptr;
  std::vector<TeamColumn> columns;
  for (const MeasuredOutcome& each : comparison.outcomes) {
    if (&each != present) columns.push_back({each.outcome, teams(each)});
  }
  if (!present) return draw(columns, nullptr);
  const TeamColumn now{present->outcome, teams(*present)};
  return draw(columns, &now);
}

/// One row per team: its fair share, and what it has now.
std::string by_team(const Comparison& comparison, const Terminal& terminal) {
  return beside_now(
      comparison, [](const MeasuredOutcome& each) { return std::span(each.teams); },
      [&](std::span<const TeamColumn> columns, const TeamColumn* now) {
        return team_table(comparison.problem, columns, now, terminal);
      });
}

/// The same of groups of users; nothing without them.
std::string by_group(const Comparison& comparison, const Terminal& terminal) {
  return beside_now(
      comparison, [](const MeasuredOutcome& each) { return std::span(each.groups); },
      [&](std::span<const TeamColumn> columns, const TeamColumn* now) {
        return group_table(comparison.problem, columns, now, terminal);
      });
}

/// As many outcomes stand side by side as the width holds, at least one; the others follow below.
std::string in_blocks(const Comparison& comparison, const Terminal& terminal,
                      const std::function<std::string(Outcomes, std::size_t gap)>& draw) {
  std::string text;
  Outcomes rest = comparison.outcomes;
  while (!rest.empty()) {
    std::size_t count = rest.size();
    std::string block = draw(rest, kWideGap);
    if (widest_line(block) > std::min(terminal.width, kPageWidth)) block = draw(rest, kNarrowGap);
    while (count > 1 && widest_line(block) > terminal.width) block = draw(rest.first(--count), kWideGap);
    text += "\n" + block;
    rest = rest.subspan(count);
  }
  return text;
}

std::string steps(const Problem& problem, const Outcome& outcome, std::size_t width) {
  Table table;
  table.columns = {{Align::right},
                   {.shortest = kShortNameWidth},
                   {.shortest = kShortNameWidth},
                   {Align::right},
                   {Align::decimal}};
  table.rows = {{{"step"}, {"user"}, {"server"}, {"instance"}, {"share/weight", 1, Align::right}}};
  table.add_rule();
  std::size_t count = 0;
  for (const FillStep& step : outcome.filling->steps) {
    table.rows.push_back({{std::to_string(++count)},
                          {problem.users()[step.user].name},
                          {problem.servers()[step.server].name},
                          {std::to_string(step.instance)},
                          {percent(step.share, 2)}});
  }
  const std::string heading =
      outcome.mechanism + ", step by step (share/weight: the user's share after the step, over its weight)";
  return "\n" + broken(heading, width) + "\n" + render(table, width);
}

/// A notice of several outcomes is printed once.
std::string notices(Outcomes outcomes, std::size_t width) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<std::string>> labels;
  for (const MeasuredOutcome& each : outcomes) {
    for (const std::string& notice : each.outcome.notices) {
      if (is_of_choice(notice)) continue;
      if (!labels.contains(notice)) order.push_back(notice);
      labels[notice].push_back(each.outcome.mechanism);
    }
  }
  std::string text;
  for (const std::string& notice : order) {
    const std::string whole =
        fmt::format("{}: {}: {}", notice_kind(notice), fmt::join(labels[notice], ", "), printable(notice));
    text += broken(whole, std::min(width, kPageWidth), "      ");
  }
  return text;
}

/// Of whom the fairness figures are.
std::string short_words(Outcomes outcomes, bool teams) {
  if (teams)
    return any_short(outcomes)
               ? "lowest share: of teams that are short of tasks; Gini, Jain, top/bottom 20% and "
                 "deviation: also of teams that hold more per weight than one of these"
               : "every team has all it asks for, so there is no inequality to measure";
  return std::string("✓ all it asks for") +
         (any_short(outcomes) ? "; lowest share: of users who are short of tasks; Gini, Jain, top/bottom 20% "
                                "and deviation: also of users who hold more per weight than one of these"
                              : "; every user has all it asks for, so there is no inequality to measure");
}

}  // namespace

std::string comparison_table(const Comparison& comparison, const Terminal& terminal,
                             const TableOptions& options) {
  const std::size_t width = terminal.width;
  const std::size_t page = std::min(width, kPageWidth);
  const Problem& problem = comparison.problem;
  const bool teams = has_shapes(problem) && !options.shapes;
  std::string text = broken(title(comparison), width);
  for (const MeasuredOutcome& each : comparison.outcomes) text += choice_lines(each.outcome, width);
  for (const std::string& line : satisfied_lines(comparison)) text += broken(line, width);
  text += by_group(comparison, terminal);
  if (teams) {
    text += by_team(comparison, terminal);
    text += in_blocks(comparison, terminal, [&](Outcomes outcomes, std::size_t) {
      return summary(comparison, outcomes, terminal, options);
    });
    text += "\n";
  } else {
    text += in_blocks(comparison, terminal, [&](Outcomes outcomes, std::size_t gap) {
      return side_by_side(comparison, outcomes, gap, terminal, options);
    });
    text +=
        "\n" +
        broken("share: the largest part of any one resource that the user holds, its dominant share", width);
  }
  if (any_asked(comparison.outcomes)) text += broken(short_words(comparison.outcomes, teams), page);
  if (terminal.bold && !teams)
    text +=
        broken("bold: fewer tasks than the user asks for; of a figure, the best of several outcomes", page);
  if (has_shapes(problem) && any_short(comparison.outcomes) && !teams)
    text +=
        broken("in these figures a user with task shapes is one, with all that these hold together", page);
  for (const MeasuredOutcome& each : comparison.outcomes) {
    if (teams ? has_groups(problem) && honours_groups(each.outcome)
              : !problem.tree().is_flat() && honours_groups(each.outcome))
      text += groups_table(problem, each.outcome, width, teams ? Leaves::teams : Leaves::shapes);
  }
  for (const MeasuredOutcome& each : comparison.outcomes) {
    if (each.outcome.filling && !each.outcome.filling->steps.empty())
      text += steps(comparison.problem, each.outcome, width);
  }
  return text + notices(comparison.outcomes, width);
}

}  // namespace mirab::report
