// The contenders side by side: what became of all tasks, what was used over time, then the users with most
// tasks.
#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "report/figures.hpp"
#include "report/simulation.hpp"
#include "report/table.hpp"
#include "report/text_width.hpp"

namespace mirab::report {
namespace {

using simulation::Quantiles;
using simulation::ReplayOutcome;
using simulation::ReplayUser;
using simulation::Series;

constexpr std::size_t kNameWidth = 20;
constexpr std::size_t kContenderWidth = 15;
constexpr std::size_t kUsersShown = 20;
const std::string kIndent = "  ";

using Outcomes = std::vector<ReplayOutcome>;

// A time that a person waits: `0 s`, `12.3 s`, `4.2 min`, `3.1 h`, `2.5 d`.
std::string span(double seconds) {
  constexpr double kMinute = 60;
  constexpr double kHour = 3600;
  constexpr double kDay = 86400;
  if (seconds == 0) return "0 s";
  if (seconds < 2 * kMinute) return fmt::format("{:.3g} s", seconds);
  if (seconds < 2 * kHour) return fmt::format("{:.3g} min", seconds / kMinute);
  if (seconds < 2 * kDay) return fmt::format("{:.3g} h", seconds / kHour);
  return fmt::format("{:.4g} d", seconds / kDay);
}

std::string mean_of(const Series& series) {
  if (series.values.empty()) return "–";
  const double sum = std::accumulate(series.values.begin(), series.values.end(), 0.0);
  return fixed(sum / static_cast<double>(series.values.size()), 4);
}

// One row of the summary: what it is called, and its value for each contender.
template <class Value>
void add_row(Table& table, const std::string& what, const Outcomes& outcomes, const Value& value) {
  std::vector<Cell> row{{what}};
  for (const ReplayOutcome& outcome : outcomes) row.push_back({value(outcome)});
  table.rows.push_back(std::move(row));
}

template <class Count>
std::string sum_of(const ReplayOutcome& outcome, const Count& count) {
  std::int64_t sum = 0;
  for (const ReplayUser& user : outcome.users) sum += count(user);
  return std::to_string(sum);
}

Table headed(const Outcomes& outcomes, const std::string& first) {
  Table table{.columns = {{.min_width = first.size()}}, .rows = {{{""}}, {{first}}}};
  for (const ReplayOutcome& outcome : outcomes) {
    table.columns.push_back({.align = Align::right});
    table.rows[0].push_back({shorten(outcome.discipline, kContenderWidth)});
    table.rows[1].push_back({shorten(outcome.placement, kContenderWidth)});
  }
  table.add_rule();
  return table;
}

void add_quantiles(Table& table, const std::string& what, const Outcomes& outcomes,
                   Quantiles ReplayOutcome::*which, std::string (*text)(double)) {
  const auto row = [&](const std::string& part, double Quantiles::*value) {
    add_row(table, what + " " + part, outcomes,
            [&](const ReplayOutcome& outcome) { return text(outcome.*which.*value); });
  };
  row("mean", &Quantiles::mean);
  row("median", &Quantiles::p50);
  row("90 %", &Quantiles::p90);
  row("99 %", &Quantiles::p99);
}

std::string plain(double value) { return fmt::format("{:.4g}", value); }

std::string summary(const Outcomes& outcomes) {
  Table table = headed(outcomes, "all tasks");
  add_row(table, "submitted", outcomes,
          [](const auto& outcome) { return sum_of(outcome, [](const auto& u) { return u.submitted; }); });
  add_row(table, "started", outcomes,
          [](const auto& outcome) { return sum_of(outcome, [](const auto& u) { return u.started; }); });
  add_row(table, "finished", outcomes,
          [](const auto& outcome) { return sum_of(outcome, [](const auto& u) { return u.finished; }); });
  add_quantiles(table, "waiting", outcomes, &ReplayOutcome::waiting, span);
  add_quantiles(table, "slowdown", outcomes, &ReplayOutcome::slowdown, plain);
  add_row(table, "completion mean", outcomes,
          [](const auto& outcome) { return span(outcome.completion.mean); });
  table.add_rule();
  add_row(table, "users starved", outcomes, [](const auto& outcome) {
    return sum_of(outcome, [](const auto& u) { return u.starved ? 1 : 0; });
  });
  add_row(table, "unfairness", outcomes, [](const auto& outcome) { return plain(outcome.unfairness); });
  for (std::size_t s = 0; s < outcomes.front().series.size(); ++s) {
    add_row(table, shorten(outcomes.front().series[s].name, kNameWidth) + " (mean)", outcomes,
            [&](const ReplayOutcome& outcome) { return mean_of(outcome.series[s]); });
  }
  return render(table) + "\n";
}

// Users by the tasks that they submitted, most first.
std::vector<std::size_t> by_tasks(const std::vector<ReplayUser>& users) {
  std::vector<std::size_t> order(users.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return users[a].submitted > users[b].submitted; });
  return order;
}

std::string users(const Outcomes& outcomes) {
  const std::vector<std::size_t> order = by_tasks(outcomes.front().users);
  const std::size_t shown = std::min(order.size(), kUsersShown);
  Table table{.columns = {{.min_width = 4}, {.align = Align::right}},
              .rows = {{{""}, {""}}, {{"user"}, {"tasks", 1, Align::right}}}};
  for (const ReplayOutcome& outcome : outcomes) {
    table.columns.push_back({.align = Align::right, .gap = 3});
    table.columns.push_back({.align = Align::decimal});
    table.rows[0].push_back({shorten(outcome.discipline, kContenderWidth), 2, Align::center});
    table.rows[1].push_back({"waits", 1, Align::right});
    table.rows[1].push_back({"share", 1, Align::right});
  }
  table.add_rule();
  for (std::size_t i = 0; i < shown; ++i) {
    const std::size_t n = order[i];
    const ReplayUser& first = outcomes.front().users[n];
    std::vector<Cell> row{{shorten(first.name, kNameWidth)}, {std::to_string(first.submitted)}};
    for (const ReplayOutcome& outcome : outcomes) {
      const ReplayUser& user = outcome.users[n];
      row.push_back({user.starved ? "starves" : span(user.waiting.mean)});
      row.push_back({percent(user.share, 2)});
    }
    table.rows.push_back(std::move(row));
  }
  if (order.size() > shown) {
    table.rows.push_back({{fmt::format("… {} more", order.size() - shown), table.columns.size()}});
  }
  return render(table) + "\n";
}

}  // namespace

std::string simulation_table(const ReplayRun& run, std::size_t width) {
  const std::size_t page = std::min(width, kPageWidth);
  const std::string title = printable(
      fmt::format("{}: {} on {}, seed {}", run.title, run.scenario.workload, run.scenario.cluster, run.seed));
  std::string text = broken(title, page, kIndent) + "\n";
  text += summary(run.outcomes) + users(run.outcomes);
  return text + broken(
                    "waits: mean from submission to start, of started tasks; share: the largest part of any "
                    "one resource that the user holds, mean over time",
                    page, kIndent);
}

}  // namespace mirab::report
