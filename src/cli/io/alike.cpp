#include "cli/io/alike.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include <mirab/model/assert.hpp>

#include "cli/program.hpp"
#include "model/counted_together.hpp"
#include "model/exact.hpp"
#include "model/merged_notice.hpp"
#include "model/names.hpp"
#include "model/time_units.hpp"

namespace mirab::cli {
namespace {

constexpr double kSmall = 0.05;  // what counting together may cost before all servers are divided

}  // namespace

Result<mpq_class> read_alike(const std::string& percent) {
  std::string_view number = percent;
  if (number.ends_with('%')) number.remove_suffix(1);
  const Result<Quantity> part = Quantity::parse(std::string(trimmed(number)));
  if (!part || !is_without_suffix(std::string(trimmed(number))) || rational(*part) > 100)
    return Error{.message = fmt::format("'{}' is not a number of percent from 0 to 100", percent),
                 .key = "--alike"};
  return mpq_class(rational(*part) / 100);
}

void take_percent(CLI::Option* option) {
  option->type_name("PERCENT");
  option->check([](const std::string& written) -> std::string {
    const Result<mpq_class> part = read_alike(written);
    return part ? "" : part.error().message;
  });
}

void add_alike_option(CLI::App& app, std::string& alike) {
  take_percent(app.add_option(
      "--alike", alike,
      "Count servers as one entry that differ by at most this percentage, each with the least that "
      "one of them has: a division of thousands of unlike servers then takes seconds in place of minutes, "
      "and says how far off it may be; where that is much, all servers are divided after all; "
      "default: servers are taken as they stand"));
}

namespace {

Result<Problem> with_alike(const Problem& problem, const std::string& alike) {
  const Result<mpq_class> tolerance = read_alike(alike);
  if (!tolerance) return tolerance.error();
  Result<Problem> counted = Problem::from(counted_together(problem, *tolerance).cluster);
  if (counted) return counted;
  return Error{
      .message = fmt::format("servers cannot count together, since then {} {}; give a smaller percentage",
                             counted.error().key, counted.error().message),
      .key = "--alike"};
}

bool is_far_off(const Outcome& outcome) {
  return std::any_of(outcome.merged_levels.begin(), outcome.merged_levels.end(),
                     [](const MergedLevel& level) { return level.bound > kSmall; });
}

/// Whole tasks of a user who is alone on all servers; none of those that it does not ask for.
double whole_tasks_alone(const Problem& problem, std::size_t user) {
  double tasks = 0;
  for (std::size_t i = 0; i < problem.server_count(); ++i) {
    if (!problem.eligible(user, i)) continue;
    const Server& server = problem.servers()[i];
    const ResourceVector& demand = problem.demand(user, i);
    std::optional<mpz_class> each;
    for (std::size_t r = 0; r < demand.size(); ++r) {
      if (demand[r].is_zero()) continue;
      const mpq_class fit = rational(server.capacity[r]) / rational(demand[r]);
      const mpz_class whole = fit.get_num() / fit.get_den();
      if (!each || whole < *each) each = whole;
    }
    if (each) tasks += each->get_d() * static_cast<double>(server.count);
  }
  const std::optional<Quantity>& asked = problem.users()[user].tasks;
  return asked ? std::min(tasks, asked->value()) : tasks;
}

/// Why the counted servers are no good for whole tasks; nothing where they are.
std::optional<std::string> lost_whole_tasks(const Problem& as_it_is, const Problem& counted) {
  for (std::size_t n = 0; n < as_it_is.user_count(); ++n) {
    const double here = whole_tasks_alone(counted, n), there = whole_tasks_alone(as_it_is, n);
    if (here >= there * (1 - kSmall)) continue;
    return fmt::format(
        "as alike servers count, they hold {:.15g} whole tasks of '{}' alone, and {:.15g} as they are", here,
        as_it_is.users()[n].name, there);
  }
  return {};
}

/// Why all servers have to be divided as they are; nothing where they can count together. What cannot be
/// divided is for the answer to say.
std::optional<std::string> too_dear(const ToDivide& cluster, const Problem& counted,
                                    const Execution& execution) {
  if (counted.server_count() == cluster.problem.server_count()) return {};
  for (const Choice& mechanism : cluster.mechanisms) {
    const Result<Outcome> outcome = allocate(counted, mechanism, execution);
    if (outcome && is_far_off(*outcome)) return merged_words(counted, *outcome);
  }
  return cluster.is_filled ? lost_whole_tasks(cluster.problem, counted) : std::nullopt;
}

}  // namespace

Result<std::vector<Problem>> as_divided(std::span<const ToDivide> clusters, const std::string& alike,
                                        const Execution& execution) {
  std::vector<Problem> as_they_are, counted;
  for (const ToDivide& cluster : clusters) as_they_are.push_back(cluster.problem);
  if (alike.empty()) return as_they_are;
  bool any_together = false;
  for (const ToDivide& cluster : clusters) {
    Result<Problem> together = with_alike(cluster.problem, alike);
    if (!together) return together.error();
    if (const std::optional<std::string> why = too_dear(cluster, *together, execution)) {
      report_notes({fmt::format("--alike {}: {}; so all servers are divided as they are", alike, *why)});
      return as_they_are;
    }
    any_together = any_together || together->server_count() < cluster.problem.server_count();
    counted.push_back(*std::move(together));
  }
  if (!any_together)
    report_notes({fmt::format("--alike {}: no servers are so alike; all count as they are", alike)});
  return counted;
}

Result<Problem> as_divided(const ToDivide& cluster, const std::string& alike, const Execution& execution) {
  Result<std::vector<Problem>> one = as_divided(std::span(&cluster, 1), alike, execution);
  if (!one) return one.error();
  return std::move(one->front());
}

std::map<std::string, std::vector<std::string>> servers_together(const Problem& problem,
                                                                 const std::string& alike) {
  const Result<mpq_class> tolerance = read_alike(alike);
  MIRAB_ASSERT(static_cast<bool>(tolerance), "the option takes a percentage");
  const CountedTogether counted = counted_together(problem, *tolerance);
  std::map<std::string, std::vector<std::string>> together;
  for (std::size_t i = 0; i < problem.server_count(); ++i)
    together[counted.cluster.servers[counted.entry_of[i]].name].push_back(problem.servers()[i].name);
  std::erase_if(together, [](const auto& entry) { return entry.second.size() == 1; });
  return together;
}

void print_merged(const std::string& format, const Problem& problem, const Outcome& outcome) {
  if (!problem.cluster().merged) return;
  const std::string words = merged_words(problem, outcome);
  const std::vector<std::string>& notices = outcome.notices;  // not of what runs, which is kept by server
  if (std::find(notices.begin(), notices.end(), words) == notices.end()) return;
  if (format == "csv") report_notes({fmt::format("{}: {}", outcome.mechanism, words)});
  if (is_far_off(outcome))
    report_notes(
        {fmt::format("{}: servers were put together when the cluster was imported, and that may cost "
                     "much here; an import with --exact-nodes keeps them as they are",
                     outcome.mechanism)});
}

}  // namespace mirab::cli
