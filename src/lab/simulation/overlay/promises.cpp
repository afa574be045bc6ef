// Compares what is confirmed with the views of both nodes at the moments when they act: the messages between
// them may be as late as they like.
#include "lab/simulation/overlay/promises.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <utility>

#include "lab/simulation/overlay/audit_ledger.hpp"
#include "lab/simulation/overlay/faults.hpp"

namespace mirab::simulation {
namespace {

using overlay::NodeId;

std::vector<NodeId> nodes_of(Confirmations::View view) {
  std::vector<NodeId> nodes;
  for (const overlay::Descriptor& entry : view) nodes.push_back(entry.node);
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

/// (S_r \ {p}) ∪ {r}, ascending.
std::vector<NodeId> asked_about(Confirmations::View view, NodeId r, NodeId p) {
  std::vector<NodeId> nodes = nodes_of(view);
  std::replace(nodes.begin(), nodes.end(), p, r);
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

/// Whose confirmation a turn needs.
std::vector<NodeId> needed(overlay::Confirm confirm, Confirmations::View view) {
  if (confirm == overlay::Confirm::all) return nodes_of(view);
  return {std::ranges::max_element(view, overlay::ranks_before)->node};
}

}  // namespace

void Confirmations::on_message(NodeId from, NodeId to, const overlay::Message& message, View view) {
  if (const auto* request = std::get_if<overlay::ConfirmRequest>(&message)) {
    Round& round = rounds_[from];
    if (request->round < round.number) return;  // an old one, late
    if (request->round > round.number) round = {request->round, {}};
    Question& question = round.asked[to];
    if (question.neighbours != request->neighbours) question = {.neighbours = request->neighbours};
    question.true_there |= nodes_of(view) == request->neighbours;
  } else if (const auto* answer = std::get_if<overlay::ConfirmAnswer>(&message)) {
    const auto round = rounds_.find(to);
    if (round == rounds_.end() || round->second.number != answer->round) return;
    const auto question = round->second.asked.find(from);
    if (question != round->second.asked.end()) question->second.confirmed |= answer->confirmed;
  }
}

void Confirmations::on_served(Time now, NodeId server, const overlay::Served& served, View view,
                              ViolationLog& findings) const {
  const char* what = view.empty() ? nullptr : wrong(server, served.round, view);
  if (what == nullptr) return;
  findings.add("confirmed",
               fmt::format("server {} gives {} its turn in round {}, {}", server, in_words(served.task),
                           served.round, what),
               now);
}

const char* Confirmations::wrong(NodeId server, std::uint64_t number, View view) const {
  constexpr const char* kNotConfirmed = "which a neighbour that must confirm it did not";
  const auto round = rounds_.find(server);
  if (round == rounds_.end() || round->second.number != number) return kNotConfirmed;
  for (const NodeId p : needed(confirm_, view)) {
    const auto question = round->second.asked.find(p);
    if (question == round->second.asked.end() || !question->second.confirmed) return kNotConfirmed;
    if (!question->second.true_there) return "which a neighbour confirmed whose view was another";
    if (question->second.neighbours != asked_about(view, server, p))
      return "though its view is no longer the one that was confirmed";
  }
  return nullptr;
}

// Liveness: after the last fault, while some user must get a place, one gets one within a bound
// (faults.hpp). What the order of a scheduler allows is decided here; the caller counts the time.
// O(N m) a call, and O(K m) for each of the users with the lowest share.

namespace {

using overlay::Idle;
using overlay::NodeId;
using overlay::Scheduler;

bool fits_somewhere(const AuditLedger& books, NodeId user, const std::vector<bool>& here) {
  for (NodeId server = 0; server < here.size(); ++server) {
    if (here[server] && books.fits(user, server)) return true;
  }
  return false;
}

}  // namespace

bool is_live(const OverlayRules& rules, const Faults& faults) {
  const Scheduler scheduler = rules.scheduler;
  if (scheduler == Scheduler::probes || rules.options.stuck == overlay::Stuck::leave) return false;
  const bool one_is_lost = std::any_of(faults.crashes.begin(), faults.crashes.end(),
                                       [](const Crash& crash) { return !crash.back; });
  if (one_is_lost && rules.options.patience.lease == 0) return false;
  const bool fixed = scheduler == Scheduler::ddrf_random || scheduler == Scheduler::ddrf_gradient;
  return !fixed || (!one_is_lost && faults.leaves.empty());
}

std::vector<NodeId> promised(const AuditLedger& books, const Roster& roster, const std::vector<Want>& wants,
                             const std::vector<bool>& here, Scheduler scheduler, Idle idle) {
  const bool in_turn = scheduler == Scheduler::centralised_fifo;
  std::vector<NodeId> users;
  double least = std::numeric_limits<double>::infinity();
  for (NodeId n = 0; n < wants.size(); ++n) {
    const bool counts = wants[n].present || (idle == Idle::block && !in_turn);
    if (!counts) continue;
    const double share = in_turn ? 0 : static_cast<double>(wants[n].running) * roster.dominant[n];
    if (share < least) users.clear();
    if (share > least) continue;
    least = share;
    users.push_back(roster.user(n));
  }
  const bool all_fit = std::all_of(users.begin(), users.end(), [&](NodeId user) {
    return wants[user - roster.servers()].present && fits_somewhere(books, user, here);
  });
  return all_fit ? users : std::vector<NodeId>{};
}

// What must hold at once is checked by the ledger and the confirmations as it happens; what must hold later,
// by a queue of deadlines. Nodes that are down are not hurried: their deadlines count again from their
// return.

namespace {

using overlay::NodeId;
using overlay::TaskId;

template <class... Facts>
bool is_any(const overlay::Fact& fact) {
  return (std::holds_alternative<Facts>(fact) || ...);
}

}  // namespace

Promises::Promises(const Roster& roster, const OverlayRules& rules, const OverlayScenario& scenario,
                   Time first_tick, NodeInspector inspector)
    : roster_(roster),
      rules_(rules),
      scenario_(scenario),
      inspector_(std::move(inspector)),
      bounds_(bounds_for(rules.options, scenario)),
      calm_(first_tick + last_fault(scenario.faults)),
      live_(is_live(rules, scenario.faults)),
      audit_ledger_(roster),
      confirmations_(rules.options.confirm),
      up_(roster.servers(), false),
      here_(roster.servers(), false),
      up_since_(roster.servers()),
      died_at_(roster.servers()),
      findings_{.origin = first_tick} {}

void Promises::on_fact(Time now, NodeId node, const overlay::Fact& fact) {
  expire(now);
  audit_ledger_.on_fact(now, node, fact, findings_);
  if (const auto* served = std::get_if<overlay::Served>(&fact)) {
    if (rules_.scheduler == overlay::Scheduler::dgdrf)
      confirmations_.on_served(now, node, *served, inspector_.view(node), findings_);
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
  for (const TaskId& task : audit_ledger_.expire(now)) expect_agreement(now, task);
}

void Promises::on_message(const overlay::AddressedMessage& letter) {
  if (rules_.scheduler != overlay::Scheduler::dgdrf || !roster_.is_server(letter.to)) return;
  confirmations_.on_message(letter.from, letter.to, letter.message, inspector_.view(letter.to));
}

void Promises::on_server_event(Time now, NodeId server, ServerEvent server_event) {
  up_[server] = server_event == ServerEvent::started || (server_event == ServerEvent::left && up_[server]);
  here_[server] = server_event == ServerEvent::started;
  if (server_event == ServerEvent::started) on_started(now, server);
  if (server_event != ServerEvent::died) return;
  died_at_[server] = now;
  confirmations_.on_lost_memory(server);
  audit_ledger_.on_lost_memory(now, server);
  for (const auto& [task, record] : audit_ledger_.tasks()) {
    if (record.disagreement != Disagreement::none && record.since == now) expect_agreement(now, task);
  }
}

void Promises::on_started(Time now, NodeId server) {
  up_since_[server] = now;
  for (const auto& [key, held] : audit_ledger_.held()) {
    if (key.host == server) expect_answer(key);
  }
  for (const auto& [task, record] : audit_ledger_.tasks()) {
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
  if (record.disagreement != Disagreement::forgotten) return false;
  const std::optional<Time>& died = died_at_[*record.believed];
  return died && record.since <= *died + scenario_.wire.lifetime + scenario_.wire.skew;
}

Time Promises::agreement_due(Time since) const { return std::max(since, calm_) + bounds_.agreed; }

Time Promises::answer_due(const HeldKey& key, const HeldRecord& held) const {
  return std::max(held.since, up_since_[key.host]) +
         stretched(bounds_.held, slowest(scenario_.faults, key.host));
}

void Promises::expect_agreement(Time since, const TaskId& task) {
  const auto found = audit_ledger_.tasks().find(task);
  if (found != audit_ledger_.tasks().end() && found->second.disagreement != Disagreement::none)
    dues_.push({agreement_due(since), task, std::nullopt});
}

void Promises::expect_answer(const HeldKey& key) {
  const auto found = audit_ledger_.held().find(key);
  if (found != audit_ledger_.held().end())
    dues_.push({answer_due(key, found->second), found->second.task, key});
}

// A disagreement that began later, or whose host came back later, is due later too.
void Promises::check_agreement(const Due& due) {
  const auto found = audit_ledger_.tasks().find(due.task);
  if (found == audit_ledger_.tasks().end() || found->second.disagreement == Disagreement::none) return;
  const TaskRecord& record = found->second;
  const NodeId host = record.disagreement == Disagreement::unknown ? *record.runs : *record.believed;
  const bool leased = rules_.options.patience.lease > 0;
  if (!leased && died_unheard(record)) return;
  const bool given_up = record.disagreement == Disagreement::forgotten && leased;
  if (!given_up && !up_[host]) return;
  if (agreement_due(given_up ? record.since : std::max(record.since, up_since_[host])) > due.at) return;
  if (record.disagreement == Disagreement::unknown) {
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
  const auto found = audit_ledger_.held().find(*due.held);
  const NodeId host = due.held->host;
  if (found == audit_ledger_.held().end() || !up_[host] || answer_due(*due.held, found->second) > due.at)
    return;
  findings_.add("no leak", fmt::format("server {} still holds room for {}", host, in_words(due.task)),
                due.at);
}

void Promises::check_free(Time now, NodeId server) {
  const std::span<const std::int64_t> said = inspector_.free(server);
  const overlay::Amounts& free = audit_ledger_.free(server);
  if (std::equal(said.begin(), said.end(), free.begin(), free.end())) return;
  findings_.add("capacity",
                fmt::format("server {} takes {} for free, and {} is", server, fmt::join(said, ", "),
                            fmt::join(free, ", ")),
                now);
}

void Promises::check_open(Time now, NodeId user) {
  const Want want = inspector_.want(user);
  const std::uint64_t kept = want.running + want.owed + (want.present ? 1 : 0);
  const std::size_t open = audit_ledger_.open(user);
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
    for (NodeId n = 0; n < roster_.users(); ++n) wants.push_back(inspector_.want(roster_.user(n)));
    users = promised(audit_ledger_, roster_, wants, here_, rules_.scheduler, rules_.options.idle);
  }
  if (users.empty()) waiting_since_ = now;
  if (now - waiting_since_ <= bounds_.placement) return;
  findings_.add("liveness",
                fmt::format("no task was placed though the task of user {} fits, and it is its turn",
                            fmt::join(users, " and that of user ")),
                now);
  waiting_since_ = now;
}

// Ties promises to a world: what is reported to them, and where they look.

using overlay::NodeId;

Observer observer_of(Promises& promises) {
  return {
      .fact = [&](Time now, NodeId node, const overlay::Fact& fact) { promises.on_fact(now, node, fact); },
      .message = [&](Time, const overlay::AddressedMessage& letter) { promises.on_message(letter); },
      .server_event = [&](Time now, NodeId server,
                          ServerEvent server_event) { promises.on_server_event(now, server, server_event); },
      .after_event = [&](Time now, NodeId node) { promises.after_event(now, node); }};
}

NodeInspector inspector_of(const World& world) {
  return {.view = [&](NodeId server) { return world.server(server)->view(); },
          .free = [&](NodeId server) { return world.server(server)->free(); },
          .want =
              [&](NodeId user) {
                const overlay::User& asked = world.user(user);
                return Want{asked.present().has_value(), asked.running(), asked.owed()};
              }};
}

}  // namespace mirab::simulation
