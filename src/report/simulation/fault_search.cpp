#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include <mirab/overlay/scheduler.hpp>

#include "model/seconds.hpp"
#include "report/audit/audit.hpp"
#include "report/simulation/runs.hpp"
#include "report/text/table.hpp"
#include "report/text/width.hpp"

namespace mirab::report {
namespace {

using simulation::Faults;
using simulation::Memory;
using simulation::Partition;
using simulation::SearchFind;
using simulation::SearchOutcome;

constexpr std::string_view kNotLive =
    "Liveness was not checked: no run was long enough to see a user wait for longer than promised. "
    "Take more --ticks.";
constexpr std::string_view kNeverLive = "Liveness was not checked: `probes` promises none.";

/// "5 % of the servers and the gateway are"
std::string nodes_of(const Partition& cut) {
  std::vector<std::string> parts;
  if (cut.nodes > 0) parts.push_back(fmt::format("{:g} % of the servers", 100 * cut.nodes));
  if (cut.users > 0) parts.push_back(fmt::format("{:g} % of the users", 100 * cut.users));
  if (cut.gateway == Partition::Side::inside) parts.emplace_back("the gateway");
  const bool one = parts.size() == 1 && cut.gateway == Partition::Side::inside;
  return fmt::format("{} {}", fmt::join(parts, " and "), one ? "is" : "are");
}

/// What clocks and messages do other than in a scenario that says nothing of them. The least latency is
/// never drawn.
std::vector<std::string> clock_words(const SearchFind& find) {
  static const simulation::OverlayScenario kUsual;
  std::vector<std::string> lines;
  if (find.wire.skew > Duration::zero())
    lines.push_back(fmt::format("clocks differ by up to {} s", seconds_text(find.wire.skew)));
  if (find.latency.max != kUsual.latency.max)
    lines.push_back(fmt::format("messages take up to {} s", seconds_text(find.latency.max)));
  if (find.wire.lifetime != kUsual.wire.lifetime)
    lines.push_back(
        fmt::format("messages that are older than {} s are dropped", seconds_text(find.wire.lifetime)));
  return lines;
}

/// The plan in sentences, one a fault.
std::vector<std::string> plan_words(const SearchFind& find) {
  const Faults& faults = find.shrunk;
  std::vector<std::string> lines = clock_words(find);
  const auto part = [&](const char* what, double probability) {
    if (probability > 0)
      lines.push_back(fmt::format("{:g} % of the messages {} until {} s", 100 * probability, what,
                                  seconds_text(faults.until)));
  };
  part("are lost", faults.loss);
  part("come twice", faults.duplicate);
  part("come late", faults.reorder);
  part("are garbled", faults.corrupt);
  for (const auto& cut : faults.partitions)
    lines.push_back(fmt::format("{} cut off from {} s to {} s", nodes_of(cut), seconds_text(cut.from),
                                seconds_text(cut.to)));
  for (const auto& crash : faults.crashes)
    lines.push_back(fmt::format("server {} crashes at {} s, {} its memory, and {}", crash.node,
                                seconds_text(crash.at), crash.memory == Memory::kept ? "keeps" : "loses",
                                crash.back ? fmt::format("is back at {} s", seconds_text(*crash.back))
                                           : std::string("never comes back")));
  for (const auto& slow : faults.slow)
    lines.push_back(fmt::format("server {} is {:g} times as slow from {} s to {} s", slow.node, slow.factor,
                                seconds_text(slow.from), seconds_text(slow.to)));
  for (const auto& join : faults.joins)
    lines.push_back(fmt::format("server {} joins at {} s", join.node, seconds_text(join.at)));
  for (const auto& leave : faults.leaves)
    lines.push_back(fmt::format("server {} leaves at {} s", leave.node, seconds_text(leave.at)));
  for (const auto& restart : faults.restarts)
    lines.push_back(
        fmt::format("the gateway and the bootstrap server forget all at {} s", seconds_text(restart.at)));
  if (lines.empty()) lines.push_back("nothing goes wrong");
  return lines;
}

std::string tried_table(const SearchOutcome& outcome) {
  Table table{.columns = {{Align::left}, {Align::right}}, .rows = {}};
  const auto row = [&](const char* what, std::int64_t count) {
    table.rows.push_back({{what}, {fmt::format("{}", count)}});
  };
  row("runs", outcome.tried);
  row("messages", outcome.messages);
  row("of which lost", outcome.lost);
  row("of which came twice", outcome.duplicated);
  row("crashes", outcome.crashes);
  row("partitions", outcome.partitions);
  row("checked for liveness", outcome.live);
  return render(table);
}

std::string find_words(const FaultSearch& searched, const SearchFind& find, std::size_t width) {
  const auto counted_nodes =
      fmt::format("{} server{}, {} user{} and {} ticks", find.nodes, find.nodes == 1 ? "" : "s", find.users,
                  find.users == 1 ? "" : "s", find.ticks);
  std::string text = fmt::format("Seed {} breaks a promise: {}.\n", find.seed, find.violation.promise);
  text +=
      indented(fmt::format("At {} s {}.", seconds_text(find.violation.at), find.violation.what), 2, width);
  text += fmt::format("\nThe smallest plan that shows it, with {}:\n", counted_nodes);
  for (const std::string& line : plan_words(find)) text += indented(line, 2, width);
  return text + "\nAgain: " + replay_line(searched) + "\n";
}

nlohmann::ordered_json find_json(const FaultSearch& searched, const SearchFind& find) {
  return {{"seed", find.seed},
          {"promise", find.violation.promise},
          {"what", find.violation.what},
          {"at_s", in_seconds(find.violation.at)},
          {"nodes", find.nodes},
          {"users", find.users},
          {"ticks", find.ticks},
          {"plan", plan_words(find)},
          {"replay", replay_line(searched)},
          {"scenario", find.replay},
          {"cluster", find.cluster}};
}

}  // namespace

std::string replay_line(const FaultSearch& searched) {
  const simulation::SearchOptions& options = searched.options;
  const std::uint64_t seed = searched.outcome.find ? searched.outcome.find->seed : options.first_seed;
  return fmt::format(
      "mirab simulate --search --seed {} --seeds 1 --nodes {} --users {} --ticks {} --scheduler {}", seed,
      options.nodes, options.users, options.ticks, overlay::row_of(options.scheduler).name);
}

std::string search_table(const FaultSearch& searched, std::size_t width) {
  const simulation::SearchOptions& options = searched.options;
  std::string text =
      fmt::format("Faults against {}: {} servers, {} users, {} ticks a run, from seed {} on\n\n",
                  overlay::row_of(options.scheduler).name, options.nodes, options.users, options.ticks,
                  options.first_seed);
  text += tried_table(searched.outcome) + "\n";
  const bool never = searched.options.scheduler == overlay::Scheduler::probes;
  if (searched.outcome.live == 0)
    text += broken(std::string(never ? kNeverLive : kNotLive), std::min(width, kPageWidth), "") + "\n";
  if (!searched.outcome.find) return text + "No promise was broken.\n";
  return text + find_words(searched, *searched.outcome.find, width);
}

nlohmann::ordered_json search_json(const FaultSearch& searched) {
  const simulation::SearchOptions& options = searched.options;
  const SearchOutcome& outcome = searched.outcome;
  nlohmann::ordered_json json = {{"version", 1},
                                 {"scheduler", overlay::row_of(options.scheduler).name},
                                 {"nodes", options.nodes},
                                 {"users", options.users},
                                 {"ticks", options.ticks},
                                 {"first_seed", options.first_seed},
                                 {"runs", outcome.tried},
                                 {"messages", outcome.messages},
                                 {"lost", outcome.lost},
                                 {"duplicated", outcome.duplicated},
                                 {"crashes", outcome.crashes},
                                 {"partitions", outcome.partitions},
                                 {"live", outcome.live}};
  json["find"] = outcome.find ? find_json(searched, *outcome.find) : nlohmann::ordered_json(nullptr);
  return json;
}

}  // namespace mirab::report
