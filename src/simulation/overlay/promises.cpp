// What must be so at once is found by the books and the confirmations as it happens; what must become so, by
// a queue of moments by which it should have. Nodes that are down are not hurried: their moments count anew
// from their return.

#include "simulation/overlay/promises.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

#include "simulation/overlay/stretched.hpp"

namespace mirab::simulation {
namespace {

using overlay::NodeId;
using overlay::TaskId;

template <class... Facts>
bool is_any(const overlay::Fact& fact) {
  return (std::holds_alternative<Facts>(fact) || ...);
}

}  // namespace

Promises::Promises(const Roster& roster, const OverlayRules& rules, const OverlayScenario& scenario,
                   Time first_tick, Insight insight)
    : roster_(roster),
      rules_(rules),
      scenario_(scenario),
      insight_(std::move(insight)),
      bounds_(bounds_for(rules.options, scenario)),
      calm_(first_tick + last_fault(scenario.faults)),
      live_(is_live(rules, scenario.faults)),
      books_(roster),
      confirmations_(rules.options.confirm),
      up_(roster.servers(), false),
      here_(roster.servers(), false),
      up_since_(roster.servers()),
      died_at_(roster.servers()),
      findings_{.origin = first_tick} {}

void Promises::on_fact(Time now, NodeId node, const overlay::Fact& fact) {
  expire(now);
  books_.on_fact(now, node, fact, findings_);
  if (const auto* served = std::get_if<overlay::Served>(&fact)) {
    if (rules_.scheduler == overlay::Scheduler::dgdrf)
      confirmations_.on_served(now, node, *served, insight_.view(node), findings_);
  } else if (const auto* held = std::get_if<overlay::Held>(&fact)) {
    expect_answer({node, held->proposal});
  } else if (const auto* prolonged = std::get_if<overlay::Prolonged>(&fact)) {
    expect_answer({node, prolonged->proposal});
  }
  std::visit(
      [&](const auto& what) {
        if constexpr (requires { what.task; }) expect_agreement(now, what.task);
      },
      fact);
  counted_ |= is_any<overlay::Held, overlay::GivenBack, overlay::Started, overlay::Stopped>(fact);
  placed_ |= is_any<overlay::Started, overlay::Known>(fact);
}

void Promises::expire(Time now) {
  for (const TaskId& task : books_.expire(now)) expect_agreement(now, task);
}

void Promises::on_message(const overlay::Letter& letter) {
  if (rules_.scheduler != overlay::Scheduler::dgdrf || !roster_.is_server(letter.to)) return;
  confirmations_.on_message(letter.from, letter.to, letter.message, insight_.view(letter.to));
}

void Promises::on_fate(Time now, NodeId server, Fate fate) {
  up_[server] = fate == Fate::started || (fate == Fate::left && up_[server]);
  here_[server] = fate == Fate::started;
  if (fate == Fate::started) on_started(now, server);
  if (fate != Fate::died) return;
  died_at_[server] = now;
  confirmations_.on_lost_memory(server);
  books_.on_lost_memory(now, server);
  for (const auto& [task, record] : books_.tasks()) {
    if (record.discord != Discord::none && record.since == now) expect_agreement(now, task);
  }
}

void Promises::on_started(Time now, NodeId server) {
  up_since_[server] = now;
  for (const auto& [key, held] : books_.held()) {
    if (key.host == server) expect_answer(key);
  }
  for (const auto& [task, record] : books_.tasks()) {
    if (record.runs == server || record.believed == server) expect_agreement(now, task);
  }
}

void Promises::after_event(Time now, NodeId node) {
  if (std::exchange(counted_, false) && roster_.is_server(node) && up_[node]) check_free(now, node);
  if (roster_.is_user(node)) check_open(now, node);
  if (now < next_check_) return;
  next_check_ = now + scenario_.tick;
  expire(now);
  while (!dues_.empty() && dues_.top().at <= now) {
    const Due due = dues_.top();
    dues_.pop();
    due.held ? check_answer(due) : check_agreement(due);
  }
  check_placement(now);
}

// The news that it runs may come when it has died already.
bool Promises::died_unheard(const TaskRecord& record) const {
  if (record.discord != Discord::forgotten) return false;
  const std::optional<Time>& died = died_at_[*record.believed];
  return died && record.since <= *died + scenario_.wire.lifetime + scenario_.wire.skew;
}

Time Promises::agreement_due(Time since) const { return std::max(since, calm_) + bounds_.agreed; }

Time Promises::answer_due(const HeldKey& key, const HeldRecord& held) const {
  return std::max(held.since, up_since_[key.host]) +
         stretched(bounds_.held, slowest(scenario_.faults, key.host));
}

void Promises::expect_agreement(Time since, const TaskId& task) {
  const auto found = books_.tasks().find(task);
  if (found != books_.tasks().end() && found->second.discord != Discord::none)
    dues_.push({agreement_due(since), task, std::nullopt});
}

void Promises::expect_answer(const HeldKey& key) {
  const auto found = books_.held().find(key);
  if (found != books_.held().end()) dues_.push({answer_due(key, found->second), found->second.task, key});
}

// A discord that began later, or whose host came back later, is due later too.
void Promises::check_agreement(const Due& due) {
  const auto found = books_.tasks().find(due.task);
  if (found == books_.tasks().end() || found->second.discord == Discord::none) return;
  const TaskRecord& record = found->second;
  const NodeId host = record.discord == Discord::unknown ? *record.runs : *record.believed;
  const bool leased = rules_.options.patience.lease > 0;
  if (!leased && died_unheard(record)) return;
  const bool given_up = record.discord == Discord::forgotten && leased;
  if (!given_up && !up_[host]) return;
  if (agreement_due(given_up ? record.since : std::max(record.since, up_since_[host])) > due.at) return;
  if (record.discord == Discord::unknown) {
    findings_.add("no leak",
                  fmt::format("{} runs on server {}, and its user does not know", in_words(due.task), host),
                  due.at);
  } else {
    findings_.add("not forgotten",
                  fmt::format("the user of {} was told that it runs on server {}, where it does not",
                              in_words(due.task), host),
                  due.at);
  }
}

void Promises::check_answer(const Due& due) {
  const auto found = books_.held().find(*due.held);
  const NodeId host = due.held->host;
  if (found == books_.held().end() || !up_[host] || answer_due(*due.held, found->second) > due.at) return;
  findings_.add("no leak", fmt::format("server {} still holds room for {}", host, in_words(due.task)),
                due.at);
}

void Promises::check_free(Time now, NodeId server) {
  const std::span<const std::int64_t> said = insight_.free(server);
  const overlay::Amounts& free = books_.free(server);
  if (std::equal(said.begin(), said.end(), free.begin(), free.end())) return;
  findings_.add("capacity",
                fmt::format("server {} takes {} for free, and {} is", server, fmt::join(said, ", "),
                            fmt::join(free, ", ")),
                now);
}

void Promises::check_open(Time now, NodeId user) {
  const Want want = insight_.want(user);
  const std::uint64_t kept = want.running + want.owed + (want.present ? 1 : 0);
  const std::size_t open = books_.open(user);
  if (kept == open) return;
  findings_.add(
      "once",
      fmt::format("user {} has {} tasks that run, wait or are owed, and {} are not over", user, kept, open),
      now);
}

void Promises::check_placement(Time now) {
  if (!live_) return;
  std::vector<NodeId> users;
  if (!std::exchange(placed_, false) && now >= calm_) {
    std::vector<Want> wants;
    for (NodeId n = 0; n < roster_.users(); ++n) wants.push_back(insight_.want(roster_.user(n)));
    users = promised(books_, roster_, wants, here_, rules_.scheduler, rules_.options.idle);
  }
  if (users.empty()) waiting_since_ = now;
  if (now - waiting_since_ <= bounds_.placement) return;
  findings_.add("liveness",
                fmt::format("nobody was placed though the task of user {} fits, and it is its turn",
                            fmt::join(users, " and that of user ")),
                now);
  waiting_since_ = now;
}

}  // namespace mirab::simulation
